// SPDX-License-Identifier: MIT
#include "app/view/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"
#include "core/worker.h"
#include "scene/recording.h"

#include "app/view/past.h"

/// What the window's thread has told, read and written with the lock held.
typedef struct Orders {
    bool quit, open;
    char path[WB_SIM_TEXT]; ///< "": the same file again
    int steps;              ///< that were asked for one by one
    bool isPaused, isFast;
    double speed;
    int watched[WB_MAX_WATCHED];
    int watchedCount;
    bool isWatchNew; ///< or what is wanted
    unsigned wants;  ///< of wbWant
    bool seeks;
    int64_t seekStep;
    char save[WB_SIM_TEXT]; ///< a recording to be written; "": none
} Orders;

struct wbSim {
    wbSimDef def;
    wbLock *lock;
    wbWorker *worker;

    // read and written with the lock held
    Orders orders;
    wbCommandQueue queue;  ///< for the world
    wbCommandQueue looks;  ///< for the scene's camera and output: they change pictures alone
    wbCommandLog settings; ///< of the next scene
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
    unsigned wants;
    wbCommandQueue taken;  ///< commands on their way into the world
    wbRecording recording; ///< of this world from its start on
    int next;              ///< command of its script that comes next, while what is known runs again
    int64_t furthest;      ///< step that this world came to
    wbPast past;
    int cutCount; ///< futures that were cut off, and written
    double aim;   ///< s: simulated time that wall time has come to
    double lastClock, lastPublished;
    double meterClock, meterTime; ///< where the measured speed began
    bool isBroken;                ///< the world cannot be stepped on
};

static void sayNote(wbSim *sim, const char *text) {
    wbLock_Take(sim->lock);
    snprintf(sim->state.note, sizeof sim->state.note, "%s", text);
    sim->state.noteCount++;
    wbLock_Release(sim->lock);
}

static void say(wbSim *sim, const char *text) {
    wbLock_Take(sim->lock);
    snprintf(sim->state.message, sizeof sim->state.message, "%s", text);
    wbLock_Release(sim->lock);
}

static void refuse(const wbLoggedCommand *command, wbStatus why, void *context) {
    wbSim *sim = context;
    wbLock_Take(sim->lock);
    snprintf(sim->state.refused, sizeof sim->state.refused, "%s: %s", command->key, why.text);
    sim->state.refusedCount++;
    wbLock_Release(sim->lock);
}

static bool isOfPicture(const char *key) {
    return strncmp(key, "camera.", 7) == 0 || strncmp(key, "output.", 7) == 0;
}

static bool isInPast(const wbSim *sim) { return wbWorld_GetStepCount(sim->world) < sim->furthest; }

// A command in the past: the future that is known does not come. It is written before it is forgotten.
static wbStatus cutFuture(wbSim *sim) {
    char path[WB_SIM_TEXT + 16];
    const wbWorld *world = sim->world;
    wbLock_Take(sim->lock);
    do // what an earlier window wrote stays
        snprintf(path, sizeof path, "%s-%d.json", sim->state.name, ++sim->cutCount);
    while (access(path, F_OK) == 0);
    wbLock_Release(sim->lock);
    wbStatus status = wbWriteRecording(path, &sim->recording);
    char text[WB_SIM_TEXT];
    snprintf(text, sizeof text, "%.200s%.240s", wbIsOk(status) ? "the future that was is written: " : "",
             wbIsOk(status) ? path : status.text);
    sayNote(sim, text);
    wbRecording_Cut(&sim->recording, wbWorld_GetStepCount(world), wbWorld_GetTime(world));
    wbPast_Cut(&sim->past, wbWorld_GetStepCount(world));
    sim->furthest = wbWorld_GetStepCount(world);
    return wb_okStatus;
}

// How pictures look is the scene's alone: it is not recorded.
static void runLooks(wbSim *sim, wbCommandQueue *looks) {
    const wbLoggedCommand *list = looks->commands.data;
    for (int i = 0; i < looks->count; i++) {
        wbStatus status = wbScene_Set(sim->scene, list[i].key, list[i].value);
        if (!wbIsOk(status)) refuse(&list[i], status, sim);
    }
    wbCommandQueue_Clear(looks);
}

// Between steps, after the scene's script for this time: what is known again, then what was told.
static wbStatus runCommands(wbSim *sim) {
    wbCommandQueue looks, swapped = sim->taken;
    wbLock_Take(sim->lock);
    sim->taken = sim->queue, sim->queue = swapped;
    looks = sim->looks, sim->looks = (wbCommandQueue){0};
    wbLock_Release(sim->lock);
    runLooks(sim, &looks);
    wbCommandQueue_Free(&looks);
    WB_TRY(wbScene_RunScript(sim->scene, sim->world));
    if (sim->taken.count == 0)
        return isInPast(sim) ? wbCommandLog_Replay(&sim->recording.script, sim->world, &sim->next)
                             : wb_okStatus;
    if (isInPast(sim)) WB_TRY(cutFuture(sim));
    wbStatus status = wbCommandQueue_Run(&sim->taken, sim->world, &sim->recording.script, refuse, sim);
    sim->next = sim->recording.script.count;
    return status;
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
    WB_TRY(wbStill_Fill(still, &sim->frame, sim->generation, sim->wants));
    WB_TRY(wbExtras_Fill(&still->extras, world, sim->wants));
    still->profile = wbWorld_GetProfile(world);
    still->gravity = wbWorld_GetWorldParams(world)->gravity;
    still->stats = wbWorld_GetStats(world);
    still->step = wbWorld_GetStepCount(world);
    still->time = wbWorld_GetTime(world);
    still->dt = wbWorld_GetStepCount(world) > 0 ? still->profile.dt : wbWorld_GetTimeStep(world);
    return readValues(sim, still);
}

// Where there are states and commands; with more than there is room for, every so many-th.
static void noteMarks(wbSim *sim) {
    wbSimState *state = &sim->state;
    const wbCommandLog *script = &sim->recording.script;
    const wbPastState *states = sim->past.states.data;
    const int stride = 1 + (sim->past.count + script->count) / WB_MAX_MARKS;
    state->markCount = 0;
    for (int i = 0; i < sim->past.count && state->markCount < WB_MAX_MARKS; i += stride)
        state->marks[state->markCount++] = (wbSimMark){states[i].time, false};
    for (int i = 0; i < script->count && state->markCount < WB_MAX_MARKS; i += stride)
        state->marks[state->markCount++] = (wbSimMark){wbCommandLog_Get(script, i)->time, true};
    if (!isInPast(sim)) state->furthestTime = wbWorld_GetTime(sim->world);
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
    sim->state.step = filled->step, sim->state.time = filled->time, sim->state.furthest = sim->furthest;
    noteMarks(sim);
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
    wbStatus status = wb_okStatus;
    for (int i = 0; i < sim->settings.count && wbIsOk(status); i++) {
        const wbLoggedCommand *setting = wbCommandLog_Get(&sim->settings, i);
        status = wbScene_Set(*scene, setting->key, setting->value);
        if (!wbIsOk(status)) wbCommandLog_Cut(&sim->settings, i); // the next start goes without it
    }
    wbLock_Release(sim->lock);
    WB_TRY(status);
    wbWorldDef *def = wbScene_GetWorldDef(*scene);
    def->threadCount = options->threads > 0 ? options->threads : sim->def.threads;
    if (wbReadBackend(options, &choice) && choice.isGiven)
        def->params.backend = choice.backend, def->params.device = choice.device;
    return wbScene_CreateWorld(*scene, world);
}

static wbStatus startRecording(wbSim *sim) {
    wbRecording_Free(&sim->recording);
    sim->recording = (wbRecording){0};
    sim->next = 0, sim->furthest = 0;
    wbPast_Free(&sim->past);
    wbLock_Take(sim->lock);
    wbStatus status = wbCommandLog_Copy(&sim->settings, &sim->recording.settings);
    wbLock_Release(sim->lock);
    WB_TRY(status);
    if (wbScene_GetWorldDef(sim->scene)->params.backend == wb_backendOpencl)
        WB_TRY(wbCommandLog_Add(&sim->recording.settings, 0, "world.backend", "opencl"));
    WB_TRY(wbRecording_Start(&sim->recording, sim->scene, sim->world));
    return wbPast_Update(&sim->past, sim->world, 1);
}

// "channel" of scenes/channel.json.
static void setName(wbSim *sim, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(sim->state.name, sizeof sim->state.name, "%.*s", (int)strcspn(name, "."), name);
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
        status = startRecording(sim);
    }
    wbLock_Take(sim->lock);
    sim->state.isLoading = false;
    snprintf(sim->state.message, sizeof sim->state.message, "%s", wbIsOk(status) ? "" : status.text);
    if (wbIsOk(status)) {
        snprintf(sim->state.path, sizeof sim->state.path, "%s", path);
        snprintf(sim->state.title, sizeof sim->state.title, "%s", wbScene_GetTitle(scene));
        setName(sim, path);
        wbCommandQueue_Clear(&sim->queue);
        wbCommandQueue_Clear(&sim->looks);
    }
    wbLock_Release(sim->lock);
    if (sim->world) publish(sim);
}

static void stop(wbSim *sim, const char *text) {
    sim->isBroken = true;
    say(sim, text);
    setPaused(sim, true);
}

// A step that is known must come out as it did.
static wbStatus compareStep(wbSim *sim) {
    bool isKnown;
    if (wbRecording_IsSame(&sim->recording, sim->world, &isKnown)) return wb_okStatus;
    return wbError(wb_errorInput, "step %lld differs from the first time: the run is not repeatable",
                   (long long)wbWorld_GetStepCount(sim->world));
}

static wbStatus stepOnce(wbSim *sim) {
    const bool again = isInPast(sim);
    WB_TRY(runCommands(sim));
    WB_TRY(wbWorld_Step(sim->world, 0));
    if (again && isInPast(sim)) return compareStep(sim);
    if (wbWorld_GetStepCount(sim->world) > sim->furthest) sim->furthest = wbWorld_GetStepCount(sim->world);
    WB_TRY(wbRecording_AddStep(&sim->recording, sim->world));
    return wbPast_Update(&sim->past, sim->world, wbWorld_GetProfile(sim->world).stepMs);
}

static bool step(wbSim *sim) {
    wbStatus status = stepOnce(sim);
    if (!wbIsOk(status)) stop(sim, status.text);
    const double ms = wbWorld_GetProfile(sim->world).stepMs;
    wbLock_Take(sim->lock);
    wbSimState *state = &sim->state;
    state->stepMs = state->stepMs > 0 ? 0.9 * state->stepMs + 0.1 * ms : ms;
    wbLock_Release(sim->lock);
    return wbIsOk(status);
}

// The end of what is known is noted before the world leaves it.
static void noteEnd(wbSim *sim) {
    if (!isInPast(sim)) wbRecording_End(&sim->recording, sim->world);
}

// From the last state before it, with all commands, to the wanted step.
static wbStatus seek(wbSim *sim, int64_t wanted) {
    if (wanted > sim->furthest) wanted = sim->furthest;
    if (wanted < 0) wanted = 0;
    noteEnd(sim);
    const int64_t now = wbWorld_GetStepCount(sim->world);
    const wbPastState *from = wbPast_Find(&sim->past, wanted);
    if (from && (wanted < now || from->step > now || sim->isBroken)) {
        WB_TRY(wbWorld_Restore(sim->world, from->bytes.data, from->bytes.size));
        sim->next = wbCommandLog_Find(&sim->recording.script, wbWorld_GetTime(sim->world));
        sim->isBroken = false;
    }
    while (wbWorld_GetStepCount(sim->world) < wanted) {
        WB_TRY(wbScene_RunScript(sim->scene, sim->world));
        WB_TRY(wbCommandLog_Replay(&sim->recording.script, sim->world, &sim->next));
        WB_TRY(wbWorld_Step(sim->world, 0));
    }
    sim->generation++; // meshes of bodies are others
    sim->aim = sim->meterTime = wbWorld_GetTime(sim->world);
    return wb_okStatus;
}

// A command that no step followed would not be done again: one step follows.
static wbStatus save(wbSim *sim, const char *path) {
    const wbCommandLog *script = &sim->recording.script;
    const bool isLoose =
        script->count > 0 && wbCommandLog_Get(script, script->count - 1)->time >= wbWorld_GetTime(sim->world);
    if (!isInPast(sim) && isLoose && !sim->isBroken) WB_TRY(stepOnce(sim));
    noteEnd(sim);
    return wbWriteRecording(path, &sim->recording);
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
    sim->orders.open = sim->orders.isWatchNew = sim->orders.seeks = false;
    sim->orders.save[0] = 0;
    if (orders->open && orders->path[0] == 0)
        snprintf(orders->path, sizeof orders->path, "%s", sim->state.path);
    wbLock_Release(sim->lock);
    if (orders->isWatchNew) {
        memcpy(sim->watched, orders->watched, sizeof sim->watched);
        sim->watchedCount = orders->watchedCount;
        sim->wants = orders->wants;
    }
}

static bool hasCommands(wbSim *sim) {
    wbLock_Take(sim->lock);
    bool has = sim->queue.count + sim->looks.count > 0;
    wbLock_Release(sim->lock);
    return has;
}

static void obeySave(wbSim *sim, const char *path) {
    char text[WB_SIM_TEXT];
    wbStatus status = save(sim, path);
    snprintf(text, sizeof text, "%.20s%.400s", wbIsOk(status) ? "written: " : "",
             wbIsOk(status) ? path : status.text);
    sayNote(sim, text);
    publish(sim);
}

// Everything that is told but steps.
static void obey(wbSim *sim, const Orders *orders) {
    wbStatus status = wb_okStatus;
    if (orders->open) load(sim, orders->path);
    if (!sim->world) return;
    if (orders->seeks) status = seek(sim, orders->seekStep);
    const bool changed = hasCommands(sim);
    if (wbIsOk(status) && changed) status = runCommands(sim);
    if (!wbIsOk(status)) stop(sim, status.text);
    if (orders->save[0]) obeySave(sim, orders->save);
    if (changed || orders->isWatchNew || orders->seeks) publish(sim);
}

// Lets someone else read the world, who holds the lock meanwhile; or waits for orders.
static void rest(wbSim *sim, double seconds) {
    wbLock_Take(sim->lock);
    const Orders *o = &sim->orders;
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
    Orders *orders = beginOrders(sim);
    orders->seeks = true, orders->seekStep = step, orders->steps = 0;
    orders->isPaused = sim->state.isPaused = true;
    endOrders(sim);
}

void wbSim_Save(wbSim *sim, const char *path) {
    Orders *orders = beginOrders(sim);
    snprintf(orders->save, sizeof orders->save, "%s", path);
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

void wbSim_Want(wbSim *sim, unsigned wants) {
    Orders *orders = beginOrders(sim);
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
    if (path) *status = save(sim, path);
    *step = wbWorld_GetStepCount(sim->world);
    return wbWorld_Hash(sim->world);
}
