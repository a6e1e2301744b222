// SPDX-License-Identifier: MIT
// Pieces that hardly moved against each other, once for every machine: what was found of them is carried along instead of found again.
#pragma once

#include "rigid/manifold_device.h"

#ifdef __OPENCL_VERSION__
#    define follow_sqrt(x) sqrt(x)
#else
#    include <math.h>
#    include <stdbool.h>
#    define follow_sqrt(x) sqrtf(x)
#endif

// A turn by an angle has a vector part of sin(angle / 2), which is nearly half of it up to 1 rad.
#define FOLLOW_ANGLE_PER_SINE 2.1f

// conj(a) b
static inline void follow_relative_turn(const float a[4], const float b[4], float q[4]) {
    const float x = -a[0], y = -a[1], z = -a[2], w = a[3];
    q[0] = w * b[0] + x * b[3] + y * b[2] - z * b[1], q[1] = w * b[1] - x * b[2] + y * b[3] + z * b[0];
    q[2] = w * b[2] + x * b[1] - y * b[0] + z * b[3], q[3] = w * b[3] - x * b[0] - y * b[1] - z * b[2];
}

static inline wbVec3 follow_shift(const wbPose *first, const wbPose *second) {
    const float *p = first->position, *q = second->position;
    return wbPose_RotateInverse(second, wbMakeVec3(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
}

// A quaternion's matrix minus 1: small where it turns little.
static inline void follow_matrix(const float q[4], float m[3][3]) {
    const float x = q[0], y = q[1], z = q[2], w = q[3];
    m[0][0] = -2 * (y * y + z * z), m[0][1] = 2 * (x * y - w * z), m[0][2] = 2 * (x * z + w * y);
    m[1][0] = 2 * (x * y + w * z), m[1][1] = -2 * (x * x + z * z), m[1][2] = 2 * (y * z - w * x);
    m[2][0] = 2 * (x * z - w * y), m[2][1] = 2 * (y * z + w * x), m[2][2] = -2 * (x * x + y * y);
}

static inline wbVec3 follow_turned(const float m[3][3], wbVec3 v) {
    return wbMakeVec3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                      m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                      m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

/// False if what is known holds no longer.
static inline bool follow_holds(const wbCollideCache *cache, const wbPose *first, const wbPose *second,
                                wbRelativeWay *drift) {
    const float *p = cache->shift, *q = cache->turn;
    if (!(cache->hold.way > 0)) return false;
    const wbVec3 way = wbSub(follow_shift(first, second), wbMakeVec3(p[0], p[1], p[2]));
    const float most = cache->hold.way, distance2 = wbDot(way, way);
    if (!(distance2 <= most * most)) return false;
    // now conj(then): both conjugated, conj(now) conj(conj(then))
    float now[4], change[4];
    follow_relative_turn(second->rotation, first->rotation, now);
    const float back[4] = {-q[0], -q[1], -q[2], q[3]}, undo[4] = {-now[0], -now[1], -now[2], now[3]};
    follow_relative_turn(undo, back, change);
    const float sine2 = change[0] * change[0] + change[1] * change[1] + change[2] * change[2];
    if (!(sine2 < 0.25f) ||
        !(follow_sqrt(distance2) + FOLLOW_ANGLE_PER_SINE * cache->hold.reach * follow_sqrt(sine2) <= most))
        return false;
    drift->first = *first, drift->second = *second, drift->way = way;
    follow_matrix(change, drift->turn);
    return true;
}

/// A manifold as it is kept.
static inline void follow_keep(const wbManifold *manifold, unsigned key, const wbPose *first,
                               const wbPose *second, float skin, wbKeptManifold *kept) {
    const float *p = first->position;
    const wbVec3 normal = wbPose_RotateInverse(second, manifold->normal);
    kept->normal[0] = normal.x, kept->normal[1] = normal.y, kept->normal[2] = normal.z;
    kept->count = manifold->count, kept->key = key;
    for (int i = 0; i < WB_MANIFOLD_POINTS; i++) {
        const wbManifoldPoint *point = &manifold->points[i];
        wbVec3 own = wbMakeVec3(0, 0, 0);
        if (i < manifold->count) {
            const wbVec3 between =
                wbPose_RotateInverse(second, wbSub(point->place, wbMakeVec3(p[0], p[1], p[2])));
            own = wbSub(between, wbScale(0.5f * point->separation + skin, normal));
        }
        kept->points[i][0] = own.x, kept->points[i][1] = own.y, kept->points[i][2] = own.z;
        kept->points[i][3] = i < manifold->count ? point->separation : 0;
    }
}

/// Where frames are, and for how long what was found there holds.
static inline void follow_fill(wbCollideCache *cache, const wbPose *first, const wbPose *second,
                               const wbCollideHold *hold, int count) {
    const wbVec3 shift = follow_shift(first, second);
    cache->shift[0] = shift.x, cache->shift[1] = shift.y, cache->shift[2] = shift.z;
    follow_relative_turn(second->rotation, first->rotation, cache->turn);
    cache->hold = *hold, cache->count = count;
}

/// A kept manifold after both moved a little; false: no point is nearer than `margin` m.
static inline bool follow_kept(const wbKeptManifold *kept, const wbCollideHold *hold,
                               const wbRelativeWay *drift, float margin, wbManifold *now) {
    const float *n = kept->normal, *p = drift->first.position;
    const float skins = hold->skins[0] + hold->skins[1], middle = 0.5f * (hold->skins[0] - hold->skins[1]);
    const wbVec3 then = wbMakeVec3(n[0], n[1], n[2]);
    const wbVec3 normal = hold->isOfFirst ? wbAdd(then, follow_turned(drift->turn, then)) : then;
    now->normal = wbPose_Rotate(&drift->second, normal);
    now->count = 0;
    for (int i = 0; i < kept->count; i++) {
        const float *point = kept->points[i];
        const wbVec3 own = wbMakeVec3(point[0], point[1], point[2]), turned = follow_turned(drift->turn, own);
        // from the first's point, where it is now, to the second's
        const wbVec3 apart = wbSub(wbSub(wbScale(point[3] + skins, then), drift->way), turned);
        const float separation = wbDot(normal, apart) - skins;
        if (separation > margin) continue;
        const wbVec3 place = wbAdd(wbAdd(own, turned), wbAdd(wbScale(0.5f, apart), wbScale(middle, normal)));
        const wbManifoldPoint moved = {
            wbAdd(wbPose_Rotate(&drift->second, place), wbMakeVec3(p[0], p[1], p[2])), separation};
        now->points[now->count++] = moved;
    }
    return now->count > 0;
}
