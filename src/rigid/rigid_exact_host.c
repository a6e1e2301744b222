// SPDX-License-Identifier: MIT
// What the host's own code does of a step on a device, in steps in which the device says that there is something to do: forces that are
// computed from where bodies are, waking, continuous collision, events, falling asleep. It works on copies of bodies in the arena.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_exact_state.h"

static wbStatus needMemory(const wbDeviceStep *step) {
    return wbMemoryError(step->work->memory, "copies of %d rigid bodies and %d contacts need",
                         step->device->bodyCount, step->device->marks.contactCount);
}

// The same bodies with places, motion and still times of the device.
static wbStatus copyBodies(const wbDeviceStep *step, wbRigid *copy) {
    wbRigidExactGpu *d = step->device;
    const size_t count = (size_t)d->bodyCount + 1;
    wbArena *arena = step->work->arena;
    *copy = *step->rigid;
    float **columns[EXACT_STILL][4] = {{&copy->x, &copy->y, &copy->z, NULL},
                                       {&copy->qx, &copy->qy, &copy->qz, &copy->qw},
                                       {&copy->vx, &copy->vy, &copy->vz, NULL},
                                       {&copy->wx, &copy->wy, &copy->wz, NULL}};
    float(*quads)[4] = wbArena_Alloc(arena, sizeof(float[4]) * count);
    copy->stillTime = wbArena_Alloc(arena, sizeof(float) * count);
    if (!quads || !copy->stillTime) return needMemory(step);
    for (int k = 0; k < EXACT_STILL; k++) {
        WB_TRY(wbGpu_Download(d->gpu, &d->state[k], quads, sizeof(float[4]) * (count - 1)));
        for (int c = 0; c < 4; c++) {
            if (!columns[k][c]) continue;
            float *column = *columns[k][c] = wbArena_Alloc(arena, sizeof(float) * count);
            if (!column) return needMemory(step);
            for (size_t b = 0; b + 1 < count; b++) column[b] = quads[b][c];
        }
    }
    return wbGpu_Download(d->gpu, &d->state[EXACT_STILL], copy->stillTime, sizeof(float) * (count - 1));
}

static wbStatus copyRecords(const wbDeviceStep *step, const wbGpuBuffer *buffer, size_t bytes,
                            void **records) {
    *records = wbArena_Alloc(step->work->arena, bytes + 1);
    if (!*records) return needMemory(step);
    return bytes ? wbGpu_Download(step->device->gpu, buffer, *records, bytes) : wb_okStatus;
}

wbStatus wbDeviceStep_SumForces(wbDeviceStep *step) {
    wbRigid *rigid = step->rigid;
    if (rigid->forces.count == 0) return wb_okStatus;
    wbRigid copy;
    const size_t mark = wbArena_Mark(step->work->arena);
    WB_TRY(copyBodies(step, &copy));
    const wbRigidLoads loads = {{rigid->fx, rigid->fy, rigid->fz}, {rigid->tx, rigid->ty, rigid->tz}};
    const wbStatus status =
        wbRigidForces_Apply(&copy, step->model, step->work, step->dt, step->subSteps, &loads);
    rigid->forces = copy.forces;
    wbArena_Release(step->work->arena, mark);
    return status;
}

wbStatus wbDeviceStep_WakeTouched(wbDeviceStep *step, int *woken) {
    const int count = step->counters.contactCount;
    const size_t mark = wbArena_Mark(step->work->arena);
    RigidPlan *plans;
    WB_TRY(copyRecords(step, &step->device->plans, sizeof(RigidPlan) * (size_t)count, (void **)&plans));
    int *pairs = wbArena_Alloc(step->work->arena, 2 * sizeof(int) * (size_t)count), pairCount = 0;
    if (!pairs) return needMemory(step);
    for (int k = 0; k < count; k++) {
        if (plans[k].kind >= RIGID_PLAN_ASLEEP || plans[k].b >= step->terms.bodyCount) continue;
        pairs[2 * pairCount] = plans[k].a, pairs[2 * pairCount++ + 1] = plans[k].b;
    }
    *woken = wbWakeTouched(step->rigid, pairs, pairCount);
    wbArena_Release(step->work->arena, mark);
    return wb_okStatus;
}

// Continuous collision

static bool isTop(const wbRigid *rigid, int body) {
    const float m[3] = {rigid->inverseInertiaX[body], rigid->inverseInertiaY[body],
                        rigid->inverseInertiaZ[body]};
    const uint32_t bits = rigid->bits[body];
    const float most = fmaxf(fmaxf(m[0], m[1]), m[2]), least = fminf(fminf(m[0], m[1]), m[2]);
    return bits & WB_RIGID_DYNAMIC && !(bits & (WB_RIGID_OFF | WB_RIGID_ASLEEP)) && least > 0 &&
           most - least > 1e-6f * most;
}

static void fillStep(const wbDeviceStep *step, wbExactStep *exact, const float (*bodies)[12],
                     const RigidTop *tops) {
    const wbRigid *rigid = exact->rigid;
    for (int b = 0; b < exact->bodyCount; b++) {
        const uint32_t bits = rigid->bits[b];
        const bool isPushed = bits & WB_RIGID_DYNAMIC && !(bits & (WB_RIGID_OFF | WB_RIGID_ASLEEP));
        memset(&exact->bodies[b], 0, sizeof exact->bodies[b]);
        memcpy(&exact->bodies[b], bodies[b], sizeof(float[12]));
        exact->masses[b] = (wbSolverMass){.inverseMass = isPushed ? rigid->inverseMass[b] : 0};
        if (!isTop(rigid, b)) continue;
        wbSolverTop *top = &exact->tops[exact->topCount++];
        top->body = b;
        memcpy(top->rotation, tops[b].rotation, sizeof top->rotation);
    }
    (void)step;
}

wbStatus wbDeviceStep_StopFast(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    wbArena *arena = step->work->arena;
    const size_t mark = wbArena_Mark(arena), count = (size_t)d->bodyCount;
    wbRigid copy;
    float(*bodies)[12], (*kicks)[8], (*starts)[8];
    RigidTop *tops;
    WB_TRY(copyBodies(step, &copy));
    WB_TRY(copyRecords(step, &d->kicks, sizeof(float[8]) * count, (void **)&kicks));
    WB_TRY(copyRecords(step, &d->starts, sizeof(float[8]) * count, (void **)&starts));
    WB_TRY(copyRecords(step, &d->bodies, sizeof(float[12]) * count, (void **)&bodies));
    WB_TRY(copyRecords(step, &d->tops, sizeof(RigidTop) * count, (void **)&tops));
    wbExactStep exact = {.rigid = &copy,
                         .model = step->model,
                         .work = step->work,
                         .dt = step->dt,
                         .h = step->terms.h,
                         .bodyCount = d->bodyCount,
                         .terms = step->terms.terms,
                         .bodies = wbArena_Alloc(arena, sizeof(wbSolverBody) * count),
                         .masses = wbArena_Alloc(arena, sizeof(wbSolverMass) * count),
                         .kicks = wbArena_Alloc(arena, sizeof(wbSolverKick) * count),
                         .starts = wbArena_Alloc(arena, sizeof(float[8]) * count),
                         .tops = wbArena_Alloc(arena, sizeof(wbSolverTop) * count)};
    if (!exact.bodies || !exact.masses || !exact.kicks || !exact.starts || !exact.tops)
        return needMemory(step);
    for (size_t b = 0; b < count; b++)
        for (int k = 0; k < 3; k++) {
            exact.kicks[b].v[k] = kicks[b][k], exact.kicks[b].w[k] = kicks[b][k + 4];
            exact.starts[b][k] = starts[b][k], exact.starts[b][k + 3] = starts[b][k + 4];
        }
    fillStep(step, &exact, (const float(*)[12])bodies, tops);
    WB_TRY(wbPlacePieces(&exact));
    const wbStatus status = wbStopFastBodies(&exact);
    step->rigid->contacts.search = copy.contacts.search; // its memory may have grown
    WB_TRY(status);
    for (size_t b = 0; b < count; b++) memcpy(bodies[b], &exact.bodies[b], sizeof(float[12]));
    for (int t = 0; t < exact.topCount; t++)
        memcpy(tops[exact.tops[t].body].rotation, exact.tops[t].rotation, sizeof(float[4]));
    WB_TRY(wbGpu_Upload(d->gpu, &d->bodies, bodies, sizeof(float[12]) * count));
    WB_TRY(wbGpu_Upload(d->gpu, &d->tops, tops, sizeof(RigidTop) * count));
    wbArena_Release(arena, mark);
    return wb_okStatus;
}

// Events

static bool haveTouchesChanged(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    const unsigned *now = step->counters.touchHash;
    const bool hasChanged =
        !d->marks.isTouchKnown || now[0] != d->marks.touchHash[0] || now[1] != d->marks.touchHash[1];
    memcpy(d->marks.touchHash, now, sizeof d->marks.touchHash);
    d->marks.isTouchKnown = true;
    return hasChanged;
}

static void fillPlans(wbExactStep *exact, const RigidPlan *plans, const int *touches) {
    for (int k = 0; k < exact->contactCount; k++) {
        wbContactPlan *plan = &exact->plans[k];
        *plan = (wbContactPlan){.rows = {plans[k].a, plans[k].b}, .kind = wb_contactMany};
        if (plans[k].kind == RIGID_PLAN_ASLEEP) plan->kind = wb_contactAsleep;
        if (plans[k].kind == RIGID_PLAN_SENSOR) plan->kind = wb_contactSensor;
        exact->touches[k] = touches[k] != 0;
    }
}

wbStatus wbDeviceStep_Tell(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    wbArena *arena = step->work->arena;
    const bool hasChanged = haveTouchesChanged(step);
    const size_t mark = wbArena_Mark(arena), count = (size_t)d->marks.contactCount;
    if (!hasChanged && step->counters.hits == 0) return wb_okStatus;
    wbRigid copy;
    RigidPlan *plans;
    int *touches;
    WB_TRY(copyBodies(step, &copy));
    WB_TRY(copyRecords(step, &d->plans, sizeof(RigidPlan) * count, (void **)&plans));
    WB_TRY(copyRecords(step, &d->touches, sizeof(int) * count, (void **)&touches));
    WB_TRY(copyRecords(step, &d->contacts, sizeof(wbContact) * count, &copy.contacts.contacts.data));
    wbExactStep exact = {.rigid = &copy,
                         .model = step->model,
                         .work = step->work,
                         .dt = step->dt,
                         .bodyCount = d->bodyCount,
                         .contactCount = (int)count,
                         .plans = wbArena_Alloc(arena, sizeof(wbContactPlan) * (count + 1)),
                         .touches = wbArena_Alloc(arena, count + 1)};
    if (!exact.plans || !exact.touches) return needMemory(step);
    fillPlans(&exact, plans, touches);
    const wbStatus status = wbTellContacts(&exact);
    step->rigid->events = copy.events;
    step->rigid->contacts.touchHash = copy.contacts.touchHash;
    wbArena_Release(arena, mark);
    return status;
}

// Sleep

static void stopAsleep(wbRigid *rigid, const wbRigid *copy) {
    for (int b = 0; b < rigid->count; b++) {
        if (!(rigid->bits[b] & WB_RIGID_ASLEEP)) continue;
        rigid->vx[b] = copy->vx[b], rigid->vy[b] = copy->vy[b], rigid->vz[b] = copy->vz[b];
        rigid->wx[b] = copy->wx[b], rigid->wy[b] = copy->wy[b], rigid->wz[b] = copy->wz[b];
    }
}

// Still times are counted on the device. Bits and rings of sleepers are the host's own.
wbStatus wbDeviceStep_FallAsleep(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    if (step->counters.tired == 0) return wb_okStatus;
    const size_t mark = wbArena_Mark(step->work->arena);
    wbRigid copy;
    WB_TRY(copyBodies(step, &copy));
    WB_TRY(copyRecords(step, &d->contacts, sizeof(wbContact) * (size_t)d->marks.contactCount,
                       &copy.contacts.contacts.data));
    copy.contacts.count = d->marks.contactCount;
    WB_TRY(wbFallAsleep(&copy, step->model, step->work, 0));
    stopAsleep(step->rigid, &copy);
    wbArena_Release(step->work->arena, mark);
    return wbDeviceStep_PushBits(step);
}
