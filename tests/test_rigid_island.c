// SPDX-License-Identifier: MIT
// Rigid bodies that fall asleep and wake up, and what programs are told of contacts.
#include "rigid_joint_support.h"

static const float dt = 1 / 60.0f;

static wbVec3 at(float x, float y, float z) { return wbMakeVec3(x, y, z); }
static bool sleeps(const Scene *scene, int body) { return scene->rigid.bits[body] & WB_RIGID_ASLEEP; }

static void run(Scene *scene, double seconds) {
    for (int k = 0; k < (int)(seconds / (double)dt + 0.5); k++) stepScene(scene, dt);
}

static Scene createSleepyScene(int threads) {
    Scene scene = createScene(threads);
    scene.model.params.sleep = true;
    const int ground = addBox(&scene, at(0, -0.5f, 0), at(100, 1, 100), 0);
    assert_int_equal(ground, 0);
    return scene;
}

// A tower of boxes, the lowest first.
static int addTower(Scene *scene, float x, int count) {
    const int first = scene->rigid.count;
    for (int k = 0; k < count; k++) addBox(scene, at(x, 0.5f + (float)k, 0), at(1, 1, 1), 1);
    return first;
}

static int countAsleep(const Scene *scene) {
    int count = 0;
    for (int i = 0; i < scene->rigid.count; i++) count += sleeps(scene, i);
    return count;
}

static void assertAsleep(Scene *scene, int first, int count, bool isAsleep) {
    for (int i = first; i < first + count; i++) assert_int_equal(sleeps(scene, i), isAsleep);
}

static void testIslandsSleep(void **state) {
    (void)state;
    Scene scene = createSleepyScene(1);
    const int low = addTower(&scene, 0, 3), high = addTower(&scene, 5, 4);
    run(&scene, 0.4);
    assert_int_equal(countAsleep(&scene), 0); // not yet
    run(&scene, 2);
    assertAsleep(&scene, low, 3, true), assertAsleep(&scene, high, 4, true);
    // nothing moves, nothing is done
    float before[3] = {scene.rigid.x[high + 3], scene.rigid.y[high + 3], scene.rigid.z[high + 3]};
    run(&scene, 1);
    assert_true(before[0] == scene.rigid.x[high + 3] && before[1] == scene.rigid.y[high + 3]);
    // one wakes with all that it touches, and with nothing else
    wbRigid_Wake(&scene.rigid, high + 3);
    assertAsleep(&scene, high, 4, false), assertAsleep(&scene, low, 3, true);
    // and is calm: it stands on the impulses that it had
    float fastest = 0;
    for (int k = 0; k < 20; k++) {
        stepScene(&scene, dt);
        for (int i = high; i < high + 4; i++) fastest = fmaxf(fastest, fabsf(scene.rigid.vy[i]));
    }
    assertBelow((double)fastest, 2e-3, "calm");
    run(&scene, 2);
    assertAsleep(&scene, high, 4, true);
    destroyScene(&scene);
}

// What wakes a tower: a force, a velocity, gravity, a body that falls onto it, one that is pushed into it by its program.
static void testWaking(void **state) {
    (void)state;
    enum { byForce, byVelocity, byGravity, byFall, byPusher, byGround, bySwitch, reasons };
    for (int reason = 0; reason < reasons; reason++) {
        Scene scene = createSleepyScene(1);
        const int tower = addTower(&scene, 0, 3), other = addTower(&scene, 9, 2);
        const int pusher = addBox(&scene, at(-2, 0.5f, 0), at(1, 0.8f, 0.8f), 0);
        scene.rigid.bits[pusher] = WB_RIGID_KINEMATIC;
        run(&scene, 3);
        assertAsleep(&scene, tower, 3, true);
        switch (reason) {
        case byForce:
            scene.rigid.fx[tower + 2] = 1;
            break;
        case byVelocity:
            scene.rigid.vx[tower + 1] = 0.1f;
            break;
        case byGravity:
            scene.domain->gravity.y = -5;
            break;
        case byFall:
            addBox(&scene, at(0, 4, 0), at(1, 1, 1), 1);
            break;
        case byPusher:
            scene.rigid.vx[pusher] = 2;
            break;
        case byGround:
            wbRigid_WakeNeighbours(&scene.rigid, 0);
            break;
        default:
            scene.model.params.sleep = false;
        }
        bool isAwake = false;
        for (int k = 0; k < 60 && !isAwake; k++) stepScene(&scene, dt), isAwake = !sleeps(&scene, tower);
        assert_true(isAwake);
        assertAsleep(&scene, tower, 3, false);
        const bool wakesAll = reason == byGravity || reason == byGround || reason == bySwitch;
        assertAsleep(&scene, other, 2, !wakesAll);
        if (reason == byFall) { // the blow is felt as among bodies that were awake
            assertBelow(fabs((double)scene.rigid.y[tower + 2] - 2.5), 0.02, "blow");
            run(&scene, 3);
            assert_int_equal(countAsleep(&scene), 6);
        }
        if (reason == byPusher) {
            run(&scene, 1.5);
            assert_true(scene.rigid.x[tower] > 0.5f);
        }
        destroyScene(&scene);
    }
}

// A body that is taken out of a tower, asleep: what lay on it falls.
static void testRemovalWakes(void **state) {
    (void)state;
    Scene scene = createSleepyScene(1);
    const int tower = addTower(&scene, 0, 3), other = addTower(&scene, 5, 2);
    run(&scene, 3);
    wbRigid_WakeNeighbours(&scene.rigid, tower + 1);
    wbRigid_RemoveBody(&scene.rigid, scene.work.memory, tower + 1);
    assertAsleep(&scene, tower, 2, false), assertAsleep(&scene, other - 1, 2, true);
    run(&scene, 3);
    assertBelow(fabs((double)scene.rigid.y[tower + 1] - 1.5), 0.02, "fallen");
    assert_int_equal(countAsleep(&scene), 4);
    wbRigid_Wake(&scene.rigid, other - 1); // rings have followed the numbers
    assertAsleep(&scene, other - 1, 2, false), assertAsleep(&scene, tower, 2, true);
    destroyScene(&scene);
}

static void testJointsAndSleep(void **state) {
    (void)state;
    Scene scene = createSleepyScene(1);
    const int bob = addBox(&scene, at(0, 5, 0), at(0.2f, 0.2f, 0.2f), 1),
              next = addBox(&scene, at(0, 4, 0), at(0.2f, 0.2f, 0.2f), 1),
              wheel = addBox(&scene, at(5, 5, 0), at(0.1f, 0.1f, 0.1f), 1);
    const int top = addJoint(&scene, makeJoint(wb_jointBall, at(0, 6, 0)), -1, bob);
    addJoint(&scene, makeJoint(wb_jointBall, at(0, 4.5f, 0)), bob, next);
    wbJointParams slow = makeJoint(wb_jointHinge, at(5, 5, 0));
    slow.motor = true, slow.speed = 1; // too slow to see
    addJoint(&scene, slow, -1, wheel);
    run(&scene, 3);
    assert_true(sleeps(&scene, bob) && sleeps(&scene, next) && !sleeps(&scene, wheel));
    wbJointParams off = makeJoint(wb_jointBall, at(0, 6, 0));
    off.on = false;
    assertOk(wbRigid_SetJoint(&scene.rigid, top, &off));
    assert_false(sleeps(&scene, bob) || sleeps(&scene, next));
    run(&scene, 1);
    assert_true(scene.rigid.y[bob] < 4);
    destroyScene(&scene);
}

static void testProgramPutsToSleep(void **state) {
    (void)state;
    Scene scene = createSleepyScene(1);
    const int tower = addTower(&scene, 0, 3), flying = addBox(&scene, at(5, 10, 0), at(1, 1, 1), 1);
    run(&scene, 0.2);
    assertOk(wbRigid_Sleep(&scene.rigid, &scene.work, tower + 1));
    assertOk(wbRigid_Sleep(&scene.rigid, &scene.work, flying));
    assertAsleep(&scene, tower, 3, true);
    const float height = scene.rigid.y[flying];
    run(&scene, 1);
    assert_true(scene.rigid.y[flying] == height);
    scene.rigid.bits[flying] &= ~(uint32_t)WB_RIGID_MAY_SLEEP; // one that may not, does not
    wbRigid_Wake(&scene.rigid, flying);
    run(&scene, 6);
    assert_false(sleeps(&scene, flying));
    destroyScene(&scene);
}

// A bullet shakes some of many towers: the same bits for any number of threads.
static void testThreads(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int threads = 1; threads <= 2; threads++) {
        Scene scene = createSleepyScene(threads);
        for (int k = 0; k < 30; k++) addTower(&scene, 1.5f * (float)k, 2 + k % 3);
        const int ball = addBox(&scene, at(-20, 1.5f, 0), at(0.5f, 0.5f, 0.5f), 20);
        scene.rigid.gravityScale[ball] = 0;
        run(&scene, 2);
        scene.rigid.vx[ball] = 25;
        run(&scene, 2);
        const int asleep = countAsleep(&scene);
        assert_true(asleep > 0 && asleep < scene.rigid.count - 1);
        wbColumn columns[WB_RIGID_COLUMNS];
        uint64_t hash = WB_HASH_START;
        wbRigid_ListColumns(&scene.rigid, columns);
        for (int k = 0; k < WB_RIGID_COLUMNS; k++)
            hash = wbHashBytes(hash, *columns[k].data, (size_t)(columns[k].elementSize * scene.rigid.count));
        hashes[threads - 1] = hash;
        destroyScene(&scene);
    }
    assert_true(hashes[0] == hashes[1]);
}

// Events

static const wbRigidTouch *getBegins(const Scene *scene) { return scene->rigid.events.begins.data; }
static const wbRigidTouch *getEnds(const Scene *scene) { return scene->rigid.events.ends.data; }

// A box falls through a sensor onto the ground.
static void testTouches(void **state) {
    (void)state;
    Scene scene = createSleepyScene(1);
    const int sensor = addBox(&scene, at(0, 3, 0), at(2, 1, 2), 0),
              box = addBox(&scene, at(0, 5, 0), at(1, 1, 1), 1);
    scene.rigid.bits[sensor] |= WB_RIGID_SENSOR;
    int begins[2] = {0, 0}, ends[2] = {0, 0}, others = 0;
    for (int k = 0; k < 240; k++) {
        stepScene(&scene, dt);
        const wbRigidEvents *events = &scene.rigid.events;
        for (int i = 0; i < events->beginCount; i++) {
            const int *bodies = getBegins(&scene)[i].bodies;
            begins[0] += bodies[0] == sensor && bodies[1] == box;
            begins[1] += bodies[0] == 0 && bodies[1] == box;
            others += bodies[1] != box;
        }
        for (int i = 0; i < events->endCount; i++) {
            const int *bodies = getEnds(&scene)[i].bodies;
            ends[0] += bodies[0] == sensor && bodies[1] == box;
            ends[1] += bodies[0] == 0 && bodies[1] == box;
        }
    }
    assert_true(sleeps(&scene, box)); // and goes on touching
    assert_int_equal(begins[0], 1), assert_int_equal(ends[0], 1);
    assert_int_equal(begins[1], 1), assert_int_equal(ends[1], 0);
    assert_int_equal(others, 0);
    assert_int_equal(scene.rigid.events.touchCount, 1);
    scene.rigid.vy[box] = 3; // up and away
    stepScene(&scene, dt), stepScene(&scene, dt);
    run(&scene, 0.1);
    assert_int_equal(scene.rigid.events.touchCount, 0);
    destroyScene(&scene);
}

// v = sqrt(2 g h) where it falls by h; the impulse is what its mass lost and won.
static void testHit(void **state) {
    (void)state;
    for (int bounce = 0; bounce < 2; bounce++) {
        Scene scene = createSleepyScene(1);
        const int box = addBox(&scene, at(2, 5.5f, 1), at(1, 1, 1), 3);
        scene.rigid.restitution[box] = bounce ? 0.5f : 0;
        int hits = 0;
        for (int k = 0; k < 80; k++) {
            stepScene(&scene, dt);
            if (scene.rigid.events.hitCount == 0) continue;
            const wbRigidHit *hit = scene.rigid.events.hits.data;
            if (hits++ > 0) continue;
            const double speed = sqrt(2 * 9.81 * 5);
            assertBelow(fabs((double)hit->speed / speed - 1), 0.03, "speed");
            const double change = speed + (double)scene.rigid.vy[box];
            assertBelow(fabs((double)hit->impulse / (3 * change) - 1), 0.02, "impulse");
            assertBelow(fabs((double)hit->point.x - 2) + fabs((double)hit->point.z - 1), 0.02, "point");
            assertBelow(fabs((double)hit->point.y), 0.3, "height");
            assertBelow(fabs(fabs((double)hit->normal.y) - 1), 1e-4, "normal");
            assert_true((hit->bodies[0] == 0 && hit->bodies[1] == box) ||
                        (hit->bodies[0] == box && hit->bodies[1] == 0));
        }
        assert_true(hits >= 1 && hits <= 1 + bounce);
        destroyScene(&scene);
    }
}

static void testContactsAreRead(void **state) {
    (void)state;
    Scene scene = createScene(1);
    addBox(&scene, at(0, -0.5f, 0), at(100, 1, 100), 0);
    const int tower = addTower(&scene, 0, 2);
    run(&scene, 2);
    wbRigidContactPoint points[16];
    assert_int_equal(wbRigid_GetContacts(&scene.rigid, tower + 1, 16, points), 4);
    assert_int_equal(wbRigid_GetContacts(&scene.rigid, tower, 2, points), 8); // more than there is room for
    assert_int_equal(wbRigid_GetContacts(&scene.rigid, -1, 16, points), 8);
    double sum = 0;
    for (int k = 0; k < wbRigid_GetContacts(&scene.rigid, tower + 1, 16, points); k++) {
        sum += (double)points[k].impulse;
        assertBelow(fabs((double)points[k].point.y - 1), 0.02, "height");
        assertBelow(fabs(fabs((double)points[k].point.x) - 0.5), 0.02, "corner");
    }
    assertBelow(fabs(sum / (9.81 * (double)dt / 4) - 1), 1e-2, "weight");
    destroyScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testIslandsSleep),
        cmocka_unit_test(testWaking),
        cmocka_unit_test(testRemovalWakes),
        cmocka_unit_test(testJointsAndSleep),
        cmocka_unit_test(testProgramPutsToSleep),
        cmocka_unit_test(testThreads),
        cmocka_unit_test(testTouches),
        cmocka_unit_test(testHit),
        cmocka_unit_test(testContactsAreRead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
