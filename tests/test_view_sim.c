// SPDX-License-Identifier: MIT
// The window's simulation without a window: its modes of time, going back, commands and seeks in their order, what a frame
// allocates, and comparisons.
#include "view_sim_support.h"

#include <stdatomic.h>
#include <stdlib.h>

static const char *const small = "sph.particles=800";

static void waitForStep(wbSim *sim, int64_t step) {
    for (int i = 0; i < 120000 && wbSim_GetState(sim).step < step; i++) usleep(1000);
    assert_true(wbSim_GetState(sim).step >= step);
}

// A still of the second generation shows where a seek has gone.
static void waitForSeek(wbSim *sim) {
    bool isNew;
    for (int i = 0; i < 120000; i++, usleep(1000)) {
        const wbStill *still = wbSim_Take(sim, &isNew);
        if (still && still->generation == 2) return;
    }
    fail_msg("it does not come to the step");
}

static uint64_t runInThread(int threads, double speed, bool isFast) {
    Start start = {0};
    wbStatus status;
    int64_t step;
    wbSim *sim = openSim(&start, "falling-block", small, false, 64);
    wbSim_SetThreads(sim, threads);
    wbSim_SetSpeed(sim, speed, isFast);
    wbSim_SetPaused(sim, false);
    waitForStep(sim, 40);
    wbSim_Seek(sim, 40);
    waitForSeek(sim);
    const uint64_t hash = wbSim_Finish(sim, NULL, &step, &status);
    assert_int_equal(step, 40);
    wbDestroySim(sim);
    return hash;
}

// Real time, fast and in lockstep, with any number of threads: the bits are the same at the same step.
static void testModes(void **state) {
    (void)state;
    Start start = {0};
    wbSim *sim = openSim(&start, "falling-block", small, true, 64);
    runTo(sim, 40);
    const uint64_t hash = wbWorld_Hash(sim->world);
    wbDestroySim(sim);
    assert_true(runInThread(1, 1, false) == hash);
    assert_true(runInThread(1, 8, false) == hash);
    assert_true(runInThread(1, 1, true) == hash);
    assert_true(runInThread(4, 1, true) == hash);
}

// In a pause statistics are of the step that is shown, also where they are not counted again while the world runs.
static void testStatistics(void **state) {
    (void)state;
    Start start = {.statsRest = 1e9};
    bool isNew;
    wbSim *sim = openSim(&start, "falling-block", small, false, 64);
    wbSim_SetSpeed(sim, 1, true);
    wbSim_SetPaused(sim, false);
    waitForStep(sim, 10);
    wbSim_SetPaused(sim, true);
    const wbStill *still = wbSim_Take(sim, &isNew);
    for (int i = 0; i < 10000 && (still->stats.step != still->step || still->step < 10); i++) {
        usleep(1000);
        still = wbSim_Take(sim, &isNew);
    }
    assert_true(still->stats.step == still->step);
    wbDestroySim(sim);
}

// To steps and to times, and on again to the same end.
static void testSeek(void **state) {
    (void)state;
    Start start = {0};
    uint64_t hashes[61];
    double times[61];
    wbSim *sim = openSim(&start, "falling-block", small, true, 64);
    for (int i = 0; i <= 60; i++) {
        runTo(sim, i);
        hashes[i] = wbWorld_Hash(sim->world), times[i] = wbWorld_GetTime(sim->world);
    }
    const int steps[] = {37, 0, 59, 12, 60};
    for (int i = 0; i < 5; i++) {
        seekTo(sim, steps[i]);
        assert_true(wbWorld_Hash(sim->world) == hashes[steps[i]]);
        assert_true(sim->state.isPaused && sim->state.busy[0] == 0);
    }
    wbSim_SeekTime(sim, times[23] + 0.3 * (times[24] - times[23]));
    wbSim_Advance(sim, 0);
    assert_int_equal(wbWorld_GetStepCount(sim->world), 23);
    assert_true(wbWorld_Hash(sim->world) == hashes[23]);
    // a frame of a film forth, over the end of what is known
    seekTo(sim, 60);
    wbSim_StepTime(sim, 2 * (times[60] - times[59]));
    wbSim_Advance(sim, 0);
    assert_int_equal(wbWorld_GetStepCount(sim->world), 62);
    seekTo(sim, 12);
    runTo(sim, 60);
    assert_true(wbWorld_Hash(sim->world) == hashes[60]);
    wbDestroySim(sim);
}

// Another order ends a seek where it is; the next one goes on from there.
static void testInterrupt(void **state) {
    (void)state;
    Start start = {0};
    wbSim *sim = openSim(&start, "falling-block", small, true, 0); // with the first state alone
    runTo(sim, 50);
    const uint64_t hash = wbWorld_Hash(sim->world);
    const wbOrders orders = {.seeks = true, .seekStep = 40};
    sim->orders.cancels = true;
    assertOk(wbSim_GoTo(sim, &orders));
    assert_int_equal(wbWorld_GetStepCount(sim->world), 0);
    assert_int_equal(sim->state.busy[0], 0);
    sim->orders.cancels = false;
    seekTo(sim, 50);
    assert_true(wbWorld_Hash(sim->world) == hash);
    wbDestroySim(sim);
}

static bool hasSection(wbSim *sim, const char *name) {
    bool isNew;
    const wbStill *still = wbSim_Take(sim, &isNew);
    const wbSection *sections = still->sections.data;
    for (int i = 0; i < still->sectionCount; i++)
        if (strcmp(sections[i].name, name) == 0) return true;
    return false;
}

// A ball brings its solver's parameters along, and those of what it does to the water; before it was thrown they are not there. They
// stay where the two are told not to feel each other.
static void testSections(void **state) {
    (void)state;
    Start start = {0};
    wbSim *sim = openSim(&start, "falling-block", small, true, 64);
    runTo(sim, 2);
    assert_true(hasSection(sim, "sph") && !hasSection(sim, "rigid") && !hasSection(sim, "coupling"));
    assert_true(hasSection(sim, "diffuse")); // it can be switched on
    wbSim_Put(sim, "world.addRigidBody", "ball shape=sphere radius=0.05 position=0.1,0.8,0.1");
    runTo(sim, 4);
    assert_true(hasSection(sim, "rigid") && hasSection(sim, "coupling") && hasSection(sim, "ball"));
    wbSim_Put(sim, "coupling.waterRigid", "off");
    runTo(sim, 6);
    assert_int_equal(sim->state.refusedCount, 0);
    assert_true(hasSection(sim, "coupling"));
    seekTo(sim, 1);
    assert_true(!hasSection(sim, "rigid") && !hasSection(sim, "coupling"));
    wbDestroySim(sim);
    // a wind needs one kind of bodies alone
    wbSim *flag = openSim(&start, "flag", NULL, true, 64);
    assert_true(hasSection(flag, "coupling") && !hasSection(flag, "diffuse"));
    wbDestroySim(flag);
}

// Ropes that hang from bodies, and hold others: the overlay of joints shows where.
static void testTies(void **state) {
    (void)state;
    Start start = {0};
    bool isNew;
    wbSim *sim = openSim(&start, "carousel", NULL, true, 64);
    wbSim_Want(sim, wb_wantJoints);
    runTo(sim, 5);
    const wbExtras *extras = &wbSim_Take(sim, &isNew)->extras;
    const int joints = wbWorld_GetJointCount(sim->world), ropes = wbWorld_GetSoftBodyCount(sim->world);
    assert_true(ropes > 0);
    assert_int_equal(extras->jointCount, joints + 2 * ropes);
    for (int i = joints; i < extras->jointCount; i++) {
        const wbShownJoint *tie = (const wbShownJoint *)extras->joints.data + i;
        const wbVec3 apart = wbSub(tie->from, tie->to);
        assert_true(wbDot(apart, apart) < 0.01f * 0.01f);
    }
    wbDestroySim(sim);
}

// What is told before a seek is done before it: it does not cut the future off.
static void testOrder(void **state) {
    (void)state;
    Start start = {0};
    wbSim *sim = openSim(&start, "falling-block", small, true, 64);
    runTo(sim, 30);
    const double told = wbWorld_GetTime(sim->world);
    wbSim_Put(sim, "world.gravity", "0,0,0");
    seekTo(sim, 10);
    assert_int_equal(sim->recording.script.count, 1);
    assert_true(wbCommandLog_Get(&sim->recording.script, 0)->time == told);
    assert_int_equal(sim->cutCount, 0);
    assert_int_equal(sim->furthest, 31); // a command needs a step behind it to be done again
    runTo(sim, 31);
    assert_string_equal(sim->state.message, "");
    wbDestroySim(sim);
}

// Stills that are too large are not copied: the thread ends, steps are asked for, and a smaller scene has a thread again.
static void testLarge(void **state) {
    (void)state;
    Start start = {.stillLimit = 20000}, other = {0};
    bool isNew;
    wbSim *twin = openSim(&other, "falling-block", small, true, 64);
    wbSim *sim = openSim(&start, "falling-block", small, false, 64);
    for (int i = 0; i < 60000 && !wbSim_GetState(sim).isLockstep; i++) usleep(1000);
    assert_true(wbSim_GetState(sim).isLockstep);
    wbSim_SetPaused(sim, false);
    for (int i = 0; i < 10; i++) wbSim_Advance(sim, 1);
    assert_null(sim->worker);
    const wbStill *still = wbSim_Take(sim, &isNew);
    assert_int_equal(still->step, 10);
    assert_ptr_equal(still->scene.views, sim->frame.scene.views);
    assert_int_equal(still->copy.floats.capacity, 0);
    runTo(twin, 10);
    assert_true(wbWorld_Hash(sim->world) == wbWorld_Hash(twin->world));
    wbSim_SetAtStart(sim, "sph.particles", "100");
    wbSim_Open(sim, NULL);
    wbSim_Advance(sim, 0);
    assert_non_null(sim->worker);
    waitForStep(sim, 5);
    assert_false(wbSim_GetState(sim).isLockstep);
    wbDestroySim(sim), wbDestroySim(twin);
}

// The second world goes where it would alone, at the times of the first, back and forth; what is set reaches both but for its own
// settings, and the first does not notice.
static void testBeside(void **state) {
    (void)state;
    Start start = {0}, alone = {0};
    const wbTextList what = {.items = {"sph.viscosity=1"}, .count = 1};
    wbSim *sim = openSim(&start, "falling-block", small, true, 64);
    wbSim *twin = openSim(&alone, "falling-block", small, true, 64);
    wbSim_OpenBeside(sim, &what);
    wbSim *beside = wbSim_GetBeside(sim);
    runTo(sim, 20), runTo(twin, 20);
    assert_true(wbWorld_Hash(sim->world) == wbWorld_Hash(twin->world));
    assert_int_equal(wbWorld_GetStepCount(beside->world), 20);
    assert_true(wbWorld_GetTime(beside->world) == wbWorld_GetTime(sim->world));
    const uint64_t there = wbWorld_Hash(beside->world);
    assert_true(there != wbWorld_Hash(sim->world));
    seekTo(sim, 7);
    assert_int_equal(wbWorld_GetStepCount(beside->world), 7);
    runTo(sim, 20);
    assert_true(wbWorld_Hash(beside->world) == there);
    wbSim_Put(sim, "world.gravity", "0,0,0");
    wbSim_Put(sim, "sph.viscosity", "2");
    runTo(sim, 21);
    assert_true(wbWorld_GetWorldParams(beside->world)->gravity.y == 0);
    assert_true(wbWorld_GetSphParams(beside->world)->viscosity == 1);
    assert_true(wbWorld_GetSphParams(sim->world)->viscosity == 2);
    wbSim_CloseBeside(sim);
    runTo(sim, 25);
    assert_int_equal(wbWorld_GetStepCount(beside->world), 21);
    wbSim_OpenBeside(sim, &what); // from its beginning up to the first
    wbSim_Advance(sim, 0);
    assert_int_equal(wbWorld_GetStepCount(beside->world), 25);
    wbDestroySim(sim), wbDestroySim(twin);
}

static atomic_int allocations;

static void *countAllocation(size_t bytes, size_t alignment, void *context) {
    (void)context;
    atomic_fetch_add(&allocations, 1);
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *memory, size_t bytes, void *context) {
    (void)bytes, (void)context;
    free(memory);
}

// Steps, stills and values of a warm world come without an allocation, whatever it holds.
static void testAllocations(void **state) {
    (void)state;
    static const struct {
        const char *name, *setting;
    } scenes[] = {
        {"falling-block", small}, {"cloth", NULL}, {"box-stack", NULL}, {"plume", "smoke.cellSize=0.1"}};
    const wbAllocator counting = {countAllocation, release, NULL};
    wbSetAllocator(&counting);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        Start start = {0};
        bool isNew;
        const int sections[] = {0, 1, 2, 3};
        wbSim *sim = openSim(&start, scenes[i].name, scenes[i].setting, true, 0);
        wbSim_Watch(sim, sections, 4);
        for (int frame = 0; frame < 60; frame++) wbSim_Advance(sim, 1), wbSim_Take(sim, &isNew);
        const int before = allocations;
        for (int frame = 0; frame < 30; frame++) {
            wbSim_Advance(sim, 1);
            assert_non_null(wbSim_Take(sim, &isNew));
            assert_true(isNew);
        }
        if (allocations != before)
            fail_msg("%s: %d allocations in 30 frames", scenes[i].name, allocations - before);
        wbDestroySim(sim);
    }
    wbSetAllocator(NULL);
}

// A comparison tells of each way, and the world neither notices nor goes on otherwise.
static void testCompare(void **state) {
    (void)state;
    Start start = {0}, other = {0};
    wbSim *sim = openSim(&start, "box-stack", NULL, true, 64),
          *twin = openSim(&other, "box-stack", NULL, true, 64);
    runTo(sim, 20), runTo(twin, 20);
    wbSim_Compare(sim, 3);
    wbSim_SetPaused(sim, true);
    wbSim_Advance(sim, 0);
    assert_non_null(strstr(sim->state.comparison, "cores, 1 thread: "));
    assert_non_null(strstr(sim->state.comparison, "search grid"));
    assert_int_equal(wbWorld_GetStepCount(sim->world), 20);
    assert_true(wbWorld_Hash(sim->world) == wbWorld_Hash(twin->world));
    runTo(sim, 30), runTo(twin, 30);
    assert_true(wbWorld_Hash(sim->world) == wbWorld_Hash(twin->world));
    // one that is ended says so
    wbSim_Compare(sim, 1000000);
    sim->orders.compareSteps = 0;
    sim->orders.cancels = true;
    assertOk(wbSim_RunComparison(sim, 1000000));
    assert_non_null(strstr(sim->state.comparison, "stopped"));
    assert_true(wbWorld_Hash(sim->world) == wbWorld_Hash(twin->world));
    wbDestroySim(sim), wbDestroySim(twin);
}

// Each solver, method and integrator that a parameter names is exchanged while the world runs, and all of it is done again.
static void testChoices(void **state) {
    (void)state;
    static const struct {
        const char *name, *setting;
    } scenes[] = {{"falling-block", small},
                  {"pbf-dam", "pbf.spacing=0.12"},
                  {"cloth", NULL},
                  {"box-stack", NULL},
                  {"plume", "smoke.cellSize=0.1"}};
    int exchanged = 0;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        Start start = {0};
        wbSim *sim = openSim(&start, scenes[i].name, scenes[i].setting, true, 64);
        const wbSection *sections = sim->sections.data;
        int64_t step = 2;
        runTo(sim, step);
        for (int s = 0; s < sim->sectionCount; s++)
            for (int p = 0; p < sections[s].table->count; p++) {
                const wbParam *param = &sections[s].table->params[p];
                if (sections[s].isObject || sections[s].isPicture || param->type != wb_paramEnum ||
                    !param->live || strcmp(param->name, "backend") == 0)
                    continue;
                for (const char *name = param->choices; *name;
                     name += strcspn(name, "|"), name += *name == '|') {
                    char key[128], value[64];
                    snprintf(key, sizeof key, "%s.%s", sections[s].name, param->name);
                    snprintf(value, sizeof value, "%.*s", (int)strcspn(name, "|"), name);
                    wbSim_Put(sim, key, value);
                    runTo(sim, ++step);
                    if (sim->state.refused[0]) fail_msg("%s", sim->state.refused);
                    exchanged++;
                }
            }
        const uint64_t hash = wbWorld_Hash(sim->world);
        seekTo(sim, 1);
        runTo(sim, step);
        assert_true(wbWorld_Hash(sim->world) == hash);
        wbDestroySim(sim);
    }
    assert_true(exchanged > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testModes),       cmocka_unit_test(testSeek),       cmocka_unit_test(testInterrupt),
        cmocka_unit_test(testOrder),       cmocka_unit_test(testLarge),      cmocka_unit_test(testBeside),
        cmocka_unit_test(testAllocations), cmocka_unit_test(testCompare),    cmocka_unit_test(testChoices),
        cmocka_unit_test(testSections),    cmocka_unit_test(testStatistics), cmocka_unit_test(testTies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
