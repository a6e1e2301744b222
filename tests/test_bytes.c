// SPDX-License-Identifier: MIT
// Worlds as bytes in memory: what a file has, without the file.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/section_file.h"
#include "every_world.h"

static const Variant plain = {"", "", "", "", 3, NULL};

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

static void step(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, 0));
}

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testBytesAreTheFile),
        cmocka_unit_test(testRoomIsUsedAgain),
        cmocka_unit_test(testWithoutMemoryBytesStay),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
