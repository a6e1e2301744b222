// SPDX-License-Identifier: MIT
// What the simulation's thread shows of its world: stills, and marks on the line of time.
#include <stdio.h>
#include <string.h>

#include "app/view/sim_internal.h"
#include "core/status.h"
#include "core/timer.h"

static wbStatus readValues(wbSim *sim, wbStill *still) {
    const wbSection *sections = sim->sections.data;
    const int *watched = sim->watched.data;
    still->valueCount = 0;
    still->values.elementSize = sizeof(wbShownValue);
    for (int w = 0; w < sim->watchedCount; w++) {
        if (watched[w] >= sim->sectionCount) continue;
        const wbSection *section = &sections[watched[w]];
        if (!wbArray_Reserve(NULL, &still->values, still->valueCount + section->table->count))
            return wbMemoryError(NULL, "values of parameters need");
        for (int r = 0; r < section->table->count; r++) {
            wbShownValue *value = (wbShownValue *)still->values.data + still->valueCount;
            *value = (wbShownValue){.section = watched[w], .row = r};
            if (wbIsOk(wbSection_ReadRow(sim->scene, sim->world, section, &section->table->params[r],
                                         value->text, sizeof value->text)))
                still->valueCount++;
        }
    }
    return wb_okStatus;
}

// A ball that is thrown brings its solver along, and what that does to the water.
static wbStatus updateSections(wbSim *sim) {
    const uint64_t hash = wbHashSections(sim->world);
    if (hash == sim->sectionsHash) return wb_okStatus;
    WB_TRY(wbListSections(sim->world, &sim->sections, &sim->sectionCount));
    sim->sectionsHash = hash;
    sim->sectionsVersion++;
    return wb_okStatus;
}

static wbStatus copySections(wbSim *sim, wbStill *still) {
    WB_TRY(updateSections(sim));
    if (still->sectionsVersion == sim->sectionsVersion) return wb_okStatus;
    still->sections.elementSize = sizeof(wbSection);
    if (!wbArray_Reserve(NULL, &still->sections, sim->sectionCount))
        return wbMemoryError(NULL, "a list of sections needs");
    memcpy(still->sections.data, sim->sections.data, (size_t)sim->sectionCount * sizeof(wbSection));
    still->sectionCount = sim->sectionCount;
    still->sectionsVersion = sim->sectionsVersion;
    return wb_okStatus;
}

// Counting what is in colliders can take as long as a step: while the world runs freely it is done as often as costs a small part of the
// time, and for each still where it is quick.
static void readStats(wbSim *sim, wbStill *still) {
    const double now = wbGetSeconds();
    wbLock_Take(sim->lock);
    const bool isRunning = sim->isThreaded && !sim->state.isPaused;
    wbLock_Release(sim->lock);
    if (!isRunning || sim->statsGeneration != sim->generation ||
        now - sim->statsClock > sim->def.statsRest * sim->statsSeconds) {
        sim->stats = wbWorld_GetStats(sim->world);
        sim->statsClock = wbGetSeconds(), sim->statsSeconds = sim->statsClock - now;
        sim->statsGeneration = sim->generation;
    }
    still->stats = sim->stats;
}

bool wbSim_IsStillOld(const wbSim *sim) { return sim->stats.step != wbWorld_GetStepCount(sim->world); }

static wbStatus fillStill(wbSim *sim, wbStill *still) {
    wbWorld *world = sim->world;
    WB_TRY(wbFrameScene_Gather(&sim->frame, sim->scene, world, NULL));
    WB_TRY(copySections(sim, still));
    sim->isLarge = wbStill_CountBytes(&sim->frame, sim->wants) > sim->def.stillLimit;
    if (sim->isLarge)
        wbStill_Borrow(still, &sim->frame, sim->generation);
    else
        WB_TRY(wbStill_Fill(still, &sim->frame, sim->generation, sim->wants));
    WB_TRY(wbObjects_Gather(&still->objects, world));
    WB_TRY(wbAddSliceHandle(&still->scene, &still->objects.handles, &still->objects.handleCount));
    WB_TRY(wbExtras_Fill(&still->extras, world, sim->wants));
    still->profile = wbWorld_GetProfile(world);
    still->gravity = wbWorld_GetWorldParams(world)->gravity;
    readStats(sim, still);
    still->step = wbWorld_GetStepCount(world);
    still->time = wbWorld_GetTime(world);
    still->dt = wbWorld_GetStepCount(world) > 0 ? still->profile.dt : wbWorld_GetTimeStep(world);
    return readValues(sim, still);
}

static void notePart(wbSimState *state, double time, int kind) {
    const double length = state->furthestTime - state->firstTime;
    const int part = length > 0 ? (int)((time - state->firstTime) / length * WB_TIME_PARTS) : 0;
    state->parts[part < 0 ? 0 : part < WB_TIME_PARTS ? part : WB_TIME_PARTS - 1] |= (uint8_t)(1 << kind);
}

// Where there are states, commands and notes.
static void noteParts(wbSim *sim) {
    wbSimState *state = &sim->state;
    const wbCommandLog *script = &sim->recording.script;
    const wbPastState *states = sim->past.states.data;
    if (!wbSim_IsInPast(sim)) state->furthestTime = wbWorld_GetTime(sim->world);
    memset(state->parts, 0, sizeof state->parts);
    for (int i = 0; i < sim->past.count; i++) notePart(state, states[i].time, WB_PART_STATE);
    for (int i = 0; i < script->count; i++)
        notePart(state, wbCommandLog_Get(script, i)->time, WB_PART_COMMAND);
    for (int i = 0; i < sim->recording.noteCount; i++)
        notePart(state, wbRecording_GetNote(&sim->recording, i)->time, WB_PART_NOTE);
}

void wbSim_Publish(wbSim *sim) {
    wbStatus status = fillStill(sim, sim->filled);
    if (!wbIsOk(status)) {
        wbSim_Say(sim, status.text);
        if (sim->state.isLockstep) sim->drawn->generation = 0; // it may show what is no more
        return;
    }
    wbSim_PublishBeside(sim);
    wbLock_Take(sim->lock);
    sim->state.isLockstep = sim->def.isLockstep || sim->isLarge;
    if (sim->isLarge && sim->isThreaded) { // the world would go on while it is drawn: the thread ends first
        wbLock_Release(sim->lock);
        return;
    }
    wbStill *filled = sim->filled;
    sim->filled = sim->ready, sim->ready = filled;
    sim->isFresh = true;
    sim->state.step = filled->step, sim->state.time = filled->time, sim->state.furthest = sim->furthest;
    noteParts(sim);
    const wbDevice *device = wbWorld_GetDevice(sim->world);
    snprintf(sim->state.device, sizeof sim->state.device, "%s", device ? device->name : "");
    sim->state.threads = wbWorld_GetThreadCount(sim->world);
    wbLock_Release(sim->lock);
    sim->lastPublished = wbGetSeconds();
}
