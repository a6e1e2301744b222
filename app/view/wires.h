// SPDX-License-Identifier: MIT
// The edges of meshes that are seen as edges: where two triangles meet at an angle, or none meets one.
#pragma once

#include "core/array.h"
#include "wirbel/wirbel.h"

/// Edges of one mesh, kept while it is asked for.
typedef struct wbWire {
    uint64_t key;
    int generation; ///< of the world
    int first, count;
} wbWire;

typedef struct wbWires {
    wbArray wires; ///< wbWire
    int wireCount;
    wbArray ends; ///< wbVec3, two per edge, in the mesh's frame
    int endCount;
    wbArray edges; ///< while they are found
} wbWires;

/// Those of a mesh, which is looked at once in each generation: two ends each; `count` receives how many edges there are.
wbStatus wbWires_Find(wbWires *wires, const wbMesh *mesh, uint64_t key, int generation, const wbVec3 **ends,
                      int *count);
void wbWires_Free(wbWires *wires);
