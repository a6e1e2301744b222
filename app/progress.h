// SPDX-License-Identifier: MIT
// How far a run is: a bar on a terminal, else a line for each tenth.
#pragma once

#include "wirbel/base.h"

typedef struct wbProgress {
    bool quiet, isTerminal, isShown;
    int lastTenth;
    double startSeconds, lastSeconds; ///< wall clock
    double lastSteps, lastStepMs;     ///< of the line before
} wbProgress;

typedef struct wbProgressState {
    int frame, frameCount; ///< frameCount: the last frame
    double time, endTime;  ///< s, simulated
    double startTime;      ///< s, of the state that the run began with
    const char *size;      ///< "5000 particles"
    double steps, stepMs;  ///< done so far, and the wall time within them
    const char *subSteps;  ///< of the last one, as a text; "" if it had none
} wbProgressState;

void wbProgress_Start(wbProgress *progress, bool quiet);
/// Cheap: prints only when enough time has passed.
void wbProgress_Update(wbProgress *progress, const wbProgressState *state);
/// Clears the bar, so that messages stand on lines of their own.
void wbProgress_End(wbProgress *progress);
