// SPDX-License-Identifier: MIT
// What a world tells of itself for panels and overlays: values that follow from parameters, speeds and densities, lengths at rest,
// and where joints hold their bodies.
#include "test_support.h"

#include <math.h>
#include <string.h>

#include "wirbel/scene.h"

static wbWorld *load(const char *text) {
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("test", text, strlen(text), &scene));
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

static const wbDerived *find(const wbDerived *rows, int count, const char *section, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].section, section) == 0 && strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

enum { MOST = 64 };

// They are what the interface says elsewhere, each of a section that there is; a short array gets the first of them.
static void testDerived(void **state) {
    (void)state;
    wbDerived rows[MOST], first;
    int count, all;
    wbWorld *world = load("{\"sph\": {\"spacing\": 0.1, \"soundSpeed\": 25},"
                          " \"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1]},"
                          " \"fluids\": [{\"name\": \"water\", \"solver\": \"sph\","
                          " \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.5, 0.5, 0.5]}]}]}");
    for (int i = 0; i < 3; i++) assertOk(wbWorld_Step(world, 0));
    assertOk(wbWorld_GetDerived(world, rows, MOST, &count));
    assert_true(count > 5 && count <= MOST);
    const wbFluidId water = wbWorld_GetFluid(world, 0);
    assert_true(find(rows, count, "sph", "support radius")->value == wbFluid_GetSupportRadius(world, water));
    assert_true(find(rows, count, "sph", "mass of a particle")->value ==
                wbFluid_GetParticleMass(world, water));
    assert_true(find(rows, count, "sph", "speed of sound")->value == 25);
    assert_true(find(rows, count, "world", "stable step")->value == (double)wbWorld_GetStableStep(world));
    assert_true(find(rows, count, "sph", "neighbours")->value > 10);
    assert_null(find(rows, count, "smoke", "cells"));
    for (int i = 0; i < count; i++) assert_true(rows[i].unit && rows[i].sentence[0]);
    assertOk(wbWorld_GetDerived(world, &first, 1, &all));
    assert_true(all == count && strcmp(first.name, rows[0].name) == 0);
    assertOk(wbWorld_GetDerived(world, NULL, 0, &all));
    assert_int_equal(all, count);
    // speeds and densities are those of the view
    wbView view;
    assertOk(wbFluid_GetView(world, water, &view));
    double speed = 0, sum = 0, most = 0;
    for (int i = 0; i < view.count; i++) {
        const double vx = view.vx[i], vy = view.vy[i], vz = view.vz[i];
        speed = fmax(speed, sqrt(vx * vx + vy * vy + vz * vz));
        sum += view.density[i], most = fmax(most, view.density[i]);
    }
    const wbStats stats = wbWorld_GetStats(world);
    assert_true(fabs(stats.maxSpeed - speed) < 1e-6 && speed > 0);
    assert_true(fabs(stats.densityMean - sum / view.count) < 0.1 && fabs(stats.densityMax - most) < 1e-3);
    assertOk(wbWorld_GetTransfers(world, NULL, 0, &count));
    assert_int_equal(count, 0); // it is not adaptive
    wbDestroyWorld(world);
}

// A cloth that was just made has its rest lengths.
static void testRestLengths(void **state) {
    (void)state;
    wbWorld *world = load("{\"softBodies\": [{\"name\": \"cloth\", \"shape\": \"cloth\"}]}");
    const wbSoftBodyId cloth = wbWorld_GetSoftBody(world, 0);
    const wbSoftBodyMesh mesh = wbSoftBody_GetMesh(world, cloth);
    wbView view;
    wbDerived rows[MOST];
    int count;
    assertOk(wbSoftBody_GetView(world, cloth, &view));
    assert_true(mesh.constraintCount > 100);
    for (int k = 0; k < mesh.constraintCount; k++) {
        const size_t a = (size_t)(mesh.first[k] - mesh.firstParticle) * (size_t)view.stride,
                     b = (size_t)(mesh.second[k] - mesh.firstParticle) * (size_t)view.stride;
        const float x = view.x[a] - view.x[b], y = view.y[a] - view.y[b], z = view.z[a] - view.z[b];
        assert_true(fabsf(sqrtf(x * x + y * y + z * z) - mesh.restLength[k]) < 1e-5f);
    }
    assertOk(wbWorld_GetDerived(world, rows, MOST, &count));
    assert_true(find(rows, count, "pbd", "constraints")->value == wbWorld_GetConstraintCount(world));
    wbDestroyWorld(world);
}

// A hinge between the world and a body that swings holds both where it is; the place stays.
static void testJoint(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    assertOk(wbCreateWorld(&def, &world));
    wbRigidBodyDef body = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    body.params.position = wbMakeVec3(1, 0, 0);
    assertOk(wbCreateRigidBody(world, &body, &id));
    wbJointDef joint = wbDefaultJointDef();
    wbJointId hinge;
    wbJointReading reading;
    joint.name = "hinge", joint.second = id, joint.params.kind = wb_jointHinge;
    joint.params.anchor = wbMakeVec3(0, 0.5f, 0);
    assertOk(wbCreateJoint(world, &joint, &hinge));
    for (int i = 0; i < 20; i++) assertOk(wbWorld_Step(world, 0));
    assertOk(wbJoint_GetReading(world, hinge, &reading));
    const wbVec3 ends[2] = {reading.from, reading.to};
    for (int e = 0; e < 2; e++) {
        const wbVec3 away = wbSub(ends[e], joint.params.anchor);
        assert_true(sqrtf(wbDot(away, away)) < 0.01f);
    }
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testDerived),
        cmocka_unit_test(testRestLengths),
        cmocka_unit_test(testJoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
