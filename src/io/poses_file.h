// SPDX-License-Identifier: MIT
// Poses of colliders and rigid bodies as CSV, one row for each of them and frame: frame, time, name, x, y, z, qx, qy, qz, qw. A
// vertex p of its mesh stands at q p q* + (x, y, z). SI units.
#pragma once

#include "wirbel/wirbel.h"

typedef struct wbPosesFile wbPosesFile;

wbStatus wbPosesFile_Open(const char *path, wbPosesFile **file);
/// A row for each collider and rigid body of the world. After an error the file is to be closed or aborted.
wbStatus wbPosesFile_AddFrame(wbPosesFile *file, int frame, wbWorld *world);

enum { WB_POSED_NAME = 80 };
/// What files call a rigid body: by its name, or "body-" and its number.
void wbNamePosedBody(const wbWorld *world, int index, char name[WB_POSED_NAME]);
/// The meshes of rigid bodies, each once, and meshes.csv, which says whose is whose: name, mesh.
wbStatus wbWriteBodyMeshes(const char *folder, const wbWorld *world);
/// Completes and frees, also when it fails.
wbStatus wbPosesFile_Close(wbPosesFile *file);
/// Removes what was written and frees. NULL is allowed.
void wbPosesFile_Abort(wbPosesFile *file);
