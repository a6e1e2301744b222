// SPDX-License-Identifier: MIT
// Rigid bodies as objects of a world: made, moved, set, saved, destroyed. How they touch is tested beside the solver.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rigid_sides_support.h"
#include "shape/shape.h"
#include "shape/shape_make.h"
#include "test_support.h"
#include "wirbel/query.h"
#include "wirbel/scene.h"
#include "world/rigid.h"

static wbWorld *createWorld(int dimensions) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dimensions = dimensions;
    def.params.dt = 0.01f;
    def.threadCount = 1;
    assertOk(wbCreateWorld(&def, &world));
    return world;
}

static wbRigidBodyId addBody(wbWorld *world, const wbRigidBodyDef *def) {
    wbRigidBodyId id;
    assertOk(wbCreateRigidBody(world, def, &id));
    return id;
}

static wbRigidBodyId addBox(wbWorld *world, const char *name, wbVec3 position) {
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.name = name, def.params.position = position;
    return addBody(world, &def);
}

static wbRigidMotion getMotion(wbWorld *world, wbRigidBodyId id) {
    wbRigidMotion motion;
    assertOk(wbRigidBody_GetMotion(world, id, &motion));
    return motion;
}

static void step(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, 0));
}

static void testFalls(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.params.position = wbMakeVec3(1, 10, 2), def.params.velocity = wbMakeVec3(2, 0, 0);
    const wbRigidBodyId id = addBody(world, &def);
    step(world, 100);
    const wbRigidMotion motion = getMotion(world, id);
    assert_float_equal(motion.position.x, 3, 1e-4);
    assert_float_equal(motion.velocity.y, -9.81, 1e-3);
    assert_float_equal(motion.position.y, 10 - 0.5 * 9.81, 0.06); // first order in the sub-steps
    const wbStats stats = wbWorld_GetStats(world);
    assert_float_equal(stats.mass, 1000, 1e-3);
    assert_float_equal(stats.momentum[0], 2000, 0.1);
    assert_float_equal(stats.kinetic, 0.5 * 1000 * (4 + 9.81 * 9.81), 20);
    wbDestroyWorld(world);
}

static void testNames(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbRigidBodyId again;
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    const wbRigidBodyId crate = addBox(world, "crate", wbMakeVec3(0, 1, 0)),
                        one = addBox(world, NULL, wbMakeVec3(3, 1, 0)),
                        two = addBox(world, "", wbMakeVec3(6, 1, 0));
    assert_string_equal(wbRigidBody_GetName(world, crate), "crate");
    assert_string_equal(wbRigidBody_GetName(world, one), "");
    def.name = "crate";
    assert_int_equal(wbCreateRigidBody(world, &def, &again).code, wb_errorInput);
    assert_int_equal(wbWorld_GetRigidBodyCount(world), 3);
    assertOk(wbWorld_SetParam(world, "crate.friction", "0.9"));
    assert_float_equal(wbRigidBody_GetParams(world, crate)->friction, 0.9, 1e-6);
    assert_int_equal(wbWorld_SetParam(world, "crate.size", "1,1,1").code, wb_errorInput);
    assertOk(wbDestroyRigidBody(world, one));
    assert_false(wbRigidBody_IsValid(world, one));
    expect_assert_failure(wbRigidBody_GetParams(world, one));
    assert_float_equal(getMotion(world, two).position.x, 6, 0);
    assertOk(wbDestroyRigidBody(world, crate));
    assertOk(wbDestroyRigidBody(world, two));
    assert_false(wbWorld_HasSolver(world, "rigid"));
    wbDestroyWorld(world);
}

// A box of density 2 beside one of 1: the same as closed forms, in the frame of the origin.
static void testMass(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbRigidPartDef parts[2] = {wbDefaultRigidPartDef(), wbDefaultRigidPartDef()};
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    parts[0].position.x = -1, parts[1].position.x = 1;
    parts[1].rotation.z = 90; // a cube looks the same
    def.params.shape = wb_rigidCompound, def.params.mass = 10;
    def.params.rotation = wbMakeVec3(0, 90, 0), def.params.position = wbMakeVec3(1, 2, 3);
    def.parts = parts, def.partCount = 2;
    const wbRigidBodyId dumbbell = addBody(world, &def);
    const wbRigidMass mass = wbRigidBody_GetMass(world, dumbbell);
    assert_float_equal(mass.mass, 10, 0);
    assert_float_equal(mass.centre[0], 0, 1e-6);
    assert_float_equal(mass.inertia[0][0], 10.0 / 6, 1e-4);
    assert_float_equal(mass.inertia[1][1], 10.0 / 6 + 10, 1e-4);
    assert_float_equal(mass.inertia[2][2], 10.0 / 6 + 10, 1e-4);
    assert_float_equal(mass.inertia[0][1], 0, 1e-4);
    const wbRigidMotion motion = getMotion(world, dumbbell);
    assert_float_equal(motion.position.x, 1, 1e-6);
    assert_float_equal(motion.position.z, 3, 1e-6);
    assert_float_equal(fabsf(motion.rotation[1]), sqrt(0.5), 1e-6);
    def.params.centreX = 0.5f, def.params.inertia = wbMakeVec3(1, 2, 2.5f);
    const wbRigidBodyId other = addBody(world, &def);
    const wbRigidMass chosen = wbRigidBody_GetMass(world, other);
    assert_float_equal(chosen.centre[0], 0.5, 1e-6);
    assert_float_equal(chosen.inertia[1][1], 2, 1e-5);
    assert_float_equal(getMotion(world, other).position.x, 1, 1e-6);
    assert_float_equal(getMotion(world, other).centre.z, 2.5, 1e-6);
    wbDestroyWorld(world);
}

static void testForces(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    assertOk(wbWorld_SetGravity(world, wbMakeVec3(0, 0, 0)));
    const wbRigidBodyId id = addBox(world, "crate", wbMakeVec3(0, 0, 0));
    const float inertia = 1000.0f / 6;
    assertOk(wbRigidBody_ApplyImpulseAt(world, id, wbMakeVec3(0, 100, 0), wbMakeVec3(0.5f, 0, 0)));
    wbRigidMotion motion = getMotion(world, id);
    assert_float_equal(motion.velocity.y, 0.1, 1e-6);
    assert_float_equal(motion.spin.z, 50 / inertia, 1e-5);
    assertOk(wbRigidBody_ApplyAngularImpulse(world, id, wbMakeVec3(0, 0, -50)));
    assertOk(wbRigidBody_ApplyImpulse(world, id, wbMakeVec3(0, -100, 0)));
    assertOk(wbRigidBody_ApplyForce(world, id, wbMakeVec3(1000, 0, 0)));
    assertOk(wbRigidBody_ApplyTorque(world, id, wbMakeVec3(inertia, 0, 0)));
    step(world, 2); // only the first of them feels it
    motion = getMotion(world, id);
    assert_float_equal(motion.velocity.x, 0.01, 1e-6);
    assert_float_equal(motion.velocity.y, 0, 1e-6);
    assert_float_equal(motion.spin.x, 0.01, 1e-5);
    assert_float_equal(motion.spin.z, 0, 1e-5);
    assertOk(wbRigidBody_SetType(world, id, wb_rigidStatic));
    assert_float_equal(getMotion(world, id).velocity.x, 0, 0);
    assert_int_equal(wbRigidBody_SetVelocity(world, id, wbMakeVec3(1, 0, 0)).code, wb_errorInput);
    assertOk(wbRigidBody_SetType(world, id, wb_rigidDynamic));
    assertOk(wbRigidBody_SetVelocity(world, id, wbMakeVec3(1, 0, 0)));
    step(world, 1);
    assert_float_equal(getMotion(world, id).velocity.x, 1, 1e-6);
    const float turned[4] = {0, sqrtf(0.5f), 0, sqrtf(0.5f)}, wrong[4] = {0, 0, 0, 2};
    assertOk(wbRigidBody_SetPose(world, id, wbMakeVec3(5, 6, 7), turned));
    assert_float_equal(getMotion(world, id).position.y, 6, 1e-6);
    assert_int_equal(wbRigidBody_SetPose(world, id, wbMakeVec3(5, 6, 7), wrong).code, wb_errorInput);
    assert_int_equal(wbRigidBody_ApplyForce(world, id, wbMakeVec3(NAN, 0, 0)).code, wb_errorInput);
    wbDestroyWorld(world);
}

static void testSleep(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    const wbRigidBodyId id = addBox(world, NULL, wbMakeVec3(0, 5, 0));
    bool isAwake;
    step(world, 1); // a gravity that is new wakes all
    assertOk(wbRigidBody_Sleep(world, id));
    const float y = getMotion(world, id).position.y;
    step(world, 10);
    assert_float_equal(getMotion(world, id).position.y, y, 0);
    assertOk(wbRigidBody_IsAwake(world, id, &isAwake));
    assert_false(isAwake);
    assertOk(wbRigidBody_Wake(world, id));
    step(world, 10);
    assert_true(getMotion(world, id).position.y < 4.99f);
    assertOk(wbRigidBody_SetGravityScale(world, id, 0));
    const float before = getMotion(world, id).velocity.y;
    step(world, 1);
    assert_float_equal(getMotion(world, id).velocity.y, before, 0);
    wbDestroyWorld(world);
}

// What sleeps on a body wakes when that one is switched off.
static void testSupportGoes(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.params.type = wb_rigidStatic, def.params.position = wbMakeVec3(0, -0.5f, 0);
    const wbRigidBodyId table = addBody(world, &def), box = addBox(world, "", wbMakeVec3(0, 0.5f, 0));
    bool isAwake;
    step(world, 150);
    assertOk(wbRigidBody_IsAwake(world, box, &isAwake));
    assert_false(isAwake);
    assertOk(wbRigidBody_SetOn(world, table, false));
    step(world, 50);
    assert_true(getMotion(world, box).position.y < 0);
    wbDestroyWorld(world);
}

static void testShapes(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    const wbVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const float heights[6] = {0, 0.5f, 0, 0.2f, 1, 0.3f};
    const wbRigidShape shapes[] = {wb_rigidBox,      wb_rigidSphere, wb_rigidCapsule,
                                   wb_rigidCylinder, wb_rigidHull,   wb_rigidHeights};
    const double volumes[] = {1, 0.5236, 1.3090, 0.7854, 1.0 / 6};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        wbRigidBodyDef def = wbDefaultRigidBodyDef();
        wbShape *shape;
        wbShapeSamples samples;
        def.params.shape = shapes[i], def.params.position.x = 10 * (float)i;
        def.points = points, def.pointCount = 4;
        def.heights = heights, def.heightCounts[0] = 3, def.heightCounts[1] = 2;
        if (shapes[i] == wb_rigidHeights) {
            wbRigidBodyId id;
            assert_int_equal(wbCreateRigidBody(world, &def, &id).code, wb_errorInput);
            def.params.type = wb_rigidStatic;
        }
        const wbRigidBodyId id = addBody(world, &def);
        if (shapes[i] != wb_rigidHeights)
            assert_float_equal(wbRigidBody_GetMass(world, id).mass, 1000 * volumes[i], 1);
        assert_true(wbRigidBody_GetMesh(world, id)->triangleCount >= 4);
        // its surface can be sampled, as colliders are
        assertOk(wbGetRigidShape(world, (int)i, &shape));
        assertOk(wbShape_Sample(shape, 0.1f, 0.1f, 3, world->work.pool, &samples));
        assert_true(samples.count > 20);
        wbShape_FreeSamples(shape, &samples);
    }
    wbRigidBodyDef plane = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    plane.params.shape = wb_rigidPlane;
    assert_int_equal(wbCreateRigidBody(world, &plane, &id).code, wb_errorInput);
    plane.params.type = wb_rigidStatic;
    assertOk(wbCreateRigidBody(world, &plane, &id));
    assert_int_equal(wbRigidBody_GetMesh(world, id)->triangleCount, 0);
    wbDestroyWorld(world);
}

// Bodies of one shape have one form; it goes with the last of them.
static void testForms(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbRigidBodyId ids[3];
    for (int i = 0; i < 2; i++) ids[i] = addBox(world, NULL, wbMakeVec3(2 * (float)i, 0, 0));
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.params.size.x = 2, def.params.position.x = 10;
    ids[2] = addBody(world, &def);
    assert_int_equal(wbGetRigidBodies(world)->formCount, 2);
    assert_ptr_equal(wbRigidBody_GetMesh(world, ids[0]), wbRigidBody_GetMesh(world, ids[1]));
    assertOk(wbDestroyRigidBody(world, ids[0]));
    assert_int_equal(wbGetRigidBodies(world)->formCount, 2);
    assertOk(wbDestroyRigidBody(world, ids[2]));
    assert_int_equal(wbGetRigidBodies(world)->formCount, 1);
    wbDestroyWorld(world);
}

static void fillWorld(wbWorld *world) {
    const wbVec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    for (int i = 0; i < 8; i++) {
        def.params.position = wbMakeVec3(3 * (float)i, 4, 0);
        def.params.spin = wbMakeVec3(1, 0.2f * (float)i, 3);
        def.params.shape = i % 2 ? wb_rigidHull : wb_rigidCapsule;
        def.points = points, def.pointCount = i % 4 == 3 ? 5 : 4;
        def.name = i == 4 ? "named" : NULL;
        addBody(world, &def);
    }
}

static void testSaved(void **state) {
    (void)state;
    wbWorld *world = createWorld(3), *loaded;
    wbBytes bytes = {0};
    fillWorld(world);
    assertOk(wbDestroyRigidBody(world, wbWorld_GetRigidBody(world, 2)));
    const wbRigidBodyId id = wbWorld_GetRigidBody(world, 5);
    assertOk(wbRigidBody_Sleep(world, id));
    step(world, 5);
    assertOk(wbRigidBody_ApplyForce(world, wbWorld_GetRigidBody(world, 0), wbMakeVec3(0, 50, 0)));
    assertOk(wbWorld_SetParam(world, "named.gravityScale", "0.5"));
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    const uint64_t hash = wbWorld_Hash(world);
    assert_int_equal(wbWorld_Hash(loaded), hash);
    assert_true(wbRigidBody_IsValid(loaded, id));
    step(world, 20), step(loaded, 20);
    assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
    // back in place, and with other objects
    assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
    assert_int_equal(wbWorld_Hash(world), hash);
    assertOk(wbWorld_SetParam(world, "named.gravityScale", "2"));
    assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
    step(world, 20);
    assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
    addBox(world, NULL, wbMakeVec3(0, 9, 0));
    assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
    assert_int_equal(wbWorld_Hash(world), hash);
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
    wbDestroyWorld(loaded);
}

// A pile between walls, with a collider that moves, joints and forces, goes on bit for bit after loading and going back.
static void testPileResumes(void **state) {
    (void)state;
    for (int method = 0; method < 2; method++) {
        wbWorldDef def = wbDefaultWorldDef();
        wbWorld *world, *loaded;
        wbBytes bytes = {0};
        def.domain.min = wbMakeVec3(-2, 0, -2), def.domain.max = wbMakeVec3(2, 6, 2);
        def.params.dt = 0.01f, def.threadCount = 1;
        def.rigid.contact = method ? wb_contactParticles : wb_contactExact;
        assertOk(wbCreateWorld(&def, &world));
        wbRigidBodyId last = {0};
        for (int i = 0; i < 27; i++) {
            wbRigidBodyDef body = wbDefaultRigidBodyDef();
            body.params.size = wbMakeVec3(0.6f, 0.5f, 0.4f), body.params.radius = 0.3f;
            body.params.shape = i % 5 == 4 ? wb_rigidSphere : wb_rigidBox;
            body.params.position = wbMakeVec3((float)(i % 3) - 1, 0.4f + 0.8f * (float)(i / 9),
                                              (float)(i / 3 % 3) - 1 + 0.1f * (float)(i / 9));
            last = addBody(world, &body);
        }
        wbJointDef joint = wbDefaultJointDef();
        wbJointId jointId;
        joint.first = last, joint.params.anchor = wbMakeVec3(1, 3.5f, 1);
        assertOk(wbCreateJoint(world, &joint, &jointId));
        wbForceDef force = wbDefaultForceDef();
        wbForceId forceId;
        force.params.kind = wb_forceDrag, force.params.linear = 0.5f, force.isOnAll = true;
        assertOk(wbCreateForce(world, &force, &forceId));
        wbColliderDef collider = wbDefaultColliderDef();
        wbColliderId post;
        collider.name = "post", collider.params.size = wbMakeVec3(0.3f, 0.3f, 3);
        collider.params.position = wbMakeVec3(-1.7f, 0.15f, 0);
        assertOk(wbCreateCollider(world, &collider, &post));
        assertOk(wbCollider_SetVelocity(world, post, wbMakeVec3(0.5f, 0, 0), wbMakeVec3(0, 0, 0)));
        step(world, 60);
        assertOk(wbWorld_SaveToBytes(world, &bytes));
        assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
        assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
        step(world, 40), step(loaded, 40);
        const uint64_t hash = wbWorld_Hash(world);
        assert_int_equal(wbWorld_Hash(loaded), hash);
        assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
        step(world, 40);
        assert_int_equal(wbWorld_Hash(world), hash);
        assert_true(wbWorld_GetStats(world).leaked == 0);
        wbFreeBytes(&bytes);
        wbDestroyWorld(world);
        wbDestroyWorld(loaded);
    }
}

// A box comes to rest on a collider, and is carried when that moves.
static void testColliders(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbColliderDef def = wbDefaultColliderDef();
    wbColliderId floor;
    def.name = "floor", def.params.size = wbMakeVec3(4, 1, 4), def.params.friction = 1;
    assertOk(wbCreateCollider(world, &def, &floor));
    const wbRigidBodyId box = addBox(world, "box", wbMakeVec3(0, 1.2f, 0));
    step(world, 100);
    assert_float_equal(getMotion(world, box).position.y, 1, 0.01);
    assertOk(wbCollider_SetVelocity(world, floor, wbMakeVec3(0.5f, 0.2f, 0), wbMakeVec3(0, 0, 0)));
    step(world, 100);
    assert_float_equal(getMotion(world, box).position.x, 0.5, 0.03);
    assert_float_equal(getMotion(world, box).position.y, 1.2, 0.02);
    wbBodyContact contacts[8];
    int count;
    assertOk(wbWorld_GetContacts(world, contacts, 8, &count));
    assert_int_equal(count, 4);
    assert_true(wbRigidBodyId_IsNull(contacts[0].second));
    assert_int_equal(contacts[0].collider.index1, floor.index1);
    assertOk(wbCollider_SetOn(world, floor, false));
    step(world, 50);
    assert_true(getMotion(world, box).position.y < 0.5f);
    wbDestroyWorld(world);
}

static void testEvents(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.params.type = wb_rigidStatic, def.params.size = wbMakeVec3(10, 1, 10);
    const wbRigidBodyId ground = addBody(world, &def), ball = addBox(world, NULL, wbMakeVec3(0, 2, 0));
    const wbRigidEvent *events;
    int count, begins = 0, hits = 0;
    for (int i = 0; i < 100; i++) {
        step(world, 1);
        assertOk(wbWorld_GetRigidEvents(world, &events, &count));
        for (int k = 0; k < count; k++) {
            begins += events[k].kind == wb_rigidBegin, hits += events[k].kind == wb_rigidHit;
            assert_int_equal(events[k].first.index1 + events[k].second.index1, ground.index1 + ball.index1);
            if (events[k].kind == wb_rigidHit) assert_float_equal(events[k].speed, sqrt(2 * 9.81), 0.3);
        }
    }
    assert_true(begins >= 1);
    assert_int_equal(hits, 1);
    wbDestroyWorld(world);
}

// Events name the collider that a body touches, also after bodies and colliders came and went since the step.
static void testEventsOfColliders(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbColliderDef def = wbDefaultColliderDef();
    wbColliderId other, floor;
    def.name = "other", def.params.position = wbMakeVec3(9, 0, 0);
    assertOk(wbCreateCollider(world, &def, &other));
    def.name = "floor", def.params.size = wbMakeVec3(4, 1, 4), def.params.position = wbMakeVec3(0, 0, 0);
    assertOk(wbCreateCollider(world, &def, &floor));
    const wbRigidBodyId early = addBox(world, "early", wbMakeVec3(20, 2, 0)),
                        box = addBox(world, "box", wbMakeVec3(0, 2, 0));
    const wbRigidEvent *events = NULL;
    int count = 0;
    for (int i = 0; i < 100 && count == 0; i++) {
        step(world, 1);
        assertOk(wbWorld_GetRigidEvents(world, &events, &count));
    }
    for (int change = 0; change < 4; change++) {
        if (change == 1) addBox(world, "late", wbMakeVec3(30, 2, 0));
        if (change == 2) assertOk(wbDestroyRigidBody(world, early));
        if (change == 3) assertOk(wbDestroyCollider(world, other));
        assertOk(wbWorld_GetRigidEvents(world, &events, &count));
        assert_int_equal(count, 2);
        for (int k = 0; k < count; k++) {
            assert_int_equal(events[k].kind, k == 0 ? wb_rigidBegin : wb_rigidHit);
            assert_true(wbRigidBodyId_IsNull(events[k].second));
            assert_int_equal(events[k].first.index1, box.index1);
            assert_int_equal(events[k].collider.index1, floor.index1);
        }
    }
    assertOk(wbDestroyRigidBody(world, box));
    assertOk(wbWorld_GetRigidEvents(world, &events, &count));
    assert_int_equal(count, 0);
    wbDestroyWorld(world);
}

static void testQueries(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.params.shape = wb_rigidSphere, def.params.position = wbMakeVec3(3, 0, 0);
    const wbRigidBodyId box = addBox(world, NULL, wbMakeVec3(0, 0, 0)), ball = addBody(world, &def);
    const wbQueryFilter filter = wbDefaultQueryFilter();
    wbRayHit hits[4];
    wbNearest nearest;
    wbQueryObject found[4];
    int count;
    assertOk(
        wbWorld_CastRayAll(world, wbMakeVec3(-5, 0.1f, 0), wbMakeVec3(10, 0, 0), &filter, hits, 4, &count));
    assert_int_equal(count, 2);
    assert_int_equal(hits[0].object.kind, wb_queryRigidBodies);
    assert_int_equal(hits[0].object.rigidBody.index1, box.index1);
    assert_float_equal(hits[0].fraction, 0.45, 1e-6);
    assert_float_equal(hits[0].normal.x, -1, 1e-6);
    assert_int_equal(hits[1].object.rigidBody.index1, ball.index1);
    assertOk(wbWorld_FindNearest(world, wbMakeVec3(2, 0, 0), INFINITY, &filter, &nearest));
    assert_int_equal(nearest.object.rigidBody.index1, ball.index1);
    assert_float_equal(nearest.distance, 0.5, 1e-6);
    assertOk(wbWorld_OverlapBox(world, wbMakeVec3(0.4f, -1, -1), wbMakeVec3(0.6f, 1, 1), &filter, found, 4,
                                &count));
    assert_int_equal(count, 1);
    assertOk(wbWorld_OverlapSphere(world, wbMakeVec3(1.5f, 0, 0), 1.1f, &filter, found, 4, &count));
    assert_int_equal(count, 2);
    assertOk(wbRigidBody_SetOn(world, ball, false));
    assertOk(wbWorld_OverlapSphere(world, wbMakeVec3(1.5f, 0, 0), 1.1f, &filter, found, 4, &count));
    assert_int_equal(count, 1);
    wbDestroyWorld(world);
}

// A closed mesh that moves has the mass of what it encloses.
static void testMesh(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbMesh torus;
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    assertOk(wbMakeTorus(1, 0.25f, 24, &torus));
    def.params.shape = wb_rigidMesh, def.mesh = &torus;
    const wbRigidBodyId id = addBody(world, &def);
    const wbRigidMass mass = wbRigidBody_GetMass(world, id);
    assert_float_equal(mass.mass, 1000 * 2 * 3.14159 * 3.14159 * 0.0625, 100);
    assert_true(mass.inertia[1][1] > 1.5 * mass.inertia[0][0]);
    assert_true(wbGetRigidBodies(world)->rigid.totalPieces > 4);
    step(world, 3);
    wbFreeMesh(&torus);
    wbDestroyWorld(world);
}

static void applyUp(const wbForceCall *call, void *context) {
    for (int i = 0; i < call->bodyCount; i++)
        call->force[1][call->bodies ? call->bodies[i] : i] += *(const float *)context;
}

static void testOwnForce(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    float lift = 9810;
    const wbRigidBodyId id = addBox(world, NULL, wbMakeVec3(0, 5, 0));
    wbForceDef def = wbDefaultForceDef();
    wbForceId force;
    def.bodies = &id, def.bodyCount = 1, def.function = applyUp, def.context = &lift;
    assertOk(wbCreateForce(world, &def, &force));
    step(world, 50);
    assert_float_equal(getMotion(world, id).position.y, 5, 1e-3);
    wbForce_SetFunction(world, force, NULL, NULL);
    step(world, 10);
    assert_true(getMotion(world, id).velocity.y < -0.9f);
    wbDestroyWorld(world);
}

// As many as the surface has room for, a spacing apart; all of them half a spacing below it.
static void assertSampled(wbWorld *world, const wbRigidBodyDef *def, double area, float inside) {
    static wbVec3 points[4096], normals[4096];
    const float spacing = 0.1f;
    const wbRigidBodyId id = addBody(world, def);
    int count;
    assertOk(wbRigidBody_SampleSurface(world, id, spacing, points, normals, 4096, &count));
    assert_float_equal(count * spacing * spacing / area, 1, 0.2);
    for (int i = 0; i < count; i++) {
        assert_float_equal(wbDot(normals[i], normals[i]), 1, 1e-3);
        assert_true(wbDot(points[i], points[i]) >= inside * inside);
    }
}

static void testSamples(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    int count;
    assertSampled(world, &def, 6 * 0.9 * 0.9, 0.45f - 1e-3f);
    def.params.shape = wb_rigidSphere;
    assertSampled(world, &def, 4 * 3.14159 * 0.45 * 0.45, 0.44f);
    def.params.shape = wb_rigidCapsule;
    assertSampled(world, &def, 4 * 3.14159 * 0.45 * 0.45 + 2 * 3.14159 * 0.45, 0.44f);
    def.params.shape = wb_rigidCylinder;
    assertSampled(world, &def, 2 * 3.14159 * 0.45 * (0.9 + 0.45), 0.44f);
    def.params.shape = wb_rigidPlane, def.params.type = wb_rigidStatic;
    const wbRigidBodyId plane = addBody(world, &def);
    assertOk(wbRigidBody_SampleSurface(world, plane, 0.1f, NULL, NULL, 0, &count));
    assert_int_equal(count, 0);
    assert_int_equal(wbRigidBody_SampleSurface(world, plane, 0, NULL, NULL, 0, &count).code, wb_errorInput);
    wbDestroyWorld(world);
}

// The surface of a cube of three along an edge; a static plane has none, and none sticks out of a ball.
static void testParticles(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    wbVec3 points[64];
    int count;
    float radius;
    assertOk(wbRigidBody_GetParticles(world, addBody(world, &def), points, 64, &count, &radius));
    assert_int_equal(count, 26);
    assert_float_equal(radius, 1.0f / 6, 1e-6);
    for (int i = 0; i < count; i++)
        assert_float_equal(fmaxf(fabsf(points[i].x), fmaxf(fabsf(points[i].y), fabsf(points[i].z))), 1.0f / 3,
                           1e-5);
    def.params.shape = wb_rigidSphere;
    assertOk(wbRigidBody_GetParticles(world, addBody(world, &def), points, 64, &count, &radius));
    assert_true(count > 0);
    for (int i = 0; i < count; i++) assert_true(sqrtf(wbDot(points[i], points[i])) + radius < 0.501f);
    def.params.shape = wb_rigidPlane, def.params.type = wb_rigidStatic;
    assertOk(wbRigidBody_GetParticles(world, addBody(world, &def), NULL, 0, &count, &radius));
    assert_int_equal(count, 0);
    wbDestroyWorld(world);
}

static wbTie getTie(wbWorld *world, int index, int expected) {
    wbTie ties[4] = {{.size = 0}};
    int count;
    assertOk(wbWorld_GetTies(world, NULL, 0, &count));
    assert_int_equal(count, expected);
    assertOk(wbWorld_GetTies(world, ties, 4, &count));
    return ties[index];
}

static void assertAt(wbVec3 a, float x, float y, float z) {
    assert_float_equal(a.x, x, 1e-4);
    assert_float_equal(a.y, y, 1e-4);
    assert_float_equal(a.z, z, 1e-4);
}

// What is stretched follows its bodies, and is not there where it is off; axles and points are nothing to see.
static void testTies(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    const wbRigidBodyId boxes[2] = {addBox(world, "", wbMakeVec3(0, 5, 0)),
                                    addBox(world, "", wbMakeVec3(3, 5, 0))};
    wbJointDef string = wbDefaultJointDef(), hinge = wbDefaultJointDef();
    wbForceDef spring = wbDefaultForceDef();
    wbJointId stringId, hingeId;
    wbForceId springId;
    string.first = boxes[0], string.params.kind = wb_jointDistance;
    string.params.anchor = wbMakeVec3(0, 5, 0), string.params.end = wbMakeVec3(0, 8, 0);
    hinge.first = boxes[1], hinge.params.kind = wb_jointHinge;
    spring.bodies = boxes, spring.bodyCount = 2, spring.params.attach = wbMakeVec3(0.5f, 0, 0);
    assertOk(wbCreateJoint(world, &string, &stringId));
    assertOk(wbCreateJoint(world, &hinge, &hingeId));
    assertOk(wbCreateForce(world, &spring, &springId));
    assertAt(getTie(world, 0, 2).from, 0, 5, 0);
    assertAt(getTie(world, 0, 2).to, 0, 8, 0);
    assertAt(getTie(world, 1, 2).from, 0.5f, 5, 0);
    assertAt(getTie(world, 1, 2).to, 3, 5, 0);
    assert_float_equal(getTie(world, 0, 2).size, 0.866f, 1e-3);
    assertOk(wbRigidBody_SetPose(world, boxes[0], wbMakeVec3(0, 6, 1), (float[4]){0, 0, 1, 0}));
    assertAt(getTie(world, 0, 2).from, 0, 6, 1);
    assertAt(getTie(world, 1, 2).from, -0.5f, 6, 1);
    assertOk(wbJoint_SetOn(world, stringId, false));
    assertAt(getTie(world, 0, 1).to, 3, 5, 0);
    assertOk(wbForce_SetOn(world, springId, false));
    getTie(world, 0, 0);
    wbDestroyWorld(world);
}

static void testFlat(void **state) {
    (void)state;
    wbWorld *world = createWorld(2);
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    const wbVec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    def.params.velocity = wbMakeVec3(1, 0, 5), def.params.spin = wbMakeVec3(1, 1, 1);
    const wbRigidBodyId box = addBody(world, &def);
    def.params.shape = wb_rigidPolygon, def.points = corners, def.pointCount = 3;
    def.params.position.x = 5;
    const wbRigidBodyId triangle = addBody(world, &def);
    assert_float_equal(wbRigidBody_GetMass(world, box).mass, 1000, 1e-3);
    assert_float_equal(wbRigidBody_GetMass(world, box).inertia[2][2], 1000.0 / 6, 1e-2);
    assert_float_equal(wbRigidBody_GetMass(world, triangle).mass, 500, 1e-2);
    assert_float_equal(wbRigidBody_GetMass(world, triangle).centre[0], 1.0 / 3, 1e-5);
    step(world, 10);
    const wbRigidMotion motion = getMotion(world, box);
    assert_float_equal(motion.position.z, 0, 0);
    assert_float_equal(motion.spin.x, 0, 0);
    assert_float_equal(motion.spin.z, 1, 1e-5);
    wbDestroyWorld(world);
}

static void testRefused(void **state) {
    (void)state;
    wbWorld *world = createWorld(3);
    wbRigidBodyId id;
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.params.density = 0;
    assert_int_equal(wbCreateRigidBody(world, &def, &id).code, wb_errorInput);
    def = wbDefaultRigidBodyDef();
    def.params.inertia = wbMakeVec3(1, 1, 3);
    assert_int_equal(wbCreateRigidBody(world, &def, &id).code, wb_errorInput);
    def = wbDefaultRigidBodyDef();
    def.params.shape = wb_rigidHull;
    assert_int_equal(wbCreateRigidBody(world, &def, &id).code, wb_errorInput);
    def.params.shape = wb_rigidCompound;
    assert_int_equal(wbCreateRigidBody(world, &def, &id).code, wb_errorInput);
    def.params.shape = wb_rigidMesh;
    assert_int_equal(wbCreateRigidBody(world, &def, &id).code, wb_errorInput);
    assert_false(wbWorld_HasSolver(world, "rigid"));
    def.cookie = 0;
    expect_assert_failure(wbCreateRigidBody(world, &def, &id));
    expect_assert_failure(wbCreateRigidBody(NULL, &def, &id));
    wbDestroyWorld(world);
}

// A script means all copies by their common name.
static void testScriptSetsCopies(void **state) {
    (void)state;
    static const char text[] =
        "{\"bodies\": [{\"name\": \"floor\", \"shape\": \"plane\", \"type\": \"static\"},"
        " {\"name\": \"crate\", \"position\": [0, 0.5, 0],"
        "  \"copies\": {\"counts\": [1, 3, 1], \"spacing\": [1, 1, 1]}}],"
        " \"script\": [{\"at\": 0, \"set\": \"crate.friction\", \"value\": 0.125}]}";
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("text", text, strlen(text), &scene));
    assertOk(wbScene_CreateWorld(scene, &world));
    assertOk(wbScene_RunScript(scene, world));
    for (int i = 0; i < 4; i++)
        assert_float_equal(wbRigidBody_GetParams(world, wbWorld_GetRigidBody(world, i))->friction,
                           i == 0 ? 0.5 : 0.125, 0);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

static void assertTold(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not hold \"%s\"", status.text, text);
}

static const char chainText[] =
    "{\"bodies\": [{\"name\": \"link\", \"copies\": {\"counts\": [4, 1, 1], \"spacing\": [2, 1, 1]}}],"
    " \"joints\": [{\"name\": \"pin\", \"kind\": \"ball\", \"bodies\": \"link\"}],"
    " \"forces\": [{\"name\": \"wind\", \"kind\": \"wind\", \"bodies\": \"all\"}],"
    " \"script\": [{\"at\": 0, \"set\": \"pin.on\", \"value\": false},"
    "  {\"at\": 0, \"set\": \"pin-1.on\", \"value\": true},"
    "  {\"at\": 0, \"set\": \"link-2.friction\", \"value\": 0.125}]}";

static void testScriptSetsOneOfAll(void **state) {
    (void)state;
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("text", chainText, strlen(chainText), &scene));
    assertOk(wbScene_SetAt(scene, 0, "link-3.friction", "0.25"));
    assertTold(wbScene_SetAt(scene, 0, "link-4.friction", "0.25"), "link-4");
    assertTold(wbScene_SetAt(scene, 0, "link-03.friction", "0.25"), "link-03");
    assertTold(wbScene_SetAt(scene, 0, "pin-3.on", "false"), "pin-3");
    assertTold(wbScene_Set(scene, "link-1.friction", "0"), "set link.friction, which is of all");
    assertOk(wbScene_CreateWorld(scene, &world));
    assertOk(wbScene_RunScript(scene, world));
    assert_int_equal(wbWorld_GetJointCount(world), 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(wbJoint_GetParams(world, wbWorld_GetJoint(world, i))->on, i == 1);
    const double wanted[] = {0.5, 0.5, 0.125, 0.25};
    for (int i = 0; i < 4; i++)
        assert_float_equal(wbRigidBody_GetParams(world, wbWorld_GetRigidBody(world, i))->friction, wanted[i],
                           0);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

// Joints and forces of a resumed world are the scene's, as bodies are.
static void testSceneOfOthers(void **state) {
    (void)state;
    static const char link[] =
        "{\"name\": \"link\", \"copies\": {\"counts\": [4, 1, 1], \"spacing\": [2, 1, 1]}}",
                      other[] =
                          "{\"name\": \"part\", \"copies\": {\"counts\": [4, 1, 1], \"spacing\": [2, 1, 1]}}",
                      pin[] = "{\"name\": \"pin\", \"kind\": \"ball\", \"bodies\": \"link\"}",
                      bolt[] = "{\"name\": \"bolt\", \"kind\": \"ball\", \"bodies\": \"link\"}",
                      single[] = "{\"name\": \"pin\", \"kind\": \"ball\", \"bodies\": [\"link-0\", null]}",
                      wind[] = "{\"name\": \"wind\", \"kind\": \"wind\", \"bodies\": \"all\"}",
                      storm[] = "{\"name\": \"storm\", \"kind\": \"wind\", \"bodies\": \"all\"}";
    const struct {
        const char *body, *joint, *force, *told; // NULL: it is the world's
    } cases[] = {{link, pin, wind, NULL},
                 {link, "", wind, "it has 3 joints, the scene has 0"},
                 {link, single, wind, "it has 3 joints, the scene has 1"},
                 {link, bolt, wind, "it has \"pin-0\" where the scene has \"bolt-0\""},
                 {link, pin, "", "it has 1 forces, the scene has 0"},
                 {link, pin, storm, "it has \"wind\" where the scene has \"storm\""},
                 {other, "", wind, "it has \"link-0\" where the scene has \"part-0\""}};
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("text", chainText, strlen(chainText), &scene));
    assertOk(wbScene_CreateWorld(scene, &world));
    assertOk(wbScene_CheckWorld(scene, world));
    wbDestroyScene(scene);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "{\"bodies\": [%s], \"joints\": [%s], \"forces\": [%s]}", cases[i].body,
                 cases[i].joint, cases[i].force);
        assertOk(wbReadSceneText("text", text, strlen(text), &scene));
        if (cases[i].told)
            assertTold(wbScene_CheckWorld(scene, world), cases[i].told);
        else
            assertOk(wbScene_CheckWorld(scene, world));
        wbDestroyScene(scene);
    }
    wbDestroyWorld(world);
}

static void testSides(void **state) {
    (void)state;
    checkSides(wb_backendCpu, wb_contactExact);
    checkSides(wb_backendCpu, wb_contactParticles);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFalls),
        cmocka_unit_test(testNames),
        cmocka_unit_test(testMass),
        cmocka_unit_test(testForces),
        cmocka_unit_test(testSleep),
        cmocka_unit_test(testSupportGoes),
        cmocka_unit_test(testShapes),
        cmocka_unit_test(testForms),
        cmocka_unit_test(testSaved),
        cmocka_unit_test(testFlat),
        cmocka_unit_test(testRefused),
        cmocka_unit_test(testPileResumes),
        cmocka_unit_test(testColliders),
        cmocka_unit_test(testEvents),
        cmocka_unit_test(testEventsOfColliders),
        cmocka_unit_test(testQueries),
        cmocka_unit_test(testMesh),
        cmocka_unit_test(testOwnForce),
        cmocka_unit_test(testScriptSetsCopies),
        cmocka_unit_test(testTies),
        cmocka_unit_test(testSamples),
        cmocka_unit_test(testScriptSetsOneOfAll),
        cmocka_unit_test(testSceneOfOthers),
        cmocka_unit_test(testParticles),
        cmocka_unit_test(testSides),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
