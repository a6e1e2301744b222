// SPDX-License-Identifier: MIT
#include "space/collision.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "space/collision_code.h"

struct wbCollision {
    wbMemory *memory;
    wbCollisionParts parts;
    ShapeNode *nodes;
    ShapeTriangle *triangles;
    CollisionCollider *colliders;
    wbCollisionPlace *places; ///< of the colliders
    wbBroadPhase broad;       ///< over the boxes around their ways
};

static bool allocate(wbCollision *collision) {
    wbMemory *memory = collision->memory;
    wbCollisionParts *parts = &collision->parts;
    const int count = parts->trees.colliderCount;
    collision->nodes = wbAlloc(memory, sizeof(ShapeNode) * (size_t)parts->nodeCount);
    collision->triangles = wbAlloc(memory, sizeof(ShapeTriangle) * (size_t)parts->triangleCount);
    collision->colliders = wbAllocZero(memory, sizeof(CollisionCollider) * (size_t)count);
    collision->places = wbAllocZero(memory, sizeof(wbCollisionPlace) * (size_t)count);
    bool hasMemory = collision->nodes && collision->triangles && collision->colliders && collision->places &&
                     wbBroadPhase_Reserve(memory, &collision->broad, count);
    parts->trees = (CollisionTrees){collision->colliders,
                                    count,
                                    collision->broad.nodes.data,
                                    2 * collision->broad.room - 1,
                                    collision->nodes,
                                    collision->triangles};
    return count == 0 || hasMemory;
}

static void copyTrees(wbCollision *collision, const wbShape *const *shapes) {
    int node = 0, triangle = 0;
    for (int s = 0; s < collision->parts.trees.colliderCount; s++) {
        if (!shapes[s]) continue;
        const wbShapeTree *tree = wbShape_GetTree(shapes[s]);
        collision->colliders[s] = (CollisionCollider){.min = tree->min,
                                                      .max = tree->max,
                                                      .centre = tree->centre,
                                                      .radius = tree->radius,
                                                      .firstNode = node,
                                                      .nodeCount = tree->nodeCount,
                                                      .firstTriangle = triangle};
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
    collision->memory = memory, collision->parts.trees.colliderCount = count;
    collision->parts.version = 1; // a device that has none uploads it, wherever colliders are
    for (int s = 0; s < count; s++) {
        if (!shapes[s]) continue;
        const wbShapeTree *tree = wbShape_GetTree(shapes[s]);
        collision->parts.nodeCount += tree->nodeCount, collision->parts.triangleCount += tree->triangleCount;
    }
    if (!allocate(collision)) {
        wbStatus status = wbMemoryError(memory, "the collision of %d colliders needs", count);
        wbDestroyCollision(collision);
        return status;
    }
    copyTrees(collision, shapes);
    wbBroadPhase_SetCount(&collision->broad, count);
    *result = collision;
    return wb_okStatus;
}

void wbDestroyCollision(wbCollision *collision) {
    if (!collision) return;
    wbMemory *memory = collision->memory;
    const wbCollisionParts *parts = &collision->parts;
    const size_t count = (size_t)parts->trees.colliderCount;
    wbFree(memory, collision->nodes, sizeof(ShapeNode) * (size_t)parts->nodeCount);
    wbFree(memory, collision->triangles, sizeof(ShapeTriangle) * (size_t)parts->triangleCount);
    wbFree(memory, collision->colliders, sizeof(CollisionCollider) * count);
    wbFree(memory, collision->places, sizeof(wbCollisionPlace) * count);
    wbBroadPhase_Free(memory, &collision->broad);
    wbFree(memory, collision, sizeof *collision);
}

const wbCollisionParts *wbCollision_GetParts(const wbCollision *collision) { return &collision->parts; }

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

// Around a collider's box at a pose.
static BroadBox boundAt(const CollisionCollider *collider, const CollisionPose *pose) {
    const wbVec3 half = wbScale(0.5f, wbSub(collider->max, collider->min));
    return wbBoundTurned(collision_apply(pose, wbScale(0.5f, wbAdd(collider->min, collider->max))),
                         wbScale(half.x, pose->x), wbScale(half.y, pose->y), wbScale(half.z, pose->z));
}

// Around a collider on its way, such that the box that collision_find_next makes touches it wherever collision_meets holds. A
// particle whose straight way d in the collider's frame meets its box in q after a share t of the step is in the world at
// (1 - t) before(q) + t after(q) + t (1 - t) (after - before) d. The first two are between the box's places; the third is no
// longer than turn |d| / 4, and |d| than (the way of the particle + that of q) / (1 - turn).
static BroadBox boundWay(const CollisionCollider *collider) {
    const BroadBox before = boundAt(collider, &collider->before), after = boundAt(collider, &collider->after);
    const BroadBox both = wbJoinBoxes(&before, &after);
    const float turn = collider->turn, bend = 0.25f * turn / (1 - turn);
    // a turn of which the particle's part would be more than its box has room for
    if (turn > 0.4f) return wbGrowBox(&both, INFINITY);
    // collision_meets takes boxes as larger by 1e-4, and by two hairs
    return wbGrowBox(&both, bend * (collider->shift + turn * collider->radius) + 2e-4f * collider->radius +
                                8 * collider->hair);
}

void wbCollision_Place(wbCollision *collision, const wbCollisionPlace *places) {
    bool isChanged = false;
    for (int s = 0; s < collision->parts.trees.colliderCount; s++) {
        CollisionCollider *collider = &collision->colliders[s];
        if (memcmp(&collision->places[s], &places[s], sizeof places[s]) == 0) continue;
        collision->places[s] = places[s];
        place(collider, &places[s]);
        const BroadBox box = places[s].isOff ? wbMakeEmptyBox() : boundWay(collider);
        wbBroadPhase_SetBox(&collision->broad, s, &box);
        isChanged = true;
    }
    wbBroadPhase_Update(&collision->broad);
    collision->parts.version += isChanged;
}

typedef struct Task {
    const wbCollision *collision;
    const wbCollisionCode *code;
    const wbCollisionPoints *points;
    wbCollisionCounts counts[WB_MAX_THREADS];
} Task;

// Particles that were sorted are near each other: most colliders are too far from all of a few of them.
enum { FEW = WB_FEW_WAYS };

static CollisionParticle getParticle(const wbCollisionPoints *p, int i) {
    return (CollisionParticle){{p->beforeX[i], p->beforeY[i], p->beforeZ[i]},
                               {p->x[i], p->y[i], p->z[i]},
                               {p->vx[i], p->vy[i], p->vz[i]}};
}

static bool isHit(const CollisionCollider *collider, const CollisionTrees *trees,
                  const CollisionParticle *particle) {
    if (!collision_is_near(collider, particle)) return false;
    const CollisionPath path = collision_path(collider, particle);
    return collision_meets(&path, collider->min, collider->max, 2 * collider->hair) &&
           collision_find(collider, trees, &path).isHit;
}

// Particles that are looked for, and as bits those of them that no collider is in the way of so far.
typedef struct Few {
    const Task *task;
    wbFewWays ways;
    int at[FEW]; // of which particle a way is
    uint64_t left;
} Few;

static void findHits(int collider, void *context) {
    Few *few = context;
    const CollisionTrees *trees = &few->task->collision->parts.trees;
    if (few->left == 0) return;
    for (uint64_t rest = few->left & few->task->code->along(&few->ways, &trees->colliders[collider]); rest;
         rest &= rest - 1) {
        const int k = __builtin_ctzll(rest);
        const CollisionParticle particle = getParticle(few->task->points, few->at[k]);
        if (isHit(&trees->colliders[collider], trees, &particle)) few->left &= ~((uint64_t)1 << k);
    }
}

static void addWay(Few *few, const wbCollisionPoints *p, int i) {
    wbFewWays *ways = &few->ways;
    const int k = ways->count++;
    ways->from[0][k] = p->beforeX[i], ways->from[1][k] = p->beforeY[i], ways->from[2][k] = p->beforeZ[i];
    ways->to[0][k] = p->x[i], ways->to[1][k] = p->y[i], ways->to[2][k] = p->z[i];
    few->at[k] = i;
}

// Bits of the particles from begin on that a collider is in the way of.
static uint64_t findCaught(const Task *task, int begin, int end) {
    Few few; // of which only what is looked for is written, since most particles are out
    BroadBox box;
    uint64_t caught = 0;
    float longest2;
    few.task = task, few.ways.count = 0;
    for (uint64_t in =
             UINT64_MAX >> (FEW - (end - begin)) & ~task->code->out(task->points, begin, end - begin);
         in; in &= in - 1)
        addWay(&few, task->points, begin + __builtin_ctzll(in));
    if (few.ways.count == 0) return 0;
    task->code->bound(&few.ways, &box, &longest2);
    box = wbGrowBox(&box, COLLISION_ROOM * sqrtf(longest2));
    const uint64_t all = UINT64_MAX >> (FEW - few.ways.count);
    few.left = all;
    wbBroadPhase_FindAll(&task->collision->broad, &box, findHits, &few);
    for (uint64_t hit = all & ~few.left; hit; hit &= hit - 1)
        caught |= (uint64_t)1 << (few.at[__builtin_ctzll(hit)] - begin);
    return caught;
}

static void collideRange(int begin, int end, int worker, void *context) {
    Task *task = context;
    const wbCollisionPoints *p = task->points;
    wbCollisionCounts counts = {0, 0};
    uint64_t caught = 0;
    for (int i = begin; i < end; i++) {
        const int within = (i - begin) % FEW;
        if (within == 0) caught = findCaught(task, i, i + FEW < end ? i + FEW : end);
        if (!(caught >> within & 1)) continue;
        CollisionParticle particle = getParticle(p, i);
        const float relative = p->gifts.relative ? p->gifts.relative[i] : 1;
        const CollisionGift gift = {p->gifts.sums, p->gifts.share * relative};
        int result = collision_particle(&task->collision->parts.trees, &particle, &gift);
        if (p->isFlat) particle.position.z = particle.velocity.z = 0;
        p->x[i] = particle.position.x, p->y[i] = particle.position.y, p->z[i] = particle.position.z;
        p->vx[i] = particle.velocity.x, p->vy[i] = particle.velocity.y, p->vz[i] = particle.velocity.z;
        counts.caught++;
        counts.lost += result == COLLISION_LOST;
    }
    task->counts[worker].caught += counts.caught, task->counts[worker].lost += counts.lost;
}

wbCollisionCounts wbCollision_Run(wbCollision *collision, const wbWork *work, const wbCollisionPlace *places,
                                  const wbCollisionPoints *points) {
    Task task = {.collision = collision, .code = wbGetCollisionCode(work->simd), .points = points};
    wbCollision_Place(collision, places);
    wbParallelShare(work->pool, points->count, WB_BLOCK, collideRange,
                    &task); // colliders are where some of them are
    wbCollisionCounts sum = {0, 0};
    for (int w = 0; w < WB_MAX_THREADS; w++)
        sum.caught += task.counts[w].caught, sum.lost += task.counts[w].lost;
    return sum;
}
