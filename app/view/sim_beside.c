// SPDX-License-Identifier: MIT
// A second world beside the first one, led by its thread: it steps to the same simulated times, and goes back with it.
#include <stdio.h>
#include <string.h>

#include "app/view/sim_internal.h"
#include "core/status.h"

// The settings of the first world's start, and its own.
static wbStatus copySettings(wbSim *sim, wbSim *beside) {
    wbCommandLog_Free(&beside->settings);
    wbLock_Take(sim->lock);
    wbStatus status = wbCommandLog_Copy(&sim->settings, &beside->settings);
    for (int i = 0; i < sim->besideOwn.count && wbIsOk(status); i++) {
        const wbLoggedCommand *own = wbCommandLog_Get(&sim->besideOwn, i);
        status = wbCommandLog_Add(&beside->settings, 0, own->key, own->value);
    }
    wbLock_Release(sim->lock);
    return status;
}

static void loadBeside(wbSim *sim, wbSim *beside) {
    wbWorldFile *file = &beside->files.opening;
    wbStatus status = copySettings(sim, beside);
    wbLock_Take(sim->lock);
    *file = (wbWorldFile){.kind = wb_fileScene};
    snprintf(file->path, sizeof file->path, "%s", sim->besidePath[0] ? sim->besidePath : sim->state.path);
    wbLock_Release(sim->lock);
    beside->threads = sim->threads;
    beside->choice = sim->choice;
    if (wbIsOk(status))
        wbSim_Load(beside);
    else
        wbSim_Say(beside, status.text);
    if (beside->state.message[0]) wbSim_Say(sim, beside->state.message);
}

static void stopBeside(wbSim *sim, wbSim *beside, wbStatus status) {
    if (wbIsOk(status)) return;
    wbSim_Stop(beside, status.text);
    wbSim_Say(sim, status.text);
}

void wbSim_LeadBeside(wbSim *sim, const wbOrders *orders) {
    wbSim *beside = wbSim_GetBeside(sim);
    if (!beside) return;
    if (orders->open || orders->opensBeside) loadBeside(sim, beside);
    if (!beside->world) return;
    if (orders->threads > 0) (void)wbWorld_SetThreadCount(beside->world, orders->threads);
    const bool isElsewhere = orders->seeks || orders->opensBeside;
    if (isElsewhere && wbWorld_GetTime(beside->world) > wbWorld_GetTime(sim->world)) {
        const wbOrders there = {.seeks = true, .seeksTime = true, .seekTime = wbWorld_GetTime(sim->world)};
        stopBeside(sim, beside, wbSim_GoTo(beside, &there));
    }
    if (!beside->isBroken) stopBeside(sim, beside, wbSim_RunCommands(beside));
    wbSim_StepBeside(sim);
}

void wbSim_StepBeside(wbSim *sim) {
    wbSim *beside = wbSim_GetBeside(sim);
    if (!beside || !beside->world) return;
    const double time = wbWorld_GetTime(sim->world);
    int count = 0;
    // to the nearest of its steps: those of the two may differ in length
    while (!beside->isBroken && !wbSim_IsInterrupted(sim) &&
           wbWorld_GetTime(beside->world) + 0.5 * (double)wbWorld_GetTimeStep(beside->world) < time) {
        if (count++ > 0)
            wbSim_SayBusy(sim, "the second world follows", wbWorld_GetTime(beside->world) / time);
        stopBeside(sim, beside, wbSim_StepOnce(beside));
    }
    if (count > 1) wbSim_SayBusy(sim, "", 0);
}

void wbSim_PublishBeside(wbSim *sim) {
    wbSim *beside = wbSim_GetBeside(sim);
    if (beside && beside->world) wbSim_Publish(beside);
}

// Told by the window

bool wbSim_IsBesideOwn(wbSim *sim, const char *key) {
    for (int i = 0; i < sim->besideOwn.count; i++)
        if (strcmp(wbCommandLog_Get(&sim->besideOwn, i)->key, key) == 0) return true;
    return false;
}

static wbStatus makeBeside(wbSim *sim) {
    if (sim->beside) return wb_okStatus;
    wbSimDef def = sim->def;
    wbSim *beside;
    def.isLockstep = def.isBeside = true, def.isPaused = false;
    def.memory /= 2;
    WB_TRY(wbCreateSim(&def, &beside));
    wbLock_Take(sim->lock);
    sim->beside = beside;
    wbLock_Release(sim->lock);
    return wb_okStatus;
}

// KEY=VALUE is a setting, anything else the path of a scene.
static wbStatus readBeside(wbSim *sim, const wbTextList *what) {
    sim->besidePath[0] = 0;
    wbCommandLog_Cut(&sim->besideOwn, 0);
    for (int i = 0; i < what->count; i++) {
        const char *text = what->items[i], *equals = strchr(text, '=');
        char key[WB_COMMAND_KEY];
        if (!equals) {
            snprintf(sim->besidePath, sizeof sim->besidePath, "%s", text);
        } else if (equals - text >= WB_COMMAND_KEY) {
            return wbError(wb_errorInput, "--beside %.80s: the name is too long", text);
        } else {
            snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
            WB_TRY(wbCommandLog_Add(&sim->besideOwn, 0, key, equals + 1));
        }
    }
    return wb_okStatus;
}

void wbSim_OpenBeside(wbSim *sim, const wbTextList *what) {
    wbStatus status = makeBeside(sim);
    wbLock_Take(sim->lock);
    if (wbIsOk(status)) status = readBeside(sim, what);
    if (wbIsOk(status))
        sim->orders.opensBeside = sim->state.isBesideOpen = true;
    else
        snprintf(sim->state.message, sizeof sim->state.message, "%s", status.text);
    wbLock_WakeAll(sim->lock);
    wbLock_Release(sim->lock);
}

void wbSim_CloseBeside(wbSim *sim) {
    wbLock_Take(sim->lock);
    sim->state.isBesideOpen = sim->orders.opensBeside = false;
    wbLock_Release(sim->lock);
}

wbSim *wbSim_GetBeside(wbSim *sim) {
    wbLock_Take(sim->lock);
    wbSim *beside = sim->state.isBesideOpen ? sim->beside : NULL;
    wbLock_Release(sim->lock);
    return beside;
}

void wbSim_NameBeside(wbSim *sim, char *text, int size) {
    wbLock_Take(sim->lock);
    const char *slash = strrchr(sim->besidePath, '/'), *path = slash ? slash + 1 : sim->besidePath;
    int length = sim->besidePath[0] ? snprintf(text, (size_t)size, "%.*s", (int)strcspn(path, "."), path)
                                    : snprintf(text, (size_t)size, "%s", sim->state.name);
    for (int i = 0; i < sim->besideOwn.count && length < size; i++) {
        const wbLoggedCommand *own = wbCommandLog_Get(&sim->besideOwn, i);
        length += snprintf(text + length, (size_t)(size - length), "  %s=%s", own->key, own->value);
    }
    wbLock_Release(sim->lock);
}
