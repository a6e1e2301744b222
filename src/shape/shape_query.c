// SPDX-License-Identifier: MIT
// What crosses a shape's surface: straight ways and boxes.
#include <float.h>
#include <math.h>

#include "shape/shape_state.h"

// Boxes are widened by more than what rounding does to a way through their faces.
static double widen(double end, double sign) { return end + sign * (1e-9 * fabs(end) + 1e-30); }

// The part of a way within two planes across an axis; empty: begin > end.
static void clip(double from, double along, double low, double high, double *begin, double *end) {
    if (along == 0) {
        if (from < low || from > high) *end = -1;
        return;
    }
    const double a = (low - from) / along, b = (high - from) / along;
    *begin = fmax(*begin, fmin(a, b)), *end = fmin(*end, fmax(a, b));
}

static bool crossesBox(const ShapeNode *node, wbVec3d from, wbVec3d along, double most) {
    double begin = 0, end = most;
    clip(from.x, along.x, widen(node->min[0], -1), widen(node->max[0], 1), &begin, &end);
    clip(from.y, along.y, widen(node->min[1], -1), widen(node->max[1], 1), &begin, &end);
    clip(from.z, along.z, widen(node->min[2], -1), widen(node->max[2], 1), &begin, &end);
    return begin <= end;
}

// The fraction at which a way crosses a triangle, INFINITY if it does not: Moller and Trumbore 1997, "Fast, minimum storage
// ray-triangle intersection". A way that runs along its plane crosses its neighbours.
static double crossTriangle(const ShapeTriangle *t, wbVec3d from, wbVec3d along) {
    const double rounding = 1e-12;
    const wbVec3d a = wbToDouble(t->corners[0]), ab = wbSub3d(wbToDouble(t->corners[1]), a),
                  ac = wbSub3d(wbToDouble(t->corners[2]), a), p = wbCross3d(along, ac);
    const double det = wbDot3d(ab, p);
    if (det == 0) return INFINITY;
    const wbVec3d s = wbSub3d(from, a), q = wbCross3d(s, ab);
    const double u = wbDot3d(s, p) / det, v = wbDot3d(along, q) / det;
    if (u < -rounding || v < -rounding || u + v > 1 + rounding) return INFINITY;
    const double fraction = wbDot3d(ac, q) / det;
    return fraction >= 0 && fraction <= 1 ? fraction : INFINITY;
}

wbShapeHit wbShape_CastRay(const wbShape *shape, wbVec3d origin, wbVec3d translation, double most) {
    wbShapeHit hit = {most, -1};
    for (int i = 0; i < shape->tree.nodeCount;) {
        const ShapeNode *node = &shape->nodes[i];
        if (!crossesBox(node, origin, translation, hit.fraction)) {
            i = node->skip;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++) {
            const double fraction = crossTriangle(&shape->triangles[k], origin, translation);
            const bool isFirst = hit.triangle < 0 || fraction < hit.fraction;
            if (fraction <= hit.fraction && isFirst) hit = (wbShapeHit){fraction, k};
        }
        i++;
    }
    return hit;
}

// Whether an axis separates a triangle from a box about the origin: Akenine-Moller 2001, "Fast 3D triangle-box overlap
// testing". An axis of no length separates nothing.
static bool isApart(wbVec3d axis, const wbVec3d corners[3], wbVec3d half) {
    const double a = wbDot3d(axis, corners[0]), b = wbDot3d(axis, corners[1]), c = wbDot3d(axis, corners[2]);
    const double reach = fabs(axis.x) * half.x + fabs(axis.y) * half.y + fabs(axis.z) * half.z;
    return fmin(a, fmin(b, c)) > reach || fmax(a, fmax(b, c)) < -reach;
}

static bool meetsTriangle(const wbVec3d corners[3], wbVec3d half) {
    static const wbVec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const wbVec3d edges[3] = {wbSub3d(corners[1], corners[0]), wbSub3d(corners[2], corners[1]),
                              wbSub3d(corners[0], corners[2])};
    for (int a = 0; a < 3; a++) {
        if (isApart(axes[a], corners, half)) return false;
        for (int e = 0; e < 3; e++)
            if (isApart(wbCross3d(axes[a], edges[e]), corners, half)) return false;
    }
    return !isApart(wbCross3d(edges[0], edges[1]), corners, half);
}

// A box of the world in the frame of the collider: its middle, and the box around it there.
typedef struct Region {
    const wbPose *pose;
    wbVec3d centre, half, local;
    double low[3], high[3];
} Region;

static Region placeRegion(const wbPose *pose, wbVec3d min, wbVec3d max) {
    Region r = {.pose = pose, .half = wbAddScaled3d((wbVec3d){0}, 0.5, wbSub3d(max, min))};
    r.centre = wbAddScaled3d(min, 1, r.half);
    r.local = wbPose_ApplyInverse3d(pose, r.centre);
    const wbVec3d x = wbPose_Rotate3d(pose, -1, (wbVec3d){r.half.x, 0, 0}),
                  y = wbPose_Rotate3d(pose, -1, (wbVec3d){0, r.half.y, 0}),
                  z = wbPose_Rotate3d(pose, -1, (wbVec3d){0, 0, r.half.z});
    const double middle[3] = {r.local.x, r.local.y, r.local.z};
    const double reach[3] = {fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                             fabs(x.z) + fabs(y.z) + fabs(z.z)};
    for (int a = 0; a < 3; a++)
        r.low[a] = widen(middle[a] - reach[a], -1), r.high[a] = widen(middle[a] + reach[a], 1);
    return r;
}

static bool isNodeNear(const ShapeNode *node, const Region *region) {
    for (int a = 0; a < 3; a++)
        if (node->min[a] > region->high[a] || node->max[a] < region->low[a]) return false;
    return true;
}

static bool meetsAnyTriangle(const wbShape *shape, const Region *region, const ShapeNode *node) {
    for (int k = node->first; k < node->first + node->count; k++) {
        wbVec3d corners[3];
        for (int c = 0; c < 3; c++) {
            const wbVec3d corner = wbToDouble(shape->triangles[k].corners[c]);
            corners[c] = wbSub3d(wbPose_Apply3d(region->pose, corner), region->centre);
        }
        if (meetsTriangle(corners, region->half)) return true;
    }
    return false;
}

bool wbShape_MeetsBox(const wbShape *shape, const wbPose *pose, wbVec3d min, wbVec3d max) {
    const Region region = placeRegion(pose, min, max);
    for (int i = 0; i < shape->tree.nodeCount;) {
        const ShapeNode *node = &shape->nodes[i];
        const bool isNear = isNodeNear(node, &region);
        if (isNear && meetsAnyTriangle(shape, &region, node)) return true;
        i = isNear ? i + 1 : node->skip;
    }
    // no face in it: it is all inside or all outside
    return isNodeNear(shape->nodes, &region) && wbShape_GetWinding(shape, wbToFloat(region.local)) > 0.5;
}
