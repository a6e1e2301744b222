// SPDX-License-Identifier: MIT
// For tests of position based bodies on every backend: set-ups, and comparisons with the reference.
#pragma once

#include <math.h>
#include <string.h>

#include "pbd/pbd.h"
#include "pbd/pbd_build.h"
#include "reference/pbd.h"
#include "work_support.h"

typedef struct Scene {
    wbWork work;
    wbPbd pbd;
    wbPbdModel model;
    wbDomain *domain; // the model's
} Scene;

static inline Scene createScene(int threads, wbSimd simd) {
    Scene scene = {.work = createWork(threads, simd),
                   .model = {.params = wbDefaultPbdParams()},
                   .domain = malloc(sizeof(wbDomain))};
    *scene.domain = (wbDomain){.dimensions = 3, .gravity = {0, -9.81f, 0}};
    scene.model.domain = scene.domain;
    wbPbd_Init(&scene.pbd);
    return scene;
}

static inline void destroyScene(Scene *scene) {
    wbPbd_Free(scene->work.memory, &scene->pbd);
    free(scene->domain);
    destroyWork(&scene->work);
}

static inline void stepScene(Scene *scene, float dt) {
    wbArena_Reset(scene->work.arena);
    assertOk(wbPbd_Step(&scene->pbd, &scene->model, &scene->work, dt));
    *scene->domain = wbDomain_At(scene->domain, dt); // sides go on as they go
}

static inline void closeBox(wbDomain *domain, wbVec3 min, wbVec3 max) {
    memcpy(domain->min, &min, sizeof min), memcpy(domain->max, &max, sizeof max);
    for (int side = 0; side < wb_sideCount; side++) domain->closed[side] = true;
}

// A cloth and a ball above it, with constraints of every kind, pins, sides that close in, everything in motion.
static inline void buildMixture(Scene *scene) {
    wbPbd *pbd = &scene->pbd;
    wbPbdBody cloth, ball, rope;
    assertOk(wbBuildCloth(pbd, &scene->work, wbMakeVec3(0, 0.5f, 0), wbMakeVec3(1.1f, 0, 0),
                          wbMakeVec3(0, 0, 0.8f), 12, 9, wb_bendingOverTwoEdges, 2, &cloth));
    assertOk(wbBuildSphere(pbd, &scene->work, wbMakeVec3(0.5f, 0.75f, 0.4f), 0.2f, 57, 1, &ball));
    assertOk(wbConnectDecimated(pbd, &scene->work, ball, 0.2f, 0.35f, 2));
    assertOk(wbBuildRope(pbd, &scene->work, wbMakeVec3(0, 0.05f, 0), wbMakeVec3(1, 0.1f, 0.8f), 11, true, 3,
                         &rope));
    static int triangles[6 * 11 * 8];
    for (int t = 0; t < 6 * 11 * 8; t++) {
        static const int corners[6] = {0, 1, 13, 0, 13, 12};
        triangles[t] = t / 6 / 11 * 12 + t / 6 % 11 + corners[t % 6];
    }
    int before = pbd->constraintCount;
    assertOk(wbConnectTriangles(pbd, &scene->work, cloth, triangles, 2 * 11 * 8, wb_bendingDihedral));
    pbd->constraintCount = before; // its edges are there already
    const int limits[] = {ball.first, cloth.first, ball.first + 1, cloth.first + 5};
    assertOk(wbPbd_AddConstraints(pbd, scene->work.memory, 1, limits, wb_pbdAtMost));
    assertOk(wbPbd_AddConstraints(pbd, scene->work.memory, 1, limits + 2, wb_pbdAtLeast));
    pbd->rest[pbd->constraintCount - 2] *= 0.9f, pbd->rest[pbd->constraintCount - 1] *= 1.1f;
    pbd->w[cloth.first] = pbd->w[cloth.first + 11] = 0;
    for (int i = 0; i < pbd->count; i++) {
        pbd->vx[i] = randomSigned((uint32_t)(3 * i)), pbd->vy[i] = randomSigned((uint32_t)(3 * i + 1));
        pbd->vz[i] = randomSigned((uint32_t)(3 * i + 2));
    }
    closeBox(scene->domain, wbMakeVec3(-0.02f, 0, -0.02f), wbMakeVec3(1.12f, 1, 0.82f));
    const float squeeze[3] = {0.1f, 0.5f, -0.3f}, lower[3] = {0.4f, -1, 0};
    memcpy(scene->domain->velocity[wb_left], squeeze, sizeof squeeze);
    memcpy(scene->domain->velocity[wb_top], lower, sizeof lower);
    scene->model.params.radius = 0.03f;
    scene->model.params.compliance = 1e-4f, scene->model.params.bendCompliance = 1e-3f;
    scene->model.params.iterations = 3, scene->model.params.subSteps = 2;
}

// Against the reference

static const float dt = 0.004f;

// Gauss-Seidel's order is that of the batches.
static inline void copyConstraints(const Scene *scene, refPbd *reference) {
    const wbPbdBatches *b = &scene->pbd.batches;
    const wbPbdBatch *batches = b->list.data;
    const wbPbdParams *p = &scene->model.params;
    int count = 0;
    for (int k = 0; k < b->batchCount; k++) {
        for (int c = batches[k].begin; c < batches[k].end; c++) {
            if (b->first[c] >= 2 * scene->pbd.count) continue;
            bool bends = batches[k].kind == wb_pbdBend;
            reference->constraints[count++] =
                (refConstraint){.count = 2,
                                .particles = {b->first[c] / 2, b->second[c] / 2},
                                .k = {1, -1},
                                .rest = b->rest[c],
                                .stiffness = bends ? p->bendStiffness : p->stiffness,
                                .compliance = bends ? p->bendCompliance : p->compliance,
                                .kind = batches[k].kind == wb_pbdAtMost    ? refAtMost
                                        : batches[k].kind == wb_pbdAtLeast ? refAtLeast
                                                                           : refKeepDistance};
        }
    }
    assert_int_equal(count, scene->pbd.constraintCount);
    const wbPbdHingeBatches *h = &scene->pbd.hinges;
    for (int c = 0; c < h->count; c++) {
        if (h->corner[0][c] >= 2 * scene->pbd.count) continue;
        refConstraint *hinge = &reference->constraints[count++];
        *hinge = (refConstraint){
            .count = 4, .rest = h->rest[c], .stiffness = p->bendStiffness, .compliance = p->bendCompliance};
        for (int m = 0; m < 4; m++)
            hinge->particles[m] = h->corner[m][c] / 2, hinge->k[m] = h->coefficient[m][c];
    }
    assert_int_equal(count, scene->pbd.constraintCount + scene->pbd.hingeCount);
}

static inline refPbd *createReference(Scene *scene) {
    const wbPbd *pbd = &scene->pbd;
    const wbPbdParams *p = &scene->model.params;
    assertOk(wbPbd_Prepare(&scene->pbd, &scene->work, true));
    refPbd *reference = refCreatePbd(pbd->count, pbd->constraintCount + pbd->hingeCount);
    for (int i = 0; i < pbd->count; i++) {
        const float x[3] = {pbd->x[i], pbd->y[i], pbd->z[i]}, v[3] = {pbd->vx[i], pbd->vy[i], pbd->vz[i]};
        for (int a = 0; a < 3; a++) reference->x[i][a] = x[a], reference->v[i][a] = v[a];
        reference->w[i] = pbd->w[i], reference->body[i] = (int)pbd->body[i];
    }
    copyConstraints(scene, reference);
    reference->solver = (refPbdSolver)p->solver;
    reference->xpbd = p->method == wb_methodXpbd, reference->verlet = p->integrator == wb_pbdVerlet;
    reference->bdf2 = p->integrator == wb_pbdBdf2;
    reference->iterations = p->iterations, reference->subSteps = p->subSteps;
    reference->omega = p->omega, reference->damping = p->damping, reference->drag = p->drag;
    reference->radius = p->radius, reference->friction = p->friction;
    reference->gravity[1] = scene->domain->gravity.y;
    for (int a = 0; a < 3; a++) {
        reference->sideMin[a] = scene->domain->min[a], reference->sideMax[a] = scene->domain->max[a];
        for (int side = 0; side < 6; side++)
            reference->sideVelocity[side][a] = scene->domain->velocity[side][a];
    }
    return reference;
}

static inline void compare(const wbPbd *pbd, const refPbd *reference) {
    double worstX = 0, worstV = 0;
    for (int i = 0; i < pbd->count; i++) {
        const float x[3] = {pbd->x[i], pbd->y[i], pbd->z[i]}, v[3] = {pbd->vx[i], pbd->vy[i], pbd->vz[i]};
        for (int a = 0; a < 3; a++) {
            worstX = fmax(worstX, fabs(x[a] - reference->x[i][a]));
            worstV = fmax(worstV, fabs(v[a] - reference->v[i][a]));
        }
    }
    assertBelow(worstX, 2e-5,
                "position"); // rounding reaches 7e-6 with Gauss-Seidel; a wrong term, millimetres
    assertBelow(worstV, 5e-3, "velocity");
}

enum { VARIANTS = 18 }; // solvers, methods, integrators
static inline void setVariant(wbPbdParams *params, int variant) {
    params->solver = (wbPbdSolver)(variant % 3);
    params->method = variant / 3 % 2 ? wb_methodXpbd : wb_methodPbd;
    params->integrator = (wbPbdIntegrator)(variant / 6);
    params->omega = 1.3f, params->damping = variant / 6 ? 0.1f : 0, params->drag = 0.5f;
    params->stiffness = 0.9f;
}
