// SPDX-License-Identifier: MIT
// Force generators on a device. Each body has a list of what acts on it, so that it gathers by itself. Programs' own forces, and cables
// and rods, which are solved for in passes over all of them, are left to the cores: for these, and only if there are any, bodies and
// loads are copied to the host and loads back in each evaluation.
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_gpu_state.h"

void wbRigidGpu_FreeGenerators(wbRigidGpu *device) {
    Generators *g = &device->generators;
    wbGpuBuffer *buffers[] = {&g->startsBuffer, &g->tiesBuffer, &g->actsBuffer, &g->rulesBuffer,
                              &g->membersBuffer};
    wbArray *arrays[] = {&g->starts, &g->ties, &g->acts, &g->rules, &g->members};
    for (int k = 0; k < 5; k++)
        wbGpuBuffer_Free(device->gpu, buffers[k]), wbArray_Free(device->memory, arrays[k]);
}

static const wbRigidForce *getForce(const wbRigid *rigid, int f) {
    return (const wbRigidForce *)rigid->forces.list.data + f;
}

static bool isOnDevice(const wbRigidForce *force) {
    return force->params.on && !wbRigidForce_IsForCores(force);
}

// Bodies of a force, of which those that forces do not move feel nothing.
static int getMember(const wbRigid *rigid, const wbRigidForce *force, int k) {
    return force->isOnAll ? k : ((const int *)rigid->forces.members.data)[force->first + k];
}
static int countMembers(const wbRigid *rigid, const wbRigidForce *force) {
    return force->isOnAll ? rigid->count : force->count;
}

static wbStatus reserve(wbRigidGpu *device, const wbRigid *rigid) {
    Generators *g = &device->generators;
    int64_t acts = 0;
    for (int f = 0; f < rigid->forces.count; f++)
        if (isOnDevice(getForce(rigid, f))) acts += countMembers(rigid, getForce(rigid, f));
    if (acts > INT32_MAX / 64 || !wbArray_Reserve(device->memory, &g->starts, rigid->count + 2) ||
        !wbArray_Reserve(device->memory, &g->ties, rigid->count + 1) ||
        !wbArray_Reserve(device->memory, &g->acts, (int)acts + 1) ||
        !wbArray_Reserve(device->memory, &g->members, (int)acts + 1) ||
        !wbArray_Reserve(device->memory, &g->rules, rigid->forces.count + 1))
        return wbMemoryError(device->memory, "%lld forces on rigid bodies need", (long long)acts);
    g->actCount = (int)acts;
    return wb_okStatus;
}

static RigidAct makeAct(const wbRigid *rigid, const wbRigidModel *model, int f, int k) {
    const wbRigidForce *force = getForce(rigid, f);
    const ForceRule rule = wbRigidForce_GetRule(force);
    RigidAct act = {.force = f, .other = -1};
    if (rule.kind == FORCE_SPRING) act.other = getMember(rigid, force, k ^ 1), act.isSecond = k % 2;
    if (rule.kind == FORCE_BUOYANCY && !(rule.volume > 0))
        act.volume = wbRigid_GetVolume(rigid, getMember(rigid, force, k), model->domain->dimensions);
    return act;
}

// By body, in the order of forces.
static void listActs(Generators *g, const wbRigid *rigid, const wbRigidModel *model) {
    int *starts = g->starts.data, *members = g->members.data, memberCount = 0;
    memset(starts, 0, sizeof(int) * ((size_t)rigid->count + 2));
    for (int f = 0; f < rigid->forces.count; f++) {
        const wbRigidForce *force = getForce(rigid, f);
        ForceRule *rule = (ForceRule *)g->rules.data + f;
        *rule = wbRigidForce_GetRule(force);
        rule->first = memberCount, rule->count = isOnDevice(force) ? countMembers(rigid, force) : 0;
        for (int k = 0; k < rule->count; k++) {
            members[memberCount++] = getMember(rigid, force, k);
            starts[getMember(rigid, force, k) + 2]++;
        }
    }
    for (int b = 0; b < rigid->count; b++) starts[b + 2] += starts[b + 1];
    for (int f = 0; f < rigid->forces.count; f++) {
        const ForceRule *rule = (const ForceRule *)g->rules.data + f;
        for (int k = 0; k < rule->count; k++)
            ((RigidAct *)g->acts.data)[starts[members[rule->first + k] + 1]++] = makeAct(rigid, model, f, k);
    }
}

wbStatus wbRigidGpu_PushGenerators(wbRigidGpu *device, const wbRigid *rigid, const wbRigidModel *model) {
    Generators *g = &device->generators;
    const size_t bodies = (size_t)rigid->count;
    g->needsCores = false, g->actCount = 0;
    for (int f = 0; f < rigid->forces.count; f++)
        g->needsCores = g->needsCores || wbRigidForce_IsForCores(getForce(rigid, f));
    if (rigid->forces.count == 0) return wb_okStatus;
    WB_TRY(reserve(device, rigid));
    listActs(g, rigid, model);
    wbRigidForces_CountTies(rigid, g->ties.data);
    const struct {
        wbGpuBuffer *buffer;
        const void *host;
        size_t bytes;
    } parts[] = {{&g->startsBuffer, g->starts.data, sizeof(int) * (bodies + 1)},
                 {&g->tiesBuffer, g->ties.data, sizeof(int) * bodies},
                 {&g->actsBuffer, g->acts.data, sizeof(RigidAct) * (size_t)g->actCount},
                 {&g->membersBuffer, g->members.data, sizeof(int) * (size_t)g->actCount},
                 {&g->rulesBuffer, g->rules.data, sizeof(ForceRule) * (size_t)rigid->forces.count}};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        WB_TRY(wbRigidGpu_Write(device, parts[k].buffer, "forces", parts[k].host, parts[k].bytes));
    return wb_okStatus;
}

// What is left to the cores

enum { MOTION_COLUMNS = 13, LOAD_COLUMNS = 6 };

// A wbRigid whose bodies are where the device's are: the host's own stay what was copied last.
static void lendColumns(wbRigid *shadow, float *floats, size_t length) {
    float **columns[MOTION_COLUMNS] = {&shadow->x,  &shadow->y,  &shadow->z,  &shadow->qx, &shadow->qy,
                                       &shadow->qz, &shadow->qw, &shadow->vx, &shadow->vy, &shadow->vz,
                                       &shadow->wx, &shadow->wy, &shadow->wz};
    for (int k = 0; k < MOTION_COLUMNS; k++) *columns[k] = floats + (size_t)k * length;
}

// Rows of some quads each as columns, or back; NULL: no column.
static void copyQuads(float *quads, int rowQuads, int quad, float *const columns[4], int count,
                      bool toColumns) {
    for (int b = 0; b < count; b++)
        for (int c = 0; c < 4; c++) {
            float *value = &quads[4 * ((size_t)b * (size_t)rowQuads + (size_t)quad) + (size_t)c];
            if (columns[c] && toColumns)
                columns[c][b] = *value;
            else if (columns[c])
                *value = columns[c][b];
        }
}

static wbStatus readBodies(const Step *step, float *quads, wbRigid *shadow, const wbRigidLoads *loads) {
    wbRigidGpu *d = step->device;
    const size_t bytes = sizeof(float[4]) * (size_t)d->bodyCount;
    float *const motion[MOVED][4] = {{shadow->x, shadow->y, shadow->z, NULL},
                                     {shadow->qx, shadow->qy, shadow->qz, shadow->qw},
                                     {shadow->vx, shadow->vy, shadow->vz, NULL},
                                     {shadow->wx, shadow->wy, shadow->wz, NULL}};
    float *const sums[2][4] = {{loads->force[0], loads->force[1], loads->force[2], NULL},
                               {loads->torque[0], loads->torque[1], loads->torque[2], NULL}};
    for (int k = 0; k < MOVED; k++) {
        WB_TRY(wbGpu_Download(d->gpu, &d->bodies[k], quads, bytes));
        copyQuads(quads, 1, 0, motion[k], d->bodyCount, true);
    }
    WB_TRY(wbGpu_Download(d->gpu, &d->bodies[LOADS], quads, 2 * bytes));
    for (int k = 0; k < 2; k++) copyQuads(quads, 2, k, sums[k], d->bodyCount, true);
    return wb_okStatus;
}

static wbStatus askCores(const Step *step) {
    wbRigidGpu *d = step->device;
    const wbWork *work = step->work;
    const size_t length = (size_t)d->bodyCount, mark = wbArena_Mark(work->arena);
    wbRigid shadow = *step->rigid;
    wbRigidLoads loads;
    float *floats =
        wbArena_Alloc(work->arena, sizeof(float) * (MOTION_COLUMNS + LOAD_COLUMNS + 8) * (length + 1));
    if (!floats) return wbMemoryError(work->memory, "forces on %d rigid bodies need", d->bodyCount);
    lendColumns(&shadow, floats, length);
    for (int k = 0; k < 3; k++) {
        loads.force[k] = floats + ((size_t)MOTION_COLUMNS + (size_t)k) * length;
        loads.torque[k] = loads.force[k] + 3 * length;
    }
    float *quads = floats + (MOTION_COLUMNS + LOAD_COLUMNS) * length;
    wbStatus status = readBodies(step, quads, &shadow, &loads);
    if (wbIsOk(status)) status = wbRigidForces_ApplyForCores(&shadow, step->model, work, step->h, &loads);
    if (wbIsOk(status)) {
        float *const sums[2][4] = {{loads.force[0], loads.force[1], loads.force[2], NULL},
                                   {loads.torque[0], loads.torque[1], loads.torque[2], NULL}};
        for (int k = 0; k < 2; k++) copyQuads(quads, 2, k, sums[k], d->bodyCount, false);
        status = wbGpu_Upload(d->gpu, &d->bodies[LOADS], quads, sizeof(float[8]) * length);
    }
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbRigidGpu_ActOnBodies(const Step *step) {
    wbRigidGpu *d = step->device;
    const Generators *g = &d->generators;
    const ForceSpan span = {step->model->domain->gravity, step->h, 0};
    if (g->actCount > 0)
        WB_TRY(
            wbRigidGpu_Run(step, step->motion->act, d->bodyCount,
                           WB_GPU_ARGS(WB_GPU_INT(d->bodyCount), WB_GPU_STRUCT(span), WB_GPU_BUFFER(d->laws),
                                       WB_GPU_BUFFER(d->bodies[CENTRE]), WB_GPU_BUFFER(d->bodies[TURN]),
                                       WB_GPU_BUFFER(d->bodies[VELOCITY]), WB_GPU_BUFFER(d->bodies[SPIN]),
                                       WB_GPU_BUFFER(g->startsBuffer), WB_GPU_BUFFER(g->actsBuffer),
                                       WB_GPU_BUFFER(g->rulesBuffer), WB_GPU_BUFFER(g->membersBuffer),
                                       WB_GPU_BUFFER(g->tiesBuffer), WB_GPU_BUFFER(d->bodies[LOADS]))));
    return g->needsCores ? askCores(step) : wb_okStatus;
}
