// SPDX-License-Identifier: MIT
// Meshes as the graphics card draws them: three corners per triangle, each with its own normal.
#pragma once

#include "core/array.h"
#include "wirbel/math.h"
#include "wirbel/mesh.h"

typedef struct wbCorner { // 24 bytes
    wbVec3 position, normal;
} wbCorner;

/// Fills an array of 3 x triangleCount wbCorner. Faces that meet at less than the crease angle (its cosine) look
/// round, others have an edge between them; vertices at the same place count as one. wb_errorInput: an index is
/// beyond the vertices.
wbStatus wbMakeCorners(const wbMesh *mesh, float creaseCosine, wbArray *corners);
