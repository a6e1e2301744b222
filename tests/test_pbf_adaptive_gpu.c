// SPDX-License-Identifier: MIT
// Position based fluids with particles of different sizes on a compute device, against the cores.
#include "adaptive_support.h"
#include "gpu_support.h"
#include "pbd/pbf_adaptive_gpu.h"
#include "pbd/pbf_gpu.h"

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

// Places of particles by their ids.
static int *listPlaces(const Scene *scene, int ids) {
    const wbParticles *p = &scene->pbf.fluid.particles;
    int *places = malloc(sizeof(int) * (size_t)ids);
    for (int i = 0; i < ids; i++) places[i] = -1;
    for (int i = 0; i < p->count; i++) places[p->id[i]] = i;
    return places;
}

typedef struct Worst {
    double x, v, density, offset, distance; // over the spacing; m/s; over itself; of the rest density; over the spacing
} Worst;

// Particles of both, by their ids, which are below this.
static Worst compareScenes(const Scene *one, const Scene *two, int ids) {
    const wbParticles *p = &one->pbf.fluid.particles, *q = &two->pbf.fluid.particles;
    const wbPbfSizes *a = &one->pbf.sizes, *b = &two->pbf.sizes;
    const double spacing = (double)one->model.params.spacing;
    int *places = listPlaces(two, ids);
    Worst worst = {0};
    assert_int_equal(p->count, q->count);
    for (int i = 0; i < p->count; i++) {
        const int j = places[p->id[i]];
        assert_true(j >= 0);
        const float dx[3] = {p->x[i] - q->x[j], p->y[i] - q->y[j], p->z[i] - q->z[j]},
                    dv[3] = {p->vx[i] - q->vx[j], p->vy[i] - q->vy[j], p->vz[i] - q->vz[j]};
        for (int k = 0; k < 3; k++) {
            worst.x = fmax(worst.x, fabs((double)dx[k]) / spacing);
            worst.v = fmax(worst.v, fabs((double)dv[k]));
        }
        assert_int_equal(a->level[i], b->level[j]);
        worst.density = fmax(worst.density, fabs((double)(p->density[i] / q->density[j]) - 1));
        worst.offset = fmax(worst.offset, fabs((double)(a->offset[i] - b->offset[j])));
        worst.distance = fmax(worst.distance, fabs((double)(a->distance[i] - b->distance[j])) / spacing);
    }
    free(places);
    return worst;
}

// One step of a mixed state, by 1 lane and by 16, in 2D and in 3D, with ghosts, vorticity and an open side.
static void testStepAlike(void **state) {
    (void)state;
    for (int run = 0; run < 3; run++) {
        Setup setup = run == 1 ? makeBlock(2, 20, 17, 1, 3) : makeBlock(3, 9, 8, 7, 2);
        setup.params.iterations = 3; // what is thrown about so much takes rounding along
        if (run == 0) setup.domain.sides[wb_top].type = wb_sideOpen;
        if (run == 2) setup.params.vorticity = 0.2f;
        setShape(run == 1 ? 1 : 16, run == 1 ? 16 : 64);
        Scene host = createSized(&setup, 6, false);
        DeviceScene d = {.scene = createSized(&setup, 6, false)};
        putOnDevice(&d);
        stepScene(&host, 0.005f), stepDevice(&d, NULL, 0.005f);
        pull(&d);
        const Worst worst = compareScenes(&host, &d.scene, host.pbf.fluid.particles.count);
        assertBelow(worst.x, 1e-3, "position");
        assertBelow(worst.v, 5e-2, "velocity");
        assertBelow(worst.density, 1e-3, "density");
        assertBelow(worst.offset, 1e-6, "offset");
        assertBelow(fabs((double)host.pbf.fluid.search.neighbours.pairs -
                         (double)d.scene.pbf.fluid.search.neighbours.pairs),
                    4, "pairs"); // rounding
        destroyAdaptive(&host), closeScene(&d);
    }
}

// A look from the same state makes the same merges and splits.
static void testLookAlike(void **state) {
    (void)state;
    for (int run = 0; run < 2; run++) {
        Setup setup = run == 1 ? makeBlock(2, 40, 40, 1, 0.98f) : makeBlock(3, 16, 14, 15, 0.98f);
        setup.params.iterations = 2, setup.speed = 0.01f;
        setup.domain.max.y *= 1.5f;
        Scene host = createSized(&setup, 0, true);
        DeviceScene d = {.scene = createSized(&setup, 0, true)};
        putOnDevice(&d);
        const int ids = host.pbf.fluid.particles.count;
        for (int k = 0; k < 3; k++) {
            host.pbf.sizes.age = d.scene.pbf.sizes.age = 1000;
            stepScene(&host, 0.002f), stepDevice(&d, NULL, 0.002f);
            print_message("%d %d: %d %d particles, %d %d merges, %d %d splits\n", run, k,
                          host.pbf.fluid.particles.count, d.scene.pbf.fluid.particles.count,
                          (int)host.pbf.sizes.merges, (int)d.scene.pbf.sizes.merges,
                          (int)host.pbf.sizes.splits, (int)d.scene.pbf.sizes.splits);
        }
        pull(&d);
        const Worst worst = compareScenes(&host, &d.scene, ids);
        print_message("x %g v %g density %g offset %g distance %g\n", worst.x, worst.v, worst.density,
                      worst.offset, worst.distance);
        destroyAdaptive(&host), closeScene(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testLookAlike),
        cmocka_unit_test_teardown(testStepAlike, resetShape),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
