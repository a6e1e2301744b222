// SPDX-License-Identifier: MIT
// Smoke on a compute device: steps against the reference, the projection, and what it promises by itself.
#include "gpu/gpu_state.h"
#include "gpu_support.h"
#include "smoke/smoke_gpu.h"
#include "smoke_support.h"

/// A twin whose fast half is on the device.
typedef struct DeviceTwin {
    Twin twin;
    wbWork work;
    wbGpu *gpu;
    wbSmokeGpu *device;
} DeviceTwin;

static void setLanes(int lanes) { setShape(lanes == 1 ? 1 : 16, lanes == 1 ? 16 : 64); }

static DeviceTwin openTwin(const Volume *volume) {
    DeviceTwin d = {.work = makeWork(1, wb_simdScalar)};
    createTwin(&d.twin, volume, &d.work);
    assertOk(wbOpenGpu(d.work.memory, 0, &d.gpu));
    assertOk(wbCreateSmokeGpu(d.work.memory, d.gpu, &d.device));
    return d;
}

static void closeTwin(DeviceTwin *d) {
    wbDestroySmokeGpu(d->device);
    wbCloseGpu(d->gpu);
    destroyTwin(&d->twin, &d->work);
    freeWork(&d->work);
}

static wbStatus tryStep(DeviceTwin *d, const wbSmokeSource *sources, int count, int n, float dt) {
    wbArena_Reset(d->work.arena);
    return wbSmokeGpu_Step(d->device, &d->twin.smoke, &d->twin.model, &d->work, sources, count,
                           n * (double)dt, dt);
}

static void pull(DeviceTwin *d) {
    assertOk(wbSmokeGpu_Pull(d->device, &d->twin.smoke));
    assert_false(wbSmokeGpu_IsNewer(d->device));
}

static void checkFields(Twin *twin, double tolerance, const char *name) {
    double worst[refFields];
    char what[96];
    compareTwin(twin, worst);
    for (int f = 0; f < refFields; f++) {
        snprintf(what, sizeof what, "field %d, %s", f, name);
        assertBelow(worst[f], tolerance, what);
    }
}

// The largest difference of a value in a cell or at its lower faces.
static double compareSmokes(const wbSmoke *a, const wbSmoke *b) {
    const wbSmokeGrid *grid = &a->grid;
    double worst = 0;
    for (int f = 0; f < wb_smokeDensity + a->scalarCount; f++)
        for (int j = 0; j < grid->ny; j++)
            for (int k = 0; k < grid->nz; k++)
                for (int i = 0; i < grid->nx; i++) {
                    int c = wbSmokeIndex(grid, i, j, k);
                    worst = fmax(worst, fabsf(a->fields[f][c] - b->fields[f][c]));
                }
    return worst;
}

// Two steps of up to 1.6 cells, all phases.
static void checkStep(int lanes, int dimensions, int variant) {
    char name[64];
    setLanes(lanes);
    Volume volume = makeBusy(dimensions, variant);
    DeviceTwin d = openTwin(&volume);
    for (int n = 0; n < 2; n++) {
        assertOk(tryStep(&d, busySources, 3, n, 0.1f));
        refStepSmoke(d.twin.reference, busySources, 3, 0.1 * n, 0.1);
    }
    assert_true(wbSmokeGpu_IsNewer(d.device));
    pull(&d);
    snprintf(name, sizeof name, "%dD, variant %d, %d lanes", dimensions, variant, lanes);
    checkFields(&d.twin, 3e-4, name);
    assertBelow(fabs(d.twin.smoke.divergenceBefore / d.twin.reference->divergenceBefore - 1), 1e-4, name);
    assertBelow(d.twin.smoke.divergence, 1e-5 * d.twin.smoke.divergenceBefore, name);
    checkMaxSpeed(&d.twin.smoke, name);
    closeTwin(&d);
}

static void testStep(void **state) {
    (void)state;
    for (int variant = 0; variant < 32; variant += 5) checkStep(16, 2, variant), checkStep(16, 3, variant);
    checkStep(16, 2, 6), checkStep(16, 3, 9);
    checkStep(1, 2, 15), checkStep(1, 3, 0);
    checkStep(16, 2, BUSY_HEAT + 6), checkStep(16, 3, BUSY_HEAT + 11), checkStep(1, 3, BUSY_HEAT);
}

// Colours are carried and kept with the smoke, as on the cores.
static void testColours(void **state) {
    (void)state;
    Volume volume = makeBusy(2, 0);
    volume.params.coloured = true;
    wbSmokeSource sources[3];
    memcpy(sources, busySources, sizeof sources);
    sources[0].colour = wbMakeVec3(1, 0.5f, 0.2f), sources[1].colour = wbMakeVec3(0, 0.3f, 1);
    DeviceTwin d = openTwin(&volume), host = openTwin(&volume);
    for (int n = 0; n < 3; n++) {
        assertOk(tryStep(&d, sources, 3, n, 0.1f));
        assertOk(wbSmoke_Step(&host.twin.smoke, &host.twin.model, &host.work, sources, 3, 0.1 * n, 0.1f));
    }
    pull(&d);
    assert_int_equal(d.twin.smoke.scalarCount, 6);
    assertBelow(compareSmokes(&d.twin.smoke, &host.twin.smoke), 1e-4, "colours");
    closeTwin(&host);
    closeTwin(&d);
}

// Sources of the cells of a mesh: as on the cores, also where one has none.
static void testMeshSources(void **state) {
    (void)state;
    Volume volume = makeBusy(3, 2);
    uint8_t cells[BUSY_CELLS] = {0};
    for (int c = 0; c < BUSY_CELLS; c++) {
        int i = c % BUSY_X, k = c / BUSY_X % BUSY_Z, j = c / BUSY_X / BUSY_Z;
        cells[c] = i >= 11 && i < 15 && j >= 2 && j < 7 && k >= 4 && k < 9 && (i + j + k) % 5 > 0;
    }
    const wbSmokeSource sources[2] = {{.shape = wb_sourceMesh,
                                       .feeds = true,
                                       .blows = true,
                                       .density = 2,
                                       .temperature = 3,
                                       .expansion = 1,
                                       .velocity = {0, 2, 0},
                                       .end = 1,
                                       .cells = cells,
                                       .low = {11, 2, 4},
                                       .high = {15, 7, 9}},
                                      {.shape = wb_sourceMesh, .feeds = true, .end = 1, .cells = cells}};
    DeviceTwin d = openTwin(&volume), host = openTwin(&volume);
    for (int n = 0; n < 2; n++) {
        assertOk(tryStep(&d, sources, 2, n, 0.1f));
        assertOk(wbSmoke_Step(&host.twin.smoke, &host.twin.model, &host.work, sources, 2, 0.1 * n, 0.1f));
    }
    pull(&d);
    assertBelow(compareSmokes(&d.twin.smoke, &host.twin.smoke), 1e-4, "mesh");
    assert_true(*findValue(&d.twin.smoke, wb_smokeDensity, 13, 4, 6) > 1.5f);
    closeTwin(&host);
    closeTwin(&d);
}

// Projection

// Random velocities without divergence after as few cycles as on the cores, and nearly the same velocities.
static void checkProjection(DeviceTwin *d, const char *name) {
    wbWork work = makeWork(1, wb_simdScalar);
    wbSmoke *smoke = &d->twin.smoke;
    Twin host = {.model = d->twin.model};
    char what[96];
    const wbSmokeGrid *grid = &smoke->grid;
    assertOk(wbSmoke_Init(&host.smoke, &host.model, &work));
    const int cells = grid->nx * grid->ny * grid->nz;
    uint16_t *mask = test_calloc((size_t)cells, sizeof *mask);
    for (int c = 0; c < cells; c++) mask[c] = smoke->solid[c];
    assertOk(wbSmoke_SetSolids(&host.smoke, &host.model, &work,
                               &(wbSmokeSolids){mask, &(wbSmokeBody){.hasTemperature = false}, 1}));
    test_free(mask);
    for (int f = 0; f < 5; f++)
        memcpy(host.smoke.fields[f], smoke->fields[f], sizeof(float) * (size_t)grid->total);
    assertOk(wbSmoke_Project(&host.smoke, &host.model, &work));
    assertOk(wbSmokeGpu_Project(d->device, smoke, &d->twin.model, &d->work));
    pull(d);
    snprintf(what, sizeof what, "%s in %d x %d x %d", name, grid->nx, grid->ny, grid->nz);
    checkReport(smoke, what);
    assertBelow(abs(smoke->cycles - host.smoke.cycles), 0, what);
    assertBelow(compareSmokes(smoke, &host.smoke), 1e-4, what);
    wbSmoke_Free(work.memory, &host.smoke);
    freeWork(&work);
}

typedef uint8_t SolidFn(const Volume *volume, int i, int j, int k);

static void projectVolume(int lanes, const int size[4], SolidFn *solid, int open, int solver,
                          const char *name) {
    setLanes(lanes);
    Volume volume = makeVolume(size[0], size[1], size[2], size[3]);
    volume.params.tolerance = 1e-3f;
    volume.params.pressureSolver = solver;
    volume.params.sweeps = 17;
    volume.solid = solid;
    volume.bodyCount = 1;
    if (open >= 1) volume.domain.sides[wb_top].type = wb_sideOpen;
    if (open >= 2) volume.domain.sides[wb_right].type = volume.domain.sides[wb_left].type = wb_sideOpen;
    if (open >= 3) volume.domain.sides[wb_bottom].type = volume.domain.sides[wb_front].type = wb_sideOpen;
    DeviceTwin d = openTwin(&volume);
    checkProjection(&d, name);
    closeTwin(&d);
}

// Odd sizes, open sides, thin and closed sets of solid cells, few levels and many: as on the cores, cycle by cycle.
static void testProjection(void **state) {
    (void)state;
    static const int sizes[][4] = {{3, 33, 31, 29}, {3, 3, 4, 2},    {3, 65, 5, 7}, {3, 1, 20, 9},
                                   {2, 97, 65, 1},  {2, 300, 7, 1},  {2, 1, 1, 1},  {3, 48, 52, 20},
                                   {3, 17, 35, 67}, {2, 160, 150, 1}};
    static const struct {
        SolidFn *solid;
        const char *name;
    } solids[] = {{NULL, "nothing"},           {ball, "ball"},          {thinPlate, "plate"},
                  {closedRoom, "closed room"}, {slitRoom, "slit room"}, {rubble, "rubble"}};
    for (int n = 0; n < 10; n++)
        for (int s = 0; s < 6; s++)
            projectVolume(n == 1 || n == 4 ? 1 : 16, sizes[n], solids[s].solid, (n + s) % 4,
                          wb_pressureMultigrid, solids[s].name);
}

// Fixed sweeps leave what they leave on the cores.
static void testSweeps(void **state) {
    (void)state;
    for (int solver = wb_pressureJacobi; solver <= wb_pressureSor; solver++) {
        projectVolume(16, (int[]){3, 30, 26, 22}, ball, 0, solver, "ball, sweeps");
        projectVolume(1, (int[]){2, 35, 21, 1}, ball, 1, solver, "ball, sweeps");
    }
}

// As on the cores: sweeps that are far from the pressure do not feed the air.
static void testFewSweepsBringNoEnergy(void **state) {
    (void)state;
    for (int solver = wb_pressureJacobi; solver <= wb_pressureSor; solver++) {
        Volume volume = makeFewSweeps(solver);
        DeviceTwin d = openTwin(&volume);
        double before = sumSquares(&d.twin.smoke);
        for (int n = 0; n < 60; n++) assertOk(tryStep(&d, NULL, 0, n, 0.01f));
        pull(&d);
        assertBelow(sumSquares(&d.twin.smoke), before, "energy");
        closeTwin(&d);
    }
}

// What a device promises by itself

// Against the cores, over many steps: a plume in a wide box, with blocks that are skipped.
static void testPlume(void **state) {
    (void)state;
    const wbSmokeSource source = {.shape = wb_sourceSphere,
                                  .centre = {0.9f, 1.2f, 1},
                                  .radius = 0.4f,
                                  .feeds = true,
                                  .density = 1,
                                  .temperature = 1,
                                  .end = 0.7};
    Volume volume = makeVolume(3, 70, 40, 34);
    volume.params.buoyancy = 4;
    volume.params.densityDecay = volume.params.cooling = 5;
    volume.domain.sides[wb_top].type = wb_sideOpen;
    volume.speed = 0;
    DeviceTwin d = openTwin(&volume), host = openTwin(&volume);
    wbSmoke *smokes[2] = {&d.twin.smoke, &host.twin.smoke};
    for (int s = 0; s < 2; s++)
        for (int f = 0; f < 5; f++)
            memset(smokes[s]->fields[f], 0, sizeof(float) * (size_t)smokes[s]->grid.total);
    for (int n = 0; n < 25; n++) {
        assertOk(tryStep(&d, &source, 1, n, 0.05f));
        assertOk(wbSmoke_Step(&host.twin.smoke, &host.twin.model, &host.work, &source, 1, 0.05 * n, 0.05f));
    }
    pull(&d);
    assertBelow(compareSmokes(&d.twin.smoke, &host.twin.smoke), 1e-3, "plume");
    assertBelow(0.3, host.twin.smoke.maxSpeed, "plume");
    closeTwin(&host);
    closeTwin(&d);
}

static uint8_t moving(const Volume *volume, int i, int j, int k) {
    return (uint8_t)(i > 3 && i < 8 && j > 4 && j < 9 && (volume->dimensions == 2 || (k > 3 && k < 8)));
}

// A body that moves through the grid in a closed box, with a part of the air that is cut off for a while; the machine
// changes on the way.
static void testMovingBody(void **state) {
    (void)state;
    Volume volume = makeVolume(3, 26, 14, 12);
    volume.params.keepMass = true;
    volume.bodyCount = 1;
    volume.solid = moving;
    volume.bodies[0].velocity = wbMakeVec3(2, 0, 0);
    DeviceTwin d = openTwin(&volume), host = openTwin(&volume);
    uint16_t mask[26 * 14 * 12];
    const wbSmokeSource source = {.shape = wb_sourceBox,
                                  .centre = {1.9f, 0.8f, 0.7f},
                                  .half = {0.24f, 0.24f, 0.24f},
                                  .expansion = 1,
                                  .end = 1};
    for (int n = 0; n < 8; n++) {
        for (int c = 0; c < 26 * 14 * 12; c++) {
            int i = c % 26, k = c / 26 % 12, j = c / 26 / 12;
            mask[c] = (uint16_t)(moving(&volume, i - n, j, k) || (n > 2 && n < 6 && i == 20));
        }
        DeviceTwin *both[2] = {&d, &host};
        for (int b = 0; b < 2; b++)
            assertOk(wbSmoke_SetSolids(&both[b]->twin.smoke, &both[b]->twin.model, &both[b]->work,
                                       &(wbSmokeSolids){mask, volume.bodies, 1}));
        assertOk(wbSmoke_Step(&host.twin.smoke, &host.twin.model, &host.work, &source, 1, 0.05 * n, 0.05f));
        if (n == 4) { // this step on the cores
            pull(&d);
            assertOk(wbSmoke_Step(&d.twin.smoke, &d.twin.model, &d.work, &source, 1, 0.05 * n, 0.05f));
            wbSmokeGpu_Invalidate(d.device);
            continue;
        }
        assertOk(tryStep(&d, &source, 1, n, 0.05f));
        assert_int_equal(d.twin.smoke.isBlocked, host.twin.smoke.isBlocked);
    }
    pull(&d);
    assertBelow(compareSmokes(&d.twin.smoke, &host.twin.smoke), 1e-4, "around a moving body");
    for (int c = 0; c < 26 * 14 * 12; c++)
        if (mask[c])
            assert_true(*findValue(&d.twin.smoke, wb_smokeDensity, c % 26, c / 26 / 12, c / 26 % 12) == 0);
    assertBelow(fabs(d.twin.smoke.drift - host.twin.smoke.drift), 1e-5, "drift");
    closeTwin(&host);
    closeTwin(&d);
}

// A rod comes from side to side where there was air: sweeps find no pressure in it.
static void testRod(void **state) {
    (void)state;
    for (int solver = wb_pressureJacobi; solver <= wb_pressureMultigrid; solver++) {
        Volume volume = makeVolume(3, 26, 14, 12);
        volume.params.pressureSolver = solver;
        DeviceTwin d = openTwin(&volume), host = openTwin(&volume), *both[2] = {&d, &host};
        uint16_t mask[26 * 14 * 12];
        for (int c = 0; c < 26 * 14 * 12; c++) {
            int k = c / 26 % 12, j = c / 26 / 12;
            mask[c] = k > 3 && k < 8 && j > 4 && j < 9;
        }
        for (int n = 0; n < 4; n++) {
            for (int b = 0; b < 2 && n == 2; b++)
                assertOk(wbSmoke_SetSolids(&both[b]->twin.smoke, &both[b]->twin.model, &both[b]->work,
                                           &(wbSmokeSolids){mask, &(wbSmokeBody){.centre = {0, 0, 0}}, 1}));
            assertOk(wbSmoke_Step(&host.twin.smoke, &host.twin.model, &host.work, NULL, 0, 0.05 * n, 0.05f));
            assertOk(tryStep(&d, NULL, 0, n, 0.05f));
        }
        pull(&d);
        assertBelow(compareSmokes(&d.twin.smoke, &host.twin.smoke), 1e-4, "around a rod");
        closeTwin(&host);
        closeTwin(&d);
    }
}

static uint64_t hashAfter(int variant) {
    Volume volume = makeBusy(3, variant);
    DeviceTwin d = openTwin(&volume);
    for (int n = 0; n < 4; n++) assertOk(tryStep(&d, busySources, 3, n, 0.1f));
    pull(&d);
    uint64_t hash = wbSmoke_Hash(&d.twin.smoke, WB_HASH_START);
    closeTwin(&d);
    return hash;
}

static void testRepeats(void **state) {
    (void)state;
    assert_true(hashAfter(0) == hashAfter(0));
    assert_true(hashAfter(15) == hashAfter(15));
    assert_true(hashAfter(BUSY_HEAT) == hashAfter(BUSY_HEAT));
}

// A run that goes through the host after each step ends like one that stays.
static void testPullAndPush(void **state) {
    (void)state;
    Volume volume = makeBusy(3, 5);
    DeviceTwin d = openTwin(&volume);
    for (int n = 0; n < 4; n++) {
        assertOk(tryStep(&d, busySources, 3, n, 0.1f));
        pull(&d);
        wbSmokeGpu_Invalidate(d.device);
    }
    assert_true(wbSmoke_Hash(&d.twin.smoke, WB_HASH_START) == hashAfter(5));
    closeTwin(&d);
}

static void testNothingAllocated(void **state) {
    (void)state;
    Volume volume = makeBusy(3, 10);
    DeviceTwin d = openTwin(&volume);
    uint64_t calls = 0;
    for (int n = 0; n < 6; n++) {
        if (n == 3) calls = wbGetMemoryUse(d.work.memory).calls;
        assertOk(wbSmoke_SetSolids(
            &d.twin.smoke, &d.twin.model, &d.work,
            &(wbSmokeSolids){(uint16_t[BUSY_CELLS]){[7] = 1, [3000 - 99] = 2}, volume.bodies, 2}));
        assertOk(tryStep(&d, busySources, 3, n, 0.1f));
    }
    assert_true(wbGetMemoryUse(d.work.memory).calls == calls);
    closeTwin(&d);
}

static void testUnstableIsFound(void **state) {
    (void)state;
    Volume volume = makeBusy(2, 0);
    DeviceTwin d = openTwin(&volume);
    *findValue(&d.twin.smoke, wb_smokeU, 5, 5, 0) = NAN;
    wbStatus status = wb_okStatus;
    for (int n = 0; n < 3 && wbIsOk(status); n++) status = tryStep(&d, NULL, 0, 0, 0.01f);
    expectError(status, wb_errorUnstable, "no longer finite");
    closeTwin(&d);
}

// Memory that runs out before a step leaves everything as it was.
static void testNoMemory(void **state) {
    (void)state;
    Volume volume = makeBusy(2, 0);
    DeviceTwin d = openTwin(&volume);
    uint64_t hash = wbSmoke_Hash(&d.twin.smoke, WB_HASH_START);
    // first there is no room for the programs, whose texts may grow, then none for what they work on
    bool hasPrograms = false;
    for (size_t room = 10000; !hasPrograms; room += room / 4) {
        wbMemory_SetLimit(d.work.memory, wbGetMemoryUse(d.work.memory).bytes + room);
        wbStatus status = tryStep(&d, busySources, 3, 0, 0.1f);
        hasPrograms = !strstr(status.text, "program");
        expectError(status, wb_errorMemory, hasPrograms ? "device buffer" : "the device's program");
        assert_true(wbSmoke_Hash(&d.twin.smoke, WB_HASH_START) == hash);
    }
    wbMemory_SetLimit(d.work.memory, 0);
    assertOk(tryStep(&d, busySources, 3, 0, 0.1f));
    closeTwin(&d);
}

static cl_int failLaunch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                         const size_t *global, const size_t *local, cl_uint waits, const cl_event *waitList,
                         cl_event *event) {
    (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)global, (void)local;
    (void)waits, (void)waitList, (void)event;
    return CL_OUT_OF_RESOURCES;
}

static cl_int failRead(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                       void *host, cl_uint waits, const cl_event *waitList, cl_event *event) {
    (void)queue, (void)buffer, (void)blocking, (void)offset, (void)bytes, (void)host;
    (void)waits, (void)waitList, (void)event;
    return CL_OUT_OF_RESOURCES;
}

// A device that is lost in a step, or when its fields are asked for: the host has those of the last pull, and goes on.
static void testLostDevice(void **state) {
    (void)state;
    for (int inPull = 0; inPull < 2; inPull++) {
        Volume volume = makeBusy(2, 1);
        DeviceTwin d = openTwin(&volume);
        assertOk(tryStep(&d, busySources, 3, 0, 0.1f));
        pull(&d);
        uint64_t hash = wbSmoke_Hash(&d.twin.smoke, WB_HASH_START);
        wbSmoke kept = d.twin.smoke;
        assertOk(tryStep(&d, busySources, 3, 1, 0.1f));
        if (inPull) {
            d.gpu->cl.clEnqueueReadBuffer = failRead;
            expectError(wbSmokeGpu_Pull(d.device, &d.twin.smoke), wb_errorDevice, "reading from the device");
        } else {
            d.gpu->cl.clEnqueueNDRangeKernel = failLaunch;
            expectError(tryStep(&d, busySources, 3, 2, 0.1f), wb_errorDevice, "kernel smoke_");
            (void)wbSmokeGpu_Discard(d.device, &d.twin.smoke, wb_okStatus);
        }
        assert_false(wbSmokeGpu_IsNewer(d.device));
        // single numbers are the world's to keep
        d.twin.smoke.maxSpeed = kept.maxSpeed, d.twin.smoke.drift = kept.drift;
        d.twin.smoke.pressure.likelyCycles = kept.pressure.likelyCycles;
        d.twin.smoke.pressure.slowSteps = kept.pressure.slowSteps;
        assert_true(wbSmoke_Hash(&d.twin.smoke, WB_HASH_START) == hash);
        assertOk(wbSmoke_Step(&d.twin.smoke, &d.twin.model, &d.work, busySources, 3, 0.1, 0.1f));
        closeTwin(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(testStep, resetShape),
        cmocka_unit_test(testColours),
        cmocka_unit_test(testMeshSources),
        cmocka_unit_test_teardown(testProjection, resetShape),
        cmocka_unit_test_teardown(testSweeps, resetShape),
        cmocka_unit_test(testFewSweepsBringNoEnergy),
        cmocka_unit_test(testPlume),
        cmocka_unit_test(testMovingBody),
        cmocka_unit_test(testRod),
        cmocka_unit_test(testRepeats),
        cmocka_unit_test(testPullAndPush),
        cmocka_unit_test(testNothingAllocated),
        cmocka_unit_test(testUnstableIsFound),
        cmocka_unit_test(testNoMemory),
        cmocka_unit_test(testLostDevice),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
