// SPDX-License-Identifier: MIT
// The life of a simulation, and what the window's thread tells it and takes from it.
#include <stdio.h>
#include <string.h>

#include "app/view/sim_internal.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"

void wbSim_SayNote(wbSim *sim, const char *text) {
    wbLock_Take(sim->lock);
    snprintf(sim->state.note, sizeof sim->state.note, "%s", text);
    sim->state.noteCount++;
    wbLock_Release(sim->lock);
}

void wbSim_Say(wbSim *sim, const char *text) {
    wbLock_Take(sim->lock);
    snprintf(sim->state.message, sizeof sim->state.message, "%s", text);
    wbLock_Release(sim->lock);
}

void wbSim_Refuse(const wbLoggedCommand *command, wbStatus why, void *context) {
    wbSim *sim = context;
    wbLock_Take(sim->lock);
    snprintf(sim->state.refused, sizeof sim->state.refused, "%s: %s", command->key, why.text);
    sim->state.refusedCount++;
    wbLock_Release(sim->lock);
}

static wbStatus addSettings(wbSim *sim, const wbTextList *set) {
    for (int i = 0; i < set->count; i++) {
        const char *equals = strchr(set->items[i], '=');
        char key[WB_COMMAND_KEY];
        if (!equals || equals - set->items[i] >= WB_COMMAND_KEY)
            return wbError(wb_errorInput, "--set %s must be SECTION.NAME=VALUE", set->items[i]);
        snprintf(key, sizeof key, "%.*s", (int)(equals - set->items[i]), set->items[i]);
        wbSim_SetAtStart(sim, key, equals + 1);
    }
    return wb_okStatus;
}

wbStatus wbCreateSim(const wbSimDef *def, wbSim **made) {
    wbSim *sim = wbAllocZero(NULL, sizeof *sim);
    *made = NULL;
    if (!sim) return wbMemoryError(NULL, "a simulation needs");
    sim->def = *def;
    sim->lock = wbCreateLock();
    sim->past.limit = (size_t)512 << 20;
    sim->drawn = &sim->stills[0], sim->ready = &sim->stills[1], sim->filled = &sim->stills[2];
    sim->orders.isPaused = sim->state.isPaused = def->isPaused;
    sim->orders.speed = sim->state.speed = 1;
    wbStatus status = sim->lock ? addSettings(sim, &def->options->set) : wbMemoryError(NULL, "a lock needs");
    if (wbIsOk(status) && !def->isLockstep) {
        sim->worker = wbStartWorker(wbSim_Run, sim);
        if (!sim->worker) status = wbError(wb_errorMemory, "no thread for the simulation");
    }
    if (wbIsOk(status))
        *made = sim;
    else
        wbDestroySim(sim);
    return status;
}

void wbDestroySim(wbSim *sim) {
    if (!sim) return;
    if (sim->worker) {
        wbLock_Take(sim->lock);
        sim->orders.quit = true;
        wbLock_WakeAll(sim->lock);
        wbLock_Release(sim->lock);
        wbWorker_Join(sim->worker);
    }
    for (int i = 0; i < 3; i++) wbStill_Free(&sim->stills[i]);
    wbFrameScene_Free(&sim->frame);
    wbArray_Free(NULL, &sim->sections);
    wbArray_Free(NULL, &sim->watched);
    wbArray_Free(NULL, &sim->orders.watched);
    wbCommandQueue_Free(&sim->queue);
    wbCommandQueue_Free(&sim->looks);
    wbCommandQueue_Free(&sim->taken);
    wbCommandLog_Free(&sim->settings);
    wbRecording_Free(&sim->recording);
    wbPast_Free(&sim->past);
    wbDestroyWorld(sim->world);
    wbDestroyScene(sim->scene);
    wbDestroyLock(sim->lock);
    wbFree(NULL, sim, sizeof *sim);
}

// What is told is told under the lock, and wakes the thread.
static wbOrders *beginOrders(wbSim *sim) {
    wbLock_Take(sim->lock);
    return &sim->orders;
}

static void endOrders(wbSim *sim) {
    wbLock_WakeAll(sim->lock);
    wbLock_Release(sim->lock);
}

void wbSim_Open(wbSim *sim, const char *path) {
    wbOrders *orders = beginOrders(sim);
    orders->open = true;
    snprintf(orders->path, sizeof orders->path, "%s", path ? path : "");
    sim->state.isLoading = true;
    sim->state.loadSeconds = wbGetSeconds();
    endOrders(sim);
}

static bool isOfPicture(const char *key) {
    return strncmp(key, "camera.", 7) == 0 || strncmp(key, "output.", 7) == 0;
}

void wbSim_SetAtStart(wbSim *sim, const char *key, const char *value) {
    beginOrders(sim);
    wbStatus status = wbCommandLog_Add(&sim->settings, 0, key, value);
    if (!wbIsOk(status)) snprintf(sim->state.message, sizeof sim->state.message, "%s", status.text);
    endOrders(sim);
}

void wbSim_Put(wbSim *sim, const char *key, const char *value) {
    beginOrders(sim);
    wbStatus status = wbCommandQueue_Put(isOfPicture(key) ? &sim->looks : &sim->queue, key, value);
    if (!wbIsOk(status)) {
        snprintf(sim->state.refused, sizeof sim->state.refused, "%s", status.text);
        sim->state.refusedCount++;
    }
    endOrders(sim);
}

void wbSim_Seek(wbSim *sim, int64_t step) {
    wbOrders *orders = beginOrders(sim);
    orders->seeks = true, orders->seekStep = step, orders->steps = 0;
    orders->isPaused = sim->state.isPaused = true;
    endOrders(sim);
}

void wbSim_Save(wbSim *sim, const char *path) {
    wbOrders *orders = beginOrders(sim);
    snprintf(orders->save, sizeof orders->save, "%s", path);
    endOrders(sim);
}

void wbSim_SetPaused(wbSim *sim, bool isPaused) {
    wbOrders *orders = beginOrders(sim);
    orders->isPaused = sim->state.isPaused = isPaused;
    orders->steps = 0;
    endOrders(sim);
}

void wbSim_Step(wbSim *sim, int count) {
    wbOrders *orders = beginOrders(sim);
    orders->isPaused = sim->state.isPaused = true;
    orders->steps += count;
    endOrders(sim);
}

void wbSim_SetSpeed(wbSim *sim, double speed, bool isFast) {
    wbOrders *orders = beginOrders(sim);
    orders->speed = sim->state.speed = speed;
    orders->isFast = sim->state.isFast = isFast;
    endOrders(sim);
}

void wbSim_Watch(wbSim *sim, const int *sections, int count) {
    wbOrders *orders = beginOrders(sim);
    orders->watched.elementSize = sizeof(int);
    const bool hasRoom = wbArray_Reserve(NULL, &orders->watched, count);
    if (hasRoom && count > 0) memcpy(orders->watched.data, sections, (size_t)count * sizeof(int));
    orders->watchedCount = hasRoom ? count : 0;
    orders->isWatchNew = true;
    endOrders(sim);
}

void wbSim_Want(wbSim *sim, unsigned wants) {
    wbOrders *orders = beginOrders(sim);
    orders->wants = wants;
    orders->isWatchNew = true;
    endOrders(sim);
}

wbSimState wbSim_GetState(wbSim *sim) {
    wbLock_Take(sim->lock);
    wbSimState state = sim->state;
    wbLock_Release(sim->lock);
    if (state.isLoading) state.loadSeconds = wbGetSeconds() - state.loadSeconds;
    return state;
}

const wbStill *wbSim_Take(wbSim *sim, bool *isNew) {
    wbLock_Take(sim->lock);
    *isNew = sim->isFresh;
    if (sim->isFresh) {
        wbStill *drawn = sim->drawn;
        sim->drawn = sim->ready, sim->ready = drawn;
        sim->isFresh = false;
    }
    wbLock_Release(sim->lock);
    return sim->drawn->generation > 0 ? sim->drawn : NULL;
}

// The thread rests when it holds nothing of the world; the lock keeps it so.
static void beginRest(wbSim *sim) {
    wbLock_Take(sim->lock);
    sim->needsRest = true;
    wbLock_WakeAll(sim->lock);
    while (sim->worker && !sim->isResting) wbLock_Wait(sim->lock, 0.1);
}

static void endRest(wbSim *sim) {
    sim->needsRest = false;
    wbLock_WakeAll(sim->lock);
    wbLock_Release(sim->lock);
}

uint64_t wbSim_Finish(wbSim *sim, const char *path, int64_t *step, wbStatus *status) {
    // nothing more is told: the thread ends, and what is left belongs to the caller
    *status = wb_okStatus;
    if (sim->worker) {
        beginRest(sim);
        sim->orders.quit = true;
        endRest(sim);
        wbWorker_Join(sim->worker);
        sim->worker = NULL;
    }
    if (!sim->world) return 0;
    if (path) *status = wbSim_WriteRecording(sim, path);
    *step = wbWorld_GetStepCount(sim->world);
    return wbWorld_Hash(sim->world);
}
