// SPDX-License-Identifier: MIT
// `wirbel validate`: the solvers against closed forms and published experiments.
#pragma once

#include <signal.h>
#include <stdio.h>

#include "wirbel/types.h"

/// "section.name" and a value, set in every world before its first step.
typedef struct wbSetting {
    const char *key, *value;
} wbSetting;

typedef struct wbValidateOptions {
    const char *const
        *names; ///< cases to run; none: the quick ones of the backend; with `full` all but the longest
    int nameCount;
    bool list;       ///< print the names with a sentence each, run nothing
    bool full;       ///< also the cases that take longer than ten seconds
    bool json;       ///< one object per line and quantity instead of a table
    int threadCount; ///< 0: one
    wbSimd simd;
    wbBackend backend;
    int deviceIndex;           ///< of the compute device; -1: chosen
    const wbSetting *settings; ///< to try other parameters than the cases name
    int settingCount;
    const char *plotDirectory;         ///< SVG plots go there; it must exist; NULL: none
    const char *markdownPath;          ///< the results as a page; NULL: none
    const volatile sig_atomic_t *stop; ///< checked after each step; NULL: never
} wbValidateOptions;

wbValidateOptions wbDefaultValidateOptions(void);

/// Results go to `out`, progress to stderr if that is a terminal. `failedCount` receives how many quantities
/// failed: missed their tolerance without being known for it, or known and passing, or worse than known. A case that is stopped reports nothing, and none follows it.
wbStatus wbRunValidate(const wbValidateOptions *options, FILE *out, int *failedCount);
