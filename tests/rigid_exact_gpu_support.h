// SPDX-License-Identifier: MIT
// For tests of exact contacts on a compute device: a scene that the cores or a device steps.
#pragma once

#include <math.h>
#include <string.h>

#include "bench/rigid_pile.h"
#include "core/hash.h"
#include "gpu_support.h"
#include "rigid/rigid_exact_state.h"
#include "rigid_support.h"
#include "work_support.h"

static const float g = 9.81f;

typedef struct Scene {
    wbWork work;
    wbRigidPile pile;
    wbGpu *gpu;
    wbRigidExactGpu *device;
} Scene;

static inline void openDevice(Scene *scene) {
    scene->pile.model.domain = &scene->pile.domain;
    assertOk(wbOpenGpu(scene->work.memory, 0, &scene->gpu));
    assertOk(wbCreateRigidExactGpu(scene->work.memory, scene->gpu, &scene->device));
}

static inline void startScene(Scene *scene, wbVec3 gravity) {
    memset(scene, 0, sizeof *scene);
    scene->work = createWork(1, wb_simdAuto);
    scene->pile.domain = (wbDomain){.dimensions = 3, .gravity = gravity};
    scene->pile.model.params = wbDefaultRigidParams();
    wbRigid_Init(&scene->pile.rigid);
    openDevice(scene);
}

static inline void startPile(Scene *scene, int count) {
    memset(scene, 0, sizeof *scene);
    scene->work = createWork(1, wb_simdAuto);
    assertOk(wbCreateJumble(&scene->work, count, 12345, 1, &scene->pile));
    openDevice(scene);
}

static inline void endScene(Scene *scene) {
    wbDestroyRigidExactGpu(scene->device);
    wbCloseGpu(scene->gpu);
    wbDestroyPile(&scene->work, &scene->pile);
    destroyWork(&scene->work);
}

static inline void step(Scene *scene, int steps, float dt) {
    wbRigidPile *pile = &scene->pile;
    for (int i = 0; i < steps; i++) {
        wbArena_Reset(scene->work.arena);
        assertOk(wbRigidExactGpu_Step(scene->device, &pile->rigid, &pile->model, &scene->work, dt));
    }
}

static inline void pull(Scene *scene) {
    assertOk(wbRigidExactGpu_Fetch(scene->device, &scene->pile.rigid));
    wbRigidExactGpu_Take(scene->device, &scene->pile.rigid);
    assert_false(wbRigidExactGpu_IsNewer(scene->device));
}

static inline wbRigidBodySetup makeBody(const wbRigidPiece *pieces, int count, wbPose pose, double mass) {
    return makeBodySetup(pieces, count, pose, mass, 3);
}

static inline int addBody(Scene *scene, const wbRigidBodySetup *setup) {
    wbPose frame;
    assertOk(wbRigid_AddBody(&scene->pile.rigid, scene->work.memory, &scene->pile.model, setup, &frame));
    return scene->pile.rigid.count - 1;
}

static inline int addPiece(Scene *scene, wbRigidPiece piece, wbPose pose, double mass) {
    const wbRigidBodySetup setup = makeBody(&piece, 1, pose, mass);
    return addBody(scene, &setup);
}

static inline void stepCores(Scene *scene, int steps, float dt) {
    for (int i = 0; i < steps; i++) assertOk(wbRigidPile_Step(&scene->pile, &scene->work, dt));
}

static inline wbRigidPiece cube(float half) { return makePiece(wb_pieceBox, half, half, half); }

static inline void assertNear(double a, double b, double tolerance, const char *what, int index) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s of %d: %g and %g, allowed are %g", what, index, a, b, tolerance);
}

static inline uint64_t hashState(wbRigid *rigid) {
    wbColumn columns[WB_RIGID_COLUMNS];
    uint64_t hash = WB_HASH_START;
    wbRigid_ListColumns(rigid, columns);
    for (int k = 0; k < WB_RIGID_MOVING; k++)
        hash = wbHashBytes(hash, *columns[k].data, sizeof(float) * (size_t)rigid->count);
    if (rigid->joints.count > 0)
        hash = wbHashBytes(hash, rigid->joints.states, sizeof(wbJointState) * (size_t)rigid->joints.count);
    return wbHashBytes(hash, rigid->contacts.contacts.data,
                       sizeof(wbContact) * (size_t)rigid->contacts.count);
}
