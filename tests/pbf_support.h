// SPDX-License-Identifier: MIT
// For tests of position based fluids on every backend: set-ups, and comparisons with the reference.
#pragma once

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pbd/pbf.h"
#include "reference/pbf.h"
#include "work_support.h"

typedef struct Scene {
    wbWork work;
    wbPbf pbf;
    wbPbfModel model;
    wbDomain *domain; // the model's
} Scene;

// What a scene is made from.
typedef struct Setup {
    int dimensions, sites[3];
    float packed; // distance of the sites, in spacings
    float jitter, speed;
    wbPbfParams params;
    wbDomainDef domain;
    wbVec3 gravity;
    wbMixture mixture; // of what the scene is made from; no runs: of one fluid
} Setup;

static inline Setup makeSetup(int dimensions, int nx, int ny, int nz) {
    Setup setup = {.dimensions = dimensions,
                   .sites = {nx, ny, nz},
                   .packed = 0.97f,
                   .jitter = 0.2f,
                   .speed = 1,
                   .params = wbDefaultWorldDef().pbf,
                   .gravity = {0, -9.81f, 0}};
    setup.params.subSteps = 1;
    float length = setup.packed * setup.params.spacing;
    setup.domain.max = wbMakeVec3((float)nx * length, (float)ny * length, (float)nz * length);
    return setup; // all sides are closed
}

// Runs of seven particles of three fluids: interfaces all over.
static inline wbMixture makeMixture(void) {
    enum { runs = 120 };
    static uint32_t first[runs];
    static float relative[runs];
    for (int k = 0; k < runs; k++)
        first[k] = 7 * (uint32_t)k, relative[k] = k % 3 == 0 ? 1 : k % 3 == 1 ? 0.3f : 4;
    return (wbMixture){runs, first, relative};
}

static inline int countSites(const Setup *setup) {
    return setup->sites[0] * setup->sites[1] * setup->sites[2];
}

static inline void fillBlock(const Setup *setup, float *x, float *v) {
    float length = setup->packed * setup->params.spacing;
    for (int i = 0; i < countSites(setup); i++) {
        const int site[3] = {i % setup->sites[0], i / setup->sites[0] % setup->sites[1],
                             i / setup->sites[0] / setup->sites[1]};
        for (int a = 0; a < 3; a++) {
            bool flat = a >= setup->dimensions;
            float jitter = setup->jitter * randomSigned((uint32_t)(6 * i + a));
            x[3 * i + a] = flat ? 0 : length * ((float)site[a] + 0.5f + jitter);
            v[3 * i + a] = flat ? 0 : setup->speed * randomSigned((uint32_t)(6 * i + a + 3));
        }
    }
}

static inline Scene createScene(const Setup *setup, int threads, wbSimd simd) {
    Scene scene = {.work = createWork(threads, simd)};
    size_t bytes = sizeof(float[3]) * (size_t)countSites(setup);
    float *x = malloc(bytes), *v = malloc(bytes);
    fillBlock(setup, x, v);
    wbFluidState_Init(&scene.pbf.fluid);
    scene.domain = malloc(sizeof *scene.domain);
    *scene.domain = wbMakeDomain(&setup->domain, setup->gravity, setup->dimensions);
    assertOk(wbPbfModel_Init(&scene.model, &setup->params, scene.domain));
    assertOk(wbPbf_AddParticles(&scene.pbf, scene.work.memory, &scene.model, countSites(setup), x, v));
    free(x), free(v);
    scene.pbf.fluid.mixture = setup->mixture;
    scene.pbf.softStep = FLT_MIN; // as stiff as its steps are from the first on, as the reference is
    return scene;
}

static inline void destroyScene(Scene *scene) {
    wbFluidState_Free(scene->work.memory, &scene->pbf.fluid);
    free(scene->domain);
    destroyWork(&scene->work);
}

static inline void stepScene(Scene *scene, float dt) {
    wbArena_Reset(scene->work.arena);
    assertOk(wbPbf_Step(&scene->pbf, &scene->model, NULL, &scene->work, dt));
}

static inline refPbf *createReference(const Setup *setup) {
    const wbDomain domain = wbMakeDomain(&setup->domain, setup->gravity, setup->dimensions);
    wbPbfModel model;
    assertOk(wbPbfModel_Init(&model, &setup->params, &domain));
    int count = countSites(setup);
    refPbf *reference = refCreatePbf(setup->dimensions, count);
    const wbPbfParams *p = &setup->params;
    reference->spacing = p->spacing, reference->smoothing = p->smoothing,
    reference->restDensity = p->restDensity;
    reference->iterations = p->iterations, reference->subSteps = (int)p->subSteps;
    reference->solver = (refPbdSolver)p->solver;
    reference->verlet = p->integrator == wb_pbfVerlet;
    reference->equality = p->constraint == wb_densityEquality;
    reference->turnStep = 0.5 * (double)p->omega;
    reference->largest = model.stiffestWave * 2 / (double)p->omega;
    reference->relaxation = p->relaxation, reference->tension = p->tension;
    reference->tensionPoint = p->tensionPoint;
    reference->viscosity = p->viscosity, reference->vorticity = p->vorticity;
    const float min[3] = {setup->domain.min.x, setup->domain.min.y, setup->domain.min.z};
    const float max[3] = {setup->domain.max.x, setup->domain.max.y, setup->domain.max.z};
    const float g[3] = {setup->gravity.x, setup->gravity.y, setup->gravity.z};
    for (int a = 0; a < 3; a++)
        reference->sideMin[a] = min[a], reference->sideMax[a] = max[a], reference->gravity[a] = g[a];
    for (int side = 0; side < 6; side++)
        reference->closed[side] = setup->domain.sides[side].type != wb_sideOpen;
    refSetUpPbf(reference);
    float *x = malloc(sizeof(float[3]) * (size_t)count), *v = malloc(sizeof(float[3]) * (size_t)count);
    fillBlock(setup, x, v);
    for (int i = 0; i < 3 * count; i++) reference->x[i / 3][i % 3] = x[i], reference->v[i / 3][i % 3] = v[i];
    free(x), free(v);
    for (int i = 0; i < count; i++)
        reference->relative[i] = (double)wbMixture_GetRelative(&setup->mixture, (uint32_t)i);
    return reference;
}

// Largest differences by id: positions in spacings, velocities in m/s, densities relative.
static inline void compare(const Scene *scene, const refPbf *reference, double limitX, double limitV) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    double worstX = 0, worstV = 0, worstDensity = 0;
    for (int k = 0; k < p->count; k++) {
        int i = (int)p->id[k];
        const float x[3] = {p->x[k], p->y[k], p->z[k]}, v[3] = {p->vx[k], p->vy[k], p->vz[k]};
        for (int a = 0; a < 3; a++) {
            worstX = fmax(worstX, fabs(x[a] - reference->x[i][a]) / scene->model.params.spacing);
            worstV = fmax(worstV, fabs(v[a] - reference->v[i][a]));
        }
        worstDensity = fmax(worstDensity, fabs(p->density[k] / reference->density[i] - 1));
    }
    assertBelow(worstX, limitX, "position");
    assertBelow(worstV, limitV, "velocity");
    assertBelow(worstDensity, 2 * limitX, "density");
}

static inline void setVariant(Setup *setup, int variant) {
    setup->params.constraint = variant & 1 ? wb_densityEquality : wb_densityInequality;
    setup->params.vorticity = variant & 2 ? 0.5f : 0;
    setup->params.viscosity = variant & 2 ? 0.05f : 0;
    setup->params.smoothing = variant & 4 ? 2.7f : 2.1f;
    setup->params.tension = variant & 4 ? 0.05f : 0.1f;
    if (variant & 4) setup->domain.sides[wb_top].type = setup->domain.sides[wb_right].type = wb_sideOpen;
}
