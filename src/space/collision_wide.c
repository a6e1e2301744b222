// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "space/collision_code.h"

#define WB_SURE 0.9f // of a clearance: what is nearer is looked at, whatever rounding does

WB_INLINE REAL find_away2(const float *const place[3], const float *const seen[3], int i) {
    const REAL x = real_load(place[0] + i) - real_load(seen[0] + i),
               y = real_load(place[1] + i) - real_load(seen[1] + i),
               z = real_load(place[2] + i) - real_load(seen[2] + i);
    return real_madd(x, x, real_madd(y, y, z * z));
}

// How far particles may have gone; not above 0: they are looked at.
WB_INLINE REAL find_limit(const wbCollisionPoints *p, int i) {
    if (p->clearances) return real_load(p->clearances + i) * WB_SURE - p->stray;
    return real_select(real_less(real_set(0), real_abs(real_load(p->nearness + i))), real_set(0),
                       real_set(p->margin));
}

static uint64_t out(const wbCollisionPoints *p, int begin, int count) {
    const float *const before[3] = {p->beforeX, p->beforeY, p->beforeZ}, *const after[3] = {p->x, p->y, p->z},
                       *const seen[3] = {p->seenX, p->seenY, p->seenZ},
                       *const *from = p->seenX ? seen : before;
    uint64_t bits = 0;
    if (!p->clearances && !p->nearness) return 0;
    for (int k = 0; k < count; k += WB_LANES) {
        const REAL limit = real_max(find_limit(p, begin + k), real_set(0)), most2 = limit * limit;
        const unsigned is = lane_less(find_away2(before, from, begin + k), most2) &
                            lane_less(find_away2(after, from, begin + k), most2) & lane_first(count - k);
        bits |= (uint64_t)is << k;
    }
    return bits;
}

static void bound(const wbFewWays *ways, BroadBox *box, float *longest2) {
    float lows[WB_LANES], highs[WB_LANES];
    REAL square[WB_FEW_WAYS / WB_LANES];
    for (int k = 0; k < ways->count; k += WB_LANES) square[k / WB_LANES] = real_set(0);
    for (int a = 0; a < 3; a++) {
        const float *from = ways->from[a], *to = ways->to[a];
        REAL low = real_set(from[0]), high = low;
        for (int k = 0; k < ways->count; k += WB_LANES) {
            const MASK is = real_mask(lane_first(ways->count - k));
            const REAL p = real_select(is, real_load(from + k), real_set(from[0])),
                       q = real_select(is, real_load(to + k), real_set(from[0])), way = q - p;
            low = real_min(real_min(p, q), low), high = real_max(real_max(p, q), high);
            square[k / WB_LANES] = real_madd(way, real_select(is, way, real_set(0)), square[k / WB_LANES]);
        }
        real_store(lows, low), real_store(highs, high);
        box->min[a] = lows[0], box->max[a] = highs[0];
        for (int l = 1; l < WB_LANES; l++) {
            box->min[a] = collision_min(lows[l], box->min[a]);
            box->max[a] = collision_max(highs[l], box->max[a]);
        }
    }
    *longest2 = 0;
    for (int k = 0; k < ways->count; k += WB_LANES) {
        real_store(highs, square[k / WB_LANES]);
        for (int l = 0; l < WB_LANES; l++) *longest2 = collision_max(highs[l], *longest2);
    }
}

// One coordinate in a collider's frame, as collision_apply_inverse.
WB_INLINE REAL bring_over(const float places[3][WB_FEW_WAYS], int k, wbVec3 axis, wbVec3 origin) {
    return real_madd(real_load(places[0] + k) - origin.x, real_set(axis.x),
                     real_madd(real_load(places[1] + k) - origin.y, real_set(axis.y),
                               (real_load(places[2] + k) - origin.z) * axis.z));
}

// Sums are rounded otherwise than collision_path's, by far less than the hair that is added here.
static uint64_t along(const wbFewWays *ways, const CollisionCollider *collider) {
    const CollisionPose *before = &collider->before, *after = &collider->after;
    const wbVec3 axes[2][3] = {{before->x, before->y, before->z}, {after->x, after->y, after->z}};
    const float low[3] = {collider->min.x, collider->min.y, collider->min.z},
                high[3] = {collider->max.x, collider->max.y, collider->max.z}, margin = 3 * collider->hair;
    uint64_t bits = 0;
    for (int k = 0; k < ways->count; k += WB_LANES) {
        unsigned in = lane_first(ways->count - k);
        for (int a = 0; a < 3; a++) {
            const REAL from = bring_over(ways->from, k, axes[0][a], before->position),
                       to = bring_over(ways->to, k, axes[1][a], after->position);
            in &= lane_less(real_min(from, to), real_set(high[a] + margin)) &
                  lane_less(real_set(low[a] - margin), real_max(from, to));
        }
        bits |= (uint64_t)in << k;
    }
    return bits;
}

const wbCollisionCode WB_WIDE(wb_collisionCode) = {out, bound, along};
