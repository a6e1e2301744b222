// SPDX-License-Identifier: MIT
// Names of benchmarks and validation cases, as a user types them.
#pragma once

#include "wirbel/base.h"

/// Finds a name among `count` known ones. The error names the nearest of them, or the command that lists all:
/// `what` is "benchmark" or "validation case", `command` is "bench" or "validate".
wbStatus wbFindName(const char *what, const char *command, const char *name, const char *const *known,
                    int count, int *index);
