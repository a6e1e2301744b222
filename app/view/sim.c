// SPDX-License-Identifier: MIT
#include "app/view/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"
#include "core/worker.h"

enum { CHANGE_KEY = 128, CHANGE_VALUE = 384 };

/// A parameter to be set, as texts.
typedef struct Change {
    char key[CHANGE_KEY], value[CHANGE_VALUE];
} Change;

/// What the window's thread has told, read and written with the lock held.
typedef struct Orders {
    bool quit, open;
    char path[WB_SIM_TEXT]; ///< "": the same file again
    int steps;              ///< that were asked for one by one
    bool isPaused, isFast;
    double speed;
    int watched[WB_MAX_WATCHED];
    int watchedCount;
    bool isWatchNew;
} Orders;

struct wbSim {
    wbSimDef def;
    wbLock *lock;
    wbWorker *worker;

    // read and written with the lock held
    Orders orders;
    wbArray changes, settings; ///< Change: for the world, and for the next scene
    int changeCount, settingCount;
    wbSimState state;
    wbStill *drawn, *ready, *filled; ///< each one of `stills`
    bool isFresh;                    ///< ready was not drawn yet
    bool isResting;                  ///< between steps: the world may be read with the lock held
    bool needsRest;                  ///< someone waits for that

    // of the simulation's thread alone
    wbStill stills[3];
    wbScene *scene;
    wbWorld *world;
    wbFrameScene frame;
    wbArray sections; ///< wbSection
    int sectionCount, generation;
    int watched[WB_MAX_WATCHED];
    int watchedCount;
    wbArray taken; ///< Change: the queue on its way into the world
    double aim;    ///< s: simulated time that wall time has come to
    double lastClock, lastPublished;
    double meterClock, meterTime; ///< where the measured speed began
    bool isBroken;                ///< the world cannot be stepped on
};

static void say(wbSim *sim, const char *text) {
    wbLock_Take(sim->lock);
    snprintf(sim->state.message, sizeof sim->state.message, "%s", text);
    wbLock_Release(sim->lock);
}

// Of one key the last value counts.
static bool putChange(wbArray *list, int *count, const char *key, const char *value) {
    list->elementSize = sizeof(Change);
    Change *changes = list->data;
    int i = 0;
    while (i < *count && strcmp(changes[i].key, key) != 0) i++;
    if (strlen(key) >= CHANGE_KEY || strlen(value) >= CHANGE_VALUE || !wbArray_Reserve(NULL, list, i + 1))
        return false;
    Change *change = (Change *)list->data + i;
    strcpy(change->key, key);
    strcpy(change->value, value);
    if (i == *count) ++*count;
    return true;
}

static void refuse(wbSim *sim, const char *key, const char *why) {
    wbLock_Take(sim->lock);
    snprintf(sim->state.refused, sizeof sim->state.refused, "%s: %s", key, why);
    sim->state.refusedCount++;
    wbLock_Release(sim->lock);
}

static bool isOfPicture(const char *key) {
    return strncmp(key, "camera.", 7) == 0 || strncmp(key, "output.", 7) == 0;
}

// Between steps, after the scene's script for this time.
static wbStatus runChanges(wbSim *sim) {
    wbLock_Take(sim->lock);
    int count = sim->changeCount;
    wbArray swapped = sim->taken;
    sim->taken = sim->changes, sim->changes = swapped, sim->changeCount = 0;
    wbLock_Release(sim->lock);
    if (count == 0) return wb_okStatus;
    WB_TRY(wbScene_RunScript(sim->scene, sim->world));
    const Change *changes = sim->taken.data;
    for (int i = 0; i < count; i++) {
        const bool ofPicture = isOfPicture(changes[i].key);
        wbStatus status = ofPicture ? wbScene_Set(sim->scene, changes[i].key, changes[i].value)
                                    : wbWorld_SetParam(sim->world, changes[i].key, changes[i].value);
        if (!wbIsOk(status)) refuse(sim, changes[i].key, status.text);
    }
    return wb_okStatus;
}

static wbStatus readValues(wbSim *sim, wbStill *still) {
    const wbSection *sections = sim->sections.data;
    still->valueCount = 0;
    still->values.elementSize = sizeof(wbShownValue);
    for (int w = 0; w < sim->watchedCount; w++) {
        if (sim->watched[w] >= sim->sectionCount) continue;
        const wbSection *section = &sections[sim->watched[w]];
        if (!wbArray_Reserve(NULL, &still->values, still->valueCount + section->table->count))
            return wbMemoryError(NULL, "values of parameters need");
        for (int r = 0; r < section->table->count; r++) {
            wbShownValue *value = (wbShownValue *)still->values.data + still->valueCount;
            *value = (wbShownValue){.section = sim->watched[w], .row = r};
            if (wbIsOk(wbSection_ReadRow(sim->scene, sim->world, section, &section->table->params[r],
                                         value->text, sizeof value->text)))
                still->valueCount++;
        }
    }
    return wb_okStatus;
}

static wbStatus fillStill(wbSim *sim, wbStill *still) {
    wbWorld *world = sim->world;
    WB_TRY(wbFrameScene_Gather(&sim->frame, sim->scene, world, NULL));
    if (still->generation != sim->generation) {
        still->sections.elementSize = sizeof(wbSection);
        if (!wbArray_Reserve(NULL, &still->sections, sim->sectionCount))
            return wbMemoryError(NULL, "a list of sections needs");
        memcpy(still->sections.data, sim->sections.data, (size_t)sim->sectionCount * sizeof(wbSection));
        still->sectionCount = sim->sectionCount;
    }
    WB_TRY(wbStill_Fill(still, &sim->frame, sim->generation));
    still->profile = wbWorld_GetProfile(world);
    still->stats = wbWorld_GetStats(world);
    still->step = wbWorld_GetStepCount(world);
    still->time = wbWorld_GetTime(world);
    still->dt = wbWorld_GetStepCount(world) > 0 ? still->profile.dt : wbWorld_GetTimeStep(world);
    return readValues(sim, still);
}

static void publish(wbSim *sim) {
    wbStatus status = fillStill(sim, sim->filled);
    if (!wbIsOk(status)) {
        say(sim, status.text);
        return;
    }
    wbLock_Take(sim->lock);
    wbStill *filled = sim->filled;
    sim->filled = sim->ready, sim->ready = filled;
    sim->isFresh = true;
    sim->state.step = filled->step, sim->state.time = filled->time;
    wbLock_Release(sim->lock);
    sim->lastPublished = wbGetSeconds();
}

static void setPaused(wbSim *sim, bool isPaused) {
    wbLock_Take(sim->lock);
    sim->orders.isPaused = sim->state.isPaused = isPaused;
    wbLock_Release(sim->lock);
}

static wbStatus readScene(wbSim *sim, const char *path, wbScene **scene, wbWorld **world) {
    const wbOptions *options = sim->def.options;
    wbBackendChoice choice;
    WB_TRY(wbReadScene(path, scene));
    wbLock_Take(sim->lock);
    const Change *settings = sim->settings.data;
    wbStatus status = wb_okStatus;
    for (int i = 0; i < sim->settingCount && wbIsOk(status); i++)
        status = wbScene_Set(*scene, settings[i].key, settings[i].value);
    wbLock_Release(sim->lock);
    WB_TRY(status);
    wbWorldDef *def = wbScene_GetWorldDef(*scene);
    def->threadCount = options->threads > 0 ? options->threads : sim->def.threads;
    if (wbReadBackend(options, &choice) && choice.isGiven)
        def->params.backend = choice.backend, def->params.device = choice.device;
    return wbScene_CreateWorld(*scene, world);
}

// The old world stays until the new one is there.
static void load(wbSim *sim, const char *path) {
    wbScene *scene = NULL;
    wbWorld *world = NULL;
    wbStatus status = readScene(sim, path, &scene, &world);
    if (wbIsOk(status)) status = wbListSections(world, &sim->sections, &sim->sectionCount);
    if (!wbIsOk(status)) {
        wbDestroyWorld(world);
        wbDestroyScene(scene);
    } else {
        wbDestroyWorld(sim->world);
        wbDestroyScene(sim->scene);
        sim->scene = scene, sim->world = world, sim->isBroken = false;
        sim->generation++;
        sim->aim = sim->meterTime = 0, sim->lastClock = sim->meterClock = wbGetSeconds();
    }
    wbLock_Take(sim->lock);
    sim->state.isLoading = false;
    snprintf(sim->state.message, sizeof sim->state.message, "%s", wbIsOk(status) ? "" : status.text);
    if (wbIsOk(status)) {
        snprintf(sim->state.path, sizeof sim->state.path, "%s", path);
        snprintf(sim->state.title, sizeof sim->state.title, "%s", wbScene_GetTitle(scene));
        sim->changeCount = 0;
    }
    wbLock_Release(sim->lock);
    if (sim->world) publish(sim);
}

static void stop(wbSim *sim, const char *text) {
    sim->isBroken = true;
    say(sim, text);
    setPaused(sim, true);
}

static bool step(wbSim *sim) {
    wbStatus status = wbScene_RunScript(sim->scene, sim->world);
    if (wbIsOk(status)) status = wbWorld_Step(sim->world, 0);
    if (!wbIsOk(status)) stop(sim, status.text);
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
static bool isDue(wbSim *sim, const Orders *orders, double now) {
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

static void takeOrders(wbSim *sim, Orders *orders) {
    wbLock_Take(sim->lock);
    *orders = sim->orders;
    sim->orders.open = sim->orders.isWatchNew = false;
    if (orders->open && orders->path[0] == 0)
        snprintf(orders->path, sizeof orders->path, "%s", sim->state.path);
    wbLock_Release(sim->lock);
    if (orders->isWatchNew) {
        memcpy(sim->watched, orders->watched, sizeof sim->watched);
        sim->watchedCount = orders->watchedCount;
    }
}

static bool hasChanges(wbSim *sim) {
    wbLock_Take(sim->lock);
    bool has = sim->changeCount > 0;
    wbLock_Release(sim->lock);
    return has;
}

// Everything that is told but steps; true if there is a new picture of it.
static void obey(wbSim *sim, const Orders *orders) {
    if (orders->open) load(sim, orders->path);
    if (!sim->world) return;
    bool changed = hasChanges(sim);
    wbStatus status = runChanges(sim);
    if (!wbIsOk(status)) stop(sim, status.text);
    if (changed || orders->isWatchNew) publish(sim);
}

// Lets someone else read the world, who holds the lock meanwhile; or waits for orders.
static void rest(wbSim *sim, double seconds) {
    wbLock_Take(sim->lock);
    const Orders *o = &sim->orders;
    bool isTold = o->quit || o->open || o->isWatchNew || o->steps > 0 || sim->changeCount > 0;
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

static void runThread(void *context) {
    wbSim *sim = context;
    for (;;) {
        Orders orders;
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
                publish(sim);
            if (isAsked || isSteady)
                pause = 0;
            else if (!orders.isPaused)
                pause = fmin(0.1, fmax(1e-4, (wbWorld_GetTime(sim->world) - sim->aim) / orders.speed));
        }
        rest(sim, pause);
    }
}

void wbSim_Advance(wbSim *sim, int count) {
    Orders orders;
    int steps;
    takeOrders(sim, &orders);
    obey(sim, &orders);
    if (!sim->world || sim->isBroken) return;
    measureSpeed(sim, wbGetSeconds());
    bool stepped = false;
    for (int i = 0; i < count && !orders.isPaused && !sim->isBroken; i++) stepped = step(sim) || stepped;
    while (orders.isPaused && !sim->isBroken && takeSteps(sim, &steps)) stepped = step(sim) || stepped;
    if (stepped) publish(sim);
}

static wbStatus addSettings(wbSim *sim, const wbTextList *set) {
    for (int i = 0; i < set->count; i++) {
        const char *equals = strchr(set->items[i], '=');
        char key[CHANGE_KEY];
        if (!equals || equals - set->items[i] >= CHANGE_KEY)
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
    sim->drawn = &sim->stills[0], sim->ready = &sim->stills[1], sim->filled = &sim->stills[2];
    sim->orders.isPaused = sim->state.isPaused = def->isPaused;
    sim->orders.speed = sim->state.speed = 1;
    wbStatus status = sim->lock ? addSettings(sim, &def->options->set) : wbMemoryError(NULL, "a lock needs");
    if (wbIsOk(status) && !def->isLockstep) {
        sim->worker = wbStartWorker(runThread, sim);
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
    wbArray_Free(NULL, &sim->changes);
    wbArray_Free(NULL, &sim->settings);
    wbArray_Free(NULL, &sim->taken);
    wbDestroyWorld(sim->world);
    wbDestroyScene(sim->scene);
    wbDestroyLock(sim->lock);
    wbFree(NULL, sim, sizeof *sim);
}

// What is told is told under the lock, and wakes the thread.
static Orders *beginOrders(wbSim *sim) {
    wbLock_Take(sim->lock);
    return &sim->orders;
}

static void endOrders(wbSim *sim) {
    wbLock_WakeAll(sim->lock);
    wbLock_Release(sim->lock);
}

void wbSim_Open(wbSim *sim, const char *path) {
    Orders *orders = beginOrders(sim);
    orders->open = true;
    snprintf(orders->path, sizeof orders->path, "%s", path ? path : "");
    sim->state.isLoading = true;
    sim->state.loadSeconds = wbGetSeconds();
    endOrders(sim);
}

void wbSim_SetAtStart(wbSim *sim, const char *key, const char *value) {
    beginOrders(sim);
    putChange(&sim->settings, &sim->settingCount, key, value);
    endOrders(sim);
}

void wbSim_Put(wbSim *sim, const char *key, const char *value) {
    beginOrders(sim);
    if (!putChange(&sim->changes, &sim->changeCount, key, value)) {
        snprintf(sim->state.refused, sizeof sim->state.refused, "%.100s: too long", key);
        sim->state.refusedCount++;
    }
    endOrders(sim);
}

void wbSim_SetPaused(wbSim *sim, bool isPaused) {
    Orders *orders = beginOrders(sim);
    orders->isPaused = sim->state.isPaused = isPaused;
    orders->steps = 0;
    endOrders(sim);
}

void wbSim_Step(wbSim *sim, int count) {
    Orders *orders = beginOrders(sim);
    orders->isPaused = sim->state.isPaused = true;
    orders->steps += count;
    endOrders(sim);
}

void wbSim_SetSpeed(wbSim *sim, double speed, bool isFast) {
    Orders *orders = beginOrders(sim);
    orders->speed = sim->state.speed = speed;
    orders->isFast = sim->state.isFast = isFast;
    endOrders(sim);
}

void wbSim_Watch(wbSim *sim, const int *sections, int count) {
    Orders *orders = beginOrders(sim);
    if (count > WB_MAX_WATCHED) count = WB_MAX_WATCHED;
    memcpy(orders->watched, sections, (size_t)count * sizeof(int));
    orders->watchedCount = count;
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

uint64_t wbSim_Hash(wbSim *sim) {
    wbLock_Take(sim->lock);
    sim->needsRest = true;
    wbLock_WakeAll(sim->lock);
    while (sim->worker && !sim->isResting) wbLock_Wait(sim->lock, 0.1);
    uint64_t hash = sim->world ? wbWorld_Hash(sim->world) : 0;
    sim->needsRest = false;
    wbLock_WakeAll(sim->lock);
    wbLock_Release(sim->lock);
    return hash;
}
