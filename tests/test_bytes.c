// SPDX-License-Identifier: MIT
// Worlds as bytes in memory: what a file has, without the file.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes_support.h"
#include "core/memory.h"
#include "core/section_file.h"

// An allocator that counts, and fails from a call on.
typedef struct Heap {
    int calls, firstFailing; // 0: none fails
} Heap;

static void *allocate(size_t bytes, size_t alignment, void *context) {
    Heap *heap = context;
    if (++heap->calls >= heap->firstFailing && heap->firstFailing > 0) return NULL;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *memory, size_t bytes, void *context) {
    (void)bytes, (void)context;
    free(memory);
}

static void useHeap(Heap *heap) { wbSetAllocator(&(wbAllocator){allocate, release, heap}); }

static void testBytesAreTheFile(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel_bytes_XXXXXX";
    wbWorld *world = createEvery(&plain, wb_backendCpu);
    wbBytes bytes = {0};
    void *file;
    size_t size;
    close(mkstemp(path));
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    assertOk(wbWorld_Save(world, path));
    assertOk(wbReadSectionFile(path, &file, &size));
    assert_int_equal(bytes.size, size);
    assert_memory_equal(bytes.data, file, size);
    wbFree(NULL, file, size);
    wbWorld *loaded;
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    step(world, 3), step(loaded, 3);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(loaded));
    wbDestroyWorld(loaded);
    wbDestroyWorld(world);
    wbFreeBytes(&bytes);
    assert_true(!bytes.data && bytes.size == 0 && bytes.capacity == 0);
    unlink(path);
}

// Many snapshots a second take no memory but the first of them.
static void testRoomIsUsedAgain(void **state) {
    (void)state;
    Heap heap = {0};
    useHeap(&heap);
    wbWorld *world = createEvery(&plain, wb_backendCpu);
    wbBytes bytes = {0};
    for (int k = 0; k < 2; k++) assertOk(wbWorld_SaveToBytes(world, &bytes));
    int calls = heap.calls;
    for (int k = 0; k < 3; k++) assertOk(wbWorld_SaveToBytes(world, &bytes));
    assert_int_equal(heap.calls, calls);
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
    wbSetAllocator(NULL);
}

static void testWithoutMemoryBytesStay(void **state) {
    (void)state;
    Heap heap = {0};
    useHeap(&heap);
    wbWorld *world = createEvery(&plain, wb_backendCpu);
    wbBytes bytes = {0}, before;
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    before = bytes;
    step(world, 5); // a block of water has come
    heap.firstFailing = heap.calls + 1;
    assert_int_equal(wbWorld_SaveToBytes(world, &bytes).code, wb_errorMemory);
    heap.firstFailing = 0;
    assert_memory_equal(&bytes, &before, sizeof before);
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
    wbSetAllocator(NULL);
}

static void testGoesBackBehindChanges(void **state) {
    (void)state;
    goBackBehindChanges(wb_backendCpu);
}

// Whole steps lead to the same as those of a world that was not disturbed.
static void assertUntouched(wbWorld *world, uint64_t hash, uint64_t hashAfter) {
    assert_true(wbWorld_Hash(world) == hash);
    const wbBytes bytes = save(world);
    step(world, 2);
    assert_true(wbWorld_Hash(world) == hashAfter);
    restore(world, &bytes);
    wbFreeBytes((wbBytes *)&bytes);
}

static uint64_t lookAhead(wbWorld *world) {
    const wbBytes bytes = save(world);
    step(world, 2);
    const uint64_t hash = wbWorld_Hash(world);
    restore(world, &bytes);
    wbFreeBytes((wbBytes *)&bytes);
    return hash;
}

static wbWorld *createSmall(int dimensions) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    wbFluidDef fluid = wbDefaultFluidDef();
    wbFluidId id;
    def.threadCount = 1, def.params.dimensions = dimensions, def.sph.spacing = 0.25f;
    def.domain = (wbDomainDef){.max = {1, 1, 1}};
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &fluid, &id));
    assertOk(wbFluid_AddBlock(world, id, &(wbBlockDef){.max = {0.5f, 0.5f, 0.5f}}));
    step(world, 3);
    return world;
}

static void testDamageIsRefused(void **state) {
    (void)state;
    wbWorld *world = createSmall(2);
    wbBytes bytes = save(world);
    unsigned char *data = bytes.data;
    step(world, 5);
    const uint64_t hash = wbWorld_Hash(world), after = lookAhead(world);
    for (size_t size = 0; size < bytes.size; size++) {
        assert_int_equal(wbWorld_Restore(world, data, size).code, wb_errorInput);
        assert_true(wbWorld_Hash(world) == hash);
    }
    for (size_t i = 0; i < bytes.size; i++) {
        data[i] ^= (unsigned char)(1 << i % 8);
        wbStatus status = wbWorld_Restore(world, data, bytes.size);
        if (status.code != wb_errorInput) fail_msg("flipped byte %zu was not refused", i);
        assert_true(wbWorld_Hash(world) == hash);
        data[i] ^= (unsigned char)(1 << i % 8);
    }
    assertUntouched(world, hash, after);
    restore(world, &bytes);
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
}

// Bytes of another world make it that world, on the machine of this one.
static void testBecomesAnother(void **state) {
    (void)state;
    wbWorld *small = createSmall(2), *every = createEvery(&plain, wb_backendCpu);
    wbBytes one = save(small), two = save(every);
    assertOk(wbWorld_SetThreadCount(small, 2));
    step(small, 2), step(every, 2);
    const uint64_t hashes[2] = {wbWorld_Hash(small), wbWorld_Hash(every)};
    restore(small, &two), restore(every, &one);
    assert_int_equal(wbWorld_GetThreadCount(small), 2);
    assert_int_equal(wbWorld_GetThreadCount(every), 1);
    step(small, 2), step(every, 2);
    assert_true(wbWorld_Hash(small) == hashes[1] && wbWorld_Hash(every) == hashes[0]);
    wbFreeBytes(&one), wbFreeBytes(&two);
    wbDestroyWorld(small), wbDestroyWorld(every);
}

// Whichever allocation fails, first alone and then with all that follow. Objects or a window that have come since make it allocate.
static void testWithoutMemoryNothingChanges(void **state) {
    (void)state;
    for (int trial = 0; trial < 3; trial++) {
        const Variant variant = {trial == 2 ? ",\"follow\":true,\"margin\":4" : "",
                                 "",
                                 "",
                                 "",
                                 3,
                                 NULL,
                                 false,
                                 false,
                                 false,
                                 false};
        Heap heap = {0};
        useHeap(&heap);
        wbWorld *world = trial == 1 ? createSmall(3) : createEvery(&variant, wb_backendCpu);
        wbBytes bytes = save(world);
        step(world, 3);
        if (trial != 1) assertOk(wbWorld_SetParam(world, "jet.radius", "0.15"));
        if (trial == 1) addBall(world, "ball", (wbVec3){0.7f, 0.8f, 0.7f});
        const uint64_t hash = wbWorld_Hash(world), after = lookAhead(world);
        bool isDone = false;
        for (int n = 1; !isDone; n++) {
            heap.calls = 0, heap.firstFailing = n;
            wbStatus status = wbWorld_Restore(world, bytes.data, bytes.size);
            isDone = wbIsOk(status) && heap.calls < n;
            heap.firstFailing = 0;
            if (isDone) break;
            assert_int_equal(status.code, wb_errorMemory);
            assert_true(wbWorld_Hash(world) == hash);
            if (n % 16 == 0) assertUntouched(world, hash, after);
        }
        wbFreeBytes(&bytes);
        wbDestroyWorld(world);
        wbSetAllocator(NULL);
    }
}

// As long as it has the objects of the bytes, a world without rigid bodies goes back without a single allocation, whatever its parameters
// became: these change what rigid bodies are at once.
static void testGoesBackInPlace(void **state) {
    (void)state;
    const Variant dry = {"", "", "", "", 3, NULL, true, true, false, false};
    Heap heap = {0};
    useHeap(&heap);
    wbWorld *world = createEvery(&dry, wb_backendCpu);
    wbBytes bytes = save(world);
    step(world, 3);
    for (int k = 0; k < 2; k++) restore(world, &bytes), step(world, 3);
    for (int k = 0; k < 3; k++) {
        assertOk(wbWorld_SetParam(world, "sph.viscosity", k % 2 ? "0.2" : "0.3"));
        assertOk(wbWorld_SetParam(world, "mill.speed", k % 2 ? "30" : "60"));
        assertOk(wbWorld_SetParam(world, "world.gravity", k % 2 ? "0,-9,0" : "1,-9,0"));
        const int calls = heap.calls;
        restore(world, &bytes);
        step(world, 3);
        assert_int_equal(heap.calls, calls);
    }
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
    wbSetAllocator(NULL);
}

// What was put elsewhere is found where it was.
static void testColliderIsBack(void **state) {
    (void)state;
    static const char text[] =
        "{\"world\":{\"dt\":0.01},\"domain\":{\"min\":[0,0,0],\"max\":[2,2,2]},\"colliders\":[{\"name\":"
        "\"ball\","
        "\"shape\":\"sphere\",\"radius\":0.3,\"position\":[0.5,0.5,0.5]}],\"softBodies\":[{\"name\":\"cube\","
        "\"shape\":\"cube\",\"size\":[0.2,0.2,0.2],\"counts\":[3,3,3],\"position\":[0.5,1,0.5]}]}";
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("ball.json", text, sizeof text - 1, &scene));
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    const wbColliderId ball = wbWorld_GetCollider(world, 0);
    step(world, 2);
    wbBytes bytes = save(world);
    step(world, 40);
    const uint64_t hash = wbWorld_Hash(world);
    assertOk(wbCollider_Place(world, ball, (wbVec3){1.5f, 0.5f, 1.5f}, (wbVec3){0, 0, 0}));
    step(world, 40);
    restore(world, &bytes);
    step(world, 40);
    assert_true(wbWorld_Hash(world) == hash);
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
}

// Objects that are made again after going back have the ids of the first time; what is not yet again there is stale.
static void testIdsComeAgain(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbColliderDef box = wbDefaultColliderDef();
    wbColliderId first, second, again;
    wbWorld *world;
    assertOk(wbCreateWorld(&def, &world));
    wbBytes bytes = save(world);
    box.name = "first";
    assertOk(wbCreateCollider(world, &box, &first));
    assertOk(wbDestroyCollider(world, first));
    assertOk(wbCreateCollider(world, &box, &second));
    restore(world, &bytes);
    assert_false(wbCollider_IsValid(world, first) || wbCollider_IsValid(world, second));
    assertOk(wbCreateCollider(world, &box, &again));
    assert_memory_equal(&again, &first, sizeof first);
    assert_false(wbCollider_IsValid(world, second));
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
}

// A world that broke is good again.
static void testUnstableGoesBack(void **state) {
    (void)state;
    wbWorld *world = createSmall(3);
    wbBytes bytes = save(world);
    step(world, 2);
    const uint64_t hash = wbWorld_Hash(world);
    wbStatus status = {0};
    for (int k = 0; k < 100 && wbIsOk(status); k++) status = wbWorld_Step(world, 1);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_int_equal(wbWorld_Step(world, 0).code, wb_errorUnstable);
    restore(world, &bytes);
    step(world, 2);
    assert_true(wbWorld_Hash(world) == hash);
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testBytesAreTheFile),
        cmocka_unit_test(testRoomIsUsedAgain),
        cmocka_unit_test(testWithoutMemoryBytesStay),
        cmocka_unit_test(testGoesBackBehindChanges),
        cmocka_unit_test(testDamageIsRefused),
        cmocka_unit_test(testBecomesAnother),
        cmocka_unit_test(testWithoutMemoryNothingChanges),
        cmocka_unit_test(testGoesBackInPlace),
        cmocka_unit_test(testColliderIsBack),
        cmocka_unit_test(testIdsComeAgain),
        cmocka_unit_test(testUnstableGoesBack),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
