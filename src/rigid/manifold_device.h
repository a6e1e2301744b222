// SPDX-License-Identifier: MIT
// Where two pieces touch, and what is kept of it: the same structs in C and in OpenCL C, of fields of four bytes only.
#pragma once

#include "shape/pose.h"

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
    float way;      ///< m: no point of the first may have moved farther against the second
    float reach;    ///< m, of the first's points from its frame's origin
    float skins[2]; ///< m, of both: surfaces are that far along the normal from points that turn with them
    int isOfFirst;  ///< 1: the normal turns with the first; 0: with the second
} wbCollideHold;

/// What is known of two pieces since they were collided; all zero: nothing. What is found of them follows
/// from it: whoever keeps it saves it, with its manifolds.
typedef struct wbCollideCache {
    float shift[3], turn[4]; ///< of the first's frame in the second's, then
    wbCollideHold hold;
    int first, room, count; ///< of kept manifolds: which, how many there may be, and are
} wbCollideCache;

/// A manifold as it was found, in the second's frame.
typedef struct wbKeptManifold {
    float normal[3];
    int count;
    float points[WB_MANIFOLD_POINTS]
                [4]; ///< m: of the first, without its skin, from its frame's origin; separation
    unsigned key;
} wbKeptManifold;

/// How the first of two frames has moved against the second since a cache was filled.
typedef struct wbRelativeWay {
    wbPose first, second; ///< now
    wbVec3 way;           ///< m, in the second's frame
    float turn[3][3];     ///< matrix minus 1, likewise
} wbRelativeWay;
