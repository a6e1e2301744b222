// SPDX-License-Identifier: MIT
// Nothing passes a collider: continuous collision on the processor.
#include "collision_support.h"
#include "core/cpu.h"
#include "core/status.h"

static wbCollisionCounts runOnPool(void *context, wbCollision *collision, const wbCollisionPlace *places,
                                   const wbCollisionPoints *points) {
    wbWork work = {.pool = context};
    assert_true(wbIsOk(wbChooseSimd(wb_simdAuto, &work.simd)));
    return wbCollision_Run(collision, &work, places, points);
}

static CollisionRunner makeRunner(int threads) {
    return (CollisionRunner){runOnPool, wbCreateThreadPool(NULL, threads, NULL, NULL)};
}

static void testThinPlates(void **state) {
    (void)state;
    CollisionRunner runner = makeRunner(1);
    checkThinPlate(&runner, wbMakeVec3(0, 0, 0), 0.002f, 10);
    checkThinPlate(&runner, wbMakeVec3(100, -50, 20), 0.02f, 5);
    wbDestroyThreadPool(runner.context);
}

static void testShakenVessel(void **state) {
    (void)state;
    CollisionRunner runner = makeRunner(1);
    checkShakenVessel(&runner, wbMakeVec3(1, 2, 3), 200);
    wbDestroyThreadPool(runner.context);
}

static void testExactHits(void **state) {
    (void)state;
    CollisionRunner runner = makeRunner(1);
    checkExactHits(&runner);
    wbDestroyThreadPool(runner.context);
}

// What is pressed onto a floor slides along it and loses only the velocity into it; the floor's own velocity counts.
static void testSlides(void **state) {
    (void)state;
    wbMesh mesh;
    CollisionRunner runner = makeRunner(1);
    const wbShape *floor = shapeOf(wbMakeBox(wbMakeVec3(4, 0.1f, 4), &mesh), &mesh);
    wbCollision *collision = collideOf(&floor, 1);
    Swarm *swarm = makeSwarm(1);
    wbCollisionPlace place = {.before = wb_poseAtOrigin,
                              .after = {.pose = wb_poseAtOrigin, .velocity = {0, 0.25f, 0}}};
    setColumn(swarm->position, 0, wbMakeVec3(-1, 0.1f, 0));
    for (int step = 0; step < 1000; step++) {
        setColumn(swarm->velocity, 0, wbMakeVec3(1, -5, 0.5f));
        drift(swarm, 0.002f);
        place.before = place.after.pose;
        runCollision(&runner, collision, &place, swarm);
    }
    assert_true(fabsf(swarm->position[0][0] - 1) < 1e-3f && fabsf(swarm->position[2][0] - 1) < 1e-3f);
    assert_true(swarm->position[1][0] > 0.05f && swarm->position[1][0] < 0.0502f);
    assert_true(fabsf(swarm->velocity[0][0] - 1) < 1e-6f && fabsf(swarm->velocity[1][0] - 0.25f) < 1e-6f);
    free(swarm);
    wbDestroyCollision(collision);
    wbDestroyShape((wbShape *)floor);
    wbDestroyThreadPool(runner.context);
}

// Two that pass through a floor, of which the second was seen farther away from where it went. How many were caught.
static int64_t dropTwo(const wbCollisionPoints *known, float y[2]) {
    enum { ROOM = 2 + WB_PADDING };
    wbMesh mesh;
    CollisionRunner runner = makeRunner(1);
    const wbShape *floor = shapeOf(wbMakeBox(wbMakeVec3(4, 0.1f, 4), &mesh), &mesh);
    wbCollision *collision = collideOf(&floor, 1);
    const wbCollisionPlace place = {.before = wb_poseAtOrigin, .after = {.pose = wb_poseAtOrigin}};
    float none[ROOM] = {0}, x[ROOM] = {0, 1}, before[ROOM] = {0.1f, 0.1f}, after[ROOM] = {-0.1f, -0.1f},
          z[ROOM] = {0}, v[3][ROOM] = {{0}}, seen[ROOM] = {0, 0.25f}, seenX[ROOM] = {0, 1};
    wbCollisionPoints points = *known;
    points.count = 2;
    points.beforeX = seenX, points.beforeY = before, points.beforeZ = none;
    points.x = x, points.y = after, points.z = z, points.vx = v[0], points.vy = v[1], points.vz = v[2];
    points.nearness = none;
    points.seenX = seenX, points.seenY = seen, points.seenZ = none;
    const wbCollisionCounts counts = runner.run(runner.context, collision, &place, &points);
    memcpy(y, after, sizeof(float[2]));
    wbDestroyCollision(collision);
    wbDestroyShape((wbShape *)floor);
    wbDestroyThreadPool(runner.context);
    return counts.caught;
}

// What was seen far from colliders is left alone only as long as its whole way is within the margin of that place.
static void testSeenFromFar(void **state) {
    (void)state;
    float y[2];
    assert_int_equal(dropTwo(&(wbCollisionPoints){.margin = 0.2f}, y), 1);
    assert_true(y[0] == -0.1f && y[1] > 0.05f);
}

// Likewise by how far colliders were away from each, less what they have moved since.
static void testClearances(void **state) {
    (void)state;
    float y[2];
    const float clearances[2 + WB_PADDING] = {0.2f, 0.2f}, close[2 + WB_PADDING] = {0.2f, 1};
    assert_int_equal(dropTwo(&(wbCollisionPoints){.clearances = clearances}, y), 1);
    assert_true(y[0] == -0.1f && y[1] > 0.05f);
    assert_int_equal(dropTwo(&(wbCollisionPoints){.clearances = clearances, .stray = 0.1f}, y), 2);
    assert_int_equal(dropTwo(&(wbCollisionPoints){.clearances = close, .stray = 0.1f}, y), 1);
    assert_true(y[0] > 0.05f && y[1] == -0.1f);
}

// Steps that are shorter than what rounding may hide add up, too.
static void testCreeps(void **state) {
    (void)state;
    wbMesh mesh;
    CollisionRunner runner = makeRunner(1);
    const wbShape *floor = shapeOf(wbMakeBox(wbMakeVec3(4, 0.1f, 4), &mesh), &mesh);
    wbCollision *collision = collideOf(&floor, 1);
    Swarm *swarm = makeSwarm(1);
    wbCollisionPlace place = {.before = wb_poseAtOrigin, .after = {.pose = wb_poseAtOrigin}};
    setColumn(swarm->position, 0, wbMakeVec3(0.3f, 0.05001f, 0.2f));
    for (int step = 0; step < 200; step++) {
        setColumn(swarm->velocity, 0, wbMakeVec3(0, -1e-6f, 0));
        drift(swarm, 1);
        runCollision(&runner, collision, &place, swarm);
        assert_true(swarm->position[1][0] > 0.05f);
    }
    free(swarm);
    wbDestroyCollision(collision);
    wbDestroyShape((wbShape *)floor);
    wbDestroyThreadPool(runner.context);
}

// Down into a notch of 11 degrees, again and again.
static void testAcuteCorner(void **state) {
    (void)state;
    wbMesh mesh;
    CollisionRunner runner = makeRunner(1);
    const float notch[][2] = {{-1, -1}, {1, -1}, {1, 1}, {0.1f, 1}, {0, 0}, {-0.1f, 1}, {-1, 1}};
    const wbShape *block = shapeOf(wbMakePrism(notch, 7, 2, &mesh), &mesh);
    wbCollision *collision = collideOf(&block, 1);
    Swarm *swarm = makeSwarm(300);
    uint32_t seed = 3;
    wbCollisionPlace place = {.before = wb_poseAtOrigin, .after = {.pose = wb_poseAtOrigin}};
    for (int i = 0; i < swarm->count; i++)
        setColumn(swarm->position, i, wbMakeVec3(0.001f * (float)(i % 50), 0.9f, 0));
    for (int step = 0; step < 300; step++) {
        for (int i = 0; i < swarm->count; i++) {
            wbVec3 v = randomPoint(&seed, 0.02f);
            setColumn(swarm->velocity, i, wbMakeVec3(v.x, v.y - 0.02f, 0));
        }
        drift(swarm, 1);
        place.before = place.after.pose, place.after.pose.position[0] = 0.1f * randomNumber(&seed);
        assert_int_equal(runCollision(&runner, collision, &place, swarm).lost, 0);
        for (int i = 0; i < swarm->count; i++) {
            double own[3];
            toOwnFrame(&place.after.pose, getColumn(swarm->position, i), own);
            if (!(own[1] > 0 && (own[1] > 1 || fabs(own[0]) < 0.1 * own[1])))
                fail_msg("step %d: particle %d left the notch: (%g, %g)", step, i, own[0], own[1]);
        }
    }
    free(swarm);
    wbDestroyCollision(collision);
    wbDestroyShape((wbShape *)block);
    wbDestroyThreadPool(runner.context);
}

// Between two blocks that close there is no place; it is counted, and what is inside may come out.
static void testSqueezedAndInside(void **state) {
    (void)state;
    wbMesh mesh;
    CollisionRunner runner = makeRunner(1);
    const wbShape *block = shapeOf(wbMakeBox(wbMakeVec3(1, 1, 1), &mesh), &mesh);
    const wbShape *both[] = {block, block};
    wbCollision *collision = collideOf(both, 2);
    Swarm *swarm = makeSwarm(2);
    wbCollisionPlace places[2] = {{.before = wb_poseAtOrigin, .after = {.pose = wb_poseAtOrigin}},
                                  {.before = wb_poseAtOrigin, .after = {.pose = wb_poseAtOrigin}}};
    places[1].before.position[0] = 1.2f, places[1].after.pose.position[0] = 0.9f;
    setColumn(swarm->position, 0, wbMakeVec3(0.6f, 0, 0));
    setColumn(swarm->position, 1, wbMakeVec3(0, 0.4f, 0));
    setColumn(swarm->velocity, 1, wbMakeVec3(0, 1, 0));
    drift(swarm, 1);
    wbCollisionCounts counts = runCollision(&runner, collision, places, swarm);
    assert_int_equal(counts.lost, 1);
    assert_int_equal(counts.caught, 1);
    assert_true(swarm->position[1][1] == 1.4f);
    // without the second one it is free
    places[1] = places[0];
    setColumn(swarm->position, 0, wbMakeVec3(0.6f, 0, 0));
    drift(swarm, 1);
    assert_int_equal(runCollision(&runner, collision, places, swarm).caught, 0);
    free(swarm);
    wbDestroyCollision(collision);
    wbDestroyShape((wbShape *)block);
    wbDestroyThreadPool(runner.context);
}

static void testThreadsDoNotMatter(void **state) {
    (void)state;
    wbMesh mesh;
    wbWheelParams params = {0.2f, 1, 0.5f, 0.02f, 8, 0.02f, 32};
    const wbShape *wheel = shapeOf(wbMakeWheel(&params, &mesh), &mesh);
    wbCollision *collision = collideOf(&wheel, 1);
    Swarm *swarms[3];
    wbCollisionCounts counts[3];
    for (int k = 0; k < 3; k++) {
        uint32_t seed = 11;
        CollisionRunner runner = makeRunner(k + 1);
        swarms[k] = makeSwarm(5000);
        for (int i = 0; i < swarms[k]->count; i++) {
            setColumn(swarms[k]->position, i, randomPoint(&seed, 1.2f));
            setColumn(swarms[k]->velocity, i, randomPoint(&seed, 0.5f));
        }
        wbCollisionPlace place = {.before = randomPose(&seed, wbMakeVec3(0, 0, 0), 0.1f),
                                  .after = {.spin = {0, 0, 3}}};
        place.after.pose = randomPose(&seed, wbMakeVec3(0, 0, 0), 0.1f);
        drift(swarms[k], 1);
        counts[k] = runCollision(&runner, collision, &place, swarms[k]);
        assert_memory_equal(swarms[k], swarms[0], sizeof **swarms);
        assert_int_equal(counts[k].caught, counts[0].caught);
        wbDestroyThreadPool(runner.context);
    }
    assert_true(counts[0].caught > 1000);
    for (int k = 0; k < 3; k++) free(swarms[k]);
    wbDestroyCollision(collision);
    wbDestroyShape((wbShape *)wheel);
}

// Also far from the origin, where rounding is coarse, and for any number of threads.
static void testManyColliders(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3) {
        CollisionRunner runner = makeRunner(threads);
        checkManyColliders(&runner, threads == 1 ? wbMakeVec3(0, 0, 0) : wbMakeVec3(300, -200, 500), true);
        wbDestroyThreadPool(runner.context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testThinPlates),
        cmocka_unit_test(testShakenVessel),
        cmocka_unit_test(testExactHits),
        cmocka_unit_test(testManyColliders),
        cmocka_unit_test(testSlides),
        cmocka_unit_test(testSeenFromFar),
        cmocka_unit_test(testClearances),
        cmocka_unit_test(testCreeps),
        cmocka_unit_test(testAcuteCorner),
        cmocka_unit_test(testSqueezedAndInside),
        cmocka_unit_test(testThreadsDoNotMatter),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
