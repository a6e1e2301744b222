// SPDX-License-Identifier: MIT
// Position based bodies on a compute device: steps against the reference, and what they promise by themselves.
#include "gpu_support.h"
#include "pbd/pbd_gpu.h"
#include "pbd_support.h"

typedef struct DeviceScene {
    Scene scene;
    wbGpu *gpu;
    wbPbdGpu *device;
} DeviceScene;

static DeviceScene openScene(void) {
    DeviceScene d = {.scene = createScene(1, wb_simdAuto)};
    assertOk(wbOpenGpu(d.scene.work.memory, 0, &d.gpu));
    assertOk(wbCreatePbdGpu(d.scene.work.memory, d.gpu, &d.device));
    return d;
}

static void closeScene(DeviceScene *d) {
    wbDestroyPbdGpu(d->device);
    wbCloseGpu(d->gpu);
    destroyScene(&d->scene);
}

static void stepDevice(DeviceScene *d, float seconds) {
    wbArena_Reset(d->scene.work.arena);
    assertOk(wbPbdGpu_Step(d->device, &d->scene.pbd, &d->scene.model, &d->scene.work, seconds));
    *d->scene.domain = wbDomain_At(d->scene.domain, seconds);
}

static void pull(DeviceScene *d) { assertOk(wbPbdGpu_Pull(d->device, &d->scene.pbd)); }

static void testAgainstReference(void **state) {
    (void)state;
    for (int shape = 0; shape < 2; shape++) {
        setShape(shape == 0 ? 1 : 16, shape == 0 ? 16 : 64);
        for (int variant = 0; variant < VARIANTS; variant++) {
            DeviceScene d = openScene();
            buildMixture(&d.scene);
            setVariant(&d.scene.model.params, variant);
            refPbd *reference = createReference(&d.scene);
            for (int k = 0; k < 4; k++) stepDevice(&d, dt), refStepPbd(reference, (double)dt);
            pull(&d);
            compare(&d.scene.pbd, reference);
            refDestroyPbd(reference);
            closeScene(&d);
        }
    }
}

// Solver, method and machine change while it runs, and constraints are added: as on the cores.
static void testChanges(void **state) {
    (void)state;
    DeviceScene d = openScene();
    Scene host = createScene(1, wb_simdAuto);
    buildMixture(&d.scene), buildMixture(&host);
    for (int k = 0; k < 8; k++) {
        int variant = k % 6 + (k > 3 ? 12 : 0); // BDF2 begins, and goes on where its history was copied
        setVariant(&d.scene.model.params, variant), setVariant(&host.model.params, variant);
        if (k == 3) {
            const int pair[2] = {30, 60};
            pull(&d); // rest lengths are those of the present
            assertOk(wbPbd_AddConstraints(&d.scene.pbd, d.scene.work.memory, 1, pair, wb_pbdStretch));
            assertOk(wbPbd_AddConstraints(&host.pbd, host.work.memory, 1, pair, wb_pbdStretch));
        }
        stepScene(&host, dt);
        if (k == 5) {
            pull(&d);
            stepScene(&d.scene, dt);
            wbPbdGpu_Invalidate(d.device);
            continue;
        }
        stepDevice(&d, dt);
        assert_true(wbPbdGpu_IsNewer(d.device));
    }
    pull(&d);
    double worst = 0;
    for (int i = 0; i < host.pbd.count; i++) worst = fmax(worst, fabsf(host.pbd.y[i] - d.scene.pbd.y[i]));
    assertBelow(worst, 1e-4, "position"); // rounding has grown
    assertBelow(fabsf(host.domain->max[1] - d.scene.domain->max[1]), 1e-6, "side");
    destroyScene(&host);
    closeScene(&d);
}

static uint64_t hashAfter(int steps) {
    DeviceScene d = openScene();
    buildMixture(&d.scene);
    for (int k = 0; k < steps; k++) stepDevice(&d, dt);
    pull(&d);
    uint64_t hash = wbHashBytes(WB_HASH_START, d.scene.pbd.x, sizeof(float) * (size_t)d.scene.pbd.count);
    closeScene(&d);
    return hash;
}

static void testRepeats(void **state) {
    (void)state;
    assert_true(hashAfter(10) == hashAfter(10));
}

// A ball keeps its shape as it falls, and rests on the floor.
static void testBallRests(void **state) {
    (void)state;
    DeviceScene d = openScene();
    Scene host = createScene(1, wb_simdAuto), *scenes[2] = {&d.scene, &host};
    double height[2] = {0};
    for (int s = 0; s < 2; s++) {
        wbPbdBody ball;
        wbPbd *pbd = &scenes[s]->pbd;
        assertOk(wbBuildSphere(pbd, &scenes[s]->work, wbMakeVec3(0, 2, 0), 1, 123, 1, &ball));
        assertOk(wbConnectDecimated(pbd, &scenes[s]->work, ball, 0.6f, 1.9f, 2));
        closeBox(scenes[s]->domain, wbMakeVec3(-5, 0, -5), wbMakeVec3(5, 5, 5));
        scenes[s]->model.params.drag = 1;
    }
    for (int k = 0; k < 400; k++) stepDevice(&d, 0.02f), stepScene(&host, 0.02f);
    pull(&d);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 123; i++) height[s] += scenes[s]->pbd.y[i] / 123;
    assertBelow(fabs(height[0] - height[1]), 0.01, "height");
    assertBelow(d.scene.pbd.maxSpeed, 0.05, "speed");
    assertBelow(wbPbd_GetLengthError(&d.scene.pbd), 0.02, "shape");
    destroyScene(&host);
    closeScene(&d);
}

static void testUnstableIsFound(void **state) {
    (void)state;
    DeviceScene d = openScene();
    buildMixture(&d.scene);
    d.scene.pbd.vx[20] = 3e38f;
    wbStatus status = wbPbdGpu_Step(d.device, &d.scene.pbd, &d.scene.model, &d.scene.work, 0.01f);
    expectError(status, wb_errorUnstable, "sub-steps");
    closeScene(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(testAgainstReference, resetShape),
        cmocka_unit_test(testChanges),
        cmocka_unit_test(testRepeats),
        cmocka_unit_test(testBallRests),
        cmocka_unit_test(testUnstableIsFound),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
