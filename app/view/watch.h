// SPDX-License-Identifier: MIT
// Files that are looked at now and then: whether someone changed them.
#pragma once

#include <time.h>

#include "core/array.h"

typedef struct wbWatch {
    wbArray paths; ///< char, each closed by a zero
    int bytes;
    struct timespec newest; ///< of all of them, when they were read
    double next;            ///< s, of the clock, when they are looked at again
} wbWatch;

/// From now on these; `paths` as above, taken over.
void wbWatch_Start(wbWatch *watch, double now);
/// True once for each change; looks every half second. A file that is missing for a moment, as while it is saved, is no change.
bool wbWatch_Update(wbWatch *watch, double now);
void wbWatch_Free(wbWatch *watch);
