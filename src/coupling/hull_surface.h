// SPDX-License-Identifier: MIT
// The surface of a rigid body as a fluid sees it whose kernels reach through its walls: how much of it is thin, and which triangles are
// edges of walls, too narrow for anything to stand before them.
#pragma once

#include "core/array.h"
#include "shape/shape.h"

typedef struct wbHullSurface {
    float reach;     ///< m, of the kernels that it was looked at for; 0: not yet
    float thinShare; ///< of its area, that has less than that behind it, and is no edge
    wbArray edges;   ///< uint8_t per triangle of the mesh: whether it is one
} wbHullSurface;

void wbHullSurface_Free(wbMemory *memory, wbHullSurface *surface);
/// The mesh bounds the shape. Again only for another reach.
wbStatus wbHullSurface_Look(wbHullSurface *surface, wbMemory *memory, const wbMesh *mesh,
                            const wbShape *shape, float reach);

static inline const uint8_t *wbHullSurface_GetEdges(const wbHullSurface *surface) {
    return surface->edges.data;
}
