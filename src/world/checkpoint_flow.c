// SPDX-License-Identifier: MIT
// Emitters and drains in a checkpoint.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/checkpoint.h"

_Static_assert(sizeof(wbSavedEmitter) == 112, "as it stands in the file");
_Static_assert(sizeof(wbSavedDrain) == 608, "as it stands in the file");

void wbSaveFlow(const wbWorld *world, wbSectionList *list) {
    size_t emitterCount = (size_t)world->emitterIds.indexCount,
           drainCount = (size_t)world->drainIds.indexCount;
    wbSavedEmitter *emitters = wbAddOwnedSection(list, "emitters", emitterCount * sizeof *emitters);
    wbSavedDrain *drains = wbAddOwnedSection(list, "drains", drainCount * sizeof *drains);
    for (size_t i = 0; i < emitterCount && emitters; i++) {
        const wbEmitter *emitter = wbGetEmitterAt(world, (int)i);
        emitters[i] = (wbSavedEmitter){.index1 = wbIdPool_GetIndex1(&world->emitterIds, (int)i),
                                       .fluid = (uint32_t)emitter->fluid,
                                       .state = emitter->state,
                                       .isFed = emitter->isFed};
        memcpy(emitters[i].name, emitter->name, sizeof emitter->name);
    }
    for (size_t i = 0; i < drainCount && drains; i++) {
        const wbDrain *drain = wbGetDrainAt(world, (int)i);
        drains[i] = (wbSavedDrain){.index1 = wbIdPool_GetIndex1(&world->drainIds, (int)i),
                                   .emitter = drain->emitter,
                                   .state = drain->state};
        memcpy(drains[i].name, drain->name, sizeof drain->name);
    }
}

// Numbers that 64 bits can still count on from.
static bool isCount(int64_t count) { return count >= 0 && count <= (int64_t)4e18 / WB_PIPE_BINS; }

static bool isEmitterState(const wbEmitterState *state) {
    return state->moved >= 0 && state->moved <= 1e30 && isCount(state->emitted) && isCount(state->waiting) &&
           (state->isFired == 0 || state->isFired == 1);
}

static bool isDrainState(const wbDrainState *state) {
    bool isPossible = fabs(state->allowance) <= 1e30 && state->binTime >= 0 && state->binTime <= 1e30 &&
                      isCount(state->drained);
    for (int b = 0; b < WB_PIPE_BINS; b++) isPossible = isPossible && isCount(state->bins[b]);
    return isPossible;
}

bool wbIsSavedObject(const char name[WB_NAME_SIZE], uint32_t index1) {
    return memchr(name, 0, WB_NAME_SIZE) && index1 > 0;
}

// Made with a mouth that fits anywhere, until the section "objects" says what they are.
static wbStatus loadEmitter(const wbSavedEmitter *saved, wbWorld *world) {
    const wbDomain *domain = &world->domain;
    wbEmitterDef def = wbDefaultEmitterDef();
    float *position = &def.params.position.x;
    if (!wbIsSavedObject(saved->name, saved->index1) || !isEmitterState(&saved->state) ||
        saved->fluid >= (uint32_t)world->fluidIds.indexCount || (saved->isFed != 0 && saved->isFed != 1))
        return wbError(wb_errorInput, "emitter %d makes no sense", world->emitterIds.indexCount);
    const float spacing = wbGetLiquidOf(world, (int)saved->fluid)->spacing;
    def.params.radius = 1e-6f;
    for (int a = 0; a < world->params.dimensions; a++)
        position[a] = domain->closed[2 * a]       ? domain->min[a] + spacing
                      : domain->closed[2 * a + 1] ? domain->max[a] - spacing
                                                  : 0;
    WB_TRY(wbAddEmitter(world, saved->name, (int)saved->fluid, &def.params, saved->index1));
    wbEmitter *emitter = wbGetEmitterAt(world, world->emitterIds.indexCount - 1);
    emitter->isFed = saved->isFed;
    emitter->state = emitter->hostState = saved->state;
    return wb_okStatus;
}

static wbStatus loadDrain(const wbSavedDrain *saved, wbWorld *world) {
    wbDrainDef def = wbDefaultDrainDef();
    def.params.max = (wbVec3){1, 1, 1};
    if (!wbIsSavedObject(saved->name, saved->index1) || !isDrainState(&saved->state) || saved->emitter < -1 ||
        saved->emitter >= world->emitterIds.indexCount)
        return wbError(wb_errorInput, "drain %d makes no sense", world->drainIds.indexCount);
    WB_TRY(wbAddDrain(world, saved->name, saved->emitter, &def.params, saved->index1));
    wbDrain *drain = wbGetDrainAt(world, world->drainIds.indexCount - 1);
    drain->state = drain->hostState = saved->state;
    return wb_okStatus;
}

wbStatus wbFindParts(wbSectionList *list, const char *name, size_t size, size_t most,
                     const wbSection **section, size_t *count) {
    wbStatus status = wb_okStatus;
    *section = wbFindAnySection(list, name, &status);
    if (!*section) return status;
    *count = (*section)->size / size;
    if ((*section)->size % size != 0 || *count > most)
        return wbError(wb_errorInput, "section \"%s\" has %zu bytes, %zu are one part, at most %zu parts",
                       name, (*section)->size, size, most);
    return wb_okStatus;
}

static wbStatus findFlow(wbSectionList *list, const wbSection **emitters, size_t *emitterCount,
                         const wbSection **drains, size_t *drainCount) {
    WB_TRY(
        wbFindParts(list, "emitters", sizeof(wbSavedEmitter), WB_MAX_FLOW_OBJECTS, emitters, emitterCount));
    return wbFindParts(list, "drains", sizeof(wbSavedDrain), WB_MAX_FLOW_OBJECTS, drains, drainCount);
}

wbStatus wbLoadFlow(wbSectionList *list, wbWorld *world) {
    const wbSection *emitters, *drains;
    size_t emitterCount, drainCount;
    WB_TRY(findFlow(list, &emitters, &emitterCount, &drains, &drainCount));
    for (size_t i = 0; i < emitterCount; i++) {
        wbSavedEmitter saved;
        memcpy(&saved, (const char *)emitters->data + i * sizeof saved, sizeof saved);
        WB_TRY(loadEmitter(&saved, world));
    }
    for (size_t i = 0; i < drainCount; i++) {
        wbSavedDrain saved;
        memcpy(&saved, (const char *)drains->data + i * sizeof saved, sizeof saved);
        WB_TRY(loadDrain(&saved, world));
    }
    return wb_okStatus;
}

wbStatus wbCheckFlowStates(wbSectionList *list) {
    const wbSection *emitters, *drains;
    size_t emitterCount, drainCount;
    WB_TRY(findFlow(list, &emitters, &emitterCount, &drains, &drainCount));
    for (size_t i = 0; i < emitterCount; i++) {
        wbSavedEmitter saved;
        memcpy(&saved, (const char *)emitters->data + i * sizeof saved, sizeof saved);
        if (!isEmitterState(&saved.state)) return wbError(wb_errorInput, "emitter %zu makes no sense", i);
    }
    for (size_t i = 0; i < drainCount; i++) {
        wbSavedDrain saved;
        memcpy(&saved, (const char *)drains->data + i * sizeof saved, sizeof saved);
        if (!isDrainState(&saved.state)) return wbError(wb_errorInput, "drain %zu makes no sense", i);
    }
    return wb_okStatus;
}

void wbLoadFlowStates(wbSectionList *list, wbWorld *world) {
    wbStatus status = wb_okStatus;
    const wbSection *emitters = wbFindAnySection(list, "emitters", &status),
                    *drains = wbFindAnySection(list, "drains", &status);
    for (int i = 0; i < world->emitterIds.indexCount; i++) {
        wbSavedEmitter saved;
        memcpy(&saved, (const char *)emitters->data + (size_t)i * sizeof saved, sizeof saved);
        wbGetEmitterAt(world, i)->state = saved.state;
    }
    for (int i = 0; i < world->drainIds.indexCount; i++) {
        wbSavedDrain saved;
        memcpy(&saved, (const char *)drains->data + (size_t)i * sizeof saved, sizeof saved);
        wbGetDrainAt(world, i)->state = saved.state;
    }
}
