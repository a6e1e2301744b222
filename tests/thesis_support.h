// SPDX-License-Identifier: MIT
// For tests of the thesis' adaptive fluid on the cores: scenes, and twins of them in the reference.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pbd/pbf_thesis.h"
#include "reference/thesis.h"
#include "spare_support.h"
#include "work_support.h"

typedef struct Scene {
    wbWork work;
    wbDomain domain;
    wbThesisModel model;
    wbThesis thesis;
    wbFluidState fluid;
} Scene;

static inline void addAt(Scene *scene, const float x[3]) {
    wbParticles *p = &scene->fluid.particles;
    const int i = p->count;
    assertOk(wbParticles_Reserve(p, scene->work.memory, i + 1));
    assertOk(wbThesis_Reserve(&scene->thesis, scene->work.memory, i + 1));
    p->x[i] = x[0], p->y[i] = x[1], p->z[i] = x[2], p->vx[i] = p->vy[i] = p->vz[i] = 0;
    p->id[i] = (uint32_t)i, p->density[i] = 1000, p->pressure[i] = 0;
    p->count++;
    wbThesis_Begin(&scene->thesis, &scene->model, i, i + 1);
}

// Open all around, without particles.
static inline Scene *createScene(int dimensions, int threads, wbSimd simd, const wbDomainDef *box,
                                 wbVec3 gravity) {
    Scene *scene = calloc(1, sizeof *scene);
    const wbThesisParams params = wbDefaultThesisParams(dimensions);
    scene->work = createWork(threads, simd);
    scene->domain = wbMakeDomain(box, gravity, dimensions);
    wbThesisModel_Init(&scene->model, &params, &scene->domain);
    wbThesis_Init(&scene->thesis);
    wbFluidState_Init(&scene->fluid);
    return scene;
}

static inline void destroyScene(Scene *scene) {
    wbThesis_Free(scene->work.memory, &scene->thesis);
    wbFluidState_Free(scene->work.memory, &scene->fluid);
    destroyWork(&scene->work);
    free(scene);
}

static inline void step(Scene *scene, float dt) {
    wbArena_Reset(scene->work.arena);
    assertOk(wbThesis_Step(&scene->thesis, &scene->fluid, &scene->model, NULL, &scene->work, dt, 1));
}

typedef struct Totals {
    int64_t parts;
    double momentum[3], speed,
        radius; // the fastest; of a ball with this moment of inertia, in smallest radii
} Totals;

static inline Totals sumUp(const Scene *scene) {
    const wbParticles *p = &scene->fluid.particles;
    Totals sums = {0};
    double inertia = 0;
    for (int i = 0; i < p->count; i++) {
        const double m = scene->thesis.parts[i];
        const float v[3] = {p->vx[i], p->vy[i], p->vz[i]}, x[3] = {p->x[i], p->y[i], p->z[i]};
        double v2 = 0;
        sums.parts += scene->thesis.parts[i];
        for (int k = 0; k < 3; k++) {
            sums.momentum[k] += m * (double)v[k], v2 += (double)v[k] * (double)v[k];
            inertia += m * (double)x[k] * (double)x[k];
        }
        sums.speed = fmax(sums.speed, sqrt(v2));
    }
    sums.radius = sqrt(inertia / (double)sums.parts * (1 + 2.0 / scene->domain.dimensions)) /
                  (scene->model.params.spacing / 2.0);
    return sums;
}

// A block of particles of one to six smallest ones in a box, with kernels, distances and offsets at random; every twelfth is on its
// way into the next one. Ids that were merged away wait for splits.
static inline Scene *createBlock(int dimensions, wbSimd simd, int sites, float packed) {
    const float length = packed * 0.1f * (float)sites;
    const wbDomainDef box = {.max = wbMakeVec3(length, length, length)};
    Scene *scene = createScene(dimensions, 2, simd, &box, wbMakeVec3(0, -9.81f, 0));
    wbThesis *t = &scene->thesis;
    for (int n = 0; n < sites * sites * (dimensions == 3 ? sites : 1); n++) {
        const int site[3] = {n % sites, n / sites % sites, n / sites / sites};
        float x[3] = {0};
        for (int k = 0; k < dimensions; k++)
            x[k] = packed * 0.1f * ((float)site[k] + 0.5f + 0.2f * randomSigned((uint32_t)(3 * n + k)));
        addAt(scene, x);
        wbParticles *p = &scene->fluid.particles;
        p->vx[n] = randomSigned((uint32_t)(n + 5000)), p->vy[n] = randomSigned((uint32_t)(n + 6000));
        const uint32_t units = 1 + (uint32_t)(6 * wbHashFloat((uint32_t)(n + 7000)));
        t->units[n] = units, t->parts[n] = units * WB_THESIS_PARTS;
        t->h[n] =
            5.2f * wbThesis_GetRadius(t, &scene->model, n) * (1 + 0.2f * randomSigned((uint32_t)(n + 8000)));
        t->distance[n] = 6 * x[0] / length; // large ones are wanted at one end
        t->offset[n] = 0.03f * randomSigned((uint32_t)(n + 10000));
    }
    const int count = scene->fluid.particles.count;
    for (int n = 0; n + 1 < count; n += 12) {
        t->role[n] = wb_roleMergeSource, t->role[n + 1] = wb_roleMergeTarget;
        t->other[n] = n + 1, t->other[n + 1] = n, t->left[n] = t->left[n + 1] = n % 24 ? 0.1f : 0.004f;
    }
    addSpan(&t->spare, scene->work.memory, (uint32_t)count, 5 * count);
    return scene;
}

static inline refThesis *createTwin(const Scene *scene) {
    const wbThesis *t = &scene->thesis;
    const wbThesisParams *params = &scene->model.params;
    const wbParticles *p = &scene->fluid.particles;
    refThesis *twin = refCreateThesis(scene->domain.dimensions, p->count);
    free(twin->freeIds);
    twin->freeIds = calloc((size_t)(6 * p->count), sizeof *twin->freeIds);
    twin->isGeneral = params->isGeneral, twin->keepsMomentum = !params->losesMomentum;
    twin->movesTargets = params->movesTargets, twin->splitsGradually = params->splitsGradually;
    for (int a = 0; a < 3; a++)
        twin->sideMin[a] = scene->domain.min[a], twin->sideMax[a] = scene->domain.max[a];
    for (int s = 0; s < 6; s++) twin->closed[s] = scene->domain.closed[s];
    twin->steep = params->steep, twin->thin = params->thin;
    twin->gravity[1] = scene->domain.gravity.y;
    for (int i = 0; i < p->count; i++) {
        refGrain *g = &twin->grains[i];
        const float x[3] = {p->x[i], p->y[i], p->z[i]}, v[3] = {p->vx[i], p->vy[i], p->vz[i]};
        for (int k = 0; k < 3; k++) g->x[k] = x[k], g->v[k] = v[k];
        g->parts = t->parts[i], g->h = t->h[i], g->b = t->distance[i], g->offset = t->offset[i];
        g->target = refGetTargetRadius(twin, g->b);
        g->role = (refRole)t->role[i], g->other = t->other[i], g->left = t->left[i];
    }
    twin->freeCount = listSpareIds(&t->spare, twin->freeIds);
    return twin;
}

// Each particle has one of the reference, of the same mass and nearly the same place, which no other has.
static inline void matchParticles(const Scene *scene, const refThesis *twin) {
    const wbParticles *p = &scene->fluid.particles;
    const wbThesis *t = &scene->thesis;
    bool *taken = calloc((size_t)twin->count + 1, sizeof *taken);
    double worst = 0, worstV = 0, worstH = 0, worstB = 0, worstOffset = 0;
    assert_int_equal(p->count, twin->count);
    for (int i = 0; i < p->count; i++) {
        double nearest = 1e30;
        int best = 0;
        for (int j = 0; j < twin->count; j++) {
            const double x = p->x[i] - twin->grains[j].x[0], y = p->y[i] - twin->grains[j].x[1],
                         z = p->z[i] - twin->grains[j].x[2], r = sqrt(x * x + y * y + z * z);
            const bool isAlike = llabs((int64_t)t->parts[i] - (int64_t)twin->grains[j].parts) <= 1;
            if (r < nearest && isAlike && !taken[j]) nearest = r, best = j;
        }
        const refGrain *g = &twin->grains[best];
        taken[best] = true;
        worst = fmax(worst, nearest / twin->spacing);
        worstV = fmax(worstV, fabs(p->vx[i] - g->v[0]) + fabs(p->vy[i] - g->v[1]) + fabs(p->vz[i] - g->v[2]));
        worstH = fmax(worstH, fabs(t->h[i] / g->h - 1));
        worstB = fmax(worstB, fabs(t->distance[i] - g->b) / twin->spacing);
        worstOffset = fmax(worstOffset, fabs(t->offset[i] - g->offset));
        assert_int_equal(t->role[i], g->role);
    }
    free(taken);
    assertBelow(worst, 1e-3, "position");
    assertBelow(worstV, 2e-2, "velocity");
    assertBelow(worstH, 1e-5, "kernel width");
    assertBelow(worstB, 1e-3, "distance to the boundary");
    assertBelow(worstOffset, 1e-3, "offset");
}
