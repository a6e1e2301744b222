// SPDX-License-Identifier: MIT
// The window's simulation without a window.
#pragma once

#include "test_support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/view/sim_internal.h"

/// What a simulation is started with; it stays as long as that.
typedef struct Start {
    wbOptions options;
    char path[512];
    size_t stillLimit; ///< 0: that of the window
    double statsRest;
} Start;

/// One that loads WB_SOURCE_DIR/scenes/NAME.json with a setting; paused if it has a thread.
static inline wbSim *openSim(Start *start, const char *name, const char *setting, bool isLockstep,
                             double megabytes) {
    wbSim *sim;
    start->options = (wbOptions){.set = {.items = {setting}, .count = setting ? 1 : 0}};
    const wbSimDef def = {.options = &start->options,
                          .threads = 1,
                          .isPaused = !isLockstep,
                          .isLockstep = isLockstep,
                          .memory = (size_t)(1e6 * megabytes),
                          .statsRest = start->statsRest,
                          .stillLimit = start->stillLimit > 0 ? start->stillLimit : (size_t)256 << 20};
    snprintf(start->path, sizeof start->path, "%s/scenes/%s.json", WB_SOURCE_DIR, name);
    assertOk(wbCreateSim(&def, &sim));
    wbSim_Open(sim, start->path);
    if (isLockstep) wbSim_Advance(sim, 0);
    if (isLockstep && !sim->world) fail_msg("%s", sim->state.message);
    return sim;
}

/// Lockstep: steps up to this one.
static inline void runTo(wbSim *sim, int64_t step) {
    wbSim_SetPaused(sim, false);
    while (wbWorld_GetStepCount(sim->world) < step) {
        wbSim_Advance(sim, 1);
        if (sim->state.message[0]) fail_msg("%s", sim->state.message);
    }
}

/// Lockstep: to a step that was there.
static inline void seekTo(wbSim *sim, int64_t step) {
    wbSim_Seek(sim, step);
    wbSim_Advance(sim, 0);
    assert_int_equal(wbWorld_GetStepCount(sim->world), step);
}
