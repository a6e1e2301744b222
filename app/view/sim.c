// SPDX-License-Identifier: MIT
// The life of a simulation, and what the window's thread tells it and takes from it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/view/sim_internal.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"

void wbSim_SayNote(wbSim *sim, const char *text) {
    wbLock_Take(sim->lock);
    snprintf(sim->state.notes[sim->state.noteCount++ % WB_SIM_NOTES], WB_SIM_TEXT, "%s", text);
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

void wbSim_SayBusy(wbSim *sim, const char *what, double share) {
    wbLock_Take(sim->lock);
    if (strcmp(sim->state.busy, what) != 0) {
        snprintf(sim->state.busy, sizeof sim->state.busy, "%s", what);
        sim->busySince = wbGetSeconds();
    }
    sim->state.busyShare = (float)share;
    wbLock_Release(sim->lock);
}

bool wbSim_IsInterrupted(wbSim *sim) {
    wbLock_Take(sim->lock);
    const wbOrders *o = &sim->orders;
    const bool is = o->quit || o->open || o->seeks || o->cancels;
    wbLock_Release(sim->lock);
    return is;
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
    sim->past.limit = def->memory;
    sim->threads = def->options->threads > 0 ? def->options->threads : def->threads;
    sim->state.isLockstep = def->isLockstep;
    sim->drawn = &sim->stills[0], sim->ready = &sim->stills[1], sim->filled = &sim->stills[2];
    sim->orders.isPaused = sim->state.isPaused = def->isPaused;
    sim->orders.speed = sim->state.speed = 1;
    wbStatus status =
        sim->lock ? wbSim_AddSettingsFile(sim, def->options->settings) : wbMemoryError(NULL, "a lock needs");
    if (wbIsOk(status)) status = addSettings(sim, &def->options->set);
    if (wbIsOk(status) && !wbReadBackend(def->options, &sim->choice))
        status = wbError(wb_errorInput, "--backend cannot be used");
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

static void endThread(wbSim *sim) {
    if (!sim->worker) return;
    wbLock_Take(sim->lock);
    sim->orders.quit = true;
    wbLock_WakeAll(sim->lock);
    wbLock_Release(sim->lock);
    wbWorker_Join(sim->worker);
    sim->worker = NULL;
}

void wbDestroySim(wbSim *sim) {
    if (!sim) return;
    endThread(sim);
    for (int i = 0; i < 3; i++) wbStill_Free(&sim->stills[i]);
    wbFrameScene_Free(&sim->frame);
    wbArray_Free(NULL, &sim->sections);
    wbArray_Free(NULL, &sim->watched);
    wbArray_Free(NULL, &sim->orders.watched);
    wbCommandQueue_Free(&sim->queue);
    wbCommandQueue_Free(&sim->looks);
    wbCommandQueue_Free(&sim->taken);
    wbCommandQueue_Free(&sim->looked);
    wbCommandLog_Free(&sim->settings);
    wbCommandLog_Free(&sim->besideOwn);
    wbDestroySim(sim->beside);
    wbRecording_Free(&sim->recording);
    wbPast_Free(&sim->past);
    wbSimFiles_Free(&sim->files);
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

void wbSim_Open(wbSim *sim, const char *path) { wbSim_OpenFile(sim, wb_fileScene, path ? path : "", NULL); }

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
    wbSim *beside =
        sim->state.isBesideOpen && !wbIsCommandKey(key) && !wbSim_IsBesideOwn(sim, key) ? sim->beside : NULL;
    endOrders(sim);
    if (beside) wbSim_Put(beside, key, value);
}

static wbOrders *beginSeek(wbSim *sim) {
    wbOrders *orders = beginOrders(sim);
    if (!orders->seeks) orders->commandsFirst = sim->queue.count > 0;
    orders->seeks = true, orders->steps = 0, orders->stepUntil = 0;
    orders->isPaused = sim->state.isPaused = true;
    return orders;
}

void wbSim_Seek(wbSim *sim, int64_t step) {
    wbOrders *orders = beginSeek(sim);
    orders->seeksTime = false, orders->seekStep = step;
    endOrders(sim);
}

void wbSim_SeekTime(wbSim *sim, double time) {
    wbOrders *orders = beginSeek(sim);
    orders->seeksTime = true, orders->seekTime = time;
    endOrders(sim);
}

void wbSim_Cancel(wbSim *sim) {
    beginOrders(sim)->cancels = true;
    endOrders(sim);
}

void wbSim_SetThreads(wbSim *sim, int count) {
    beginOrders(sim)->threads = count;
    endOrders(sim);
}

void wbSim_SetBackend(wbSim *sim, wbBackend backend, int device) {
    char text[16];
    snprintf(text, sizeof text, "%d", device);
    wbSim_Put(sim, "world.device", text);
    wbSim_Put(sim, "world.backend", wbGetBackendText(backend));
}

void wbSim_AskDevices(wbSim *sim) {
    beginOrders(sim)->asksDevices = true;
    endOrders(sim);
}

void wbSim_Compare(wbSim *sim, int steps) {
    beginOrders(sim)->compareSteps = steps;
    endOrders(sim);
}

int wbSim_GetDevices(wbSim *sim, wbDevice *devices, int capacity) {
    wbLock_Take(sim->lock);
    const int count = sim->deviceCount < capacity ? sim->deviceCount : capacity;
    memcpy(devices, sim->devices, (size_t)count * sizeof devices[0]);
    wbLock_Release(sim->lock);
    return count;
}

void wbSim_Save(wbSim *sim, const char *path) {
    wbOrders *orders = beginOrders(sim);
    snprintf(orders->save, sizeof orders->save, "%s", path);
    endOrders(sim);
}

void wbSim_SetPaused(wbSim *sim, bool isPaused) {
    wbOrders *orders = beginOrders(sim);
    orders->isPaused = sim->state.isPaused = isPaused;
    orders->steps = 0, orders->stepUntil = 0;
    endOrders(sim);
}

void wbSim_Step(wbSim *sim, int count) {
    wbOrders *orders = beginOrders(sim);
    orders->isPaused = sim->state.isPaused = true;
    orders->steps += count;
    endOrders(sim);
}

void wbSim_StepTime(wbSim *sim, double seconds) {
    wbOrders *orders = beginOrders(sim);
    orders->isPaused = sim->state.isPaused = true;
    orders->stepUntil = fmax(orders->stepUntil, sim->state.time) + seconds;
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
    const double since = sim->busySince;
    wbLock_Release(sim->lock);
    if (state.isLoading) state.loadSeconds = wbGetSeconds() - state.loadSeconds;
    if (state.busy[0]) state.busySeconds = wbGetSeconds() - since;
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

uint64_t wbSim_Finish(wbSim *sim, const char *path, int64_t *step, wbStatus *status) {
    // nothing more is told: the thread ends, and what is left belongs to the caller
    *status = wb_okStatus;
    endThread(sim);
    if (!sim->world) return 0;
    if (path) *status = wbSim_WriteRecording(sim, path);
    *step = wbWorld_GetStepCount(sim->world);
    return wbWorld_Hash(sim->world);
}
