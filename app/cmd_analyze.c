// SPDX-License-Identifier: MIT
// wirbel analyze: what a scene, or theory, tells about methods.
#include <string.h>

#include "app/check_paths.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/open_scene.h"
#include "app/panes.h"
#include "bench/analyze_adaptive.h"
#include "bench/analyze_sizes.h"
#include "bench/analyze_solvers.h"
#include "core/status.h"
#include "io/output_folder.h"

static const wbFlag flags[] = {
    WB_NUMBER("--seconds", "S", seconds, 0, 1e9, "end after S simulated seconds; without it world.seconds"),
    WB_MACHINE_FLAGS("threads; without it one per core"),
    WB_LIST("--set", "KEY=VALUE", set, "change a parameter: pbd.iterations=4 (repeatable)"),
    WB_LIST("--set-at", "TIME:KEY=VALUE", setAt,
            "change it at a simulated time: 2.5:pbd.omega=1.5 (repeatable)"),
    WB_SWITCH("--json", json, "one object per line instead of tables"),
    WB_TEXT("--plot", "DIR", plot, "draw the curves as SVG"),
    WB_TEXT("--png", "DIR", png,
            "a picture per frame, with all solvers, or both kinds of sizes, side by side"),
    WB_INT("--every", "K", every, 1, 1e9, "only each K-th of them"),
    WB_TEXT("--save-colouring", "F.json", saveColouring, "write the colours of the constraints"),
    WB_TEXT("--colouring", "F.json", colouring, "take them from such a file"),
    WB_TEXT("--size", "WxH", size, "size of the picture of one solver, such as 640x720"),
};

static bool makeFolder(const char *folder) {
    wbStatus status = folder ? wbMakeDirectory(folder) : wb_okStatus;
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    return wbIsOk(status);
}

static int getCode(wbStatus status) {
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    const bool isUsage = status.code == wb_errorInput || status.code == wb_errorFile;
    if (wb_interrupted) return WB_EXIT_STOPPED;
    return wbIsOk(status) ? WB_EXIT_DONE : isUsage ? WB_EXIT_USAGE : WB_EXIT_FAILED;
}

static wbStatus drawSizes(wbWorld *const worlds[WB_COMPARED_SIZES], int frame, void *context) {
    return wbPanes_Draw(context, worlds, frame);
}

// A scene with particles of one size and of different sizes; without one a disc at rest.
static int compareSizes(const wbOptions *options) {
    static const char *const standard[] = {"resting-disc"}, *const titles[] = {"one size", "different sizes"};
    wbOptions own = *options;
    own.operands = options->operandCount > 1 ? options->operands + 1 : standard, own.operandCount = 1;
    wbScene *scene = wbOpenScene(&own);
    if (!scene) return WB_EXIT_USAGE;
    wbPanes panes = {.options = &own, .scene = scene, .count = WB_COMPARED_SIZES, .titles = titles};
    const wbSizesOptions sizes = {.json = own.json,
                                  .seconds = own.seconds,
                                  .onFrame = own.png ? drawSizes : NULL,
                                  .context = &panes,
                                  .stop = &wb_interrupted};
    int code = WB_EXIT_USAGE;
    if (wbCheckPaths(&own, scene) && makeFolder(own.png)) {
        wbCatchInterrupts();
        code = getCode(wbAnalyzeSizes(scene, &sizes, stdout));
    }
    wbPanes_Close(&panes);
    wbDestroyScene(scene);
    return code;
}

static int analyzeAdaptive(const wbOptions *options) {
    if (options->operandCount == 1 || options->plot) {
        if (!makeFolder(options->plot)) return WB_EXIT_USAGE;
        const int code = getCode(wbAnalyzeAdaptive(options->json, options->seconds, options->plot, stdout));
        if (code != WB_EXIT_DONE) return code;
    }
    return options->operandCount > 1 || options->png ? compareSizes(options) : WB_EXIT_DONE;
}

static wbStatus drawSolvers(wbWorld *const worlds[WB_COMPARED_SOLVERS], int frame, void *context) {
    return wbPanes_Draw(context, worlds, frame);
}

static int analyzeSolvers(const wbOptions *options) {
    if (options->operandCount < 2) {
        wbComplain("analyze solvers: which scene?");
        return WB_EXIT_USAGE;
    }
    wbOptions own = *options;
    own.operands++, own.operandCount--;
    wbScene *scene = wbOpenScene(&own);
    if (!scene) return WB_EXIT_USAGE;
    wbPanes panes = {
        .options = &own, .scene = scene, .count = WB_COMPARED_SOLVERS, .titles = wb_comparedSolverLabels};
    wbAnalyzeOptions analyze = {.json = own.json,
                                .seconds = own.seconds,
                                .plotDirectory = own.plot,
                                .colouring = own.colouring,
                                .saveColouring = own.saveColouring,
                                .onFrame = own.png ? drawSolvers : NULL,
                                .context = &panes,
                                .stop = &wb_interrupted};
    int code = WB_EXIT_USAGE;
    if (wbCheckPaths(&own, scene) && makeFolder(own.plot) && makeFolder(own.png)) {
        wbCatchInterrupts();
        code = getCode(wbAnalyzeSolvers(scene, &analyze, stdout));
    }
    wbPanes_Close(&panes);
    wbDestroyScene(scene);
    return code;
}

static int runAnalyze(const wbOptions *options) {
    static const char *const subjects[] = {"solvers", "adaptive"};
    if (strcmp(options->operands[0], subjects[0]) == 0) return analyzeSolvers(options);
    if (strcmp(options->operands[0], subjects[1]) == 0) return analyzeAdaptive(options);
    wbComplain("analyze %s: there are solvers and adaptive%s", options->operands[0],
               wbSuggest(options->operands[0], subjects, 2));
    return WB_EXIT_USAGE;
}

const wbCommand wb_analyzeCommand = {
    "analyze",
    "solvers SCENE|adaptive [SCENE]",
    "compare the solvers of soft bodies in a scene, and those of position based fluids; or what adaptive "
    "fluids save, by theory, or in a scene",
    1,
    2,
    flags,
    sizeof flags / sizeof flags[0],
    runAnalyze,
};
