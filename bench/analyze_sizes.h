// SPDX-License-Identifier: MIT
// A scene with particles of different sizes beside the same with particles of one size.
#pragma once

#include <signal.h>
#include <stdio.h>

#include "wirbel/scene.h"

enum { WB_COMPARED_SIZES = 2 }; ///< one size first

typedef wbStatus wbSizesFrameFn(wbWorld *const worlds[WB_COMPARED_SIZES], int frame, void *context);

typedef struct wbSizesOptions {
    bool json;               ///< one object per line instead of a table
    double seconds;          ///< simulated; negative: as long as the scene
    wbSizesFrameFn *onFrame; ///< called with frame 0 and each further one; NULL: none
    void *context;
    const volatile sig_atomic_t *stop; ///< checked after each step; NULL: never
} wbSizesOptions;

/// Runs both, frame by frame, and writes particles, pairs and the time of steps each second. An error if the scene's fluid is not adaptive.
wbStatus wbAnalyzeSizes(wbScene *scene, const wbSizesOptions *options, FILE *out);
