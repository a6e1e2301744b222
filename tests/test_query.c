// SPDX-License-Identifier: MIT
// Rays, overlaps and nearest things, against plain loops; what is refused; ties, trees, changes between queries.
#include "box_support.h"
#include "query_support.h"
#include "space/point_tree.h"

static void testRandomWorlds(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 2; seed++) {
        checkWorld(2, wb_backendCpu, seed, 12);
        checkWorld(3, wb_backendCpu, seed, 12);
    }
}

static wbWorld *createEmpty(wbFluidId *fluid) {
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef fluidDef = wbDefaultFluidDef();
    wbWorld *world;
    def.threadCount = 1;
    def.sph.spacing = 0.1f;
    def.params.dt = 1e-3f;
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &fluidDef, fluid));
    return world;
}

static void assertRefused(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

static void testBadInput(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createEmpty(&fluid);
    wbQueryFilter filter = wbDefaultQueryFilter();
    const wbVec3 zero = {0, 0, 0}, one = {1, 1, 1}, bad = {0, NAN, 0}, far = {1e10f, 0, 0};
    wbQueryObject object;
    wbNearest nearest;
    wbRayHit hit;
    int count;
    assertRefused(wbWorld_CastRay(world, zero, zero, &filter, &hit), "a ray's translation is 0");
    assertRefused(wbWorld_CastRay(world, bad, one, &filter, &hit), "a ray's origin is (0, nan, 0) m");
    assertRefused(wbWorld_CastRay(world, zero, bad, &filter, &hit), "a ray's translation is (0, nan, 0) m");
    assertRefused(wbWorld_CastRayAll(world, zero, far, &filter, NULL, 0, &count),
                  "allowed is -1e+09 to 1e+09");
    assertRefused(wbWorld_OverlapBox(world, one, zero, &filter, &object, 1, &count),
                  "the upper corner is below");
    assertRefused(wbWorld_OverlapBox(world, bad, one, &filter, &object, 1, &count),
                  "the lower corner of a box");
    assertRefused(wbWorld_OverlapSphere(world, zero, -1, &filter, &object, 1, &count),
                  "the radius of a ball is -1");
    assertRefused(wbWorld_OverlapSphere(world, zero, NAN, &filter, &object, 1, &count),
                  "the radius of a ball is");
    assertRefused(wbWorld_FindNearest(world, zero, NAN, &filter, &nearest), "largest distance is nan");
    assertRefused(wbWorld_FindNearest(world, far, 1, &filter, &nearest),
                  "a query's point is (1e+10, 0, 0) m");
    filter.radius = -1;
    assertRefused(wbWorld_CastRay(world, zero, one, &filter, &hit), "radius of particles is -1 m");
    filter = (wbQueryFilter){.kinds = wb_queryAll};
    expect_assert_failure(wbWorld_CastRay(world, zero, one, &filter, &hit));
    filter = wbDefaultQueryFilter();
    expect_assert_failure(wbWorld_OverlapBox(world, zero, one, &filter, NULL, 1, &count));
    wbDestroyWorld(world);
}

// Two boxes and two particles that are met at once: the first counts, and colliders before particles.
static void testTies(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createEmpty(&fluid);
    wbQueryFilter filter = wbDefaultQueryFilter();
    const float places[] = {-2, 0.25f, 0, -2, -0.25f, 0};
    const wbVec3 origin = {-4, 0, 0}, way = {8, 0, 0};
    wbRayHit hits[4];
    wbRayHit hit;
    int count;
    const wbColliderId one = addBox(world, "one", wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1));
    (void)addBox(world, "two", wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1));
    assertOk(wbFluid_AddParticles(world, fluid, 2, places, NULL));
    filter.radius = 0.5f;
    assertOk(wbWorld_CastRayAll(world, origin, way, &filter, hits, 4, &count));
    assert_int_equal(count, 4);
    assert_int_equal(hits[0].object.particle, 0);
    assert_int_equal(hits[1].object.particle, 1);
    assert_true(hits[0].fraction == hits[1].fraction);
    assert_int_equal(hits[2].object.collider.index1, one.index1);
    assert_float_equal(hits[2].fraction, 3.5 / 8, 1e-6);
    assert_float_equal(hits[2].normal.x, -1, 1e-6);
    filter.kinds = wb_queryColliders;
    assertOk(wbWorld_CastRay(world, origin, way, &filter, &hit));
    assert_int_equal(hit.object.collider.index1, one.index1);
    // from within it is left
    assertOk(wbWorld_CastRay(world, wbMakeVec3(0, 0, 0), way, &filter, &hit));
    assert_float_equal(hit.point.x, 0.5, 1e-6);
    assert_float_equal(hit.normal.x, 1, 1e-6);
    filter.kinds = 0;
    assertOk(wbWorld_CastRay(world, origin, way, &filter, &hit));
    assert_int_equal(hit.object.kind, 0);
    wbDestroyWorld(world);
}

static int countNear(wbWorld *world, wbVec3 place) {
    const wbQueryFilter filter = wbDefaultQueryFilter();
    int count;
    assertOk(wbWorld_OverlapSphere(world, place, 0, &filter, NULL, 0, &count));
    return count;
}

// A tree is of the particles as they are, also after changes without a step, and when there was no room for more.
static void testChanges(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createEmpty(&fluid);
    const wbVec3 place = {1, 2, 3};
    const wbBlockDef huge = {.min = {0, 0, 0}, .max = {1e3f, 1e3f, 1e3f}};
    assert_int_equal(countNear(world, place), 0);
    assertOk(wbFluid_AddParticles(world, fluid, 1, &place.x, NULL));
    assert_int_equal(countNear(world, place), 1);
    assert_int_not_equal(wbFluid_AddBlock(world, fluid, &huge).code, wb_ok);
    assert_int_equal(countNear(world, place), 1);
    for (int i = 0; i < 300; i++) assertOk(wbWorld_Step(world, 0)); // it falls 0.44 m
    assert_int_equal(countNear(world, place), 0);
    assert_int_equal(countNear(world, wbMakeVec3(1, 2 - 0.5f * 9.81f * 0.09f, 3)), 1);
    wbDestroyWorld(world);
}

// Colliders that are put elsewhere, go, or come back with an earlier state are met where they are.
static void testCollidersComeAndGo(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createEmpty(&fluid);
    const wbVec3 place = {2, 0, 0}, zero = {0, 0, 0}, start = {0, 0, 0}, drop = {1.5f, 3, 0};
    const wbColliderId one = addBox(world, "one", start, wbMakeVec3(1, 1, 1)),
                       two = addBox(world, "two", wbMakeVec3(0, 5, 0), wbMakeVec3(1, 1, 1));
    wbBytes bytes = {0};
    assertOk(wbFluid_AddParticles(world, fluid, 1, &drop.x, NULL));
    assert_int_equal(countNear(world, drop), 1);
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    assertOk(wbCollider_Place(world, one, place, zero));
    assert_int_equal(countNear(world, start), 0);
    assert_int_equal(countNear(world, place), 1);
    assertOk(wbDestroyCollider(world, one));
    assert_int_equal(countNear(world, place), 0);
    wbNearest nearest;
    const wbQueryFilter filter = wbDefaultQueryFilter();
    assertOk(wbWorld_FindNearest(world, wbMakeVec3(0, 6, 0), 1, &filter, &nearest));
    assert_memory_equal(&nearest.object.collider, &two, sizeof two);
    for (int i = 0; i < 300; i++) assertOk(wbWorld_Step(world, 0));
    assert_int_equal(countNear(world, drop), 0);
    assertOk(wbWorld_Restore(world, bytes.data, bytes.size));
    assert_int_equal(countNear(world, start), 1);
    assert_int_equal(countNear(world, drop), 1);
    wbFreeBytes(&bytes);
    wbDestroyWorld(world);
}

// A radius that is given takes the place of the particles' own, and soft bodies follow pbd.radius.
static void testRadii(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createEmpty(&fluid);
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    wbSoftBodyId body;
    wbNearest nearest;
    wbQueryFilter filter = wbDefaultQueryFilter();
    def.params.shape = wb_softBodyRope;
    def.params.count = 11; // 0.1 m apart
    assertOk(wbCreateSoftBody(world, &def, &body));
    const wbVec3 point = {0, 1, 0};
    assertOk(wbWorld_FindNearest(world, point, 10, &filter, &nearest));
    assert_float_equal(nearest.distance, 0.95, 1e-5);
    assert_int_equal(nearest.object.body.index1, body.index1);
    assert_int_equal(nearest.object.particle, 5);
    assertOk(wbWorld_SetParam(world, "pbd.radius", "0.02"));
    assertOk(wbWorld_FindNearest(world, point, 10, &filter, &nearest));
    assert_float_equal(nearest.distance, 0.98, 1e-5);
    filter.radius = 0.5f;
    assertOk(wbWorld_FindNearest(world, point, 10, &filter, &nearest));
    assert_float_equal(nearest.distance, 0.5, 1e-5);
    filter.kinds = wb_queryFluids;
    assertOk(wbWorld_FindNearest(world, point, 10, &filter, &nearest));
    assert_int_equal(nearest.object.kind, 0);
    wbDestroyWorld(world);
}

typedef struct Count {
    double limit;
    int boxes, points;
} Count;

static double measureNear(const wbPointBox *box, const void *context) {
    ((Count *)context)->boxes++;
    double sum = 0;
    for (int a = 0; a < 3; a++) sum += fmax(0, fmax(box->min[a] - 1, 1 - box->max[a]));
    return sum;
}

static void visitNear(int point, void *context) {
    (void)point;
    ((Count *)context)->points++;
}

// Few boxes are looked at, also where one point is far away.
static void testTreeIsSmall(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    static float x[COUNT + WB_PADDING], y[COUNT + WB_PADDING], z[COUNT + WB_PADDING];
    QueryRandom random = {5};
    wbPointTree tree;
    wbMemory *memory = wbCreateMemory(SIZE_MAX);
    wbWork work = {.memory = memory,
                   .arena = wbCreateArena(memory),
                   .pool = wbCreateThreadPool(memory, 2, NULL, NULL),
                   .simd = wb_simdScalar};
    for (int i = 0; i < COUNT; i++) {
        x[i] = queryRandom(&random, 0, 2), y[i] = queryRandom(&random, 0, 2),
        z[i] = queryRandom(&random, 0, 2);
    }
    x[7] = 1000, y[9] = NAN;
    wbPointTree_Init(&tree);
    assertOk(wbPointTree_Build(&tree, &work, (wbPoints){x, y, z, COUNT}));
    Count count = {.limit = 0.01};
    wbPointTree_Search(&tree, &(wbPointSearch){measureNear, visitNear, &count, &count.limit});
    assert_true(count.points >= 1 && count.points < 200 && count.boxes < 400);
    wbPointTree_Free(memory, &tree);
    wbDestroyThreadPool(work.pool);
    wbDestroyArena(work.arena);
    wbDestroyMemory(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testRandomWorlds),
        cmocka_unit_test(testBadInput),
        cmocka_unit_test(testTies),
        cmocka_unit_test(testChanges),
        cmocka_unit_test(testCollidersComeAndGo),
        cmocka_unit_test(testRadii),
        cmocka_unit_test(testTreeIsSmall),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
