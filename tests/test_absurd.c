// SPDX-License-Identifier: MIT
// Scenes that nobody should want: each steps and stays finite, or is refused with a reason.
#include "absurd_support.h"

// Parts that most of the scenes share.
#define SMALL_BLOCK     "\"fluids\":[{\"name\":\"w\",\"blocks\":[{\"min\":[0.2,0,0.2],\"max\":[0.8,0.6,0.8]}]}]"
#define BOX             "\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]}"
#define PARTICLES(list) "\"fluids\":[{\"name\":\"w\",\"particles\":[" list "]}]"
#define SPACING         "\"sph\":{\"spacing\":0.1}"

static const Case cases[] = {
    {"no particle", "{" BOX ",\"fluids\":[{\"name\":\"w\"}]}", NULL},
    {"no fluid", "{" BOX "}", NULL},
    {"nothing", "{}", NULL},
    {"one particle", "{" BOX "," SPACING "," PARTICLES("{\"position\":[0.5,0.5,0.5]}") "}", NULL},
    {"on a corner and a side",
     "{" BOX "," SPACING
     "," PARTICLES("{\"position\":[0,0,0]},{\"position\":[1,1,1]},{\"position\":[0,0.5,0.5]}") "}",
     NULL},
    {"two at one place",
     "{" BOX "," SPACING "," PARTICLES("{\"position\":[0.5,0.5,0.5]},{\"position\":[0.5,0.5,0.5]}") "}",
     NULL},
    {"two at one place, spiky kernel",
     "{" BOX ",\"sph\":{\"spacing\":0.1,\"kernel\":\"muller\"}," PARTICLES(
         "{\"position\":[0.5,0.5,0.5]},{\"position\":[0.5,0.5,0.5]}") "}",
     NULL},
    {"two a whole world apart",
     "{\"sph\":{\"spacing\":1e-6}," PARTICLES(
         "{\"position\":[-1e9,-1e9,-1e9]},{\"position\":[1e9,1e9,1e9]}") "}",
     NULL},
    {"spacing of a micrometre",
     "{\"domain\":{\"min\":[0,0,0],\"max\":[1e-5,1e-5,1e-5]},\"sph\":{\"spacing\":1e-6},\"fluids\":[{"
     "\"name\":\"w\","
     "\"blocks\":[{\"min\":[2e-6,0,2e-6],\"max\":[8e-6,6e-6,8e-6]}]}]}",
     NULL},
    {"spacing of a thousand kilometres",
     "{\"domain\":{\"min\":[0,0,0],\"max\":[1e7,1e7,1e7]},\"sph\":{\"spacing\":1e6},\"fluids\":[{\"name\":"
     "\"w\","
     "\"blocks\":[{\"min\":[2e6,0,2e6],\"max\":[8e6,6e6,8e6]}]}]}",
     NULL},
    {"largest domain",
     "{\"domain\":{\"min\":[-1e9,-1e9,-1e9],\"max\":[1e9,1e9,1e9]}," SPACING "," SMALL_BLOCK "}", NULL},
    {"block where floats are coarse",
     "{\"sph\":{\"spacing\":0.01},\"fluids\":[{\"name\":\"w\",\"blocks\":[{\"min\":[1e6,0,0],\"max\":["
     "1000001,1,1]}]}]}",
     "reaches to x = 1e+06 m, where positions are rounded to 0.062 m, too coarse for sph.spacing = 0.01 m"},
    {"h larger than the box",
     "{\"domain\":{\"min\":[0,0,0],\"max\":[0.2,1,1]}," SPACING ",\"fluids\":[{\"name\":\"w\"}]}",
     "the domain is 0.2 m long in x, less than the support radius h = 0.21 m: make it larger"},
    {"flat domain", "{\"domain\":{\"min\":[0,0,0],\"max\":[1,0,1]}}",
     "domain.max[1] is 0, must be above domain.min[1]"},
    {"block thinner than half a spacing",
     "{" BOX "," SPACING ",\"fluids\":[{\"name\":\"w\",\"blocks\":[{\"min\":[0,0,0],\"max\":[1,0.04,1]}]}]}",
     "holds no particle: it is thinner than half of sph.spacing, which is 0.1 m"},
    {"block thinner than a spacing",
     "{" BOX "," SPACING ",\"fluids\":[{\"name\":\"w\",\"blocks\":[{\"min\":[0,0,0],\"max\":[1,0.06,1]}]}]}",
     NULL},
    {"block thinner than a spacing at the top",
     "{" BOX "," SPACING ",\"fluids\":[{\"name\":\"w\",\"blocks\":[{\"min\":[0,0.94,0],\"max\":[1,1,1]}]}]}",
     NULL},
    {"two dimensions with z", "{\"world\":{\"dimensions\":2},\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]}}",
     "domain.min has 3 numbers, must have 2 (world.dimensions)"},
    {"two dimensions with a front",
     "{\"world\":{\"dimensions\":2},\"domain\":{\"min\":[0,0],\"max\":[1,1],\"sides\":{\"front\":{\"type\":"
     "\"open\"}}}}",
     "2 dimensions have no side \"front\""},
    {"no gravity", "{\"world\":{\"gravity\":[0,0,0]}," BOX "," SPACING "," SMALL_BLOCK "}", NULL},
    {"strongest gravity", "{\"world\":{\"gravity\":[0,-1e4,0]}," BOX "," SPACING "," SMALL_BLOCK "}", NULL},
    {"gravity beyond", "{\"world\":{\"gravity\":[0,-1e6,0]}}",
     "world.gravity.y is -1000000, allowed is -10000 to 10000"},
    {"slowest sound", "{" BOX ",\"sph\":{\"spacing\":0.1,\"soundSpeed\":1e-3}," SMALL_BLOCK "}", NULL},
    {"slowest sound falling by euler's method",
     "{\"sph\":{\"spacing\":0.1,\"soundSpeed\":1e-3,\"integrator\":\"euler\"}," SMALL_BLOCK "}", NULL},
    {"fastest sound", "{" BOX ",\"sph\":{\"spacing\":0.1,\"soundSpeed\":1e6}," SMALL_BLOCK "}", NULL},
    {"shortest step", "{\"world\":{\"dt\":1e-9}," BOX "," SPACING "," SMALL_BLOCK "}", NULL},
    {"step beyond", "{\"world\":{\"dt\":1e3}}", "world.dt is 1000, allowed is 1e-09 to 10 s, or auto"},
    {"fastest block",
     "{" BOX "," SPACING
     ",\"fluids\":[{\"name\":\"w\",\"blocks\":[{\"min\":[0.2,0,0.2],\"max\":[0.8,0.6,0.8],"
     "\"velocity\":[1e6,0,0]}]}]}",
     NULL},
    {"block too fast",
     "{" BOX "," SPACING
     ",\"fluids\":[{\"name\":\"w\",\"blocks\":[{\"min\":[0.2,0,0.2],\"max\":[0.8,0.6,0.8],"
     "\"velocity\":[1e8,0,0]}]}]}",
     "velocity.x is 100000000, allowed is -1e+06 to 1e+06 m/s"},
    {"stiffest paste", "{" BOX ",\"sph\":{\"spacing\":0.1,\"viscosity\":1e6}," SMALL_BLOCK "}", NULL},
    {"stiff and light",
     "{" BOX ",\"sph\":{\"spacing\":0.1,\"viscosity\":1e6,\"restDensity\":1e-3}," SMALL_BLOCK "}", NULL},
    {"heavy and thin",
     "{" BOX ",\"sph\":{\"spacing\":0.1,\"viscosity\":0,\"restDensity\":1e6}," SMALL_BLOCK "}", NULL},
    {"widest kernel", "{\"sph\":{\"spacing\":0.1,\"smoothing\":6}," SMALL_BLOCK "}", NULL},
    {"a billion particles",
     "{" BOX ",\"sph\":{\"spacing\":1e-3},\"fluids\":[{\"name\":\"w\",\"blocks\":[{\"min\":[0,0,0],"
     "\"max\":[1,1,1]}]}]}",
     "1000000000 particles need 68.0 GB more memory than the "},
};

static void assertFinite(wbWorld *world) {
    wbView view;
    if (wbWorld_GetFluidCount(world) == 0) return;
    assert_int_equal(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view).code, wb_ok);
    for (int i = 0; i < view.count; i++) {
        assert_true(isfinite(view.x[i]) && isfinite(view.y[i]) && isfinite(view.z[i]));
        assert_true(isfinite(view.vx[i]) && isfinite(view.vy[i]) && isfinite(view.vz[i]));
        assert_true(isfinite(view.density[i]) && isfinite(view.pressure[i]));
    }
    assert_int_equal(wbWorld_GetStats(world).leaked, 0);
}

static wbStatus runSteps(wbWorld *world) {
    wbStatus status = {0};
    for (int k = 0; wbIsOk(status) && k < 200; k++)
        status = wbWorld_Step(world, fminf(wbWorld_GetTimeStep(world), wbWorld_GetStableStep(world)));
    return wbIsOk(status) ? wbWorld_Step(world, 0) : status; // in sub-steps
}

static void testScenesStepOrAreRefused(void **state) {
    (void)state;
    assertStepOrRefused(cases, sizeof cases / sizeof cases[0], runSteps, assertFinite);
}

// A step longer than any parameter allows, by the call itself: sides may absorb all of it.
static void testStepOfThousandSeconds(void **state) {
    (void)state;
    wbScene *scene;
    wbWorld *world;
    static const char text[] = "{" BOX "," SPACING "," SMALL_BLOCK "}";
    assert_int_equal(wbReadSceneText("long.json", text, sizeof text - 1, &scene).code, wb_ok);
    assert_int_equal(wbScene_CreateWorld(scene, &world).code, wb_ok);
    wbStatus status = {0};
    for (int k = 0; k < 100 && wbIsOk(status); k++) status = wbWorld_Step(world, 1e3f);
    if (wbIsOk(status))
        assertFinite(world);
    else
        assert_non_null(strstr(status.text, "dt is 1e+03 s, above the stable limit of "));
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

// One particle far away among many: cells stay short, and nothing else changes.
static void testStrayCostsLittle(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    def.sph.spacing = 0.05f;
    double bytes[2];
    int64_t pairs[2];
    for (int k = 0; k < 2; k++) {
        wbWorld *world;
        wbFluidDef water = wbDefaultFluidDef();
        wbFluidId fluid;
        const wbBlockDef block = {.max = wbMakeVec3(1, 1, 1)};
        const float stray[6] = {-1e5f, 2e5f, 1e5f, -1e5f, 2e5f + 0.03125f, 1e5f};
        assert_int_equal(wbCreateWorld(&def, &world).code, wb_ok);
        assert_int_equal(wbCreateFluid(world, &water, &fluid).code, wb_ok);
        assert_int_equal(wbFluid_AddBlock(world, fluid, &block).code, wb_ok);
        if (k == 1) assert_int_equal(wbFluid_AddParticles(world, fluid, 2, stray, NULL).code, wb_ok);
        assert_int_equal(wbWorld_Step(world, 1e-3f).code, wb_ok);
        pairs[k] = wbWorld_GetProfile(world).pairs;
        bytes[k] = (double)wbWorld_GetProfile(world).peakBytes;
        wbDestroyWorld(world);
    }
    assert_int_equal(pairs[1], pairs[0] + 2); // the two strays see each other
    assert_true(bytes[1] < 1.5 * bytes[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testScenesStepOrAreRefused),
        cmocka_unit_test(testStepOfThousandSeconds),
        cmocka_unit_test(testStrayCostsLittle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
