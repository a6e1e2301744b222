// SPDX-License-Identifier: MIT
// A ball and another piece, once for every machine: how far a point is from the piece's core, in its frame, and which way is out. Over REAL,
// which is a double on the cores and a float on devices.
#pragma once

/// Kinds of cores that this knows, as wbCoreKind and wbPieceKind count them: a point, a segment along y, a box, a cylinder.
enum { BALL_POINT, BALL_SEGMENT, BALL_BOX, BALL_CYLINDER, BALL_KINDS };

typedef struct BallWay {
    REAL separation; ///< m, of the point from the core; negative: inside
    RigidVector normal;
} BallWay;

WB_INLINE REAL ball_clamp(REAL x, REAL most) { return fmin(fmax(x, -most), most); }

WB_INLINE RigidVector ball_nearest(int kind, const REAL *size, RigidVector p) {
    const REAL flat = sqrt(p.x * p.x + p.z * p.z), share = flat > size[0] ? size[0] / flat : 1;
    if (kind == BALL_POINT) return rigid_vector(0, 0, 0);
    if (kind == BALL_SEGMENT) return rigid_vector(0, ball_clamp(p.y, size[1]), 0);
    if (kind == BALL_BOX)
        return rigid_vector(ball_clamp(p.x, size[0]), ball_clamp(p.y, size[1]), ball_clamp(p.z, size[2]));
    return rigid_vector(share * p.x, ball_clamp(p.y, size[1]), share * p.z);
}

WB_INLINE BallWay ball_out_of_box(const REAL *size, RigidVector p) {
    const REAL x = size[0] - fabs(p.x), y = size[1] - fabs(p.y), z = size[2] - fabs(p.z);
    const int k = y <= x && y <= z ? 1 : x <= z ? 0 : 2;
    const int sign = (k == 0 ? p.x : k == 1 ? p.y : p.z) < 0 ? -1 : 1;
    const BallWay way = {-(k == 0   ? x
                           : k == 1 ? y
                                    : z),
                         rigid_vector(k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0)};
    return way;
}

WB_INLINE BallWay ball_out_of_cylinder(const REAL *size, RigidVector p) {
    const REAL flat = sqrt(p.x * p.x + p.z * p.z), beside = size[0] - flat, below = size[1] - fabs(p.y);
    BallWay way = {-below, rigid_vector(0, p.y < 0 ? -1 : 1, 0)};
    if (below <= beside) return way;
    way.separation = -beside;
    way.normal = flat > 0 ? rigid_vector(p.x / flat, 0, p.z / flat) : rigid_vector(1, 0, 0);
    return way;
}

WB_INLINE BallWay ball_find_way(int kind, const REAL *size, RigidVector p) {
    const RigidVector out = rigid_sub(p, ball_nearest(kind, size, p));
    const REAL distance = sqrt(rigid_dot(out, out));
    if (distance == 0 && kind == BALL_BOX) return ball_out_of_box(size, p);
    if (distance == 0 && kind == BALL_CYLINDER) return ball_out_of_cylinder(size, p);
    BallWay way = {distance, rigid_vector(kind == BALL_SEGMENT, kind != BALL_SEGMENT, 0)};
    if (distance > 0) way.normal = rigid_vector(out.x / distance, out.y / distance, out.z / distance);
    return way;
}
