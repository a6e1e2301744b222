// SPDX-License-Identifier: MIT
// golden SCENE cpu|opencl MOST: hashes of what a scene holds after a few steps, for scripts/golden. Contents are hashed in
// an order of their own (particles by id, cells by place), through the public interface alone: neither sorting nor names
// nor the layout of memory show. Smoke is computed in cells so coarse that there are at most MOST_CELLS. As many of 1, 5 and
// 20 steps are done as move MOST particles and cells together: one step always.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "wirbel/scene.h"

static const int stepCounts[] = {1, 5, 20};
enum { MOST_CELLS = 100000 };
enum { COUNTS = sizeof stepCounts / sizeof stepCounts[0] };

/// Parts that a world may have; those it does not have are left out.
enum { PARTICLES, BODIES, AIR, POSES, PARTS };
static const char *const partNames[PARTS] = {"particles", "bodies", "air", "poses"};

typedef struct Golden {
    uint64_t hashes[COUNTS][PARTS];
    bool has[PARTS];
    int count; ///< of stepCounts that were reached
} Golden;

typedef struct Order {
    uint32_t id;
    int index;
} Order;

static int compareIds(const void *a, const void *b) {
    uint32_t first = ((const Order *)a)->id, second = ((const Order *)b)->id;
    return (first > second) - (first < second);
}

static uint64_t hashView(uint64_t hash, const wbView *view) {
    Order *order = malloc((size_t)(view->count + 1) * sizeof *order);
    if (!order) abort();
    for (int i = 0; i < view->count; i++)
        order[i] = (Order){view->id ? view->id[(ptrdiff_t)i * view->stride] : (uint32_t)i, i};
    qsort(order, (size_t)view->count, sizeof *order, compareIds);
    for (int k = 0; k < view->count; k++) {
        ptrdiff_t i = (ptrdiff_t)order[k].index * view->stride;
        const float state[6] = {view->x[i], view->y[i], view->z[i], view->vx[i], view->vy[i], view->vz[i]};
        hash = wbHashBytes(hash, &order[k].id, sizeof order[k].id);
        hash = wbHashBytes(hash, state, sizeof state);
    }
    free(order);
    return hash;
}

static wbStatus hashParticles(wbWorld *world, uint64_t *hash) {
    wbView view;
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        wbStatus status = wbFluid_GetView(world, wbWorld_GetFluid(world, i), &view);
        if (!wbIsOk(status)) return status;
        *hash = hashView(*hash, &view);
    }
    return wb_okStatus;
}

static wbStatus hashBodies(wbWorld *world, uint64_t *hash) {
    wbView view;
    for (int i = 0; i < wbWorld_GetSoftBodyCount(world); i++) {
        wbStatus status = wbSoftBody_GetView(world, wbWorld_GetSoftBody(world, i), &view);
        if (!wbIsOk(status)) return status;
        *hash = hashView(*hash, &view);
    }
    return wb_okStatus;
}

// `more`: along which axis a value stands behind the last cell, too; -1: none
static uint64_t hashField(uint64_t hash, const wbSmokeView *view, const float *field, int more) {
    if (!field) return hash;
    const int nx = view->cells[0] + (more == 0), ny = view->cells[1] + (more == 1);
    const int nz = view->cells[2] + (more == 2);
    for (int j = 0; j < ny; j++)
        for (int k = 0; k < nz; k++)
            hash = wbHashBytes(hash, field + j * view->strideY + k * view->strideZ, 4 * (size_t)nx);
    return hash;
}

static wbStatus hashAir(wbWorld *world, uint64_t *hash) {
    wbSmokeView view;
    wbStatus status = wbWorld_GetSmokeView(world, &view);
    if (!wbIsOk(status)) return status;
    const bool isFlat = wbWorld_GetWorldParams(world)->dimensions == 2;
    const float *const fields[] = {view.density,   view.temperature, view.fuel,     view.pressure,
                                   view.colour[0], view.colour[1],   view.colour[2]};
    uint64_t h = wbHashBytes(*hash, view.first, sizeof view.first);
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) h = hashField(h, &view, fields[f], -1);
    h = hashField(h, &view, view.u, 0);
    h = hashField(h, &view, view.v, 1);
    *hash = isFlat ? h : hashField(h, &view, view.w, 2);
    return wb_okStatus;
}

static uint64_t hashPoses(wbWorld *world, uint64_t hash) {
    for (int i = 0; i < wbWorld_GetColliderCount(world); i++) {
        wbColliderStats stats = wbCollider_GetStats(world, wbWorld_GetCollider(world, i));
        hash = wbHashBytes(hash, stats.position, sizeof stats.position);
        hash = wbHashBytes(hash, stats.rotation, sizeof stats.rotation);
    }
    for (int i = 0; i < wbWorld_GetMechanismCount(world); i++) {
        wbMechanismStats stats = wbMechanism_GetStats(world, wbWorld_GetMechanism(world, i));
        const double state[] = {stats.open[0], stats.open[1], stats.angle, stats.speed};
        hash = wbHashBytes(hash, state, sizeof state);
    }
    return hash;
}

// Each part begins with the time, so that a step of another length shows in all of them.
static wbStatus hashWorld(wbWorld *world, uint64_t hashes[PARTS]) {
    double time = wbWorld_GetTime(world);
    for (int p = 0; p < PARTS; p++) hashes[p] = wbHashBytes(WB_HASH_START, &time, sizeof time);
    wbStatus status = hashParticles(world, &hashes[PARTICLES]);
    if (wbIsOk(status)) status = hashBodies(world, &hashes[BODIES]);
    if (wbIsOk(status)) status = hashAir(world, &hashes[AIR]);
    hashes[POSES] = hashPoses(world, hashes[POSES]);
    return status;
}

// All solvers by the longest step that all of them allow, if the scene says none.
static wbStatus stepAtOnce(wbWorld *world) {
    const float stable = wbWorld_GetStableStep(world), asked = wbWorld_GetWorldParams(world)->dt;
    return wbWorld_Step(world, asked > 0 ? asked : isfinite(stable) ? stable : 1.0f / 60);
}

static wbStatus stepTo(const wbScene *scene, wbWorld *world, int count) {
    wbStatus status = wb_okStatus;
    while (wbIsOk(status) && wbWorld_GetStepCount(world) < count) {
        status = wbScene_RunScript(scene, world);
        if (wbIsOk(status)) status = stepAtOnce(world);
    }
    return status;
}

static double getSize(wbWorld *world) {
    double size = (double)wbWorld_GetCellCount(world) + wbWorld_GetStats(world).particles;
    for (int i = 0; i < wbWorld_GetSoftBodyCount(world); i++)
        size += wbSoftBody_GetParticleCount(world, wbWorld_GetSoftBody(world, i));
    return size;
}

static wbStatus runWorld(const wbScene *scene, wbWorld *world, double most, Golden *golden) {
    const double size = getSize(world);
    golden->has[PARTICLES] = wbWorld_GetFluidCount(world) > 0;
    golden->has[BODIES] = wbWorld_GetSoftBodyCount(world) > 0;
    golden->has[AIR] = wbWorld_GetCellCount(world) > 0;
    golden->has[POSES] = wbWorld_GetColliderCount(world) > 0;
    for (int k = 0; k < COUNTS && (k == 0 || size * stepCounts[k] <= most); k++) {
        wbStatus status = stepTo(scene, world, stepCounts[k]);
        if (wbIsOk(status)) status = hashWorld(world, golden->hashes[k]);
        if (!wbIsOk(status)) return status;
        golden->count = k + 1;
    }
    return wb_okStatus;
}

// With smoke.follow there are few, and the window would fill a coarser box.
static double countCells(const wbWorldDef *def) {
    const wbVec3 size = wbSub(def->domain.max, def->domain.min);
    double cells = 1;
    for (int a = 0; a < def->params.dimensions; a++) cells *= (double)(&size.x)[a] / def->smoke.cellSize;
    return def->hasSmoke && !def->smoke.follow ? cells : 0;
}

static bool run(const char *path, wbBackend backend, int threads, double most, Golden *golden) {
    wbScene *scene;
    wbWorld *world = NULL;
    wbStatus status = wbReadScene(path, &scene);
    if (wbIsOk(status)) {
        wbWorldDef *def = wbScene_GetWorldDef(scene);
        def->params.backend = backend;
        def->threadCount = threads;
        def->simd = wb_simdScalar; // no approximate instruction: it would tell one CPU from another
        while (countCells(def) > MOST_CELLS) def->smoke.cellSize *= 2;
        status = wbScene_CreateWorld(scene, &world);
        if (wbIsOk(status)) status = runWorld(scene, world, most, golden);
        wbDestroyWorld(world);
        wbDestroyScene(scene);
    }
    if (!wbIsOk(status)) fprintf(stderr, "%s: %s\n", path, status.text);
    return wbIsOk(status);
}

static void print(const char *path, const char *backend, const Golden *golden) {
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (int k = 0; k < golden->count; k++)
        for (int p = 0; p < PARTS; p++)
            if (golden->has[p])
                printf("%.*s %d %s %s %016" PRIx64 "\n", (int)strcspn(name, "."), name, stepCounts[k],
                       backend, partNames[p], golden->hashes[k][p]);
}

int main(int argc, char **argv) {
    const bool isCpu = argc == 4 && strcmp(argv[2], "cpu") == 0;
    if (argc != 4 || !(isCpu || strcmp(argv[2], "opencl") == 0)) {
        fprintf(stderr, "usage: golden SCENE cpu|opencl MOST\n");
        return 2;
    }
    Golden golden = {0}, again = {0};
    const double most = strtod(argv[3], NULL);
    if (!run(argv[1], isCpu ? wb_backendCpu : wb_backendOpencl, 1, most, &golden)) return 1;
    if (isCpu) {
        if (!run(argv[1], wb_backendCpu, 2, most, &again)) return 1;
        if (again.count != golden.count || memcmp(again.hashes, golden.hashes, sizeof golden.hashes) != 0) {
            fprintf(stderr, "%s: one and two threads differ\n", argv[1]);
            return 1;
        }
    }
    print(argv[1], argv[2], &golden);
    return 0;
}
