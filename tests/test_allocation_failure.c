// SPDX-License-Identifier: MIT
// Every allocation of a whole trial fails once, alone and with all that follow: each time there must be a status,
// nothing may leak, what a failed step leaves must be readable, and it must be what was there before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "every_world.h"
#include "wirbel/query.h"

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

static const char rigidText[] =
    "{\"world\": {\"dt\": 0.01}, \"domain\": {\"min\": [-2, 0, -2], \"max\": [2, 4, 2]},"
    " \"bodies\": ["
    "  {\"name\": \"crate\", \"size\": [0.5, 0.5, 0.5], \"position\": [0, 0.3, 0],"
    "   \"copies\": {\"counts\": [2, 3, 1], \"spacing\": [0.6, 0.55, 1]}},"
    "  {\"name\": \"stone\", \"shape\": \"hull\", \"position\": [1, 1, 0],"
    "   \"points\": [[0, 0, 0], [0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]]},"
    "  {\"shape\": \"compound\", \"position\": [-1, 1, 0], \"parts\": [{\"size\": [0.2, 0.2, 0.2]},"
    "   {\"shape\": \"sphere\", \"radius\": 0.1, \"position\": [0.2, 0, 0]}]}],"
    " \"joints\": [{\"kind\": \"ball\", \"bodies\": [\"stone\", null], \"anchor\": [1, 2, 0]}],"
    " \"forces\": [{\"kind\": \"drag\", \"bodies\": \"all\", \"linear\": 0.1}],"
    " \"colliders\": [{\"name\": \"post\", \"size\": [0.2, 1, 0.2], \"position\": [0, 0.5, 1]}]}";

// Both methods, a body more, a query, events, a checkpoint.
static void useRigidWorld(Trial *trial, const wbScene *scene, wbWorld *world) {
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    const wbQueryFilter filter = wbDefaultQueryFilter();
    const wbRigidEvent *events;
    wbRigidBodyId id;
    wbRayHit hit;
    wbBytes bytes = {0};
    int count;
    (void)scene;
    for (int method = 0; method < 2; method++) {
        (void)isOk(trial, wbWorld_SetParam(world, "rigid.contact", method ? "particles" : "exact"));
        for (int k = 0; k < 3; k++) (void)isOk(trial, wbWorld_Step(world, 0));
    }
    def.params.position = (wbVec3){0, 3, 0}, def.params.size = (wbVec3){0.3f, 0.4f, 0.5f};
    const int before = wbWorld_GetRigidBodyCount(world);
    if (!isOk(trial, wbCreateRigidBody(world, &def, &id)))
        assert_int_equal(wbWorld_GetRigidBodyCount(world), before);
    (void)isOk(trial, wbWorld_Step(world, 0));
    (void)isOk(trial, wbWorld_GetRigidEvents(world, &events, &count));
    (void)isOk(trial, wbWorld_CastRay(world, (wbVec3){0, 9, 0}, (wbVec3){0, -9, 0}, &filter, &hit));
    if (isOk(trial, wbWorld_SaveToBytes(world, &bytes)))
        (void)isOk(trial, wbWorld_Restore(world, bytes.data, bytes.size));
    wbFreeBytes(&bytes);
    (void)isOk(trial, wbDestroyRigidBody(world, wbWorld_GetRigidBody(world, 0)));
    (void)isOk(trial, wbWorld_Step(world, 0));
    assert_true(isfinite(wbWorld_GetStats(world).kinetic));
    (void)wbWorld_Hash(world);
}

typedef struct Subject {
    const char *text;
    void (*use)(Trial *trial, const wbScene *scene, wbWorld *world);
} Subject;

static const Subject waterSubject = {text, useWorld}, softSubject = {softText, useSoftWorld},
                     rigidSubject = {rigidText, useRigidWorld};

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
    // a scratch arena or a snapshot that finds no room to spare takes what it needs: nothing else goes on without a status
    assert_true(silent <= (allFollow ? 0 : 3));
    assert_int_equal(runTrial(subject, calls + 1, false).failures, 0);
    wbSetAllocator(NULL);
    json_set_alloc_funcs(malloc, free);
}

static void testEachAllocationFails(void **state) {
    (void)state;
    failEach(&waterSubject, false);
    failEach(&softSubject, false);
    failEach(&rigidSubject, false);
}

static void testAllFromEachAllocationOnFail(void **state) {
    (void)state;
    failEach(&waterSubject, true);
    failEach(&softSubject, true);
    failEach(&rigidSubject, true);
}

// A step is all or nothing

// Whether something said that it waits for memory, in a step that goes on.
static bool someoneWaits;

static void listen(wbLogLevel level, const char *message, void *context) {
    (void)level, (void)context;
    someoneWaits |= strstr(message, "memory") != NULL;
}

// What became of a step in which an allocation failed.
typedef enum Outcome {
    IS_WHOLE,    // it happened as if nothing had failed, or not at all
    NOT_REACHED, // it has fewer allocations
    IS_OTHER,    // it happened, in another way than the twin's
    IS_HALF,     // it did not happen, but the state is not that of before
    IS_STUCK,    // it cannot be done again, or then gives another state than the twin's
    LEAKS
} Outcome;

static Outcome judgeStep(wbWorld *world, int k, wbStatus status, uint64_t before, int64_t count,
                         uint64_t twin) {
    if (heap.calls < k) return NOT_REACHED;
    heap.firstFailing = 0;
    if (wbIsOk(status)) // a scratch arena may find no room to spare and takes what it needs
        return someoneWaits || wbWorld_Hash(world) == twin ? IS_WHOLE : IS_OTHER;
    if (status.code != wb_errorMemory || wbWorld_GetStepCount(world) != count ||
        wbWorld_Hash(world) != before)
        return IS_HALF;
    return wbIsOk(wbWorld_Step(world, 0)) && wbWorld_Hash(world) == twin ? IS_WHOLE : IS_STUCK;
}

// Lets the k-th allocation of a step fail, and all that follow in it if that is wanted.
static Outcome tryStep(wbWorld *world, int k, bool allFollow, uint64_t twin) {
    uint64_t before = wbWorld_Hash(world);
    int64_t count = wbWorld_GetStepCount(world);
    someoneWaits = false;
    heap.calls = 0, heap.firstFailing = k, heap.allFollow = allFollow;
    wbStatus status = wbWorld_Step(world, 0);
    Outcome outcome = judgeStep(world, k, status, before, count, twin);
    heap.firstFailing = 0;
    wbDestroyWorld(world);
    return outcome == IS_WHOLE && heap.blocks > 0 ? LEAKS : outcome;
}

// Each in a process of its own: all of them fail in the same world, which is made once. False: there are no so many.
static bool failStep(wbWorld *world, int k, bool allFollow, uint64_t twin) {
    static const char *const wrongs[] = {[IS_OTHER] = "another step",
                                         [IS_HALF] = "half a step",
                                         [IS_STUCK] = "a step that cannot be done again",
                                         [LEAKS] = "memory"};
    int ended;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(tryStep(world, k, allFollow, twin));
    assert_int_equal(waitpid(child, &ended, 0), child);
    if (!WIFEXITED(ended)) fail_msg("allocation %d of a step fails: it crashes", k);
    Outcome outcome = WEXITSTATUS(ended);
    if (outcome > NOT_REACHED) fail_msg("allocation %d of a step fails: that leaves %s", k, wrongs[outcome]);
    return outcome == IS_WHOLE;
}

// However it fails, a step leaves state and hash as they were, and then goes on as if nothing had been.
static void testStepIsAllOrNothing(void **state) {
    (void)state;
    static const Variant variants[] = {
        {",\"follow\":true", ",\"integrator\":\"leapfrog\"", ",\"solver\":\"gaussSeidel\",\"vorticity\":0.2",
         ",\"integrator\":\"bdf2\"", 0, NULL, false, false, false, false},
        {",\"pressureSolver\":\"jacobi\",\"advection\":\"macCormack\",\"thermalDiffusivity\":0.01", "",
         ",\"solver\":\"jacobiConstraints\",\"integrator\":\"verlet\"", ",\"integrator\":\"verlet\"", 0, NULL,
         false, false, false, false},
        {"", ",\"surfaceTension\":0.07", ",\"viscosity\":0.1", "", 0, "1.5,0.8,0.8", false, false, false,
         false},
        {"", ",\"integrator\":\"leapfrog\"", "", "", 3, "1.55,0.8,0.8", false, false, false, false},
        {",\"longestStep\":0.0025,\"follow\":true", ",\"integrator\":\"leapfrog\"", "", "", 0, NULL, true,
         false, false, false},
        {",\"longestStep\":0.0025", "", ",\"viscosity\":0.1", "", 3, "1.55,0.8,0.8", true, false, false,
         false},
        {"", "", ",\"adaptive\":{\"method\":\"levels\",\"slope\":1,\"band\":0,\"interval\":1}", "", 0, NULL,
         false, false, false, false},
        {"", "", ",\"adaptive\":{\"method\":\"levels\",\"slope\":1,\"band\":0,\"interval\":1}", "", 1, NULL,
         false, false, false, false},
        {"", ",\"integrator\":\"leapfrog\"",
         ",\"adaptive\":{\"method\":\"levels\",\"slope\":1,\"band\":0,\"interval\":1}", "", 1, NULL, false,
         false, false, true},
        {"", ",\"method\":\"split\"", "", "", 0, NULL, false, false, false, true},
    };
    const wbAllocator allocator = {allocate, release, NULL};
    heap = (Heap){0};
    wbSetAllocator(&allocator);
    wbSetLog(listen, NULL);
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        wbWorld *world = createEvery(&variants[v], wb_backendCpu);
        assert_true(wbIsOk(wbWorld_Step(world, 0)));
        uint64_t twin = wbWorld_Hash(world);
        wbDestroyWorld(world);
        world = createEvery(&variants[v], wb_backendCpu);
        for (int allFollow = 0; allFollow < 2; allFollow++) {
            int k = 1;
            while (failStep(world, k, allFollow, twin)) k++;
            assert_true(k > (variants[v].stepsBefore > 0 ? 5 : 100)); // all but what grows was there before
        }
        wbDestroyWorld(world);
    }
    assert_int_equal(heap.blocks, 0);
    wbSetLog(NULL, NULL);
    wbSetAllocator(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEachAllocationFails),
        cmocka_unit_test(testAllFromEachAllocationOnFail),
        cmocka_unit_test(testStepIsAllOrNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
