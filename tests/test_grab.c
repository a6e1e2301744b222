// SPDX-License-Identifier: MIT
// Grabs: what they hold goes to their target, by bounded forces; balls push fluids and air; saved, hashed, the same bits for any number
// of threads; on a compute device too (test_grab_gpu).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grab_support.h"

static void testSoftBody(void **state) {
    (void)state;
    static const char *const solvers[] = {"gaussSeidel", "jacobiParticles", "jacobiConstraints"};
    for (int s = 0; s < 3; s++) {
        wbWorld *world = makeGrabWorld(wb_backendCpu, 1);
        assertOk(wbWorld_SetParam(world, "pbd.solver", solvers[s]));
        assertOk(wbWorld_Apply(world, "world.addGrab", "mouse of=cloth particle=0 target=0.2,0.7,0.2"));
        const float start = getDistance(world), first = (stepTimes(world, 1), getDistance(world));
        assert_true(first > 0.3f * start); // nothing jumps
        stepTimes(world, 120);
        if (!(getDistance(world) < 0.05f * start))
            fail_msg("%s: %g of %g m are left", solvers[s], (double)getDistance(world), (double)start);
        wbDestroyWorld(world);
    }
}

// A body that hangs at a corner: at rest the spring bears its weight, m g = k d.
static void testRigidBody(void **state) {
    (void)state;
    wbWorld *world = makeGrabWorld(wb_backendCpu, 1);
    assertOk(wbWorld_Apply(world, "world.addGrab",
                           "mouse of=crate point=0.05,0.05,0.05 target=0.5,0.6,0.6 spinDamping=40"));
    stepTimes(world, 400);
    const double omega = 2 * 3.14159265358979 * 7.5, sag = 9.81 / (omega * omega);
    wbVec3 at;
    bool isThere;
    assertOk(wbGrab_GetPoint(world, wbWorld_GetGrab(world, 0), &isThere, &at));
    if (!(fabs(0.6 - (double)at.y - sag) < 0.1 * sag && fabsf(at.x - 0.5f) + fabsf(at.z - 0.6f) < 1e-3f))
        fail_msg("it hangs %g, %g, %g m off instead of %g", (double)at.x - 0.5, 0.6 - (double)at.y,
                 (double)at.z - 0.6, sag);
    assertOk(wbWorld_SetParam(world, "mouse.on", "false"));
    stepTimes(world, 60);
    wbRigidMotion motion;
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &motion));
    assert_true(motion.position.y < 0.1f); // it fell
    wbDestroyWorld(world);
}

// With a force below its weight a body stays where it is.
static void testMaxForce(void **state) {
    (void)state;
    wbWorld *world = makeGrabWorld(wb_backendCpu, 1);
    assertOk(wbDestroySoftBody(world, wbWorld_GetSoftBody(world, 0))); // water may wash the cloth under it
    stepTimes(world, 60);
    wbRigidMotion before, after;
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &before));
    assertOk(wbWorld_Apply(world, "world.addGrab", "mouse of=rigidBody#0 target=0.5,0.7,0.6 maxForce=2"));
    stepTimes(world, 60); // it weighs 9.81 N
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &after));
    assert_float_equal(after.position.y, before.position.y, 0.005);
    assertOk(wbWorld_SetParam(world, "mouse.maxForce", "20"));
    stepTimes(world, 120);
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &after));
    assert_true(after.position.y > before.position.y + 0.3f);
    wbDestroyWorld(world);
}

static void testCollider(void **state) {
    (void)state;
    wbWorld *world = makeGrabWorld(wb_backendCpu, 1);
    assertOk(wbWorld_Apply(world, "world.addGrab", "mouse of=post target=0.9,0.6,0.75"));
    const float start = getDistance(world);
    stepTimes(world, 1);
    assert_true(getDistance(world) > 0.5f * start);
    stepTimes(world, 120);
    if (!(getDistance(world) < 0.02f * start))
        fail_msg("%g of %g m are left", (double)getDistance(world), (double)start);
    assertOk(wbWorld_SetParam(world, "mouse.target", "0.9,0.2,0.75"));
    stepTimes(world, 2);
    assertOk(wbWorld_SetParam(world, "mouse.on", "false")); // let go, it stands
    const wbColliderStats here = wbCollider_GetStats(world, wbWorld_GetCollider(world, 0));
    stepTimes(world, 5);
    const wbColliderStats there = wbCollider_GetStats(world, wbWorld_GetCollider(world, 0));
    assert_memory_equal(here.position, there.position, sizeof here.position);
    wbDestroyWorld(world);
}

// Water goes along with a ball that has gone through it, and air moves.
static void testPush(void **state) {
    (void)state;
    wbWorld *pushed = makeGrabWorld(wb_backendCpu, 1), *calm = makeGrabWorld(wb_backendCpu, 1);
    assertOk(wbWorld_Apply(pushed, "world.addGrab", "mouse target=0.05,0.15,0.2 radius=0.15"));
    stepTimes(pushed, 2), stepTimes(calm, 2);
    assertOk(wbWorld_SetParam(pushed, "mouse.target", "0.35,0.15,0.2"));
    stepTimes(pushed, 12), stepTimes(calm, 12);
    for (int f = 0; f < 2; f++) {
        const double gain = getMomentum(pushed, f) - getMomentum(calm, f);
        if (!(gain > 0.02)) fail_msg("fluid %d was given %g m/s", f, gain);
    }
    // in a closed box air has no momentum as a whole
    assert_true(wbWorld_GetSmokeStats(pushed).kinetic > 10 * wbWorld_GetSmokeStats(calm).kinetic + 1e-6);
    wbDestroyWorld(pushed);
    wbDestroyWorld(calm);
}

static void testThreads(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        wbWorld *world = makeGrabWorld(wb_backendCpu, k == 0 ? 1 : 3);
        grabAll(world);
        stepTimes(world, 20);
        hashes[k] = wbWorld_Hash(world);
        wbDestroyWorld(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

// Loaded, and gone back to, a world goes on bit for bit, with grabs that were changed in between.
static void testSaved(void **state) {
    (void)state;
    wbBytes bytes = {0};
    wbWorld *world = makeGrabWorld(wb_backendCpu, 1), *loaded;
    grabAll(world);
    stepTimes(world, 6);
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    stepTimes(world, 6);
    const uint64_t hash = wbWorld_Hash(world);
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    stepTimes(loaded, 6);
    assert_true(wbWorld_Hash(loaded) == hash);
    assertOk(wbWorld_SetParam(world, "mouse0.target", "0.1,0.1,0.1"));
    assertOk(wbWorld_Apply(world, "mouse1.of", ""));
    assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
    char of[64];
    assertOk(wbGrab_GetOf(world, wbWorld_GetGrab(world, 1), of, sizeof of));
    assert_string_equal(of, "crate");
    stepTimes(world, 6);
    assert_true(wbWorld_Hash(world) == hash);
    wbFreeBytes(&bytes);
    wbDestroyWorld(loaded);
    wbDestroyWorld(world);
}

static void assertRefused(wbWorld *world, const char *key, const char *value, const char *part) {
    const wbStatus status = wbWorld_Apply(world, key, value);
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, part)) fail_msg("\"%s\" lacks \"%s\"", status.text, part);
}

static void testObjects(void **state) {
    (void)state;
    wbWorld *world = makeGrabWorld(wb_backendCpu, 1);
    char of[64];
    bool isThere;
    wbVec3 point;
    assertRefused(world, "world.addGrab", "mouse of=water", "is a fluid: a grab holds a soft body");
    assertRefused(world, "world.addGrab", "mouse of=clth", "there is no object \"clth\"");
    assertRefused(world, "world.addGrab", "mouse of=rigidBody#7", "there is no object \"rigidBody#7\"");
    assertRefused(world, "world.addGrab", "mouse of=cloth particle=16", "particle is 16, allowed is 0 to 15");
    assertRefused(world, "world.addGrab", "mouse damping=-1", "damping is -1, allowed is");
    assertRefused(world, "world.addGrab", "cloth", "there is already a soft body named \"cloth\"");
    assert_int_equal(wbWorld_GetGrabCount(world), 0);
    assertOk(wbWorld_Apply(world, "world.addGrab", "mouse of=rigidBody#0"));
    const wbGrabId mouse = wbWorld_GetGrab(world, 0);
    assertOk(wbGrab_GetOf(world, mouse, of, sizeof of));
    assert_string_equal(of, "crate");
    assertRefused(world, "mouse.of", "sph", "there is no object");
    // what it holds goes
    assertOk(wbDestroyRigidBody(world, wbWorld_GetRigidBody(world, 0)));
    assertOk(wbGrab_GetPoint(world, mouse, &isThere, &point));
    assert_false(isThere);
    assertOk(wbGrab_GetOf(world, mouse, of, sizeof of));
    assert_string_equal(of, "");
    stepTimes(world, 2);
    assertOk(wbGrab_SetOf(world, mouse, "cloth"));
    assertOk(wbGrab_SetTarget(world, mouse, wbMakeVec3(0.1f, 0.5f, 0.2f)));
    assertOk(wbGrab_SetOn(world, mouse, false));
    assert_false(wbGrab_GetParams(world, mouse)->on);
    wbDestroyGrab(world, mouse);
    assert_false(wbGrab_IsValid(world, mouse));
    wbDestroyWorld(world);
}

static void testScene(void **state) {
    (void)state;
    static const char text[] =
        "{\"world\":{\"dimensions\":2},\"domain\":{\"min\":[0,0],\"max\":[1,1]},"
        "\"bodies\":[{\"name\":\"disc\",\"shape\":\"sphere\",\"radius\":0.05,\"position\":[0.5,0.5]}],"
        "\"grabs\":[{\"name\":\"hand\",\"of\":\"%s\",\"target\":[0.2,0.8]}],"
        "\"script\":[{\"at\":1,\"set\":\"hand.on\",\"value\":false}]}";
    char good[sizeof text + 16], bad[sizeof text + 16];
    wbScene *scene;
    wbWorld *world;
    snprintf(good, sizeof good, text, "disc");
    snprintf(bad, sizeof bad, text, "dsc");
    assertOk(wbReadSceneText("g.json", good, strlen(good), &scene));
    assertOk(wbScene_Set(scene, "hand.damping", "2"));
    assertOk(wbScene_CreateWorld(scene, &world));
    for (int k = 0; k < 50; k++) assertOk(wbWorld_Step(world, 0));
    wbVec3 point;
    bool isThere;
    assertOk(wbGrab_GetPoint(world, wbWorld_GetGrab(world, 0), &isThere, &point));
    assert_true(isThere && fabsf(point.x - 0.2f) < 0.05f && fabsf(point.y - 0.8f) < 0.05f);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    assertOk(wbReadSceneText("g.json", bad, strlen(bad), &scene));
    const wbStatus status = wbScene_CreateWorld(scene, &world);
    if (strncmp(status.text, "g.json:1:", 9) != 0 || !strstr(status.text, "there is no object \"dsc\""))
        fail_msg("%s", status.text);
    wbDestroyScene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSoftBody), cmocka_unit_test(testRigidBody), cmocka_unit_test(testMaxForce),
        cmocka_unit_test(testCollider), cmocka_unit_test(testPush),      cmocka_unit_test(testThreads),
        cmocka_unit_test(testSaved),    cmocka_unit_test(testObjects),   cmocka_unit_test(testScene),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
