// SPDX-License-Identifier: MIT
#include "pbd/pbf_wishes.h"

#include <math.h>

static void setVector(float to[3], wbVec3 from) { to[0] = from.x, to[1] = from.y, to[2] = from.z; }

PbfWishes wbMakePbfWishes(const wbAdaptiveParams *params, float radius) {
    PbfWishes wishes = {.radius = radius,
                        .slope = params->slope,
                        .band = params->band * radius,
                        .pointReach = params->pointReach,
                        .hasBox = params->boxMax.x > params->boxMin.x && params->boxMax.y > params->boxMin.y,
                        .nearColliders = params->nearColliders * radius,
                        .speed = params->speed};
    setVector(wishes.point, params->point);
    setVector(wishes.boxMin, params->boxMin), setVector(wishes.boxMax, params->boxMax);
    return wishes;
}

// Distances to points of colliders

typedef struct NearTask {
    const wbParticles *particles;
    const wbBoundaryLists *near;
    float *distances;
} NearTask;

static float findNearest(const NearTask *task, int i) {
    const wbParticles *p = task->particles;
    float nearest2 = WB_FAR_COLLIDER * WB_FAR_COLLIDER;
    int rows;
    const int *entry = wbNeighbours_GetRows(task->near->places, i / WB_GROUP, &rows) + i % WB_GROUP;
    for (; rows > 0; rows--, entry += WB_GROUP) {
        const float *place = task->near->points->positionRecords + 4 * (size_t)*entry;
        const float x = place[0] - p->x[i], y = place[1] - p->y[i], z = place[2] - p->z[i];
        nearest2 = fminf(nearest2, x * x + y * y + z * z);
    }
    return sqrtf(nearest2);
}

static void findNear(int begin, int end, int worker, void *context) {
    (void)worker;
    const NearTask *task = context;
    for (int i = begin; i < end; i++) task->distances[i] = findNearest(task, i);
}

void wbFindColliderDistances(const wbFluidStep *step, const wbBoundaryLists *near, float *distances) {
    NearTask task = {step->particles, near, distances};
    wbParallelFor(step->work->pool, step->particles->count, WB_BLOCK, findNear, &task);
}
