// SPDX-License-Identifier: MIT
// Force generators: each against its closed form.
#include "rigid_particles_support.h"

static const wbForceParams defaults = {
    WB_FORCE_PARAMS(DEFAULT, DEFAULT_AUTO, DEFAULT, DEFAULT, DEFAULT_ENUM, DEFAULT_VECTOR, DEFAULT_SIZE)};

static wbForceParams makeForce(wbForceKind kind) {
    wbForceParams params = defaults;
    params.kind = kind;
    return params;
}

static void addForce(Scene *scene, const wbForceParams *params, const int *bodies, int count) {
    assertOk(wbRigidForces_Add(&scene->rigid, scene->work.memory, params, bodies, count));
}

// Balls that touch nothing, without gravity.
static Scene createBalls(int count) {
    Scene scene = createScene(1, wb_simdAuto);
    scene.domain->gravity = wbMakeVec3(0, 0, 0);
    for (int k = 0; k < count; k++) addBall(&scene, wbMakeVec3((float)k, 0, 0), 0.01f, 1 + k);
    return scene;
}

// s: between two zeros of the velocity of a body along x from above, k periods.
static double getPeriod(Scene *scene, int body, int periods, float dt) {
    double first = 0, last = 0, time = 0;
    int found = 0;
    for (int n = 0; n < 1000000 && found <= periods; n++) {
        const double before = scene->rigid.vx[body];
        stepScene(scene, dt);
        const double after = scene->rigid.vx[body];
        if (before > 0 && after <= 0) {
            last = time + dt * before / (before - after);
            if (found++ == 0) first = last;
        }
        time += dt;
    }
    return (last - first) / periods;
}

// w = sqrt(k / m*), with both masses, for every integrator; nothing is lost.
static void testSpringPeriod(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 4; integrator++) {
        Scene scene = createBalls(2);
        wbForceParams spring = makeForce(wb_forceSpring);
        spring.stiffness = 50, spring.length = 0.8f;
        addForce(&scene, &spring, (const int[]){0, 1}, 2);
        scene.model.params.integrator = (wbRigidIntegrator)integrator;
        const double period = 2 * M_PI / sqrt(50 * 1.5);
        assertBelow(fabs(getPeriod(&scene, 0, 10, 0.01f) / period - 1), 1e-3, "period");
        double most = 0;
        for (int k = 0; k < 100; k++) {
            stepScene(&scene, 0.01f);
            most = fmax(most, fabs((double)scene.rigid.x[1] - scene.rigid.x[0] - 0.8));
        }
        assertBelow(fabs(most / 0.2 - 1), 0.02, "amplitude");
        destroyScene(&scene);
    }
}

// Sums forces and holds them for `parts` semi-implicit sub-steps, as exact contacts do.
static void stepHeld(Scene *scene, float dt, int parts) {
    wbRigid *rigid = &scene->rigid;
    float columns[6][2] = {{0}};
    const wbRigidLoads loads = {{columns[0], columns[1], columns[2]}, {columns[3], columns[4], columns[5]}};
    assert_true(rigid->count <= 2);
    wbArena_Reset(scene->work.arena);
    assertOk(wbRigidForces_Apply(rigid, &scene->model, &scene->work, dt, parts, &loads));
    const float h = dt / (float)parts;
    const wbVec3 g = scene->domain->gravity;
    for (int k = 0; k < rigid->count * parts; k++) {
        const int b = k / parts;
        if (!wbRigid_IsMoved(rigid, b)) continue;
        rigid->vx[b] += h * (g.x + rigid->inverseMass[b] * columns[0][b]), rigid->x[b] += h * rigid->vx[b];
        rigid->vy[b] += h * (g.y + rigid->inverseMass[b] * columns[1][b]), rigid->y[b] += h * rigid->vy[b];
    }
}

// A sum that is held for four semi-implicit sub-steps, as exact contacts do: energy stays, and stiff springs are stable.
static void testHeldSprings(void **state) {
    (void)state;
    static const float stiffnesses[] = {10, 1e3f, 1e6f, 1e9f};
    for (int n = 0; n < 4; n++)
        for (int parts = 1; parts <= 8; parts *= 2) {
            Scene scene = createBalls(1);
            wbRigid *rigid = &scene.rigid;
            wbForceParams spring = makeForce(wb_forceAnchoredSpring);
            spring.stiffness = stiffnesses[n], spring.length = 0, spring.anchor.x = -0.5f;
            addForce(&scene, &spring, (const int[]){0}, 1);
            double most = 0, late = 0;
            for (int k = 0; k < 4000; k++) {
                stepHeld(&scene, 1 / 60.0f, parts);
                const double far = fabs((double)rigid->x[0] + 0.5);
                most = fmax(most, far);
                if (k >= 3000) late = fmax(late, far);
            }
            assertBelow(most, 1.5 * 0.5, "stays bounded");
            if (n == 0) assertBelow(fabs(late / 0.5 - 1), 0.1, "amplitude");
            destroyScene(&scene);
        }
}

// A ball between two springs under tension swings across them, and goes on as it began though forces are held for a step.
static void testTautSprings(void **state) {
    (void)state;
    for (int parts = 1; parts <= 4; parts *= 4) {
        Scene scene = createBalls(1);
        wbRigid *rigid = &scene.rigid;
        for (int side = -1; side <= 1; side += 2) {
            wbForceParams spring = makeForce(wb_forceAnchoredSpring);
            spring.stiffness = 200, spring.length = 0.5f, spring.anchor.x = (float)side;
            addForce(&scene, &spring, (const int[]){0}, 1);
        }
        rigid->y[0] = 0.02f;
        double late = 0;
        for (int k = 0; k < 2000; k++) {
            stepHeld(&scene, 1 / 60.0f, parts);
            if (k >= 1500) late = fmax(late, fabs((double)rigid->y[0]));
        }
        assertBelow(fabs(late / 0.02 - 1), 0.05, "amplitude");
        destroyScene(&scene);
    }
}

// Eight stiff springs at one body: each alone would be stable.
static void testManyStiffSprings(void **state) {
    (void)state;
    Scene scene = createBalls(9);
    wbForceParams rod = makeForce(wb_forceRod);
    rod.stiffness = 1e8f, rod.damping = 10, rod.length = 1;
    for (int k = 1; k < 9; k++) addForce(&scene, &rod, (const int[]){0, k}, 2);
    for (int k = 1; k < 9; k++)
        scene.rigid.x[k] = cosf(0.7f * (float)k), scene.rigid.y[k] = sinf(0.7f * (float)k);
    scene.rigid.vx[0] = 1;
    for (int k = 0; k < 500; k++) stepScene(&scene, 0.01f);
    for (int k = 1; k < 9; k++) {
        const double dx = (double)scene.rigid.x[k] - scene.rigid.x[0],
                     dy = (double)scene.rigid.y[k] - scene.rigid.y[0];
        assertBelow(fabs(sqrt(dx * dx + dy * dy) - 1), 0.01, "length");
    }
    destroyScene(&scene);
}

// m v' = m g - c v (or - d v2): v = m g / c, sqrt(m g / d); on the way as the exponential says.
static void testDrag(void **state) {
    (void)state;
    for (int quadratic = 0; quadratic < 2; quadratic++) {
        Scene scene = createBalls(1);
        scene.domain->gravity = wbMakeVec3(0, -10, 0);
        wbForceParams drag = makeForce(wb_forceDrag);
        *(quadratic ? &drag.quadratic : &drag.linear) = 2;
        addForce(&scene, &drag, NULL, 0);
        for (int k = 0; k < 20; k++) stepScene(&scene, 0.01f);
        const double expected = quadratic ? sqrt(5.0) * tanh(0.2 * 10 / sqrt(5.0)) : 5 * (1 - exp(-0.4));
        assertBelow(fabs(-(double)scene.rigid.vy[0] / expected - 1), 2e-3, "on the way");
        for (int k = 0; k < 1000; k++) stepScene(&scene, 0.01f);
        assertBelow(fabs(-(double)scene.rigid.vy[0] - (quadratic ? sqrt(5.0) : 5)), 2e-4, "terminal speed");
        scene.rigid.vy[0] = -1e6f;
        stepScene(&scene, 0.01f);
        assertBelow(-(double)scene.rigid.vy[0], 1e6, "stable");
        destroyScene(&scene);
    }
}

// A body that starts slack goes free, then is pulled back; and never pushed.
static void testBungee(void **state) {
    (void)state;
    Scene scene = createBalls(1);
    wbForceParams bungee = makeForce(wb_forceAnchoredBungee);
    bungee.stiffness = 100, bungee.length = 2;
    addForce(&scene, &bungee, (const int[]){0}, 1);
    scene.rigid.x[0] = 1, scene.rigid.vx[0] = 1;
    for (int k = 0; k < 95; k++) stepScene(&scene, 0.01f);
    assertBelow(fabs((double)scene.rigid.vx[0] - 1), 1e-6, "free");
    double farthest = 0;
    for (int k = 0; k < 100; k++) stepScene(&scene, 0.01f), farthest = fmax(farthest, scene.rigid.x[0]);
    assertBelow(fabs(farthest - 2.1), 1e-3, "as far as its energy reaches");
    assertBelow(fabs((double)scene.rigid.vx[0] + 1), 1e-3, "comes back");
    destroyScene(&scene);
}

// A pendulum at a rod of exact length, between a heavy body and a light one: T = 2 pi sqrt(l / g), l within 1e-4.
static void testRodPendulum(void **state) {
    (void)state;
    Scene scene = createBalls(1);
    const wbRigidPiece plane = makePiece(wb_piecePlane, 0, 0, 0);
    const int fixed = addPieces(&scene, &plane, 1, poseAt(0, 0, 0), 0, 0);
    scene.domain->gravity = wbMakeVec3(0, -9.81f, 0);
    scene.rigid.mask[0] = 0;
    scene.rigid.x[0] = 0.05f, scene.rigid.y[0] = -sqrtf(1 - 0.05f * 0.05f);
    wbForceParams rod = makeForce(wb_forceRodConstraint);
    rod.length = 1;
    addForce(&scene, &rod, (const int[]){fixed, 0}, 2);
    assertBelow(fabs(getPeriod(&scene, 0, 5, 0.01f) / (2 * M_PI * sqrt(1 / 9.81)) - 1), 2e-3, "period");
    const double length = hypot(scene.rigid.x[0], scene.rigid.y[0]);
    assertBelow(fabs(length - 1), 1e-4, "length");
    destroyScene(&scene);
}

// A weight that falls from level at a rod or a cable comes up again no higher, nearly as high, and at its length, though forces are
// held for a step.
static void testHeldRods(void **state) {
    (void)state;
    for (int isCable = 0; isCable < 2; isCable++)
        for (int parts = 1; parts <= 20; parts += parts == 1 ? 3 : 16) {
            Scene scene = createBalls(2);
            const wbRigid *rigid = &scene.rigid;
            scene.domain->gravity = wbMakeVec3(0, -9.81f, 0);
            scene.rigid.inverseMass[0] = 0;
            const wbForceParams tie = makeForce(isCable ? wb_forceCable : wb_forceRodConstraint); // 1 m
            addForce(&scene, &tie, (const int[]){0, 1}, 2);
            double highest = -1, late = -1, longest = 0, shortest = 1;
            for (int k = 0; k < 600; k++) {
                stepHeld(&scene, 1 / 60.0f, parts);
                const double length = hypot((double)rigid->x[1], (double)rigid->y[1]);
                highest = fmax(highest, (double)rigid->y[1]);
                longest = fmax(longest, length), shortest = fmin(shortest, length);
                if (k >= 450) late = fmax(late, (double)rigid->y[1]);
            }
            assertBelow(highest, 0.02, "height");
            assertBelow(-late, 0.05, "height at the end");
            assertBelow(longest, 1.01, "longest");
            assertBelow(1 - shortest, 0.01, "shortest");
            destroyScene(&scene);
        }
}

// Slack, it does nothing; taut, it gives back what the restitution says.
static void testCable(void **state) {
    (void)state;
    for (int e = 0; e < 2; e++) {
        Scene scene = createBalls(2);
        wbForceParams cable = makeForce(wb_forceCable);
        cable.length = 2, cable.restitution = 0.5f * (float)e;
        addForce(&scene, &cable, (const int[]){0, 1}, 2);
        scene.rigid.vx[0] = -1, scene.rigid.vx[1] = 1; // masses 1 and 2
        for (int k = 0; k < 48; k++) stepScene(&scene, 0.01f);
        assertBelow(fabs((double)scene.rigid.vx[1] - 1), 1e-6, "slack");
        for (int k = 0; k < 10; k++) stepScene(&scene, 0.01f);
        assertBelow(fabs(((double)scene.rigid.vx[1] - scene.rigid.vx[0]) / 2 + 0.5 * e), 0.01, "restitution");
        assertBelow(fabs(2 * (double)scene.rigid.vx[1] + scene.rigid.vx[0] - 1), 1e-5, "momentum");
        assertBelow((double)scene.rigid.x[1] - scene.rigid.x[0], 2.01, "length");
        destroyScene(&scene);
    }
}

// A chain of ten hangs straight at its length.
static void testChain(void **state) {
    (void)state;
    Scene scene = createBalls(10);
    scene.rigid.bits[0] = 0, scene.rigid.inverseMass[0] = 0;
    scene.domain->gravity = wbMakeVec3(0, -9.81f, 0);
    wbForceParams rod = makeForce(wb_forceRodConstraint);
    rod.length = 1;
    for (int k = 0; k + 1 < 10; k++) addForce(&scene, &rod, (const int[]){k, k + 1}, 2);
    for (int k = 0; k < 10; k++) scene.rigid.linearDamping[k] = 2;
    for (int k = 0; k < 1000; k++) stepScene(&scene, 0.01f);
    for (int k = 0; k + 1 < 10; k++) {
        const double dx = (double)scene.rigid.x[k + 1] - scene.rigid.x[k],
                     dy = (double)scene.rigid.y[k + 1] - scene.rigid.y[k];
        assertBelow(fabs(hypot(dx, dy) - 1), 2e-3, "length");
    }
    assertBelow(fabs((double)scene.rigid.y[9] + 9), 0.1, "hangs");
    destroyScene(&scene);
}

// A box of half the water's density floats with its centre in the surface: share m / (rho V) under water.
static void testBuoyancy(void **state) {
    (void)state;
    static const double densities[] = {250, 500, 800};
    for (int n = 0; n < 3; n++) {
        Scene scene = createScene(1, wb_simdAuto);
        addBox(&scene, poseAt(0, 1.2f, 0), 1, densities[n]);
        wbForceParams water = makeForce(wb_forceBuoyancy);
        water.waterHeight = 1;
        wbForceParams drag = makeForce(wb_forceDrag);
        drag.linear = 1000;
        addForce(&scene, &water, (const int[]){0}, 1), addForce(&scene, &drag, (const int[]){0}, 1);
        for (int k = 0; k < 2000; k++) stepScene(&scene, 0.01f);
        assertBelow(fabs(1.5 - (double)scene.rigid.y[0] - densities[n] / 1000), 1e-3, "draught");
        destroyScene(&scene);
    }
}

// alpha = T / I
static void testTorque(void **state) {
    (void)state;
    Scene scene = createScene(1, wb_simdAuto);
    scene.domain->gravity = wbMakeVec3(0, 0, 0);
    addBox(&scene, poseAt(0, 0, 0), 1, 6); // I = m / 6
    wbForceParams torque = makeForce(wb_forceTorque);
    torque.vector = wbMakeVec3(0, 0.5f, 0);
    addForce(&scene, &torque, (const int[]){0}, 1);
    for (int k = 0; k < 100; k++) stepScene(&scene, 0.01f);
    assertBelow(fabs((double)scene.rigid.wy[0] - 0.5), 1e-4, "spin");
    destroyScene(&scene);
}

// Two bodies around each other: a circle of Kepler's period, with the energy it had.
static void testOrbit(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 4; integrator++) {
        Scene scene = createBalls(2);
        wbForceParams attraction = makeForce(wb_forceAttraction);
        attraction.strength = 1;
        addForce(&scene, &attraction, NULL, 0);
        scene.model.params.integrator = (wbRigidIntegrator)integrator;
        const double omega = sqrt(3.0); // (m1 + m2) G / r3, r = 1
        scene.rigid.x[0] = -2.0f / 3, scene.rigid.x[1] = 1.0f / 3;
        scene.rigid.vy[0] = (float)(-omega * 2 / 3), scene.rigid.vy[1] = (float)(omega / 3);
        double energy = 0;
        for (int k = 0; k <= 2000; k++) {
            const double dx = (double)scene.rigid.x[1] - scene.rigid.x[0],
                         dy = (double)scene.rigid.y[1] - scene.rigid.y[0];
            const double now = wbRigid_GetKinetic(&scene.rigid) - 2 / hypot(dx, dy);
            if (k == 0) energy = now;
            assertBelow(fabs(now / energy - 1), 5e-3, "energy");
            stepScene(&scene, 0.01f);
        }
        destroyScene(&scene);
    }
}

// Ten circles around each other go on at their radius, though forces are held for a step.
static void testHeldOrbit(void **state) {
    (void)state;
    for (int parts = 1; parts <= 4; parts *= 4) {
        Scene scene = createBalls(2);
        wbRigid *rigid = &scene.rigid;
        wbForceParams attraction = makeForce(wb_forceAttraction);
        attraction.strength = 0.8f;
        addForce(&scene, &attraction, NULL, 0);
        for (int b = 0; b < 2; b++) {
            rigid->inverseMass[b] = 0.1f;
            rigid->x[b] = b ? 2.0f : -2.0f, rigid->vy[b] = b ? 1.0f : -1.0f; // m v2 / r = G m2 / (2 r)2
        }
        for (int k = 0; k < 7540; k++) { // 2 pi r / v = 754 / 60 s
            stepHeld(&scene, 1 / 60.0f, parts);
            assertBelow(fabs(hypot((double)rigid->x[1], (double)rigid->y[1]) - 2), 0.02, "radius");
        }
        destroyScene(&scene);
    }
}

// A light body takes the wind's velocity.
static void testWind(void **state) {
    (void)state;
    Scene scene = createBalls(1);
    wbForceParams wind = makeForce(wb_forceWind);
    wind.vector = wbMakeVec3(3, 0, 1), wind.quadratic = 5;
    addForce(&scene, &wind, (const int[]){0}, 1);
    for (int k = 0; k < 2000; k++) stepScene(&scene, 0.01f);
    assertBelow(fabs((double)scene.rigid.vx[0] - 3), 0.01, "velocity");
    assertBelow(fabs((double)scene.rigid.vz[0] - 1), 0.01, "velocity");
    destroyScene(&scene);
}

static void pushUp(const wbRigid *rigid, const int *bodies, int count, float dt, const wbRigidLoads *loads,
                   void *context) {
    (void)dt;
    for (int k = 0; k < count; k++)
        loads->force[1][bodies[k]] += *(float *)context / rigid->inverseMass[bodies[k]];
}

static void testFunction(void **state) {
    (void)state;
    Scene scene = createBalls(2);
    float pace = 2;
    assertOk(wbRigidForces_AddFunction(&scene.rigid, scene.work.memory, pushUp, &pace, (const int[]){1}, 1));
    for (int k = 0; k < 100; k++) stepScene(&scene, 0.01f);
    assertBelow(fabs((double)scene.rigid.vy[1] - 2), 1e-4, "velocity");
    assert_true(scene.rigid.vy[0] == 0);
    destroyScene(&scene);
}

static void testGravity(void **state) {
    (void)state;
    Scene scene = createBalls(2);
    wbForceParams gravity = makeForce(wb_forceGravity);
    gravity.vector = wbMakeVec3(0, 0, -3);
    addForce(&scene, &gravity, (const int[]){1}, 1);
    for (int k = 0; k < 100; k++) stepScene(&scene, 0.01f);
    assertBelow(fabs((double)scene.rigid.vz[1] + 3), 1e-4, "velocity");
    assert_true(scene.rigid.vz[0] == 0);
    destroyScene(&scene);
}

// Bodies that go take their ties along; what is wrong is refused.
static void testMembers(void **state) {
    (void)state;
    Scene scene = createBalls(5);
    wbRigidForces *forces = &scene.rigid.forces;
    const wbForceParams spring = makeForce(wb_forceSpring), drag = makeForce(wb_forceDrag);
    addForce(&scene, &spring, (const int[]){0, 1, 2, 3}, 4), addForce(&scene, &drag, (const int[]){1, 4}, 2);
    addForce(&scene, &spring, (const int[]){3, 4}, 2);
    wbRigid_RemoveBody(&scene.rigid, scene.work.memory, 1);
    const wbRigidForce *list = forces->list.data;
    const int *members = forces->members.data;
    assert_int_equal(forces->memberCount, 5);
    assert_int_equal(list[0].count, 2), assert_int_equal(members[list[0].first], 1);
    assert_int_equal(list[1].count, 1), assert_int_equal(members[list[1].first], 3);
    assert_int_equal(members[list[2].first], 2), assert_int_equal(members[list[2].first + 1], 3);
    wbRigidForces_Remove(forces, 0);
    assert_int_equal(forces->count, 2);
    assert_int_equal(members[list[0].first], 3), assert_int_equal(members[list[1].first], 2);
    wbMemory *memory = scene.work.memory;
    assert_int_equal(wbRigidForces_Add(&scene.rigid, memory, &spring, (const int[]){0, 9}, 2).code,
                     wb_errorInput);
    assert_int_equal(wbRigidForces_Add(&scene.rigid, memory, &spring, (const int[]){0}, 1).code,
                     wb_errorInput);
    assert_int_equal(wbRigidForces_Add(&scene.rigid, memory, &spring, (const int[]){2, 2}, 2).code,
                     wb_errorInput);
    stepScene(&scene, 0.01f);
    destroyScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSpringPeriod), cmocka_unit_test(testHeldSprings),
        cmocka_unit_test(testTautSprings),  cmocka_unit_test(testManyStiffSprings),
        cmocka_unit_test(testDrag),         cmocka_unit_test(testBungee),
        cmocka_unit_test(testRodPendulum),  cmocka_unit_test(testHeldRods),
        cmocka_unit_test(testCable),        cmocka_unit_test(testChain),
        cmocka_unit_test(testBuoyancy),     cmocka_unit_test(testTorque),
        cmocka_unit_test(testOrbit),        cmocka_unit_test(testHeldOrbit),
        cmocka_unit_test(testWind),         cmocka_unit_test(testFunction),
        cmocka_unit_test(testGravity),      cmocka_unit_test(testMembers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
