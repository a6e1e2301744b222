// SPDX-License-Identifier: MIT
// Worlds with hundreds of colliders, on the processor's cores.
#include "core/hash.h"
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

// A wheel and a trough whose surfaces bend inwards, boxes that overlap, and one that is off.
#define CLEARING_SCENE                                                                                       \
    "{\"domain\": {\"min\": [0, 0, 0], \"max\": [2, 1, 1]}, \"colliders\": ["                                \
    "{\"name\": \"trough\", \"shape\": \"trough\", \"width\": 0.3, \"height\": 0.25, \"thickness\": 0.06,"   \
    " \"path\": [[0.1, 0.2, 0.3], [1, 0.25, 0.3], [1.5, 0.2, 0.8]]},"                                        \
    "{\"name\": \"wheel\", \"shape\": \"wheel\", \"radius\": 0.3, \"width\": 0.2, \"hub\": 0.25, "           \
    "\"paddles\": 6,"                                                                                        \
    " \"thickness\": 0.05, \"position\": [0.5, 0.6, 0.7], \"rotation\": [0, 20, 10]},"                       \
    "{\"name\": \"box\", \"shape\": \"box\", \"size\": [0.2, 0.3, 0.2], \"position\": [1.2, 0.4, 0.3]},"     \
    "{\"name\": \"across\", \"shape\": \"box\", \"size\": [0.4, 0.1, 0.1], \"position\": [1.2, 0.4, 0.3],"   \
    " \"rotation\": [0, 30, 0]},"                                                                            \
    "{\"name\": \"off\", \"shape\": \"box\", \"size\": [0.3, 0.3, 0.3], \"position\": [1.8, 0.8, 0.8], "     \
    "\"on\": false}]}"

// What is known of points nearby answers as a search for each of them does, whether they come in rows or anyhow.
static void testClearingsAreRight(void **state) {
    (void)state;
    wbWorld *world = createSoftWorld(CLEARING_SCENE, wb_backendCpu, 1);
    const float spacings[] = {0.03f, 0.04f, 0.2f};
    for (int round = 0; round < 6; round++) {
        const float spacing = spacings[round % 3], hair = 1e-3f * spacing, reach = 4 * spacing;
        const bool isSorted = round < 3;
        const int count[3] = {50, 25, 25};
        wbClearings known = {0};
        int inside = 0;
        for (int i = 0; i < 50 * 25 * 25; i++) {
            const int cell = isSorted ? i : (int)(wbHash32((uint32_t)i) % (50 * 25 * 25));
            const int place[3] = {cell % count[0], cell / count[0] % count[1], cell / count[0] / count[1]};
            float p[3];
            for (int a = 0; a < 3; a++) p[a] = 0.04f * ((float)place[a] + wbHashFloat((uint32_t)(3 * i + a)));
            const bool isIn = wbGetClearance(world, p, 0) < -hair;
            assert_int_equal(wbIsInCollider(world, &known, p, hair, reach), isIn);
            inside += isIn;
        }
        assert_in_range(inside, 1000, 8000);
    }
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFarOnesChangeNothing), cmocka_unit_test(testClearance),
        cmocka_unit_test(testClearingsAreRight), cmocka_unit_test(testBodiesInSmoke)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
