// SPDX-License-Identifier: MIT
// The surface of a rigid body as a fluid sees it whose kernels reach through its walls: how much of it is thin, which triangles are
// edges of walls, too narrow for anything to stand before them, and where it ends in a sharp edge.
#pragma once

#include "core/array.h"
#include "shape/shape.h"

/// A triangle of the mesh.
typedef struct wbWallFace {
    uint8_t isEdge;
    uint8_t missing
        [3]; ///< beside the edge from a corner to the next: of the half space behind the triangle, in eighths
} wbWallFace;

typedef struct wbHullSurface {
    float reach;     ///< m, of the kernels that it was looked at for; 0: not yet
    float thinShare; ///< of its area, that has less than that behind it, and is no edge
    bool isWide;     ///< twice that in at least two directions: what is smaller is a grain, not a wall
    wbArray faces;   ///< wbWallFace
} wbHullSurface;

void wbHullSurface_Free(wbMemory *memory, wbHullSurface *surface);
/// The mesh bounds the shape. Again only for another reach.
wbStatus wbHullSurface_Look(wbHullSurface *surface, wbMemory *memory, const wbMesh *mesh,
                            const wbShape *shape, float reach);

static inline const wbWallFace *wbHullSurface_GetFaces(const wbHullSurface *surface) {
    return surface->faces.data;
}
