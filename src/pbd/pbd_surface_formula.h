// SPDX-License-Identifier: MIT
// The formulas of surfaces that touch: closest points of a corner and a triangle, of two edges, and the push between them. Over REAL.
#pragma once

/// Closest points at the start: C = d + n · sum k way. Of a corner k is (1, v + w - 1, -v, -w), of edges (1 - s, s, t - 1, -t).
typedef struct PbdMeasure {
    REAL n[3], d;
    REAL weights[2]; ///< v, w; or s, t
    REAL
        slant; ///< 0: the gap is across; 2: it is not, since the closest points are at the rim of what they are on
    REAL left; ///< between all corners of both along n, in the end
} PbdMeasure;

WB_INLINE REAL surface_dot(const REAL a[3], const REAL b[3]) {
    return real_madd(a[0], b[0], real_madd(a[1], b[1], a[2] * b[2]));
}

WB_INLINE REAL surface_clamp(REAL a) { return real_min(real_max(a, real_set(0)), real_set(1)); }

/// a / b within 0 … 1; where b is nothing, 0.
WB_INLINE REAL surface_share(REAL a, REAL b) {
    REAL tiny = real_set(1e-30f);
    return real_select(real_less(tiny, b), surface_clamp(a * real_rcp(real_max(b, tiny))), real_set(0));
}

WB_INLINE void surface_point(const REAL edges[2][3], REAL v, REAL w, const REAL from[3], REAL gap[3]) {
    for (int a = 0; a < 3; a++) gap[a] = from[a] - real_madd(v, edges[0][a], w * edges[1][a]);
}

/// The gap from the closest point of a triangle with a corner in the origin to the place `from`.
WB_INLINE void surface_near_triangle(const REAL edges[2][3], const REAL from[3], REAL weights[2],
                                     REAL gap[3]) {
    REAL one = real_set(1), zero = real_set(0), other[3];
    REAL d00 = surface_dot(edges[0], edges[0]), d01 = surface_dot(edges[0], edges[1]),
         d11 = surface_dot(edges[1], edges[1]), d20 = surface_dot(from, edges[0]),
         d21 = surface_dot(from, edges[1]);
    // of its three edges the nearest
    REAL v = surface_share(d20, d00), w = zero;
    surface_point(edges, v, w, from, gap);
    REAL w2 = surface_share(d21, d11);
    surface_point(edges, zero, w2, from, other);
    MASK nearer = real_less(surface_dot(other, other), surface_dot(gap, gap));
    v = real_select(nearer, zero, v), w = real_select(nearer, w2, w);
    for (int a = 0; a < 3; a++) gap[a] = real_select(nearer, other[a], gap[a]);
    REAL w3 = surface_share(d21 - d20 - d01 + d00, d00 - 2.0f * d01 + d11);
    surface_point(edges, one - w3, w3, from, other);
    nearer = real_less(surface_dot(other, other), surface_dot(gap, gap));
    v = real_select(nearer, one - w3, v), w = real_select(nearer, w3, w);
    for (int a = 0; a < 3; a++) gap[a] = real_select(nearer, other[a], gap[a]);
    // or within
    REAL area2 = d00 * d11 - d01 * d01, least = 1e-6f * d00 * d11;
    REAL inverse = real_rcp(real_max(area2, real_set(1e-30f)));
    REAL inV = (d11 * d20 - d01 * d21) * inverse, inW = (d00 * d21 - d01 * d20) * inverse;
    REAL inside = real_min(real_min(inV, inW), one - inV - inW);
    inside = real_select(real_less(least, area2), inside, real_set(-1));
    MASK isIn = real_less(zero, inside);
    surface_point(edges, inV, inW, from, other);
    v = real_select(isIn, inV, v), w = real_select(isIn, inW, w);
    for (int a = 0; a < 3; a++) gap[a] = real_select(isIn, other[a], gap[a]);
    weights[0] = v, weights[1] = w;
}

/// The gap from the edge q … q + e to the edge r + q … r + q + d: Ericson 2005, 5.1.9, without its branches.
WB_INLINE void surface_near_edge(const REAL d[3], const REAL e[3], const REAL r[3], REAL weights[2],
                                 REAL gap[3]) {
    REAL a = surface_dot(d, d), b = surface_dot(d, e), c = surface_dot(d, r), ee = surface_dot(e, e),
         f = surface_dot(e, r), area2 = a * ee - b * b, half = real_set(0.5f);
    REAL s = real_select(real_less(1e-6f * a * ee, area2), surface_share(b * f - c * ee, area2), half);
    REAL t = surface_share(real_madd(b, s, f), ee);
    s = surface_share(b * t - c, a);
    for (int k = 0; k < 3; k++) gap[k] = r[k] + s * d[k] - t * e[k];
    weights[0] = s, weights[1] = t;
}

/// 2 if n leans along an edge by more than 30 degrees, else 0.
WB_INLINE REAL surface_slant(const REAL n[3], const REAL edge[3]) {
    REAL along = surface_dot(n, edge);
    return real_select(real_less(0.25f * surface_dot(edge, edge), along * along), real_set(2), real_set(0));
}

/// What a push along n by lambda, and friction across it, do to each corner: `push` times w k.
WB_INLINE void surface_press(const REAL n[3], const REAL slide[3], REAL depth, REAL weight, float friction,
                             REAL push[3]) {
    REAL along = surface_dot(n, slide), across[3], across2 = real_set(1e-24f);
    for (int a = 0; a < 3; a++) {
        across[a] = slide[a] - along * n[a];
        across2 = real_madd(across[a], across[a], across2);
    }
    REAL share = real_min(depth * friction * real_rsqrt(across2), real_set(1));
    REAL inverse = real_select(real_less(real_set(0), weight), real_rcp(real_max(weight, real_set(1e-30f))),
                               real_set(0));
    for (int a = 0; a < 3; a++) push[a] = inverse * (depth * n[a] - share * across[a]);
}
