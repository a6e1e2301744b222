// SPDX-License-Identifier: MIT
// Convex solids: what rigid bodies are made of. Each is known in a frame of its own, exactly: not as
// triangles.
#pragma once

#include "core/memory.h"
#include "shape/pose.h"
#include "shape/vec3d.h"
#include "space/broad_phase.h"
#include "wirbel/mesh.h"

/// What a piece of a body is. Only the first five have an inside that can move.
typedef enum wbPieceKind {
    wb_pieceSphere,   ///< size[0]: radius
    wb_pieceCapsule,  ///< size[0]: radius, size[1]: half the length of its axis, along y
    wb_pieceBox,      ///< half edges
    wb_pieceCylinder, ///< size[0]: radius, size[1]: half the height, along y
    wb_pieceHull,     ///< the convex hull of points
    wb_piecePlane,    ///< all below y = 0: of static bodies
    wb_pieceMesh, ///< the triangles of a wbShape, or of a field of heights: of static and kinematic bodies
    wb_pieceKindCount
} wbPieceKind;

/// A face of a hull: corners counter-clockwise as seen from outside.
typedef struct wbHullFace {
    wbVec3 normal;    ///< of length 1, outwards
    float offset;     ///< m, of its plane along the normal
    int first, count; ///< in `loops`
} wbHullFace;

/// A convex hull, in the frame of its piece. Immutable; shared by the pieces that name it.
typedef struct wbHull {
    int cornerCount, faceCount, edgeCount;
    wbVec3 *corners;   ///< m
    wbHullFace *faces; ///< coplanar triangles are one face
    int *loops;        ///< corners of the faces, one face after another
    int *edges;        ///< two corners each, every edge once
    int *firstFaces;   ///< of each corner, and the end, in `cornerFaces`
    int *cornerFaces;  ///< the faces around each corner, one corner after another
    int loopCount;     ///< numbers in `loops`, and in `cornerFaces`
    wbVec3 centre;     ///< m, inside
    float depth;       ///< m, of the centre below the nearest face
    float reach;       ///< m, of the corners from the origin
    int owners;
    wbMemory *memory;
    size_t bytes; ///< of the allocation that holds all of it
} wbHull;

enum { WB_MAX_HULL_CORNERS = 255 };

/// Of at least four points that are not in one plane; wb_errorInput says why there is none. Points nearer to
/// the hull than `tolerance` m become part of it, and so do those that are as near as rounding. At most
/// maxCorners, 4 to WB_MAX_HULL_CORNERS: those that stand out farthest; without them it would lose most.
wbStatus wbCreateHull(wbMemory *memory, const float *points3, int count, float tolerance, int maxCorners,
                      wbHull **hull);
/// Of a convex polygon in x, y, either way around: from z = -1/2 m to 1/2 m. For bodies in two dimensions.
wbStatus wbCreatePrism(wbMemory *memory, const float (*corners)[2], int count, wbHull **hull);
wbHull *wbHull_Share(wbHull *hull);
/// NULL is allowed.
void wbDestroyHull(wbHull *hull);

struct wbShape;

/// A part of a body, in the body's frame.
typedef struct wbRigidPiece {
    wbPieceKind kind;
    wbPose pose;
    float size[3];         ///< m, by its kind
    wbHull *hull;          ///< of a hull, one owner of it; else NULL
    struct wbShape *shape; ///< of a mesh, one owner of it; else NULL
} wbRigidPiece;

/// Mass of density 1 kg/m3: of solids, in the piece's parent frame.
typedef struct wbMassProperties {
    double volume;        ///< m3
    double centre[3];     ///< m
    double inertia[3][3]; ///< m5, about the centre
} wbMassProperties;

/// Of a piece with an inside. In two dimensions a slab of 1 m about z = 0: a sphere is a disc, and so on.
wbMassProperties wbRigidPiece_GetMass(const wbRigidPiece *piece, int dimensions);
/// Of a closed mesh.
wbMassProperties wbGetMeshMass(const wbMesh *mesh);
/// Of several together, and of one with another density.
void wbMassProperties_Add(wbMassProperties *sum, const wbMassProperties *part, double density);
/// Principal axes: the rotation (x, y, z, w) whose frame makes the tensor diagonal, right-handed, the same
/// for the same tensor.
void wbFindPrincipalAxes(const double inertia[3][3], double moments[3], float rotation[4]);

/// Where it lies if its body is at a pose.
BroadBox wbRigidPiece_Bound(const wbRigidPiece *piece, const wbPose *body);
/// The point that lies farthest in a direction, in the piece's frame.
wbVec3 wbRigidPiece_Support(const wbRigidPiece *piece, wbVec3 direction);
