// SPDX-License-Identifier: MIT
// Commands, their queue and log, and recordings: what a user did is done again, bit for bit.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "scene/file_kind.h"
#include "scene/progress.h"
#include "scene/recording.h"
#include "test_support.h"

static const char sceneText[] =
    "{\"world\":{\"dt\":0.005},\"coupling\":{\"fluids\":\"ignore\"},\"domain\":{\"min\":[0,0,0],\"max\":[1,0."
    "8,0.8]},"
    "\"sph\":{\"spacing\":0.1,\"soundSpeed\":20},\"pbf\":{\"spacing\":0.1,\"subSteps\":2},"
    "\"smoke\":{\"cellSize\":0.1},\"pbd\":{\"radius\":0.02},"
    "\"sources\":[{\"name\":\"ember\",\"position\":[0.4,0.5,0.4],\"radius\":0.1,\"temperature\":100}],"
    "\"fluids\":[{\"name\":\"water\",\"blocks\":[{\"min\":[0,0,0],\"max\":[0.3,0.3,0.4]}]},"
    "{\"name\":\"syrup\",\"solver\":\"pbf\",\"blocks\":[{\"min\":[0.7,0,0],\"max\":[1,0.3,0.3]}]}],"
    "\"bodies\":[{\"name\":\"crate\",\"size\":[0.1,0.1,0.1],\"position\":[0.5,0.6,0.6]}],"
    "\"softBodies\":[{\"name\":\"cloth\",\"shape\":\"cloth\",\"size\":[0.3,0.3,1],\"counts\":[4,4,1],"
    "\"position\":[0.5,0.5,0.3]}],"
    "\"script\":[{\"at\":0.02,\"set\":\"world.gravity\",\"value\":[1,-9,0]}]}";

static const char scenePath[] = "recording_scene.json", path[] = "recording.json";

static wbScene *openScene(void) {
    wbScene *scene;
    FILE *file = fopen(scenePath, "w");
    assert_non_null(file);
    fputs(sceneText, file);
    fclose(file);
    assertOk(wbReadScene(scenePath, &scene));
    return scene;
}

typedef struct Deed {
    int step; ///< before which it is done
    const char *key, *value;
} Deed;

// One of everything; what is done at the time of the script's entry comes after that.
static const Deed deeds[] = {
    {0, "sph.viscosity", "0.5"},
    {0, "cloth.pin", "particle=0"},
    {0, "cloth.pin", "particle=3"},
    {2, "ember.temperature", "50"},
    {2, "cloth.movePin", "particle=3 position=0.7,0.7,0.35"},
    {3, "world.addRigidBody", "ball shape=sphere radius=0.05 position=0.2,0.7,0.6 velocity=1,0,0"},
    {4, "world.gravity", "0,-5,0"},
    {5, "water.addBlock", "min=0.4,0.5,0.0 max=0.6,0.7,0.2 velocity=0,-1,0"},
    {5, "syrup.addBall", "position=0.8,0.65,0.65 radius=0.1"},
    {6, "cloth.unpin", "particle=0"},
    {7, "ball.setVelocity", "velocity=0,2,0"},
    {7, "crate.setPosition", "position=0.5,0.7,0.6"},
    {7, "crate.friction", "0.1"},
};
enum { DEEDS = sizeof deeds / sizeof deeds[0], STEPS = 12 };

static void failOnRefusal(const wbLoggedCommand *command, wbStatus why, void *context) {
    (void)context;
    fail_msg("%s: %s", command->key, why.text);
}

static void record(wbRecording *recording, int threads) {
    wbScene *scene = openScene();
    wbWorld *world;
    wbCommandQueue queue = {0};
    *recording = (wbRecording){0};
    assertOk(wbCommandLog_Add(&recording->settings, 0, "pbd.drag", "0.25"));
    assertOk(wbRecording_ApplySettings(recording, scene));
    wbScene_GetWorldDef(scene)->threadCount = threads;
    assertOk(wbScene_CreateWorld(scene, &world));
    assertOk(wbRecording_Start(recording, scene, world));
    for (int step = 0; step < STEPS; step++) {
        for (int d = 0; d < DEEDS; d++)
            if (deeds[d].step == step) assertOk(wbCommandQueue_Put(&queue, deeds[d].key, deeds[d].value));
        assertOk(wbScene_RunScript(scene, world));
        assertOk(wbCommandQueue_Run(&queue, world, &recording->script, failOnRefusal, NULL));
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbRecording_AddStep(recording, world));
    }
    wbRecording_End(recording, world);
    wbCommandQueue_Free(&queue);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

static uint64_t replay(const wbRecording *recording, int threads) {
    wbScene *scene;
    wbWorld *world;
    int next = 0;
    assertOk(wbReadScene(recording->scene, &scene));
    assert_true(wbScene_HashText(scene) == recording->sceneHash);
    assertOk(wbRecording_ApplySettings(recording, scene));
    wbScene_GetWorldDef(scene)->threadCount = threads;
    assertOk(wbScene_CreateWorld(scene, &world));
    while (wbWorld_GetStepCount(world) < recording->endStep) {
        assertOk(wbScene_RunScript(scene, world));
        assertOk(wbRecording_Replay(recording, world, &next));
        assertOk(wbWorld_Step(world, 0));
    }
    bool isKnown;
    assert_true(wbRecording_IsSame(recording, world, &isKnown) && isKnown);
    assert_true(wbWorld_GetTime(world) == recording->endTime);
    const uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    return hash;
}

static void testReplay(void **state) {
    (void)state;
    wbRecording recording, again;
    record(&recording, 1);
    assert_int_equal(recording.script.count, DEEDS);
    assertOk(wbWriteRecording(path, &recording));
    assertOk(wbReadRecording(path, &again));
    assert_true(replay(&again, 1) == recording.endHash);
    assert_true(replay(&again, 3) == recording.endHash);
    // without what was done, another world comes of it
    wbCommandLog_Cut(&again.script, DEEDS - 2);
    again.endHash = 0, again.endStep = STEPS;
    wbScene *scene;
    wbWorld *world;
    int next = 0;
    bool isKnown;
    assertOk(wbReadScene(scenePath, &scene));
    assertOk(wbRecording_ApplySettings(&again, scene));
    assertOk(wbScene_CreateWorld(scene, &world));
    for (int step = 0; step < STEPS; step++) {
        assertOk(wbScene_RunScript(scene, world));
        assertOk(wbRecording_Replay(&again, world, &next));
        assertOk(wbWorld_Step(world, 0));
    }
    assert_true(wbWorld_Hash(world) != recording.endHash);
    assert_false(wbRecording_IsSame(&again, world, &isKnown));
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    wbRecording_Free(&again);
    wbRecording_Free(&recording);
}

// In a world that goes back and through the same again; the log is the same, and so is the end.
static void testBack(void **state) {
    (void)state;
    wbScene *scene = openScene();
    wbWorld *world;
    wbBytes bytes = {0};
    wbCommandQueue queue = {0};
    wbCommandLog log = {0};
    double time = 0;
    assertOk(wbScene_CreateWorld(scene, &world));
    for (int step = 0; step < STEPS; step++) {
        if (step == 2) {
            time = wbWorld_GetTime(world);
            assertOk(wbWorld_SaveToBytes(world, &bytes));
        }
        for (int d = 0; d < DEEDS; d++)
            if (deeds[d].step == step) assertOk(wbCommandQueue_Put(&queue, deeds[d].key, deeds[d].value));
        assertOk(wbScene_RunScript(scene, world));
        assertOk(wbCommandQueue_Run(&queue, world, &log, failOnRefusal, NULL));
        assertOk(wbWorld_Step(world, 0));
    }
    const uint64_t hash = wbWorld_Hash(world);
    assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
    assert_true(wbWorld_GetTime(world) == time);
    int next = wbCommandLog_Find(&log, time);
    assert_int_equal(next, 3);
    for (int step = 2; step < STEPS; step++) {
        assertOk(wbScene_RunScript(scene, world));
        assertOk(wbCommandLog_Replay(&log, world, &next));
        assertOk(wbWorld_Step(world, 0));
    }
    assert_true(wbWorld_Hash(world) == hash);
    wbFreeBytes(&bytes);
    wbCommandQueue_Free(&queue);
    wbCommandLog_Free(&log);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

static void countRefusal(const wbLoggedCommand *command, wbStatus why, void *context) {
    assert_string_equal(command->key, "sph.viscosity");
    assert_string_equal(why.text, "sph.viscosity is -1, allowed is 0 to 1e+06 Pa s");
    ++*(int *)context;
}

// Of a parameter the last value counts, at its place in the order; of a command each does. What is refused is not logged.
static void testQueue(void **state) {
    (void)state;
    wbScene *scene = openScene();
    wbWorld *world;
    wbCommandQueue queue = {0};
    wbCommandLog log = {0};
    int refused = 0;
    assertOk(wbScene_CreateWorld(scene, &world));
    assertOk(wbCommandQueue_Put(&queue, "pbd.drag", "1"));
    assertOk(wbCommandQueue_Put(&queue, "cloth.pin", "particle=1"));
    assertOk(wbCommandQueue_Put(&queue, "sph.viscosity", "-1"));
    assertOk(wbCommandQueue_Put(&queue, "cloth.pin", "particle=2"));
    assertOk(wbCommandQueue_Put(&queue, "pbd.drag", "2"));
    assertOk(wbCommandQueue_Run(&queue, world, &log, countRefusal, &refused));
    assert_int_equal(refused, 1);
    assert_int_equal(queue.count, 0);
    assert_int_equal(log.count, 3);
    assert_string_equal(wbCommandLog_Get(&log, 0)->value, "particle=1");
    assert_string_equal(wbCommandLog_Get(&log, 1)->value, "particle=2");
    assert_string_equal(wbCommandLog_Get(&log, 2)->value, "2");
    char value[32], longest[WB_COMMAND_VALUE + 1];
    assertOk(wbWorld_GetParam(world, "pbd.drag", value, sizeof value));
    assert_string_equal(value, "2");
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(wbCommandQueue_Put(&queue, "pbd.drag", longest).code, wb_errorInput);
    assertOk(wbCommandLog_Insert(&log, 2, "a", "1"));
    assertOk(wbCommandLog_Insert(&log, 1, "b", "1"));
    assertOk(wbCommandLog_Insert(&log, 2, "c", "1"));
    assert_string_equal(wbCommandLog_Get(&log, 3)->key, "b");
    assert_string_equal(wbCommandLog_Get(&log, 5)->key, "c");
    assert_int_equal(wbCommandLog_Find(&log, 2), 4);
    assert_int_equal(wbCommandLog_Find(&log, 2.5), 6);
    wbCommandQueue_Free(&queue);
    wbCommandLog_Free(&log);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

static void assertRefused(wbWorld *world, const char *key, const char *value, const char *part) {
    const uint64_t before = wbWorld_Hash(world);
    const wbStatus status = wbWorld_Apply(world, key, value);
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, part)) fail_msg("\"%s\" lacks \"%s\"", status.text, part);
    assert_true(wbWorld_Hash(world) == before);
}

static void testRefusals(void **state) {
    (void)state;
    wbScene *scene = openScene();
    wbWorld *world;
    assertOk(wbScene_CreateWorld(scene, &world));
    assertRefused(world, "cloth.pin", "particle=16", "particle is 16, allowed is 0 to 15");
    assertRefused(world, "cloth.pin", "12", "unknown word \"12\"");
    assertRefused(world, "cloth.movePin", "particle=1 position=0,0,0", "particle 1 is not pinned");
    assertRefused(world, "cloth.pin", "partcle=1", "did you mean \"particle=…\"?");
    assertRefused(world, "cloth.pin", "particle=-1", "particle is -1, allowed is 0 to");
    assertRefused(world, "water.addBlock", "min=0,0,0 max=0,0,0", "its text is min=X,Y,Z max=X,Y,Z");
    assertRefused(world, "water.addBlock", "min=0.5,0.5,0.5 max=2,2,2", "closed side");
    assertRefused(world, "water.pin", "particle=1", "has no parameters of its own");
    assertRefused(world, "cloth.addBlock", "", "unknown parameter \"cloth.addBlock\"");
    assertRefused(world, "world.addRigidBody", "crate shape=sphere", "already a rigid body named \"crate\"");
    assertRefused(world, "world.addRigidBody", "b shape=hull", "rigid body \"b\"");
    assertRefused(world, "world.addRigidBody", "b radius=-1", "radius is -1, allowed is");
    assertRefused(world, "crate.setVelocity", "velocity=1e9,0,0", "velocity.x is 1e+09, allowed is");
    assertRefused(world, "nobody.pin", "particle=1", "unknown section or object \"nobody\"");
    assert_true(wbIsCommandKey("cloth.pin"));
    assert_false(wbIsCommandKey("pbd.drag"));
    assert_false(wbIsCommandKey("pin"));
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

// Text, and where in it the error is, with what it says.
static void testReader(void **state) {
    (void)state;
    static const char good[] =
        "{\"scene\": \"a.json\", \"sceneHash\": \"0123456789abcdef\",\n"
        "\"settings\": [{\"set\": \"sph.viscosity\", \"value\": 0.1}],\n"
        "\"script\": [{\"at\": 0.1, \"set\": \"a.b\", \"value\": [1, 2]},\n"
        "{\"at\": 0.1, \"set\": \"a.c\", \"value\": true}],\n"
        "\"writer\": {\"version\": \"0.1.0\", \"simd\": \"avx2\", \"backend\": \"cpu\"},\n"
        "\"hashes\": [{\"step\": 100, \"hash\": \"00000000000000ff\"}],\n"
        "\"end\": {\"step\": 150, \"time\": 1.5, \"hash\": \"00000000000000fe\"}}";
    static const struct {
        const char *from, *to, *message;
    } rows[] = {
        {"\"scene\": \"a.json\", ", "", "r.json:1:1: the recording has no \"scene\""},
        {"\"end\"", "\"ende\"", "r.json:7:1: unknown key \"ende\" in the recording; did you mean \"end\"?"},
        {"9abcdef\"", "9abcdeg\"", "r.json:1:34: \"sceneHash\" must have 16 digits, 0 to 9 and a to f"},
        {"0.1}", "null}", "r.json:2:48: settings[0].value is null, must be a string, a number, true, false"},
        {"{\"at\": 0.1, \"set\": \"a.c\"", "{\"at\": 0.05, \"set\": \"a.c\"",
         "r.json:4:8: \"at\" is 0.050000000000000003, allowed is 0.10000000000000001 to 1000000000"},
        {"[1, 2]", "[1, 2, 3, 4]", "r.json:3:47: script[0].value is the array [1, 2, 3, 4], must"},
        {"\"set\": \"a.b\", ", "", "r.json:3:12: script[0] has no \"set\""},
        {"\"step\": 150", "\"step\": 99", "r.json:7:17: \"step\" is 99, allowed is 100 to"},
        {"\"step\": 100", "\"step\": 100.5", "r.json:6:21: \"step\" is 100.5, allowed is 1 to"},
        {"\"simd\": \"avx2\", ", "", "r.json:5:11: writer has no \"simd\""},
        {"\"time\": 1.5", "\"time\": \"x\"", "r.json:7:30: end.time is the string \"x\", must be a number"},
        {"\"hashes\"", "\"notes\": [{\"at\": 1}], \"hashes\"", "r.json:6:11: notes[0] has no \"text\""},
        {"\"hashes\"", "\"checkpoint\": {\"file\": \"c\"}, \"hashes\"",
         "r.json:6:15: checkpoint has no \"hash\""},
        {"}}", "}", "r.json:7:"},
    };
    wbRecording recording;
    assertOk(wbReadRecordingText("r.json", good, strlen(good), &recording));
    assert_string_equal(wbCommandLog_Get(&recording.script, 0)->value, "1,2");
    assert_string_equal(wbCommandLog_Get(&recording.script, 1)->value, "true");
    assert_true(recording.endHash == 0xfe && recording.endStep == 150 && recording.hashCount == 1);
    wbRecording_Cut(&recording, 99, 0.1);
    assert_true(recording.hashCount == 0 && recording.script.count == 0);
    wbRecording_Free(&recording);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        char text[sizeof good + 64];
        const char *at = strstr(good, rows[r].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, rows[r].to,
                 at + strlen(rows[r].from));
        const wbStatus status = wbReadRecordingText("r.json", text, strlen(text), &recording);
        if (strncmp(status.text, rows[r].message, strlen(rows[r].message)) != 0)
            fail_msg("\"%s\" instead of \"%s\"", status.text, rows[r].message);
        assert_null(recording.source.text.data);
    }
}

// The file that a world went on from is noted with its bytes: another one of that name is told apart.
static void testCheckpoint(void **state) {
    (void)state;
    static const char file[] = "recording.checkpoint";
    wbScene *scene = openScene();
    wbWorld *world;
    wbRecording recording = {0}, read;
    assertOk(wbScene_CreateWorld(scene, &world));
    assertOk(wbWorld_Step(world, 0));
    assertOk(wbWorld_Save(world, file));
    assertOk(wbRecording_Start(&recording, scene, world));
    assert_int_equal(wbRecording_StartFrom(&recording, "nowhere.checkpoint").code, wb_errorFile);
    assertOk(wbRecording_StartFrom(&recording, file));
    wbRecording_End(&recording, world);
    assertOk(wbWriteRecording(path, &recording));
    assertOk(wbReadRecording(path, &read));
    assert_string_equal(read.checkpoint, file);
    assertOk(wbRecording_CheckCheckpoint(&read, file));
    assertOk(wbWorld_Step(world, 0));
    assertOk(wbWorld_Save(world, file));
    const wbStatus status = wbRecording_CheckCheckpoint(&read, file);
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "is not the one that was recorded from"));
    wbRecording_Free(&read);
    wbRecording_Free(&recording);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    unlink(file);
}

static void testSettings(void **state) {
    (void)state;
    wbScene *scene = openScene();
    wbCommandLog settings = {0};
    wbRecording read;
    char value[32];
    assertOk(wbCommandLog_Add(&settings, 0, "sph.viscosity", "0.25"));
    assertOk(wbCommandLog_Add(&settings, 0, "camera.target", "1,2,3"));
    assertOk(wbWriteSettings(path, &settings));
    assertOk(wbReadSettings(path, &read));
    assertOk(wbRecording_ApplySettings(&read, scene));
    assertOk(wbScene_Get(scene, "sph.viscosity", value, sizeof value));
    assert_string_equal(value, "0.25");
    wbRecording_Free(&read);
    assertOk(wbCommandLog_Add(&settings, 0, "sph.viscosity", "-1"));
    assertOk(wbWriteSettings(path, &settings));
    assertOk(wbReadSettings(path, &read));
    const wbStatus status = wbRecording_ApplySettings(&read, scene);
    assert_string_equal(status.text, "recording.json:5:39: sph.viscosity is -1, allowed is 0 to 1e+06 Pa s");
    wbRecording_Free(&read);
    wbCommandLog_Free(&settings);
    wbDestroyScene(scene);
    unlink(path);
    unlink(scenePath);
}

// Marks of a user are kept by time, and go with a future that is cut off; a file without them reads as before.
static void testNotes(void **state) {
    (void)state;
    wbRecording recording = {
        .scene = "a.json", .version = "1", .simd = "sse", .backend = "cpu", .endStep = 9};
    wbRecording read;
    assertOk(wbRecording_AddNote(&recording, 0.3, "later"));
    assertOk(wbRecording_AddNote(&recording, 0.1, "the \"first\""));
    assertOk(wbRecording_AddNote(&recording, 0.3, "last"));
    assertOk(wbWriteRecording(path, &recording));
    assertOk(wbReadRecording(path, &read));
    assert_int_equal(read.noteCount, 3);
    assert_string_equal(wbRecording_GetNote(&read, 0)->text, "the \"first\"");
    assert_string_equal(wbRecording_GetNote(&read, 1)->text, "later");
    assert_true(wbRecording_GetNote(&read, 2)->time == 0.3);
    wbRecording_Cut(&read, 1, 0.2);
    assert_int_equal(read.noteCount, 1);
    wbRecording_Free(&read);
    recording.noteCount = 0;
    assertOk(wbWriteRecording(path, &recording));
    assertOk(wbReadRecording(path, &read));
    assert_int_equal(read.noteCount, 0);
    wbRecording_Free(&read);
    wbRecording_Free(&recording);
    unlink(path);
}

static wbFileKind guess(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    const wbFileKind kind = wbGuessFileKind(name);
    unlink(name);
    return kind;
}

// What is none of the others is a scene: its reader says what is wrong.
static void testKinds(void **state) {
    (void)state;
    assert_int_equal(guess("kind.json", sceneText), wb_fileScene);
    assert_int_equal(guess("kind.json", "{\"settings\": []}"), wb_fileSettings);
    assert_int_equal(guess("kind.json", "{\"sceneHash\": 1, \"settings\": []}"), wb_fileRecording);
    assert_int_equal(guess("kind.json", "{\"settings\""), wb_fileScene);
    assert_int_equal(guess("kind.json", ""), wb_fileScene);
    assert_int_equal(guess("kind.any", "WIRBEL\r\n and more"), wb_fileCheckpoint);
    assert_int_equal(guess("kind.STL", "solid"), wb_fileMesh);
    assert_int_equal(guess("kind.obj", "WIRBEL\r\n"), wb_fileCheckpoint);
    assert_int_equal(wbGuessFileKind("no-such-file.json"), wb_fileScene);
    assert_int_equal(wbGuessFileKind("."), wb_fileScene);
}

typedef struct Watcher {
    int count, stopAt; ///< objects so far; before which it says stop
    char lists[256];
} Watcher;

static bool watch(const char *list, int index, int count, void *context) {
    Watcher *watcher = context;
    assert_true(index >= 0 && index < count);
    const size_t length = strlen(watcher->lists);
    snprintf(watcher->lists + length, sizeof watcher->lists - length, "%s ", list);
    return watcher->count++ != watcher->stopAt;
}

// Each object is told before it is made; a world that is stopped on the way is not there.
static void testProgress(void **state) {
    (void)state;
    wbScene *scene = openScene();
    wbWorld *world;
    Watcher watcher = {.stopAt = -1};
    wbScene_SetProgress(scene, watch, &watcher);
    assertOk(wbScene_CreateWorld(scene, &world));
    assert_string_equal(watcher.lists, "fluids fluids softBodies bodies fluids fluids sources ");
    wbDestroyWorld(world);
    for (int i = 0; i < 7; i++) {
        watcher = (Watcher){.stopAt = i};
        wbStatus status = wbScene_CreateWorld(scene, &world);
        assert_int_equal(status.code, wb_errorInput);
        assert_non_null(strstr(status.text, "stopped before"));
        assert_null(world);
        assert_int_equal(watcher.count, i + 1);
    }
    wbDestroyScene(scene);
    unlink(scenePath);
}

// A scene with its settings has them where they belong, and is the same as one that they were set in.
static void testWriteScene(void **state) {
    (void)state;
    static const struct {
        const char *key, *value;
    } set[] = {
        {"sph.viscosity", "0.25"},   {"world.gravity", "0,-3,1"},    {"sph.kernel", "muller"},
        {"ember.temperature", "50"}, {"camera.position", "1,2,3.5"}, {"crate.friction", "0.125"},
        {"output.legend", "false"},  {"domain.front", "open"},       {"pbf.subSteps", "3"},
    };
    wbScene *scene = openScene(), *written;
    wbWorld *worlds[2];
    wbCommandLog settings = {0};
    const int count = sizeof set / sizeof set[0];
    for (int i = 0; i < count; i++) {
        assertOk(wbScene_Set(scene, set[i].key, set[i].value));
        assertOk(wbCommandLog_Add(&settings, 0, set[i].key, set[i].value));
    }
    assertOk(wbWriteScene(path, scenePath, &settings));
    assertOk(wbReadScene(path, &written));
    for (int i = 0; i < count; i++) {
        char a[WB_COMMAND_VALUE], b[WB_COMMAND_VALUE];
        const char *key = wbCommandLog_Get(&settings, i)->key;
        assertOk(wbScene_Get(scene, key, a, sizeof a));
        assertOk(wbScene_Get(written, key, b, sizeof b));
        assert_string_equal(a, b);
    }
    assertOk(wbScene_CreateWorld(scene, &worlds[0]));
    assertOk(wbScene_CreateWorld(written, &worlds[1]));
    for (int step = 0; step < 6; step++)
        for (int w = 0; w < 2; w++) {
            assertOk(wbScene_RunScript(w ? written : scene, worlds[w]));
            assertOk(wbWorld_Step(worlds[w], 0));
        }
    assert_true(wbWorld_Hash(worlds[0]) == wbWorld_Hash(worlds[1]));
    assertOk(wbCommandLog_Add(&settings, 0, "sph.nonsense", "1"));
    assert_int_equal(wbWriteScene(path, scenePath, &settings).code, wb_errorInput);
    assert_int_equal(wbWriteScene(path, "no_such_scene.json", &settings).code, wb_errorInput);
    for (int w = 0; w < 2; w++) wbDestroyWorld(worlds[w]);
    wbDestroyScene(scene);
    wbDestroyScene(written);
    wbCommandLog_Free(&settings);
    unlink(scenePath), unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testReplay),   cmocka_unit_test(testBack),       cmocka_unit_test(testQueue),
        cmocka_unit_test(testRefusals), cmocka_unit_test(testReader),     cmocka_unit_test(testCheckpoint),
        cmocka_unit_test(testSettings), cmocka_unit_test(testNotes),      cmocka_unit_test(testKinds),
        cmocka_unit_test(testProgress), cmocka_unit_test(testWriteScene),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
