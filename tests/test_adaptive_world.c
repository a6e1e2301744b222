// SPDX-License-Identifier: MIT
// Position based fluids with particles of different sizes in worlds: parameters, accounts by mass, what comes and goes, checkpoints.
#include "checkpoint_support.h"
#include "pbf_world_support.h"
#include "wirbel/query.h"
#include "wirbel/scene.h"

enum { NX = 12, NY = 22, NZ = 10 };

static wbWorldDef makeAdaptiveDef(int threads) {
    wbWorldDef def = makePbfDef(3, wb_backendCpu, wbMakeVec3(1.2f, 3, 1));
    def.pbf.adaptive.method = wb_adaptiveLevels;
    def.threadCount = threads;
    return def;
}

// A deep pool; it merges from the eighth step on.
static wbWorld *createDeepPool(int threads, wbFluidId *fluid) {
    const wbWorldDef def = makeAdaptiveDef(threads);
    wbWorld *world = createPbfWorld(&def, fluid);
    addBlock(world, *fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(1.2f, 2.2f, 1));
    return world;
}

// What is there by the view, in masses of the smallest; each particle is one, two, four … of them.
static int64_t countMass(wbWorld *world, wbFluidId fluid) {
    const double smallest = wbFluid_GetParticleMass(world, fluid);
    const wbView view = getView(world, fluid);
    int64_t sum = 0;
    for (int i = 0; i < view.count; i++) {
        const int64_t units = llround((double)view.mass[i] / smallest);
        const double side = wbFluid_GetSpacing(world, fluid) * cbrt((double)units);
        assert_true(units >= 1 && (units & (units - 1)) == 0);
        assertBelow(fabs(2 * (double)view.radius[i] / side - 1), 1e-6, "radius");
        assert_true(view.distance[i] > 0);
        sum += units;
    }
    return sum;
}

// Accounts of a world whose only fluid is this one.
static void assertMass(wbWorld *world, wbFluidId fluid, int64_t units) {
    const wbStats stats = wbWorld_GetStats(world);
    const wbFluidStats own = wbFluid_GetStats(world, fluid);
    const double mass = wbFluid_GetParticleMass(world, fluid) * (double)units;
    assert_int_equal(countMass(world, fluid), units);
    assert_int_equal(stats.spawned - stats.removed, units);
    assert_int_equal(own.spawned - own.removed, units);
    assert_int_equal(own.particles, stats.particles);
    assert_int_equal(own.particles, getView(world, fluid).count);
    assertBelow(fabs(stats.mass - mass), 1e-12 * (mass + 1), "mass of the statistics");
    assertBelow(fabs(wbFluid_GetMass(world, fluid) - mass), 1e-12 * (mass + 1), "mass of the fluid");
}

static void testPoolIsCountedByMass(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createDeepPool(2, &fluid);
    assertMass(world, fluid, NX * NY * NZ);
    stepTimes(world, 40);
    const wbStats stats = wbWorld_GetStats(world);
    assert_true(stats.particles < NX * NY * NZ / 2 && stats.merges > 1000);
    assert_true(stats.smallestRadius == (double)0.05f && stats.largestRadius > 0.09);
    assert_int_equal(stats.merges - stats.splits, NX * NY * NZ - stats.particles);
    assertMass(world, fluid, NX * NY * NZ);
    // half the weight of the water is in its lower half: by mass, not by number
    assertBelow(fabs(stats.potential / (stats.mass * 9.81 * 1.1) - 1), 0.05, "potential energy");
    wbDestroyWorld(world);
}

// The lattice that a pool is filled with is given back, with what it was merged in, and looks do not take it again.
static void testFilledPoolIsSmall(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorldDef def = makePbfDef(3, wb_backendCpu, wbMakeVec3(4, 6, 4));
    def.pbf.adaptive.method = wb_adaptiveLevels;
    def.threadCount = 2;
    wbWorld *world = createPbfWorld(&def, &fluid);
    addBlock(world, fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(4, 4, 4));
    const int lattice = wbWorld_GetStats(world).particles;
    stepTimes(world, 12); // beyond the first look, and the steps in which snapshots stay large
    const int left = wbWorld_GetStats(world).particles;
    const wbProfile profile = wbWorld_GetProfile(world);
    print_message("%d of %d particles, %zu bytes each\n", left, lattice, profile.bytes / (size_t)left);
    assert_true(left < lattice / 5);
    assertBelow((double)profile.bytes / left, 500, "bytes per particle");
    wbDestroyWorld(world);
}

// What was merged splits again, where all of the water is to be fine.
static void goOn(wbWorld *world) {
    const int64_t splits = wbWorld_GetStats(world).splits;
    stepTimes(world, 6);
    assertOk(wbWorld_SetParam(world, "pbf.adaptive.band", "30"));
    stepTimes(world, 14);
    assert_true(wbWorld_GetStats(world).splits > splits + 20);
}

// The same bits for any number of threads, and after going back to where it was saved: from bytes, in place, and from a file.
static void testSameBits(void **state) {
    (void)state;
    uint64_t hashes[3];
    wbBytes bytes = {0};
    wbFluidId fluid;
    for (int threads = 1; threads <= 3; threads++) {
        wbWorld *world = createDeepPool(threads, &fluid);
        stepTimes(world, 21);
        if (threads == 2) assertOk(wbWorld_SaveToBytes(world, &bytes));
        goOn(world);
        hashes[threads - 1] = wbWorld_Hash(world);
        if (threads == 2) {
            assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
            assertMass(world, fluid, NX * NY * NZ);
            goOn(world);
            assert_true(wbWorld_Hash(world) == hashes[1]);
        }
        wbDestroyWorld(world);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    wbWorld *loaded;
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    goOn(loaded);
    assert_true(wbWorld_Hash(loaded) == hashes[0]);
    wbDestroyWorld(loaded);
    wbFreeBytes(&bytes);
}

// A pool at rest is left alone: each merge would push its neighbours about, and what they stir up would be due next.
static void testRestMergesLittle(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createDeepPool(2, &fluid);
    stepTimes(world, 60);
    const int64_t merges = wbWorld_GetStats(world).merges;
    stepTimes(world, 240);
    const int64_t more = wbWorld_GetStats(world).merges - merges;
    print_message("%d merges in 4 s at rest, of %d particles\n", (int)more,
                  wbWorld_GetStats(world).particles);
    assert_true(more < 30);
    wbDestroyWorld(world);
}

static void setBand(wbWorld *world, const char *band, int steps) {
    assertOk(wbWorld_SetParam(world, "pbf.adaptive.band", band));
    stepTimes(world, steps);
}

static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createDeepPool(2, &fluid);
    stepTimes(world, 48);
    // at rest next to nothing merges: it has to be fine before
    setBand(world, "12", 24), setBand(world, "4", 24), setBand(world, "12", 24);
    const uint64_t calls = wbWorld_GetProfile(world).allocations;
    const int64_t merges = wbWorld_GetStats(world).merges;
    setBand(world, "4", 24);
    assert_true(wbWorld_GetStats(world).merges > merges);
    assert_true(wbWorld_GetProfile(world).allocations == calls);
    wbDestroyWorld(world);
}

// A pump and a drain at the pool's floor, where particles are large: what they take is counted in smallest ones, and their rates hold.
static void testFlowIsCountedByMass(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createDeepPool(2, &fluid);
    wbEmitterDef jet = wbDefaultEmitterDef();
    jet.name = "jet", jet.fluid = fluid, jet.params.radius = 0.2f, jet.params.velocity = 1;
    jet.params.position = wbMakeVec3(0.6f, 2.8f, 0.5f), jet.params.direction = wbMakeVec3(0, -1, 0);
    const wbEmitterId pump = addEmitter(world, &jet);
    const wbDrainId inlet = addDrain(world, "inlet", wbMakeVec3(0, 0, 0), wbMakeVec3(0.6f, 0.4f, 1), pump);
    const wbDrainId sink =
        addDrain(world, "sink", wbMakeVec3(0.6f, 0, 0), wbMakeVec3(1.2f, 0.4f, 1), (wbEmitterId){0});
    assertOk(wbWorld_SetParam(world, "inlet.start", "0.5"));
    assertOk(wbWorld_SetParam(world, "inlet.delay", "0.1"));
    assertOk(wbWorld_SetParam(world, "sink.start", "0.5"));
    assertOk(wbWorld_SetParam(world, "sink.rate", "300"));
    stepTimes(world, 60);
    assert_true(wbWorld_GetStats(world).largestRadius > 0.09);
    stepTimes(world, 30);
    const wbDrainStats taken = wbDrain_GetStats(world, sink), pumped = wbDrain_GetStats(world, inlet);
    const wbEmitterStats out = wbEmitter_GetStats(world, pump);
    assert_true(out.emitted > 50 && pumped.drained > out.emitted);
    assert_int_equal(pumped.drained, out.emitted + out.waiting + pumped.inPipe);
    assertBelow(fabs((double)taken.drained - 300), 64, "what a drain with a rate took in a second");
    assertMass(world, fluid, NX * NY * NZ - taken.drained - pumped.drained + out.emitted);
    wbDestroyWorld(world);
}

// By ids and in a box: a large particle takes its mass along. What is set elsewhere stays what it is.
static void testParticlesAreRemovedAndSet(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createDeepPool(1, &fluid);
    stepTimes(world, 30);
    wbView view = getView(world, fluid);
    int largest = 0, removed;
    for (int i = 0; i < view.count; i++)
        if (view.mass[i] > view.mass[largest]) largest = i;
    const uint32_t id = view.id[largest];
    const int64_t units = llround((double)view.mass[largest] / wbFluid_GetParticleMass(world, fluid));
    assert_true(units >= 8);
    const float place[3] = {0.6f, 2.7f, 0.5f};
    assertOk(wbFluid_SetParticles(world, fluid, 1, &id, place, NULL));
    assertMass(world, fluid, NX * NY * NZ);
    assertOk(wbFluid_RemoveParticles(world, fluid, 1, &id));
    assertMass(world, fluid, NX * NY * NZ - units);
    assertOk(
        wbFluid_RemoveParticlesInBox(world, fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(1.2f, 0.8f, 1), &removed));
    const int64_t left = countMass(world, fluid);
    assert_true(removed > 0 && NX * NY * NZ - units - left > removed);
    assertMass(world, fluid, left);
    stepTimes(world, 20);
    assertMass(world, fluid, left);
    // what is added is small; what is empty begins anew
    assertOk(wbFluid_AddParticles(world, fluid, 1, place, NULL));
    assertMass(world, fluid, left + 1);
    assertOk(
        wbFluid_RemoveParticlesInBox(world, fluid, wbMakeVec3(-9, -9, -9), wbMakeVec3(9, 9, 9), &removed));
    assertMass(world, fluid, 0);
    stepTimes(world, 1);
    addBlock(world, fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(1.2f, 2.2f, 1));
    stepTimes(world, 20);
    assertMass(world, fluid, NX * NY * NZ);
    wbDestroyWorld(world);
}

// m2/s2 … of what reads particles: a ray, a probe of pressure deep down, of the level, of flow; and the surface's volume.
static void testWhatReadsParticles(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createDeepPool(2, &fluid);
    static const struct {
        const char *name;
        wbProbeKind kind;
        wbVec3 place;
        double value, tolerance;
    } cases[] = {{"deep", wb_probePressure, {0.6f, 0.5f, 0.5f}, 1000 * 9.81 * 1.7, 0.1 * 1000 * 9.81 * 1.7},
                 {"gauge", wb_probeLevel, {0.6f, 0, 0.5f}, 2.2, 0.12}};
    wbProbeId probes[2];
    for (int k = 0; k < 2; k++) {
        wbProbeDef def = wbDefaultProbeDef();
        def.name = cases[k].name, def.params.kind = cases[k].kind, def.params.position = cases[k].place;
        def.params.size = wbMakeVec3(0.6f, 0.6f, 0.6f);
        assertOk(wbCreateProbe(world, &def, &probes[k]));
    }
    stepTimes(world, 90);
    for (int k = 0; k < 2; k++) {
        wbProbeValues values;
        assertOk(wbProbe_GetValues(world, probes[k], &values));
        assertBelow(fabs(values.values[0].value - cases[k].value), cases[k].tolerance, cases[k].name);
    }
    const wbFluidSurfaceDef surface = wbDefaultFluidSurfaceDef();
    wbMesh mesh;
    double volume = 0;
    assertOk(wbFluid_BuildSurface(world, fluid, &surface, &mesh));
    for (size_t t = 0; t < (size_t)mesh.triangleCount; t++) {
        wbVec3 c[3];
        for (size_t k = 0; k < 3; k++) {
            const float *v = mesh.vertices + 3 * (size_t)mesh.indices[3 * t + k];
            c[k] = wbMakeVec3(v[0], v[1], v[2]);
        }
        volume += (double)wbDot(c[0], wbCross(c[1], c[2])) / 6;
    }
    assertBelow(fabs(volume / (1.2 * 2.2 * 1) - 1), 0.01, "volume of the surface");
    wbFreeMesh(&mesh);
    wbDestroyWorld(world);
}

// Two fluids, one of which is lighter, in a box with a post, a jet and a drain that has a rate: what is there of each is its own.
static const char basin[] =
    "{\"world\":{\"dt\":0.016666668},\"domain\":{\"min\":[0,0,0],\"max\":[1.6,3,1],"
    "\"sides\":{\"top\":{\"type\":\"open\"}}},\"pbf\":{\"spacing\":0.1,\"vorticity\":0.05},"
    "\"fluids\":[{\"name\":\"water\",\"solver\":\"pbf\",\"adaptive\":{\"band\":2,\"slope\":0.15},"
    "\"blocks\":[{\"min\":[0,0,0],\"max\":[1.6,1.2,1]}]},"
    "{\"name\":\"oil\",\"solver\":\"pbf\",\"restDensity\":700,\"blocks\":[{\"min\":[0,1.2,0],\"max\":[1.6,2,"
    "1]}]}],"
    "\"colliders\":[{\"name\":\"post\",\"shape\":\"box\",\"size\":[0.4,2.6,0.4],\"position\":[1.2,1.3,0.5],"
    "\"slip\":\"noSlip\"}],"
    "\"emitters\":[{\"name\":\"jet\",\"fluid\":\"water\",\"position\":[0.4,2.7,0.5],\"direction\":[0,-1,0],"
    "\"radius\":0.15,\"velocity\":2}],"
    "\"drains\":[{\"name\":\"sink\",\"min\":[0,0,0],\"max\":[0.6,0.3,1],\"rate\":400}]}";

static wbWorld *createBasin(int threads) {
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("basin.json", basin, strlen(basin), &scene));
    wbScene_GetWorldDef(scene)->threadCount = threads;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

// Of each fluid, and of the world: by views, ids and statistics.
static void assertFluids(wbWorld *world) {
    const wbStats stats = wbWorld_GetStats(world);
    int64_t sum = 0;
    double mass = 0;
    int particles = 0;
    for (int f = 0; f < wbWorld_GetFluidCount(world); f++) {
        const wbFluidId fluid = wbWorld_GetFluid(world, f);
        const wbFluidStats own = wbFluid_GetStats(world, fluid);
        const int64_t units = countMass(world, fluid);
        assert_int_equal(own.spawned - own.removed, units);
        assert_int_equal(own.particles, getView(world, fluid).count);
        sum += units, particles += own.particles, mass += wbFluid_GetMass(world, fluid);
    }
    assert_int_equal(stats.spawned - stats.removed, sum);
    assert_int_equal(stats.particles, particles);
    assertBelow(fabs(stats.mass - mass), 1e-9 * mass, "mass");
}

static void testFeaturesTogether(void **state) {
    (void)state;
    uint64_t hashes[2];
    wbBytes bytes = {0};
    for (int threads = 1; threads <= 2; threads++) {
        wbWorld *world = createBasin(threads), *resumed;
        const wbFluidId oil = wbWorld_GetFluid(world, 1);
        const int64_t oilMass = countMass(world, oil);
        stepTimes(world, 30);
        assertFluids(world);
        if (threads == 1) assertOk(wbWorld_SaveToBytes(world, &bytes));
        stepTimes(world, 20);
        assertFluids(world);
        const wbStats stats = wbWorld_GetStats(world);
        assert_true(stats.merges > 500 && stats.largestRadius > 0.06 && stats.leaked == 0);
        assert_true(wbDrain_GetStats(world, wbWorld_GetDrain(world, 0)).drained > 150);
        assert_true(wbEmitter_GetStats(world, wbWorld_GetEmitter(world, 0)).emitted > 20);
        const int64_t lost =
            oilMass - countMass(world, oil); // to the drain below it, of what the jet takes down
        assert_true(lost >= 0 && lost <= oilMass / 500);
        hashes[threads - 1] = wbWorld_Hash(world);
        wbDestroyWorld(world);
        assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &resumed));
        stepTimes(resumed, 20);
        assert_true(wbWorld_Hash(resumed) == hashes[threads - 1]);
        // a fluid goes with all of its ids, also those that were set aside
        assertOk(wbDestroyFluid(resumed, wbWorld_GetFluid(resumed, 0)));
        assertFluids(resumed);
        stepTimes(resumed, 10);
        assertFluids(resumed);
        wbDestroyWorld(resumed);
    }
    assert_true(hashes[0] == hashes[1]);
    wbFreeBytes(&bytes);
}

static void assertSceneFails(const char *pbf, const char *fluids, const char *text) {
    char scene[600];
    wbScene *read = NULL;
    wbWorld *world = NULL;
    snprintf(scene, sizeof scene,
             "{\"pbf\":{%s},\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]},\"fluids\":[%s]}", pbf, fluids);
    wbStatus status = wbReadSceneText("sizes.json", scene, strlen(scene), &read);
    if (status.code == wb_ok) status = wbScene_CreateWorld(read, &world);
    if (status.code == wb_ok) status = wbWorld_Step(world, 0);
    assertRefused(status, wb_errorInput, text);
    wbDestroyWorld(world);
    wbDestroyScene(read);
}

static void testBadInput(void **state) {
    (void)state;
#define BLOCK "\"blocks\":[{\"min\":[0,0,0],\"max\":[1,1,1]}]"
    static const char pool[] = "{\"name\":\"a\",\"solver\":\"pbf\"," BLOCK ",\"adaptive\":{%s}}";
    char fluid[300];
    const struct {
        const char *pbf, *adaptive, *text;
    } cases[] = {
        {"", "\"slop\":0.1", "unknown key \"slop\" in \"fluids[0].adaptive\"; did you mean \"slope\"?"},
        {"", "\"slope\":-1", "pbf.adaptive.slope is -1, allowed is 0 to 1"},
        {"", "\"topLevel\":16", "pbf.adaptive.topLevel is 16, allowed is 0 to 15, whole numbers"},
        {"", "\"method\":\"octaves\"", "pbf.adaptive.method is \"octaves\", allowed is off|levels"},
        {"", "\"interval\":\"often\"", "pbf.adaptive.interval is the string \"often\", must be a number"},
        {"\"adaptive\":3", "", "pbf.adaptive is the number 3, must be an object"},
        {"\"adaptive\":{\"band\":-1}", "", "pbf.adaptive.band is -1"},
        {"\"adaptive\":{\"bands\":1}", "", "did you mean \"band\"?"},
        {"\"adaptive.slope\":0.1", "", "unknown key \"adaptive.slope\""},
        {"\"solver\":\"gaussSeidel\"", "", "pbf.adaptive needs pbf.solver jacobiParticles"},
        {"\"constraint\":\"equality\"", "", "pbf.adaptive needs pbf.constraint inequality"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        snprintf(fluid, sizeof fluid, pool, cases[k].adaptive);
        assertSceneFails(cases[k].pbf, fluid, cases[k].text);
    }
    assertSceneFails("", "{\"name\":\"a\"," BLOCK ",\"adaptive\":{}}",
                     "particles of the solver sph are all of one size: use \"solver\": \"pbf\"");
    assertSceneFails("",
                     "{\"name\":\"a\",\"solver\":\"pbf\",\"adaptive\":{}},"
                     "{\"name\":\"b\",\"solver\":\"pbf\",\"adaptive\":{}}",
                     "fluid \"a\" has said it for all fluids of the solver pbf");
    assertSceneFails("\"adaptive\":{\"method\":\"levels\"},\"solver\":\"jacobiConstraints\"",
                     "{\"name\":\"a\",\"solver\":\"pbf\"," BLOCK "}", "needs pbf.solver jacobiParticles");
#undef BLOCK
}

// Parameters of a scene, of --set and of a world that runs; the method is fixed.
static void testParameters(void **state) {
    (void)state;
    static const char text[] =
        "{\"pbf\":{\"adaptive\":{\"slope\":0.1,\"band\":3}},\"fluids\":[{\"name\":\"a\","
        "\"solver\":\"pbf\",\"adaptive\":{\"topLevel\":6}}]}";
    char value[32];
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("sizes.json", text, strlen(text), &scene));
    assertOk(wbScene_Set(scene, "pbf.adaptive.fade", "30"));
    assertOk(wbScene_SetAt(scene, 1, "pbf.adaptive.slope", "0.2"));
    assertOk(wbScene_CreateWorld(scene, &world));
    const wbAdaptiveParams *params = &wbWorld_GetPbfParams(world)->adaptive;
    assert_int_equal(params->method, wb_adaptiveLevels);
    assert_true(params->slope == 0.1f && params->band == 3 && params->topLevel == 6 && params->fade == 30);
    assert_true(params->interval == 8 && params->hysteresis == 2 && params->relaxations == 3);
    assertOk(wbWorld_SetParam(world, "pbf.adaptive.interval", "4"));
    assertOk(wbWorld_GetParam(world, "pbf.adaptive.interval", value, sizeof value));
    assert_string_equal(value, "4");
    assertRefused(wbWorld_SetParam(world, "pbf.adaptive.method", "off"), wb_errorInput,
                  "fixed when the world");
    assertRefused(wbWorld_SetParam(world, "pbf.solver", "gaussSeidel"), wb_errorInput, "pbf.adaptive needs");
    assertRefused(wbWorld_SetParam(world, "pbf.adaptive.fad", "3"), wb_errorInput, "pbf.adaptive.fade");
    wbDestroyWorld(world);
    wbDestroyScene(scene);
}

// A checkpoint with right checksums that lies about sizes.
static void testForgedSizes(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createDeepPool(1, &fluid);
    stepTimes(world, 30);
    assertOk(wbWorld_Save(world, inFolder("sizes.wirbel")));
    wbDestroyWorld(world);
    Bytes file = readFile(inFolder("sizes.wirbel"));
    const struct {
        const char *name, *text;
        uint8_t bytes[4];
        size_t count;
    } cases[] = {
        {"pbf.level", "is not possible", {16}, 1},
        {"pbf.level", "smallest ones, but there are", {9}, 1},
        {"pbf.offset", "is not possible", {0, 0, 0xc0, 0x7f}, 4},   // NaN
        {"pbf.distance", "is not possible", {0, 0, 0x80, 0xbf}, 4}, // -1
        {"pbf.spareCount", "pbf.spareCount is -1", {255, 255, 255, 255}, 4},
        {"pbf.spareCount", "", {1, 0, 0, 0}, 4},
        {"pbf.age", "pbf.age is nan", {0, 0, 0xc0, 0x7f}, 4},
        {"pbf.isVaried", "pbf.isVaried is 2", {2, 0, 0, 0}, 4},
        {"pbf.spareIds", "", {0, 0, 0, 0}, 4}, // which a particle has
        {"pbf.spareIds", "", {255, 255, 255, 255}, 4},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        size_t size;
        char *copy = copySection(file, cases[k].name, &size);
        memcpy(copy, cases[k].bytes, cases[k].count);
        assertRefused(loadForged(file, cases[k].name, copy, size), wb_errorInput, cases[k].text);
        test_free(copy);
    }
    freeBytes(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testPoolIsCountedByMass),
        cmocka_unit_test(testFilledPoolIsSmall),
        cmocka_unit_test(testSameBits),
        cmocka_unit_test(testRestMergesLittle),
        cmocka_unit_test(testWarmStepsAllocateNothing),
        cmocka_unit_test(testFlowIsCountedByMass),
        cmocka_unit_test(testParticlesAreRemovedAndSet),
        cmocka_unit_test(testWhatReadsParticles),
        cmocka_unit_test(testFeaturesTogether),
        cmocka_unit_test(testBadInput),
        cmocka_unit_test(testParameters),
        cmocka_unit_test(testForgedSizes),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
