// SPDX-License-Identifier: MIT
// Triangle meshes: the shapes of solids.
#pragma once

#include "wirbel/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Triangles, counter-clockwise as seen from outside.
typedef struct wbMesh {
    int vertexCount, triangleCount;
    float *vertices;   ///< m, vertexCount x 3
    uint32_t *indices; ///< of vertices, triangleCount x 3
} wbMesh;

/// Reads a mesh from a file. The caller frees it with wbFreeMesh.
wbStatus wbReadMesh(const char *path, wbMesh *mesh);
void wbFreeMesh(wbMesh *mesh);

#ifdef __cplusplus
}
#endif
