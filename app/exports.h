// SPDX-License-Identifier: MIT
// The files of a run that other programs open: particles, smoke, surfaces and poses.
#pragma once

#include "app/args.h"
#include "core/array.h"
#include "io/poses_file.h"
#include "io/vtk.h"
#include "wirbel/scene.h"

typedef struct wbExports {
    const wbOptions *options;
    const wbScene *scene;
    int fluidCount, softEnd, bodyCount; ///< of the world; bodies: fluids, then soft, then rigid bodies
    wbArray vertices;                   ///< float[3]: of rigid bodies, where they are in one frame
    wbWrittenBody *bodies;              ///< of one file
    wbMesh *surfaces;                   ///< one per fluid, of one frame
    wbVtkSeries *particles, *air, *surface, *diffuse;
    wbPosesFile *poses;
} wbExports;

/// After an error nothing is open and no file is left, but for meshes of colliders.
wbStatus wbExports_Open(wbExports *exports, const wbOptions *options, const wbScene *scene,
                        const wbWorld *world);
wbStatus wbExports_WriteFrame(wbExports *exports, wbWorld *world, int frame);
/// Completes all files, also after a run that failed or was stopped; gives the first error.
wbStatus wbExports_Close(wbExports *exports);
/// Completes no file, and frees.
void wbExports_Abort(wbExports *exports);
