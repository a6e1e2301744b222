// SPDX-License-Identifier: MIT
// Going back in time: a world is saved to bytes, steps, and goes back to them.
#include <stdio.h>

#include "bench/bench_case.h"
#include "core/status.h"
#include "core/timer.h"
#include "wirbel/wirbel.h"

static wbStatus goBack(wbWorld *world, wbBytes *bytes, wbBenchTimes *times) {
    wbBenchStage stages[2];
    double mark = wbGetSeconds();
    WB_TRY(wbWorld_SaveToBytes(world, bytes));
    stages[0].ms = wbLapMs(&mark);
    WB_TRY(wbWorld_Step(world, 0));
    mark = wbGetSeconds();
    WB_TRY(wbWorld_Restore(world, bytes->data, bytes->size));
    stages[1].ms = wbLapMs(&mark);
    wbBenchTimes_Add(times, stages[0].ms + stages[1].ms, stages, 2);
    return wb_okStatus;
}

static wbStatus timeWays(wbWorld *world, int warmUp, wbBenchTimes *times, const wbBenchOptions *options) {
    wbBytes bytes = {0};
    wbStatus status = wb_okStatus;
    for (int i = 0; i < warmUp && wbIsOk(status) && !wbIsBenchStopped(options); i++)
        status = wbWorld_Step(world, 0);
    while (times->count < times->capacity && wbIsOk(status) && !wbIsBenchStopped(options))
        status = goBack(world, &bytes, times);
    wbFreeBytes(&bytes);
    return status;
}

wbStatus wbBenchRestore(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    enum { PREFIX = sizeof "restore-" - 1 };
    char path[1024];
    wbWorld *world;
    wbBenchTimes times;
    WB_TRY(wbGetShownScene(benchCase->name + PREFIX, options, path, sizeof path));
    WB_TRY(wbLoadBenchWorld(path, options, NULL, &world));
    wbStatus status = wbCreateBenchTimes(benchCase->timed, &times);
    if (wbIsOk(status)) status = timeWays(world, benchCase->warmUp, &times, options);
    if (wbIsOk(status)) {
        wbDescribeBenchWorld(world, result);
        result->stages[0].name = "save", result->stages[1].name = "restore";
        wbBenchTimes_Summarise(&times, result);
        result->stopped = wbIsBenchStopped(options);
    }
    wbDestroyBenchTimes(&times);
    wbDestroyWorld(world);
    return status;
}
