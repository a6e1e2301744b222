// SPDX-License-Identifier: MIT
// Joints and restitution of rigid bodies on a compute device: against the cores, against closed forms, and against themselves.
#include "rigid_exact_gpu_support.h"

// Joints

static int addJoint(Scene *scene, wbJointParams params, int a, int b) {
    params.on = true, params.dampingRatio = 0.5f;
    assertOk(wbRigid_AddJoint(&scene->pile.rigid, scene->work.memory, &scene->pile.model, &params, a, b));
    return scene->pile.rigid.joints.count - 1;
}

static int addLink(Scene *scene, float x, float y, float z) {
    return addPiece(scene, makePiece(wb_pieceBox, 0.2f, 0.1f, 0.15f), poseAt(x, y, z), 1);
}

// A chain with limits that swings, a loop, and one of each kind with what acts along its axis; a link of the chain strikes the ground.
enum { CHAIN = 4, FIRST_ALONE = 8 };
static void buildJoints(Scene *scene) {
    scene->pile.domain.closed[wb_bottom] = true;
    scene->pile.model.params.sleep = false;
    for (int k = 0; k < CHAIN; k++) {
        const int link = addLink(scene, 0.25f + 0.5f * (float)k, 1.5f, 0);
        addJoint(scene,
                 (wbJointParams){.kind = wb_jointBall,
                                 .anchor = {0.5f * (float)k, 1.5f, 0},
                                 .axis = {1, 0, 0},
                                 .limits = k > 0,
                                 .upper = 20,
                                 .twistLower = -5,
                                 .twistUpper = 5},
                 link - 1, link);
    }
    for (int k = 0; k < 4; k++)
        addLink(scene, 5 + 0.5f * (float)(k % 2), 2 + 0.4f * (float)(k / 2), 0.2f * (float)k);
    for (int k = 0; k < 4; k++)
        addJoint(scene,
                 (wbJointParams){.kind = wb_jointBall,
                                 .anchor = {5 + 0.25f * (float)(k % 3), 2 + 0.2f * (float)k, 0},
                                 .collide = true},
                 CHAIN + k, CHAIN + (k + 1) % 4);
    const wbJointParams alone[6] = {
        {.kind = wb_jointHinge, .axis = {0, 0, 1}, .motor = true, .speed = 200, .maxForce = 50},
        {.kind = wb_jointHinge, .axis = {0, 1, 1}, .limits = true, .lower = -30, .upper = 20, .hertz = 1},
        {.kind = wb_jointSlider, .axis = {1, -1, 0}, .hertz = 2},
        {.kind = wb_jointFixed},
        {.kind = wb_jointDistance, .hertz = 3},
        {.kind = wb_jointDistance, .limits = true, .upper = 0.7f}};
    for (int k = 0; k < 6; k++) {
        const float x = 8 + 2 * (float)k;
        wbJointParams params = alone[k];
        params.anchor = wbMakeVec3(x, 3, 0), params.end = wbMakeVec3(x + 0.3f, 3, 0.1f);
        addJoint(scene, params, -1, addLink(scene, x + 0.4f, 3, 0));
    }
}

// From the same state the same motion as on the cores, within rounding; and twice the same bits.
static void testJointsAsOnCores(void **state) {
    (void)state;
    Scene cores, device[2];
    startScene(&cores, wbMakeVec3(0, -g, 0)), buildJoints(&cores);
    stepCores(&cores, 60, 0.01f);
    for (int n = 0; n < 2; n++) {
        startScene(&device[n], wbMakeVec3(0, -g, 0)), buildJoints(&device[n]);
        step(&device[n], 30, 0.01f);
        if (n == 1) { // from the host anew
            pull(&device[n]);
            wbDestroyRigidExactGpu(device[n].device);
            assertOk(wbCreateRigidExactGpu(device[n].work.memory, device[n].gpu, &device[n].device));
        }
        step(&device[n], 30, 0.01f);
        pull(&device[n]);
    }
    const wbRigid *a = &cores.pile.rigid, *b = &device[0].pile.rigid;
    assert_true(a->contacts.count > 0 && b->contacts.count > 0);
    for (int k = 0; k < a->count; k++) {
        assertNear(a->x[k], b->x[k], 1e-4, "x", k), assertNear(a->y[k], b->y[k], 1e-4, "y", k);
        assertNear(a->z[k], b->z[k], 1e-4, "z", k), assertNear(a->qz[k], b->qz[k], 1e-4, "qz", k);
    }
    for (int k = 0; k < a->joints.count; k++) {
        const wbJointState *one = &a->joints.states[k], *two = &b->joints.states[k];
        assertNear(one->value, two->value, 1e-3, "value", k);
        assertNear(one->twist, two->twist, 1e-3, "twist", k);
        for (int c = 0; c < 3; c++) assertNear(one->force[c], two->force[c], 0.1, "force", k);
    }
    assert_int_equal(hashState(&device[0].pile.rigid), hashState(&device[1].pile.rigid));
    endScene(&cores), endScene(&device[0]), endScene(&device[1]);
}

// A ball of 1 kg hangs from one of 50 by a joint that bears 600 N. When the joint above them breaks at a weight of 500 N, both fall;
// and what was tied touches again.
static void testJointBreaks(void **state) {
    (void)state;
    int steps[2];
    for (int n = 0; n < 2; n++) {
        Scene scene;
        startScene(&scene, wbMakeVec3(0, -g, 0));
        const int heavy = addPiece(&scene, cube(0.3f), poseAt(0, 5, 0), 50),
                  light = addPiece(&scene, cube(0.2f), poseAt(0, 4.55f, 0), 1);
        addJoint(&scene, (wbJointParams){.kind = wb_jointFixed, .anchor = {0, 5.5f, 0}, .breakForce = 520},
                 -1, heavy);
        addJoint(&scene, (wbJointParams){.kind = wb_jointBall, .anchor = {0, 4.7f, 0}, .breakForce = 600},
                 heavy, light);
        for (int i = 0; i < 30; i++) n ? step(&scene, 1, 0.01f) : stepCores(&scene, 1, 0.01f);
        if (n) pull(&scene);
        wbRigid *rigid = &scene.pile.rigid;
        assertNear(rigid->y[heavy], 5, 1e-3, "height", heavy);
        assertNear(rigid->joints.states[0].force[1], 51 * 9.81, 1, "force", 0);
        rigid->fy[light] = -40; // for one step
        if (n) wbRigidExactGpu_Invalidate(scene.device);
        for (steps[n] = 0; !(rigid->joints.joints[0].bits & WB_JOINT_BROKEN) && steps[n] < 9; steps[n]++)
            n ? step(&scene, 1, 0.01f) : stepCores(&scene, 1, 0.01f);
        n ? step(&scene, 20, 0.01f) : stepCores(&scene, 20, 0.01f);
        if (n) pull(&scene);
        assert_true(rigid->vy[heavy] < -1.8f && !(rigid->joints.joints[1].bits & WB_JOINT_BROKEN));
        assertNear(rigid->y[heavy] - rigid->y[light], 0.45, 1e-3, "distance", light);
        endScene(&scene);
    }
    assert_int_equal(steps[0], 1);
    assert_int_equal(steps[1], 1);
}

// Restitution

// Of five balls in a row the last one leaves as fast as the first came; boxes meet flat, at half the speed.
static void testBlow(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, wbMakeVec3(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    for (int k = 0; k < 5; k++)
        addPiece(&scene, makePiece(wb_pieceSphere, 0.5f, 0, 0), poseAt((float)k + (k > 0), 0, 0), 1);
    addPiece(&scene, cube(0.5f), poseAt(0, 5, 0), 1), addPiece(&scene, cube(0.5f), poseAt(2, 5, 0), 1);
    for (int k = 0; k < 7; k++) {
        rigid->restitution[k] = k < 5 ? 1 : 0.5f;
        rigid->linearDamping[k] = rigid->angularDamping[k] = 0;
    }
    rigid->vx[0] = rigid->vx[5] = 4;
    step(&scene, 60, 0.01f);
    pull(&scene);
    for (int k = 0; k < 4; k++) assertNear(rigid->vx[k], 0, 1e-3, "velocity", k);
    assertNear(rigid->vx[4], 4, 2e-3, "velocity", 4);
    assertNear(rigid->vx[5], 1, 1e-3, "velocity", 5);
    assertNear(rigid->vx[6], 3, 1e-3, "velocity", 6);
    assertNear(fabsf(rigid->wz[5]) + fabsf(rigid->wz[6]), 0, 1e-3, "spin", 5);
    endScene(&scene);
}

// A ball and a box that fall from 1 m rise to e2 of that; with friction, and as on the cores.
static void testBounces(void **state) {
    (void)state;
    Scene scenes[2];
    float top[2][2] = {{0}};
    for (int n = 0; n < 2; n++) {
        Scene *scene = &scenes[n];
        startScene(scene, wbMakeVec3(0, -g, 0));
        scene->pile.domain.closed[wb_bottom] = true;
        addPiece(scene, makePiece(wb_pieceSphere, 0.5f, 0, 0), poseAt(0, 1.5f, 0), 1);
        addPiece(scene, cube(0.5f), poseAt(3, 1.5f, 0), 1);
        addPiece(scene, cube(0.5f), turnedPose(wbMakeVec3(6, 1.5f, 0), wbMakeVec3(0, 0, 1), 0.3f), 1);
        wbRigid *rigid = &scene->pile.rigid;
        for (int k = 0; k < 3; k++) rigid->restitution[k] = 0.7f, rigid->linearDamping[k] = 0;
        rigid->vx[2] = 1;
        for (int i = 0; i < 75; i++) {
            n ? step(scene, 1, 0.01f) : stepCores(scene, 1, 0.01f);
            if (n) pull(scene);
            for (int k = 0; k < 2 && i >= 50; k++) top[n][k] = fmaxf(top[n][k], rigid->y[k]);
        }
    }
    for (int k = 0; k < 2; k++) assertNear(top[1][k], 0.5 + 0.49, 3e-3, "height", k);
    const wbRigid *a = &scenes[0].pile.rigid, *b = &scenes[1].pile.rigid;
    for (int k = 0; k < 3; k++) {
        assertNear(a->y[k], b->y[k], 1e-3, "y", k), assertNear(a->x[k], b->x[k], 1e-3, "x", k);
        assertNear(a->qz[k], b->qz[k], 1e-3, "qz", k);
    }
    endScene(&scenes[0]), endScene(&scenes[1]);
}

// A pile that bounces, twice: the same bits; and it comes to rest.
static void testBouncingPile(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int n = 0; n < 2; n++) {
        Scene scene;
        startPile(&scene, 27);
        for (int k = 0; k < 27; k++) scene.pile.rigid.restitution[k] = 0.5f;
        step(&scene, 80, 1.0f / 60);
        pull(&scene);
        hashes[n] = hashState(&scene.pile.rigid);
        step(&scene, n == 0 ? 200 : 0, 1.0f / 60);
        pull(&scene);
        const wbPileQuality quality = wbRigidPile_Measure(&scene.pile);
        if (n == 0) assert_true(quality.escaped == 0 && quality.overlaps.max < 0.01 && quality.kinetic < 0.1);
        endScene(&scene);
    }
    assert_int_equal(hashes[0], hashes[1]);
}

int main(void) {
    const int missing = findDevice();
    const struct CMUnitTest tests[] = {cmocka_unit_test(testJointsAsOnCores),
                                       cmocka_unit_test(testJointBreaks), cmocka_unit_test(testBlow),
                                       cmocka_unit_test(testBounces), cmocka_unit_test(testBouncingPile)};
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
