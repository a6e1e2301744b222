// SPDX-License-Identifier: MIT
#include "pbd/pbf_wishes.h"

#include <math.h>

#include "core/status.h"

#define PI 3.14159265358979323846

static void setVector(float to[3], wbVec3 from) { to[0] = from.x, to[1] = from.y, to[2] = from.z; }

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const double a[3], const double b[3], double to[3]) {
    for (int k = 0; k < 3; k++) to[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}
static bool normalize(double a[3]) {
    const double length = sqrt(dot(a, a));
    for (int k = 0; k < 3; k++) a[k] /= fmax(length, 1e-300);
    return length > 0;
}

// Planes through the camera: what it sees is turned by half an angle about an axis of its picture.
static void setSides(const wbAdaptiveParams *params, PbfWishes *wishes) {
    const wbVec3 from = params->view, to = params->viewTarget;
    const double place[3] = {from.x, from.y, from.z}, up[3] = {0, 1, 0}, east[3] = {1, 0, 0};
    const double high = 0.5 * (double)params->viewAngle * PI / 180,
                 wide = atan(tan(high) * (double)params->viewAspect);
    double ahead[3] = {to.x - from.x, to.y - from.y, to.z - from.z}, right[3], above[3];
    if (!normalize(ahead)) ahead[2] = -1;
    cross(ahead, up, right);
    if (dot(right, right) < 1e-12)
        for (int k = 0; k < 3; k++) right[k] = east[k];
    normalize(right);
    cross(right, ahead, above);
    for (int s = 0; s < 4; s++) {
        const double *axis = s < 2 ? right : above, half = s < 2 ? wide : high, sign = s % 2 ? 1 : -1;
        double out[3];
        for (int k = 0; k < 3; k++) out[k] = sign * cos(half) * axis[k] - sin(half) * ahead[k];
        for (int k = 0; k < 3; k++) wishes->sides[s][k] = (float)out[k];
        wishes->sides[s][3] = (float)dot(out, place);
    }
}

PbfWishes wbMakePbfWishes(const wbAdaptiveParams *params, float radius, int dimensions) {
    PbfWishes wishes = {.radius = radius,
                        .slope = params->slope,
                        .band = params->band * radius,
                        .pointReach = params->pointReach,
                        .hasBox = params->boxMax.x > params->boxMin.x && params->boxMax.y > params->boxMin.y,
                        .nearColliders = params->nearColliders * radius,
                        .speed = params->speed,
                        .curl = params->curl,
                        .feature = params->feature,
                        .viewFactor = params->viewAngle > 0 ? params->viewFactor : 0,
                        .dimensions = dimensions};
    setVector(wishes.point, params->point);
    setVector(wishes.boxMin, params->boxMin), setVector(wishes.boxMax, params->boxMax);
    if (params->viewAngle > 0) setSides(params, &wishes);
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

wbStatus wbFindToColliders(const wbFluidStep *step, const PbfWishes *wishes, const wbBoundaryLists *near,
                           float **distances) {
    *distances = NULL;
    if (wishes->nearColliders == 0 || !near) return wb_okStatus;
    if (!wbFluidStep_AllocColumns(step, (float **const[]){distances}, 1))
        return wbFluidStep_FailByMemory(step);
    NearTask task = {step->particles, near, *distances};
    wbParallelFor(step->work->pool, step->particles->count, WB_BLOCK, findNear, &task);
    return wb_okStatus;
}

// Among neighbours; ghosts are far away and have no say.
static wbStatus lookAround(const wbFluidStep *step, const wbWishInput *input, wbWishPass *pass) {
    const wbParticles *p = step->particles;
    float **const columns[] = {&pass->curl, &pass->deepest};
    if (pass->wishes.curl == 0 && pass->wishes.feature == 0) return wb_okStatus;
    float *places = wbFluidStep_AllocPositions(step, 0), *motions = wbFluidStep_AllocVectors(step);
    if (!places || !motions || !wbFluidStep_AllocColumns(step, columns, 2))
        return wbFluidStep_FailByMemory(step);
    for (int i = 0; i < p->count; i++) {
        const float place[4] = {p->x[i], p->y[i], p->z[i], input->toSurface[i]};
        const float motion[4] = {p->vx[i], p->vy[i], p->vz[i], input->mass[i]};
        for (int k = 0; k < 4; k++) {
            places[4 * (size_t)i + (size_t)k] = place[k];
            motions[4 * (size_t)i + (size_t)k] = motion[k];
        }
    }
    for (int g = step->firstGhost; g < step->dummy; g++)
        for (int k = 0; k < 4; k++) {
            places[4 * (size_t)g + (size_t)k] = places[4 * (size_t)step->dummy + (size_t)k];
            motions[4 * (size_t)g + (size_t)k] = 0;
        }
    pass->motions = motions, pass->h = input->h;
    wbFluidStep_RunOverLists(step, wbGetWishCode(step->work->simd)->around, places, pass, 0);
    return wb_okStatus;
}

wbStatus wbFindWishedSizes(const wbFluidStep *step, const PbfWishes *wishes, const wbWishInput *input,
                           float *sizes) {
    wbWishPass pass = {.wishes = *wishes,
                       .particles = step->particles,
                       .toSurface = input->toSurface,
                       .toColliders = input->toColliders,
                       .size = sizes};
    WB_TRY(lookAround(step, input, &pass));
    wbParallelShare(step->work->pool, step->particles->count, WB_BLOCK,
                    wbGetWishCode(step->work->simd)->sizes, &pass);
    return wb_okStatus;
}
