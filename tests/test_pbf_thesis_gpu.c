// SPDX-License-Identifier: MIT
// The thesis' adaptive fluid on a compute device, against the cores.
#include "gpu/gpu_state.h"
#include "gpu_support.h"
#include "pbd/pbf_thesis_gpu.h"
#include "pbf_world_support.h"
#include "slab_support.h"
#include "space/spare_ids.h"
#include "thesis_support.h"
#include "world/world.h"

typedef struct DeviceScene {
    Scene *scene;
    wbGpu *gpu;
    wbFluidGpu *device;
    wbFluidColliders colliders;
} DeviceScene;

static DeviceScene putOnDevice(Scene *scene) {
    DeviceScene d = {.scene = scene};
    assertOk(wbOpenGpu(scene->work.memory, 0, &d.gpu));
    assertOk(wbCreateFluidGpu(scene->work.memory, d.gpu, &wb_thesisGpu, &d.device));
    wbThesis_PutOn(&scene->thesis, &d.device->particles);
    return d;
}

static void closeDevice(DeviceScene *d) {
    wbDestroyFluidGpu(d->device);
    wbCloseGpu(d->gpu);
    destroyScene(d->scene);
}

static void stepDevice(DeviceScene *d, float dt, int subSteps) {
    Scene *s = d->scene;
    const wbThesisFluid fluid = {&s->thesis, &s->fluid, &s->model,
                                 d->colliders.boundary ? &d->colliders : NULL, &s->work};
    wbArena_Reset(s->work.arena);
    assertOk(wbThesisGpu_Step(d->device, fluid, dt, subSteps));
    assertOk(wbParticlesGpu_Pull(&d->device->particles, &s->fluid.particles));
}

typedef struct Worst {
    double x, v, density, h, distance, offset, parts; // over the spacing; m/s; over itself; …
} Worst;

// The nearest of another scene's particles of the same mass, which no other has. Not by ids: halves take those that are free in the order of particles, which is
// another on the device.
static int findTwin(const Scene *one, int i, const Scene *two, bool *taken) {
    const wbParticles *p = &one->fluid.particles, *q = &two->fluid.particles;
    double least = 1e30;
    int best = -1;
    for (int j = 0; j < q->count; j++) {
        const double x = p->x[i] - q->x[j], y = p->y[i] - q->y[j], z = p->z[i] - q->z[j];
        const bool isAlike =
            one->thesis.units[i] == two->thesis.units[j] && one->thesis.role[i] == two->thesis.role[j];
        if (!isAlike || taken[j] || x * x + y * y + z * z >= least) continue;
        least = x * x + y * y + z * z, best = j;
    }
    assert_true(best >= 0);
    taken[best] = true;
    return best;
}

static Worst compareScenes(const Scene *one, const Scene *two) {
    const wbParticles *p = &one->fluid.particles, *q = &two->fluid.particles;
    const wbThesis *s = &one->thesis, *t = &two->thesis;
    const double spacing = (double)one->model.params.spacing;
    bool *taken = calloc((size_t)q->count + 1, sizeof *taken);
    Worst worst = {0};
    assert_int_equal(p->count, q->count);
    for (int i = 0; i < p->count; i++) {
        const int j = findTwin(one, i, two, taken);
        const float dx[3] = {p->x[i] - q->x[j], p->y[i] - q->y[j], p->z[i] - q->z[j]},
                    dv[3] = {p->vx[i] - q->vx[j], p->vy[i] - q->vy[j], p->vz[i] - q->vz[j]};
        for (int k = 0; k < 3; k++) {
            worst.x = fmax(worst.x, fabs((double)dx[k]) / spacing);
            worst.v = fmax(worst.v, fabs((double)dv[k]));
        }
        worst.density = fmax(worst.density, fabs((double)(p->density[i] / q->density[j]) - 1));
        worst.h = fmax(worst.h, fabs((double)(s->h[i] / t->h[j]) - 1));
        worst.distance = fmax(worst.distance, fabs((double)(s->distance[i] - t->distance[j])) / spacing);
        worst.offset = fmax(worst.offset, fabs((double)(s->offset[i] - t->offset[j])));
        worst.parts = fmax(worst.parts, fabs((double)s->parts[i] - (double)t->parts[j]));
        const int a = s->other[i], b = t->other[j]; // of a transfer
        assert_int_equal(a < 0, b < 0);
        if (a >= 0) assert_true(t->other[b] == j && s->units[a] == t->units[b]);
    }
    free(taken);
    return worst;
}

static void assertClose(const Worst *worst) {
    assertBelow(worst->x, 1e-4, "position");
    assertBelow(worst->v, 1e-3, "velocity");
    assertBelow(worst->density, 2e-5, "density");
    assertBelow(worst->h, 1e-5, "kernel width");
    assertBelow(worst->distance, 1e-4, "distance");
    // rounding of densities counts 1e3 times (THESIS_CARRY), as between the cores and the reference
    assertBelow(worst->offset, 1e-3, "offset");
    assertBelow(worst->parts, 1.5, "parts");
}

// Single sub-steps from the same state, in 2D and 3D, with a boundary and without one, at sides that stick and an open one; then kernels that spread, and
// other ways to merge and split.
static Scene *createVariant(int variant) {
    const int dimensions = variant < 2 ? 3 : 2;
    const bool hasBoundary = variant == 0 || variant == 2;
    Scene *scene =
        dimensions == 3 ? createBlock(3, wb_simdScalar, 8, 1.5f) : createBlock(2, wb_simdScalar, 20, 1.8f);
    wbThesisParams *params = &scene->model.params;
    params->isGeneral = variant == 4, params->losesMomentum = params->movesTargets = variant == 5;
    params->splitsGradually = variant == 6;
    if (!hasBoundary) params->thin = 0, params->steep = 1e9f;
    if (variant == 0) scene->domain.types[wb_bottom] = wb_sideNoSlip;
    if (variant == 1) scene->domain.closed[wb_top] = false;
    return scene;
}

static void testStepAlike(void **state) {
    (void)state;
    for (int variant = 0; variant < 7; variant++) {
        if (variant == 3 && triesAllShapes()) setShape(1, 16);
        Scene *host = createVariant(variant);
        DeviceScene d = putOnDevice(createVariant(variant));
        step(host, 0.005f), stepDevice(&d, 0.005f, 1);
        const Worst worst = compareScenes(host, d.scene);
        assertClose(&worst);
        const wbThesis *one = &host->thesis, *other = &d.scene->thesis;
        assert_true(one->merges == other->merges && one->splits == other->splits && one->splits > 5);
        assertBelow(fabs(one->lost - other->lost), 1e-4 * one->lost + 1e-12, "lost momentum");
        destroyScene(host), closeDevice(&d);
    }
}

// Particles far away make the cells hashed ones. Nobody splits: pairs are those of the one search that there is.
static void testFarAway(void **state) {
    (void)state;
    Scene *scenes[2];
    for (int k = 0; k < 2; k++) {
        scenes[k] = createBlock(2, wb_simdAuto, 16, 1.6f);
        for (int s = 0; s < wb_sideCount; s++) scenes[k]->domain.closed[s] = false;
        scenes[k]->model.params.limit = 1;
        addAt(scenes[k], (const float[3]){3000, 2000, 0}), addAt(scenes[k], (const float[3]){-4000, 1000, 0});
    }
    DeviceScene d = putOnDevice(scenes[1]);
    step(scenes[0], 0.005f), stepDevice(&d, 0.005f, 1);
    assert_true(d.device->particles.cells.grid.hashed);
    const Worst worst = compareScenes(scenes[0], scenes[1]);
    assertClose(&worst);
    assertBelow(fabs((double)scenes[0]->fluid.search.neighbours.pairs -
                     (double)scenes[1]->fluid.search.neighbours.pairs),
                4, "pairs"); // rounding
    destroyScene(scenes[0]), closeDevice(&d);
}

// Sizes by what is around particles, and by what a camera sees: other merges.
static void testWishesAlike(void **state) {
    (void)state;
    wbAdaptiveParams params = wbDefaultWorldDef().pbf.adaptive;
    params.feature = 0.3f, params.curl = 30, params.viewAngle = 30, params.view.z = 3;
    Scene *host = createVariant(3);
    DeviceScene d = putOnDevice(createVariant(3));
    host->model.wishes = d.scene->model.wishes = wbMakePbfWishes(&params, 0.05f, 2);
    step(host, 0.005f), stepDevice(&d, 0.005f, 1);
    const Worst worst = compareScenes(host, d.scene);
    assertClose(&worst);
    assert_true(host->thesis.splits == d.scene->thesis.splits);
    destroyScene(host), closeDevice(&d);
}

// A block of two fluids, one four times as dense, that falls onto a slab which it sticks to: several sub-steps, of which the device does each from the
// state that the cores came to. The slab gets the same impulse.
static Scene *createFall(int dimensions, wbBoundary *boundary, const wbMixture *mixture,
                         const wbFluidRuns *runs) {
    const float low[3] = {-1, 0, dimensions == 2 ? 0 : -1}, high[3] = {4, 0, dimensions == 2 ? 0 : 4};
    Scene *scene =
        dimensions == 3 ? createBlock(3, wb_simdScalar, 7, 1.6f) : createBlock(2, wb_simdScalar, 16, 1.8f);
    for (int s = 0; s < wb_sideCount; s++) scene->domain.closed[s] = false;
    for (int i = 0; i < scene->fluid.particles.count; i++) scene->fluid.particles.vy[i] -= 2;
    scene->fluid.mixture = *mixture, scene->thesis.runs = *runs;
    scene->model.wishes.nearColliders = 0.2f, scene->model.params.mergeTime = 0.015f;
    wbBoundary_Init(boundary);
    addSlab(boundary, scene->work.memory, 1, 0, true, low, high, scene->model.params.spacing, true);
    return scene;
}

static void copyState(const Scene *from, DeviceScene *to) {
    Scene *scene = to->scene;
    const int count = from->fluid.particles.count;
    wbColumn a[WB_PARTICLE_COLUMNS], b[WB_PARTICLE_COLUMNS], s[WB_THESIS_COLUMNS], t[WB_THESIS_COLUMNS];
    wbParticles particles = from->fluid.particles;
    wbThesis thesis = from->thesis;
    assertOk(wbParticles_Reserve(&scene->fluid.particles, scene->work.memory, count));
    assertOk(wbThesis_Reserve(&scene->thesis, scene->work.memory, count));
    assertOk(wbSpareIds_Reserve(&scene->thesis.spare, scene->work.memory, thesis.spare.spanCount));
    wbParticles_ListColumns(&particles, a), wbParticles_ListColumns(&scene->fluid.particles, b);
    wbThesis_ListColumns(&thesis, s), wbThesis_ListColumns(&scene->thesis, t);
    for (int c = 0; c < WB_SAVED_COLUMNS; c++) memcpy(*b[c].data, *a[c].data, 4 * (size_t)count);
    for (int c = 0; c < WB_THESIS_COLUMNS; c++) memcpy(*t[c].data, *s[c].data, 4 * (size_t)count);
    memcpy(scene->thesis.spare.spans.data, thesis.spare.spans.data,
           sizeof(wbIdSpan) * (size_t)thesis.spare.spanCount);
    scene->fluid.particles.count = count;
    scene->thesis.spare.count = thesis.spare.count, scene->thesis.spare.spanCount = thesis.spare.spanCount,
    scene->thesis.steps = thesis.steps;
    wbKeptIds_Forget(&scene->thesis.hostIds);
    wbParticlesGpu_MarkDirty(&to->device->particles);
}

static void testFallAlike(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        const uint32_t first[] = {0, 160};
        const float relative[] = {1, 4};
        const int fluids[] = {0, 1};
        const wbMixture mixture = {2, first, relative};
        const wbFluidRuns runs = {2, first, fluids};
        wbBoundary boundaries[2];
        Scene *host = createFall(dimensions, &boundaries[0], &mixture, &runs);
        DeviceScene d = putOnDevice(createFall(dimensions, &boundaries[1], &mixture, &runs));
        const wbFluidColliders colliders = {.boundary = &boundaries[0]};
        d.colliders.boundary = &boundaries[1];
        for (int k = 0; k < 6; k++) {
            if (k > 0) copyState(host, &d);
            wbArena_Reset(host->work.arena);
            assertOk(
                wbThesis_Step(&host->thesis, &host->fluid, &host->model, &colliders, &host->work, 0.005f, 1));
            stepDevice(&d, 0.005f, 1);
            const Worst worst = compareScenes(host, d.scene);
            assertClose(&worst);
            const double *a = wbBoundary_GetBody(&boundaries[0], 0)->impulse.linear,
                         *b = wbBoundary_GetBody(&boundaries[1], 0)->impulse.linear;
            for (int i = 0; i < 3; i++) assertBelow(fabs(a[i] - b[i]), 1e-4 * fabs(a[1]), "impulse");
            assert_true(a[1] < -0.1);
        }
        assert_true(host->thesis.merges > 3 && host->thesis.splits > 3);
        wbBoundary_Free(host->work.memory, &boundaries[0]);
        wbBoundary_Free(d.scene->work.memory, &boundaries[1]);
        destroyScene(host), closeDevice(&d);
    }
}

// Worlds

static void addMore(wbWorld *world) {
    addBox(world, "post", wbMakeVec3(1.9f, 0.3f, 0), wbMakeVec3(0.2f, 0.6f, 1));
    assertOk(wbWorld_SetParam(world, "post.slip", "noSlip"));
    wbColliderId gate = addBox(world, "door", wbMakeVec3(0.1f, 0.3f, 0), wbMakeVec3(0.2f, 0.6f, 1));
    wbMechanismDef slider = wbDefaultMechanismDef();
    wbMechanismId id;
    slider.name = "gate", slider.colliders = &gate, slider.colliderCount = 1;
    slider.params.open = 1, slider.params.duration = 0.3f;
    assertOk(wbCreateMechanism(world, &slider, &id));
    wbFluidDef oil = wbDefaultFluidDef();
    wbFluidId oilId;
    oil.name = "oil", oil.solver = wb_solverPbf, oil.restDensity = 500;
    assertOk(wbCreateFluid(world, &oil, &oilId));
    addBlock(world, oilId, wbMakeVec3(0.8f, 1.9f, 0), wbMakeVec3(1.8f, 2.2f, 0));
}

// In 2D: water 2 m wide and 1.8 m deep, whose inside merges. With more a post that nothing slips along stands in it, a gate slides through it, and a fluid half
// as dense is above it.
static wbWorld *createTank(wbBackend backend, bool hasMore, wbFluidId *fluid) {
    wbWorldDef def = makePbfDef(2, backend, wbMakeVec3(2, 4, 0));
    def.pbf.adaptive.method = wb_adaptiveThesis;
    def.pbf.adaptive.kernelSlope = 0.8f; // so that there are several sizes
    def.pbf.adaptive.mergeTime = 0.05f, def.pbf.subSteps = 2, def.pbf.adaptive.nearColliders = 0;
    wbWorld *world = createPbfWorld(&def, fluid);
    if (hasMore) addMore(world);
    addBlock(world, *fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 1.8f, 0));
    return world;
}

// In masses of the smallest, of all fluids.
static int64_t countMass(wbWorld *world) {
    int64_t sum = 0;
    for (int f = 0; f < wbWorld_GetFluidCount(world); f++) {
        const wbFluidId fluid = wbWorld_GetFluid(world, f);
        const wbView view = getView(world, fluid);
        for (int i = 0; i < view.count; i++)
            sum += llround((double)view.mass[i] / wbFluid_GetParticleMass(world, fluid));
    }
    return sum;
}

static void assertMass(wbWorld *world) {
    const wbStats stats = wbWorld_GetStats(world);
    assert_int_equal(countMass(world), stats.spawned - stats.removed);
}

static wbWorld *load(const wbBytes *bytes) {
    wbWorld *world;
    assertOk(wbLoadWorldFromBytes(bytes->data, bytes->size, &world));
    return world;
}

enum { MERGING = 22, MERGED = 26 }; // steps: mass goes over from particle to particle, and many are gone

// Saved while particles merge, when they have, and while they split again, a tank ends with the same bits as one that was not stopped. On the cores it goes on alike.
static void testCheckpoints(void **state) {
    (void)state;
    for (int hasMore = 0; hasMore < 2; hasMore++) {
        wbBytes bytes = {0};
        wbFluidId fluid;
        wbWorld *device = createTank(wb_backendOpencl, hasMore, &fluid), *host = NULL;
        stepTimes(device, MERGING);
        for (int part = 0; part < 3; part++) {
            assertOk(wbWorld_SaveToBytes(device, &bytes));
            wbWorld *resumed = load(&bytes);
            if (part == 1) host = load(&bytes), assertOk(wbWorld_SetBackend(host, wb_backendCpu, 0));
            wbWorld *const worlds[] = {device, resumed, host};
            for (int w = 0; w < 3 && worlds[w]; w++) {
                if (part == 1) assertOk(wbWorld_SetParam(worlds[w], "pbf.adaptive.kernelSlope", "0.05"));
                stepTimes(worlds[w], MERGED - MERGING);
                assertMass(worlds[w]);
            }
            assert_true(wbWorld_Hash(resumed) == wbWorld_Hash(device));
            assert_true(part > 0 ? wbWorld_GetStats(device).splits > 5
                                 : wbWorld_GetStats(device).merges > 20);
            wbDestroyWorld(resumed);
            wbFreeBytes(&bytes);
        }
        const wbStats one = wbWorld_GetStats(device), other = wbWorld_GetStats(host);
        assertBelow(fabs(other.potential / one.potential - 1), 2e-3, "centre of mass on the cores");
        assertBelow(fabs((double)other.particles / (double)one.particles - 1), 0.02,
                    "particles on the cores");
        wbDestroyWorld(device), wbDestroyWorld(host);
    }
}

// What comes and goes does so while the device computes, and the backend may change.
static void testComeAndGo(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createTank(wb_backendOpencl, true, &fluid);
    wbEmitterDef jet = wbDefaultEmitterDef();
    jet.name = "jet", jet.fluid = fluid;
    jet.params.position = wbMakeVec3(0.3f, 2.6f, 0), jet.params.radius = 0.15f, jet.params.velocity = 1;
    addDrain(world, "inlet", wbMakeVec3(1.4f, 0, -1), wbMakeVec3(1.8f, 0.2f, 1), addEmitter(world, &jet));
    stepTimes(world, MERGED);
    assert_true(wbWorld_GetStats(world).merges > 5);
    for (int k = 0; k < 3; k++) {
        stepTimes(world, 2);
        assertMass(world);
        assertOk(wbWorld_SetBackend(world, k == 0 ? wb_backendCpu : wb_backendOpencl, 0));
    }
    assert_true(wbWorld_GetStats(world).removed > 5);
    wbDestroyWorld(world);
}

// A limit is obeyed by what splits again, and a warm step does not allocate.
static void testLimit(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createTank(wb_backendOpencl, false, &fluid);
    stepTimes(world, MERGED);
    const int limit = (int)wbWorld_GetStats(world).particles + 5;
    char text[16];
    snprintf(text, sizeof text, "%d", limit);
    assertOk(wbWorld_SetParam(world, "pbf.adaptive.limit", text));
    assertOk(wbWorld_SetParam(world, "pbf.adaptive.kernelSlope", "0.01"));
    stepTimes(world, 8);
    assert_int_equal(wbWorld_GetStats(world).particles, limit);
    assertMass(world);
    const uint64_t calls = wbGetMemoryUse(world->memory).calls;
    stepTimes(world, 3);
    assert_true(wbGetMemoryUse(world->memory).calls == calls);
    wbDestroyWorld(world);
}

// Functions of the driver that fail

static wbOpenCl driver;
static int refusals; // of buffers

static cl_mem CL_API_CALL refuseBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                       cl_int *code) {
    if (refusals-- <= 0) return driver.clCreateBuffer(context, flags, size, host, code);
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

static cl_int CL_API_CALL refuseLaunch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                       const size_t *offset, const size_t *global, const size_t *local,
                                       cl_uint waits, const cl_event *waitList, cl_event *event) {
    (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)global, (void)local;
    (void)waits, (void)waitList, (void)event;
    return CL_OUT_OF_RESOURCES;
}

// Where there is no room for halves, the step is undone, and happens when there is. When the device is lost, the world is where it was looked at last, with the ids that
// were free then, however many have merged since.
static void testFailures(void **state) {
    (void)state;
    wbBytes bytes = {0};
    wbFluidId fluid;
    wbWorld *device = createTank(wb_backendOpencl, false, &fluid);
    stepTimes(device, MERGING);
    const uint64_t hash = wbWorld_Hash(device);
    stepTimes(device, MERGED - MERGING);
    driver = device->gpu->cl;
    device->gpu->cl.clEnqueueNDRangeKernel = refuseLaunch;
    expectError(wbWorld_Step(device, 0), wb_errorDevice, "could not be started");
    assert_true(wbWorld_Hash(device) == hash);
    assertOk(wbWorld_SetBackend(device, wb_backendOpencl, 0));
    stepTimes(device, MERGED - MERGING);
    assert_true(wbWorld_GetStats(device).merges > 20);
    assertMass(device);
    assertOk(wbWorld_SaveToBytes(device, &bytes));
    wbWorld *worlds[2] = {load(&bytes), load(&bytes)};
    for (int w = 0; w < 2; w++) {
        stepTimes(worlds[w], 1); // room for those that there are
        assertOk(wbWorld_SetParam(worlds[w], "pbf.adaptive.kernelSlope", "0.05"));
    }
    driver = worlds[1]->gpu->cl;
    worlds[1]->gpu->cl.clCreateBuffer = refuseBuffer;
    const uint64_t before = wbWorld_Hash(worlds[1]);
    refusals = 2; // half more, and what is needed
    expectError(wbWorld_Step(worlds[1], 0), wb_errorMemory, "");
    assert_true(wbWorld_Hash(worlds[1]) == before);
    for (int w = 0; w < 2; w++) stepTimes(worlds[w], 2);
    assert_true(wbWorld_GetStats(worlds[1]).splits > 20);
    assert_true(wbWorld_Hash(worlds[1]) == wbWorld_Hash(worlds[0]));
    wbDestroyWorld(device), wbDestroyWorld(worlds[0]), wbDestroyWorld(worlds[1]);
    wbFreeBytes(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(testStepAlike, resetShape),
        cmocka_unit_test(testFarAway),
        cmocka_unit_test(testWishesAlike),
        cmocka_unit_test(testFallAlike),
        cmocka_unit_test(testCheckpoints),
        cmocka_unit_test(testComeAndGo),
        cmocka_unit_test(testLimit),
        cmocka_unit_test(testFailures),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
