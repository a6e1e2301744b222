// SPDX-License-Identifier: MIT
// Making meshes, and the check that a mesh encloses a volume.
#pragma once

#include "wirbel/mesh.h"

enum { WB_MAX_TRIANGLES = 1 << 26, WB_MAX_VERTICES = 1 << 26 };

/// Room for so many vertices and triangles, at least one of each. wb_errorMemory: the mesh is empty.
wbStatus wbAllocMesh(int vertexCount, int triangleCount, wbMesh *mesh);

/// Asserts that a mesh of the calling program, if there is one, has the arrays that it counts.
void wbRequireMesh(const wbMesh *mesh);

/// m3; negative if the mesh is inside out.
double wbMesh_GetVolume(const wbMesh *mesh);

/// wb_errorInput, naming the first bad place, unless all numbers are finite, all indices exist, every edge belongs to
/// exactly two triangles that agree on which side is outside, and the volume is positive.
wbStatus wbMesh_Check(const wbMesh *mesh);
