// SPDX-License-Identifier: MIT
// A world that was saved and loaded goes on bit for bit; a file that is not whole is refused.
#include <math.h>
#include <sys/stat.h>

#include "checkpoint_support.h"
#include "core/array.h"
#include "file_support.h"

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
        void *const sections[] = {&def.params, &def.domain,   &def.sph,     &def.pbf,  &def.pbd,
                                  &def.rigid,  &def.coupling, &def.diffuse, &def.smoke};
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
    assertRefused(loadCopy(file.data, file.size), wb_errorInput, "written by a newer Wirbel (format 8");
    version = WB_SECTION_VERSION - 1;
    memcpy(file.data + 8, &version, 4);
    assertRefused(loadCopy(file.data, file.size), wb_errorInput, "written by an older Wirbel (format 6");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testGoesOn),
        cmocka_unit_test(testGoesOnAfterChanges),
        cmocka_unit_test(testParametersReturn),
        cmocka_unit_test(testSavedAgainIsTheSame),
        cmocka_unit_test(testCutIsRefused),
        cmocka_unit_test(testLongerIsRefused),
        cmocka_unit_test(testEveryFlippedByteIsRefused),
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
