// SPDX-License-Identifier: MIT
// Files of the window without a window: recordings that are done again, checkpoints, settings, films, loading that is stopped,
// files that are watched, and the parts that find and make them.
#include "view_sim_support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "app/view/cache.h"
#include "app/view/find_files.h"
#include "app/view/mesh_scene.h"
#include "app/view/scene_list.h"
#include "app/view/watch.h"

static const char *getLastNote(const wbSim *sim) {
    return sim->state.notes[(sim->state.noteCount + WB_SIM_NOTES - 1) % WB_SIM_NOTES];
}

static const char *const small = "sph.particles=800";
static char folder[] = "/tmp/view_files_XXXXXX";

static const char *inFolder(const char *name) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void writeText(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static wbSim *openFile(Start *start, wbFileKind kind, const char *path, const char *scene) {
    wbSim *sim = openSim(start, "box-stack", NULL, true, 64);
    wbSim_OpenFile(sim, kind, path, scene);
    wbSim_SetPaused(sim, true);
    wbSim_Advance(sim, 0);
    return sim;
}

// A recording of 120 steps with a command and a mark, and hashes on the way.
static const char *record(uint64_t hashes[121]) {
    Start start = {0};
    wbSim *sim = openSim(&start, "falling-block", small, true, 64);
    for (int i = 0; i <= 120; i++) {
        if (i == 50) wbSim_Put(sim, "world.gravity", "3,-5,0");
        if (i == 60) wbSim_Mark(sim, "the middle");
        runTo(sim, i);
        hashes[i] = wbWorld_Hash(sim->world);
    }
    const char *path = inFolder("session.json");
    assertOk(wbSim_WriteRecording(sim, path));
    wbDestroySim(sim);
    return path;
}

// What is known of it is known from the start on: it can be gone to, comes to the same end, and goes on behind that.
static void testReplay(void **state) {
    (void)state;
    Start start = {0};
    uint64_t hashes[121];
    const char *path = record(hashes);
    wbSim *sim = openFile(&start, wb_fileRecording, path, NULL);
    assert_string_equal(sim->state.message, "");
    assert_true(sim->state.isReplay && sim->furthest == 120 && sim->state.furthestTime > 1);
    assert_string_equal(sim->state.name, "falling-block");
    assert_int_equal(sim->recording.noteCount, 1);
    seekTo(sim, 90);
    assert_true(wbWorld_Hash(sim->world) == hashes[90]);
    seekTo(sim, 20);
    runTo(sim, 120);
    assert_true(wbWorld_Hash(sim->world) == hashes[120]);
    runTo(sim, 123);
    assert_int_equal(sim->furthest, 123);
    assert_int_equal(sim->state.divergedStep, 0);
    // again, from its start
    wbSim_OpenFile(sim, wb_fileScene, "", NULL);
    wbSim_SetPaused(sim, true);
    wbSim_Advance(sim, 0);
    assert_true(sim->state.isReplay && sim->furthest == 120 && wbWorld_GetStepCount(sim->world) == 0);
    wbDestroySim(sim);
}

// A step that differs is told; it pauses, and can be run on.
static void testDiverged(void **state) {
    (void)state;
    Start start = {0};
    uint64_t hashes[121];
    wbRecording recording;
    const char *path = record(hashes);
    assertOk(wbReadRecording(path, &recording));
    ((wbStepHash *)recording.hashes.data)[0].hash++;
    assertOk(wbWriteRecording(path, &recording));
    wbRecording_Free(&recording);
    wbSim *sim = openFile(&start, wb_fileRecording, path, NULL);
    wbSim_SetPaused(sim, false);
    for (int i = 0; i < 110 && !wbSim_GetState(sim).isPaused; i++) wbSim_Advance(sim, 1);
    assert_int_equal(sim->state.divergedStep, 100);
    assert_true(sim->state.isPaused);
    assert_non_null(strstr(sim->state.message, "DIVERGED: step 100 differs from the recording"));
    wbSim_SetPaused(sim, false);
    wbSim_Advance(sim, 5);
    assert_int_equal(wbWorld_GetStepCount(sim->world), 105);
    wbDestroySim(sim);
}

// A recording without its scene, or with another text of it, leaves the old world.
static void testBadReplay(void **state) {
    (void)state;
    Start start = {0};
    wbRecording recording;
    uint64_t hashes[121];
    const char *path = record(hashes), *bad = inFolder("bad.json");
    assertOk(wbReadRecording(path, &recording));
    recording.sceneHash++;
    assertOk(wbWriteRecording(bad, &recording));
    wbSim *sim = openFile(&start, wb_fileRecording, bad, NULL);
    assert_non_null(strstr(sim->state.message, "another text of its scene"));
    assert_string_equal(sim->state.name, "box-stack");
    strcpy(recording.scene, "no/such/scene.json");
    assertOk(wbWriteRecording(bad, &recording));
    wbSim_OpenFile(sim, wb_fileRecording, bad, NULL);
    wbSim_Advance(sim, 0);
    assert_non_null(strstr(sim->state.message, "cannot read no/such/scene.json"));
    wbRecording_Free(&recording);
    wbDestroySim(sim);
}

// It goes on bit for bit, can be rewound to where it began, and its recording begins with it.
static void testCheckpoint(void **state) {
    (void)state;
    Start start = {0}, other = {0};
    wbSim *sim = openSim(&start, "falling-block", small, true, 64);
    const char *path = inFolder("falling-block-000020.checkpoint");
    wbSim_Put(sim, "sph.viscosity", "0.7");
    runTo(sim, 20);
    wbSim_SetPaused(sim, true);
    wbSim_SaveCheckpoint(sim, path);
    wbSim_Advance(sim, 0);
    assert_non_null(strstr(getLastNote(sim), "written: "));
    const uint64_t hash = wbWorld_Hash(sim->world);
    runTo(sim, 30);
    wbSim *resumed = openFile(&other, wb_fileCheckpoint, path, start.path);
    assert_string_equal(resumed->state.message, "");
    assert_true(wbWorld_Hash(resumed->world) == hash);
    assert_int_equal(resumed->furthest, 20);
    assert_true(resumed->state.firstTime == wbWorld_GetTime(resumed->world));
    runTo(resumed, 30);
    assert_true(wbWorld_Hash(resumed->world) == wbWorld_Hash(sim->world));
    seekTo(resumed, 20);
    assert_true(wbWorld_Hash(resumed->world) == hash);
    // as it was saved, also in a window whose command line sets a parameter of it
    start.options.set.items[0] = "sph.viscosity=0.1";
    wbSim_OpenFile(sim, wb_fileCheckpoint, path, start.path);
    wbSim_SetPaused(sim, true);
    wbSim_Advance(sim, 0);
    assert_true(wbWorld_Hash(sim->world) == hash);
    const char *later = inFolder("later.json");
    assertOk(wbSim_WriteRecording(resumed, later));
    wbSim_OpenFile(sim, wb_fileRecording, later, NULL);
    wbSim_SetPaused(sim, true);
    wbSim_Advance(sim, 0);
    assert_string_equal(sim->state.message, "");
    assert_true(wbWorld_Hash(sim->world) == hash);
    assert_int_equal(sim->furthest, 30);
    runTo(sim, 30);
    assert_int_equal(sim->state.divergedStep, 0);
    // of another scene
    char cloth[512];
    snprintf(cloth, sizeof cloth, "%s/scenes/cloth.json", WB_SOURCE_DIR);
    wbSim_OpenFile(resumed, wb_fileCheckpoint, path, cloth);
    wbSim_Advance(resumed, 0);
    assert_non_null(strstr(resumed->state.message, "is not a checkpoint of this scene"));
    assert_true(wbWorld_Hash(resumed->world) == hash);
    wbDestroySim(sim), wbDestroySim(resumed);
}

// Settings are what was set last up to now, without commands; another scene begins without them.
static void testSettings(void **state) {
    (void)state;
    Start start = {0};
    wbRecording list;
    wbSim *sim = openSim(&start, "falling-block", small, true, 64);
    const char *path = inFolder("settings.json");
    wbSim_Put(sim, "sph.viscosity", "0.3");
    wbSim_Put(sim, "output.legend", "false");
    runTo(sim, 5);
    wbSim_Put(sim, "sph.viscosity", "0.4");
    wbSim_Put(sim, "world.addGrab", "hand radius=0.1");
    runTo(sim, 7);
    wbSim_Put(sim, "hand.radius", "0.2"); // of what was made since: it is not there at the start
    runTo(sim, 10);
    wbSim_Put(sim, "world.gravity", "0,0,0");
    runTo(sim, 12);
    seekTo(sim, 8);
    const wbCameraParams camera = {.position = {1, 2, 3}, .fov = 30};
    wbSim_SaveSettings(sim, path, false, &camera);
    wbSim_Advance(sim, 0);
    assertOk(wbReadSettings(path, &list));
    assert_int_equal(list.settings.count, 6);
    assert_string_equal(wbCommandLog_Get(&list.settings, 3)->value, "1,2,3");
    assert_string_equal(wbCommandLog_Get(&list.settings, 0)->key, "sph.particles");
    assert_string_equal(wbCommandLog_Get(&list.settings, 1)->value, "0.4");
    assert_string_equal(wbCommandLog_Get(&list.settings, 2)->key, "output.legend");
    wbRecording_Free(&list);
    assert_int_equal(sim->settings.count, 1);
    wbSim_OpenFile(sim, wb_fileScene, "", NULL);
    wbSim_Advance(sim, 0);
    assert_int_equal(sim->settings.count, 1);
    char other[512];
    snprintf(other, sizeof other, "%s/scenes/box-stack.json", WB_SOURCE_DIR);
    wbSim_Open(sim, other);
    wbSim_Advance(sim, 0);
    assert_string_equal(sim->state.message, "");
    assert_int_equal(sim->settings.count, 0);
    wbDestroySim(sim);
}

// One picture for each part of simulated time, for which the world waits; a long step is several, a short one none.
static void testFilm(void **state) {
    (void)state;
    Start start = {0};
    wbSim *sim = openSim(&start, "box-stack", "world.dt=0.01", true, 64);
    runTo(sim, 3);
    wbSim_StartFilm(sim, 40);
    int pictures = 0, takes = 0;
    for (int i = 0; i < 60; i++) {
        wbSim_Advance(sim, 1);
        const wbSimState now = wbSim_GetState(sim);
        if (now.filmDue == 0) continue;
        assert_int_equal(now.filmStep, wbWorld_GetStepCount(sim->world));
        const int64_t step = now.filmStep;
        wbSim_Advance(sim, 5); // it waits
        assert_int_equal(wbWorld_GetStepCount(sim->world), step);
        // 0.025 s are two and a half steps
        assert_int_equal(step, 3 + (5 * pictures + 1) / 2);
        pictures += now.filmDue, takes++;
        wbSim_NextPicture(sim);
    }
    assert_true(pictures == takes && pictures > 20);
    wbSim_EndFilm(sim);
    const int64_t last = wbWorld_GetStepCount(sim->world);
    wbSim_Advance(sim, 10);
    assert_int_equal(wbWorld_GetStepCount(sim->world), last + 10);
    // ten pictures in a step
    wbSim_StartFilm(sim, 1000);
    wbSim_Advance(sim, 0);
    assert_int_equal(wbSim_GetState(sim).filmDue, 1);
    wbSim_NextPicture(sim);
    wbSim_Advance(sim, 1);
    assert_int_equal(wbSim_GetState(sim).filmDue, 10);
    // another time ends it
    seekTo(sim, last);
    assert_false(wbSim_GetState(sim).isFilming);
    assert_int_equal(wbSim_GetState(sim).filmDue, 0);
    wbDestroySim(sim);
}

// Loading that is stopped between two objects leaves the old world, with a note and no error.
static void testStop(void **state) {
    (void)state;
    Start start = {0};
    wbSim *sim = openSim(&start, "box-stack", NULL, true, 64);
    wbSim_SetPaused(sim, true);
    const uint64_t hash = wbWorld_Hash(sim->world);
    snprintf(sim->files.opening.path, sizeof sim->files.opening.path, "%s/scenes/cloth.json", WB_SOURCE_DIR);
    sim->orders.cancels = true;
    wbSim_Load(sim);
    assert_true(wbWorld_Hash(sim->world) == hash);
    assert_string_equal(sim->state.message, "");
    assert_string_equal(sim->state.name, "box-stack");
    assert_non_null(strstr(getLastNote(sim), "stopped before all of softBodies were made"));
    assert_non_null(strstr(sim->state.stage, "softBodies, 1 of "));
    assert_false(sim->state.isLoading);
    wbDestroySim(sim);
}

static void setTime(const char *path, time_t seconds) {
    const struct timespec times[2] = {{seconds, 0}, {seconds, 5}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void testWatch(void **state) {
    (void)state;
    wbWatch watch = {.paths = {.elementSize = 1}};
    char paths[600];
    const char *first = inFolder("a.json"), *second = inFolder("b.obj");
    const int length = snprintf(paths, sizeof paths, "%s%c%s", first, 0, second) + 1;
    writeText(first, "{}"), writeText(second, "v");
    setTime(first, 1000), setTime(second, 2000);
    assert_true(wbArray_Reserve(NULL, &watch.paths, length));
    memcpy(watch.paths.data, paths, (size_t)length);
    watch.bytes = length;
    wbWatch_Start(&watch, 10);
    assert_false(wbWatch_Update(&watch, 11));
    setTime(second, 3000);
    assert_false(wbWatch_Update(&watch, 11.4)); // it is not looked yet
    assert_true(wbWatch_Update(&watch, 11.6));
    assert_false(wbWatch_Update(&watch, 12.2));
    unlink(second); // for a moment
    assert_false(wbWatch_Update(&watch, 13));
    writeText(second, "v");
    assert_true(wbWatch_Update(&watch, 14));
    unlink(first), unlink(second);
    wbWatch_Free(&watch);
}

static void testFind(void **state) {
    (void)state;
    char path[WB_SIM_TEXT];
    writeText(inFolder("wave.json"), "{}");
    // beside it; the open one of that name before that; the open one if there is none of that name
    assert_true(wbFindSceneOfCheckpoint(inFolder("wave-000120.checkpoint"), "", path));
    assert_string_equal(path, inFolder("wave.json"));
    assert_true(wbFindSceneOfCheckpoint(inFolder("wave-000120.checkpoint"), "here/wave.json", path));
    assert_string_equal(path, "here/wave.json");
    assert_true(wbFindSceneOfCheckpoint(inFolder("x.checkpoint"), "here/other.json", path));
    assert_string_equal(path, "here/other.json");
    assert_false(wbFindSceneOfCheckpoint(inFolder("x-1"), "", path));
    unlink(inFolder("wave.json"));
}

// A path that needs quoting, and a mesh that becomes a world.
static void testMesh(void **state) {
    (void)state;
    char path[WB_SIM_TEXT];
    const char *mesh = inFolder("a \"cube\\.obj");
    wbWorld *world;
    setenv("XDG_CACHE_HOME", folder, 1);
    FILE *file = fopen(mesh, "w");
    for (int i = 0; i < 8; i++)
        fprintf(file, "v %d %d %d\n", 100 * (i & 1), 50 * (i >> 1 & 1), 20 * (i >> 2));
    fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
    fclose(file);
    assertOk(wbWriteMeshScene(mesh, path));
    assertOk(wbLoadScene(path, &world));
    assert_int_equal(wbWorld_GetRigidBodyCount(world), 1);
    for (int i = 0; i < 30; i++) assertOk(wbWorld_Step(world, 0));
    wbDestroyWorld(world);
    unlink(path);
    writeText(mesh, "v 0 0\n");
    assert_int_equal(wbWriteMeshScene(mesh, path).code, wb_errorInput);
    unlink(mesh);
    assert_int_equal(wbWriteMeshScene(mesh, path).code, wb_errorFile);
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", "", 1);
    char cache[WB_CACHE_PATH];
    assert_non_null(strstr(wbOpenCache("any", cache).text, "there is no cache folder"));
    rmdir(inFolder("wirbel/meshes")), rmdir(inFolder("wirbel"));
}

static bool isOverAfter(void *context) { return --*(int *)context < 0; }

// A program that draws, one that draws and does not end, and one that draws nothing; no folder is left behind.
static void testThumbnail(void **state) {
    (void)state;
    static const struct {
        const char *script;
        int patience; ///< questions until it is over
        bool isDrawn;
    } rows[] = {
        {"for last; do [ $found ] && break; [ $last = --png ] && found=1; done; echo a "
         ">$last/frame_000005.png",
         1000, true},
        {"for last; do [ $found ] && break; [ $last = --png ] && found=1; done; echo a "
         ">$last/frame_000000.png; exec sleep 100",
         5, false},
        {"exit 1", 1000, false},
    };
    const char *program = inFolder("program"), *path = inFolder("picture.png");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[400];
        int patience = rows[i].patience;
        snprintf(text, sizeof text, "#!/bin/sh\n%s\n", rows[i].script);
        writeText(program, text);
        assert_int_equal(chmod(program, 0700), 0);
        assert_int_equal(wbDrawThumbnail(program, "scene.json", path, isOverAfter, &patience),
                         rows[i].isDrawn);
        assert_int_equal(access(path, F_OK) == 0, rows[i].isDrawn);
        unlink(path);
    }
    unlink(program);
}

static void testFilter(void **state) {
    (void)state;
    const wbListedScene scene = {.name = "dam-break", .title = "A column", .description = "of Water"};
    assert_true(wbListedScene_Passes(&scene, ""));
    assert_true(wbListedScene_Passes(&scene, "BREAK"));
    assert_true(wbListedScene_Passes(&scene, "water"));
    assert_true(wbListedScene_Passes(&scene, "a col"));
    assert_false(wbListedScene_Passes(&scene, "waters"));
}

static int makeFolder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int removeFolder(void **state) {
    (void)state;
    static const char *const names[] = {"session.json", "bad.json", "settings.json", "later.json",
                                        "falling-block-000020.checkpoint"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unlink(inFolder(names[i]));
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testReplay),     cmocka_unit_test(testDiverged),  cmocka_unit_test(testBadReplay),
        cmocka_unit_test(testCheckpoint), cmocka_unit_test(testSettings),  cmocka_unit_test(testFilm),
        cmocka_unit_test(testStop),       cmocka_unit_test(testWatch),     cmocka_unit_test(testFind),
        cmocka_unit_test(testMesh),       cmocka_unit_test(testThumbnail), cmocka_unit_test(testFilter),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
