// SPDX-License-Identifier: MIT
// The bytes are a checkpoint. Its sizes and checksums are put right first: a fuzzer would not find them, and would
// never get behind them. What loads must step as any other world, and go back to the bytes, whole or changed.
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "fuzz/fuzz.h"
#include "world/checkpoint.h"

// A loaded world has a thread per core, and to start them takes longer than all else: one core is enough.
static void useOneCore(void) {
    static bool isDone;
    if (isDone) return;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(sched_getcpu(), &cores);
    sched_setaffinity(0, sizeof cores, &cores);
    isDone = true;
}

// As src/core/section_file.h describes the file: a header of 32 bytes, entries of 40, then the sections.
static void mendChecksums(uint8_t *file, uint64_t size) {
    enum { HEADER = 32, ENTRY = 40 };
    uint32_t count;
    if (size < HEADER) return;
    memcpy(&count, file + 12, sizeof count);
    uint64_t place = HEADER + (uint64_t)count * ENTRY;
    if (place > size) return;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *entry = file + HEADER + i * ENTRY;
        uint64_t length;
        memcpy(&length, entry + 24, sizeof length);
        if (i + 1 == count || length > size - place)
            length = size - place; // whatever is left belongs to the last
        uint64_t checksum = wbHashBytes(WB_HASH_START, file + place, length);
        memcpy(entry + 24, &length, sizeof length);
        memcpy(entry + 32, &checksum, sizeof checksum);
        place += length;
    }
    memcpy(file + 16, &size, sizeof size);
    uint64_t checksum =
        wbHashBytes(wbHashBytes(WB_HASH_START, file, 24), file + HEADER, (size_t)count * ENTRY);
    memcpy(file + 24, &checksum, sizeof checksum);
}

// Some bytes of the sections become others, by the bytes that are there.
static void disturb(uint8_t *file, size_t size) {
    enum { HEADER = 32, ENTRY = 40, CHANGES = 3 };
    uint32_t count;
    memcpy(&count, file + 12, sizeof count);
    const size_t first = HEADER + (size_t)count * ENTRY;
    const uint32_t seed = (uint32_t)wbHashBytes(WB_HASH_START, file, size);
    for (uint32_t k = 0; k < CHANGES && first < size; k++)
        file[first + wbHash32(seed + k) % (size - first)] ^= (uint8_t)(1 + wbHash32(seed - k - 1) % 255);
    mendChecksums(file, size);
}

static wbWorld *loadFile(const uint8_t *file, size_t size) {
    wbWorld *world;
    wbStatus status = wbLoadWorldFromBytes(file, size, &world);
    wbExpectText(status);
    wbExpect(wbIsOk(status) == (world != NULL), "a world is there if and only if it was loaded");
    return world;
}

// What loads is also what a world with the same objects goes back to.
static void goBack(wbWorld *world, const uint8_t *file, size_t size) {
    const uint64_t before = wbWorld_Hash(world);
    wbStatus status = wbWorld_Restore(world, file, size);
    wbExpectText(status);
    wbWorld *loaded = loadFile(file, size);
    wbExpect(wbIsOk(status) || wbWorld_Hash(world) == before, "what is refused changes nothing");
    wbExpect(!wbIsOk(status) || !loaded || wbWorld_Hash(world) == wbWorld_Hash(loaded),
             "a world goes back to what would be loaded");
    wbDestroyWorld(loaded);
    wbStepOnce(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    useOneCore();
    uint8_t *file = malloc(size ? size : 1);
    if (!file) return 0;
    if (size) memcpy(file, data, size);
    mendChecksums(file, size);
    wbWorld *world = loadFile(file, size);
    if (world) {
        wbStepOnce(world);
        goBack(world, file, size);
        disturb(file, size);
        goBack(world, file, size);
    }
    wbDestroyWorld(world);
    free(file);
    return 0;
}
