// SPDX-License-Identifier: MIT
// A step of rigid bodies as particles on a device: rigid_particles.c, kernel by kernel.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_gpu_state.h"

extern const char wb_clMath[], wb_clPose[], wb_clShapeDevice[], wb_clRigidParticlesConstants[],
    wb_clRigidVectorFormula[], wb_clRigidParticlesFormula[], wb_clRigidMotionFormula[],
    wb_clRigidSpringsFormula[], wb_clRigidForceFormula[], wb_clRigidParticlesDevice[], wb_clRigidDevice[],
    wb_clRigidSurface[], wb_clRigidParticles[], wb_clRigidForces[], wb_clRigidMotion[];

// Kernels are written for one particle each, whatever the device likes: those of a group stand side by side.
static const char oneLane[] = "#undef WB_LANES\n#define WB_LANES 1\n#pragma OPENCL FP_CONTRACT OFF\n";

#define COMMON_SOURCES                                                                                       \
    oneLane, wb_clReal, wb_clMath, wb_clPose, wb_clRigidParticlesConstants, wb_clRigidVectorFormula,         \
        wb_clRigidParticlesFormula, wb_clRigidMotionFormula, wb_clShapeDevice, wb_clRigidParticlesDevice,    \
        wb_clRigidDevice, wb_clRigidSurface

static wbStatus getMotionKernels(wbRigidGpu *device) {
    MotionKernels *k = &device->motion;
    if (k->built) return wb_okStatus;
    const char *const sources[] = {COMMON_SOURCES, wb_clRigidSpringsFormula, wb_clRigidForces,
                                   wb_clRigidForceFormula, wb_clRigidMotion};
    const wbGpuProgramDef def = {"rigid_motion", sources, sizeof sources / sizeof sources[0], ""};
    const wbGpuKernelName kernels[] = {{"rigid_begin", &k->begin},
                                       {"rigid_end", &k->end},
                                       {"rigid_place", &k->place},
                                       {"rigid_place_surfaces", &k->placeSurfaces},
                                       {"rigid_forces", &k->touch},
                                       {"rigid_gather", &k->gather},
                                       {"rigid_act", &k->act},
                                       {"rigid_kick", &k->kick},
                                       {"rigid_drift", &k->drift},
                                       {"rigid_stage", &k->stage},
                                       {"rigid_summarise", &k->summarise}};
    WB_TRY(wbGpu_BuildKernels(device->gpu, &def, kernels, (int)(sizeof kernels / sizeof kernels[0])));
    k->built = true;
    return wb_okStatus;
}

static wbStatus getSearchKernels(wbRigidGpu *device, bool hashed, const SearchKernels **result) {
    SearchKernels *k = &device->searches[hashed];
    *result = k;
    if (k->built) return wb_okStatus;
    const char *const sources[] = {COMMON_SOURCES, wb_clSpaceDevice, wb_clVector, wb_clCells,
                                   wb_clRigidParticles};
    const wbGpuProgramDef def = {"rigid_search", sources, sizeof sources / sizeof sources[0],
                                 hashed ? "-DHASHED=1" : "-DHASHED=0"};
    const wbGpuKernelName kernels[] = {{"rigid_sort", &k->sort},
                                       {"rigid_near", &k->near},
                                       {"rigid_count", &k->count},
                                       {"rigid_list", &k->list}};
    WB_TRY(wbGpu_BuildKernels(device->gpu, &def, kernels, (int)(sizeof kernels / sizeof kernels[0])));
    k->built = true;
    return wb_okStatus;
}

wbStatus wbRigidGpu_Run(const Step *step, wbGpuKernel *kernel, int items, const wbGpuArg *args,
                        int argCount) {
    const int size = step->device->groupSize;
    if (size == 0 || items == 0) return wbGpu_Run(step->device->gpu, kernel, items, args, argCount);
    return wbGpu_RunGroups(step->device->gpu, kernel, (items + size - 1) / size, size, args, argCount);
}

static wbStatus place(const Step *step) {
    wbRigidGpu *d = step->device;
    wbGpu_SetPhase(d->gpu, wb_rigid_particles);
    return wbRigidGpu_Run(step, step->motion->place, d->particleCount,
                          WB_GPU_ARGS(WB_GPU_INT(d->particleCount), WB_GPU_BUFFER(d->bodyOf),
                                      WB_GPU_BUFFER(d->particles[OWN]), WB_GPU_BUFFER(d->bodies[CENTRE]),
                                      WB_GPU_BUFFER(d->bodies[TURN]), WB_GPU_BUFFER(d->particles[PLACE]),
                                      WB_GPU_BUFFER3(d->axes)));
}

static wbStatus sortParticles(Step *step) {
    wbRigidGpu *d = step->device;
    const float grow = d->largestReach;
    wbGpuPoints points = {&d->axes[0], &d->axes[1], &d->axes[2], d->particleCount, {0}, {0}};
    for (int k = 0; k < 3; k++)
        points.min[k] = d->marks.now.min[k] - grow, points.max[k] = d->marks.now.max[k] + grow;
    wbGpu_SetPhase(d->gpu, wb_rigid_grid);
    WB_TRY(wbGpuCells_Sort(&d->cells, &points, 2 * step->rigid->particles.largestRadius + step->margin,
                           step->model->domain->dimensions));
    WB_TRY(getSearchKernels(d, d->cells.grid.hashed, &step->search));
    return wbRigidGpu_Run(step, step->search->sort, d->particleCount,
                          WB_GPU_ARGS(WB_GPU_INT(d->particleCount), WB_GPU_BUFFER(d->cells.order),
                                      WB_GPU_BUFFER(d->particles[PLACE]), WB_GPU_BUFFER(d->bodyOf),
                                      WB_GPU_BUFFER(d->particles[SORTED]), WB_GPU_BUFFER(d->sortedBodies)));
}

static wbStatus runJoined(const Step *step, wbGpuKernel *kernel, int items, const wbGpuArg *first,
                          int firstCount, const wbGpuArg *rest, int restCount) {
    wbGpuArg args[WB_MAX_GPU_ARGS];
    memcpy(args, first, sizeof *args * (size_t)firstCount);
    memcpy(args + firstCount, rest, sizeof *args * (size_t)restCount);
    return wbRigidGpu_Run(step, kernel, items, args, firstCount + restCount);
}

static wbStatus reserveList(wbRigidGpu *d, uint32_t total) {
    ContactList *list = &d->lists[1];
    if (total > INT32_MAX / 16)
        return wbError(wb_errorMemory, "%u contacts of rigid bodies are more than a device can hold", total);
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->targets, "contacts", 4 * (size_t)total + 64));
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &list->seconds, "contacts", 4 * (size_t)total + 64));
    return wbGpuBuffer_Reserve(d->gpu, &list->shears, "contacts", sizeof(float[4]) * (size_t)total + 64);
}

// m: so much that lists hold for the step if nothing speeds up much, but no more than pays; see rigid_particles.c.
static float chooseMargin(const Step *step) {
    const float least = step->rigid->particles.leastRadius;
    const wbVec3 g = step->model->domain->gravity;
    const float dt = step->h * (float)step->subSteps;
    if (step->subSteps == 1) return 0;
    const float speed = step->device->marks.now.maxSpeed + sqrtf(wbDot(g, g)) * dt;
    return fminf(fmaxf(2.5f * speed * dt, 0.05f * least), 0.5f * least);
}

// Contacts that may be, made when something may have come nearer than the last list knows, with what contacts remember.
static wbStatus list(Step *step, const RigidSides *sides) {
    wbRigidGpu *d = step->device;
    const ContactList *old = &d->lists[0], *new = &d->lists[1];
    const Surfaces *s = &d->surfaces;
    const int words = (s->count + 31) / 32;
    uint32_t total = 0;
    if (step->isListed && 2.2 * step->travelled <= (double)step->margin) return wb_okStatus;
    WB_TRY(sortParticles(step));
    WB_TRY(wbRigidGpu_FindSurfaces(step));
    // with the source's springs comparing particles counts to forces, as on the cores
    if (step->subSteps == 1 && !step->remembers) wbGpu_SetPhase(d->gpu, wb_rigid_contacts);
    const wbGpuArg search[] = {WB_GPU_INT(d->particleCount),
                               WB_GPU_STRUCT(d->cells.cells),
                               WB_GPU_BUFFER(d->cells.bucketStart),
                               WB_GPU_BUFFER(d->cells.order),
                               WB_GPU_BUFFER(d->particles[SORTED]),
                               WB_GPU_BUFFER(d->sortedBodies),
                               WB_GPU_BUFFER(d->particles[PLACE]),
                               WB_GPU_BUFFER(d->bodyOf),
                               WB_GPU_BUFFER(d->laws),
                               WB_GPU_STRUCT(*sides),
                               WB_GPU_FLOAT(step->margin),
                               WB_GPU_INT(words),
                               WB_GPU_BUFFER(s->surfaces),
                               WB_GPU_BUFFER(s->poses),
                               WB_GPU_BUFFER(s->near)};
    const int searchCount = (int)(sizeof search / sizeof search[0]);
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->lists[1].starts, "contacts",
                               4 * ((size_t)d->particleCount + 1) + 64));
    WB_TRY(runJoined(step, step->search->count, d->particleCount + 1, search, searchCount,
                     WB_GPU_ARGS(WB_GPU_BUFFER(new->starts))));
    WB_TRY(wbGpuSort_Scan(d->cells.sort, &d->lists[1].starts, d->particleCount + 1));
    WB_TRY(wbGpu_DownloadAt(d->gpu, &new->starts, 4 * (size_t)d->particleCount, &total, sizeof total));
    WB_TRY(reserveList(d, total));
    WB_TRY(runJoined(step, step->search->list, d->particleCount, search, searchCount,
                     WB_GPU_ARGS(WB_GPU_INT(step->remembers), WB_GPU_BUFFER(old->starts),
                                 WB_GPU_BUFFER(old->seconds), WB_GPU_BUFFER(old->shears),
                                 WB_GPU_BUFFER(new->starts), WB_GPU_BUFFER(d->targets),
                                 WB_GPU_BUFFER(new->seconds), WB_GPU_BUFFER(new->shears))));
    const ContactList made = d->lists[1];
    d->lists[1] = d->lists[0], d->lists[0] = made;
    d->marks.contactCount = (int)total;
    step->isListed = true, step->travelled = 0;
    return wb_okStatus;
}

static wbStatus touch(Step *step, float span, bool keeps) {
    wbRigidGpu *d = step->device;
    const RigidSides sides = wbRigidGpu_GetSides(step, (float)step->subStep * step->h + span);
    const Surfaces *s = &d->surfaces;
    wbGpu_SetPhase(d->gpu, wb_rigid_grid);
    WB_TRY(wbRigidGpu_PlaceSurfaces(step));
    WB_TRY(list(step, &sides));
    wbGpu_SetPhase(d->gpu, wb_rigid_contacts);
    const ContactList *contacts = &d->lists[0];
    return wbRigidGpu_Run(
        step, step->motion->touch, d->particleCount,
        WB_GPU_ARGS(WB_GPU_INT(d->particleCount), WB_GPU_BUFFER(d->particles[PLACE]),
                    WB_GPU_BUFFER(d->bodyOf), WB_GPU_STRUCT(sides), WB_GPU_BUFFER(s->surfaces),
                    WB_GPU_BUFFER(s->poses), WB_GPU_BUFFER(s->faces), WB_GPU_BUFFER(s->loops),
                    WB_GPU_BUFFER(s->corners), WB_GPU_BUFFER(s->nodes), WB_GPU_BUFFER(s->clusters),
                    WB_GPU_BUFFER(s->triangles), WB_GPU_STRUCT(step->rule), WB_GPU_BUFFER(d->matter),
                    WB_GPU_BUFFER(d->bodies[CENTRE]), WB_GPU_BUFFER(d->bodies[VELOCITY]),
                    WB_GPU_BUFFER(d->bodies[SPIN]), WB_GPU_FLOAT(keeps ? step->h : span), WB_GPU_INT(keeps),
                    WB_GPU_BUFFER(contacts->starts), WB_GPU_BUFFER(d->targets),
                    WB_GPU_BUFFER(contacts->shears), WB_GPU_BUFFER(d->particles[FORCE]),
                    WB_GPU_BUFFER(d->particles[TORQUE])));
}

// Forces on bodies as they are, `span` s after the sub-step began; see rigid_particles.c.
static wbStatus evaluate(Step *step, float span, bool keeps) {
    wbRigidGpu *d = step->device;
    if (d->particleCount > 0) WB_TRY(touch(step, span, keeps));
    wbGpu_SetPhase(d->gpu, wb_rigid_momentum);
    WB_TRY(wbRigidGpu_Run(
        step, step->motion->gather, d->bodyCount,
        WB_GPU_ARGS(WB_GPU_INT(d->bodyCount), WB_GPU_BUFFER(d->laws), WB_GPU_BUFFER(d->particles[FORCE]),
                    WB_GPU_BUFFER(d->particles[TORQUE]), WB_GPU_BUFFER(d->bodies[OWN_FORCE]),
                    WB_GPU_BUFFER(d->bodies[OWN_TORQUE]), WB_GPU_BUFFER(d->bodies[LOADS]))));
    wbGpu_SetPhase(d->gpu, wb_rigid_forces);
    return wbRigidGpu_ActOnBodies(step);
}

static wbStatus kick(Step *step, float h) {
    wbRigidGpu *d = step->device;
    step->move.h = h;
    wbGpu_SetPhase(d->gpu, wb_rigid_integrate);
    return wbRigidGpu_Run(step, step->motion->kick, d->bodyCount,
                          WB_GPU_ARGS(WB_GPU_INT(d->bodyCount), WB_GPU_STRUCT(step->move),
                                      WB_GPU_BUFFER(d->laws), WB_GPU_BUFFER(d->bodies[LOADS]),
                                      WB_GPU_BUFFER(d->bodies[TURN]), WB_GPU_BUFFER(d->bodies[VELOCITY]),
                                      WB_GPU_BUFFER(d->bodies[SPIN]), WB_GPU_BUFFER(d->bodies[MOMENTUM])));
}

// How fast sides move; bodies' speeds are in the summary.
static double getSideSpeed(const wbDomain *domain) {
    double most = 0;
    for (int k = 0; k < wb_sideCount; k++) {
        const float *v = domain->velocity[k];
        if (domain->closed[k])
            most = fmax(most, sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]));
    }
    return most;
}

// After a way of so many s.
static wbStatus summarise(Step *step, float h) {
    wbRigidGpu *d = step->device;
    WB_TRY(wbGpu_RunGroups(d->gpu, step->motion->summarise, 1, RIGID_SUMMARY_GROUP,
                           WB_GPU_ARGS(WB_GPU_INT(d->total), WB_GPU_BUFFER(d->laws),
                                       WB_GPU_BUFFER(d->bodies[CENTRE]), WB_GPU_BUFFER(d->bodies[VELOCITY]),
                                       WB_GPU_BUFFER(d->bodies[SPIN]), WB_GPU_BUFFER(d->summary))));
    WB_TRY(wbGpu_Download(d->gpu, &d->summary, &d->marks.now, sizeof d->marks.now));
    step->rigid->maxSpeed = d->marks.now.maxSpeed;
    step->travelled += (double)h * fmax((double)d->marks.now.maxSpeed, getSideSpeed(step->model->domain));
    if (d->marks.now.broken == 0) return wb_okStatus;
    return wbError(
        wb_errorUnstable,
        "%d rigid bodies are beyond what floats can hold: take a shorter time step, more sub-steps, or "
        "a lower rigid.stiffness",
        d->marks.now.broken);
}

static wbStatus drift(Step *step, float h) {
    wbRigidGpu *d = step->device;
    step->move.h = h;
    wbGpu_SetPhase(d->gpu, wb_rigid_integrate);
    WB_TRY(wbRigidGpu_Run(step, step->motion->drift, d->total,
                          WB_GPU_ARGS(WB_GPU_INT(d->total), WB_GPU_STRUCT(step->move),
                                      WB_GPU_INT(step->model->params.integrator != wb_rigidEuler),
                                      WB_GPU_BUFFER(d->laws), WB_GPU_BUFFER(d->bodies[CENTRE]),
                                      WB_GPU_BUFFER(d->bodies[TURN]), WB_GPU_BUFFER(d->bodies[VELOCITY]),
                                      WB_GPU_BUFFER(d->bodies[SPIN]), WB_GPU_BUFFER(d->bodies[MOMENTUM]))));
    WB_TRY(summarise(step, h));
    return place(step);
}

static wbStatus advanceRungeKutta(Step *step) {
    static const float spans[4] = {0, 0.5f, 0.5f, 1}, ways[4] = {0.5f, 0, 0.5f, 0};
    wbRigidGpu *d = step->device;
    step->move.h = step->h;
    for (int k = 0; k < 4; k++) {
        WB_TRY(evaluate(step, spans[k] * step->h, k == 3));
        wbGpu_SetPhase(d->gpu, wb_rigid_integrate);
        WB_TRY(wbRigidGpu_Run(step, step->motion->stage, d->total,
                              WB_GPU_ARGS(WB_GPU_INT(d->total), WB_GPU_STRUCT(step->move), WB_GPU_INT(k),
                                          WB_GPU_BUFFER(d->laws), WB_GPU_BUFFER(d->bodies[LOADS]),
                                          WB_GPU_BUFFER(d->bodies[CENTRE]), WB_GPU_BUFFER(d->bodies[TURN]),
                                          WB_GPU_BUFFER(d->bodies[VELOCITY]), WB_GPU_BUFFER(d->bodies[SPIN]),
                                          WB_GPU_BUFFER(d->bodies[MOMENTUM]), WB_GPU_BUFFER(d->bodies[BASE]),
                                          WB_GPU_BUFFER(d->bodies[CHANGE]))));
        WB_TRY(summarise(step, ways[k] * step->h));
        WB_TRY(place(step));
    }
    return wb_okStatus;
}

static wbStatus advance(Step *step) {
    const float h = step->h;
    switch (step->model->params.integrator) {
    case wb_rigidVerlet:
        if (step->subStep == 0) WB_TRY(evaluate(step, 0, false));
        WB_TRY(kick(step, 0.5f * h));
        WB_TRY(drift(step, h));
        WB_TRY(evaluate(step, h, true));
        return kick(step, 0.5f * h);
    case wb_rigidLeapfrog:
        WB_TRY(drift(step, 0.5f * h));
        WB_TRY(evaluate(step, 0.5f * h, true));
        WB_TRY(kick(step, h));
        return drift(step, 0.5f * h);
    case wb_rigidRungeKutta4:
        return advanceRungeKutta(step);
    default:
        WB_TRY(evaluate(step, 0, true));
        WB_TRY(kick(step, h));
        return drift(step, h);
    }
}

wbStatus wbRigidGpu_Step(wbRigidGpu *device, wbRigid *rigid, const wbRigidModel *model, const wbWork *work,
                         float dt) {
    const int subSteps = wbRigid_CountSubSteps(model);
    const wbVec3 g = model->domain->gravity;
    Step step = {.device = device,
                 .rigid = rigid,
                 .model = model,
                 .work = work,
                 .motion = &device->motion,
                 .h = dt / (float)subSteps,
                 .subSteps = subSteps,
                 .remembers = !model->params.seed && model->params.shearStiffness > 0,
                 .move = {.gravity = {g.x, g.y, g.z}, .terminalSpeed = model->params.terminalSpeed}};
    step.rule = wbRigid_GetRule(model, step.h);
    memset(rigid->ms, 0, sizeof rigid->ms);
    if (rigid->count == 0) return wb_okStatus;
    WB_TRY(wbRigid_PrepareParticles(rigid, model, work));
    WB_TRY(getMotionKernels(device));
    if (device->hostIsNewer) WB_TRY(wbRigidGpu_Push(device, rigid, model));
    WB_TRY(wbRigidGpu_PushStep(device, rigid, model));
    device->deviceIsNewer = true;
    wbGpu_SetPhase(device->gpu, wb_rigid_integrate);
    WB_TRY(
        wbRigidGpu_Run(&step, step.motion->begin, device->total,
                       WB_GPU_ARGS(WB_GPU_INT(device->total), WB_GPU_BUFFER(device->laws),
                                   WB_GPU_BUFFER(device->bodies[TURN]), WB_GPU_BUFFER(device->bodies[SPIN]),
                                   WB_GPU_BUFFER(device->bodies[MOMENTUM]))));
    WB_TRY(place(&step));
    WB_TRY(summarise(&step, 0));
    step.margin = chooseMargin(&step);
    for (; step.subStep < subSteps; step.subStep++) WB_TRY(advance(&step));
    wbGpu_SetPhase(device->gpu, wb_rigid_integrate);
    WB_TRY(wbRigidGpu_Run(&step, step.motion->end, device->total,
                          WB_GPU_ARGS(WB_GPU_INT(device->total), WB_GPU_BUFFER(device->laws),
                                      WB_GPU_BUFFER(device->bodies[TURN]),
                                      WB_GPU_BUFFER(device->bodies[MOMENTUM]),
                                      WB_GPU_BUFFER(device->bodies[SPIN]))));
    float *columns[6] = {rigid->fx, rigid->fy, rigid->fz, rigid->tx, rigid->ty, rigid->tz};
    for (int k = 0; k < 6; k++) memset(columns[k], 0, sizeof(float) * (size_t)rigid->count);
    rigid->previousDt = dt;
    return wbGpu_TakeTimes(device->gpu, rigid->ms, wb_rigidPhaseCount);
}
