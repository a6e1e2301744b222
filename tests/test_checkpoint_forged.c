// SPDX-License-Identifier: MIT
// A checkpoint whose checksums are right, but which lies, is refused: its numbers, particles, objects, parameters, sections.
#include <math.h>
#include <stddef.h>

#include "checkpoint_support.h"
#include "coupling/of_soft.h"

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

static void testLyingFlowIsRefused(void **state) {
    (void)state;
    Bytes file = makeFile(2);
    const double badWays[] = {NAN, INFINITY, -1, 1e31};
    const double badRates[] = {NAN, INFINITY, -1e31,
                               1e31}; // a drain that took a large particle waits, below 0
    const int64_t badCounts[] = {-1, INT64_MIN, INT64_MAX};
    for (int i = 0; i < 4; i++) {
        assertRefused(loadWith(file, "emitters", 72, &badWays[i], 8), wb_errorInput,
                      "emitter 0 makes no sense");
        assertRefused(loadWith(file, "drains", 72, &badRates[i], 8), wb_errorInput, "drain 0 makes no sense");
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

// A cloth in split water, beneath moist air.
static Bytes makeCoupledFile(void) {
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef water = wbDefaultFluidDef();
    wbSoftBodyDef cloth = wbDefaultSoftBodyDef();
    const wbBlockDef block = {.max = {1, 0.25f, 1}};
    wbFluidId fluid;
    wbSoftBodyId id;
    wbWorld *world;
    def.domain = (wbDomainDef){.max = {1, 1, 1}};
    def.sph.spacing = 0.125f, def.sph.method = wb_sphSplit;
    def.hasSmoke = true, def.smoke.steam = true, def.smoke.cellSize = 0.25f;
    assertOk(wbCreateWorld(&def, &world));
    cloth.name = "cloth", cloth.params.shape = wb_softBodyCloth, cloth.params.counts = (wbVec3){3, 3, 1};
    cloth.params.size = (wbVec3){0.5f, 0.5f, 1}, cloth.params.position = (wbVec3){0.5f, 0.6f, 0.5f};
    assertOk(wbCreateSoftBody(world, &cloth, &id));
    assertOk(wbCreateFluid(world, &water, &fluid));
    assertOk(wbFluid_AddBlock(world, fluid, &block));
    step(world, 2);
    assertOk(wbWorld_Save(world, inFolder("coupled")));
    wbDestroyWorld(world);
    return readFile(inFolder("coupled"));
}

static void testLyingCouplingIsRefused(void **state) {
    (void)state;
    Bytes file = makeCoupledFile();
    const float floats[] = {NAN, INFINITY, -1};
    const double doubles[] = {NAN, INFINITY, -INFINITY};
    const char *const heats[] = {"smoke.broughtHeat", "smoke.waterHeat", "smoke.sourceHeat", "smoke.sideHeat",
                                 "smoke.flowHeat"};
    const size_t age = 4 * sizeof(wbWetParticle) + offsetof(wbWetParticle, age);
    for (int i = 0; i < 3; i++) {
        assertRefused(loadWith(file, "coupling.soft", age, &floats[i], 4), wb_errorInput,
                      i < 2 ? "not finite" : "particle 4 is -1 s old");
        assertRefused(loadWith(file, "sph.usualPace", 0, &floats[i], 4), wb_errorInput, "allowed is");
        for (int k = 0; k < 5; k++)
            assertRefused(loadWith(file, heats[k], 0, &doubles[i], 8), wb_errorInput, "allowed is");
    }
    assertOk(loadWith(file, "coupling.soft", age, &(float){1e30f}, 4)); // old is old
    freeBytes(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testLyingCouplingIsRefused),    cmocka_unit_test(testLyingNumbersAreRefused),
        cmocka_unit_test(testLyingParticlesAreRefused),  cmocka_unit_test(testLyingFluidsAreRefused),
        cmocka_unit_test(testLyingFlowIsRefused),        cmocka_unit_test(testLyingSoftBodiesAreRefused),
        cmocka_unit_test(testLyingParametersAreRefused), cmocka_unit_test(testOtherSectionsAreRefused),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
