// SPDX-License-Identifier: MIT
// Questions about pieces: rays, nearest points and overlaps against each other and closed forms; continuous
// collision.
#include "rigid_support.h"

#include "reference/rigid_hull.h"
#include "rigid/manifold.h"

enum { KINDS = 6 };

typedef struct Pieces {
    wbRigidPiece pieces[KINDS];
} Pieces;

static Pieces makePieces(void) {
    uint32_t seed = 31;
    wbMesh mesh;
    const wbStatus status = wbMakeBox(wbMakeVec3(1, 0.6f, 0.8f), &mesh);
    return (Pieces){{makePiece(wb_pieceSphere, 0.5f, 0, 0),
                     makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0),
                     makePiece(wb_pieceBox, 0.5f, 0.3f, 0.4f),
                     makePiece(wb_pieceCylinder, 0.4f, 0.5f, 0),
                     makeHullPiece(randomHull(&seed, 24, 0.55f, 0.1f)),
                     {.kind = wb_pieceMesh, .pose = wb_poseAtOrigin, .shape = shapeOf(status, &mesh)}}};
}

static void freePieces(Pieces *p) {
    wbDestroyHull(p->pieces[4].hull);
    wbDestroyShape(p->pieces[5].shape);
}

// The end of a ray is on the surface, with its normal; before it nothing is inside.
static void testRaysAndNearestAgree(void **state) {
    (void)state;
    Pieces p = makePieces();
    uint32_t seed = 6;
    for (int i = 0; i < KINDS; i++) {
        int hits = 0;
        for (int round = 0; round < 300; round++) {
            const wbPose pose = randomPose(&seed, 1);
            const wbVec3 origin = randomPoint(&seed, 2), way = wbSub(randomPoint(&seed, 2), origin);
            float fraction;
            wbVec3 normal, nearest, out;
            const float before = wbRigidPiece_FindNearest(&p.pieces[i], &pose, origin, &nearest, &out);
            const bool isHit = wbRigidPiece_CastRay(&p.pieces[i], &pose, origin, way, &fraction, &normal);
            assert_float_equal(lengthOf(wbSub(nearest, origin)), fabsf(before), 1e-5);
            hits += isHit;
            if (before < -1e-5f) {
                assert_true(isHit && fraction == 0);
                assert_float_equal(wbDot(normal, way), -lengthOf(way), 1e-4);
                continue;
            }
            for (int step = 0; step < 40; step++) {
                const float t = (isHit ? fraction : 1) * (float)step / 40;
                const float there = wbRigidPiece_FindNearest(&p.pieces[i], &pose,
                                                             wbAdd(origin, wbScale(t, way)), &nearest, &out);
                if (there < -1e-5f)
                    fail_msg("kind %d, round %d: inside by %g m at %g", i, round, (double)-there, (double)t);
            }
            if (!isHit) continue;
            const wbVec3 end = wbAdd(origin, wbScale(fraction, way));
            assert_float_equal(wbRigidPiece_FindNearest(&p.pieces[i], &pose, end, &nearest, &out), 0, 1e-5);
            assert_true(wbDot(normal, way) < 1e-4f);
            assert_float_equal(lengthOf(normal), 1, 1e-5);
            // a little farther out along the normal it is as far away
            const wbVec3 off = wbAdd(end, wbScale(0.01f, normal));
            assert_float_equal(wbRigidPiece_FindNearest(&p.pieces[i], &pose, off, &nearest, &out), 0.01,
                               1e-4);
        }
        assert_true(hits > 15);
    }
    freePieces(&p);
}

static void testNearestInside(void **state) {
    (void)state;
    Pieces p = makePieces();
    const wbPose pose = wb_poseAtOrigin;
    static const float depths[KINDS] = {0.5f, 0.3f, 0.3f, 0.4f, 0, 0.3f};
    for (int i = 0; i < KINDS; i++) {
        wbVec3 nearest, normal;
        const float distance =
            wbRigidPiece_FindNearest(&p.pieces[i], &pose, wbMakeVec3(0, 0, 0), &nearest, &normal);
        if (i != 4) assert_float_equal(distance, -depths[i], 1e-6);
        assert_true(distance < -0.2f);
        assert_float_equal(lengthOf(normal), 1, 1e-5);
        assert_float_equal(lengthOf(nearest), -distance, 1e-5);
    }
    const wbRigidPiece plane = {.kind = wb_piecePlane, .pose = wb_poseAtOrigin};
    wbVec3 nearest, normal;
    float fraction;
    assert_float_equal(wbRigidPiece_FindNearest(&plane, &pose, wbMakeVec3(1, 2, 3), &nearest, &normal), 2, 0);
    assert_true(
        wbRigidPiece_CastRay(&plane, &pose, wbMakeVec3(0, 1, 0), wbMakeVec3(4, -4, 0), &fraction, &normal));
    assert_float_equal(fraction, 0.25, 1e-6);
    assert_false(
        wbRigidPiece_CastRay(&plane, &pose, wbMakeVec3(0, 1, 0), wbMakeVec3(4, 4, 0), &fraction, &normal));
    freePieces(&p);
}

static void testOverlaps(void **state) {
    (void)state;
    Pieces p = makePieces();
    const wbRigidPiece plane = {.kind = wb_piecePlane, .pose = wb_poseAtOrigin};
    uint32_t seed = 16;
    for (int i = 0; i < KINDS - 1; i++)
        for (int j = 0; j < KINDS; j++)
            for (int round = 0; round < 10; round++) {
                const wbPose poseA = randomPose(&seed, 0.7f), poseB = randomPose(&seed, 0.7f);
                // the mesh is the box
                const wbRigidPiece *b = &p.pieces[j], *convex = j == 5 ? &p.pieces[2] : b;
                wbVec3d direction;
                const double apart =
                    wbReferenceLargestSeparation(&p.pieces[i], &poseA, convex, &poseB, &direction);
                if (fabs(apart) < 1e-3 || fabs(apart - 0.1) < 1e-3) continue;
                assert_int_equal(wbRigidPiece_Overlaps(&p.pieces[i], &poseA, b, &poseB, 0), apart < 0);
                assert_int_equal(wbRigidPiece_Overlaps(b, &poseB, &p.pieces[i], &poseA, 0.1f), apart < 0.1);
                const wbPose at = wb_poseAtOrigin;
                assert_int_equal(wbRigidPiece_Overlaps(&p.pieces[i], &poseA, &plane, &at, 0),
                                 wbRigidPiece_Bound(&p.pieces[i], &poseA).min[1] <= 0);
            }
    // one inside another, without a face in common
    const wbRigidPiece small = makePiece(wb_pieceSphere, 0.05f, 0, 0);
    const wbPose at = wb_poseAtOrigin;
    for (int i = 0; i < KINDS; i++) assert_true(wbRigidPiece_Overlaps(&small, &at, &p.pieces[i], &at, 0));
    freePieces(&p);
}

// A bullet of 0.1 m at 200 m/s, one step of 1/60 s, and a thing 0.02 m thick: it stops before it, however it
// turns.
static void testBulletsStop(void **state) {
    (void)state;
    const wbRigidPiece bullets[5] = {
        makePiece(wb_pieceSphere, 0.05f, 0, 0), makePiece(wb_pieceBox, 0.05f, 0.05f, 0.05f),
        makePiece(wb_pieceCapsule, 0.02f, 0.03f, 0), makePiece(wb_pieceCylinder, 0.02f, 0.05f, 0),
        makePiece(wb_pieceBox, 0.002f, 0.05f, 0.002f)};
    wbMesh mesh;
    const wbStatus status = wbMakeBox(wbMakeVec3(0.02f, 2, 2), &mesh);
    wbShape *shape = shapeOf(status, &mesh);
    const wbRigidPiece targets[3] = {makePiece(wb_pieceBox, 0.01f, 1, 1),
                                     {.kind = wb_pieceMesh, .pose = wb_poseAtOrigin, .shape = shape},
                                     {.kind = wb_piecePlane, .pose = wb_poseAtOrigin}};
    const float slop = 0.002f;
    uint32_t seed = 1;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++)
            for (int round = 0; round < 30; round++) {
                const wbPose from = turnedPose(wbMakeVec3(-1 + 0.3f * randomNumber(&seed), 0.1f, 0.2f),
                                               randomPoint(&seed, 1), 2 * randomNumber(&seed));
                const wbPose spin =
                    turnedPose(wbMakeVec3(0, 0, 0), randomPoint(&seed, 1), 1.5f * randomNumber(&seed));
                wbPose to = wbPose_Multiply(&spin, &from);
                to.position[0] = from.position[0] + 200.0f / 60, to.position[1] = 0.15f,
                to.position[2] = 0.1f;
                // the plane looks to where they come from
                const wbPose at =
                    j == 2 ? turnedPose(wbMakeVec3(0, 0, 0), wbMakeVec3(0, 0, 1), 1.57079633f)
                           : turnedPose(wbMakeVec3(0, 0, 0), wbMakeVec3(0, 0, 1), 0.3f * randomNumber(&seed));
                wbPose then = at;
                if (j < 2 && round % 2) then.position[0] -= 0.5f;
                const float t = wbFindImpact(&bullets[i], &from, &to, &targets[j], &at, &then, slop).share;
                if (!(t > 0.05f && t < 0.6f))
                    fail_msg("bullet %d, target %d: %g of the way", i, j, (double)t);
                // where it stops, as seen by a plain sweep over positions without turning: near
                if (round % 2 || j == 2 || i > 0) continue;
                wbPose stopped = from;
                for (int k = 0; k < 3; k++) stopped.position[k] += t * (to.position[k] - from.position[k]);
                assert_false(wbRigidPiece_Overlaps(&bullets[i], &stopped, &targets[j], &at, 0));
                assert_true(wbRigidPiece_Overlaps(&bullets[i], &stopped, &targets[j], &at, 1.1f * slop));
            }
    wbDestroyShape(shape);
}

// A rod that only turns hits what is in its way with its end; one that passes by goes all the way.
static void testTurningRod(void **state) {
    (void)state;
    const wbRigidPiece rod = makePiece(wb_pieceBox, 1, 0.01f, 0.01f),
                       post = makePiece(wb_pieceSphere, 0.1f, 0, 0);
    const wbPose from = wb_poseAtOrigin, to = turnedPose(wbMakeVec3(0, 0, 0), wbMakeVec3(0, 0, 1), 1.5f);
    wbPose at = poseAt(0.9f * cosf(0.9f), 0.9f * sinf(0.9f), 0);
    const float t = wbFindImpact(&rod, &from, &to, &post, &at, &at, 0.001f).share;
    // it touches the ball by its upper side, 0.11 m before its centre
    assert_float_equal(1.5f * t, 0.9f - asinf(0.11f / 0.9f), 0.003f);
    at = poseAt(1.2f, 0, 0);
    assert_float_equal(wbFindImpact(&rod, &from, &to, &post, &at, &at, 0.001f).share, 1, 0);
}

// What lies on the ground slides on, and what is pushed into it stops.
static void testTouchingPieces(void **state) {
    (void)state;
    const wbRigidPiece box = makePiece(wb_pieceBox, 0.5f, 0.5f, 0.5f),
                       ground = makePiece(wb_pieceBox, 50, 0.5f, 50),
                       plane = {.kind = wb_piecePlane, .pose = wb_poseAtOrigin};
    const wbPose at = poseAt(0, -0.5f, 0), origin = wb_poseAtOrigin;
    for (int depth = 0; depth < 2; depth++) {
        const float y = depth ? 0.499f : 0.5005f;
        const wbPose from = poseAt(0, y, 0), along = poseAt(3, y, 0), down = poseAt(3, y - 3, 0);
        assert_float_equal(wbFindImpact(&box, &from, &along, &ground, &at, &at, 0.002f).share, 1, 0);
        assert_float_equal(wbFindImpact(&box, &from, &along, &plane, &origin, &origin, 0.002f).share, 1, 0);
        assert_true(wbFindImpact(&box, &from, &down, &plane, &origin, &origin, 0.002f).share < 0.002f);
        assert_true(wbFindImpact(&box, &from, &down, &ground, &at, &at, 0.002f).share < 0.002f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testRaysAndNearestAgree),
        cmocka_unit_test(testNearestInside),
        cmocka_unit_test(testOverlaps),
        cmocka_unit_test(testBulletsStop),
        cmocka_unit_test(testTurningRod),
        cmocka_unit_test(testTouchingPieces),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
