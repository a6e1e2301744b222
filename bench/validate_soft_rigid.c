// SPDX-License-Identifier: MIT
// Soft bodies and rigid bodies: what one gives the other gets, friction is Coulomb's, and weights are borne.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"
#include "wirbel/rigid.h"

static const double gravity = 9.81; // m/s2
static const float radius = 0.02f;  // m, of particles

static wbStatus createWorld(wbValidateRun *run, double g, float friction, double dt, wbWorld **world) {
    wbCaseMachine machine;
    WB_TRY(wbGetCaseMachine(run, &machine));
    wbWorldDef def = wbDefaultWorldDef();
    def.threadCount = machine.threadCount, def.simd = machine.simd;
    def.params.backend = machine.backend, def.params.device = machine.deviceIndex;
    def.params.gravity = wbMakeVec3(0, (float)-g, 0), def.params.dt = (float)dt;
    def.pbd.subSteps = 8, def.pbd.iterations = 4, def.pbd.radius = radius, def.pbd.friction = friction;
    WB_TRY(wbCreateWorld(&def, world));
    wbNameMachine(run, wbWorld_GetDevice(*world), wbWorld_GetSimd(*world));
    return wb_okStatus;
}

// Without a mass it stands.
static wbRigidBodyDef makeBox(const char *name, wbVec3 size, wbVec3 position, double mass, float friction) {
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.name = name, def.params.size = size, def.params.position = position;
    def.params.friction = friction;
    if (mass > 0)
        def.params.mass = (float)mass;
    else
        def.params.type = wb_rigidStatic;
    return def;
}

static wbStatus addBox(wbWorld *world, const char *name, wbVec3 size, wbVec3 position, double mass,
                       float friction, wbRigidBodyId *id) {
    const wbRigidBodyDef def = makeBox(name, size, position, mass, friction);
    return wbCreateRigidBody(world, &def, id);
}

static wbStatus addBlock(wbWorld *world, wbVec3 size, wbVec3 counts, wbVec3 position, float mass,
                         wbVec3 velocity, wbSoftBodyId *id) {
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    def.name = "block", def.params.size = size, def.params.counts = counts;
    def.params.position = position, def.params.mass = mass, def.params.velocity = velocity;
    return wbCreateSoftBody(world, &def, id);
}

typedef struct Mean {
    double x[3], v[3], angular[3]; // m, m/s; m2/s about the origin
    double speed, turn;            // means of |v| and of |x| |v|
} Mean;

static wbStatus findMean(wbWorld *world, wbSoftBodyId id, Mean *mean) {
    wbView view;
    WB_TRY(wbSoftBody_GetView(world, id, &view));
    *mean = (Mean){0};
    for (int i = 0; i < view.count; i++) {
        const double x[3] = {view.x[i], view.y[i], view.z[i]}, v[3] = {view.vx[i], view.vy[i], view.vz[i]};
        double x2 = 0, v2 = 0;
        for (int a = 0; a < 3; a++) {
            const int u = (a + 1) % 3, w = (a + 2) % 3;
            mean->x[a] += x[a] / view.count, mean->v[a] += v[a] / view.count;
            mean->angular[a] += (x[u] * v[w] - x[w] * v[u]) / view.count;
            x2 += x[a] * x[a], v2 += v[a] * v[a];
        }
        mean->speed += sqrt(v2) / view.count, mean->turn += sqrt(x2 * v2) / view.count;
    }
    return wb_okStatus;
}

static wbStatus runFor(wbValidateRun *run, wbWorld *world, double seconds) {
    const double start = wbWorld_GetTime(world);
    while (wbWorld_GetTime(world) < start + seconds - 1e-6 && !run->stopped)
        WB_TRY(wbStepCase(run, world, (wbWorld_GetTime(world) - start) / seconds));
    return wb_okStatus;
}

// The cart

static wbStatus rideCart(wbValidateRun *r, wbWorld *world) {
    const float mu = 0.4f, height = 0.1f, edge = 0.2f;
    wbRigidBodyId ground, cart;
    wbSoftBodyId block;
    wbRigidMotion motion;
    Mean before, after;
    WB_TRY(addBox(world, "ground", wbMakeVec3(40, 1, 4), wbMakeVec3(0, -0.5f, 0), 0, 0, &ground));
    WB_TRY(addBox(world, "cart", wbMakeVec3(3, height, 0.6f), wbMakeVec3(0, 0.5f * height, 0), 2, mu, &cart));
    WB_TRY(addBlock(world, wbMakeVec3(edge, edge, edge), wbMakeVec3(4, 4, 4),
                    wbMakeVec3(-1, height + radius + 0.5f * edge, 0), 1, wbMakeVec3(3, 0, 0), &block));
    WB_TRY(findMean(world, block, &before));
    WB_TRY(runFor(r, world, 1.2));
    if (r->stopped) return wb_okStatus;
    WB_TRY(findMean(world, block, &after));
    WB_TRY(wbRigidBody_GetMotion(world, cart, &motion));
    wbReportQuantity(r, (wbQuantity){.quantity = "cart's speed",
                                     .unit = "m/s",
                                     .value = (double)motion.velocity.x,
                                     .reference = 1,
                                     .tolerance = 0.005,
                                     .source = "m v / (m + M)"});
    wbReportQuantity(r, (wbQuantity){.quantity = "block's speed",
                                     .unit = "m/s",
                                     .value = after.v[0],
                                     .reference = 1,
                                     .tolerance = 0.005,
                                     .source = "m v / (m + M)"});
    const double slid = 9 / (2 * (double)mu * gravity * 1.5);
    wbReportQuantity(r, (wbQuantity){.quantity = "slid",
                                     .unit = "m",
                                     .value = after.x[0] - before.x[0] - (double)motion.position.x,
                                     .reference = slid,
                                     .tolerance = 0.03 * slid,
                                     .source = "v2 / (2 mu g (1 + m/M))"});
    return wb_okStatus;
}

wbStatus wbValidateCoupleCart(wbValidateRun *run) {
    wbWorld *world;
    WB_TRY(createWorld(run, gravity, 0.4f, 0, &world));
    wbStatus status = rideCart(run, world);
    wbDestroyWorld(world);
    return status;
}

// The slope, and the slab

// The slope is level, and gravity tilted.
static wbStatus slideDown(wbValidateRun *r, wbWorld *world, float mu) {
    const double angle = 15 * 3.14159265358979323846 / 180,
                 expected = gravity * (sin(angle) - (double)mu * cos(angle));
    const float edge = 0.2f;
    wbRigidBodyId plank;
    wbSoftBodyId block;
    Mean before, after;
    WB_TRY(wbWorld_SetGravity(world,
                              wbMakeVec3((float)(gravity * sin(angle)), (float)(-gravity * cos(angle)), 0)));
    WB_TRY(addBox(world, "plank", wbMakeVec3(40, 1, 4), wbMakeVec3(0, -0.5f, 0), 0, mu, &plank));
    WB_TRY(addBlock(world, wbMakeVec3(edge, edge, edge), wbMakeVec3(4, 4, 4),
                    wbMakeVec3(-1, radius + 0.5f * edge, 0), 1, wbMakeVec3(0, 0, 0), &block));
    WB_TRY(runFor(r, world, 0.3));
    WB_TRY(findMean(world, block, &before));
    WB_TRY(runFor(r, world, 1));
    WB_TRY(findMean(world, block, &after));
    wbReportQuantity(r, (wbQuantity){.quantity = mu > 0 ? "acceleration down 15 degrees, friction 0.2"
                                                        : "acceleration down 15 degrees, no friction",
                                     .unit = "m/s2",
                                     .value = after.v[0] - before.v[0],
                                     .reference = expected,
                                     .tolerance = 0.03 * expected,
                                     .source = "g (sin - mu cos)"});
    return wb_okStatus;
}

// What the slab gives to the box in a second, when it has come to rest.
static wbStatus restOnSlab(wbValidateRun *r, wbWorld *world) {
    const double mass = 2;
    wbRigidBodyId box;
    wbSoftBodyId slab;
    double given = 0;
    WB_TRY(addBlock(world, wbMakeVec3(0.8f, 0.2f, 0.8f), wbMakeVec3(9, 3, 9), wbMakeVec3(0, radius + 0.1f, 0),
                    4, wbMakeVec3(0, 0, 0), &slab));
    WB_TRY(addBox(world, "ground", wbMakeVec3(4, 1, 4), wbMakeVec3(0, -0.5f, 0), 0, 0.5f, &box));
    WB_TRY(addBox(world, "box", wbMakeVec3(0.3f, 0.2f, 0.3f),
                  wbMakeVec3(0.02f, 0.2f + 2 * radius + 0.1f, 0.01f), mass, 0.5f, &box));
    WB_TRY(runFor(r, world, 1.5));
    const double start = wbWorld_GetTime(world);
    for (int k = 0; k < 60 && !r->stopped; k++) {
        WB_TRY(wbStepCase(r, world, k / 60.0));
        given += wbWorld_GetStats(world).softRigid[1]; // of bodies that can move: the ground does not count
    }
    wbReportQuantity(r, (wbQuantity){.quantity = "weight borne by the slab",
                                     .unit = "N",
                                     .value = given / (wbWorld_GetTime(world) - start),
                                     .reference = mass * gravity,
                                     .tolerance = 0.03 * mass * gravity,
                                     .source = "m g"});
    return wb_okStatus;
}

wbStatus wbValidateCoupleSlope(wbValidateRun *run) {
    for (int k = 0; k < 3 && !run->stopped; k++) {
        wbWorld *world;
        const float mu = k == 0 ? 0 : k == 1 ? 0.2f : 0.4f;
        WB_TRY(createWorld(run, gravity, mu, 0, &world));
        wbStatus status = k < 2 ? slideDown(run, world, mu) : restOnSlab(run, world);
        wbDestroyWorld(world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// Momentum

typedef struct Sums {
    double linear[3], angular[3], size, turn;
} Sums;

static wbStatus sumBoth(wbWorld *world, wbSoftBodyId ball, double ballMass, wbRigidBodyId box, double boxMass,
                        double inertia, Sums *sums) {
    Mean mean;
    wbRigidMotion motion;
    WB_TRY(findMean(world, ball, &mean));
    WB_TRY(wbRigidBody_GetMotion(world, box, &motion));
    const double x[3] = {motion.centre.x, motion.centre.y, motion.centre.z},
                 v[3] = {motion.velocity.x, motion.velocity.y, motion.velocity.z},
                 spin[3] = {motion.spin.x, motion.spin.y, motion.spin.z};
    double x2 = 0, v2 = 0;
    *sums = (Sums){0};
    for (int a = 0; a < 3; a++) {
        const int u = (a + 1) % 3, w = (a + 2) % 3;
        sums->linear[a] = ballMass * mean.v[a] + boxMass * v[a];
        sums->angular[a] =
            ballMass * mean.angular[a] + boxMass * (x[u] * v[w] - x[w] * v[u]) + inertia * spin[a];
        x2 += x[a] * x[a], v2 += v[a] * v[a];
    }
    sums->size = ballMass * mean.speed + boxMass * sqrt(v2);
    sums->turn = ballMass * mean.turn + boxMass * sqrt(x2 * v2);
    return wb_okStatus;
}

static double getDistance(const double a[3], const double b[3]) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static wbStatus hitBall(wbValidateRun *run, wbWorld *world) {
    const double edge = 0.2, mass = 3, ballMass = 2;
    wbSoftBodyDef ball = wbDefaultSoftBodyDef();
    wbSoftBodyId ballId;
    wbRigidBodyId box;
    Sums start, end;
    ball.name = "ball", ball.params.shape = wb_softBodySphere, ball.params.radius = 0.25f;
    ball.params.count = 123, ball.params.mass = (float)ballMass;
    WB_TRY(wbCreateSoftBody(world, &ball, &ballId));
    wbRigidBodyDef def = makeBox("box", wbMakeVec3((float)edge, (float)edge, (float)edge),
                                 wbMakeVec3(-0.6f, 0.1f, 0.03f), mass, 0.5f);
    def.params.velocity = wbMakeVec3(5, 0, 0), def.params.spin = wbMakeVec3(0, 3, 2);
    WB_TRY(wbCreateRigidBody(world, &def, &box));
    const double inertia = mass * edge * edge / 6;
    WB_TRY(sumBoth(world, ballId, ballMass, box, mass, inertia, &start));
    for (int k = 0; k < 1000 && !run->stopped; k++) WB_TRY(wbStepCase(run, world, k / 1000.0));
    WB_TRY(sumBoth(world, ballId, ballMass, box, mass, inertia, &end));
    wbReportQuantity(run, (wbQuantity){.quantity = "momentum drift",
                                       .unit = "sum m abs(v)",
                                       .value = getDistance(start.linear, end.linear) / start.size,
                                       .tolerance = 1e-5,
                                       .source = "sum m v is constant"});
    wbReportQuantity(run, (wbQuantity){.quantity = "angular",
                                       .unit = "sum m x v",
                                       .value = getDistance(start.angular, end.angular) / end.turn,
                                       .tolerance = 1e-3,
                                       .source = "sum m x cross v is constant"});
    return wb_okStatus;
}

wbStatus wbValidateCoupleSoft(wbValidateRun *run) {
    wbWorld *world;
    // a power of two: dt times 1 / dt is 1, and velocities that become ways and velocities again lose nothing
    WB_TRY(createWorld(run, 0, 0.4f, 1.0 / 256, &world));
    wbStatus status = hitBall(run, world);
    wbDestroyWorld(world);
    return status;
}
