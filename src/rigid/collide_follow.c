// SPDX-License-Identifier: MIT
// Pieces that hardly moved against each other: what was found of them is carried along instead of found again.
#include <math.h>
#include <string.h>

#include "rigid/manifold.h"

// A turn by an angle has a vector part of sin(angle / 2), which is nearly half of it up to 1 rad.
#define ANGLE_PER_SINE 2.1f

// conj(a) b
static void getRelativeTurn(const float a[4], const float b[4], float q[4]) {
    const float x = -a[0], y = -a[1], z = -a[2], w = a[3];
    q[0] = w * b[0] + x * b[3] + y * b[2] - z * b[1], q[1] = w * b[1] - x * b[2] + y * b[3] + z * b[0];
    q[2] = w * b[2] + x * b[1] - y * b[0] + z * b[3], q[3] = w * b[3] - x * b[0] - y * b[1] - z * b[2];
}

static wbVec3 getShift(const wbPose *first, const wbPose *second) {
    const float *p = first->position, *q = second->position;
    return wbPose_RotateInverse(second, wbMakeVec3(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
}

// A quaternion's matrix minus 1: small where it turns little.
static void getTurn(const float q[4], float m[3][3]) {
    const float x = q[0], y = q[1], z = q[2], w = q[3];
    m[0][0] = -2 * (y * y + z * z), m[0][1] = 2 * (x * y - w * z), m[0][2] = 2 * (x * z + w * y);
    m[1][0] = 2 * (x * y + w * z), m[1][1] = -2 * (x * x + z * z), m[1][2] = 2 * (y * z - w * x);
    m[2][0] = 2 * (x * z - w * y), m[2][1] = 2 * (y * z + w * x), m[2][2] = -2 * (x * x + y * y);
}

static wbVec3 multiply(const float m[3][3], wbVec3 v) {
    return wbMakeVec3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                      m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                      m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

bool wbCollideCache_Holds(const wbCollideCache *cache, const wbPose *first, const wbPose *second,
                          wbRelativeWay *drift) {
    const float *p = cache->shift, *q = cache->turn;
    if (!(cache->hold.way > 0)) return false;
    const wbVec3 way = wbSub(getShift(first, second), wbMakeVec3(p[0], p[1], p[2]));
    const float most = cache->hold.way, distance2 = wbDot(way, way);
    if (!(distance2 <= most * most)) return false;
    // now conj(then): both conjugated, conj(now) conj(conj(then))
    float now[4], change[4];
    getRelativeTurn(second->rotation, first->rotation, now);
    const float back[4] = {-q[0], -q[1], -q[2], q[3]}, undo[4] = {-now[0], -now[1], -now[2], now[3]};
    getRelativeTurn(undo, back, change);
    const float sine2 = change[0] * change[0] + change[1] * change[1] + change[2] * change[2];
    if (!(sine2 < 0.25f) || !(sqrtf(distance2) + ANGLE_PER_SINE * cache->hold.reach * sqrtf(sine2) <= most))
        return false;
    drift->first = *first, drift->second = *second, drift->way = way;
    getTurn(change, drift->turn);
    return true;
}

static void keepManifold(const wbManifold *manifold, uint32_t key, const wbPose *first, const wbPose *second,
                         float skin, wbKeptManifold *kept) {
    const float *p = first->position;
    const wbVec3 normal = wbPose_RotateInverse(second, manifold->normal);
    memset(kept, 0, sizeof *kept);
    kept->normal[0] = normal.x, kept->normal[1] = normal.y, kept->normal[2] = normal.z;
    kept->count = manifold->count, kept->key = key;
    for (int i = 0; i < manifold->count; i++) {
        const wbManifoldPoint *point = &manifold->points[i];
        const wbVec3 between =
            wbPose_RotateInverse(second, wbSub(point->place, wbMakeVec3(p[0], p[1], p[2])));
        const wbVec3 own = wbSub(between, wbScale(0.5f * point->separation + skin, normal));
        kept->points[i][0] = own.x, kept->points[i][1] = own.y, kept->points[i][2] = own.z;
        kept->points[i][3] = point->separation;
    }
}

void wbCollideCache_Fill(wbCollideCache *cache, const wbPose *first, const wbPose *second,
                         const wbCollideHold *hold, int count, const wbManifold *manifolds,
                         const uint32_t *keys, wbKeptManifold *kept) {
    const wbVec3 shift = getShift(first, second);
    cache->shift[0] = shift.x, cache->shift[1] = shift.y, cache->shift[2] = shift.z;
    getRelativeTurn(second->rotation, first->rotation, cache->turn);
    cache->hold = *hold, cache->count = count;
    for (int k = 0; k < count; k++)
        keepManifold(&manifolds[k], keys[k], first, second, hold->skins[0], &kept[k]);
}

bool wbKeptManifold_Follow(const wbKeptManifold *kept, const wbCollideHold *hold, const wbRelativeWay *drift,
                           float margin, wbManifold *now) {
    const float *n = kept->normal, *p = drift->first.position;
    const float skins = hold->skins[0] + hold->skins[1], middle = 0.5f * (hold->skins[0] - hold->skins[1]);
    const wbVec3 then = wbMakeVec3(n[0], n[1], n[2]);
    const wbVec3 normal = hold->isOfFirst ? wbAdd(then, multiply(drift->turn, then)) : then;
    now->normal = wbPose_Rotate(&drift->second, normal);
    now->count = 0;
    for (int i = 0; i < kept->count; i++) {
        const float *point = kept->points[i];
        const wbVec3 own = wbMakeVec3(point[0], point[1], point[2]), turned = multiply(drift->turn, own);
        // from the first's point, where it is now, to the second's
        const wbVec3 apart = wbSub(wbSub(wbScale(point[3] + skins, then), drift->way), turned);
        const float separation = wbDot(normal, apart) - skins;
        if (separation > margin) continue;
        const wbVec3 place = wbAdd(wbAdd(own, turned), wbAdd(wbScale(0.5f, apart), wbScale(middle, normal)));
        now->points[now->count++] = (wbManifoldPoint){
            wbAdd(wbPose_Rotate(&drift->second, place), wbMakeVec3(p[0], p[1], p[2])), separation};
    }
    return now->count > 0;
}
