// SPDX-License-Identifier: MIT
// Where boxes touch, once for every machine: over REAL, no branches on data. The axis that separates two of them most; the points of a face,
// of two edges, or at a side of the domain; of many points the four that hold best; and the impulses that they had in the step before.
#pragma once

#include "rigid/rigid_formula.h"

typedef struct RigidBox {
    RigidVector axes[3];
    REAL extent[3];
    RigidVector centre;
    REAL thickness;
} RigidBox;

// Two boxes: the axis that separates them most (Gottschalk et al. 1996)

// Codes are kept as floats, which select.
typedef struct RigidAxis {
    REAL separation, code;
} RigidAxis;

WB_INLINE void rigid_take_larger(RigidAxis *best, REAL separation, REAL more, int code) {
    const MASK larger = real_less(best->separation + more, separation);
    best->separation = real_select(larger, separation, best->separation);
    best->code = real_select(larger, real_set((float)code), best->code);
}

// Faces are preferred to edges, and those of the first to those of the second, or the normal flickers: by shares of the thickness.
#define RIGID_EDGE_SHARE 0.95f
#define RIGID_EDGE_MORE  0.005f
#define RIGID_FACE_MORE  0.001f

WB_INLINE RigidAxis rigid_box_axis(const RigidBox *a, const RigidBox *b) {
    const RigidVector d = rigid_sub(b->centre, a->centre);
    const REAL thin = real_min(a->thickness, b->thickness), one = real_set(1);
    REAL c[3][3], f[3][3], da[3], db[3];
    for (int i = 0; i < 3; i++) {
        da[i] = rigid_dot(a->axes[i], d), db[i] = rigid_dot(b->axes[i], d);
        for (int j = 0; j < 3; j++) c[i][j] = rigid_dot(a->axes[i], b->axes[j]), f[i][j] = real_abs(c[i][j]);
    }
    RigidAxis face = {real_set(-1e9f), real_set(0)}, edge = face;
    for (int i = 0; i < 3; i++) {
        REAL reach = a->extent[i];
        for (int j = 0; j < 3; j++) reach = real_madd(b->extent[j], f[i][j], reach);
        rigid_take_larger(&face, real_abs(da[i]) - reach, real_set(0), RIGID_AXIS_A + i);
    }
    for (int j = 0; j < 3; j++) {
        REAL reach = b->extent[j];
        for (int i = 0; i < 3; i++) reach = real_madd(a->extent[i], f[i][j], reach);
        rigid_take_larger(&face, real_abs(db[j]) - reach, thin * RIGID_FACE_MORE, RIGID_AXIS_B + j);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const REAL length2 = one - c[i][j] * c[i][j];
            const REAL reach = real_madd(a->extent[i1], f[i2][j], a->extent[i2] * f[i1][j]) +
                               real_madd(b->extent[j1], f[i][j2], b->extent[j2] * f[i][j1]);
            const REAL gap = real_abs(real_madd(da[i2], c[i1][j], -(da[i1] * c[i2][j]))) - reach;
            const MASK crossed = real_less(real_set(0.01f), length2);
            const REAL separation = gap * real_rsqrt(real_max(length2, real_set(0.01f)));
            rigid_take_larger(&edge, real_select(crossed, separation, real_set(-2e9f)), real_set(0),
                              RIGID_AXIS_EDGES + 3 * i + j);
        }
    const MASK crosses = real_less(
        real_madd(face.separation, real_set(RIGID_EDGE_SHARE), thin * RIGID_EDGE_MORE), edge.separation);
    RigidAxis best = {real_max(face.separation, edge.separation), real_select(crosses, edge.code, face.code)};
    return best;
}

// Points of a manifold

/// Places are from the first body's centre.
typedef struct RigidPoints {
    RigidVector normal;
    RigidVector places[RIGID_POINTS];
    REAL separation[RIGID_POINTS];
    RigidVector between; // from the first body's centre to the second's
    REAL thickness;
} RigidPoints;

enum { RIGID_CANDIDATES = 12 };

// Places in the plane of a face, and their separations; from RIGID_FAR on there is none.
typedef struct RigidCandidates {
    REAL x[RIGID_CANDIDATES], y[RIGID_CANDIDATES], z[RIGID_CANDIDATES];
} RigidCandidates;

WB_INLINE void rigid_take(MASK mask, const RigidCandidates *from, int i, RigidCandidates *to, int k) {
    to->x[k] = real_select(mask, from->x[i], to->x[k]), to->y[k] = real_select(mask, from->y[i], to->y[k]);
    to->z[k] = real_select(mask, from->z[i], to->z[k]);
}

// The deepest, the farthest from it, and those that add most area on either side.
WB_INLINE RigidCandidates rigid_choose_points(const RigidCandidates *all, int count, REAL size2) {
    const REAL far = real_set(RIGID_FAR), none = real_set(2 * RIGID_FAR), zero = real_set(0);
    RigidCandidates best;
    for (int k = 0; k < RIGID_POINTS; k++) best.x[k] = best.y[k] = zero, best.z[k] = none;
    for (int i = 0; i < count; i++) rigid_take(real_less(all->z[i], best.z[0]), all, i, &best, 0);
    REAL most = size2 * 1e-5f;
    for (int i = 0; i < count; i++) {
        const REAL dx = all->x[i] - best.x[0], dy = all->y[i] - best.y[0];
        const REAL d2 = real_select(real_less(all->z[i], far), real_madd(dx, dx, dy * dy), zero);
        const MASK farther = real_less(most, d2);
        rigid_take(farther, all, i, &best, 1);
        most = real_select(farther, d2, most);
    }
    const MASK two = real_less(best.z[1], far);
    const REAL ex = real_select(two, best.x[1] - best.x[0], zero),
               ey = real_select(two, best.y[1] - best.y[0], zero);
    REAL left = size2 * 1e-3f, right = -left;
    for (int i = 0; i < count; i++) {
        REAL area = real_madd(ex, all->y[i] - best.y[0], -(ey * (all->x[i] - best.x[0])));
        area = real_select(real_less(all->z[i], far), area, zero);
        const MASK isLeft = real_less(left, area), isRight = real_less(area, right);
        rigid_take(isLeft, all, i, &best, 2), rigid_take(isRight, all, i, &best, 3);
        left = real_select(isLeft, area, left), right = real_select(isRight, area, right);
    }
    return best;
}

// An edge of the incident face between two corners, cut to the rectangle of the other face: its two ends.
WB_INLINE void rigid_clip_edge(const REAL from[3], const REAL to[3], REAL halfX, REAL halfY, REAL margin,
                               RigidCandidates *all, int i) {
    const REAL zero = real_set(0), one = real_set(1), tiny = real_set(1e-12f), none = real_set(2 * RIGID_FAR);
    const REAL dx = to[0] - from[0], dy = to[1] - from[1], dz = to[2] - from[2];
    const REAL perX = one / rigid_with_sign(real_max(real_abs(dx), tiny), dx),
               perY = one / rigid_with_sign(real_max(real_abs(dy), tiny), dy);
    const REAL p = (halfX - from[0]) * perX, q = (-halfX - from[0]) * perX;
    const REAL r = (halfY - from[1]) * perY, s = (-halfY - from[1]) * perY;
    const REAL begin = real_max(zero, real_max(real_min(p, q), real_min(r, s)));
    const REAL end = real_min(one, real_min(real_max(p, q), real_max(r, s)));
    const MASK inside = real_less(begin, end);
    for (int k = 0; k < 2; k++) {
        const REAL t = k == 0 ? begin : end, z = real_madd(t, dz, from[2]);
        const MASK near = real_less(z, margin);
        all->x[i + 4 * k] = real_madd(t, dx, from[0]), all->y[i + 4 * k] = real_madd(t, dy, from[1]);
        all->z[i + 4 * k] = real_select(inside, real_select(near, z, none), none);
        // an uncut end is where the next edge begins
        if (k == 1) all->z[i + 4] = real_select(real_less(end, one), all->z[i + 4], none);
    }
}

WB_INLINE REAL rigid_pick(const MASK second, const MASK third, REAL a, REAL b, REAL c) {
    return real_select(third, c, real_select(second, b, a));
}
WB_INLINE RigidVector rigid_pick3(const MASK second, const MASK third, RigidVector a, RigidVector b,
                                  RigidVector c) {
    return rigid_select(third, c, rigid_select(second, b, a));
}

/// The face of a box by which it touches another, the reference.
typedef struct RigidFace {
    RigidVector normal, along, across;  ///< towards the other; the axes of its rectangle
    REAL height, halfAlong, halfAcross; ///< of the face over the box's centre; of the rectangle
    REAL thickness;                     ///< of the box
} RigidFace;

/// A face and that of the other box which looks at it most, clipped to the first's sides, with all points nearer than `margin` times the
/// thickness. `start` is the centre of the first box from that of its body, `d` that of the other from there.
WB_INLINE RigidPoints rigid_face_points(const RigidFace *face, RigidVector start, RigidVector d,
                                        const RigidBox *other, float margin) {
    const REAL one = real_set(1), none = real_set(2 * RIGID_FAR);
    const RigidVector n = face->normal, u = face->along, w = face->across;
    REAL towards[3];
    for (int k = 0; k < 3; k++) towards[k] = rigid_dot(other->axes[k], n);
    const MASK second = real_less(real_abs(towards[0]), real_abs(towards[1]));
    const REAL more = real_select(second, towards[1], towards[0]);
    const MASK third = real_less(real_abs(more), real_abs(towards[2]));
    const REAL most = real_select(third, towards[2], more);
    const RigidVector q = rigid_pick3(second, third, other->axes[0], other->axes[1], other->axes[2]);
    const RigidVector iu = rigid_pick3(second, third, other->axes[1], other->axes[2], other->axes[0]);
    const RigidVector iw = rigid_pick3(second, third, other->axes[2], other->axes[0], other->axes[1]);
    const REAL hq = rigid_pick(second, third, other->extent[0], other->extent[1], other->extent[2]);
    const REAL hu = rigid_pick(second, third, other->extent[1], other->extent[2], other->extent[0]);
    const REAL hw = rigid_pick(second, third, other->extent[2], other->extent[0], other->extent[1]);
    const RigidVector middle = rigid_madd(rigid_with_sign(hq, -most), q, d);

    // in the frame of the reference face: along, across, above
    const REAL f[3] = {rigid_dot(middle, u), rigid_dot(middle, w), rigid_dot(middle, n) - face->height};
    const REAL e[3] = {hu * rigid_dot(iu, u), hu * rigid_dot(iu, w), hu * rigid_dot(iu, n)};
    const REAL g[3] = {hw * rigid_dot(iw, u), hw * rigid_dot(iw, w), hw * rigid_dot(iw, n)};
    REAL corners[4][3];
    for (int k = 0; k < 3; k++) {
        corners[0][k] = f[k] + e[k] + g[k], corners[1][k] = f[k] - e[k] + g[k];
        corners[2][k] = f[k] - e[k] - g[k], corners[3][k] = f[k] + e[k] - g[k];
    }
    const REAL thin = real_min(face->thickness, other->thickness), gap = thin * margin;
    const REAL slackX = face->halfAlong * 1.0002f, slackY = face->halfAcross * 1.0002f;
    RigidCandidates all;
    for (int i = 0; i < 4; i++)
        rigid_clip_edge(corners[i], corners[(i + 1) & 3], slackX, slackY, gap, &all, i);
    const REAL perArea = one / (e[0] * g[1] - e[1] * g[0]), limit = real_set(1.0002f);
    for (int i = 0; i < 4; i++) {
        const REAL x = i & 1 ? face->halfAlong : -face->halfAlong,
                   y = i & 2 ? face->halfAcross : -face->halfAcross, px = x - f[0], py = y - f[1];
        const REAL s = (px * g[1] - py * g[0]) * perArea, t = (e[0] * py - e[1] * px) * perArea;
        const REAL z = real_madd(t, g[2], real_madd(s, e[2], f[2]));
        const MASK inside = real_less(real_max(real_abs(s), real_abs(t)), limit), near = real_less(z, gap);
        all.x[8 + i] = x, all.y[8 + i] = y;
        all.z[8 + i] = real_select(inside, real_select(near, z, none), none);
    }
    // of the smaller face: a box may lie on one that is a thousand times as wide
    const REAL size2 =
        real_min(real_madd(face->halfAlong, face->halfAlong, face->halfAcross * face->halfAcross),
                 real_madd(hu, hu, hw * hw)) *
        2.0f;
    const RigidCandidates best = rigid_choose_points(&all, RIGID_CANDIDATES, size2);

    RigidPoints points;
    points.normal = n;
    points.thickness = thin;
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL z = real_min(best.z[i], thin);
        points.places[i] = rigid_madd(real_madd(z, real_set(0.5f), face->height), n,
                                      rigid_madd(best.y[i], w, rigid_madd(best.x[i], u, start)));
        points.separation[i] = best.z[i];
    }
    return points;
}

/// An edge of a box, along one of its axes.
typedef struct RigidEdge {
    RigidVector along;
    REAL extent, axis; ///< axis: 0, 1, 2
} RigidEdge;

WB_INLINE MASK rigid_is(REAL number, int k) { return real_less(real_abs(number - (float)k), real_set(0.5f)); }

/// The nearest points of two edges, one of each box; offsets are those of the boxes' centres from their bodies'.
WB_INLINE RigidPoints rigid_edge_points(const RigidBox *a, RigidEdge edgeA, RigidVector offsetA,
                                        const RigidBox *b, RigidEdge edgeB, RigidVector offsetB) {
    const RigidVector ea = edgeA.along, eb = edgeB.along, d = rigid_sub(b->centre, a->centre);
    RigidVector n = rigid_cross(ea, eb);
    const REAL length = real_rsqrt(real_max(rigid_dot(n, n), real_set(1e-8f)));
    n = rigid_scale(rigid_with_sign(length, rigid_dot(n, d)), n);
    RigidVector pa = rigid_set(0, 0, 0), pb = d;
    for (int k = 0; k < 3; k++) {
        const REAL zero = real_set(0);
        const REAL ha = rigid_with_sign(a->extent[k], rigid_dot(a->axes[k], n)),
                   hb = rigid_with_sign(b->extent[k], rigid_dot(b->axes[k], n));
        pa = rigid_madd(real_select(rigid_is(edgeA.axis, k), zero, ha), a->axes[k], pa);
        pb = rigid_madd(real_select(rigid_is(edgeB.axis, k), zero, -hb), b->axes[k], pb);
    }
    const RigidVector r = rigid_sub(pb, pa);
    const REAL cosine = rigid_dot(ea, eb), f = rigid_dot(ea, r), q = rigid_dot(eb, r);
    const REAL per = real_set(1) / real_max(real_set(1) - cosine * cosine, real_set(1e-6f));
    const REAL ta = rigid_clamp((f - cosine * q) * per, edgeA.extent),
               tb = rigid_clamp((cosine * f - q) * per, edgeB.extent);
    RigidPoints points;
    points.normal = n;
    points.between = rigid_add(rigid_sub(d, offsetB), offsetA);
    points.thickness = real_min(a->thickness, b->thickness);
    points.places[0] =
        rigid_madd(real_set(0.5f), rigid_add(rigid_madd(ta, ea, pa), rigid_madd(tb, eb, pb)), offsetA);
    points.separation[0] = rigid_dot(r, n);
    return points;
}

/// The corners of a box that are near a side of the domain: the plane n . x = end, with n out of the domain.
WB_INLINE RigidPoints rigid_side_points(const RigidBox *box, RigidVector offset, RigidVector n, REAL end,
                                        float margin) {
    const RigidFrame frame = rigid_frame(n);
    const REAL gap = end - rigid_dot(n, box->centre), none = real_set(2 * RIGID_FAR);
    const REAL most = box->thickness * margin;
    REAL x[3], y[3], z[3], size2 = real_set(0);
    for (int k = 0; k < 3; k++) {
        x[k] = box->extent[k] * rigid_dot(box->axes[k], frame.s),
        y[k] = box->extent[k] * rigid_dot(box->axes[k], frame.t);
        z[k] = box->extent[k] * rigid_dot(box->axes[k], n);
        size2 = real_madd(box->extent[k], box->extent[k], size2);
    }
    RigidCandidates all;
    for (int i = 0; i < 8; i++) {
        const REAL s0 = real_set(i & 1 ? 1 : -1), s1 = real_set(i & 2 ? 1 : -1),
                   s2 = real_set(i & 4 ? 1 : -1);
        all.x[i] = real_madd(s0, x[0], real_madd(s1, x[1], s2 * x[2]));
        all.y[i] = real_madd(s0, y[0], real_madd(s1, y[1], s2 * y[2]));
        const REAL above = gap - real_madd(s0, z[0], real_madd(s1, z[1], s2 * z[2]));
        all.z[i] = real_select(real_less(above, most), above, none);
    }
    const RigidCandidates best = rigid_choose_points(&all, 8, size2);
    RigidPoints points;
    points.normal = n;
    points.between = rigid_set(0, 0, 0);
    points.thickness = box->thickness;
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL height = gap - real_min(best.z[i], box->thickness);
        points.places[i] =
            rigid_madd(height, n, rigid_madd(best.y[i], frame.t, rigid_madd(best.x[i], frame.s, offset)));
        points.separation[i] = best.z[i];
    }
    return points;
}

/// One point that a contact of the step before had.
typedef struct RigidOldPoint {
    RigidVector place;
    REAL impulse;
} RigidOldPoint;

#define RIGID_NEAR2 0.02f // of the thickness, squared

/// The impulse of the nearest point of before, if one is near.
WB_INLINE REAL rigid_old_impulse(const RigidOldPoint old[RIGID_POINTS], RigidVector place, REAL thickness,
                                 float scale) {
    REAL nearest = thickness * thickness * RIGID_NEAR2, impulse = real_set(0);
    for (int j = 0; j < RIGID_POINTS; j++) {
        const RigidVector d = rigid_sub(old[j].place, place);
        const REAL d2 = rigid_dot(d, d);
        const MASK nearer = real_less(d2, nearest);
        nearest = real_select(nearer, d2, nearest);
        impulse = real_select(nearer, old[j].impulse * scale, impulse);
    }
    return impulse;
}
