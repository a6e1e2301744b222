// SPDX-License-Identifier: MIT
// A world that was saved and loaded goes on bit for bit; a file that is not whole, or lies, is refused.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/output_file.h"
#include "file_support.h"
#include "test_support.h"
#include "world/checkpoint.h"

static char folder[] = "/tmp/wirbel_checkpoint_XXXXXX";

static const char *inFolder(const char *name) {
    static char path[4][WB_MAX_PATH];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], WB_MAX_PATH, "%s/%s", folder, name);
    return path[turn];
}

static void assertRefused(wbStatus status, wbCode code, const char *text) {
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
    assert_int_equal(status.code, code);
}

typedef struct Kind {
    int dimensions;
    wbIntegrator integrator;
    float dt; ///< 0: auto
} Kind;

// Two fluids that fall on each other, a moving side, an open top.
static wbWorld *createWorld(Kind kind) {
    wbWorldDef def = wbDefaultWorldDef();
    def.threadCount = 2;
    def.params.dimensions = kind.dimensions;
    def.params.dt = kind.dt;
    def.sph.spacing = 0.1f;
    def.sph.integrator = kind.integrator;
    def.domain = (wbDomainDef){.max = {1, 1, 0.6f}};
    def.domain.sides[wb_top].type = wb_sideOpen;
    def.domain.sides[wb_right] = (wbSideDef){wb_sideNoSlip, {0, 0.5f, 0}, NAN};
    wbWorld *world;
    assertOk(wbCreateWorld(&def, &world));
    const wbBlockDef blocks[] = {{.max = {0.6f, 0.4f, 0.6f}, .jitter = 0.1f},
                                 {{0.3f, 0.5f, 0}, {0.9f, 0.8f, 0.5f}, {0.2f, -0.5f, 0}, 0.2f}};
    for (int i = 0; i < 2; i++) {
        wbFluidDef fluid = wbDefaultFluidDef();
        wbFluidId id;
        fluid.name = i ? "oil" : "water";
        assertOk(wbCreateFluid(world, &fluid, &id));
        assertOk(wbFluid_AddBlock(world, id, &blocks[i]));
    }
    return world;
}

static void step(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, 0));
}

static wbWorld *saveAndLoad(wbWorld *world) {
    const char *path = inFolder("world");
    wbWorld *loaded;
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &loaded));
    return loaded;
}

static void assertSameView(wbWorld *a, wbWorld *b, int fluid) {
    wbView one, two;
    assertOk(wbFluid_GetView(a, wbWorld_GetFluid(a, fluid), &one));
    assertOk(wbFluid_GetView(b, wbWorld_GetFluid(b, fluid), &two));
    size_t bytes = (size_t)one.count * sizeof(float);
    assert_int_equal(one.count, two.count);
    const void *const ones[] = {one.x,  one.y,  one.z,       one.vx,      one.vy,
                                one.vz, one.id, one.density, one.pressure};
    const void *const twos[] = {two.x,  two.y,  two.z,       two.vx,      two.vy,
                                two.vz, two.id, two.density, two.pressure};
    for (int c = 0; c < 9; c++) assert_memory_equal(ones[c], twos[c], bytes);
}

static void assertSameParams(const wbWorld *a, const wbWorld *b) {
    wbSectionList one = {0}, two = {0};
    wbSaveParams(a, &one);
    wbSaveParams(b, &two);
    assert_int_equal(one.items[0].size, two.items[0].size);
    assert_memory_equal(one.items[0].data, two.items[0].data, one.items[0].size);
    wbFreeSections(&one);
    wbFreeSections(&two);
}

// Everything that can be asked of a world is the same.
static void assertSame(wbWorld *a, wbWorld *b) {
    assert_true(wbWorld_Hash(a) == wbWorld_Hash(b));
    assert_int_equal(wbWorld_GetFluidCount(a), wbWorld_GetFluidCount(b));
    for (int i = 0; i < wbWorld_GetFluidCount(a); i++) {
        wbFluidId id = wbWorld_GetFluid(a, i);
        assert_true(wbFluid_IsValid(b, id));
        assert_string_equal(wbFluid_GetName(a, id), wbFluid_GetName(b, id));
        assertSameView(a, b, i);
    }
    wbStats one = wbWorld_GetStats(a), two = wbWorld_GetStats(b);
    assert_true(one.step == two.step && one.time == two.time && one.particles == two.particles);
    assert_memory_equal(&one.mass, &two.mass, sizeof one - offsetof(wbStats, mass));
    const wbDomainDef domainA = wbWorld_GetDomain(a), domainB = wbWorld_GetDomain(b);
    assert_memory_equal(&domainA, &domainB, sizeof domainA);
    assertSameParams(a, b);
    assert_true(wbWorld_GetStableStep(a) == wbWorld_GetStableStep(b));
    assert_true(wbWorld_GetProfile(a).dt == wbWorld_GetProfile(b).dt);
    assert_true(wbWorld_GetScriptTime(a) == wbWorld_GetScriptTime(b));
}

static void testGoesOn(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        Kind kind = {2 + k % 2, (wbIntegrator)(k / 2 % 3), k < 6 ? 0 : 0.001f};
        wbWorld *world = createWorld(kind);
        step(world, 20);
        wbWorld *loaded = saveAndLoad(world);
        assertSame(world, loaded);
        assertOk(wbWorld_SetThreadCount(loaded, 1 + k % 4));
        step(world, 20);
        step(loaded, 20);
        assertSame(world, loaded);
        wbDestroyWorld(world);
        wbDestroyWorld(loaded);
    }
}

// Also right after a change, when neither densities nor the bound of the energy are valid.
static void testGoesOnAfterChanges(void **state) {
    (void)state;
    wbWorld *world = createWorld((Kind){3, wb_integratorSymplectic, 0});
    wbWorld *loaded = saveAndLoad(world); // before the first step
    assertSame(world, loaded);
    wbDestroyWorld(loaded);
    step(world, 10);
    assertOk(wbWorld_SetParam(world, "world.gravity", "0.123456789,-5,1e-7"));
    assertOk(wbWorld_SetParam(world, "sph.viscosity", "0.3333333333"));
    wbWorld_SetScriptTime(world, 1 / 3.0);
    loaded = saveAndLoad(world);
    assertSame(world, loaded);
    const float more[3] = {0.5f, 0.95f, 0.3f};
    wbWorld *const both[] = {world, loaded};
    for (int i = 0; i < 2; i++) {
        step(both[i], 5);
        assertOk(wbWorld_SetParam(both[i], "sph.kernel", "muller"));
        assertOk(wbFluid_AddParticles(both[i], wbWorld_GetFluid(both[i], 1), 1, more, NULL));
        step(both[i], 5);
    }
    assertSame(world, loaded);
    wbDestroyWorld(world);
    wbDestroyWorld(loaded);
}

// Each parameter at the ends of its range, and a world without anything.
static void testParametersReturn(void **state) {
    (void)state;
    for (int end = 0; end < 2; end++) {
        wbWorldDef def = wbDefaultWorldDef();
        void *const sections[] = {&def.params, &def.domain, &def.sph, &def.pbf, &def.pbd, &def.smoke};
        int count;
        const wbParamTable *const *tables = wbGetParamTables(&count);
        assert_int_equal(count, sizeof sections / sizeof sections[0]);
        for (int t = 0; t < count; t++)
            for (int i = 0; i < tables[t]->count; i++) {
                const wbParam *p = &tables[t]->params[i];
                double limit = end ? p->max : p->min, values[3] = {limit, limit, limit};
                if (p->type != wb_paramEnum)
                    assertOk(wbParam_SetNumbers(p, sections[t], values, p->type == wb_paramVec3 ? 3 : 1));
            }
        def.sph.particles = 0; // a scene's: no world takes it
        wbWorld *world;
        assertOk(wbCreateWorld(&def, &world));
        wbWorld *loaded = saveAndLoad(world);
        assertSame(world, loaded);
        assert_memory_equal(wbWorld_GetWorldParams(loaded), &def.params, sizeof def.params);
        assert_memory_equal(wbWorld_GetPbdParams(loaded), &def.pbd, sizeof def.pbd);
        assert_memory_equal(wbWorld_GetPbfParams(loaded), &def.pbf, sizeof def.pbf);
        wbDestroyWorld(world);
        wbDestroyWorld(loaded);
    }
}

typedef struct Bytes {
    unsigned char *data;
    size_t size;
} Bytes;

static Bytes readFile(const char *path) {
    void *data;
    Bytes bytes;
    assertOk(wbReadSectionFile(path, &data, &bytes.size));
    bytes.data = data;
    return bytes;
}

static void freeBytes(Bytes bytes) { wbFree(NULL, bytes.data, bytes.size); }

// A small file: few particles, all sections.
static Bytes makeFile(int dimensions) {
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

static void testSavedAgainIsTheSame(void **state) {
    (void)state;
    Bytes first = makeFile(3);
    wbWorld *world;
    assertOk(wbLoadWorldFromBytes(first.data, first.size, &world));
    assertOk(wbWorld_Save(world, inFolder("again")));
    Bytes second = readFile(inFolder("again"));
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    wbDestroyWorld(world);
    freeBytes(first);
    freeBytes(second);
}

// From a copy that ends where the bytes end, so that the address sanitizer sees what is read beyond.
static wbStatus loadCopy(const unsigned char *data, size_t size) {
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

static void testCutIsRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    assertOk(loadCopy(file.data, file.size));
    for (size_t size = 0; size < file.size; size++)
        assert_int_equal(loadCopy(file.data, size).code, wb_errorInput);
    // also as files, where the header is looked at before the rest
    for (size_t size = 0; size < file.size; size += size < 40 ? 1 : 977) {
        FILE *cut = fopen(inFolder("cut"), "wb");
        assert_int_equal(fwrite(file.data, 1, size, cut), size);
        fclose(cut);
        wbWorld *world;
        assert_int_equal(wbLoadWorld(inFolder("cut"), &world).code, wb_errorInput);
        assert_null(world);
    }
    freeBytes(file);
}

static void testLongerIsRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    unsigned char *longer = test_malloc(file.size + 100);
    memset(longer, 0, file.size + 100);
    memcpy(longer, file.data, file.size);
    for (size_t more = 1; more <= 100; more++)
        assertRefused(loadCopy(longer, file.size + more), wb_errorInput, "written were");
    test_free(longer);
    freeBytes(file);
}

static void testEveryFlippedByteIsRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    const unsigned char flips[] = {0x01, 0x10, 0x80, 0xff};
    for (size_t i = 0; i < file.size; i++)
        for (size_t f = 0; f < sizeof flips; f++) {
            file.data[i] ^= flips[f];
            wbStatus status = loadCopy(file.data, file.size);
            if (status.code != wb_errorInput) fail_msg("byte %zu flipped by %x was not refused", i, flips[f]);
            file.data[i] ^= flips[f];
        }
    assertOk(loadCopy(file.data, file.size));
    freeBytes(file);
}

// The file with another content of one section, and right checksums.
static wbStatus loadForged(Bytes file, const char *name, const void *data, size_t size) {
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

static void *copySection(Bytes file, const char *name, size_t *size) {
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

// One element of a section, 4 or 8 bytes, is another.
static wbStatus loadWith(Bytes file, const char *name, size_t at, const void *value, size_t bytes) {
    size_t size;
    char *copy = copySection(file, name, &size);
    assert_true(at + bytes <= size);
    memcpy(copy + at, value, bytes);
    wbStatus status = loadForged(file, name, copy, size);
    test_free(copy);
    return status;
}

static void testLyingNumbersAreRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    const struct {
        const char *name, *text;
        double value;
    } doubles[] = {{"time", "time is nan", NAN},         {"time", "time is -1", -1},
                   {"time", "time is inf", INFINITY},    {"scriptTime", "scriptTime is", -INFINITY},
                   {"sph.came", "sph.came is nan", NAN}, {"sph.given", "sph.given is -1", -1}};
    for (size_t i = 0; i < sizeof doubles / sizeof doubles[0]; i++)
        assertRefused(loadWith(file, doubles[i].name, 0, &doubles[i].value, 8), wb_errorInput,
                      doubles[i].text);
    const int64_t wides[] = {-1, INT64_MIN, INT64_MAX};
    const char *const counts[] = {"stepCount", "spawned", "removed"};
    for (int i = 0; i < 9; i++) {
        wbStatus status = loadWith(file, counts[i % 3], 0, &wides[i / 3], 8);
        assertRefused(status, wb_errorInput, counts[i % 3]);
    }
    const float floats[] = {-1, NAN, INFINITY};
    const char *const singles[] = {"sph.maxSpeed", "sph.maxDensity", "sph.sinceEvaluation", "lastDt"};
    for (int i = 0; i < 12; i++)
        assertRefused(loadWith(file, singles[i % 4], 0, &floats[i / 4], 4), wb_errorInput, singles[i % 4]);
    // a count that the columns do not have, up to one that would need all memory
    const int32_t particles[] = {-1, 0, 5, 7, 1 << 20, INT32_MAX - 1024, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof particles / sizeof particles[0]; i++)
        assertRefused(loadWith(file, "sph.count", 0, &particles[i], 4), wb_errorInput, "");
    const uint32_t ids[] = {0, 5, 7, 1 << 20, INT32_MAX, UINT32_MAX};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        assertRefused(loadWith(file, "nextId", 0, &ids[i], 4), wb_errorInput, "");
    freeBytes(file);
}

static void testLyingParticlesAreRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    const char *const columns[] = {"sph.x",  "sph.y",  "sph.z",       "sph.vx",
                                   "sph.vy", "sph.vz", "sph.density", "sph.pressure"};
    const float bad[] = {NAN, INFINITY, -INFINITY, 1e35f};
    for (int i = 0; i < 32; i++)
        assertRefused(loadWith(file, columns[i % 8], 8, &bad[i / 8], 4), wb_errorInput, "of particle");
    const float zero = 0, one = 1, outside = 1.001f;
    assertRefused(loadWith(file, "sph.density", 8, &zero, 4), wb_errorInput, "is not possible");
    assertRefused(loadWith(file, "sph.z", 8, &one, 4), wb_errorInput, "not in the plane");
    assertRefused(loadWith(file, "sph.vz", 8, &one, 4), wb_errorInput, "not in the plane");
    assertRefused(loadWith(file, "sph.x", 8, &outside, 4), wb_errorInput, "beyond the closed sides 0 to 1");
    const uint32_t same[] = {1, 1}, beyond = 6, last = UINT32_MAX, fluid = 2;
    assertRefused(loadWith(file, "sph.id", 4, same, 8), wb_errorInput, "two particles have the id 1");
    assertRefused(loadWith(file, "sph.id", 4, &beyond, 4), wb_errorInput,
                  "the id 6, given were those below 6");
    assertRefused(loadWith(file, "sph.id", 4, &last, 4), wb_errorInput, "the id 4294967295");
    assertRefused(loadWith(file, "idRuns", 4, &fluid, 4), wb_errorInput, "belongs to fluid 2 of 2");
    assertRefused(loadWith(file, "idRuns", 0, &fluid, 4), wb_errorInput, "belongs to no fluid");
    assertRefused(loadWith(file, "idRuns", 8, &(uint32_t){0}, 4), wb_errorInput, "is not in order");
    assertRefused(loadWith(file, "removed", 0, &(int64_t){1}, 8), wb_errorInput, "1 removed");
    assertRefused(loadWith(file, "fluids", 72, &(int64_t){4}, 8), wb_errorInput, "of fluid \"water\"");
    assertRefused(loadWith(file, "fluids", 72, &(int64_t){-1}, 8), wb_errorInput, "make no sense");
    freeBytes(file);
}

static void testLyingFluidsAreRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    char name[64];
    memset(name, 'x', sizeof name);
    const uint32_t null = 0, second = 2, dead = 2;
    assertRefused(loadWith(file, "fluids", 0, name, 64), wb_errorInput, "fluid 0 has no name");
    assertRefused(loadWith(file, "fluids", 0, "", 1), wb_errorInput, "fluid 0 has no name");
    assertRefused(loadWith(file, "fluids", 96, "water", 6), wb_errorInput, "two fluids are named \"water\"");
    assertRefused(loadWith(file, "fluids", 64, &null, 4), wb_errorInput, "fluid 0 has no name or no id");
    assertRefused(loadWith(file, "fluids", 96 + 64, &null, 4), wb_errorInput, "fluid 1 has no name or no id");
    assertRefused(loadWith(file, "fluids", 64, &second, 4), wb_errorInput,
                  "the id of fluid 1 makes no sense");
    const size_t firstGeneration = sizeof(uint32_t[WB_OBJECT_KIND_COUNT]);
    assertRefused(loadWith(file, "ids", firstGeneration, &dead, 4), wb_errorInput,
                  "the id of fluid 0 makes no sense");
    assertRefused(loadWith(file, "ids", 0, &(uint32_t){3}, 4), wb_errorInput, "section \"ids\" is cut");
    assertRefused(loadWith(file, "ids", 0, &(uint32_t){1}, 4), wb_errorInput, "section \"ids\" is too long");
    assertRefused(loadForged(file, "ids", name, 8), wb_errorInput, "section \"ids\" is cut");
    const uint32_t more[WB_OBJECT_KIND_COUNT + 5] = {2, 2, 1, [WB_OBJECT_KIND_COUNT] = 1, 1, 1, 1, 1};
    assertRefused(loadForged(file, "ids", more, sizeof more), wb_errorInput, "an id of no emitter");
    const double badDensities[] = {NAN, -1, 1e-4, 2e6};
    for (int k = 0; k < 4; k++)
        assertRefused(loadWith(file, "fluids", 88, &badDensities[k], 8), wb_errorInput,
                      "the rest density of fluid 0 makes no sense");
    assertRefused(loadForged(file, "fluids", name, 64), wb_errorInput, "64 bytes, 96 are one fluid");
    assertRefused(loadForged(file, "fluids", name, 0), wb_errorInput,
                  "names sph, of which there are no fluids");
    // many, of one name: found without comparing each with each
    enum { MANY = 200000 };
    char *many = test_calloc(MANY, 96);
    uint32_t *ids = test_calloc(WB_OBJECT_KIND_COUNT + MANY, sizeof *ids);
    ids[0] = MANY;
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t index1 = i + 1;
        many[96 * i] = 'w', ids[WB_OBJECT_KIND_COUNT + i] = 1;
        memcpy(many + 96 * i + 64, &index1, sizeof index1);
    }
    const size_t idBytes = sizeof(uint32_t[WB_OBJECT_KIND_COUNT + MANY]);
    assertRefused(loadForged(file, "ids", ids, idBytes), wb_errorInput, "makes no sense");
    Bytes forged = readFile(inFolder("forged"));
    assertRefused(loadForged(forged, "fluids", many, 96 * (size_t)MANY), wb_errorInput,
                  "two fluids are named \"w\"");
    freeBytes(forged);
    test_free(ids);
    test_free(many);
    freeBytes(file);
}

static wbStatus loadText(Bytes file, const char *name, const char *text) {
    return loadForged(file, name, text, strlen(text));
}

static void testLyingFlowIsRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    const double badWays[] = {NAN, INFINITY, -1, 1e31};
    const int64_t badCounts[] = {-1, INT64_MIN, INT64_MAX};
    for (int i = 0; i < 4; i++) {
        assertRefused(loadWith(file, "emitters", 72, &badWays[i], 8), wb_errorInput,
                      "emitter 0 makes no sense");
        assertRefused(loadWith(file, "drains", 72, &badWays[i], 8), wb_errorInput, "drain 0 makes no sense");
        assertRefused(loadWith(file, "drains", 80, &badWays[i], 8), wb_errorInput, "drain 0 makes no sense");
    }
    for (int i = 0; i < 3; i++) {
        for (size_t at = 80; at < 112; at += 8)
            assertRefused(loadWith(file, "emitters", at, &badCounts[i], 8), wb_errorInput, "makes no sense");
        for (size_t at = 88; at < 608; at += 8)
            assertRefused(loadWith(file, "drains", at, &badCounts[i], 8), wb_errorInput, "makes no sense");
    }
    char name[64];
    memset(name, 'x', sizeof name);
    const uint32_t two = 2;
    const int32_t one = 1, below = -2;
    assertRefused(loadWith(file, "emitters", 0, name, 64), wb_errorInput, "makes no sense");
    assertRefused(loadWith(file, "emitters", 0, "", 1), wb_errorInput, "1 to 63 bytes");
    assertRefused(loadWith(file, "emitters", 0, "oil", 4), wb_errorInput, "already a fluid named \"oil\"");
    assertRefused(loadWith(file, "emitters", 0, "a b", 4), wb_errorInput, "letters, digits");
    assertRefused(loadWith(file, "emitters", 64, &two, 4), wb_errorInput, "makes no sense");
    assertRefused(loadWith(file, "emitters", 68, &two, 4), wb_errorInput, "makes no sense");
    assertRefused(loadWith(file, "drains", 68, &one, 4), wb_errorInput, "makes no sense");
    assertRefused(loadWith(file, "drains", 68, &below, 4), wb_errorInput, "makes no sense");
    assertRefused(loadForged(file, "emitters", name, 60), wb_errorInput, "60 bytes, 112 are one part");
    assertRefused(loadForged(file, "drains", name, 60), wb_errorInput, "60 bytes, 608 are one part");
    assertRefused(loadForged(file, "objects", "jet", 3), wb_errorInput, "not key=value");
    assertRefused(loadForged(file, "objects", "jet.radius=0\n", 13), wb_errorInput, "radius is 0");
    assertRefused(loadForged(file, "objects", "jet.position=7,7\n", 17), wb_errorInput,
                  "beyond the closed sides");
    assertRefused(loadForged(file, "objects", "jet.direction=0,0\n", 18), wb_errorInput, "no direction");
    assertRefused(loadForged(file, "objects", "pipe.radius=1\n", 14), wb_errorInput,
                  "unknown section or object");
    assertRefused(loadForged(file, "objects", "oil.radius=1\n", 13), wb_errorInput,
                  "no parameters of its own");
    assertRefused(loadForged(file, "objects", "inlet.max=0,0\n", 14), wb_errorInput, "is empty");
    freeBytes(file);
}

// A cloth of 3 x 3 particles with hinges: 9 particles, 20 constraints, 8 hinges, 8 triangles.
static Bytes makeSoftFile(void) {
    wbWorldDef def = wbDefaultWorldDef();
    wbSoftBodyDef cloth = wbDefaultSoftBodyDef();
    wbSoftBodyId id;
    wbWorld *world;
    assertOk(wbCreateWorld(&def, &world));
    cloth.name = "cloth";
    cloth.params.shape = wb_softBodyCloth, cloth.params.bending = wb_bendingDihedral;
    cloth.params.counts = (wbVec3){3, 3, 1};
    assertOk(wbCreateSoftBody(world, &cloth, &id));
    step(world, 1);
    assertOk(wbWorld_Save(world, inFolder("soft")));
    wbDestroyWorld(world);
    return readFile(inFolder("soft"));
}

static void testLyingSoftBodiesAreRefused(void **state) {
    (void)state;
    Bytes file = makeSoftFile();
    const char *const floats[] = {"pbd.x", "pbd.y", "pbd.z", "pbd.vx", "pbd.vy", "pbd.vz", "pbd.w"};
    const char *const ints[] = {"pbd.first", "pbd.second", "pbd.kind"};
    const float badFloats[] = {NAN, INFINITY, -1};
    const int32_t badInts[] = {-1, 99, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 3; i++) {
        assertRefused(loadWith(file, "pbd.previousDt", 0, &badFloats[i], 4), wb_errorInput, "allowed is");
        assertRefused(loadWith(file, "pbd.maxSpeed", 0, &badFloats[i], 4), wb_errorInput, "allowed is");
        assertRefused(loadWith(file, "softBodies", 80, &badFloats[i], 4), wb_errorInput, "makes no sense");
        for (int column = 0; column < 7; column++)
            if (i < 2 || column == 6) // positions and velocities may be negative, inverse masses not
                assertRefused(loadWith(file, floats[column], 4 * 5, &badFloats[i], 4), wb_errorInput,
                              column < 6 ? "not finite" : "makes no sense");
        assertRefused(loadWith(file, "pbd.rest", 0, &badFloats[i], 4), wb_errorInput, "makes no sense");
        assertRefused(loadWith(file, "pbd.hingeRest", 0, &badFloats[i], 4), wb_errorInput, "of no body");
    }
    for (int i = 0; i < 4; i++) {
        for (size_t at = 68; at < 80; at += 4)
            assertRefused(loadWith(file, "softBodies", at, &badInts[i], 4), wb_errorInput, "makes no sense");
        assertRefused(loadWith(file, "pbd.body", 0, &badInts[i], 4), wb_errorInput, "makes no sense");
        for (int column = 0; column < 3; column++)
            assertRefused(loadWith(file, ints[column], 4 * 3, &badInts[i], 4), wb_errorInput,
                          "makes no sense");
        if (badInts[i] != -1) // chosen
            assertRefused(loadWith(file, "pbd.colour", 0, &badInts[i], 4), wb_errorInput, "of no body");
        assertRefused(loadWith(file, "pbd.corner0", 4, &badInts[i], 4), wb_errorInput, "of no body");
        assertRefused(loadWith(file, "pbd.triangles", 0, &badInts[i], 4), wb_errorInput, "makes no sense");
        assertRefused(loadWith(file, "pbd.count", 0, &badInts[i], 4), wb_errorInput, "");
    }
    assertRefused(loadWith(file, "softBodies", 0, "", 1), wb_errorInput, "1 to 63 bytes");
    assertRefused(loadForged(file, "softBodies", "", 0), wb_errorInput, "of no body");
    assertRefused(loadForged(file, "pbd.triangles", "", 0), wb_errorInput, "it must have 96");
    assertRefused(loadForged(file, "solvers", "pbd", 3), wb_errorInput, "unknown");
    assertRefused(loadForged(file, "solvers", "smoke\n", 6), wb_errorInput, "no parameters");
    freeBytes(file);
}

static void testLyingParametersAreRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    const struct {
        const char *text, *says;
    } cases[] = {{"sph.viscosty=1\n", "did you mean \"sph.viscosity\""},
                 {"shp.viscosity=1\n", "unknown section"},
                 {"sph.viscosity=-1\n", "sph.viscosity is -1, allowed is 0 to"},
                 {"sph.viscosity=nan\n", "sph.viscosity is"},
                 {"sph.viscosity=\n", "sph.viscosity is"},
                 {"sph.kernel=cubic\n", "allowed is muller|wendland"},
                 {"world.dimensions=4\n", "world.dimensions is 4"},
                 {"world.dimensions=3\nworld.dimensions=2\n", "says world.dimensions twice"},
                 {"sph.viscosity=1", "not key=value"},
                 {"sph.viscosity\n", "not key=value"},
                 {"sph.viscosity=1\t\n", "not key=value"},
                 {"\n", "not key=value"},
                 {"=1\n", "is not of the form section.name"},
                 {"sph.spacing=0.25\nsph.smoothing=6\n", "less than the support radius"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assertRefused(loadText(file, "params", cases[i].text), wb_errorInput, cases[i].says);
    char line[10000];
    memset(line, 'x', sizeof line);
    assertRefused(loadForged(file, "params", line, sizeof line), wb_errorInput, "not key=value");
    const uint32_t type = 3;
    const float low = 2;
    assertRefused(loadWith(file, "domain", 24, &type, 4), wb_errorInput, "unknown type 3");
    assertRefused(loadWith(file, "domain", 0, &low, 4), wb_errorInput, "must be less than max");
    assertRefused(loadForged(file, "domain", line, 119), wb_errorInput, "119 bytes, it must have 196");
    freeBytes(file);
}

static void testOtherSectionsAreRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    wbSectionList list;
    assertOk(wbReadSections(file.data, file.size, NULL, &list));
    wbWorld *world;
    for (int i = 0, count = list.count; i < count; i++) {
        wbSection left = list.items[i];
        list.items[i] = list.items[--list.count];
        assertOk(wbWriteSections(inFolder("forged"), &list));
        assertRefused(wbLoadWorld(inFolder("forged"), &world), wb_errorInput, "is missing");
        list.items[list.count++] = list.items[i];
        list.items[i] = left;
    }
    wbAddSection(&list, "more", "", 1);
    assertOk(wbWriteSections(inFolder("forged"), &list));
    assertRefused(wbLoadWorld(inFolder("forged"), &world), wb_errorInput, "\"more\" is unknown");
    list.count--;
    wbAddSection(&list, "time", list.items[0].data, 8);
    assertOk(wbWriteSections(inFolder("forged"), &list));
    assertRefused(wbLoadWorld(inFolder("forged"), &world), wb_errorInput,
                  "\"time\" is unknown or there twice");
    wbFreeSections(&list);
    freeBytes(file);
}

static void writeText(const char *name, const char *text) {
    FILE *file = fopen(inFolder(name), "wb");
    fputs(text, file);
    fclose(file);
}

static void testForeignFilesAreRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    wbWorld *world;
    uint32_t version = WB_SECTION_VERSION + 1;
    memcpy(file.data + 8, &version, 4);
    assertRefused(loadCopy(file.data, file.size), wb_errorInput, "written by a newer Wirbel (format 6");
    version = WB_SECTION_VERSION - 1;
    memcpy(file.data + 8, &version, 4);
    assertRefused(loadCopy(file.data, file.size), wb_errorInput, "written by an older Wirbel (format 4");
    version = 0;
    memcpy(file.data + 8, &version, 4);
    assertRefused(loadCopy(file.data, file.size), wb_errorInput, "damaged");
    writeText("text", "{\"world\": {\"dimensions\": 2}, \"fluids\": []}\n");
    assertRefused(wbLoadWorld(inFolder("text"), &world), wb_errorInput, "/text: not a Wirbel checkpoint");
    writeText("text", "W");
    assertRefused(wbLoadWorld(inFolder("text"), &world), wb_errorInput, "cut off after 1 bytes");
    writeText("text", "");
    assertRefused(wbLoadWorld(inFolder("text"), &world), wb_errorInput, "/text: empty");
    assertRefused(wbLoadWorld(folder, &world), wb_errorFile, "Is a directory");
    assertRefused(wbLoadWorld(inFolder("none"), &world), wb_errorFile, "No such file");
    assertRefused(wbLoadWorld("/dev/zero", &world), wb_errorFile, "/dev/zero: it is a device or a pipe");
    assert_int_equal(mkfifo(inFolder("pipe"), 0600), 0);
    assertRefused(wbLoadWorld(inFolder("pipe"), &world), wb_errorFile, "/pipe: it is a device or a pipe");
    // sparse: larger than any memory, but without a header it is not even tried
    assert_int_equal(truncate(inFolder("text"), (off_t)1 << 42), 0);
    assertRefused(wbLoadWorld(inFolder("text"), &world), wb_errorInput, "not a Wirbel checkpoint");
    unlink(inFolder("text"));
    freeBytes(file);
}

static void testWhatCannotBeWritten(void **state) {
    (void)state;
    wbWorld *world = createWorld((Kind){2, wb_integratorEuler, 0});
    const char *path = inFolder("kept");
    assertOk(wbWorld_Save(world, path));
    Bytes before = readFile(path);
    step(world, 1);
    assertRefused(wbWorld_Save(world, inFolder("nowhere/world")), wb_errorFile, "No such file");
    assertRefused(wbWorld_Save(world, folder), wb_errorFile, "Is a directory");
    assertRefused(wbWorld_Save(world, ""), wb_errorInput, "empty");
    assertRefused(wbWorld_Save(world, "/dev/full"), wb_errorFile, "No space left");
    limitFiles(64);
    wbStatus status = wbWorld_Save(world, path);
    limitFiles(RLIM_INFINITY);
    assertRefused(status, wb_errorFile, "File too large");
    assert_int_equal(countParts(path), 0);
    Bytes after = readFile(path);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    assertOk(wbWorld_Save(world, path));
    freeBytes(before);
    freeBytes(after);
    wbDestroyWorld(world);
}

static void testStoppedWorldIsNotSaved(void **state) {
    (void)state;
    wbWorld *world = createWorld((Kind){2, wb_integratorEuler, 0});
    assertOk(wbWorld_Save(world, inFolder("good")));
    Bytes good = readFile(inFolder("good"));
    // found by the energy check, which looks at few steps, before a step finds it
    step(world, 20);
    double *came = &world->solvers[wb_solverSph].liquid->account.came, start = *came;
    *came = -1e30;
    assertRefused(wbWorld_Save(world, inFolder("good")), wb_errorUnstable, "not saved: unstable at step 21");
    *came = start;
    wbStatus status = {0};
    for (int i = 0; i < 1000 && wbIsOk(status); i++) {
        status = wbWorld_Step(world, 0.5f);
    }
    assert_int_equal(status.code, wb_errorUnstable);
    assertRefused(wbWorld_Save(world, inFolder("good")), wb_errorUnstable, "not saved: unstable at step");
    Bytes still = readFile(inFolder("good"));
    assert_memory_equal(good.data, still.data, good.size);
    freeBytes(good);
    freeBytes(still);
    wbDestroyWorld(world);
}

typedef struct Account {
    int64_t bytes;
    int calls, failAt; ///< failAt: the call that gets nothing; 0: none
} Account;

static void *allocateCounted(size_t bytes, size_t alignment, void *context) {
    Account *account = context;
    if (__atomic_add_fetch(&account->calls, 1, __ATOMIC_RELAXED) == account->failAt) return NULL;
    __atomic_fetch_add(&account->bytes, (int64_t)bytes, __ATOMIC_RELAXED);
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void releaseCounted(void *block, size_t bytes, void *context) {
    Account *account = context;
    __atomic_fetch_sub(&account->bytes, (int64_t)bytes, __ATOMIC_RELAXED);
    free(block);
}

static void testFailedLoadsLeakNothing(void **state) {
    (void)state;
    Bytes file = makeFile(3);
    Account account = {0};
    wbAllocator allocator = {allocateCounted, releaseCounted, &account};
    wbSetAllocator(&allocator);
    // without memory, from the first allocation to the last one
    bool loaded = false;
    for (int n = 1; !loaded; n++) {
        account.calls = 0, account.failAt = n;
        wbWorld *world;
        wbStatus status = wbLoadWorld(inFolder("small"), &world);
        loaded = wbIsOk(status) && account.calls < n;
        if (!loaded) assert_int_equal(status.code, wb_errorMemory);
        if (loaded) wbDestroyWorld(world);
        assert_int_equal(account.bytes, 0);
        assert_true(n < 1000);
    }
    account.failAt = 0;
    const uint32_t id = 1000;
    char *ids;
    size_t size;
    wbSetAllocator(NULL);
    ids = copySection(file, "sph.id", &size);
    memcpy(ids + size - 4, &id, 4);
    loadForged(file, "sph.id", ids, size);
    wbSetAllocator(&allocator);
    wbWorld *world;
    assert_int_equal(wbLoadWorld(inFolder("forged"), &world).code, wb_errorInput);
    assert_int_equal(account.bytes, 0);
    wbSetAllocator(NULL);
    test_free(ids);
    freeBytes(file);
}

// What lacks memory says so, and the file of before stays.
static void testFailedSavesLeaveTheFile(void **state) {
    (void)state;
    Bytes before = makeFile(3);
    wbWorld *world;
    assertOk(wbLoadWorldFromBytes(before.data, before.size, &world));
    Account account = {0};
    wbAllocator allocator = {allocateCounted, releaseCounted, &account};
    wbSetAllocator(&allocator);
    bool isSaved = false;
    for (int n = 1; !isSaved; n++) {
        account.calls = 0, account.failAt = n;
        wbStatus status = wbWorld_Save(world, inFolder("small"));
        isSaved = wbIsOk(status) && account.calls < n;
        if (!isSaved) assert_int_equal(status.code, wb_errorMemory);
        assert_int_equal(account.bytes, 0);
        assert_true(n < 1000);
    }
    wbSetAllocator(NULL);
    wbDestroyWorld(world);
    Bytes after = readFile(inFolder("small"));
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    freeBytes(before);
    freeBytes(after);
}

// More sections than a world ever has: a list has no end, and a file of a million is refused for what it is.
static void testAnyNumberOfSections(void **state) {
    (void)state;
    enum { MANY = 100000 };
    static const int number = 7;
    wbSectionList list = {0};
    char name[WB_SECTION_NAME];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "section%d", i);
        wbAddSection(&list, name, &number, i % 2 * sizeof number);
    }
    assertOk(wbWriteSections(inFolder("many"), &list));
    wbFreeSections(&list);
    Bytes file = readFile(inFolder("many"));
    assertOk(wbReadSections(file.data, file.size, NULL, &list));
    assert_int_equal(list.count, MANY);
    wbFreeSections(&list);
    wbWorld *world;
    assertRefused(wbLoadWorld(inFolder("many"), &world), wb_errorInput, "section \"params\" is missing");
    // a header that promises more than the file holds takes no memory
    uint32_t count = 1u << 30;
    memcpy(file.data + 12, &count, sizeof count);
    assertRefused(wbReadSections(file.data, file.size, NULL, &list), wb_errorInput,
                  "its header makes no sense");
    freeBytes(file);
}

static void testMemoryLimitHolds(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef fluid = wbDefaultFluidDef();
    wbFluidId id;
    wbWorld *world;
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &fluid, &id));
    assertOk(wbFluid_AddBlock(world, id, &(wbBlockDef){.max = {0.6f, 0.6f, 0.6f}}));
    assertOk(wbWorld_Save(world, inFolder("large")));
    wbDestroyWorld(world);
    Bytes file = readFile(inFolder("large"));
    assertOk(loadText(file, "params", "world.memoryLimit=1e7\n"));
    assertRefused(loadText(file, "params", "world.memoryLimit=1e6\n"), wb_errorMemory, "world.memoryLimit");
    freeBytes(file);
}

typedef struct Notices {
    int count;
    char last[512];
} Notices;

static void keepNotice(wbLogLevel level, const char *message, void *context) {
    Notices *notices = context;
    assert_int_equal(level, wb_logWarning);
    notices->count++;
    snprintf(notices->last, sizeof notices->last, "%s", message);
}

static void testAnotherMachineIsNoticed(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    Notices notices = {0};
    wbSetLog(keepNotice, &notices);
    assertOk(loadCopy(file.data, file.size));
    assert_int_equal(notices.count, 0);
    setenv("WIRBEL_SIMD", "scalar", 1);
    assertOk(loadCopy(file.data, file.size));
    unsetenv("WIRBEL_SIMD");
    assert_int_equal(notices.count, wbIsSimdSupported(wb_simdSse) ? 1 : 0);
    if (notices.count) assert_non_null(strstr(notices.last, "here it is \"scalar\": the run goes on"));
    size_t size;
    char *writer = copySection(file, "writer", &size);
    for (char *line = writer; line < writer + size; line = (char *)memchr(line, '\n', size) + 1) {
        notices.count = 0;
        char *value = (char *)memchr(line, '=', size) + 1, was = *value;
        *value = '?';
        assertOk(loadForged(file, "writer", writer, size));
        *value = was;
        assert_int_equal(notices.count, 1);
        assert_non_null(strstr(notices.last, "bit for bit"));
    }
    test_free(writer);
    assertOk(loadText(file, "writer", "colour=blue\n"));
    assert_non_null(strstr(notices.last, "\"unknown\""));
    notices.count = 0;
    assertOk(loadText(file, "params", "world.dimensions=2\nsph.viscosity=1\n"));
    assert_true(notices.count > 10);
    assert_non_null(strstr(notices.last, "does not say sph."));
    wbSetLog(NULL, NULL);
    freeBytes(file);
}

static int makeFolder(void **state) {
    assert_non_null(mkdtemp(folder));
    return catchAsserts(state);
}

static int removeFolder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testGoesOn),
        cmocka_unit_test(testGoesOnAfterChanges),
        cmocka_unit_test(testParametersReturn),
        cmocka_unit_test(testSavedAgainIsTheSame),
        cmocka_unit_test(testCutIsRefused),
        cmocka_unit_test(testLongerIsRefused),
        cmocka_unit_test(testEveryFlippedByteIsRefused),
        cmocka_unit_test(testLyingNumbersAreRefused),
        cmocka_unit_test(testLyingParticlesAreRefused),
        cmocka_unit_test(testLyingFluidsAreRefused),
        cmocka_unit_test(testLyingFlowIsRefused),
        cmocka_unit_test(testLyingSoftBodiesAreRefused),
        cmocka_unit_test(testLyingParametersAreRefused),
        cmocka_unit_test(testOtherSectionsAreRefused),
        cmocka_unit_test(testForeignFilesAreRefused),
        cmocka_unit_test(testWhatCannotBeWritten),
        cmocka_unit_test(testStoppedWorldIsNotSaved),
        cmocka_unit_test(testFailedLoadsLeakNothing),
        cmocka_unit_test(testFailedSavesLeaveTheFile),
        cmocka_unit_test(testAnyNumberOfSections),
        cmocka_unit_test(testMemoryLimitHolds),
        cmocka_unit_test(testAnotherMachineIsNoticed),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
