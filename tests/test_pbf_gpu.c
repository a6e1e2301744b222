// SPDX-License-Identifier: MIT
// Position based fluids on a compute device: steps against the reference, and whole scenes against the cores.
#include "gpu_support.h"
#include "pbd/pbf_colours.h"
#include "pbd/pbf_gpu.h"
#include "pbf_support.h"

typedef struct DeviceScene {
    Scene scene;
    wbGpu *gpu;
    wbFluidGpu *device;
} DeviceScene;

static DeviceScene openScene(const Setup *setup) {
    DeviceScene d = {.scene = createScene(setup, 1, wb_simdAuto)};
    assertOk(wbOpenGpu(d.scene.work.memory, 0, &d.gpu));
    assertOk(wbCreateFluidGpu(d.scene.work.memory, d.gpu, &wb_pbfGpu, &d.device));
    return d;
}

static void closeScene(DeviceScene *d) {
    wbDestroyFluidGpu(d->device);
    wbCloseGpu(d->gpu);
    destroyScene(&d->scene);
}

static void stepDevice(DeviceScene *d, float dt) {
    assertOk(wbPbfGpu_Step(d->device, &d->scene.pbf, &d->scene.model, NULL, &d->scene.work, dt));
}

static void pull(DeviceScene *d) {
    assertOk(wbParticlesGpu_Pull(&d->device->particles, &d->scene.pbf.fluid.particles));
}

static void compareStep(const Setup *setup) {
    refPbf *reference = createReference(setup);
    refStepPbf(reference, 0.005);
    DeviceScene d = openScene(setup);
    stepDevice(&d, 0.005f);
    pull(&d);
    compare(&d.scene, reference, 2e-5, 2e-3);
    closeScene(&d);
    refDestroyPbf(reference);
}

// Each variant by single lanes and by vectors, one in the plane and one in space.
static void testAgainstReference(void **state) {
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            Setup setup = dimensions == 2 ? makeSetup(2, 17, 13, 1) : makeSetup(3, 9, 8, 7);
            bool single = (variant + dimensions) % 2 == 0;
            setVariant(&setup, variant);
            setShape(single ? 1 : 16, single ? 16 : 64);
            compareStep(&setup);
        }
    }
}

// Fluids of different density, whose head and sub-steps are found alike, too.
static void testMixture(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 9, 8, 7);
    setVariant(&setup, 2);
    setup.mixture = makeMixture();
    refPbf *reference = createReference(&setup);
    refStepPbf(reference, 0.005);
    Scene host = createScene(&setup, 1, wb_simdAuto);
    DeviceScene d = openScene(&setup);
    stepScene(&host, 0.005f), stepDevice(&d, 0.005f);
    assertBelow(fabs(d.scene.pbf.head / host.pbf.head - 1), 1e-2, "head"); // whole particles
    pull(&d);
    compare(&d.scene, reference, 2e-5, 2e-3);
    destroyScene(&host), closeScene(&d);
    refDestroyPbf(reference);
}

// Ids in the order in which Gauss-Seidel on the device takes the particles of a step from these places, at rest and without weight.
static void listOrder(DeviceScene *d, const refPbf *start, int *order) {
    const wbParticles *p = &d->scene.pbf.fluid.particles;
    const wbGrid *grid = &d->device->particles.cells.grid;
    int count = 0;
    for (int c = 0; c < PBF_COLOURS; c++)
        for (int k = 0; k < p->count; k++) {
            const double *x = start->x[p->id[k]];
            PbfColour colour = {wbGrid_GetCell(grid, 0, (float)x[0]) / PBF_BLOCK % PBF_COLOURS_X,
                                wbGrid_GetCell(grid, 1, (float)x[1]) % PBF_COLOURS_YZ,
                                wbGrid_GetCell(grid, 2, (float)x[2]) % PBF_COLOURS_YZ};
            PbfColour wanted = pbf_colour(c);
            if (memcmp(&colour, &wanted, sizeof colour) == 0) order[count++] = (int)p->id[k];
        }
    assert_int_equal(count, p->count);
}

// By constraints, in turn and at once.
static void testSolversAgainstReference(void **state) {
    (void)state;
    for (int run = 0; run < 8; run++) {
        Setup setup = run % 2 == 0 ? makeSetup(2, 17, 13, 1) : makeSetup(3, 9, 8, 7);
        setVariant(&setup, run & 4 ? 5 : 0);
        setup.speed = 0, setup.gravity = wbMakeVec3(0, 0, 0);
        if (run & 4) setup.mixture = makeMixture();
        setup.params.solver = run & 2 ? wb_pbdJacobiConstraints : wb_pbdGaussSeidel;
        refPbf *reference = createReference(&setup);
        int *order = malloc(sizeof(int) * (size_t)countSites(&setup));
        setShape(run & 4 ? 1 : 16, 16);
        DeviceScene d = openScene(&setup);
        stepDevice(&d, 0.005f);
        pull(&d);
        listOrder(&d, reference, order);
        reference->order = order;
        refStepPbf(reference, 0.005);
        compare(&d.scene, reference, 2e-5, 2e-3);
        closeScene(&d);
        free(order);
        refDestroyPbf(reference);
    }
}

// Particles so far apart that cells are hashed.
static void testHashedCells(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 7, 7, 7);
    for (int side = 0; side < wb_sideCount; side++) setup.domain.sides[side].type = wb_sideOpen;
    setup.params.spacing = 0.002f, setup.speed = 0.01f;
    setup.params.viscosity = 0; // one kernel less to compile
    Scene far = createScene(&setup, 1, wb_simdAuto);
    DeviceScene d = openScene(&setup);
    for (int i = 0; i < far.pbf.fluid.particles.count / 2; i++)
        far.pbf.fluid.particles.x[i] -= 3, d.scene.pbf.fluid.particles.x[i] -= 3,
            far.pbf.fluid.particles.z[i] += 2, d.scene.pbf.fluid.particles.z[i] += 2;
    stepScene(&far, 0.001f);
    stepDevice(&d, 0.001f);
    assert_true(far.pbf.fluid.search.grid.hashed);
    pull(&d);
    double worst = 0;
    for (int k = 0; k < far.pbf.fluid.particles.count; k++)
        for (int l = 0; l < far.pbf.fluid.particles.count; l++)
            if (far.pbf.fluid.particles.id[k] == d.scene.pbf.fluid.particles.id[l])
                worst = fmax(worst, fabsf(far.pbf.fluid.particles.y[k] - d.scene.pbf.fluid.particles.y[l]));
    assertBelow(worst / setup.params.spacing, 1e-3, "position");
    destroyScene(&far);
    closeScene(&d);
}

// The same bits every time, and the same pairs as on the host.
static void testRepeats(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 13, 11, 9);
    setup.params.vorticity = 0.2f, setup.params.subSteps = 2;
    uint64_t hashes[2];
    for (int run = 0; run < 2; run++) {
        DeviceScene d = openScene(&setup);
        for (int k = 0; k < 5; k++) stepDevice(&d, 0.01f);
        pull(&d);
        hashes[run] = wbHashBytes(WB_HASH_START, d.scene.pbf.fluid.particles.x,
                                  sizeof(float) * (size_t)d.scene.pbf.fluid.particles.count);
        hashes[run] = wbHashBytes(hashes[run], d.scene.pbf.fluid.particles.vy,
                                  sizeof(float) * (size_t)d.scene.pbf.fluid.particles.count);
        closeScene(&d);
    }
    assert_true(hashes[0] == hashes[1]);
    Scene scene = createScene(&setup, 1, wb_simdAuto);
    DeviceScene d = openScene(&setup);
    scene.model.params.subSteps = d.scene.model.params.subSteps = 1;
    stepScene(&scene, 0.001f), stepDevice(&d, 0.001f);
    assertBelow(fabs((double)scene.pbf.fluid.search.neighbours.pairs -
                     (double)d.scene.pbf.fluid.search.neighbours.pairs),
                4,
                "pairs"); // rounding
    destroyScene(&scene), closeScene(&d);
}

// Steps on both machines in turn: what the host changes is seen, and nothing is lost on the way.
static void testBothInTurn(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 9, 8, 7);
    DeviceScene d = openScene(&setup);
    Scene host = createScene(&setup, 1, wb_simdAuto);
    for (int k = 0; k < 4; k++) {
        stepScene(&host, 0.003f);
        if (k % 2 == 0) {
            stepDevice(&d, 0.003f);
            assert_true(d.device->particles.deviceIsNewer);
            pull(&d);
            assert_false(d.device->particles.deviceIsNewer);
        } else {
            stepScene(&d.scene, 0.003f);
            wbParticlesGpu_MarkDirty(&d.device->particles);
        }
    }
    double sums[2] = {0}, seen = 0;
    for (int i = 0; i < host.pbf.fluid.particles.count; i++) {
        sums[0] += host.pbf.fluid.particles.y[i], sums[1] += d.scene.pbf.fluid.particles.y[i],
            seen += d.scene.pbf.fluid.particles.id[i];
    }
    assertBelow(fabs(sums[0] - sums[1]) / host.pbf.fluid.particles.count, 1e-4, "mean height");
    assert_true(seen == 0.5 * host.pbf.fluid.particles.count * (host.pbf.fluid.particles.count - 1.0));
    destroyScene(&host);
    closeScene(&d);
}

static void testCollapse(void **state) {
    (void)state;
    Setup setup = makeSetup(2, 20, 20, 1);
    setup.packed = 1, setup.jitter = 0, setup.speed = 0;
    setup.domain.max = wbMakeVec3(4, 4, 0);
    setup.params.viscosity = 0.05f;
    DeviceScene d = openScene(&setup);
    for (int k = 0; k < 400; k++) stepDevice(&d, 1.0f / 100);
    pull(&d);
    double height = 0;
    for (int i = 0; i < 400; i++) {
        assert_true(d.scene.pbf.fluid.particles.x[i] > 0 && d.scene.pbf.fluid.particles.x[i] < 4 &&
                    d.scene.pbf.fluid.particles.y[i] > 0 && d.scene.pbf.fluid.particles.y[i] < 2);
        height += d.scene.pbf.fluid.particles.y[i] / 400.0;
    }
    assertBelow(fabs(height - 0.5), 0.07, "mean height"); // 4 m2 over 4 m
    assertBelow(d.scene.pbf.fluid.particles.maxDensity, 1080, "density");
    closeScene(&d);
}

static void testUnstableIsFound(void **state) {
    (void)state;
    Setup setup = makeSetup(3, 8, 8, 8);
    for (int side = 0; side < wb_sideCount; side++) setup.domain.sides[side].type = wb_sideOpen;
    DeviceScene d = openScene(&setup);
    d.scene.pbf.fluid.particles.vx[100] = 3e38f;
    expectError(wbPbfGpu_Step(d.device, &d.scene.pbf, &d.scene.model, NULL, &d.scene.work, 10),
                wb_errorUnstable, "beyond what floats can hold");
    closeScene(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(testAgainstReference, resetShape),
        cmocka_unit_test(testMixture),
        cmocka_unit_test_teardown(testSolversAgainstReference, resetShape),
        cmocka_unit_test(testHashedCells),
        cmocka_unit_test(testRepeats),
        cmocka_unit_test(testBothInTurn),
        cmocka_unit_test(testCollapse),
        cmocka_unit_test(testUnstableIsFound),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
