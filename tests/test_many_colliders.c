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

// More of them move than a byte can tell apart; those that stay where they are are not cut again, and the mask is as if they were.
static void testBodiesInSmoke(void **state) {
    (void)state;
    uint64_t hashes[4];
    for (int threads = 1; threads <= 4; threads += 3) {
        wbWorld *world = createManyBodies(wb_backendCpu, threads);
        stepWorld(world, 1);
        checkMask(world, 0.02f);
        checkBodyFaces(world);
        // most have come to rest, a few go on
        stepWorld(world, 20);
        for (int i = 0; i < 5; i++)
            assertOk(wbCollider_MoveTo(world, wbWorld_GetCollider(world, 50 * i), wbMakeVec3(1.5f, 1.5f, 1),
                                       wbMakeVec3(0, 0, 0)));
        stepWorld(world, 3);
        checkMask(world, 0);
        hashes[threads - 1] = wbWorld_Hash(world);
        wbDestroyWorld(world);
    }
    assert_true(hashes[0] == hashes[3]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testFarOnesChangeNothing),
                                       cmocka_unit_test(testClearance), cmocka_unit_test(testBodiesInSmoke)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
