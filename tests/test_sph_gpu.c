// SPDX-License-Identifier: MIT
// The SPH solver on a compute device: its kernels and its steps against the reference, and whole scenes against the
// cores by their physics.
#include "gpu_support.h"
#include "space/gpu_cells.h"
#include "space/particle_fluid_gpu.h"
#include "sph/sph_boundary_gpu.h"
#include "sph/sph_constants.h"
#include "sph_support.h"
#include "world/world.h"

// Cells

enum { pointCount = 3001 };

typedef struct CellTest {
    TestGpu test;
    wbGpuCells cells;
    float columns[3][pointCount];
    wbGpuBuffer buffers[3];
} CellTest;

static uint32_t findKey(const CellTest *t, int i) {
    const SpaceCells *c = &t->cells.cells;
    int cell[3];
    for (int a = 0; a < 3; a++) {
        float place = (t->columns[a][i] - c->min[a]) * c->inverseCell[a];
        cell[a] = (int)fminf(fmaxf(place, 0), (float)(c->size[a] - 1));
    }
    if (!t->cells.grid.hashed) return (uint32_t)((cell[2] * c->size[1] + cell[1]) * c->size[0] + cell[0]);
    uint32_t slot = wbHashSlot((uint32_t)cell[0] >> 3, (uint32_t)cell[1], (uint32_t)cell[2]) & c->slotMask;
    return 8 * slot + ((uint32_t)cell[0] & 7);
}

// Points within `width` m around the origin, and some outside the box that the grid is told of.
static void sortPoints(CellTest *t, float width, bool hashed) {
    static uint32_t order[pointCount], starts[1 << 20];
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < pointCount; i++) {
            float stray = i % 100 == 0 ? 1.5f : 1;
            t->columns[a][i] = 0.5f * width * stray * randomSigned((uint32_t)(3 * i + a));
        }
        assertOk(wbGpu_Upload(t->test.gpu, &t->buffers[a], t->columns[a], sizeof t->columns[a]));
    }
    float side = 0.5f * width;
    wbGpuPoints points = {&t->buffers[0], &t->buffers[1],        &t->buffers[2],
                          pointCount,     {-side, -side, -side}, {side, side, side}};
    assertOk(wbGpuCells_Sort(&t->cells, &points, 0.25f, 3));
    assert_true(t->cells.grid.hashed == hashed);
    size_t startBytes = sizeof(int) * ((size_t)t->cells.grid.bucketCount + 1);
    assert_true(startBytes <= sizeof starts);
    assertOk(wbGpu_Download(t->test.gpu, &t->cells.order, order, sizeof order));
    assertOk(wbGpu_Download(t->test.gpu, &t->cells.bucketStart, starts, startBytes));
    bool seen[pointCount] = {0};
    for (uint32_t k = 0; k < pointCount; k++) {
        assert_true(order[k] < pointCount && !seen[order[k]]);
        seen[order[k]] = true;
        uint32_t key = findKey(t, (int)order[k]);
        assert_true(starts[key] <= k && k < starts[key + 1]);
        if (k == 0) continue;
        uint32_t before = findKey(t, (int)order[k - 1]);
        assert_true(before < key || (before == key && order[k - 1] < order[k])); // stable
    }
}

// The number of arrays is no multiple of what a kernel moves.
static void reorderPoints(CellTest *t) {
    enum { arrays = 6 };
    static uint32_t order[pointCount], values[pointCount], moved[pointCount];
    wbGpuBuffer front[arrays] = {0}, back[arrays] = {0};
    assertOk(wbGpu_Download(t->test.gpu, &t->cells.order, order, sizeof order));
    for (uint32_t k = 0; k < arrays; k++) {
        for (uint32_t i = 0; i < pointCount; i++) values[i] = i + 10000 * k;
        assertOk(wbGpuBuffer_Reserve(t->test.gpu, &front[k], "front", sizeof values));
        assertOk(wbGpuBuffer_Reserve(t->test.gpu, &back[k], "back", sizeof values));
        assertOk(wbGpu_Upload(t->test.gpu, &front[k], values, sizeof values));
    }
    assertOk(wbGpuCells_Reorder(&t->cells, pointCount, front, back, arrays));
    for (uint32_t k = 0; k < arrays; k++) {
        assertOk(wbGpu_Download(t->test.gpu, &front[k], moved, sizeof moved));
        for (int i = 0; i < pointCount; i++) assert_int_equal(moved[i], order[i] + 10000 * k);
        wbGpuBuffer_Free(t->test.gpu, &front[k]);
        wbGpuBuffer_Free(t->test.gpu, &back[k]);
    }
}

static void testCells(void **state) {
    (void)state;
    for (int groupSize = 16; groupSize <= (triesAllShapes() ? 256 : 16); groupSize *= 16) {
        setShape(16, groupSize);
        static CellTest t;
        t = (CellTest){.test = openTestGpu()};
        assertOk(wbGpuCells_Init(&t.cells, t.test.memory, t.test.gpu));
        for (int a = 0; a < 3; a++)
            assertOk(wbGpuBuffer_Reserve(t.test.gpu, &t.buffers[a], "points", sizeof t.columns[a]));
        sortPoints(&t, 6, false);
        reorderPoints(&t);
        sortPoints(&t, 4000, true);
        reorderPoints(&t);
        for (int a = 0; a < 3; a++) wbGpuBuffer_Free(t.test.gpu, &t.buffers[a]);
        wbGpuCells_Free(&t.cells);
        closeTestGpu(&t.test);
    }
}

// sph_integrate alone

extern const char wb_clSph[];

// Per particle: position, velocity, velocity of the start, acceleration; then density.
enum { moverCount = 1013, moverColumns = 13, summaryGroups = 2, summaryItems = 64 };

typedef struct Movers {
    float columns[moverColumns][moverCount];
    int neighbours[moverCount];
} Movers;

static Movers makeMovers(void) {
    Movers m;
    for (int c = 0; c < moverColumns; c++)
        for (int i = 0; i < moverCount; i++) m.columns[c][i] = randomSigned((uint32_t)(moverColumns * i + c));
    for (int i = 0; i < moverCount; i++) m.neighbours[i] = i % 50 == 0 ? 1 << 30 : i % 7; // more than 32 bits
    return m;
}

// What the kernel promises, in plain C.
static void moveOne(float p[3], float v[3], const Movers *m, int i, const SphMove *move) {
    for (int a = 0; a < 3; a++) {
        float x = m->columns[a][i], kicked = m->columns[6 + a][i];
        kicked += move->kick * (m->columns[9 + a][i] + move->room.gravity[a]);
        x += move->drift * (move->driftsAfterKick ? kicked : m->columns[3 + a][i]);
        float byLow = kicked - move->lowSpeed[a], byHigh = kicked - move->highSpeed[a];
        if (x < move->room.low[a] && byLow < 0) kicked = move->lowSpeed[a] - move->restitution * byLow;
        if (x > move->room.high[a] && byHigh > 0) kicked = move->highSpeed[a] - move->restitution * byHigh;
        p[a] = fminf(fmaxf(x, move->room.low[a]), move->room.high[a]), v[a] = kicked;
    }
}

static void runIntegrate(wbGpu *gpu, const Movers *m, const SphMove *move, Movers *moved,
                         FluidSummary summaries[summaryGroups]) {
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, WB_GPU_FLUID_SOURCES, WB_GPU_SPH_SOURCES, wb_clSph};
    const wbGpuProgramDef def = {"sph", sources, sizeof sources / sizeof sources[0],
                                 "-DHASHED=0 -DWENDLAND=1 -DARTIFICIAL=0 -DTAIT=1 -DSURFACE=0 -DMIXED=0"};
    const size_t bytes = sizeof m->neighbours, padded = bytes + 64;
    wbGpuProgram *program;
    wbGpuKernel *kernel;
    wbGpuBuffer b[moverColumns + 2] = {0}, *neighbours = &b[moverColumns], *results = neighbours + 1;
    assertOk(wbGpu_Build(gpu, &def, &program));
    assertOk(wbGpuProgram_GetKernel(program, "sph_integrate", &kernel));
    for (int c = 0; c < moverColumns + 2; c++) {
        assertOk(wbGpuBuffer_Reserve(gpu, &b[c], "movers", padded));
        assertOk(wbGpu_Fill(gpu, &b[c], 0x7fc00000u, padded)); // NaN beyond the end
    }
    for (int c = 0; c < moverColumns; c++) assertOk(wbGpu_Upload(gpu, &b[c], m->columns[c], bytes));
    assertOk(wbGpu_Upload(gpu, neighbours, m->neighbours, bytes));
    assertOk(wbGpu_RunGroups(
        gpu, kernel, summaryGroups, summaryItems,
        WB_GPU_ARGS(WB_GPU_INT(moverCount), WB_GPU_STRUCT(*move), WB_GPU_BUFFER(b[0]), WB_GPU_BUFFER(b[1]),
                    WB_GPU_BUFFER(b[2]), WB_GPU_BUFFER(b[3]), WB_GPU_BUFFER(b[4]), WB_GPU_BUFFER(b[5]),
                    WB_GPU_BUFFER(b[6]), WB_GPU_BUFFER(b[7]), WB_GPU_BUFFER(b[8]), WB_GPU_BUFFER(b[9]),
                    WB_GPU_BUFFER(b[10]), WB_GPU_BUFFER(b[11]), WB_GPU_BUFFER(b[12]), WB_GPU_BUFFER(b[12]),
                    WB_GPU_BUFFER(*neighbours), WB_GPU_LOCAL(sizeof(FluidSummary[summaryItems])),
                    WB_GPU_BUFFER(*results))));
    for (int c = 0; c < moverColumns; c++) assertOk(wbGpu_Download(gpu, &b[c], moved->columns[c], bytes));
    assertOk(wbGpu_Download(gpu, results, summaries, sizeof(FluidSummary[summaryGroups])));
    for (int c = 0; c < moverColumns + 2; c++) wbGpuBuffer_Free(gpu, &b[c]);
}

// Positions and velocities to a few roundings, and the summaries against sums over what the kernel wrote.
static void checkIntegrate(wbGpu *gpu, const SphMove *move) {
    const Movers m = makeMovers();
    Movers moved;
    FluidSummary summaries[summaryGroups];
    runIntegrate(gpu, &m, move, &moved, summaries);
    double maxSpeed2 = 0, maxDensity = 0, speed2 = 0, fall = 0, speed2Sum = 0, fallSum = 0;
    float min[3] = {1e9f, 1e9f, 1e9f}, max[3] = {-1e9f, -1e9f, -1e9f};
    int64_t pairs = 0, pairSum = 0;
    int bounced = 0;
    for (int i = 0; i < moverCount; i++) {
        float p[3], v[3];
        moveOne(p, v, &m, i, move);
        double own2 = 0;
        for (int a = 0; a < 3; a++) {
            assertBelow(fabsf(moved.columns[a][i] - p[a]), 4e-7, "position");
            assertBelow(fabsf(moved.columns[3 + a][i] - v[a]), 4e-7, "velocity");
            own2 += (double)v[a] * v[a];
            fall += (double)move->room.gravity[a] * p[a];
            min[a] = fminf(min[a], moved.columns[a][i]), max[a] = fmaxf(max[a], moved.columns[a][i]);
            bounced += p[a] == move->room.low[a] || p[a] == move->room.high[a];
        }
        speed2 += own2, maxSpeed2 = fmax(maxSpeed2, own2);
        maxDensity = fmax(maxDensity, m.columns[12][i]);
        pairs += m.neighbours[i];
    }
    assert_true(bounced > 100 && bounced < 2 * moverCount);
    float foundMax2 = 0, foundDensity = 0;
    for (int g = 0; g < summaryGroups; g++) {
        const FluidSummary *s = &summaries[g];
        foundMax2 = fmaxf(foundMax2, s->maxSpeed2), foundDensity = fmaxf(foundDensity, s->maxDensity);
        speed2Sum += s->speed2, fallSum += s->fall;
        pairSum += (int64_t)((uint64_t)s->neighbours[1] << 32 | s->neighbours[0]);
        assert_int_equal(s->broken, 0);
    }
    assertBelow(fabs(foundMax2 - maxSpeed2), 1e-6 * maxSpeed2, "largest speed");
    assert_true(foundDensity == (float)maxDensity);
    assertBelow(fabs(speed2Sum - speed2), 1e-5 * speed2, "sum of v2");
    assertBelow(fabs(fallSum - fall), 1e-5 * moverCount, "sum of g x");
    assert_true(pairs > UINT32_MAX && pairSum == pairs);
    for (int a = 0; a < 3; a++) {
        assert_true(fminf(summaries[0].min[a], summaries[1].min[a]) == min[a]);
        assert_true(fmaxf(summaries[0].max[a], summaries[1].max[a]) == max[a]);
    }
}

// Each number that may break, in the last particle too, which shares its vector with what lies beyond the end.
static void checkBroken(wbGpu *gpu, const SphMove *move) {
    const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (int k = 0; k < 4; k++) {
        Movers m = makeMovers(), moved;
        FluidSummary summaries[summaryGroups];
        m.columns[k % 3][3] = bad[k];                  // position
        m.columns[6 + k % 3][moverCount - 1] = bad[k]; // velocity
        m.columns[9 + k % 3][700] = bad[k];            // acceleration
        runIntegrate(gpu, &m, move, &moved, summaries);
        // a far position is no error by itself, its side puts it back; the square of a speed is
        assert_int_equal(summaries[0].broken + summaries[1].broken, k < 3 ? 3 : 2);
    }
}

static void testIntegrate(void **state) {
    (void)state;
    static const int lanes[] = {1, 16, 4, 8};
    for (int k = 0; k < (triesAllShapes() ? 4 : 2); k++) {
        setShape(lanes[k], 256);
        TestGpu test = openTestGpu();
        for (int after = 0; after < 2; after++) {
            const SphMove move = {
                .kick = 0.5f,
                .drift = 0.25f,
                .driftsAfterKick = after,
                .restitution = 0.3f,
                .room = {.gravity = {0.1f, -0.5f, 0.2f}, .low = {-1, -0.9f, -0.8f}, .high = {0.9f, 1, 0.8f}},
                .lowSpeed = {0.2f, 0, -0.1f}, // of sides that move
                .highSpeed = {-0.3f, 0.1f, 0}};
            checkIntegrate(test.gpu, &move);
            checkBroken(test.gpu, &move);
        }
        closeTestGpu(&test);
    }
}

// Against the reference

static Setup onDevice(Setup setup) {
    setup.def.params.backend = wb_backendOpencl;
    setup.def.params.device = 0;
    return setup;
}

static void compareEvaluation(Setup setup) {
    setup = onDevice(setup);
    setup.def.sph.integrator = wb_integratorEuler;
    refSph *reference = createReference(&setup);
    refEvaluateSph(reference);
    compareFirstStep(&setup, reference);
    refDestroySph(reference);
}

// One of 512 far away: cells must not grow with it.
static Setup makeStray(void) {
    Setup setup = makeShaken(3, 8, 8, 8);
    for (int k = 0; k < 3; k++) setup.x[3 * 100 + k] = 1e5f;
    return setup;
}

// Both kernels with and without artificial viscosity, both equations, all pressures and those above zero: each form of each
// kernel of the program. The equation changes sph_pressure alone. Other tests need the same programs, which are slow to build:
// unless all shapes are tried, every other program is one of the plane.
static void testEvaluation(void **state) {
    (void)state;
    static const int programs[] = {0, 3, 4, 7};
    for (int k = 0; k < 8; k++) {
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            if (!triesAllShapes() && dimensions != 2 + k / 2 % 2) continue;
            Setup setup = makeBoxed(dimensions);
            setVariant(&setup.def.sph, programs[k / 2] + 8 * (k % 2));
            compareEvaluation(setup);
        }
    }
    compareEvaluation(makeFarApart(900));
    compareEvaluation(makeStray());
}

// Rough and smooth normals, with one kernel and with the other, which has artificial viscosity too.
static void testSurface(void **state) {
    (void)state;
    for (int variant = 2; variant < 6; variant++) {
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            if (!triesAllShapes() && dimensions != 2 + variant % 2) continue;
            Setup setup = makeBoxed(dimensions);
            setSurfaceVariant(&setup.def.sph, variant);
            compareEvaluation(setup);
        }
    }
    setShape(1, 16);
    Setup setup = makeFarApart(8);
    setSurfaceVariant(&setup.def.sph, 3);
    compareEvaluation(setup);
}

static void compareSteps(Setup setup, wbIntegrator integrator) {
    setup = onDevice(setup);
    refSph *reference = stepReference(&setup, integrator);
    compareState(&setup, reference);
    refDestroySph(reference);
}

static void testSteps(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        compareSteps(makeBouncing(dimensions), wb_integratorEuler);
        compareSteps(makeBouncing(dimensions), wb_integratorSymplectic);
        compareSteps(makeBouncing(dimensions), wb_integratorLeapfrog);
    }
    compareSteps(makeFarApart(8), wb_integratorLeapfrog); // hashed, and near enough for exact positions
}

// Vectors of other lengths, and the scalar form that GPUs run; groups of other sizes.
static void testShapes(void **state) {
    (void)state;
    static const int shapes[][2] = {{1, 16}, {4, 256}, {8, 64}, {16, 16}};
    for (int k = 0; k < (triesAllShapes() ? 4 : 1); k++) {
        setShape(shapes[k][0], shapes[k][1]);
        compareSteps(makeBouncing(3), wb_integratorLeapfrog);
        if (shapes[k][0] > 1) continue;
        compareEvaluation(makeFarApart(900)); // hashed cells
        Setup setup = makeBoxed(2);           // and all the other terms
        setVariant(&setup.def.sph, 4);
        compareEvaluation(setup);
    }
}

static void testParametersChange(void **state) {
    (void)state;
    wbDestroyWorld(compareChanges(wb_backendOpencl));
}

// The neighbours that the device counts are those of all pairs.
static void testPairs(void **state) {
    (void)state;
    Setup setup = onDevice(makeShaken(3, 9, 8, 7));
    wbFluidId fluid;
    wbWorld *world = createWorld(&setup, &fluid);
    double h = wbFluid_GetSupportRadius(world, fluid);
    int64_t pairs = 0;
    for (int i = 0; i < setup.count; i++) {
        for (int j = 0; j < setup.count; j++) {
            double r2 = 0;
            for (int a = 0; a < 3; a++) r2 += pow((double)setup.x[3 * i + a] - setup.x[3 * j + a], 2);
            pairs += i != j && r2 < h * h;
        }
    }
    assertOk(wbWorld_Step(world, 1e-4f));
    assert_true(pairs > 5000);
    assertBelow(fabs((double)(wbWorld_GetProfile(world).pairs - pairs)), 2, "pairs"); // at the very edge
    wbDestroyWorld(world);
}

// Odd sizes

static void testSizes(void **state) {
    (void)state;
    static const int counts[] = {1, 2, 15, 16, 17, 31, 33, 255, 257};
    static const int shapes[][2] = {{1, 16}, {16, 256}};
    for (int s = 0; s < 2; s++) {
        setShape(shapes[s][0], shapes[s][1]);
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            Setup setup = makeShaken(3, 7, 7, 6);
            setSides(&setup.def.domain, wb_sideFreeSlip);
            setup.count = counts[k];
            compareEvaluation(setup);
            compareSteps(setup, wb_integratorLeapfrog);
        }
    }
}

// Time passes where there is nothing yet, and what comes later goes on from there.
static void testEmpty(void **state) {
    (void)state;
    Setup setup = onDevice(makeBoxed(3));
    int count = setup.count;
    wbFluidId fluid;
    setup.count = 0;
    wbWorld *world = createWorld(&setup, &fluid);
    assertOk(wbWorld_Step(world, 0.25f));
    assert_int_equal(wbWorld_GetStats(world).particles, 0);
    assertOk(wbFluid_AddParticles(world, fluid, count, setup.x, setup.v));
    assertOk(wbWorld_Step(world, 1e-3f));
    assert_int_equal(wbWorld_GetStepCount(world), 2);
    assert_int_equal(wbWorld_GetStats(world).particles, count);
    assertBelow(fabs(wbWorld_GetTime(world) - 0.251), 1e-7, "time");
    wbDestroyWorld(world);
}

static wbStats stepMillion(wbBackend backend) {
    const float extra[3] = {0.5f, 1.1f, 0};
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef water = wbDefaultFluidDef();
    wbBlockDef block = {.max = {1, 1, 0}, .jitter = 0.1f};
    wbWorld *world;
    wbFluidId fluid;
    def.params.dimensions = 2;
    def.params.backend = backend;
    def.sph.spacing = 1e-3f;
    def.domain = (wbDomainDef){.max = {1, 2, 0}};
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &water, &fluid));
    assertOk(wbFluid_AddBlock(world, fluid, &block));
    assertOk(wbFluid_AddParticles(world, fluid, 1, extra, NULL));
    for (int i = 0; i < 2; i++) assertOk(wbWorld_Step(world, wbWorld_GetStableStep(world)));
    wbStats stats = wbWorld_GetStats(world);
    wbDestroyWorld(world);
    return stats;
}

static void testMillion(void **state) {
    (void)state;
    wbStats device = stepMillion(wb_backendOpencl), cores = stepMillion(wb_backendCpu);
    assert_int_equal(device.particles, 1000001);
    assert_int_equal(device.leaked, 0);
    assertBelow(fabs(device.densityErrorMean / cores.densityErrorMean - 1), 1e-4, "mean density error");
    assertBelow(fabs(device.densityErrorMax / cores.densityErrorMax - 1), 1e-4, "largest density error");
    assertBelow(fabs(device.kinetic / cores.kinetic - 1), 1e-3, "kinetic energy");
    assertBelow(fabs(device.potential / cores.potential - 1), 1e-6, "potential energy");
}

// Whole scenes

typedef struct Course {
    wbStats stats;
    double front; ///< m, mean x of the hundredth of particles that is farthest to the right
} Course;

static int compareDown(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

// A column of water falls down in a box, for a given time.
static Course breakDam(int dimensions, wbBackend backend) {
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef water = wbDefaultFluidDef();
    wbBlockDef block = {.max = {0.5f, 1, 0.3f}};
    wbWorld *world;
    wbFluidId fluid;
    wbView view;
    def.params.dimensions = dimensions;
    def.params.backend = backend;
    def.sph.spacing = dimensions == 2 ? 0.02f : 0.05f;
    def.sph.artificialViscosity = 0.1f;
    def.domain = (wbDomainDef){.max = {2, 2, 0.3f}};
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &water, &fluid));
    assertOk(wbFluid_AddBlock(world, fluid, &block));
    while (wbWorld_GetTime(world) < 0.35) assertOk(wbWorld_Step(world, 0));
    Course course = {.stats = wbWorld_GetStats(world)};
    assertOk(wbFluid_GetView(world, fluid, &view));
    float *x = malloc(sizeof(float) * (size_t)view.count);
    for (int i = 0; i < view.count; i++) x[i] = view.x[i * view.stride];
    qsort(x, (size_t)view.count, sizeof *x, compareDown);
    int count = view.count / 100;
    for (int i = 0; i < count; i++) course.front += (double)x[i] / count;
    free(x);
    wbDestroyWorld(world);
    return course;
}

// Rounding grows in a flow that breaks: particles differ, what they do together does not.
static void testDamBreak(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Course device = breakDam(dimensions, wb_backendOpencl), cores = breakDam(dimensions, wb_backendCpu);
        double energy = cores.stats.kinetic + cores.stats.potential;
        double momentum = sqrt(2 * cores.stats.mass * cores.stats.kinetic);
        assertBelow(fabs(device.stats.kinetic - cores.stats.kinetic), 0.005 * energy, "kinetic energy");
        assertBelow(fabs(device.stats.potential - cores.stats.potential), 0.005 * energy, "potential energy");
        for (int a = 0; a < 3; a++)
            assertBelow(fabs(device.stats.momentum[a] - cores.stats.momentum[a]), 0.01 * momentum,
                        "momentum");
        assertBelow(fabs(device.stats.densityErrorMean - cores.stats.densityErrorMean), 1e-3,
                    "density error");
        assertBelow(fabs(device.front - cores.front), 0.02, "front");
        assert_true(cores.front > 1); // it did break
        assert_int_equal(device.stats.leaked, 0);
    }
}

// Promises: the order of particles is that of a stable sort, sums go over fixed groups, and worlds share nothing. So
// on one device a run repeats bit for bit, with every group size; with another number of lanes it need not.

static void testRepeats(void **state) {
    (void)state;
    Setup setup = onDevice(makeBoxed(3));
    setup.def.sph.integrator = wb_integratorLeapfrog;
    uint64_t expected = hashAfter(&setup, 20);
    assert_true(hashAfter(&setup, 20) == expected);
    for (int groupSize = 16; groupSize <= (triesAllShapes() ? 256 : 16); groupSize *= 4) {
        setShape(16, groupSize);
        assert_true(hashAfter(&setup, 20) == expected);
    }
}

static void testTwoWorlds(void **state) {
    (void)state;
    Setup setup = onDevice(makeBoxed(3)), other = onDevice(makeBoxed(2));
    wbFluidId fluid, otherFluid;
    uint64_t alone = hashAfter(&setup, 10), otherAlone = hashAfter(&other, 10);
    wbWorld *world = createWorld(&setup, &fluid), *otherWorld = createWorld(&other, &otherFluid);
    for (int i = 0; i < 10; i++) {
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbWorld_Step(otherWorld, 0));
    }
    assert_true(wbWorld_Hash(world) == alone && wbWorld_Hash(otherWorld) == otherAlone);
    wbDestroyWorld(world);
    wbDestroyWorld(otherWorld);
}

static void testPlaneStaysFlat(void **state) {
    (void)state;
    Setup setup = onDevice(makeBoxed(2));
    setup.def.params.gravity = wbMakeVec3(0, -10, 7);
    setup.def.domain.sides[wb_top].velocity.z = -0.2f;
    wbFluidId fluid;
    wbView view;
    wbWorld *world = createWorld(&setup, &fluid);
    for (int i = 0; i < 10; i++) assertOk(wbWorld_Step(world, 0));
    assertOk(wbFluid_GetView(world, fluid, &view));
    for (int i = 0; i < view.count; i++) assert_true(view.z[i] == 0 && view.vz[i] == 0);
    wbDestroyWorld(world);
}

// At rest every step needs what the step before needed.
static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    Setup setup = onDevice(makeBoxed(3));
    setup.def.params.gravity = wbMakeVec3(0, 0, 0);
    memset(setup.v, 0, sizeof setup.v);
    wbFluidId fluid;
    wbWorld *world = createWorld(&setup, &fluid);
    for (int i = 0; i < 3; i++) assertOk(wbWorld_Step(world, 1e-9f));
    wbProfile before = wbWorld_GetProfile(world);
    for (int i = 0; i < 50; i++) assertOk(wbWorld_Step(world, 1e-9f));
    assert_int_equal(wbWorld_GetProfile(world).allocations, before.allocations);
    assert_int_equal(wbWorld_GetProfile(world).bytes, before.bytes);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(testCells, resetShape),
        cmocka_unit_test_teardown(testIntegrate, resetShape),
        cmocka_unit_test(testEvaluation),
        cmocka_unit_test(testSteps),
        cmocka_unit_test_teardown(testSurface, resetShape),
        cmocka_unit_test_teardown(testShapes, resetShape),
        cmocka_unit_test(testParametersChange),
        cmocka_unit_test(testPairs),
        cmocka_unit_test_teardown(testSizes, resetShape),
        cmocka_unit_test(testEmpty),
        cmocka_unit_test(testMillion),
        cmocka_unit_test(testDamBreak),
        cmocka_unit_test_teardown(testRepeats, resetShape),
        cmocka_unit_test(testTwoWorlds),
        cmocka_unit_test(testPlaneStaysFlat),
        cmocka_unit_test(testWarmStepsAllocateNothing),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
