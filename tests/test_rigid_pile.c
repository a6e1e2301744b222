// SPDX-License-Identifier: MIT
// Stacks and piles of rigid bodies: how deep they overlap, on any threads and machine, and what is kept of them.
#include "rigid_scene_support.h"

// Stacks and piles

static void checkStack(bool isUneven, float scale) {
    Scene scene;
    startStack(&scene, 10, isUneven, scale);
    // the same motion at another size: times go by its root
    const float pace = sqrtf(scale);
    scene.pile.model.params.hertz /= pace;
    scene.pile.model.params.pushSpeed *= pace;
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
    startJumble(&scene, threads, simd, count, 12345, 1);
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

// As good in edges from grains to houses, where steps follow how long a fall by an edge takes. Grains are stopped with longer steps, too;
// in some of their piles a few lie far deeper than the rest, so that these are judged by what ten have on average.
static void testPileOfAnySize(void **state) {
    (void)state;
    static const struct {
        float edge, dt, mean, most;
        int steps, piles;
    } rows[] = {{1e-3f, 1e-3f, 0.002f, 0.02f, 400, 1},
                {1e-3f, 0.01f, 0.04f, 0.25f, 150, 10},
                {0.01f, 0.01f, 0.002f, 0.02f, 150, 1},
                {10, 0.01f, 2e-4f, 2e-3f, 1500, 1},
                {100, 0.05f, 2e-4f, 2e-3f, 1000, 1}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const double edge = (double)rows[k].edge;
        double mean = 0, most = 0, kinetic = 0;
        for (int pile = 0; pile < rows[k].piles; pile++) {
            Scene scene;
            startJumble(&scene, 1, wb_simdAuto, 60, 3 + (uint32_t)pile, rows[k].edge);
            step(&scene, rows[k].steps, rows[k].dt);
            const wbPileQuality quality = wbRigidPile_Measure(&scene.pile);
            mean += quality.overlaps.mean / (edge * rows[k].piles);
            most += quality.overlaps.max / (edge * rows[k].piles);
            kinetic += quality.kinetic / (9.81 * 60 * edge * rows[k].piles);
            assert_int_equal(quality.escaped, 0);
            endScene(&scene);
        }
        assertBelow(mean, (double)rows[k].mean, "mean overlap");
        assertBelow(most, (double)rows[k].most, "largest overlap");
        assertBelow(kinetic, 1e-3, "kinetic energy by weight and edge");
    }
}

static void testWarmStepsDoNotAllocate(void **state) {
    (void)state;
    Scene scene;
    startJumble(&scene, 2, wb_simdAuto, 200, 777, 1);
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
        startJumble(&scenes[k], 1, wb_simdAuto, 100, 5, 1);
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

// Two boxes of any sizes: how deep they overlap, against a plain search over all axes in double.

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testStacksStand),
        cmocka_unit_test(testPileOnAnyThreads),
        cmocka_unit_test(testPileOfEverySet),
        cmocka_unit_test(testPileOfAnySize),
        cmocka_unit_test(testWarmStepsDoNotAllocate),
        cmocka_unit_test(testGoesOnFromSavedContacts),
        cmocka_unit_test(testContactsAreHeld),
        cmocka_unit_test(testDepthOfBoxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
