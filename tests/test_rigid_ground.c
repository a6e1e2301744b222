// SPDX-License-Identifier: MIT
// Pieces on planes and meshes: floors of triangles are as smooth as planes, meshes of boxes are boxes, hills
// have their normals.
#include "rigid_support.h"

#include "reference/rigid_hull.h"
#include "rigid/manifold.h"

#define MARGIN 0.04f
enum { KINDS = 5, MOST = 16 };

static wbHull *makeDie(void) {
    uint32_t seed = 2;
    return randomHull(&seed, 20, 0.5f, 0);
}

static void fillPieces(wbRigidPiece pieces[KINDS]) {
    pieces[0] = makePiece(wb_pieceSphere, 0.5f, 0, 0);
    pieces[1] = makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0);
    pieces[2] = makePiece(wb_pieceBox, 0.5f, 0.3f, 0.4f);
    pieces[3] = makePiece(wb_pieceCylinder, 0.4f, 0.5f, 0);
    pieces[4] = makeHullPiece(makeDie());
}

static wbRigidPiece makeMeshPiece(wbShape *shape) {
    assertOk(wbShape_FindEdges(shape));
    return (wbRigidPiece){.kind = wb_pieceMesh, .pose = wb_poseAtOrigin, .shape = shape};
}

static wbShape *makeHills(int count, float spacing, float (*getHeight)(float x, float z)) {
    wbMesh mesh;
    const size_t bytes = sizeof(float) * (size_t)(count * count);
    float *heights = malloc(bytes);
    for (int i = 0; i < count * count; i++)
        heights[i] = getHeight(spacing * ((float)(i % count) - 0.5f * (float)(count - 1)),
                               spacing * ((float)(i / count) - 0.5f * (float)(count - 1)));
    const wbHeightsParams params = {heights, count, count, spacing, 1};
    const wbStatus status = wbMakeHeights(&params, &mesh);
    free(heights);
    return shapeOf(status, &mesh);
}

static float getFlat(float x, float z) { return 0 * x * z; }
static float getBowl(float x, float z) { return 0.05f * (x * x + z * z); }
static float getDome(float x, float z) { return -0.05f * (x * x + z * z); }
static float getValley(float x, float z) { return fabsf(x) + 0 * z; }

static int collide(const wbRigidPiece *piece, const wbPose *pose, const wbRigidPiece *ground, wbManifold *m) {
    uint32_t keys[MOST];
    const wbPose at = wb_poseAtOrigin;
    wbCollideHold hold;
    const int count = wbCollideGround(piece, pose, ground, &at, MARGIN, MOST, m, keys, &hold);
    assert_true(count <= MOST);
    for (int i = 0; i < count; i++) {
        assert_true(m[i].count >= 1 && m[i].count <= WB_MANIFOLD_POINTS);
        assert_float_equal(lengthOf(m[i].normal), 1, 1e-5);
    }
    return count;
}

static float getDeepest(const wbManifold *m, int count) {
    float deepest = INFINITY;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < m[k].count; i++) deepest = fminf(deepest, m[k].points[i].separation);
    return deepest;
}

// On a plane every piece is as deep as its lowest point.
static void testPlane(void **state) {
    (void)state;
    wbRigidPiece pieces[KINDS], plane = {.kind = wb_piecePlane, .pose = wb_poseAtOrigin};
    wbManifold m[MOST];
    uint32_t seed = 4;
    fillPieces(pieces);
    for (int i = 0; i < KINDS; i++)
        for (int round = 0; round < 100; round++) {
            const wbPose pose = randomPose(&seed, 0.5f);
            const float lowest = wbRigidPiece_Bound(&pieces[i], &pose).min[1];
            const int count = collide(&pieces[i], &pose, &plane, m);
            if (lowest > MARGIN + 1e-5f) assert_int_equal(count, 0);
            if (lowest > MARGIN - 1e-5f) continue;
            assert_int_equal(count, 1);
            assert_float_equal(m[0].normal.y, -1, 1e-6);
            if (fabsf(getDeepest(m, 1) - lowest) > 2e-4f)
                fail_msg("kind %d: %g m, not %g", i, (double)getDeepest(m, 1), (double)lowest);
        }
    wbDestroyHull(pieces[4].hull);
}

// Sliding over a floor of triangles in all directions: one normal, upwards, and the depth of the lowest
// point.
static void testFlatFloorHasNoEdges(void **state) {
    (void)state;
    wbRigidPiece pieces[KINDS];
    wbManifold m[MOST];
    wbShape *shape = makeHills(40, 0.13f, getFlat);
    const wbRigidPiece ground = makeMeshPiece(shape);
    uint32_t seed = 4;
    fillPieces(pieces);
    for (int i = 0; i < KINDS; i++)
        for (int round = 0; round < 20; round++) {
            wbPose pose = randomPose(&seed, 0);
            if (round < 5) pose = wb_poseAtOrigin;
            pose.position[1] -= wbRigidPiece_Bound(&pieces[i], &pose).min[1] + 0.003f;
            for (int step = 0; step < 40; step++) {
                pose.position[0] = -1 + 0.0371f * (float)step,
                pose.position[2] = 0.5f - 0.0113f * (float)step;
                const int count = collide(&pieces[i], &pose, &ground, m);
                assert_int_equal(count, 1);
                if (m[0].normal.y > -0.99999f)
                    fail_msg("kind %d, round %d, step %d: the normal is %g, %g, %g", i, round, step,
                             (double)m[0].normal.x, (double)m[0].normal.y, (double)m[0].normal.z);
                assert_float_equal(getDeepest(m, 1), -0.003, 1e-5);
            }
        }
    wbDestroyShape(shape);
    wbDestroyHull(pieces[4].hull);
}

// A box on hundreds of triangles stands on four points, which are its corners.
static void testBoxOnFineMesh(void **state) {
    (void)state;
    wbManifold m[MOST];
    wbShape *shape = makeHills(60, 0.05f, getFlat);
    const wbRigidPiece ground = makeMeshPiece(shape), box = makePiece(wb_pieceBox, 0.5f, 0.5f, 0.5f);
    for (int round = 0; round < 20; round++) {
        const wbPose pose =
            turnedPose(wbMakeVec3(0.013f, 0.499f, 0.02f), wbMakeVec3(0, 1, 0), 0.1f * (float)round);
        assert_int_equal(collide(&box, &pose, &ground, m), 1);
        assert_int_equal(m[0].count, 4);
        for (int i = 0; i < 4; i++) {
            const wbVec3 arm = wbSub(m[0].points[i].place, wbMakeVec3(0.013f, 0, 0.02f));
            assert_float_equal(arm.x * arm.x + arm.z * arm.z, 0.5, 1e-4);
        }
    }
    wbDestroyShape(shape);
}

// Bowl and dome: the normal of a ball is that of the true surface, a box rests where it should.
static void testHills(void **state) {
    (void)state;
    wbManifold m[MOST];
    wbShape *shapes[2] = {makeHills(80, 0.1f, getBowl), makeHills(80, 0.1f, getDome)};
    const wbRigidPiece ball = makePiece(wb_pieceSphere, 0.3f, 0, 0),
                       box = makePiece(wb_pieceBox, 0.5f, 0.2f, 0.5f);
    for (int s = 0; s < 2; s++) {
        const wbRigidPiece ground = makeMeshPiece(shapes[s]);
        const float sign = s ? -1 : 1;
        for (int step = 0; step < 60; step++) {
            const float x = -2 + 0.061f * (float)step, z = 0.7f, height = sign * 0.05f * (x * x + z * z);
            const wbVec3 up = normaliseVec(wbMakeVec3(-sign * 0.1f * x, 1, -sign * 0.1f * z));
            const wbPose pose = poseAt(x + 0.3f * up.x, height + 0.3f * up.y, z + 0.3f * up.z);
            const int count = collide(&ball, &pose, &ground, m);
            assert_int_equal(count, 1);
            if (-wbDot(m[0].normal, up) < 0.9997f || fabsf(getDeepest(m, 1)) > 2e-3f)
                fail_msg("hill %d, step %d: cosine %g, %g m", s, step, (double)-wbDot(m[0].normal, up),
                         (double)getDeepest(m, 1));
        }
        // at the top it touches the middle of a box, in the bowl its corners
        const wbPose top = poseAt(0.02f, s ? 0.199f : 0.2f + 0.05f * 0.5f - 0.001f, 0.01f);
        const int count = collide(&box, &top, &ground, m);
        assert_true(count >= 1);
        assert_float_equal(getDeepest(m, count), -0.001, 2.5e-3);
    }
    wbDestroyShape(shapes[0]), wbDestroyShape(shapes[1]);
}

static void testValley(void **state) {
    (void)state;
    wbManifold m[MOST];
    wbShape *shape = makeHills(21, 0.2f, getValley);
    const wbRigidPiece ground = makeMeshPiece(shape), ball = makePiece(wb_pieceSphere, 0.5f, 0, 0);
    const wbPose pose = poseAt(0, 0.5f * 1.41421356f - 0.002f, 0.03f);
    assert_int_equal(collide(&ball, &pose, &ground, m), 2);
    assert_true(m[0].normal.x * m[1].normal.x < 0);
    for (int k = 0; k < 2; k++) assert_float_equal(fabsf(m[k].normal.x), 0.70710678, 1e-4);
    wbDestroyShape(shape);
}

// The mesh of a box is the box: outside of it the same depth for every piece, at its faces, edges and
// corners.
static void testMeshOfBox(void **state) {
    (void)state;
    wbRigidPiece pieces[KINDS];
    wbManifold m[MOST];
    wbMesh mesh;
    const wbStatus status = wbMakeBox(wbMakeVec3(2, 2, 2), &mesh);
    wbShape *shape = shapeOf(status, &mesh);
    const wbRigidPiece ground = makeMeshPiece(shape), box = makePiece(wb_pieceBox, 1, 1, 1);
    const wbPose at = wb_poseAtOrigin;
    uint32_t seed = 14;
    int touching = 0;
    fillPieces(pieces);
    for (int i = 0; i < KINDS; i++)
        for (int round = 0; round < 60; round++) {
            const wbPose pose = randomPose(&seed, 1.6f);
            wbVec3d direction;
            const double apart = wbReferenceLargestSeparation(&pieces[i], &pose, &box, &at, &direction);
            if (apart < -0.1 || apart > 0.1) continue;
            const int count = collide(&pieces[i], &pose, &ground, m);
            const float found = getDeepest(m, count);
            if (apart < MARGIN - 0.006) {
                touching++;
                if (count == 0 || found < apart - 0.03 || found > apart + 0.03)
                    fail_msg("kind %d, round %d: %d manifolds, %g m, not %g", i, round, count, (double)found,
                             apart);
            }
            if (apart > MARGIN + 0.006) assert_int_equal(count, 0);
        }
    assert_true(touching > 40);
    wbDestroyHull(pieces[4].hull);
    wbDestroyShape(shape);
}

// Deep inside there is a way out, the shortest.
static void testDeepInside(void **state) {
    (void)state;
    wbManifold m[MOST];
    wbMesh mesh;
    const wbStatus status = wbMakeBox(wbMakeVec3(4, 4, 4), &mesh);
    wbShape *shape = shapeOf(status, &mesh);
    const wbRigidPiece ground = makeMeshPiece(shape), box = makePiece(wb_pieceBox, 0.2f, 0.2f, 0.2f);
    const wbPose pose = poseAt(0.1f, 1.5f, -0.2f);
    assert_int_equal(collide(&box, &pose, &ground, m), 1);
    assert_float_equal(m[0].normal.y, -1, 1e-5);
    assert_float_equal(getDeepest(m, 1), -0.7, 1e-4);
    wbDestroyShape(shape);
}

// Of a number of points evenly spread over a ball.
static wbVec3 getSpread(int i, int count) {
    const float y = 1 - (2 * (float)i + 1) / (float)count, flat = sqrtf(1 - y * y),
                angle = 2.39996323f * (float)i;
    return wbMakeVec3(flat * cosf(angle), y, flat * sinf(angle));
}

// A needle along a direction, from a tip at a distance on: a closed part of four corners and four triangles.
static void addNeedle(wbVec3 way, float distance, int at, float *vertices, uint32_t *indices) {
    static const uint32_t corners[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 3, 2, 1};
    const wbVec3 other = fabsf(way.x) < 0.7f ? wbMakeVec3(1, 0, 0) : wbMakeVec3(0, 1, 0);
    const wbVec3 u = normaliseVec(wbCross(way, other)), v = wbCross(way, u);
    for (int k = 0; k < 4; k++) {
        const float angle = 2.0943951f * (float)k;
        const wbVec3 side = wbAdd(wbScale(cosf(angle), u), wbScale(-sinf(angle), v));
        const wbVec3 p = k == 0 ? wbScale(distance, way) : wbAdd(wbScale(1.3f, way), wbScale(0.005f, side));
        memcpy(vertices + 12 * at + 3 * k, (float[3]){p.x, p.y, p.z}, sizeof(float[3]));
    }
    for (int k = 0; k < 12; k++) indices[12 * at + k] = corners[k] + 4 * (uint32_t)at;
}

// A piece between bundles of needles from all around: a manifold of four points for each bundle, however many
// there are.
static void testNeedles(void **state) {
    (void)state;
    enum { BUNDLES = 145, SIDE = 4, NEEDLES = BUNDLES * (1 + SIDE) };
    static float vertices[12 * NEEDLES];
    static uint32_t indices[12 * NEEDLES];
    static wbManifold m[BUNDLES];
    uint32_t keys[BUNDLES];
    wbShape *shape;
    wbCollideHold hold;
    for (int i = 0; i < BUNDLES; i++) {
        const wbVec3 way = getSpread(i, BUNDLES), other = wbMakeVec3(way.y, way.z, -way.x);
        const wbVec3 u = normaliseVec(wbCross(way, other)), v = wbCross(way, u);
        addNeedle(way, 0.985f, (1 + SIDE) * i, vertices, indices);
        for (int k = 0; k < SIDE; k++) {
            const float x = k & 1 ? 0.002f : -0.002f, y = k & 2 ? 0.002f : -0.002f;
            addNeedle(normaliseVec(wbAdd(way, wbAdd(wbScale(x, u), wbScale(y, v)))), 0.99f,
                      (1 + SIDE) * i + 1 + k, vertices, indices);
        }
    }
    const wbMesh mesh = {4 * NEEDLES, 4 * NEEDLES, vertices, indices};
    assertOk(wbCreateShape(NULL, &mesh, &shape));
    const wbRigidPiece ground = makeMeshPiece(shape), piece = makePiece(wb_pieceCapsule, 1, 0.001f, 0);
    const wbPose at = wb_poseAtOrigin;
    assert_int_equal(wbCollideGround(&piece, &at, &ground, &at, MARGIN, BUNDLES, m, keys, &hold), BUNDLES);
    for (int i = 0; i < BUNDLES; i++) {
        int best = 0;
        for (int k = 1; k < BUNDLES; k++)
            if (wbDot(m[k].normal, getSpread(i, BUNDLES)) > wbDot(m[best].normal, getSpread(i, BUNDLES)))
                best = k;
        assert_true(wbDot(m[best].normal, getSpread(i, BUNDLES)) > 0.9999f);
        assert_int_equal(m[best].count, WB_MANIFOLD_POINTS);
        assert_float_equal(getDeepest(&m[best], 1), -0.015, 1e-3);
    }
    wbDestroyShape(shape);
}

static void testHeightsRefuse(void **state) {
    (void)state;
    float heights[4] = {0, 0, 0, NAN};
    wbMesh mesh;
    wbHeightsParams params = {heights, 2, 2, 0.1f, 1};
    expectInputError(wbMakeHeights(&params, &mesh), "height 1, 1 of a field is nan");
    params.countX = 1;
    expectInputError(wbMakeHeights(&params, &mesh), "1 x 2 heights");
    heights[3] = 0, params.countX = 2, params.spacing = -1;
    assert_int_equal(wbMakeHeights(&params, &mesh).code, wb_errorInput);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testPlane),         cmocka_unit_test(testFlatFloorHasNoEdges),
        cmocka_unit_test(testBoxOnFineMesh), cmocka_unit_test(testHills),
        cmocka_unit_test(testValley),        cmocka_unit_test(testMeshOfBox),
        cmocka_unit_test(testDeepInside),    cmocka_unit_test(testNeedles),
        cmocka_unit_test(testHeightsRefuse),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
