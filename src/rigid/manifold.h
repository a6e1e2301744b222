// SPDX-License-Identifier: MIT
// Where two pieces touch: up to four points with one normal, from which contacts are solved.
#pragma once

#include "rigid/convex.h"
#include "rigid/manifold_device.h"

/// Two pieces with an inside at poses of their own (body times piece), no farther apart than `margin` m: the
/// deepest point, and others that span most of the area where they touch. Exact, deterministic and scalar:
/// what is fast for many boxes is in rigid_manifold_wide.c.
wbCollideHold wbCollidePieces(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                              const wbPose *poseB, float margin, wbManifold *manifold);
/// For two dimensions: the normal without z, points at z = 0 of which there are at most two.
void wbManifold_Flatten(wbManifold *manifold);

/// A piece against a plane or a mesh, which is the second: one manifold for all that have about the same
/// normal, the deepest first. Each has a key, the lowest of its triangles, which stays while the piece does;
/// whoever matches points over steps rather looks where they are. Returns how many there are, also if there
/// is no room for them. Meshes are felt from outside; their shapes need wbShape_FindEdges, or inner edges are
/// felt as well.
int wbCollideGround(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *ground,
                    const wbPose *poseGround, float margin, int capacity, wbManifold *manifolds,
                    uint32_t *keys, wbCollideHold *hold);

/// False if what is known holds no longer. Frames are those of pieces or of bodies that have them.
bool wbCollideCache_Holds(const wbCollideCache *cache, const wbPose *first, const wbPose *second,
                          wbRelativeWay *drift);
/// Fills a cache, but for first and room, with what was found at these poses. `kept` has room for as many.
void wbCollideCache_Fill(wbCollideCache *cache, const wbPose *first, const wbPose *second,
                         const wbCollideHold *hold, int count, const wbManifold *manifolds,
                         const uint32_t *keys, wbKeptManifold *kept);
/// A manifold after both moved a little: its points stay on both, and their separations change. It costs a
/// fifth of finding it again, and on meshes a thousandth. False: no point is nearer than `margin` m.
bool wbKeptManifold_Follow(const wbKeptManifold *kept, const wbCollideHold *hold, const wbRelativeWay *drift,
                           float margin, wbManifold *now);

/// Where two pieces touch on their ways.
typedef struct wbImpact {
    float share;    ///< of the way, 0 to 1, that they go before; 1: all of it
    wbVec3d point;  ///< m, of the first then; less than 1
    wbVec3d normal; ///< from the first to the second
} wbImpact;
/// Continuous collision: how far two pieces can go from their poses towards others. Where they touch, they are
/// no farther apart than `slop` m and do not overlap. Those that are that near at the beginning go on until they
/// overlap by `slop` more than there. The second may be a plane or a mesh.
wbImpact wbFindImpact(const wbRigidPiece *a, const wbPose *fromA, const wbPose *toA, const wbRigidPiece *b,
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
