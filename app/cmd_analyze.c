// SPDX-License-Identifier: MIT
// wirbel analyze: what a scene, or theory, tells about methods.
#include <string.h>

#include "app/check_paths.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/open_scene.h"
#include "app/outputs.h"
#include "bench/analyze_adaptive.h"
#include "bench/analyze_solvers.h"
#include "core/memory.h"
#include "core/status.h"
#include "io/output_folder.h"
#include "io/png.h"

static const wbFlag flags[] = {
    WB_NUMBER("--seconds", "S", seconds, 0, 1e9, "end after S simulated seconds; without it world.seconds"),
    WB_MACHINE_FLAGS("threads; without it one per core"),
    WB_LIST("--set", "KEY=VALUE", set, "change a parameter: pbd.iterations=4 (repeatable)"),
    WB_LIST("--set-at", "TIME:KEY=VALUE", setAt,
            "change it at a simulated time: 2.5:pbd.omega=1.5 (repeatable)"),
    WB_SWITCH("--json", json, "one object per line instead of tables"),
    WB_TEXT("--plot", "DIR", plot, "draw the curves as SVG"),
    WB_TEXT("--png", "DIR", png, "a picture per frame, with all solvers side by side"),
    WB_INT("--every", "K", every, 1, 1e9, "only each K-th of them"),
    WB_TEXT("--save-colouring", "F.json", saveColouring, "write the colours of the constraints"),
    WB_TEXT("--colouring", "F.json", colouring, "take them from such a file"),
    WB_TEXT("--size", "WxH", size, "size of the picture of one solver, such as 640x720"),
};

// One picture per solver, put side by side.
typedef struct Panes {
    const wbOptions *options;
    const wbScene *scene;
    wbOutputs outputs[WB_COMPARED_SOLVERS];
    int openCount;
    uint8_t *joined;
    size_t joinedBytes;
} Panes;

static wbStatus openPanes(Panes *panes, wbWorld *const worlds[WB_COMPARED_SOLVERS]) {
    for (int s = panes->openCount; s < WB_COMPARED_SOLVERS; s++) {
        WB_TRY(wbOutputs_Open(&panes->outputs[s], panes->options, panes->scene, worlds[s]));
        panes->outputs[s].title = wb_comparedSolverLabels[s];
        panes->openCount = s + 1;
    }
    if (panes->joined) return wb_okStatus;
    panes->joinedBytes = WB_COMPARED_SOLVERS * panes->outputs[0].pixelBytes;
    panes->joined = wbAlloc(NULL, panes->joinedBytes);
    return panes->joined ? wb_okStatus : wbError(wb_errorMemory, "no memory for pictures");
}

static wbStatus drawPanes(wbWorld *const worlds[WB_COMPARED_SOLVERS], int frame, void *context) {
    Panes *panes = context;
    wbSize size = wbScene_GetOutput(panes->scene)->size;
    size_t row = 3 * (size_t)size.width;
    char path[WB_MAX_PATH];
    if (frame % panes->options->every != 0) return wb_okStatus;
    WB_TRY(openPanes(panes, worlds));
    for (size_t s = 0; s < WB_COMPARED_SOLVERS; s++) {
        WB_TRY(wbOutputs_DrawPicture(&panes->outputs[s], worlds[s]));
        for (size_t y = 0; y < (size_t)size.height; y++)
            memcpy(panes->joined + (WB_COMPARED_SOLVERS * y + s) * row, panes->outputs[s].pixels + y * row,
                   row);
    }
    WB_TRY(wbMakeFramePath(path, panes->options->png, "frame", frame, "png"));
    return wbWritePng(path, panes->joined, WB_COMPARED_SOLVERS * size.width, size.height, 3);
}

static void closePanes(Panes *panes) {
    for (int s = 0; s < panes->openCount; s++) (void)wbOutputs_Close(&panes->outputs[s]);
    wbFree(NULL, panes->joined, panes->joinedBytes);
}

static bool makeFolder(const char *folder) {
    wbStatus status = folder ? wbMakeDirectory(folder) : wb_okStatus;
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    return wbIsOk(status);
}

static int analyzeAdaptive(const wbOptions *options) {
    if (options->operandCount > 1) {
        wbComplain("analyze adaptive: it needs no scene, %s is one too many", options->operands[1]);
        return WB_EXIT_USAGE;
    }
    if (!makeFolder(options->plot)) return WB_EXIT_USAGE;
    const wbStatus status = wbAnalyzeAdaptive(options->json, options->plot, stdout);
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    return wbIsOk(status) ? WB_EXIT_DONE : WB_EXIT_FAILED;
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
    Panes panes = {.options = &own, .scene = scene};
    wbAnalyzeOptions analyze = {.json = own.json,
                                .seconds = own.seconds,
                                .plotDirectory = own.plot,
                                .colouring = own.colouring,
                                .saveColouring = own.saveColouring,
                                .onFrame = own.png ? drawPanes : NULL,
                                .context = &panes,
                                .stop = &wb_interrupted};
    int code = WB_EXIT_USAGE;
    if (wbCheckPaths(&own, scene) && makeFolder(own.plot) && makeFolder(own.png)) {
        wbCatchInterrupts();
        wbStatus status = wbAnalyzeSolvers(scene, &analyze, stdout);
        if (!wbIsOk(status)) wbComplain("%s", status.text);
        bool isUsage = status.code == wb_errorInput || status.code == wb_errorFile;
        code = wb_interrupted ? WB_EXIT_STOPPED : isUsage ? WB_EXIT_USAGE : WB_EXIT_FAILED;
        if (wbIsOk(status) && !wb_interrupted) code = WB_EXIT_DONE;
    }
    closePanes(&panes);
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
    "solvers SCENE|adaptive",
    "compare the solvers of soft bodies in a scene, and those of position based fluids; or what adaptive "
    "fluids save, by theory",
    1,
    2,
    flags,
    sizeof flags / sizeof flags[0],
    runAnalyze,
};
