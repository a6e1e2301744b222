// SPDX-License-Identifier: MIT
// The base of particle fluids on a device (space/particle_fluid_gpu.h) with a method that only drifts: room by a table, order,
// densities of several fluids, collision, summaries, health.
#include <math.h>

#include "core/hash.h"
#include "core/status.h"
#include "gpu/variants.h"
#include "gpu_support.h"
#include "space/particle_fluid_gpu.h"

enum { COUNT = 1000 };

static const char source[] =
    "#if TWICE\n"
    "__kernel void drift_twice(int count) {}\n"
    "#endif\n"
    "__kernel IN_SUMMARY_GROUPS void drift(int count, OUT3(x, y, z), IN3(vx, vy, vz),\n"
    "                                      __global const float *densities,\n"
    "                                      SUMMARIES(neighbours, shared, summaries)) {\n"
    "    Tally tally = begin_tally(count);\n"
    "    int i;\n"
    "    while (next_lanes(&tally, &i)) {\n"
    "        const Real3 v = load3(vx, vy, vz, i), p = add3(load3(x, y, z, i), v);\n"
    "        store3(x, y, z, i, p);\n"
    "        add_to_tally(&tally, p, v, real_load(densities + i), lanes_load(neighbours + i));\n"
    "        add_energies(&tally, v, p.x, real_set(1));\n"
    "    }\n"
    "    end_tally(&tally, shared, summaries);\n"
    "}\n";

enum { OFTEN, SELDOM, COLUMNS };
enum { IS_SELDOM = 4 };
static const wbFluidColumn table[COLUMNS] = {[OFTEN] = {"often", 0}, [SELDOM] = {"seldom", IS_SELDOM}};
static const char *const sources[] = {WB_GPU_SEARCH_SOURCES, WB_GPU_FLUID_SOURCES, source, NULL};
static const char *const switches[] = {"HASHED", "TWICE", NULL};
enum { TWICE = 2 };
static const wbGpuVariantKernel kernels[] = {{"drift", 0}, {"drift_twice", TWICE}};
static const wbGpuVariants program = {"drift", sources, switches, kernels, 2};

static const wbFluidGpuKind kind = {table, COLUMNS, 1, &program, &program, {NULL}};
// Which nothing is weighed by: there are no points.
static const wbBoundaryKernel kernel = {0};

typedef struct Toy {
    TestGpu test;
    wbFluidGpu *method;
    wbFluidState state;
    wbDomain domain;
} Toy;

static Toy *openToy(void) {
    Toy *toy = calloc(1, sizeof *toy);
    toy->test = openTestGpu();
    toy->domain.dimensions = 3;
    assertOk(wbParticles_Reserve(&toy->state.particles, toy->test.memory, COUNT));
    assertOk(wbCreateFluidGpu(toy->test.memory, toy->test.gpu, &kind, &toy->method));
    wbParticles *p = &toy->state.particles;
    p->count = COUNT;
    for (int i = 0; i < COUNT; i++) {
        float *values[] = {&p->x[i], &p->y[i], &p->z[i], &p->vx[i], &p->vy[i], &p->vz[i]};
        for (int k = 0; k < 6; k++) *values[k] = (float)(wbHash32((uint32_t)(6 * i + k)) % 1000) * 1e-3f;
        p->id[i] = (uint32_t)i, p->density[i] = (float)(i % 77), p->pressure[i] = 0;
    }
    return toy;
}

static void closeToy(Toy *toy) {
    wbDestroyFluidGpu(toy->method);
    wbParticles_Free(toy->test.memory, &toy->state.particles);
    closeTestGpu(&toy->test);
    free(toy);
}

static wbFluidStepGpu beginStep(Toy *toy, unsigned terms, const wbFluidColliders *colliders) {
    static const int none = 0;
    wbFluidStep given = wbMakeFluidStep(&toy->state, &toy->domain, 0.1f, 2, colliders, NULL);
    wbFluidStepGpu step = wbMakeFluidStepGpu(toy->method, given, WB_GPU_STRUCT(none));
    assertOk(wbFluidStepGpu_Reserve(&step, terms, NULL, kernel));
    assertOk(wbFluidStepGpu_Begin(&step));
    assertOk(wbFluidStepGpu_FindOrder(&step, wb_columnX));
    assertOk(wbFluidStepGpu_Build(&step, 0));
    assertOk(wbFluidStepGpu_Sort(&step, WB_SORTED_COLUMNS));
    assertOk(wbGpu_Fill(toy->test.gpu, &toy->method->neighbours, 7, sizeof(int) * COUNT));
    return step;
}

static void drift(Toy *toy, wbFluidStepGpu *step) {
    wbGpuBuffer *front = toy->method->particles.front;
    assertOk(wbFluidStepGpu_KeepPositions(step));
    assertOk(wbFluidStepGpu_Move(step, 0,
                                 WB_GPU_ARGS(WB_GPU_BUFFER3(front + wb_columnX),
                                             WB_GPU_BUFFER3(front + wb_columnVx),
                                             WB_GPU_BUFFER(front[wb_columnDensity]))));
}

// Particles are sorted by cells: each of them is found again by its id.
static void checkDrift(const wbParticles *before, const wbParticles *p) {
    for (int i = 0; i < COUNT; i++) {
        int k = (int)p->id[i];
        assert_true(p->x[i] == before->x[k] + before->vx[k] && p->vz[i] == before->vz[k]);
        assert_true(p->density[i] == before->density[k]);
    }
}

static void testStep(void **state) {
    (void)state;
    Toy *toy = openToy();
    wbParticles before = {0}, *p = &toy->state.particles;
    wbColumn from[WB_PARTICLE_COLUMNS], to[WB_PARTICLE_COLUMNS];
    double speed2 = 0, most = 0, fall = 0;
    assertOk(wbParticles_Reserve(&before, toy->test.memory, COUNT));
    wbParticles_ListColumns(p, from), wbParticles_ListColumns(&before, to);
    for (int c = 0; c < WB_SAVED_COLUMNS; c++) memcpy(*to[c].data, *from[c].data, sizeof(float) * COUNT);
    for (int i = 0; i < COUNT; i++) {
        double own = (double)p->vx[i] * p->vx[i] + (double)p->vy[i] * p->vy[i] + (double)p->vz[i] * p->vz[i];
        speed2 += own, most = fmax(most, own), fall += (double)(p->x[i] + p->vx[i]);
    }
    wbFluidStepGpu step = beginStep(toy, 0, NULL);
    wbFluidSums sums;
    assert_null(toy->method->columns[SELDOM].handle);
    drift(toy, &step);
    assertOk(wbFluidStepGpu_TakeSummaries(&step, &sums));
    assert_true(toy->state.search.neighbours.pairs == sums.pairs);
    assert_true(fabs(sums.speed2 - speed2) < 1e-5 * speed2 && sums.broken == 0);
    assert_true(fabs(sums.fall - fall) < 1e-5 * fall);
    assert_int_equal(sums.pairs, 6 * COUNT); // without i -> i
    assert_true(fabs(p->maxSpeed - sqrt(most)) < 1e-6 && p->maxDensity == 76);
    assert_true(toy->method->particles.deviceIsNewer);
    assertOk(wbParticlesGpu_Pull(&toy->method->particles, p));
    checkDrift(&before, p);
    for (int i = 0; i < COUNT; i++)
        assert_true(p->y[i] >= toy->method->particles.min[1] && p->y[i] <= toy->method->particles.max[1]);
    step = beginStep(toy, IS_SELDOM, NULL);
    assert_true(toy->method->columns[SELDOM].bytes >= sizeof(float) * COUNT);
    wbParticles_Free(toy->test.memory, &before);
    closeToy(toy);
}

static void testHealth(void **state) {
    (void)state;
    Toy *toy = openToy();
    wbFluidSums sums;
    wbFluidStepGpu step = beginStep(toy, 0, NULL);
    assertOk(wbGpu_Fill(toy->test.gpu, &toy->method->neighbours, 100000, sizeof(int) * COUNT));
    drift(toy, &step);
    expectError(wbFluidStepGpu_TakeSummaries(&step, &sums), wb_errorUnstable, "neighbours");
    assert_false(toy->method->particles.deviceIsNewer); // it was looked at
    toy->state.particles.vy[123] = NAN;
    wbParticlesGpu_MarkDirty(&toy->method->particles);
    step = beginStep(toy, 0, NULL);
    drift(toy, &step);
    expectError(wbFluidStepGpu_TakeSummaries(&step, &sums), wb_errorUnstable, "");
    assert_int_equal(sums.broken, 1);
    closeToy(toy);
}

static void testMixture(void **state) {
    (void)state;
    Toy *toy = openToy();
    const uint32_t first[] = {0, 10, 500};
    const float relative[] = {1, 0.5f, 3};
    static float found[COUNT];
    static uint32_t ids[COUNT];
    toy->state.mixture = (wbMixture){3, first, relative};
    wbFluidStepGpu step = beginStep(toy, 0, NULL);
    assertOk(wbFluidStepGpu_FillRelative(&step));
    assertOk(wbGpu_Download(toy->test.gpu, &toy->method->relative, found, sizeof found));
    assertOk(wbGpu_Download(toy->test.gpu, &toy->method->particles.front[wb_columnId], ids, sizeof ids));
    for (int i = 0; i < COUNT; i++)
        assert_true(found[i] == wbMixture_GetRelative(&toy->state.mixture, ids[i]));
    closeToy(toy);
}

// The collision gets where particles were before the drift, and where they are.
static wbStatus collide(const wbGpuDrift *given, void *context) {
    Toy *toy = context;
    float before, after, speed;
    assertOk(wbGpu_Download(toy->test.gpu, given->before[1], &before, sizeof before));
    assertOk(wbGpu_Download(toy->test.gpu, given->position[1], &after, sizeof after));
    assertOk(wbGpu_Download(toy->test.gpu, given->velocity[1], &speed, sizeof speed));
    assert_true(given->count == COUNT && given->from == wb_atMiddle && given->to == wb_atEnd);
    assert_true(speed > 0 && after == before + speed);
    return wbError(wb_errorDevice, "seen");
}

static void testCollision(void **state) {
    (void)state;
    Toy *toy = openToy();
    wbBoundary boundary;
    wbBoundary_Init(&boundary);
    const wbFluidColliders colliders = {.boundary = &boundary, .collideGpu = collide, .context = toy};
    wbFluidStepGpu step = beginStep(toy, 0, &colliders);
    assert_true(wbFluidStepGpu_HasCollision(&step) && !wbFluidStepGpu_HasBoundary(&step));
    drift(toy, &step);
    expectError(wbFluidStepGpu_Collide(&step, wb_atMiddle, wb_atEnd, true), wb_errorDevice, "seen");
    wbBoundary_Free(toy->test.memory, &boundary);
    closeToy(toy);
}

// A variant has the kernels that its switches give it, and one that does not build leaves its row as it was.
static void testVariants(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbGpuVariantSet set, none;
    wbGpuKernel **row, **again;
    assertOk(wbGpuVariantSet_Init(&set, test.memory, &program));
    assertOk(wbGpuVariantSet_Choose(&set, test.gpu, 0, &row));
    assert_true(row[0] && !row[1]);
    wbGpuKernel *built = row[0];
    assertOk(wbGpuVariantSet_Choose(&set, test.gpu, 0, &again));
    assert_true(again == row && again[0] == built);
    assertOk(wbGpuVariantSet_Choose(&set, test.gpu, TWICE, &again));
    assert_true(again[0] && again[1] && !row[1]);
    static const char *const bad[] = {"#error missing\n", NULL};
    const wbGpuVariants broken = {"broken", bad, switches, kernels, 2};
    assertOk(wbGpuVariantSet_Init(&none, test.memory, &broken));
    expectError(wbGpuVariantSet_Choose(&none, test.gpu, 0, &again), wb_errorDevice, "broken");
    assert_true(!again[0] && !again[1]);
    wbGpuVariantSet_Free(&set, test.memory), wbGpuVariantSet_Free(&none, test.memory);
    closeTestGpu(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testStep), cmocka_unit_test(testHealth),
                                       cmocka_unit_test(testMixture), cmocka_unit_test(testCollision),
                                       cmocka_unit_test(testVariants)};
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
