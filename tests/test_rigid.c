// SPDX-License-Identifier: MIT
// Exact contacts of rigid bodies: against closed forms, a plain search in double, and themselves on other threads and machines.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/rigid_pile.h"
#include "core/hash.h"
#include "rigid_support.h"
#include "work_support.h"

static const float g = 9.81f;

typedef struct Scene {
    wbWork work;
    wbRigidPile pile;
} Scene;

static void startScene(Scene *scene, int threads, wbSimd simd, int dimensions, wbVec3 gravity) {
    memset(scene, 0, sizeof *scene);
    scene->work = createWork(threads, simd);
    scene->pile.domain = (wbDomain){.dimensions = dimensions, .gravity = gravity};
    scene->pile.model.params = wbDefaultRigidParams();
    scene->pile.model.domain = &scene->pile.domain;
    wbRigid_Init(&scene->pile.rigid);
}

static void endScene(Scene *scene) {
    wbDestroyPile(&scene->work, &scene->pile);
    destroyWork(&scene->work);
}

static wbRigidBodySetup makeBody(const Scene *scene, const wbRigidPiece *pieces, int count, wbPose pose,
                                 double mass) {
    return makeBodySetup(pieces, count, pose, mass, scene->pile.domain.dimensions);
}

static int addBody(Scene *scene, const wbRigidBodySetup *setup) {
    wbPose frame;
    assertOk(wbRigid_AddBody(&scene->pile.rigid, scene->work.memory, &scene->pile.model, setup, &frame));
    return scene->pile.rigid.count - 1;
}

static int addPiece(Scene *scene, wbRigidPiece piece, wbPose pose, double mass) {
    const wbRigidBodySetup setup = makeBody(scene, &piece, 1, pose, mass);
    return addBody(scene, &setup);
}

static int addPlane(Scene *scene, wbPose pose) {
    return addPiece(scene, makePiece(wb_piecePlane, 0, 0, 0), pose, 0);
}

static void step(Scene *scene, int steps, float dt) {
    for (int i = 0; i < steps; i++) assertOk(wbRigidPile_Step(&scene->pile, &scene->work, dt));
}

static wbRigidPiece cube(float half) { return makePiece(wb_pieceBox, half, half, half); }

// Free flight

// Moments 1 : 2 : 3, spun about the middle one: it turns over and over.
static void testTopKeepsMomentum(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
    const wbRigidPiece piece = cube(0.5f);
    wbRigidBodySetup setup = makeBody(&scene, &piece, 1, poseAt(0, 0, 0), 1);
    memset(setup.solid.inertia, 0, sizeof setup.solid.inertia);
    for (int k = 0; k < 3; k++) setup.solid.inertia[k][k] = 1 + k;
    setup.spin[0] = 0.01f, setup.spin[1] = 5, setup.spin[2] = 0.02f;
    const int body = addBody(&scene, &setup);
    const wbRigid *rigid = &scene.pile.rigid;
    const wbVec3d before = wbRigid_GetSpinMomentum(rigid, body);
    const double energy = wbRigid_GetKinetic(rigid);
    float least = 1;
    for (int i = 0; i < 6000; i++) {
        step(&scene, 1, 0.01f);
        const wbPose pose = wbRigid_GetPose(rigid, body);
        least = fminf(least, wbPose_Rotate(&pose, wbMakeVec3(0, 1, 0)).y);
        const wbVec3d now = wbRigid_GetSpinMomentum(rigid, body), d = wbSub3d(now, before);
        assert_true(sqrt(wbDot3d(d, d)) < 1e-4 * sqrt(wbDot3d(before, before)));
        assert_float_equal(wbRigid_GetKinetic(rigid) / energy, 1, 1e-3);
    }
    assert_true(least < -0.9f); // it did turn over
    endScene(&scene);
}

// Needles that turn half around between steps: neither their energy nor their momentum may grow.
static void testNeedlesKeepEnergy(void **state) {
    (void)state;
    const wbRigidPiece pieces[3] = {makePiece(wb_pieceCapsule, 0.01f, 0.49f, 0),
                                    makePiece(wb_pieceBox, 0.01f, 1, 0.01f),
                                    makePiece(wb_pieceBox, 0.01f, 1, 0.03f)};
    for (int k = 0; k < 3; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
        wbRigidBodySetup setup = makeBody(&scene, &pieces[k], 1, poseAt(0, 0, 0), 1);
        setup.spin[0] = 1, setup.spin[1] = 30, setup.spin[2] = 2;
        const int body = addBody(&scene, &setup);
        const wbRigid *rigid = &scene.pile.rigid;
        const wbVec3d before = wbRigid_GetSpinMomentum(rigid, body);
        const double energy = wbRigid_GetKinetic(rigid);
        for (int i = 0; i < 1200; i++) {
            step(&scene, 1, 1.0f / 60);
            const wbVec3d d = wbSub3d(wbRigid_GetSpinMomentum(rigid, body), before);
            assertBelow(sqrt(wbDot3d(d, d) / wbDot3d(before, before)), 3e-3, "change of momentum");
            assertBelow(fabs(wbRigid_GetKinetic(rigid) / energy - 1), 0.02, "change of energy");
        }
        endScene(&scene);
    }
}

static void testParabola(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    const int body = addPiece(&scene, cube(0.5f), poseAt(0, 0, 0), 2);
    wbRigid *rigid = &scene.pile.rigid;
    rigid->vx[body] = 3, rigid->vy[body] = 10;
    step(&scene, 100, 0.01f);
    assert_float_equal(rigid->x[body], 3, 1e-4);
    assert_float_equal(rigid->vy[body], 10 - g, 1e-4);
    assert_float_equal(rigid->y[body], 10 - 0.5f * g * (1 + 0.01f / 4), 1e-3); // semi-implicit, in sub-steps
    rigid->fx[body] = 4;                                                       // over one step
    step(&scene, 2, 0.01f);
    assert_float_equal(rigid->vx[body], 3.02f, 1e-5);
    endScene(&scene);
}

typedef struct Momentum {
    double p[3], l[3];
} Momentum;

static Momentum sumMomentum(const wbRigid *rigid) {
    Momentum sum = {{0}, {0}};
    for (int i = 0; i < rigid->count; i++) {
        if (rigid->inverseMass[i] <= 0) continue;
        const double m = 1 / (double)rigid->inverseMass[i];
        const wbVec3d p = {m * rigid->vx[i], m * rigid->vy[i], m * rigid->vz[i]},
                      x = {rigid->x[i], rigid->y[i], rigid->z[i]};
        const wbVec3d l = wbAddScaled3d(wbRigid_GetSpinMomentum(rigid, i), 1, wbCross3d(x, p));
        sum.p[0] += p.x, sum.p[1] += p.y, sum.p[2] += p.z;
        sum.l[0] += l.x, sum.l[1] += l.y, sum.l[2] += l.z;
    }
    return sum;
}

// All shapes, with friction and restitution, of unlike masses.
static void testCollisionKeepsMomentum(void **state) {
    (void)state;
    const wbRigidPiece pieces[4] = {cube(0.5f), makePiece(wb_pieceSphere, 0.5f, 0, 0),
                                    makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0),
                                    makePiece(wb_pieceCylinder, 0.5f, 0.3f, 0)};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            Scene scene;
            startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
            addPiece(&scene, pieces[a], turnedPose(wbMakeVec3(-1, 0.2f, 0), wbMakeVec3(1, 2, 3), 0.7f), 1);
            addPiece(&scene, pieces[b], turnedPose(wbMakeVec3(1, 0, 0.1f), wbMakeVec3(3, 1, -1), 1.2f), 3);
            wbRigid *rigid = &scene.pile.rigid;
            rigid->vx[0] = 3, rigid->vx[1] = -1, rigid->wz[0] = 1;
            rigid->restitution[0] = 0.6f;
            const Momentum before = sumMomentum(rigid);
            step(&scene, 500, 0.002f);
            const Momentum after = sumMomentum(rigid);
            for (int k = 0; k < 3; k++) assert_float_equal(after.p[k], before.p[k], 1e-5);
            // arms of impulses are those where a step begins
            for (int k = 0; k < 3; k++) assert_float_equal(after.l[k], before.l[k], 0.02);
            assert_true(rigid->vx[1] > -0.9f); // they met
            endScene(&scene);
        }
}

// Contacts against closed forms

static void testBouncesByRestitution(void **state) {
    (void)state;
    const float shares[3] = {0.3f, 0.6f, 0.9f};
    for (int k = 0; k < 3; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
        addPlane(&scene, poseAt(0, 0, 0));
        const int ball = addPiece(&scene, makePiece(wb_pieceSphere, 0.1f, 0, 0), poseAt(0, 2.1f, 0), 1);
        wbRigid *rigid = &scene.pile.rigid;
        rigid->restitution[ball] = shares[k];
        float top = 0;
        bool hasMet = false;
        for (int i = 0; i < 400 && !(hasMet && rigid->vy[ball] < 0); i++) {
            step(&scene, 1, 0.005f);
            hasMet |= rigid->vy[ball] > 0;
            if (hasMet) top = fmaxf(top, rigid->y[ball] - 0.1f);
        }
        assert_float_equal(top, 2 * shares[k] * shares[k], 0.03 * 2);
        endScene(&scene);
    }
}

static void testSlidesToAStop(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    const int body = addPiece(&scene, makePiece(wb_pieceBox, 0.5f, 0.1f, 0.5f), poseAt(0, 0.1f, 0), 5);
    wbRigid *rigid = &scene.pile.rigid;
    rigid->vx[body] = 4;
    step(&scene, 300, 0.01f);
    assert_float_equal(rigid->x[body], 16 / (2 * 0.5f * g), 0.03); // v2 / (2 mu g)
    assert_float_equal(rigid->vx[body], 0, 1e-4);
    endScene(&scene);
}

static void testFrictionCone(void **state) {
    (void)state;
    // on a slope of 0.5 rad: tan is 0.546
    for (int k = 0; k < 2; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
        const wbPose slope = turnedPose(wbMakeVec3(0, 0, 0), wbMakeVec3(0, 0, 1), -0.5f);
        addPlane(&scene, slope);
        const wbPose above = poseAt(0, 0.1f, 0), at = wbPose_Multiply(&slope, &above);
        const int body = addPiece(&scene, makePiece(wb_pieceBox, 0.5f, 0.1f, 0.5f), at, 1);
        wbRigid *rigid = &scene.pile.rigid;
        rigid->friction[0] = rigid->friction[body] = k == 0 ? 0.6f : 0.4f;
        const float start = rigid->x[body];
        step(&scene, 100, 0.01f);
        const float a = g * (sinf(0.5f) - 0.4f * cosf(0.5f)), way = (rigid->x[body] - start) / cosf(0.5f);
        if (k == 0)
            assert_float_equal(way, 0, 1e-3);
        else
            assert_float_equal(way, 0.5f * a, 0.03f * a);
        endScene(&scene);
    }
}

static void testRolls(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    const wbPose slope = turnedPose(wbMakeVec3(0, 0, 0), wbMakeVec3(0, 0, 1), -0.2f);
    addPlane(&scene, slope);
    const wbPose above = poseAt(0, 0.5f, 0), at = wbPose_Multiply(&slope, &above);
    const int ball = addPiece(&scene, makePiece(wb_pieceSphere, 0.5f, 0, 0), at, 1);
    wbRigid *rigid = &scene.pile.rigid;
    step(&scene, 100, 0.01f);
    const float v = sqrtf(rigid->vx[ball] * rigid->vx[ball] + rigid->vy[ball] * rigid->vy[ball]);
    assert_float_equal(v, 5.0f / 7 * g * sinf(0.2f), 0.03f);
    assert_float_equal(rigid->wz[ball], -v / 0.5f, 0.05f);
    endScene(&scene);
}

// A torque of arm times weight against it: a = 5/7 g arm / radius.
static void testRollingFriction(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    const int ball = addPiece(&scene, makePiece(wb_pieceSphere, 0.5f, 0, 0), poseAt(0, 0.5f, 0), 1);
    wbRigid *rigid = &scene.pile.rigid;
    rigid->rollingFriction[ball] = 0.02f;
    rigid->vx[ball] = 1, rigid->wz[ball] = -2;
    step(&scene, 100, 0.01f);
    assert_float_equal(rigid->vx[ball], 1 - 5.0f / 7 * g * 0.02f / 0.5f, 0.02f);
    step(&scene, 500, 0.01f);
    assert_float_equal(rigid->vx[ball], 0, 1e-4);
    endScene(&scene);
}

// Stacks and piles

static void checkStack(bool isUneven, float scale) {
    Scene scene;
    memset(&scene, 0, sizeof scene);
    scene.work = createWork(1, wb_simdAuto);
    assertOk(wbCreateStack(&scene.work, 10, isUneven, scale, &scene.pile));
    // the same motion at another size: times go by its root
    const float pace = sqrtf(scale);
    scene.pile.model.params.hertz /= pace;
    scene.pile.model.params.pushSpeed *= pace;
    scene.pile.model.domain = &scene.pile.domain;
    step(&scene, 1000, 0.01f * pace);
    const wbPileQuality quality = wbRigidPile_Measure(&scene.pile);
    assert_true(quality.top > 9.45 * scale && quality.top < 9.51 * scale);
    assert_true(quality.drift < (isUneven ? 0.12 : 0.002) * scale);
    assert_true(quality.overlaps.max < 0.01 * scale);
    endScene(&scene);
}

static void testStacksStand(void **state) {
    (void)state;
    const float scales[3] = {1, 0.001f, 100};
    for (int k = 0; k < 3; k++) checkStack(false, scales[k]), checkStack(true, scales[k]);
}

typedef struct Run {
    uint64_t hash;
    wbPileQuality quality;
} Run;

static uint64_t hashBodies(const wbRigid *rigid, uint64_t hash) {
    const float *columns[7] = {rigid->x, rigid->y, rigid->z, rigid->qx, rigid->qw, rigid->vy, rigid->wx};
    for (int k = 0; k < 7; k++) hash = wbHashBytes(hash, columns[k], sizeof(float) * (size_t)rigid->count);
    return hash;
}

static Run runPile(int count, int threads, wbSimd simd, int steps) {
    Scene scene;
    memset(&scene, 0, sizeof scene);
    scene.work = createWork(threads, simd);
    assertOk(wbCreateJumble(&scene.work, count, 12345, 1, &scene.pile));
    scene.pile.model.domain = &scene.pile.domain;
    Run run = {.hash = WB_HASH_START};
    for (int i = 0; i < steps; i++) {
        step(&scene, 1, 0.01f);
        if (i % 50 == 0) run.hash = hashBodies(&scene.pile.rigid, run.hash);
    }
    run.hash = hashBodies(&scene.pile.rigid, run.hash);
    run.quality = wbRigidPile_Measure(&scene.pile);
    endScene(&scene);
    return run;
}

static void testPileOnAnyThreads(void **state) {
    (void)state;
    const Run one = runPile(400, 1, wb_simdAuto, 400);
    assert_true(one.quality.overlaps.mean < 0.002 && one.quality.overlaps.max < 0.02);
    assert_true(one.quality.maxBeyond < 0.02);
    assert_int_equal(one.quality.escaped, 0);
    for (int threads = 2; threads <= 4; threads++)
        assert_true(runPile(400, threads, wb_simdAuto, 400).hash == one.hash);
}

static void testPileOfEverySet(void **state) {
    (void)state;
    for (wbSimd simd = wb_simdScalar; simd <= wb_simdAvx512; simd++) {
        if (!wbIsSimdSupported(simd)) continue;
        const Run run = runPile(200, 2, simd, 500);
        assert_true(run.quality.overlaps.mean < 0.002 && run.quality.overlaps.max < 0.02);
        assert_int_equal(run.quality.escaped, 0);
        assert_true(run.quality.kinetic < 1e-2);
    }
}

// As good in edges from grains to houses, where steps follow how long a fall by an edge takes; grains are stopped with longer ones, too.
static void testPileOfAnySize(void **state) {
    (void)state;
    static const struct {
        float edge, dt, mean, most;
        int steps;
    } rows[] = {{1e-3f, 1e-3f, 0.002f, 0.02f, 400},
                {1e-3f, 0.01f, 0.04f, 0.3f, 150},
                {0.01f, 0.01f, 0.002f, 0.02f, 150},
                {10, 0.01f, 2e-4f, 2e-3f, 1500},
                {100, 0.05f, 2e-4f, 2e-3f, 700}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        Scene scene;
        memset(&scene, 0, sizeof scene);
        scene.work = createWork(1, wb_simdAuto);
        assertOk(wbCreateJumble(&scene.work, 60, 3, rows[k].edge, &scene.pile));
        scene.pile.model.domain = &scene.pile.domain;
        scene.pile.model.params.sleep = false;
        step(&scene, rows[k].steps, rows[k].dt);
        const wbPileQuality quality = wbRigidPile_Measure(&scene.pile);
        assertBelow(quality.overlaps.mean / (double)rows[k].edge, (double)rows[k].mean, "mean overlap");
        assertBelow(quality.overlaps.max / (double)rows[k].edge, (double)rows[k].most, "largest overlap");
        const double weight = 9.81 * 60 / (double)scene.pile.rigid.inverseMass[0];
        assertBelow(quality.kinetic / (weight * (double)rows[k].edge), 1e-3, "kinetic energy");
        assert_int_equal(quality.escaped, 0);
        endScene(&scene);
    }
}

static void testWarmStepsDoNotAllocate(void **state) {
    (void)state;
    Scene scene;
    memset(&scene, 0, sizeof scene);
    scene.work = createWork(2, wb_simdAuto);
    assertOk(wbCreateJumble(&scene.work, 200, 777, 1, &scene.pile));
    scene.pile.model.domain = &scene.pile.domain;
    step(&scene, 400, 0.01f);
    const uint64_t calls = wbGetMemoryUse(scene.work.memory).calls;
    step(&scene, 50, 0.01f);
    assert_true(wbGetMemoryUse(scene.work.memory).calls == calls);
    endScene(&scene);
}

// What is saved of contacts makes a run go on with the same bits.
static void testGoesOnFromSavedContacts(void **state) {
    (void)state;
    Scene scenes[2];
    for (int k = 0; k < 2; k++) {
        memset(&scenes[k], 0, sizeof scenes[k]);
        scenes[k].work = createWork(1, wb_simdAuto);
        assertOk(wbCreateJumble(&scenes[k].work, 100, 5, 1, &scenes[k].pile));
        scenes[k].pile.model.domain = &scenes[k].pile.domain;
    }
    wbRigid *from = &scenes[0].pile.rigid, *to = &scenes[1].pile.rigid;
    step(&scenes[0], 203, 0.01f);
    step(&scenes[1], 1, 0.01f); // which bodies joints tie is no news to it
    wbColumn own[WB_RIGID_COLUMNS], other[WB_RIGID_COLUMNS], lists[2][WB_CONTACT_LISTS];
    wbSavedValue values[2][WB_CONTACT_VALUES];
    int counts[2][WB_CONTACT_LISTS];
    wbRigid_ListColumns(from, own), wbRigid_ListColumns(to, other);
    for (int c = 0; c < WB_RIGID_COLUMNS; c++)
        memcpy(*other[c].data, *own[c].data, (size_t)own[c].elementSize * (size_t)from->count);
    wbRigidContacts_ListColumns(&from->contacts, lists[0], counts[0]);
    assert_true(wbRigidContacts_Reserve(scenes[1].work.memory, &to->contacts, counts[0]));
    wbRigidContacts_ListColumns(&to->contacts, lists[1], counts[1]);
    wbRigidContacts_ListValues(&from->contacts, values[0]),
        wbRigidContacts_ListValues(&to->contacts, values[1]);
    for (int c = 0; c < WB_CONTACT_LISTS; c++)
        if (counts[0][c] > 0)
            memcpy(*lists[1][c].data, *lists[0][c].data,
                   (size_t)lists[0][c].elementSize * (size_t)counts[0][c]);
    for (int c = 0; c < WB_CONTACT_VALUES; c++) memcpy(values[1][c].data, values[0][c].data, sizeof(int));
    assertOk(wbCheckContacts(to));
    // as worlds do after loading, or the first step would look for pairs anew
    assertOk(wbPlanJoints(to, &scenes[1].work));
    for (int k = 0; k < 2; k++) step(&scenes[k], 50, 0.01f);
    assert_true(hashBodies(from, WB_HASH_START) == hashBodies(to, WB_HASH_START));
    for (int k = 0; k < 2; k++) endScene(&scenes[k]);
}

// Two boxes of any sizes: how deep they overlap, against a plain search over all axes in double.

// Whatever comes after, contacts that are held are there again, and others only if steps are not undone.
static void testContactsAreHeld(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, wb_poseAtOrigin);
    for (int i = 0; i < 5; i++) addPiece(&scene, cube(0.5f), poseAt(0.1f * (float)i, 0.49f + (float)i, 0), 1);
    wbRigidContacts *contacts = &scene.pile.rigid.contacts;
    for (int steps = 0; steps < 8; steps++) {
        const bool isUndone = steps < 4;
        step(&scene, 1, 0.01f);
        const int count = contacts->count;
        wbContact held[64];
        assert_true(count >= 5 && count < 64);
        memcpy(held, contacts->contacts.data, sizeof(wbContact) * (size_t)count);
        wbRigidContacts_Hold(contacts);
        step(&scene, steps % 4, 0.01f);
        wbRigidContacts_Release(contacts, isUndone);
        if (isUndone) contacts->count = count;
        const bool isSame = memcmp(held, contacts->contacts.data, sizeof(wbContact) * (size_t)count) == 0;
        assert_true(isSame == (isUndone || steps % 4 == 0));
        contacts->isStale = 1; // pairs name the contacts of the last step
    }
    endScene(&scene);
}

static double getOverlap(const wbPose *a, const wbVec3 *halfA, const wbPose *b, const wbVec3 *halfB) {
    wbVec3d axes[6];
    const float half[6] = {halfA->x, halfA->y, halfA->z, halfB->x, halfB->y, halfB->z};
    for (int k = 0; k < 6; k++)
        axes[k] = wbPose_Rotate3d(k < 3 ? a : b, 1, (wbVec3d){k % 3 == 0, k % 3 == 1, k % 3 == 2});
    const wbVec3d d = {b->position[0] - (double)a->position[0], b->position[1] - (double)a->position[1],
                       b->position[2] - (double)a->position[2]};
    double least = INFINITY;
    for (int t = 0; t < 15; t++) {
        const wbVec3d n = t < 6 ? axes[t] : wbCross3d(axes[(t - 6) / 3], axes[3 + t % 3]);
        const double length = sqrt(wbDot3d(n, n));
        double reach = 0;
        if (length < 0.12) continue;
        for (int k = 0; k < 6; k++) reach += half[k] * fabs(wbDot3d(axes[k], n));
        least = fmin(least, (reach - fabs(wbDot3d(d, n))) / length);
    }
    return least;
}

static void testDepthOfBoxes(void **state) {
    (void)state;
    uint32_t seed = 7;
    int touching = 0;
    for (int i = 0; i < 400; i++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
        wbVec3 half[2];
        for (int k = 0; k < 2; k++)
            half[k] = wbMakeVec3(0.6f + 0.4f * randomNumber(&seed), 0.6f + 0.4f * randomNumber(&seed),
                                 0.6f + 0.4f * randomNumber(&seed));
        const wbPose a = randomPose(&seed, 0.2f), b = randomPose(&seed, 1.5f);
        addPiece(&scene, makePiece(wb_pieceBox, half[0].x, half[0].y, half[0].z), a, 1);
        addPiece(&scene, makePiece(wb_pieceBox, half[1].x, half[1].y, half[1].z), b, 1);
        const wbRigid *rigid = &scene.pile.rigid;
        const wbPose poses[2] = {wbRigid_GetPose(rigid, 0), wbRigid_GetPose(rigid, 1)};
        const wbRigidPiece *pieces = rigid->pieces.data;
        const wbPose placed[2] = {wbPose_Multiply(&poses[0], &pieces[0].pose),
                                  wbPose_Multiply(&poses[1], &pieces[1].pose)};
        const double overlap = getOverlap(&placed[0], &half[0], &placed[1], &half[1]);
        step(&scene, 1, 1e-6f);
        const wbContact *contact = rigid->contacts.contacts.data;
        const float thin = 2 * fminf(fminf(fminf(half[0].x, half[0].y), half[0].z),
                                     fminf(fminf(half[1].x, half[1].y), half[1].z));
        if (overlap < -0.045f * thin) assert_int_equal(rigid->contacts.count, 0);
        if (overlap > 0) {
            assert_int_equal(rigid->contacts.count, 1);
            float deepest = INFINITY;
            for (int k = 0; k < WB_MANIFOLD_POINTS; k++) deepest = fminf(deepest, contact->separation[k]);
            // faces are preferred to edges that are a little less deep
            assert_true(-deepest > overlap - 2e-4 && -deepest < 1.06 * overlap + 0.01 * thin);
            touching++;
        }
        endScene(&scene);
    }
    assert_true(touching > 100);
}

// Other shapes, compounds, sensors, filters

static void testMixedShapesComeToRest(void **state) {
    (void)state;
    Scene scene;
    uint32_t seed = 3;
    startScene(&scene, 2, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPiece(&scene, makePiece(wb_pieceBox, 6, 0.5f, 6), poseAt(0, -0.5f, 0), 0);
    wbHull *hull = randomHull(&seed, 24, 0.5f, 0.1f);
    const wbRigidPiece kinds[5] = {cube(0.4f), makePiece(wb_pieceSphere, 0.4f, 0, 0),
                                   makePiece(wb_pieceCapsule, 0.3f, 0.3f, 0),
                                   makePiece(wb_pieceCylinder, 0.4f, 0.4f, 0), makeHullPiece(hull)};
    wbRigid *rigid = &scene.pile.rigid;
    for (int i = 0; i < 60; i++) {
        const wbPose pose = randomPose(&seed, 1);
        wbPose at = poseAt(-2 + 2 * (float)(i % 3), 1 + 1.2f * (float)(i / 9), -2 + 2 * (float)(i / 3 % 3));
        memcpy(at.rotation, pose.rotation, sizeof at.rotation);
        const int body = addPiece(&scene, kinds[i % 5], at, 1);
        rigid->rollingFriction[body] = 0.02f;
    }
    step(&scene, 600, 0.01f);
    for (int i = 1; i < rigid->count; i++) {
        if (fabsf(rigid->x[i]) > 5.5f || fabsf(rigid->z[i]) > 5.5f) continue; // rolled off the edge
        assert_true(rigid->y[i] > 0.2f);
        assert_float_equal(rigid->vy[i], 0, 0.05);
    }
    wbDestroyHull(hull);
    endScene(&scene);
}

static void testCompoundStands(void **state) {
    (void)state;
    // a table of five boxes
    wbRigidPiece pieces[5] = {makePiece(wb_pieceBox, 0.6f, 0.05f, 0.6f)};
    for (int k = 0; k < 4; k++) {
        pieces[k + 1] = makePiece(wb_pieceBox, 0.05f, 0.4f, 0.05f);
        pieces[k + 1].pose = poseAt(k & 1 ? 0.5f : -0.5f, -0.45f, k & 2 ? 0.5f : -0.5f);
    }
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    const wbRigidBodySetup setup = makeBody(&scene, pieces, 5, poseAt(0, 0.9f, 0), 10);
    const int table = addBody(&scene, &setup), load = addPiece(&scene, cube(0.2f), poseAt(0.2f, 1.2f, 0), 5);
    const wbRigid *rigid = &scene.pile.rigid;
    step(&scene, 300, 0.01f);
    assert_float_equal(rigid->y[load], 1.1f, 0.01f);
    assert_true(rigid->bits[table] & WB_RIGID_ASLEEP && rigid->bits[load] & WB_RIGID_ASLEEP);
    endScene(&scene);
}

static void testSensorsTellAndLetPass(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    const int sensor = addPiece(&scene, cube(0.5f), poseAt(0, 0, 0), 0);
    scene.pile.rigid.bits[sensor] |= WB_RIGID_SENSOR;
    const int body = addPiece(&scene, cube(0.2f), poseAt(0, 2, 0), 1);
    int begins = 0, ends = 0;
    for (int i = 0; i < 150; i++) {
        step(&scene, 1, 0.01f);
        begins += scene.pile.rigid.events.beginCount, ends += scene.pile.rigid.events.endCount;
    }
    assert_true(scene.pile.rigid.y[body] < -5);
    assert_int_equal(begins, 1);
    assert_int_equal(ends, 1);
    endScene(&scene);
}

static void testFilters(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    const int a = addPiece(&scene, cube(0.5f), poseAt(0, 0.5f, 0), 1),
              b = addPiece(&scene, cube(0.5f), poseAt(0, 1.5f, 0), 1);
    rigid->category[b] = 2, rigid->mask[a] = ~2u;
    step(&scene, 100, 0.01f);
    assert_float_equal(rigid->y[a], 0.5f, 0.01f);
    assert_float_equal(rigid->y[b], 0.5f, 0.01f); // inside the other
    endScene(&scene);
}

// A body that is off is not there, and a removed one leaves its place.
static void testBodiesComeAndGo(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    scene.pile.model.params.sleep = false;
    addPlane(&scene, poseAt(0, 0, 0));
    for (int i = 0; i < 4; i++) addPiece(&scene, cube(0.5f), poseAt(0, 0.5f + (float)i, 0), 1);
    step(&scene, 50, 0.01f);
    wbRigid_RemoveBody(&scene.pile.rigid, scene.work.memory, 2);
    step(&scene, 200, 0.01f);
    for (int i = 1; i < 4; i++) assert_float_equal(scene.pile.rigid.y[i], (float)i - 0.5f, 0.01f);
    endScene(&scene);
}

static void testSleepsAndWakes(void **state) {
    (void)state;
    Scene scene;
    memset(&scene, 0, sizeof scene);
    scene.work = createWork(1, wb_simdAuto);
    assertOk(wbCreateStack(&scene.work, 3, false, 1, &scene.pile));
    wbRigid *rigid = &scene.pile.rigid;
    scene.pile.model.domain = &scene.pile.domain;
    scene.pile.model.params.sleep = true;
    for (int i = 0; i < 3; i++) rigid->bits[i] |= WB_RIGID_MAY_SLEEP;
    step(&scene, 200, 0.01f);
    for (int i = 0; i < 3; i++) assert_true(rigid->bits[i] & WB_RIGID_ASLEEP);
    const int contacts = rigid->contacts.count;
    step(&scene, 10, 0.01f);
    assert_int_equal(rigid->contacts.count, contacts);
    addPiece(&scene, cube(0.5f), poseAt(0.1f, 5, 0), 1);
    bool wasAwake = false;
    for (int i = 0; i < 400; i++) {
        step(&scene, 1, 0.01f);
        wasAwake |= !(rigid->bits[0] & WB_RIGID_ASLEEP);
    }
    assert_true(wasAwake);
    assert_float_equal(rigid->y[3], 3.5f, 0.02f);
    endScene(&scene);
}

// Two dimensions: nothing leaves the plane.
static void testFlat(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 2, wbMakeVec3(0, -g, 0));
    addPiece(&scene, makePiece(wb_pieceBox, 20, 0.5f, 0.5f), poseAt(0, -0.5f, 0), 0);
    wbRigid *rigid = &scene.pile.rigid;
    for (int i = 0; i < 20; i++) {
        const wbPose at = turnedPose(wbMakeVec3((float)(i % 4), 1 + 1.1f * (float)(i / 4), 0),
                                     wbMakeVec3(0, 0, 1), 0.3f * (float)i);
        addPiece(&scene,
                 i % 3 ? makePiece(wb_pieceBox, 0.4f, 0.3f, 0.5f) : makePiece(wb_pieceSphere, 0.4f, 0, 0), at,
                 1);
    }
    step(&scene, 500, 0.01f);
    for (int i = 1; i < rigid->count; i++) {
        assert_true(rigid->z[i] == 0 && rigid->vz[i] == 0 && rigid->wx[i] == 0 && rigid->wy[i] == 0);
        assert_true(rigid->qx[i] == 0 && rigid->qy[i] == 0);
        if (fabsf(rigid->x[i]) < 19) assert_true(rigid->y[i] > 0.25f);
    }
    endScene(&scene);
}

// Fast bodies

// Balls, cubes, and rods that turn far on their way.
static void testBulletsStop(void **state) {
    (void)state;
    const wbRigidPiece bullets[] = {makePiece(wb_pieceSphere, 0.05f, 0, 0),
                                    cube(0.05f),
                                    cube(0.05f),
                                    makePiece(wb_pieceCapsule, 0.02f, 0.3f, 0),
                                    makePiece(wb_pieceCylinder, 0.02f, 0.3f, 0),
                                    makePiece(wb_pieceBox, 0.02f, 0.3f, 0.02f),
                                    makePiece(wb_pieceCylinder, 0.3f, 0.01f, 0)};
    for (int k = 0; k < 7; k++) {
        Scene scene;
        startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
        const int wall =
            addPiece(&scene, makePiece(wb_pieceBox, 0.01f, 2, 2), poseAt(0, 0, 0), k == 2 ? 1000 : 0);
        const int body = addPiece(&scene, bullets[k],
                                  turnedPose(wbMakeVec3(-5.3f, 0.1f, 0), wbMakeVec3(1, 2, 3), 0.4f), 1);
        wbRigid *rigid = &scene.pile.rigid;
        rigid->vx[body] = k > 2 ? 20 : 200;
        if (k > 2) rigid->wy[body] = 30, rigid->wz[body] = 60;
        rigid->bits[body] |= WB_RIGID_BULLET;
        for (int i = 0; i < 50; i++) {
            step(&scene, 1, 0.01f);
            assert_true(rigid->x[body] < rigid->x[wall]);
        }
        endScene(&scene);
    }
}

// What is thin and turns about its own axis or the normal goes on: its surface comes no nearer to what bears it.
static void testThinBodiesRollAndSpin(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    const wbVec3 across = wbMakeVec3(1, 0, 0);
    const int capsule = addPiece(&scene, makePiece(wb_pieceCapsule, 0.01f, 0.49f, 0),
                                 turnedPose(wbMakeVec3(0, 0.01f, 0), across, 1.5707963f), 1);
    const int cylinder = addPiece(&scene, makePiece(wb_pieceCylinder, 0.02f, 0.5f, 0),
                                  turnedPose(wbMakeVec3(0, 0.02f, 3), across, 1.5707963f), 1);
    const int coin = addPiece(&scene, makePiece(wb_pieceCylinder, 0.5f, 0.01f, 0), poseAt(0, 0.01f, -3), 1);
    rigid->vx[capsule] = rigid->vx[cylinder] = 1;
    rigid->wz[capsule] = -100, rigid->wz[cylinder] = -50;
    rigid->friction[coin] = 0, rigid->wy[coin] = 3;
    step(&scene, 60, 1.0f / 60);
    assert_float_equal(rigid->x[capsule], 1, 0.01);
    assert_float_equal(rigid->x[cylinder], 1, 0.01);
    const wbPose pose = wbRigid_GetPose(rigid, coin);
    const wbVec3 mark = wbPose_Rotate(&pose, across);
    assert_float_equal(atan2f(-mark.z, mark.x), 3, 0.01);
    endScene(&scene);
}

// Degenerate input

static void testAllInOnePlace(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    for (int i = 0; i < 10000; i++) addPiece(&scene, cube(0.5f), poseAt(0, 0, 0), 1);
    wbArena_Reset(scene.work.arena);
    const wbStatus status = wbRigid_Step(&scene.pile.rigid, &scene.pile.model, &scene.work, 0.01f);
    assert_int_equal(status.code, wb_errorInput);
    endScene(&scene);
}

static void testFewInOnePlacePart(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    for (int i = 0; i < 100; i++) addPiece(&scene, cube(0.5f), poseAt(0, 0, 0), 1);
    step(&scene, 100, 0.01f);
    for (int i = 0; i < rigid->count; i++)
        assert_true(isfinite(rigid->x[i]) && fabsf(rigid->x[i]) < 100 && isfinite(rigid->wx[i]));
    assert_true(rigid->maxSpeed < 1000);
    endScene(&scene);
}

static void testNeedlesAndPlates(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 1, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    addPiece(&scene, makePiece(wb_pieceBox, 1, 1e-3f, 1e-3f), poseAt(0, 0.2f, 0), 0.1);
    addPiece(&scene, makePiece(wb_pieceBox, 1, 1e-3f, 1), poseAt(0, 0.4f, 0), 1);
    addPiece(&scene, makePiece(wb_pieceCapsule, 1e-3f, 1, 0), poseAt(0, 2, 0.1f), 0.1);
    step(&scene, 300, 0.01f);
    for (int i = 1; i < rigid->count; i++)
        assert_true(isfinite(rigid->y[i]) && rigid->y[i] > -0.1f && rigid->y[i] < 2.5f &&
                    fabsf(rigid->x[i]) < 5);
    endScene(&scene);
}

// A large body that touches more small ones than there are colours in a round.
static void testManyOnOne(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 2, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    const int tray = addPiece(&scene, makePiece(wb_pieceBox, 3, 0.1f, 3), poseAt(0, 0.1f, 0), 100);
    for (int i = 0; i < 400; i++)
        addPiece(&scene, cube(0.1f),
                 poseAt(-2.4f + 0.25f * (float)(i % 20), 0.31f, -2.4f + 0.25f * (float)(i / 20)), 0.1);
    scene.pile.model.params.sleep = false;
    step(&scene, 100, 0.01f);
    for (int i = tray + 1; i < rigid->count; i++) assert_float_equal(rigid->y[i], 0.3f, 0.01f);
    endScene(&scene);
}

// Sizes of 1 : 1000 together.
static void testUnlikeSizes(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, 2, wb_simdAuto, 3, wbMakeVec3(0, -g, 0));
    addPlane(&scene, poseAt(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    float x = 0;
    for (int i = 0; i < 11; i++) {
        const float half = 0.005f * powf(2, (float)i);
        x += 3 * half;
        addPiece(&scene, cube(half), poseAt(x, half, 0), 1000 * half * half * half);
        addPiece(&scene, cube(0.005f), poseAt(x, 2 * half + 0.005f, 0), 1e-3);
    }
    // a small one bears eight times its weight: contacts must be stiff for it
    scene.pile.model.params.hertz = 500;
    step(&scene, 200, 0.002f);
    for (int i = 1; i < rigid->count; i += 2) {
        const float half = 0.005f * powf(2, (float)(i / 2));
        assert_float_equal(rigid->y[i], half, 0.01f * half + 1e-4f);
        assert_float_equal(rigid->y[i + 1], 2 * half + 0.005f, 0.01f * half + 4e-4f);
    }
    endScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTopKeepsMomentum),
        cmocka_unit_test(testNeedlesKeepEnergy),
        cmocka_unit_test(testParabola),
        cmocka_unit_test(testCollisionKeepsMomentum),
        cmocka_unit_test(testBouncesByRestitution),
        cmocka_unit_test(testSlidesToAStop),
        cmocka_unit_test(testFrictionCone),
        cmocka_unit_test(testRolls),
        cmocka_unit_test(testRollingFriction),
        cmocka_unit_test(testStacksStand),
        cmocka_unit_test(testPileOnAnyThreads),
        cmocka_unit_test(testPileOfEverySet),
        cmocka_unit_test(testPileOfAnySize),
        cmocka_unit_test(testWarmStepsDoNotAllocate),
        cmocka_unit_test(testContactsAreHeld),
        cmocka_unit_test(testGoesOnFromSavedContacts),
        cmocka_unit_test(testDepthOfBoxes),
        cmocka_unit_test(testMixedShapesComeToRest),
        cmocka_unit_test(testCompoundStands),
        cmocka_unit_test(testSensorsTellAndLetPass),
        cmocka_unit_test(testFilters),
        cmocka_unit_test(testBodiesComeAndGo),
        cmocka_unit_test(testSleepsAndWakes),
        cmocka_unit_test(testFlat),
        cmocka_unit_test(testBulletsStop),
        cmocka_unit_test(testThinBodiesRollAndSpin),
        cmocka_unit_test(testAllInOnePlace),
        cmocka_unit_test(testFewInOnePlacePart),
        cmocka_unit_test(testNeedlesAndPlates),
        cmocka_unit_test(testManyOnOne),
        cmocka_unit_test(testUnlikeSizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
