// SPDX-License-Identifier: MIT
// Scenes: what is read, and that whatever is wrong is refused with its place, its value and what is allowed.
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/renamed.h"
#include "scene/locate.h"
#include "scene/scene.h"
#include "scene/schema.h"

static void writeBytes(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static wbStatus readText(const char *text, wbScene **scene) {
    writeBytes("t.json", text, strlen(text));
    return wbReadScene("t.json", scene);
}

static void expectError(wbStatus status, const char *text) {
    assert_string_equal(status.text, text);
    assert_int_equal(status.code, wb_errorInput);
}

static void expectRefused(const char *text, const char *message) {
    wbScene *scene;
    expectError(readText(text, &scene), message);
    assert_null(scene);
}

static wbScene *readGood(const char *text) {
    wbScene *scene;
    wbStatus status = readText(text, &scene);
    assert_string_equal(status.text, "");
    assert_int_equal(status.code, wb_ok);
    return scene;
}

#define BOX            "\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]}"
#define PLANE          "\"world\":{\"dimensions\":2}"
#define FLUID          "\"fluids\":[{\"name\":\"water\","
#define FLUIDS(blocks) "{" BOX ",\n" FLUID "\"blocks\":[" blocks "]}]}"

static void testEmptySceneHasDefaults(void **state) {
    (void)state;
    wbScene *scene = readGood("{}");
    const wbWorldDef *def = wbScene_GetWorldDef(scene);
    assert_int_equal(def->params.dimensions, 3);
    for (int side = 0; side < wb_sideCount; side++)
        assert_int_equal(def->domain.sides[side].type, wb_sideOpen);
    assert_float_equal(wbScene_GetOutput(scene)->fps, 60, 0);
    assert_float_equal(wbScene_GetCamera(scene)->fov, 40, 0);
    assert_string_equal(wbScene_GetTitle(scene), "t");
    assert_string_equal(wbScene_GetDescription(scene), "");
    assert_true(wbScene_GetParticleCount(scene) == 0);
    wbDestroyScene(scene);
}

static void testWholeScene(void **state) {
    (void)state;
    wbScene *scene = readGood(
        "{\"$schema\":\"x\", \"title\":\"Dam\", \"description\":\"D\","
        "\"world\":{\"gravity\":[0,-5],\"dimensions\":2,\"dt\":0.002,\"memoryLimit\":4000000000},"
        "\"domain\":{\"min\":[0,0],\"max\":[4,2],\"sides\":{\"top\":{\"type\":\"open\"},"
        "\"left\":{\"type\":\"noSlip\",\"velocity\":[0,1]}}},"
        "\"sph\":{\"spacing\":0.1,\"kernel\":\"muller\",\"clampPressure\":false},"
        "\"fluids\":[{\"name\":\"water\",\"solver\":\"sph\",\"blocks\":[{\"min\":[0,0],\"max\":[1,1],"
        "\"velocity\":[2,0],\"jitter\":0.1}],\"particles\":[{\"position\":[2,1],\"velocity\":[0,3]}]}],"
        "\"script\":[{\"at\":2,\"set\":\"sph.viscosity\",\"value\":0.5},"
        "{\"at\":1,\"set\":\"world.gravity\",\"value\":[1,0]},{\"at\":1,\"set\":\"world.dt\",\"value\":"
        "\"auto\"}],"
        "\"camera\":{\"position\":[0,0,5],\"target\":[1,1]},\"output\":{\"fps\":30,\"size\":[640,480]}}");
    const wbWorldDef *def = wbScene_GetWorldDef(scene);
    assert_string_equal(wbScene_GetTitle(scene), "Dam");
    assert_float_equal(def->params.gravity.y, -5, 0);
    assert_float_equal(def->params.dt, 0.002f, 0);
    assert_int_equal(def->sph.kernel, wb_kernelMuller);
    assert_false(def->sph.clampPressure);
    assert_int_equal(def->domain.sides[wb_top].type, wb_sideOpen);
    assert_int_equal(def->domain.sides[wb_right].type, wb_sideFreeSlip);
    assert_int_equal(def->domain.sides[wb_left].type, wb_sideNoSlip);
    assert_float_equal(def->domain.sides[wb_left].velocity.y, 1, 0);
    assert_int_equal(def->domain.sides[wb_front].type, wb_sideOpen);
    assert_true(wbScene_GetParticleCount(scene) == 101);
    assert_float_equal(wbScene_GetCamera(scene)->position.z, 5, 0);
    assert_int_equal(wbScene_GetOutput(scene)->size.height, 480);

    // by time, entries of one time in the order of the file
    const wbScriptEntry *entries = scene->script.data;
    assert_int_equal(scene->scriptCount, 3);
    assert_string_equal(entries[0].key, "world.gravity");
    assert_string_equal(entries[0].value, "1,0,0");
    assert_string_equal(entries[1].value, "auto");
    assert_string_equal(entries[2].value, "0.5");
    wbDestroyScene(scene);
}

static void testSyntaxErrorsHaveAPlace(void **state) {
    (void)state;
    expectRefused("{\n  \"world\": {,}\n}", "t.json:2:13: string or '}' expected near ','");
    expectRefused("{\"world\": {\"seed\": 1", "t.json:1:20: '}' expected near end of file");
    expectRefused("{\"sph\":{}, \"sph\":{}}", "t.json:1:16: duplicate object key near '\"sph\"'");
    expectRefused("{\"sph\":{\"spacing\": 1e999}}", "t.json:1:24: real number overflow near '1e999'");
    expectRefused("{\"sph\":{\"spacing\": NaN}}", "t.json:1:22: invalid token near 'NaN'");
    expectRefused("{} {}", "t.json:1:4: end of file expected near '{'");
    expectRefused("[]", "t.json:1:1: the scene is the array [], must be an object");
    expectRefused("{\"title\": \"\xff\"}", "t.json:1:11: unable to decode byte 0xff near '\"'");
}

static void testDeepNestingIsRefused(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = test_malloc(DEPTH);
    memset(text, '[', DEPTH);
    writeBytes("t.json", text, DEPTH);
    test_free(text);
    wbScene *scene;
    wbStatus status = wbReadScene("t.json", &scene);
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "maximum parsing depth"));
}

// an unknown key that holds deep nesting: found before, skipped while looking for the place of another
static void testPlaceBehindDeepValue(void **state) {
    (void)state;
    enum { DEPTH = 2000 };
    char text[3 * DEPTH] = "{\"title\": ";
    size_t used = strlen(text);
    memset(text + used, '[', DEPTH);
    memset(text + used + DEPTH, ']', DEPTH);
    strcpy(text + used + 2 * DEPTH, ",\n \"sphh\": 1}");
    wbPosition position = wbLocate(text, strlen(text), &(wbPath){NULL, "sphh", 0}, true);
    assert_int_equal(position.line, 2);
    assert_int_equal(position.column, 2);
}

static void testPlaceOfEscapedKeysAndText(void **state) {
    (void)state;
    const char *text = "{\"a\": [1, {\"x,]}\\\"\": \"}\\\\\"}, \"\xc3\xa4\", {\"\\u0062\" : 7}]}";
    wbPath a = {NULL, "a", 0}, last = {&a, NULL, 3};
    assert_int_equal(wbLocate(text, strlen(text), &(wbPath){&last, "b", 0}, true).column, 36);
    assert_int_equal(wbLocate(text, strlen(text), &(wbPath){&last, "b", 0}, false).column, 47);
    assert_int_equal(wbLocate(text, strlen(text), NULL, false).column, 1);
}

static void testUnknownKeysNameTheNearest(void **state) {
    (void)state;
    expectRefused("{\"sph\": {\n    \"viscosty\": 1}}",
                  "t.json:2:5: unknown key \"viscosty\" in \"sph\"; did you mean \"viscosity\"?");
    expectRefused("{\"wrold\": {}}",
                  "t.json:1:2: unknown key \"wrold\" in the scene; did you mean \"world\"?");
    expectRefused("{\"volcanoes\": []}", "t.json:1:2: unknown key \"volcanoes\" in the scene");
    expectRefused(FLUIDS("{\"min\":[0,0,0],\"max\":[1,1,1],\"jiter\":0}"),
                  "t.json:2:66: unknown key \"jiter\" in \"fluids[0].blocks[0]\"; did you mean \"jitter\"?");
    expectRefused("{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1],\"sides\":{\"up\":{}}}}",
                  "t.json:1:49: unknown key \"up\" in \"domain.sides\"; did you mean \"top\"?");
    expectRefused("{\"a\\u001b[31m\\n\": 1}", "t.json:1:2: unknown key \"a?[31m?\" in the scene");
}

// A name of before is refused by files, settings of a scene and parameters of a world alike, and the new one is taken.
static void testRenamedKeysNameTheNewOne(void **state) {
    (void)state;
    wbScene *scene = readGood("{}");
    wbWorld *world;
    wbStatus status = wbScene_CreateWorld(scene, &world);
    assert_string_equal(status.text, "");
    const char *old;
    int count = 0;
    for (; (old = wbGetRenamed(count)) != NULL; count++) {
        const char *now = wbFindRenamed(old), *dot = strchr(old, '.');
        char file[128], message[160], value[64];
        if (!dot) { // a key of the file itself
            snprintf(file, sizeof file, "{\"%s\": []}", old);
            snprintf(message, sizeof message,
                     "t.json:1:2: unknown key \"%s\" in the scene; it is called \"%s\" now", old, now);
            expectRefused(file, message);
            snprintf(file, sizeof file, "{\"%s\": []}", now);
            wbDestroyScene(readGood(file));
            continue;
        }
        int length = (int)(dot - old);
        snprintf(file, sizeof file, "{\"%.*s\": {\"%s\": 1}}", length, old, dot + 1);
        snprintf(message, sizeof message,
                 "t.json:1:%d: unknown key \"%s\" in \"%.*s\"; it is called \"%s\" now", length + 7, dot + 1,
                 length, old, now);
        expectRefused(file, message);
        snprintf(message, sizeof message, "unknown parameter \"%s\"; it is called \"%s\" now", old, now);
        expectError(wbScene_Set(scene, old, "1"), message);
        expectError(wbWorld_SetParam(world, old, "1"), message);
        assert_int_equal(wbScene_Get(scene, now, value, sizeof value).code, wb_ok);
        assert_int_equal(wbWorld_GetParam(world, now, value, sizeof value).code, wb_ok);
    }
    assert_true(count > 0);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

static void testKeysOfOtherSections(void **state) {
    (void)state;
    expectRefused("{\"gravity\":[0,0,0]}",
                  "t.json:1:2: unknown key \"gravity\" in the scene; \"world\" has one");
    expectRefused("{\"world\":{\"viscosity\":1}}",
                  "t.json:1:11: unknown key \"viscosity\" in \"world\"; \"sph\" has one");
    expectRefused("{\"sph\":{\"fps\":1}}", "t.json:1:9: unknown key \"fps\" in \"sph\"; \"output\" has one");
}

static void testWrongTypes(void **state) {
    (void)state;
    expectRefused("{\"sph\": []}", "t.json:1:9: sph is the array [], must be an object");
    expectRefused("{\"sph\": {\"viscosity\": \"1\"}}",
                  "t.json:1:23: sph.viscosity is the string \"1\", must be a number");
    expectRefused("{\"sph\": {\"clampPressure\": 1}}",
                  "t.json:1:27: sph.clampPressure is the number 1, must be true or false");
    expectRefused("{\"sph\": {\"kernel\": null}}", "t.json:1:20: sph.kernel is null, must be a string");
    expectRefused("{\"world\": {\"dt\": \"fast\"}}",
                  "t.json:1:18: world.dt is the string \"fast\", must be a number or \"auto\"");
    expectRefused("{\"world\": {\"gravity\": -9.81}}",
                  "t.json:1:23: world.gravity is the number -9.81, must be an array of numbers");
    expectRefused(
        "{\"world\": {\"dimensions\": 2}, \"bodies\": [{\"rotation\": [0, 45]}]}",
        "t.json:1:54: bodies[0].rotation has 2 numbers, must have 3: about x, y and z, in 2 dimensions "
        "[0, 0, z]");
    wbDestroyScene(readGood(
        "{\"world\": {\"dimensions\": 2}, \"softBodies\": [{\"name\": \"rope\", \"shape\": \"rope\", "
        "\"rotation\": [0, 0, 90]}]}"));
    expectRefused("{\"world\": {\"gravity\": [0, true, 0]}}",
                  "t.json:1:27: world.gravity[1] is true, must be a number");
    expectRefused("{\"output\": {\"size\": [1, 2, 3]}}",
                  "t.json:1:21: output.size is the array [1, 2, 3], must be an array of width and height");
    expectRefused("{\"title\": 5}", "t.json:1:11: title is the number 5, must be a string");
    expectRefused("{\"fluids\": {}}", "t.json:1:12: fluids is the object {}, must be an array");
    // of what is long the beginning, in one line, and never half a character
    expectRefused("{\"sph\": [\n  1,\r\n\t\"a  b\"\n]}",
                  "t.json:1:9: sph is the array [ 1, \"a  b\" ], must be an object");
    expectRefused(
        "{\"title\": [1234567890, 1234567890, 1234567890, 1234567890]}",
        "t.json:1:11: title is the array [1234567890, 1234567890, 1234567890, 1234567..., must be a string");
    expectRefused("{\"sph\": {\"viscosity\": \"1234567890123456789012345678901234567890123\xc3\xa4\"}}",
                  "t.json:1:23: sph.viscosity is the string "
                  "\"1234567890123456789012345678901234567890123..., must be a number");
    expectRefused("{\"fluids\": [3]}", "t.json:1:13: fluids[0] is the number 3, must be an object");
}

static void testRanges(void **state) {
    (void)state;
    expectRefused("{\"sph\": {\"viscosity\": -3}}",
                  "t.json:1:23: sph.viscosity is -3, allowed is 0 to 1e+06 Pa s");
    expectRefused("{\"world\": {\"dimensions\": 4}}",
                  "t.json:1:26: world.dimensions is 4, allowed is 2 to 3, whole numbers");
    expectRefused("{\"world\": {\"dimensions\": 2.5}}",
                  "t.json:1:26: world.dimensions is 2.5, allowed is 2 to 3, whole numbers");
    expectRefused("{\"world\": {\"seed\": 99999999999999999999999}}",
                  "t.json:1:20: world.seed is 1e+23, allowed is 0 to 2147483647, whole numbers");
    expectRefused("{\"pbf\": {\"subSteps\": 1.5}}",
                  "t.json:1:22: pbf.subSteps is 1.5, allowed is 1 to 10000, whole numbers, or auto");
    expectRefused("{\"world\": {\"dt\": 0}}",
                  "t.json:1:18: world.dt is 0, allowed is 1e-09 to 10 s, or auto");
    expectRefused("{\"sph\": {\"kernel\": \"cubic\"}}",
                  "t.json:1:20: sph.kernel is \"cubic\", allowed is muller|wendland");
    expectRefused("{\"world\": {\"gravity\": [0, 1e30, 0]}}",
                  "t.json:1:23: world.gravity.y is 1e+30, allowed is -10000 to 10000 m/s2");
}

static void testVectorsHaveTheWorldsLength(void **state) {
    (void)state;
    expectRefused("{\"world\": {\"gravity\": [0, 1]}}",
                  "t.json:1:23: world.gravity has 2 numbers, must have 3 (world.dimensions)");
    expectRefused("{\"world\": {\"gravity\": [0, 1, 0], \"dimensions\": 2}}",
                  "t.json:1:23: world.gravity has 3 numbers, must have 2 (world.dimensions)");
    expectRefused("{" PLANE ",\"camera\":{\"target\":[1]}}",
                  "t.json:1:46: camera.target has 1 number, must have 2 (world.dimensions)");
    expectRefused("{\"camera\":{\"target\":[1,2]}}",
                  "t.json:1:21: camera.target has 2 numbers, must have 3 (world.dimensions)");
}

static void testDomain(void **state) {
    (void)state;
    expectRefused("{\"domain\": {\"min\": [0,0,0]}}", "t.json:1:12: domain.max is missing");
    expectRefused("{\"domain\": {\"min\": [0,0,0], \"max\": [1,0,1]}}",
                  "t.json:1:39: domain.max[1] is 0, must be above domain.min[1], which is 0");
    expectRefused("{" PLANE ",\"domain\":{\"min\":[0,0],\"max\":[1,1],\"sides\":{\"front\":{}}}}",
                  "t.json:1:70: 2 dimensions have no side \"front\"");
    expectRefused("{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1],\"sides\":{\"top\":{\"type\":\"shut\"}}}}",
                  "t.json:1:63: domain.sides.top.type is \"shut\", allowed is freeSlip|noSlip|open");
}

static void testBlocks(void **state) {
    (void)state;
    expectRefused(FLUIDS("{\"min\":[0,0,0]}"), "t.json:2:37: fluids[0].blocks[0].max is missing");
    expectRefused(
        FLUIDS("{\"min\":[0,0,0],\"max\":[1,-1,1]}"),
        "t.json:2:37: fluids[0].blocks[0] is empty: max[1] is -1, must be above min[1], which is 0");
    expectRefused(
        FLUIDS("{\"min\":[0,0,0],\"max\":[1,0.001,1]}"),
        "t.json:2:37: fluids[0].blocks[0] holds no particle: it is thinner than half of sph.spacing, "
        "which is 0.02 m");
    expectRefused(FLUIDS("{\"min\":[0,0,0],\"max\":[1,1,2]}"),
                  "t.json:2:37: fluids[0].blocks[0] reaches to z = 2, beyond the closed side \"front\" at 1");
    expectRefused(FLUIDS("{\"min\":[0,0,0],\"max\":[1,1,1],\"jitter\":0.6}"),
                  "t.json:2:75: fluids[0].blocks[0].jitter is 0.6, allowed is 0 to 0.5 spacings");
    expectRefused("{\"sph\":{\"spacing\":0.0001},\n" FLUID
                  "\"blocks\":[{\"min\":[0,0,0],\"max\":[1,1,1]}]}]}",
                  "t.json:2:37: the scene has 1e+12 particles up to here, a world holds at most 2147483647; "
                  "is a spacing too small?");
    expectRefused(
        "{" BOX "," FLUID "\"particles\":[{\"position\":[0,5,0]}]}]}",
        "t.json:1:80: fluids[0].particles[0] reaches to y = 5, beyond the closed side \"top\" at 1");
}

static void testNames(void **state) {
    (void)state;
    expectRefused("{\"fluids\":[{}]}", "t.json:1:12: fluids[0].name is missing");
    expectRefused("{\"fluids\":[{\"name\":\"a\"},{\"name\":\"a\"}]}",
                  "t.json:1:33: name \"a\" is taken by a section or another object");
    expectRefused("{\"fluids\":[{\"name\":\"sph\"}]}",
                  "t.json:1:20: name \"sph\" is taken by a section or another object");
    expectRefused("{\"fluids\":[{\"name\":\"a.b\"}]}",
                  "t.json:1:20: name \"a.b\" must be 1 to 63 letters, digits, - and _, the first a letter");
    expectRefused("{\"fluids\":[{\"name\":\"w\",\"solver\":\"dem\"}]}",
                  "t.json:1:33: fluids[0].solver is \"dem\", allowed is sph|pbf");
    expectRefused("{\"fluids\":[{\"name\":\"w\",\"restDensity\":-5}]}",
                  "t.json:1:38: fluids[0].restDensity is -5, allowed is 0.001 to 1e+06 kg/m3, or auto");
    expectRefused("{\"fluids\":[{\"name\":\"w\",\"solver\":\"pbf\",\"restDensity\":0}]}",
                  "t.json:1:53: fluids[0].restDensity is 0, allowed is 0.001 to 1e+06 kg/m3, or auto");
}

#define SCRIPT(set, value) "{\"script\":[{\"at\":1,\"set\":" set ",\n\"value\":" value "}]}"

static void testScript(void **state) {
    (void)state;
    expectRefused(SCRIPT("\"sph.viscosty\"", "1"),
                  "t.json:1:26: unknown parameter \"viscosty\" in \"sph\"; did you mean \"viscosity\"?");
    expectRefused(SCRIPT("\"shp.viscosity\"", "1"),
                  "t.json:1:26: unknown section or object \"shp\"; did you mean \"sph\"?");
    expectRefused(SCRIPT("\"viscosity\"", "1"),
                  "t.json:1:26: \"viscosity\" must be SECTION.NAME, such as sph.viscosity");
    expectRefused(SCRIPT("\"sph.spacing\"", "1"),
                  "t.json:1:26: sph.spacing is fixed when the world is made: a script cannot change it");
    expectRefused(SCRIPT("\"camera.fov\"", "50"),
                  "t.json:1:26: camera.fov is not part of the world: a script cannot change it, but "
                  "camera.keys can");
    expectRefused(SCRIPT("\"sph.viscosity\"", "-1"),
                  "t.json:2:9: sph.viscosity is -1, allowed is 0 to 1e+06 Pa s");
    expectRefused(SCRIPT("\"sph.viscosity\"", "\"1\""),
                  "t.json:2:9: sph.viscosity is the string \"1\", must be a number");
    expectRefused("{\"script\":[{\"at\":-1,\"set\":\"sph.viscosity\",\"value\":1}]}",
                  "t.json:1:18: script[0].at is -1, allowed is 0 to 1e+09 s");
    expectRefused("{\"script\":[{\"at\":1}]}", "t.json:1:12: script[0].set is missing");
}

static void expectSetRefused(wbScene *scene, const char *key, const char *value, const char *message) {
    expectError(wbScene_Set(scene, key, value), message);
}

#define KEY(at, x, y, z) "{\"at\":" at ",\"position\":[" x "," y "," z "],\"target\":[1,0,0]}"
#define KEYS(keys)       "{\"camera\":{\"fov\":30,\"keys\":[" keys "]}}"

static void testCameraKeys(void **state) {
    (void)state;
    wbScene *scene = readGood("{\"camera\":{\"fov\":30,\"keys\":[" KEY("1", "0", "0", "5") "," KEY(
        "2", "2", "0", "5") ",{\"at\":4,\"position\":[2,4,5],\"target\":[1,2,0],\"fov\":90}]}}");
    // it stands still before the first key and after the last
    wbCameraParams first = wbScene_GetCameraAt(scene, 0), last = wbScene_GetCameraAt(scene, 9);
    assert_true(first.position.x == 0 && first.target.x == 1 && first.fov == 30);
    assert_true(last.position.y == 4 && last.target.y == 2 && last.fov == 90);
    assert_memory_equal(wbScene_GetCamera(scene), &first, sizeof first);
    // it is at each key in time, and its velocity there is that from the key before to the one after it
    wbCameraParams key = wbScene_GetCameraAt(scene, 2), before = wbScene_GetCameraAt(scene, 2 - 1e-3),
                   after = wbScene_GetCameraAt(scene, 2 + 1e-3);
    assert_true(key.position.x == 2 && key.position.y == 0 && key.fov == 30);
    assert_true(fabs((key.position.x - before.position.x) / 1e-3 - 2.0 / 3) < 0.01);
    assert_true(fabs((after.position.x - key.position.x) / 1e-3 - 2.0 / 3) < 0.01);
    assert_true(fabs((after.position.y - key.position.y) / 1e-3 - 4.0 / 3) < 0.01);
    // it sets out slowly
    wbCameraParams start = wbScene_GetCameraAt(scene, 1.01);
    assert_true(start.position.x > 0 && start.position.x < 1e-3f);
    // what is set stands still
    expectError(wbScene_Set(scene, "camera.fov", "500"), "camera.fov is 500, allowed is 5 to 120 degrees");
    assert_int_equal(wbScene_Set(scene, "camera.fov", "50").code, wb_ok);
    first = wbScene_GetCameraAt(scene, 0), last = wbScene_GetCameraAt(scene, 9);
    assert_memory_equal(&first, &last, sizeof first);
    assert_true(first.fov == 50 && first.position.z == 5);
    wbDestroyScene(scene);
    scene = readGood("{" PLANE ",\"camera\":{\"keys\":[{\"at\":0,\"position\":[0,1],\"target\":[1,0,3]}]}}");
    assert_true(wbScene_GetCameraAt(scene, 3).target.z == 3 && wbScene_GetCameraAt(scene, 3).fov == 40);
    wbDestroyScene(scene);
    expectRefused(KEYS(KEY("2", "0", "0", "5") "," KEY("2", "1", "0", "5")),
                  "t.json:1:80: camera.keys[1].at is 2 s, must be after the key before it, which is at 2 s");
    expectRefused(KEYS(KEY("2", "1", "0", "0")),
                  "t.json:1:29: camera.keys[0] has position and target at one place: let it look at another");
    expectRefused(KEYS(KEY("-1", "0", "0", "5")),
                  "t.json:1:35: camera.keys[0].at is -1, allowed is 0 to 1e+09 s");
    expectRefused(KEYS("{\"at\":1,\"position\":[1,2,3]}"), "t.json:1:29: camera.keys[0].target is missing");
    expectRefused(KEYS("7"), "t.json:1:29: camera.keys[0] is the number 7, must be an object");
    expectRefused("{\"camera\":{\"keys\":3}}", "t.json:1:19: camera.keys is the number 3, must be an array");
    expectRefused("{\"camera\":{\"position\":[1,2,3],\"keys\":[]}}",
                  "t.json:1:38: camera.keys say where the camera is: leave position and target to them");
    expectRefused("{\"camera\":{\"key\":[]}}",
                  "t.json:1:12: unknown key \"key\" in \"camera\"; did you mean \"keys\"?");
}

static void testSet(void **state) {
    (void)state;
    wbScene *scene = readGood("{" FLUID "\"blocks\":[]}]}");
    assert_true(wbIsOk(wbScene_Set(scene, "sph.viscosity", "0.25")));
    assert_float_equal(wbScene_GetWorldDef(scene)->sph.viscosity, 0.25f, 0);
    assert_true(wbIsOk(wbScene_Set(scene, "output.size", "320x240")));
    assert_int_equal(wbScene_GetOutput(scene)->size.width, 320);
    assert_true(wbIsOk(wbScene_Set(scene, "world.gravity", "1,2,3")));
    assert_float_equal(wbScene_GetWorldDef(scene)->params.gravity.z, 3, 0);

    expectSetRefused(scene, "sph.viscosity", "-3", "sph.viscosity is -3, allowed is 0 to 1e+06 Pa s");
    expectSetRefused(scene, "sph.viscosity", "nan", "sph.viscosity is \"nan\", allowed is 0 to 1e+06 Pa s");
    expectSetRefused(scene, "sph.viscosty", "1",
                     "unknown parameter \"viscosty\" in \"sph\"; did you mean \"viscosity\"?");
    expectSetRefused(scene, "world.gravity", "0,-9.81",
                     "world.gravity has 2 numbers, must have 3 (world.dimensions)");
    expectSetRefused(scene, "world.gravity", "0,x,0",
                     "world.gravity is \"0,x,0\", allowed is X,Y,Z, each -10000 to 10000 m/s2");
    expectSetRefused(scene, "zzzzzz.a", "1",
                     "unknown section or object \"zzzzzz\"; there are world, domain, sph, pbf, pbd, rigid, "
                     "coupling, diffuse, smoke, "
                     "camera, output, "
                     "and named objects");
    expectSetRefused(scene, "water.a", "1",
                     "fluid \"water\" has no parameters of its own; its solver's are in \"sph\"");
    expectSetRefused(scene, "", "1", "\"\" must be SECTION.NAME, such as sph.viscosity");
    expectSetRefused(scene, "sph.", "1", "\"sph.\" must be SECTION.NAME, such as sph.viscosity");
    expectSetRefused(scene, "world.dimensions", "2",
                     "world.dimensions belongs to the vectors of the scene's file: change it there");
    assert_float_equal(wbScene_GetWorldDef(scene)->sph.viscosity, 0.25f, 0);
    wbDestroyScene(scene);
}

static void testSetAt(void **state) {
    (void)state;
    wbScene *scene = readGood(SCRIPT("\"sph.viscosity\"", "1"));
    assert_true(wbIsOk(wbScene_SetAt(scene, 0.5, "sph.viscosity", "2")));
    assert_true(wbIsOk(wbScene_SetAt(scene, 1, "sph.viscosity", "3")));
    const wbScriptEntry *entries = scene->script.data;
    assert_string_equal(entries[0].value, "2");
    assert_string_equal(entries[1].value, "1");
    assert_string_equal(entries[2].value, "3");
    // the scene itself keeps its value
    assert_float_equal(wbScene_GetWorldDef(scene)->sph.viscosity, 0.001f, 0);

    expectError(wbScene_SetAt(scene, -1, "sph.viscosity", "2"), "time is -1, allowed is 0 to 1e+09 s");
    expectError(wbScene_SetAt(scene, 1, "sph.viscosity", "x"),
                "sph.viscosity is \"x\", allowed is 0 to 1e+06 Pa s");
    expectError(wbScene_SetAt(scene, 1, "world.seed", "2"),
                "world.seed is fixed when the world is made: a script cannot change it");
    assert_int_equal(scene->scriptCount, 3);
    wbDestroyScene(scene);
}

static void expectFileRefused(const char *path, wbCode code, const char *message) {
    wbScene *scene;
    wbStatus status = wbReadScene(path, &scene);
    assert_string_equal(status.text, message);
    assert_int_equal(status.code, code);
    assert_null(scene);
}

static void testFiles(void **state) {
    (void)state;
    expectFileRefused("none.json", wb_errorFile, "cannot read none.json: No such file or directory");
    mkdir("folder.json", 0700);
    expectFileRefused("folder.json", wb_errorFile, "cannot read folder.json: Is a directory");
    rmdir("folder.json");
    writeBytes("t.json", "", 0);
    expectFileRefused("t.json", wb_errorInput, "t.json is empty");
    writeBytes("t.json", "{\n\0}", 4);
    expectFileRefused("t.json", wb_errorInput, "t.json:2:1: zero byte; a scene is a text in UTF-8");
    writeBytes("t.json", "\xef\xbb\xbf{}", 5);
    expectFileRefused("t.json", wb_errorInput,
                      "t.json:1:1: byte order mark; save the file as UTF-8 without one");
    writeBytes("t.json", " \n", 2);
    expectFileRefused("t.json", wb_errorInput, "t.json:2:1: '[' or '{' expected near end of file");
    assert_int_equal(truncate("t.json", (64 << 20) + 1), 0);
    expectFileRefused("t.json", wb_errorInput, "t.json is larger than 64 MB, the limit of a scene file");
    // neither ends, and the second never begins
    expectFileRefused("/dev/zero", wb_errorFile,
                      "cannot read /dev/zero: it is a device or a pipe, not a file");
    assert_int_equal(mkfifo("pipe.json", 0600), 0);
    expectFileRefused("pipe.json", wb_errorFile,
                      "cannot read pipe.json: it is a device or a pipe, not a file");
    unlink("pipe.json");
}

static void testLongPathKeepsTheMessage(void **state) {
    (void)state;
    char path[400] = "";
    for (int i = 0; i < 99; i++) strcat(path, "./");
    strcat(path, "t.json");
    writeBytes("t.json", "{\"a\":1}", 7);
    wbScene *scene;
    wbStatus status = wbReadScene(path, &scene);
    assert_non_null(strstr(status.text, "./t.json:1:2: unknown key \"a\" in the scene"));
}

static void testWorldOfAScene(void **state) {
    (void)state;
    wbScene *scene = readGood("{\"world\":{\"dt\":0.001}," BOX ",\"sph\":{\"spacing\":0.1}," FLUID
                              "\"blocks\":[{\"min\":[0,0,0],\"max\":[0.5,0.45,0.12]}],"
                              "\"particles\":[{\"position\":[0.9,0.9,0.9]}]}],"
                              "\"script\":[{\"at\":0.0025,\"set\":\"sph.viscosity\",\"value\":7}]}");
    wbWorld *world;
    assert_true(wbIsOk(wbScene_CreateWorld(scene, &world)));
    wbFluidId fluid = wbWorld_GetFluid(world, 0);
    assert_string_equal(wbFluid_GetName(world, fluid), "water");
    assert_true(wbFluid_GetParticleCount(world, fluid) == wbScene_GetParticleCount(scene));

    // due at the first step that begins at its time or later
    for (int step = 0; step < 5; step++) {
        assert_true(wbIsOk(wbScene_RunScript(scene, world)));
        assert_float_equal(wbWorld_GetSphParams(world)->viscosity, step < 3 ? 0.001f : 7, 0);
        assert_true(wbIsOk(wbWorld_Step(world, 0)));
    }
    // and only once
    assert_true(wbIsOk(wbWorld_SetParam(world, "sph.viscosity", "3")));
    assert_true(wbIsOk(wbScene_RunScript(scene, world)));
    assert_float_equal(wbWorld_GetSphParams(world)->viscosity, 3, 0);
    assert_true(wbIsOk(wbScene_CheckWorld(scene, world)));
    wbDestroyWorld(world);

    // settings may spoil what the file was checked against
    assert_true(wbIsOk(wbScene_Set(scene, "sph.spacing", "0.3")));
    expectError(wbScene_CreateWorld(scene, &world),
                "t.json:1:119: block 0 of fluid \"water\" holds no particle: it is thinner "
                "than half of sph.spacing, which is 0.3 m");
    assert_null(world);
    wbDestroyScene(scene);
}

// A world is compared with a scene that it may be resumed with.
static void testWorldOfAnotherScene(void **state) {
    (void)state;
    wbScene *scene = readGood("{" BOX "," FLUID "\"blocks\":[]}]}");
    wbWorld *world;
    assert_true(wbIsOk(wbScene_CreateWorld(scene, &world)));
    assert_true(wbIsOk(wbScene_CheckWorld(scene, world)));
    wbDestroyScene(scene);
    const char *const others[][2] = {
        {"{" PLANE "}", "it has 3 dimensions, the scene has 2"},
        {"{" BOX "}", "it has 1 fluids, the scene has 0"},
        {"{" BOX ",\"fluids\":[{\"name\":\"oil\"}]}", "its fluid 0 is \"water\", the scene's is \"oil\""},
        {"{\"domain\":{\"min\":[0,0,-1],\"max\":[1,1,1]}," FLUID "\"blocks\":[]}]}",
         "its domain ends at 0 on the side \"back\", the scene's at -1"},
        {"{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1],\"sides\":{\"top\":{\"type\":\"open\"}}}," FLUID
         "\"blocks\":[]}]}",
         "its domain has another type of side \"top\" than the scene's"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        scene = readGood(others[i][0]);
        expectError(wbScene_CheckWorld(scene, world), others[i][1]);
        wbDestroyScene(scene);
    }
    wbDestroyWorld(world);
}

// Of air, what cannot change while a world runs is compared; a solver that is there only if asked for, too.
static void testAirOfAnotherScene(void **state) {
    (void)state;
    wbScene *scene = readGood("{" BOX ",\"smoke\":{\"cellSize\":0.25}}");
    wbWorld *world;
    assert_true(wbIsOk(wbScene_CreateWorld(scene, &world)));
    assert_true(wbWorld_HasSolver(world, "smoke") && !wbWorld_HasSolver(world, "sph"));
    assert_true(wbIsOk(wbWorld_SetParam(world, "smoke.cooling", "3")));
    assert_true(wbIsOk(wbScene_CheckWorld(scene, world)));
    wbDestroyScene(scene);
    const char *const others[][2] = {
        {"{" BOX "}", "it has smoke, the scene has none"},
        {"{" BOX ",\"smoke\":{\"cellSize\":0.5}}", "its smoke.cellSize is 0.25, the scene's is 0.5"},
        {"{" BOX ",\"smoke\":{\"cellSize\":0.25,\"fire\":true}}",
         "its smoke.fire is false, the scene's is true"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        scene = readGood(others[i][0]);
        expectError(wbScene_CheckWorld(scene, world), others[i][1]);
        wbDestroyScene(scene);
    }
    wbDestroyWorld(world);
    scene = readGood("{" BOX "}");
    assert_true(wbIsOk(wbScene_CreateWorld(scene, &world)));
    wbDestroyScene(scene);
    scene = readGood(others[1][0]);
    expectError(wbScene_CheckWorld(scene, world), "it has no smoke, the scene has some");
    wbDestroyScene(scene);
    wbDestroyWorld(world);
}

// What only the world finds out is told at its place in the file as well.
static void testRefusalsOfTheWorldHaveAPlace(void **state) {
    (void)state;
    const char *const cases[][2] = {
        {"{\n\"softBodies\":[{\"name\":\"rope\",\"shape\":\"rope\",\"count\":5,\n \"pins\":[0, 7]}]}",
         "t.json:3:9: soft body \"rope\": pin 7 is none of its 5 particles: allowed is -5 to 4"},
        {"{\n\"colliders\":[{\"name\":\"a\"}],\n\"mechanisms\":[{\"name\":\"wheel\",\"kind\":\"wheel\",\n"
         "\"axis\":[0,0,0],\"colliders\":[\"a\"]}]}",
         "t.json:4:8: mechanism \"wheel\": its axis must not be 0,0,0"},
        {"{" BOX "," FLUID "\"blocks\":[]}],\n\"emitters\":[{\"name\":\"pipe\",\"position\":[0.5,0.5,0.5],\n"
         " \"direction\":[0,0,0]}]}",
         "t.json:3:14: emitter \"pipe\" has no direction"},
        {"{" PLANE ",\n\"colliders\":[{\"name\":\"a\",\n\"rotation\":[1,0,0]}]}",
         "t.json:3:12: collider \"a\": in 2D its rotation is about z only: 0,0,angle, not 1,0,0"},
        {"{\n\"domain\":{\"min\":[0,0,0],\"max\":[0.2,1,1]},\"sph\":{\"spacing\":0.1}," FLUID
         "\"blocks\":[]}]}",
         "t.json:2:74: the domain is 0.2 m long in x, less than the support radius"},
        {"{\n\"smoke\":{}}", "t.json:2:9: smoke fills the box of the domain: its min must be less"},
        {"{" BOX ",\n\"smoke\":{\"fire\":false,\"cellSize\":1e-6}}",
         "t.json:2:34: cells of 1e-06 m make too many of them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wbScene *scene = readGood(cases[i][0]);
        wbWorld *world;
        wbStatus status = wbScene_CreateWorld(scene, &world);
        assert_int_equal(status.code, wb_errorInput);
        if (strncmp(status.text, cases[i][1], strlen(cases[i][1])) != 0)
            assert_string_equal(status.text, cases[i][1]);
        assert_null(world);
        wbDestroyScene(scene);
    }
}

// A refusal while it runs points at the entry of the script.
static void testRefusedEntryHasAPlace(void **state) {
    (void)state;
    wbScene *scene = readGood("{" PLANE ",\"colliders\":[{\"name\":\"a\"}],\n\"script\":[\n"
                              "{\"at\":0,\"set\":\"a.position\",\"value\":[1,1]},\n"
                              "{\"at\":0,\"set\":\"a.rotation\",\"value\":[1,0,0]}]}");
    wbWorld *world;
    assert_true(wbIsOk(wbScene_CreateWorld(scene, &world)));
    wbStatus status = wbScene_RunScript(scene, world);
    assert_string_equal(status.text,
                        "t.json:4:36: script at 0 s: collider \"a\": in 2D its rotation is about z only: "
                        "0,0,angle, not 1,0,0");
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

// A box is closed unless its sides are opened, from C as from a file; without a box there are no sides.
static void testDomainOfCAndFile(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbScene *scene = readGood("{" BOX "}");
    wbWorld *fromFile, *fromC, *unbounded;
    assert_true(wbIsOk(wbScene_CreateWorld(scene, &fromFile)));
    assert_true(wbIsOk(wbCreateWorld(&def, &unbounded)));
    def.domain.max = wbMakeVec3(1, 1, 1);
    assert_true(wbIsOk(wbCreateWorld(&def, &fromC)));
    for (int side = 0; side < wb_sideCount; side++) {
        assert_int_equal(wbWorld_GetDomain(fromFile).sides[side].type, wb_sideFreeSlip);
        assert_int_equal(wbWorld_GetDomain(fromC).sides[side].type, wb_sideFreeSlip);
        assert_int_equal(wbWorld_GetDomain(unbounded).sides[side].type, wb_sideOpen);
    }
    wbDestroyWorld(fromFile), wbDestroyWorld(fromC), wbDestroyWorld(unbounded);
    wbDestroyScene(scene);
    def.domain.max = wbMakeVec3(0, 0, 0), def.domain.sides[wb_bottom].type = wb_sideNoSlip;
    expectError(wbCreateWorld(&def, &fromC),
                "domain side bottom is closed, but the box has no extent: set domain.min and domain.max");
}

// Whoever is named wrongly is told who may have been meant.
static void testUnknownObjectsNameTheNearest(void **state) {
    (void)state;
    expectRefused("{" BOX "," FLUID
                  "\"blocks\":[]}],\n\"emitters\":[{\"name\":\"pipe\",\"fluid\":\"watre\"}]}",
                  "t.json:2:36: there is no fluid named \"watre\"; did you mean \"water\"?");
    expectRefused("{" BOX "," FLUID
                  "\"blocks\":[]}],\"emitters\":[{\"name\":\"pipe\",\"position\":[0.5,0.5,0.5]}],\n"
                  "\"drains\":[{\"name\":\"d\",\"min\":[0,0,0],\"max\":[1,1,1],\"emitter\":\"pype\"}]}",
                  "t.json:2:61: there is no emitter named \"pype\"; did you mean \"pipe\"?");
    expectRefused("{\"colliders\":[{\"name\":\"leaf\"},{\"name\":\"paddles\"}],\n"
                  "\"mechanisms\":[{\"name\":\"wheel\",\"kind\":\"wheel\",\"colliders\":[\"padles\"]}]}",
                  "t.json:2:59: there is no collider named \"padles\"; did you mean \"paddles\"?");
    // however many there are
    char text[8192] = "{\"sph\":{\"spacing\":0.1},\"drains\":[";
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{\"name\":\"drain-%d\",\"min\":[0,0,0],\"max\":[1,1,1]}", i ? "," : "", i);
    strcat(text, "],\"colliders\":[{\"name\":\"leaf\"}],\"mechanisms\":[{\"name\":\"wheel\",\"kind\":"
                 "\"wheel\",\"colliders\":["
                 "\"leaf\"]}]}");
    wbScene *scene = readGood(text);
    wbWorld *world;
    expectSetRefused(scene, "wheeel.speed", "1",
                     "unknown section or object \"wheeel\"; did you mean \"wheel\"?");
    assert_true(wbIsOk(wbScene_CreateWorld(scene, &world)));
    expectError(wbWorld_SetParam(world, "wheeel.speed", "1"),
                "unknown section or object \"wheeel\" in \"wheeel.speed\"; did you mean \"wheel\"?");
    expectError(wbWorld_SetParam(world, "shp.viscosity", "1"),
                "unknown section or object \"shp\" in \"shp.viscosity\"; did you mean \"sph\"?");
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

// Every solver of a world tells where its time went.
static void testProfileOfAMix(void **state) {
    (void)state;
    static const char
        rope[] = "\"softBodies\":[{\"name\":\"rope\",\"shape\":\"rope\",\"count\":5,\"length\":0.5,"
                 "\"position\":[0.5,0.5,0.5]}],\"smoke\":{\"cellSize\":0.1}",
        fluids[] = "\"sph\":{\"spacing\":0.1},\"pbf\":{\"spacing\":0.1},\"coupling\":{\"fluids\":\"ignore\"},"
                   "\"fluids\":[{\"name\":\"a\"},{\"name\":\"b\",\"solver\":\"pbf\"}]";
    const char *const phases[2][8] = {
        {"pbd_constraints", "smoke_colliders", "smoke_pressure"},
        {"sph_sort", "sph_integrate", "pbf_density", "pbd_constraints", "smoke_colliders", "smoke_pressure"}};
    for (int isMixed = 0; isMixed < 2; isMixed++) {
        char text[1024];
        snprintf(text, sizeof text, "{" BOX ",%s%s%s}", rope, isMixed ? "," : "", isMixed ? fluids : "");
        wbScene *scene = readGood(text);
        wbWorld *world;
        assert_true(wbIsOk(wbScene_CreateWorld(scene, &world)));
        assert_true(wbIsOk(wbWorld_Step(world, 0.001f)));
        wbProfile profile = wbWorld_GetProfile(world);
        for (int k = 0; phases[isMixed][k]; k++) {
            int count = 0;
            for (int p = 0; p < profile.phaseCount; p++)
                count += strcmp(profile.phases[p].name, phases[isMixed][k]) == 0;
            assert_int_equal(count, 1);
        }
        wbDestroyWorld(world);
        wbDestroyScene(scene);
    }
}

static void testLoadScene(void **state) {
    (void)state;
    wbWorld *world;
    writeBytes("t.json", "{}", 2);
    assert_true(wbIsOk(wbLoadScene("t.json", &world)));
    assert_int_equal(wbWorld_GetFluidCount(world), 0);
    wbDestroyWorld(world);
    assert_int_equal(wbLoadScene("none.json", &world).code, wb_errorFile);
    assert_null(world);
}

static void testScenesOfTheProject(void **state) {
    (void)state;
    glob_t files;
    assert_int_equal(glob(WB_SOURCE_DIR "/scenes/*.json", 0, NULL, &files), 0);
    assert_int_equal(glob(WB_SOURCE_DIR "/scenes/bench/*.json", GLOB_APPEND, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        wbScene *scene;
        wbStatus status = wbReadScene(files.gl_pathv[i], &scene);
        assert_string_equal(status.text, "");
        char velocity[32]; // particles, smoke or rigid bodies are there, or a pipe brings water
        assert_true(wbScene_GetParticleCount(scene) > 0 || wbScene_GetWorldDef(scene)->hasSmoke ||
                    scene->rigidBodyCount > 0 ||
                    wbIsOk(wbScene_Get(scene, "pipe.velocity", velocity, sizeof velocity)));
        assert_true(strlen(wbScene_GetDescription(scene)) > 0);
        wbDestroyScene(scene);
    }
    globfree(&files);
}

// docs/scene.schema.json is what the tables say
static void testSchemaIsUpToDate(void **state) {
    (void)state;
    FILE *written = tmpfile(), *kept = fopen(WB_SOURCE_DIR "/docs/scene.schema.json", "rb");
    assert_non_null(kept);
    assert_true(wbIsOk(wbWriteSceneSchema(written)));
    rewind(written);
    int a, b;
    do {
        a = fgetc(written);
        b = fgetc(kept);
        if (a != b)
            fail_msg("docs/scene.schema.json is old: wirbel params --schema > docs/scene.schema.json");
    } while (a != EOF);
    fclose(written);
    fclose(kept);
}

static int enterTempFolder(void **state) {
    static char folder[] = "/tmp/wirbel-test-scene-XXXXXX";
    *state = folder;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leaveTempFolder(void **state) {
    remove("t.json");
    return chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEmptySceneHasDefaults),
        cmocka_unit_test(testWholeScene),
        cmocka_unit_test(testSyntaxErrorsHaveAPlace),
        cmocka_unit_test(testDeepNestingIsRefused),
        cmocka_unit_test(testPlaceBehindDeepValue),
        cmocka_unit_test(testPlaceOfEscapedKeysAndText),
        cmocka_unit_test(testUnknownKeysNameTheNearest),
        cmocka_unit_test(testRenamedKeysNameTheNewOne),
        cmocka_unit_test(testKeysOfOtherSections),
        cmocka_unit_test(testWrongTypes),
        cmocka_unit_test(testRanges),
        cmocka_unit_test(testVectorsHaveTheWorldsLength),
        cmocka_unit_test(testDomain),
        cmocka_unit_test(testBlocks),
        cmocka_unit_test(testNames),
        cmocka_unit_test(testScript),
        cmocka_unit_test(testCameraKeys),
        cmocka_unit_test(testSet),
        cmocka_unit_test(testSetAt),
        cmocka_unit_test(testFiles),
        cmocka_unit_test(testLongPathKeepsTheMessage),
        cmocka_unit_test(testWorldOfAScene),
        cmocka_unit_test(testWorldOfAnotherScene),
        cmocka_unit_test(testAirOfAnotherScene),
        cmocka_unit_test(testRefusalsOfTheWorldHaveAPlace),
        cmocka_unit_test(testRefusedEntryHasAPlace),
        cmocka_unit_test(testDomainOfCAndFile),
        cmocka_unit_test(testUnknownObjectsNameTheNearest),
        cmocka_unit_test(testProfileOfAMix),
        cmocka_unit_test(testLoadScene),
        cmocka_unit_test(testScenesOfTheProject),
        cmocka_unit_test(testSchemaIsUpToDate),
    };
    return cmocka_run_group_tests(tests, enterTempFolder, leaveTempFolder);
}
