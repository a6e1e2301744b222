// SPDX-License-Identifier: MIT
// Surfaces from PLY files, text or binary. Nothing in a file is believed: memory is taken for what it holds.
#pragma once

#include "wirbel/base.h"

/// The faces of a file as they stand there, one behind the other.
typedef struct wbPlyMesh {
    float *vertices; ///< x, y, z each
    int vertexCount;
    uint32_t *indices; ///< of the corners of all faces
    int *corners;      ///< per face: how many, at least 3; points and lines are left out
    int indexCount, faceCount;
    int indexCapacity, faceCapacity;
} wbPlyMesh;

/// `path` stands in messages. After an error there is nothing to free.
wbStatus wbReadPlyMesh(const char *path, const void *bytes, size_t size, wbPlyMesh *mesh);
void wbFreePlyMesh(wbPlyMesh *mesh);
