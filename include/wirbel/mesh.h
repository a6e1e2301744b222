// SPDX-License-Identifier: MIT
// Triangle meshes: the surfaces of colliders and soft bodies.
#pragma once

#include "wirbel/base.h"

WB_API_BEGIN

/// Triangles over shared vertices.
typedef struct wbMesh {
    int vertexCount, triangleCount;
    float *vertices;   ///< m, x, y, z per vertex
    uint32_t *indices; ///< three per triangle, counter-clockwise as seen from outside
} wbMesh;

/// Reads an OBJ, STL or PLY file. Vertices at the same place become one, triangles that thereby lose an edge are left
/// out. Whether the surface is closed is checked when a collider is made of it.
wbStatus wbReadMesh(const char *path, wbMesh *mesh);

/// Frees what wbReadMesh or wbFluid_BuildSurface gave. An empty mesh is allowed.
void wbFreeMesh(wbMesh *mesh);

WB_API_END
