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
    const double ms = wbWorld_GetProfile(sim->world).stepMs;
    wbLock_Take(sim->lock);
    wbSimState *state = &sim->state;
    state->stepMs = state->stepMs > 0 ? 0.9 * state->stepMs + 0.1 * ms : ms;
    wbLock_Release(sim->lock);
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
    sim->lastClock = now;
    if (sim->aim > time + 0.1 * orders->speed || sim->aim < time - 1) sim->aim = time + 1e-9;
    return orders->isFast || sim->aim > time;
}

static bool takeSteps(wbSim *sim, int *steps) {
    wbLock_Take(sim->lock);
    *steps = sim->orders.steps;
    if (*steps > 0) sim->orders.steps--;
    wbLock_Release(sim->lock);
    return *steps > 0;
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
    sim->orders.open = sim->orders.isWatchNew = sim->orders.seeks = false;
    sim->orders.save[0] = 0;
    if (orders->open && orders->path[0] == 0)
        snprintf(orders->path, sizeof orders->path, "%s", sim->state.path);
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

// Everything that is told but steps.
static void obey(wbSim *sim, const wbOrders *orders) {
    wbStatus status = wb_okStatus;
    if (orders->open) wbSim_Load(sim, orders->path);
    if (!sim->world) return;
    if (orders->seeks) status = wbSim_GoTo(sim, orders->seekStep);
    const bool changed = hasCommands(sim);
    if (wbIsOk(status) && changed) status = wbSim_RunCommands(sim);
    if (!wbIsOk(status)) wbSim_Stop(sim, status.text);
    if (orders->save[0]) obeySave(sim, orders->save);
    if (changed || orders->isWatchNew || orders->seeks) wbSim_Publish(sim);
}

// Lets someone else read the world, who holds the lock meanwhile; or waits for orders.
static void rest(wbSim *sim, double seconds) {
    wbLock_Take(sim->lock);
    const wbOrders *o = &sim->orders;
    bool isTold = o->quit || o->open || o->isWatchNew || o->seeks || o->save[0] || o->steps > 0 ||
                  sim->queue.count + sim->looks.count > 0;
    sim->isResting = true;
    wbLock_WakeAll(sim->lock);
    while (sim->needsRest) wbLock_Wait(sim->lock, 0.1);
    if (!isTold && seconds > 0) wbLock_Wait(sim->lock, seconds);
    sim->isResting = false;
    while (sim->needsRest) {
        sim->isResting = true;
        wbLock_Wait(sim->lock, 0.1);
        sim->isResting = false;
    }
    wbLock_Release(sim->lock);
}

void wbSim_Run(void *context) {
    wbSim *sim = context;
    for (;;) {
        wbOrders orders;
        int steps = 0;
        takeOrders(sim, &orders);
        if (orders.quit) return;
        obey(sim, &orders);
        double now = wbGetSeconds(), pause = 0.1;
        if (sim->world && !sim->isBroken) {
            measureSpeed(sim, now);
            const bool isAsked = takeSteps(sim, &steps),
                       isSteady = !orders.isPaused && isDue(sim, &orders, now);
            if (orders.isPaused) sim->lastClock = now;
            if ((isAsked || isSteady) && (step(sim), isAsked || wbGetSeconds() - sim->lastPublished > 0.012))
                wbSim_Publish(sim);
            if (isAsked || isSteady)
                pause = 0;
            else if (!orders.isPaused)
                pause = fmin(0.1, fmax(1e-4, (wbWorld_GetTime(sim->world) - sim->aim) / orders.speed));
        }
        rest(sim, pause);
    }
}

void wbSim_Advance(wbSim *sim, int count) {
    wbOrders orders;
    int steps;
    takeOrders(sim, &orders);
    obey(sim, &orders);
    if (!sim->world || sim->isBroken) return;
    measureSpeed(sim, wbGetSeconds());
    bool stepped = false;
    for (int i = 0; i < count && !orders.isPaused && !sim->isBroken; i++) stepped = step(sim) || stepped;
    while (orders.isPaused && !sim->isBroken && takeSteps(sim, &steps)) stepped = step(sim) || stepped;
    if (stepped) wbSim_Publish(sim);
}
