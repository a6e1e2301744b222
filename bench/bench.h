// SPDX-License-Identifier: MIT
// `wirbel bench`: times fixed scenes.
#pragma once

#include <signal.h>
#include <stdio.h>

#include "wirbel/types.h"

typedef struct wbBenchOptions {
    const char *const *names; ///< none: only the list is printed
    int nameCount;
    bool list;       ///< print the names with a sentence each, run nothing
    bool json;       ///< one object per line instead of a table
    bool quick;      ///< a tenth of the steps
    int threadCount; ///< 0: one per core
    wbSimd simd;
    wbBackend backend;
    bool isBackendGiven;               ///< or it is the default
    int deviceIndex;                   ///< of the compute device; -1: chosen
    const char *sceneDirectory;        ///< holds bench/NAME.json
    const char *plotDirectory;         ///< SVG plots go there; it must exist; NULL: none
    const volatile sig_atomic_t *stop; ///< checked after each step; NULL: never
} wbBenchOptions;

/// No names, a table, the folder "scenes".
wbBenchOptions wbDefaultBenchOptions(void);

/// Results go to `out`. A benchmark that is stopped prints nothing, and none follows it.
wbStatus wbRunBench(const wbBenchOptions *options, FILE *out);
