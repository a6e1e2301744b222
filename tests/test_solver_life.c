// SPDX-License-Identifier: MIT
// A solver is there from its first object on, or from the world's begin if that asks for it; a world without water has none.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test_support.h"
#include "world/world.h"

static wbWorld *createWorld(const wbWorldDef *def) {
    wbWorld *world;
    assertOk(wbCreateWorld(def, &world));
    return world;
}

// Names of the solvers that are there.
static void assertSolvers(const wbWorld *world, const char *expected) {
    int count;
    char names[64] = "";
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) {
        assert_true(wbWorld_HasSolver(world, solvers[s]->name) == (world->solvers[s].self != NULL));
        if (wbWorld_HasSolver(world, solvers[s]->name)) strcat(strcat(names, solvers[s]->name), " ");
    }
    assert_string_equal(names, expected);
}

static wbFluidId createFluid(wbWorld *world, const char *name, wbFluidSolver solver) {
    wbFluidDef def = wbDefaultFluidDef();
    wbFluidId id;
    def.name = name, def.solver = solver;
    assertOk(wbCreateFluid(world, &def, &id));
    return id;
}

static wbSoftBodyId createBody(wbWorld *world) {
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    wbSoftBodyId id;
    assertOk(wbCreateSoftBody(world, &def, &id));
    return id;
}

static void testFirstObjectBringsIt(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    def.coupling.fluids = wb_otherFluidsIgnore;
    wbWorld *world = createWorld(&def);
    assertSolvers(world, "");
    assert_true(isinf(wbWorld_GetStableStep(world)));
    assertOk(wbWorld_Step(world, 0));
    assert_int_equal(wbWorld_GetProfile(world).phaseCount, 0);
    assert_int_equal(wbWorld_GetSoftBodyCount(world) + wbWorld_GetConstraintCount(world), 0);
    size_t bytes = wbWorld_GetProfile(world).bytes;
    createFluid(world, "gel", wb_solverPbf);
    assertSolvers(world, "pbf ");
    assert_true(wbWorld_GetProfile(world).bytes > bytes);
    createBody(world);
    assertSolvers(world, "pbf pbd ");
    createFluid(world, "water", wb_solverSph);
    assertSolvers(world, "sph pbf pbd ");
    assertOk(wbWorld_Step(world, 0));
    wbDestroyWorld(world);
    def.hasSmoke = true, def.smoke.cellSize = 0.25f;
    def.domain.max = wbMakeVec3(1, 1, 1);
    world = createWorld(&def);
    assertSolvers(world, "smoke ");
    wbDestroyWorld(world);
}

// Parameters can be set and read before, and hold for what comes.
static void testParametersComeFirst(void **state) {
    (void)state;
    static const char *const set[][2] = {
        {"sph.restDensity", "500"}, {"pbf.restDensity", "700"}, {"pbd.radius", "0.25"}};
    wbWorldDef def = wbDefaultWorldDef();
    def.coupling.fluids = wb_otherFluidsIgnore;
    wbWorld *world = createWorld(&def);
    char value[32];
    for (int i = 0; i < 3; i++) {
        assertOk(wbWorld_SetParam(world, set[i][0], set[i][1]));
        assertOk(wbWorld_GetParam(world, set[i][0], value, sizeof value));
        assert_string_equal(value, set[i][1]);
    }
    assert_int_equal(wbWorld_SetParam(world, "sph.restDensity", "-1").code, wb_errorInput);
    assert_non_null(
        strstr(wbWorld_SetParam(world, "sph.soundSpeed", "auto").text, "neither water nor an emitter"));
    assertOk(wbWorld_SetParam(world, "world.gravity", "0,-2,0"));
    assertSolvers(world, "");
    assert_true(wbFluid_GetRestDensity(world, createFluid(world, "water", wb_solverSph)) == 500);
    assert_true(wbFluid_GetRestDensity(world, createFluid(world, "gel", wb_solverPbf)) == 700);
    assert_true(wbSoftBody_GetContactRadius(world, createBody(world)) == 0.25f);
    wbDestroyWorld(world);
}

// What does not fit says so with the first object, and leaves nothing.
static void testFailureLeavesNothing(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    def.coupling.fluids = wb_otherFluidsIgnore;
    for (int s = 0; s < wb_sideCount; s++) def.domain.sides[s].type = wb_sideNoSlip;
    def.domain.max = wbMakeVec3(0.03f, 1, 1);
    def.pbf.spacing = 0.001f;
    wbWorld *world = createWorld(&def);
    createFluid(world, "gel", wb_solverPbf);
    wbFluidDef fluid = wbDefaultFluidDef();
    wbFluidId fluidId;
    wbSoftBodyDef body = wbDefaultSoftBodyDef();
    wbSoftBodyId bodyId;
    body.params.mass = -1;
    size_t bytes = wbWorld_GetProfile(world).bytes;
    uint64_t hash = wbWorld_Hash(world);
    assert_non_null(strstr(wbCreateFluid(world, &fluid, &fluidId).text, "less than the support radius"));
    assert_int_equal(wbCreateSoftBody(world, &body, &bodyId).code, wb_errorInput);
    assertSolvers(world, "pbf ");
    assert_int_equal(wbWorld_GetProfile(world).bytes, bytes);
    assert_true(wbWorld_Hash(world) == hash);
    assertOk(wbWorld_Step(world, 0));
    wbDestroyWorld(world);
}

// A file brings the solvers that were there, and the parameters of those that were not.
static void testCheckpoint(void **state) {
    (void)state;
    static const char *const expected[] = {"", "sph ", "sph pbd coupling "};
    wbWorldDef def = wbDefaultWorldDef();
    def.coupling.fluids = wb_otherFluidsIgnore;
    wbWorld *world = createWorld(&def), *loaded;
    char path[] = "/tmp/wirbel_life_XXXXXX", value[32];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assertOk(wbWorld_SetParam(world, "pbf.viscosity", "0.5"));
    for (int i = 0; i < 3; i++) {
        if (i == 1) createFluid(world, "water", wb_solverSph);
        if (i == 2) createBody(world);
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbWorld_Save(world, path));
        assertOk(wbLoadWorld(path, &loaded));
        assertSolvers(loaded, expected[i]);
        assertOk(wbWorld_GetParam(loaded, "pbf.viscosity", value, sizeof value));
        assert_string_equal(value, "0.5");
        assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
        wbDestroyWorld(loaded);
    }
    wbDestroyWorld(world);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFirstObjectBringsIt),
        cmocka_unit_test(testParametersComeFirst),
        cmocka_unit_test(testFailureLeavesNothing),
        cmocka_unit_test(testCheckpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
