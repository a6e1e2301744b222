// SPDX-License-Identifier: MIT
// Worlds that a simulation opens.
#include <stdio.h>
#include <string.h>

#include "app/view/sim_internal.h"
#include "core/status.h"
#include "core/timer.h"

static wbStatus applySettings(wbSim *sim, wbScene *scene) {
    wbStatus status = wb_okStatus;
    wbLock_Take(sim->lock);
    for (int i = 0; i < sim->settings.count && wbIsOk(status); i++) {
        const wbLoggedCommand *setting = wbCommandLog_Get(&sim->settings, i);
        status = wbScene_Set(scene, setting->key, setting->value);
        if (!wbIsOk(status)) wbCommandLog_Cut(&sim->settings, i); // the next start goes without it
    }
    wbLock_Release(sim->lock);
    return status;
}

wbStatus wbSim_PrepareScene(wbSim *sim, wbScene *scene, bool hasSettings) {
    if (hasSettings) WB_TRY(applySettings(sim, scene));
    wbWorldDef *def = wbScene_GetWorldDef(scene);
    def->threadCount = sim->threads;
    if (sim->choice.isGiven)
        def->params.backend = sim->choice.backend, def->params.device = sim->choice.device;
    return wb_okStatus;
}

// "channel" of scenes/channel.json.
static void setName(wbSim *sim, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(sim->state.name, sizeof sim->state.name, "%.*s", (int)strcspn(name, "."), name);
}

// Settings belong to one scene: another one starts without them.
static bool keepsSettings(wbSim *sim) {
    const wbWorldFile *now = &sim->files.opened, *next = &sim->files.opening;
    return sim->def.isBeside || !sim->world || strcmp(now->path, next->path) == 0 ||
           strcmp(sim->state.path, next->path) == 0 || strcmp(sim->state.path, next->scene) == 0;
}

// What a user switched to computes the next world, too.
static void keepBackend(wbSim *sim) {
    if (!sim->world) return;
    const wbWorldParams *params = wbWorld_GetWorldParams(sim->world);
    if (params->backend != sim->started.backend || params->device != sim->started.device)
        sim->choice = (wbBackendChoice){true, params->backend, params->device};
}

static wbStatus exchange(wbSim *sim, wbLoaded *loaded) {
    wbStatus status = wbListSections(loaded->world, &sim->sections, &sim->sectionCount);
    if (!wbIsOk(status)) {
        wbDestroyWorld(loaded->world);
        wbDestroyScene(loaded->scene);
        return status;
    }
    wbDestroyWorld(sim->world);
    wbDestroyScene(sim->scene);
    sim->scene = loaded->scene, sim->world = loaded->world, sim->isBroken = false;
    sim->generation++, sim->sectionsVersion++;
    sim->sectionsHash = wbHashSections(sim->world);
    const wbWorldParams *params = wbWorld_GetWorldParams(sim->world);
    sim->started = (wbBackendChoice){true, params->backend, params->device};
    sim->aim = sim->meterTime = 0, sim->lastClock = sim->meterClock = wbGetSeconds();
    WB_TRY(wbSim_TakeSettings(sim, loaded));
    WB_TRY(wbSim_StartRecording(sim));
    return wbSim_FinishLoaded(sim, loaded);
}

// What was stopped is no error: it is said once.
static void sayOutcome(wbSim *sim, wbStatus status) {
    wbLock_Take(sim->lock);
    const bool isStopped = !wbIsOk(status) && sim->files.isCancelled;
    sim->state.isLoading = sim->orders.open; // another one may be told already
    if (!isStopped)
        snprintf(sim->state.message, sizeof sim->state.message, "%s", wbIsOk(status) ? "" : status.text);
    wbLock_Release(sim->lock);
    if (isStopped) wbSim_SayNote(sim, status.text);
}

void wbSim_Load(wbSim *sim) {
    wbLoaded loaded;
    keepBackend(sim);
    wbStatus status = wbSim_MakeLoaded(sim, keepsSettings(sim), &loaded);
    if (wbIsOk(status)) status = exchange(sim, &loaded);
    if (wbIsOk(status)) {
        wbLock_Take(sim->lock);
        snprintf(sim->state.path, sizeof sim->state.path, "%s", loaded.path);
        snprintf(sim->state.title, sizeof sim->state.title, "%s", wbScene_GetTitle(sim->scene));
        setName(sim, loaded.path);
        wbCommandQueue_Clear(&sim->queue);
        wbCommandQueue_Clear(&sim->looks);
        wbLock_Release(sim->lock);
    }
    wbRecording_Free(&loaded.recording);
    sayOutcome(sim, status);
    if (sim->world) wbSim_Publish(sim);
}
