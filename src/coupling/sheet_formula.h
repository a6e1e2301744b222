// SPDX-License-Identifier: MIT
// Points near triangles, once for every machine: over REAL, no branches on data.
#pragma once

/// Three numbers.
typedef struct SheetVec {
    REAL x, y, z;
} SheetVec;

WB_INLINE REAL sheet_dot(SheetVec a, SheetVec b) {
    return real_madd(a.x, b.x, real_madd(a.y, b.y, a.z * b.z));
}
WB_INLINE SheetVec sheet_sub(SheetVec a, SheetVec b) { return (SheetVec){a.x - b.x, a.y - b.y, a.z - b.z}; }
WB_INLINE SheetVec sheet_scale(REAL s, SheetVec a) { return (SheetVec){s * a.x, s * a.y, s * a.z}; }
WB_INLINE SheetVec sheet_add_scaled(SheetVec a, REAL s, SheetVec b) {
    return (SheetVec){real_madd(s, b.x, a.x), real_madd(s, b.y, a.y), real_madd(s, b.z, a.z)};
}
WB_INLINE SheetVec sheet_cross(SheetVec a, SheetVec b) {
    return (SheetVec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
WB_INLINE SheetVec sheet_select(MASK m, SheetVec a, SheetVec b) {
    return (SheetVec){real_select(m, a.x, b.x), real_select(m, a.y, b.y), real_select(m, a.z, b.z)};
}

/// 1/a; 0 where a is not above `tiny`.
WB_INLINE REAL sheet_inverse(REAL a, float tiny) {
    const MASK is = real_less(real_set(tiny), a);
    return real_select(is, real_set(1) / real_select(is, a, real_set(1)), real_set(0));
}

/// A triangle with corners a, b, c, or a ball about a. `size`: 1/(2 area); of a ball, whose edges have no length, its radius.
typedef struct SheetShape {
    SheetVec a, ab, ac, normal;
    REAL inverseAb2, inverseBc2, inverseAc2, size;
} SheetShape;

WB_INLINE SheetShape sheet_shape(SheetVec a, SheetVec b, SheetVec c, REAL radius) {
    const SheetVec ab = sheet_sub(b, a), ac = sheet_sub(c, a), bc = sheet_sub(c, b), n = sheet_cross(ab, ac);
    const REAL inverse = sheet_inverse(real_sqrt(sheet_dot(n, n)), 1e-18f);
    return (SheetShape){.a = a,
                        .ab = ab,
                        .ac = ac,
                        .normal = sheet_scale(inverse, n),
                        .inverseAb2 = sheet_inverse(sheet_dot(ab, ab), 1e-36f),
                        .inverseBc2 = sheet_inverse(sheet_dot(bc, bc), 1e-36f),
                        .inverseAc2 = sheet_inverse(sheet_dot(ac, ac), 1e-36f),
                        .size = real_select(real_less(real_set(0), radius), radius, inverse)};
}

/// Where on a triangle a closest point is: 0, 1, 2: on the edge from that corner to the next, between them.
#define SHEET_CORNER 3 ///< and 4, 5: at a corner
#define SHEET_INSIDE 6

typedef struct SheetClosest {
    SheetVec away; ///< from it
    REAL distance2;
    REAL v, w; ///< weights of the second and the third corner
    REAL part;
} SheetClosest;

// Of an edge: how far along, from 0 to 1.
WB_INLINE REAL sheet_along(SheetVec from, SheetVec edge, REAL inverse2) {
    return real_min(real_max(sheet_dot(from, edge) * inverse2, real_set(0)), real_set(1));
}

WB_INLINE REAL sheet_edge_part(REAL along, float edge, float first, float second) {
    return real_select(real_less(real_set(0), along),
                       real_select(real_less(along, real_set(1)), real_set(edge), real_set(second)),
                       real_set(first));
}

WB_INLINE SheetClosest sheet_select_closest(MASK m, SheetClosest a, SheetClosest b) {
    return (SheetClosest){sheet_select(m, a.away, b.away), real_select(m, a.distance2, b.distance2),
                          real_select(m, a.v, b.v), real_select(m, a.w, b.w), real_select(m, a.part, b.part)};
}

/// The nearest of the three edges, or the foot on the plane if it is inside. `from`: the point as seen from a.
WB_INLINE SheetClosest sheet_closest(const SheetShape *s, SheetVec from) {
    const REAL zero = real_set(0), one = real_set(1);
    const SheetVec fromB = sheet_sub(from, s->ab), bc = sheet_sub(s->ac, s->ab);
    const REAL ab = sheet_along(from, s->ab, s->inverseAb2), ac = sheet_along(from, s->ac, s->inverseAc2),
               bcAlong = sheet_along(fromB, bc, s->inverseBc2);
    SheetClosest best = {sheet_add_scaled(from, -ab, s->ab), zero, ab, zero, sheet_edge_part(ab, 0, 3, 4)};
    SheetClosest other = {sheet_add_scaled(from, -ac, s->ac), zero, zero, ac, sheet_edge_part(ac, 2, 3, 5)};
    best.distance2 = sheet_dot(best.away, best.away);
    other.distance2 = sheet_dot(other.away, other.away);
    best = sheet_select_closest(real_less(other.distance2, best.distance2), other, best);
    other = (SheetClosest){sheet_add_scaled(fromB, -bcAlong, bc), zero, one - bcAlong, bcAlong,
                           sheet_edge_part(bcAlong, 1, 4, 5)};
    other.distance2 = sheet_dot(other.away, other.away);
    best = sheet_select_closest(real_less(other.distance2, best.distance2), other, best);
    // areas over the whole one
    const REAL height = sheet_dot(s->normal, from),
               w = sheet_dot(sheet_cross(s->normal, s->ab), from) * s->size,
               v = sheet_dot(sheet_cross(s->ac, s->normal), from) * s->size;
    other = (SheetClosest){sheet_scale(height, s->normal), height * height, v, w, real_set(SHEET_INSIDE)};
    return sheet_select_closest(real_less(zero, real_min(real_min(v, w), one - v - w)), other, best);
}
