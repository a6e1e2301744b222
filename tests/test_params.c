// SPDX-License-Identifier: MIT
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "test_support.h"
#include "wirbel/wirbel.h"

// A section with every type of row, beside the real ones.
typedef enum Mode { modeLow, modeMiddle, modeHigh } Mode;
#define TEST_PARAMS(F, A, I, B, E, V, S)                                                                     \
    F(rate, 0.7f, 0, 0.7f, "1/s", 1, "a float at its limit")                                                 \
    A(step, 0, 1e-3f, 10, "s", 1, "a float or auto")                                                         \
    A(place, NAN, -5, 5, "m", 1, "the same, and 0 is a value")                                               \
    I(layers, 4, -5, 2147483647, "", 0, "an int")                                                            \
    B(loud, 1, 1, "a bool")                                                                                  \
    E(mode, Mode, modeMiddle, "low|middle|high", 1, "an enum")                                               \
    V(wind, 1, 2, 3, -10, 10, "m/s", 1, "a vector")                                                          \
    S(size, 640, 480, 16, 8192, "pixels", 1, "a size")

typedef struct TestParams {
    WB_PARAM_FIELDS(TEST_PARAMS)
} TestParams;

#define WB_PARAM_STRUCT TestParams
static const wbParam testRows[] = {WB_PARAM_ROWS(TEST_PARAMS)};
#undef WB_PARAM_STRUCT
static const wbParamTable testTable = WB_PARAM_TABLE("test", "of this file", TestParams, testRows);

static size_t getFieldSize(wbParamType type) {
    static const size_t sizes[] = {sizeof(float), sizeof(float),  sizeof(int),   sizeof(bool),
                                   sizeof(int),   sizeof(wbVec3), sizeof(wbSize)};
    return sizes[type];
}

static int countChoices(const char *choices) {
    int count = 1;
    for (; *choices; ++choices) count += *choices == '|';
    return count;
}

static void checkRow(const wbParam *param) {
    assert_true(strlen(param->name) > 0 && strlen(param->sentence) > 0);
    assert_non_null(param->unit);
    assert_int_equal(param->choices != NULL, param->type == wb_paramEnum);
    if (param->type == wb_paramEnum) {
        assert_in_range(param->defaultValue[0], 0, countChoices(param->choices) - 1);
    } else if (!wbParam_IsAuto(param, param->defaultValue[0])) {
        int parts = param->type == wb_paramVec3 ? 3 : param->type == wb_paramSize ? 2 : 1;
        assert_true(param->min < param->max);
        for (int i = 0; i < parts; ++i) {
            assert_true(param->defaultValue[i] >= param->min && param->defaultValue[i] <= param->max);
        }
    }
}

// Rows lie in the struct in order, without overlap, and cover it up to its padding. Of the domain's sides only the kinds are
// parameters.
static void checkTable(const wbParamTable *table) {
    const size_t gap = strcmp(table->section, "domain") == 0 ? sizeof(wbSideDef) : 4;
    size_t end = 0;
    for (int i = 0; i < table->count; ++i) {
        const wbParam *param = &table->params[i];
        checkRow(param);
        assert_true((size_t)param->offset >= end && (size_t)param->offset < end + gap);
        end = (size_t)param->offset + getFieldSize(param->type);
        assert_ptr_equal(wbFindParam(table, param->name), param);
    }
    assert_true(end <= (size_t)table->structSize && end + gap > (size_t)table->structSize);
    assert_null(wbFindParam(table, "noSuchParam"));
}

static void testTablesMatchStructs(void **state) {
    (void)state;
    int count;
    const wbParamTable *const *tables = wbGetParamTables(&count);
    assert_int_equal(count, 9);
    for (int i = 0; i < count; ++i) {
        checkTable(tables[i]);
        assert_ptr_equal(wbGetParams(tables[i]->section), tables[i]);
    }
    checkTable(&testTable);
    assert_int_equal(wbGetParams("world")->structSize, sizeof(wbWorldParams));
    assert_int_equal(wbGetParams("sph")->structSize, sizeof(wbSphParams));
    assert_int_equal(wbGetParams("smoke")->structSize, sizeof(wbSmokeParams));
    assert_int_equal(wbGetParams("pbd")->structSize, sizeof(wbPbdParams));
    assert_int_equal(wbGetParams("domain")->structSize, sizeof(wbDomainDef));
    assert_int_equal(wbGetObjectParams("softBody")->structSize, sizeof(wbSoftBodyParams));
    assert_int_equal(wbFindParam(wbGetParams("sph"), "viscosity")->offset, offsetof(wbSphParams, viscosity));
    assert_int_equal(sizeof(wbKernel), sizeof(int));
    assert_null(wbGetParams("spf"));
    assert_null(wbGetParams(""));
}

// Each solver has a table of parameters, which stand in a def where the list says; fluids' solvers come first.
static void testSolvers(void **state) {
    (void)state;
    const wbWorldDef def = wbDefaultWorldDef();
    int count, fluidCount = 0;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    char names[64] = "";
    assert_true(count > 0);
    for (int s = 0; s < count; s++) {
        const wbParamTable *table = wbGetParams(solvers[s]->name);
        assert_non_null(table);
        assert_true(solvers[s]->params + (size_t)table->structSize <= sizeof def);
        for (int i = 0; i < table->count; i++) {
            double values[3];
            wbParam_GetNumbers(&table->params[i], (const char *)&def + solvers[s]->params, values);
            // as the field rounds it; NAN may be auto
            assert_true((float)values[0] == (float)table->params[i].defaultValue[0] ||
                        (isnan(values[0]) && isnan(table->params[i].defaultValue[0])));
        }
        for (int other = 0; other < s; other++) {
            const int size = wbGetParams(solvers[other]->name)->structSize;
            assert_true(solvers[s]->params >= solvers[other]->params + (size_t)size ||
                        solvers[other]->params >= solvers[s]->params + (size_t)table->structSize);
        }
        assert_true(solvers[s]->isAsked < sizeof def);
        if (solvers[s]->isAsked > 0) assert_false(*(const bool *)((const char *)&def + solvers[s]->isAsked));
        const char *object = solvers[s]->object;
        const bool isFluid = object && strcmp(object, "fluid") == 0;
        assert_true(!object || isFluid || wbGetObjectParams(object));
        assert_int_equal(solvers[s]->isFluid, isFluid);
        assert_true(strlen(solvers[s]->moves) > 0);
        if (!solvers[s]->isFluid) continue;
        assert_int_equal(fluidCount++, s);
        assert_non_null(wbFindParam(table, "spacing"));
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", s ? "|" : "", solvers[s]->name);
    }
    assert_string_equal(names, wb_fluidSolverNames);
    assert_string_equal(solvers[wb_solverSph]->name, "sph");
    assert_string_equal(solvers[wb_solverPbf]->name, "pbf");
}

// Of all parameters, the world chooses one number.
static void testChosen(void **state) {
    (void)state;
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) {
        const wbParamTable *table = wbGetParams(solvers[s]->name);
        for (const wbParam *p = table->params; p < table->params + table->count; p++) {
            bool isSound = strcmp(table->section, "sph") == 0 && strcmp(p->name, "soundSpeed") == 0;
            assert_int_equal(p->isChosen, isSound);
            if (p->isChosen) assert_true(p->live && p->type == wb_paramAuto);
        }
    }
}

static void testDefaults(void **state) {
    (void)state;
    wbWorldParams world;
    memset(&world, 0xff, sizeof world);
    wbSetParamDefaults(wbGetParams("world"), &world);
    assert_int_equal(world.dimensions, 3);
    assert_true(world.gravity.x == 0 && world.gravity.y == -9.81f && world.gravity.z == 0);
    assert_true(world.dt == 0);
    assert_true(world.memoryLimit == 8e9f);
    wbSphParams sph;
    memset(&sph, 0xff, sizeof sph);
    wbSetParamDefaults(wbGetParams("sph"), &sph);
    assert_int_equal(sph.kernel, wb_kernelWendland);
    assert_int_equal(sph.integrator, wb_integratorSymplectic);
    assert_true(sph.clampPressure);
    assert_true(sph.viscosity == 0.001f);
    TestParams test;
    wbSetParamDefaults(&testTable, &test);
    assert_int_equal(test.size.width, 640);
    assert_int_equal(test.size.height, 480);
    assert_true(wbIsOk(wbCheckParams(&testTable, &test)));
}

static wbStatus setText(const wbParamTable *table, void *section, const char *name, const char *text) {
    return wbParam_SetText(wbFindParam(table, name), section, text);
}

static void expectRefusal(const char *name, const char *text, const char *message) {
    TestParams params, before;
    memset(&params, 0, sizeof params);
    wbSetParamDefaults(&testTable, &params);
    before = params;
    wbStatus status = setText(&testTable, &params, name, text);
    assert_int_equal(status.code, wb_errorInput);
    if (message) assert_string_equal(status.text, message);
    assert_memory_equal(&params, &before, sizeof params);
}

static void testGoodTexts(void **state) {
    (void)state;
    // name, text, the same as it is written back
    static const char *const rows[][3] = {
        {"rate", "0.2", "0.2"},
        {"rate", "0.7", "0.7"},
        {"rate", "1e-3", "0.001"},
        {"rate", "+.5", "0.5"},
        {"rate", "0", "0"},
        {"step", "auto", "auto"},
        {"step", "0.001", "0.001"},
        {"step", "10", "10"},
        {"place", "auto", "auto"},
        {"place", "0", "0"},
        {"place", "-5", "-5"},
        {"layers", "-5", "-5"},
        {"layers", "2147483647", "2147483647"},
        {"layers", "3e2", "300"},
        {"loud", "true", "true"},
        {"loud", "false", "false"},
        {"loud", "1", "true"},
        {"loud", "0", "false"},
        {"mode", "low", "low"},
        {"mode", "middle", "middle"},
        {"mode", "high", "high"},
        {"wind", "0,-9.81,0", "0,-9.81,0"},
        {"wind", "1,2", "1,2,0"},
        {"wind", "0.1,-1e-7,10", "0.1,-1e-07,10"},
        {"size", "1280x720", "1280x720"},
        {"size", "16x8192", "16x8192"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        TestParams params;
        char text[64], again[64];
        wbSetParamDefaults(&testTable, &params);
        const wbParam *param = wbFindParam(&testTable, rows[i][0]);
        assert_true(wbIsOk(wbParam_SetText(param, &params, rows[i][1])));
        wbParam_GetText(param, &params, text, sizeof text);
        assert_string_equal(text, rows[i][2]);
        assert_true(wbIsOk(wbParam_SetText(param, &params, text)));
        wbParam_GetText(param, &params, again, sizeof again);
        assert_string_equal(text, again);
        assert_true(wbIsOk(wbCheckParams(&testTable, &params)));
    }
}

static void testAllDefaultsReadBack(void **state) {
    (void)state;
    int count;
    const wbParamTable *const *tables = wbGetParamTables(&count);
    for (int t = 0; t < count; ++t) {
        _Alignas(16) char section[512], again[512];
        assert_true((size_t)tables[t]->structSize <= sizeof section);
        wbSetParamDefaults(tables[t], section);
        memset(again, 0, sizeof again);
        for (int i = 0; i < tables[t]->count; ++i) {
            char text[64];
            wbParam_GetText(&tables[t]->params[i], section, text, sizeof text);
            assert_true(wbIsOk(wbParam_SetText(&tables[t]->params[i], again, text)));
        }
        assert_memory_equal(section, again, (size_t)tables[t]->structSize);
    }
}

static void testBadTexts(void **state) {
    (void)state;
    static const char *const numbers[] = {"",    " ",   "x",    "0.2x", "0.2 ", " 0.2",  "nan", "inf", "-inf",
                                          "0x1", "0,2", "true", "--1",  "1e",   "1e999", ".",   "1 2", "NaN"};
    static const char *const fields[] = {"rate", "step", "layers"};
    for (int f = 0; f < 3; ++f) {
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
            expectRefusal(fields[f], numbers[i], NULL);
    }
    static const char *const vectors[] = {"",     "1",     "1,2,3,4", "1,2,",    ",1,2",
                                          "1,,2", "1;2;3", "1,2,x",   "1, 2, 3", ","};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) expectRefusal("wind", vectors[i], NULL);
    static const char *const sizes[] = {"",        "640",     "640x",      "x480",    "640x480x1",
                                        "640,480", "640X480", "640.5x480", "640x-480"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) expectRefusal("size", sizes[i], NULL);
    static const char *const bools[] = {"", "2", "yes", "True", "0|1", "false|true", "01", "true "};
    for (size_t i = 0; i < sizeof bools / sizeof bools[0]; ++i) expectRefusal("loud", bools[i], NULL);
    static const char *const enums[] = {"", "lo", "lows", "low|middle", "1", "LOW", "|"};
    for (size_t i = 0; i < sizeof enums / sizeof enums[0]; ++i) expectRefusal("mode", enums[i], NULL);
    static const char *const autos[] = {"0", "Auto", "autos", "-1"};
    for (size_t i = 0; i < sizeof autos / sizeof autos[0]; ++i) expectRefusal("step", autos[i], NULL);
}

static void testMessages(void **state) {
    (void)state;
    expectRefusal("rate", "-3", "rate is -3, allowed is 0 to 0.7 1/s");
    expectRefusal("rate", "0.7001", "rate is 0.7001, allowed is 0 to 0.7 1/s");
    expectRefusal("rate", "1e300", "rate is 1e+300, allowed is 0 to 0.7 1/s");
    expectRefusal("rate", "fast", "rate is \"fast\", allowed is 0 to 0.7 1/s");
    expectRefusal("step", "0", "step is 0, allowed is 0.001 to 10 s, or auto");
    expectRefusal("layers", "1.5", "layers is 1.5, allowed is -5 to 2147483647, whole numbers");
    expectRefusal("layers", "2147483648",
                  "layers is 2.14748365e+09, allowed is -5 to 2147483647, whole numbers");
    expectRefusal("loud", "maybe", "loud is \"maybe\", allowed is true|false");
    expectRefusal("mode", "hihg", "mode is \"hihg\", allowed is low|middle|high");
    expectRefusal("wind", "1,20,3", "wind.y is 20, allowed is -10 to 10 m/s");
    expectRefusal("size", "640x8", "size.height is 8, allowed is 16 to 8192 pixels, whole numbers");
    wbPbfParams pbf;
    wbSetParamDefaults(wbGetParams("pbf"), &pbf);
    assert_string_equal(setText(wbGetParams("pbf"), &pbf, "subSteps", "1.5").text,
                        "subSteps is 1.5, allowed is 1 to 10000, whole numbers, or auto");
    wbSphParams sph;
    wbSetParamDefaults(wbGetParams("sph"), &sph);
    assert_string_equal(setText(wbGetParams("sph"), &sph, "viscosity", "-3").text,
                        "viscosity is -3, allowed is 0 to 1e+06 Pa s");
    assert_string_equal(setText(wbGetParams("sph"), &sph, "kernel", "wendlan").text,
                        "kernel is \"wendlan\", allowed is muller|wendland");
}

static void testLongTexts(void **state) {
    (void)state;
    char text[5000];
    memset(text, '1', sizeof text);
    text[sizeof text - 1] = 0;
    expectRefusal("rate", text, NULL);
    expectRefusal("wind", text, NULL);
    expectRefusal("mode", text, NULL);
    TestParams params;
    wbSetParamDefaults(&testTable, &params);
    char small[4];
    wbParam_GetText(wbFindParam(&testTable, "size"), &params, small, sizeof small);
    assert_string_equal(small, "640");
}

static wbStatus setNumbers(TestParams *params, const char *name, int count, double x, double y, double z) {
    return wbParam_SetNumbers(wbFindParam(&testTable, name), params, (double[]){x, y, z}, count);
}

static void testNumbers(void **state) {
    (void)state;
    TestParams params;
    wbSetParamDefaults(&testTable, &params);
    assert_true(wbIsOk(setNumbers(&params, "rate", 1, 0.25, 0, 0)) && params.rate == 0.25f);
    assert_true(wbIsOk(setNumbers(&params, "layers", 1, 12, 0, 0)) && params.layers == 12);
    assert_true(wbIsOk(setNumbers(&params, "loud", 1, 0, 0, 0)) && !params.loud);
    assert_true(wbIsOk(setNumbers(&params, "wind", 3, 4, 5, 6)) && params.wind.z == 6);
    assert_true(wbIsOk(setNumbers(&params, "wind", 2, 4, 5, 6)) && params.wind.z == 0);
    assert_true(wbIsOk(setNumbers(&params, "size", 2, 100, 50, 0)) && params.size.height == 50);

    TestParams before = params;
    assert_string_equal(setNumbers(&params, "rate", 2, 0, 0, 0).text, "rate has 2 numbers, allowed is 1");
    assert_string_equal(setNumbers(&params, "wind", 1, 0, 0, 0).text,
                        "wind has 1 numbers, allowed is 2 or 3");
    assert_string_equal(setNumbers(&params, "size", 3, 99, 99, 99).text, "size has 3 numbers, allowed is 2");
    assert_string_equal(setNumbers(&params, "rate", 1, NAN, 0, 0).text,
                        "rate is nan, allowed is 0 to 0.7 1/s");
    assert_int_equal(setNumbers(&params, "rate", 1, INFINITY, 0, 0).code, wb_errorInput);
    assert_int_equal(setNumbers(&params, "layers", 1, 2.5, 0, 0).code, wb_errorInput);
    assert_int_equal(setNumbers(&params, "layers", 1, NAN, 0, 0).code, wb_errorInput);
    assert_string_equal(setNumbers(&params, "loud", 1, 2, 0, 0).text, "loud is 2, allowed is true|false");
    assert_string_equal(setNumbers(&params, "wind", 3, 0, 0, -11).text,
                        "wind.z is -11, allowed is -10 to 10 m/s");
    assert_string_equal(setNumbers(&params, "mode", 1, 1, 0, 0).text,
                        "mode is 1, allowed is low|middle|high");
    assert_memory_equal(&params, &before, sizeof params);
}

static void testCheckOfStructsFilledByHand(void **state) {
    (void)state;
    const wbParamTable *table = wbGetParams("sph");
    wbSphParams good, bad;
    wbSetParamDefaults(table, &good);
    assert_true(wbIsOk(wbCheckParams(table, &good)));
    bad = good;
    bad.viscosity = -1;
    assert_string_equal(wbCheckParams(table, &bad).text, "sph.viscosity is -1, allowed is 0 to 1e+06 Pa s");
    bad = good;
    bad.spacing = NAN;
    assert_int_equal(wbCheckParams(table, &bad).code, wb_errorInput);
    bad = good;
    bad.kernel = (wbKernel)2;
    assert_string_equal(wbCheckParams(table, &bad).text, "sph.kernel is 2, allowed is muller|wendland");
    bad = good;
    bad.kernel = (wbKernel)-1;
    assert_int_equal(wbCheckParams(table, &bad).code, wb_errorInput);
    wbWorldParams world;
    wbSetParamDefaults(wbGetParams("world"), &world);
    world.gravity.y = INFINITY;
    assert_int_equal(wbCheckParams(wbGetParams("world"), &world).code, wb_errorInput);
    wbSetParamDefaults(wbGetParams("world"), &world);
    world.dt = -1;
    assert_int_equal(wbCheckParams(wbGetParams("world"), &world).code, wb_errorInput);
}

static void testNearestParam(void **state) {
    (void)state;
    assert_string_equal(wbNearestParam(wbGetParams("sph"), "viscocity"), "viscosity");
    assert_string_equal(wbNearestParam(wbGetParams("world"), "gravty"), "gravity");
    assert_null(wbNearestParam(wbGetParams("world"), "colour"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTablesMatchStructs),
        cmocka_unit_test(testSolvers),
        cmocka_unit_test(testChosen),
        cmocka_unit_test(testDefaults),
        cmocka_unit_test(testGoodTexts),
        cmocka_unit_test(testAllDefaultsReadBack),
        cmocka_unit_test(testBadTexts),
        cmocka_unit_test(testMessages),
        cmocka_unit_test(testLongTexts),
        cmocka_unit_test(testNumbers),
        cmocka_unit_test(testCheckOfStructsFilledByHand),
        cmocka_unit_test(testNearestParam),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
