// SPDX-License-Identifier: MIT
#include "shape/guard.h"

#include <math.h>
#include <string.h>

#include "core/status.h"

struct wbGuard {
    wbMemory *memory;
    wbGuardParts parts;
    ShapeNode *nodes;
    ShapeTriangle *triangles;
    GuardSolid *colliders;
};

// The collider that had this shape first.
static int findFirst(const wbShape *const *shapes, int collider) {
    int first = 0;
    while (shapes[first] != shapes[collider]) first++;
    return first;
}

static bool allocate(wbGuard *guard) {
    const wbGuardParts *parts = &guard->parts;
    guard->nodes = wbAlloc(guard->memory, sizeof(ShapeNode) * (size_t)parts->nodeCount);
    guard->triangles = wbAlloc(guard->memory, sizeof(ShapeTriangle) * (size_t)parts->triangleCount);
    guard->colliders = wbAllocZero(guard->memory, sizeof(GuardSolid) * (size_t)parts->solidCount);
    guard->parts.nodes = guard->nodes, guard->parts.triangles = guard->triangles;
    return parts->solidCount == 0 || (guard->nodes && guard->triangles && guard->colliders);
}

static void copyTrees(wbGuard *guard, const wbShape *const *shapes) {
    int node = 0, triangle = 0;
    for (int s = 0; s < guard->parts.solidCount; s++) {
        const wbShapeTree *tree = wbShape_GetTree(shapes[s]);
        const int first = findFirst(shapes, s);
        GuardSolid *collider = &guard->colliders[s];
        *collider =
            (GuardSolid){.min = tree->min,
                         .max = tree->max,
                         .centre = tree->centre,
                         .radius = tree->radius,
                         .firstNode = first < s ? guard->colliders[first].firstNode : node,
                         .nodeCount = tree->nodeCount,
                         .firstTriangle = first < s ? guard->colliders[first].firstTriangle : triangle};
        if (first < s) continue;
        memcpy(guard->nodes + node, tree->nodes, sizeof(ShapeNode) * (size_t)tree->nodeCount);
        memcpy(guard->triangles + triangle, tree->triangles,
               sizeof(ShapeTriangle) * (size_t)tree->triangleCount);
        node += tree->nodeCount, triangle += tree->triangleCount;
    }
}

wbStatus wbCreateGuard(wbMemory *memory, const wbShape *const *shapes, int count, wbGuard **result) {
    *result = NULL;
    wbGuard *guard = wbAllocZero(memory, sizeof *guard);
    if (!guard) return wbMemoryError(memory, "the guard of %d colliders needs", count);
    guard->memory = memory, guard->parts.solidCount = count;
    for (int s = 0; s < count; s++) {
        const wbShapeTree *tree = wbShape_GetTree(shapes[s]);
        if (findFirst(shapes, s) < s) continue;
        guard->parts.nodeCount += tree->nodeCount, guard->parts.triangleCount += tree->triangleCount;
    }
    if (!allocate(guard)) {
        wbStatus status = wbMemoryError(memory, "the guard of %d colliders needs", count);
        wbDestroyGuard(guard);
        return status;
    }
    copyTrees(guard, shapes);
    *result = guard;
    return wb_okStatus;
}

void wbDestroyGuard(wbGuard *guard) {
    if (!guard) return;
    const wbGuardParts *parts = &guard->parts;
    wbFree(guard->memory, guard->nodes, sizeof(ShapeNode) * (size_t)parts->nodeCount);
    wbFree(guard->memory, guard->triangles, sizeof(ShapeTriangle) * (size_t)parts->triangleCount);
    wbFree(guard->memory, guard->colliders, sizeof(GuardSolid) * (size_t)parts->solidCount);
    wbFree(guard->memory, guard, sizeof *guard);
}

wbGuardParts wbGuard_GetParts(const wbGuard *guard) { return guard->parts; }

// In double, and of length 1, so that there and back is the same place but for the rounding of floats.
static GuardPose getPose(const wbPose *pose) {
    const float *r = pose->rotation;
    double x = r[0], y = r[1], z = r[2], w = r[3], s = 2 / (x * x + y * y + z * z + w * w);
    return (GuardPose){
        .x = {(float)(1 - s * (y * y + z * z)), (float)(s * (x * y + z * w)), (float)(s * (x * z - y * w))},
        .y = {(float)(s * (x * y - z * w)), (float)(1 - s * (x * x + z * z)), (float)(s * (y * z + x * w))},
        .z = {(float)(s * (x * z + y * w)), (float)(s * (y * z - x * w)), (float)(1 - s * (x * x + y * y))},
        .position = {pose->position[0], pose->position[1], pose->position[2]}};
}

static float getAngle(const GuardPose *a, const GuardPose *b) {
    double trace = (double)wbDot(a->x, b->x) + wbDot(a->y, b->y) + wbDot(a->z, b->z);
    return (float)acos(fmax(fmin((trace - 1) / 2, 1), -1));
}

static void place(GuardSolid *collider, const wbGuardPlace *at) {
    collider->before = getPose(&at->before), collider->after = getPose(&at->after.pose);
    const float *v = at->after.velocity, *spin = at->after.spin;
    collider->velocity = wbMakeVec3(v[0], v[1], v[2]), collider->spin = wbMakeVec3(spin[0], spin[1], spin[2]);
    wbVec3 before = guard_apply(&collider->before, collider->centre),
           after = guard_apply(&collider->after, collider->centre);
    // what rounding may hide of the motion is far less than these
    float size =
        fmaxf(guard_length(before), guard_length(after)) + guard_length(collider->centre) + collider->radius;
    collider->hair = 0x1p-17f * size;
    collider->shift = guard_length(wbSub(after, before)) + collider->hair;
    collider->turn = getAngle(&collider->before, &collider->after) + 1e-3f;
}

const GuardSolid *wbGuard_Place(wbGuard *guard, const wbGuardPlace *places) {
    for (int s = 0; s < guard->parts.solidCount; s++) place(&guard->colliders[s], &places[s]);
    return guard->colliders;
}

typedef struct Task {
    const wbGuard *guard;
    const wbGuardPoints *points;
    wbGuardCounts counts[WB_MAX_THREADS];
} Task;

static bool isOut(const wbGuardPoints *p, int i, const GuardParticle *particle) {
    if (!p->nearness || p->nearness[i] != 0 || !(p->margin > 0)) return false;
    wbVec3 way = wbSub(particle->position, particle->before);
    return wbDot(way, way) < p->margin * p->margin;
}

static GuardParticle getParticle(const wbGuardPoints *p, int i) {
    return (GuardParticle){{p->beforeX[i], p->beforeY[i], p->beforeZ[i]},
                           {p->x[i], p->y[i], p->z[i]},
                           {p->vx[i], p->vy[i], p->vz[i]}};
}

// Around the ways of some particles.
typedef struct Ways {
    wbVec3 min, max;
    float longest; // m
} Ways;

static void addWay(Ways *ways, const GuardParticle *particle) {
    const wbVec3 a = particle->before, b = particle->position;
    ways->min = wbMakeVec3(fminf(ways->min.x, fminf(a.x, b.x)), fminf(ways->min.y, fminf(a.y, b.y)),
                           fminf(ways->min.z, fminf(a.z, b.z)));
    ways->max = wbMakeVec3(fmaxf(ways->max.x, fmaxf(a.x, b.x)), fmaxf(ways->max.y, fmaxf(a.y, b.y)),
                           fmaxf(ways->max.z, fmaxf(a.z, b.z)));
    ways->longest = fmaxf(ways->longest, guard_length(wbSub(b, a)));
}

static float getGap(float low, float high, float place, float reach) {
    return fmaxf(fmaxf(low - place, place - high) - reach, 0);
}

// False only where each of the ways fails guard_is_near, or of a collider at rest guard_meets of the box around it.
static bool mayMeet(const GuardSolid *collider, const Ways *ways) {
    const wbVec3 centre = guard_apply(&collider->before, collider->centre);
    const wbVec3 gap = wbMakeVec3(getGap(ways->min.x, ways->max.x, centre.x, 0),
                                  getGap(ways->min.y, ways->max.y, centre.y, 0),
                                  getGap(ways->min.z, ways->max.z, centre.z, 0));
    if (0.9999f * guard_length(gap) * (1 - collider->turn) >
        collider->radius + collider->shift + ways->longest + 2 * collider->hair)
        return false;
    if (memcmp(&collider->before, &collider->after, sizeof collider->before) != 0) return true;
    const wbVec3 middle = guard_apply(&collider->after, wbScale(0.5f, wbAdd(collider->min, collider->max)));
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

static bool isHit(const GuardSolid *collider, const GuardTrees *trees, const GuardParticle *particle) {
    if (!guard_is_near(collider, particle)) return false;
    const GuardPath path = guard_path(collider, particle);
    return guard_meets(&path, collider->min, collider->max, 2 * collider->hair) &&
           guard_find(collider, trees, &path).isHit;
}

// Particles that were sorted are near each other: most colliders are too far from all of a few of them.
enum { FEW = 64 };

// Bits of the particles from begin on that a collider is in the way of.
static uint64_t findCaught(const Task *task, int begin, int end) {
    const wbGuardPoints *p = task->points;
    const wbGuardParts *parts = &task->guard->parts;
    const GuardTrees trees = {parts->nodes, parts->triangles};
    GuardParticle particles[FEW];
    Ways ways = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    uint64_t left = 0, caught = 0;
    for (int i = begin; i < end; i++) {
        particles[i - begin] = getParticle(p, i);
        if (isOut(p, i, &particles[i - begin])) continue;
        left |= (uint64_t)1 << (i - begin);
        addWay(&ways, &particles[i - begin]);
    }
    for (int s = 0; s < parts->solidCount && left; s++) {
        const GuardSolid *collider = &task->guard->colliders[s];
        if (!mayMeet(collider, &ways)) continue;
        for (int k = 0; k < end - begin; k++)
            if ((left >> k & 1) && isHit(collider, &trees, &particles[k])) caught |= (uint64_t)1 << k;
        left &= ~caught;
    }
    return caught;
}

static void guardRange(int begin, int end, int worker, void *context) {
    Task *task = context;
    const wbGuardPoints *p = task->points;
    const wbGuardParts *parts = &task->guard->parts;
    const GuardTrees trees = {parts->nodes, parts->triangles};
    wbGuardCounts counts = {0, 0};
    uint64_t caught = 0;
    for (int i = begin; i < end; i++) {
        const int within = (i - begin) % FEW;
        if (within == 0) caught = findCaught(task, i, i + FEW < end ? i + FEW : end);
        if (!(caught >> within & 1)) continue;
        GuardParticle particle = getParticle(p, i);
        int result = guard_particle(task->guard->colliders, parts->solidCount, &trees, &particle);
        if (p->isFlat) particle.position.z = particle.velocity.z = 0;
        p->x[i] = particle.position.x, p->y[i] = particle.position.y, p->z[i] = particle.position.z;
        p->vx[i] = particle.velocity.x, p->vy[i] = particle.velocity.y, p->vz[i] = particle.velocity.z;
        counts.caught++;
        counts.lost += result == GUARD_LOST;
    }
    task->counts[worker] = counts;
}

wbGuardCounts wbGuard_Run(wbGuard *guard, wbThreadPool *pool, const wbGuardPlace *places,
                          const wbGuardPoints *points) {
    Task task = {.guard = guard, .points = points};
    wbGuard_Place(guard, places);
    wbParallelFor(pool, points->count, WB_BLOCK, guardRange, &task);
    wbGuardCounts sum = {0, 0};
    for (int w = 0; w < WB_MAX_THREADS; w++)
        sum.caught += task.counts[w].caught, sum.lost += task.counts[w].lost;
    return sum;
}
