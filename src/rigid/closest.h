// SPDX-License-Identifier: MIT
// How near two convex pieces are, or how deep they overlap, in double: by support points alone (Gilbert,
// Johnson and Keerthi 1988; van den Bergen 2001).
#pragma once

#include "rigid/convex.h"

/// A piece is a core with a skin around it: of a sphere a point, of a capsule a segment. Distances are those
/// of cores.
typedef enum wbCoreKind {
    wb_corePoint,
    wb_coreSegment,  ///< along y, size[1]: half its length
    wb_coreBox,      ///< size: half edges
    wb_coreCylinder, ///< size[0]: radius, size[1]: half the height
    wb_coreCorners,  ///< a hull, or a triangle
} wbCoreKind;

typedef struct wbCore {
    wbCoreKind kind;
    double size[3]; ///< m
    const wbVec3 *corners;
    int cornerCount;
    const wbHull *hull; ///< NULL: not a hull
    double skin;        ///< m
    double thickness;   ///< m, of the piece where it is thinnest, about
    double reach;       ///< m, of the piece from its origin
    wbVec3d centre;     ///< m, inside
    double depth;       ///< m, of a ball about the centre that is inside the core
} wbCore;

/// Of a piece with an inside; and of a triangle, whose corners stay where they are.
wbCore wbMakeCore(const wbRigidPiece *piece);
wbCore wbMakeTriangleCore(const wbVec3 corners[3]);
/// The point of a core that is farthest in a direction.
wbVec3d wbCore_Support(const wbCore *core, wbVec3d direction);

/// Two cores in the frame of the first.
typedef struct wbCorePair {
    const wbCore *a, *b;
    double quaternion[4]; ///< of the second's frame: x, y, z, w
    double turn[3][3];    ///< the same as a matrix
    wbVec3d shift;        ///< m, of its origin
} wbCorePair;
wbCorePair wbMakeCorePair(const wbCore *a, const wbPose *poseA, const wbCore *b, const wbPose *poseB);

static inline wbVec3d wbScale3d(double s, wbVec3d v) { return (wbVec3d){s * v.x, s * v.y, s * v.z}; }
static inline wbVec3d wbAdd3d(wbVec3d a, wbVec3d b) { return (wbVec3d){a.x + b.x, a.y + b.y, a.z + b.z}; }

/// A direction of the second's frame in the first's, and back.
static inline wbVec3d wbCorePair_Turn(const wbCorePair *pair, wbVec3d v) {
    const double(*m)[3] = pair->turn;
    return (wbVec3d){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                     m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                     m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}
static inline wbVec3d wbCorePair_TurnBack(const wbCorePair *pair, wbVec3d v) {
    const double(*m)[3] = pair->turn;
    return (wbVec3d){m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z,
                     m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
                     m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z};
}
/// The second's farthest point in a direction of the first's frame.
static inline wbVec3d wbCorePair_SupportB(const wbCorePair *pair, wbVec3d direction) {
    return wbAdd3d(wbCorePair_Turn(pair, wbCore_Support(pair->b, wbCorePair_TurnBack(pair, direction))),
                   pair->shift);
}

/// A point of the difference of both cores, and where it comes from.
typedef struct wbDifference {
    wbVec3d w, a, b; ///< w = a - b
} wbDifference;
wbDifference wbCorePair_Support(const wbCorePair *pair, wbVec3d direction);

typedef struct wbSimplex {
    wbDifference points[4];
    double weights[4];
    int count;
} wbSimplex;

/// Where two cores are nearest, or overlap least.
typedef struct wbClosest {
    double separation; ///< m; negative: they overlap by so much along the normal
    wbVec3d normal;    ///< of length 1, from the first to the second
    wbVec3d onA, onB;  ///< the second is the first plus separation times normal
    bool isBeyond;     ///< farther than asked for: `separation` is less than it is, and there are no points
} wbClosest;

/// False if they overlap: then the simplex holds the origin of their difference. Nothing is known of what is
/// farther apart than `most` m. `guess` is a direction from the first to the second.
bool wbFindClosest(const wbCorePair *pair, wbVec3d guess, double most, wbClosest *closest,
                   wbSimplex *simplex);
/// For those that overlap: the shortest way out. It may end with a longer one, no more than `enough` m:
/// whoever has one of that length already needs not know.
void wbFindDepth(const wbCorePair *pair, const wbSimplex *simplex, double enough, wbClosest *closest);
