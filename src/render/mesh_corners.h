// SPDX-License-Identifier: MIT
// Meshes as the graphics card draws them: corners with normals, shared by the triangles that agree on both.
#pragma once

#include "core/array.h"
#include "wirbel/math.h"
#include "wirbel/mesh.h"

typedef struct wbCorner { // 24 bytes
    wbVec3 position, normal;
} wbCorner;

/// Fills `corners` with `cornerCount` wbCorner and `indices` with three uint32_t per triangle. Faces that meet at less than the crease angle
/// (its cosine) look round and share corners, others have an edge between them; vertices at the same place count as one.
/// wb_errorInput: an index is beyond the vertices.
wbStatus wbMakeCorners(const wbMesh *mesh, float creaseCosine, wbArray *corners, int *cornerCount,
                       wbArray *indices);

/// Whether its triangles enclose a volume, with their outer sides to the front: each edge is shared by two, which go through it in opposite
/// directions. Without memory for that, it is not.
bool wbIsClosedMesh(const wbMesh *mesh);
