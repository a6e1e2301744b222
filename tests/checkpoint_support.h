// SPDX-License-Identifier: MIT
// For tests of checkpoints: a folder for them, small files, and loading what is not as it was written.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/output_file.h"
#include "test_support.h"
#include "world/checkpoint.h"

static char folder[] = "/tmp/wirbel_checkpoint_XXXXXX";

static inline const char *inFolder(const char *name) {
    static char path[4][WB_MAX_PATH];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], WB_MAX_PATH, "%s/%s", folder, name);
    return path[turn];
}

static inline void assertRefused(wbStatus status, wbCode code, const char *text) {
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
    assert_int_equal(status.code, code);
}

static inline void step(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, 0));
}

typedef struct Bytes {
    unsigned char *data;
    size_t size;
} Bytes;

static inline Bytes readFile(const char *path) {
    void *data;
    Bytes bytes;
    assertOk(wbReadSectionFile(path, &data, &bytes.size));
    bytes.data = data;
    return bytes;
}

static inline void freeBytes(Bytes bytes) { wbFree(NULL, bytes.data, bytes.size); }

/// A small file: few particles, all sections.
static inline Bytes makeFile(int dimensions) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dimensions = dimensions;
    def.sph.spacing = 0.25f;
    def.domain = (wbDomainDef){.max = {1, 1, 1}};
    assertOk(wbCreateWorld(&def, &world));
    for (int i = 0; i < 2; i++) {
        wbFluidDef fluid = wbDefaultFluidDef();
        wbFluidId id;
        fluid.name = i ? "oil" : "water";
        assertOk(wbCreateFluid(world, &fluid, &id));
        const wbBlockDef block = {.min = {0, 0.5f * (float)i, 0},
                                  .max = {0.75f, 0.5f * (float)i + 0.25f, 0.5f}};
        assertOk(wbFluid_AddBlock(world, id, &block));
    }
    wbEmitterDef jet = wbDefaultEmitterDef();
    wbDrainDef inlet = wbDefaultDrainDef();
    wbDrainId inletId;
    jet.name = "jet", jet.fluid = wbWorld_GetFluid(world, 1);
    jet.params.position = (wbVec3){0.5f, 0.4f, 0.5f};
    inlet.name = "inlet", inlet.params.max = (wbVec3){0.1f, 0.1f, 0.1f};
    assertOk(wbCreateEmitter(world, &jet, &inlet.emitter));
    assertOk(wbCreateDrain(world, &inlet, &inletId));
    step(world, 3);
    assertOk(wbWorld_Save(world, inFolder("small")));
    wbDestroyWorld(world);
    return readFile(inFolder("small"));
}

/// From a copy that ends where the bytes end, so that the address sanitizer sees what is read beyond.
static inline wbStatus loadCopy(const unsigned char *data, size_t size) {
    unsigned char *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    wbWorld *world;
    wbStatus status = wbLoadWorldFromBytes(copy, size, &world);
    free(copy);
    if (wbIsOk(status))
        wbDestroyWorld(world);
    else
        assert_null(world);
    return status;
}

/// The file with another content of one section, and right checksums.
static inline wbStatus loadForged(Bytes file, const char *name, const void *data, size_t size) {
    wbSectionList list;
    wbStatus status = {0};
    assertOk(wbReadSections(file.data, file.size, NULL, &list));
    wbSection *section = (wbSection *)wbFindAnySection(&list, name, &status);
    assertOk(status);
    section->data = data, section->size = size;
    assertOk(wbWriteSections(inFolder("forged"), &list));
    wbFreeSections(&list);
    wbWorld *world;
    status = wbLoadWorld(inFolder("forged"), &world);
    if (wbIsOk(status)) wbDestroyWorld(world);
    return status;
}

static inline void *copySection(Bytes file, const char *name, size_t *size) {
    wbSectionList list;
    wbStatus status = {0};
    assertOk(wbReadSections(file.data, file.size, NULL, &list));
    const wbSection *section = wbFindAnySection(&list, name, &status);
    assertOk(status);
    void *copy = test_malloc(section->size);
    memcpy(copy, section->data, section->size);
    *size = section->size;
    wbFreeSections(&list);
    return copy;
}

static inline wbStatus loadText(Bytes file, const char *name, const char *text) {
    return loadForged(file, name, text, strlen(text));
}

static inline int makeFolder(void **state) {
    assert_non_null(mkdtemp(folder));
    return catchAsserts(state);
}

static inline int removeFolder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}
