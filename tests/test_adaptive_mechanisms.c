// SPDX-License-Identifier: MIT
// What moves among particles of different sizes, beside the same water of one size: gates and locks, walls that vanish, wheels, shaken colliders, logs.
#include <stdio.h>

#include "pbf_world_support.h"
#include "wirbel/rigid.h"
#include "wirbel/scene.h"

// In the plane, with smallest particles of 0.1 m.
static wbWorld *createScene(const char *rest, bool isAdaptive) {
    char text[1500];
    wbScene *scene;
    wbWorld *world;
    snprintf(
        text, sizeof text,
        "{\"world\":{\"dimensions\":2,\"dt\":0.016666668},\"domain\":{\"min\":[0,0],\"max\":[8,6],"
        "\"sides\":{\"top\":{\"type\":\"open\"}}},\"pbf\":{\"spacing\":0.1,\"adaptive\":{\"method\":\"%s\"}},"
        "\"fluids\":[{\"name\":\"water\",\"solver\":\"pbf\",%s}",
        isAdaptive ? "levels" : "off", rest);
    assertOk(wbReadSceneText("mechanism.json", text, strlen(text), &scene));
    wbScene_GetWorldDef(scene)->threadCount = 1;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

static double getMass(const wbWorld *world, const wbView *view, int i) {
    return view->mass ? (double)view->mass[i] : wbFluid_GetParticleMass(world, wbWorld_GetFluid(world, 0));
}

// What is between two places along x.
typedef struct Part {
    double share;   // of the mass
    double largest; // m, radius at the surface
    double speed;   // m/s, root mean square
} Part;

static Part getPart(wbWorld *world, double from, double to) {
    const wbFluidId fluid = wbWorld_GetFluid(world, 0);
    const wbView view = getView(world, fluid);
    Part part = {0};
    double mass = 0;
    for (int i = 0; i < view.count; i++) {
        const double vx = (double)view.vx[i], vy = (double)view.vy[i], m = getMass(world, &view, i);
        if ((double)view.x[i] <= from || (double)view.x[i] > to) continue;
        mass += m, part.speed += m * (vx * vx + vy * vy);
        if (view.radius && (double)view.distance[i] < 0.15)
            part.largest = fmax(part.largest, (double)view.radius[i]);
    }
    part.share = mass / wbFluid_GetMass(world, fluid), part.speed = sqrt(part.speed / fmax(mass, 1e-30));
    assert_int_equal(wbWorld_GetStats(world).leaked, 0);
    return part;
}

#define BASIN "\"blocks\":[{\"min\":[0,0],\"max\":[3,4]}]}],"
#define PLATE "\"colliders\":[{\"name\":\"plate\",\"shape\":\"box\",\"size\":[0.2,5],\"position\":[3.1,2.5]}]"

// Hundreds of particles splash a little differently each time: what is compared is the mean of as many starts.
enum { STARTS = 4 };

// Nothing goes through a plate that is thinner than large particles; under it, when it is lifted, five sixths of what does of one size.
static void testGate(void **state) {
    (void)state;
    double through[2] = {0, 0};
    for (int k = 0; k < 2 * STARTS; k++) {
        wbWorld *world =
            createScene(BASIN PLATE ",\"mechanisms\":[{\"name\":\"gate\",\"kind\":\"gate\","
                                    "\"colliders\":[\"plate\"],\"travel\":[0,1],\"duration\":0.2}]",
                        k % 2 > 0);
        stepTimes(world, 30 + 3 * (k / 2));
        assertBelow(getPart(world, 3, 8).share, 1e-9, "what went through");
        assertOk(wbWorld_SetParam(world, "gate.open", "1"));
        stepTimes(world, 60);
        through[k % 2] += getPart(world, 3.2, 8).share;
        wbDestroyWorld(world);
    }
    assert_true(through[0] > STARTS * 0.2);
    assertBelow(fabs(through[1] / through[0] - 0.83), 0.06, "through a gate");
}

// What a wall held is at the surface when it vanishes, and becomes small.
static void testWallVanishes(void **state) {
    (void)state;
    double share[2] = {0, 0}, speed[2] = {0, 0};
    for (int k = 0; k < 2 * STARTS; k++) {
        wbWorld *world = createScene(BASIN PLATE, k % 2 > 0);
        stepTimes(world, 30 + 3 * (k / 2));
        assertOk(wbWorld_SetParam(world, "plate.on", "false"));
        stepTimes(world, 45);
        const Part beyond = getPart(world, 4, 8);
        share[k % 2] += beyond.share, speed[k % 2] += beyond.speed;
        if (k % 2 > 0) assertBelow(beyond.largest, 0.101, "largest radius at the surface");
        wbDestroyWorld(world);
    }
    assertBelow(fabs(share[1] / share[0] - 0.96), 0.06, "beyond a wall");
    assertBelow(fabs(speed[1] / speed[0] - 1), 0.25, "speed");
}

// From the upper basin into the chamber, then from there to the lower one.
static void testLock(void **state) {
    (void)state;
    double chamber[2][2];
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createScene(
            "\"blocks\":[{\"min\":[0,0],\"max\":[2,4]},{\"min\":[5.4,0],\"max\":[8,1.5]}]}],"
            "\"colliders\":[{\"name\":\"upper\",\"shape\":\"box\",\"size\":[0.2,5],\"position\":[2.1,2.5]},"
            "{\"name\":\"lower\",\"shape\":\"box\",\"size\":[0.2,5],\"position\":[5.3,2.5]}],"
            "\"mechanisms\":[{\"name\":\"lock\",\"kind\":\"lock\",\"colliders\":[\"upper\",\"lower\"],"
            "\"travel\":[0,1],\"duration\":0.2,\"gates\":\"upper\",\"period\":1}]",
            k > 0);
        stepTimes(world, 54);
        chamber[0][k] = getPart(world, 2.2, 5.2).share;
        stepTimes(world, 60);
        chamber[1][k] = getPart(world, 2.2, 5.2).share;
        wbDestroyWorld(world);
    }
    for (int n = 0; n < 2; n++) assertBelow(fabs(chamber[n][1] - chamber[n][0]), 0.04, "in the chamber");
}

// rad: how far a wheel with blades of 1.5 m has come in 1.5 s, that is free on its axle above deep water and hit by a jet.
static double turnWheel(double inertia, bool isAdaptive) {
    char rest[1000];
    snprintf(rest, sizeof rest,
             "\"blocks\":[{\"min\":[0,0],\"max\":[8,3]}]}],"
             "\"emitters\":[{\"name\":\"spout\",\"position\":[4.6,5.5],\"direction\":[0,-1],\"radius\":0.3,"
             "\"velocity\":4}],"
             "\"colliders\":[{\"name\":\"a\",\"shape\":\"box\",\"size\":[3,0.2],\"position\":[4,3.4]},"
             "{\"name\":\"b\",\"shape\":\"box\",\"size\":[0.2,3],\"position\":[4,3.4]}],"
             "\"mechanisms\":[{\"name\":\"mill\",\"kind\":\"wheel\",\"colliders\":[\"a\",\"b\"],\"drive\":"
             "\"free\",\"pivot\":[4,3.4],\"axis\":[0,0,1],\"inertia\":%g,\"friction\":50}]",
             inertia);
    wbWorld *world = createScene(rest, isAdaptive);
    stepTimes(world, 90);
    const double angle = wbMechanism_GetStats(world, wbWorld_GetMechanism(world, 0)).angle;
    getPart(world, 0, 8);
    wbDestroyWorld(world);
    return angle;
}

// By water of different sizes it is turned as far.
static void testWheel(void **state) {
    (void)state;
    assertBelow(fabs(turnWheel(500, true) / turnWheel(500, false) - 1), 0.3, "angle of a wheel");
}

// The water that turns along with a blade has up to pi/8 rho a^4 = 2,000 kg m2: wheels that are much lighter than that are all as fast, and are not
// thrown about by what they move.
static void testLightWheel(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        assertBelow(fabs(turnWheel(5, k > 0) / turnWheel(100, k > 0) - 1), 0.3, "angle of a light wheel");
}

// A box that is shaken in deep water moves as much of it. How much follows the sub-steps, which damp water of one size more than coarse water: with those
// that are chosen it has 0.65 m/s, with 4, 8 and 16 of them 0.66, 0.69 and 0.75, and of different sizes 0.79, 0.76, 0.75 and 0.77.
static void testShaker(void **state) {
    (void)state;
    double speed[2] = {0, 0};
    for (int k = 0; k < 2 * STARTS; k++) {
        wbWorld *world = createScene(
            "\"blocks\":[{\"min\":[0,0],\"max\":[8,4]}]}],"
            "\"colliders\":[{\"name\":\"box\",\"shape\":\"box\",\"size\":[1,1],\"position\":[4,1.6]}],"
            "\"mechanisms\":[{\"name\":\"arm\",\"kind\":\"shaker\",\"colliders\":[\"box\"],\"travel\":[1,0],"
            "\"frequency\":0.8,\"axis\":[0,0,1]}]",
            k % 2 > 0);
        char frequency[16];
        snprintf(frequency, sizeof frequency, "%g", 0.8 + 0.002 * (k / 2));
        assertOk(wbWorld_SetParam(world, "arm.frequency", frequency));
        assertOk(wbWorld_SetParam(world, "pbf.subSteps", "8"));
        for (int n = 0; n < 6; n++) {
            stepTimes(world, 15);
            speed[k % 2] += getPart(world, 0, 8).speed;
        }
        wbDestroyWorld(world);
    }
    assertBelow(fabs(speed[1] / speed[0] - 1), 0.16, "speed around a shaken box");
}

// Particles whose middle is nearer than half a spacing to a square of 1 m: all of them, and those larger than the smallest.
typedef struct Touching {
    int all, large;
} Touching;

static void countTouching(wbWorld *world, wbVec3 centre, Touching *touching) {
    const wbView view = getView(world, wbWorld_GetFluid(world, 0));
    for (int i = 0; i < view.count; i++) {
        const float x = fabsf(view.x[i] - centre.x), y = fabsf(view.y[i] - centre.y);
        if (fmaxf(x, y) - 0.5f >= 0.045f) continue;
        touching->all++, touching->large += view.radius && view.radius[i] > 0.051f;
    }
}

// A light log floats and does not shake: what lies at its faces is small. Large particles there threw it.
static void testLog(void **state) {
    (void)state;
    enum { steps = 600, first = 300 };
    double squares = 0;
    Touching touching = {0, 0};
    for (int k = 0; k < STARTS; k++) {
        char rest[300];
        snprintf(rest, sizeof rest,
                 "\"blocks\":[{\"min\":[0,0],\"max\":[8,2]}]}],\"bodies\":[{\"name\":\"log\",\"size\":[1,1],"
                 "\"density\":500,\"position\":[%g,2],\"turns\":false}]",
                 4 + 0.02 * k);
        wbWorld *world = createScene(rest, true);
        double before = 0;
        for (int n = 0; n < steps; n++) {
            wbRigidMotion motion;
            stepTimes(world, 1);
            assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &motion));
            const double acceleration = 60 * ((double)motion.velocity.y - before) / 9.81;
            before = (double)motion.velocity.y;
            if (n < first) continue;
            squares += acceleration * acceleration / (STARTS * (steps - first));
            countTouching(world, motion.centre, &touching);
        }
        wbDestroyWorld(world);
    }
    assertBelow(sqrt(squares), 0.15, "how a log shakes, in g");
    assertBelow(touching.large / (double)touching.all, 0.01, "large ones at a log");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testGate),       cmocka_unit_test(testWallVanishes),
                                       cmocka_unit_test(testLock),       cmocka_unit_test(testWheel),
                                       cmocka_unit_test(testLightWheel), cmocka_unit_test(testShaker),
                                       cmocka_unit_test(testLog)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
