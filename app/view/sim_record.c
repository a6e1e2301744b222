// SPDX-License-Identifier: MIT
// Commands and steps as they are recorded, and the way back to a step that was there already.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/view/sim_internal.h"
#include "core/status.h"

bool wbSim_IsInPast(const wbSim *sim) { return wbWorld_GetStepCount(sim->world) < sim->furthest; }

// NAME-1.json, or the next number that is free: what an earlier window wrote stays.
static void findFreeName(wbSim *sim, char *path, size_t size) {
    char name[sizeof sim->state.name];
    wbLock_Take(sim->lock);
    memcpy(name, sim->state.name, sizeof name);
    wbLock_Release(sim->lock);
    do snprintf(path, size, "%s-%d.json", name, ++sim->cutCount);
    while (access(path, F_OK) == 0);
}

static void writeFuture(wbSim *sim) {
    char path[WB_SIM_TEXT], text[WB_SIM_TEXT];
    findFreeName(sim, path, sizeof path);
    wbStatus status = wbSim_CheckRecordable(sim);
    if (wbIsOk(status)) status = wbWriteRecording(path, &sim->recording);
    snprintf(text, sizeof text, "%.200s%.240s", wbIsOk(status) ? "the future that was is written: " : "",
             wbIsOk(status) ? path : status.text);
    wbSim_SayNote(sim, text);
}

// A command in the past: the future that is known does not come. It is written before it is forgotten.
static void cutFuture(wbSim *sim) {
    const wbWorld *world = sim->world;
    if (!sim->def.isBeside) writeFuture(sim);
    wbRecording_Cut(&sim->recording, wbWorld_GetStepCount(world), wbWorld_GetTime(world));
    wbPast_Cut(&sim->past, wbWorld_GetStepCount(world));
    sim->furthest = wbWorld_GetStepCount(world);
}

// How pictures look is the scene's alone: it is not recorded.
static void runLooks(wbSim *sim, wbCommandQueue *looks) {
    const wbLoggedCommand *list = looks->commands.data;
    for (int i = 0; i < looks->count; i++) {
        wbStatus status = wbScene_Set(sim->scene, list[i].key, list[i].value);
        if (!wbIsOk(status))
            wbSim_Refuse(&list[i], status, sim);
        else
            wbSim_NoteLook(sim, &list[i]);
    }
    wbCommandQueue_Clear(looks);
}

wbStatus wbSim_RunCommands(wbSim *sim) {
    const wbCommandQueue taken = sim->taken, looked = sim->looked;
    wbLock_Take(sim->lock);
    sim->taken = sim->queue, sim->queue = taken;
    sim->looked = sim->looks, sim->looks = looked;
    wbLock_Release(sim->lock);
    runLooks(sim, &sim->looked);
    WB_TRY(wbScene_RunScript(sim->scene, sim->world));
    if (sim->taken.count == 0)
        return wbSim_IsInPast(sim) ? wbCommandLog_Replay(&sim->recording.script, sim->world, &sim->next)
                                   : wb_okStatus;
    if (wbSim_IsInPast(sim)) cutFuture(sim);
    wbStatus status = wbCommandQueue_Run(&sim->taken, sim->world, &sim->recording.script, wbSim_Refuse, sim);
    sim->next = sim->recording.script.count;
    return status;
}

// --backend and the switch of the window are no settings of the scene's file.
static wbStatus recordBackend(wbSim *sim) {
    const wbWorldParams *params = wbWorld_GetWorldParams(sim->world);
    wbCommandLog *settings = &sim->recording.settings;
    char device[16];
    const bool isResumed = sim->files.opening.kind == wb_fileCheckpoint; // which has a backend of its own
    if (!isResumed && !sim->choice.isGiven && params->backend == wb_backendCpu) return wb_okStatus;
    snprintf(device, sizeof device, "%d", params->device);
    WB_TRY(wbCommandLog_Add(settings, 0, "world.device", device));
    return wbCommandLog_Add(settings, 0, "world.backend", wbGetBackendText(params->backend));
}

wbStatus wbSim_StartRecording(wbSim *sim) {
    wbRecording_Free(&sim->recording);
    sim->recording = (wbRecording){0};
    sim->next = 0, sim->furthest = 0;
    wbPast_Free(&sim->past);
    wbLock_Take(sim->lock);
    wbStatus status = wbCommandLog_Copy(&sim->settings, &sim->recording.settings);
    wbLock_Release(sim->lock);
    WB_TRY(status);
    WB_TRY(recordBackend(sim));
    WB_TRY(wbRecording_Start(&sim->recording, sim->scene, sim->world));
    return wbPast_Update(&sim->past, sim->world, 1);
}

// A step that is known must come out as it did.
static void compareStep(wbSim *sim) {
    bool isKnown;
    if (!sim->files.isDiverged && !wbRecording_IsSame(&sim->recording, sim->world, &isKnown))
        wbSim_SayDiverged(sim);
}

static void noteTime(wbSim *sim) {
    const double ms = wbWorld_GetProfile(sim->world).stepMs;
    wbLock_Take(sim->lock);
    wbSimState *state = &sim->state;
    state->stepMs = state->stepMs > 0 ? 0.9 * state->stepMs + 0.1 * ms : ms;
    wbLock_Release(sim->lock);
}

wbStatus wbSim_StepOnce(wbSim *sim) {
    const bool again = wbSim_IsInPast(sim);
    WB_TRY(wbSim_RunCommands(sim));
    WB_TRY(wbWorld_Step(sim->world, 0));
    noteTime(sim);
    if (again) compareStep(sim);
    if (!wbSim_IsInPast(sim)) {
        sim->furthest = wbWorld_GetStepCount(sim->world);
        WB_TRY(wbRecording_AddStep(&sim->recording, sim->world));
    }
    return wbPast_Update(&sim->past, sim->world, wbWorld_GetProfile(sim->world).stepMs);
}

// The end of what is known is noted before the world leaves it. A command that no step followed would not be done again: one
// step follows.
static wbStatus noteEnd(wbSim *sim) {
    const wbCommandLog *script = &sim->recording.script;
    if (wbSim_IsInPast(sim) || sim->isBroken) return wb_okStatus;
    if (script->count > 0 && wbCommandLog_Get(script, script->count - 1)->time >= wbWorld_GetTime(sim->world))
        WB_TRY(wbSim_StepOnce(sim));
    wbRecording_End(&sim->recording, sim->world);
    return wb_okStatus;
}

// The nearest step to a time ends less than half a step before it.
static bool isThere(const wbSim *sim, const wbOrders *orders) {
    const int64_t step = wbWorld_GetStepCount(sim->world);
    if (step >= sim->furthest) return true;
    if (!orders->seeksTime) return step >= orders->seekStep;
    return wbWorld_GetTime(sim->world) + 0.5 * (double)wbWorld_GetTimeStep(sim->world) > orders->seekTime;
}

// On the way from a state to what is sought.
static double getShare(const wbSim *sim, const wbOrders *orders, const wbPastState *from) {
    const double way =
        orders->seeksTime ? orders->seekTime - from->time : (double)(orders->seekStep - from->step);
    const double done = orders->seeksTime ? wbWorld_GetTime(sim->world) - from->time
                                          : (double)(wbWorld_GetStepCount(sim->world) - from->step);
    return way > 0 ? done / way : 1;
}

// From where it is, if that is on the way; else from the last state before.
static wbStatus goToState(wbSim *sim, const wbOrders *orders, wbPastState *from) {
    const int64_t now = wbWorld_GetStepCount(sim->world);
    const wbPastState *state = orders->seeksTime ? wbPast_FindTime(&sim->past, orders->seekTime)
                                                 : wbPast_Find(&sim->past, orders->seekStep);
    const bool isBehind =
        orders->seeksTime ? orders->seekTime < wbWorld_GetTime(sim->world) : orders->seekStep < now;
    *from = (wbPastState){.step = now, .time = wbWorld_GetTime(sim->world)};
    if (!state || !(isBehind || state->step > now || sim->isBroken)) return wb_okStatus;
    *from = *state;
    WB_TRY(wbPastState_Restore(state, sim->world));
    sim->next = wbCommandLog_Find(&sim->recording.script, wbWorld_GetTime(sim->world));
    if (sim->isBroken) wbSim_Say(sim, ""); // what broke it is still to come
    sim->isBroken = false;
    return wb_okStatus;
}

wbStatus wbSim_GoTo(wbSim *sim, const wbOrders *orders) {
    char what[64];
    wbPastState from;
    WB_TRY(noteEnd(sim));
    if (orders->seeksTime)
        snprintf(what, sizeof what, "to %.3f s", orders->seekTime);
    else
        snprintf(what, sizeof what, "to step %lld", (long long)orders->seekStep);
    wbSim_SayBusy(sim, what, 0);
    wbStatus status = goToState(sim, orders, &from);
    while (wbIsOk(status) && !isThere(sim, orders) && !wbSim_IsInterrupted(sim)) {
        status = wbScene_RunScript(sim->scene, sim->world);
        if (wbIsOk(status)) status = wbCommandLog_Replay(&sim->recording.script, sim->world, &sim->next);
        if (wbIsOk(status)) status = wbWorld_Step(sim->world, 0);
        if (wbIsOk(status)) compareStep(sim);
        if (wbIsOk(status))
            status = wbPast_Update(&sim->past, sim->world, wbWorld_GetProfile(sim->world).stepMs);
        wbSim_SayBusy(sim, what, getShare(sim, orders, &from));
    }
    wbSim_SayBusy(sim, "", 0);
    sim->generation++; // meshes of bodies are others
    return status;
}

wbStatus wbSim_WriteRecording(wbSim *sim, const char *path) {
    WB_TRY(wbSim_CheckRecordable(sim));
    WB_TRY(noteEnd(sim));
    return wbWriteRecording(path, &sim->recording);
}
