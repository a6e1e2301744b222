// SPDX-License-Identifier: MIT
// The part of a step in which particles come and go, and its state as hashing and going back see it.
#include "world/flow.h"

#include <math.h>

#include "core/hash.h"
#include "core/status.h"
#include "world/grab.h"

bool wbFindWorkTime(double start, double stop, double time, float dt, double *begin, double *end) {
    *begin = fmax(time, start), *end = fmin(time + dt, stop);
    return *begin < *end;
}

bool wbHasFlow(const wbWorld *world) { return world->drainIds.indexCount + world->emitterIds.indexCount > 0; }

wbStatus wbPrepareFlow(wbWorld *world) {
    if (!wbHasFlow(world) && !wbHasPush(world)) return wb_okStatus;
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        if (l->device && !l->flowGpu) WB_TRY(wbCreateParticleFlowGpu(world->memory, l->device, &l->flowGpu));
    return wb_okStatus;
}

// Drains first: what a pump takes in may come out in the same step.
wbStatus wbRunFlow(wbWorld *world, const wbSubStep *part) {
    wbParticleFluid *liquid = wbHasFlow(world) ? wbGetNextLiquid(world, NULL) : NULL;
    for (; liquid; liquid = wbGetNextLiquid(world, liquid)) WB_TRY(wbFetchSized(liquid));
    for (int i = 0; i < world->drainIds.indexCount && part->isLeading; i++)
        WB_TRY(wbRunDrain(world, wbGetDrainAt(world, i), world->time, part->dt));
    for (int i = 0; i < world->emitterIds.indexCount; i++) {
        wbEmitter *emitter = wbGetEmitterAt(world, i);
        if (wbIsIn(wbGetLiquidOf(world, emitter->fluid)->solver, part->group))
            WB_TRY(wbRunEmitter(world, emitter, world->time, part->dt));
    }
    return wb_okStatus;
}

int64_t wbCountHeld(const wbWorld *world) {
    int64_t count = 0;
    for (int i = 0; i < world->emitterIds.indexCount; i++) count += wbGetEmitterAt(world, i)->state.waiting;
    for (int i = 0; i < world->drainIds.indexCount; i++)
        count += wbDrain_GetStats(world, wbWorld_GetDrain(world, i)).inPipe;
    return count;
}

uint64_t wbHashFlow(const wbWorld *world, uint64_t hash) {
    for (int i = 0; i < world->emitterIds.indexCount; i++)
        hash = wbHashBytes(hash, &wbGetEmitterAt(world, i)->state, sizeof(wbEmitterState));
    for (int i = 0; i < world->drainIds.indexCount; i++)
        hash = wbHashBytes(hash, &wbGetDrainAt(world, i)->state, sizeof(wbDrainState));
    return hash;
}

void wbRecordHostFlow(wbWorld *world) {
    wbFluid *fluids = world->fluids.data;
    for (int i = 0; i < world->fluidIds.indexCount; i++)
        fluids[i].hostSpawned = fluids[i].spawned, fluids[i].hostRemoved = fluids[i].removed;
    for (int i = 0; i < world->emitterIds.indexCount; i++)
        wbGetEmitterAt(world, i)->hostState = wbGetEmitterAt(world, i)->state;
    for (int i = 0; i < world->drainIds.indexCount; i++)
        wbGetDrainAt(world, i)->hostState = wbGetDrainAt(world, i)->state;
}

void wbRestoreHostFlow(wbWorld *world) {
    wbFluid *fluids = world->fluids.data;
    for (int i = 0; i < world->fluidIds.indexCount; i++)
        fluids[i].spawned = fluids[i].hostSpawned, fluids[i].removed = fluids[i].hostRemoved;
    for (int i = 0; i < world->emitterIds.indexCount; i++)
        wbGetEmitterAt(world, i)->state = wbGetEmitterAt(world, i)->hostState;
    for (int i = 0; i < world->drainIds.indexCount; i++)
        wbGetDrainAt(world, i)->state = wbGetDrainAt(world, i)->hostState;
    wbRecountIds(world);
}

void wbFreeFlow(wbWorld *world) {
    for (int i = 0; i < world->emitterIds.indexCount; i++)
        wbMouth_Free(world, &wbGetEmitterAt(world, i)->mouth);
    wbArray_Free(world->memory, &world->emitters);
    wbArray_Free(world->memory, &world->drains);
    wbArray_Free(world->memory, &world->idRuns);
}
