// SPDX-License-Identifier: MIT
// Where a piece touches the triangles of a mesh, once for every machine: over REAL, which is a double on the cores and a float on devices.
// See collide_ground.c.
#pragma once

#include "shape/shape_device.h"
#include "wirbel/math.h"

#ifdef __OPENCL_VERSION__
#    define GROUND_GLOBAL    __global
#    define GROUND_NUMBER(x) x##f
#    define ground_abs(x)    fabs(x)
#else
#    include <math.h>
#    define GROUND_GLOBAL
#    define GROUND_NUMBER(x) x
#    define ground_abs(x)    fabsf(x)
#endif

/// Contacts before they are thinned out, which leaves four for each group. Groups begin with normals that are at least 14 degrees from
/// each other (GROUND_SAME_NORMAL), of which there are fewer than 2 / (1 - cos 7 degrees) = 266: there is always room again.
enum { GROUND_MOST_GROUPS = 266, GROUND_MOST_CONTACTS = 1280 };
/// Bend (1 - cosine) above which an edge stands out, and below which it is flat.
#define GROUND_STANDS_OUT GROUND_NUMBER(3e-3)
#define GROUND_FLAT_BEND  1e-8f
/// Shares of skin and thickness by which a point may be beside a triangle: between two that bend a little there is a gap.
#define GROUND_BESIDE_SKIN GROUND_NUMBER(0.08)
#define GROUND_BESIDE      GROUND_NUMBER(1e-4)
/// Share of the thickness beyond which the way out may be another than a triangle's normal.
#define GROUND_DEEP GROUND_NUMBER(0.02)
/// Cosine of normals that share a manifold, and the share of the thickness within which two points are one.
#define GROUND_SAME_NORMAL GROUND_NUMBER(0.97)
#define GROUND_SAME_PLACE  GROUND_NUMBER(1e-3)
/// Shares of the thickness, as in collide_pieces.c: that it may move before all is done again, the same if it may roll, and how much farther
/// than asked for is looked.
#define GROUND_STILL   GROUND_NUMBER(0.005)
#define GROUND_ROLLING GROUND_NUMBER(2e-5)
#define GROUND_LOOK    GROUND_NUMBER(0.05)

typedef struct GroundContact {
    RigidVector place; ///< m, in the ground's frame, halfway between the surfaces
    REAL separation;   ///< m, skins included
    wbVec3 normal;     ///< towards the piece
    int triangle;      ///< of the tree
} GroundContact;

/// A triangle of a mesh, and what lies across its edges, from corner k to the next.
typedef struct GroundTriangle {
    RigidVector corners[3], normal, inwards[3]; ///< ShapeTriangle
    float bends[3];                             ///< wbShapeEdges
    int neighbours[3];
    int number;      ///< in the order of the tree
    int isEdgeKnown; ///< 0: nothing is known of the edges, and all may be felt
} GroundTriangle;

/// What is asked of a piece.
typedef struct GroundPiece {
    REAL skin, thickness, margin; ///< m
} GroundPiece;

// Which triangles are near

/// Around a piece, as far as is looked.
typedef struct GroundReach {
    float middle[3];      ///< m, of the box around its core in its own frame
    float ways[3][3];     ///< the box's axes
    float reach[4];       ///< m, along them; and from the middle, all around
    float min[3], max[3]; ///< m
} GroundReach;

WB_INLINE bool ground_is_near(const GroundReach *reach, const float min[3], const float max[3]) {
    for (int k = 0; k < 3; k++)
        if (min[k] > reach->max[k] || max[k] < reach->min[k]) return false;
    return true;
}

/// The same around the piece and along its axes: what is round or lies askew has much room beside it.
WB_INLINE bool ground_is_node_near(const GroundReach *reach, const ShapeNode *node) {
    if (!ground_is_near(reach, node->min, node->max)) return false;
    float way[3], extent[3], away2 = 0;
    for (int k = 0; k < 3; k++) {
        way[k] = 0.5f * (node->min[k] + node->max[k]) - reach->middle[k];
        extent[k] = 0.5f * (node->max[k] - node->min[k]);
        const float away = ground_abs(way[k]) - extent[k];
        away2 += away > 0 ? away * away : 0;
    }
    if (away2 > reach->reach[3] * reach->reach[3]) return false;
    for (int k = 0; k < 3; k++) {
        const float *axis = reach->ways[k];
        const float distance = ground_abs(axis[0] * way[0] + axis[1] * way[1] + axis[2] * way[2]);
        const float span = ground_abs(axis[0]) * extent[0] + ground_abs(axis[1]) * extent[1] +
                           ground_abs(axis[2]) * extent[2];
        if (distance > span + reach->reach[k]) return false;
    }
    return true;
}

WB_INLINE bool ground_is_triangle_near(const GroundReach *reach, const wbVec3 corners[3]) {
    float min[3] = {corners[0].x, corners[0].y, corners[0].z}, max[3] = {min[0], min[1], min[2]};
    for (int i = 1; i < 3; i++) {
        const float x[3] = {corners[i].x, corners[i].y, corners[i].z};
        for (int k = 0; k < 3; k++)
            min[k] = x[k] < min[k] ? x[k] : min[k], max[k] = x[k] > max[k] ? x[k] : max[k];
    }
    return ground_is_near(reach, min, max);
}

// Triangles

/// m, in the triangle's plane: how far a point is inside of edge k.
WB_INLINE REAL ground_beside(const GroundTriangle *t, int k, RigidVector point) {
    return rigid_dot(t->inwards[k], rigid_sub(point, t->corners[k]));
}

WB_INLINE bool ground_is_over(const GroundPiece *piece, const GroundTriangle *t, RigidVector point) {
    const REAL slack = GROUND_BESIDE_SKIN * piece->skin + GROUND_BESIDE * piece->thickness;
    for (int k = 0; k < 3; k++)
        if (ground_beside(t, k, point) < -slack) return false;
    return true;
}

WB_INLINE bool ground_stands_out(const GroundTriangle *t) {
    bool standsOut = !t->isEdgeKnown;
    for (int k = 0; k < 3; k++) standsOut = standsOut || t->bends[k] > GROUND_STANDS_OUT;
    return standsOut;
}

/// Edges that bend count once, for one of their two sides.
WB_INLINE bool ground_counts_edge(const GroundTriangle *t, int k) {
    return !t->isEdgeKnown || (t->bends[k] >= GROUND_FLAT_BEND && t->neighbours[k] >= t->number);
}

/// Whether a normal is one that the surface has about a triangle: over an edge that stands out, up to the other side's.
WB_INLINE bool ground_is_of_surface(const GroundTriangle *t, RigidVector normal) {
    const REAL along = rigid_dot(normal, t->normal), rounding = GROUND_NUMBER(1e-3);
    for (int k = 0; k < 3; k++) {
        const REAL lean = -rigid_dot(normal, t->inwards[k]);
        if (lean < rounding || !t->isEdgeKnown) continue;
        if (t->bends[k] < GROUND_STANDS_OUT || along < 1 - t->bends[k] - rounding) return false;
    }
    return t->isEdgeKnown || along > 0;
}

/// What of an edge of the mesh is below a face of the piece: from low to high of its way, here on the inner side of one edge of the face,
/// which begins at `at` and has `border` out of it.
WB_INLINE bool ground_clip_border(RigidVector border, RigidVector at, RigidVector from, RigidVector way,
                                  REAL *low, REAL *high) {
    const REAL start = rigid_dot(border, rigid_sub(from, at)), speed = rigid_dot(border, way);
    if (speed == 0 && start > 0) return false;
    if (speed > 0 && -start < *high * speed) *high = -start / speed;
    if (speed < 0 && -start < *low * speed) *low = -start / speed;
    return *low <= *high;
}

/// How high a face of the piece is over an edge of the mesh, along a normal: where the edge begins, and how much more where it ends.
typedef struct GroundRidge {
    REAL height, rise; ///< m
    bool isBelow;      ///< the face looks at it
} GroundRidge;
WB_INLINE GroundRidge ground_find_ridge(RigidVector out, RigidVector onFace, RigidVector from,
                                        RigidVector way, RigidVector normal) {
    const REAL against = rigid_dot(out, normal);
    GroundRidge ridge = {0, 0, against < 0};
    if (!ridge.isBelow) return ridge;
    ridge.height = rigid_dot(out, rigid_sub(onFace, from)) / against,
    ridge.rise = -rigid_dot(out, way) / against;
    return ridge;
}

/// Where an edge of the piece is over edge k of the mesh; false: nowhere.
WB_INLINE bool ground_crosses(const GroundTriangle *t, int k, RigidVector from, RigidVector way,
                              RigidVector *place) {
    const REAL start = ground_beside(t, k, from), end = ground_beside(t, k, rigid_madd(1, way, from));
    if ((start < 0) == (end < 0)) return false;
    *place = rigid_madd(start / (start - end), way, from);
    return true;
}

/// See collide_choose_formula.h.
#define CHOOSE_POINT GROUND_GLOBAL GroundContact
