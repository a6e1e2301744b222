// SPDX-License-Identifier: MIT
// Convex hulls: they hold all their points, are closed, and have the volume of a plain reference; mass
// against closed forms.
#include "rigid_support.h"

#include "reference/rigid_hull.h"

#define PI 3.14159265358979323846

static void expectHull(const wbHull *hull, const float *points3, int count, double tolerance) {
    int loops = 0;
    assert_int_equal(hull->cornerCount - hull->edgeCount + hull->faceCount, 2);
    for (int f = 0; f < hull->faceCount; f++) {
        const wbHullFace *face = &hull->faces[f];
        loops += face->count;
        assert_float_equal(lengthOf(face->normal), 1, 1e-6);
        for (int c = 0; c < face->count; c++) {
            const wbVec3 corner = hull->corners[hull->loops[face->first + c]];
            const double gap = wbDot3d(wbToDouble(face->normal), wbToDouble(corner)) - face->offset;
            if (fabs(gap) > tolerance) fail_msg("a corner is %g m off its face", gap);
        }
        for (int i = 0; i < count; i++) {
            const wbVec3d p = {points3[3 * i], points3[3 * i + 1], points3[3 * i + 2]};
            const double height = wbDot3d(wbToDouble(face->normal), p) - face->offset;
            if (height > tolerance) fail_msg("point %d is %g m outside", i, height);
        }
    }
    assert_int_equal(loops, hull->loopCount);
    assert_int_equal(loops, 2 * hull->edgeCount);
}

static double getVolume(wbHull *hull) {
    const wbRigidPiece piece = makeHullPiece(hull);
    return wbRigidPiece_GetMass(&piece, 3).volume;
}

// Clouds in a ball and on it, in a box with many points on its faces, and on the lattice: 1 mm to 1 km, near
// and far.
static void fillCloud(int kind, uint32_t *seed, float size, float (*points)[3], int count) {
    for (int i = 0; i < count; i++) {
        wbVec3 p = randomPoint(seed, 1);
        if (kind == 0) p = wbScale(1 / (0.01f + lengthOf(p)), p);
        if (kind == 1 && i % 2) p.x = p.x > 0 ? 1 : -1;
        if (kind == 1 && i % 3 == 0) p.y = p.y > 0 ? 1 : -1;
        if (kind == 2) p = wbMakeVec3(roundf(2 * p.x), roundf(2 * p.y), roundf(2 * p.z));
        if (kind == 3) p.y *= 1e-3f;
        points[i][0] = size * p.x, points[i][1] = size * p.y, points[i][2] = size * p.z;
    }
}

static void testHullOfClouds(void **state) {
    (void)state;
    static const float sizes[] = {1e-3f, 1, 1e3f};
    static float points[120][3];
    uint32_t seed = 1;
    for (int s = 0; s < 3; s++)
        for (int kind = 0; kind < 4; kind++)
            for (int round = 0; round < 5; round++) {
                const int count = 20 + 15 * round;
                wbHull *hull;
                fillCloud(kind, &seed, sizes[s], points, count);
                assertOk(wbCreateHull(NULL, points[0], count, 0, WB_MAX_HULL_CORNERS, &hull));
                expectHull(hull, points[0], count, 2e-5 * sizes[s]);
                const double volume = wbReferenceHullVolume(points[0], count);
                if (fabs(getVolume(hull) / volume - 1) > 1e-4)
                    fail_msg("kind %d: %g m3, not %g", kind, getVolume(hull), volume);
                wbDestroyHull(hull);
            }
}

// A box of which every face has a lattice of points, turned: six faces, eight corners, twelve edges.
static void testHullJoinsFaces(void **state) {
    (void)state;
    enum { N = 6 };
    static float points[N * N * N][3];
    uint32_t seed = 5;
    for (int round = 0; round < 20; round++) {
        const wbPose pose = randomPose(&seed, 3);
        for (int i = 0; i < N * N * N; i++) {
            const wbVec3 p = wbPose_Apply(
                &pose, wbMakeVec3((float)(i % N), (float)(i / N % N), 0.3f * (float)(i / N / N)));
            points[i][0] = p.x, points[i][1] = p.y, points[i][2] = p.z;
        }
        wbHull *hull;
        assertOk(wbCreateHull(NULL, points[0], N * N * N, 0, WB_MAX_HULL_CORNERS, &hull));
        assert_int_equal(hull->cornerCount, 8);
        assert_int_equal(hull->faceCount, 6);
        assert_int_equal(hull->edgeCount, 12);
        assert_float_equal(hull->depth, 0.75, 1e-5);
        assert_float_equal(getVolume(hull), 37.5, 1e-4);
        wbDestroyHull(hull);
    }
}

static void testHullWithFewCorners(void **state) {
    (void)state;
    wbMesh sphere;
    wbHull *hull;
    double before = 0;
    assertOk(wbMakeSphere(1, 64, &sphere));
    for (int most = 8; most <= 128; most *= 2) {
        assertOk(wbCreateHull(NULL, sphere.vertices, sphere.vertexCount, 0, most, &hull));
        assert_true(hull->cornerCount <= most);
        const double volume = getVolume(hull);
        assert_true(volume > before);
        before = volume;
        wbDestroyHull(hull);
    }
    assert_float_equal(before, 4 * PI / 3, 0.25);
    wbFreeMesh(&sphere);
}

static void testHullRefuses(void **state) {
    (void)state;
    float points[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {2, 0, 0}, {3, 0, 0}};
    wbHull *hull;
    expectInputError(wbCreateHull(NULL, points[0], 3, 0, 8, &hull), "at least 4 points");
    assert_null(hull);
    points[1][1] = NAN;
    expectInputError(wbCreateHull(NULL, points[0], 4, 0, 8, &hull), "y of a hull's point 1 is nan");
    points[1][1] = 0, points[3][2] = 1e-7f;
    expectInputError(wbCreateHull(NULL, points[0], 5, 0, 8, &hull), "in one plane");
    points[2][1] = 0, points[2][0] = 9, points[3][2] = 0, points[4][1] = 0;
    expectInputError(wbCreateHull(NULL, points[0], 7, 0, 8, &hull), "on one line");
    for (int i = 0; i < 5; i++) points[i][0] = 4;
    expectInputError(wbCreateHull(NULL, points[0], 5, 0, 8, &hull), "at one place");
    const float bent[5][2] = {{0, 0}, {2, 0}, {1, 0.5f}, {2, 2}, {0, 2}};
    expectInputError(wbCreatePrism(NULL, bent, 5, &hull), "not convex at its corner 2");
    const float star[5][2] = {{0, 1}, {0.59f, -0.81f}, {-0.95f, 0.31f}, {0.95f, 0.31f}, {-0.59f, -0.81f}};
    expectInputError(wbCreatePrism(NULL, star, 5, &hull), "more than once");
    expectInputError(wbCreatePrism(NULL, star, 2, &hull), "at least 3 corners");
    wbDestroyHull(NULL);
}

static void testPrism(void **state) {
    (void)state;
    float corners[6][2];
    wbHull *hull;
    for (int turn = -1; turn <= 1; turn += 2) {
        for (int i = 0; i < 6; i++)
            corners[i][0] = cosf((float)(turn * i) * (float)PI / 3),
            corners[i][1] = sinf((float)(turn * i) * (float)PI / 3);
        assertOk(wbCreatePrism(NULL, corners, 6, &hull));
        assert_int_equal(hull->faceCount, 8);
        assert_int_equal(hull->cornerCount, 12);
        assert_float_equal(getVolume(hull), 1.5 * sqrt(3), 1e-6);
        wbDestroyHull(hull);
    }
}

// Mass

static void expectMoments(const wbMassProperties *mass, double x, double y, double z, double share) {
    const double wanted[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_float_equal(mass->inertia[i][j], i == j ? wanted[i] : 0, share * (x + y + z));
}

static void testMassOfHulls(void **state) {
    (void)state;
    float points[8][3];
    wbHull *hull;
    for (int i = 0; i < 8; i++)
        points[i][0] = 5 + (i & 1), points[i][1] = i & 2 ? 2 : 0, points[i][2] = i & 4 ? 3 : 0;
    assertOk(wbCreateHull(NULL, points[0], 8, 0, 8, &hull));
    wbRigidPiece piece = makeHullPiece(hull);
    wbMassProperties mass = wbRigidPiece_GetMass(&piece, 3);
    assert_float_equal(mass.volume, 6, 1e-9);
    assert_float_equal(mass.centre[0], 5.5, 1e-9);
    assert_float_equal(mass.centre[2], 1.5, 1e-9);
    expectMoments(&mass, 6 / 12.0 * 13, 6 / 12.0 * 10, 6 / 12.0 * 5, 1e-12);
    wbDestroyHull(hull);
    // a mesh of a sphere tends to it
    wbMesh sphere;
    assertOk(wbMakeSphere(1, 128, &sphere));
    mass = wbGetMeshMass(&sphere);
    assert_float_equal(mass.volume, 4 * PI / 3, 0.01);
    const double moment = 0.4 * 4 * PI / 3;
    expectMoments(&mass, moment, moment, moment, 3e-3);
    wbFreeMesh(&sphere);
}

// Capsule, cylinder, sphere and box against the meshes of the same, which are a little smaller.
static void testMassOfRoundPieces(void **state) {
    (void)state;
    wbMesh meshes[4];
    const wbRigidPiece pieces[4] = {
        makePiece(wb_pieceSphere, 0.7f, 0, 0), makePiece(wb_pieceCapsule, 0.4f, 0.8f, 0),
        makePiece(wb_pieceCylinder, 0.4f, 0.8f, 0), makePiece(wb_pieceBox, 0.1f, 0.2f, 0.4f)};
    assertOk(wbMakeSphere(0.7f, 256, &meshes[0]));
    assertOk(wbMakeCapsule(0.4f, 1.6f, 256, &meshes[1]));
    assertOk(wbMakeCylinder(0.4f, 1.6f, 256, &meshes[2]));
    assertOk(wbMakeBox(wbMakeVec3(0.2f, 0.4f, 0.8f), &meshes[3]));
    for (int i = 0; i < 4; i++) {
        const wbMassProperties own = wbRigidPiece_GetMass(&pieces[i], 3), mesh = wbGetMeshMass(&meshes[i]);
        assert_float_equal(mesh.volume / own.volume, 1, 5e-4);
        expectMoments(&mesh, own.inertia[0][0], own.inertia[1][1], own.inertia[2][2], 5e-4);
        wbFreeMesh(&meshes[i]);
    }
    // in the plane: a disc, and a stadium of which each half has pi r2 / 2
    assert_float_equal(wbRigidPiece_GetMass(&pieces[0], 2).inertia[2][2], PI * pow(0.7, 4) / 2, 1e-6);
    const double r = 0.4, h = 0.8, halfDisc = PI * r * r / 2, out = 4 * r / (3 * PI);
    const double stadium = 4 * r * h * (r * r + h * h) / 3 +
                           2 * (halfDisc * r * r / 2 + halfDisc * (pow(h + out, 2) - out * out));
    assert_float_equal(wbRigidPiece_GetMass(&pieces[1], 2).inertia[2][2], stadium, 1e-6);
}

// Eight boxes make one of twice the size, whatever the pieces' poses: Steiner's theorem.
static void testMassOfCompounds(void **state) {
    (void)state;
    wbMassProperties sum = {0};
    for (int i = 0; i < 8; i++) {
        wbRigidPiece piece = makePiece(wb_pieceBox, 0.5f, 0.5f, 0.5f);
        piece.pose = turnedPose(wbMakeVec3(i & 1 ? 0.5f : -0.5f, i & 2 ? 3.5f : 2.5f, i & 4 ? 0.5f : -0.5f),
                                wbMakeVec3((float)(i % 3 == 0), (float)(i % 3 == 1), (float)(i % 3 == 2)),
                                (float)PI / 2);
        const wbMassProperties part = wbRigidPiece_GetMass(&piece, 3);
        wbMassProperties_Add(&sum, &part, 2);
    }
    assert_float_equal(sum.volume, 16, 1e-6);
    assert_float_equal(sum.centre[1], 3, 1e-6);
    expectMoments(&sum, 16 * 8 / 12.0, 16 * 8 / 12.0, 16 * 8 / 12.0, 1e-6);
}

// A tensor that is turned has the moments and the axes of the one that is not.
static void testPrincipalAxes(void **state) {
    (void)state;
    uint32_t seed = 77;
    for (int round = 0; round < 50; round++) {
        wbRigidPiece piece = makePiece(wb_pieceBox, 0.1f, 0.3f, 0.7f);
        piece.pose = randomPose(&seed, 1);
        const wbMassProperties mass = wbRigidPiece_GetMass(&piece, 3);
        double moments[3], sum = 0;
        wbPose axes = wb_poseAtOrigin;
        wbFindPrincipalAxes(mass.inertia, moments, axes.rotation);
        for (int k = 0; k < 3; k++) {
            const wbVec3d axis = wbPose_Rotate3d(&axes, 1, (wbVec3d){k == 0, k == 1, k == 2});
            const double a[3] = {axis.x, axis.y, axis.z};
            for (int i = 0; i < 3; i++) {
                double turned = 0;
                for (int j = 0; j < 3; j++) turned += mass.inertia[i][j] * a[j];
                assert_float_equal(turned, moments[k] * a[i], 2e-6 * mass.volume);
            }
            sum += moments[k];
        }
        assert_float_equal(sum, 2.0 * mass.volume * (0.01 + 0.09 + 0.49) / 3, 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testHullOfClouds),
        cmocka_unit_test(testHullJoinsFaces),
        cmocka_unit_test(testHullWithFewCorners),
        cmocka_unit_test(testHullRefuses),
        cmocka_unit_test(testPrism),
        cmocka_unit_test(testMassOfHulls),
        cmocka_unit_test(testMassOfRoundPieces),
        cmocka_unit_test(testMassOfCompounds),
        cmocka_unit_test(testPrincipalAxes),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
