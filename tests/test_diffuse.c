// SPDX-License-Identifier: MIT
// Spray, foam and bubbles: sums against plain loops, kinds, lifetimes, rates, the limit; threads, checkpoints, both dimensions.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/hash.h"
#include "diffuse/diffuse.h"
#include "diffuse/diffuse_code.h"
#include "reference/diffuse.h"
#include "wirbel/scene.h"
#include "wirbel/wirbel.h"
#include "work_support.h"

enum { SIDE = 9, MOST = SIDE * SIDE * SIDE };

/// A jittered drop of water that moves at random, with a surface all around.
typedef struct Cloud {
    double x[MOST][3], v[MOST][3];
    float columns[6][MOST + 16];
    uint32_t ids[MOST + 16];
    wbParticles particles;
    RefDiffuse reference;
} Cloud;

static double throwDie(uint32_t *state) { return (double)wbHashFloat((*state)++) - 0.5; }

static Cloud *makeCloud(int dimensions, double spacing) {
    Cloud *cloud = test_calloc(1, sizeof *cloud);
    uint32_t die = 1;
    int n = 0;
    for (int z = 0; z < (dimensions == 3 ? SIDE : 1); z++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++, n++) {
                const int site[3] = {x, y, z};
                for (int k = 0; k < dimensions; k++) {
                    cloud->columns[k][n] = (float)(spacing * (site[k] + 0.3 * throwDie(&die)));
                    cloud->columns[3 + k][n] = (float)(8 * throwDie(&die));
                }
                for (int k = 0; k < 3; k++)
                    cloud->x[n][k] = (double)cloud->columns[k][n],
                    cloud->v[n][k] = (double)cloud->columns[3 + k][n];
                cloud->ids[n] = (uint32_t)n;
            }
    float(*c)[MOST + 16] = cloud->columns;
    cloud->particles = (wbParticles){
        .count = n, .x = c[0], .y = c[1], .z = c[2], .vx = c[3], .vy = c[4], .vz = c[5], .id = cloud->ids};
    cloud->reference = (RefDiffuse){.count = n,
                                    .dimensions = dimensions,
                                    .x = (const double(*)[3])cloud->x,
                                    .v = (const double(*)[3])cloud->v,
                                    .spacing = spacing,
                                    .radius = (double)WB_DIFFUSE_REACH * spacing,
                                    .leastSpeed = 1,
                                    .leastNormal = 0.3};
    return cloud;
}

static wbDiffuseParams getParams(void) {
    wbDiffuseParams params;
    wbSetParamDefaults(wbGetParams("diffuse"), &params);
    return params;
}

/// A step without a world around it.
typedef struct Fixture {
    wbWork work;
    wbDomain domain;
    wbDiffuseParams params;
    wbDiffuseStep step;
    wbDiffuse diffuse;
} Fixture;

static Fixture *createFixture(int dimensions, wbSimd simd, int threads) {
    Fixture *f = test_calloc(1, sizeof *f);
    f->work = createWork(threads, simd);
    f->domain = (wbDomain){.dimensions = dimensions, .gravity = {0, -9.81f, 0}};
    f->params = getParams();
    f->step = (wbDiffuseStep){
        .params = &f->params, .domain = &f->domain, .work = &f->work, .seed = 1, .dt = 1.0f / 60};
    wbDiffuse_Init(&f->diffuse);
    return f;
}

static void destroyFixture(Fixture *f) {
    wbDiffuse_Free(f->work.memory, &f->diffuse);
    destroyWork(&f->work);
    test_free(f);
}

static void search(Fixture *f, const Cloud *cloud) {
    const wbDiffuseLiquid liquid = {&cloud->particles, NULL, (float)cloud->reference.spacing, 1000};
    assertOk(wbDiffuse_Search(&f->diffuse, &f->step, &liquid, 1));
    assert_int_equal(f->diffuse.layerCount, 1);
}

static void comparePotentials(const wbDiffusePotentials *p, const RefDiffuse *reference) {
    for (int i = 0; i < reference->count; i++) {
        const int own = (int)p->layer->id[i];
        const RefPotential ref = refGetPotential(reference, own);
        assertBelow(fabs((double)p->closing[i] - ref.closing), 1e-4, "closing speed");
        if (ref.closing > 0) assertBelow(fabs((double)p->count[i] - ref.count), 1e-6, "neighbours");
        for (int a = 0; a < 3; a++)
            assertBelow(fabs((double)p->normals[a][i] - ref.normal[a]), 1e-4, "normal");
        assertBelow(fabs((double)p->bends[i] - refGetBend(reference, own, 0.6)), 1e-4, "bend");
    }
}

static void testPotentials(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Cloud *cloud = makeCloud(dimensions, 0.05);
        FOR_EACH_SIMD(simd) {
            Fixture *f = createFixture(dimensions, simd, 2);
            float columns[6][MOST + 32] = {{0}};
            search(f, cloud);
            const wbDiffuseLayer *layer = &f->diffuse.layers[0];
            wbDiffusePotentials p = {.layer = layer,
                                     .leastSpeed2 = 1,
                                     .closing = columns[0],
                                     .count = columns[1],
                                     .normals = {columns[2], columns[3], columns[4]},
                                     .leastNormal = 0.3f * layer->halfNormal,
                                     .bends = columns[5],
                                     .leastFacing = 0.6f};
            wbGetDiffuseCode(simd)->potentials(0, layer->count, 0, &p);
            wbGetDiffuseCode(simd)->bends(0, layer->count, 0, &p);
            comparePotentials(&p, &cloud->reference);
            destroyFixture(f);
        }
        test_free(cloud);
    }
}

// Points in, at and off the water.
static void testSamples(void **state) {
    (void)state;
    enum { POINTS = 200 };
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Cloud *cloud = makeCloud(dimensions, 1);
        FOR_EACH_SIMD(simd) {
            Fixture *f = createFixture(dimensions, simd, 1);
            float p[3][POINTS] = {{0}}, result[4][POINTS];
            uint32_t ids[POINTS] = {0}, die = 77;
            search(f, cloud);
            for (int i = 0; i < POINTS; i++)
                for (int a = 0; a < dimensions; a++) p[a][i] = (float)(SIDE * (0.5 + 1.6 * throwDie(&die)));
            wbDiffuseSamples samples = {.layers = f->diffuse.layers,
                                        .layerCount = 1,
                                        .x = p[0],
                                        .y = p[1],
                                        .z = p[2],
                                        .id = ids,
                                        .fullness = result[0],
                                        .v = {result[1], result[2], result[3]}};
            wbGetDiffuseCode(simd)->samples(0, POINTS, 0, &samples);
            for (int i = 0; i < POINTS; i++) {
                double v[3];
                const double at[3] = {(double)p[0][i], (double)p[1][i], (double)p[2][i]};
                const double full = refSample(&cloud->reference, at, v);
                assertBelow(fabs((double)result[0][i] - full), 1e-5, "fullness");
                for (int a = 0; a < 3; a++)
                    assertBelow(fabs((double)result[1 + a][i] - v[a]), 1e-4, "velocity");
            }
            destroyFixture(f);
        }
        test_free(cloud);
    }
}

static void testKinds(void **state) {
    (void)state;
    wbDiffuseParams params = getParams();
    assert_int_equal(wbClassifyDiffuse(&params, 0), wb_diffuseSpray);
    assert_int_equal(wbClassifyDiffuse(&params, 0.99f * params.sprayBelow), wb_diffuseSpray);
    assert_int_equal(wbClassifyDiffuse(&params, params.sprayBelow), wb_diffuseFoam);
    assert_int_equal(wbClassifyDiffuse(&params, params.bubblesFrom), wb_diffuseBubble);
    assert_float_equal(wbRamp(1, 2, 4), 0, 0);
    assert_float_equal(wbRamp(3, 2, 4), 0.5f, 0);
    assert_float_equal(wbRamp(5, 2, 4), 1, 0);
    assert_float_equal(wbRamp(3, 3, 3), 0, 0);
}

static int put(wbDiffuse *d, const Fixture *f, float x, float y, float z, float left) {
    assertOk(wbDiffuse_Reserve(d, f->work.memory, d->count + 1));
    const int i = d->count++;
    d->x[i] = x, d->y[i] = y, d->z[i] = z, d->left[i] = left;
    d->vx[i] = 1, d->vy[i] = d->vz[i] = d->age[i] = 0;
    d->kind[i] = wb_diffuseSpray, d->id[i] = 2 * (uint32_t)i;
    return i;
}

// One in the middle of the drop becomes a bubble, which comes to its speed; one far off falls; one whose time is over goes.
static void testMotion(void **state) {
    (void)state;
    Cloud *cloud = makeCloud(3, 1);
    for (int i = 0; i < cloud->particles.count; i++)
        cloud->particles.vx[i] = 3, cloud->particles.vy[i] = cloud->particles.vz[i] = 0;
    Fixture *f = createFixture(3, wb_simdAuto, 1);
    wbDiffuse *d = &f->diffuse;
    const float dt = f->step.dt;
    search(f, cloud);
    const int bubble = put(d, f, 4, 4, 4, 100), spray = put(d, f, 4, 30, 4, 100),
              foam = put(d, f, 4, 8.6f, 4, 100);
    put(d, f, 4, 30, 4, 0.5f * dt);
    assertOk(wbDiffuse_Move(d, &f->step));
    assert_int_equal(d->count, 3);
    assert_int_equal(d->kind[bubble], wb_diffuseBubble);
    assert_int_equal(d->kind[spray], wb_diffuseSpray);
    assert_int_equal(d->kind[foam], wb_diffuseFoam);
    const float kept = expf(-2 * f->params.bubbleDrag * dt);
    assert_float_equal(d->vy[bubble], f->params.bubbleRise * (1 - kept), 1e-5);
    assert_float_equal(d->vx[bubble], 3 + (1 - 3) * kept, 1e-5);
    assert_float_equal(d->vy[spray], -9.81f * dt, 1e-6);
    assert_float_equal(d->y[spray], 30 - 9.81f * dt * dt, 1e-5);
    assert_float_equal(d->vx[foam], 3, 1e-5);
    assert_float_equal(d->age[foam], dt, 1e-7);
    assert_float_equal(d->left[bubble], 100 - 0.25f * dt, 1e-4);
    destroyFixture(f);
    test_free(cloud);
}

// Spray that meets a closed side goes, with drag of air it is slower.
static void testSidesAndAir(void **state) {
    (void)state;
    Fixture *f = createFixture(3, wb_simdAuto, 1);
    wbDiffuse *d = &f->diffuse;
    f->domain.closed[wb_bottom] = true, f->domain.min[1] = 0;
    f->params.airDrag = 2;
    put(d, f, 0, 1e-3f, 0, 10);
    put(d, f, 0, 10, 0, 10);
    assertOk(wbDiffuse_Move(d, &f->step));
    assert_int_equal(d->count, 1);
    const float dt = f->step.dt, speed = sqrtf(1 + 9.81f * dt * 9.81f * dt);
    assert_float_equal(d->vx[0], 1 / (1 + 2 * speed * dt), 1e-6);
    destroyFixture(f);
}

static int64_t countBirths(const Cloud *cloud, float dt, int steps, int limit, int64_t *refused) {
    Fixture *f = createFixture(cloud->reference.dimensions, wb_simdAuto, 1);
    f->step.dt = dt, f->params.limit = limit;
    f->params.trappedFrom = f->params.energyFrom = 0;
    search(f, cloud);
    for (int s = 0; s < steps; s++, f->diffuse.stepCount++) assertOk(wbDiffuse_Bear(&f->diffuse, &f->step));
    const int64_t born = f->diffuse.born;
    assert_int_equal(born, f->diffuse.count);
    if (refused) *refused = f->diffuse.refused;
    destroyFixture(f);
    return born;
}

// As many are born in a second whatever the step, and as many in water of 1 mm and of 1 m as waves ask for.
static void testRates(void **state) {
    (void)state;
    Cloud *cloud = makeCloud(3, 0.05);
    const double coarse = (double)countBirths(cloud, 1.0f / 60, 60, 10000000, NULL),
                 fine = (double)countBirths(cloud, 1.0f / 600, 600, 10000000, NULL);
    assert_true(coarse > 1000);
    assertBelow(fabs(fine / coarse - 1), 4 / sqrt(coarse), "births in small steps over those in long ones");
    test_free(cloud);
}

// What the limit keeps from being born is counted.
static void testLimit(void **state) {
    (void)state;
    Cloud *cloud = makeCloud(2, 0.05);
    int64_t refused;
    const int64_t all = countBirths(cloud, 1.0f / 60, 20, 10000000, NULL),
                  some = countBirths(cloud, 1.0f / 60, 20, 50, &refused);
    assert_int_equal(some, 50);
    assert_int_equal(some + refused, all);
    test_free(cloud);
}

// Worlds

static const char dam[] =
    "{\"world\":{\"dimensions\":%d},\"domain\":{\"min\":[0,0%s],\"max\":[1.6,1%s]},\"%s\":{\"spacing\":0.05%"
    "s},"
    "\"diffuse\":{\"on\":true,\"energyFrom\":0,\"trappedFrom\":0,\"trappedRate\":200,\"limit\":%d},"
    "\"fluids\":[{\"name\":\"water\",\"solver\":\"%s\",\"blocks\":[{\"min\":[0,0%s],\"max\":[0.6,0.6%s],"
    "\"velocity\":[2,0%s]}]}]}";

static wbWorld *makeDam(int dimensions, const char *solver, const char *more, int limit, int threads) {
    char text[1024];
    wbScene *scene;
    wbWorld *world;
    const char *low = dimensions == 3 ? ",0" : "", *high = dimensions == 3 ? ",0.3" : "";
    const int length =
        snprintf(text, sizeof text, dam, dimensions, low, high, solver, more, limit, solver, low, high, low);
    assertOk(wbReadSceneText("dam", text, (size_t)length, &scene));
    wbScene_GetWorldDef(scene)->threadCount = threads;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

static void run(wbWorld *world, int steps) {
    for (int s = 0; s < steps; s++) assertOk(wbWorld_Step(world, 0));
}

static const struct {
    int dimensions;
    const char *solver, *more;
} methods[] = {{3, "sph", ""}, {2, "sph", ""}, {3, "sph", ",\"method\":\"split\""},
               {3, "pbf", ""}, {2, "pbf", ""}, {3, "pbf", ",\"adaptive\":{\"method\":\"levels\"}"}};

// Every method bears some; the bits do not depend on threads, and a run that was saved goes on as if it had not been.
static void testMethods(void **state) {
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        wbWorld *one = makeDam(methods[m].dimensions, methods[m].solver, methods[m].more, 100000, 1),
                *two = makeDam(methods[m].dimensions, methods[m].solver, methods[m].more, 100000, 3), *loaded;
        wbBytes bytes = {0};
        run(one, 25), run(two, 25);
        assert_true(wbWorld_Hash(one) == wbWorld_Hash(two));
        const wbStats stats = wbWorld_GetStats(one);
        assert_true(stats.spray + stats.foam + stats.bubbles > 50);
        assertOk(wbWorld_SaveToBytes(one, &bytes));
        assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
        run(one, 15), run(loaded, 15);
        assert_true(wbWorld_Hash(one) == wbWorld_Hash(loaded));
        wbFreeBytes(&bytes);
        wbDestroyWorld(one), wbDestroyWorld(two), wbDestroyWorld(loaded);
    }
}

// They do not act on the water, can be looked at, and are gone when they are switched off.
static void testNoEffect(void **state) {
    (void)state;
    wbWorld *with = makeDam(3, "sph", "", 100000, 1), *without = makeDam(3, "sph", "", 100000, 1);
    assertOk(wbWorld_SetParam(without, "diffuse.on", "false"));
    wbDiffuseView view;
    wbView a, b;
    run(with, 30), run(without, 30);
    assertOk(wbWorld_GetDiffuseView(without, &view));
    assert_int_equal(view.count, 0);
    assertOk(wbWorld_GetDiffuseView(with, &view));
    assert_true(view.count > 0 && view.radius > 0);
    for (int i = 0; i < view.count; i++) {
        assert_true(isfinite(view.x[i] + view.y[i] + view.z[i]) && view.left[i] > 0);
        assert_true(view.kind[i] <= wb_diffuseBubble);
    }
    assertOk(wbFluid_GetView(with, wbWorld_GetFluid(with, 0), &a));
    assertOk(wbFluid_GetView(without, wbWorld_GetFluid(without, 0), &b));
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.x, b.x, (size_t)a.count * sizeof(float));
    assert_memory_equal(a.vy, b.vy, (size_t)a.count * sizeof(float));
    assertOk(wbWorld_SetParam(with, "diffuse.on", "false"));
    run(with, 1);
    assertOk(wbWorld_GetDiffuseView(with, &view));
    assert_int_equal(view.count, 0);
    wbDestroyWorld(with), wbDestroyWorld(without);
}

// A world that was switched on, and saved before its next step, comes back.
static void testSavedBeforeItBegins(void **state) {
    (void)state;
    wbWorld *world = makeDam(2, "pbf", "", 100000, 1), *loaded;
    wbBytes bytes = {0};
    assertOk(wbWorld_SetParam(world, "diffuse.on", "false"));
    run(world, 2);
    assertOk(wbWorld_SetParam(world, "diffuse.on", "true"));
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    run(world, 20), run(loaded, 20);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(loaded));
    wbFreeBytes(&bytes);
    wbDestroyWorld(world), wbDestroyWorld(loaded);
}

static void testWorldLimit(void **state) {
    (void)state;
    wbWorld *world = makeDam(3, "sph", "", 20, 1);
    run(world, 40);
    const wbStats stats = wbWorld_GetStats(world);
    assert_int_equal(stats.spray + stats.foam + stats.bubbles, 20);
    assert_true(stats.diffuseRefused > 0);
    wbDestroyWorld(world);
}

// A step that needs no more memory than those before does not allocate.
static void testNoAllocation(void **state) {
    (void)state;
    wbWorld *world = makeDam(3, "sph", "", 300, 1);
    run(world, 120);
    const uint64_t before = wbWorld_GetProfile(world).allocations;
    run(world, 10);
    assert_int_equal(wbWorld_GetProfile(world).allocations, before);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testPotentials),  cmocka_unit_test(testSamples),
        cmocka_unit_test(testKinds),       cmocka_unit_test(testMotion),
        cmocka_unit_test(testSidesAndAir), cmocka_unit_test(testRates),
        cmocka_unit_test(testLimit),       cmocka_unit_test(testMethods),
        cmocka_unit_test(testNoEffect),    cmocka_unit_test(testSavedBeforeItBegins),
        cmocka_unit_test(testWorldLimit),  cmocka_unit_test(testNoAllocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
