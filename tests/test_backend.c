// SPDX-License-Identifier: MIT
// Worlds that move between the cores and a compute device, are saved on it, or lose it.
#include <sys/wait.h>
#include <unistd.h>

#include "core/log.h"
#include "core/memory.h"
#include "gpu/gpu_state.h"
#include "gpu_support.h"
#include "sph_support.h"
#include "world/world.h"

static char folder[] = "backend-XXXXXX";

static const char *inFolder(const char *name) {
    static char path[2][64];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int makeFolder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int removeFolder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void step(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, 0));
}

static const wbIntegrator integrators[] = {wb_integratorEuler, wb_integratorSymplectic,
                                           wb_integratorLeapfrog};

static bool isSplit; // worlds have the method split, which knows no integrators

static Setup makeSetup(wbIntegrator integrator) {
    Setup setup = makeBoxed(3);
    setup.def.params.backend = wb_backendOpencl;
    setup.def.sph.integrator = integrator;
    if (isSplit) setup.def.sph.method = wb_sphSplit;
    if (isSplit)
        setup.def.sph.minIterations = setup.def.sph.maxIterations = 3; // as many kernels in each step
    setup.def.params.dt = 0.001f;                                      // one sub-step in a step
    return setup;
}

static wbWorld *createOnDevice(wbIntegrator integrator) {
    Setup setup = makeSetup(integrator);
    wbFluidId fluid;
    wbWorld *world = createWorld(&setup, &fluid);
    assert_non_null(wbWorld_GetDevice(world));
    return world;
}

static wbWorld *load(const char *path) {
    wbWorld *world;
    assertOk(wbLoadWorld(path, &world));
    return world;
}

// Moves between backends

static void moveWorld(wbWorld *world, wbBackend backend, bool byParam) {
    if (byParam)
        assertOk(wbWorld_SetParam(world, "world.backend", backend == wb_backendCpu ? "cpu" : "opencl"));
    else
        assertOk(wbWorld_SetBackend(world, backend, 0));
    assert_true((wbWorld_GetDevice(world) != NULL) == (backend == wb_backendOpencl));
    assert_int_equal(wbWorld_GetWorldParams(world)->backend, backend);
}

// The reference knows nothing of backends.
static void testMoves(void **state) {
    (void)state;
    static float x[3 * maxParticles], v[3 * maxParticles];
    for (int byParam = 0; byParam < 2; byParam++) {
        Setup setup = makeBouncing(2);
        wbFluidId fluid;
        double largestX, largestV;
        refSph *reference = stepReference(&setup, wb_integratorSymplectic);
        wbWorld *world = createWorld(&setup, &fluid);
        for (int i = 0; i < comparedSteps; i++) {
            if (i % 2 == 0) moveWorld(world, i % 4 ? wb_backendCpu : wb_backendOpencl, byParam);
            uint64_t hash = wbWorld_Hash(world);
            moveWorld(world, wb_backendOpencl, byParam); // where it may be already
            if (i % 2) moveWorld(world, wb_backendCpu, byParam);
            assert_true(wbWorld_Hash(world) == hash);
            assertOk(wbWorld_Step(world, comparedDt));
        }
        assertOk(wbFluid_CopyById(world, fluid, x, v));
        assertBelow(compareVectors(x, reference->x, setup.count, &largestX), 1e-5, "position");
        assertBelow(compareVectors(v, reference->v, setup.count, &largestV) / largestV, 1e-4, "velocity");
        wbDestroyWorld(world);
        refDestroySph(reference);
    }
}

// A device that is not there is refused, and the run goes on where it was.
static void testRefusedMove(void **state) {
    (void)state;
    wbWorld *world = createOnDevice(wb_integratorEuler);
    step(world, 2);
    uint64_t hash = wbWorld_Hash(world);
    expectError(wbWorld_SetBackend(world, wb_backendOpencl, 200), wb_errorDevice, "no compute device 200");
    expectError(wbWorld_SetParam(world, "world.device", "200"), wb_errorDevice, "no compute device 200");
    assert_non_null(wbWorld_GetDevice(world));
    assert_true(wbWorld_Hash(world) == hash);
    assert_int_equal(wbWorld_GetWorldParams(world)->device, wbDefaultWorldDef().params.device);
    step(world, 1);
    wbDestroyWorld(world);
}

// A checkpoint loads on the machine that is asked for, or not at all.
static void testLoadsOn(void **state) {
    (void)state;
    const char *path = inFolder("asked");
    wbWorld *world = createOnDevice(wb_integratorEuler), *loaded;
    step(world, 2);
    uint64_t hash = wbWorld_Hash(world);
    assertOk(wbWorld_Save(world, path));
    wbDestroyWorld(world);
    for (int onDevice = 0; onDevice < 2; onDevice++) {
        wbBackend backend = onDevice ? wb_backendOpencl : wb_backendCpu;
        assertOk(wbLoadWorldOn(path, backend, -1, &loaded));
        assert_true((wbWorld_GetDevice(loaded) != NULL) == onDevice);
        assert_int_equal(wbWorld_GetWorldParams(loaded)->backend, backend);
        assert_true(wbWorld_Hash(loaded) == hash);
        step(loaded, 1);
        wbDestroyWorld(loaded);
    }
    expectError(wbLoadWorldOn(path, wb_backendOpencl, 200, &loaded), wb_errorDevice, "no compute device 200");
    assert_null(loaded);
}

// What is added while the device computes is there with the next step, as in a world on the cores.
static void testAddedParticles(void **state) {
    (void)state;
    static float x[2][3 * maxParticles];
    for (int k = 0; k < 2; k++) {
        Setup setup = makeBoxed(3);
        setup.def.params.backend = k ? wb_backendOpencl : wb_backendCpu;
        wbFluidId fluid, oil;
        wbFluidDef def = wbDefaultFluidDef();
        def.name = "oil";
        wbWorld *world = createWorld(&setup, &fluid);
        for (int i = 0; i < 3; i++) {
            for (int n = 0; n < 3; n++) assertOk(wbWorld_Step(world, comparedDt));
            const float p[] = {1.2f, 0.3f * (float)i + 0.1f, 0.3f, 1.2f, 0.3f * (float)i + 0.2f, 0.3f};
            assertOk(wbFluid_AddParticles(world, fluid, 2, p, NULL));
        }
        assertOk(wbCreateFluid(world, &def, &oil));
        assertOk(wbFluid_AddBlock(world, oil,
                                  &(wbBlockDef){.min = {1.3f, 0.1f, 0.1f}, .max = {1.6f, 0.4f, 0.4f}}));
        for (int n = 0; n < 3; n++) assertOk(wbWorld_Step(world, comparedDt));
        assert_int_equal(wbFluid_GetParticleCount(world, oil), 27);
        assertOk(wbFluid_CopyById(world, fluid, x[k], NULL));
        assertOk(wbFluid_CopyById(world, oil, x[k] + (size_t)3 * (size_t)(setup.count + 6), NULL));
        wbDestroyWorld(world);
    }
    for (int i = 0; i < 3 * (makeBoxed(3).count + 6 + 27); i++)
        assertBelow(fabsf(x[0][i] - x[1][i]), 1e-5, "position");
}

// Checkpoints

static void testGoesOn(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        wbWorld *world = createOnDevice(integrators[k]), *unwatched = createOnDevice(integrators[k]);
        step(world, 7), step(unwatched, 7);
        assertOk(wbWorld_Save(world, inFolder("saved")));
        wbWorld *loaded = load(inFolder("saved"));
        assert_non_null(wbWorld_GetDevice(loaded));
        assert_true(wbWorld_Hash(world) == wbWorld_Hash(loaded));
        step(world, 7), step(loaded, 7), step(unwatched, 7);
        uint64_t hash = wbWorld_Hash(unwatched);
        assert_true(wbWorld_Hash(world) == hash && wbWorld_Hash(loaded) == hash);
        wbDestroyWorld(world), wbDestroyWorld(loaded), wbDestroyWorld(unwatched);
    }
}

static char warnings[2048];
static void keepWarning(wbLogLevel level, const char *text, void *context) {
    (void)context;
    size_t length = strlen(warnings);
    if (level == wb_logWarning) snprintf(warnings + length, sizeof warnings - length, "%s\n", text);
}

// In a process of its own, whose OpenCL finds no driver: 0 if the checkpoint goes on all the same, with a notice.
static int goOnWithoutDevice(void) {
    int count;
    wbWorld *world;
    setenv("OCL_ICD_VENDORS", folder, 1);
    setenv("OCL_ICD_FILENAMES", "", 1);
    if (wbIsOk(wbListDevices(NULL, 0, &count))) return 2;
    wbSetLog(keepWarning, NULL);
    if (!wbIsOk(wbLoadWorld(inFolder("saved"), &world))) return 3;
    if (!strstr(warnings, "written with backend \"opencl") || !strstr(warnings, "pocl-opencl-icd")) return 4;
    if (wbWorld_GetDevice(world) || wbWorld_GetWorldParams(world)->backend != wb_backendCpu) return 5;
    if (!wbIsOk(wbWorld_Step(world, 0)) || wbWorld_GetStepCount(world) != 4) return 6;
    wbStatus status = wbWorld_SetBackend(world, wb_backendOpencl, 0);
    if (status.code != wb_errorDevice || !strstr(status.text, "pocl-opencl-icd")) return 7;
    if (!wbIsOk(wbWorld_Step(world, 0))) return 8;
    wbDestroyWorld(world);
    return 0;
}

static void testGoesOnWithoutDevice(void **state) {
    char *program = *state, command[512];
    wbWorld *world = createOnDevice(wb_integratorLeapfrog);
    step(world, 3);
    assertOk(wbWorld_Save(world, inFolder("saved")));
    wbDestroyWorld(world);
    snprintf(command, sizeof command, "'%s' %s", program, folder);
    int status = system(command);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

// Failing devices: functions that call the driver's until it is their turn

static wbOpenCl driver;
static int callsLeft; ///< that succeed; below 0: all
static int calls;

static bool fails(void) {
    calls++;
    if (callsLeft <= 0) return callsLeft == 0;
    callsLeft--;
    return false;
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint waits, const cl_event *waitList, cl_event *event) {
    if (fails()) return CL_OUT_OF_RESOURCES;
    return driver.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, waitList,
                                         event);
}

static cl_int CL_API_CALL readBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                     size_t size, void *host, cl_uint waits, const cl_event *waitList,
                                     cl_event *event) {
    if (fails()) {
        memset(host, 0xee, size); // what a read that fails half-way may leave
        return CL_OUT_OF_RESOURCES;
    }
    return driver.clEnqueueReadBuffer(queue, buffer, blocking, offset, size, host, waits, waitList, event);
}

static cl_int CL_API_CALL writeBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                      size_t size, const void *host, cl_uint waits, const cl_event *waitList,
                                      cl_event *event) {
    if (fails()) return CL_MEM_OBJECT_ALLOCATION_FAILURE; // drivers may allocate as late as here
    return driver.clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, host, waits, waitList, event);
}

static cl_int CL_API_CALL finish(cl_command_queue queue) {
    return fails() ? CL_INVALID_COMMAND_QUEUE : driver.clFinish(queue);
}

static cl_mem CL_API_CALL createBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                       cl_int *code) {
    if (!fails()) return driver.clCreateBuffer(context, flags, size, host, code);
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

typedef enum Failure { failLaunch, failRead, failFinish, failWrite, failCreate } Failure;

// All calls of this kind fail but for so many.
static void plan(wbWorld *world, Failure failure, int after) {
    wbOpenCl *cl = &world->gpu->cl;
    driver = *cl;
    callsLeft = after, calls = 0;
    if (failure == failLaunch) cl->clEnqueueNDRangeKernel = launch;
    if (failure == failRead) cl->clEnqueueReadBuffer = readBuffer;
    if (failure == failFinish) cl->clFinish = finish;
    if (failure == failWrite) cl->clEnqueueWriteBuffer = writeBuffer;
    if (failure == failCreate) cl->clCreateBuffer = createBuffer;
}

static void unplan(wbWorld *world) { world->gpu->cl = driver; }

static int countCalls(Failure failure, wbIntegrator integrator) {
    wbWorld *world = createOnDevice(integrator);
    step(world, 1);
    plan(world, failure, -1);
    step(world, 1);
    int count = calls;
    unplan(world);
    wbDestroyWorld(world);
    return count;
}

// The state that a world is expected to be at after it lost its device.
typedef struct Mark {
    uint64_t hash;
    int64_t step;
    double time, kinetic;
} Mark;

static Mark markState(wbWorld *world) {
    wbStats stats = wbWorld_GetStats(world);
    return (Mark){wbWorld_Hash(world), stats.step, stats.time, stats.kinetic};
}

static void expectMark(wbWorld *world, const Mark *mark) {
    wbView view;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    double kinetic = 0, mass = wbFluid_GetParticleMass(world, wbWorld_GetFluid(world, 0));
    for (int i = 0; i < view.count; i++)
        kinetic += 0.5 * mass *
                   ((double)view.vx[i] * view.vx[i] + (double)view.vy[i] * view.vy[i] +
                    (double)view.vz[i] * view.vz[i]);
    assertBelow(fabs(kinetic / mark->kinetic - 1), 1e-9, "kinetic energy");
    wbStats stats = wbWorld_GetStats(world);
    assert_true(stats.step == mark->step && stats.time == mark->time && stats.kinetic == mark->kinetic);
    assert_true(wbWorld_GetTime(world) == mark->time && wbWorld_GetStepCount(world) == mark->step);
    assert_true(wbWorld_Hash(world) == mark->hash);
}

// Readable and savable, and on the cores it goes on like the checkpoint does.
static void expectRevival(wbWorld *world, const Mark *mark, bool byParam) {
    expectMark(world, mark);
    assertOk(wbWorld_Save(world, inFolder("lost")));
    wbWorld *loaded = load(inFolder("lost"));
    assert_true(wbWorld_Hash(loaded) == mark->hash);
    assertOk(wbWorld_SetBackend(loaded, wb_backendCpu, 0));
    moveWorld(world, wb_backendCpu, byParam);
    step(world, 2), step(loaded, 2);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(loaded));
    wbDestroyWorld(loaded);
}

// A world two steps ahead of what the host has seen.
static wbWorld *createAhead(wbIntegrator integrator, Mark *mark) {
    wbWorld *world = createOnDevice(integrator);
    step(world, 2);
    *mark = markState(world);
    wbWorld_SetScriptTime(world, 0.125);
    step(world, 2);
    return world;
}

static void loseInStep(wbIntegrator integrator, Failure failure, int after, const char *text) {
    Mark mark;
    wbWorld *world = createAhead(integrator, &mark);
    wbWorld_SetScriptTime(world, 0.25);
    plan(world, failure, after);
    wbStatus status = wbWorld_Step(world, 0);
    expectError(status, wb_errorDevice, text);
    expectError(status, wb_errorDevice, "the world is back at step 2, the last one copied from the device");
    assert_int_equal(wbWorld_Step(world, 0).code, wb_errorDevice); // until it is moved
    assert_true(wbWorld_GetScriptTime(world) == 0.125);            // as it was then
    expectRevival(world, &mark, after % 2);
    wbDestroyWorld(world);
}

static void testLostInStep(void **state) {
    (void)state;
    for (int k = 0; k < 3; k += 2) {
        int launches = countCalls(failLaunch, integrators[k]);
        assert_true(launches >= 10);
        for (int after = 0; after < launches; after++)
            loseInStep(integrators[k], failLaunch, after,
                       "could not be started: the device ran out of resources");
        int reads = countCalls(failRead, integrators[k]);
        assert_int_equal(reads, k ? 3 : 2); // the box around all, summaries
        for (int after = 0; after < reads; after++)
            loseInStep(integrators[k], failRead, after, "reading from the device failed");
        loseInStep(integrators[k], failFinish, 0, "waiting for the device failed");
    }
    loseInStep(wb_integratorEuler, failLaunch, 0, "kernel fluid_bound could not be started");
}

// The method split asks the device how far its pressures are, too.
static void testLostInSplitStep(void **state) {
    (void)state;
    isSplit = true;
    const int launches = countCalls(failLaunch, wb_integratorEuler),
              reads = countCalls(failRead, wb_integratorEuler);
    assert_true(launches >= 20 && reads >= 4); // box, progress, summaries, speed
    for (int after = 0; after < launches; after += 4)
        loseInStep(wb_integratorEuler, failLaunch, after,
                   "could not be started: the device ran out of resources");
    for (int after = 0; after < reads; after++)
        loseInStep(wb_integratorEuler, failRead, after, "reading from the device failed");
    isSplit = false;
}

// Reading what the device computed fails at each of the arrays: none of them is torn.
static void testLostInCopy(void **state) {
    (void)state;
    for (int after = 0; after < 9; after++) {
        Mark mark;
        wbView view;
        wbWorld *world = createAhead(wb_integratorSymplectic, &mark);
        plan(world, failRead, after);
        if (after % 3 == 0) {
            wbStatus status = wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view);
            expectError(status, wb_errorDevice, "reading from the device failed");
            expectError(status, wb_errorDevice, "the world is back at step 2");
        } else if (after % 3 == 1) {
            assert_true(wbWorld_Hash(world) == mark.hash);
        } else {
            expectError(wbWorld_Save(world, inFolder("torn")), wb_errorDevice, "back at step 2");
        }
        expectRevival(world, &mark, after % 2);
        wbDestroyWorld(world);
    }
    // moved at once, without a look
    Mark mark;
    wbWorld *world = createAhead(wb_integratorLeapfrog, &mark);
    plan(world, failRead, 3);
    moveWorld(world, wb_backendCpu, true);
    expectMark(world, &mark);
    step(world, 1);
    wbDestroyWorld(world);
}

// Nothing is behind what the host has: no step is lost, and none is said to be.
static void testLostInUpload(void **state) {
    (void)state;
    wbWorld *world = createOnDevice(wb_integratorEuler);
    step(world, 2);
    Mark mark = markState(world);
    wbMarkStateDirty(world);
    plan(world, failWrite, 4);
    wbStatus status = wbWorld_Step(world, 0);
    expectError(status, wb_errorDevice, "writing to the device failed");
    assert_null(strstr(status.text, "is back at"));
    expectRevival(world, &mark, false);
    wbDestroyWorld(world);
}

// A solver that came while the device was ahead is as it was made.
static void testLostWithNewSolver(void **state) {
    (void)state;
    Setup setup = makeSetup(wb_integratorEuler);
    wbFluidDef gel = wbDefaultFluidDef();
    wbFluidId fluid;
    setup.def.domain.sides[wb_top].velocity = wbMakeVec3(0.5f, 0, 0);
    setup.def.coupling.fluids = wb_otherFluidsIgnore;
    wbWorld *world = createWorld(&setup, &fluid);
    step(world, 2);
    gel.name = "gel", gel.solver = wb_solverPbf;
    assertOk(wbCreateFluid(world, &gel, &fluid));
    const wbEnergyAccount *account = &world->solvers[wb_solverPbf].liquid->account;
    assert_true(account->sideSpeed == 0.5);
    plan(world, failRead, 0);
    (void)wbWorld_Hash(world);
    unplan(world);
    assert_int_equal(wbWorld_GetStepCount(world), 0);
    assert_true(account->sideSpeed == 0.5);
    wbDestroyWorld(world);
}

// A parameter of the solver alone changes nothing that the device holds: no transfer, and none in the next step that would
// not be there without it.
static void testLiveParametersStayOnTheDevice(void **state) {
    (void)state;
    const Failure transfers[] = {failRead, failWrite};
    for (int t = 0; t < 2; t++) {
        int usual = countCalls(transfers[t], wb_integratorSymplectic);
        wbWorld *world = createOnDevice(wb_integratorSymplectic);
        step(world, 1);
        plan(world, transfers[t], -1);
        assertOk(wbWorld_SetParam(world, "sph.viscosity", "0.5"));
        assertOk(wbWorld_SetParam(world, "sph.soundSpeed", "30"));
        assertOk(wbWorld_SetParam(world, "world.dt", "0.001"));
        assert_int_equal(calls, 0);
        step(world, 1);
        assert_int_equal(calls, usual);
        unplan(world);
        wbDestroyWorld(world);
    }
}

// A new gravity moves potential energies, by where the particles are: what the next step needs of that is as if they had been
// looked at, and so it is if the device is lost in it.
static void testGravityStaysOnTheDevice(void **state) {
    (void)state;
    const Failure transfers[] = {failRead, failWrite};
    for (int t = 0; t < 2; t++) {
        Mark mark;
        wbWorld *world = createAhead(wb_integratorLeapfrog, &mark),
                *watched = createAhead(wb_integratorLeapfrog, &mark);
        const wbEnergyAccount *account = &wbGetNextLiquid(world, NULL)->account,
                              *other = &wbGetNextLiquid(watched, NULL)->account;
        const double before = account->came;
        plan(world, transfers[t], -1);
        assertOk(wbWorld_SetGravity(world, wbMakeVec3(0, -2, 0)));
        assertOk(wbWorld_SetParam(world, "world.gravity", "1,-5,2"));
        assert_int_equal(calls, 0);
        unplan(world);
        assert_true(wbWorld_Hash(watched) != mark.hash);
        assertOk(wbWorld_SetGravity(watched, wbMakeVec3(1, -5, 2)));
        step(world, 1);
        assert_true(account->came != before && account->came == other->came);
        step(watched, 1);
        assert_true(wbWorld_Hash(world) == wbWorld_Hash(watched));
        wbDestroyWorld(world), wbDestroyWorld(watched);
    }
    Mark mark;
    wbWorld *lost = createAhead(wb_integratorEuler, &mark), *kept = createOnDevice(wb_integratorEuler);
    step(kept, 2);
    (void)wbWorld_Hash(kept);
    for (int k = 0; k < 2; k++) assertOk(wbWorld_SetGravity(k ? lost : kept, wbMakeVec3(0, -2, 0)));
    plan(lost, failRead, 1);
    expectError(wbWorld_Step(lost, 0), wb_errorDevice, "the world is back at step 2");
    for (int k = 0; k < 2; k++) moveWorld(k ? lost : kept, wb_backendCpu, false);
    assert_true(wbWorld_Hash(lost) == wbWorld_Hash(kept));
    step(lost, 1), step(kept, 1);
    assert_true(wbWorld_Hash(lost) == wbWorld_Hash(kept));
    wbDestroyWorld(lost), wbDestroyWorld(kept);
}

// Memory

// Every buffer of the first step: the world is as before, names it, and goes on when there is memory again.
static void testNoMemory(void **state) {
    (void)state;
    for (int k = 0; k < 3; k += 2) {
        wbWorld *world = createOnDevice(integrators[k]);
        Mark mark = markState(world);
        step(world, 2);
        uint64_t expected = wbWorld_Hash(world);
        wbDestroyWorld(world);
        world = createOnDevice(integrators[k]);
        int refused = 0;
        for (;; refused++) {
            plan(world, failCreate, refused ? 1 : 0); // each time there is memory for one more
            wbStatus status = wbWorld_Step(world, 0);
            unplan(world);
            if (wbIsOk(status)) break;
            expectError(status, wb_errorMemory, "device buffer ");
            assert_null(strstr(status.text, "is back at"));
            expectMark(world, &mark);
        }
        assert_true(refused >= (k ? 36 : 29));
        step(world, 1);
        assert_true(wbWorld_Hash(world) == expected);
        wbDestroyWorld(world);
    }
}

// A fluid that flies apart needs more cells from step to step. Where they find no memory, also in the middle of
// leapfrog, the step is taken back; then the run goes on as if nothing had happened.
static void testNoMemoryForCells(void **state) {
    (void)state;
    for (int k = 0; k < 3; k += 2) {
        uint64_t hashes[2];
        int refused = 0;
        for (int isShort = 0; isShort < 2; isShort++) {
            Setup setup = makeSetup(integrators[k]);
            setSides(&setup.def.domain, wb_sideOpen);
            for (int i = 0; i < 3 * setup.count; i++) setup.v[i] = 10 * (setup.x[i] - 0.5f);
            wbFluidId fluid;
            wbWorld *world = createWorld(&setup, &fluid);
            step(world, 3);
            for (int i = 0; i < 40; i++) {
                if (isShort) {
                    plan(world, failCreate, 0);
                    wbStatus status = wbWorld_Step(world, 0.02f);
                    unplan(world);
                    if (wbIsOk(status)) continue;
                    expectError(status, wb_errorMemory, "device buffer ");
                    assert_int_equal(wbWorld_GetStepCount(world), 3 + i);
                    if (refused++ % 2) (void)wbWorld_Hash(world);
                }
                assertOk(wbWorld_Step(world, 0.02f));
            }
            hashes[isShort] = wbWorld_Hash(world);
            wbDestroyWorld(world);
        }
        assert_true(refused > 3);
        assert_true(hashes[0] == hashes[1]);
    }
}

static wbStatus stepLimited(double limit, wbWorld **world) {
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef water = wbDefaultFluidDef();
    wbFluidId fluid;
    def.params.backend = wb_backendOpencl;
    def.params.memoryLimit = (float)limit;
    def.threadCount = 2;
    assertOk(wbCreateWorld(&def, world));
    assertOk(wbCreateFluid(*world, &water, &fluid));
    float side = 30 * def.sph.spacing;
    assertOk(wbFluid_AddBlock(*world, fluid, &(wbBlockDef){.max = {side, side, side}}));
    return wbWorld_Step(*world, 0);
}

// Buffers on the device count: with half of the memory for them there are too few.
static void testMemoryLimit(void **state) {
    (void)state;
    wbWorld *world;
    assertOk(stepLimited(8e9, &world));
    double all = (double)wbWorld_GetProfile(world).bytes, device = (double)world->gpu->heldBytes;
    assert_true(device > 27000.0 * 25 * 4);
    uint64_t expected = wbWorld_Hash(world);
    wbDestroyWorld(world);
    expectError(stepLimited(all - device / 2, &world), wb_errorMemory, "world.memoryLimit");
    assert_int_equal(wbWorld_GetStepCount(world), 0);
    assert_int_equal(wbWorld_GetStats(world).particles, 27000);
    assertOk(wbWorld_SetParam(world, "world.memoryLimit", "1e9"));
    step(world, 1);
    assert_true(wbWorld_Hash(world) == expected);
    wbDestroyWorld(world);
}

// Health checks

static void testHealth(void **state) {
    (void)state;
    const int launches = countCalls(failLaunch, wb_integratorEuler);
    for (int k = 0; k < 3; k++) {
        wbWorld *world = createOnDevice(integrators[k]);
        wbStatus status = wbWorld_Step(world, 0);
        for (int i = 0; i < 200 && wbIsOk(status); i++) status = wbWorld_Step(world, 1);
        expectError(status, wb_errorUnstable, "unstable at step ");
        expectError(status, wb_errorUnstable, "particle ");
        expectError(status, wb_errorUnstable, "above the stable limit");
        assert_int_equal(wbWorld_Step(world, 0).code, wb_errorUnstable);
        wbStats stats = wbWorld_GetStats(world); // it can be read, but not saved
        assert_int_equal(stats.particles, makeBoxed(3).count);
        expectError(wbWorld_Save(world, inFolder("unstable")), wb_errorUnstable, "not saved");
        wbDestroyWorld(world);

        Setup setup = makeSetup(integrators[k]); // beyond floats within one step, also in half of it
        setSides(&setup.def.domain, wb_sideOpen);
        wbFluidId fluid;
        world = createWorld(&setup, &fluid);
        plan(world, failLaunch, -1);
        expectError(wbWorld_Step(world, 1e30f), wb_errorUnstable, "unstable at step 1");
        unplan(world);
        // leapfrog does not search for neighbours among positions that are not finite: as many kernels as Euler's, but for the box
        // around all, which is known where the host wrote them
        assert_int_equal(calls, launches - 1);
        wbDestroyWorld(world);
    }
}

// Not a number in the state, whoever wrote it.
static void testNan(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        wbWorld *world = createOnDevice(integrators[k]);
        step(world, 1);
        assertOk(wbPullState(world));
        wbMarkStateDirty(world);
        world->solvers[wb_solverSph].liquid->particles->vx[5] = NAN;
        uint32_t id = world->solvers[wb_solverSph].liquid->particles->id[5];
        char text[32];
        snprintf(text, sizeof text, "particle %u at", id);
        wbStatus status = wbWorld_Step(world, 0);
        expectError(status, wb_errorUnstable, "unstable at step 2");
        expectError(status, wb_errorUnstable, "particle ");
        wbDestroyWorld(world);
    }
}

// All at one place: pairs by the square, which must not be computed first.
static void testClump(void **state) {
    (void)state;
    enum { count = 200000 };
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef water = wbDefaultFluidDef();
    wbWorld *world;
    wbFluidId fluid;
    def.params.backend = wb_backendOpencl;
    float *x = calloc((size_t)3 * count, sizeof *x);
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &water, &fluid));
    assertOk(wbFluid_AddParticles(world, fluid, count, x, NULL));
    plan(world, failLaunch, 0); // not one kernel is needed to see it
    expectError(wbWorld_Step(world, 0), wb_errorUnstable, "particles clump");
    unplan(world);
    wbDestroyWorld(world);
    free(x);
}

int main(int argc, char **argv) {
    if (argc == 2) {
        snprintf(folder, sizeof folder, "%s", argv[1]);
        return goOnWithoutDevice();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testMoves),
        cmocka_unit_test(testRefusedMove),
        cmocka_unit_test(testLoadsOn),
        cmocka_unit_test(testAddedParticles),
        cmocka_unit_test(testGoesOn),
        cmocka_unit_test_prestate(testGoesOnWithoutDevice, argv[0]),
        cmocka_unit_test(testLostInStep),
        cmocka_unit_test(testLostInSplitStep),
        cmocka_unit_test(testLostInCopy),
        cmocka_unit_test(testLostInUpload),
        cmocka_unit_test(testLostWithNewSolver),
        cmocka_unit_test(testNoMemory),
        cmocka_unit_test(testNoMemoryForCells),
        cmocka_unit_test(testMemoryLimit),
        cmocka_unit_test(testHealth),
        cmocka_unit_test(testLiveParametersStayOnTheDevice),
        cmocka_unit_test(testGravityStaysOnTheDevice),
        cmocka_unit_test(testNan),
        cmocka_unit_test(testClump),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
