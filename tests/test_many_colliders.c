// SPDX-License-Identifier: MIT
// Worlds with hundreds of colliders, on the processor's cores.
#include "many_colliders_support.h"
#include "world/collider.h"

static void testFarOnesChangeNothing(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3) checkManyColliders(wb_backendCpu, threads, 60);
}

// Against a loop over all, where they are and where they were put.
static void testClearance(void **state) {
    (void)state;
    wbWorld *world = createManyColliders(wb_backendCpu, 1, false);
    stepWorld(world, 2);
    assertOk(
        wbCollider_Place(world, wbWorld_GetCollider(world, 77), wbMakeVec3(6, 6, 0), wbMakeVec3(0, 45, 0)));
    uint32_t seed = 1;
    int inside = 0;
    for (int i = 0; i < 3000; i++) {
        float p[3], least = 0.3f;
        for (int a = 0; a < 3; a++) {
            seed = seed * 1664525u + 1013904223u;
            p[a] = (float)(seed >> 8) * 0x1p-21f - (a == 0 ? 0 : 1);
        }
        for (int k = 0; k < MANY_ALL; k++) {
            const wbCollider *collider = wbGetColliderAt(world, k);
            const wbVec3 local = wbPose_ApplyInverse(&collider->state.pose, wbMakeVec3(p[0], p[1], p[2]));
            least = fminf(least, wbShape_FindSurface(collider->shape, local).distance);
        }
        assert_true(wbGetClearance(world, p, 0.3f) == least);
        inside += least < 0;
    }
    assert_true(inside > 50);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testFarOnesChangeNothing),
                                       cmocka_unit_test(testClearance)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
