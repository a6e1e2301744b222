// SPDX-License-Identifier: MIT
// For tests of fluids with particles of different sizes: scenes, sums, and colliders without a world around them.
#pragma once

#include "pbd/pbf_adaptive_step.h"
#include "pbf_support.h"
#include "slab_support.h"
#include "spare_support.h"

// With a look at all particles after the first sub-step, or not soon.
static inline void makeAdaptive(Scene *scene, bool looks) {
    wbPbfParams params = scene->model.params;
    params.adaptive = scene->model.adaptive, params.adaptive.method = wb_adaptiveLevels;
    assertOk(wbPbfModel_Init(&scene->model, &params, scene->model.domain));
    const int count = scene->pbf.fluid.particles.count;
    assertOk(wbPbfSizes_Reserve(&scene->pbf.sizes, scene->work.memory, count));
    wbPbfSizes_Begin(&scene->pbf.sizes, 0, count);
    scene->pbf.sizes.age = looks ? 1000 : -1000, scene->pbf.sizes.isFilled = 1;
}

static inline void destroyAdaptive(Scene *scene) {
    wbPbfSizes_Free(scene->work.memory, &scene->pbf.sizes);
    destroyScene(scene);
}

// Sets aside the ids of what large particles were merged from.
static inline void freeTheirIds(Scene *scene) {
    wbPbfSizes *sizes = &scene->pbf.sizes;
    const int count = scene->pbf.fluid.particles.count;
    int merged = 0;
    for (int i = 0; i < count; i++) merged += (1 << sizes->level[i]) - 1;
    addSpan(&sizes->spare, scene->work.memory, (uint32_t)count, merged);
    sizes->varied = 1;
}

typedef struct Totals {
    int64_t mass;
    double momentum[3], centre[3], motion; // of smallest particles, m/s, m; mean square of the velocity
} Totals;

static inline Totals sumUp(const Scene *scene) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    Totals t = {0};
    for (int i = 0; i < p->count; i++) {
        const int64_t m = (int64_t)1 << scene->pbf.sizes.level[i];
        const float v[3] = {p->vx[i], p->vy[i], p->vz[i]}, x[3] = {p->x[i], p->y[i], p->z[i]};
        t.mass += m;
        for (int k = 0; k < 3; k++) {
            t.momentum[k] += (double)m * (double)v[k], t.centre[k] += (double)m * (double)x[k];
            t.motion += (double)m * (double)v[k] * (double)v[k];
        }
    }
    for (int k = 0; k < 3; k++) t.centre[k] /= (double)t.mass;
    t.motion /= (double)t.mass;
    return t;
}

// Sizes at random in a block that moves down onto a slab.
static inline Scene createFall(wbSimd simd, int threads, const wbMixture *mixture, wbBoundary *boundary,
                               bool isNoSlip) {
    Setup setup = makeSetup(3, 9, 6, 8);
    setup.packed = 1.6f, setup.jitter = 0.2f, setup.speed = 1, setup.gravity = wbMakeVec3(0, 0, 0);
    setup.params.vorticity = 0.2f, setup.params.viscosity = 0.02f;
    if (mixture) setup.mixture = *mixture;
    for (int s = 0; s < wb_sideCount; s++) setup.domain.sides[s].type = wb_sideOpen;
    Scene scene = createScene(&setup, threads, simd);
    makeAdaptive(&scene, false);
    wbParticles *p = &scene.pbf.fluid.particles;
    for (int i = 0; i < p->count; i++) {
        scene.pbf.sizes.level[i] = (uint8_t)(wbHashFloat((uint32_t)i + 99) * 6);
        p->vy[i] -= 2, scene.pbf.sizes.distance[i] = 4 * p->x[i];
    }
    freeTheirIds(&scene);
    const float low[3] = {-1, 0, -1}, high[3] = {3, 0, 3};
    wbBoundary_Init(boundary);
    addSlab(boundary, scene.work.memory, 1, 0, true, low, high, setup.params.spacing, isNoSlip);
    return scene;
}
