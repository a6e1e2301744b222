// SPDX-License-Identifier: MIT
// Soft bodies as meshes of one frame, which are then drawn like other bodies: a ball per particle, the triangles of a
// surface, or a tube along a chain.
#pragma once

#include "core/array.h"
#include "render/renderer.h"
#include "render/segments.h"

typedef struct wbSoftShapes {
    wbArray bodies; ///< wbRenderBody: the scene's own, then those of soft bodies
    int bodyCount;
    wbArray meshes;            ///< wbMesh per soft body
    wbArray vertices, indices; ///< of all of them
    uint32_t frame;            ///< surfaces and tubes change from frame to frame
} wbSoftShapes;

void wbSoftShapes_Free(wbSoftShapes *shapes);

/// Fills `bodies` for a frame; they are valid until the next call.
wbStatus wbSoftShapes_Gather(wbSoftShapes *shapes, const wbRenderScene *scene);
/// Constraints of those that are shown by lines and are no chains.
void wbSoftShapes_AddLinks(const wbRenderScene *scene, float halfWidth, wbSegments *segments);
