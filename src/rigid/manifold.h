// SPDX-License-Identifier: MIT
// Where two pieces touch: up to four points with one normal, from which contacts are solved.
#pragma once

#include "rigid/convex.h"

enum { WB_MANIFOLD_POINTS = 4 };

typedef struct wbManifoldPoint {
    wbVec3 place;     ///< m, in the frame in which the poses are: halfway between the two surfaces
    float separation; ///< m, negative where they overlap
} wbManifoldPoint;

typedef struct wbManifold {
    wbVec3 normal; ///< of length 1, from the first to the second
    int count;     ///< 0: they are farther apart than the margin
    wbManifoldPoint points[WB_MANIFOLD_POINTS];
} wbManifold;

/// For how long what was found of two pieces holds, and how it goes on until then.
typedef struct wbCollideHold {
    float way;         ///< m: no point of the first may have moved farther against the second
    float reach;       ///< m, of the first's points from its frame's origin
    float skins[2];    ///< m, of both: surfaces are that far along the normal from points that turn with them
    int32_t isOfFirst; ///< 1: the normal turns with the first; 0: with the second
} wbCollideHold;

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

/// What is known of two pieces since they were collided; all zero: nothing. What is found of them follows
/// from it: whoever keeps it saves it, with its manifolds.
typedef struct wbCollideCache {
    float shift[3], turn[4]; ///< of the first's frame in the second's, then
    wbCollideHold hold;
    int32_t first, room, count; ///< of kept manifolds: which, how many there may be, and are
} wbCollideCache;

/// A manifold as it was found, in the second's frame.
typedef struct wbKeptManifold {
    float normal[3];
    int32_t count;
    float points[WB_MANIFOLD_POINTS]
                [4]; ///< m: of the first, without its skin, from its frame's origin; separation
    uint32_t key;
} wbKeptManifold;

/// How the first of two frames has moved against the second since a cache was filled.
typedef struct wbRelativeWay {
    wbPose first, second; ///< now
    wbVec3 way;           ///< m, in the second's frame
    float turn[3][3];     ///< matrix minus 1, likewise
} wbRelativeWay;
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
