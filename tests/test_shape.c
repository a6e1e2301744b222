// SPDX-License-Identifier: MIT
// Which meshes are closed shapes, and the distance from them.
#include "shape_support.h"

#include "shape/pose.h"

#define PI 3.14159265358979323846

static wbMesh makeCube(void) {
    wbMesh mesh;
    assertOk(wbMakeBox(wbMakeVec3(2, 2, 2), &mesh));
    return mesh;
}

static void testRefusesOpenMeshes(void **state) {
    (void)state;
    wbMesh cube = makeCube();
    cube.triangleCount--;
    expectInputError(wbMesh_Check(&cube), "no other triangle has it");
    cube.triangleCount++;
    uint32_t kept = cube.indices[0];
    cube.indices[0] = cube.indices[1];
    expectInputError(wbMesh_Check(&cube), "triangle 0, edge from (-1, -1, 1) to (-1, -1, 1): both ends");
    cube.indices[0] = kept;
    assertOk(wbMesh_Check(&cube));
    wbFreeMesh(&cube);
    wbFreeMesh(&cube); // an empty mesh is allowed
}

static void testRefusesTurnedTriangles(void **state) {
    (void)state;
    wbMesh cube = makeCube();
    for (int t = 0; t < cube.triangleCount; t++) {
        uint32_t *i = cube.indices + 3 * t, kept = i[0];
        i[0] = i[1], i[1] = kept;
        if (t == 0) expectInputError(wbMesh_Check(&cube), "triangle 0");
        if (t == 0) expectInputError(wbMesh_Check(&cube), "turned over");
    }
    expectInputError(wbMesh_Check(&cube), "inside out");
    wbFreeMesh(&cube);
}

// A large cube with a small one: beside it or in it, and turned over or not. A cube within a cube that is
// turned over is a hollow.
static wbStatus createTwoCubes(float x, bool isTurned) {
    wbMesh parts[2], both;
    wbShape *shape = NULL;
    assertOk(wbMakeBox(wbMakeVec3(2, 2, 2), &parts[0]));
    assertOk(wbMakeBox(wbMakeVec3(0.5f, 0.5f, 0.5f), &parts[1]));
    assertOk(wbAllocMesh(16, 24, &both));
    for (int k = 0; k < 2; k++) {
        memcpy(both.vertices + 24 * k, parts[k].vertices, sizeof(float[24]));
        for (int i = 0; i < 36; i++) both.indices[36 * k + i] = parts[k].indices[i] + 8 * (uint32_t)k;
        wbFreeMesh(&parts[k]);
    }
    for (int v = 8; v < 16; v++) both.vertices[3 * v] += x;
    for (int t = 12; t < 24 && isTurned; t++) {
        uint32_t *i = both.indices + 3 * t, kept = i[0];
        i[0] = i[1], i[1] = kept;
    }
    wbStatus status = wbCreateShape(NULL, &both, &shape);
    wbDestroyShape(shape);
    wbFreeMesh(&both);
    return status;
}

static void testRefusesTurnedParts(void **state) {
    (void)state;
    assertOk(createTwoCubes(3, false));
    expectInputError(createTwoCubes(3, true), "a part of the mesh is inside out");
    assertOk(createTwoCubes(0, true));
    assertOk(createTwoCubes(1, false)); // they overlap
}

static void testRefusesBadNumbers(void **state) {
    (void)state;
    wbMesh cube = makeCube();
    cube.vertices[4] = NAN;
    expectInputError(wbMesh_Check(&cube), "y of the mesh's vertex 1 is nan");
    cube.vertices[4] = 1e9f;
    expectInputError(wbMesh_Check(&cube), "1e+09; allowed: -10000 to 10000");
    cube.vertices[4] = -1;
    cube.indices[7] = 8;
    expectInputError(wbMesh_Check(&cube), "triangle 2 names vertex 8; there are 8");
    cube.triangleCount = 0;
    expectInputError(wbMesh_Check(&cube), "no triangle");
    cube.triangleCount = 12;
    wbFreeMesh(&cube);
}

static void testRefusesFlatMeshes(void **state) {
    (void)state;
    float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t indices[] = {0, 1, 2, 0, 2, 1};
    wbMesh flat = {3, 2, vertices, indices};
    expectInputError(wbMesh_Check(&flat), "no volume");
}

static void testRefusesEdgesOfFourTriangles(void **state) {
    (void)state;
    wbMesh cube = makeCube(), two;
    assertOk(wbAllocMesh(14, 24, &two));
    for (int v = 0; v < 8; v++)
        for (int a = 0; a < 3; a++) two.vertices[3 * v + a] = cube.vertices[3 * v + a];
    // the second cube stands on the edge x = y = 1 of the first: vertices 3 and 7
    static const int second[8] = {3, 8, 9, 10, 7, 11, 12, 13};
    for (int v = 0; v < 8; v++)
        for (int a = 0; a < 3; a++)
            two.vertices[3 * second[v] + a] = cube.vertices[3 * v + a] + (a < 2 ? 2.0f : 0.0f);
    for (int i = 0; i < 36; i++)
        two.indices[i] = cube.indices[i], two.indices[36 + i] = (uint32_t)second[cube.indices[i]];
    expectInputError(wbMesh_Check(&two), "more than two triangles");
    wbFreeMesh(&cube);
    wbFreeMesh(&two);
}

static void expectClose(float value, double expected, double tolerance) {
    if (!(fabs((double)value - expected) <= tolerance))
        fail_msg("%.9g is not %.9g within %g", (double)value, expected, tolerance);
}

static double boxDistance(wbVec3 p, wbVec3 half) {
    double d[3] = {fabs((double)p.x) - half.x, fabs((double)p.y) - half.y, fabs((double)p.z) - half.z};
    double outside = 0, inside = fmax(fmax(d[0], d[1]), d[2]);
    for (int a = 0; a < 3; a++) outside += fmax(d[a], 0) * fmax(d[a], 0);
    return inside > 0 ? sqrt(outside) : inside;
}

static void testDistanceFromBox(void **state) {
    (void)state;
    wbMesh mesh;
    wbShape *box = shapeOf(wbMakeBox(wbMakeVec3(2, 1, 0.5f), &mesh), &mesh);
    uint32_t seed = 1;
    for (int i = 0; i < 5000; i++) {
        wbVec3 p = randomPoint(&seed, i % 2 ? 0.6f : 3), half = {1, 0.5f, 0.25f};
        wbSurface s = wbShape_FindSurface(box, p);
        expectClose(s.distance, boxDistance(p, half), 1e-6);
        expectClose(lengthOf(s.gradient), 1, 1e-5);
        expectClose(lengthOf(wbSub(wbAdd(s.nearest, wbScale(s.distance, s.gradient)), p)), 0, 1e-5);
    }
    // exactly on a face, an edge and a corner
    expectClose(wbShape_FindSurface(box, wbMakeVec3(1, 0.1f, 0)).gradient.x, 1, 1e-6);
    expectClose(wbShape_FindSurface(box, wbMakeVec3(1, 0.5f, 0)).distance, 0, 1e-7);
    expectClose(wbShape_FindSurface(box, wbMakeVec3(1, 0.5f, 0.25f)).distance, 0, 1e-7);
    // nowhere is outside
    assert_true(wbShape_FindSurface(box, wbMakeVec3(NAN, 0, 0)).distance > 1e30f);
    assert_true(wbShape_FindSurface(box, wbMakeVec3(0, INFINITY, 0)).distance > 1e30f);
    wbDestroyShape(box);
}

static void testDistanceFromTorus(void **state) {
    (void)state;
    wbMesh mesh;
    wbShape *torus = shapeOf(wbMakeTorus(1, 0.3f, 200, &mesh), &mesh);
    uint32_t seed = 1;
    for (int i = 0; i < 5000; i++) {
        wbVec3 p = randomPoint(&seed, 1.5f);
        double ring = sqrt((double)p.x * p.x + (double)p.z * p.z) - 1;
        double expected = sqrt(ring * ring + (double)p.y * p.y) - 0.3;
        expectClose(wbShape_FindSurface(torus, p).distance, expected, 1e-3);
    }
    wbDestroyShape(torus);
}

// A void within a shape is outside.
static void testInsideOfVessel(void **state) {
    (void)state;
    wbMesh mesh;
    wbCupParams cup = {1, 2, 0.1f, 0.1f, true, 40};
    wbShape *vessel = shapeOf(wbMakeCup(&cup, &mesh), &mesh);
    expectClose(wbShape_FindSurface(vessel, wbMakeVec3(0, 0.6f, 0)).distance, 0.5, 1e-6);
    expectClose(wbShape_FindSurface(vessel, wbMakeVec3(0, 0.04f, 0)).distance, -0.04, 1e-6);
    expectClose(wbShape_FindSurface(vessel, wbMakeVec3(0, 2.13f, 0)).distance, -0.03, 1e-6);
    expectClose(wbShape_FindSurface(vessel, wbMakeVec3(0, 3.2f, 0)).distance, 1, 1e-6);
    wbDestroyShape(vessel);
}

static bool isInWheel(wbVec3 p, const wbWheelParams *w) {
    double r = sqrt((double)p.x * p.x + (double)p.y * p.y), z = fabs((double)p.z);
    double side = 0.5 * ((double)w->width + w->discThickness), half = 0.5 * (double)w->discThickness;
    if (r < w->hubRadius && z < side) return true;
    if (r < w->radius && fabs(z - side) < half) return true;
    for (int k = 0; k < w->paddleCount && z < side; k++) {
        double a = 2 * PI * k / w->paddleCount, along = p.x * cos(a) + p.y * sin(a);
        double across = p.y * cos(a) - p.x * sin(a);
        if (along > 0.5 * (double)w->hubRadius && along < w->radius &&
            fabs(across) < 0.5 * (double)w->paddleThickness)
            return true;
    }
    return false;
}

static void testSignInOverlappingParts(void **state) {
    (void)state;
    wbMesh mesh;
    wbWheelParams params = {0.2f, 1, 0.5f, 0.05f, 8, 0.04f, 200};
    wbShape *wheel = shapeOf(wbMakeWheel(&params, &mesh), &mesh);
    uint32_t seed = 7;
    int inside = 0;
    for (int i = 0; i < 20000; i++) {
        wbVec3 p = randomPoint(&seed, 1.1f);
        p.z *= 0.3f;
        wbSurface s = wbShape_FindSurface(wheel, p);
        if (fabsf(s.distance) < 1e-3f) continue; // the discs have corners
        bool expected = isInWheel(p, &params);
        inside += expected;
        if ((s.distance < 0) != expected)
            fail_msg("(%g, %g, %g): %g", (double)p.x, (double)p.y, (double)p.z, (double)s.distance);
    }
    assert_true(inside > 1000 && inside < 19000);
    wbDestroyShape(wheel);
}

static void testPoses(void **state) {
    (void)state;
    const float half = sqrtf(0.5f); // a quarter turn about z
    wbMotion motion = {{{1, 2, 3}, {0, 0, half, half}}, {0.5f, 0, 0}, {0, 0, 2}};
    wbVec3 p = wbPose_Apply(&motion.pose, wbMakeVec3(1, 0, 0));
    expectClose(lengthOf(wbSub(p, wbMakeVec3(1, 3, 3))), 0, 1e-6);
    expectClose(lengthOf(wbSub(wbPose_ApplyInverse(&motion.pose, p), wbMakeVec3(1, 0, 0))), 0, 1e-6);
    wbVec3 v = wbPose_RotateInverse(&motion.pose, wbPose_Rotate(&motion.pose, wbMakeVec3(1, 2, 3)));
    expectClose(lengthOf(wbSub(v, wbMakeVec3(1, 2, 3))), 0, 1e-6);
    v = wbMotion_VelocityAt(&motion, p); // 0.5 along x, and 2 rad/s a metre above the axis
    expectClose(lengthOf(wbSub(v, wbMakeVec3(-1.5f, 0, 0))), 0, 1e-6);
}

static void testMemoryLimit(void **state) {
    (void)state;
    wbMesh mesh;
    wbShape *shape;
    wbShapeSamples samples;
    wbMemory *memory = wbCreateMemory(0);
    wbThreadPool *pool = wbCreateThreadPool(NULL, 2, NULL, NULL);
    assertOk(wbMakeSphere(1, 64, &mesh));
    wbMemory_SetLimit(memory, 100000);
    assert_int_equal(wbCreateShape(memory, &mesh, &shape).code, wb_errorMemory);
    assert_null(shape);
    wbMemory_SetLimit(memory, 0);
    assertOk(wbCreateShape(memory, &mesh, &shape));
    for (size_t more = 10; more < 1000000; more *= 10) { // for threads, for work, for points
        wbMemory_SetLimit(memory, wbGetMemoryUse(memory).bytes + more);
        assert_int_equal(wbShape_Sample(shape, 0.1f, 0.2f, 3, pool, &samples).code, wb_errorMemory);
    }
    wbMemory_SetLimit(memory, 0);
    wbDestroyShape(shape);
    wbDestroyShape(NULL);
    wbFreeMesh(&mesh);
    wbDestroyThreadPool(pool);
    wbDestroyMemory(memory); // asserts that all was freed
}

// A tank has edges that stand out, edges that are valleys, and flat ones; neighbours know each other.
static void testEdges(void **state) {
    (void)state;
    wbMesh mesh;
    const wbTankParams tank = {.innerSize = {1, 1, 1}, .wall = 0.1f, .floor = 0.1f};
    const wbStatus status = wbMakeTank(&tank, &mesh);
    wbShape *shape = shapeOf(status, &mesh);
    const wbShapeTree *tree = wbShape_GetTree(shape);
    int out = 0, valleys = 0, flat = 0;
    assert_null(tree->edges);
    assertOk(wbShape_FindEdges(shape));
    assertOk(wbShape_FindEdges(shape)); // once is enough
    for (int t = 0; t < tree->triangleCount; t++)
        for (int k = 0; k < 3; k++) {
            const wbShapeEdges *edges = &tree->edges[t], *other = &tree->edges[edges->neighbours[k]];
            const float bend = edges->bends[k];
            bool knowsIt = false;
            for (int j = 0; j < 3; j++)
                knowsIt = knowsIt || (other->neighbours[j] == t && other->bends[j] == bend);
            assert_true(knowsIt);
            if (fabsf(bend) < WB_FLAT_BEND)
                flat++;
            else
                assert_float_equal(fabsf(bend), 1, 1e-6);
            out += bend > 0.5f, valleys += bend < -0.5f;
        }
    // each is counted from both sides: the inside has four upright and four lower valleys, the outside twelve
    // edges, the rim four more
    assert_int_equal(valleys, 2 * 8);
    assert_int_equal(out, 2 * 16);
    assert_int_equal(flat + out + valleys, 3 * tree->triangleCount);
    wbDestroyShape(shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEdges),
        cmocka_unit_test(testRefusesOpenMeshes),
        cmocka_unit_test(testRefusesTurnedTriangles),
        cmocka_unit_test(testRefusesTurnedParts),
        cmocka_unit_test(testRefusesBadNumbers),
        cmocka_unit_test(testRefusesFlatMeshes),
        cmocka_unit_test(testRefusesEdgesOfFourTriangles),
        cmocka_unit_test(testDistanceFromBox),
        cmocka_unit_test(testDistanceFromTorus),
        cmocka_unit_test(testInsideOfVessel),
        cmocka_unit_test(testSignInOverlappingParts),
        cmocka_unit_test(testPoses),
        cmocka_unit_test(testMemoryLimit),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
