// SPDX-License-Identifier: MIT
// Where two pieces touch: up to four points with one normal, from which contacts are solved.
#pragma once

#include "rigid/convex.h"

enum { WB_MANIFOLD_POINTS = 4 };

typedef struct wbManifoldPoint {
    wbVec3 place;     ///< m, in the frame in which the poses are: halfway between the two surfaces
    float separation; ///< m, negative where they overlap
    uint32_t feature; ///< the same from step to step while the same corners, edges and faces meet
} wbManifoldPoint;

typedef struct wbManifold {
    wbVec3 normal; ///< of length 1, from the first to the second
    int count;     ///< 0: they are farther apart than the margin
    wbManifoldPoint points[WB_MANIFOLD_POINTS];
} wbManifold;

/// What is known of two pieces from a step before; all zero: nothing. It changes what a collision costs, and
/// which of two normals that are as good is taken: whoever keeps it saves it with the contact.
typedef struct wbCollideCache {
    float shift[3], turn[4]; ///< where the second was in the first's frame when the normal was found
    float gap;               ///< m, that they were apart there at least; negative: nothing is known
    int32_t kind, face;      ///< of the normal, if it is a face's
    float normal[3], onA[3],
        onB[3]; ///< of another one: in the first's frame, and the nearest points in the frames of both
} wbCollideCache;

/// Two pieces with an inside at poses of their own (body times piece), no farther apart than `margin` m: the
/// deepest point, and others that span most of the area where they touch. Exact, deterministic and scalar:
/// what is fast for many boxes is in rigid_manifold_wide.c.
void wbCollidePieces(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b, const wbPose *poseB,
                     float margin, wbManifold *manifold);
/// The same, with a cache: pairs that hardly moved against each other take the normal that they had, and cost
/// a fifth.
void wbCollidePiecesAgain(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                          const wbPose *poseB, float margin, wbCollideCache *cache, wbManifold *manifold);
/// For two dimensions: the normal without z, points at z = 0 of which there are at most two.
void wbManifold_Flatten(wbManifold *manifold);

/// A piece against a plane or a mesh, which is the second: one manifold for all that have about the same
/// normal, the deepest first. Each has a key, the lowest of its triangles, which stays while the piece does;
/// whoever matches points over steps rather looks where they are. Returns how many there are, also if there
/// is no room for them. Meshes are felt from outside; their shapes need wbShape_FindEdges, or inner edges are
/// felt as well.
int wbCollideGround(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *ground,
                    const wbPose *poseGround, float margin, int capacity, wbManifold *manifolds,
                    uint32_t *keys);

/// How far two pieces moved against each other: no point of the first moved more, seen from the second, m.
float wbGetRelativeWay(const wbRigidPiece *a, const wbPose *fromA, const wbPose *toA, const wbPose *fromB,
                       const wbPose *toB);
/// A manifold of poses before, for pieces that moved a little, no more than a two-hundredth of their
/// thickness: its points stay on both, and their separations change. For those that rest on meshes: to find
/// their triangles again costs a hundred times as much.
void wbManifold_Follow(const wbManifold *before, const wbPose *fromA, const wbPose *toA, const wbPose *fromB,
                       const wbPose *toB, float margin, wbManifold *now);

/// Continuous collision: how far two pieces can go from their poses towards others (a share, 0 to 1) before
/// they touch; 1: all the way. Where they do, they are no farther apart than `slop` m and do not overlap.
/// Those that are that near at the beginning go on until they overlap by `slop` more than there. The second
/// may be a plane or a mesh.
float wbFindTimeOfImpact(const wbRigidPiece *a, const wbPose *fromA, const wbPose *toA, const wbRigidPiece *b,
                         const wbPose *fromB, const wbPose *toB, float slop);

/// Where a ray from origin to origin + translation first meets a piece at a pose: the share of the way, and
/// the normal there; false: nowhere. One that begins inside meets it at once, with the normal against its
/// way.
bool wbRigidPiece_CastRay(const wbRigidPiece *piece, const wbPose *pose, wbVec3 origin, wbVec3 translation,
                          float *fraction, wbVec3 *normal);
/// The nearest point of a piece's surface, and its distance, negative inside. The normal is the way out
/// there.
float wbRigidPiece_FindNearest(const wbRigidPiece *piece, const wbPose *pose, wbVec3 point, wbVec3 *nearest,
                               wbVec3 *normal);
/// Whether two pieces share a point, or are nearer than `distance` m. At most one of them is a plane or a
/// mesh.
bool wbRigidPiece_Overlaps(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                           const wbPose *poseB, float distance);
