// SPDX-License-Identifier: MIT
// The simulation's thread: what was told is done between steps, and wall time decides how many of them run.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/view/sim_internal.h"
#include "core/status.h"
#include "core/timer.h"

static void setPaused(wbSim *sim, bool isPaused) {
    wbLock_Take(sim->lock);
    sim->orders.isPaused = sim->state.isPaused = isPaused;
    wbLock_Release(sim->lock);
}

void wbSim_Stop(wbSim *sim, const char *text) {
    sim->isBroken = true;
    wbSim_Say(sim, text);
    setPaused(sim, true);
}

static bool step(wbSim *sim) {
    wbStatus status = wbSim_StepOnce(sim);
    if (!wbIsOk(status)) wbSim_Stop(sim, status.text);
    wbSim_StepBeside(sim);
    wbSim_UpdateFilm(sim);
    return wbIsOk(status);
}

// How fast it really goes, over half a second.
static void measureSpeed(wbSim *sim, double now) {
    const double passed = now - sim->meterClock, time = wbWorld_GetTime(sim->world);
    if (passed < 0.5) return;
    wbLock_Take(sim->lock);
    sim->state.gotSpeed = sim->state.isPaused ? 0 : (time - sim->meterTime) / passed;
    wbLock_Release(sim->lock);
    sim->meterClock = now, sim->meterTime = time;
}

// Whether the world lags behind the wall clock. More than 0.1 s are not caught up: the aim moves.
static bool isDue(wbSim *sim, const wbOrders *orders, double now) {
    const double time = wbWorld_GetTime(sim->world);
    sim->aim += (now - sim->lastClock) * orders->speed;
    if (orders->isPaused || orders->isFast || sim->aim > time + 0.1 * orders->speed) sim->aim = time + 1e-9;
    sim->lastClock = now;
    return !orders->isPaused && sim->aim > time;
}

// Steps that were asked for one by one, or up to a time.
static bool isAsked(wbSim *sim) {
    const double time = wbWorld_GetTime(sim->world), half = 0.5 * (double)wbWorld_GetTimeStep(sim->world);
    wbLock_Take(sim->lock);
    wbOrders *orders = &sim->orders;
    const bool is = orders->steps > 0 || time + half < orders->stepUntil;
    if (orders->steps > 0) orders->steps--;
    if (!is) orders->stepUntil = 0;
    wbLock_Release(sim->lock);
    return is;
}

// With the lock held. What finds no memory is not watched: rows of parameters stay empty, and it is tried again with the next change.
static void takeWatched(wbSim *sim) {
    const wbOrders *orders = &sim->orders;
    sim->wants = orders->wants;
    sim->watched.elementSize = sizeof(int);
    sim->watchedCount = 0;
    if (!wbArray_Reserve(NULL, &sim->watched, orders->watchedCount)) return;
    sim->watchedCount = orders->watchedCount;
    if (sim->watchedCount > 0)
        memcpy(sim->watched.data, orders->watched.data, (size_t)sim->watchedCount * sizeof(int));
}

static void takeOrders(wbSim *sim, wbOrders *orders) {
    wbLock_Take(sim->lock);
    *orders = sim->orders;
    if (orders->isWatchNew) takeWatched(sim);
    sim->orders.open = sim->orders.isWatchNew = sim->orders.seeks = sim->orders.cancels = false;
    sim->orders.commandsFirst = sim->orders.asksDevices = sim->orders.opensBeside = false;
    sim->orders.threads = sim->orders.compareSteps = 0;
    sim->orders.save[0] = 0;
    wbSim_TakeFileOrders(sim, orders->open);
    wbLock_Release(sim->lock);
}

static bool hasCommands(wbSim *sim) {
    wbLock_Take(sim->lock);
    bool has = sim->queue.count + sim->looks.count > 0;
    wbLock_Release(sim->lock);
    return has;
}

static void obeySave(wbSim *sim, const char *path) {
    char text[WB_SIM_TEXT];
    wbStatus status = wbSim_WriteRecording(sim, path);
    snprintf(text, sizeof text, "%.20s%.400s", wbIsOk(status) ? "written: " : "",
             wbIsOk(status) ? path : status.text);
    wbSim_SayNote(sim, text);
    wbSim_Publish(sim);
}

static wbStatus obeyThreads(wbSim *sim, int threads) {
    sim->threads = threads;
    return wbWorld_SetThreadCount(sim->world, threads);
}

// Everything that is told but steps.
static void obey(wbSim *sim, const wbOrders *orders) {
    wbStatus status = wb_okStatus;
    if (orders->open || orders->seeks) wbSim_CutFilm(sim);
    if (orders->open) wbSim_Load(sim);
    if (orders->asksDevices) wbSim_FindDevices(sim);
    if (!sim->world) return;
    bool changed = hasCommands(sim);
    if (orders->threads > 0) status = obeyThreads(sim, orders->threads);
    if (wbIsOk(status) && orders->commandsFirst) status = wbSim_RunCommands(sim);
    if (wbIsOk(status) && orders->seeks) status = wbSim_GoTo(sim, orders);
    if (wbIsOk(status) && hasCommands(sim)) status = wbSim_RunCommands(sim), changed = true;
    if (wbIsOk(status) && orders->compareSteps > 0 && !sim->isBroken)
        status = wbSim_RunComparison(sim, orders->compareSteps);
    if (!wbIsOk(status)) wbSim_Stop(sim, status.text);
    if (sim->isBroken && !orders->isPaused) setPaused(sim, true); // only another time helps
    wbSim_ObeyFiles(sim, &orders->files);
    if (orders->save[0]) obeySave(sim, orders->save);
    changed = changed || (orders->isPaused && wbSim_IsStillOld(sim));
    changed =
        changed || orders->isWatchNew || orders->seeks || orders->threads > 0 || orders->compareSteps > 0;
    if (changed || orders->open || orders->opensBeside) {
        wbSim_LeadBeside(sim, orders);
        wbSim_Publish(sim);
    }
}

// Until the next step is due, or something is told.
static void rest(wbSim *sim, double seconds) {
    wbLock_Take(sim->lock);
    const wbOrders *o = &sim->orders;
    const bool isTold = o->quit || o->open || o->isWatchNew || o->seeks || o->save[0] || o->steps > 0 ||
                        o->stepUntil > 0 || o->threads > 0 || o->compareSteps > 0 || o->asksDevices ||
                        o->opensBeside || wbFileOrders_AreTold(&o->files) ||
                        sim->queue.count + sim->looks.count > 0;
    if (!isTold && seconds > 0) wbLock_Wait(sim->lock, seconds);
    wbLock_Release(sim->lock);
}

// A step, if one is asked for or due; the seconds to wait before the next.
static double runSteps(wbSim *sim, const wbOrders *orders) {
    const double now = wbGetSeconds();
    measureSpeed(sim, now);
    const bool asked = isAsked(sim), due = isDue(sim, orders, now);
    if (asked || due) {
        step(sim);
        if (asked || wbGetSeconds() - sim->lastPublished > 0.012) wbSim_Publish(sim);
        return 0;
    }
    if (orders->isPaused) return 0.1;
    return fmin(0.1, fmax(1e-4, (wbWorld_GetTime(sim->world) - sim->aim) / orders->speed));
}

// Ends when it is told to, or where wbSim_Advance goes on.
void wbSim_Run(void *context) {
    wbSim *sim = context;
    wbOrders orders;
    sim->isThreaded = true;
    while (!sim->isLarge) {
        takeOrders(sim, &orders);
        if (orders.quit) break;
        obey(sim, &orders);
        if (sim->isLarge) break;
        if (sim->world && wbSim_IsFilmed(sim))
            rest(sim, 0.002);
        else
            rest(sim, sim->world && !sim->isBroken ? runSteps(sim, &orders) : 0.1);
    }
    sim->isThreaded = false;
}

// A world whose stills are small again gets its thread back.
static bool returnsToThread(wbSim *sim) {
    if (sim->def.isLockstep || sim->isLarge || !sim->world) return false;
    sim->worker = wbStartWorker(wbSim_Run, sim);
    return sim->worker != NULL;
}

void wbSim_Advance(wbSim *sim, int count) {
    wbOrders orders;
    if (sim->worker) { // it ends by itself
        wbWorker_Join(sim->worker);
        sim->worker = NULL;
        wbSim_Publish(sim);
    }
    takeOrders(sim, &orders);
    obey(sim, &orders);
    if (orders.open && returnsToThread(sim)) return;
    if (!sim->world || sim->isBroken) return;
    measureSpeed(sim, wbGetSeconds());
    bool stepped = false;
    for (int i = 0; i < count && !orders.isPaused && !sim->isBroken && !wbSim_IsFilmed(sim); i++)
        stepped = step(sim) || stepped;
    while (orders.isPaused && !sim->isBroken && !wbSim_IsFilmed(sim) && isAsked(sim))
        stepped = step(sim) || stepped;
    if (stepped) wbSim_Publish(sim);
}
