// SPDX-License-Identifier: MIT
// Surfaces of fluids as meshes: closed, turned outwards, with the fluid's volume, the same for any number of threads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contour/contour.h"
#include "contour/march.h"
#include "shape/mesh.h"
#include "test_support.h"
#include "wirbel/wirbel.h"
#include "work_support.h"

// Every edge in two triangles that run along it in opposite directions; a positive volume.
static void assertClosed(const wbMesh *mesh) {
    assert_true(mesh->triangleCount > 0);
    assertOk(wbMesh_Check(mesh));
}

static void assertVolume(const wbMesh *mesh, double volume, double tolerance) {
    assertBelow(fabs(wbMesh_GetVolume(mesh) / volume - 1), tolerance, "error of the volume");
}

static wbWorld *createWorld(int dimensions, wbFluidSolver solver, float spacing, wbFluidId *fluid) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dimensions = dimensions;
    def.sph.spacing = def.pbf.spacing = spacing;
    def.sph.soundSpeed = 10 * sqrtf(2 * 9.81f * 8 * spacing);
    def.domain.max = wbMakeVec3(24 * spacing, 16 * spacing, 6 * spacing);
    def.threadCount = 2;
    assertOk(wbCreateWorld(&def, &world));
    wbFluidDef water = wbDefaultFluidDef();
    water.solver = solver;
    assertOk(wbCreateFluid(world, &water, fluid));
    return world;
}

static double getVolume(const wbWorld *world, wbFluidId fluid) {
    double depth = wbWorld_GetWorldParams(world)->dimensions == 2 ? wbFluid_GetSpacing(world, fluid) : 1;
    return wbFluid_GetParticleCount(world, fluid) * depth * wbFluid_GetParticleMass(world, fluid) /
           wbFluid_GetRestDensity(world, fluid);
}

static wbMesh buildSurface(wbWorld *world, wbFluidId fluid) {
    const wbFluidSurfaceDef def = wbDefaultFluidSurfaceDef();
    wbMesh mesh;
    assertOk(wbFluid_BuildSurface(world, fluid, &def, &mesh));
    return mesh;
}

static void checkSurface(wbWorld *world, wbFluidId fluid) {
    wbMesh mesh = buildSurface(world, fluid);
    assertClosed(&mesh);
    assertVolume(&mesh, getVolume(world, fluid), 2e-3);
    wbFreeMesh(&mesh);
}

static void addBlock(wbWorld *world, wbFluidId fluid, float spacing) {
    const wbBlockDef block = {.max = {8 * spacing, 8 * spacing, 6 * spacing}};
    assertOk(wbFluid_AddBlock(world, fluid, &block));
}

// A lone drop, a block beside it, and the dam break that becomes of it.
static void testDamBreak(void **state) {
    (void)state;
    static const float spacings[2] = {0.001f, 1};
    for (int n = 0; n < 8; n++) {
        const float spacing = spacings[n & 1], z = n & 2 ? 3.1f * spacing : 0;
        wbFluidId fluid;
        wbWorld *world = createWorld(n & 2 ? 3 : 2, n & 4 ? wb_solverPbf : wb_solverSph, spacing, &fluid);
        wbMesh empty = buildSurface(world, fluid);
        assert_int_equal(empty.triangleCount, 0);
        const float drop[3] = {20.3f * spacing, 10.2f * spacing, z};
        assertOk(wbFluid_AddParticles(world, fluid, 1, drop, NULL));
        checkSurface(world, fluid);
        addBlock(world, fluid, spacing);
        checkSurface(world, fluid);
        while (wbWorld_GetTime(world) < 2 * sqrt(8 * (double)spacing / 9.81))
            assertOk(wbWorld_Step(world, 0));
        checkSurface(world, fluid);
        wbDestroyWorld(world);
    }
}

// What belongs to one piece of a mesh has its number.
static int findRoot(int *parents, int v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
}

// A drop beside water is a piece of its own, and smaller than it should be by no more than cells of half its size make it.
static void testDropBesideBlock(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createWorld(3, wb_solverSph, 0.1f, &fluid);
    const float drop[3] = {2.03f, 1.02f, 0.31f};
    assertOk(wbFluid_AddParticles(world, fluid, 1, drop, NULL));
    addBlock(world, fluid, 0.1f);
    wbMesh mesh = buildSurface(world, fluid);
    int *parents = test_malloc(sizeof(int) * (size_t)mesh.vertexCount), pieces = 0;
    for (int v = 0; v < mesh.vertexCount; v++) parents[v] = v;
    for (int c = 0; c < 3 * mesh.triangleCount; c++)
        parents[findRoot(parents, (int)mesh.indices[c])] =
            findRoot(parents, (int)mesh.indices[c - c % 3 + (c + 1) % 3]);
    for (int v = 0; v < mesh.vertexCount; v++) pieces += parents[v] == v;
    assert_int_equal(pieces, 2);
    wbMesh alone = mesh;
    alone.triangleCount = 0;
    for (int t = 0; t < mesh.triangleCount; t++) {
        const uint32_t *corners = mesh.indices + 3 * (size_t)t;
        if (mesh.vertices[3 * (size_t)corners[0]] < 1.5f) continue;
        memmove(alone.indices + 3 * (size_t)alone.triangleCount++, corners, sizeof(uint32_t[3]));
    }
    assertVolume(&alone, 1e-3, 0.35);
    test_free(parents);
    wbFreeMesh(&mesh);
    wbDestroyWorld(world);
}

// A ball's mesh is a ball: its vertices are as far out as they should be.
static void testBall(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createWorld(3, wb_solverSph, 0.01f, &fluid);
    const wbBallDef ball = {.position = {0.11f, 0.08f, 0.03f}, .radius = 0.03f};
    assertOk(wbFluid_AddBall(world, fluid, &ball));
    wbMesh mesh = buildSurface(world, fluid);
    assertVolume(&mesh, getVolume(world, fluid), 1e-3);
    double radius = cbrt(getVolume(world, fluid) * 0.75 / 3.14159265);
    for (int v = 0; v < mesh.vertexCount; v++) {
        const float *p = mesh.vertices + 3 * (size_t)v;
        double r = sqrt(pow(p[0] - 0.11, 2) + pow(p[1] - 0.08, 2) + pow(p[2] - 0.03, 2));
        assertBelow(fabs(r - radius), 0.6 * 0.01, "distance from the ball");
    }
    wbFreeMesh(&mesh);
    wbDestroyWorld(world);
}

enum { POINTS = 400 };

static wbContourDef makeDef(float at[3][POINTS], float size) {
    for (int i = 0; i < 3 * POINTS; i++) at[i / POINTS][i % POINTS] = size * randomSigned((uint32_t)i);
    return (wbContourDef){.x = at[0],
                          .y = at[1],
                          .z = at[2],
                          .count = POINTS,
                          .stride = 1,
                          .cellSize = 0.5f,
                          .radius = 2.1f,
                          .smoothing = 3,
                          .volume = POINTS};
}

static void checkContour(const wbContourDef *def, double tolerance) {
    wbWork work = createWork(1, wb_simdScalar);
    wbMesh mesh;
    assertOk(wbMakeContour(def, work.pool, work.memory, &mesh));
    assertClosed(&mesh);
    assertVolume(&mesh, POINTS, tolerance);
    wbFreeMesh(&mesh);
    destroyWork(&work);
}

// Points at random meet every case of a cell, in boxes from dense to sparse; also in the plane.
static void testRandom(void **state) {
    (void)state;
    static float at[3][POINTS];
    for (int n = 0; n < 4; n++) {
        wbContourDef def = makeDef(at, 3.5f + (float)n);
        checkContour(&def, 2e-3);
        def = makeDef(at, 10 + 2 * (float)n);
        def.depth = 1;
        checkContour(&def, 2e-3);
        // on coarse cells drops are a few triangles, of which no smoothing makes a ball
        def = makeDef(at, 9);
        def.cellSize = 0.9f + 0.03f * (float)n, def.radius = 1.1f + 0.1f * (float)n;
        checkContour(&def, 0.02);
    }
}

static void testThreads(void **state) {
    (void)state;
    static float at[3][POINTS];
    const wbContourDef def = makeDef(at, 6);
    wbMesh first = {0};
    for (int threads = 1; threads <= 3; threads++) {
        wbWork work = createWork(threads, wb_simdScalar);
        wbMesh mesh;
        assertOk(wbMakeContour(&def, work.pool, work.memory, &mesh));
        if (threads == 1) first = mesh;
        assert_int_equal(mesh.vertexCount, first.vertexCount);
        assert_int_equal(mesh.triangleCount, first.triangleCount);
        assert_memory_equal(mesh.vertices, first.vertices, sizeof(float[3]) * (size_t)mesh.vertexCount);
        assert_memory_equal(mesh.indices, first.indices, sizeof(uint32_t[3]) * (size_t)mesh.triangleCount);
        if (threads > 1) wbFreeMesh(&mesh);
        destroyWork(&work);
    }
    wbFreeMesh(&first);
}

// Two drops a kilometre apart need no more than two drops.
static void testMemory(void **state) {
    (void)state;
    float x[2] = {-500, 500}, y[2] = {0, 300}, z[2] = {0, 0};
    wbContourDef def = {
        .x = x, .y = y, .z = z, .count = 2, .stride = 1, .cellSize = 0.005f, .radius = 0.021f};
    def.volume = 2e-6;
    wbWork work = createWork(1, wb_simdScalar);
    wbMesh mesh;
    assertOk(wbMakeContour(&def, work.pool, work.memory, &mesh));
    assertClosed(&mesh);
    assertBelow((double)wbGetMemoryUse(work.memory).peakBytes, 1e6, "bytes of a surface around two drops");
    wbFreeMesh(&mesh);
    destroyWork(&work);
}

typedef struct Failing {
    int left; // allocations that succeed
} Failing;

static void *allocate(size_t bytes, size_t alignment, void *context) {
    Failing *failing = context;
    return failing->left-- > 0 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                               : NULL;
}

static void release(void *memory, size_t bytes, void *context) {
    (void)bytes, (void)context;
    free(memory);
}

// Whichever allocation fails, an error says so, the mesh is empty and nothing is left behind.
static void testFailure(void **state) {
    (void)state;
    static float at[3][POINTS];
    const wbContourDef def = makeDef(at, 4);
    Failing failing = {1 << 20};
    const wbAllocator allocator = {allocate, release, &failing};
    wbSetAllocator(&allocator);
    wbWork work = createWork(1, wb_simdScalar);
    wbStatus status;
    int tries = 0;
    do {
        wbMesh mesh = {.vertexCount = 1};
        failing.left = tries++;
        status = wbMakeContour(&def, work.pool, work.memory, &mesh);
        assert_true(wbIsOk(status) || status.code == wb_errorMemory);
        assert_int_equal(mesh.triangleCount > 0, wbIsOk(status));
        wbFreeMesh(&mesh);
    } while (!wbIsOk(status));
    assert_true(tries > 8);
    failing.left = 1 << 20;
    destroyWork(&work);
    wbSetAllocator(NULL);
}

static void assertRefused(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

static void testBadInput(void **state) {
    (void)state;
    wbFluidId fluid;
    wbWorld *world = createWorld(3, wb_solverSph, 0.1f, &fluid);
    addBlock(world, fluid, 0.1f);
    wbMesh mesh = {0};
    wbFluidSurfaceDef def = wbDefaultFluidSurfaceDef();
    def.cellSize = 0.01f;
    assertRefused(wbFluid_BuildSurface(world, fluid, &def, &mesh), "cellSize is 0.01, allowed is 0.1 to 1");
    def = wbDefaultFluidSurfaceDef(), def.radius = NAN;
    assertRefused(wbFluid_BuildSurface(world, fluid, &def, &mesh), "radius is nan");
    def = wbDefaultFluidSurfaceDef(), def.smoothing = -1;
    assertRefused(wbFluid_BuildSurface(world, fluid, &def, &mesh), "smoothing is -1, allowed is 0 to 100");
    const wbFluidSurfaceDef bare = {.cellSize = 0.5f, .radius = 2};
    expect_assert_failure((void)wbFluid_BuildSurface(world, fluid, &bare, &mesh));
    wbDestroyWorld(world);
    wbWork work = createWork(1, wb_simdScalar);
    float far[2] = {0, 1e9f}, nowhere[2] = {NAN, 0}, zeros[2] = {0, 0};
    wbContourDef contour = {.x = far, .y = zeros, .z = zeros, .count = 2, .stride = 1};
    contour.cellSize = 0.5f, contour.radius = 2, contour.volume = 2;
    assertRefused(wbMakeContour(&contour, work.pool, work.memory, &mesh), "it may be 5e+08 m out");
    contour.x = nowhere;
    assertRefused(wbMakeContour(&contour, work.pool, work.memory, &mesh), "(nan, ");
    destroyWork(&work);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testDamBreak), cmocka_unit_test(testDropBesideBlock), cmocka_unit_test(testBall),
        cmocka_unit_test(testRandom),   cmocka_unit_test(testThreads),         cmocka_unit_test(testMemory),
        cmocka_unit_test(testFailure),  cmocka_unit_test(testBadInput),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
