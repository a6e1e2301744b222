// SPDX-License-Identifier: MIT
// Scenes that a simulation opens.
#include <stdio.h>
#include <string.h>

#include "app/view/sim_internal.h"
#include "core/status.h"
#include "core/timer.h"

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

// "channel" of scenes/channel.json.
static void setName(wbSim *sim, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(sim->state.name, sizeof sim->state.name, "%.*s", (int)strcspn(name, "."), name);
}

// The old world stays until the new one is there.
void wbSim_Load(wbSim *sim, const char *path) {
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
        status = wbSim_StartRecording(sim);
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
    if (sim->world) wbSim_Publish(sim);
}
