// SPDX-License-Identifier: MIT
// Manifolds of pairs of pieces: depth against a plain search over directions, points where they must be,
// normals that stay.
#include "rigid_support.h"

#include "reference/rigid_hull.h"
#include "rigid/manifold.h"

#define MARGIN 0.04f

static wbHull *makeBoxHull(float x, float y, float z) {
    float points[8][3];
    wbHull *hull;
    for (int i = 0; i < 8; i++)
        points[i][0] = i & 1 ? x : -x, points[i][1] = i & 2 ? y : -y, points[i][2] = i & 4 ? z : -z;
    assertOk(wbCreateHull(NULL, points[0], 8, 0, 8, &hull));
    return hull;
}

enum { KINDS = 5 };
typedef struct Pieces {
    wbRigidPiece pieces[KINDS];
} Pieces;

static Pieces makePieces(void) {
    uint32_t seed = 11;
    return (Pieces){{makePiece(wb_pieceSphere, 0.5f, 0, 0), makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0),
                     makePiece(wb_pieceBox, 0.5f, 0.3f, 0.4f), makePiece(wb_pieceCylinder, 0.4f, 0.5f, 0),
                     makeHullPiece(randomHull(&seed, 24, 0.55f, 0.1f))}};
}

static void freePieces(Pieces *p) { wbDestroyHull(p->pieces[4].hull); }

static void expectFinite(const wbManifold *m) {
    assert_true(m->count >= 0 && m->count <= WB_MANIFOLD_POINTS);
    if (m->count == 0) return;
    assert_float_equal(lengthOf(m->normal), 1, 1e-5);
    for (int i = 0; i < m->count; i++) {
        assert_true(isfinite(m->points[i].separation) && isfinite(lengthOf(m->points[i].place)));
        assert_true(m->points[i].separation <= MARGIN);
    }
}

static float getDeepest(const wbManifold *m) {
    float deepest = INFINITY;
    for (int i = 0; i < m->count; i++) deepest = fminf(deepest, m->points[i].separation);
    return deepest;
}

// The deepest point is as deep as the least overlap of any direction, but for what faces are preferred by.
static void testDepthOfAllPairs(void **state) {
    (void)state;
    Pieces p = makePieces();
    uint32_t seed = 3;
    int touching = 0;
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < KINDS; j++)
            for (int round = 0; round < 12; round++) {
                const wbPose poseA = randomPose(&seed, 0.5f), poseB = randomPose(&seed, 0.5f);
                const wbRigidPiece *a = &p.pieces[i], *b = &p.pieces[j];
                wbManifold m;
                wbVec3d direction;
                wbCollidePieces(a, &poseA, b, &poseB, MARGIN, &m);
                expectFinite(&m);
                const double wanted = wbReferenceLargestSeparation(a, &poseA, b, &poseB, &direction);
                if (wanted > MARGIN + 0.01) assert_int_equal(m.count, 0);
                if (m.count == 0) {
                    if (wanted < MARGIN - 0.01)
                        fail_msg("kinds %d, %d, round %d: no contact, but %g m", i, j, round, wanted);
                    continue;
                }
                touching++;
                const double along = wbReferenceSeparation(a, &poseA, b, &poseB, wbToDouble(m.normal));
                const double allowed = 0.05 * fabs(wanted) + 0.006;
                if (along < wanted - allowed)
                    fail_msg("kinds %d, %d, round %d: %g m along the normal, not %g", i, j, round, along,
                             wanted);
                if (fabs(getDeepest(&m) - along) > 0.01 + 0.2 * fabs(along))
                    fail_msg("kinds %d, %d, round %d: deepest %g m, not %g (%d points)", i, j, round,
                             (double)getDeepest(&m), along, m.count);
            }
    assert_true(touching > 100);
    freePieces(&p);
}

// Contacts are between the two surfaces: each place is as far from both as half the separation.
static void testPlacesAreBetween(void **state) {
    (void)state;
    const wbRigidPiece ball = makePiece(wb_pieceSphere, 0.5f, 0, 0), box = makePiece(wb_pieceBox, 1, 1, 1);
    const wbPose at = poseAt(0.2f, 1.49f, 0.1f), origin = wb_poseAtOrigin;
    wbManifold m;
    wbCollidePieces(&box, &origin, &ball, &at, MARGIN, &m);
    assert_int_equal(m.count, 1);
    assert_float_equal(m.normal.y, 1, 1e-6);
    assert_float_equal(m.points[0].separation, -0.01, 1e-6);
    assert_float_equal(m.points[0].place.x, 0.2, 1e-6);
    assert_float_equal(m.points[0].place.y, 0.995, 1e-6);
    wbCollidePieces(&ball, &at, &box, &origin, MARGIN, &m);
    assert_float_equal(m.normal.y, -1, 1e-6);
    assert_float_equal(m.points[0].place.y, 0.995, 1e-6);
}

static float getArea(const wbManifold *m) {
    const wbVec3 a = m->points[0].place;
    wbVec3 most = wbMakeVec3(0, 0, 0);
    for (int i = 1; i < m->count; i++)
        for (int j = 1; j < m->count; j++) {
            const wbVec3 c = wbCross(wbSub(m->points[i].place, a), wbSub(m->points[j].place, a));
            if (lengthOf(c) > lengthOf(most)) most = c;
        }
    return lengthOf(most);
}

// What stands on a box: flat faces on four points, sides on two, whatever they are made of.
static void testRestingPieces(void **state) {
    (void)state;
    wbHull *hulls[2] = {makeBoxHull(2, 0.5f, 2), makeBoxHull(0.5f, 0.5f, 0.5f)};
    const wbRigidPiece floors[2] = {makePiece(wb_pieceBox, 2, 0.5f, 2), makeHullPiece(hulls[0])};
    const wbVec3 z = {0, 0, 1};
    const struct {
        wbRigidPiece piece;
        wbPose pose;
        int points;
        float area; // of a triangle of them, m2
    } cases[] = {
        {makePiece(wb_pieceBox, 0.5f, 0.5f, 0.5f), poseAt(0, 0.999f, 0), 4, 1},
        {makeHullPiece(hulls[1]), turnedPose(wbMakeVec3(0.3f, 0.999f, 0), wbMakeVec3(0, 1, 0), 0.3f), 4, 1},
        {makePiece(wb_pieceCylinder, 0.5f, 0.5f, 0), poseAt(0.1f, 0.999f, 0), 4, 0.45f},
        {makePiece(wb_pieceCylinder, 0.5f, 0.5f, 0), turnedPose(wbMakeVec3(0, 0.999f, 0), z, 1.5707963f), 2,
         0},
        {makePiece(wb_pieceCapsule, 0.5f, 0.5f, 0), turnedPose(wbMakeVec3(0, 0.999f, 0), z, 1.5707963f), 2,
         0},
        {makePiece(wb_pieceCapsule, 0.5f, 0.5f, 0), poseAt(0, 1.499f, 0), 1, 0},
        {makePiece(wb_pieceSphere, 0.5f, 0, 0), poseAt(0, 0.999f, 0), 1, 0},
    };
    for (int f = 0; f < 2; f++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (int isSecond = 0; isSecond < 2; isSecond++) {
                wbManifold m;
                const wbPose at = wb_poseAtOrigin;
                if (isSecond)
                    wbCollidePieces(&floors[f], &at, &cases[c].piece, &cases[c].pose, MARGIN, &m);
                else
                    wbCollidePieces(&cases[c].piece, &cases[c].pose, &floors[f], &at, MARGIN, &m);
                expectFinite(&m);
                assert_int_equal(m.count, cases[c].points);
                assert_float_equal(m.normal.y, isSecond ? 1 : -1, 1e-5);
                for (int i = 0; i < m.count; i++) {
                    assert_float_equal(m.points[i].separation, -0.001, 1e-5);
                    assert_float_equal(m.points[i].place.y, 0.4995, 1e-5);
                }
                if (getArea(&m) < cases[c].area - 1e-3f)
                    fail_msg("case %zu: points span %g m2", c, (double)getArea(&m));
            }
    wbDestroyHull(hulls[0]), wbDestroyHull(hulls[1]);
}

// A stack that shakes by less than its margin keeps its normal, its four points and their names.
static void testNormalsStay(void **state) {
    (void)state;
    Pieces p = makePieces();
    wbHull *hull = makeBoxHull(0.5f, 0.5f, 0.5f);
    const wbRigidPiece boxes[2] = {makePiece(wb_pieceBox, 0.5f, 0.5f, 0.5f), makeHullPiece(hull)};
    uint32_t seed = 9;
    for (int k = 0; k < 2; k++)
        for (int round = 0; round < 200; round++) {
            const wbPose below = wb_poseAtOrigin;
            const wbVec3 shake = randomPoint(&seed, 0.004f);
            const wbPose above =
                turnedPose(wbMakeVec3(0.05f + shake.x, 0.998f + shake.y, shake.z),
                           wbMakeVec3(randomNumber(&seed), 0.1f, randomNumber(&seed)), 0.004f);
            wbManifold m;
            wbCollidePieces(&boxes[k], &below, &boxes[1 - k], &above, MARGIN, &m);
            assert_int_equal(m.count, 4);
            assert_true(m.normal.y > 0.9999f);
            assert_true(getArea(&m) > 0.9f);
        }
    wbDestroyHull(hull);
    freePieces(&p);
}

// A cylinder that rolls over a box: its two points stay below its axis, at the same depth.
static void testCylinderRolls(void **state) {
    (void)state;
    const wbRigidPiece ground = makePiece(wb_pieceBox, 5, 0.5f, 5),
                       cylinder = makePiece(wb_pieceCylinder, 0.5f, 0.5f, 0);
    const wbPose at = wb_poseAtOrigin;
    const wbPose lying = turnedPose(wbMakeVec3(0, 0, 0), wbMakeVec3(1, 0, 0), 1.57079633f);
    for (int step = 0; step < 100; step++) {
        const float angle = 0.05f * (float)step;
        const wbPose roll = turnedPose(wbMakeVec3(0.5f * angle, 0.999f, 0), wbMakeVec3(0, 0, 1), -angle);
        const wbPose pose = wbPose_Multiply(&roll, &lying);
        wbManifold m;
        wbCollidePieces(&ground, &at, &cylinder, &pose, MARGIN, &m);
        assert_int_equal(m.count, 2);
        assert_float_equal(m.normal.y, 1, 1e-5);
        for (int i = 0; i < 2; i++) {
            assert_float_equal(m.points[i].separation, -0.001, 1e-5);
            assert_float_equal(m.points[i].place.x, 0.5f * angle, 1e-4);
            assert_float_equal(fabsf(m.points[i].place.z), 0.5, 1e-4);
        }
    }
}

// Edges that cross touch in one point, edges side by side in two.
static void testEdges(void **state) {
    (void)state;
    const wbRigidPiece box = makePiece(wb_pieceBox, 0.5f, 0.5f, 0.5f),
                       capsule = makePiece(wb_pieceCapsule, 0.3f, 0.5f, 0),
                       cylinder = makePiece(wb_pieceCylinder, 0.3f, 0.5f, 0);
    const wbVec3 x = {1, 0, 0}, z = {0, 0, 1};
    const float edge = 0.70710678f, right = 1.57079633f;
    const wbPose below = turnedPose(wbMakeVec3(0, 0, 0), z, right / 2),
                 across = turnedPose(wbMakeVec3(0, 2 * edge - 0.001f, 0), x, right / 2),
                 along = turnedPose(wbMakeVec3(0, edge + 0.299f, 0.2f), x, right);
    wbManifold m;
    wbCollidePieces(&box, &below, &box, &across, MARGIN, &m);
    assert_int_equal(m.count, 1);
    assert_float_equal(m.normal.y, 1, 1e-4);
    assert_float_equal(m.points[0].separation, -0.001, 1e-5);
    assert_true(lengthOf(wbSub(m.points[0].place, wbMakeVec3(0, edge - 0.0005f, 0))) < 1e-3f);
    const wbRigidPiece *round[2] = {&capsule, &cylinder};
    for (int k = 0; k < 2; k++) {
        wbCollidePieces(&box, &below, round[k], &along, MARGIN, &m);
        assert_int_equal(m.count, 2);
        assert_float_equal(m.normal.y, 1, 1e-4);
        assert_float_equal(fabsf(m.points[0].place.z - m.points[1].place.z), 0.8, 1e-4);
    }
}

// All pieces at one place, one inside another, and needles beside mountains: finite, and pushed out
// somewhere.
static void testDeepOverlaps(void **state) {
    (void)state;
    Pieces p = makePieces();
    uint32_t seed = 21;
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < KINDS; j++)
            for (int round = 0; round < 8; round++) {
                const wbPose pose = round < 2 ? wb_poseAtOrigin : randomPose(&seed, 1),
                             other = round % 2 ? randomPose(&seed, 0) : pose;
                wbPose poseB = other;
                for (int k = 0; k < 3; k++) poseB.position[k] = pose.position[k];
                wbManifold m;
                wbCollidePieces(&p.pieces[i], &pose, &p.pieces[j], &poseB, MARGIN, &m);
                expectFinite(&m);
                if (m.count == 0) fail_msg("kinds %d and %d: nothing", i, j);
                if (getDeepest(&m) > -0.3f)
                    fail_msg("kinds %d and %d: only %g m deep", i, j, (double)-getDeepest(&m));
            }
    const wbRigidPiece mountain = makePiece(wb_pieceBox, 500, 500, 500),
                       needle = makePiece(wb_pieceBox, 0.0005f, 0.5f, 0.0005f);
    const wbPose at = wb_poseAtOrigin, on = poseAt(100, 500.499f, 0);
    wbManifold m;
    wbCollidePieces(&mountain, &at, &needle, &on, MARGIN, &m);
    assert_int_equal(m.count, 4);
    assert_float_equal(m.points[0].separation, -0.001, 1e-4);
    freePieces(&p);
}

// What was found is carried along: the same points as when it is found again while the pair moves little, and
// no contact is lost when it moves much.
static void testFollowing(void **state) {
    (void)state;
    Pieces p = makePieces();
    uint32_t seed = 8;
    int followed = 0;
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < KINDS; j++) {
            wbCollideCache cache = {.hold.way = -1};
            wbKeptManifold kept;
            wbPose poseB = randomPose(&seed, 0.2f);
            for (int step = 0; step < 1600; step++) {
                const wbPose poseA = turnedPose(wbMakeVec3(0, 1.8f - 0.00125f * (float)step, 0),
                                                wbMakeVec3(1, 0.5f, -1), 1e-4f * (float)step);
                wbManifold now, found;
                wbRelativeWay way;
                const uint32_t key = 7;
                const wbCollideHold hold =
                    wbCollidePieces(&p.pieces[i], &poseA, &p.pieces[j], &poseB, MARGIN, &found);
                now.count = 0;
                if (!wbCollideCache_Holds(&cache, &poseA, &poseB, &way)) {
                    wbCollideCache_Fill(&cache, &poseA, &poseB, &hold, found.count > 0, &found, &key, &kept);
                    continue;
                }
                if (cache.count > 0)
                    followed += wbKeptManifold_Follow(&kept, &cache.hold, &way, MARGIN, &now);
                expectFinite(&now);
                if ((now.count > 0) != (found.count > 0)) {
                    if (fabsf(getDeepest(now.count ? &now : &found) - MARGIN) > 6e-3f)
                        fail_msg("kinds %d, %d, step %d: %d and %d points", i, j, step, now.count,
                                 found.count);
                    continue;
                }
                // faces are preferred by a share of the depth
                if (now.count > 0)
                    assert_float_equal(getDeepest(&now), getDeepest(&found),
                                       4e-3 - 0.06 * getDeepest(&found));
            }
        }
    assert_true(followed > 3000);
    freePieces(&p);
}

// A wheel that rolls is carried along with the point below its axis, not with one that stayed behind.
static void testWheelsFollow(void **state) {
    (void)state;
    const wbRigidPiece ground = makePiece(wb_pieceBox, 1, 0.5f, 1),
                       wheels[2] = {makePiece(wb_pieceCylinder, 0.5f, 0.5f, 0),
                                    makePiece(wb_pieceCapsule, 0.5f, 0.5f, 0)};
    const wbPose at = wb_poseAtOrigin,
                 lying = turnedPose(wbMakeVec3(0, 0, 0), wbMakeVec3(1, 0, 0), 1.57079633f);
    const uint32_t key = 0;
    for (int k = 0; k < 4; k++) {
        const wbRigidPiece *wheel = &wheels[k % 2], *a = k < 2 ? wheel : &ground,
                           *b = k < 2 ? &ground : wheel;
        wbManifold found, now;
        wbKeptManifold kept;
        wbCollideCache cache;
        wbRelativeWay way;
        wbPose poses[2];
        for (int step = 0; step < 2; step++) {
            const float angle = 0.001f * (float)step;
            const wbPose roll = turnedPose(wbMakeVec3(0.5f * angle, 0.999f, 0), wbMakeVec3(0, 0, 1), -angle);
            poses[step] = wbPose_Multiply(&roll, &lying);
        }
        const wbCollideHold hold =
            wbCollidePieces(a, k < 2 ? &poses[0] : &at, b, k < 2 ? &at : &poses[0], MARGIN, &found);
        wbCollideCache_Fill(&cache, k < 2 ? &poses[0] : &at, k < 2 ? &at : &poses[0], &hold, 1, &found, &key,
                            &kept);
        assert_true(wbCollideCache_Holds(&cache, k < 2 ? &poses[1] : &at, k < 2 ? &at : &poses[1], &way));
        assert_true(wbKeptManifold_Follow(&kept, &cache.hold, &way, MARGIN, &now));
        assert_int_equal(now.count, 2);
        assert_float_equal(fabsf(now.normal.y), 1, 1e-6);
        for (int i = 0; i < 2; i++) {
            assert_float_equal(now.points[i].separation, -0.001, 1e-6);
            // halfway between the point of the ground, which stays, and that of the wheel
            assert_float_equal(now.points[i].place.x, 0.00025, 2e-6);
            assert_float_equal(now.points[i].place.y, 0.4995, 2e-6);
        }
    }
}

static void testFlatManifolds(void **state) {
    (void)state;
    const float corners[3][2] = {{-1, -0.5f}, {1, -0.5f}, {0, 0.5f}};
    wbHull *hull;
    assertOk(wbCreatePrism(NULL, corners, 3, &hull));
    const wbRigidPiece prism = makeHullPiece(hull), box = makePiece(wb_pieceBox, 2, 0.5f, 0.5f);
    const wbPose at = wb_poseAtOrigin, above = poseAt(0, 0.999f, 0);
    wbManifold m;
    wbCollidePieces(&box, &at, &prism, &above, MARGIN, &m);
    assert_int_equal(m.count, 4);
    wbManifold_Flatten(&m);
    assert_int_equal(m.count, 2);
    assert_float_equal(fabsf(m.points[0].place.x - m.points[1].place.x), 2, 1e-5);
    assert_float_equal(m.points[0].place.z, 0, 0);
    wbDestroyHull(hull);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testDepthOfAllPairs), cmocka_unit_test(testPlacesAreBetween),
        cmocka_unit_test(testRestingPieces),   cmocka_unit_test(testNormalsStay),
        cmocka_unit_test(testCylinderRolls),   cmocka_unit_test(testEdges),
        cmocka_unit_test(testDeepOverlaps),    cmocka_unit_test(testFollowing),
        cmocka_unit_test(testWheelsFollow),    cmocka_unit_test(testFlatManifolds),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
