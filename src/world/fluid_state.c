// SPDX-License-Identifier: MIT
// What the adapters of fluids of particles share: the state of a pool as hash, checkpoint and snapshot see it.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/world.h"

float wbGetFluidSpeed(const wbPool *pool, bool isAsked) {
    return fmaxf(isAsked ? (float)pool->account.speed : pool->particles->maxSpeed,
                 pool->world->colliderSpeed);
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
    };
    memcpy(values, list, sizeof list);
    return WB_ACCOUNT_VALUES;
}

static wbPool *getPool(const wbSolver *solver) {
    return &solver->world->pools[solver - solver->world->solvers];
}

int wbListFluidColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    const wbPool *pool = getPool(solver);
    wbColumn list[WB_PARTICLE_COLUMNS];
    wbGpuBuffer *kept[WB_SAVED_COLUMNS], *spare[WB_SAVED_COLUMNS];
    wbParticles_ListColumns(pool->particles, list);
    int count = wbAddColumns(solver, list, WB_SAVED_COLUMNS, pool->particles->count, true, columns);
    if (pool->device) wbParticlesGpu_ListBuffers(pool->device, kept, spare);
    for (int c = 0; c < count && pool->device; c++) columns[c].buffer = kept[c];
    return count;
}

wbStatus wbResizeFluid(const wbSolver *solver, wbSectionList *list) {
    (void)list;
    wbPool *pool = getPool(solver);
    WB_TRY(wbParticles_Reserve(pool->particles, pool->world->memory, pool->particles->count));
    pool->mostParticles = pool->particles->count;
    return wb_okStatus;
}

float wbGetFluidResolution(const wbSolver *solver) { return getPool(solver)->spacing; }

// A device that failed has lost the particles; what was short of memory has changed nothing.
wbStatus wbSettleFluid(const wbPool *pool, wbStatus status) {
    bool isLost = !wbIsOk(status) && status.code != wb_errorUnstable && !wbIsPoolOnDevice(pool);
    return pool->device && isLost ? wbRestoreSnapshot(pool->world, status) : status;
}

// However few they are: particles that have fallen into each other are no fluid any more.
static wbStatus checkDensity(wbPool *pool) {
    if (!wbAreCrushed(pool->particles, pool->restDensity)) return wb_okStatus;
    WB_TRY(wbPullState(pool->world));
    return wbParticles_FailByCrush(pool->particles, pool->restDensity);
}

wbStatus wbCheckFluid(wbSolver *solver, float dt) {
    WB_TRY(checkDensity(getPool(solver)));
    return wbCheckEnergy(solver->world, getPool(solver), dt);
}

bool wbIsFluidAhead(const wbSolver *solver) { return getPool(solver)->device->deviceIsNewer; }

wbStatus wbFetchFluid(wbSolver *solver) {
    return wbParticlesGpu_Fetch(getPool(solver)->device, getPool(solver)->particles);
}

void wbTakeFluid(wbSolver *solver) {
    wbParticlesGpu_Take(getPool(solver)->device, getPool(solver)->particles);
}

void wbMarkFluidDirty(wbSolver *solver) { wbParticlesGpu_MarkDirty(getPool(solver)->device); }

void wbDiscardFluid(wbSolver *solver, wbStatus why) {
    (void)wbParticlesGpu_Discard(getPool(solver)->device, why);
}
