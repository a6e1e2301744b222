// SPDX-License-Identifier: MIT
// wirbel bench: times fixed scenes.
#include <limits.h>

#include "app/commands.h"
#include "app/find_scene.h"
#include "app/interrupt.h"
#include "bench/bench.h"
#include "io/output_folder.h"

static const wbFlag flags[] = {
    WB_SWITCH("--list", list, "print the names with a sentence each"),
    WB_SWITCH("--json", json, "one object per line instead of a table"),
    WB_SWITCH("--quick", quick, "a tenth of the steps"),
    WB_TEXT("--plot", "DIR", plot, "draw the curve of sph-scaling as SVG"),
    WB_MACHINE_FLAGS("threads; without it one per core"),
};

static int runBench(const wbOptions *options) {
    char folder[WB_SCENE_PATH];
    wbBenchOptions bench = wbDefaultBenchOptions();
    wbBackendChoice choice;
    if (!wbReadBackend(options, &choice)) return WB_EXIT_USAGE;
    bench.backend = choice.backend;
    bench.isBackendGiven = choice.isGiven;
    bench.deviceIndex = choice.device;
    bench.names = options->operands;
    bench.nameCount = options->operandCount;
    bench.list = options->list;
    bench.json = options->json;
    bench.quick = options->quick;
    bench.threadCount = options->threads;
    bench.plotDirectory = options->plot;
    bench.stop = &wb_interrupted;
    if (wbFindSceneFolder(folder)) bench.sceneDirectory = folder;
    wbCatchInterrupts();
    wbStatus status = options->plot ? wbMakeDirectory(options->plot) : (wbStatus){.code = wb_ok};
    if (wbIsOk(status)) status = wbRunBench(&bench, stdout);
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    if (wb_interrupted) return WB_EXIT_STOPPED;
    if (status.code == wb_errorInput || status.code == wb_errorFile) return WB_EXIT_USAGE;
    return wbIsOk(status) ? WB_EXIT_DONE : WB_EXIT_FAILED;
}

const wbCommand wb_benchCommand = {
    "bench",
    "[NAME...]",
    "time fixed scenes; without NAME list them",
    0,
    INT_MAX,
    flags,
    sizeof flags / sizeof flags[0],
    runBench,
};
