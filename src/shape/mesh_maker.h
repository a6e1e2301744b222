// SPDX-License-Identifier: MIT
// Building blocks of meshes: vertices, faces, boxes, and profiles turned about an axis.
#pragma once

#include <stdbool.h>

#include "core/array.h"
#include "wirbel/math.h"
#include "wirbel/mesh.h"

/// A mesh that grows. Memory that is short shows when it is finished.
typedef struct MeshMaker {
    wbArray vertices, indices;
    int vertexCount, triangleCount;
    bool isShort;
} MeshMaker;

MeshMaker wbStartMesh(void);
/// Copies into a mesh of the right size and frees the maker.
wbStatus wbFinishMesh(MeshMaker *maker, wbMesh *mesh);

/// Returns its index.
int wbMeshMaker_AddVertex(MeshMaker *maker, wbVec3 position);
/// Counter-clockwise from outside.
void wbMeshMaker_AddTriangle(MeshMaker *maker, int a, int b, int c);
void wbMeshMaker_AddQuad(MeshMaker *maker, int a, int b, int c, int d);

/// `isHollow`: the outside is within, a hole in a shape.
void wbMeshMaker_AddBox(MeshMaker *maker, wbVec3 min, wbVec3 max, bool isHollow);

/// A point of a profile: distance from the axis and height, m.
typedef struct ProfilePoint {
    double radius, height;
} ProfilePoint;

/// Turns a profile about the y axis. Its points go around counter-clockwise, with radius to the right and height
/// upwards; it begins and ends on the axis, with radius 0, or is a loop beside it.
void wbMeshMaker_AddLathe(MeshMaker *maker, const ProfilePoint *points, int count, int segments,
                          bool isHollow);

/// What was added from vertex `first` on is turned about the centre so that its y axis becomes z.
void wbMeshMaker_TurnToZ(MeshMaker *maker, int first);
