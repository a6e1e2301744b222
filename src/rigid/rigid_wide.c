// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "rigid/rigid_code.h"
#include "rigid/rigid_formula.h"

WB_INLINE RigidVector load3(const float columns[3][WB_CONTACT_LANES], int l) {
    return rigid_vector(real_load(columns[0] + l), real_load(columns[1] + l), real_load(columns[2] + l));
}
WB_INLINE void store3(float columns[3][WB_CONTACT_LANES], int l, RigidVector v) {
    real_store(columns[0] + l, v.x), real_store(columns[1] + l, v.y), real_store(columns[2] + l, v.z);
}
WB_INLINE RigidVector first3(REAL4 a) { return rigid_vector(a.x, a.y, a.z); }
WB_INLINE REAL with_sign(REAL size, REAL sign) {
    return real_select(real_less(sign, real_set(0)), -size, size);
}
WB_INLINE REAL clamp(REAL a, REAL limit) { return real_max(-limit, real_min(a, limit)); }

// Two boxes: the axis that separates them most (Gottschalk et al. 1996)

typedef struct Box {
    RigidVector axes[3];
    REAL half[3];
    RigidVector centre;
    REAL thickness;
} Box;

WB_INLINE Box load_box(const wbPiecePlace *places, const int *quads) {
    const float *records = &places->axes[0][0];
    Box box;
    for (int k = 0; k < 3; k++) {
        REAL4 axis = lane_load4(records + 4 * k, quads);
        box.axes[k] = first3(axis), box.half[k] = axis.w;
    }
    REAL4 centre = lane_load4(records + 12, quads);
    box.centre = first3(centre), box.thickness = centre.w;
    return box;
}

// Codes are kept as floats, which select.
typedef struct Best {
    REAL separation, code;
} Best;

WB_INLINE void take_larger(Best *best, REAL separation, REAL more, int code) {
    const MASK larger = real_less(best->separation + more, separation);
    best->separation = real_select(larger, separation, best->separation);
    best->code = real_select(larger, real_set((float)code), best->code);
}

// Faces are preferred to edges, and those of the first to those of the second, or the normal flickers: by shares of the thickness.
#define EDGE_SHARE 0.95f
#define EDGE_MORE  0.005f
#define FACE_MORE  0.001f

WB_INLINE Best find_axis(const Box *a, const Box *b) {
    const RigidVector d = rigid_sub(b->centre, a->centre);
    const REAL thin = real_min(a->thickness, b->thickness), one = real_set(1);
    REAL c[3][3], f[3][3], da[3], db[3];
    for (int i = 0; i < 3; i++) {
        da[i] = rigid_dot(a->axes[i], d), db[i] = rigid_dot(b->axes[i], d);
        for (int j = 0; j < 3; j++) c[i][j] = rigid_dot(a->axes[i], b->axes[j]), f[i][j] = real_abs(c[i][j]);
    }
    Best face = {real_set(-1e9f), real_set(0)}, edge = face;
    for (int i = 0; i < 3; i++) {
        REAL reach = a->half[i];
        for (int j = 0; j < 3; j++) reach = real_madd(b->half[j], f[i][j], reach);
        take_larger(&face, real_abs(da[i]) - reach, real_set(0), WB_AXIS_A + i);
    }
    for (int j = 0; j < 3; j++) {
        REAL reach = b->half[j];
        for (int i = 0; i < 3; i++) reach = real_madd(a->half[i], f[i][j], reach);
        take_larger(&face, real_abs(db[j]) - reach, thin * FACE_MORE, WB_AXIS_B + j);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const REAL length2 = one - c[i][j] * c[i][j];
            const REAL reach = real_madd(a->half[i1], f[i2][j], a->half[i2] * f[i1][j]) +
                               real_madd(b->half[j1], f[i][j2], b->half[j2] * f[i][j1]);
            const REAL gap = real_abs(real_madd(da[i2], c[i1][j], -(da[i1] * c[i2][j]))) - reach;
            const MASK crossed = real_less(real_set(0.01f), length2);
            const REAL separation = gap * real_rsqrt(real_max(length2, real_set(0.01f)));
            take_larger(&edge, real_select(crossed, separation, real_set(-2e9f)), real_set(0),
                        WB_AXIS_EDGES + 3 * i + j);
        }
    const MASK crosses =
        real_less(real_madd(face.separation, real_set(EDGE_SHARE), thin * EDGE_MORE), edge.separation);
    Best best = {real_max(face.separation, edge.separation), real_select(crosses, edge.code, face.code)};
    return best;
}

static void collide_boxes(int begin, int end, int worker, void *context) {
    const wbExactStep *step = context;
    const wbPiecePair *pairs = step->rigid->contacts.pairs.data;
    (void)worker;
    for (int k = begin; k < end; k += WB_LANES) {
        int quadsA[WB_LANES], quadsB[WB_LANES];
        bool moves = false;
        for (int l = 0; l < WB_LANES; l++) {
            const wbPiecePair *pair = &pairs[k + l < end ? k + l : k];
            quadsA[l] = WB_PLACE_QUADS * pair->a, quadsB[l] = WB_PLACE_QUADS * pair->b;
            moves |= step->moves[pair->a] || step->moves[pair->b];
        }
        INTS codes = ints_set(WB_PAIR_ASLEEP);
        if (moves) {
            const Box a = load_box(step->places, quadsA), b = load_box(step->places, quadsB);
            const Best best = find_axis(&a, &b);
            const MASK near =
                real_less(best.separation, real_min(a.thickness, b.thickness) * step->terms.margin);
            codes = ints_truncate(real_select(near, best.code, real_set(-1)));
        }
        int found[WB_LANES];
        ints_store(found, codes);
        for (int l = 0; l < WB_LANES && k + l < end; l++) {
            const bool sleeps = !step->moves[pairs[k + l].a] && !step->moves[pairs[k + l].b];
            step->axes[k + l] = sleeps ? WB_PAIR_ASLEEP : found[l];
        }
    }
}

// Points of a manifold

typedef struct Points {
    RigidVector normal;
    RigidVector places[RIGID_POINTS]; // from the first body's centre
    REAL separation[RIGID_POINTS];
    RigidVector between; // from the first body's centre to the second's
    REAL thickness;
} Points;

enum { mostCandidates = 12 };

// Places in the plane of a face, and their separations; from RIGID_FAR on there is none.
typedef struct Candidates {
    REAL x[mostCandidates], y[mostCandidates], z[mostCandidates];
} Candidates;

WB_INLINE void take(MASK mask, const Candidates *from, int i, Candidates *to, int k) {
    to->x[k] = real_select(mask, from->x[i], to->x[k]), to->y[k] = real_select(mask, from->y[i], to->y[k]);
    to->z[k] = real_select(mask, from->z[i], to->z[k]);
}

// The deepest, the farthest from it, and those that add most area on either side.
WB_INLINE Candidates choose_points(const Candidates *all, int count, REAL size2) {
    const REAL far = real_set(RIGID_FAR), none = real_set(2 * RIGID_FAR), zero = real_set(0);
    Candidates best;
    for (int k = 0; k < RIGID_POINTS; k++) best.x[k] = best.y[k] = zero, best.z[k] = none;
    for (int i = 0; i < count; i++) take(real_less(all->z[i], best.z[0]), all, i, &best, 0);
    REAL most = size2 * 1e-5f;
    for (int i = 0; i < count; i++) {
        const REAL dx = all->x[i] - best.x[0], dy = all->y[i] - best.y[0];
        const REAL d2 = real_select(real_less(all->z[i], far), real_madd(dx, dx, dy * dy), zero);
        const MASK farther = real_less(most, d2);
        take(farther, all, i, &best, 1);
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
        take(isLeft, all, i, &best, 2), take(isRight, all, i, &best, 3);
        left = real_select(isLeft, area, left), right = real_select(isRight, area, right);
    }
    return best;
}

// A group that is being built, and where its lanes are from.
typedef struct Building {
    const wbExactStep *step;
    const wbGroupPlan *plan;
    int index;                                              // of the plan
    wbContactPlan contacts[WB_CONTACT_LANES];               // lanes without one repeat the first
    int quadsA[WB_CONTACT_LANES], quadsB[WB_CONTACT_LANES]; // of places
    int massesA[WB_CONTACT_LANES], massesB[WB_CONTACT_LANES];
    int old[WB_CONTACT_LANES];
    float live[WB_CONTACT_LANES]; // 1, or 0
    bool hasOld;
} Building;

// An edge of the incident face between two corners, cut to the rectangle of the other face: its two ends.
WB_INLINE void clip_edge(const REAL from[3], const REAL to[3], REAL halfX, REAL halfY, REAL margin,
                         Candidates *all, int i) {
    const REAL zero = real_set(0), one = real_set(1), tiny = real_set(1e-12f), none = real_set(2 * RIGID_FAR);
    const REAL dx = to[0] - from[0], dy = to[1] - from[1], dz = to[2] - from[2];
    const REAL perX = one / with_sign(real_max(real_abs(dx), tiny), dx),
               perY = one / with_sign(real_max(real_abs(dy), tiny), dy);
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

WB_INLINE REAL pick(const MASK second, const MASK third, REAL a, REAL b, REAL c) {
    return real_select(third, c, real_select(second, b, a));
}
WB_INLINE RigidVector pick3(const MASK second, const MASK third, RigidVector a, RigidVector b,
                            RigidVector c) {
    return rigid_select(third, c, rigid_select(second, b, a));
}

// A face of one box, the reference, and the face of the other that looks at it most, clipped to the first's sides.
WB_INLINE Points find_face(const Building *building, int l) {
    const wbExactStep *step = building->step;
    const float *records = &step->places->axes[0][0];
    int quads[5][WB_LANES], ownQuads[WB_LANES], otherQuads[WB_LANES];
    float swapped[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) {
        const int axis = building->contacts[l + k].source, swaps = axis >= WB_AXIS_B, own = axis - 3 * swaps;
        swapped[k] = swaps ? -1.0f : 1.0f;
        ownQuads[k] = swaps ? building->quadsB[l + k] : building->quadsA[l + k];
        otherQuads[k] = swaps ? building->quadsA[l + k] : building->quadsB[l + k];
        for (int i = 0; i < 3; i++) quads[i][k] = ownQuads[k] + (own + i) % 3;
        quads[3][k] = ownQuads[k] + 3, quads[4][k] = ownQuads[k] + 4;
    }
    const REAL side = real_load(swapped), one = real_set(1), none = real_set(2 * RIGID_FAR);
    const MASK swaps = real_less(side, real_set(0));
    const REAL4 facing = lane_load4(records, quads[0]), along = lane_load4(records, quads[1]),
                across = lane_load4(records, quads[2]), centre = lane_load4(records, quads[3]);
    const RigidVector ownOffset = first3(lane_load4(records, quads[4]));
    const Box other = load_box(step->places, otherQuads);
    const RigidVector otherOffset = first3(lane_load4(records + 16, otherQuads));
    const RigidVector d = rigid_sub(other.centre, first3(centre)), u = first3(along), w = first3(across);
    RigidVector n = first3(facing);
    n = rigid_scale(with_sign(one, rigid_dot(n, d)), n);

    REAL towards[3];
    for (int k = 0; k < 3; k++) towards[k] = rigid_dot(other.axes[k], n);
    const MASK second = real_less(real_abs(towards[0]), real_abs(towards[1]));
    const REAL more = real_select(second, towards[1], towards[0]);
    const MASK third = real_less(real_abs(more), real_abs(towards[2]));
    const REAL most = real_select(third, towards[2], more);
    const RigidVector q = pick3(second, third, other.axes[0], other.axes[1], other.axes[2]);
    const RigidVector iu = pick3(second, third, other.axes[1], other.axes[2], other.axes[0]);
    const RigidVector iw = pick3(second, third, other.axes[2], other.axes[0], other.axes[1]);
    const REAL hq = pick(second, third, other.half[0], other.half[1], other.half[2]);
    const REAL hu = pick(second, third, other.half[1], other.half[2], other.half[0]);
    const REAL hw = pick(second, third, other.half[2], other.half[0], other.half[1]);
    const RigidVector middle = rigid_madd(with_sign(hq, -most), q, d);

    // in the frame of the reference face: along, across, above
    const REAL f[3] = {rigid_dot(middle, u), rigid_dot(middle, w), rigid_dot(middle, n) - facing.w};
    const REAL e[3] = {hu * rigid_dot(iu, u), hu * rigid_dot(iu, w), hu * rigid_dot(iu, n)};
    const REAL g[3] = {hw * rigid_dot(iw, u), hw * rigid_dot(iw, w), hw * rigid_dot(iw, n)};
    REAL corners[4][3];
    for (int k = 0; k < 3; k++) {
        corners[0][k] = f[k] + e[k] + g[k], corners[1][k] = f[k] - e[k] + g[k];
        corners[2][k] = f[k] - e[k] - g[k], corners[3][k] = f[k] + e[k] - g[k];
    }
    const REAL thin = real_min(centre.w, other.thickness), margin = thin * step->terms.margin;
    const REAL slackX = along.w * 1.0002f, slackY = across.w * 1.0002f;
    Candidates all;
    for (int i = 0; i < 4; i++) clip_edge(corners[i], corners[(i + 1) & 3], slackX, slackY, margin, &all, i);
    const REAL perArea = one / (e[0] * g[1] - e[1] * g[0]), limit = real_set(1.0002f);
    for (int i = 0; i < 4; i++) {
        const REAL x = i & 1 ? along.w : -along.w, y = i & 2 ? across.w : -across.w, px = x - f[0],
                   py = y - f[1];
        const REAL s = (px * g[1] - py * g[0]) * perArea, t = (e[0] * py - e[1] * px) * perArea;
        const REAL z = real_madd(t, g[2], real_madd(s, e[2], f[2]));
        const MASK inside = real_less(real_max(real_abs(s), real_abs(t)), limit), near = real_less(z, margin);
        all.x[8 + i] = x, all.y[8 + i] = y;
        all.z[8 + i] = real_select(inside, real_select(near, z, none), none);
    }
    // of the smaller face: a box may lie on one that is a thousand times as wide
    const REAL size2 =
        real_min(real_madd(along.w, along.w, across.w * across.w), real_madd(hu, hu, hw * hw)) * 2.0f;
    const Candidates best = choose_points(&all, mostCandidates, size2);

    Points points;
    const RigidVector toOther = rigid_add(rigid_sub(d, otherOffset), ownOffset); // between the bodies
    points.between = rigid_scale(side, toOther);
    points.normal = rigid_scale(side, n);
    points.thickness = thin;
    const RigidVector start = rigid_select(swaps, rigid_sub(ownOffset, toOther), ownOffset);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL z = real_min(best.z[i], thin);
        points.places[i] = rigid_madd(real_madd(z, real_set(0.5f), facing.w), n,
                                      rigid_madd(best.y[i], w, rigid_madd(best.x[i], u, start)));
        points.separation[i] = best.z[i];
    }
    return points;
}

// The nearest points of two edges, one of each box.
WB_INLINE Points find_edge(const Building *building, int l) {
    const wbExactStep *step = building->step;
    const float *records = &step->places->axes[0][0];
    int ownA[WB_LANES], ownB[WB_LANES], quadsA[WB_LANES], quadsB[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) {
        const int code = building->contacts[l + k].source - WB_AXIS_EDGES;
        ownA[k] = code / 3, ownB[k] = code % 3;
        quadsA[k] = building->quadsA[l + k] + ownA[k], quadsB[k] = building->quadsB[l + k] + ownB[k];
    }
    const Box a = load_box(step->places, building->quadsA + l),
              b = load_box(step->places, building->quadsB + l);
    const RigidVector offsetA = first3(lane_load4(records + 16, building->quadsA + l)),
                      offsetB = first3(lane_load4(records + 16, building->quadsB + l));
    const REAL4 alongA = lane_load4(records, quadsA), alongB = lane_load4(records, quadsB);
    const RigidVector ea = first3(alongA), eb = first3(alongB), d = rigid_sub(b.centre, a.centre);
    RigidVector n = rigid_cross(ea, eb);
    const REAL length = real_rsqrt(real_max(rigid_dot(n, n), real_set(1e-8f)));
    n = rigid_scale(with_sign(length, rigid_dot(n, d)), n);
    RigidVector pa = rigid_set(0, 0, 0), pb = d;
    const INTS edgeA = ints_load(ownA), edgeB = ints_load(ownB);
    for (int k = 0; k < 3; k++) {
        const REAL zero = real_set(0);
        const REAL ha = with_sign(a.half[k], rigid_dot(a.axes[k], n)),
                   hb = with_sign(b.half[k], rigid_dot(b.axes[k], n));
        pa = rigid_madd(real_select(real_mask(ints_equal(edgeA, ints_set(k))), zero, ha), a.axes[k], pa);
        pb = rigid_madd(real_select(real_mask(ints_equal(edgeB, ints_set(k))), zero, -hb), b.axes[k], pb);
    }
    const RigidVector r = rigid_sub(pb, pa);
    const REAL cosine = rigid_dot(ea, eb), f = rigid_dot(ea, r), q = rigid_dot(eb, r);
    const REAL per = real_set(1) / real_max(real_set(1) - cosine * cosine, real_set(1e-6f));
    const REAL ta = clamp((f - cosine * q) * per, alongA.w), tb = clamp((cosine * f - q) * per, alongB.w);
    Points points;
    points.normal = n;
    points.between = rigid_add(rigid_sub(d, offsetB), offsetA);
    points.thickness = real_min(a.thickness, b.thickness);
    points.places[0] =
        rigid_madd(real_set(0.5f), rigid_add(rigid_madd(ta, ea, pa), rigid_madd(tb, eb, pb)), offsetA);
    points.separation[0] = rigid_dot(r, n);
    return points;
}

// The corners of a box that are near a side of the domain.
WB_INLINE Points find_side(const Building *building, int l) {
    const wbExactStep *step = building->step;
    const wbDomain *domain = step->model->domain;
    float normals[3][WB_LANES], ends[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) {
        const int side = building->contacts[l + k].source;
        const float out = side % 2 ? 1.0f : -1.0f;
        for (int c = 0; c < 3; c++) normals[c][k] = c == side / 2 ? out : 0;
        ends[k] = out * wbDomain_GetEnd(domain, side);
    }
    const Box box = load_box(step->places, building->quadsA + l);
    const RigidVector offset = first3(lane_load4(&step->places->offset[0], building->quadsA + l));
    const RigidVector n = rigid_vector(real_load(normals[0]), real_load(normals[1]), real_load(normals[2]));
    const RigidFrame frame = rigid_frame(n);
    const REAL gap = real_load(ends) - rigid_dot(n, box.centre), none = real_set(2 * RIGID_FAR);
    const REAL margin = box.thickness * step->terms.margin;
    REAL x[3], y[3], z[3], size2 = real_set(0);
    for (int k = 0; k < 3; k++) {
        x[k] = box.half[k] * rigid_dot(box.axes[k], frame.s),
        y[k] = box.half[k] * rigid_dot(box.axes[k], frame.t);
        z[k] = box.half[k] * rigid_dot(box.axes[k], n);
        size2 = real_madd(box.half[k], box.half[k], size2);
    }
    Candidates all;
    for (int i = 0; i < 8; i++) {
        const REAL s0 = real_set(i & 1 ? 1 : -1), s1 = real_set(i & 2 ? 1 : -1),
                   s2 = real_set(i & 4 ? 1 : -1);
        all.x[i] = real_madd(s0, x[0], real_madd(s1, x[1], s2 * x[2]));
        all.y[i] = real_madd(s0, y[0], real_madd(s1, y[1], s2 * y[2]));
        const REAL above = gap - real_madd(s0, z[0], real_madd(s1, z[1], s2 * z[2]));
        all.z[i] = real_select(real_less(above, margin), above, none);
    }
    const Candidates best = choose_points(&all, 8, size2);
    Points points;
    points.normal = n;
    points.between = rigid_set(0, 0, 0);
    points.thickness = box.thickness;
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL height = gap - real_min(best.z[i], box.thickness);
        points.places[i] =
            rigid_madd(height, n, rigid_madd(best.y[i], frame.t, rigid_madd(best.x[i], frame.s, offset)));
        points.separation[i] = best.z[i];
    }
    return points;
}

// A manifold that was found by itself.
WB_INLINE Points load_manifolds(const Building *building, int l) {
    const wbExactStep *step = building->step;
    const wbRigid *rigid = step->rigid;
    float normals[3][WB_LANES], places[RIGID_POINTS][3][WB_LANES], separation[RIGID_POINTS][WB_LANES];
    float between[3][WB_LANES], thickness[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) {
        const wbContactPlan *contact = &building->contacts[l + k];
        const wbManifold *manifold = &step->manifolds[contact->source];
        const int a = contact->rows[0], b = contact->rows[1];
        const float thickA = step->places[building->quadsA[l + k] / WB_PLACE_QUADS].centre[3],
                    thickB = step->places[building->quadsB[l + k] / WB_PLACE_QUADS].centre[3];
        const float at[3] = {rigid->x[a], rigid->y[a], rigid->z[a]};
        const bool isSide = b >= step->bodyCount;
        const float n[3] = {manifold->normal.x, manifold->normal.y, manifold->normal.z};
        const float to[3] = {isSide ? 0 : rigid->x[b] - at[0], isSide ? 0 : rigid->y[b] - at[1],
                             isSide ? 0 : rigid->z[b] - at[2]};
        thickness[k] = thickA < thickB ? thickA : thickB;
        for (int c = 0; c < 3; c++) normals[c][k] = n[c], between[c][k] = to[c];
        for (int i = 0; i < RIGID_POINTS; i++) {
            const wbManifoldPoint *point = &manifold->points[i < manifold->count ? i : 0];
            const float place[3] = {point->place.x, point->place.y, point->place.z};
            for (int c = 0; c < 3; c++) places[i][c][k] = place[c] - at[c];
            separation[i][k] = i < manifold->count ? point->separation : 2 * RIGID_FAR;
        }
    }
    Points points;
    points.normal = rigid_vector(real_load(normals[0]), real_load(normals[1]), real_load(normals[2]));
    points.between = rigid_vector(real_load(between[0]), real_load(between[1]), real_load(between[2]));
    points.thickness = real_load(thickness);
    for (int i = 0; i < RIGID_POINTS; i++) {
        points.places[i] =
            rigid_vector(real_load(places[i][0]), real_load(places[i][1]), real_load(places[i][2]));
        points.separation[i] = real_load(separation[i]);
    }
    return points;
}

// Building groups

WB_INLINE RigidInertia load_inertia(const wbSolverMass *masses, const int *quads) {
    const float *records = (const float *)masses;
    const REAL4 a = lane_load4(records, quads), b = lane_load4(records + 4, quads);
    RigidInertia inertia = {a.x, a.y, a.z, a.w, b.x, b.y, b.z};
    return inertia;
}

WB_INLINE void store_inertia(float columns[6][WB_CONTACT_LANES], int l, RigidInertia i) {
    real_store(columns[0] + l, i.xx), real_store(columns[1] + l, i.xy), real_store(columns[2] + l, i.xz);
    real_store(columns[3] + l, i.yy), real_store(columns[4] + l, i.yz), real_store(columns[5] + l, i.zz);
}

WB_INLINE REAL invert(REAL a, REAL live) { return live / real_max(a, real_set(1e-30f)); }

// Impulses of the step before: of points, by nearness; friction by its direction.
enum { contactQuads = sizeof(wbContact) / sizeof(float[4]), frictionQuad = 4 };
#define NEAR2 0.02f // of the thickness, squared

typedef struct Before {
    REAL impulse[RIGID_POINTS];
    RigidVector friction;
    REAL twist;
} Before;

WB_INLINE Before find_before(const Building *building, int l, const Points *points, int count) {
    const float *records = (const float *)building->step->oldContacts;
    const REAL scale = real_set(building->step->warmScale);
    const int *old = building->old + l;
    REAL4 known[RIGID_POINTS];
    for (int j = 0; j < RIGID_POINTS; j++) known[j] = lane_load4(records + 4 * j, old);
    const REAL4 friction = lane_load4(records + 4 * frictionQuad, old);
    Before before;
    for (int i = 0; i < count; i++) {
        REAL nearest = points->thickness * points->thickness * NEAR2;
        before.impulse[i] = real_set(0);
        for (int j = 0; j < RIGID_POINTS; j++) {
            const RigidVector d = rigid_sub(first3(known[j]), points->places[i]);
            const REAL d2 = rigid_dot(d, d);
            const MASK nearer = real_less(d2, nearest);
            nearest = real_select(nearer, d2, nearest);
            before.impulse[i] = real_select(nearer, known[j].w * scale, before.impulse[i]);
        }
    }
    before.friction = rigid_scale(scale, first3(friction));
    before.twist = friction.w * scale;
    return before;
}

// What all groups have: where their middle is, masses, and the friction of before.
typedef struct Common {
    RigidFrame frame;
    RigidVector armA, armB;
    RigidInertia a, b;
    REAL live;
    RigidApproach speed;
} Common;

WB_INLINE RigidVector load_speed(const wbSolverBody *bodies, const int *quads, RigidVector *w) {
    const REAL4 a = lane_load4((const float *)bodies, quads),
                b = lane_load4((const float *)bodies + 4, quads);
    *w = rigid_vector(a.w, b.x, b.y);
    return first3(a);
}

WB_INLINE Common begin_lanes(const Building *building, int l, const Points *points, RigidVector middle,
                             wbGroupHead *head, wbGroupTail *tail) {
    const wbExactStep *step = building->step;
    const bool isSide = building->plan->kind == wb_contactSide, isRound = tail->isRound;
    Common common;
    common.frame = rigid_frame(points->normal);
    common.armA = middle;
    common.armB = isSide ? rigid_set(0, 0, 0) : rigid_sub(middle, points->between);
    common.a = load_inertia(step->masses, building->massesA + l);
    common.b = load_inertia(step->masses, building->massesB + l);
    common.live = real_load(building->live + l);
    store3(head->normal, l, points->normal), store3(head->armA, l, common.armA),
        store3(head->armB, l, common.armB);
    real_store(head->massA + l, common.a.mass), real_store(head->massB + l, common.b.mass);
    real_store(head->turnA + l, common.a.xx), real_store(head->turnB + l, common.b.xx);
    if (!isRound) store_inertia(tail->inertiaA, l, common.a), store_inertia(tail->inertiaB, l, common.b);
    const REAL s = rigid_yielding(common.frame.s, common.armA, common.armB, common.a, common.b, isRound);
    const REAL t = rigid_yielding(common.frame.t, common.armA, common.armB, common.a, common.b, isRound);
    real_store(head->dragMass[0] + l, invert(s, common.live)),
        real_store(head->dragMass[1] + l, invert(t, common.live));
    if (tail->rolls) {
        // no more than what stops the axis about which they turn most easily
        const REAL about = real_max(real_max(common.a.xx + common.b.xx, common.a.yy + common.b.yy),
                                    common.a.zz + common.b.zz);
        real_store(tail->rollMass + l, invert(about, common.live));
        store3(tail->rollImpulse, l, rigid_set(0, 0, 0));
    }
    // in a sub-step by no more than a quarter of the thinner one's thickness: faster, small bodies would spin up
    const REAL quarter = points->thickness * (0.25f * step->terms.perSubStep);
    real_store(head->pushSpeed + l, real_min(quarter, real_set(step->terms.pushSpeed)));
    RigidVector wa, wb;
    const RigidVector va = load_speed(step->bodies, head->a + l, &wa),
                      vb = load_speed(step->bodies, head->b + l, &wb);
    common.speed =
        rigid_approach(common.frame, rigid_parting(va, wa, common.armA, vb, wb, common.armB), wa, wb);
    real_store(tail->approach + l, -common.speed.along);
    return common;
}

WB_INLINE void store_drag(wbGroupHead *head, int l, const Common *common, RigidVector friction) {
    real_store(head->dragImpulse[0] + l, common->live * rigid_dot(friction, common->frame.s));
    real_store(head->dragImpulse[1] + l, common->live * rigid_dot(friction, common->frame.t));
}

WB_INLINE void build_many(const Building *building, int l, const Points *points, wbManyGroup *group) {
    const REAL zero = real_set(0), one = real_set(1), far = real_set(RIGID_FAR);
    REAL count = zero, there[RIGID_POINTS];
    RigidVector middle = rigid_set(0, 0, 0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        there[i] = real_select(real_less(points->separation[i], far), one, zero);
        count += there[i];
        middle = rigid_madd(there[i], points->places[i], middle);
    }
    middle = rigid_scale(one / real_max(count, one), middle);
    const Common common = begin_lanes(building, l, points, middle, &group->head, &group->tail);
    const RigidFrame frame = common.frame;
    const RigidResponse r =
        rigid_response(frame, common.armA, common.armB, common.a, common.b, group->tail.isRound);
    const REAL response[6] = {r.nn, r.nx, r.ny, r.xx, r.xy, r.yy};
    for (int k = 0; k < 6; k++) real_store(group->response[k] + l, response[k]);
    const RigidVector twist = rigid_add(rigid_spin(common.a, frame.n, group->tail.isRound),
                                        rigid_spin(common.b, frame.n, group->tail.isRound));
    real_store(group->twistMass + l, invert(rigid_dot(frame.n, twist), common.live));
    Before before = {{zero, zero, zero, zero}, rigid_set(0, 0, 0), zero};
    if (building->hasOld) before = find_before(building, l, points, RIGID_POINTS);
    REAL arms = zero;
    for (int i = 0; i < RIGID_POINTS; i++) {
        const RigidVector from = rigid_sub(points->places[i], middle);
        const REAL x = there[i] * rigid_dot(from, frame.s), y = there[i] * rigid_dot(from, frame.t);
        const REAL live = there[i] * common.live;
        arms += real_sqrt(real_madd(x, x, y * y));
        real_store(group->x[i] + l, x), real_store(group->y[i] + l, y);
        real_store(group->separation[i] + l, real_select(real_less(zero, live), points->separation[i], far));
        real_store(group->impulse[i] + l, live * before.impulse[i]);
        if (!group->tail.bounces) continue;
        real_store(group->speed[i] + l,
                   real_madd(common.speed.y, y, real_madd(common.speed.x, x, common.speed.along)));
        real_store(group->peak[i] + l, zero);
    }
    real_store(group->twistArm + l, arms / real_max(count, one));
    real_store(group->twistImpulse + l, common.live * before.twist);
    store_drag(&group->head, l, &common, before.friction);
}

WB_INLINE void build_one(const Building *building, int l, const Points *points, wbOneGroup *group) {
    const REAL zero = real_set(0);
    const Common common = begin_lanes(building, l, points, points->places[0], &group->head, &group->tail);
    const REAL yields =
        rigid_yielding(common.frame.n, common.armA, common.armB, common.a, common.b, group->tail.isRound);
    Before before = {{zero}, rigid_set(0, 0, 0), zero};
    if (building->hasOld) before = find_before(building, l, points, 1);
    real_store(group->mass + l, invert(yields, common.live));
    real_store(group->separation + l,
               real_select(real_less(zero, common.live), points->separation[0], real_set(RIGID_FAR)));
    real_store(group->impulse + l, common.live * before.impulse[0]);
    store_drag(&group->head, l, &common, before.friction);
    if (!group->tail.bounces) return;
    real_store(group->speed + l, common.speed.along);
    real_store(group->peak + l, zero);
}

WB_INLINE Points find_points(const Building *building, int l) {
    switch (building->plan->kind) {
    case wb_contactFace:
    case wb_contactFaceFixed:
        return find_face(building, l);
    case wb_contactEdge:
    case wb_contactEdgeFixed:
        return find_edge(building, l);
    case wb_contactSide:
        return find_side(building, l);
    default:
        return load_manifolds(building, l);
    }
}

// Materials and bodies of the lanes.
static void begin_group(Building *building, wbGroupHead *head, wbGroupTail *tail) {
    const wbExactStep *step = building->step;
    const wbPiecePair *pairs = step->rigid->contacts.pairs.data;
    const wbGroupPlan *plan = building->plan;
    const int dummy = step->bodyCount + WB_SIDE_ROWS + (int)plan->kind;
    building->hasOld = false;
    tail->count = plan->count;
    tail->isRound = true, tail->rolls = tail->bounces = false;
    for (int l = 0; l < WB_CONTACT_LANES; l++) {
        const bool live = l < plan->count;
        const wbContactPlan *contact = &step->plans[step->slots[plan->first + (live ? l : 0)]];
        const wbPiecePair *pair = &pairs[contact->pair];
        const int a = live ? contact->rows[0] : dummy, b = live ? contact->rows[1] : dummy;
        building->contacts[l] = *contact;
        building->quadsA[l] = WB_PLACE_QUADS * pair->a;
        building->quadsB[l] = WB_PLACE_QUADS * (pair->b >= 0 ? pair->b : pair->a);
        building->massesA[l] = WB_MASS_QUADS * a, building->massesB[l] = WB_MASS_QUADS * b;
        building->live[l] = live;
        building->old[l] = contactQuads * (live && contact->old >= 0 ? contact->old : step->noContact);
        building->hasOld |= contact->old >= 0;
        const wbContact *old = (const wbContact *)((const float(*)[4])step->oldContacts + building->old[l]);
        __builtin_prefetch(old), __builtin_prefetch(old->friction);
        const wbContactNames names = wbNameContact(step, contact);
        tail->names[0][l] = names.bodies[0], tail->names[1][l] = names.bodies[1];
        tail->names[2][l] = (int)names.pieces, tail->names[3][l] = (int)names.key;
        head->a[l] = WB_BODY_QUADS * a, head->b[l] = WB_BODY_QUADS * b;
        const wbMaterial material = wbMixMaterials(step, contact->rows[0], contact->rows[1]);
        head->friction[l] = material.friction;
        tail->rolling[l] = live ? material.rolling : 0, tail->bounce[l] = live ? material.bounce : 0;
        tail->isRound &= step->masses[a].isRound > 0 && step->masses[b].isRound > 0;
        tail->rolls |= tail->rolling[l] > 0, tail->bounces |= tail->bounce[l] > 0;
    }
}

static void build(int begin, int end, int worker, void *context) {
    const wbExactStep *step = context;
    (void)worker;
    Building building = {.step = step};
    for (int g = begin; g < end; g++) {
        const wbGroupPlan *plan = &step->groupPlans[g];
        const bool isOne = wbIsOnePoint(plan->kind);
        wbManyGroup *many = isOne ? NULL : &step->many[plan->at];
        wbOneGroup *one = isOne ? &step->ones[plan->at] : NULL;
        building.plan = plan;
        begin_group(&building, isOne ? &one->head : &many->head, isOne ? &one->tail : &many->tail);
        for (int l = 0; l < plan->count; l += WB_LANES) {
            const Points points = find_points(&building, l);
            if (isOne)
                build_one(&building, l, &points, one);
            else
                build_many(&building, l, &points, many);
        }
    }
}

// Solving

typedef struct Line {
    REAL4 quads[3];
} Line;

WB_INLINE Line load_line(const wbSolverBody *bodies, const int *quads) {
    Line line;
    for (int k = 0; k < 3; k++) line.quads[k] = lane_load4((const float *)bodies + 4 * k, quads);
    return line;
}
WB_INLINE RigidVector line_v(const Line *line) { return first3(line->quads[0]); }
WB_INLINE RigidVector line_w(const Line *line) {
    return rigid_vector(line->quads[0].w, line->quads[1].x, line->quads[1].y);
}
WB_INLINE RigidVector line_way(const Line *line) {
    return rigid_vector(line->quads[1].z, line->quads[1].w, line->quads[2].x);
}
WB_INLINE RigidVector line_turn(const Line *line) {
    return rigid_vector(line->quads[2].y, line->quads[2].z, line->quads[2].w);
}
WB_INLINE void store_line(wbSolverBody *bodies, const int *quads, const Line *line, RigidVector v,
                          RigidVector w) {
    lane_scatter4((float *)bodies, quads, (REAL4){v.x, v.y, v.z, w.x});
    lane_scatter4((float *)bodies + 4, quads, (REAL4){w.y, w.z, line->quads[1].z, line->quads[1].w});
}

// Both bodies of some contacts while they are solved.
typedef struct Couple {
    Line lineA, lineB;
    RigidVector va, wa, vb, wb;
    RigidInertia a, b;
    RigidVector armA, armB;
    RigidFrame frame;
    int isRound;
} Couple;

WB_INLINE RigidInertia read_inertia(const float *mass, const float *turn, float columns[6][WB_CONTACT_LANES],
                                    int l, int isRound) {
    RigidInertia i;
    i.mass = real_load(mass + l);
    i.xx = isRound ? real_load(turn + l) : real_load(columns[0] + l);
    i.xy = i.xz = i.yy = i.yz = i.zz = i.xx;
    if (isRound) return i;
    i.xy = real_load(columns[1] + l), i.xz = real_load(columns[2] + l), i.yy = real_load(columns[3] + l);
    i.yz = real_load(columns[4] + l), i.zz = real_load(columns[5] + l);
    return i;
}

WB_INLINE Couple load_couple(const wbSolverBody *bodies, wbGroupHead *head, wbGroupTail *tail, int l,
                             int isRound) {
    Couple c;
    c.lineA = load_line(bodies, head->a + l), c.lineB = load_line(bodies, head->b + l);
    c.va = line_v(&c.lineA), c.wa = line_w(&c.lineA), c.vb = line_v(&c.lineB), c.wb = line_w(&c.lineB);
    c.armA = load3(head->armA, l), c.armB = load3(head->armB, l);
    c.frame = rigid_frame(load3(head->normal, l));
    c.a = read_inertia(head->massA, head->turnA, tail->inertiaA, l, isRound);
    c.b = read_inertia(head->massB, head->turnB, tail->inertiaB, l, isRound);
    c.isRound = isRound;
    return c;
}

WB_INLINE void store_couple(wbSolverBody *bodies, const wbGroupHead *head, int l, const Couple *c,
                            int isFixed) {
    store_line(bodies, head->a + l, &c->lineA, c->va, c->wa);
    if (!isFixed) store_line(bodies, head->b + l, &c->lineB, c->vb, c->wb);
}

// An impulse on the second body at the middle, and a moment besides.
WB_INLINE void push_couple(Couple *c, RigidVector impulse, RigidVector moment, int isFixed) {
    c->va = rigid_madd(-c->a.mass, impulse, c->va);
    c->wa = rigid_sub(c->wa, rigid_spin(c->a, rigid_add(rigid_cross(c->armA, impulse), moment), c->isRound));
    if (isFixed) return;
    c->vb = rigid_madd(c->b.mass, impulse, c->vb);
    c->wb = rigid_add(c->wb, rigid_spin(c->b, rigid_add(rigid_cross(c->armB, impulse), moment), c->isRound));
}

WB_INLINE void turn_couple(Couple *c, RigidVector moment, int isFixed) {
    c->wa = rigid_sub(c->wa, rigid_spin(c->a, moment, c->isRound));
    if (!isFixed) c->wb = rigid_add(c->wb, rigid_spin(c->b, moment, c->isRound));
}

WB_INLINE RigidVector across(const RigidFrame *frame, REAL s, REAL t) {
    return rigid_madd(s, frame->s, rigid_scale(t, frame->t));
}

WB_INLINE void push_sums(Couple *c, RigidSums sums, int isFixed) {
    push_couple(c, rigid_scale(sums.along, c->frame.n), across(&c->frame, sums.y, -sums.x), isFixed);
}

WB_INLINE RigidVector part(const Couple *c) {
    return rigid_parting(c->va, c->wa, c->armA, c->vb, c->wb, c->armB);
}
WB_INLINE RigidVector part_ways(const Couple *c) {
    return rigid_parting(line_way(&c->lineA), line_turn(&c->lineA), c->armA, line_way(&c->lineB),
                         line_turn(&c->lineB), c->armB);
}

// Friction at the middle, and about the normal if `moment` is given.
WB_INLINE RigidVector rub(Couple *c, wbGroupHead *head, int l, REAL push) {
    const RigidVector speed = part(c);
    const REAL s = real_load(head->dragImpulse[0] + l), t = real_load(head->dragImpulse[1] + l);
    RigidDrag drag = {s - real_load(head->dragMass[0] + l) * rigid_dot(c->frame.s, speed),
                      t - real_load(head->dragMass[1] + l) * rigid_dot(c->frame.t, speed)};
    drag = rigid_drag(drag, real_load(head->friction + l) * push);
    real_store(head->dragImpulse[0] + l, drag.s), real_store(head->dragImpulse[1] + l, drag.t);
    return across(&c->frame, drag.s - s, drag.t - t);
}

// Against rolling: a moment that stops the bodies' turning against each other, at most the push times an arm.
WB_INLINE void roll(Couple *c, wbGroupTail *tail, int l, REAL push, int isFixed) {
    const RigidVector old = load3(tail->rollImpulse, l);
    RigidVector moment = rigid_madd(-real_load(tail->rollMass + l), rigid_sub(c->wb, c->wa), old);
    const REAL limit = real_load(tail->rolling + l) * push;
    const REAL cut = limit * real_rsqrt(real_max(rigid_dot(moment, moment), real_set(1e-30f)));
    moment = rigid_scale(real_min(real_set(1), cut), moment);
    store3(tail->rollImpulse, l, moment);
    turn_couple(c, rigid_sub(moment, old), isFixed);
}

WB_INLINE RigidResponse load_response(const wbManyGroup *group, int l) {
    RigidResponse r = {real_load(group->response[0] + l), real_load(group->response[1] + l),
                       real_load(group->response[2] + l), real_load(group->response[3] + l),
                       real_load(group->response[4] + l), real_load(group->response[5] + l)};
    return r;
}

WB_INLINE void warm_many(const wbExactStep *step, wbManyGroup *group, int l, int isFixed, int isRound) {
    Couple c = load_couple(step->bodies, &group->head, &group->tail, l, isRound);
    RigidSums sums = {real_set(0), real_set(0), real_set(0)};
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL impulse = real_load(group->impulse[i] + l);
        sums.along += impulse;
        sums.x = real_madd(real_load(group->x[i] + l), impulse, sums.x);
        sums.y = real_madd(real_load(group->y[i] + l), impulse, sums.y);
    }
    push_sums(&c, sums, isFixed);
    const RigidVector drag = across(&c.frame, real_load(group->head.dragImpulse[0] + l),
                                    real_load(group->head.dragImpulse[1] + l));
    push_couple(&c, drag, rigid_scale(real_load(group->twistImpulse + l), c.frame.n), isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void solve_many(const wbExactStep *step, wbManyGroup *group, int l, int isSoft, int isFixed,
                          int isRound) {
    Couple c = load_couple(step->bodies, &group->head, &group->tail, l, isRound);
    const RigidTerms terms = step->terms;
    const RigidResponse response = load_response(group, l);
    const REAL pushSpeed = real_load(group->head.pushSpeed + l);
    const RigidApproach way =
        rigid_approach(c.frame, part_ways(&c), line_turn(&c.lineA), line_turn(&c.lineB));
    RigidApproach speed = rigid_approach(c.frame, part(&c), c.wa, c.wb);
    RigidSums sums = {real_set(0), real_set(0), real_set(0)};
    REAL push = real_set(0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL impulse = rigid_push_point(real_load(group->impulse[i] + l), real_load(group->x[i] + l),
                                              real_load(group->y[i] + l), real_load(group->separation[i] + l),
                                              way, response, pushSpeed, terms, isSoft, &speed, &sums);
        real_store(group->impulse[i] + l, impulse);
        push += impulse;
    }
    push_sums(&c, sums, isFixed);
    const RigidVector drag = rub(&c, &group->head, l, push);
    const REAL twist = real_load(group->twistImpulse + l);
    const REAL spin = rigid_dot(c.frame.n, rigid_sub(c.wb, c.wa));
    const REAL limit = real_load(group->head.friction + l) * push * real_load(group->twistArm + l);
    const REAL twisted = clamp(twist - real_load(group->twistMass + l) * spin, limit);
    real_store(group->twistImpulse + l, twisted);
    push_couple(&c, drag, rigid_scale(twisted - twist, c.frame.n), isFixed);
    if (group->tail.rolls) roll(&c, &group->tail, l, push, isFixed);
    if (group->tail.bounces)
        for (int i = 0; i < RIGID_POINTS; i++)
            real_store(group->peak[i] + l,
                       real_max(real_load(group->peak[i] + l), real_load(group->impulse[i] + l)));
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void warm_one(const wbExactStep *step, wbOneGroup *group, int l, int isFixed, int isRound) {
    Couple c = load_couple(step->bodies, &group->head, &group->tail, l, isRound);
    const RigidVector drag = across(&c.frame, real_load(group->head.dragImpulse[0] + l),
                                    real_load(group->head.dragImpulse[1] + l));
    push_couple(&c, rigid_madd(real_load(group->impulse + l), c.frame.n, drag), rigid_set(0, 0, 0), isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void solve_one(const wbExactStep *step, wbOneGroup *group, int l, int isSoft, int isFixed,
                         int isRound) {
    Couple c = load_couple(step->bodies, &group->head, &group->tail, l, isRound);
    const REAL before = real_load(group->impulse + l), mass = real_load(group->mass + l);
    const REAL now = real_load(group->separation + l) + rigid_dot(c.frame.n, part_ways(&c));
    const REAL push = rigid_push(before, mass, rigid_dot(c.frame.n, part(&c)), now,
                                 real_load(group->head.pushSpeed + l), step->terms, isSoft);
    real_store(group->impulse + l, push);
    push_couple(&c, rigid_scale(push - before, c.frame.n), rigid_set(0, 0, 0), isFixed);
    const RigidVector drag = rub(&c, &group->head, l, push);
    push_couple(&c, drag, rigid_set(0, 0, 0), isFixed);
    if (group->tail.rolls) roll(&c, &group->tail, l, push, isFixed);
    if (group->tail.bounces) real_store(group->peak + l, real_max(real_load(group->peak + l), push));
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

// Restitution, after the last sub-step [C24]: points that met fast enough and were pushed part at their share of that speed.
WB_INLINE REAL bounce_mass(REAL mass, REAL met, REAL peak, float bounceSpeed) {
    const REAL zero = real_set(0);
    const REAL fast = real_select(real_less(met, real_set(-bounceSpeed)), mass, zero);
    return real_select(real_less(zero, peak), fast, zero);
}

WB_INLINE void bounce_many(const wbExactStep *step, wbManyGroup *group, int l, int isFixed) {
    Couple c = load_couple(step->bodies, &group->head, &group->tail, l, group->tail.isRound);
    const RigidResponse r = load_response(group, l);
    const REAL share = real_load(group->tail.bounce + l);
    RigidApproach speed = rigid_approach(c.frame, part(&c), c.wa, c.wb);
    RigidSums sums = {real_set(0), real_set(0), real_set(0)};
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL x = real_load(group->x[i] + l), y = real_load(group->y[i] + l);
        const REAL met = real_load(group->speed[i] + l), before = real_load(group->impulse[i] + l);
        const REAL n = real_madd(r.ny, y, real_madd(r.nx, x, r.nn));
        const REAL dx = real_madd(r.xy, y, real_madd(r.xx, x, r.nx)),
                   dy = real_madd(r.yy, y, real_madd(r.xy, x, r.ny));
        const REAL yields = real_max(real_madd(dy, y, real_madd(dx, x, n)), real_set(1e-30f));
        const REAL mass =
            bounce_mass(real_rcp(yields), met, real_load(group->peak[i] + l), step->terms.bounceSpeed);
        const REAL parting = real_madd(speed.y, y, real_madd(speed.x, x, speed.along));
        const REAL after = real_max(before - mass * real_madd(share, met, parting), real_set(0)),
                   change = after - before;
        real_store(group->impulse[i] + l, after);
        speed.along = real_madd(n, change, speed.along);
        speed.x = real_madd(dx, change, speed.x), speed.y = real_madd(dy, change, speed.y);
        sums.along += change;
        sums.x = real_madd(x, change, sums.x), sums.y = real_madd(y, change, sums.y);
    }
    push_sums(&c, sums, isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void bounce_one(const wbExactStep *step, wbOneGroup *group, int l, int isFixed) {
    Couple c = load_couple(step->bodies, &group->head, &group->tail, l, group->tail.isRound);
    const REAL met = real_load(group->speed + l), before = real_load(group->impulse + l);
    const REAL mass =
        bounce_mass(real_load(group->mass + l), met, real_load(group->peak + l), step->terms.bounceSpeed);
    const REAL wanted = real_madd(real_load(group->tail.bounce + l), met, rigid_dot(c.frame.n, part(&c)));
    const REAL after = real_max(before - mass * wanted, real_set(0));
    real_store(group->impulse + l, after);
    push_couple(&c, rigid_scale(after - before, c.frame.n), rigid_set(0, 0, 0), isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

// Groups of round bodies are the fast ones; what is constant here makes a version of its own of each.
WB_INLINE void pass_many(const wbExactStep *step, wbManyGroup *group, int pass, int isFixed, int isRound) {
    for (int l = 0; l < group->tail.count; l += WB_LANES) {
        if (pass == wb_passWarmStart)
            warm_many(step, group, l, isFixed, isRound);
        else
            solve_many(step, group, l, pass == wb_passBias, isFixed, isRound);
    }
}
WB_INLINE void pass_one(const wbExactStep *step, wbOneGroup *group, int pass, int isFixed, int isRound) {
    for (int l = 0; l < group->tail.count; l += WB_LANES) {
        if (pass == wb_passWarmStart)
            warm_one(step, group, l, isFixed, isRound);
        else
            solve_one(step, group, l, pass == wb_passBias, isFixed, isRound);
    }
}

WB_INLINE void pass_groups(const wbExactStep *step, const wbContactBatch *batch, int begin, int end, int pass,
                           int isFixed) {
    for (int g = begin; g < end; g++) {
        if (wbIsOnePoint(batch->kind)) {
            wbOneGroup *group = &step->ones[batch->at + g];
            if (group->tail.isRound)
                pass_one(step, group, pass, isFixed, 1);
            else
                pass_one(step, group, pass, isFixed, 0);
        } else {
            wbManyGroup *group = &step->many[batch->at + g];
            if (group->tail.isRound)
                pass_many(step, group, pass, isFixed, 1);
            else
                pass_many(step, group, pass, isFixed, 0);
        }
    }
}

static void bounce_groups(const wbExactStep *step, const wbContactBatch *batch, int begin, int end) {
    const bool isFixed = wbIsFixed(batch->kind);
    for (int g = begin; g < end; g++) {
        wbOneGroup *one = wbIsOnePoint(batch->kind) ? &step->ones[batch->at + g] : NULL;
        wbManyGroup *many = one ? NULL : &step->many[batch->at + g];
        const wbGroupTail *tail = one ? &one->tail : &many->tail;
        for (int l = 0; tail->bounces && l < tail->count; l += WB_LANES) {
            if (one)
                bounce_one(step, one, l, isFixed);
            else
                bounce_many(step, many, l, isFixed);
        }
    }
}

static void solve(const wbExactStep *step, const wbContactBatch *batch, int begin, int end, int pass) {
    const bool isFixed = wbIsFixed(batch->kind);
    if (pass == WB_PASS_BOUNCE)
        bounce_groups(step, batch, begin, end);
    else if (pass == wb_passWarmStart && isFixed)
        pass_groups(step, batch, begin, end, wb_passWarmStart, 1);
    else if (pass == wb_passWarmStart)
        pass_groups(step, batch, begin, end, wb_passWarmStart, 0);
    else if (pass == wb_passBias && isFixed)
        pass_groups(step, batch, begin, end, wb_passBias, 1);
    else if (pass == wb_passBias)
        pass_groups(step, batch, begin, end, wb_passBias, 0);
    else if (isFixed)
        pass_groups(step, batch, begin, end, wb_passRelax, 1);
    else
        pass_groups(step, batch, begin, end, wb_passRelax, 0);
}

// Keeping contacts

WB_INLINE void keep_common(const wbGroupHead *head, const wbGroupTail *tail, int l, float *records,
                           const int *quads, const RigidFrame *frame, REAL twist,
                           const REAL separation[RIGID_POINTS]) {
    const RigidVector n = frame->n, drag = across(frame, real_load(head->dragImpulse[0] + l),
                                                  real_load(head->dragImpulse[1] + l));
    lane_scatter4(records + 4 * frictionQuad, quads, (REAL4){drag.x, drag.y, drag.z, twist});
    lane_scatter4(records + 4 * frictionQuad + 4, quads,
                  (REAL4){n.x, n.y, n.z, real_load(tail->approach + l)});
    lane_scatter4(records + 4 * frictionQuad + 8, quads,
                  (REAL4){separation[0], separation[1], separation[2], separation[3]});
    const float *names = (const float *)tail->names[0] + l;
    lane_scatter4(records + 4 * frictionQuad + 12, quads,
                  (REAL4){real_load(names), real_load(names + WB_CONTACT_LANES),
                          real_load(names + 2 * WB_CONTACT_LANES), real_load(names + 3 * WB_CONTACT_LANES)});
}

// Both give 1 where bodies touch, not just nearly, else 0.
WB_INLINE REAL touches(REAL separation, REAL impulse) {
    const REAL one = real_set(1), zero = real_set(0);
    return real_select(real_less(zero, separation), real_select(real_less(zero, impulse), one, zero), one);
}

WB_INLINE REAL keep_many(const wbManyGroup *group, int l, float *records, const int *quads) {
    const RigidFrame frame = rigid_frame(load3(group->head.normal, l));
    const RigidVector middle = load3(group->head.armA, l);
    REAL separation[RIGID_POINTS], any = real_set(0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL impulse = real_load(group->impulse[i] + l);
        separation[i] = real_load(group->separation[i] + l);
        any = real_max(any, touches(separation[i], impulse));
        RigidVector p =
            rigid_add(middle, across(&frame, real_load(group->x[i] + l), real_load(group->y[i] + l)));
        // what is not there is nowhere near
        p.x = real_select(real_less(separation[i], real_set(WB_NO_POINT)), p.x, real_set(RIGID_FAR));
        lane_scatter4(records + 4 * i, quads, (REAL4){p.x, p.y, p.z, impulse});
    }
    keep_common(&group->head, &group->tail, l, records, quads, &frame, real_load(group->twistImpulse + l),
                separation);
    return any;
}

WB_INLINE REAL keep_one(const wbOneGroup *group, int l, float *records, const int *quads) {
    const RigidFrame frame = rigid_frame(load3(group->head.normal, l));
    const RigidVector p = load3(group->head.armA, l);
    const REAL far = real_set(RIGID_FAR), zero = real_set(0);
    const REAL separation[RIGID_POINTS] = {real_load(group->separation + l), far, far, far};
    lane_scatter4(records, quads, (REAL4){p.x, p.y, p.z, real_load(group->impulse + l)});
    for (int i = 1; i < RIGID_POINTS; i++)
        lane_scatter4(records + 4 * i, quads, (REAL4){far, zero, zero, zero});
    keep_common(&group->head, &group->tail, l, records, quads, &frame, zero, separation);
    return touches(separation[0], real_load(group->impulse + l));
}

// Lanes without a contact write behind all contacts, each group where no other does.
static void keep(int begin, int end, int worker, void *context) {
    const wbExactStep *step = context;
    wbContact *contacts = step->rigid->contacts.spare.data;
    (void)worker;
    for (int g = begin; g < end; g++) {
        const wbGroupPlan *plan = &step->groupPlans[g];
        int quads[WB_CONTACT_LANES];
        float touching[WB_CONTACT_LANES];
        for (int l = 0; l < WB_CONTACT_LANES; l++)
            quads[l] =
                contactQuads * (l < plan->count ? step->slots[plan->first + l] : step->contactCount + 1 + g);
        for (int l = 0; l < plan->count; l += WB_LANES) {
            if (wbIsOnePoint(plan->kind))
                real_store(touching + l, keep_one(&step->ones[plan->at], l, (float *)contacts, quads + l));
            else
                real_store(touching + l, keep_many(&step->many[plan->at], l, (float *)contacts, quads + l));
        }
        for (int l = 0; l < plan->count; l++) step->touches[step->slots[plan->first + l]] = touching[l] > 0;
    }
}

const wbRigidCode WB_WIDE(wb_rigidCode) = {collide_boxes, build, solve, keep};
