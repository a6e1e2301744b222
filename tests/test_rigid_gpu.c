// SPDX-License-Identifier: MIT
// Rigid bodies as particles on a compute device: steps against the reference, and what they promise by themselves.
#include "gpu_support.h"
#include "rigid/rigid_gpu.h"
#include "rigid/rigid_guest.h"
#include "rigid_particles_support.h"
#include "shape/shape.h"
#include "shape/shape_make.h"

typedef struct DeviceScene {
    Scene scene;
    wbGpu *gpu;
    wbRigidGpu *device;
} DeviceScene;

static DeviceScene openScene(void) {
    DeviceScene d = {.scene = createScene(1, wb_simdAuto)};
    assertOk(wbOpenGpu(d.scene.work.memory, 0, &d.gpu));
    assertOk(wbCreateRigidGpu(d.scene.work.memory, d.gpu, &d.device));
    return d;
}

static void closeScene(DeviceScene *d) {
    wbDestroyRigidGpu(d->device);
    wbCloseGpu(d->gpu);
    destroyScene(&d->scene);
}

static void stepDevice(DeviceScene *d, float seconds) {
    wbArena_Reset(d->scene.work.arena);
    assertOk(wbRigidGpu_Step(d->device, &d->scene.rigid, &d->scene.model, &d->scene.work, seconds));
    *d->scene.domain = wbDomain_At(d->scene.domain, seconds);
}

static void pull(DeviceScene *d) {
    assert_true(wbRigidGpu_IsNewer(d->device));
    assertOk(wbRigidGpu_Pull(d->device, &d->scene.rigid));
}

static void testAgainstReference(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 4; integrator++)
        for (int seed = 0; seed < 2; seed++) {
            DeviceScene d = openScene();
            buildMixture(&d.scene);
            wbRigidGpu_SetGroupSize(d.device, seed ? 64 : 0);
            d.scene.model.params.integrator = (wbRigidIntegrator)integrator;
            d.scene.model.params.seed = seed;
            refRigid *reference = createReference(&d.scene, 0.001f);
            for (int k = 0; k < 10; k++) stepDevice(&d, 0.004f), refStepRigid(reference, (double)0.004f, 4);
            pull(&d);
            compare(&d.scene.rigid, reference, 1e-5);
            refDestroyRigid(reference);
            closeScene(&d);
        }
}

// From the cores to the device and back: contacts remember.
static void testChangesMachine(void **state) {
    (void)state;
    DeviceScene d = openScene();
    buildMixture(&d.scene);
    refRigid *reference = createReference(&d.scene, 0.001f);
    for (int k = 0; k < 12; k++) {
        if (k / 3 % 2) {
            stepDevice(&d, 0.004f);
            if (k % 3 == 2) pull(&d), wbRigidGpu_Invalidate(d.device);
        } else {
            stepScene(&d.scene, 0.004f);
        }
        refStepRigid(reference, (double)0.004f, 4);
    }
    compare(&d.scene.rigid, reference, 2e-5);
    refDestroyRigid(reference);
    closeScene(&d);
}

static void testSameBits(void **state) {
    (void)state;
    static const int sizes[3] = {0, 0, 64};
    uint64_t hashes[3];
    for (int n = 0; n < 3; n++) {
        DeviceScene d = openScene();
        for (uint32_t k = 0; k < 64; k++)
            addBox(&d.scene,
                   randomPose(k, wbMakeVec3(1.3f * (float)(k % 4), 1 + 1.3f * (float)(k / 16),
                                            1.3f * (float)(k / 4 % 4))),
                   1, 1);
        closeSide(&d.scene, wb_bottom, 0);
        wbRigidGpu_SetGroupSize(d.device, sizes[n]);
        for (int k = 0; k < 60; k++) stepDevice(&d, 0.01f);
        pull(&d);
        assert_true(d.scene.rigid.particles.contactCount > 20);
        hashes[n] = hashBodies(&d.scene.rigid);
        closeScene(&d);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_equal(hashes[0], hashes[2]); // the size of groups does not matter
}

// A box sticks to a slope, and rests on a plane as deep as springs say.
static void testSlope(void **state) {
    (void)state;
    DeviceScene d = openScene();
    const wbRigidPiece plane = makePiece(wb_piecePlane, 0, 0, 0);
    addPieces(&d.scene, &plane, 1, poseAt(0, 0, 0), 0, 0);
    addBox(&d.scene, poseAt(0, 0.5f, 0), 1, 2);
    d.scene.domain->gravity = wbMakeVec3(2, -9.81f, 0);
    for (int k = 0; k < 100; k++) stepDevice(&d, 0.01f);
    pull(&d);
    const float start = d.scene.rigid.x[1];
    for (int k = 0; k < 100; k++) stepDevice(&d, 0.01f);
    pull(&d);
    assertBelow(fabsf(d.scene.rigid.x[1] - start), 1e-4, "creep");
    assertBelow(fabs((double)d.scene.rigid.y[1] - 0.5), 0.02 / 6, "overlap");
    closeScene(&d);
}

// Against the cores

typedef struct Pair {
    DeviceScene device;
    Scene cores;
} Pair;

typedef void Build(Scene *scene, int variant);

static Pair openPair(Build *build, int variant) {
    Pair pair = {openScene(), createScene(1, wb_simdAuto)};
    build(&pair.device.scene, variant), build(&pair.cores, variant);
    return pair;
}

static void closePair(Pair *pair) {
    closeScene(&pair->device);
    destroyScene(&pair->cores);
}

static void stepPair(Pair *pair, int count, float dt) {
    for (int k = 0; k < count; k++) stepDevice(&pair->device, dt), stepScene(&pair->cores, dt);
    pull(&pair->device);
}

// Bodies that are apart by more than so many m or, in their velocities, a hundred times as many m/s.
static int countApart(const Pair *pair, float tolerance) {
    const wbRigid *a = &pair->device.scene.rigid, *b = &pair->cores.rigid;
    int count = 0;
    for (int i = 0; i < a->count; i++) {
        const wbVec3 place = {a->x[i] - b->x[i], a->y[i] - b->y[i], a->z[i] - b->z[i]},
                     speed = {a->vx[i] - b->vx[i], a->vy[i] - b->vy[i], a->vz[i] - b->vz[i]};
        count += !(sqrtf(wbDot(place, place)) <= tolerance && sqrtf(wbDot(speed, speed)) <= 100 * tolerance);
    }
    return count;
}

// Without springs across contacts they forget, and begin anew when there are some again.
static void buildSheared(Scene *scene, int variant) {
    (void)variant;
    buildMixture(scene);
}

static void testForgets(void **state) {
    (void)state;
    Pair pair = openPair(buildSheared, 0);
    const float stiffness = pair.cores.model.params.shearStiffness;
    for (int k = 0; k < 3; k++) {
        pair.device.scene.model.params.shearStiffness = k == 1 ? 0 : stiffness;
        pair.cores.model.params.shearStiffness = k == 1 ? 0 : stiffness;
        stepPair(&pair, 4, 0.004f);
        assert_true((pair.device.scene.rigid.particles.contactCount == 0) == (k == 1));
    }
    assert_int_equal(countApart(&pair, 1e-5f), 0);
    closePair(&pair);
}

// A free body that tumbles keeps its angular momentum: nothing is added to it when a step begins or ends.
static void testTumbles(void **state) {
    (void)state;
    DeviceScene d = openScene();
    const int body =
        addPiece(&d.scene, makePiece(wb_pieceBox, 0.3f, 0.5f, 0.9f), randomPose(5, wbMakeVec3(0, 0, 0)), 2);
    d.scene.domain->gravity = wbMakeVec3(0, 0, 0);
    d.scene.model.params.subSteps = 2, d.scene.model.params.integrator = wb_rigidLeapfrog;
    d.scene.rigid.wx[body] = 0.1f, d.scene.rigid.wy[body] = 5, d.scene.rigid.wz[body] = 0.3f;
    const wbVec3d before = wbRigid_GetSpinMomentum(&d.scene.rigid, body);
    for (int k = 0; k < 1000; k++) stepDevice(&d, 0.01f);
    pull(&d);
    const wbVec3d change = wbSub3d(wbRigid_GetSpinMomentum(&d.scene.rigid, body), before);
    assertBelow(sqrt(wbDot3d(change, change) / wbDot3d(before, before)), 5e-6, "angular momentum");
    closeScene(&d);
}

static wbShape *makeShape(int which) {
    wbMesh mesh;
    wbShape *shape;
    float heights[25];
    for (int i = 0; i < 25; i++) heights[i] = 0.3f * randomSigned(77 + (uint32_t)i);
    const wbHeightsParams hills = {heights, 5, 5, 0.6f, 1.5f};
    assertOk(which ? wbMakeHeights(&hills, &mesh) : wbMakeTorus(0.7f, 0.35f, 24, &mesh));
    assertOk(wbCreateShape(NULL, &mesh, &shape));
    wbFreeMesh(&mesh);
    return shape;
}

static wbHull *makeHull(void) {
    float points[20][3];
    wbHull *hull;
    for (uint32_t i = 0; i < 20; i++)
        for (uint32_t k = 0; k < 3; k++) points[i][k] = 0.8f * randomSigned(500 + 3 * i + k);
    assertOk(wbCreateHull(NULL, points[0], 20, 0, WB_MAX_HULL_CORNERS, &hull));
    return hull;
}

enum { KINDS = wb_pieceKindCount + 1 }; // two meshes

static wbRigidPiece makeSurface(int kind) {
    wbRigidPiece piece =
        makePiece(kind < wb_pieceKindCount ? (wbPieceKind)kind : wb_pieceMesh, 0.7f, 0.4f, 0.5f);
    piece.pose = randomPose(3, wbMakeVec3(0.05f, 0.1f, -0.1f));
    if (piece.kind == wb_pieceHull) piece.hull = makeHull();
    if (piece.kind == wb_pieceMesh) piece.shape = makeShape(kind == wb_pieceMesh);
    return piece;
}

static void dropSurface(const wbRigidPiece *piece) {
    wbDestroyHull(piece->hull);
    wbDestroyShape(piece->shape);
}

// Balls of one particle all around a surface and in it, which do not feel each other: nearest points and normals everywhere.
static void buildProbes(Scene *scene, int kind) {
    const wbRigidPiece piece = makeSurface(kind);
    addPieces(scene, &piece, 1, randomPose(8, wbMakeVec3(0, 0, 0)), 0, 0);
    dropSurface(&piece);
    for (uint32_t k = 0; k < 400; k++) {
        const wbVec3 at = {1.1f * randomSigned(3 * k), 1.1f * randomSigned(3 * k + 1),
                           1.1f * randomSigned(3 * k + 2)};
        const int ball = addBall(scene, at, 0.1f, 1);
        scene->rigid.category[ball] = 2, scene->rigid.mask[ball] = 1;
    }
    scene->model.params.subSteps = 1, scene->domain->gravity = wbMakeVec3(0, 0, 0);
    scene->model.params.stiffness = 1000, scene->model.params.damping = 0;
}

static void testNearest(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        Pair pair = openPair(buildProbes, kind);
        stepPair(&pair, 1, 0.01f);
        int touched = 0;
        for (int b = 1; b < pair.cores.rigid.count; b++) touched += pair.cores.rigid.vx[b] != 0;
        assert_in_range(touched, 40, 390);
        // where two points are nearest, roundings choose: of 400 balls one may be there
        const int apart = countApart(&pair, 2e-6f);
        if (apart > 1) fail_msg("kind %d: %d of %d balls are apart", kind, apart, touched);
        closePair(&pair);
    }
}

// Boxes fall on a surface that stands still, or moves and turns as a kinematic body.
static void buildFall(Scene *scene, int variant) {
    const int kind = variant / 2;
    const bool moves = variant % 2;
    const wbRigidPiece piece = makeSurface(kind);
    const int body = addPieces(scene, &piece, 1, poseAt(0, 0, 0), 0, moves ? WB_RIGID_KINEMATIC : 0);
    dropSurface(&piece);
    if (moves) scene->rigid.vy[body] = 0.5f, scene->rigid.wy[body] = 2, scene->rigid.wx[body] = 0.3f;
    for (uint32_t k = 0; k < 6; k++) {
        const wbVec3 at = {0.5f * (float)(k % 3) - 0.5f, 1.3f, 0.5f * (float)(k / 3) - 0.25f};
        const int box = addBox(scene, randomPose(k, at), 0.3f, 1);
        scene->rigid.vy[box] = -3;
    }
    scene->model.params.subSteps = 4;
}

static void testSurfaces(void **state) {
    (void)state;
    for (int variant = 0; variant < 2 * KINDS; variant++) {
        Pair pair = openPair(buildFall, variant);
        stepPair(&pair, 25, 0.01f);
        const int apart = countApart(&pair, 1e-4f);
        if (apart > 0) fail_msg("kind %d, %s: %d", variant / 2, variant % 2 ? "moving" : "static", apart);
        int touched = 0;
        for (int b = 1; b < pair.cores.rigid.count; b++) touched += pair.cores.rigid.vx[b] != 0;
        assert_true(touched >= 2);
        closePair(&pair);
    }
}

// Guests come and go from step to step, one behind the other.
static void addGuests(Scene *scene, int count) {
    const wbRigidPiece pieces[3] = {makeSurface(wb_pieceMesh), makeSurface(wb_pieceHull),
                                    makeSurface(wb_pieceBox)};
    wbRigidBodySetup setups[3];
    for (int k = 0; k < 3; k++)
        setups[k] = (wbRigidBodySetup){.pieces = &pieces[k],
                                       .pieceCount = 1,
                                       .pose = poseAt(0.2f * (float)k, -0.3f, 0.1f),
                                       .bits = k == 1 ? WB_RIGID_KINEMATIC : 0,
                                       .velocity = {0, k == 1 ? 1.0f : 0, 0},
                                       .spin = {0, k == 1 ? 3.0f : 0, 0},
                                       .friction = 0.4f,
                                       .category = 1,
                                       .mask = 0x7fffffff};
    assertOk(wbRigid_AddGuests(&scene->rigid, scene->work.memory, &scene->model, setups, count));
    for (int k = 0; k < 3; k++) dropSurface(&pieces[k]);
}

static void testGuests(void **state) {
    (void)state;
    Pair pair = openPair(buildFall, 2 * wb_pieceSphere + 1);
    for (int k = 0; k < 24; k++) {
        const int guests = k < 6 ? 1 : k < 12 ? 3 : k < 15 ? 0 : 2;
        addGuests(&pair.device.scene, guests), addGuests(&pair.cores, guests);
        stepDevice(&pair.device, 0.01f), stepScene(&pair.cores, 0.01f);
        wbRigid_DropGuests(&pair.device.scene.rigid), wbRigid_DropGuests(&pair.cores.rigid);
    }
    pull(&pair.device);
    assert_int_equal(countApart(&pair, 1e-4f), 0);
    closePair(&pair);
}

// A body that is off, and a sensor, are not felt; what its category excludes neither.
static void buildFiltered(Scene *scene, int which) {
    const wbRigidPiece box = makePiece(wb_pieceBox, 2, 0.2f, 2);
    const int floor = addPieces(scene, &box, 1, poseAt(0, 0, 0), 0,
                                which == 1   ? WB_RIGID_OFF
                                : which == 2 ? WB_RIGID_SENSOR
                                             : 0);
    if (which == 3) scene->rigid.category[floor] = 4;
    addBox(scene, poseAt(0, 0.5f, 0), 0.5f, 1);
    if (which == 3) scene->rigid.mask[1] = 1;
}

static void testFilters(void **state) {
    (void)state;
    for (int which = 0; which < 4; which++) {
        Pair pair = openPair(buildFiltered, which);
        stepPair(&pair, 30, 0.01f);
        assert_int_equal(countApart(&pair, 1e-5f), 0);
        assert_true((pair.device.scene.rigid.y[1] > 0.4f) == (which == 0));
        closePair(&pair);
    }
}

// Force generators

static const wbForceParams defaults = {
    WB_FORCE_PARAMS(DEFAULT, DEFAULT_AUTO, DEFAULT, DEFAULT, DEFAULT_ENUM, DEFAULT_VECTOR, DEFAULT_SIZE)};
enum { FORCES = wb_forceWind + 1 };

static void push(const wbRigid *rigid, const int *bodies, int bodyCount, float dt, const wbRigidLoads *loads,
                 void *context) {
    (void)dt, (void)context;
    for (int k = 0; k < bodyCount; k++) {
        loads->force[0][bodies[k]] -= 30 * rigid->x[bodies[k]];
        loads->torque[1][bodies[k]] -= rigid->wy[bodies[k]];
    }
}

static void addGenerator(Scene *scene, int kind) {
    wbForceParams force = defaults;
    const bool ties = kind == wb_forceSpring || kind == wb_forceRod || kind == wb_forceBungee ||
                      kind == wb_forceCable || kind == wb_forceRodConstraint;
    if (kind == FORCES) {
        assertOk(wbRigidForces_AddFunction(&scene->rigid, scene->work.memory, push, NULL, NULL, 0));
        return;
    }
    force.kind = (wbForceKind)kind;
    force.vector = wbMakeVec3(0.3f, 1, -2), force.anchor = wbMakeVec3(1, 3, 0.5f);
    force.attach = wbMakeVec3(0.1f, 0.1f, 0), force.attachOther = wbMakeVec3(0, -0.1f, 0.1f);
    force.stiffness = 40, force.damping = 0.5f, force.length = 0.5f, force.restitution = 0.3f;
    force.linear = 0.7f, force.quadratic = 0.4f, force.liquidDensity = 40, force.waterHeight = 0.4f;
    force.strength = 0.05f;
    static const int bodies[6] = {0, 1, 1, 2, 3, 4};
    const bool isOnAll = kind == wb_forceGravity || kind == wb_forceAttraction;
    assertOk(
        wbRigidForces_Add(&scene->rigid, scene->work.memory, &force, isOnAll ? NULL : bodies, ties ? 6 : 5));
}

// Boxes that fall onto a floor, with one generator, or all of them.
static void buildForced(Scene *scene, int kind) {
    closeSide(scene, wb_bottom, 0);
    for (uint32_t k = 0; k < 5; k++) {
        const int box = addBox(scene, randomPose(k, wbMakeVec3(0.6f * (float)k, 0.4f, 0.1f * (float)k)), 0.4f,
                               1 + 0.3 * (double)k);
        scene->rigid.vx[box] = 0.3f * (float)k, scene->rigid.wy[box] = (float)k;
    }
    for (int f = 0; f <= FORCES; f++)
        if (kind < 0 || f == kind) addGenerator(scene, f);
    scene->model.params.subSteps = 4;
}

static void testForces(void **state) {
    (void)state;
    for (int kind = -1; kind <= FORCES; kind++)
        for (int integrator = 0; integrator < (kind < 0 ? 4 : 1); integrator++) {
            Pair pair = openPair(buildForced, kind);
            pair.device.scene.model.params.integrator = (wbRigidIntegrator)integrator;
            pair.cores.model.params.integrator = (wbRigidIntegrator)integrator;
            stepPair(&pair, 20, 0.01f);
            const int apart = countApart(&pair, 2e-5f);
            if (apart > 0) fail_msg("force %d, integrator %d: %d bodies are apart", kind, integrator, apart);
            closePair(&pair);
        }
}

int main(void) {
    const int missing = findDevice();
    if (missing) return missing;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testAgainstReference), cmocka_unit_test(testChangesMachine),
        cmocka_unit_test(testSameBits),         cmocka_unit_test(testSlope),
        cmocka_unit_test(testNearest),          cmocka_unit_test(testSurfaces),
        cmocka_unit_test(testGuests),           cmocka_unit_test(testFilters),
        cmocka_unit_test(testForces),           cmocka_unit_test(testTumbles),
        cmocka_unit_test(testForgets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
