// SPDX-License-Identifier: MIT
// Every allocation of a whole trial fails once, alone and with all that follow: each time there must be a status,
// nothing may leak, and what a failed step leaves must be readable.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wirbel/scene.h"

// Counts allocations and lets some fail. Threads of a step may allocate at once, so the trial has one thread.
typedef struct Heap {
    int calls;
    int firstFailing;  // counted from 1; 0: none fails
    bool allFollow;    // those after it fail, too
    bool parserFailed; // the JSON parser calls most failures of its own allocations a wrong text
    int64_t bytes, blocks;
} Heap;

static Heap heap;

static bool isRefused(void) {
    heap.calls++;
    if (heap.firstFailing == 0) return false;
    return heap.allFollow ? heap.calls >= heap.firstFailing : heap.calls == heap.firstFailing;
}

static void *allocate(size_t bytes, size_t alignment, void *context) {
    (void)context;
    void *block = NULL;
    if (isRefused() || posix_memalign(&block, alignment, bytes) != 0) return NULL;
    memset(block, 0xff, bytes); // NaN: what is read before it is written shows
    heap.bytes += (int64_t)bytes, heap.blocks++;
    return block;
}

static void release(void *block, size_t bytes, void *context) {
    (void)context;
    heap.bytes -= (int64_t)bytes, heap.blocks--;
    free(block);
}

// The JSON parser's own memory counts, too.
static void *allocateJson(size_t bytes) {
    bool refused = isRefused();
    void *block = refused ? NULL : malloc(bytes);
    heap.parserFailed |= refused;
    heap.blocks += block != NULL;
    return block;
}

static void releaseJson(void *block) {
    heap.blocks -= block != NULL;
    free(block);
}

static const char text[] =
    "{\"title\":\"t\",\"world\":{\"dimensions\":2},\"domain\":{\"min\":[0,0],\"max\":[1,1]},\"sph\":{"
    "\"spacing\":0.1},\"smoke\":{\"cellSize\":0.1},\"sources\":[{\"name\":\"fire\",\"position\":[0.5,0.1]}],"
    "\"colliders\":[{\"name\":\"stick\",\"shape\":\"box\",\"size\":[0.3,0.3],\"position\":[0.5,0.8]}],"
    "\"fluids\":[{\"name\":\"water\",\"blocks\":[{\"min\":[0.2,0],\"max\":[0.8,0.6],\"jitter\":0.1}]},"
    "{\"name\":\"oil\",\"particles\":[{\"position\":[0.1,0.9]},{\"position\":[0.2,0.9]}]}],"
    "\"script\":[{\"at\":0,\"set\":\"sph.viscosity\",\"value\":0.1}]}";

static const char softText[] =
    "{\"pbd\":{\"radius\":0.05},\"domain\":{\"min\":[-1,0,-1],\"max\":[1,2,1]},\"softBodies\":[{\"name\":"
    "\"cloth\",\"shape\":\"cloth\",\"counts\":[3,3,1],\"bending\":\"dihedral\",\"position\":[0,1,0],"
    "\"pins\":[0]},{\"name\":\"rope\",\"shape\":\"rope\",\"count\":5,\"position\":[0,0.5,0]}],"
    "\"colliders\":[{\"name\":\"block\",\"size\":[0.5,0.5,0.5]}]}";

// What was expected and what was met in one trial.
typedef struct Trial {
    int failures;
} Trial;

static bool isOk(Trial *trial, wbStatus status) {
    if (wbIsOk(status)) return true;
    bool isExpected = status.code == wb_errorMemory || (heap.parserFailed && status.code == wb_errorInput);
    if (!isExpected) print_error("%s\n", status.text);
    assert_true(isExpected);
    assert_true(status.text[0] != 0);
    trial->failures++;
    return false;
}

// Ids, positions and velocities of all fluids, however their memory ran out: a failure here must be a status.
static void readWorld(Trial *trial, wbWorld *world) {
    for (int f = 0; f < wbWorld_GetFluidCount(world); f++) {
        wbFluidId fluid = wbWorld_GetFluid(world, f);
        wbView view;
        if (isOk(trial, wbFluid_GetView(world, fluid, &view)))
            for (int i = 0; i < view.count; i++) {
                assert_true(isfinite(view.x[i]) && isfinite(view.y[i]) && isfinite(view.vx[i]));
                assert_true(isfinite(view.density[i]) && isfinite(view.pressure[i]));
            }
        float positions[3 * 64];
        assert_true(wbFluid_GetParticleCount(world, fluid) <= 64);
        (void)isOk(trial, wbFluid_CopyById(world, fluid, positions, NULL));
    }
    wbSmokeView smoke;
    (void)isOk(trial, wbWorld_GetSmokeView(world, &smoke));
    assert_true(isfinite(wbWorld_GetStats(world).kinetic));
    (void)wbWorld_Hash(world);
}

static void stepWorld(Trial *trial, wbWorld *world, const char *integrator) {
    if (!isOk(trial, wbWorld_SetParam(world, "sph.integrator", integrator))) return;
    for (int k = 0; k < 3; k++) (void)isOk(trial, wbWorld_Step(world, 0));
    readWorld(trial, world);
}

static void addMore(Trial *trial, wbWorld *world) {
    wbFluidDef def = wbDefaultFluidDef();
    wbFluidId fluid;
    def.name = "drops";
    if (!isOk(trial, wbCreateFluid(world, &def, &fluid))) return;
    wbBlockDef block = {.min = {0.3f, 0.7f, 0}, .max = {0.6f, 0.9f, 0}};
    int before = wbFluid_GetParticleCount(world, fluid);
    if (!isOk(trial, wbFluid_AddBlock(world, fluid, &block)))
        assert_int_equal(wbFluid_GetParticleCount(world, fluid), before);
}

static void useWorld(Trial *trial, const wbScene *scene, wbWorld *world) {
    (void)isOk(trial, wbScene_RunScript(scene, world));
    stepWorld(trial, world, "euler");
    stepWorld(trial, world, "leapfrog");
    addMore(trial, world);
    (void)isOk(trial, wbWorld_SetThreadCount(world, 2));
    stepWorld(trial, world, "symplectic");
    (void)isOk(trial, wbWorld_SetThreadCount(world, 1));
    stepWorld(trial, world, "leapfrog");
}

// All solvers, a collider more, and colours.
static void useSoftWorld(Trial *trial, const wbScene *scene, wbWorld *world) {
    static const char *const solvers[] = {"jacobiConstraints", "jacobiParticles", "gaussSeidel"};
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    wbSoftBodyId id;
    int colours[4096], before;
    (void)scene;
    for (int s = 0; s < 3; s++) {
        (void)isOk(trial, wbWorld_SetParam(world, "pbd.solver", solvers[s]));
        for (int k = 0; k < 2; k++) (void)isOk(trial, wbWorld_Step(world, 0));
    }
    def.name = "late", def.params.shape = wb_softBodySphere, def.params.count = 19;
    def.params.position = (wbVec3){0, 1, 0};
    before = wbWorld_GetConstraintCount(world);
    if (!isOk(trial, wbCreateSoftBody(world, &def, &id)))
        assert_int_equal(wbWorld_GetConstraintCount(world), before);
    assert_true(wbWorld_GetConstraintCount(world) < 4096);
    if (isOk(trial, wbWorld_GetColours(world, colours)))
        (void)isOk(trial, wbWorld_SetColours(world, colours));
    for (int k = 0; k < 2; k++) (void)isOk(trial, wbWorld_Step(world, 0));
    for (int s = 0; s < wbWorld_GetSoftBodyCount(world); s++) {
        wbView view;
        if (!isOk(trial, wbSoftBody_GetView(world, wbWorld_GetSoftBody(world, s), &view))) continue;
        for (int i = 0; i < view.count; i++) assert_true(isfinite(view.x[i]) && isfinite(view.vx[i]));
    }
    assert_true(isfinite(wbWorld_GetStats(world).kinetic));
    (void)wbWorld_Hash(world);
}

typedef struct Subject {
    const char *text;
    void (*use)(Trial *trial, const wbScene *scene, wbWorld *world);
} Subject;

static const Subject waterSubject = {text, useWorld}, softSubject = {softText, useSoftWorld};

static Trial runTrial(const Subject *subject, int firstFailing, bool allFollow) {
    Trial trial = {0};
    heap = (Heap){.firstFailing = firstFailing, .allFollow = allFollow};
    wbScene *scene;
    if (isOk(&trial, wbReadSceneText("t.json", subject->text, strlen(subject->text), &scene))) {
        wbWorld *world = NULL;
        wbScene_GetWorldDef(scene)->threadCount = 1;
        (void)isOk(&trial, wbScene_SetAt(scene, 0, "sph.bulkViscosity", "0.1"));
        if (isOk(&trial, wbScene_CreateWorld(scene, &world))) subject->use(&trial, scene, world);
        wbDestroyWorld(world);
        wbDestroyScene(scene);
    }
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(heap.blocks, 0);
    return trial;
}

static void failEach(const Subject *subject, bool allFollow) {
    const wbAllocator allocator = {allocate, release, NULL};
    wbSetAllocator(&allocator);
    json_set_alloc_funcs(allocateJson, releaseJson);
    assert_int_equal(runTrial(subject, 0, false).failures, 0);
    int calls = heap.calls, silent = 0;
    assert_true(calls > 100);
    for (int k = 1; k <= calls; k++) silent += runTrial(subject, k, allFollow).failures == 0;
    // a scratch arena that finds no room to spare takes what it needs: nothing else goes on without a status
    assert_true(silent <= (allFollow ? 0 : 2));
    assert_int_equal(runTrial(subject, calls + 1, false).failures, 0);
    wbSetAllocator(NULL);
    json_set_alloc_funcs(malloc, free);
}

static void testEachAllocationFails(void **state) {
    (void)state;
    failEach(&waterSubject, false);
    failEach(&softSubject, false);
}

static void testAllFromEachAllocationOnFail(void **state) {
    (void)state;
    failEach(&waterSubject, true);
    failEach(&softSubject, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEachAllocationFails),
        cmocka_unit_test(testAllFromEachAllocationOnFail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
