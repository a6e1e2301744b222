// SPDX-License-Identifier: MIT
// Rigid bodies of a world against closed forms: contacts, friction, bounces, free flight, a hinge, stacks and a pile.
#include <math.h>
#include <string.h>

#include "bench/rigid_pile.h"
#include "bench/validate_case.h"
#include "core/status.h"

static const double gravity = 9.81, pi = 3.14159265358979323846; // m/s2

enum { maxValues = 8 };

// What a measurement in one world gives; `setup` is a row of the case's table.
typedef wbStatus MeasureFn(wbValidateRun *run, wbWorld *world, const void *setup, double values[maxValues]);

static wbWorldDef makeWorldDef(void) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dt = 1.0f / 60, def.params.gravity = wbMakeVec3(0, (float)-gravity, 0);
    // what rests must do so without help
    def.rigid.sleep = false;
    return def;
}

static wbWorldDef makeSpaceDef(void) {
    wbWorldDef def = makeWorldDef();
    def.params.gravity = wbMakeVec3(0, 0, 0);
    return def;
}

static wbStatus measureIn(wbValidateRun *run, wbWorldDef def, MeasureFn *measure, const void *setup,
                          double values[maxValues]) {
    wbCaseMachine machine;
    wbWorld *world;
    WB_TRY(wbGetCaseMachine(run, &machine));
    def.threadCount = machine.threadCount, def.simd = machine.simd;
    def.params.backend = machine.backend, def.params.device = machine.deviceIndex;
    WB_TRY(wbCreateWorld(&def, &world));
    wbNameMachine(run, wbWorld_GetDevice(world), wbWorld_GetSimd(world));
    wbStatus status = measure(run, world, setup, values);
    wbDestroyWorld(world);
    return status;
}

static void report(wbValidateRun *run, const char *quantity, const char *unit, double value, double reference,
                   double tolerance, const char *source) {
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = unit,
                                       .value = value,
                                       .reference = reference,
                                       .tolerance = tolerance,
                                       .source = source});
}

static void note(wbValidateRun *run, const char *quantity, const char *unit, double value, double reference,
                 const char *source) {
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = unit,
                                       .value = value,
                                       .reference = reference,
                                       .judgement = wb_noted,
                                       .source = source});
}

static wbStatus stepFor(wbValidateRun *run, wbWorld *world, int steps) {
    for (int k = 0; k < steps && !run->stopped; k++) WB_TRY(wbStepCase(run, world, (double)k / steps));
    return wb_okStatus;
}

// Bodies

static wbRigidBodyDef makeBody(wbRigidShape shape, float mass, wbVec3 position) {
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.params.shape = shape, def.params.mass = mass, def.params.position = position;
    return def;
}

static wbStatus addGround(wbWorld *world, float slope, float friction) {
    wbRigidBodyDef ground = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    ground.params.shape = wb_rigidPlane, ground.params.type = wb_rigidStatic;
    ground.params.rotation = wbMakeVec3(0, 0, -slope), ground.params.friction = friction;
    return wbCreateRigidBody(world, &ground, &id);
}

static wbVec3d widen(wbVec3 v) { return (wbVec3d){v.x, v.y, v.z}; }

// By its own axes: those of the world turned back.
static wbVec3d turnBack(const float q[4], wbVec3 v) {
    const wbPose back = {{0, 0, 0}, {-q[0], -q[1], -q[2], q[3]}};
    return wbPose_Rotate3d(&back, 1, widen(v));
}

static wbVec3d turn(const float q[4], wbVec3d v) {
    const wbPose pose = {{0, 0, 0}, {q[0], q[1], q[2], q[3]}};
    return wbPose_Rotate3d(&pose, 1, v);
}

static wbVec3d getSpinMomentum(const wbRigidMotion *motion, const wbRigidMass *mass) {
    const wbVec3d w = turnBack(motion->rotation, motion->spin);
    const double in[3] = {w.x, w.y, w.z};
    double out[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out[i] += mass->inertia[i][k] * in[k];
    return turn(motion->rotation, (wbVec3d){out[0], out[1], out[2]});
}

static double getLength(wbVec3d v) { return sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

// Contact of particles: two spheres of one particle each meet head-on.

typedef struct ContactRow {
    const char *time, *restitution;
    float damping; // N s/m
} ContactRow;

static const float contactStiffness = 1000; // N/m
static const float contactMasses[2] = {1, 2};

static wbStatus addMeetingSpheres(wbWorld *world, wbRigidBodyId spheres[2]) {
    for (int k = 0; k < 2; k++) {
        wbRigidBodyDef def =
            makeBody(wb_rigidSphere, contactMasses[k], wbMakeVec3(k ? 0.501f : -0.501f, 0, 0));
        def.params.velocity = wbMakeVec3(k ? -0.5f : 0.5f, 0, 0);
        def.params.particlesPerEdge = 1;
        WB_TRY(wbCreateRigidBody(world, &def, &spheres[k]));
    }
    return wb_okStatus;
}

static wbStatus getGap(wbWorld *world, const wbRigidBodyId spheres[2], double *gap, double *speed) {
    wbRigidMotion first, second;
    WB_TRY(wbRigidBody_GetMotion(world, spheres[0], &first));
    WB_TRY(wbRigidBody_GetMotion(world, spheres[1], &second));
    *gap = (double)second.position.x - first.position.x - 1;
    *speed = (double)second.velocity.x - first.velocity.x;
    return wb_okStatus;
}

// values: duration, speed after by speed before
static wbStatus measureContact(wbValidateRun *run, wbWorld *world, const void *setup,
                               double values[maxValues]) {
    wbRigidBodyId spheres[2];
    double before, gap, speed, begin = NAN, end = NAN;
    (void)setup;
    WB_TRY(addMeetingSpheres(world, spheres));
    WB_TRY(getGap(world, spheres, &before, &speed));
    for (int k = 0; k < 3000 && isnan(end) && !run->stopped; k++) {
        const double time = wbWorld_GetTime(world);
        WB_TRY(wbStepCase(run, world, k / 3000.0));
        WB_TRY(getGap(world, spheres, &gap, &speed));
        const double crossing = time + (wbWorld_GetTime(world) - time) * before / (before - gap);
        if (before > 0 && gap <= 0) begin = crossing;
        if (before <= 0 && gap > 0) end = crossing;
        before = gap;
    }
    values[0] = end - begin, values[1] = speed;
    return wb_okStatus;
}

wbStatus wbValidateRigidContact(wbValidateRun *run) {
    static const ContactRow rows[] = {
        {"contact time, damping 2 N s/m", "restitution, damping 2 N s/m", 2},
        {"contact time, damping 20 N s/m", "restitution, damping 20 N s/m", 20}};
    const double mass = 1 / (1 / (double)contactMasses[0] + 1 / (double)contactMasses[1]);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double values[maxValues] = {0};
        wbWorldDef def = makeSpaceDef();
        def.params.dt = 1e-4f, def.rigid.contact = wb_contactParticles, def.rigid.subSteps = 1;
        def.rigid.stiffness = contactStiffness, def.rigid.damping = rows[k].damping;
        WB_TRY(measureIn(run, def, measureContact, NULL, values));
        if (run->stopped) break;
        const double decay = rows[k].damping / (2 * mass),
                     time = pi / sqrt(contactStiffness / mass - decay * decay), share = exp(-decay * time);
        report(run, rows[k].time, "s", values[0], time, 0.005 * time, "pi / sqrt(k / m - (c / 2 m)^2)");
        report(run, rows[k].restitution, "", values[1], share, 0.005 * share, "exp(-c T / 2 m)");
    }
    return wb_okStatus;
}

// Slopes

typedef struct SlopeRow {
    const char *name;
    wbRigidShape shape;
    float slope, friction;
} SlopeRow;

// Mean acceleration and speed down the slope, from a third of a second on, for one second.
static wbStatus measureSlope(wbValidateRun *run, wbWorld *world, const void *setup,
                             double values[maxValues]) {
    const SlopeRow *row = setup;
    const double angle = row->slope * pi / 180, s = sin(angle), c = cos(angle);
    wbRigidBodyDef def = makeBody(row->shape, 1, wbMakeVec3((float)(0.5 * s), (float)(0.5 * c), 0));
    wbRigidBodyId body;
    wbRigidMotion from, to;
    def.params.rotation = wbMakeVec3(0, 0, -row->slope), def.params.friction = row->friction;
    WB_TRY(addGround(world, row->slope, row->friction));
    WB_TRY(wbCreateRigidBody(world, &def, &body));
    WB_TRY(stepFor(run, world, 20));
    WB_TRY(wbRigidBody_GetMotion(world, body, &from));
    WB_TRY(stepFor(run, world, 60));
    WB_TRY(wbRigidBody_GetMotion(world, body, &to));
    const wbVec3 gain = wbSub(to.velocity, from.velocity), way = wbSub(to.position, from.position);
    values[0] = c * gain.x - s * gain.y, values[1] = c * way.x - s * way.y;
    return wb_okStatus;
}

wbStatus wbValidateRigidRolling(wbValidateRun *run) {
    static const SlopeRow rows[] = {{"acceleration down 10 degrees", wb_rigidSphere, 10, 1},
                                    {"acceleration down 30 degrees", wb_rigidSphere, 30, 1}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double values[maxValues] = {0};
        const double reference = 5.0 / 7 * gravity * sin(rows[k].slope * pi / 180);
        WB_TRY(measureIn(run, makeWorldDef(), measureSlope, &rows[k], values));
        if (!run->stopped)
            report(run, rows[k].name, "m/s2", values[0], reference, 0.02 * reference, "5/7 g sin");
    }
    return wb_okStatus;
}

wbStatus wbValidateRigidSliding(wbValidateRun *run) {
    static const SlopeRow rows[] = {{"acceleration down 20 degrees, friction 0", wb_rigidBox, 20, 0},
                                    {"acceleration down 20 degrees, friction 0.2", wb_rigidBox, 20, 0.2f},
                                    {"creep down 20 degrees, friction 0.4", wb_rigidBox, 20, 0.4f},
                                    {"acceleration down 30 degrees, friction 0.5", wb_rigidBox, 30, 0.5f},
                                    {"creep down 30 degrees, friction 0.6", wb_rigidBox, 30, 0.6f}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double values[maxValues] = {0}, angle = rows[k].slope * pi / 180;
        const double slides = gravity * (sin(angle) - rows[k].friction * cos(angle));
        WB_TRY(measureIn(run, makeWorldDef(), measureSlope, &rows[k], values));
        if (run->stopped) break;
        if (slides > 0)
            report(run, rows[k].name, "m/s2", values[0], slides, 0.02 * slides, "g (sin - mu cos)");
        else
            report(run, rows[k].name, "m/s", values[1], 0, 1e-3, "sticks: tan < mu");
    }
    return wb_okStatus;
}

// Friction is the same in all directions: a box on the level is pushed for a second.

typedef struct ConeRow {
    const char *name;
    double direction, share; // degrees; of the largest friction
} ConeRow;

static const double coneFriction = 0.5;

static wbStatus measurePush(wbValidateRun *run, wbWorld *world, const void *setup, double values[maxValues]) {
    const ConeRow *row = setup;
    const double angle = row->direction * pi / 180, force = row->share * coneFriction * gravity;
    wbRigidBodyDef def = makeBody(wb_rigidBox, 1, wbMakeVec3(0, 0.25f, 0));
    wbRigidBodyId body;
    wbRigidMotion motion;
    def.params.size = wbMakeVec3(1, 0.5f, 1), def.params.friction = (float)coneFriction;
    WB_TRY(addGround(world, 0, (float)coneFriction));
    WB_TRY(wbCreateRigidBody(world, &def, &body));
    WB_TRY(stepFor(run, world, 20));
    for (int k = 0; k < 60 && !run->stopped; k++) {
        WB_TRY(wbRigidBody_ApplyForce(
            world, body, wbMakeVec3((float)(force * cos(angle)), 0, (float)(force * sin(angle)))));
        WB_TRY(wbStepCase(run, world, k / 60.0));
    }
    WB_TRY(wbRigidBody_GetMotion(world, body, &motion));
    values[0] = hypot(motion.velocity.x, motion.velocity.z);
    values[1] = hypot(motion.position.x, motion.position.z);
    return wb_okStatus;
}

wbStatus wbValidateRigidCone(wbValidateRun *run) {
    static const ConeRow rows[] = {{"way, pushed along x by 0.98 mu m g", 0, 0.98},
                                   {"way, pushed along 30 degrees by 0.98 mu m g", 30, 0.98},
                                   {"way, pushed along 45 degrees by 0.98 mu m g", 45, 0.98},
                                   {"acceleration along x by 1.5 mu m g", 0, 1.5},
                                   {"acceleration along 30 degrees by 1.5 mu m g", 30, 1.5},
                                   {"acceleration along 45 degrees by 1.5 mu m g", 45, 1.5}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double values[maxValues] = {0};
        const double slides = (rows[k].share - 1) * coneFriction * gravity;
        WB_TRY(measureIn(run, makeWorldDef(), measurePush, &rows[k], values));
        if (run->stopped) break;
        if (slides > 0)
            report(run, rows[k].name, "m/s2", values[0], slides, 0.02 * slides, "F / m - mu g");
        else
            report(run, rows[k].name, "m", values[1], 0, 1e-3, "sticks: F < mu m g");
    }
    return wb_okStatus;
}

// A free top about its middle axis, which turns over again and again.

typedef struct TopRow {
    const char *names[4]; // first turn, time between turns, energy, angular momentum
    wbRigidContact contact;
} TopRow;

typedef struct TopState {
    double middle, energy, momentum; // rad/s, J, N m s
} TopState;

static wbStatus getTop(wbWorld *world, wbRigidBodyId body, const wbRigidMass *mass, TopState *top) {
    wbRigidMotion motion;
    WB_TRY(wbRigidBody_GetMotion(world, body, &motion));
    const wbVec3d momentum = getSpinMomentum(&motion, mass);
    *top = (TopState){
        turnBack(motion.rotation, motion.spin).y,
        0.5 * (momentum.x * motion.spin.x + momentum.y * motion.spin.y + momentum.z * motion.spin.z),
        getLength(momentum)};
    return wb_okStatus;
}

static wbStatus measureTop(wbValidateRun *run, wbWorld *world, const void *setup, double values[maxValues]) {
    wbRigidBodyDef def = makeBody(wb_rigidBox, 1, wbMakeVec3(0, 0, 0));
    wbRigidBodyId body;
    TopState first, before, now;
    double last = NAN;
    int turns = 0;
    (void)setup;
    def.params.inertia = wbMakeVec3(1, 2, 3), def.params.spin = wbMakeVec3(0.01f, 1, 0);
    def.params.particlesPerEdge = 1;
    WB_TRY(wbCreateRigidBody(world, &def, &body));
    const wbRigidMass mass = wbRigidBody_GetMass(world, body);
    WB_TRY(getTop(world, body, &mass, &first));
    values[0] = values[1] = NAN, values[2] = values[3] = 0, before = first;
    for (int k = 0; k < 6000 && !run->stopped; k++) {
        const double time = wbWorld_GetTime(world);
        WB_TRY(wbStepCase(run, world, k / 6000.0));
        WB_TRY(getTop(world, body, &mass, &now));
        if (before.middle * now.middle < 0) {
            last = time + (wbWorld_GetTime(world) - time) * before.middle / (before.middle - now.middle);
            if (turns++ == 0) values[0] = last;
        }
        values[2] = fmax(values[2], fabs(now.energy / first.energy - 1));
        values[3] = fmax(values[3], fabs(now.momentum / first.momentum - 1));
        before = now;
    }
    if (turns > 1) values[1] = (last - values[0]) / (turns - 1);
    return wb_okStatus;
}

wbStatus wbValidateRigidTop(wbValidateRun *run) {
    static const TopRow rows[] = {
        {{"first turn", "time between turns", "energy, largest error", "angular momentum, largest error"},
         wb_contactParticles},
        {{"first turn, exact", "time between turns, exact", "energy, largest error, exact",
          "angular momentum, largest error, exact"},
         wb_contactExact}};
    static const double references[4] = {10.377, 20.755, 0, 0},
                        tolerances[4] = {0.10377, 0.20755, 1e-4, 1e-4};
    static const char *const units[4] = {"s", "s", "relative", "relative"};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double values[maxValues] = {0};
        wbWorldDef def = makeSpaceDef();
        def.params.dt = 0.01f, def.rigid.contact = rows[k].contact;
        if (rows[k].contact == wb_contactParticles)
            def.rigid.integrator = wb_rigidRungeKutta4, def.rigid.subSteps = 1;
        WB_TRY(measureIn(run, def, measureTop, NULL, values));
        for (int i = 0; i < 4 && !run->stopped; i++) {
            const char *source = i < 2 ? "Euler's equations" : "constant";
            if (rows[k].contact == wb_contactParticles)
                report(run, rows[k].names[i], units[i], values[i], references[i], tolerances[i], source);
            else
                note(run, rows[k].names[i], units[i], values[i], references[i], source);
        }
    }
    return wb_okStatus;
}

// Ten boxes stand

static double random01(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) * (1.0 / 16777216.0);
}

// values: how far the highest box is from its place, in boxes
static wbStatus measureStack(wbValidateRun *run, wbWorld *world, const void *setup,
                             double values[maxValues]) {
    const double uneven = *(const double *)setup;
    wbRigidBodyId box;
    wbRigidMotion from, to;
    uint32_t seed = 12345;
    WB_TRY(addGround(world, 0, 0.5f));
    for (int i = 0; i < 10; i++) {
        const double x = random01(&seed) - 0.5, z = random01(&seed) - 0.5, angle = random01(&seed) - 0.5;
        wbRigidBodyDef def =
            makeBody(wb_rigidBox, 1,
                     wbMakeVec3((float)(uneven * 0.1 * x), 0.5f + (float)i, (float)(uneven * 0.1 * z)));
        def.params.rotation.y = (float)(uneven * 0.8 * angle * 180 / pi);
        WB_TRY(wbCreateRigidBody(world, &def, &box));
    }
    WB_TRY(wbRigidBody_GetMotion(world, box, &from));
    WB_TRY(stepFor(run, world, 600));
    WB_TRY(wbRigidBody_GetMotion(world, box, &to));
    values[0] = getLength(widen(wbSub(to.position, from.position)));
    return wb_okStatus;
}

wbStatus wbValidateRigidStack(wbValidateRun *run) {
    static const struct {
        const char *name;
        double uneven;
    } rows[] = {{"way of the highest of ten, aligned, 10 s", 0},
                {"way of the highest of ten, uneven, 10 s", 1}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double values[maxValues] = {0};
        WB_TRY(measureIn(run, makeWorldDef(), measureStack, &rows[k].uneven, values));
        if (!run->stopped) report(run, rows[k].name, "boxes", values[0], 0, 0.1, "stands");
    }
    return wb_okStatus;
}

// Balls and boxes that are dropped

enum { bounceCount = 3 };

typedef struct BounceRow {
    const char *names[bounceCount];
    wbRigidShape shape;
    double drop; // m
    float restitution;
} BounceRow;

// m: to where it will rise. Places of sub-steps lie on the parabola whose speed is half a sub-step of gravity behind.
static double getRise(const wbRigidMotion *motion) {
    const double lag = 0.5 * gravity / 60 / 4, v = motion->velocity.y - lag;
    return motion->position.y - 0.5 + v * v / (2 * gravity);
}

// values: heights of bounces, m
static wbStatus measureBounces(wbValidateRun *run, wbWorld *world, const void *setup,
                               double values[maxValues]) {
    const BounceRow *row = setup;
    wbRigidBodyDef def = makeBody(row->shape, 1, wbMakeVec3(0, 0.5f + (float)row->drop, 0));
    wbRigidBodyId body;
    wbRigidMotion motion;
    bool falls = true;
    def.params.restitution = row->restitution;
    WB_TRY(addGround(world, 0, 0.5f));
    WB_TRY(wbCreateRigidBody(world, &def, &body));
    for (int k = 0; k < bounceCount; k++) values[k] = 0;
    for (int k = 0, n = 0; k < 900 && n < bounceCount && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, world, k / 900.0));
        WB_TRY(wbRigidBody_GetMotion(world, body, &motion));
        if (falls && motion.velocity.y > 0) values[n++] = getRise(&motion);
        falls = motion.velocity.y <= 0;
    }
    return wb_okStatus;
}

wbStatus wbValidateRigidBounce(wbValidateRun *run) {
    static const BounceRow rows[] = {
        {{"height 1, restitution 0.9", "height 2, restitution 0.9", "height 3, restitution 0.9"},
         wb_rigidSphere,
         1,
         0.9f},
        {{"height 1, restitution 0.5", "height 2, restitution 0.5", "height 3, restitution 0.5"},
         wb_rigidSphere,
         1,
         0.5f},
        {{"height 1, restitution 1", "height 2, restitution 1", "height 3, restitution 1"},
         wb_rigidSphere,
         1,
         1},
        {{"height 1, box, restitution 0.9", "height 2, box, restitution 0.9",
          "height 3, box, restitution 0.9"},
         wb_rigidBox,
         1,
         0.9f},
        {{"height 1, from 0.1 m, restitution 0.9", "height 2, from 0.1 m, restitution 0.9",
          "height 3, from 0.1 m, restitution 0.9"},
         wb_rigidSphere,
         0.1,
         0.9f},
        {{"height 1, from 10 m, restitution 0.9", "height 2, from 10 m, restitution 0.9",
          "height 3, from 10 m, restitution 0.9"},
         wb_rigidSphere,
         10,
         0.9f}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double values[maxValues] = {0}, height = rows[k].drop;
        WB_TRY(measureIn(run, makeWorldDef(), measureBounces, &rows[k], values));
        for (int n = 0; n < bounceCount && !run->stopped; n++) {
            height *= (double)rows[k].restitution * rows[k].restitution;
            report(run, rows[k].names[n], "m", values[n], height, 0.01 * height, "e^2n h");
        }
    }
    return wb_okStatus;
}

// Newton's cradle: balls hit others in a row, which are so far apart.

enum { cradleBalls = 5 };

typedef struct CradleRow {
    const char *names[4]; // momentum, energy, slowest of those that leave, fastest of the others
    int lifted;
    float gap;
} CradleRow;

static wbStatus measureCradle(wbValidateRun *run, wbWorld *world, const void *setup,
                              double values[maxValues]) {
    const CradleRow *row = setup;
    wbRigidBodyId balls[cradleBalls];
    double momentum = 0, energy = 0;
    for (int i = 0; i < cradleBalls; i++) {
        const bool isLifted = i < row->lifted;
        wbRigidBodyDef def =
            makeBody(wb_rigidSphere, 1, wbMakeVec3((float)i * (1 + row->gap) - (isLifted ? 0.5f : 0), 0, 0));
        def.params.restitution = 1, def.params.friction = 0;
        def.params.velocity.x = isLifted ? 2 : 0;
        WB_TRY(wbCreateRigidBody(world, &def, &balls[i]));
    }
    WB_TRY(stepFor(run, world, 90));
    values[2] = INFINITY, values[3] = 0;
    for (int i = 0; i < cradleBalls; i++) {
        wbRigidMotion motion;
        WB_TRY(wbRigidBody_GetMotion(world, balls[i], &motion));
        const double speed = motion.velocity.x;
        momentum += speed, energy += 0.5 * speed * speed;
        if (i >= cradleBalls - row->lifted)
            values[2] = fmin(values[2], speed);
        else
            values[3] = fmax(values[3], fabs(speed));
    }
    values[0] = fabs(momentum / (2 * row->lifted) - 1), values[1] = energy / (2 * row->lifted);
    return wb_okStatus;
}

wbStatus wbValidateRigidCradle(wbValidateRun *run) {
    static const CradleRow rows[] = {
        {{"momentum, 0.2 apart", "energy, 0.2 apart", "speed of the last, 0.2 apart", "others, 0.2 apart"},
         1,
         0.2f},
        {{"momentum, touching", "energy, touching", "speed of the last, touching", "others, touching"}, 1, 0},
        {{"momentum, 2 lifted", "energy, 2 lifted", "speed of the last two", "others, 2 lifted"}, 2, 0},
        {{"momentum, 3 lifted", "energy, 3 lifted", "speed of the last three", "others, 3 lifted"}, 3, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double values[maxValues] = {0};
        WB_TRY(measureIn(run, makeSpaceDef(), measureCradle, &rows[k], values));
        if (run->stopped) break;
        report(run, rows[k].names[0], "relative", values[0], 0, 1e-6, "sum m v is constant");
        report(run, rows[k].names[1], "of the first", values[1], 1, 0.02, "restitution 1");
        report(run, rows[k].names[2], "m/s", values[2], 2, 0.04, "Newton's cradle");
        report(run, rows[k].names[3], "m/s", values[3], 0, 0.04, "Newton's cradle");
    }
    return wb_okStatus;
}

// A rod on a hinge

typedef struct PendulumRow {
    const char *name;
    double angle, ratio; // degrees; of the period by that of small swings
} PendulumRow;

// values: the period by that of small swings
static wbStatus measurePendulum(wbValidateRun *run, wbWorld *world, const void *setup,
                                double values[maxValues]) {
    const PendulumRow *row = setup;
    const double angle = row->angle * pi / 180;
    wbRigidBodyDef rod =
        makeBody(wb_rigidBox, 1, wbMakeVec3((float)(0.5 * sin(angle)), (float)(-0.5 * cos(angle)), 0));
    wbJointDef hinge = wbDefaultJointDef();
    wbJointId joint;
    wbRigidMotion motion;
    double before = 1, first = NAN, last = NAN;
    int crossings = 0;
    rod.params.size = wbMakeVec3(0.1f, 1, 0.1f), rod.params.rotation.z = (float)row->angle;
    WB_TRY(wbCreateRigidBody(world, &rod, &hinge.first));
    hinge.params.kind = wb_jointHinge;
    WB_TRY(wbCreateJoint(world, &hinge, &joint));
    const double inertia = wbRigidBody_GetMass(world, hinge.first).inertia[2][2] + 0.25;
    for (int k = 0; k < 600 && crossings < 9 && !run->stopped; k++) {
        const double time = wbWorld_GetTime(world);
        WB_TRY(wbStepCase(run, world, k / 600.0));
        WB_TRY(wbRigidBody_GetMotion(world, hinge.first, &motion));
        const double now = motion.position.x;
        if (before * now < 0) {
            last = time + (wbWorld_GetTime(world) - time) * before / (before - now);
            if (crossings++ == 0) first = last;
        }
        before = now;
    }
    values[0] = (last - first) / (0.5 * (crossings - 1)) / (2 * pi * sqrt(inertia / (0.5 * gravity)));
    return wb_okStatus;
}

wbStatus wbValidateRigidPendulum(wbValidateRun *run) {
    static const PendulumRow rows[] = {{"period, 30 degrees", 30, 1.017409},
                                       {"period, 90 degrees", 90, 1.180341}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double values[maxValues] = {0};
        WB_TRY(measureIn(run, makeWorldDef(), measurePendulum, &rows[k], values));
        if (!run->stopped)
            report(run, rows[k].name, "2 pi sqrt(I / m g l)", values[0], rows[k].ratio, 0.005 * rows[k].ratio,
                   "elliptic integral");
    }
    return wb_okStatus;
}

// Two boxes that meet askew in free flight

static wbStatus getMomentum(wbWorld *world, const wbRigidBodyId bodies[2], wbVec3d *linear,
                            wbVec3d *angular) {
    *linear = *angular = (wbVec3d){0, 0, 0};
    for (int k = 0; k < 2; k++) {
        wbRigidMotion motion;
        WB_TRY(wbRigidBody_GetMotion(world, bodies[k], &motion));
        const wbRigidMass mass = wbRigidBody_GetMass(world, bodies[k]);
        const wbVec3d spin = getSpinMomentum(&motion, &mass);
        const double p[3] = {mass.mass * motion.velocity.x, mass.mass * motion.velocity.y,
                             mass.mass * motion.velocity.z};
        const double x[3] = {motion.centre.x, motion.centre.y, motion.centre.z};
        linear->x += p[0], linear->y += p[1], linear->z += p[2];
        angular->x += spin.x + x[1] * p[2] - x[2] * p[1];
        angular->y += spin.y + x[2] * p[0] - x[0] * p[2];
        angular->z += spin.z + x[0] * p[1] - x[1] * p[0];
    }
    return wb_okStatus;
}

static double getDifference(wbVec3d a, wbVec3d b) {
    return getLength((wbVec3d){a.x - b.x, a.y - b.y, a.z - b.z});
}

// values: change of the momentum and of the angular momentum, by that of the faster box; what the slower one was given, m/s
static wbStatus measureCollision(wbValidateRun *run, wbWorld *world, const void *setup,
                                 double values[maxValues]) {
    wbRigidBodyId boxes[2];
    wbVec3d linear[2], angular[2];
    wbRigidMotion hit;
    (void)setup;
    for (int k = 0; k < 2; k++) {
        wbRigidBodyDef def =
            makeBody(wb_rigidBox, k ? 2 : 1, wbMakeVec3(k ? 0.9f : -0.9f, k ? 0.3f : 0, k ? 0.1f : 0));
        def.params.velocity = wbMakeVec3(k ? 0 : 3, 0, 0);
        def.params.spin = wbMakeVec3(0.5f, k ? 1 : -1, 0.3f);
        def.params.rotation = wbMakeVec3(10, 20, k ? 30 : 5), def.params.restitution = 0.5f;
        WB_TRY(wbCreateRigidBody(world, &def, &boxes[k]));
    }
    WB_TRY(getMomentum(world, boxes, &linear[0], &angular[0]));
    WB_TRY(stepFor(run, world, 60));
    WB_TRY(getMomentum(world, boxes, &linear[1], &angular[1]));
    WB_TRY(wbRigidBody_GetMotion(world, boxes[1], &hit));
    values[0] = getDifference(linear[1], linear[0]) / getLength(linear[0]);
    values[1] = getDifference(angular[1], angular[0]) / getLength(linear[0]);
    values[2] = getLength(widen(hit.velocity));
    return wb_okStatus;
}

wbStatus wbValidateRigidMomentum(wbValidateRun *run) {
    static const struct {
        const char *names[3];
        wbRigidContact contact;
    } rows[] = {
        {{"momentum, change", "angular momentum, change", "speed of the box that was hit"}, wb_contactExact},
        {{"momentum, change, particles", "angular momentum, change, particles",
          "speed of the box that was hit, particles"},
         wb_contactParticles}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double values[maxValues] = {0};
        wbWorldDef def = makeSpaceDef();
        def.rigid.contact = rows[k].contact;
        WB_TRY(measureIn(run, def, measureCollision, NULL, values));
        if (run->stopped) break;
        report(run, rows[k].names[0], "relative", values[0], 0, 1e-6, "sum m v is constant");
        note(run, rows[k].names[1], "m sum m v", values[1], 0, "constant");
        note(run, rows[k].names[2], "m/s", values[2], 0, "they met");
    }
    return wb_okStatus;
}

// A jumbled pile: unit cubes fall between four walls, as in the benchmarks.

static const int pileEdge = 6, pileCount = 200;
static const double pileSpacing = 1.75;

static wbStatus addJumble(wbWorld *world) {
    uint32_t seed = 1;
    for (int i = 0; i < pileCount; i++) {
        const int ix = i % pileEdge, iz = i / pileEdge % pileEdge, iy = i / (pileEdge * pileEdge);
        const double middle = 0.5 * (pileEdge - 1);
        wbRigidBodyDef def =
            makeBody(wb_rigidBox, 1,
                     wbMakeVec3((float)((ix - middle) * pileSpacing + (iy & 1 ? 0.4 : -0.4)),
                                (float)(1 + iy * pileSpacing),
                                (float)((iz - middle) * pileSpacing + (iy & 2 ? 0.4 : -0.4))));
        wbRigidBodyId id;
        const double x = random01(&seed), y = random01(&seed), z = random01(&seed);
        def.params.rotation = wbMakeVec3((float)(360 * x), (float)(360 * y), (float)(360 * z));
        WB_TRY(wbCreateRigidBody(world, &def, &id));
    }
    return wb_okStatus;
}

// values: mean and largest overlap at the end, largest while they fell, in edges; cubes beyond the walls
static wbStatus measurePile(wbValidateRun *run, wbWorld *world, const void *setup, double values[maxValues]) {
    const double half = *(const double *)setup;
    wbRigidView view;
    wbOverlaps overlaps = {0};
    WB_TRY(addJumble(world));
    values[2] = values[3] = 0;
    for (int k = 0; k < 20 && !run->stopped; k++) {
        WB_TRY(stepFor(run, world, 24));
        WB_TRY(wbWorld_GetRigidView(world, &view));
        overlaps = wbMeasureOverlaps(&view, 1);
        values[2] = fmax(values[2], overlaps.max);
    }
    for (int i = 0; i < view.count; i++)
        values[3] += fabs(view.x[i]) > half || fabs(view.z[i]) > half || view.y[i] < 0;
    values[0] = overlaps.mean, values[1] = overlaps.max;
    return wb_okStatus;
}

wbStatus wbValidateRigidPile(wbValidateRun *run) {
    const double half = 0.5 * (pileEdge * pileSpacing + 0.9);
    double values[maxValues] = {0};
    wbWorldDef def = makeWorldDef();
    def.domain.min = wbMakeVec3((float)-half, 0, (float)-half);
    def.domain.max = wbMakeVec3((float)half, 100, (float)half);
    for (int side = 0; side < wb_sideCount; side++)
        def.domain.sides[side].type = side == wb_top ? wb_sideOpen : wb_sideNoSlip;
    WB_TRY(measureIn(run, def, measurePile, &half, values));
    if (run->stopped) return wb_okStatus;
    report(run, "mean overlap after 8 s", "edges", values[0], 0, 0.002, "solids");
    report(run, "largest overlap after 8 s", "edges", values[1], 0, 0.02, "solids");
    note(run, "largest overlap while they fall", "edges", values[2], 0, "solids");
    report(run, "boxes beyond the sides", "", values[3], 0, 0, "solids");
    return wb_okStatus;
}
