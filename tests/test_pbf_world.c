// SPDX-License-Identifier: MIT
// Position based fluids in worlds: sides, colliders, mechanisms, emitters, drains, checkpoints.
#include <stdio.h>

#include "core/status.h"
#include "pbf_world_support.h"
#include "wirbel/scene.h"
#include "world/world.h"

static void assertFails(wbStatus status, wbCode code, const char *text) {
    assert_int_equal(status.code, code);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

// m, after 50 steps of a drop that starts beside nothing, a side of the box or a collider: its lowest and highest particle.
static void dropBeside(int dimensions, int face, double ends[2]) {
    wbFluidId fluid;
    wbWorldDef def = makePbfDef(dimensions, wb_backendCpu, wbMakeVec3(3, 6, 3));
    wbWorld *world = createPbfWorld(&def, &fluid);
    float left = face == 0 ? 1.3f : face == 1 ? 0 : 0.5f;
    if (face == 2)
        addBox(world, "wall", wbMakeVec3(0.25f, 3, dimensions == 3 ? 1.5f : 0), wbMakeVec3(0.5f, 6, 3));
    addBlock(world, fluid, wbMakeVec3(left, 5, 1.3f), wbMakeVec3(left + 0.4f, 5.4f, 1.7f));
    for (int k = 0; k < 50; k++) assertOk(wbWorld_Step(world, 0));
    wbView view = getView(world, fluid);
    ends[0] = 6, ends[1] = 0;
    for (int i = 0; i < view.count; i++)
        ends[0] = fmin(ends[0], view.y[i]), ends[1] = fmax(ends[1], view.y[i]);
    wbDestroyWorld(world);
}

// A drop beside a flat face falls like one in the open: neither the side of the box nor that of a collider holds any of it.
static void testDropSlidesDown(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        double free[2], beside[2];
        dropBeside(dimensions, 0, free);
        assertBelow(free[1], 5.4 - 3, "way"); // 3.47 m
        for (int face = 1; face <= 2; face++) {
            dropBeside(dimensions, face, beside);
            assertBelow(beside[1], free[1] + 0.1, "highest"); // a spacing
            assertBelow(free[0] - 0.1, beside[0], "lowest");
        }
    }
}

typedef struct Column {
    double compression, lowest, level; // mean; of the lowest layer; m above the floor
    double pressure;                   // of the lowest layer, over rho0 g depth
    double force;                      // on the floor, over the weight
} Column;

// Over rho0 g depth, of the two lowest layers.
static void addPressure(wbView view, float height, double *sum, int *count) {
    for (int i = 0; i < view.count; i++)
        if (view.y[i] <= 0.15f)
            *sum += view.pressure[i] / (1000 * 9.81 * ((double)height - (double)view.y[i])), ++*count;
}

// Twenty layers at rest on the floor of the box, or on colliders that are floor and walls.
static Column restColumn(int dimensions, bool isCollider) {
    const float width = 0.6f, height = 2, wall = 0.5f;
    const bool flat = dimensions == 2;
    wbFluidId fluid;
    wbWorldDef def = makePbfDef(dimensions, wb_backendCpu, wbMakeVec3(width, 4, width));
    def.pbf.iterations = 10, def.pbf.subSteps = 2, def.pbf.viscosity = 0.05f;
    def.pbf.tension = 0; // a pressure of its own
    if (isCollider) {
        for (int s = 0; s < wb_sideCount; s++) def.domain.sides[s].type = wb_sideOpen;
        if (!flat) def.domain.sides[wb_back].type = def.domain.sides[wb_front].type = wb_sideFreeSlip;
    }
    wbWorld *world = createPbfWorld(&def, &fluid);
    wbColliderId floor = {0};
    float middle = flat ? 0 : width / 2;
    if (isCollider) {
        floor = addBox(world, "floor", wbMakeVec3(width / 2, -wall / 2, middle),
                       wbMakeVec3(width + 2 * wall, wall, 4));
        addBox(world, "left", wbMakeVec3(-wall / 2, 2, middle), wbMakeVec3(wall, 4, 4));
        addBox(world, "right", wbMakeVec3(width + wall / 2, 2, middle), wbMakeVec3(wall, 4, 4));
    }
    addBlock(world, fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(width, height, width));
    double force = 0, pressure = 0;
    int low = 0;
    for (int k = 0; k < 400; k++) {
        assertOk(wbWorld_Step(world, 0));
        if (k < 200) continue;
        if (isCollider) force -= wbCollider_GetStats(world, floor).force[1] / 200;
        addPressure(getView(world, fluid), height, &pressure, &low);
    }
    wbView view = getView(world, fluid);
    Column column = {
        .compression = wbWorld_GetStats(world).densityErrorMean, .lowest = 9, .pressure = pressure / low};
    for (int i = 0; i < view.count; i++)
        column.lowest = fmin(column.lowest, view.y[i]), column.level = fmax(column.level, view.y[i] + 0.05);
    column.force = force / (wbWorld_GetStats(world).mass * 9.81);
    assert_true(wbWorld_GetStats(world).leaked == 0);
    wbDestroyWorld(world);
    return column;
}

// At colliders the fluid is as dense as elsewhere, keeps its distance, and its pressure and its weight are right.
static void testRestOnColliders(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        for (int isCollider = 0; isCollider < 2; isCollider++) {
            Column column = restColumn(dimensions, isCollider);
            assertBelow(column.compression, 0.01, "compression");
            assertBelow(0.02, column.lowest, "distance from the floor");
            assertBelow(fabs(column.level - 2), 0.15, "level");
            assertBelow(fabs(column.pressure - 1), 0.1, "pressure");
            if (isCollider) assertBelow(fabs(column.force - 1), 0.05, "weight on the floor");
        }
    }
}

// What a collider gets is what the fluid loses.
static void testForcesBalance(void **state) {
    (void)state;
    static const struct {
        float subSteps;
        wbPbdSolver solver;
    } runs[] = {{1, wb_pbdJacobiParticles},
                {3, wb_pbdJacobiParticles},
                {1, wb_pbdGaussSeidel},
                {1, wb_pbdJacobiConstraints}};
    for (int run = 0; run < 4; run++) {
        wbFluidId fluid;
        wbWorldDef def = makePbfDef(3, wb_backendCpu, wbMakeVec3(1, 1, 1));
        for (int s = 0; s < wb_sideCount; s++) def.domain.sides[s].type = wb_sideOpen;
        def.params.gravity = (wbVec3){0, 0, 0}, def.params.dt = 0.005f;
        def.pbf.subSteps = runs[run].subSteps, def.pbf.solver = runs[run].solver;
        wbWorld *world = createPbfWorld(&def, &fluid);
        wbColliderId plate = addBox(world, "plate", wbMakeVec3(1.2f, 0.3f, 0.3f), wbMakeVec3(0.4f, 2, 2));
        assertOk(wbWorld_SetParam(world, "plate.slip", "noSlip"));
        wbBlockDef block = {.min = {0.3f, 0, 0}, .max = {0.9f, 0.6f, 0.6f}, .velocity = {2, 1, 0}};
        assertOk(wbFluid_AddBlock(world, fluid, &block));
        double before[3], impulse[3] = {0};
        memcpy(before, wbWorld_GetStats(world).momentum, sizeof before);
        for (int k = 0; k < 100; k++) {
            assertOk(wbWorld_Step(world, 0));
            for (int a = 0; a < 3; a++) impulse[a] += wbCollider_GetStats(world, plate).impulse[a];
        }
        wbStats after = wbWorld_GetStats(world);
        assertBelow(0.3 * before[0], impulse[0], "push");
        assertBelow(0.02 * before[1], impulse[1], "drag");
        for (int a = 0; a < 3; a++)
            assertBelow(fabs(before[a] - after.momentum[a] - impulse[a]), 1e-5 * before[0], "balance");
        wbDestroyWorld(world);
    }
}

// A belt that nothing slips along takes the fluid on it with it, be it a side of the box or a collider; another does not.
static void testNoSlip(void **state) {
    (void)state;
    for (int run = 0; run < 4; run++) {
        bool sticks = run & 1, isCollider = run & 2;
        wbFluidId fluid;
        wbWorldDef def = makePbfDef(2, wb_backendCpu, wbMakeVec3(4, 2, 0));
        def.domain.sides[wb_left].type = def.domain.sides[wb_right].type = wb_sideOpen;
        def.domain.sides[wb_bottom] = (wbSideDef){sticks ? wb_sideNoSlip : wb_sideFreeSlip, {1, 0, 0}, NAN};
        if (isCollider) def.domain.sides[wb_bottom].type = wb_sideOpen;
        wbWorld *world = createPbfWorld(&def, &fluid);
        if (isCollider) addBox(world, "belt", wbMakeVec3(0, -0.25f, 0), wbMakeVec3(20, 0.5f, 1));
        if (isCollider && sticks) assertOk(wbWorld_SetParam(world, "belt.slip", "noSlip"));
        addBlock(world, fluid, wbMakeVec3(1, 0, 0), wbMakeVec3(2, 0.3f, 0));
        for (int k = 0; k < 60; k++) {
            char position[64];
            snprintf(position, sizeof position, "%g,-0.25,0", (k + 1) / 60.0);
            if (isCollider) assertOk(wbWorld_SetParam(world, "belt.position", position));
            assertOk(wbWorld_Step(world, 0));
        }
        wbView view = getView(world, fluid);
        double mean = 0, count = 0;
        for (int i = 0; i < view.count; i++)
            if (view.y[i] < 0.08f) mean += view.vx[i], count++;
        if (sticks)
            assertBelow(0.8, mean / count, "dragged");
        else
            assertBelow(fabs(mean / count), 0.1, "not dragged");
        wbDestroyWorld(world);
    }
}

// A jet turns a free wheel.
static void testWheelTurns(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorldDef def = makePbfDef(3, wb_backendCpu, wbMakeVec3(1.6f, 2, 0.8f));
    def.pbf.spacing = 0.05f, def.pbf.subSteps = 2;
    for (int s = 0; s < wb_sideCount; s++) def.domain.sides[s].type = wb_sideOpen;
    wbWorld *world = createPbfWorld(&def, &fluid);
    wbColliderDef wheel = wbDefaultColliderDef();
    wbColliderId wheelId;
    wheel.name = "paddles", wheel.params.shape = wb_shapeWheel;
    wheel.params.radius = 0.45f, wheel.params.width = 0.34f, wheel.params.hub = 0.3f,
    wheel.params.paddles = 8;
    wheel.params.thickness = 0.08f, wheel.params.position = wbMakeVec3(0.75f, 0.7f, 0.4f);
    assertOk(wbCreateCollider(world, &wheel, &wheelId));
    wbMechanismDef mill = wbDefaultMechanismDef();
    wbMechanismId millId;
    mill.name = "mill", mill.colliders = &wheelId, mill.colliderCount = 1;
    mill.params.kind = wb_mechanismWheel, mill.params.drive = wb_driveFree;
    mill.params.pivot = wheel.params.position, mill.params.inertia = 2, mill.params.friction = 1;
    assertOk(wbCreateMechanism(world, &mill, &millId));
    wbEmitterDef spout = wbDefaultEmitterDef();
    spout.name = "spout", spout.fluid = fluid;
    spout.params.position = wbMakeVec3(0.3f, 1.35f, 0.4f), spout.params.radius = 0.1f;
    spout.params.velocity = 2.2f;
    addEmitter(world, &spout);
    addDrain(world, "ground", wbMakeVec3(-9, -1, -9), wbMakeVec3(9, 0, 9), (wbEmitterId){0});
    for (int k = 0; k < 150; k++) assertOk(wbWorld_Step(world, 0));
    assertBelow(wbMechanism_GetStats(world, millId).speed, -20, "speed, deg/s");
    assertAccounts(world);
    assert_true(wbWorld_GetStats(world).leaked == 0 && wbWorld_GetStats(world).removed > 0);
    wbDestroyWorld(world);
}

static uint64_t runPoolBy(const char *solver, const char *integrator, int dimensions, int threads,
                          int subSteps, bool isMixed, const char *checkpoint) {
    wbWorld *world = createPool(dimensions, wb_backendCpu, threads, subSteps, isMixed);
    assertOk(wbWorld_SetParam(world, "pbf.solver", solver));
    assertOk(wbWorld_SetParam(world, "pbf.integrator", integrator));
    int64_t all = wbWorld_GetStats(world).particles;
    for (int k = 0; k < 60; k++) {
        assertOk(wbWorld_Step(world, 0));
        assert_true(wbWorld_GetProfile(world).pbfSubSteps > (subSteps == 0));
        assertAccounts(world);
        if (k == 30 && checkpoint) {
            assertOk(wbWorld_Save(world, checkpoint));
            uint64_t hash = wbWorld_Hash(world);
            wbDestroyWorld(world);
            assertOk(wbLoadWorld(checkpoint, &world));
            assertOk(wbWorld_SetThreadCount(world, threads));
            assert_true(wbWorld_Hash(world) == hash);
        }
    }
    assert_true(wbWorld_GetStats(world).particles + countPumped(world) == all);
    assert_true(wbWorld_GetStats(world).leaked == 0);
    uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static uint64_t runPool(int dimensions, int threads, int subSteps, bool isMixed, const char *checkpoint) {
    return runPoolBy("jacobiParticles", "euler", dimensions, threads, subSteps, isMixed, checkpoint);
}

// Gate, post, jet, drain and pump, in 2D and 3D, with and without SPH beside it, with sub-steps of all kinds: the same bits for any
// number of threads, and after a checkpoint.
static void testPool(void **state) {
    (void)state;
    for (int run = 0; run < 6; run++) {
        int dimensions = run % 2 + 2, subSteps = (int[]){2, 1, 0}[run / 2];
        bool isMixed = subSteps == 1;
        uint64_t hash = runPool(dimensions, 1, subSteps, isMixed, NULL);
        if (subSteps == 0) assert_true(runPool(dimensions, 2, subSteps, isMixed, NULL) == hash);
        assert_true(runPool(dimensions, 3, subSteps, isMixed, NULL) == hash);
        assert_true(runPool(dimensions, 1, subSteps, isMixed, "pbf_world.checkpoint") == hash);
    }
    remove("pbf_world.checkpoint");
}

// Threads and checkpoints do not matter by the other solvers and integrators either.
static void testPoolBySolvers(void **state) {
    (void)state;
    static const char *const ways[][2] = {
        {"gaussSeidel", "verlet"}, {"jacobiConstraints", "euler"}, {"gaussSeidel", "euler"}};
    for (int k = 0; k < 3; k++) {
        const int dimensions = k == 2 ? 2 : 3, subSteps = k == 0 ? 0 : 1;
        uint64_t hash = runPoolBy(ways[k][0], ways[k][1], dimensions, 1, subSteps, false, NULL);
        assert_true(runPoolBy(ways[k][0], ways[k][1], dimensions, 3, subSteps, false,
                              "pbf_solver.checkpoint") == hash);
        assert_true(runPool(dimensions, 1, subSteps, false, NULL) != hash);
    }
    remove("pbf_solver.checkpoint");
}

static int compareIds(const void *a, const void *b) {
    uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
    return one < two ? -1 : one > two;
}

// Fluids of both solvers have views of their own and ids that no other particle has.
static void testMixedViews(void **state) {
    (void)state;
    wbWorld *world = createPool(3, wb_backendCpu, 1, 1, true);
    stepTimes(world, 5);
    uint32_t ids[4000];
    int count = 0;
    for (int f = 0; f < 2; f++) {
        wbView view = getView(world, wbWorld_GetFluid(world, f));
        assert_int_equal(wbFluid_GetSolver(world, wbWorld_GetFluid(world, f)),
                         f == 0 ? wb_solverPbf : wb_solverSph);
        assert_true(view.count > 100 && count + view.count < 4000);
        memcpy(ids + count, view.id, sizeof(uint32_t) * (size_t)view.count);
        count += view.count;
    }
    assert_int_equal(count, wbWorld_GetStats(world).particles);
    qsort(ids, (size_t)count, sizeof ids[0], compareIds);
    for (int i = 1; i < count; i++) assert_true(ids[i] > ids[i - 1]);
    wbProfile profile = wbWorld_GetProfile(world);
    assert_int_equal(profile.phaseCount, 12);
    assert_string_equal(profile.phases[7].name, "pbf_sort");
    wbDestroyWorld(world);
}

// Parameters change while it runs; the step follows the fastest particle; a world for SPH does not know of any of it.
static void testParams(void **state) {
    (void)state;
    char value[32];
    wbWorld *world = createPool(3, wb_backendCpu, 1, 1, false);
    stepTimes(world, 3);
    assertOk(wbWorld_SetParam(world, "pbf.iterations", "8"));
    assertOk(wbWorld_SetParam(world, "pbf.smoothing", "2.4"));
    assertOk(wbWorld_SetParam(world, "pbf.constraint", "equality"));
    stepTimes(world, 3);
    assertOk(wbWorld_SetParam(world, "pbf.solver", "gaussSeidel"));
    assertOk(wbWorld_SetParam(world, "pbf.integrator", "verlet"));
    assertFails(wbWorld_SetParam(world, "pbf.solver", "jacobi"), wb_errorInput, "jacobiParticles");
    stepTimes(world, 3);
    assertOk(wbWorld_GetParam(world, "pbf.smoothing", value, sizeof value));
    assert_string_equal(value, "2.4");
    assertBelow(fabs(wbFluid_GetSupportRadius(world, wbWorld_GetFluid(world, 0)) - 0.24), 1e-6, "h");
    assertFails(wbWorld_SetParam(world, "pbf.spacing", "0.2"), wb_errorInput, "fixed");
    assertFails(wbWorld_SetParam(world, "pbf.smoothing", "9"), wb_errorInput, "allowed is 1.1 to 6");
    assertFails(wbWorld_SetParam(world, "fluid.viscosity", "9"), wb_errorInput, "are in \"pbf\"");
    assertFails(wbWorld_SetParam(world, "pbf.viscosit", "9"), wb_errorInput, "pbf.viscosity");
    assertOk(wbWorld_SetParam(world, "world.dt", "auto"));
    assertBelow(fabs(wbWorld_GetTimeStep(world) - 1.0 / 60), 1e-6, "dt");
    wbDestroyWorld(world);

    wbFluidId fluid;
    wbWorldDef def = makePbfDef(3, wb_backendCpu, wbMakeVec3(1, 1, 1));
    def.params.dt = 0;
    world = createPbfWorld(&def, &fluid);
    assertOk(wbFluid_AddParticles(world, fluid, 1, (float[3]){0.5f, 0.5f, 0.5f}, (float[3]){50, 0, 0}));
    // up to eight sub-steps follow the speed, each as long as it may be, then the step does
    assertBelow(fabs(wbWorld_GetStableStep(world) - 5 * 0.8 * 0.2 / 50), 1e-6, "dt of five sub-steps");
    assert_int_equal(wbWorld_GetProfile(world).pbfSubSteps, 3); // of half of 1/60 s
    assertOk(wbWorld_SetParam(world, "pbf.subSteps", "1"));
    assertBelow(fabs(wbWorld_GetStableStep(world) - 0.8 * 0.2 / 50), 1e-6, "dt of one sub-step");
    assertOk(wbWorld_SetParam(world, "pbf.subSteps", "auto"));
    assertOk(wbFluid_AddParticles(world, fluid, 1, (float[3]){0.2f, 0.2f, 0.5f}, (float[3]){500, 0, 0}));
    assertBelow(fabs(wbWorld_GetStableStep(world) - 8 * 0.8 * 0.2 / 500), 1e-6, "dt of a fast drop");
    wbDestroyWorld(world);

    // a box that is narrower than the default h of position based fluids is none of SPH's concern
    def = makePbfDef(3, wb_backendCpu, wbMakeVec3(0.1f, 0.1f, 0.1f));
    assertOk(wbCreateWorld(&def, &world));
    wbFluidDef pbf = wbDefaultFluidDef();
    pbf.solver = wb_solverPbf;
    assertFails(wbCreateFluid(world, &pbf, &fluid), wb_errorInput, "pbf.spacing");
    assert_int_equal(wbWorld_GetFluidCount(world), 0);
    stepTimes(world, 1);
    wbDestroyWorld(world);
}

// Who has chosen step and sub-steps may let water sink, by a twentieth of its depth; of blocks above each other the air is not counted.
static void testChosenStepsMayLetItSink(void **state) {
    (void)state;
    const int layers[] = {8, 60};
    for (int k = 0; k < 2; k++) {
        const float top = 0.1f * (float)layers[k];
        wbFluidId fluid;
        wbWorldDef def = makePbfDef(3, wb_backendCpu, wbMakeVec3(1, 8, 1));
        def.pbf.subSteps = 1, def.pbf.iterations = 4;
        wbWorld *world = createPbfWorld(&def, &fluid);
        addBlock(world, fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(1, top, 1));
        if (k == 0) addBlock(world, fluid, wbMakeVec3(0, 7, 0), wbMakeVec3(1, 7.3f, 1));
        const double limit = (double)wbWorld_GetStableStep(world);
        assert_true(k == 0 ? limit > 0.99 / 60 : limit < 0.9 / 60);
        assertOk(wbWorld_SetParam(world, "world.dt", "auto"));
        assertBelow((double)wbWorld_GetStableStep(world), k == 0 ? 0.9 / 60 : 0.99 * limit, "automatic dt");
        wbDestroyWorld(world);
    }
}

static double getEnergy(wbWorld *world) {
    wbStats stats = wbWorld_GetStats(world);
    return stats.kinetic + stats.potential;
}

// In sub-steps much shorter than its depth asks for, as beside bodies, water comes to rest, too, and gains no energy: what moves particles is
// the gradient of their density. Where densities were sums of another kernel pools went on at 0.2 to 1.2 sqrt(g d).
static void testShortStepsAreCalm(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        wbFluidId fluid;
        wbWorldDef def = makePbfDef(3, wb_backendCpu, wbMakeVec3(1, 2, 1));
        def.pbf.subSteps = 4;
        if (k == 1) def.pbf.smoothing = 2.5f;
        if (k == 2) def.pbf.constraint = wb_densityEquality;
        wbWorld *world = createPbfWorld(&def, &fluid);
        addBlock(world, fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1));
        if (k == 2) assertOk(wbWorld_Step(world, 0)); // an equality pulls the surface together first
        const double start = getEnergy(world);
        for (int n = 0; n < 240; n++) {
            assertOk(wbWorld_Step(world, 0));
            assertBelow(getEnergy(world), 1.00001 * start, "energy");
        }
        const double speed = sqrt(2 * wbWorld_GetStats(world).kinetic / 1000);
        assertBelow(speed, 0.08 * sqrt(9.81 * 0.1), "speed");
        wbDestroyWorld(world);
    }
}

// Twenty layers of 2 cm: the water neither sinks far nor gains energy, whatever the steps are, and weighs what it should.
static void testStillWater(void **state) {
    (void)state;
    const float steps[][2] = {{0, 0}, {1.0f / 60, 1.0f / 60}, {1.0f / 60, 0.002f}, {1e-8f, 1e-8f},
                              {0, 0}, {1.0f / 60, 0.002f}};
    for (int k = 0; k < 6; k++) {
        wbFluidId fluid;
        wbWorldDef def = makePbfDef(2, wb_backendCpu, wbMakeVec3(0.2f, 1, 0));
        def.params.dt = 0, def.pbf.spacing = 0.02f;
        if (k == 4) def.pbf.solver = wb_pbdGaussSeidel;
        if (k == 5) def.pbf.integrator = wb_pbfVerlet;
        wbWorld *world = createPbfWorld(&def, &fluid);
        addBlock(world, fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(0.2f, 0.4f, 0));
        double start = getEnergy(world), highest = start;
        assertBelow(fabs(wbWorld_GetStats(world).mass / 80 - 1), 1e-6, "mass");
        for (int n = 0; n < 240; n++) {
            assertOk(wbWorld_Step(world, steps[k][n % 2]));
            highest = fmax(highest, getEnergy(world));
        }
        wbView view = getView(world, fluid);
        double mean = 0;
        for (int i = 0; i < view.count; i++) mean += (double)view.y[i] / view.count;
        assertBelow(highest / start - 1, 1e-3, "energy");
        assertBelow(fabs(mean / 0.2 - 1), 0.025, "sinking");
        if (k < 2) assert_true(wbWorld_GetProfile(world).pbfSubSteps > 1);
        wbDestroyWorld(world);
    }
}

// Where steps are far shorter than the weight asks for, as with layers of 1 m, water that starts as a lattice is not thrown up.
static void testCoarseStillWater(void **state) {
    (void)state;
    const float layers[] = {5, 20, 5}, spacings[] = {1, 1, 2}; // m
    for (int k = 0; k < 3; k++) {
        wbFluidId fluid;
        const float dx = spacings[k];
        wbWorldDef def = makePbfDef(3, wb_backendCpu, wbMakeVec3(8 * dx, 30 * dx, 8 * dx));
        def.pbf.spacing = dx;
        wbWorld *world = createPbfWorld(&def, &fluid);
        addBlock(world, fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(8 * dx, layers[k] * dx, 8 * dx));
        double start = getEnergy(world), highest = start;
        for (int n = 0; n < 180; n++) {
            assertOk(wbWorld_Step(world, 0));
            highest = fmax(highest, getEnergy(world));
        }
        assertBelow(highest / start - 1, 1e-3, "energy");
        wbDestroyWorld(world);
    }
}

static int countSubSteps(const char *gravity, int blocks, const float places[][6]) {
    wbFluidId fluid;
    wbWorldDef def = makePbfDef(3, wb_backendCpu, wbMakeVec3(2, 2, 2));
    def.pbf.spacing = 0.05f, def.pbf.iterations = 4;
    wbWorld *world = createPbfWorld(&def, &fluid);
    assertOk(wbWorld_SetParam(world, "world.gravity", gravity));
    for (int k = 0; k < blocks; k++)
        addBlock(world, fluid, wbMakeVec3(places[k][0], places[k][1], places[k][2]),
                 wbMakeVec3(places[k][3], places[k][4], places[k][5]));
    for (int i = 0; i < 8 && blocks == 0; i++)
        assertOk(wbFluid_AddParticles(world, fluid, 1, (float[3]){1, 0.2f * (float)(i + 1), 1}, NULL));
    int count = wbWorld_GetProfile(world).pbfSubSteps; // known before the step
    stepTimes(world, 1);
    assert_int_equal(wbWorld_GetProfile(world).pbfSubSteps, count);
    wbDestroyWorld(world);
    return count;
}

// Depth counts along gravity, whichever way that points; drops are not deep water, and without gravity nothing is.
static void testDepth(void **state) {
    (void)state;
    const char *const down = "0,-9.81,0";
    const float up[][6] = {{0, 0, 0, 0.3f, 1.5f, 0.3f}}, aside[][6] = {{0, 0, 0, 1.5f, 0.3f, 0.3f}},
                deep[][6] = {{0, 0, 0, 0.3f, 0.3f, 1.5f}};
    const int count = countSubSteps(down, 1, up);
    assert_true(count > 2);
    assert_int_equal(countSubSteps("9.81,0,0", 1, aside), count);
    assert_int_equal(countSubSteps("-9.81,0,0", 1, aside), count);
    assert_int_equal(countSubSteps("0,0,-9.81", 1, deep), count);
    assert_int_equal(countSubSteps("0,0,0", 1, up), 1);
    assert_int_equal(countSubSteps(down, 0, NULL), 1);
}

// Waters above each other, as in troughs, are as deep as the deepest of them; those that touch are one.
static void testStackedWater(void **state) {
    (void)state;
    const char *const down = "0,-9.81,0", *const up = "0,9.81,0";
    const float apart[][6] = {
        {0, 0, 0, 0.5f, 0.75f, 0.5f}, {0, 0.95f, 0, 0.5f, 1.2f, 0.5f}, {0, 1.4f, 0, 0.5f, 1.9f, 0.5f}};
    const float touching[][6] = {{0, 0, 0, 0.5f, 0.75f, 0.5f}, {0, 0.75f, 0, 0.5f, 1.5f, 0.5f}};
    const float whole[][6] = {{0, 0, 0, 0.5f, 1.5f, 0.5f}};
    // a jet that has lost a third of its water ends a cell above what it falls into
    const float jet[][6] = {{0, 0, 0, 0.5f, 0.75f, 0.5f}, {0, 0.75f, 0, 0.1f, 1.5f, 0.15f}};
    const float below[][6] = {{0, 0, 0, 0.5f, 0.85f, 0.5f}};
    const int count = countSubSteps(down, 1, apart);
    assert_true(count > 1);
    assert_int_equal(countSubSteps(down, 3, apart), count);
    assert_int_equal(countSubSteps(up, 3, apart), count);
    assert_true(countSubSteps(down, 1, whole) > count);
    assert_int_equal(countSubSteps(down, 2, touching), countSubSteps(down, 1, whole));
    assert_int_equal(countSubSteps(down, 2, jet), countSubSteps(down, 1, below));
}

// With less memory than a step needs it says so and changes nothing, also in a later sub-step.
static void testMemoryRunsOut(void **state) {
    (void)state;
    wbWorld *world = createPool(3, wb_backendCpu, 1, 3, false);
    uint64_t before = wbWorld_Hash(world);
    int refused = 0;
    for (size_t limit = wbWorld_GetProfile(world).bytes;; limit += 20000, refused++) {
        wbMemory_SetLimit(world->memory, limit);
        wbStatus status = wbWorld_Step(world, 0);
        if (wbIsOk(status)) break;
        assert_int_equal(status.code, wb_errorMemory);
        assert_true(wbWorld_Hash(world) == before);
    }
    assert_true(refused > 3 && wbWorld_Hash(world) != before);
    wbDestroyWorld(world);
}

static void testUnstableIsFound(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorldDef def = makePbfDef(3, wb_backendCpu, wbMakeVec3(1, 1, 1));
    wbWorld *world = createPbfWorld(&def, &fluid);
    static float positions[3 * 2000];
    for (int i = 0; i < 6000; i++) positions[i] = 0.5f;
    assertOk(wbFluid_AddParticles(world, fluid, 2000, positions, NULL));
    assertFails(wbWorld_Step(world, 0), wb_errorUnstable, "pbf.subSteps");
    assertFails(wbWorld_Step(world, 0), wb_errorUnstable, "clump");
    wbDestroyWorld(world);
}

static void testScenes(void **state) {
    (void)state;
    static const char text[] = "{\"world\": {\"dimensions\": 2, \"dt\": 0.01}, \"pbf\": {\"spacing\": 0.05},"
                               " \"domain\": {\"min\": [0, 0], \"max\": [2, 2]},"
                               " \"fluids\": [{\"name\": \"a\", \"solver\": \"pbf\","
                               " \"blocks\": [{\"min\": [0, 0], \"max\": [1, 1]}]}],"
                               " \"script\": [{\"at\": 0.1, \"set\": \"pbf.viscosity\", \"value\": 0.1}]}";
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("text", text, sizeof text - 1, &scene));
    assertOk(wbScene_CreateWorld(scene, &world));
    assert_int_equal(wbWorld_GetStats(world).particles, 400);
    assertOk(wbScene_CheckWorld(scene, world));
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testChosenStepsMayLetItSink),
        cmocka_unit_test(testDropSlidesDown),
        cmocka_unit_test(testRestOnColliders),
        cmocka_unit_test(testForcesBalance),
        cmocka_unit_test(testNoSlip),
        cmocka_unit_test(testWheelTurns),
        cmocka_unit_test(testPool),
        cmocka_unit_test(testPoolBySolvers),
        cmocka_unit_test(testMixedViews),
        cmocka_unit_test(testParams),
        cmocka_unit_test(testMemoryRunsOut),
        cmocka_unit_test(testUnstableIsFound),
        cmocka_unit_test(testScenes),
        cmocka_unit_test(testStillWater),
        cmocka_unit_test(testShortStepsAreCalm),
        cmocka_unit_test(testCoarseStillWater),
        cmocka_unit_test(testDepth),
        cmocka_unit_test(testStackedWater),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
