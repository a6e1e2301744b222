// SPDX-License-Identifier: MIT
// Piles of rigid bodies: while they fall, and when they lie; and how far unit cubes are in each other then.
#include <string.h>

#include "bench/bench_case.h"
#include "bench/rigid_pile.h"
#include "core/status.h"
#include "core/timer.h"
#include "wirbel/wirbel.h"

// Of the warm-up, these are the fall.
enum { fallSteps = 300 };

static wbStatus fall(wbWorld *world, int steps, const wbBenchOptions *options, double *ms) {
    double mark = wbGetSeconds();
    for (int i = 0; i < steps && !wbIsBenchStopped(options); i++) WB_TRY(wbWorld_Step(world, 0));
    *ms = steps > 0 ? wbLapMs(&mark) / steps : 0;
    return wb_okStatus;
}

static wbStatus measure(wbWorld *world, const wbBenchCase *benchCase, wbBenchResult *result) {
    wbRigidView view;
    if (strncmp(benchCase->name, "rigid-boxes-", 12) != 0) return wb_okStatus;
    WB_TRY(wbWorld_GetRigidView(world, &view));
    const wbOverlaps overlaps = wbMeasureOverlaps(&view, 1);
    result->overlapMean = overlaps.mean, result->overlapMax = overlaps.max;
    return wb_okStatus;
}

wbStatus wbBenchRigidPile(const wbBenchCase *benchCase, const wbBenchOptions *options,
                          wbBenchResult *result) {
    const int steps = benchCase->warmUp < fallSteps ? benchCase->warmUp : fallSteps;
    char path[1024];
    wbWorld *world;
    WB_TRY(wbGetBenchScene(benchCase, options, path, sizeof path));
    WB_TRY(wbLoadBenchWorld(path, options, NULL, &world));
    wbStatus status = fall(world, steps, options, &result->msFall);
    if (wbIsOk(status))
        status = wbTimeWorld(world, benchCase->warmUp - steps, benchCase->timed, options, result);
    if (wbIsOk(status)) status = measure(world, benchCase, result);
    wbDestroyWorld(world);
    return status;
}
