// SPDX-License-Identifier: MIT
// Commands and steps as they are recorded, and the way back to a step that was there already.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/view/sim_internal.h"
#include "core/status.h"

bool wbSim_IsInPast(const wbSim *sim) { return wbWorld_GetStepCount(sim->world) < sim->furthest; }

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
    wbSim_SayNote(sim, text);
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
        if (!wbIsOk(status)) wbSim_Refuse(&list[i], status, sim);
    }
    wbCommandQueue_Clear(looks);
}

wbStatus wbSim_RunCommands(wbSim *sim) {
    wbCommandQueue looks, swapped = sim->taken;
    wbLock_Take(sim->lock);
    sim->taken = sim->queue, sim->queue = swapped;
    looks = sim->looks, sim->looks = (wbCommandQueue){0};
    wbLock_Release(sim->lock);
    runLooks(sim, &looks);
    wbCommandQueue_Free(&looks);
    WB_TRY(wbScene_RunScript(sim->scene, sim->world));
    if (sim->taken.count == 0)
        return wbSim_IsInPast(sim) ? wbCommandLog_Replay(&sim->recording.script, sim->world, &sim->next)
                                   : wb_okStatus;
    if (wbSim_IsInPast(sim)) WB_TRY(cutFuture(sim));
    wbStatus status = wbCommandQueue_Run(&sim->taken, sim->world, &sim->recording.script, wbSim_Refuse, sim);
    sim->next = sim->recording.script.count;
    return status;
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
    if (wbScene_GetWorldDef(sim->scene)->params.backend == wb_backendOpencl)
        WB_TRY(wbCommandLog_Add(&sim->recording.settings, 0, "world.backend", "opencl"));
    WB_TRY(wbRecording_Start(&sim->recording, sim->scene, sim->world));
    return wbPast_Update(&sim->past, sim->world, 1);
}

// A step that is known must come out as it did.
static wbStatus compareStep(wbSim *sim) {
    bool isKnown;
    if (wbRecording_IsSame(&sim->recording, sim->world, &isKnown)) return wb_okStatus;
    return wbError(wb_errorInput, "step %lld differs from the first time: the run is not repeatable",
                   (long long)wbWorld_GetStepCount(sim->world));
}

wbStatus wbSim_StepOnce(wbSim *sim) {
    const bool again = wbSim_IsInPast(sim);
    WB_TRY(wbSim_RunCommands(sim));
    WB_TRY(wbWorld_Step(sim->world, 0));
    if (again && wbSim_IsInPast(sim)) return compareStep(sim);
    if (wbWorld_GetStepCount(sim->world) > sim->furthest) sim->furthest = wbWorld_GetStepCount(sim->world);
    WB_TRY(wbRecording_AddStep(&sim->recording, sim->world));
    return wbPast_Update(&sim->past, sim->world, wbWorld_GetProfile(sim->world).stepMs);
}

// The end of what is known is noted before the world leaves it.
static void noteEnd(wbSim *sim) {
    if (!wbSim_IsInPast(sim)) wbRecording_End(&sim->recording, sim->world);
}

wbStatus wbSim_GoTo(wbSim *sim, int64_t wanted) {
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
wbStatus wbSim_WriteRecording(wbSim *sim, const char *path) {
    const wbCommandLog *script = &sim->recording.script;
    const bool isLoose =
        script->count > 0 && wbCommandLog_Get(script, script->count - 1)->time >= wbWorld_GetTime(sim->world);
    if (!wbSim_IsInPast(sim) && isLoose && !sim->isBroken) WB_TRY(wbSim_StepOnce(sim));
    noteEnd(sim);
    return wbWriteRecording(path, &sim->recording);
}
