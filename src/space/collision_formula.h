// SPDX-License-Identifier: MIT
// Keeps particles out of moving colliders: the same in C and in OpenCL C. See collision.h.
//
// In a collider's own frame it rests, and a particle goes straight from where it was before the step to where it is
// after it. Rounding is harmless, because all that is tested has a width: a particle is kept a hair away from the
// surface, a hair is many times what rounding does to a position, and a triangle reaches as far beyond its edges.
#pragma once

#include "shape/shape_device.h"
#include "space/broad_phase_formula.h"

#ifdef __OPENCL_VERSION__
#    define COLLISION_GLOBAL  __global
#    define collision_sqrt(x) sqrt(x)
#    define collision_abs(x)  fabs(x)
#else
#    include <math.h>

#    include "core/shared_sum.h"
#    define COLLISION_GLOBAL
#    define collision_sqrt(x) sqrtf(x)
#    define collision_abs(x)  fabsf(x)
typedef wbSharedSum SharedSum;
static inline void shared_sum_add(SharedSum *sums, int index, float value) {
    wbSharedSum_Add(&sums[index], value);
}
#endif

/// Where a collider is: columns of its rotation, and its position.
typedef struct CollisionPose {
    wbVec3 x, y, z, position;
} CollisionPose;

typedef struct CollisionCollider {
    CollisionPose before, after;
    wbVec3 velocity, spin;    ///< after the step; m/s, rad/s
    wbVec3 min, max, centre;  ///< m: the box around its triangles, in its own frame
    float radius;             ///< m, of a ball about the centre
    float shift, turn;        ///< m, rad: how far the step moved the centre, and turned it; no less
    float hair;               ///< m: particles are kept this far away
    int firstNode, nodeCount; ///< of its tree, among all colliders' nodes
    int firstTriangle;        ///< of its tree, among all colliders' triangles
} CollisionCollider;

/// All colliders, the tree over the boxes around their ways, and the trees over their triangles.
typedef struct CollisionTrees {
    COLLISION_GLOBAL const CollisionCollider *colliders;
    int colliderCount;
    COLLISION_GLOBAL const BroadNode *boxes;
    int boxCount;
    COLLISION_GLOBAL const ShapeNode *nodes;
    COLLISION_GLOBAL const ShapeTriangle *triangles;
} CollisionTrees;

typedef struct CollisionParticle {
    wbVec3 before;             ///< m
    wbVec3 position, velocity; ///< after the step: m, m/s
} CollisionParticle;

enum { COLLISION_FREE, COLLISION_CAUGHT, COLLISION_LOST };

/// Sums per collider: the velocity that particles lose to it, times their share, and its moment about the collider's origin.
enum { COLLISION_SUMS = 6 };

/// What a particle gives to the colliders that stop it.
typedef struct CollisionGift {
    COLLISION_GLOBAL SharedSum *sums; ///< of all colliders; NULL: the velocity is not to last
    float share;                      ///< of the particle: its mass over that of the heaviest
} CollisionGift;

/// Rounds in which a particle slides on along what it hits, and after which it is put where it hit.
enum { COLLISION_SLIDES = 8, COLLISION_ROUNDS = 14 };

static inline wbVec3 collision_apply(const CollisionPose *pose, wbVec3 p) {
    return wbAdd(pose->position,
                 wbAdd(wbScale(p.x, pose->x), wbAdd(wbScale(p.y, pose->y), wbScale(p.z, pose->z))));
}
static inline wbVec3 collision_apply_inverse(const CollisionPose *pose, wbVec3 p) {
    const wbVec3 d = wbSub(p, pose->position);
    return wbMakeVec3(wbDot(pose->x, d), wbDot(pose->y, d), wbDot(pose->z, d));
}
static inline wbVec3 collision_rotate(const CollisionPose *pose, wbVec3 v) {
    return wbAdd(wbScale(v.x, pose->x), wbAdd(wbScale(v.y, pose->y), wbScale(v.z, pose->z)));
}
static inline float collision_length(wbVec3 v) { return collision_sqrt(wbDot(v, v)); }
static inline float collision_min(float a, float b) { return a < b ? a : b; }
static inline float collision_max(float a, float b) { return a > b ? a : b; }

/// A particle's way in a collider's frame.
typedef struct CollisionPath {
    wbVec3 from, to, along; ///< m; along = to - from
    float length;
} CollisionPath;

static inline CollisionPath collision_path(const CollisionCollider *collider,
                                           const CollisionParticle *particle) {
    CollisionPath path;
    path.from = collision_apply_inverse(&collider->before, particle->before);
    path.to = collision_apply_inverse(&collider->after, particle->position);
    path.along = wbSub(path.to, path.from);
    path.length = collision_length(path.along);
    return path;
}

/// False if the way cannot meet the collider, from distances alone.
static inline bool collision_is_near(const CollisionCollider *collider, const CollisionParticle *particle) {
    const wbVec3 d = wbSub(particle->before, collision_apply(&collider->before, collider->centre));
    const float distance = collision_length(d),
                step = collision_length(wbSub(particle->position, particle->before));
    return distance * (1 - collider->turn) <= collider->radius + collider->shift + step + 2 * collider->hair;
}

/// Whether a way along one axis touches an interval.
static inline bool collision_overlaps(float a, float b, float low, float high, float margin) {
    return collision_min(a, b) <= high + margin && collision_max(a, b) >= low - margin;
}

/// Whether a box is on both sides of the way, as seen along one axis; u and v are the two others.
static inline bool collision_straddles(float du, float dv, float cu, float cv, float hu, float hv) {
    return collision_abs(du * cv - dv * cu) <= (collision_abs(du) * hv + collision_abs(dv) * hu) * 1.0001f;
}

/// Separating axes of a segment and a box.
static inline bool collision_meets(const CollisionPath *path, wbVec3 low, wbVec3 high, float margin) {
    if (!collision_overlaps(path->from.x, path->to.x, low.x, high.x, margin) ||
        !collision_overlaps(path->from.y, path->to.y, low.y, high.y, margin) ||
        !collision_overlaps(path->from.z, path->to.z, low.z, high.z, margin))
        return false;
    const wbVec3 c = wbSub(wbScale(0.5f, wbAdd(low, high)), path->from), d = path->along;
    const wbVec3 h = wbAdd(wbScale(0.5f, wbSub(high, low)), wbMakeVec3(margin, margin, margin));
    return collision_straddles(d.x, d.y, c.x, c.y, h.x, h.y) &&
           collision_straddles(d.y, d.z, c.y, c.z, h.y, h.z) &&
           collision_straddles(d.z, d.x, c.z, c.x, h.z, h.x);
}

/// What a way runs into.
typedef struct CollisionHit {
    int isHit;
    float at;      ///< part of the way, 0 to 1; 2 where only its end is too near
    float height;  ///< m, of the way's end above the triangle's plane
    wbVec3 normal; ///< outwards, in the collider's frame
} CollisionHit;

/// Whether a point of a triangle's plane is in it, or no farther than `width` from its edges. Thin corners do not reach
/// farther out: the box of the triangle bounds them.
static inline bool collision_is_over(COLLISION_GLOBAL const ShapeTriangle *t, wbVec3 p, float width) {
    const wbVec3 a = t->corners[0], b = t->corners[1], c = t->corners[2];
    return wbDot(wbSub(p, a), t->inwards[0]) >= -width && wbDot(wbSub(p, b), t->inwards[1]) >= -width &&
           wbDot(wbSub(p, c), t->inwards[2]) >= -width &&
           p.x >= collision_min(a.x, collision_min(b.x, c.x)) - width &&
           p.x <= collision_max(a.x, collision_max(b.x, c.x)) + width &&
           p.y >= collision_min(a.y, collision_min(b.y, c.y)) - width &&
           p.y <= collision_max(a.y, collision_max(b.y, c.y)) + width &&
           p.z >= collision_min(a.z, collision_min(b.z, c.z)) - width &&
           p.z <= collision_max(a.z, collision_max(b.z, c.z)) + width;
}

/// Takes the triangle as hit if the way crosses it inwards before what was hit so far, or else if the way's end is
/// nearer than half a hair.
static inline void collision_test(COLLISION_GLOBAL const ShapeTriangle *t, const CollisionPath *path,
                                  float hair, CollisionHit *hit) {
    const float start = wbDot(wbSub(path->from, t->corners[0]), t->normal);
    const float end = wbDot(wbSub(path->to, t->corners[0]), t->normal);
    // how much rounding may have changed both
    const float error = 0.0625f * hair + 5e-7f * path->length;
    if (start > -0.25f * hair - error && end < 0 && start - end > 2 * error) {
        const float at = collision_min(collision_max(start / (start - end), 0), 1);
        const wbVec3 place = wbAdd(path->from, wbScale(at, path->along));
        // on a way that nearly runs along the plane, rounding moves the place far
        const float width = 0.25f * hair + error * path->length / (start - end);
        if (at < hit->at && collision_is_over(t, place, width)) {
            hit->isHit = 1, hit->at = at, hit->height = end, hit->normal = t->normal;
            return;
        }
    }
    if (hit->at >= 2 && collision_abs(end) < 0.5f * hair && end < hit->height &&
        collision_is_over(t, wbSub(path->to, wbScale(end, t->normal)), 0.5f * hair) &&
        wbDot(t->normal, t->normal) > 0)
        hit->isHit = 1, hit->height = end, hit->normal = t->normal;
}

static inline CollisionHit collision_find(const CollisionCollider *collider, const CollisionTrees *trees,
                                          const CollisionPath *path) {
    CollisionHit hit = {0, 2, collider->hair, {0, 0, 0}};
    const float margin = collider->hair + 1e-6f * path->length;
    COLLISION_GLOBAL const ShapeNode *nodes = trees->nodes + collider->firstNode;
    COLLISION_GLOBAL const ShapeTriangle *triangles = trees->triangles + collider->firstTriangle;
    for (int i = 0; i < collider->nodeCount;) {
        COLLISION_GLOBAL const ShapeNode *node = nodes + i;
        if (!collision_meets(path, wbMakeVec3(node->min[0], node->min[1], node->min[2]),
                             wbMakeVec3(node->max[0], node->max[1], node->max[2]), margin)) {
            i = node->skip;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++)
            collision_test(triangles + k, path, collider->hair, &hit);
        i++;
    }
    return hit;
}

/// A plane in the world that a particle must stay above.
typedef struct CollisionPlane {
    wbVec3 normal;
    float height; ///< m: normal · position
    int isSet;
} CollisionPlane;

/// Moves a position up onto a plane, and onto the line that it shares with the plane of the round before if that would
/// be left: what is in an acute corner comes to rest.
static inline wbVec3 collision_project(wbVec3 p, const CollisionPlane *plane, const CollisionPlane *other) {
    const float lift = plane->height - wbDot(plane->normal, p);
    const wbVec3 moved = wbAdd(p, wbScale(lift, plane->normal));
    if (!other->isSet || wbDot(other->normal, moved) >= other->height) return moved;
    const float cosine = wbDot(plane->normal, other->normal), sine2 = 1 - cosine * cosine;
    if (sine2 < 1e-4f) return moved;
    const float second = other->height - wbDot(other->normal, p);
    return wbAdd(p, wbAdd(wbScale((lift - cosine * second) / sine2, plane->normal),
                          wbScale((second - cosine * lift) / sine2, other->normal)));
}

/// The velocity relative to the surface loses its part into the collider.
static inline wbVec3 collision_stop(const CollisionCollider *collider, wbVec3 position, wbVec3 velocity,
                                    wbVec3 normal) {
    const wbVec3 arm = wbSub(position, collider->after.position);
    const wbVec3 surface = wbAdd(collider->velocity, wbCross(collider->spin, arm));
    const float into = wbDot(wbSub(velocity, surface), normal);
    return into < 0 ? wbSub(velocity, wbScale(into, normal)) : velocity;
}

/// A collider gets what a particle at `arm` from its origin loses.
static inline void collision_give(const CollisionGift *gift, int collider, wbVec3 arm, wbVec3 lost) {
    const wbVec3 linear = wbScale(gift->share, lost), angular = wbCross(arm, linear);
    const float values[COLLISION_SUMS] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < COLLISION_SUMS && gift->sums; k++)
        shared_sum_add(gift->sums, COLLISION_SUMS * collider + k, values[k]);
}

/// Looks at one collider and moves the particle away from it. False if it is not in the way.
static inline bool collision_push(const CollisionCollider *collider, int index, const CollisionTrees *trees,
                                  int slides, CollisionParticle *particle, const CollisionGift *gift,
                                  CollisionPlane *last) {
    if (!collision_is_near(collider, particle)) return false;
    const CollisionPath path = collision_path(collider, particle);
    if (!collision_meets(&path, collider->min, collider->max, 2 * collider->hair)) return false;
    const CollisionHit hit = collision_find(collider, trees, &path);
    if (!hit.isHit) return false;
    const wbVec3 normal = collision_rotate(&collider->after, hit.normal);
    wbVec3 aim = particle->position;
    if (!slides && hit.at < 2) {
        const wbVec3 place = wbAdd(path.from, wbScale(hit.at, path.along));
        aim = collision_apply(&collider->after, place);
    }
    const CollisionPlane plane = {
        normal, wbDot(normal, aim) + collider->hair - (slides || hit.at >= 2 ? hit.height : 0), 1};
    particle->position = collision_project(aim, &plane, last);
    const wbVec3 velocity = collision_stop(collider, particle->position, particle->velocity, normal);
    collision_give(gift, index, wbSub(particle->position, collider->after.position),
                   wbSub(particle->velocity, velocity));
    particle->velocity = velocity;
    *last = plane;
    return true;
}

#define COLLISION_ROOM                                                                                       \
    0.25f ///< of a way, around it, for what a collider that turns makes of it: see boundWay in collision.c

/// Around a particle's way, with that room.
static inline BroadBox collision_bound(const CollisionParticle *particle) {
    const wbVec3 a = particle->before, b = particle->position;
    const float room = COLLISION_ROOM * collision_length(wbSub(b, a));
    const BroadBox box = {
        {collision_min(a.x, b.x) - room, collision_min(a.y, b.y) - room, collision_min(a.z, b.z) - room},
        {collision_max(a.x, b.x) + room, collision_max(a.y, b.y) + room, collision_max(a.z, b.z) + room}};
    return box;
}

/// The next collider behind `after`, by index, that may be in a particle's way; -1: there is none.
static inline int collision_find_next(const CollisionTrees *trees, const CollisionParticle *particle,
                                      int after) {
    const BroadBox box = collision_bound(particle);
    return broad_find_next(trees->boxes, trees->boxCount, &box, after);
}

/// Whether a way crosses no collider; its end may be nearer than half a hair.
static inline bool collision_is_clear(const CollisionTrees *trees, const CollisionParticle *particle) {
    for (int s = -1; (s = collision_find_next(trees, particle, s)) >= 0;) {
        const CollisionCollider collider = trees->colliders[s];
        if (!collision_is_near(&collider, particle)) continue;
        const CollisionPath path = collision_path(&collider, particle);
        if (!collision_meets(&path, collider.min, collider.max, 2 * collider.hair)) continue;
        if (collision_find(&collider, trees, &path).at < 2) return false;
    }
    return true;
}

/// The whole collision of one particle: COLLISION_FREE, COLLISION_CAUGHT, or COLLISION_LOST if no position was found. Colliders
/// push it in their order, each from where those before it have put it.
static inline int collision_particle(const CollisionTrees *trees, CollisionParticle *particle,
                                     const CollisionGift *gift) {
    CollisionPlane last = {{0, 0, 0}, 0, 0};
    bool isMoved = true, isCaught = false;
    for (int round = 0; isMoved && round < COLLISION_ROUNDS; round++) {
        isMoved = false;
        for (int s = -1; (s = collision_find_next(trees, particle, s)) >= 0;) {
            const CollisionCollider collider = trees->colliders[s];
            if (collision_push(&collider, s, trees, round < COLLISION_SLIDES, particle, gift, &last))
                isMoved = isCaught = true;
        }
    }
    if (!isMoved) return isCaught ? COLLISION_CAUGHT : COLLISION_FREE;
    // it stays where it was in the frame of a collider, be it far away, if the others let it
    for (int s = 0; s < trees->colliderCount; s++) {
        const CollisionCollider collider = trees->colliders[s];
        particle->position =
            collision_apply(&collider.after, collision_apply_inverse(&collider.before, particle->before));
        if (collision_is_clear(trees, particle)) return COLLISION_CAUGHT;
    }
    return COLLISION_LOST;
}
