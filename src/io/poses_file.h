// SPDX-License-Identifier: MIT
// Poses of colliders as CSV, one row per collider and frame: frame, time, name, x, y, z, qx, qy, qz, qw. A vertex p of the
// collider's mesh stands at q p q* + (x, y, z). SI units.
#pragma once

#include "wirbel/wirbel.h"

typedef struct wbPosesFile wbPosesFile;

wbStatus wbPosesFile_Open(const char *path, wbPosesFile **file);
/// A row for each collider of the world. After an error the file is to be closed or aborted.
wbStatus wbPosesFile_AddFrame(wbPosesFile *file, int frame, const wbWorld *world);
/// Completes and frees, also when it fails.
wbStatus wbPosesFile_Close(wbPosesFile *file);
/// Removes what was written and frees. NULL is allowed.
void wbPosesFile_Abort(wbPosesFile *file);
