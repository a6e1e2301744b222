// SPDX-License-Identifier: MIT
// For tests of smoke: volumes with everything in them, and comparisons with the reference.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "core/hash.h"
#include "reference/smoke.h"
#include "smoke/smoke.h"
#include "test_support.h"

static inline void assertBelow(double value, double limit, const char *what) {
    if (value <= limit) return;
    print_error("%s: %g is above %g\n", what, value, limit);
    fail();
}

/// Memory, arena and threads of a test.
static inline wbWork makeWork(int threads, wbSimd simd) {
    wbWork work = {.memory = wbCreateMemory(0), .simd = simd};
    work.arena = wbCreateArena(work.memory);
    work.pool = wbCreateThreadPool(work.memory, threads, NULL, NULL);
    return work;
}

static inline void freeWork(wbWork *work) {
    wbDestroyThreadPool(work->pool);
    wbDestroyArena(work->arena);
    wbDestroyMemory(work->memory);
}

/// A volume of nx × ny × nz cells of 0.1 m with free-slip sides and no forces.
typedef struct Volume {
    int n[3], dimensions;
    wbSmokeParams params;
    wbDomainDef domain;
    wbVec3 gravity;
    int bodyCount;
    wbSmokeBody bodies[2];
    uint8_t (*solid)(const struct Volume *volume, int i, int j, int k); ///< NULL: no solids
    float speed;                                                        ///< of random velocities at the start
} Volume;

static inline Volume makeVolume(int dimensions, int nx, int ny, int nz) {
    Volume volume = {.n = {nx, ny, nz}, .dimensions = dimensions, .speed = 1};
    const float h = 0.1f;
    volume.params = wbDefaultSmokeParams();
    volume.params.cellSize = h;
    volume.params.confinement = volume.params.buoyancy = volume.params.weight = 0;
    volume.params.tolerance = 1e-5f;
    volume.params.maxCycles = 60;
    volume.domain.min = wbMakeVec3(-0.3f, 0.2f, 0.1f);
    volume.domain.max = wbMakeVec3(-0.3f + h * (float)nx, 0.2f + h * (float)ny, 0.1f + h * (float)nz);
    volume.gravity = wbMakeVec3(0, -9.81f, 0);
    return volume;
}

/// The same volume in both solvers.
typedef struct Twin {
    wbSmoke smoke;
    wbSmokeModel model;
    refSmoke *reference;
} Twin;

static inline float *findValue(wbSmoke *smoke, int field, int i, int j, int k) {
    return &smoke->fields[field][wbSmokeIndex(&smoke->grid, i, j, k)];
}

/// Calls visit for every value of every field.
typedef void VisitFn(Twin *twin, int field, int i, int j, int k, float *fast, double *reference,
                     void *context);
static inline void visitValues(Twin *twin, VisitFn *visit, void *context) {
    refSmoke *ref = twin->reference;
    for (int f = 0; f < refDensity + twin->smoke.scalarCount; f++)
        for (int k = 0; k < refCount(ref, f, 2); k++)
            for (int j = 0; j < refCount(ref, f, 1); j++)
                for (int i = 0; i < refCount(ref, f, 0); i++)
                    visit(twin, f, i, j, k, findValue(&twin->smoke, f, i, j, k),
                          &ref->field[f][refIndex(ref, f, i, j, k)], context);
}

static inline void setRandom(Twin *twin, int f, int i, int j, int k, float *fast, double *reference,
                             void *context) {
    const Volume *volume = context;
    uint32_t counter = (uint32_t)(((f * 64 + k) * 256 + j) * 256 + i);
    bool solid = f >= 3 && twin->reference->solid[i + volume->n[0] * (j + volume->n[1] * k)];
    *fast = f < 3 ? volume->speed * (2 * wbHashFloat(counter) - 1) : wbHashFloat(counter);
    if (solid || (f == 2 && volume->dimensions == 2)) *fast = 0;
    *reference = *fast;
}

static inline void createTwin(Twin *twin, const Volume *volume, const wbWork *work) {
    const int *n = volume->n;
    assertOk(wbSmokeModel_Init(&twin->model, &volume->params, &volume->domain, volume->gravity,
                               volume->dimensions));
    assertOk(wbSmoke_Init(&twin->smoke, &twin->model, work));
    assert_int_equal(twin->smoke.grid.nx, n[0]);
    assert_int_equal(twin->smoke.grid.ny, n[1]);
    refSmoke *ref = twin->reference =
        refCreateSmoke(volume->dimensions, n[0], n[1], n[2], volume->params.cellSize);
    ref->params = volume->params;
    ref->origin = volume->domain.min;
    memcpy(ref->sides, twin->model.sides, sizeof ref->sides);
    memcpy(ref->bodies, volume->bodies, sizeof volume->bodies);
    uint8_t *mask = calloc((size_t)(n[0] * n[1] * n[2]), 1);
    for (int k = 0; k < n[2] && volume->solid; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                mask[wbSmokeCell(&twin->smoke.grid, i, j, k)] = ref->solid[i + n[0] * (j + n[1] * k)] =
                    volume->solid(volume, i, j, k);
    assertOk(wbSmoke_SetSolids(&twin->smoke, &twin->model, work, mask, volume->bodies, volume->bodyCount));
    free(mask);
    visitValues(twin, setRandom, (void *)volume);
}

static inline void destroyTwin(Twin *twin, const wbWork *work) {
    wbSmoke_Free(work->memory, &twin->smoke);
    refDestroySmoke(twin->reference);
}

static inline void takeWorst(Twin *twin, int f, int i, int j, int k, float *fast, double *reference,
                             void *context) {
    (void)twin, (void)f, (void)i, (void)j, (void)k;
    double *worst = context, difference = fabs(*fast - *reference);
    if (!(difference <= worst[f])) worst[f] = difference;
}

/// The largest difference of each field.
static inline void compareTwin(Twin *twin, double worst[refFields]) {
    for (int f = 0; f < refFields; f++) worst[f] = 0;
    visitValues(twin, takeWorst, worst);
}
