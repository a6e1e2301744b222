// SPDX-License-Identifier: MIT
// What the adapters of fluids of particles share: liquids, and the hooks that are alike for all of them.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "space/mirror.h"
#include "space/particle_fluid_gpu.h"
#include "world/collider.h"

void wbParticleFluid_Init(wbParticleFluid *liquid, wbSolver *solver, const wbFluidMethod *method,
                          wbFluidState *state) {
    wbWorld *world = solver->world;
    wbFluidState_Init(state);
    *liquid = (wbParticleFluid){
        .method = method, .solver = solver, .world = world, .state = state, .particles = &state->particles};
    wbBoundary_Init(&liquid->boundary);
    liquid->account.sideSpeed = wbDomain_GetTopSpeed(&world->domain);
    solver->liquid = liquid;
}

void wbParticleFluid_Free(wbParticleFluid *liquid) {
    wbFluidState_Free(liquid->world->memory, liquid->state);
    wbBoundary_Free(liquid->world->memory, &liquid->boundary);
}

void wbParticleFluid_SetModel(wbParticleFluid *liquid, float spacing, float h, float restDensity,
                              double mass) {
    liquid->isBoundaryStale |= liquid->h > 0 && h != liquid->h; // samples reach as deep as sums
    liquid->spacing = spacing, liquid->h = h, liquid->restDensity = restDensity, liquid->mass = mass;
}

float wbGetFluidSpeed(const wbParticleFluid *liquid, bool isAsked) {
    return fmaxf(isAsked ? (float)liquid->account.speed : liquid->particles->maxSpeed,
                 fmaxf(liquid->world->colliderSpeed, wbGetSidePace(liquid->world)));
}

int wbListAccount(wbEnergyAccount *a, const char *const names[WB_ACCOUNT_VALUES], wbSavedValue *values) {
    const wbSavedValue list[WB_ACCOUNT_VALUES] = {
        {names[0], &a->came, wb_valueDouble, -DBL_MAX, DBL_MAX, true},
        {names[1], &a->given, wb_valueDouble, 0, DBL_MAX, true},
        {names[2], &a->speed, wb_valueDouble, 0, DBL_MAX, true},
        {names[3], &a->sideSpeed, wb_valueDouble, 0, DBL_MAX, true},
        {names[4], &a->sideWay, wb_valueDouble, 0, DBL_MAX, true},
        {names[5], &a->newCount, wb_valueInt64, 0, INT_MAX, true},
        {names[6], &a->newFall, wb_valueDouble, -DBL_MAX, DBL_MAX, true},
        {names[7], &a->pressing, wb_valueInt64, 0, INT_MAX, true},
        {names[8], &a->isStoredAnew, wb_valueInt, 0, 1, true},
        {names[9], &a->swept, wb_valueDouble, 0, DBL_MAX, true},
    };
    memcpy(values, list, sizeof list);
    return WB_ACCOUNT_VALUES;
}

wbParticlesGpu *wbGetSnapshotDevice(const wbParticleFluid *liquid) {
    const wbWorld *world = liquid->world;
    const bool isKept = wbIsSized(liquid) && !world->snapshot.wasAhead[liquid->solver - world->solvers];
    return isKept ? NULL : liquid->device;
}

int wbListFluidColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    const wbParticleFluid *liquid = solver->liquid;
    wbParticlesGpu *device = wbGetSnapshotDevice(liquid);
    wbColumn list[WB_PARTICLE_COLUMNS];
    wbGpuBuffer *kept[WB_SAVED_COLUMNS], *spare[WB_SAVED_COLUMNS];
    wbParticles_ListColumns(liquid->particles, list);
    int count = wbAddColumns(solver, list, WB_SAVED_COLUMNS, liquid->particles->count, true, columns);
    if (device) wbParticlesGpu_ListBuffers(device, kept, spare);
    for (int c = 0; c < count && device; c++) columns[c].buffer = kept[c];
    return count;
}

int wbListFluidUnsaved(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    wbParticlesGpu *device = solver->liquid->device;
    if (!device) return 0;
    columns[0] = (wbStateColumn){.data = device->min, .bytes = sizeof device->min, .isSnapshot = true};
    columns[1] = (wbStateColumn){.data = device->max, .bytes = sizeof device->max, .isSnapshot = true};
    return 2;
}

wbStatus wbResizeFluid(const wbSolver *solver, wbSectionList *list) {
    (void)list;
    wbParticleFluid *liquid = solver->liquid;
    WB_TRY(wbParticles_Reserve(liquid->particles, liquid->world->memory, liquid->particles->count));
    liquid->mostParticles = liquid->particles->count;
    return wb_okStatus;
}

float wbGetFluidResolution(const wbSolver *solver) { return solver->liquid->spacing; }

wbStatus wbCheckFluidDomain(const wbSolver *solver, const wbDomain *next) {
    const wbParticles *p = solver->liquid->particles;
    WB_TRY(wbCheckRoom(next, solver->liquid->h, solver->kind->info.name));
    return wbCheckClosing(solver->world, next, (const float *const[3]){p->x, p->y, p->z}, p->count);
}

wbStatus wbStepFluid(wbSolver *solver, float dt) {
    wbParticleFluid *liquid = solver->liquid;
    wbFluidColliders room;
    const wbFluidColliders *colliders = wbGetFluidColliders(liquid, &room);
    wbBookColliderSpeed(liquid);
    WB_TRY(wbListMixture(liquid, &liquid->state->mixture));
    wbStatus status = liquid->method->step(liquid, colliders, dt);
    liquid->state->mixture = (wbMixture){0}; // it was the arena's
    return status;
}

// Room to read the state.
void wbEndFluidStep(const wbSolver *solver, bool isUndone) {
    if (isUndone) wbFluidSearch_Reset(solver->world->memory, &solver->liquid->state->search);
}

// However few they are: particles that have fallen into each other are no fluid any more.
static wbStatus checkDensity(wbParticleFluid *liquid) {
    if (!wbAreCrushed(liquid->particles, liquid->restDensity)) return wb_okStatus;
    WB_TRY(wbPullState(liquid->world));
    return wbParticles_FailByCrush(liquid->particles, liquid->restDensity);
}

wbStatus wbCheckFluid(wbSolver *solver, float dt) {
    WB_TRY(checkDensity(solver->liquid));
    return wbCheckEnergy(solver->liquid, dt);
}

int64_t wbCountTrappedFluid(const wbSolver *solver, const wbShape *shape, const wbPose *pose) {
    const wbParticles *p = solver->liquid->particles;
    int64_t count = 0;
    for (int i = 0; i < p->count; i++)
        count += wbIsNearer(shape, pose, wbMakeVec3(p->x[i], p->y[i], p->z[i]),
                            WB_NEAREST * solver->liquid->spacing);
    return count;
}

void wbFollowFluidCollider(wbSolver *solver, int index, const wbColliderParams *before) {
    (void)before;
    const wbColliderParams *params = &wbGetColliderAt(solver->world, index)->params;
    if (!wbIsSampled(solver->liquid)) return;
    wbBoundary_SetSurface(&solver->liquid->boundary, index, params->slip == wb_slipNone, 0, params->adhesion);
    wbBoundary_SetOn(&solver->liquid->boundary, index, params->on);
}

void wbDropFluidCollider(wbSolver *solver, int index) {
    if (wbIsSampled(solver->liquid)) wbBoundary_RemoveBody(&solver->liquid->boundary, index);
}

bool wbIsFluidAhead(const wbSolver *solver) { return solver->liquid->device->deviceIsNewer; }

wbStatus wbFetchFluid(wbSolver *solver) {
    return wbParticlesGpu_Fetch(solver->liquid->device, solver->liquid->particles);
}

// Those that the method has of each particle go along.
static void takeBack(wbParticleFluid *liquid, bool isLost) {
    if (wbIsSized(liquid)) liquid->method->takeBack(liquid, isLost);
}

void wbTakeFluid(wbSolver *solver) {
    if (!solver->liquid->device->deviceIsNewer) return;
    wbParticlesGpu_Take(solver->liquid->device, solver->liquid->particles);
    takeBack(solver->liquid, false);
}

void wbMarkFluidDirty(wbSolver *solver) { wbParticlesGpu_MarkDirty(solver->liquid->device); }

void wbDiscardFluid(wbSolver *solver, wbStatus why) {
    (void)wbParticlesGpu_Discard(solver->liquid->device, why);
    takeBack(solver->liquid, true);
}

static wbStatus createDevice(const wbSolver *solver, wbGpu *gpu, void **device) {
    wbFluidGpu *made;
    const wbFluidMethod *method = solver->liquid->method;
    const char *missing = method->findMissing ? method->findMissing(solver->liquid) : NULL;
    *device = NULL;
    if (missing) {
        wbLog(wb_logWarning, "%s of the solver %s are computed on the cores: the device does not compute %s",
              solver->kind->info.moves, solver->kind->info.name, missing);
        return wb_okStatus;
    }
    WB_TRY(wbCreateFluidGpu(solver->world->memory, gpu, method->getGpu(solver->liquid), &made));
    if (wbIsSized(solver->liquid)) method->putOn(solver->liquid, &made->particles);
    *device = made;
    return wb_okStatus;
}
static void destroyDevice(void *device) { wbDestroyFluidGpu(device); }
static wbParticlesGpu *getParticles(void *device) { return wbFluidGpu_GetParticles(device); }

const wbSolverDevice wb_fluidDevice = {createDevice, destroyDevice, getParticles,     wbIsFluidAhead,
                                       wbFetchFluid, wbTakeFluid,   wbMarkFluidDirty, wbDiscardFluid};
