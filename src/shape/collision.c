// SPDX-License-Identifier: MIT
#include "shape/collision.h"

#include <math.h>
#include <string.h>

#include "core/status.h"

struct wbCollision {
    wbMemory *memory;
    wbCollisionParts parts;
    ShapeNode *nodes;
    ShapeTriangle *triangles;
    CollisionCollider *colliders;
};

// The collider that had this shape first.
static int findFirst(const wbShape *const *shapes, int collider) {
    int first = 0;
    while (shapes[first] != shapes[collider]) first++;
    return first;
}

static bool allocate(wbCollision *collision) {
    const wbCollisionParts *parts = &collision->parts;
    collision->nodes = wbAlloc(collision->memory, sizeof(ShapeNode) * (size_t)parts->nodeCount);
    collision->triangles = wbAlloc(collision->memory, sizeof(ShapeTriangle) * (size_t)parts->triangleCount);
    collision->colliders =
        wbAllocZero(collision->memory, sizeof(CollisionCollider) * (size_t)parts->colliderCount);
    collision->parts.nodes = collision->nodes, collision->parts.triangles = collision->triangles;
    return parts->colliderCount == 0 || (collision->nodes && collision->triangles && collision->colliders);
}

static void copyTrees(wbCollision *collision, const wbShape *const *shapes) {
    int node = 0, triangle = 0;
    for (int s = 0; s < collision->parts.colliderCount; s++) {
        const wbShapeTree *tree = wbShape_GetTree(shapes[s]);
        const int first = findFirst(shapes, s);
        CollisionCollider *collider = &collision->colliders[s];
        *collider = (CollisionCollider){.min = tree->min,
                                        .max = tree->max,
                                        .centre = tree->centre,
                                        .radius = tree->radius,
                                        .firstNode = first < s ? collision->colliders[first].firstNode : node,
                                        .nodeCount = tree->nodeCount,
                                        .firstTriangle =
                                            first < s ? collision->colliders[first].firstTriangle : triangle};
        if (first < s) continue;
        memcpy(collision->nodes + node, tree->nodes, sizeof(ShapeNode) * (size_t)tree->nodeCount);
        memcpy(collision->triangles + triangle, tree->triangles,
               sizeof(ShapeTriangle) * (size_t)tree->triangleCount);
        node += tree->nodeCount, triangle += tree->triangleCount;
    }
}

wbStatus wbCreateCollision(wbMemory *memory, const wbShape *const *shapes, int count, wbCollision **result) {
    *result = NULL;
    wbCollision *collision = wbAllocZero(memory, sizeof *collision);
    if (!collision) return wbMemoryError(memory, "the collision of %d colliders needs", count);
    collision->memory = memory, collision->parts.colliderCount = count;
    for (int s = 0; s < count; s++) {
        const wbShapeTree *tree = wbShape_GetTree(shapes[s]);
        if (findFirst(shapes, s) < s) continue;
        collision->parts.nodeCount += tree->nodeCount, collision->parts.triangleCount += tree->triangleCount;
    }
    if (!allocate(collision)) {
        wbStatus status = wbMemoryError(memory, "the collision of %d colliders needs", count);
        wbDestroyCollision(collision);
        return status;
    }
    copyTrees(collision, shapes);
    *result = collision;
    return wb_okStatus;
}

void wbDestroyCollision(wbCollision *collision) {
    if (!collision) return;
    const wbCollisionParts *parts = &collision->parts;
    wbFree(collision->memory, collision->nodes, sizeof(ShapeNode) * (size_t)parts->nodeCount);
    wbFree(collision->memory, collision->triangles, sizeof(ShapeTriangle) * (size_t)parts->triangleCount);
    wbFree(collision->memory, collision->colliders, sizeof(CollisionCollider) * (size_t)parts->colliderCount);
    wbFree(collision->memory, collision, sizeof *collision);
}

wbCollisionParts wbCollision_GetParts(const wbCollision *collision) { return collision->parts; }

// In double, and of length 1, so that there and back is the same place but for the rounding of floats.
static CollisionPose getPose(const wbPose *pose) {
    const float *r = pose->rotation;
    double x = r[0], y = r[1], z = r[2], w = r[3], s = 2 / (x * x + y * y + z * z + w * w);
    return (CollisionPose){
        .x = {(float)(1 - s * (y * y + z * z)), (float)(s * (x * y + z * w)), (float)(s * (x * z - y * w))},
        .y = {(float)(s * (x * y - z * w)), (float)(1 - s * (x * x + z * z)), (float)(s * (y * z + x * w))},
        .z = {(float)(s * (x * z + y * w)), (float)(s * (y * z - x * w)), (float)(1 - s * (x * x + y * y))},
        .position = {pose->position[0], pose->position[1], pose->position[2]}};
}

static float getAngle(const CollisionPose *a, const CollisionPose *b) {
    double trace = (double)wbDot(a->x, b->x) + wbDot(a->y, b->y) + wbDot(a->z, b->z);
    return (float)acos(fmax(fmin((trace - 1) / 2, 1), -1));
}

static void place(CollisionCollider *collider, const wbCollisionPlace *at) {
    collider->before = getPose(&at->before), collider->after = getPose(&at->after.pose);
    const float *v = at->after.velocity, *spin = at->after.spin;
    collider->velocity = wbMakeVec3(v[0], v[1], v[2]), collider->spin = wbMakeVec3(spin[0], spin[1], spin[2]);
    wbVec3 before = collision_apply(&collider->before, collider->centre),
           after = collision_apply(&collider->after, collider->centre);
    // what rounding may hide of the motion is far less than these
    float size = fmaxf(collision_length(before), collision_length(after)) +
                 collision_length(collider->centre) + collider->radius;
    collider->hair = 0x1p-17f * size;
    collider->shift = collision_length(wbSub(after, before)) + collider->hair;
    collider->turn = getAngle(&collider->before, &collider->after) + 1e-3f;
}

const CollisionCollider *wbCollision_Place(wbCollision *collision, const wbCollisionPlace *places) {
    for (int s = 0; s < collision->parts.colliderCount; s++) place(&collision->colliders[s], &places[s]);
    return collision->colliders;
}

typedef struct Task {
    const wbCollision *collision;
    const wbCollisionPoints *points;
    wbCollisionCounts counts[WB_MAX_THREADS];
} Task;

static bool isOut(const wbCollisionPoints *p, int i, const CollisionParticle *particle) {
    if (!p->nearness || p->nearness[i] != 0 || !(p->margin > 0)) return false;
    wbVec3 way = wbSub(particle->position, particle->before);
    return wbDot(way, way) < p->margin * p->margin;
}

static CollisionParticle getParticle(const wbCollisionPoints *p, int i) {
    return (CollisionParticle){{p->beforeX[i], p->beforeY[i], p->beforeZ[i]},
                               {p->x[i], p->y[i], p->z[i]},
                               {p->vx[i], p->vy[i], p->vz[i]}};
}

// Around the ways of some particles.
typedef struct Ways {
    wbVec3 min, max;
    float longest; // m
} Ways;

static void addWay(Ways *ways, const CollisionParticle *particle) {
    const wbVec3 a = particle->before, b = particle->position;
    ways->min = wbMakeVec3(fminf(ways->min.x, fminf(a.x, b.x)), fminf(ways->min.y, fminf(a.y, b.y)),
                           fminf(ways->min.z, fminf(a.z, b.z)));
    ways->max = wbMakeVec3(fmaxf(ways->max.x, fmaxf(a.x, b.x)), fmaxf(ways->max.y, fmaxf(a.y, b.y)),
                           fmaxf(ways->max.z, fmaxf(a.z, b.z)));
    ways->longest = fmaxf(ways->longest, collision_length(wbSub(b, a)));
}

static float getGap(float low, float high, float place, float reach) {
    return fmaxf(fmaxf(low - place, place - high) - reach, 0);
}

// False only where each of the ways fails collision_is_near, or of a collider at rest collision_meets of the box around it.
static bool mayMeet(const CollisionCollider *collider, const Ways *ways) {
    const wbVec3 centre = collision_apply(&collider->before, collider->centre);
    const wbVec3 gap = wbMakeVec3(getGap(ways->min.x, ways->max.x, centre.x, 0),
                                  getGap(ways->min.y, ways->max.y, centre.y, 0),
                                  getGap(ways->min.z, ways->max.z, centre.z, 0));
    if (0.9999f * collision_length(gap) * (1 - collider->turn) >
        collider->radius + collider->shift + ways->longest + 2 * collider->hair)
        return false;
    if (memcmp(&collider->before, &collider->after, sizeof collider->before) != 0) return true;
    const wbVec3 middle =
        collision_apply(&collider->after, wbScale(0.5f, wbAdd(collider->min, collider->max)));
    const wbVec3 half = wbScale(0.5f, wbSub(collider->max, collider->min)), x = collider->after.x,
                 y = collider->after.y, z = collider->after.z;
    const float margin = 4 * collider->hair;
    return getGap(ways->min.x, ways->max.x, middle.x,
                  fabsf(x.x) * half.x + fabsf(y.x) * half.y + fabsf(z.x) * half.z + margin) == 0 &&
           getGap(ways->min.y, ways->max.y, middle.y,
                  fabsf(x.y) * half.x + fabsf(y.y) * half.y + fabsf(z.y) * half.z + margin) == 0 &&
           getGap(ways->min.z, ways->max.z, middle.z,
                  fabsf(x.z) * half.x + fabsf(y.z) * half.y + fabsf(z.z) * half.z + margin) == 0;
}

static bool isHit(const CollisionCollider *collider, const CollisionTrees *trees,
                  const CollisionParticle *particle) {
    if (!collision_is_near(collider, particle)) return false;
    const CollisionPath path = collision_path(collider, particle);
    return collision_meets(&path, collider->min, collider->max, 2 * collider->hair) &&
           collision_find(collider, trees, &path).isHit;
}

// Particles that were sorted are near each other: most colliders are too far from all of a few of them.
enum { FEW = 64 };

// Bits of the particles from begin on that a collider is in the way of.
static uint64_t findCaught(const Task *task, int begin, int end) {
    const wbCollisionPoints *p = task->points;
    const wbCollisionParts *parts = &task->collision->parts;
    const CollisionTrees trees = {parts->nodes, parts->triangles};
    CollisionParticle particles[FEW];
    Ways ways = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    uint64_t left = 0, caught = 0;
    for (int i = begin; i < end; i++) {
        particles[i - begin] = getParticle(p, i);
        if (isOut(p, i, &particles[i - begin])) continue;
        left |= (uint64_t)1 << (i - begin);
        addWay(&ways, &particles[i - begin]);
    }
    for (int s = 0; s < parts->colliderCount && left; s++) {
        const CollisionCollider *collider = &task->collision->colliders[s];
        if (!mayMeet(collider, &ways)) continue;
        for (int k = 0; k < end - begin; k++)
            if ((left >> k & 1) && isHit(collider, &trees, &particles[k])) caught |= (uint64_t)1 << k;
        left &= ~caught;
    }
    return caught;
}

static void collideRange(int begin, int end, int worker, void *context) {
    Task *task = context;
    const wbCollisionPoints *p = task->points;
    const wbCollisionParts *parts = &task->collision->parts;
    const CollisionTrees trees = {parts->nodes, parts->triangles};
    wbCollisionCounts counts = {0, 0};
    uint64_t caught = 0;
    for (int i = begin; i < end; i++) {
        const int within = (i - begin) % FEW;
        if (within == 0) caught = findCaught(task, i, i + FEW < end ? i + FEW : end);
        if (!(caught >> within & 1)) continue;
        CollisionParticle particle = getParticle(p, i);
        int result = collision_particle(task->collision->colliders, parts->colliderCount, &trees, &particle);
        if (p->isFlat) particle.position.z = particle.velocity.z = 0;
        p->x[i] = particle.position.x, p->y[i] = particle.position.y, p->z[i] = particle.position.z;
        p->vx[i] = particle.velocity.x, p->vy[i] = particle.velocity.y, p->vz[i] = particle.velocity.z;
        counts.caught++;
        counts.lost += result == COLLISION_LOST;
    }
    task->counts[worker] = counts;
}

wbCollisionCounts wbCollision_Run(wbCollision *collision, wbThreadPool *pool, const wbCollisionPlace *places,
                                  const wbCollisionPoints *points) {
    Task task = {.collision = collision, .points = points};
    wbCollision_Place(collision, places);
    wbParallelFor(pool, points->count, WB_BLOCK, collideRange, &task);
    wbCollisionCounts sum = {0, 0};
    for (int w = 0; w < WB_MAX_THREADS; w++)
        sum.caught += task.counts[w].caught, sum.lost += task.counts[w].lost;
    return sum;
}
