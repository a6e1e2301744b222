// SPDX-License-Identifier: MIT
// Exact contacts of rigid bodies: against closed forms, and what bodies are there for each other.
#include "rigid_scene_support.h"

// Free flight

// Moments 1 : 2 : 3, spun about the middle one: it turns over and over.
static void testTopKeepsMomentum(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
    const wbRigidPiece piece = cube(0.5f);
    wbRigidBodySetup setup = makeBody(&scene, &piece, 1, poseAt(0, 0, 0), 1);
    memset(setup.solid.inertia, 0, sizeof setup.solid.inertia);
    for (int k = 0; k < 3; k++) setup.solid.inertia[k][k] = 1 + k;
    setup.spin[0] = 0.01f, setup.spin[1] = 5, setup.spin[2] = 0.02f;
    const int body = addBody(&scene, &setup);
    const wbRigid *rigid = &scene.pile.rigid;
    const wbVec3d before = wbRigid_GetSpinMomentum(rigid, body);
    const double energy = wbRigid_GetKinetic(rigid);
    float least = 1;
    for (int i = 0; i < 6000; i++) {
        step(&scene, 1, 0.01f);
        const wbPose pose = wbRigid_GetPose(rigid, body);
        least = fminf(least, wbPose_Rotate(&pose, wbMakeVec3(0, 1, 0)).y);
        const wbVec3d now = wbRigid_GetSpinMomentum(rigid, body), d = wbSub3d(now, before);
        assert_true(sqrt(wbDot3d(d, d)) < 1e-4 * sqrt(wbDot3d(before, before)));
        assert_float_equal(wbRigid_GetKinetic(rigid) / energy, 1, 1e-3);
    }
    assert_true(least < -0.9f); // it did turn over
    endScene(&scene);
}

// Needles that turn half around between steps: neither their energy nor their momentum may grow.
static void testNeedlesKeepEnergy(void **state) {
    (void)state;
    const wbRigidPiece pieces[3] = {makePiece(wb_pieceCapsule, 0.01f, 0.49f, 0),
                                    makePiece(wb_pieceBox, 0.01f, 1, 0.01f),
                                    makePiece(wb_pieceBox, 0.01f, 1, 0.03f)};
    for (int k = 0; k < 3; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
        wbRigidBodySetup setup = makeBody(&scene, &pieces[k], 1, poseAt(0, 0, 0), 1);
        setup.spin[0] = 1, setup.spin[1] = 30, setup.spin[2] = 2;
        const int body = addBody(&scene, &setup);
        const wbRigid *rigid = &scene.pile.rigid;
        const wbVec3d before = wbRigid_GetSpinMomentum(rigid, body);
        const double energy = wbRigid_GetKinetic(rigid);
        for (int i = 0; i < 1200; i++) {
            step(&scene, 1, 1.0f / 60);
            const wbVec3d d = wbSub3d(wbRigid_GetSpinMomentum(rigid, body), before);
            assertBelow(sqrt(wbDot3d(d, d) / wbDot3d(before, before)), 3e-3, "change of momentum");
            assertBelow(fabs(wbRigid_GetKinetic(rigid) / energy - 1), 0.02, "change of energy");
        }
        endScene(&scene);
    }
}

static void testParabola(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    const int body = addPiece(&scene, cube(0.5f), poseAt(0, 0, 0), 2);
    wbRigid *rigid = &scene.pile.rigid;
    rigid->vx[body] = 3, rigid->vy[body] = 10;
    step(&scene, 100, 0.01f);
    assert_float_equal(rigid->x[body], 3, 1e-4);
    assert_float_equal(rigid->vy[body], 10 - g, 1e-4);
    assert_float_equal(rigid->y[body], 10 - 0.5f * g * (1 + 0.01f / 4), 1e-3); // semi-implicit, in sub-steps
    rigid->fx[body] = 4;                                                       // over one step
    step(&scene, 2, 0.01f);
    assert_float_equal(rigid->vx[body], 3.02f, 1e-5);
    endScene(&scene);
}

typedef struct Momentum {
    double p[3], l[3];
} Momentum;

static Momentum sumMomentum(const wbRigid *rigid) {
    Momentum sum = {{0}, {0}};
    for (int i = 0; i < rigid->count; i++) {
        if (rigid->inverseMass[i] <= 0) continue;
        const double m = 1 / (double)rigid->inverseMass[i];
        const wbVec3d p = {m * rigid->vx[i], m * rigid->vy[i], m * rigid->vz[i]},
                      x = {rigid->x[i], rigid->y[i], rigid->z[i]};
        const wbVec3d l = wbAddScaled3d(wbRigid_GetSpinMomentum(rigid, i), 1, wbCross3d(x, p));
        sum.p[0] += p.x, sum.p[1] += p.y, sum.p[2] += p.z;
        sum.l[0] += l.x, sum.l[1] += l.y, sum.l[2] += l.z;
    }
    return sum;
}

// All shapes, with friction and restitution, of unlike masses.
static void testCollisionKeepsMomentum(void **state) {
    (void)state;
    const wbRigidPiece pieces[4] = {cube(0.5f), makePiece(wb_pieceSphere, 0.5f, 0, 0),
                                    makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0),
                                    makePiece(wb_pieceCylinder, 0.5f, 0.3f, 0)};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            Scene scene;
            startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
            addPiece(&scene, pieces[a], turnedPose(wbMakeVec3(-1, 0.2f, 0), wbMakeVec3(1, 2, 3), 0.7f), 1);
            addPiece(&scene, pieces[b], turnedPose(wbMakeVec3(1, 0, 0.1f), wbMakeVec3(3, 1, -1), 1.2f), 3);
            wbRigid *rigid = &scene.pile.rigid;
            rigid->vx[0] = 3, rigid->vx[1] = -1, rigid->wz[0] = 1;
            rigid->restitution[0] = 0.6f;
            const Momentum before = sumMomentum(rigid);
            step(&scene, 500, 0.002f);
            const Momentum after = sumMomentum(rigid);
            for (int k = 0; k < 3; k++) assert_float_equal(after.p[k], before.p[k], 1e-5);
            // arms of impulses are those where a step begins
            for (int k = 0; k < 3; k++) assert_float_equal(after.l[k], before.l[k], 0.02);
            assert_true(rigid->vx[1] > -0.9f); // they met
            endScene(&scene);
        }
}

// Contacts against closed forms

static void testBouncesByRestitution(void **state) {
    (void)state;
    const float shares[3] = {0.3f, 0.6f, 0.9f};
    for (int k = 0; k < 3; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
        addPlane(&scene, poseAt(0, 0, 0));
        const int ball = addPiece(&scene, makePiece(wb_pieceSphere, 0.1f, 0, 0), poseAt(0, 2.1f, 0), 1);
        wbRigid *rigid = &scene.pile.rigid;
        rigid->restitution[ball] = shares[k];
        float top = 0;
        bool hasMet = false;
        for (int i = 0; i < 400 && !(hasMet && rigid->vy[ball] < 0); i++) {
            step(&scene, 1, 0.005f);
            hasMet |= rigid->vy[ball] > 0;
            if (hasMet) top = fmaxf(top, rigid->y[ball] - 0.1f);
        }
        assert_float_equal(top, 2 * shares[k] * shares[k], 0.03 * 2);
        endScene(&scene);
    }
}

static void testSlidesToAStop(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    const int body = addPiece(&scene, makePiece(wb_pieceBox, 0.5f, 0.1f, 0.5f), poseAt(0, 0.1f, 0), 5);
    wbRigid *rigid = &scene.pile.rigid;
    rigid->vx[body] = 4;
    step(&scene, 300, 0.01f);
    assert_float_equal(rigid->x[body], 16 / (2 * 0.5f * g), 0.03); // v2 / (2 mu g)
    assert_float_equal(rigid->vx[body], 0, 1e-4);
    endScene(&scene);
}

static void testFrictionCone(void **state) {
    (void)state;
    // on a slope of 0.5 rad: tan is 0.546
    for (int k = 0; k < 2; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
        const wbPose slope = turnedPose(wbMakeVec3(0, 0, 0), wbMakeVec3(0, 0, 1), -0.5f);
        addPlane(&scene, slope);
        const wbPose above = poseAt(0, 0.1f, 0), at = wbPose_Multiply(&slope, &above);
        const int body = addPiece(&scene, makePiece(wb_pieceBox, 0.5f, 0.1f, 0.5f), at, 1);
        wbRigid *rigid = &scene.pile.rigid;
        rigid->friction[0] = rigid->friction[body] = k == 0 ? 0.6f : 0.4f;
        const float start = rigid->x[body];
        step(&scene, 100, 0.01f);
        const float a = g * (sinf(0.5f) - 0.4f * cosf(0.5f)), way = (rigid->x[body] - start) / cosf(0.5f);
        if (k == 0)
            assert_float_equal(way, 0, 1e-3);
        else
            assert_float_equal(way, 0.5f * a, 0.03f * a);
        endScene(&scene);
    }
}

static void testRolls(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    const wbPose slope = turnedPose(wbMakeVec3(0, 0, 0), wbMakeVec3(0, 0, 1), -0.2f);
    addPlane(&scene, slope);
    const wbPose above = poseAt(0, 0.5f, 0), at = wbPose_Multiply(&slope, &above);
    const int ball = addPiece(&scene, makePiece(wb_pieceSphere, 0.5f, 0, 0), at, 1);
    wbRigid *rigid = &scene.pile.rigid;
    step(&scene, 100, 0.01f);
    const float v = sqrtf(rigid->vx[ball] * rigid->vx[ball] + rigid->vy[ball] * rigid->vy[ball]);
    assert_float_equal(v, 5.0f / 7 * g * sinf(0.2f), 0.03f);
    assert_float_equal(rigid->wz[ball], -v / 0.5f, 0.05f);
    endScene(&scene);
}

// A torque of arm times weight against it: a = 5/7 g arm / radius.
static void testRollingFriction(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    const int ball = addPiece(&scene, makePiece(wb_pieceSphere, 0.5f, 0, 0), poseAt(0, 0.5f, 0), 1);
    wbRigid *rigid = &scene.pile.rigid;
    rigid->rollingFriction[ball] = 0.02f;
    rigid->vx[ball] = 1, rigid->wz[ball] = -2;
    step(&scene, 100, 0.01f);
    assert_float_equal(rigid->vx[ball], 1 - 5.0f / 7 * g * 0.02f / 0.5f, 0.02f);
    step(&scene, 500, 0.01f);
    assert_float_equal(rigid->vx[ball], 0, 1e-4);
    endScene(&scene);
}

// Other shapes, compounds, sensors, filters

static void testMixedShapesComeToRest(void **state) {
    (void)state;
    Scene scene;
    uint32_t seed = 3;
    startScene(&scene, 2, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPiece(&scene, makePiece(wb_pieceBox, 6, 0.5f, 6), poseAt(0, -0.5f, 0), 0);
    wbHull *hull = randomHull(&seed, 24, 0.5f, 0.1f);
    const wbRigidPiece kinds[5] = {cube(0.4f), makePiece(wb_pieceSphere, 0.4f, 0, 0),
                                   makePiece(wb_pieceCapsule, 0.3f, 0.3f, 0),
                                   makePiece(wb_pieceCylinder, 0.4f, 0.4f, 0), makeHullPiece(hull)};
    wbRigid *rigid = &scene.pile.rigid;
    for (int i = 0; i < 60; i++) {
        const wbPose pose = randomPose(&seed, 1);
        wbPose at = poseAt(-2 + 2 * (float)(i % 3), 1 + 1.2f * (float)(i / 9), -2 + 2 * (float)(i / 3 % 3));
        memcpy(at.rotation, pose.rotation, sizeof at.rotation);
        const int body = addPiece(&scene, kinds[i % 5], at, 1);
        rigid->rollingFriction[body] = 0.02f;
    }
    step(&scene, 600, 0.01f);
    for (int i = 1; i < rigid->count; i++) {
        if (fabsf(rigid->x[i]) > 5.5f || fabsf(rigid->z[i]) > 5.5f) continue; // rolled off the edge
        assert_true(rigid->y[i] > 0.2f);
        assert_float_equal(rigid->vy[i], 0, 0.05);
    }
    wbDestroyHull(hull);
    endScene(&scene);
}

static void testCompoundStands(void **state) {
    (void)state;
    // a table of five boxes
    wbRigidPiece pieces[5] = {makePiece(wb_pieceBox, 0.6f, 0.05f, 0.6f)};
    for (int k = 0; k < 4; k++) {
        pieces[k + 1] = makePiece(wb_pieceBox, 0.05f, 0.4f, 0.05f);
        pieces[k + 1].pose = poseAt(k & 1 ? 0.5f : -0.5f, -0.45f, k & 2 ? 0.5f : -0.5f);
    }
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    const wbRigidBodySetup setup = makeBody(&scene, pieces, 5, poseAt(0, 0.9f, 0), 10);
    const int table = addBody(&scene, &setup), load = addPiece(&scene, cube(0.2f), poseAt(0.2f, 1.2f, 0), 5);
    const wbRigid *rigid = &scene.pile.rigid;
    step(&scene, 300, 0.01f);
    assert_float_equal(rigid->y[load], 1.1f, 0.01f);
    assert_true(rigid->bits[table] & WB_RIGID_ASLEEP && rigid->bits[load] & WB_RIGID_ASLEEP);
    endScene(&scene);
}

static void testSensorsTellAndLetPass(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    const int sensor = addPiece(&scene, cube(0.5f), poseAt(0, 0, 0), 0);
    scene.pile.rigid.bits[sensor] |= WB_RIGID_SENSOR;
    const int body = addPiece(&scene, cube(0.2f), poseAt(0, 2, 0), 1);
    int begins = 0, ends = 0;
    for (int i = 0; i < 150; i++) {
        step(&scene, 1, 0.01f);
        begins += scene.pile.rigid.events.beginCount, ends += scene.pile.rigid.events.endCount;
    }
    assert_true(scene.pile.rigid.y[body] < -5);
    assert_int_equal(begins, 1);
    assert_int_equal(ends, 1);
    endScene(&scene);
}

static void testFilters(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    const int a = addPiece(&scene, cube(0.5f), poseAt(0, 0.5f, 0), 1),
              b = addPiece(&scene, cube(0.5f), poseAt(0, 1.5f, 0), 1);
    rigid->category[b] = 2, rigid->mask[a] = ~2u;
    step(&scene, 100, 0.01f);
    assert_float_equal(rigid->y[a], 0.5f, 0.01f);
    assert_float_equal(rigid->y[b], 0.5f, 0.01f); // inside the other
    endScene(&scene);
}

// A body that is off is not there, and a removed one leaves its place.
static void testBodiesComeAndGo(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    scene.pile.model.params.sleep = false;
    addPlane(&scene, poseAt(0, 0, 0));
    for (int i = 0; i < 4; i++) addPiece(&scene, cube(0.5f), poseAt(0, 0.5f + (float)i, 0), 1);
    step(&scene, 50, 0.01f);
    wbRigid_RemoveBody(&scene.pile.rigid, scene.work.memory, 2);
    step(&scene, 200, 0.01f);
    for (int i = 1; i < 4; i++) assert_float_equal(scene.pile.rigid.y[i], (float)i - 0.5f, 0.01f);
    endScene(&scene);
}

static void testSleepsAndWakes(void **state) {
    (void)state;
    Scene scene;
    startStack(&scene, 3, false, 1);
    wbRigid *rigid = &scene.pile.rigid;
    scene.pile.model.params.sleep = true;
    for (int i = 0; i < 3; i++) rigid->bits[i] |= WB_RIGID_MAY_SLEEP;
    step(&scene, 200, 0.01f);
    for (int i = 0; i < 3; i++) assert_true(rigid->bits[i] & WB_RIGID_ASLEEP);
    const int contacts = rigid->contacts.count;
    step(&scene, 10, 0.01f);
    assert_int_equal(rigid->contacts.count, contacts);
    addPiece(&scene, cube(0.5f), poseAt(0.1f, 5, 0), 1);
    bool wasAwake = false;
    for (int i = 0; i < 400; i++) {
        step(&scene, 1, 0.01f);
        wasAwake |= !(rigid->bits[0] & WB_RIGID_ASLEEP);
    }
    assert_true(wasAwake);
    assert_float_equal(rigid->y[3], 3.5f, 0.02f);
    endScene(&scene);
}

// Two dimensions: nothing leaves the plane.
static void testFlat(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 2, wbMakeVec3(0, -g, 0));
    addPiece(&scene, makePiece(wb_pieceBox, 20, 0.5f, 0.5f), poseAt(0, -0.5f, 0), 0);
    wbRigid *rigid = &scene.pile.rigid;
    for (int i = 0; i < 20; i++) {
        const wbPose at = turnedPose(wbMakeVec3((float)(i % 4), 1 + 1.1f * (float)(i / 4), 0),
                                     wbMakeVec3(0, 0, 1), 0.3f * (float)i);
        addPiece(&scene,
                 i % 3 ? makePiece(wb_pieceBox, 0.4f, 0.3f, 0.5f) : makePiece(wb_pieceSphere, 0.4f, 0, 0), at,
                 1);
    }
    step(&scene, 500, 0.01f);
    for (int i = 1; i < rigid->count; i++) {
        assert_true(rigid->z[i] == 0 && rigid->vz[i] == 0 && rigid->wx[i] == 0 && rigid->wy[i] == 0);
        assert_true(rigid->qx[i] == 0 && rigid->qy[i] == 0);
        if (fabsf(rigid->x[i]) < 19) assert_true(rigid->y[i] > 0.25f);
    }
    endScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTopKeepsMomentum),
        cmocka_unit_test(testNeedlesKeepEnergy),
        cmocka_unit_test(testParabola),
        cmocka_unit_test(testCollisionKeepsMomentum),
        cmocka_unit_test(testBouncesByRestitution),
        cmocka_unit_test(testSlidesToAStop),
        cmocka_unit_test(testFrictionCone),
        cmocka_unit_test(testRolls),
        cmocka_unit_test(testRollingFriction),
        cmocka_unit_test(testMixedShapesComeToRest),
        cmocka_unit_test(testCompoundStands),
        cmocka_unit_test(testSensorsTellAndLetPass),
        cmocka_unit_test(testFilters),
        cmocka_unit_test(testBodiesComeAndGo),
        cmocka_unit_test(testSleepsAndWakes),
        cmocka_unit_test(testFlat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
