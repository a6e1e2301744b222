// SPDX-License-Identifier: MIT
// Emitters: where particles come from. A disc lets a layer go each time the water in its mouth has moved on by one
// spacing; the rest is carried over, so that what has come out does not depend on the length of steps.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/log.h"
#include "core/param_table.h"
#include "core/status.h"
#include "world/collider.h"
#include "world/flow.h"

#define WB_PARAM_STRUCT wbEmitterParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_EMITTER_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_emitterTable =
    WB_PARAM_TABLE("emitter", "where particles come from; set by its name", wbEmitterParams, rows);

wbEmitterDef wbDefaultEmitterDef(void) {
    wbEmitterDef def = {.name = "emitter", .cookie = WB_EMITTER_COOKIE};
    wbSetParamDefaults(&wb_emitterTable, &def.params);
    return def;
}

static const wbEmitter *getEmitter(const wbWorld *world, wbEmitterId id) {
    return wbGetEmitterAt(world, wbGetEmitterIndex(world, id));
}

const wbEmitterParams *wbEmitter_GetParams(const wbWorld *world, wbEmitterId id) {
    return &getEmitter(world, id)->params;
}
wbEmitterStats wbEmitter_GetStats(const wbWorld *world, wbEmitterId id) {
    const wbEmitter *emitter = getEmitter(world, id);
    const FlowSites *sites = &emitter->mouth.sites;
    return (wbEmitterStats){emitter->state.emitted, emitter->state.waiting, sites->count * sites->layers};
}

static const char *getName(const wbWorld *world, int index) { return wbGetEmitterAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) {
    return &wbGetEmitterAt(world, index)->params;
}

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    wbEmitter *emitter = wbGetEmitterAt(world, index);
    wbMouth mouth;
    WB_TRY(wbCheckParamsOf(emitter->name, &wb_emitterTable, params));
    WB_TRY(wbMouth_Build(world, wbGetLiquidOf(world, emitter->fluid), emitter->name, params, &mouth));
    wbMouth_Free(world, &emitter->mouth);
    emitter->mouth = mouth;
    memcpy(&emitter->params, params, sizeof emitter->params);
    return wb_okStatus;
}

const wbObjectKind wb_emitterKind = {
    &wb_emitterTable, "emitter", offsetof(wbWorld, emitterIds), getName, getParams, setParams, NULL, NULL};

wbStatus wbAddEmitter(wbWorld *world, const char *name, int fluid, const wbEmitterParams *params,
                      uint32_t index1) {
    int count = world->emitterIds.indexCount;
    wbEmitter emitter = {.fluid = fluid, .params = *params};
    if (count >= WB_MAX_FLOW_OBJECTS)
        return wbError(wb_errorInput, "a world has at most %d emitters", WB_MAX_FLOW_OBJECTS);
    WB_TRY(wbCheckPlainName(world, "emitter", name));
    WB_TRY(wbCheckParamsOf(name, &wb_emitterTable, params));
    if (!wbArray_Reserve(world->memory, &world->emitters, count + 1))
        return wbMemoryError(world->memory, "an emitter needs");
    WB_TRY(wbMouth_Build(world, wbGetLiquidOf(world, fluid), name, params, &emitter.mouth));
    wbStatus status = wbTakeObjectId(world, &wb_emitterKind, index1);
    if (!wbIsOk(status)) {
        wbMouth_Free(world, &emitter.mouth);
        return status;
    }
    snprintf(emitter.name, sizeof emitter.name, "%s", name);
    *wbGetEmitterAt(world, count) = emitter;
    return wb_okStatus;
}

wbStatus wbCreateEmitter(wbWorld *world, const wbEmitterDef *def, wbEmitterId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    WB_ASSERT(def && def->cookie == WB_EMITTER_COOKIE, "make the def with wbDefaultEmitterDef");
    WB_TRY(wbAddEmitter(world, def->name, wbGetFluidIndex(world, def->fluid), &def->params, 0));
    *id = wbWorld_GetEmitter(world, world->emitterIds.indexCount - 1);
    return wb_okStatus;
}

enum { WB_PARAM_PLACES(WB_EMITTER_PARAMS) };

// Places and velocities stay: the mouth need not be made anew.
wbStatus wbEmitter_SetRate(wbWorld *world, wbEmitterId id, float rate) {
    wbEmitter *emitter = wbGetEmitterAt(world, wbGetEmitterIndex(world, id));
    return wbSetNumber(emitter->name, &rows[wb_row_rate], &emitter->params, (double)rate);
}

void wbRemoveEmitter(wbWorld *world, int index) {
    wbUnlinkDrains(world, index);
    wbMouth_Free(world, &wbGetEmitterAt(world, index)->mouth);
    wbDropObject(world, &wb_emitterKind, &world->emitters, index);
}

void wbDestroyEmitter(wbWorld *world, wbEmitterId id) {
    wbRemoveEmitter(world, wbGetEmitterIndex(world, id));
}

static void sayOnce(wbEmitter *emitter, int what, const char *text) {
    if (!(emitter->said & what)) wbLog(wb_logWarning, "emitter \"%s\": %s", emitter->name, text);
    emitter->said |= what;
}

// Room for an array to grow by half while the old one is still there: a step after this one must find its memory.
static bool hasMemory(const wbWorld *world, const wbParticleFluid *liquid, int more) {
    wbMemoryUse use = wbGetMemoryUse(world->memory);
    return liquid->particles->count + more <= liquid->mostParticles ||
           2.5 * (double)use.bytes <= (double)use.limit;
}

// Particles that may come out now, by the emitter's own limits and by the world's.
static int64_t getBudget(wbWorld *world, wbEmitter *emitter, int64_t wanted) {
    const wbEmitterState *state = &emitter->state;
    int64_t budget = wanted, room = (int64_t)world->params.maxParticles - wbCountParticles(world);
    if (budget > emitter->params.count - state->emitted) budget = emitter->params.count - state->emitted;
    if (emitter->isFed && budget > state->waiting) budget = state->waiting;
    if (budget <= 0) return 0;
    if (room > (int64_t)(INT_MAX - 1024) - world->nextId) room = (int64_t)(INT_MAX - 1024) - world->nextId;
    if (budget > room) {
        sayOnce(emitter, WB_SAID_FULL,
                "the world is full (world.maxParticles); it waits until there is room");
        budget = room > 0 ? room : 0;
    }
    if (budget > 0 && !hasMemory(world, wbGetLiquidOf(world, emitter->fluid), (int)budget)) {
        sayOnce(emitter, WB_SAID_MEMORY, "no room for more particles below world.memoryLimit; it waits");
        budget = 0;
    }
    return budget;
}

// A place at a side has a ghost beyond it.
static bool isOffSides(const wbWorld *world, const wbEmitter *emitter, const float p[3]) {
    const wbDomain *domain = &world->domain;
    // a pipe's mouth may touch a collider; a block keeps the lattice's half spacing, less rounding
    const float margin = (emitter->params.kind == wb_emitterBlock ? 0.49f : 0.24f) *
                         wbGetLiquidOf(world, emitter->fluid)->spacing;
    for (int a = 0; a < 3; a++)
        if ((domain->closed[2 * a] && p[a] < domain->min[a] + margin) ||
            (domain->closed[2 * a + 1] && p[a] > domain->max[a] - margin))
            return false;
    return wbGetRoomAround(world, p, margin) >= margin;
}

static void findPlace(const FlowSites *sites, const wbMouth *mouth, int layer, int k, float p[3]) {
    const float *u = mouth->u.data, *v = mouth->v.data;
    float along = sites->gap * (float)layer;
    for (int a = 0; a < 3; a++)
        p[a] =
            sites->origin[a] + along * sites->axis[a] + u[k] * sites->side[0][a] + v[k] * sites->side[1][a];
}

int wbEmitter_CountBlocked(const wbWorld *world, wbEmitterId id) {
    const wbEmitter *emitter = getEmitter(world, id);
    const FlowSites *sites = &emitter->mouth.sites;
    int blocked = 0;
    for (int layer = 0; layer < sites->layers; layer++)
        for (int k = 0; k < sites->count; k++) {
            float p[3];
            findPlace(sites, &emitter->mouth, layer, k, p);
            blocked += !isOffSides(world, emitter, p);
        }
    return blocked;
}

static wbStatus markTaken(wbWorld *world, const wbEmitter *emitter, const FlowSites *sites, int *taken) {
    const float *u = emitter->mouth.u.data, *v = emitter->mouth.v.data;
    const wbParticleFluid *liquid = wbGetLiquidOf(world, emitter->fluid);
    if (wbIsLiquidOnDevice(liquid))
        return wbParticleFlowGpu_MarkTaken(liquid->flowGpu, liquid->particles, sites, u, v, taken);
    wbParticles_MarkTaken(liquid->particles, sites, u, v, taken);
    return wb_okStatus;
}

static void getVelocity(const wbWorld *world, const wbEmitter *emitter, float velocity[3]) {
    wbVec3 d = emitter->params.direction;
    if (world->params.dimensions == 2) d.z = 0;
    double scale = emitter->params.velocity / sqrt((double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z);
    velocity[0] = (float)(scale * d.x), velocity[1] = (float)(scale * d.y),
    velocity[2] = (float)(scale * d.z);
}

// Nothing is behind the last layer yet: pressure would push it back into the mouth, and the next one would come too
// near. So what is nearer than h to the mouth is led, as a pipe leads it.
static wbStatus hold(wbWorld *world, const wbEmitter *emitter, float dt) {
    const wbParticleFluid *liquid = wbGetLiquidOf(world, emitter->fluid);
    const FlowSites *sites = &emitter->mouth.sites;
    FlowMouth mouth = {.behind = 0.5f * liquid->spacing,
                       .length = liquid->h,
                       .radius = sites->radius + 0.5f * liquid->spacing,
                       .shift = liquid->method->getShift(liquid, dt)};
    memcpy(mouth.origin, sites->origin, sizeof mouth.origin);
    memcpy(mouth.axis, sites->axis, sizeof mouth.axis);
    getVelocity(world, emitter, mouth.velocity);
    if (wbIsLiquidOnDevice(liquid)) return wbParticleFlowGpu_Hold(liquid->flowGpu, liquid->particles, &mouth);
    wbParticles_Hold(liquid->particles, &mouth);
    return wb_okStatus;
}

// The free places, the layer that came out first before the others, as particles.
static void stage(const wbWorld *world, wbEmitter *emitter, const FlowSites *sites, const int *taken,
                  int64_t budget, wbStagedParticles *staged) {
    const wbParticleFluid *liquid = wbGetLiquidOf(world, emitter->fluid);
    float **columns = (float **)staged->columns;
    float velocity[3];
    getVelocity(world, emitter, velocity);
    for (int layer = sites->layers - 1; layer >= 0; layer--) {
        for (int k = 0; k < sites->count && staged->count < budget; k++) {
            float p[3];
            findPlace(sites, &emitter->mouth, layer, k, p);
            if (taken[(size_t)layer * (size_t)sites->count + (size_t)k] || !isOffSides(world, emitter, p)) {
                sayOnce(emitter, WB_SAID_TAKEN,
                        "water, a side or a collider is in its way; what has no room does not come out");
                continue;
            }
            int i = staged->count++;
            for (int a = 0; a < 3; a++)
                columns[wb_columnX + a][i] = p[a], columns[wb_columnVx + a][i] = velocity[a];
            ((uint32_t *)staged->columns[wb_columnId])[i] = world->nextId + (uint32_t)i;
            columns[wb_columnDensity][i] = liquid->restDensity;
            columns[wb_columnPressure][i] = 0;
        }
    }
}

// wb_errorMemory: nothing has changed.
static wbStatus append(wbWorld *world, const wbEmitter *emitter, const wbStagedParticles *staged) {
    wbParticleFluid *liquid = wbGetLiquidOf(world, emitter->fluid);
    wbParticles *particles = liquid->particles;
    bool isOnDevice = wbIsLiquidOnDevice(liquid);
    WB_TRY(wbReserveParticles(liquid, particles->count + staged->count));
    WB_TRY(wbReserveIdRun(world));
    if (isOnDevice)
        WB_TRY(wbParticleFlowGpu_Append(liquid->flowGpu, particles, staged));
    else
        wbParticles_Append(particles, staged), wbBeginParticles(liquid, particles->count - staged->count);
    for (int i = 0; i < staged->count; i++) {
        float *const *columns = (float *const *)staged->columns;
        wbBookParticle(world, emitter->fluid,
                       (float[3]){columns[wb_columnX][i], columns[wb_columnY][i], columns[wb_columnZ][i]},
                       (float[3]){columns[wb_columnVx][i], columns[wb_columnVy][i], columns[wb_columnVz][i]});
    }
    if (particles->count > liquid->mostParticles) liquid->mostParticles = particles->count;
    if (liquid->solver->kind->disturb) liquid->solver->kind->disturb(liquid->solver);
    if (!isOnDevice) wbMarkLiquidDirty(world, liquid);
    return wb_okStatus;
}

// Puts particles into the free places, up to the budget; *placed is how many there were.
static wbStatus place(wbWorld *world, wbEmitter *emitter, const FlowSites *sites, int64_t budget,
                      int *placed) {
    wbArena *arena = world->work.arena;
    size_t places = (size_t)sites->layers * (size_t)sites->count, mark = wbArena_Mark(arena);
    int *taken = wbArena_Alloc(arena, sizeof(int) * places);
    wbStagedParticles staged = {.count = 0};
    bool isReady = taken != NULL;
    *placed = 0;
    for (int c = 0; c < WB_SAVED_COLUMNS && isReady; c++)
        isReady = (staged.columns[c] = wbArena_Alloc(arena, 4 * (size_t)budget)) != NULL;
    wbStatus status = isReady ? wb_okStatus : wbMemoryError(world->memory, "an emitter needs");
    if (isReady) {
        memset(taken, 0, sizeof(int) * places);
        status = markTaken(world, emitter, sites, taken);
    }
    if (wbIsOk(status)) {
        stage(world, emitter, sites, taken, budget, &staged);
        if (staged.count) status = append(world, emitter, &staged);
    }
    wbArena_Release(arena, mark);
    if (status.code == wb_errorMemory) {
        sayOnce(emitter, WB_SAID_MEMORY, status.text);
        return wb_okStatus;
    }
    *placed = wbIsOk(status) ? staged.count : 0;
    emitter->state.emitted += *placed;
    if (emitter->isFed) emitter->state.waiting -= *placed;
    return status;
}

static wbStatus runBlock(wbWorld *world, wbEmitter *emitter) {
    const FlowSites *sites = &emitter->mouth.sites;
    int placed;
    if (emitter->state.isFired) return wb_okStatus;
    int64_t budget = getBudget(world, emitter, (int64_t)sites->layers * sites->count);
    if (budget == 0) return wb_okStatus;
    WB_TRY(place(world, emitter, sites, budget, &placed));
    emitter->state.isFired = placed > 0;
    return wb_okStatus;
}

// A layer comes out when the water in the mouth has moved by a spacing, or by more if the rate asks for it.
static double getGap(const wbWorld *world, const wbEmitter *emitter) {
    const wbEmitterParams *params = &emitter->params;
    double spacing = wbGetLiquidOf(world, emitter->fluid)->spacing;
    if (params->rate == 0) return spacing;
    return fmax(spacing, (double)params->velocity * emitter->mouth.sites.count / params->rate);
}

double wbGetEmitterCapacity(const wbWorld *world, const wbEmitter *emitter, double time) {
    const wbEmitterParams *params = &emitter->params;
    bool works =
        params->open && time >= params->start && time < params->end && emitter->state.emitted < params->count;
    return works ? (double)params->velocity * emitter->mouth.sites.count / getGap(world, emitter) : 0;
}

// `rest`: s from the end of its work to the end of the step, in which the layers move on.
static wbStatus runDisc(wbWorld *world, wbEmitter *emitter, double seconds, double rest, float dt) {
    enum { MOST_LAYERS = 256, MOST_PLACES = 1 << 22 };
    wbEmitterState *state = &emitter->state;
    FlowSites sites = emitter->mouth.sites;
    double speed = emitter->params.velocity, gap = getGap(world, emitter),
           moved = state->moved + speed * seconds;
    double layers = floor(moved / gap), most = fmin(MOST_LAYERS, fmax(1, MOST_PLACES / sites.count));
    if (state->moved < gap) WB_TRY(hold(world, emitter, dt)); // else a layer waits
    state->moved = moved - fmax(layers, 0) * gap;
    if (layers < 1) return wb_okStatus;
    if (layers > most) {
        sayOnce(emitter, WB_SAID_FAST,
                "more layers fall into a step than it can place; the first ones are left out");
        layers = most;
    }
    for (int a = 0; a < 3; a++) sites.origin[a] += (float)((state->moved + speed * rest) * sites.axis[a]);
    sites.layers = (int)layers, sites.gap = (float)gap;
    int64_t budget = getBudget(world, emitter, (int64_t)sites.layers * sites.count);
    int placed = 0;
    if (budget > 0) WB_TRY(place(world, emitter, &sites, budget, &placed));
    if (placed == 0) state->moved = gap; // a layer waits in the mouth
    return wb_okStatus;
}

wbStatus wbRunEmitter(wbWorld *world, wbEmitter *emitter, double time, float dt) {
    const wbEmitterParams *params = &emitter->params;
    double begin, end;
    if (!params->open) emitter->state.isFired = 0;
    if (!params->open || !wbFindWorkTime(params->start, params->end, time, dt, &begin, &end))
        return wb_okStatus;
    if (params->kind == wb_emitterBlock) return runBlock(world, emitter);
    return runDisc(world, emitter, end - begin, time + dt - end, dt);
}
