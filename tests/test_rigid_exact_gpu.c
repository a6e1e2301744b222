// SPDX-License-Identifier: MIT
// Exact contacts of rigid bodies on a compute device: against the cores, against closed forms, and against themselves.
#include <math.h>
#include <string.h>

#include "bench/rigid_pile.h"
#include "core/hash.h"
#include "gpu_support.h"
#include "rigid/rigid_exact_gpu.h"
#include "rigid_support.h"
#include "work_support.h"

static const float g = 9.81f;

typedef struct Scene {
    wbWork work;
    wbRigidPile pile;
    wbGpu *gpu;
    wbRigidExactGpu *device;
} Scene;

static void openDevice(Scene *scene) {
    scene->pile.model.domain = &scene->pile.domain;
    assertOk(wbOpenGpu(scene->work.memory, 0, &scene->gpu));
    assertOk(wbCreateRigidExactGpu(scene->work.memory, scene->gpu, &scene->device));
}

static void startScene(Scene *scene, wbVec3 gravity) {
    memset(scene, 0, sizeof *scene);
    scene->work = createWork(1, wb_simdAuto);
    scene->pile.domain = (wbDomain){.dimensions = 3, .gravity = gravity};
    scene->pile.model.params = wbDefaultRigidParams();
    wbRigid_Init(&scene->pile.rigid);
    openDevice(scene);
}

static void startPile(Scene *scene, int count) {
    memset(scene, 0, sizeof *scene);
    scene->work = createWork(1, wb_simdAuto);
    assertOk(wbCreateJumble(&scene->work, count, 12345, 1, &scene->pile));
    openDevice(scene);
}

static void endScene(Scene *scene) {
    wbDestroyRigidExactGpu(scene->device);
    wbCloseGpu(scene->gpu);
    wbDestroyPile(&scene->work, &scene->pile);
    destroyWork(&scene->work);
}

static void step(Scene *scene, int steps, float dt) {
    wbRigidPile *pile = &scene->pile;
    for (int i = 0; i < steps; i++) {
        wbArena_Reset(scene->work.arena);
        assertOk(wbRigidExactGpu_Step(scene->device, &pile->rigid, &pile->model, &scene->work, dt));
    }
}

static void pull(Scene *scene) {
    assertOk(wbRigidExactGpu_Fetch(scene->device, &scene->pile.rigid));
    wbRigidExactGpu_Take(scene->device, &scene->pile.rigid);
    assert_false(wbRigidExactGpu_IsNewer(scene->device));
}

static void testPile(void **state) {
    (void)state;
    Scene scene;
    startPile(&scene, 200);
    for (int k = 0; k < 12; k++) {
        step(&scene, 50, 1.0f / 60);
        pull(&scene);
        const wbPileQuality q = wbRigidPile_Measure(&scene.pile);
        printf("overlap %g %g beyond %g escaped %d kinetic %g top %g contacts %d searches %d\n",
               q.overlaps.mean, q.overlaps.max, q.maxBeyond, q.escaped, q.kinetic, q.top,
               scene.pile.rigid.contacts.count, (int)scene.pile.rigid.contacts.searches);
    }
    endScene(&scene);
}

static wbRigidBodySetup makeBody(const wbRigidPiece *pieces, int count, wbPose pose, double mass) {
    wbRigidBodySetup setup = {.pieces = pieces,
                              .pieceCount = count,
                              .pose = pose,
                              .bits = mass > 0 ? WB_RIGID_DYNAMIC | WB_RIGID_MAY_SLEEP : 0,
                              .mass = mass,
                              .gravityScale = 1,
                              .friction = 0.5f,
                              .category = 1,
                              .mask = ~0u};
    for (int i = 0; mass > 0 && i < count; i++) {
        const wbMassProperties part = wbRigidPiece_GetMass(&pieces[i], 3);
        wbMassProperties_Add(&setup.solid, &part, 1);
    }
    return setup;
}

static int addBody(Scene *scene, const wbRigidBodySetup *setup) {
    wbPose frame;
    assertOk(wbRigid_AddBody(&scene->pile.rigid, scene->work.memory, &scene->pile.model, setup, &frame));
    return scene->pile.rigid.count - 1;
}

static int addPiece(Scene *scene, wbRigidPiece piece, wbPose pose, double mass) {
    const wbRigidBodySetup setup = makeBody(&piece, 1, pose, mass);
    return addBody(scene, &setup);
}

// Each shape on each other one that can carry it, on ground of every kind.
static void testShapes(void **state) {
    (void)state;
    uint32_t seed = 7;
    wbHull *hull = randomHull(&seed, 24, 0.5f, 0.1f);
    const wbRigidPiece pieces[5] = {makePiece(wb_pieceBox, 0.5f, 0.4f, 0.6f), makePiece(wb_pieceSphere, 0.5f, 0, 0),
                                    makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0),
                                    makePiece(wb_pieceCylinder, 0.4f, 0.5f, 0), makeHullPiece(hull)};
    for (int below = 0; below < 3; below++) {
        Scene scene;
        startScene(&scene, wbMakeVec3(0, -g, 0));
        if (below == 0) addPiece(&scene, makePiece(wb_piecePlane, 0, 0, 0), poseAt(0, 0, 0), 0);
        if (below == 1) addPiece(&scene, makePiece(wb_pieceBox, 20, 1, 20), poseAt(0, -1, 0), 0);
        if (below == 2) scene.pile.domain.closed[wb_bottom] = true;
        for (int k = 0; k < 5; k++)
            addPiece(&scene, pieces[k], turnedPose(wbMakeVec3(2 * (float)k, 0.8f, 0), wbMakeVec3(1, 2, 3), 0.3f * (float)k), 1);
        step(&scene, 300, 1.0f / 60);
        pull(&scene);
        for (int k = 0; k < scene.pile.rigid.count; k++)
            printf("%d: %g %g %g  v %g w %g asleep %d\n", k, scene.pile.rigid.x[k], scene.pile.rigid.y[k],
                   scene.pile.rigid.z[k], scene.pile.rigid.vy[k], scene.pile.rigid.wx[k], scene.pile.rigid.bits[k]);
        endScene(&scene);
    }
    wbDestroyHull(hull);
}

int main(void) {
    const int missing = findDevice();
    if (missing) return missing;
    const struct CMUnitTest tests[] = {cmocka_unit_test(testShapes), cmocka_unit_test(testPile)};
    (void)g, (void)startScene;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
