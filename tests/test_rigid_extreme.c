// SPDX-License-Identifier: MIT
// Rigid bodies that are fast, thin, many, unlike each other, or in one place.
#include "core/hash.h"
#include "rigid_scene_support.h"

// Fast bodies

// Balls, cubes, and rods that turn far on their way.
static void testBulletsStop(void **state) {
    (void)state;
    const wbRigidPiece bullets[] = {makePiece(wb_pieceSphere, 0.05f, 0, 0),
                                    cube(0.05f),
                                    cube(0.05f),
                                    makePiece(wb_pieceCapsule, 0.02f, 0.3f, 0),
                                    makePiece(wb_pieceCylinder, 0.02f, 0.3f, 0),
                                    makePiece(wb_pieceBox, 0.02f, 0.3f, 0.02f),
                                    makePiece(wb_pieceCylinder, 0.3f, 0.01f, 0)};
    for (int k = 0; k < 7; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
        const int wall =
            addPiece(&scene, makePiece(wb_pieceBox, 0.01f, 2, 2), poseAt(0, 0, 0), k == 2 ? 1000 : 0);
        const int body = addPiece(&scene, bullets[k],
                                  turnedPose(wbMakeVec3(-5.3f, 0.1f, 0), wbMakeVec3(1, 2, 3), 0.4f), 1);
        wbRigid *rigid = &scene.pile.rigid;
        rigid->vx[body] = k > 2 ? 20 : 200;
        if (k > 2) rigid->wy[body] = 30, rigid->wz[body] = 60;
        rigid->bits[body] |= WB_RIGID_BULLET;
        for (int i = 0; i < 50; i++) {
            step(&scene, 1, 0.01f);
            assert_true(rigid->x[body] < rigid->x[wall]);
        }
        endScene(&scene);
    }
}

// A wall that moves by itself, or turns, goes on after a bullet has met it in a step, and takes that along.
static void testBulletsStopAtMovingWalls(void **state) {
    (void)state;
    for (int k = 0; k < 120; k++) {
        Scene scene;
        uint32_t seed = (uint32_t)(100 * k);
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
        wbRigid *rigid = &scene.pile.rigid;
        const bool turns = k % 3 == 2;
        const int wall = addPiece(&scene, makePiece(wb_pieceBox, 0.01f, 50, 50), poseAt(0, 0, 0), 0);
        rigid->bits[wall] |= WB_RIGID_KINEMATIC;
        rigid->vx[wall] = k % 3 == 0 ? -10 : k % 3 == 1 ? 10 : 0;
        rigid->wz[wall] = turns ? 5 : 0;
        const wbVec3 axis = wbMakeVec3(wbHashFloat(seed) - 0.5f, wbHashFloat(seed + 1) - 0.5f, 0.3f);
        const wbRigidPiece piece = k / 3 % 2 ? cube(0.05f) : makePiece(wb_pieceSphere, 0.05f, 0, 0);
        const int bullet = addPiece(&scene, piece,
                                    turnedPose(wbMakeVec3(-2 - 3 * wbHashFloat(seed + 2), turns ? 2 : 0, 0),
                                               axis, 6 * wbHashFloat(seed + 3)),
                                    1);
        rigid->vx[bullet] = 200;
        for (int i = 0; i < 10; i++) {
            step(&scene, 1, 1.0f / 60);
            const wbPose pose = wbRigid_GetPose(rigid, wall);
            const wbVec3 way =
                wbMakeVec3(rigid->x[bullet] - rigid->x[wall], rigid->y[bullet] - rigid->y[wall],
                           rigid->z[bullet] - rigid->z[wall]);
            const wbVec3 own = wbPose_RotateInverse(&pose, way);
            assert_true(own.x < 0);
        }
        endScene(&scene);
    }
}

// So do sides of the domain.
static void testBulletsStopAtMovingSides(void **state) {
    (void)state;
    for (int k = 0; k < 20; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
        const wbDomainDef room = {.min = {-10, -10, -10}, .max = {10, 10, 10}};
        scene.pile.domain = wbMakeDomain(&room, wbMakeVec3(0, 0, 0), 3);
        scene.pile.domain.velocity[wb_right][0] = -10;
        wbRigid *rigid = &scene.pile.rigid;
        const int bullet = addPiece(&scene, cube(0.05f), poseAt(7 + 0.1f * (float)k, 0, 0), 1);
        rigid->vx[bullet] = 200;
        for (int i = 0; i < 10; i++) {
            step(&scene, 1, 1.0f / 60);
            scene.pile.domain.max[0] -= 10.0f / 60;
            assertBelow((double)rigid->x[bullet], (double)scene.pile.domain.max[0], "bullet behind a side");
        }
        endScene(&scene);
    }
}

// What is thin and turns about its own axis or the normal goes on: its surface comes no nearer to what bears it.
static void testThinBodiesRollAndSpin(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    const wbVec3 across = wbMakeVec3(1, 0, 0);
    const int capsule = addPiece(&scene, makePiece(wb_pieceCapsule, 0.01f, 0.49f, 0),
                                 turnedPose(wbMakeVec3(0, 0.01f, 0), across, 1.5707963f), 1);
    const int cylinder = addPiece(&scene, makePiece(wb_pieceCylinder, 0.02f, 0.5f, 0),
                                  turnedPose(wbMakeVec3(0, 0.02f, 3), across, 1.5707963f), 1);
    const int coin = addPiece(&scene, makePiece(wb_pieceCylinder, 0.5f, 0.01f, 0), poseAt(0, 0.01f, -3), 1);
    rigid->vx[capsule] = rigid->vx[cylinder] = 1;
    rigid->wz[capsule] = -100, rigid->wz[cylinder] = -50;
    rigid->friction[coin] = 0, rigid->wy[coin] = 3;
    step(&scene, 60, 1.0f / 60);
    assert_float_equal(rigid->x[capsule], 1, 0.01);
    assert_float_equal(rigid->x[cylinder], 1, 0.01);
    const wbPose pose = wbRigid_GetPose(rigid, coin);
    const wbVec3 mark = wbPose_Rotate(&pose, across);
    assert_float_equal(atan2f(-mark.z, mark.x), 3, 0.01);
    endScene(&scene);
}

// Degenerate input

static void testAllInOnePlace(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    for (int i = 0; i < 10000; i++) addPiece(&scene, cube(0.5f), poseAt(0, 0, 0), 1);
    wbArena_Reset(scene.work.arena);
    const wbStatus status = wbRigid_Step(&scene.pile.rigid, &scene.pile.model, &scene.work, 0.01f);
    assert_int_equal(status.code, wb_errorInput);
    endScene(&scene);
}

// m/s, of a body's centre.
static float findFastest(const wbRigid *rigid) {
    float most = 0;
    for (int i = 0; i < rigid->count; i++)
        most = fmaxf(most, sqrtf(rigid->vx[i] * rigid->vx[i] + rigid->vy[i] * rigid->vy[i] +
                                 rigid->vz[i] * rigid->vz[i]));
    return most;
}

// What a crowd gains by parting is limited.
static void testFewInOnePlacePart(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    for (int i = 0; i < 100; i++) addPiece(&scene, cube(0.5f), poseAt(0, 0, 0), 1);
    step(&scene, 100, 0.01f);
    for (int i = 0; i < rigid->count; i++)
        assert_true(isfinite(rigid->x[i]) && fabsf(rigid->x[i]) < 100 && isfinite(rigid->wx[i]));
    assert_true(findFastest(rigid) < 150);
    endScene(&scene);
}

static void testNeedlesAndPlates(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    addPiece(&scene, makePiece(wb_pieceBox, 1, 1e-3f, 1e-3f), poseAt(0, 0.2f, 0), 0.1);
    addPiece(&scene, makePiece(wb_pieceBox, 1, 1e-3f, 1), poseAt(0, 0.4f, 0), 1);
    addPiece(&scene, makePiece(wb_pieceCapsule, 1e-3f, 1, 0), poseAt(0, 2, 0.1f), 0.1);
    step(&scene, 300, 0.01f);
    for (int i = 1; i < rigid->count; i++)
        assert_true(isfinite(rigid->y[i]) && rigid->y[i] > -0.1f && rigid->y[i] < 2.5f &&
                    fabsf(rigid->x[i]) < 5);
    endScene(&scene);
}

// Needles that overlap and land on each other: contacts turn them across by angles at which they turn far more easily than contacts
// know, and must not gain energy by that.
static void testNeedlesLand(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
        addPlane(&scene, poseAt(0, 0, 0));
        const float half = k == 0 ? 0.01f : k == 1 ? 0.005f : 0.0005f;
        for (int i = 0; i < 4; i++)
            addPiece(&scene, makePiece(wb_pieceBox, 0.5f, half, half), poseAt(0.02f * (float)i, 1, 0), 0.1);
        for (int i = 0; i < 90; i++) {
            step(&scene, 1, 1.0f / 60);
            assert_true(findFastest(&scene.pile.rigid) < 10);
        }
        endScene(&scene);
    }
}

// J/kg of all bodies but the ground, above it.
static double sumEnergy(const wbRigid *rigid) {
    double sum = 0;
    for (int i = 1; i < rigid->count; i++) {
        const wbPose pose = wbRigid_GetPose(rigid, i);
        const wbVec3 own = wbPose_RotateInverse(&pose, wbMakeVec3(rigid->wx[i], rigid->wy[i], rigid->wz[i]));
        const double m = rigid->inverseMass[i], v2 = rigid->vx[i] * rigid->vx[i] +
                                                     rigid->vy[i] * rigid->vy[i] +
                                                     rigid->vz[i] * rigid->vz[i];
        sum += 0.5 * v2 + g * rigid->y[i] +
               0.5 * m *
                   (own.x * own.x / rigid->inverseInertiaX[i] + own.y * own.y / rigid->inverseInertiaY[i] +
                    own.z * own.z / rigid->inverseInertiaZ[i]);
    }
    return sum;
}

static wbRigidPiece makeNeedle(int kind, float radius) {
    return kind == 0   ? makePiece(wb_pieceBox, radius, 0.5f, radius)
           : kind == 1 ? makePiece(wb_pieceCapsule, radius, 0.5f - radius, 0)
                       : makePiece(wb_pieceCylinder, radius, 0.5f, 0);
}

// Rods of 1 m that fall on the ground and on each other as they tumble, faster than they are thick in a step: continuous collision stops
// them on their way, where the spin about their axes must not become one across them. Nothing slows what it makes up without friction.
static void testRodsTumble(void **state) {
    (void)state;
    for (int k = 0; k < 48; k++) {
        Scene scene;
        uint32_t seed = (uint32_t)(7 + 1000 * k);
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
        addPlane(&scene, poseAt(0, 0, 0));
        wbRigid *rigid = &scene.pile.rigid;
        const float radius = 0.0005f * powf(100, wbHashFloat(seed++)), friction = k % 4 == 0 ? 0.5f : 0;
        for (int i = 1; i <= 4; i++) {
            const wbVec3 axis = wbMakeVec3(wbHashFloat(seed) - 0.5f, wbHashFloat(seed + 1) - 0.5f,
                                           wbHashFloat(seed + 2) - 0.5f),
                         place = wbMakeVec3(0.1f * (float)i, 1 + 0.3f * wbHashFloat(seed + 3),
                                            0.1f * wbHashFloat(seed + 4));
            addPiece(&scene, makeNeedle(k % 3, radius), turnedPose(place, axis, 6 * wbHashFloat(seed + 5)),
                     0.1);
            rigid->friction[i] = friction;
            rigid->wx[i] = 20 * wbHashFloat(seed + 6) - 10, rigid->wy[i] = 20 * wbHashFloat(seed + 7) - 10;
            rigid->wz[i] = 20 * wbHashFloat(seed + 8) - 10, rigid->vx[i] = 6 * wbHashFloat(seed + 9) - 3;
            rigid->vz[i] = 6 * wbHashFloat(seed + 10) - 3;
            seed += 11;
        }
        const double start = sumEnergy(rigid);
        for (int i = 0; i < 120; i++) {
            step(&scene, 1, 1.0f / 60);
            assertBelow(sumEnergy(rigid), 1.02 * start, "energy of rods");
        }
        endScene(&scene);
    }
}

// s, from an angle until the centre of a thin rod of half the length l is as low as `height`: about its end, which is held, or slides.
static double timeFall(double angle, double l, double height, bool slides) {
    const double dt = 1e-5;
    double rate = 0, t = 0;
    for (; l * cos(angle) > height; t += dt) {
        const double s = sin(angle);
        rate +=
            dt * (slides ? (g * s / l - rate * rate * s * cos(angle)) / (1.0 / 3 + s * s) : 0.75 * g * s / l);
        angle += dt * rate;
    }
    return t;
}

// A needle that stands on one end and leans tips over in the time that a rod takes, to a step: contacts see its end move on a straight
// line, so that it lifts off in every other step, and continuous collision must not take the time that is left where it comes down.
static void testNeedlesTip(void **state) {
    (void)state;
    const float lean = 0.3f, dt = 1.0f / 60, height = 0.02f;
    for (int k = 0; k < 12; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
        addPlane(&scene, poseAt(0, 0, 0));
        wbRigid *rigid = &scene.pile.rigid;
        const float radius = k < 6 ? 0.0005f : 0.005f;
        const bool slides = k % 2 == 0;
        const float low =
            k / 2 % 3 == 1 ? (0.5f - radius) * cosf(lean) + radius : 0.5f * cosf(lean) + radius * sinf(lean);
        const int needle = addPiece(&scene, makeNeedle(k / 2 % 3, radius),
                                    turnedPose(wbMakeVec3(0, low, 0), wbMakeVec3(0, 0, 1), lean), 0.1);
        rigid->friction[0] = rigid->friction[needle] = slides ? 0 : 0.9f;
        const double start = sumEnergy(rigid), wanted = timeFall(lean, 0.5, height, slides);
        double t = 0;
        for (; rigid->y[needle] > height && t < 2; t += dt) {
            step(&scene, 1, dt);
            assertBelow(sumEnergy(rigid), 1.001 * start, "energy of a needle");
        }
        assertBelow(fabs(t - wanted - 0.5 * (double)dt), (double)dt,
                    "time that a needle takes to fall, off by");
        endScene(&scene);
    }
}

// A large body that touches more small ones than there are colours in a round.
static void testManyOnOne(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 2, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    const int tray = addPiece(&scene, makePiece(wb_pieceBox, 3, 0.1f, 3), poseAt(0, 0.1f, 0), 100);
    for (int i = 0; i < 400; i++)
        addPiece(&scene, cube(0.1f),
                 poseAt(-2.4f + 0.25f * (float)(i % 20), 0.31f, -2.4f + 0.25f * (float)(i / 20)), 0.1);
    scene.pile.model.params.sleep = false;
    step(&scene, 100, 0.01f);
    for (int i = tray + 1; i < rigid->count; i++) assert_float_equal(rigid->y[i], 0.3f, 0.01f);
    endScene(&scene);
}

// What bears a hundred times its own weight is hardly pressed in: contacts harden with their load. A thousand times its weight takes
// 16 sub-steps.
static void testLoads(void **state) {
    (void)state;
    const float loads[2] = {100, 1000}, depths[2] = {0.008f, 0.016f};
    for (int k = 0; k < 2; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
        addPlane(&scene, poseAt(0, 0, 0));
        const int light = addPiece(&scene, cube(0.5f), poseAt(0, 0.5f, 0), 1),
                  heavy = addPiece(&scene, cube(0.5f), poseAt(0, 1.5f, 0), loads[k]);
        if (k == 1) scene.pile.model.params.subSteps = 16;
        step(&scene, 500, 0.01f);
        const wbRigid *rigid = &scene.pile.rigid;
        assert_float_equal(rigid->y[light], 0.5f, depths[k]);
        assert_float_equal(rigid->y[heavy], 1.5f, 2 * depths[k]);
        endScene(&scene);
    }
}

// Sizes of 1 : 1000 together.
static void testUnlikeSizes(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 2, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    float x = 0;
    for (int i = 0; i < 11; i++) {
        const float half = 0.005f * powf(2, (float)i);
        x += 3 * half;
        addPiece(&scene, cube(half), poseAt(x, half, 0), 1000 * half * half * half);
        addPiece(&scene, cube(0.005f), poseAt(x, 2 * half + 0.005f, 0), 1e-3);
    }
    // a small one bears eight times its weight: contacts must be stiff for it
    scene.pile.model.params.hertz = 500;
    step(&scene, 200, 0.002f);
    for (int i = 1; i < rigid->count; i += 2) {
        const float half = 0.005f * powf(2, (float)(i / 2));
        assert_float_equal(rigid->y[i], half, 0.01f * half + 1e-4f);
        assert_float_equal(rigid->y[i + 1], 2 * half + 0.005f, 0.01f * half + 4e-4f);
    }
    endScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testBulletsStop),
        cmocka_unit_test(testBulletsStopAtMovingWalls),
        cmocka_unit_test(testBulletsStopAtMovingSides),
        cmocka_unit_test(testThinBodiesRollAndSpin),
        cmocka_unit_test(testAllInOnePlace),
        cmocka_unit_test(testFewInOnePlacePart),
        cmocka_unit_test(testNeedlesAndPlates),
        cmocka_unit_test(testNeedlesLand),
        cmocka_unit_test(testRodsTumble),
        cmocka_unit_test(testNeedlesTip),
        cmocka_unit_test(testManyOnOne),
        cmocka_unit_test(testLoads),
        cmocka_unit_test(testUnlikeSizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
