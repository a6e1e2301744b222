// SPDX-License-Identifier: MIT
// Position based fluids with particles of different sizes on a compute device, against the cores.
#include "adaptive_support.h"
#include "gpu_support.h"
#include "pbd/pbf_adaptive_gpu.h"
#include "pbd/pbf_gpu.h"
#include "pbf_world_support.h"

typedef struct DeviceScene {
    Scene scene;
    wbGpu *gpu;
    wbFluidGpu *device;
} DeviceScene;

static Setup makeBlock(int dimensions, int nx, int ny, int nz, float packed) {
    Setup setup = makeSetup(dimensions, nx, ny, nz);
    setup.packed = packed, setup.params.viscosity = 0.02f;
    const float length = setup.packed * setup.params.spacing;
    setup.domain.max = wbMakeVec3((float)nx * length, (float)ny * length, (float)nz * length);
    return setup;
}

// Sizes at random, of which neighbours may differ by a factor of 3, and rest offsets.
static void mixLevels(Scene *scene, int levels) {
    wbPbfSizes *sizes = &scene->pbf.sizes;
    for (int i = 0; i < scene->pbf.fluid.particles.count; i++)
        sizes->level[i] = (uint8_t)(wbHashFloat((uint32_t)(i + 7777)) * (float)levels),
        sizes->offset[i] = 0.05f * randomSigned((uint32_t)(i + 999));
    freeTheirIds(scene);
}

static Scene createSized(const Setup *setup, int levels, bool looks) {
    Scene scene = createScene(setup, 2, wb_simdAuto);
    makeAdaptive(&scene, looks);
    if (levels > 0) mixLevels(&scene, levels);
    return scene;
}

// The scene itself must not be moved after this.
static void putOnDevice(DeviceScene *d) {
    assertOk(wbOpenGpu(d->scene.work.memory, 0, &d->gpu));
    assertOk(wbCreateFluidGpu(d->scene.work.memory, d->gpu, &wb_pbfGpu, &d->device));
    wbPbfSizes_PutOn(&d->scene.pbf.sizes, &d->device->particles);
}

static void closeScene(DeviceScene *d) {
    wbDestroyFluidGpu(d->device);
    wbCloseGpu(d->gpu);
    destroyAdaptive(&d->scene);
}

static void stepDevice(DeviceScene *d, const wbFluidColliders *colliders, float dt) {
    assertOk(wbPbfGpu_Step(d->device, &d->scene.pbf, &d->scene.model, colliders, &d->scene.work, dt));
}

static void pull(DeviceScene *d) {
    assertOk(wbParticlesGpu_Pull(&d->device->particles, &d->scene.pbf.fluid.particles));
}

// The nearest of another scene's particles of the same level, which no other has. Not by ids: halves take those that are free in the order of particles.
static int findTwin(const Scene *one, int i, const Scene *two, bool *taken) {
    const wbParticles *p = &one->pbf.fluid.particles, *q = &two->pbf.fluid.particles;
    float least = INFINITY;
    int best = -1;
    for (int j = 0; j < q->count; j++) {
        const float x = p->x[i] - q->x[j], y = p->y[i] - q->y[j], z = p->z[i] - q->z[j];
        if (taken[j] || one->pbf.sizes.level[i] != two->pbf.sizes.level[j] || x * x + y * y + z * z >= least)
            continue;
        least = x * x + y * y + z * z, best = j;
    }
    assert_true(best >= 0);
    taken[best] = true;
    return best;
}

typedef struct Worst {
    double x, v, density, offset,
        distance; // over the spacing; m/s; over itself; of the rest density; over the spacing
} Worst;

static Worst compareScenes(const Scene *one, const Scene *two) {
    const wbParticles *p = &one->pbf.fluid.particles, *q = &two->pbf.fluid.particles;
    const wbPbfSizes *a = &one->pbf.sizes, *b = &two->pbf.sizes;
    const double spacing = (double)one->model.params.spacing;
    bool *taken = calloc((size_t)q->count, sizeof *taken);
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
        worst.offset = fmax(worst.offset, fabs((double)(a->offset[i] - b->offset[j])));
        worst.distance = fmax(worst.distance, fabs((double)(a->distance[i] - b->distance[j])) / spacing);
    }
    free(taken);
    return worst;
}

static void assertClose(const Worst *worst, double limitX, double limitV) {
    assertBelow(worst->x, limitX, "position");
    assertBelow(worst->v, limitV, "velocity");
    assertBelow(worst->density, limitX, "density");
    assertBelow(worst->offset, limitX, "offset");
}

// One step of a mixed state, by vectors and, where all shapes are tried, by single lanes, in 3D and in 2D, with ghosts, vorticity and an open side.
static void testStepAlike(void **state) {
    (void)state;
    for (int run = 0; run < 2; run++) {
        Setup setup = run == 1 ? makeBlock(2, 20, 17, 1, 3) : makeBlock(3, 9, 8, 7, 2);
        setup.params.iterations = 3; // what is thrown about so much takes rounding along
        setup.params.vorticity = 0.2f;
        if (run == 0) setup.domain.sides[wb_top].type = wb_sideOpen;
        if (run == 1 && triesAllShapes()) setShape(1, 16);
        Scene host = createSized(&setup, 6, false);
        DeviceScene d = {.scene = createSized(&setup, 6, false)};
        putOnDevice(&d);
        stepScene(&host, 0.005f), stepDevice(&d, NULL, 0.005f);
        pull(&d);
        const Worst worst = compareScenes(&host, &d.scene);
        assertClose(&worst, 1e-3, 5e-2);
        assertBelow(fabs((double)host.pbf.fluid.search.neighbours.pairs -
                         (double)d.scene.pbf.fluid.search.neighbours.pairs),
                    4, "pairs"); // rounding
        destroyAdaptive(&host), closeScene(&d);
    }
}

// With a look at the end. What splits in it gets ids in the order of particles, by which halves and partners are chosen in the next one: that is
// another then.
static void lookBoth(Scene *host, DeviceScene *d, const wbFluidColliders *colliders,
                     const wbFluidColliders *deviceColliders, float dt) {
    host->pbf.sizes.age = d->scene.pbf.sizes.age = 1000;
    wbArena_Reset(host->work.arena), wbArena_Reset(d->scene.work.arena);
    assertOk(wbPbf_Step(&host->pbf, &host->model, colliders, &host->work, dt));
    stepDevice(d, deviceColliders, dt);
    assert_true(host->pbf.sizes.merges == d->scene.pbf.sizes.merges);
    assert_true(host->pbf.sizes.splits == d->scene.pbf.sizes.splits);
}

// Looks from the same state make the same merges; and the same splits, where all is to be fine again.
static void testLooksAlike(void **state) {
    (void)state;
    Setup setup = makeBlock(3, 16, 14, 15, 0.98f);
    setup.params.iterations = 2, setup.speed = 0.01f, setup.domain.max.y *= 1.5f;
    Scene host = createSized(&setup, 0, true);
    DeviceScene d = {.scene = createSized(&setup, 0, true)};
    putOnDevice(&d);
    for (int k = 0; k < 4; k++) {
        if (k == 3) host.model.adaptive.band = d.scene.model.adaptive.band = 14;
        lookBoth(&host, &d, NULL, NULL, 0.002f);
    }
    assert_true(host.pbf.sizes.merges > 1000 && host.pbf.sizes.splits > 100);
    pull(&d);
    const Worst worst = compareScenes(&host, &d.scene);
    assertClose(&worst, 1e-3, 5e-2);
    assertBelow(worst.distance, 1e-3, "distance");
    destroyAdaptive(&host), closeScene(&d);
}

// Also by what is around particles and by what a camera sees: there are other merges then.
static void testWishesAlike(void **state) {
    (void)state;
    int64_t merges[3];
    for (int run = 0; run < 3; run++) {
        Setup setup = makeBlock(3, 16, 14, 15, 0.98f);
        setup.params.iterations = 2, setup.speed = 0.01f, setup.domain.max.y *= 1.5f;
        Scene host = createSized(&setup, 0, true);
        DeviceScene d = {.scene = createSized(&setup, 0, true)};
        putOnDevice(&d);
        wbAdaptiveParams *params = &host.model.adaptive;
        if (run == 1) params->feature = 0.3f, params->viewAngle = 30, params->view.z = 3;
        if (run == 2) params->curl = 22;
        d.scene.model.adaptive = *params;
        for (int k = 0; k < 2; k++) lookBoth(&host, &d, NULL, NULL, 0.002f);
        merges[run] = host.pbf.sizes.merges;
        destroyAdaptive(&host), closeScene(&d);
    }
    for (int run = 1; run < 3; run++) assert_true(merges[run] > 100 && merges[run] != merges[0]);
}

// The same with fluids of different density that fall onto a collider which they stick to; it gets the same impulse, and sizes are small near it.
static void testCollidersAlike(void **state) {
    (void)state;
    const wbMixture mixture = makeMixture();
    wbBoundary boundaries[2];
    int fluids[120];
    for (int k = 0; k < mixture.count; k++) fluids[k] = k % 3;
    Scene host = createFall(wb_simdAuto, 1, &mixture, &boundaries[0], true);
    DeviceScene d = {.scene = createFall(wb_simdAuto, 1, &mixture, &boundaries[1], true)};
    putOnDevice(&d);
    const wbFluidColliders colliders[2] = {{.boundary = &boundaries[0]}, {.boundary = &boundaries[1]}};
    host.pbf.sizes.runs = d.scene.pbf.sizes.runs = (wbFluidRuns){mixture.count, mixture.first, fluids};
    host.pbf.sizes.looks = d.scene.pbf.sizes.looks = 1;
    host.model.adaptive.nearColliders = d.scene.model.adaptive.nearColliders = 2;
    lookBoth(&host, &d, &colliders[0], &colliders[1], 0.005f);
    const wbImpulse *a = &wbBoundary_GetBody(&boundaries[0], 0)->impulse,
                    *b = &wbBoundary_GetBody(&boundaries[1], 0)->impulse;
    for (int i = 0; i < 3; i++)
        assertBelow(fabs(a->linear[i] - b->linear[i]), 1e-4 * fabs(a->linear[1]), "impulse");
    assert_true(a->linear[1] < -1);
    assert_true(host.pbf.sizes.merges > 3 && host.pbf.sizes.splits > 3);
    pull(&d);
    const Worst worst = compareScenes(&host, &d.scene);
    assertClose(&worst, 2e-3, 5e-2);
    wbBoundary_Free(host.work.memory, &boundaries[0]), wbBoundary_Free(d.scene.work.memory, &boundaries[1]);
    destroyAdaptive(&host), closeScene(&d);
}

// Worlds

enum { NX = 12, NY = 22, NZ = 10 };

static wbWorld *createDeepPool(wbBackend backend, wbFluidId *fluid) {
    wbWorldDef def = makePbfDef(3, backend, wbMakeVec3(1.2f, 3, 1));
    def.pbf.adaptive.method = wb_adaptiveLevels;
    wbWorld *world = createPbfWorld(&def, fluid);
    addBlock(world, *fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(1.2f, 2.2f, 1));
    return world;
}

// In masses of the smallest.
static int64_t countMass(wbWorld *world) {
    const wbFluidId fluid = wbWorld_GetFluid(world, 0);
    const double smallest = wbFluid_GetParticleMass(world, fluid);
    const wbView view = getView(world, fluid);
    int64_t sum = 0;
    for (int i = 0; i < view.count; i++) sum += llround((double)view.mass[i] / smallest);
    return sum;
}

// A pool for 60 frames, filled before the first, on both: mass is exact, and what it comes to is the same.
static void testPoolAlike(void **state) {
    (void)state;
    wbStats stats[2];
    for (int k = 0; k < 2; k++) {
        wbFluidId fluid;
        wbWorld *world = createDeepPool(k ? wb_backendOpencl : wb_backendCpu, &fluid);
        stepTimes(world, 60);
        assert_int_equal(countMass(world), NX * NY * NZ);
        stats[k] = wbWorld_GetStats(world);
        assert_int_equal(stats[k].merges - stats[k].splits, NX * NY * NZ - stats[k].particles);
        assert_int_equal(wbFluid_GetParticleCount(world, fluid), stats[k].particles);
        wbDestroyWorld(world);
    }
    assert_true(stats[0].particles < NX * NY * NZ / 2);
    assertBelow(fabs((double)stats[1].particles / (double)stats[0].particles - 1), 0.05, "particles");
    assertBelow(fabs(stats[1].potential / stats[0].potential - 1), 0.005, "centre of mass");
    assertBelow(fabs(stats[1].densityErrorMean - stats[0].densityErrorMean), 0.005, "density error");
}

// Saved on either, a pool goes on on the other; on the device it ends with the same bits as one that was not stopped. What comes and goes does so there, too.
static void testCheckpoints(void **state) {
    (void)state;
    wbBytes bytes = {0};
    wbFluidId fluid;
    wbWorld *device = createDeepPool(wb_backendOpencl, &fluid), *resumed, *host;
    stepTimes(device, 6);
    assertOk(wbWorld_SaveToBytes(device, &bytes));
    stepTimes(device, 10);
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &resumed));
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &host));
    assertOk(wbWorld_SetBackend(host, wb_backendCpu, 0));
    stepTimes(resumed, 10), stepTimes(host, 10);
    assert_true(wbWorld_Hash(resumed) == wbWorld_Hash(device));
    const wbStats one = wbWorld_GetStats(device), other = wbWorld_GetStats(host);
    assertBelow(fabs(other.potential / one.potential - 1), 1e-3, "centre of mass on the cores");
    // and back to the device, with a drain that takes the upper half
    wbDrainDef drain = wbDefaultDrainDef();
    wbDrainId id;
    drain.name = "drain", drain.params.min = wbMakeVec3(0, 1, 0), drain.params.max = wbMakeVec3(1.2f, 3, 1);
    assertOk(wbWorld_SetBackend(host, wb_backendOpencl, 0));
    assertOk(wbCreateDrain(host, &drain, &id));
    stepTimes(host, 10);
    const int64_t drained = wbDrain_GetStats(host, id).drained;
    assert_true(drained > NX * NY * NZ / 3);
    assert_int_equal(countMass(host), NX * NY * NZ - drained);
    wbDestroyWorld(device), wbDestroyWorld(resumed), wbDestroyWorld(host);
    wbFreeBytes(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(testStepAlike, resetShape),
        cmocka_unit_test(testLooksAlike),
        cmocka_unit_test(testWishesAlike),
        cmocka_unit_test(testCollidersAlike),
        cmocka_unit_test(testPoolAlike),
        cmocka_unit_test(testCheckpoints),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
