// SPDX-License-Identifier: MIT
// Joints: closed forms, what they hold, what they refuse, and the same bits for any number of threads.
#include "rigid_joint_support.h"

#define PI 3.14159265358979

static const float dt = 1 / 60.0f;
static const float gravity = 9.81f;

static wbVec3 at(float x, float y, float z) { return wbMakeVec3(x, y, z); }
static wbJointState *getState(Scene *scene, int joint) { return &scene->rigid.joints.states[joint]; }

static void run(Scene *scene, double seconds) {
    for (int k = 0; k < (int)(seconds / (double)dt + 0.5); k++) stepScene(scene, dt);
}

static double getEnergy(const Scene *scene) {
    const wbRigid *rigid = &scene->rigid;
    double sum = wbRigid_GetKinetic(rigid);
    for (int i = 0; i < rigid->count; i++)
        if (rigid->inverseMass[i] > 0) sum += (double)(gravity * rigid->y[i] / rigid->inverseMass[i]);
    return sum;
}

// m: how far apart the points are that a joint holds together.
static float getGap(const Scene *scene, int index) {
    const wbJoint *joint = &scene->rigid.joints.joints[index];
    wbVec3 ends[2];
    for (int k = 0; k < 2; k++) {
        const wbPose pose =
            joint->bodies[k] < 0 ? wb_poseAtOrigin : wbRigid_GetPose(&scene->rigid, joint->bodies[k]);
        ends[k] = wbPose_Apply(&pose, at(joint->frames[k].position[0], joint->frames[k].position[1],
                                         joint->frames[k].position[2]));
    }
    const wbVec3 gap = wbSub(ends[1], ends[0]);
    return sqrtf(wbDot(gap, gap));
}

static float getWorstGap(const Scene *scene) {
    float worst = 0;
    for (int i = 0; i < scene->rigid.joints.count; i++) worst = fmaxf(worst, getGap(scene, i));
    return worst;
}

// s, between the first two times that a joint's value comes up through a level, interpolated.
static double findPeriod(Scene *scene, int joint, float level, double seconds) {
    double first = -1, time = 0;
    for (; time < seconds; time += (double)dt) {
        const float before = getState(scene, joint)->value - level;
        stepScene(scene, dt);
        const float after = getState(scene, joint)->value - level;
        if (!(before < 0 && after >= 0)) continue;
        const double crossing = time + (double)(dt * before / (before - after));
        if (first >= 0) return crossing - first;
        first = crossing;
    }
    return -1;
}

// Pendulums

// T = 4 sqrt(I / (m g l)) K(sin(a / 2)), by the arithmetic-geometric mean.
static double getPendulumPeriod(double inertia, double mass, double length, double amplitude) {
    double a = 1, b = cos(amplitude / 2);
    for (int k = 0; k < 8; k++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b), a = mean;
    }
    return 2 * PI / a * sqrt(inertia / (mass * (double)gravity * length));
}

static void testPendulum(void **state) {
    (void)state;
    static const double amplitudes[] = {0.1, 1, 2};
    for (int k = 0; k < 3; k++) {
        Scene scene = createScene(1);
        const float angle = (float)amplitudes[k];
        const int box = addBox(&scene, at(sinf(angle), -cosf(angle), 0), at(0.3f, 0.3f, 0.3f), 2);
        const int hinge = addJoint(&scene, makeJoint(wb_jointHinge, at(0, 0, 0)), -1, box);
        const double inertia = 2 * (1 + 0.3 * 0.3 / 6), before = getEnergy(&scene);
        const double period = findPeriod(&scene, hinge, -angle, 10);
        assertBelow(fabs(period / getPendulumPeriod(inertia, 2, 1, (double)angle) - 1), 2e-3, "period");
        run(&scene, 20);
        const double swing = 2 * (double)gravity * (1 - cos(amplitudes[k]));
        // semi-implicit steps sway by half a sub-step's fall, and do not drift
        assertBelow(fabs(getEnergy(&scene) - before) / swing, 0.02 + 0.01 / amplitudes[k], "energy");
        assertBelow((double)getGap(&scene, hinge), 1e-3, "gap");
        assertBelow(fabs((double)scene.rigid.z[box]), 1e-4, "plane");
        destroyScene(&scene);
    }
}

static void testDoublePendulum(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Scene scene = createScene(1);
        scene.domain->dimensions = dimensions;
        const int first = addBox(&scene, at(0.5f, 0, 0), at(1, 0.1f, 0.1f), 1);
        const int second = addBox(&scene, at(1.5f, 0, 0), at(1, 0.1f, 0.1f), 1);
        addJoint(&scene, makeJoint(wb_jointHinge, at(0, 0, 0)), -1, first);
        addJoint(&scene, makeJoint(wb_jointHinge, at(1, 0, 0)), first, second);
        const double before = getEnergy(&scene);
        run(&scene, 10);
        assertBelow(fabs(getEnergy(&scene) - before), 0.05 * 2 * 9.81, "energy");
        assertBelow((double)getWorstGap(&scene), 2e-3, "gap");
        destroyScene(&scene);
    }
}

// A rod, and a rope that becomes taut, swing alike.
static void testDistance(void **state) {
    (void)state;
    for (int isRope = 0; isRope < 2; isRope++) {
        Scene scene = createScene(1);
        const int box = addBox(&scene, at(1, 0, 0), at(0.01f, 0.01f, 0.01f), 1);
        wbJointParams params = makeJoint(wb_jointDistance, at(0, 0, 0));
        params.end = at(1, 0, 0), params.limits = isRope, params.upper = 1;
        const int rope = addJoint(&scene, params, -1, box);
        for (int k = 0; k < 300; k++) {
            stepScene(&scene, dt);
            assertBelow((double)fabsf(getState(&scene, rope)->value - 1), 5e-3, "length");
        }
        const double speed2 = 2 * wbRigid_GetKinetic(&scene.rigid),
                     fall = -2 * 9.81 * (double)scene.rigid.y[box];
        assertBelow(fabs(speed2 - fall) / (2 * 9.81), 0.03, "speed");
        destroyScene(&scene);
    }
    // slack, it does nothing
    Scene scene = createScene(1);
    const int box = addBox(&scene, at(0, 0, 0), at(0.1f, 0.1f, 0.1f), 1);
    wbJointParams params = makeJoint(wb_jointDistance, at(0, 1, 0));
    params.limits = true, params.upper = 100;
    addJoint(&scene, params, -1, box);
    run(&scene, 1);
    assertBelow(fabs((double)scene.rigid.vy[box] + 9.81), 1e-4, "free fall");
    destroyScene(&scene);
}

// Springs

static void testSprings(void **state) {
    (void)state;
    static const float hertz[] = {0.5f, 2, 5};
    for (int k = 0; k < 3; k++) {
        Scene scene = createScene(1);
        scene.domain->gravity = at(0, 0, 0);
        const int box = addBox(&scene, at(2, 0, 0), at(0.2f, 0.2f, 0.2f), 3);
        wbJointParams params = makeJoint(wb_jointDistance, at(0, 0, 0));
        params.end = at(2, 0, 0), params.length = 1.5f, params.hertz = hertz[k], params.dampingRatio = 0;
        const int spring = addJoint(&scene, params, -1, box);
        assertBelow(fabs(findPeriod(&scene, spring, 1.5f, 10) * (double)hertz[k] - 1), 5e-3, "period");
        float most = 0;
        for (int i = 0; i < (int)(60 / hertz[k]); i++) {
            stepScene(&scene, dt);
            most = fmaxf(most, fabsf(getState(&scene, spring)->value - 1.5f));
        }
        assertBelow(fabs((double)most - 0.5), 0.06, "amplitude");
        destroyScene(&scene);
    }
    // damped critically, a weight hangs where k x = m g, k = m (2 pi f)^2
    Scene scene = createScene(1);
    const int box = addBox(&scene, at(0, -1, 0), at(0.2f, 0.2f, 0.2f), 3);
    wbJointParams params = makeJoint(wb_jointDistance, at(0, 0, 0));
    params.end = at(0, -1, 0), params.hertz = 2;
    const int spring = addJoint(&scene, params, -1, box);
    run(&scene, 5);
    assertBelow(fabs((double)getState(&scene, spring)->value - 1 - 9.81 / (16 * PI * PI)), 1e-4, "sag");
    assertBelow(fabs((double)getState(&scene, spring)->force[1] - 3 * 9.81), 1e-2, "force");
    destroyScene(&scene);
    // one that is faster than the sub-steps is stable
    scene = createScene(1);
    const int fast = addBox(&scene, at(0, -1, 0), at(0.2f, 0.2f, 0.2f), 3);
    params.hertz = 1e4f, params.dampingRatio = 0;
    addJoint(&scene, params, -1, fast);
    run(&scene, 5);
    assertBelow(fabs((double)scene.rigid.y[fast] + 1), 1e-3, "stiff");
    destroyScene(&scene);
}

// Motors and limits

static void testHingeMotor(void **state) {
    (void)state;
    Scene scene = createScene(1);
    scene.domain->gravity = at(0, 0, 0);
    const int wheel = addBox(&scene, at(0, 0, 0), at(1, 1, 0.1f), 6); // inertia 1 kg m2
    wbJointParams params = makeJoint(wb_jointHinge, at(0, 0, 0));
    params.motor = true, params.speed = 360, params.maxForce = 2;
    const int hinge = addJoint(&scene, params, -1, wheel);
    run(&scene, 1); // 2 N m on 1 kg m2 for 1 s
    assertBelow(fabs((double)scene.rigid.wz[wheel] - 2), 1e-3, "spin up");
    assertBelow(fabs((double)getState(&scene, hinge)->torque[2] - 2), 1e-3, "torque");
    run(&scene, 4);
    assertBelow(fabs((double)getState(&scene, hinge)->speed - 2 * PI), 1e-3, "speed");
    // it has turned more than once: half of 2 pi for the first pi s, then as fast as it was told
    assertBelow(fabs((double)getState(&scene, hinge)->value - 2 * PI * (5 - PI / 2)), 0.05, "angle");
    destroyScene(&scene);
}

// A motor lifts a weight on an arm up to where m g r sin(angle) is what it can.
static void testMotorStalls(void **state) {
    (void)state;
    Scene scene = createScene(1);
    const int weight = addBox(&scene, at(0, -1, 0), at(0.1f, 0.1f, 0.1f), 1);
    wbJointParams params = makeJoint(wb_jointHinge, at(0, 0, 0));
    params.motor = true, params.speed = 20, params.maxForce = 0.5f * gravity;
    scene.damping = 0.5f;
    const int hinge = addJoint(&scene, params, -1, weight);
    run(&scene, 10);
    assertBelow(fabs((double)getState(&scene, hinge)->value - PI / 6), 0.03, "stalled");
    destroyScene(&scene);
}

static void testSliderMotor(void **state) {
    (void)state;
    Scene scene = createScene(1);
    const int lift = addBox(&scene, at(0, 0, 0), at(1, 0.1f, 1), 10);
    wbJointParams params = makeJoint(wb_jointSlider, at(0.3f, 0, 0));
    params.axis = at(0, 2, 0), params.motor = true, params.speed = 0.5f, params.maxForce = 1000;
    params.limits = true, params.lower = -1, params.upper = 2;
    const int slider = addJoint(&scene, params, -1, lift);
    run(&scene, 2);
    assertBelow(fabs((double)scene.rigid.y[lift] - 1), 1e-2, "lifted");
    assertBelow(fabs((double)getState(&scene, slider)->force[1] - 98.1), 0.1, "force");
    run(&scene, 3);
    assertBelow(fabs((double)scene.rigid.y[lift] - 2), 2e-3, "upper limit");
    params.motor = false;
    assertOk(wbRigid_SetJoint(&scene.rigid, slider, &params));
    run(&scene, 3);
    assertBelow(fabs((double)scene.rigid.y[lift] + 1), 2e-3, "lower limit");
    assertBelow(fabs((double)scene.rigid.qw[lift]) - 1, 1e-5, "upright");
    destroyScene(&scene);
}

// However strong a motor is, light and heavy bodies come to its limits and no further, and back again.
static void testMotorAtLimits(void **state) {
    (void)state;
    for (int n = 0; n < 4; n++) {
        const bool isHinge = n % 2;
        Scene scene = createScene(1);
        scene.domain->gravity = at(0, 0, 0);
        const int box = addBox(&scene, at(0, 0, 0), at(1, 1, 1), n < 2 ? 1 : 1000);
        wbJointParams params = makeJoint(isHinge ? wb_jointHinge : wb_jointSlider, at(0, 0, 0));
        params.motor = params.limits = true;
        params.lower = isHinge ? -30 : -1, params.upper = isHinge ? 45 : 1.5f;
        params.speed = isHinge ? 90 : 2;
        const double unit = isHinge ? PI / 180 : 1;
        const int joint = addJoint(&scene, params, -1, box);
        for (int way = 0; way < 3; way++) { // to the upper limit, to the lower one, and back
            for (int k = 0; k < 180; k++) {
                stepScene(&scene, dt);
                const double value = (double)getState(&scene, joint)->value / unit;
                assertBelow(value / (double)params.upper, 1.005, "upper limit");
                assertBelow(value / (double)params.lower, 1.005, "lower limit");
            }
            const double end = (double)(way % 2 ? params.lower : params.upper) * unit;
            assertBelow(fabs((double)getState(&scene, joint)->value / end - 1), 1e-3, "at the limit");
            params.speed = -params.speed;
            assertOk(wbRigid_SetJoint(&scene.rigid, joint, &params));
        }
        destroyScene(&scene);
    }
}

static void testHingeLimits(void **state) {
    (void)state;
    Scene scene = createScene(1);
    const int box = addBox(&scene, at(1, 0, 0), at(0.2f, 0.2f, 0.2f), 1);
    wbJointParams params = makeJoint(wb_jointHinge, at(0, 0, 0));
    params.limits = true, params.lower = -30, params.upper = 45;
    const int hinge = addJoint(&scene, params, -1, box);
    for (int k = 0; k < 300; k++) {
        stepScene(&scene, dt);
        assert_true(getState(&scene, hinge)->value > -0.5236f - 0.01f);
    }
    assertBelow(fabs((double)getState(&scene, hinge)->value + PI / 6), 2e-3, "lower");
    assertBelow(fabs((double)getState(&scene, hinge)->torque[2] - 9.81 * cos(PI / 6)), 0.02, "torque");
    scene.domain->gravity = at(0, gravity, 0);
    run(&scene, 5);
    assertBelow(fabs((double)getState(&scene, hinge)->value - PI / 4), 2e-3, "upper");
    destroyScene(&scene);
}

// A stick on a ball joint falls to the rim of its cone.
static void testCone(void **state) {
    (void)state;
    Scene scene = createScene(1);
    const int stick = addBox(&scene, at(0.02f, 0.5f, 0.01f), at(0.1f, 1, 0.1f), 1);
    wbJointParams params = makeJoint(wb_jointBall, at(0, 0, 0));
    params.axis = at(0, 1, 0), params.limits = true, params.upper = 40;
    const int ball = addJoint(&scene, params, -1, stick);
    for (int k = 0; k < 600; k++) {
        stepScene(&scene, dt);
        assertBelow((double)getState(&scene, ball)->value, 40 * PI / 180 + 0.02, "cone");
    }
    assertBelow(fabs((double)getState(&scene, ball)->value - 40 * PI / 180), 5e-3, "rim");
    destroyScene(&scene);
}

// A rod along a ball joint's axis is spun about it: it turns back at both limits of twist, also where it leans to the rim of its cone.
// Without the limits it turns on and on.
static void testTwist(void **state) {
    (void)state;
    for (int n = 0; n < 3; n++) {
        const bool isLimited = n < 2, leans = n == 1;
        Scene scene = createScene(1);
        const int rod = addBox(&scene, at(0, 0.5f, 0), at(0.1f, 1, 0.2f), 1);
        wbJointParams params = makeJoint(wb_jointBall, at(0, 0, 0));
        params.axis = at(0, 1, 0), params.limits = true, params.upper = 50;
        if (isLimited) params.twistLower = -20, params.twistUpper = 70;
        const int ball = addJoint(&scene, params, -1, rod);
        if (!leans) scene.domain->gravity = at(0, 0, 0);
        double least = 0, most = 0, turned = 0, before = 0;
        for (int k = 0; k < 600; k++) {
            const wbPose pose = wbRigid_GetPose(&scene.rigid, rod);
            const wbVec3 torque = wbPose_Rotate(&pose, at(0, k < 300 ? 0.02f : -0.02f, 0));
            scene.rigid.tx[rod] = torque.x, scene.rigid.ty[rod] = torque.y, scene.rigid.tz[rod] = torque.z;
            if (leans && k == 0) scene.rigid.fx[rod] = 40; // it falls over
            stepScene(&scene, dt);
            const double twist = (double)getState(&scene, ball)->twist;
            turned += remainder(twist - before, 2 * PI), before = twist;
            least = fmin(least, turned), most = fmax(most, turned);
            if (isLimited && k == 299) assertBelow(fabs(twist - 70 * PI / 180), 0.01, "upper twist");
        }
        const wbJointState *end = getState(&scene, ball);
        if (isLimited) {
            assertBelow(most, 70 * PI / 180 + 0.03, "twist");
            assertBelow(-least, 20 * PI / 180 + 0.03, "twist");
            assertBelow(fabs((double)end->twist + 20 * PI / 180), 0.01, "lower twist");
        } else {
            assertBelow(2 * PI, most, "free twist");
        }
        if (leans) assertBelow(fabs((double)end->value - 50 * PI / 180), 0.02, "rim");
        destroyScene(&scene);
    }
}

// a = g sin(angle) along the rail, and what the rail bears is m g cos(angle).
static void testSliderOnIncline(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        Scene scene = createScene(1);
        scene.domain->dimensions = dimensions;
        const float angle = 0.5f;
        const int box = addBox(&scene, at(0, 0, 0), at(0.3f, 0.2f, 0.1f), 2);
        wbJointParams params = makeJoint(wb_jointSlider, at(0, 0, 0));
        params.axis = at(cosf(angle), -sinf(angle), 0);
        const int slider = addJoint(&scene, params, -1, box);
        run(&scene, 2);
        assertBelow(fabs((double)getState(&scene, slider)->speed - 2 * 9.81 * sin((double)angle)), 1e-3,
                    "speed");
        const float *force = getState(&scene, slider)->force;
        assertBelow(fabs(hypot((double)force[0], (double)force[1]) - 2 * 9.81 * cos((double)angle)), 1e-2,
                    "force");
        assertBelow(fabs(1 - fabs((double)scene.rigid.qw[box])), 1e-6, "direction");
        destroyScene(&scene);
    }
}

// Chains

static int addChain(Scene *scene, int count, wbVec3 from, wbJointKind kind, double mass) {
    int last = -1;
    for (int k = 0; k < count; k++) {
        const float x = from.x + 0.2f * (float)k;
        const int link = addBox(scene, at(x + 0.1f, from.y, from.z), at(0.2f, 0.05f, 0.05f), mass);
        addJoint(scene, makeJoint(kind, at(x, from.y, from.z)), last, link);
        last = link;
    }
    return last;
}

// Chains of 50 links, the second with a hundred times the mass at its end: they fall from level, swing, and hold.
static void testChain(void **state) {
    (void)state;
    for (int isHeavy = 0; isHeavy < 2; isHeavy++) {
        Scene scene = createScene(1);
        int last = addChain(&scene, 50, at(0, 0, 0), wb_jointBall, 1);
        if (isHeavy) {
            last = addBox(&scene, at(10.3f, 0, 0), at(0.6f, 0.6f, 0.6f), 100);
            addJoint(&scene, makeJoint(wb_jointBall, at(10, 0, 0)), last - 1, last);
        }
        for (int i = 0; i < scene.rigid.count; i++) scene.rigid.mask[i] = 0; // no knots
        run(&scene, 10);
        scene.damping = 2; // then it is led to where it hangs
        run(&scene, 20);
        const float length = isHeavy ? 10.3f : 9.9f;
        assertBelow(fabs((double)(-scene.rigid.y[last] / length - 1)), 1e-3, "length");
        const double weight = (isHeavy ? 150 : 50) * 9.81;
        assertBelow(fabs((double)getState(&scene, 0)->force[1] / weight - 1), 1e-2, "top");
        destroyScene(&scene);
    }
}

// A load of a thousand times a link's mass hangs still; one that swings needs 16 sub-steps.
static void testHeavyLoad(void **state) {
    (void)state;
    for (int swings = 0; swings < 2; swings++) {
        Scene scene = createScene(1);
        const int link = addChain(&scene, 10, at(0, 0, 0), wb_jointBall, 1);
        const int load = addBox(&scene, at(2.3f, 0, 0), at(0.6f, 0.6f, 0.6f), 1000);
        addJoint(&scene, makeJoint(wb_jointBall, at(2, 0, 0)), link, load);
        for (int i = 0; i < scene.rigid.count; i++) scene.rigid.mask[i] = 0;
        scene.domain->gravity = swings ? at(0, -9.81f, 0) : at(9.81f, 0, 0);
        if (swings) scene.model.params.subSteps = 16;
        for (int k = 0; k < 180; k++) {
            stepScene(&scene, dt);
            const double length = hypot((double)scene.rigid.x[load], (double)scene.rigid.y[load]);
            if (!swings) assertBelow(fabs(length / 2.3 - 1), 1e-3, "length");
            assertBelow((double)getWorstGap(&scene), swings ? 0.01 : 1e-3, "gap");
        }
        destroyScene(&scene);
    }
}

// A flap of 0.72 m falls from upright onto a stop that is near its hinge: it stays there, though joint and contact share a
// blow of a long lever (with joints of damping ratio 2 it sprang back by 40 degrees).
static void testStopNearHinge(void **state) {
    (void)state;
    static const float levers[] = {0.02f, 0.05f, 0.1f, 0.3f};
    for (int k = 0; k < 4; k++) {
        Scene scene = createScene(1);
        const int flap = addBox(&scene, at(0, 0.36f, 0), at(0.1f, 0.72f, 0.6f), 30);
        addBox(&scene, at(levers[k], -0.15f, 0), at(0.04f, 0.2f, 0.6f), 0);
        const int hinge = addJoint(&scene, makeJoint(wb_jointHinge, at(0, 0, 0)), -1, flap);
        scene.rigid.wz[flap] = -1;
        run(&scene, 0.9);
        assertBelow(fabs((double)getState(&scene, hinge)->value + PI / 2), 15 * PI / 180, "it fell");
        for (int step = 0; step < 120; step++) {
            stepScene(&scene, dt);
            assertBelow((double)getState(&scene, hinge)->value, -70 * PI / 180, "angle");
        }
        destroyScene(&scene);
    }
}

// Planks between two banks: its ends bear half of it each, and it hangs as a chain does (its thrust is w L^2 / 8 f).
static void testBridge(void **state) {
    (void)state;
    Scene scene = createScene(1);
    const int last = addChain(&scene, 20, at(0, 0, 0), wb_jointHinge, 5);
    const int end = addJoint(&scene, makeJoint(wb_jointHinge, at(4, 0, 0)), last, -1);
    scene.rigid.joints.joints[end].frames[1].position[0] = 3.8f; // the banks are nearer to each other
    scene.damping = 1;
    for (int i = 0; i < scene.rigid.count; i++) scene.rigid.vy[i] = -1;
    run(&scene, 15);
    assertBelow((double)getWorstGap(&scene), 2e-3, "gap");
    const double up = (double)getState(&scene, 0)->force[1] - (double)getState(&scene, end)->force[1];
    assertBelow(fabs(up / (100 * 9.81) - 1), 1e-2, "weight");
    destroyScene(&scene);
}

// A beam of ten pieces in a wall: the torque at the wall is m g l / 2.
static void testCantilever(void **state) {
    (void)state;
    Scene scene = createScene(1);
    const int last = addChain(&scene, 10, at(0, 0, 0), wb_jointFixed, 2);
    run(&scene, 3);
    assertBelow(fabs((double)scene.rigid.y[last]), 5e-3, "sag");
    assertBelow(fabs((double)getState(&scene, 0)->force[1] - 20 * 9.81), 0.1, "force");
    assertBelow(fabs((double)getState(&scene, 0)->torque[2] - 20 * 9.81), 0.2, "torque");
    destroyScene(&scene);
}

// Loops, and more joints than there are ways to move: a door with three hinges, and a square of four beams that hangs by a corner.
static void testLoops(void **state) {
    (void)state;
    Scene scene = createScene(1);
    const int door = addBox(&scene, at(0.5f, 1, 0), at(1, 2, 0.05f), 20);
    for (int k = 0; k < 3; k++) {
        wbJointParams params = makeJoint(wb_jointHinge, at(0, 0.5f + 0.5f * (float)k, 0));
        params.axis = at(0, 1, 0);
        addJoint(&scene, params, -1, door);
    }
    scene.rigid.wy[door] = 1, scene.rigid.vz[door] = -0.5f;
    int beams[4];
    for (int k = 0; k < 4; k++) {
        const bool isLevel = k % 2 == 0;
        const wbVec3 place = at(5 + (k == 1   ? 1.f
                                     : k == 3 ? 0.f
                                              : 0.5f),
                                k == 2   ? 1.f
                                : k == 0 ? 0.f
                                         : 0.5f,
                                0);
        beams[k] = addBox(&scene, place, isLevel ? at(1, 0.1f, 0.1f) : at(0.1f, 1, 0.1f), 1);
    }
    static const float corners[4][2] = {{6, 0}, {6, 1}, {5, 1}, {5, 0}};
    for (int k = 0; k < 4; k++)
        addJoint(&scene, makeJoint(wb_jointFixed, at(corners[k][0], corners[k][1], 0)), beams[k],
                 beams[(k + 1) % 4]);
    addJoint(&scene, makeJoint(wb_jointHinge, at(5, 1, 0)), -1, beams[2]);
    run(&scene, 5);
    assertBelow((double)getWorstGap(&scene), 5e-3, "gap");
    assertBelow(fabs((double)scene.rigid.wy[door] - 1), 1e-3, "door");
    assertBelow(fabs((double)scene.rigid.y[door] - 1), 1e-3, "door");
    destroyScene(&scene);
}

// In free flight joints change neither momentum, nor angular momentum.
static void testMomentum(void **state) {
    (void)state;
    for (int kind = wb_jointBall; kind <= wb_jointDistance; kind++) {
        Scene scene = createScene(1);
        scene.domain->gravity = at(0, 0, 0);
        wbVec3d before[2], after[2];
        for (int k = 0; k < 6; k++) {
            const int box = addBox(&scene, at(0.3f * (float)k, 0.1f * (float)(k % 2), 0),
                                   at(0.2f, 0.2f, 0.2f), 1 + (double)k);
            scene.rigid.vx[box] = randomSigned((uint32_t)(6 * k)),
            scene.rigid.vy[box] = randomSigned((uint32_t)(6 * k + 1));
            scene.rigid.wx[box] = randomSigned((uint32_t)(6 * k + 2)),
            scene.rigid.wz[box] = randomSigned((uint32_t)(6 * k + 3));
            if (k == 0) continue;
            wbJointParams params = makeJoint((wbJointKind)kind, at(0.3f * (float)k - 0.15f, 0, 0));
            params.end = at(0.3f * (float)k, 0.1f, 0.1f);
            addJoint(&scene, params, box - 1, box);
        }
        stepScene(&scene, dt);
        getMomentum(&scene, before);
        run(&scene, 2);
        getMomentum(&scene, after);
        for (int k = 0; k < 2; k++) {
            const wbVec3d change = wbSub3d(after[k], before[k]);
            assertBelow(sqrt(wbDot3d(change, change)), k == 0 ? 2e-5 : 2e-2,
                        k == 0 ? "momentum" : "angular momentum");
        }
        destroyScene(&scene);
    }
}

// Breaking

static void testBreaks(void **state) {
    (void)state;
    for (int kind = wb_jointBall; kind <= wb_jointDistance; kind++)
        for (int holds = 0; holds < 2; holds++) {
            Scene scene = createScene(1);
            const int box = addBox(&scene, at(0, -1, 0), at(0.2f, 0.2f, 0.2f), 10);
            wbJointParams params = makeJoint((wbJointKind)kind, at(0, 0, 0));
            params.axis = kind == wb_jointSlider ? at(1, 0, 0) : at(0, 0, 1);
            params.end = at(0, -1, 0), params.breakForce = holds ? 99 : 97;
            const int joint = addJoint(&scene, params, -1, box);
            run(&scene, 2);
            const bool isBroken = scene.rigid.joints.joints[joint].bits & WB_JOINT_BROKEN;
            assert_int_equal(isBroken, !holds);
            if (holds) assertBelow(fabs((double)getState(&scene, joint)->force[1] - 98.1), 0.05, "force");
            assert_true(holds ? scene.rigid.y[box] > -1.01f : scene.rigid.y[box] < -10);
            if (!holds) { // switched off and on, it is whole again, though far away
                params.breakForce = 0, params.on = false;
                assertOk(wbRigid_SetJoint(&scene.rigid, joint, &params));
                stepScene(&scene, dt);
                params.on = true;
                assertOk(wbRigid_SetJoint(&scene.rigid, joint, &params));
                assert_false(scene.rigid.joints.joints[joint].bits & WB_JOINT_BROKEN);
            }
            destroyScene(&scene);
        }
}

static void testBreaksByTorque(void **state) {
    (void)state;
    for (int holds = 0; holds < 2; holds++) {
        Scene scene = createScene(1);
        const int box = addBox(&scene, at(1, 0, 0), at(0.2f, 0.2f, 0.2f), 10);
        wbJointParams params = makeJoint(wb_jointFixed, at(0, 0, 0));
        params.breakTorque = holds ? 99 : 97;
        addJoint(&scene, params, -1, box);
        run(&scene, 1);
        assert_int_equal(scene.rigid.y[box] < -1, !holds);
        destroyScene(&scene);
    }
}

// What is refused, and what comes and goes

static void expectRefused(Scene *scene, wbJointParams params, int a, int b, const char *part) {
    const int before = scene->rigid.joints.count;
    const wbStatus status = wbRigid_AddJoint(&scene->rigid, scene->work.memory, &scene->model, &params, a, b);
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, part)) fail_msg("\"%s\" lacks \"%s\"", status.text, part);
    assert_int_equal(scene->rigid.joints.count, before);
}

static void testRefusals(void **state) {
    (void)state;
    Scene scene = createScene(1);
    const int box = addBox(&scene, at(0, 0, 0), at(1, 1, 1), 1),
              ground = addBox(&scene, at(0, -1, 0), at(1, 1, 1), 0);
    wbJointParams params = makeJoint(wb_jointHinge, at(0, 0, 0));
    expectRefused(&scene, params, box, box, "itself");
    expectRefused(&scene, params, -1, -1, "no body");
    expectRefused(&scene, params, -1, ground, "nothing to hold");
    params.axis = at(0, 0, 0);
    expectRefused(&scene, params, -1, box, "points nowhere");
    params.kind = wb_jointSlider;
    expectRefused(&scene, params, -1, box, "points nowhere");
    params.axis = at(0, 1, 0), params.limits = true, params.lower = 2, params.upper = 1;
    expectRefused(&scene, params, -1, box, "above upper");
    params.kind = wb_jointBall, params.lower = 0, params.upper = 200;
    expectRefused(&scene, params, -1, box, "0 to 180");
    params.upper = 40, params.twistLower = 10;
    expectRefused(&scene, params, -1, box, "above twistUpper");
    params.twistLower = 0;
    params.kind = wb_jointDistance, params.lower = -1;
    expectRefused(&scene, params, -1, box, "below 0");
    params = makeJoint(wb_jointDistance, at(0, 0, 0));
    expectRefused(&scene, params, -1, box, "in one place");
    scene.domain->dimensions = 2;
    params = makeJoint(wb_jointHinge, at(0, 0, 0)), params.axis = at(1, 0, 0);
    expectRefused(&scene, params, -1, box, "(0, 0, 1)");
    params.kind = wb_jointSlider, params.axis = at(0, 0, 1);
    expectRefused(&scene, params, -1, box, "in the plane");
    destroyScene(&scene);
}

// Bodies with endless inertia, needles, ends in one place, and joints between what does not turn: nothing breaks.
static void testDegenerate(void **state) {
    (void)state;
    for (int kind = wb_jointBall; kind <= wb_jointDistance; kind++) {
        Scene scene = createScene(1);
        const int stiff = addBox(&scene, at(0, 0, 0), at(1, 1, 1), 1),
                  needle = addBox(&scene, at(2, 0, 0), at(1, 1, 1), 1);
        wbRigid *rigid = &scene.rigid;
        rigid->inverseInertiaX[stiff] = rigid->inverseInertiaY[stiff] = rigid->inverseInertiaZ[stiff] = 0;
        rigid->inverseInertiaX[needle] = 0;
        wbJointParams params = makeJoint((wbJointKind)kind, at(1, 0, 0));
        params.end = at(1, 0, 0), params.length = 0.5f, params.axis = at(1, 2, 3);
        addJoint(&scene, params, stiff, needle);
        params.end = params.anchor = at(0, 0, 0);
        addJoint(&scene, params, -1, stiff);
        run(&scene, 3);
        assert_true(isfinite(rigid->x[needle]) && isfinite(rigid->y[needle]) && isfinite(rigid->qw[needle]));
        if (kind != wb_jointSlider)
            assertBelow(fabs((double)rigid->x[stiff]) + fabs((double)rigid->y[stiff]), 0.8, "held");
        destroyScene(&scene);
    }
}

static void testTies(void **state) {
    (void)state;
    Scene scene = createScene(1);
    wbRigidJoints *joints = &scene.rigid.joints;
    const int last = addChain(&scene, 5, at(0, 0, 0), wb_jointBall, 1);
    stepScene(&scene, dt);
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++)
            assert_int_equal(wbRigidJoints_AreTied(joints, a, b), a - b == 1 || b - a == 1);
    assert_false(wbRigidJoints_AreTied(joints, last, 17));
    wbJointParams params = makeJoint(wb_jointBall, at(0, 0, 0));
    params.collide = true;
    assertOk(wbRigid_SetJoint(&scene.rigid, 2, &params));
    stepScene(&scene, dt);
    assert_true(joints->haveTiesChanged);
    assert_false(wbRigidJoints_AreTied(joints, 1, 2));
    // the second body goes, with its two joints: the numbers of others follow
    for (int joint; (joint = wbRigid_FindJoint(&scene.rigid, 1)) >= 0;)
        wbRigid_RemoveJoint(&scene.rigid, joint);
    wbRigid_RemoveBody(&scene.rigid, scene.work.memory, 1);
    assert_int_equal(joints->count, 3);
    stepScene(&scene, dt);
    assert_false(wbRigidJoints_AreTied(joints, 0, 1));
    assert_true(wbRigidJoints_AreTied(joints, 1, 2) && wbRigidJoints_AreTied(joints, 3, 2));
    destroyScene(&scene);
}

// The same bits: for any number of threads, with components small and large, and when going on from a copy.

static uint64_t hashScene(Scene *scene) {
    wbColumn columns[WB_RIGID_COLUMNS], joints[WB_JOINT_COLUMNS];
    uint64_t hash = WB_HASH_START;
    wbRigid_ListColumns(&scene->rigid, columns);
    wbRigidJoints_ListColumns(&scene->rigid.joints, joints);
    for (int k = 0; k < WB_RIGID_COLUMNS; k++)
        hash = wbHashBytes(hash, *columns[k].data, (size_t)(columns[k].elementSize * scene->rigid.count));
    for (int k = 0; k < WB_JOINT_COLUMNS; k++)
        hash =
            wbHashBytes(hash, *joints[k].data, (size_t)(joints[k].elementSize * scene->rigid.joints.count));
    return hash;
}

static void buildCrowd(Scene *scene) {
    for (int k = 0; k < 60; k++)
        addChain(scene, 3 + k % 7, at(0, 0, (float)k), (wbJointKind)(k % 4), 1 + (double)(k % 5));
    const int first = scene->rigid.count; // a net of ball joints, large enough for colours
    for (int k = 0; k < 50 * 50; k++) {
        const float x = (float)(k % 50), y = (float)(k / 50);
        addBox(scene, at(x, y, -9), at(0.3f, 0.3f, 0.3f), 1);
        if (k % 50 > 0)
            addJoint(scene, makeJoint(wb_jointBall, at(x - 0.5f, y, -9)), first + k - 1, first + k);
        if (k >= 50) addJoint(scene, makeJoint(wb_jointBall, at(x, y - 0.5f, -9)), first + k - 50, first + k);
    }
    addJoint(scene, makeJoint(wb_jointBall, at(0, 49, -9)), -1, first + 49 * 50);
    addJoint(scene, makeJoint(wb_jointBall, at(49, 49, -9)), -1, first + 50 * 50 - 1);
}

static void testThreads(void **state) {
    (void)state;
    uint64_t hashes[3];
    static const int threads[] = {1, 2, 5};
    for (int k = 0; k < 3; k++) {
        Scene scene = createScene(threads[k]);
        buildCrowd(&scene);
        run(&scene, 0.5);
        assertBelow((double)getWorstGap(&scene), 0.3, "gap");
        hashes[k] = hashScene(&scene);
        destroyScene(&scene);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

static void testResume(void **state) {
    (void)state;
    Scene scenes[2] = {createScene(1), createScene(1)};
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 8; c++) addChain(&scenes[k], 4, at(0, 0, (float)c), (wbJointKind)(c % 4), 1);
    run(&scenes[0], 1);
    wbColumn from[WB_RIGID_COLUMNS + WB_JOINT_COLUMNS], to[WB_RIGID_COLUMNS + WB_JOINT_COLUMNS];
    for (int k = 0; k < 2; k++) {
        wbRigid_ListColumns(&scenes[k].rigid, k ? to : from);
        wbRigidJoints_ListColumns(&scenes[k].rigid.joints, (k ? to : from) + WB_RIGID_COLUMNS);
    }
    for (int k = 0; k < WB_RIGID_COLUMNS + WB_JOINT_COLUMNS; k++) {
        const int count = k < WB_RIGID_COLUMNS ? scenes[0].rigid.count : scenes[0].rigid.joints.count;
        memcpy(*to[k].data, *from[k].data, (size_t)(from[k].elementSize * count));
    }
    scenes[1].rigid.joints.subStep = scenes[0].rigid.joints.subStep;
    for (int i = 0; i < scenes[1].rigid.joints.count; i++)
        assertOk(wbCheckJoint(&scenes[1].rigid.joints.joints[i], &scenes[1].rigid.joints.states[i],
                              scenes[1].rigid.count));
    for (int k = 0; k < 2; k++) run(&scenes[k], 1);
    assert_true(hashScene(&scenes[0]) == hashScene(&scenes[1]));
    wbJoint joint = scenes[1].rigid.joints.joints[0];
    joint.bodies[1] = 99;
    assert_int_equal(wbCheckJoint(&joint, &scenes[1].rigid.joints.states[0], 32).code, wb_errorInput);
    joint.bodies[1] = 1, joint.frames[0].rotation[3] = NAN;
    assert_int_equal(wbCheckJoint(&joint, &scenes[1].rigid.joints.states[0], 32).code, wb_errorInput);
    for (int k = 0; k < 2; k++) destroyScene(&scenes[k]);
}

// A step like the one before allocates nothing.
static void testWarmStepAllocatesNothing(void **state) {
    (void)state;
    Scene scene = createScene(2);
    buildCrowd(&scene);
    for (int k = 0; k < 3; k++) stepScene(&scene, dt);
    const uint64_t before = wbGetMemoryUse(scene.work.memory).calls;
    scene.rigid.joints.isDirty = true; // as when one breaks
    for (int k = 0; k < 3; k++) stepScene(&scene, dt);
    assert_int_equal(wbGetMemoryUse(scene.work.memory).calls, before);
    destroyScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testPendulum),
        cmocka_unit_test(testDoublePendulum),
        cmocka_unit_test(testDistance),
        cmocka_unit_test(testSprings),
        cmocka_unit_test(testHingeMotor),
        cmocka_unit_test(testMotorStalls),
        cmocka_unit_test(testSliderMotor),
        cmocka_unit_test(testMotorAtLimits),
        cmocka_unit_test(testHingeLimits),
        cmocka_unit_test(testCone),
        cmocka_unit_test(testTwist),
        cmocka_unit_test(testSliderOnIncline),
        cmocka_unit_test(testChain),
        cmocka_unit_test(testHeavyLoad),
        cmocka_unit_test(testStopNearHinge),
        cmocka_unit_test(testBridge),
        cmocka_unit_test(testCantilever),
        cmocka_unit_test(testLoops),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testBreaks),
        cmocka_unit_test(testBreaksByTorque),
        cmocka_unit_test(testRefusals),
        cmocka_unit_test(testDegenerate),
        cmocka_unit_test(testTies),
        cmocka_unit_test(testThreads),
        cmocka_unit_test(testResume),
        cmocka_unit_test(testWarmStepAllocatesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
