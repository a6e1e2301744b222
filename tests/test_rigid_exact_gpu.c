// SPDX-License-Identifier: MIT
// Exact contacts of rigid bodies on a compute device: against the cores, against closed forms, and against themselves.
#include "rigid_exact_gpu_support.h"

// Against the cores

// Couples far from each other: two pieces that overlap a little, above one another, turned as they are given.
enum { COUPLES = 15 };
static void buildCouples(Scene *scene, wbHull *hull) {
    const wbRigidPiece box = makePiece(wb_pieceBox, 0.5f, 0.4f, 0.6f),
                       ball = makePiece(wb_pieceSphere, 0.5f, 0, 0),
                       capsule = makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0),
                       drum = makePiece(wb_pieceCylinder, 0.4f, 0.5f, 0), rock = makeHullPiece(hull);
    const struct {
        wbRigidPiece below, above;
        float height, turn;
    } couples[COUPLES] = {{box, box, 0.795f, 0},
                          {box, box, 0.96f, 0.8f},
                          {box, ball, 0.895f, 0},
                          {ball, ball, 0.99f, 0},
                          {box, capsule, 1.095f, 0},
                          {box, capsule, 0.695f, 1.5707963f},
                          {capsule, ball, 1.195f, 0},
                          {capsule, capsule, 0.595f, 0},
                          {drum, ball, 0.995f, 0},
                          {box, drum, 0.895f, 0},
                          {box, drum, 0.795f, 1.5707963f},
                          {drum, drum, 0.995f, 0},
                          {box, rock, 0, 0.4f},
                          {ball, rock, 0, 1},
                          {drum, capsule, 0.795f, 1.5707963f}};
    for (int k = 0; k < COUPLES; k++) {
        const float x = 5 * (float)k;
        const bool areBeside = k == 7; // capsules
        const wbPose pose = turnedPose(wbMakeVec3(x + (areBeside ? couples[k].height : 0.05f),
                                                  areBeside ? 0.1f : couples[k].height, 0.03f),
                                       wbMakeVec3(0, 0, 1), couples[k].turn);
        wbRigidPiece above = couples[k].above;
        wbPose at = pose;
        if (above.kind ==
            wb_pieceHull) { // so that its lowest point is a little below the top of what carries it
            const BroadBox bound = wbRigidPiece_Bound(&above, &at);
            at.position[1] += (couples[k].below.kind == wb_pieceSphere ? 0.495f : 0.395f) - bound.min[1];
        }
        addPiece(scene, couples[k].below, poseAt(x, 0, 0), 2);
        addPiece(scene, above, at, 1);
    }
    wbRigid *rigid = &scene->pile.rigid;
    for (int b = 1; b < rigid->count; b += 2) rigid->vy[b] = -0.5f, rigid->vx[b] = 0.2f, rigid->wy[b] = 0.3f;
}

static const wbContact *findContact(const wbRigid *rigid, int couple) {
    const wbContact *contacts = rigid->contacts.contacts.data;
    for (int k = 0; k < rigid->contacts.count; k++)
        if (contacts[k].bodies[0] == 2 * couple) return &contacts[k];
    return NULL;
}

static float findDeepest(const wbContact *contact) {
    float deepest = INFINITY;
    for (int i = 0; i < WB_MANIFOLD_POINTS; i++) deepest = fminf(deepest, contact->separation[i]);
    return deepest;
}

// One step from the same state: the same contacts, and the same motion after it.
static void testCouples(void **state) {
    (void)state;
    uint32_t seed = 7;
    wbHull *hull = randomHull(&seed, 24, 0.5f, 0.1f);
    Scene cores, device;
    startScene(&cores, wbMakeVec3(0, 0, 0)), startScene(&device, wbMakeVec3(0, 0, 0));
    buildCouples(&cores, hull), buildCouples(&device, hull);
    stepCores(&cores, 1, 0.01f), step(&device, 1, 0.01f);
    pull(&device);
    const wbRigid *a = &cores.pile.rigid, *b = &device.pile.rigid;
    assert_int_equal(a->contacts.count, COUPLES);
    assert_int_equal(b->contacts.count, COUPLES);
    for (int k = 0; k < COUPLES; k++) {
        const wbContact *one = findContact(a, k), *two = findContact(b, k);
        assert_non_null(one), assert_non_null(two);
        for (int c = 0; c < 3; c++) assertNear(one->normal[c], two->normal[c], 1e-5, "normal", k);
        assertNear(findDeepest(one), findDeepest(two), 1e-6, "separation", k);
        for (int body = 2 * k; body < 2 * k + 2; body++) {
            const double tolerance = k == 11 ? 2e-3 : 1e-4; // of two drums' ends other points are chosen
            assertNear(a->vx[body], b->vx[body], tolerance, "vx", body);
            assertNear(a->vy[body], b->vy[body], tolerance, "vy", body);
            assertNear(a->wz[body], b->wz[body], 4 * tolerance, "wz", body);
        }
    }
    endScene(&cores), endScene(&device);
    wbDestroyHull(hull);
}

// Boxes by themselves, between sides, some of which tumble: the same formulas, so the same motion for a while.
static void testBoxesAsOnCores(void **state) {
    (void)state;
    Scene scenes[2];
    for (int n = 0; n < 2; n++) {
        Scene *scene = &scenes[n];
        startScene(scene, wbMakeVec3(1, -g, 0));
        scene->pile.domain.closed[wb_bottom] = scene->pile.domain.closed[wb_left] = true;
        for (int k = 0; k < 7; k++) {
            const wbPose pose =
                turnedPose(wbMakeVec3(0.6f + 2.5f * (float)k, 0.55f, 0), wbMakeVec3(1, 1, (float)k), 0.1f);
            const int body =
                addPiece(scene, makePiece(wb_pieceBox, 0.5f, 0.3f + 0.05f * (float)k, 0.4f), pose, 1);
            scene->pile.rigid.rollingFriction[body] = k == 4 ? 0.1f : 0;
            scene->pile.rigid.wx[body] = (float)k;
        }
    }
    stepCores(&scenes[0], 40, 0.01f), step(&scenes[1], 40, 0.01f);
    pull(&scenes[1]);
    const wbRigid *a = &scenes[0].pile.rigid, *b = &scenes[1].pile.rigid;
    for (int k = 0; k < 7; k++) {
        assertNear(a->x[k], b->x[k], 2e-5, "x", k), assertNear(a->y[k], b->y[k], 2e-5, "y", k);
        assertNear(a->qz[k], b->qz[k], 2e-5, "qz", k), assertNear(a->vy[k], b->vy[k], 1e-3, "vy", k);
    }
    endScene(&scenes[0]), endScene(&scenes[1]);
}

// Meshes

static float getHill(float x, float z) { return 0.35f * sinf(0.9f * x) * cosf(1.1f * z); }

// Heights at every metre, or so: pieces lie over ridges, in hollows and on corners.
static wbShape *makeHills(int count, float spacing) {
    float heights[40 * 40];
    wbMesh mesh;
    assert_true(count <= 40);
    for (int i = 0; i < count * count; i++)
        heights[i] = getHill(spacing * ((float)(i % count) - 0.5f * (float)(count - 1)),
                             spacing * ((float)(i / count) - 0.5f * (float)(count - 1)));
    const wbHeightsParams params = {heights, count, count, spacing, 1};
    return shapeOf(wbMakeHeights(&params, &mesh), &mesh);
}

static int addMesh(Scene *scene, wbShape *shape, wbPose pose) {
    return addPiece(scene, (wbRigidPiece){.kind = wb_pieceMesh, .pose = wb_poseAtOrigin, .shape = shape},
                    pose, 0);
}

enum { ON_HILLS = 50 };
// Pieces of all kinds fall on hills, or each on a ring.
static void buildGround(Scene *scene, wbShape *ground, bool areRings, wbHull *hull) {
    const wbRigidPiece pieces[5] = {makePiece(wb_pieceBox, 0.5f, 0.3f, 0.4f),
                                    makePiece(wb_pieceSphere, 0.4f, 0, 0),
                                    makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0),
                                    makePiece(wb_pieceCylinder, 0.4f, 0.5f, 0), makeHullPiece(hull)};
    uint32_t seed = 11;
    startScene(scene, wbMakeVec3(0, -g, 0));
    for (int k = 0; k < ON_HILLS; k++) {
        wbPose pose = randomPose(&seed, 0);
        pose.position[0] = 1.9f * (float)(k % 10) - 8.5f, pose.position[2] = 2.3f * (float)(k / 10) - 4.6f;
        pose.position[1] = 1;
        addPiece(scene, pieces[(k + k / 10) % 5], pose, 1 + k % 3);
    }
    if (!areRings) addMesh(scene, ground, turnedPose(wbMakeVec3(0, 0, 0), wbMakeVec3(0, 1, 0), 0.3f));
    for (int k = 0; k < ON_HILLS && areRings; k++)
        addMesh(scene, ground, poseAt(1.9f * (float)(k % 10) - 8.1f, 0.1f, 2.3f * (float)(k / 10) - 4.6f));
}

// Of the contacts of a body the one whose normal is most like another's.
static const wbContact *findAlike(const wbRigid *rigid, const wbContact *other) {
    const wbContact *contacts = rigid->contacts.contacts.data, *best = NULL;
    float most = -2;
    for (int k = 0; k < rigid->contacts.count; k++) {
        const wbContact *c = &contacts[k];
        const float along = c->normal[0] * other->normal[0] + c->normal[1] * other->normal[1] +
                            c->normal[2] * other->normal[2];
        if (memcmp(c->bodies, other->bodies, sizeof c->bodies) != 0 || along <= most) continue;
        most = along, best = c;
    }
    return best;
}

// Whether a contact is also on the other machine.
static bool isAlso(const wbRigid *rigid, const wbContact *one) {
    const wbContact *two = findAlike(rigid, one);
    double most = 0;
    for (int c = 0; c < 3 && two; c++) most = fmax(most, fabs((double)one->normal[c] - two->normal[c]));
    return two && most < 1e-3 && fabsf(findDeepest(one) - findDeepest(two)) < 5e-6f;
}

// One step from the same state, in which nothing is known of pairs, and then from one in which it is.
static void testGroundAsOnCores(void **state) {
    (void)state;
    uint32_t seed = 7;
    wbHull *hull = randomHull(&seed, 24, 0.5f, 0.1f);
    wbMesh ring;
    wbShape *grounds[2] = {makeHills(32, 0.7f), shapeOf(wbMakeTorus(0.5f, 0.1f, 48, &ring), &ring)};
    for (int round = 0; round < 4; round++) {
        const bool areRings = round >= 2;
        Scene cores, device;
        buildGround(&cores, grounds[areRings], areRings, hull);
        buildGround(&device, grounds[areRings], areRings, hull);
        const int before = 36 + 12 * round;
        stepCores(&cores, before, 0.01f), stepCores(&device, before, 0.01f);
        const wbRigid *a = &cores.pile.rigid, *b = &device.pile.rigid;
        if (round % 2 == 0) {
            wbClearCaches(&cores.pile.rigid.contacts, a->contacts.pairCounts[wb_pairOther]);
            wbClearCaches(&device.pile.rigid.contacts, b->contacts.pairCounts[wb_pairOther]);
        }
        wbRigidExactGpu_Invalidate(device.device);
        stepCores(&cores, 1, 0.01f), step(&device, 1, 0.01f);
        pull(&device);
        const wbContact *contacts = a->contacts.contacts.data;
        int lost = 0;
        for (int k = 0; k < a->contacts.count; k++) lost += !isAlso(b, &contacts[k]);
        // where two contacts are as deep, or two ways out as short, floats decide otherwise than doubles: at most one
        assert_true(a->contacts.count >= 40 &&
                    abs(a->contacts.count - b->contacts.count) <= 1 + 3 * areRings);
        assert_true(lost <= 1);
        for (int k = 0; k < ON_HILLS; k++) {
            const double tolerance = areRings ? 0.1 : 0.03;
            assertNear(a->vx[k], b->vx[k], tolerance, "vx", k),
                assertNear(a->vy[k], b->vy[k], tolerance, "vy", k);
            assertNear(a->wz[k], b->wz[k], 4 * tolerance, "wz", k);
        }
        endScene(&cores), endScene(&device);
    }
    wbDestroyShape(grounds[0]), wbDestroyShape(grounds[1]);
    wbDestroyHull(hull);
}

// They come to rest there, on more triangles than there is room for at first, and what rests sleeps.
static void testRestOnHills(void **state) {
    (void)state;
    wbShape *hills = makeHills(40, 0.1f);
    Scene scene;
    startScene(&scene, wbMakeVec3(0, -g, 0));
    addMesh(&scene, hills, poseAt(0, 0, 0));
    addPiece(&scene, makePiece(wb_pieceBox, 1.2f, 0.2f, 1.2f), poseAt(0.2f, 0.7f, 0), 1);
    addPiece(&scene, cube(0.2f), poseAt(-1, 0.3f, -1), 1);
    step(&scene, 200, 1.0f / 60);
    pull(&scene);
    const wbRigid *rigid = &scene.pile.rigid;
    assert_true(scene.device->groundRoom > RIGID_GROUND_ROOM * scene.device->marks.pairCounts[wb_pairOther]);
    for (int k = 1; k < 3; k++) {
        assert_true(rigid->bits[k] & WB_RIGID_ASLEEP);
        assert_true(rigid->y[k] > -0.4f && rigid->y[k] < 0.8f);
    }
    assert_true(wbRigid_GetKinetic(rigid) < 1e-3);
    endScene(&scene);
    wbDestroyShape(hills);
}

// One whose centre is inside of a mesh is pushed out of it; another is carried by a mesh that moves.
static void testMovingMesh(void **state) {
    (void)state;
    wbMesh mesh;
    wbShape *table = shapeOf(wbMakeBox(wbMakeVec3(4, 1, 4), &mesh), &mesh);
    Scene scene;
    startScene(&scene, wbMakeVec3(0, -g, 0));
    const int below = addMesh(&scene, table, poseAt(0, -0.5f, 0));
    const int box = addPiece(&scene, cube(0.3f), poseAt(0, 0.3f, 0), 1),
              ball = addPiece(&scene, makePiece(wb_pieceSphere, 0.2f, 0, 0), poseAt(1.2f, -0.1f, 1), 1);
    wbRigid *rigid = &scene.pile.rigid;
    rigid->bits[below] |= WB_RIGID_KINEMATIC, rigid->vx[below] = 0.5f;
    step(&scene, 100, 0.01f);
    pull(&scene);
    assertNear(rigid->x[below], 0.5, 1e-4, "place", below);
    assertNear(rigid->vx[box], 0.5, 0.01, "speed", box);
    assertNear(rigid->y[box], 0.3, 0.005, "height", box);
    assert_true(rigid->y[ball] > 0.15f);
    endScene(&scene);
    wbDestroyShape(table);
}

// Closed forms

typedef struct Momentum {
    double p[3], l[3];
} Momentum;

static Momentum sumMomentum(const wbRigid *rigid) {
    Momentum sum = {{0}, {0}};
    for (int i = 0; i < rigid->count; i++) {
        const double m = 1 / (double)rigid->inverseMass[i];
        const wbVec3d p = {m * rigid->vx[i], m * rigid->vy[i], m * rigid->vz[i]},
                      x = {rigid->x[i], rigid->y[i], rigid->z[i]};
        const wbVec3d l = wbAddScaled3d(wbRigid_GetSpinMomentum(rigid, i), 1, wbCross3d(x, p));
        sum.p[0] += p.x, sum.p[1] += p.y, sum.p[2] += p.z;
        sum.l[0] += l.x, sum.l[1] += l.y, sum.l[2] += l.z;
    }
    return sum;
}

// All shapes, with friction, of unlike masses; apart at first, since what is pushed apart takes its momentum elsewhere.
static void testCollisionKeepsMomentum(void **state) {
    (void)state;
    const wbRigidPiece pieces[4] = {cube(0.5f), makePiece(wb_pieceSphere, 0.5f, 0, 0),
                                    makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0),
                                    makePiece(wb_pieceCylinder, 0.4f, 0.5f, 0)};
    Scene scene;
    startScene(&scene, wbMakeVec3(0, 0, 0));
    wbRigid *rigid = &scene.pile.rigid;
    for (int i = 0; i < 8; i++) {
        const wbPose pose =
            turnedPose(wbMakeVec3(1.8f * (float)(i % 2), 1.8f * (float)(i / 2 % 2), 1.8f * (float)(i / 4)),
                       wbMakeVec3(1, (float)i, 2), 0.4f * (float)i);
        const int body = addPiece(&scene, pieces[i % 4], pose, 1 + i);
        rigid->vx[body] = i % 2 ? -2 : 2, rigid->vy[body] = i / 2 % 2 ? -1.5f : 1.5f,
        rigid->vz[body] = i / 4 ? -1 : 1;
        rigid->linearDamping[body] = rigid->angularDamping[body] = 0;
    }
    const Momentum before = sumMomentum(rigid);
    step(&scene, 400, 0.002f);
    pull(&scene);
    const Momentum after = sumMomentum(rigid);
    for (int k = 0; k < 3; k++) {
        assertNear(before.p[k], after.p[k], 1e-4, "momentum",
                   k); // a millionth of what all of them have together
        assertNear(before.l[k], after.l[k], 0.05, "angular momentum",
                   k); // arms of impulses are those where a step begins
    }
    endScene(&scene);
}

// Moments 1 : 2 : 3, spun about the middle one: it turns over and over.
static void testTop(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, wbMakeVec3(0, 0, 0));
    const wbRigidPiece piece = cube(0.5f);
    wbRigidBodySetup setup = makeBody(&piece, 1, poseAt(0, 0, 0), 1);
    memset(setup.solid.inertia, 0, sizeof setup.solid.inertia);
    for (int k = 0; k < 3; k++) setup.solid.inertia[k][k] = 1 + k;
    setup.spin[0] = 0.01f, setup.spin[1] = 5, setup.spin[2] = 0.02f;
    const int body = addBody(&scene, &setup);
    const wbRigid *rigid = &scene.pile.rigid;
    const wbVec3d before = wbRigid_GetSpinMomentum(rigid, body);
    const double energy = wbRigid_GetKinetic(rigid);
    step(&scene, 400, 0.01f);
    pull(&scene);
    const wbVec3d d = wbSub3d(wbRigid_GetSpinMomentum(rigid, body), before);
    assert_true(sqrt(wbDot3d(d, d)) < 1e-4 * sqrt(wbDot3d(before, before)));
    assertNear(wbRigid_GetKinetic(rigid) / energy, 1, 1e-3, "energy", 0);
    endScene(&scene);
}

// Each shape on ground of every kind comes to rest at its height.
static void testShapesRest(void **state) {
    (void)state;
    const wbRigidPiece pieces[4] = {
        makePiece(wb_pieceBox, 0.5f, 0.4f, 0.6f), makePiece(wb_pieceSphere, 0.5f, 0, 0),
        makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0), makePiece(wb_pieceCylinder, 0.4f, 0.5f, 0)};
    static const float heights[4] = {0.4f, 0.5f, 0.3f, 0.4f}; // the last two lie
    for (int below = 0; below < 3; below++) {
        Scene scene;
        startScene(&scene, wbMakeVec3(0, -g, 0));
        scene.pile.domain.closed[wb_bottom] = below == 2;
        for (int k = 0; k < 4; k++)
            addPiece(&scene, pieces[k],
                     turnedPose(wbMakeVec3(3 * (float)k, 0.6f, 0), wbMakeVec3(0, 0, 1), k < 2 ? 0.1f : 1.5f),
                     1);
        if (below == 0) addPiece(&scene, makePiece(wb_piecePlane, 0, 0, 0), poseAt(0, 0, 0), 0);
        if (below == 1) addPiece(&scene, makePiece(wb_pieceBox, 30, 1, 30), poseAt(0, -1, 0), 0);
        step(&scene, 150, 1.0f / 60);
        pull(&scene);
        for (int k = 0; k < 4; k++) assertNear(scene.pile.rigid.y[k], heights[k], 2e-3, "height", k);
        assert_true(scene.pile.rigid.bits[0] & WB_RIGID_ASLEEP);
        endScene(&scene);
    }
}

// Piles

static void testStack(void **state) {
    (void)state;
    Scene scene;
    memset(&scene, 0, sizeof scene);
    scene.work = createWork(1, wb_simdAuto);
    assertOk(wbCreateStack(&scene.work, 10, true, 1, &scene.pile));
    openDevice(&scene);
    step(&scene, 300, 0.01f);
    pull(&scene);
    const wbPileQuality quality = wbRigidPile_Measure(&scene.pile);
    assert_true(quality.top > 9.45 && quality.top < 9.51 && quality.drift < 0.12);
    assert_true(quality.overlaps.max < 0.01);
    endScene(&scene);
}

static void testPile(void **state) {
    (void)state;
    Scene scene;
    startPile(&scene, 200);
    step(&scene, 300, 1.0f / 60);
    pull(&scene);
    const wbPileQuality quality = wbRigidPile_Measure(&scene.pile);
    assert_int_equal(quality.escaped, 0);
    assert_true(quality.overlaps.max < 0.01 && quality.overlaps.mean < 1e-3 && quality.maxBeyond < 0.01);
    assert_true(quality.kinetic < 1 && quality.top < 6);
    endScene(&scene);
}

// No two contacts of a colour have a body in common that forces move, and each contact is in one.
static void testColours(void **state) {
    (void)state;
    Scene scene;
    startPile(&scene, 60);
    step(&scene, 120, 1.0f / 60);
    const wbRigidExactGpu *device = scene.device;
    const int count = device->marks.contactCount, *firsts = device->colourFirsts.data;
    RigidPlan plans[1000];
    int slots[2000], seen[1000] = {0};
    assert_true(count > 60 && count < 1000);
    assertOk(wbGpu_Download(scene.gpu, &device->plans, plans, sizeof(RigidPlan) * (size_t)count));
    assertOk(
        wbGpu_Download(scene.gpu, &device->slots, slots, sizeof(int) * (size_t)firsts[device->colourCount]));
    for (int colour = 0; colour < device->colourCount; colour++) {
        bool taken[60] = {false};
        for (int s = firsts[colour]; s < firsts[colour + 1]; s++) {
            if (slots[s] < 0) continue;
            const RigidPlan *plan = &plans[slots[s]];
            assert_int_equal(plan->slot, s);
            seen[slots[s]]++;
            assert_false(taken[plan->a]);
            taken[plan->a] = true;
            if (plan->b >= 60) continue; // a side
            assert_false(taken[plan->b]);
            taken[plan->b] = true;
        }
    }
    for (int k = 0; k < count; k++) assert_int_equal(seen[k], 1);
    endScene(&scene);
}

// More touch one body than there are colours at once.
static void testCrowd(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, wbMakeVec3(0, -g, 0));
    addPiece(&scene, makePiece(wb_piecePlane, 0, 0, 0), poseAt(0, -0.5f, 0), 0);
    addPiece(&scene, makePiece(wb_pieceBox, 6, 0.5f, 6), poseAt(0, 0, 0), 100);
    for (int k = 0; k < 100; k++)
        addPiece(&scene, makePiece(wb_pieceSphere, 0.3f, 0, 0),
                 poseAt(1.1f * (float)(k % 10) - 4.95f, 0.79f, 1.1f * (float)(k / 10) - 4.95f), 1);
    step(&scene, 10, 0.01f);
    assert_true(scene.device->colourCount >= 100);
    pull(&scene);
    for (int k = 0; k < 100; k++) assertNear(scene.pile.rigid.y[k + 2], 0.8, 0.02, "height", k);
    endScene(&scene);
}

// The same bits

// A pile of 61 of all shapes, with hills below, twice; and once more with a new device halfway, that gets its state from the host.
static void testSameBits(void **state) {
    (void)state;
    wbShape *hills = makeHills(20, 0.5f);
    uint64_t hashes[3];
    for (int n = 0; n < 3; n++) {
        Scene scene;
        startPile(&scene, 43);
        scene.pile.model.params.sleep = true;
        for (int k = 0; k < 18; k++)
            addPiece(&scene,
                     k % 3 ? makePiece(wb_pieceSphere, 0.4f, 0, 0)
                           : makePiece(wb_pieceCapsule, 0.3f, 0.4f, 0),
                     poseAt(1.1f * (float)(k % 5) - 2, 9 + (float)(k / 5), 0.3f * (float)(k % 7)), 1);
        addMesh(&scene, hills, poseAt(0, 0.2f, 0));
        step(&scene, 40, 1.0f / 60);
        if (n == 2) {
            pull(&scene);
            wbDestroyRigidExactGpu(scene.device);
            assertOk(wbCreateRigidExactGpu(scene.work.memory, scene.gpu, &scene.device));
        }
        step(&scene, 40, 1.0f / 60);
        pull(&scene);
        assert_true(scene.pile.rigid.contacts.count > 61);
        hashes[n] = hashState(&scene.pile.rigid);
        endScene(&scene);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_equal(hashes[0], hashes[2]);
    wbDestroyShape(hills);
}

// From the cores to the device and back, in the middle of a fall: a pile as good as any.
static void testChangesMachine(void **state) {
    (void)state;
    Scene scene;
    startPile(&scene, 27);
    for (int k = 0; k < 8; k++) {
        stepCores(&scene, 15, 1.0f / 60);
        wbRigidExactGpu_Invalidate(scene.device);
        step(&scene, 15, 1.0f / 60);
        pull(&scene);
    }
    const wbPileQuality quality = wbRigidPile_Measure(&scene.pile);
    assert_true(quality.escaped == 0 && quality.overlaps.max < 0.01 && quality.kinetic < 0.1);
    endScene(&scene);
}

// What the host does

static int countAsleep(const wbRigid *rigid) {
    int count = 0;
    for (int b = 0; b < rigid->count; b++) count += (rigid->bits[b] & WB_RIGID_ASLEEP) != 0;
    return count;
}

// Boxes begin to touch, fall asleep, are hit, awake all together, and sleep again: told as on the cores.
static void testSleepAndEvents(void **state) {
    (void)state;
    int begins[2] = {0}, hits[2] = {0}, asleep[2][3];
    for (int n = 0; n < 2; n++) {
        Scene scene;
        startScene(&scene, wbMakeVec3(0, -g, 0));
        addPiece(&scene, makePiece(wb_piecePlane, 0, 0, 0), poseAt(0, 0, 0), 0);
        for (int k = 0; k < 3; k++) addPiece(&scene, cube(0.5f), poseAt(0, 0.52f + 1.02f * (float)k, 0), 1);
        const int ball = addPiece(&scene, makePiece(wb_pieceSphere, 0.5f, 0, 0), poseAt(6, 40, 0), 1);
        for (int i = 0; i < 330; i++) {
            if (n == 0)
                stepCores(&scene, 1, 1.0f / 60);
            else
                step(&scene, 1, 1.0f / 60);
            if (i <= 100) begins[n] += scene.pile.rigid.events.beginCount;
            hits[n] += scene.pile.rigid.events.hitCount;
            if (i == 100) asleep[n][0] = countAsleep(&scene.pile.rigid);
            if (i == 105) { // a ball against the lowest box
                if (n == 1) pull(&scene), wbRigidExactGpu_Invalidate(scene.device);
                wbRigid *rigid = &scene.pile.rigid;
                rigid->x[ball] = 1.6f, rigid->y[ball] = 0.5f, rigid->vx[ball] = -3, rigid->vy[ball] = 0;
                rigid->contacts.isStale = 1;
            }
            if (i == 125) asleep[n][1] = countAsleep(&scene.pile.rigid);
        }
        asleep[n][2] = countAsleep(&scene.pile.rigid);
        endScene(&scene);
    }
    for (int n = 0; n < 2; n++) {
        assert_int_equal(asleep[n][0], 3);
        assert_int_equal(asleep[n][1], 0);
        assert_true(asleep[n][2] >= 3);
        assert_int_equal(begins[n], 3);
        assert_true(hits[n] >= 1);
    }
    assert_int_equal(hits[0], hits[1]);
}

// Through a wall that is a hundredth as thick as the way of a step.
static void testFastBody(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, wbMakeVec3(0, 0, 0));
    addPiece(&scene, makePiece(wb_pieceBox, 0.005f, 2, 2), poseAt(3, 0, 0), 0);
    const int ball = addPiece(&scene, makePiece(wb_pieceBox, 0.1f, 0.2f, 0.15f), poseAt(0, 0, 0), 1);
    scene.pile.rigid.vx[ball] = 100;
    step(&scene, 20, 0.01f);
    pull(&scene);
    assert_true(scene.pile.rigid.x[ball] < 3);
    endScene(&scene);
}

// Forces of programs hold for a step; those that are computed come from where bodies are on the device.
static void testForces(void **state) {
    (void)state;
    Scene scene;
    startScene(&scene, wbMakeVec3(0, 0, 0));
    const int body = addPiece(&scene, cube(0.5f), poseAt(0, 0, 0), 2);
    step(&scene, 1, 0.01f);
    pull(&scene);
    scene.pile.rigid.fx[body] = 4, scene.pile.rigid.ty[body] = 1;
    step(&scene, 2, 0.01f);
    pull(&scene);
    assertNear(scene.pile.rigid.vx[body], 0.02, 1e-6, "velocity", body);
    assertNear(scene.pile.rigid.wy[body], 0.01 * 6 / 2, 1e-5, "spin", body);
    endScene(&scene);
}

int main(void) {
    const int missing = findDevice();
    const struct CMUnitTest tests[] = {cmocka_unit_test(testCouples),
                                       cmocka_unit_test(testBoxesAsOnCores),
                                       cmocka_unit_test(testGroundAsOnCores),
                                       cmocka_unit_test(testRestOnHills),
                                       cmocka_unit_test(testMovingMesh),
                                       cmocka_unit_test(testCollisionKeepsMomentum),
                                       cmocka_unit_test(testTop),
                                       cmocka_unit_test(testShapesRest),
                                       cmocka_unit_test(testStack),
                                       cmocka_unit_test(testPile),
                                       cmocka_unit_test(testColours),
                                       cmocka_unit_test(testCrowd),
                                       cmocka_unit_test(testSameBits),
                                       cmocka_unit_test(testChangesMachine),
                                       cmocka_unit_test(testSleepAndEvents),
                                       cmocka_unit_test(testFastBody),
                                       cmocka_unit_test(testForces)};
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
