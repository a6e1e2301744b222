// SPDX-License-Identifier: MIT
// Probes: what they measure, in still water, jets and air; scenes, files, bad input.
#include "probe_support.h"

#include <stdio.h>
#include <unistd.h>

#include "wirbel/scene.h"

static void assertRefused(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

static void testTank(void **state) {
    (void)state;
    checkTank(2, wb_solverSph, wb_backendCpu);
    checkTank(2, wb_solverPbf, wb_backendCpu);
    checkTank(3, wb_solverSph, wb_backendCpu);
}

static void testJet(void **state) {
    (void)state;
    checkJet(2, wb_backendCpu);
    checkJet(3, wb_backendCpu);
}

static void testAir(void **state) {
    (void)state;
    checkAir(2, wb_backendCpu);
    checkAir(3, wb_backendCpu);
}

// With smoke.follow there is air around the window as well.
static void testAirAroundWindow(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbProbeDef probeDef = wbDefaultProbeDef();
    wbProbeId probe;
    wbWorld *world;
    def.hasSmoke = true;
    def.smoke.cellSize = 1 / 64.0f;
    def.smoke.follow = true;
    def.smoke.ambient = 280;
    def.params.dt = 0.01f;
    def.threadCount = 1;
    def.domain.max = wbMakeVec3(1, 1, 1);
    assertOk(wbCreateWorld(&def, &world));
    probeDef.params.kind = wb_probeTemperature;
    probeDef.params.position = wbMakeVec3(0.9f, 0.9f, 0.9f);
    assertOk(wbCreateProbe(world, &probeDef, &probe));
    assert_float_equal(readProbe(world, probe, 0), 280, 1e-4);
    wbDestroyWorld(world);
}

// Particles on a lattice whose velocity grows evenly: exact, also where they are only on one side of the point.
static void testLinearField(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        wbWorldDef def = makeFlowDef(dimensions, wb_backendCpu);
        wbWorld *world = createFlowWorld(&def);
        const wbFluidId fluid = wbWorld_GetFluid(world, 0);
        for (int i = 0; i < 10 * 10 * (dimensions == 3 ? 10 : 1); i++) {
            const wbVec3 p = {0.1f * (float)(i % 10), 0.1f * (float)(i / 10 % 10), 0.1f * (float)(i / 100)};
            const wbVec3 v = {1 + 2 * p.x - p.y, p.y + 3 * p.z, p.x};
            assertOk(wbFluid_AddParticles(world, fluid, 1, &p.x, &v.x));
        }
        const float z = dimensions == 3 ? 0.4f : 0;
        const wbVec3 places[3] = {{0.43f, 0.51f, z}, {-0.05f, 0.5f, z}, {0.93f, 0.95f, z}};
        for (int k = 0; k < 3; k++) {
            const wbVec3 p = places[k];
            const wbProbeId probe = addProbe(world, "probe", wb_probeVelocity, p);
            assert_float_equal(readProbe(world, probe, 0), 1 + 2 * p.x - p.y, 1e-5);
            assert_float_equal(readProbe(world, probe, 1), p.y + 3 * p.z, 1e-5);
            assert_float_equal(readProbe(world, probe, 2), dimensions == 3 ? p.x : 0, 1e-5);
            wbDestroyProbe(world, probe);
            assert_false(wbProbe_IsValid(world, probe));
        }
        wbDestroyWorld(world);
    }
}

// A single particle has no slopes; a spacing away from it there is nothing.
static void testLittleFluid(void **state) {
    (void)state;
    const wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    const wbVec3 p = {1, 1, 1}, v = {3, 4, 5};
    const wbProbeId near = addProbe(world, "near", wb_probeVelocity, wbMakeVec3(1.05f, 1, 1)),
                    far = addProbe(world, "far", wb_probeVelocity, wbMakeVec3(1.11f, 1, 1)),
                    pressure = addProbe(world, "pressure", wb_probePressure, wbMakeVec3(1.11f, 1, 1)),
                    density = addProbe(world, "density", wb_probeDensity, wbMakeVec3(1.11f, 1, 1)),
                    level = addProbe(world, "level", wb_probeLevel, wbMakeVec3(1, 0, 1));
    assert_true(isnan(readProbe(world, near, 0)));
    assertOk(wbFluid_AddParticles(world, wbWorld_GetFluid(world, 0), 1, &p.x, &v.x));
    for (int a = 0; a < 3; a++) {
        assert_float_equal(readProbe(world, near, a), (&v.x)[a], 1e-6);
        assert_true(isnan(readProbe(world, far, a)));
    }
    assert_true(readProbe(world, pressure, 0) == 0 && readProbe(world, density, 0) == 0);
    assertOk(wbWorld_SetParam(world, "density.position", "1,1,1"));
    assert_float_equal(readProbe(world, density, 0), 1000, 1e-3);
    assertOk(wbWorld_SetParam(world, "level.size", "0.3,1,0.3"));
    assert_true(isnan(readProbe(world, level, 0))); // a drop is no surface
    wbDestroyWorld(world);
}

// Drops above the surface do not count, and a column beside a side knows that half of it is beyond.
static void testLevel(void **state) {
    (void)state;
    wbWorld *world = createTank(3, wb_solverSph, wb_backendCpu);
    const wbProbeId middle = addProbe(world, "middle", wb_probeLevel, wbMakeVec3(0.5f, 9, 0.2f)),
                    corner = addProbe(world, "corner", wb_probeLevel, wbMakeVec3(0, 0, 0));
    assertOk(wbWorld_SetParam(world, "middle.size", "0.2,1,0.2"));
    assertOk(wbWorld_SetParam(world, "corner.size", "0.3,1,0.3"));
    for (int i = 0; i < 7; i++) {
        const wbVec3 drop = {0.5f, 0.55f + 0.06f * (float)i, 0.2f};
        assertOk(wbFluid_AddParticles(world, wbWorld_GetFluid(world, 0), 1, &drop.x, NULL));
    }
    assert_float_equal(readProbe(world, middle, 0), 0.5, 1e-6);
    assert_float_equal(readProbe(world, corner, 0), 0.5, 1e-6);
    wbDestroyWorld(world);
}

// Of two fluids, one alone.
static void testFluidOfProbe(void **state) {
    (void)state;
    const wbWorldDef def = makeFlowDef(3, wb_backendCpu);
    wbWorld *world = createFlowWorld(&def);
    wbFluidDef oilDef = wbDefaultFluidDef();
    wbProbeDef probeDef = wbDefaultProbeDef();
    wbProbeId all, oil;
    wbFluidId water = wbWorld_GetFluid(world, 0);
    oilDef.name = "oil", oilDef.restDensity = 800;
    assertOk(wbCreateFluid(world, &oilDef, &probeDef.fluid));
    assertOk(wbFluid_AddBlock(world, water, &(wbBlockDef){.max = {1, 1, 1}, .velocity = {1, 0, 0}}));
    assertOk(wbFluid_AddBlock(world, probeDef.fluid,
                              &(wbBlockDef){.min = {0, 1, 0}, .max = {1, 2, 1}, .velocity = {1, 0, 0}}));
    probeDef.params.kind = wb_probeFlow;
    probeDef.params.position = wbMakeVec3(0.5f, 1, 0.5f);
    probeDef.params.size = wbMakeVec3(1, 4, 4);
    probeDef.name = "oily";
    assertOk(wbCreateProbe(world, &probeDef, &oil));
    wbFluidId measured = probeDef.fluid;
    probeDef.name = "all", probeDef.fluid = (wbFluidId){0};
    assertOk(wbCreateProbe(world, &probeDef, &all));
    assert_float_equal(readProbe(world, oil, 0), 1, 1e-4);
    assert_float_equal(readProbe(world, oil, 1), 800, 0.1);
    assert_float_equal(readProbe(world, all, 0), 2, 1e-4);
    assert_float_equal(readProbe(world, all, 1), 1800, 0.1);
    // one that comes in its place is not the one that was measured
    assertOk(wbDestroyFluid(world, measured));
    for (int k = 0; k < 2; k++) {
        for (int v = 0; v < 2; v++) assert_true(isnan(readProbe(world, oil, v)));
        assert_float_equal(readProbe(world, all, 0), 1, 1e-4);
        if (k == 0) assertOk(wbCreateFluid(world, &oilDef, &measured));
    }
    wbDestroyWorld(world);
}

static void testForce(void **state) {
    (void)state;
    wbWorld *world = createTank(2, wb_solverSph, wb_backendCpu);
    wbColliderDef boxDef = wbDefaultColliderDef();
    wbProbeDef probeDef = wbDefaultProbeDef();
    wbProbeId probe;
    boxDef.name = "lid";
    boxDef.params.position = wbMakeVec3(0.5f, 0.8f, 0);
    boxDef.params.size = wbMakeVec3(0.8f, 0.4f, 1);
    assertOk(wbCreateCollider(world, &boxDef, &probeDef.collider));
    probeDef.params.kind = wb_probeForce;
    assertOk(wbCreateProbe(world, &probeDef, &probe));
    assertOk(wbWorld_SetParam(world, "world.gravity", "0,9.81"));
    for (int i = 0; i < 300; i++) assertOk(wbWorld_Step(world, 0));
    const wbColliderStats stats = wbCollider_GetStats(world, probeDef.collider);
    assert_true(fabs(stats.force[1]) > 1);
    for (int a = 0; a < 3; a++) {
        assert_true(readProbe(world, probe, a) == stats.force[a]);
        assert_true(readProbe(world, probe, 3 + a) == stats.torque[a]);
    }
    assertOk(wbDestroyCollider(world, probeDef.collider));
    assertOk(wbDestroyFluid(world, wbWorld_GetFluid(world, 0)));
    assertOk(wbCreateCollider(world, &boxDef, &probeDef.collider)); // another one
    for (int v = 0; v < 6; v++) assert_true(isnan(readProbe(world, probe, v)));
    wbDestroyWorld(world);
}

// The same bits for any number of threads, and after a file; no step feels that it is measured.
static void testThreadsAndFiles(void **state) {
    (void)state;
    wbProbeValues values[3];
    uint64_t hashes[3];
    char path[64];
    snprintf(path, sizeof path, "/tmp/wirbel-probe-%d", (int)getpid());
    for (int t = 0; t < 3; t++) {
        wbWorld *world = createTank(3, wb_solverSph, wb_backendCpu);
        assertOk(wbWorld_SetThreadCount(world, t + 1));
        const wbProbeId id = addProbe(world, "eye", wb_probeVelocity, wbMakeVec3(0.31f, 0.2f, 0.11f));
        for (int i = 0; i < 50; i++) {
            assertOk(wbWorld_Step(world, 0));
            if (t == 1) (void)readProbe(world, id, 0);
        }
        assertOk(wbProbe_GetValues(world, id, &values[t]));
        hashes[t] = wbWorld_Hash(world);
        if (t == 0) assertOk(wbWorld_Save(world, path));
        wbDestroyWorld(world);
    }
    for (int t = 1; t < 3; t++) {
        assert_true(hashes[t] == hashes[0]);
        assert_memory_equal(&values[t], &values[0], sizeof values[0]);
    }
    wbWorld *world;
    assertOk(wbLoadWorld(path, &world));
    assert_int_equal(wbWorld_GetProbeCount(world), 1);
    const wbProbeId id = wbWorld_GetProbe(world, 0);
    assert_string_equal(wbProbe_GetName(world, id), "eye");
    assert_int_equal(wbProbe_GetParams(world, id)->kind, wb_probeVelocity);
    assertOk(wbProbe_GetValues(world, id, &values[1]));
    assert_memory_equal(&values[1], &values[0], sizeof values[0]);
    wbDestroyWorld(world);
    unlink(path);
}

static void testBadInput(void **state) {
    (void)state;
    wbWorld *world = createTank(2, wb_solverSph, wb_backendCpu);
    wbProbeDef def = wbDefaultProbeDef();
    wbColliderDef boxDef = wbDefaultColliderDef();
    wbProbeId id;
    wbColliderId box;
    boxDef.params.position.y = 2;
    assertOk(wbCreateCollider(world, &boxDef, &box));
    def.params.kind = wb_probeForce;
    assertRefused(wbCreateProbe(world, &def, &id), "probe \"probe\": a probe of force needs a collider");
    def.params.kind = wb_probeTemperature;
    assertRefused(wbCreateProbe(world, &def, &id), "it measures in air, and the world has none");
    def.params.kind = wb_probeLevel, def.params.medium = wb_probeAir;
    assertRefused(wbCreateProbe(world, &def, &id), "its kind measures in liquids");
    def.params.medium = wb_probeLiquid, def.collider = box;
    assertRefused(wbCreateProbe(world, &def, &id), "a collider is for probes of kind force");
    def.params.kind = wb_probeForce, def.fluid = wbWorld_GetFluid(world, 0);
    assertRefused(wbCreateProbe(world, &def, &id), "a fluid is for probes in liquids");
    def = wbDefaultProbeDef();
    def.params.rotation.x = 10;
    assertRefused(wbCreateProbe(world, &def, &id), "in 2D it turns about z only");
    def.params.rotation.x = 0, def.params.size.x = 0;
    assertRefused(wbCreateProbe(world, &def, &id), "size");
    def = wbDefaultProbeDef();
    def.name = "collider";
    assertRefused(wbCreateProbe(world, &def, &id), "there is already a collider named \"collider\"");
    assert_int_equal(wbWorld_GetProbeCount(world), 0);
    id = addProbe(world, "gauge", wb_probePressure, wbMakeVec3(0.5f, 0, 0));
    assertRefused(wbWorld_SetParam(world, "gauge.kind", "level"),
                  "gauge.kind is fixed when the probe is made");
    assertRefused(wbWorld_SetParam(world, "gauge.positon", "1,1"), "did you mean \"gauge.position\"?");
    wbDestroyProbe(world, id);
    expect_assert_failure(readProbe(world, id, 0));
    wbDestroyWorld(world);
}

static void assertSceneFails(const char *probes, const char *message) {
    char text[1024];
    wbScene *scene;
    wbWorld *world = NULL;
    const int length = snprintf(
        text, sizeof text,
        "{\"world\": {\"dimensions\": 2}, \"fluids\": [{\"name\": \"water\", \"solver\": \"sph\"}],\n"
        "\"colliders\": [{\"name\": \"gate\", \"position\": [5, 5]}],\n\"probes\": %s}",
        probes);
    wbStatus status = wbReadSceneText("scene", text, (size_t)length, &scene);
    if (wbIsOk(status)) {
        status = wbScene_CreateWorld(scene, &world);
        wbDestroyScene(scene);
    }
    assertRefused(status, message);
}

static void testScenes(void **state) {
    (void)state;
    assertSceneFails("[{\"name\": \"a\"}]", "kind");
    assertSceneFails("[{\"name\": \"a\", \"kind\": \"presure\"}]", "pressure");
    assertSceneFails("[{\"name\": \"a\", \"kind\": \"level\", \"positon\": [1, 2]}]",
                     "did you mean \"position\"?");
    assertSceneFails("[{\"name\": \"a\", \"kind\": \"force\", \"collider\": \"gaet\"}]",
                     "there is no collider named \"gaet\"; did you mean \"gate\"?");
    assertSceneFails("[{\"name\": \"a\", \"kind\": \"flow\", \"fluid\": \"oil\"}]",
                     "there is no fluid named \"oil\"");
    assertSceneFails("[{\"name\": \"gate\", \"kind\": \"flow\"}]", "name \"gate\" is taken");
    assertSceneFails("[{\"name\": \"a\", \"kind\": \"temperature\"}]", "scene:3:");
    assertSceneFails("[{\"name\": \"a\", \"kind\": \"flow\", \"size\": [0.1, -1]}]", "size");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTank),        cmocka_unit_test(testJet),
        cmocka_unit_test(testAir),         cmocka_unit_test(testAirAroundWindow),
        cmocka_unit_test(testLinearField), cmocka_unit_test(testLittleFluid),
        cmocka_unit_test(testLevel),       cmocka_unit_test(testFluidOfProbe),
        cmocka_unit_test(testForce),       cmocka_unit_test(testThreadsAndFiles),
        cmocka_unit_test(testBadInput),    cmocka_unit_test(testScenes),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
