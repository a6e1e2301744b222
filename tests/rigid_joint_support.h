// SPDX-License-Identifier: MIT
// For tests of joints and islands: bodies, joints, and steps.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/param_table.h"
#include "rigid/rigid.h"
#include "work_support.h"

typedef struct Scene {
    wbWork work;
    wbRigid rigid;
    wbRigidModel model;
    wbDomain *domain; // the model's
    float damping;    // 1/s, of all bodies
} Scene;

static inline Scene createScene(int threads) {
    Scene scene = {.work = createWork(threads, wb_simdAuto), .domain = malloc(sizeof(wbDomain))};
    *scene.domain = (wbDomain){.dimensions = 3, .gravity = {0, -9.81f, 0}};
    scene.model.domain = scene.domain;
    scene.model.params = wbDefaultRigidParams();
    scene.model.params.sleep = false;
    wbRigid_Init(&scene.rigid);
    return scene;
}

static inline void destroyScene(Scene *scene) {
    wbRigid_Free(scene->work.memory, &scene->rigid);
    free(scene->domain);
    destroyWork(&scene->work);
}

// A box; mass 0: a static one.
static inline int addBox(Scene *scene, wbVec3 place, wbVec3 size, double mass) {
    wbRigidPiece piece = {
        .kind = wb_pieceBox, .pose = wb_poseAtOrigin, .size = {size.x / 2, size.y / 2, size.z / 2}};
    wbRigidBodySetup setup = {.pieces = &piece,
                              .pieceCount = 1,
                              .pose = {{place.x, place.y, place.z}, {0, 0, 0, 1}},
                              .bits = mass > 0 ? WB_RIGID_DYNAMIC | WB_RIGID_MAY_SLEEP : 0,
                              .mass = mass,
                              .solid = wbRigidPiece_GetMass(&piece, scene->domain->dimensions),
                              .gravityScale = 1,
                              .friction = 0.5f,
                              .category = 1,
                              .mask = ~0u};
    wbPose frame;
    assertOk(wbRigid_AddBody(&scene->rigid, scene->work.memory, &scene->model, &setup, &frame));
    return scene->rigid.count - 1;
}

static inline wbJointParams makeJoint(wbJointKind kind, wbVec3 anchor) {
    return (wbJointParams){
        .kind = kind, .anchor = anchor, .axis = {0, 0, 1}, .maxForce = 1e6f, .dampingRatio = 1, .on = true};
}

static inline int addJoint(Scene *scene, wbJointParams params, int a, int b) {
    assertOk(wbRigid_AddJoint(&scene->rigid, scene->work.memory, &scene->model, &params, a, b));
    return scene->rigid.joints.count - 1;
}

static inline void stepScene(Scene *scene, float dt) {
    wbArena_Reset(scene->work.arena);
    for (int i = 0; i < scene->rigid.count; i++)
        scene->rigid.linearDamping[i] = scene->rigid.angularDamping[i] = scene->damping;
    assertOk(wbRigid_Step(&scene->rigid, &scene->model, &scene->work, dt));
}

// kg m/s, and kg m2/s about the origin.
static inline void getMomentum(const Scene *scene, wbVec3d sum[2]) {
    const wbRigid *rigid = &scene->rigid;
    sum[0] = sum[1] = (wbVec3d){0, 0, 0};
    for (int i = 0; i < rigid->count; i++) {
        if (rigid->inverseMass[i] <= 0) continue;
        const double mass = 1 / (double)rigid->inverseMass[i];
        const wbVec3d v = {rigid->vx[i], rigid->vy[i], rigid->vz[i]},
                      x = {rigid->x[i], rigid->y[i], rigid->z[i]};
        sum[0] = wbAddScaled3d(sum[0], mass, v);
        sum[1] = wbAddScaled3d(sum[1], mass, wbCross3d(x, v));
        sum[1] = wbAddScaled3d(sum[1], 1, wbRigid_GetSpinMomentum(rigid, i));
    }
}
