// SPDX-License-Identifier: MIT
// Liquids and rigid bodies in one world: they push each other, and nothing is lost between them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/rigid.h"
#include "world/collider.h"
#include "world/coupling.h"
#include "world/rigid.h"

static const float spacing = 0.05f;

// The methods by which liquids are computed.
typedef struct Method {
    wbFluidSolver solver;
    wbSphMethod sph;
    wbAdaptiveMethod adaptive;
} Method;
enum { METHODS = 5 };
static const Method methods[METHODS] = {{wb_solverSph, wb_sphExplicit, wb_adaptiveOff},
                                        {wb_solverSph, wb_sphSplit, wb_adaptiveOff},
                                        {wb_solverPbf, wb_sphExplicit, wb_adaptiveOff},
                                        {wb_solverPbf, wb_sphExplicit, wb_adaptiveLevels},
                                        {wb_solverPbf, wb_sphExplicit, wb_adaptiveThesis}};

static wbWorldDef makeDef(int dimensions) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = dimensions;
    def.sph.spacing = def.pbf.spacing = spacing;
    def.domain.max = wbMakeVec3(1, 2, dimensions == 3 ? 0.6f : 0);
    def.threadCount = 1;
    return def;
}

static wbWorldDef makeDefOf(const Method *method, int dimensions) {
    wbWorldDef def = makeDef(dimensions);
    def.sph.method = method->sph, def.pbf.adaptive.method = method->adaptive;
    return def;
}

static wbRigidBodyId addBoxOf(wbWorld *world, const char *name, float y, float density) {
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    def.name = name, def.params.size = wbMakeVec3(0.3f, 0.3f, 0.3f), def.params.density = density;
    def.params.position = wbMakeVec3(0.5f, y, world->params.dimensions == 3 ? 0.3f : 0);
    assertOk(wbCreateRigidBody(world, &def, &id));
    return id;
}

static wbRigidBodyId addBox(wbWorld *world, float y, float density) {
    return addBoxOf(world, "box", y, density);
}

static wbFluidId addWater(wbWorld *world, wbFluidSolver solver, float height) {
    wbFluidDef def = wbDefaultFluidDef();
    wbFluidId id;
    const wbBlockDef block = {.max = {1, height, world->params.dimensions == 3 ? 0.6f : 0}};
    def.name = "water", def.solver = solver;
    assertOk(wbCreateFluid(world, &def, &id));
    assertOk(wbFluid_AddBlock(world, id, &block));
    return id;
}

static wbWorld *createTank(const wbWorldDef *def, wbFluidSolver solver) {
    wbWorld *world;
    assertOk(wbCreateWorld(def, &world));
    addBox(world, 0.55f, 400);
    addWater(world, solver, 0.4f);
    return world;
}

static void step(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, 0));
}

static wbRigidMotion getMotion(wbWorld *world) {
    wbRigidMotion motion;
    assertOk(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, 0), &motion));
    return motion;
}

// Light ones float, heavy ones sink, and water stays out of them.
static void testFloatsOrSinks(void **state) {
    (void)state;
    for (const Method *method = methods; method < methods + METHODS; method++) {
        for (int isHeavy = 0; isHeavy < 2; isHeavy++) {
            const wbWorldDef def = makeDefOf(method, 2);
            wbWorld *world;
            assertOk(wbCreateWorld(&def, &world));
            const wbRigidBodyId box = addBox(world, 0.7f, isHeavy ? 3000 : 400);
            const wbFluidId water = addWater(world, method->solver, 0.5f);
            step(world, 120);
            const wbRigidMotion motion = getMotion(world);
            assert_true(isHeavy ? motion.position.y < 0.2f : fabs(motion.position.y - 0.566) < 0.05);
            wbView view;
            wbShape *shape;
            assertOk(wbGetRigidShape(world, 0, &shape));
            assertOk(wbFluid_GetView(world, water, &view));
            const wbPose pose = wbGetRigidOrigin(world, 0);
            for (int i = 0; i < view.count; i++)
                assert_false(wbIsNearer(shape, &pose, wbMakeVec3(view.x[i], view.y[i], view.z[i]), -1e-3f));
            assertOk(wbDestroyRigidBody(world, box));
            step(world, 2);
            wbDestroyWorld(world);
        }
    }
}

static uint64_t runTank(const Method *method, int threads, int steps) {
    wbWorldDef def = makeDefOf(method, 3);
    def.threadCount = threads;
    wbWorld *world = createTank(&def, method->solver);
    step(world, steps);
    const uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}

static void testThreads(void **state) {
    (void)state;
    for (const Method *method = methods; method < methods + METHODS; method++) {
        const uint64_t one = runTank(method, 1, 3);
        for (int threads = 2; threads <= 4; threads++) assert_int_equal(runTank(method, threads, 3), one);
    }
}

// What is in transit is saved: both go on alike.
static void testCheckpoint(void **state) {
    (void)state;
    for (const Method *method = methods; method < methods + METHODS; method++) {
        const wbWorldDef def = makeDefOf(method, 2);
        wbWorld *world = createTank(&def, method->solver), *loaded;
        step(world, 20);
        assertOk(wbWorld_Save(world, "coupling_test.wbc"));
        assertOk(wbLoadWorld("coupling_test.wbc", &loaded));
        assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
        step(world, 10), step(loaded, 10);
        assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
        wbDestroyWorld(world), wbDestroyWorld(loaded);
        remove("coupling_test.wbc");
    }
}

static void testModes(void **state) {
    (void)state;
    const char *const modes[] = {"off", "oneWay"};
    for (int k = 0; k < 2; k++) {
        const wbWorldDef def = makeDef(2);
        wbWorld *world = createTank(&def, wb_solverPbf);
        assertOk(wbWorld_SetParam(world, "coupling.waterRigid", modes[k]));
        step(world, 60);
        assert_true(getMotion(world).position.y < 0.16f); // nothing bears it
        assert_true((wbGetCoupling(world) != NULL) == (k == 1));
        wbDestroyWorld(world);
    }
}

// A light body that feels nothing of the water falls through it as through nothing.
static void testOneWayIsFree(void **state) {
    (void)state;
    for (const Method *method = methods; method < methods + METHODS; method++) {
        wbWorldDef def = makeDefOf(method, 2);
        def.coupling.waterRigid = wb_pairOneWay;
        wbWorld *world;
        assertOk(wbCreateWorld(&def, &world));
        addBox(world, 1.2f, 20);
        addWater(world, method->solver, 0.6f);
        step(world, 27); // it is below the level since 0.35 s
        assert_float_equal(getMotion(world).velocity.y / (-9.81 * 0.45), 1, 1e-4);
        wbDestroyWorld(world);
    }
}

static void testRefused(void **state) {
    (void)state;
    const wbWorldDef def = makeDef(2);
    wbWorld *world = createTank(&def, wb_solverPbf);
    wbFluidDef other = wbDefaultFluidDef();
    wbFluidId id;
    wbRigidBodyDef body = wbDefaultRigidBodyDef();
    wbRigidBodyId drowned;
    other.name = "syrup", other.solver = wb_solverSph;
    wbStatus status = wbCreateFluid(world, &other, &id);
    assert_int_equal(status.code, wb_errorInput);
    assert_string_equal(status.text,
                        "water is pbf, syrup is sph: liquids of different solvers do not feel each "
                        "other; give both one solver, or set coupling.fluids to ignore");
    assertOk(wbWorld_SetParam(world, "coupling.fluids", "ignore"));
    assertOk(wbCreateFluid(world, &other, &id));
    body.name = "drowned", body.params.position = wbMakeVec3(0.2f, 0.2f, 0);
    body.params.size = wbMakeVec3(0.2f, 0.2f, 1);
    status = wbCreateRigidBody(world, &body, &drowned);
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "particles of fluids would be in it"));
    assert_int_equal(wbWorld_GetRigidBodyCount(world), 1);
    wbDestroyWorld(world);
}

// g: root mean square of its vertical acceleration from frame to frame in the last of two seconds.
static double measureShaking(const Method *method, float density) {
    const wbWorldDef def = makeDefOf(method, 3);
    wbRigidBodyDef box = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    wbWorld *world;
    double squares = 0;
    assertOk(wbCreateWorld(&def, &world));
    box.name = "box", box.params.size = wbMakeVec3(8 * spacing, 4 * spacing, 6 * spacing);
    box.params.density = density, box.params.slip = wb_slipNone;
    box.params.position = wbMakeVec3(0.5f, 0.6f + 4 * spacing * (0.5f - density / 1000), 0.3f);
    assertOk(wbCreateRigidBody(world, &box, &id));
    addWater(world, method->solver, 0.6f);
    for (int k = 0; k < 120; k++) {
        const float before = getMotion(world).velocity.y;
        step(world, 1);
        const double change = (double)(getMotion(world).velocity.y - before) * 60 / 9.81;
        squares += k >= 60 ? change * change : 0;
    }
    wbDestroyWorld(world);
    return sqrt(squares / 60);
}

// A body that position based water sticks to, lighter than the layer beside it, floats calmly.
static void testSticks(void **state) {
    (void)state;
    for (const Method *method = methods + 2; method < methods + METHODS; method++) {
        const double shaking = measureShaking(method, 300);
        if (!(shaking < 0.05)) fail_msg("method %d: %g g", (int)(method - methods), shaking);
    }
}

// Liquids that are let through each other: pairs that are nearer than half of both diameters, beside all pairs.
static void testOverlap(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    wbFluidDef fluid = wbDefaultFluidDef();
    wbFluidId ids[2];
    wbView views[2];
    int64_t count = 0;
    def.coupling.fluids = wb_otherFluidsIgnore;
    def.params.dimensions = 2, def.domain.max = wbMakeVec3(1, 1, 0);
    def.sph.spacing = 0.02f, def.pbf.spacing = 0.05f;
    assertOk(wbCreateWorld(&def, &world));
    for (int f = 0; f < 2; f++) {
        const wbBlockDef block = {.min = wbMakeVec3(0.2f + 0.15f * f, 0.1f, 0),
                                  .max = wbMakeVec3(0.5f + 0.15f * f, 0.4f, 0)};
        fluid.name = f == 0 ? "water" : "syrup", fluid.solver = f == 0 ? wb_solverSph : wb_solverPbf;
        assertOk(wbCreateFluid(world, &fluid, &ids[f]));
        assert_int_equal(wbWorld_GetStats(world).overlap, 0);
        assertOk(wbFluid_AddBlock(world, ids[f], &block));
    }
    for (int f = 0; f < 2; f++) assertOk(wbFluid_GetView(world, ids[f], &views[f]));
    for (int i = 0; i < views[0].count; i++)
        for (int j = 0; j < views[1].count; j++) {
            const double x = (double)views[0].x[i] - views[1].x[j], y = (double)views[0].y[i] - views[1].y[j];
            count += x * x + y * y < 0.035 * 0.035;
        }
    assert_true(count > 100);
    assert_int_equal(wbWorld_GetStats(world).overlap, count);
    wbDestroyWorld(world);
}

// A step that has no more to do than those before asks for no memory.
static void testWarm(void **state) {
    (void)state;
    for (const Method *method = methods; method < methods + 3; method++) { // sizes that change need room
        const wbWorldDef def = makeDefOf(method, 2);
        wbWorld *world = createTank(&def, method->solver);
        step(world, 90);
        const uint64_t before = wbWorld_GetProfile(world).allocations;
        step(world, 5);
        assert_int_equal(wbWorld_GetProfile(world).allocations, before);
        wbDestroyWorld(world);
    }
}

// The same impulse in a step, whatever it is cut into.
static void testForces(void **state) {
    (void)state;
    wbWorldDef def = makeDef(2);
    def.params.gravity = wbMakeVec3(0, 0, 0);
    wbWorld *world;
    assertOk(wbCreateWorld(&def, &world));
    const wbRigidBodyId box = addBox(world, 1.5f, 400);
    addWater(world, wb_solverPbf, 0.4f);
    const double mass = wbRigidBody_GetMass(world, box).mass;
    assertOk(wbRigidBody_ApplyForce(world, box, wbMakeVec3(0, (float)(6 * mass), 0)));
    step(world, 1);
    assert_true(wbWorld_GetProfile(world).solvers[0].subSteps >= 4);
    assert_float_equal(getMotion(world).velocity.y, 6.0 / 60, 1e-4);
    wbDestroyWorld(world);
}

// A held one is told its buoyancy once, however many sub-steps of its own the liquid has.
static void testHeld(void **state) {
    (void)state;
    for (int subSteps = 1; subSteps <= 4; subSteps += 3) {
        wbWorldDef def = makeDef(2);
        def.pbf.subSteps = subSteps;
        wbRigidBodyDef box = wbDefaultRigidBodyDef();
        wbRigidBodyId id;
        wbWorld *world;
        assertOk(wbCreateWorld(&def, &world));
        box.name = "box", box.params.size = wbMakeVec3(0.3f, 0.3f, 0.3f), box.params.type = wb_rigidStatic;
        box.params.position = wbMakeVec3(0.5f, 0.3f, 0);
        assertOk(wbCreateRigidBody(world, &box, &id));
        addWater(world, wb_solverPbf, 0.6f);
        step(world, 30);
        double up = 0;
        for (int k = 0; k < 30; k++)
            step(world, 1), up += 2 * (double)wbRigidBody_GetWater(world, id).impulse.y;
        assert_float_equal(up, 1000 * 9.81 * 0.09, 150);
        wbDestroyWorld(world);
    }
}

// Steps until the box comes into water, or out of it; how many that are.
static int awaitEvent(wbWorld *world, wbWaterEventKind kind, int most) {
    const wbRigidBodyId box = wbWorld_GetRigidBody(world, 0);
    for (int i = 1; i <= most; i++) {
        const wbWaterEvent *events;
        int count;
        step(world, 1);
        assertOk(wbWorld_GetWaterEvents(world, &events, &count));
        assert_int_equal(wbRigidBody_GetWater(world, box).isWet,
                         kind == wb_waterEnd ? count == 0 : count == 1);
        if (count == 0) continue;
        assert_int_equal(events[0].kind, kind);
        assert_int_equal(events[0].body.index1, box.index1);
        return i;
    }
    fail_msg("nothing happened in %d steps", most);
    return 0;
}

// A box falls for 0.3 s before water meets it, is borne by its weight, and drips for a tenth of a second.
static void testEvents(void **state) {
    (void)state;
    for (const Method *method = methods; method < methods + METHODS; method++) {
        const wbWorldDef def = makeDefOf(method, 2);
        wbWorld *world;
        assertOk(wbCreateWorld(&def, &world));
        const wbRigidBodyId box = addBox(world, 1, 400);
        addWater(world, method->solver, 0.4f);
        const int met = awaitEvent(world, wb_waterBegin, 40);
        assert_in_range(met, 15, 20);
        assert_true(wbRigidBody_GetWater(world, box).impulse.y > 0);
        step(world, 180);
        double borne = 0;
        for (int i = 0; i < 60; i++)
            step(world, 1), borne += (double)wbRigidBody_GetWater(world, box).impulse.y;
        assert_float_equal(borne / (wbRigidBody_GetMass(world, box).mass * 9.81), 1, 0.05);
        assertOk(wbRigidBody_SetPose(world, box, wbMakeVec3(0.5f, 1.7f, 0), (const float[4]){0, 0, 0, 1}));
        assertOk(wbRigidBody_SetVelocity(world, box, wbMakeVec3(0, 0, 0)));
        assert_in_range(awaitEvent(world, wb_waterEnd, 9), 6, 8);
        assert_true(wbRigidBody_GetWater(world, box).impulse.y == 0);
        wbDestroyWorld(world);
    }
}

// The momentum of liquids and bodies, with what is in transit.
static double getFall(wbWorld *world) {
    const wbStats stats = wbWorld_GetStats(world);
    return stats.momentum[1] + stats.transit[1];
}

// What is too light for water has its own inertia until water may touch it: it comes with its own momentum, which is kept then, also by a run
// that is resumed in that moment.
static void testLightBeforeWater(void **state) {
    (void)state;
    for (const Method *method = methods; method < methods + METHODS; method++) {
        wbWorldDef def = makeDefOf(method, 2);
        def.params.gravity = wbMakeVec3(0, 0, 0);
        wbWorld *world, *loaded;
        assertOk(wbCreateWorld(&def, &world));
        const wbRigidBodyId box = addBox(world, 1.3f, 5);
        wbFluidDef fluid = wbDefaultFluidDef();
        wbFluidId water;
        const wbBlockDef block = {.min = {0.2f, 0.5f, 0}, .max = {0.8f, 0.9f, 0}};
        fluid.name = "water", fluid.solver = method->solver;
        assertOk(wbCreateFluid(world, &fluid, &water));
        assertOk(wbFluid_AddBlock(world, water, &block));
        assertOk(wbRigidBody_SetVelocity(world, box, wbMakeVec3(0, -2, 0)));
        const double fall = -2 * wbRigidBody_GetMass(world, box).mass;
        step(world, 1);
        assert_float_equal(getFall(world) / fall, 1, 1e-5);
        assert_float_equal(wbWorld_GetStats(world).kinetic / -fall, 1, 1e-2); // water rests, nearly
        for (int k = 0; k < 60 && wbGetRigidBodyAt(world, 0)->floor == 0; k++) step(world, 1);
        assert_true(wbGetRigidBodyAt(world, 0)->floor > 2);
        assert_float_equal(getFall(world) / fall, 1, 5e-3);
        assertOk(wbWorld_Save(world, "coupling_light_test.wbc"));
        assertOk(wbLoadWorld("coupling_light_test.wbc", &loaded));
        remove("coupling_light_test.wbc");
        step(world, 4), step(loaded, 4);
        assert_float_equal(getFall(world) / fall, 1, 5e-3);
        assert_int_equal(wbWorld_Hash(loaded), wbWorld_Hash(world));
        wbDestroyWorld(world), wbDestroyWorld(loaded);
    }
}

// Two of them meet above the water as what they are: as heavy ones would that have the same share.
static void testLightMeetsLight(void **state) {
    (void)state;
    wbWorldDef def = makeDef(3);
    def.params.gravity = wbMakeVec3(0, 0, 0);
    wbWorld *world;
    assertOk(wbCreateWorld(&def, &world));
    const wbRigidBodyId low = addBoxOf(world, "low", 1.1f, 60), high = addBoxOf(world, "high", 1.7f, 5);
    addWater(world, wb_solverSph, 0.3f);
    assertOk(wbRigidBody_SetVelocity(world, high, wbMakeVec3(0, -4, 0)));
    const double energy = 0.5 * wbRigidBody_GetMass(world, high).mass * 16;
    step(world, 1);
    assert_float_equal(wbWorld_GetStats(world).kinetic / energy, 1, 1e-2);
    step(world, 30);
    wbRigidMotion motion;
    assertOk(wbRigidBody_GetMotion(world, low, &motion));
    assert_float_equal(motion.velocity.y, -4 * 5.0 / 65, 1e-3);
    wbDestroyWorld(world);
}

// What comes out of the water has its own inertia again, at the same speed.
static void testOutOfWater(void **state) {
    (void)state;
    wbWorldDef def = makeDef(2);
    wbWorld *world;
    assertOk(wbCreateWorld(&def, &world));
    const wbRigidBodyId box = addBox(world, 0.5f, 5);
    addWater(world, wb_solverSph, 0.4f);
    step(world, 10);
    assert_true(wbGetRigidBodyAt(world, 0)->floor > 2);
    assertOk(wbRigidBody_SetVelocity(world, box, wbMakeVec3(0, 5, 0)));
    for (int k = 0; k < 300 && wbGetRigidBodyAt(world, 0)->floor > 0; k++) step(world, 1);
    assert_true(wbGetRigidBodyAt(world, 0)->floor == 0);
    wbRigidMotion motion;
    assertOk(wbRigidBody_GetMotion(world, box, &motion));
    assert_true(motion.velocity.y > 3 && motion.velocity.y < 5.001f);
    wbDestroyWorld(world);
}

// It is not put into water at once, which would be thrown out; it may be moved a little, and where there is room.
static void testPutIntoWater(void **state) {
    (void)state;
    const float turn[4] = {0, 0, 0, 1};
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        const wbWorldDef def = makeDef(dimensions);
        wbWorld *world = createTank(&def, wb_solverPbf);
        const wbRigidBodyId box = wbWorld_GetRigidBody(world, 0);
        wbRigidMotion motion;
        const float z = dimensions == 3 ? 0.3f : 0;
        const wbStatus status = wbRigidBody_SetPose(world, box, wbMakeVec3(0.5f, 0.2f, z), turn);
        assert_int_equal(status.code, wb_errorInput);
        assert_non_null(strstr(status.text, "move it into them by its velocity"));
        step(world, 120);
        assertOk(wbRigidBody_GetMotion(world, box, &motion));
        assert_true(motion.position.y < 0.5f); // afloat
        assertOk(wbRigidBody_SetPose(world, box, wbMakeVec3(motion.position.x, motion.position.y - 0.001f, z),
                                     motion.rotation));
        step(world, 10);
        assert_true(wbWorld_GetStats(world).maxSpeed < 3);
        assertOk(wbRigidBody_SetOn(world, box, false));
        assertOk(wbRigidBody_SetPose(world, box, wbMakeVec3(0.5f, 0.15f, z), turn));
        step(world, 120);
        assert_int_equal(wbRigidBody_SetOn(world, box, true).code, wb_errorInput);
        assert_int_equal(wbWorld_SetParam(world, "box.on", "true").code, wb_errorInput);
        assertOk(wbRigidBody_SetPose(world, box, wbMakeVec3(0.5f, 1.5f, z), turn));
        assertOk(wbRigidBody_SetOn(world, box, true));
        wbDestroyWorld(world);
    }
}

// How strong a joint's spring is does not depend on the floor under a body's inertia: it comes to rest in the same place.
static float restOnSpring(const Method *method, float floor) {
    wbWorldDef def = makeDefOf(method, 2);
    wbWorld *world;
    wbJointId spring;
    def.coupling.floor = floor;
    assertOk(wbCreateWorld(&def, &world));
    const wbRigidBodyId box = addBox(world, 0.7f, 400);
    wbJointDef joint = wbDefaultJointDef();
    joint.params.kind = wb_jointSlider, joint.params.axis = wbMakeVec3(0, 1, 0);
    joint.params.hertz = 1.5f, joint.second = box;
    assertOk(wbCreateJoint(world, &joint, &spring));
    addWater(world, method->solver, 0.5f);
    step(world, 240);
    assert_true(floor == 0 || wbGetRigidBodyAt(world, 0)->floor > 2);
    float mean = 0;
    for (int i = 0; i < 120; i++) step(world, 1), mean += getMotion(world).position.y / 120;
    wbDestroyWorld(world);
    return mean;
}

static void testFloorLeavesSprings(void **state) {
    (void)state;
    for (const Method *method = methods; method < methods + METHODS; method++) {
        const float own = restOnSpring(method, 0), floored = restOnSpring(method, 20);
        assert_true(own > 0.57f && own < 0.69f);
        assert_true(fabs((double)(floored - own)) < 0.01);
    }
}

// In the plane bodies are as deep as the water, 1 m, also if they are drawn otherwise: what is too light follows from it.
static void testSection(void **state) {
    (void)state;
    const wbWorldDef def = makeDef(2);
    wbWorld *world = createTank(&def, wb_solverSph);
    step(world, 1);
    const int form = wbGetRigidBodyAt(world, 0)->form;
    assert_float_equal(wbGetRigidForm(wbGetRigidBodies(world), form)->section, 0.3, 1e-5);
    wbDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFloatsOrSinks),    cmocka_unit_test(testThreads),
        cmocka_unit_test(testCheckpoint),       cmocka_unit_test(testModes),
        cmocka_unit_test(testRefused),          cmocka_unit_test(testSticks),
        cmocka_unit_test(testOverlap),          cmocka_unit_test(testWarm),
        cmocka_unit_test(testForces),           cmocka_unit_test(testHeld),
        cmocka_unit_test(testEvents),           cmocka_unit_test(testSection),
        cmocka_unit_test(testLightBeforeWater), cmocka_unit_test(testLightMeetsLight),
        cmocka_unit_test(testOutOfWater),       cmocka_unit_test(testPutIntoWater),
        cmocka_unit_test(testOneWayIsFree),     cmocka_unit_test(testFloorLeavesSprings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
