// SPDX-License-Identifier: MIT
// Of many points where two pieces touch the four that hold best, once for every machine: over REAL, of CHOOSE_POINT, which is what has a
// `place` and a `separation`.
#pragma once

enum { CHOOSE_MOST = 4 };
// What is nearer to a line than a hundredth of its length would add nothing.
#ifdef __OPENCL_VERSION__
#    define CHOOSE_SHARE 0.01f
#else
#    define CHOOSE_SHARE 0.01
#endif

WB_INLINE int choose_deepest(const CHOOSE_POINT *points, int count) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (points[i].separation < points[best].separation) best = i;
    return best;
}

WB_INLINE int choose_farthest(const CHOOSE_POINT *points, int count, RigidVector from, REAL *distance2) {
    int best = 0;
    *distance2 = -1;
    for (int i = 0; i < count; i++) {
        const RigidVector d = rigid_sub(points[i].place, from);
        if (rigid_dot(d, d) > *distance2) *distance2 = rigid_dot(d, d), best = i;
    }
    return best;
}

// Of the triangle that points span with two others, across the normal: the largest one with a sign.
WB_INLINE int choose_largest(const CHOOSE_POINT *points, int count, RigidVector a, RigidVector b,
                             RigidVector normal, int sign, REAL *area) {
    const RigidVector across = rigid_cross(normal, rigid_sub(b, a));
    int best = -1;
    for (int i = 0; i < count; i++) {
        const REAL size = sign * rigid_dot(across, rigid_sub(points[i].place, a));
        if (size > *area) *area = size, best = i;
    }
    return best;
}

/// The deepest, and those that span the largest area across the normal. Returns how many, and which.
WB_INLINE int choose_points(const CHOOSE_POINT *points, int count, RigidVector normal,
                            int chosen[CHOOSE_MOST]) {
    int kept = 0;
    REAL distance2;
    if (count == 0) return 0;
    chosen[kept++] = choose_deepest(points, count);
    const RigidVector a = points[chosen[0]].place;
    const int second = choose_farthest(points, count, a, &distance2);
    if (distance2 <= 0) return kept;
    chosen[kept++] = second;
    const RigidVector b = points[second].place;
    REAL left = CHOOSE_SHARE * distance2, right = left;
    const int third = choose_largest(points, count, a, b, normal, 1, &left),
              fourth = choose_largest(points, count, a, b, normal, -1, &right);
    if (third >= 0) chosen[kept++] = third;
    if (fourth >= 0) chosen[kept++] = fourth;
    if (kept != 3) return kept;
    // all are on one side: the one that makes most of what is left
    const RigidVector c = points[chosen[2]].place;
    const int sign = third >= 0 ? -1 : 1;
    REAL most = CHOOSE_SHARE * distance2;
    const int one = choose_largest(points, count, b, c, normal, sign, &most),
              other = choose_largest(points, count, c, a, normal, sign, &most);
    if (one >= 0 || other >= 0) chosen[kept++] = other >= 0 ? other : one;
    return kept;
}
