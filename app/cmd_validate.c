// SPDX-License-Identifier: MIT
// wirbel validate: compares the solvers with closed forms and published experiments.
#include <limits.h>
#include <string.h>

#include "app/commands.h"
#include "app/interrupt.h"
#include "bench/validate.h"
#include "io/output_folder.h"

static const wbFlag flags[] = {
    WB_SWITCH("--list", list, "print the names with a sentence each"),
    WB_SWITCH("--full", full, "also the long ones"),
    WB_SWITCH("--json", json, "one object per line and quantity instead of a table"),
    WB_TEXT("--plot", "DIR", plot, "draw the curves as SVG"),
    WB_TEXT("--markdown", "F.md", markdown, "write the results as a page"),
    WB_LIST("--set", "KEY=VALUE", set, "try another parameter than the cases name (repeatable)"),
    WB_MACHINE_FLAGS("threads; without it one: the cases are small"),
};

typedef struct Settings {
    wbSetting settings[WB_MAX_REPEATS];
    char keys[WB_MAX_REPEATS][64];
} Settings;

// cuts each KEY=VALUE in two
static bool readSettings(const wbTextList *list, Settings *result) {
    for (int i = 0; i < list->count; i++) {
        const char *equals = strchr(list->items[i], '=');
        size_t length = equals ? (size_t)(equals - list->items[i]) : 0;
        if (length == 0 || length >= sizeof result->keys[i]) {
            wbComplain("--set %s: must be SECTION.NAME=VALUE, such as sph.viscosity=0.1", list->items[i]);
            return false;
        }
        memcpy(result->keys[i], list->items[i], length);
        result->keys[i][length] = 0;
        result->settings[i] = (wbSetting){result->keys[i], equals + 1};
    }
    return true;
}

static bool makePlotFolder(const char *folder) {
    if (!folder) return true;
    wbStatus status = wbMakeDirectory(folder);
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    return wbIsOk(status);
}

static int runValidate(const wbOptions *options) {
    static Settings settings;
    int failedCount = 0;
    if (!wbCheckBackend(options) || !readSettings(&options->set, &settings)) return WB_EXIT_USAGE;
    if (!makePlotFolder(options->plot)) return WB_EXIT_USAGE;
    wbValidateOptions validate = wbDefaultValidateOptions();
    validate.names = options->operands;
    validate.nameCount = options->operandCount;
    validate.list = options->list;
    validate.full = options->full;
    validate.json = options->json;
    validate.threadCount = options->threads;
    validate.settings = settings.settings;
    validate.settingCount = options->set.count;
    validate.plotDirectory = options->plot;
    validate.markdownPath = options->markdown;
    validate.stop = &wb_interrupted;
    wbCatchInterrupts();
    wbStatus status = wbRunValidate(&validate, stdout, &failedCount);
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    if (wb_interrupted) return WB_EXIT_STOPPED;
    if (status.code == wb_errorInput || status.code == wb_errorFile) return WB_EXIT_USAGE;
    return wbIsOk(status) && failedCount == 0 ? WB_EXIT_DONE : WB_EXIT_FAILED;
}

const wbCommand wb_validateCommand = {
    "validate",
    "[NAME...]",
    "compare with closed forms and experiments",
    0,
    INT_MAX,
    flags,
    sizeof flags / sizeof flags[0],
    runValidate,
};
