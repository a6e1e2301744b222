// SPDX-License-Identifier: MIT
// Impacts: heights of bounces, rows of balls, flat landings and friction against closed forms; energy never grows.
#include "core/hash.h"
#include "rigid_joint_support.h"

static const double g = 9.81;
static const float dt = 1 / 60.0f;

static wbVec3 at(double x, double y, double z) { return wbMakeVec3((float)x, (float)y, (float)z); }

static int addPieces(Scene *scene, const wbRigidPiece *pieces, int count, wbVec3 place, double mass) {
    wbRigidBodySetup setup = {.pieces = pieces,
                              .pieceCount = count,
                              .pose = {{place.x, place.y, place.z}, {0, 0, 0, 1}},
                              .bits = mass > 0 ? WB_RIGID_DYNAMIC : 0,
                              .mass = mass,
                              .gravityScale = 1,
                              .friction = 0.5f,
                              .category = 1,
                              .mask = ~0u};
    for (int i = 0; mass > 0 && i < count; i++) {
        const wbMassProperties part = wbRigidPiece_GetMass(&pieces[i], scene->domain->dimensions);
        wbMassProperties_Add(&setup.solid, &part, 1);
    }
    wbPose frame;
    assertOk(wbRigid_AddBody(&scene->rigid, scene->work.memory, &scene->model, &setup, &frame));
    return scene->rigid.count - 1;
}

static int addBall(Scene *scene, wbVec3 place, double radius, double mass) {
    const wbRigidPiece ball = {.kind = wb_pieceSphere, .pose = wb_poseAtOrigin, .size = {(float)radius}};
    return addPieces(scene, &ball, 1, place, mass);
}

static void addFloor(Scene *scene) {
    const wbRigidPiece plane = {.kind = wb_piecePlane, .pose = wb_poseAtOrigin};
    addPieces(scene, &plane, 1, at(0, 0, 0), 0);
}

// m: how high a body will rise. Places lie on the parabola whose speed is half a sub-step of gravity behind.
static double getRise(const Scene *scene, int body, double low) {
    const double v = (double)scene->rigid.vy[body] - g * (double)dt / 8;
    return (double)scene->rigid.y[body] - low + v * v / (2 * g);
}

// The largest miss of e^2n h in three bounces, relative; and of how far it may come off the vertical.
static double dropBody(bool isBox, double size, double height, double e) {
    Scene scene = createScene(1);
    addFloor(&scene);
    const wbVec3 place = at(0, height + size / 2, 0);
    const int body =
        isBox ? addBox(&scene, place, at(size, size, size), 1) : addBall(&scene, place, size / 2, 1);
    scene.rigid.restitution[body] = (float)e;
    double worst = 0, expected = height;
    int bounces = 0;
    for (int k = 0; k < 3000 && bounces < 3; k++) {
        const bool fell = scene.rigid.vy[body] < 0;
        stepScene(&scene, dt);
        if (!fell || scene.rigid.vy[body] <= 0) continue;
        expected *= e * e;
        const double rise = getRise(&scene, body, size / 2);
        worst = fmax(worst, fabs(rise / expected - 1));
        // slower ones do not bounce
        if (++bounces, sqrt(2 * g * expected) < 0.6) break;
    }
    assert_true(bounces > 0);
    if (isBox) assertBelow(fabs((double)scene.rigid.qw[body] - 1), 1e-4, "stays upright");
    destroyScene(&scene);
    return worst;
}

static void testHeights(void **state) {
    (void)state;
    static const double shares[] = {0.5, 0.9, 1}, heights[] = {0.1, 0.3, 1, 3, 10}, sizes[] = {0.1, 1};
    for (int isBox = 0; isBox < 2; isBox++)
        for (int s = 0; s < 2; s++)
            for (int e = 0; e < 3; e++)
                for (int h = 0; h < 5; h++) {
                    const double miss = dropBody(isBox, sizes[s], heights[h], shares[e]);
                    assertBelow(miss, 1e-3, "height");
                }
}

// So many balls come at 2 m/s, touching each other, upon others that touch; as many leave.
static void testCradles(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; threads++)
        for (int lifted = 1; lifted <= 3; lifted++) {
            Scene scene = createScene(threads);
            scene.domain->gravity = at(0, 0, 0);
            for (int i = 0; i < 5; i++) {
                const int ball = addBall(&scene, at(i - (i < lifted ? 0.55 : 0), 0, 0), 0.5, 1);
                scene.rigid.restitution[ball] = 1;
                scene.rigid.vx[ball] = i < lifted ? 2 : 0;
            }
            for (int k = 0; k < 60; k++) stepScene(&scene, dt);
            for (int i = 0; i < 5; i++) assert_float_equal(scene.rigid.vx[i], i >= 5 - lifted ? 2 : 0, 1e-3);
            destroyScene(&scene);
        }
}

// Four legs land at once: nothing of it turns.
static void testTableLandsFlat(void **state) {
    (void)state;
    Scene scene = createScene(1);
    wbRigidPiece pieces[5] = {
        {.kind = wb_pieceBox, .pose = {{0, 0.5f, 0}, {0, 0, 0, 1}}, .size = {0.6f, 0.05f, 0.4f}}};
    for (int i = 0; i < 4; i++)
        pieces[i + 1] =
            (wbRigidPiece){.kind = wb_pieceBox,
                           .pose = {{i & 1 ? 0.5f : -0.5f, 0.225f, i & 2 ? 0.3f : -0.3f}, {0, 0, 0, 1}},
                           .size = {0.05f, 0.225f, 0.05f}};
    addFloor(&scene);
    const int table = addPieces(&scene, pieces, 5, at(0, 1, 0), 10);
    scene.rigid.restitution[table] = 0.6f;
    const double low = (double)scene.rigid.y[table] - 1;
    for (int k = 0; k < 60; k++) {
        const bool fell = scene.rigid.vy[table] < 0;
        stepScene(&scene, dt);
        if (!fell || scene.rigid.vy[table] <= 0) continue;
        assert_float_equal(getRise(&scene, table, low), 0.36, 0.01);
        const wbVec3d spin = {scene.rigid.wx[table], scene.rigid.wy[table], scene.rigid.wz[table]};
        assertBelow(sqrt(spin.x * spin.x + spin.y * spin.y + spin.z * spin.z), 1e-2, "spin");
        break;
    }
    destroyScene(&scene);
}

// Without restitution: no jump, no tilt, however fast a box lands on its side.
static void testLandsWithoutAJump(void **state) {
    (void)state;
    static const double sizes[][3] = {{1, 1, 1}, {2, 0.5, 1}, {0.3, 1, 0.4}}, speeds[] = {2, 5, 10, 20};
    for (int k = 0; k < 24; k++) {
        const double *size = sizes[k % 3], speed = speeds[k / 3 % 4];
        const float angle = k < 12 ? 0 : 0.6f;
        Scene scene = createScene(1);
        addBox(&scene, at(0, -0.5, 0), at(100, 1, 100), 0);
        const int box = addBox(&scene, at(0, 0.5 * size[1] + 0.3, 0), at(size[0], size[1], size[2]), 1);
        scene.rigid.qy[box] = sinf(angle / 2), scene.rigid.qw[box] = cosf(angle / 2);
        scene.rigid.vy[box] = (float)-speed;
        bool hasMet = false;
        for (int s = 0; s < 90; s++) {
            stepScene(&scene, dt);
            hasMet |= (double)scene.rigid.vy[box] > -0.5 * speed;
            if (!hasMet) continue;
            assertBelow((double)scene.rigid.y[box] - 0.5 * size[1], 1e-3, "jump");
            assertBelow(fabs((double)scene.rigid.qx[box]) + fabs((double)scene.rigid.qz[box]), 2e-3, "tilt");
        }
        assert_true(hasMet);
        destroyScene(&scene);
    }
}

// A ball that slides as it lands and sticks: v' = 5/7 v; one that slips: v' = v - mu (1 + e) u.
static void testFriction(void **state) {
    (void)state;
    for (int slips = 0; slips < 2; slips++) {
        Scene scene = createScene(1);
        addFloor(&scene);
        const int ball = addBall(&scene, at(0, 1.5, 0), 0.5, 1);
        const double sliding = slips ? 20 : 2, fall = sqrt(2 * g), e = 0.8;
        scene.rigid.restitution[ball] = (float)e, scene.rigid.vx[ball] = (float)sliding;
        for (int k = 0; k < 40; k++) stepScene(&scene, dt);
        const double vx = slips ? sliding - 0.5 * (1 + e) * fall : 5.0 / 7 * sliding;
        assert_float_equal(scene.rigid.vx[ball], vx, 0.01);
        assert_float_equal(scene.rigid.wz[ball], -(sliding - vx) * 0.5 / (0.4 * 0.25), 0.05);
        destroyScene(&scene);
    }
}

// J, of what moves: kinetic and that of height, with speeds half a sub-step of gravity behind.
static double getEnergy(const Scene *scene, double lag) {
    const wbRigid *rigid = &scene->rigid;
    double sum = 0;
    for (int i = 0; i < rigid->count; i++) {
        if (rigid->inverseMass[i] <= 0) continue;
        const double mass = 1 / (double)rigid->inverseMass[i], vx = (double)rigid->vx[i],
                     vy = (double)rigid->vy[i] - lag, vz = (double)rigid->vz[i];
        const wbVec3d spin = wbRigid_GetSpinMomentum(rigid, i);
        sum += mass * (0.5 * (vx * vx + vy * vy + vz * vz) + g * (double)rigid->y[i]);
        sum += 0.5 * (spin.x * (double)rigid->wx[i] + spin.y * (double)rigid->wy[i] +
                      spin.z * (double)rigid->wz[i]);
    }
    return sum;
}

static const float lag = 9.81f / 60 / 8;

// Bodies of three masses, thrown about in a room.
static Scene createRoom(int threads, bool areBoxes, float restitution, float friction) {
    Scene scene = createScene(threads);
    for (int k = 0; k < 3; k++) {
        scene.domain->closed[2 * k] = scene.domain->closed[2 * k + 1] = true;
        scene.domain->min[k] = k == 1 ? 0 : -2.5f, scene.domain->max[k] = k == 1 ? 20 : 2.5f;
    }
    for (int i = 0; i < 64; i++) {
        const wbVec3 place = at(i % 4 * 1.2 - 1.8, 1 + i / 16 * 1.5, i / 4 % 4 * 1.2 - 1.8);
        const int body = areBoxes ? addBox(&scene, place, at(0.7, 0.8, 0.9), 1 + i % 3)
                                  : addBall(&scene, place, 0.4, 1 + i % 3);
        scene.rigid.restitution[body] = restitution, scene.rigid.friction[body] = friction;
        scene.rigid.wx[body] = (float)(i % 5 - 2), scene.rigid.vx[body] = (float)(i % 7 - 3);
    }
    return scene;
}

static void testEnergyNeverGrows(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        const bool areBoxes = k & 1, isElastic = k & 2, isSmooth = k & 4;
        Scene scene = createRoom(1, areBoxes, isElastic ? 1 : 0.6f, isSmooth ? 0 : 0.5f);
        const double start = getEnergy(&scene, (double)lag);
        double now = start;
        for (int s = 0; s < 120; s++) {
            stepScene(&scene, dt);
            now = getEnergy(&scene, (double)lag);
            assertBelow(now / start - 1, 1e-3, "energy");
        }
        // nothing takes energy but what is slower than rigid.restitutionSpeed
        if (isElastic && isSmooth) assertBelow(1 - now / start, 0.01, "loss");
        destroyScene(&scene);
    }
}

static uint64_t runRoom(int threads) {
    Scene scene = createRoom(threads, true, 0.8f, 0.5f);
    for (int s = 0; s < 60; s++) stepScene(&scene, dt);
    const size_t bytes = sizeof(float) * (size_t)scene.rigid.count;
    const uint64_t hash =
        wbHashBytes(wbHashBytes(WB_HASH_START, scene.rigid.x, bytes), scene.rigid.wz, bytes);
    destroyScene(&scene);
    return hash;
}

static void testThreads(void **state) {
    (void)state;
    const uint64_t one = runRoom(1);
    assert_true(runRoom(2) == one && runRoom(3) == one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testHeights),        cmocka_unit_test(testCradles),
        cmocka_unit_test(testTableLandsFlat), cmocka_unit_test(testLandsWithoutAJump),
        cmocka_unit_test(testFriction),       cmocka_unit_test(testEnergyNeverGrows),
        cmocka_unit_test(testThreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
