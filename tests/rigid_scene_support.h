// SPDX-License-Identifier: MIT
// Rigid bodies with exact contacts and without a world: scenes that tests make and step.
#pragma once

#include <math.h>
#include <string.h>

#include "bench/rigid_pile.h"
#include "rigid_support.h"
#include "work_support.h"

static const float g = 9.81f;

typedef struct Scene {
    wbWork work;
    wbRigidPile pile;
} Scene;

static inline void startScene(Scene *scene, int threads, wbSimd simd, int dimensions, wbVec3 gravity) {
    memset(scene, 0, sizeof *scene);
    scene->work = createWork(threads, simd);
    scene->pile.domain = (wbDomain){.dimensions = dimensions, .gravity = gravity};
    scene->pile.model.params = wbDefaultRigidParams();
    scene->pile.model.domain = &scene->pile.domain;
    wbRigid_Init(&scene->pile.rigid);
}

static inline void startJumble(Scene *scene, int threads, wbSimd simd, int count, uint32_t seed, float edge) {
    memset(scene, 0, sizeof *scene);
    scene->work = createWork(threads, simd);
    assertOk(wbCreateJumble(&scene->work, count, seed, edge, &scene->pile));
    scene->pile.model.domain = &scene->pile.domain;
}

static inline void startStack(Scene *scene, int count, bool isUneven, float scale) {
    memset(scene, 0, sizeof *scene);
    scene->work = createWork(1, wb_simdAuto);
    assertOk(wbCreateStack(&scene->work, count, isUneven, scale, &scene->pile));
    scene->pile.model.domain = &scene->pile.domain;
}

static inline void endScene(Scene *scene) {
    wbDestroyPile(&scene->work, &scene->pile);
    destroyWork(&scene->work);
}

static inline wbRigidBodySetup makeBody(const Scene *scene, const wbRigidPiece *pieces, int count,
                                        wbPose pose, double mass) {
    return makeBodySetup(pieces, count, pose, mass, scene->pile.domain.dimensions);
}

static inline int addBody(Scene *scene, const wbRigidBodySetup *setup) {
    wbPose frame;
    assertOk(wbRigid_AddBody(&scene->pile.rigid, scene->work.memory, &scene->pile.model, setup, &frame));
    return scene->pile.rigid.count - 1;
}

static inline int addPiece(Scene *scene, wbRigidPiece piece, wbPose pose, double mass) {
    const wbRigidBodySetup setup = makeBody(scene, &piece, 1, pose, mass);
    return addBody(scene, &setup);
}

static inline int addPlane(Scene *scene, wbPose pose) {
    return addPiece(scene, makePiece(wb_piecePlane, 0, 0, 0), pose, 0);
}

static inline void step(Scene *scene, int steps, float dt) {
    for (int i = 0; i < steps; i++) assertOk(wbRigidPile_Step(&scene->pile, &scene->work, dt));
}

static inline wbRigidPiece cube(float half) { return makePiece(wb_pieceBox, half, half, half); }
