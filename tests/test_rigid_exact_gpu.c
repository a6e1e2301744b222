// SPDX-License-Identifier: MIT
// Exact contacts of rigid bodies on a compute device: against the cores, against closed forms, and against themselves.
#include <math.h>
#include <string.h>

#include "bench/rigid_pile.h"
#include "core/hash.h"
#include "gpu_support.h"
#include "rigid/rigid_exact_gpu.h"
#include "rigid_support.h"
#include "work_support.h"

static const float g = 9.81f;

typedef struct Scene {
    wbWork work;
    wbRigidPile pile;
    wbGpu *gpu;
    wbRigidExactGpu *device;
} Scene;

static void openDevice(Scene *scene) {
    scene->pile.model.domain = &scene->pile.domain;
    assertOk(wbOpenGpu(scene->work.memory, 0, &scene->gpu));
    assertOk(wbCreateRigidExactGpu(scene->work.memory, scene->gpu, &scene->device));
}

static void startScene(Scene *scene, wbVec3 gravity) {
    memset(scene, 0, sizeof *scene);
    scene->work = createWork(1, wb_simdAuto);
    scene->pile.domain = (wbDomain){.dimensions = 3, .gravity = gravity};
    scene->pile.model.params = wbDefaultRigidParams();
    wbRigid_Init(&scene->pile.rigid);
    openDevice(scene);
}

static void startPile(Scene *scene, int count) {
    memset(scene, 0, sizeof *scene);
    scene->work = createWork(1, wb_simdAuto);
    assertOk(wbCreateJumble(&scene->work, count, 12345, 1, &scene->pile));
    openDevice(scene);
}

static void endScene(Scene *scene) {
    wbDestroyRigidExactGpu(scene->device);
    wbCloseGpu(scene->gpu);
    wbDestroyPile(&scene->work, &scene->pile);
    destroyWork(&scene->work);
}

static void step(Scene *scene, int steps, float dt) {
    wbRigidPile *pile = &scene->pile;
    for (int i = 0; i < steps; i++) {
        wbArena_Reset(scene->work.arena);
        assertOk(wbRigidExactGpu_Step(scene->device, &pile->rigid, &pile->model, &scene->work, dt));
    }
}

static void pull(Scene *scene) {
    assertOk(wbRigidExactGpu_Fetch(scene->device, &scene->pile.rigid));
    wbRigidExactGpu_Take(scene->device, &scene->pile.rigid);
    assert_false(wbRigidExactGpu_IsNewer(scene->device));
}

static void testPile(void **state) {
    (void)state;
    Scene scene;
    startPile(&scene, 200);
    for (int k = 0; k < 12; k++) {
        step(&scene, 50, 1.0f / 60);
        pull(&scene);
        const wbPileQuality q = wbRigidPile_Measure(&scene.pile);
        printf("overlap %g %g beyond %g escaped %d kinetic %g top %g contacts %d searches %d\n",
               q.overlaps.mean, q.overlaps.max, q.maxBeyond, q.escaped, q.kinetic, q.top,
               scene.pile.rigid.contacts.count, (int)scene.pile.rigid.contacts.searches);
    }
    endScene(&scene);
}

int main(void) {
    const int missing = findDevice();
    if (missing) return missing;
    const struct CMUnitTest tests[] = {cmocka_unit_test(testPile)};
    (void)g, (void)startScene;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
