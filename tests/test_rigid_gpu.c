// SPDX-License-Identifier: MIT
// Rigid bodies as particles on a compute device: steps against the reference, and what they promise by themselves.
#include "gpu_support.h"
#include "rigid/rigid_gpu.h"
#include "rigid_particles_support.h"

typedef struct DeviceScene {
    Scene scene;
    wbGpu *gpu;
    wbRigidGpu *device;
} DeviceScene;

static DeviceScene openScene(void) {
    DeviceScene d = {.scene = createScene(1, wb_simdAuto)};
    assertOk(wbOpenGpu(d.scene.work.memory, 0, &d.gpu));
    assertOk(wbCreateRigidGpu(d.scene.work.memory, d.gpu, &d.device));
    return d;
}

static void closeScene(DeviceScene *d) {
    wbDestroyRigidGpu(d->device);
    wbCloseGpu(d->gpu);
    destroyScene(&d->scene);
}

static void stepDevice(DeviceScene *d, float seconds) {
    wbArena_Reset(d->scene.work.arena);
    assertOk(wbRigidGpu_Step(d->device, &d->scene.rigid, &d->scene.model, &d->scene.work, seconds));
    *d->scene.domain = wbDomain_At(d->scene.domain, seconds);
}

static void pull(DeviceScene *d) {
    assert_true(wbRigidGpu_IsNewer(d->device));
    assertOk(wbRigidGpu_Pull(d->device, &d->scene.rigid));
}

static void testAgainstReference(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 4; integrator++)
        for (int seed = 0; seed < 2; seed++) {
            DeviceScene d = openScene();
            buildMixture(&d.scene);
            wbRigidGpu_SetGroupSize(d.device, seed ? 64 : 0);
            d.scene.model.params.integrator = (wbRigidIntegrator)integrator;
            d.scene.model.params.seed = seed;
            refRigid *reference = createReference(&d.scene, 0.001f);
            for (int k = 0; k < 10; k++) stepDevice(&d, 0.004f), refStepRigid(reference, (double)0.004f, 4);
            pull(&d);
            compare(&d.scene.rigid, reference, 1e-5);
            refDestroyRigid(reference);
            closeScene(&d);
        }
}

// From the cores to the device and back: contacts remember.
static void testChangesMachine(void **state) {
    (void)state;
    DeviceScene d = openScene();
    buildMixture(&d.scene);
    refRigid *reference = createReference(&d.scene, 0.001f);
    for (int k = 0; k < 12; k++) {
        if (k / 3 % 2) {
            stepDevice(&d, 0.004f);
            if (k % 3 == 2) pull(&d), wbRigidGpu_Invalidate(d.device);
        } else {
            stepScene(&d.scene, 0.004f);
        }
        refStepRigid(reference, (double)0.004f, 4);
    }
    compare(&d.scene.rigid, reference, 2e-5);
    refDestroyRigid(reference);
    closeScene(&d);
}

static void testSameBits(void **state) {
    (void)state;
    static const int sizes[3] = {0, 0, 64};
    uint64_t hashes[3];
    for (int n = 0; n < 3; n++) {
        DeviceScene d = openScene();
        for (uint32_t k = 0; k < 64; k++)
            addBox(&d.scene,
                   randomPose(k, wbMakeVec3(1.3f * (float)(k % 4), 1 + 1.3f * (float)(k / 16),
                                            1.3f * (float)(k / 4 % 4))),
                   1, 1);
        closeSide(&d.scene, wb_bottom, 0);
        wbRigidGpu_SetGroupSize(d.device, sizes[n]);
        for (int k = 0; k < 60; k++) stepDevice(&d, 0.01f);
        pull(&d);
        assert_true(d.scene.rigid.particles.contactCount > 20);
        hashes[n] = hashBodies(&d.scene.rigid);
        closeScene(&d);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_equal(hashes[0], hashes[2]); // the size of groups does not matter
}

// A box sticks to a slope, and rests on a plane as deep as springs say.
static void testSlope(void **state) {
    (void)state;
    DeviceScene d = openScene();
    const wbRigidPiece plane = makePiece(wb_piecePlane, 0, 0, 0);
    addPieces(&d.scene, &plane, 1, poseAt(0, 0, 0), 0, 0);
    addBox(&d.scene, poseAt(0, 0.5f, 0), 1, 2);
    d.scene.domain->gravity = wbMakeVec3(2, -9.81f, 0);
    for (int k = 0; k < 100; k++) stepDevice(&d, 0.01f);
    pull(&d);
    const float start = d.scene.rigid.x[1];
    for (int k = 0; k < 100; k++) stepDevice(&d, 0.01f);
    pull(&d);
    assertBelow(fabsf(d.scene.rigid.x[1] - start), 1e-4, "creep");
    assertBelow(fabs((double)d.scene.rigid.y[1] - 0.5), 0.02 / 6, "overlap");
    closeScene(&d);
}

static void testRefusals(void **state) {
    (void)state;
    DeviceScene d = openScene();
    addBox(&d.scene, poseAt(0, 0.5f, 0), 1, 2);
    const wbRigidPiece ball = makePiece(wb_pieceSphere, 1, 0, 0);
    addPieces(&d.scene, &ball, 1, poseAt(0, -1, 0), 0, 0);
    expectError(wbRigidGpu_Step(d.device, &d.scene.rigid, &d.scene.model, &d.scene.work, 0.01f),
                wb_errorInput, "static bodies other than planes");
    assert_false(wbRigidGpu_IsNewer(d.device));
    closeScene(&d);
}

int main(void) {
    const int missing = findDevice();
    if (missing) return missing;
    const struct CMUnitTest tests[] = {cmocka_unit_test(testAgainstReference),
                                       cmocka_unit_test(testChangesMachine), cmocka_unit_test(testSameBits),
                                       cmocka_unit_test(testSlope), cmocka_unit_test(testRefusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
