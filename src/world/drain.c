// SPDX-License-Identifier: MIT
// Drains: where particles go. A drain with an emitter is a pump: what it takes in waits in a pipe, whose length is a
// delay, and comes out there.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/log.h"
#include "core/param_table.h"
#include "core/status.h"
#include "world/flow.h"

#define WB_PARAM_STRUCT wbDrainParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_DRAIN_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_drainTable =
    WB_PARAM_TABLE("drain", "where particles go; set by its name", wbDrainParams, rows);

wbDrainDef wbDefaultDrainDef(void) {
    wbDrainDef def = {.name = "drain", .cookie = WB_DRAIN_COOKIE};
    wbSetParamDefaults(&wb_drainTable, &def.params);
    return def;
}

static const wbDrain *getDrain(const wbWorld *world, wbDrainId id) {
    return wbGetDrainAt(world, wbGetDrainIndex(world, id));
}

const wbDrainParams *wbDrain_GetParams(const wbWorld *world, wbDrainId id) {
    return &getDrain(world, id)->params;
}
static int64_t countInPipe(const wbDrainState *state) {
    int64_t count = 0;
    for (int b = 0; b < WB_PIPE_BINS; b++) count += state->bins[b];
    return count;
}

wbDrainStats wbDrain_GetStats(const wbWorld *world, wbDrainId id) {
    const wbDrainState *state = &getDrain(world, id)->state;
    return (wbDrainStats){.drained = state->drained, .inPipe = countInPipe(state)};
}

static wbStatus checkParams(const wbWorld *world, const char *name, const wbDrainParams *params) {
    const float min[3] = {params->min.x, params->min.y, params->min.z};
    const float max[3] = {params->max.x, params->max.y, params->max.z};
    WB_TRY(wbCheckParamsOf(name, &wb_drainTable, params));
    for (int a = 0; a < world->params.dimensions; a++)
        if (!(min[a] < max[a]))
            return wbError(wb_errorInput, "drain \"%s\" is empty: min %g must be less than max %g in %c",
                           name, min[a], max[a], "xyz"[a]);
    return wb_okStatus;
}

static const char *getName(const wbWorld *world, int index) { return wbGetDrainAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) { return &wbGetDrainAt(world, index)->params; }

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    wbDrain *drain = wbGetDrainAt(world, index);
    WB_TRY(checkParams(world, drain->name, params));
    memcpy(&drain->params, params, sizeof drain->params);
    return wb_okStatus;
}

const wbObjectKind wb_drainKind = {
    &wb_drainTable, "drain", offsetof(wbWorld, drainIds), getName, getParams, setParams, NULL, NULL};

wbStatus wbAddDrain(wbWorld *world, const char *name, int emitter, const wbDrainParams *params,
                    uint32_t index1) {
    int count = world->drainIds.indexCount;
    wbDrain drain = {.emitter = emitter, .params = *params};
    if (count >= WB_MAX_FLOW_OBJECTS)
        return wbError(wb_errorInput, "a world has at most %d drains", WB_MAX_FLOW_OBJECTS);
    WB_TRY(wbCheckPlainName(world, "drain", name));
    WB_TRY(checkParams(world, name, params));
    if (emitter >= 0 && wbGetEmitterAt(world, emitter)->params.kind != wb_emitterDisc)
        return wbError(wb_errorInput, "drain \"%s\": a pump needs an emitter of kind disc, \"%s\" is a block",
                       name, wbGetEmitterAt(world, emitter)->name);
    if (!wbArray_Reserve(world->memory, &world->drains, count + 1))
        return wbMemoryError(world->memory, "a drain needs");
    WB_TRY(wbTakeObjectId(world, &wb_drainKind, index1));
    snprintf(drain.name, sizeof drain.name, "%s", name);
    *wbGetDrainAt(world, count) = drain;
    if (emitter >= 0) wbGetEmitterAt(world, emitter)->isFed = true;
    return wb_okStatus;
}

wbStatus wbCreateDrain(wbWorld *world, const wbDrainDef *def, wbDrainId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    WB_ASSERT(def && def->cookie == WB_DRAIN_COOKIE, "make the def with wbDefaultDrainDef");
    bool isPump = !wbEmitterId_IsNull(def->emitter);
    int emitter = isPump ? wbGetEmitterIndex(world, def->emitter) : -1;
    WB_TRY(wbAddDrain(world, def->name, emitter, &def->params, 0));
    *id = wbWorld_GetDrain(world, world->drainIds.indexCount - 1);
    return wb_okStatus;
}

// Its emitter stays fed: a mouth whose pump is taken away runs dry.
void wbDestroyDrain(wbWorld *world, wbDrainId id) {
    const int index = wbGetDrainIndex(world, id);
    wbDropObject(world, &wb_drainKind, &world->drains, index);
}

void wbUnlinkDrains(wbWorld *world, int emitter) {
    for (int i = 0; i < world->drainIds.indexCount; i++) {
        wbDrain *drain = wbGetDrainAt(world, i);
        if (drain->emitter > emitter) {
            drain->emitter--;
        } else if (drain->emitter == emitter) {
            drain->emitter = -1;
            memset(drain->state.bins, 0, sizeof drain->state.bins);
            memset(drain->hostState.bins, 0, sizeof drain->hostState.bins);
        }
    }
}

// Moves the water in a pump's pipe on; returns what has reached its end.
static int64_t advancePipe(wbDrain *drain, float dt) {
    wbDrainState *state = &drain->state;
    double width = (double)drain->params.delay / WB_PIPE_BINS;
    int64_t arrived = 0;
    int moves = WB_PIPE_BINS;
    if (width > 0) {
        state->binTime += dt;
        moves = (int)fmin(floor(state->binTime / width), WB_PIPE_BINS);
        state->binTime = fmod(state->binTime, width);
    }
    for (; moves > 0; moves--) {
        arrived += state->bins[WB_PIPE_BINS - 1];
        memmove(state->bins + 1, state->bins, sizeof(int64_t) * (WB_PIPE_BINS - 1));
        state->bins[0] = 0;
    }
    return arrived;
}

static FlowRegion getRegion(const wbWorld *world, const wbDrainParams *params) {
    FlowRegion region = {{params->min.x, params->min.y, params->min.z},
                         {params->max.x, params->max.y, params->max.z},
                         params->region == wb_drainOutside};
    if (world->params.dimensions == 2) region.min[2] = region.max[2] = 0;
    return region;
}

// Particles of different sizes, by their mass: the last may be larger than what is left to be taken.
static wbStatus removeSized(wbParticleFluid *liquid, const FlowRegion *region, int most, int *removed) {
    wbWorld *world = liquid->world;
    const wbParticles *p = liquid->particles;
    const size_t mark = wbArena_Mark(world->work.arena);
    uint8_t *marks = wbArena_Alloc(world->work.arena, (size_t)p->count + 1);
    if (!marks) return wbMemoryError(world->memory, "to remove particles needs");
    for (int i = 0; i < p->count; i++) {
        marks[i] = *removed < most && flow_is_in(region, p->x[i], p->y[i], p->z[i]);
        if (marks[i]) *removed += (int)fmin(llround(wbGetUnits(liquid, i)), INT_MAX - *removed);
    }
    wbStatus status = *removed > 0 ? wbRemoveMarked(liquid, marks) : wb_okStatus;
    wbArena_Release(world->work.arena, mark);
    if (!wbIsOk(status)) *removed = 0;
    if (*removed > 0) wbMarkLiquidDirty(world, liquid);
    return status;
}

static wbStatus removeParticles(wbWorld *world, wbParticleFluid *liquid, const FlowRegion *region, int most,
                                int *removed) {
    wbParticles *p = liquid->particles;
    bool isOnDevice = wbIsLiquidOnDevice(liquid);
    *removed = 0;
    if (wbIsSized(liquid)) return removeSized(liquid, region, most, removed);
    if (isOnDevice)
        WB_TRY(wbParticleFlowGpu_Remove(liquid->flowGpu, p, region, most, removed));
    else
        *removed = wbParticles_Remove(p, region, most);
    for (int i = 0; i < *removed; i++)
        wbUnbookParticle(world, p->backId[i], 1, (float[3]){p->backX[i], p->backY[i], p->backZ[i]},
                         (float[3]){p->backVx[i], p->backVy[i], p->backVz[i]});
    if (*removed && !isOnDevice) wbMarkLiquidDirty(world, liquid);
    return wb_okStatus;
}

// Particles that a pump has room for. Its pipes hold what its emitter lets out within their delay, and two layers wait at
// the mouth: what is taken in beyond that would pile up unseen. Drains of one emitter share what there is room for.
static double findRoom(const wbWorld *world, const wbDrain *drain, double capacity) {
    const wbEmitter *emitter = wbGetEmitterAt(world, drain->emitter);
    double delay = 0, held = (double)emitter->state.waiting;
    int others = 0; // that have their turn after it
    for (int i = 0; i < world->drainIds.indexCount; i++) {
        const wbDrain *feeder = wbGetDrainAt(world, i);
        if (feeder->emitter != drain->emitter) continue;
        others += feeder > drain && feeder->params.open;
        held += (double)countInPipe(&feeder->state);
        delay = fmax(delay, feeder->params.delay);
    }
    double room = capacity * delay + 2.0 * emitter->mouth.sites.count - held;
    return fmin(ceil(fmax(room, 0) / (1 + others)), INT_MAX);
}

static void sayFull(wbWorld *world, wbDrain *drain, double capacity) {
    if (drain->said & WB_SAID_FULL) return;
    wbLog(
        wb_logWarning,
        "drain \"%s\" takes in less than its rate: emitter \"%s\" lets out %.3g particles per second at most",
        drain->name, wbGetEmitterAt(world, drain->emitter)->name, capacity);
    drain->said |= WB_SAID_FULL;
}

// How many particles it may take in now.
static int getMost(wbWorld *world, wbDrain *drain, double time, double seconds) {
    wbDrainState *state = &drain->state;
    double rate = drain->params.rate, most = INT_MAX, room = INT_MAX, capacity = INFINITY;
    if (rate > 0) {
        state->allowance += rate * seconds;
        most = fmax(0, fmin(floor(state->allowance), INT_MAX));
        state->allowance -= fmax(0, floor(state->allowance)); // what was not there is not drained later
    }
    if (drain->emitter >= 0) {
        capacity = wbGetEmitterCapacity(world, wbGetEmitterAt(world, drain->emitter), time);
        room = findRoom(world, drain, capacity);
    }
    if (rate > capacity && most > room && capacity > 0) sayFull(world, drain, capacity);
    return (int)fmin(most, room);
}

static wbStatus drainWater(wbWorld *world, wbDrain *drain, double time, double seconds, int *removed) {
    wbDrainState *state = &drain->state;
    FlowRegion region = getRegion(world, &drain->params);
    int most = getMost(world, drain, time, seconds);
    *removed = 0;
    if (most == 0) return wb_okStatus;
    wbStatus status = wb_okStatus;
    // a pump moves only what its emitter can let out
    const wbParticleFluid *only =
        drain->emitter < 0 ? NULL : wbGetLiquidOf(world, wbGetEmitterAt(world, drain->emitter)->fluid);
    wbParticleFluid *liquid = wbGetNextLiquid(world, NULL);
    for (; liquid && *removed < most && wbIsOk(status); liquid = wbGetNextLiquid(world, liquid)) {
        int more = 0;
        if (only && only != liquid) continue;
        status = removeParticles(world, liquid, &region, most - *removed, &more);
        *removed += more;
    }
    state->drained += *removed;
    if (drain->params.rate > 0 && *removed > most)
        state->allowance -= *removed - most; // a large one was the last
    if (status.code != wb_errorMemory) return status;
    if (!(drain->said & WB_SAID_MEMORY))
        wbLog(wb_logWarning, "drain \"%s\" waits: %s", drain->name, status.text);
    drain->said |= WB_SAID_MEMORY;
    return wb_okStatus;
}

wbStatus wbRunDrain(wbWorld *world, wbDrain *drain, double time, float dt) {
    const wbDrainParams *params = &drain->params;
    double begin, end;
    int removed = 0;
    int64_t arrived = advancePipe(drain, dt);
    wbEmitterState *mouth = drain->emitter < 0 ? NULL : &wbGetEmitterAt(world, drain->emitter)->state;
    if (mouth) mouth->waiting += arrived;
    if (params->open && wbFindWorkTime(params->start, params->end, time, dt, &begin, &end))
        WB_TRY(drainWater(world, drain, begin, end - begin, &removed));
    if (mouth && params->delay > 0)
        drain->state.bins[0] += removed;
    else if (mouth)
        mouth->waiting += removed;
    return wb_okStatus;
}
