// SPDX-License-Identifier: MIT
// Everything that is created can be destroyed between steps, and what is left does not know that it was there.
#include <math.h>

#include "come_and_go.h"
#include "world/collider.h"
#include "world/flow.h"

static void assertRefused(wbStatus status, const char *text) {
    assert_int_equal(status.code, wb_errorInput);
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

// A world with an object of each of these kinds and numbers; those of a parent have the one before.
static Twins createObjects(const Kind *kinds, int count) {
    Twins twins = {.random = 2};
    twins.worlds[VETERAN] = createTwin(&twins);
    for (int i = 0; i < count; i++) {
        Object *object = &twins.objects[twins.count];
        *object = (Object){.kind = kinds[i], .number = 2 * i, .slot = i, .parent = 2 * i - 2};
        assertOk(createIn(&twins, VETERAN, object));
        twins.count++;
    }
    return twins;
}

// The middle one of three goes; a new one has its slot, behind the others.
static void testOrderAndStaleIds(void **state) {
    (void)state;
    static const Kind kinds[][3] = {{FLUID, FLUID, FLUID},
                                    {COLLIDER, COLLIDER, COLLIDER},
                                    {SOFT_BODY, SOFT_BODY, SOFT_BODY},
                                    {SOURCE, SOURCE, SOURCE}};
    for (int k = 0; k < 4; k++) {
        Twins twins = createObjects(kinds[k], 3);
        wbWorld *world = twins.worlds[VETERAN];
        const wbObjectKind *kind = wbGetObjectKind((int)kinds[k][0]);
        const Id gone = twins.objects[1].ids[0];
        assertOk(destroyIn(world, kinds[k][1], gone));
        assert_int_equal(wbGetIds(world, kind)->indexCount, 2);
        assert_string_equal(kind->getName(world, 0), "o0");
        assert_string_equal(kind->getName(world, 1), "o4");
        assert_false(isValid(world, kinds[k][1], gone));
        expect_assert_failure(destroyIn(world, kinds[k][1], gone));
        assert_true(isValid(world, kinds[k][1], twins.objects[2].ids[0]));
        assertOk(createIn(&twins, VETERAN, &twins.objects[1]));
        assert_string_equal(kind->getName(world, 2), "o2");
        assert_int_equal(twins.objects[1].ids[0].index1, gone.index1);
        assert_int_equal(twins.objects[1].ids[0].generation, gone.generation + 2);
        wbDestroyWorld(world);
    }
}

static void testStaleIdsAreAsserted(void **state) {
    (void)state;
    Twins twins = createObjects((const Kind[]){FLUID, COLLIDER}, 2);
    wbWorld *world = twins.worlds[VETERAN];
    const wbFluidId fluid = ID(wbFluidId, twins.objects[0].ids[0]);
    const wbColliderId collider = ID(wbColliderId, twins.objects[1].ids[0]);
    wbEmitterDef emitter = wbDefaultEmitterDef();
    wbEmitterId emitterId;
    assertOk(wbDestroyFluid(world, fluid));
    assertOk(wbDestroyCollider(world, collider));
    emitter.fluid = fluid;
    expect_assert_failure(wbCreateEmitter(world, &emitter, &emitterId));
    expect_assert_failure(wbFluid_GetName(world, fluid));
    expect_assert_failure(wbFluid_RemoveParticles(world, fluid, 0, NULL));
    expect_assert_failure(wbCollider_GetStats(world, collider));
    expect_assert_failure(wbCollider_SetUserData(world, collider, world));
    expect_assert_failure(wbDestroyFluid(NULL, fluid));
    wbDestroyWorld(world);
}

// A fluid takes its emitters along; a drain without an emitter keeps what it takes; one that lost its drain runs dry.
static void testPumps(void **state) {
    (void)state;
    Twins twins = createObjects((const Kind[]){FLUID, EMITTER, DRAIN}, 3);
    wbWorld *world = twins.worlds[VETERAN];
    Object more[2] = {{EMITTER, 10, 5, 0, false, {{0}}}, {DRAIN, 12, 6, 10, false, {{0}}}};
    for (int i = 0; i < 2; i++) {
        assertOk(createIn(&twins, VETERAN, &more[i]));
        twins.objects[twins.count++] = more[i];
    }
    assert_int_equal(wbGetDrainAt(world, 1)->emitter, 1);
    assert_true(wbGetEmitterAt(world, 1)->isFed);
    wbGetDrainAt(world, 0)->state.bins[3] = 7, wbGetEmitterAt(world, 1)->state.waiting = 5;
    assert_int_equal(wbWorld_GetStats(world).held, 12);
    wbDestroyEmitter(world, ID(wbEmitterId, twins.objects[1].ids[0]));
    assert_int_equal(wbGetDrainAt(world, 0)->emitter, -1);
    assert_int_equal(wbGetDrainAt(world, 1)->emitter, 0);
    assert_int_equal(wbWorld_GetStats(world).held, 5);
    wbDestroyDrain(world, ID(wbDrainId, more[1].ids[0]));
    assert_int_equal(wbWorld_GetStats(world).held, 5);
    assertOk(wbDestroyFluid(world, ID(wbFluidId, twins.objects[0].ids[0])));
    assert_int_equal(wbWorld_GetEmitterCount(world), 0);
    assert_int_equal(wbWorld_GetDrainCount(world), 1);
    assertOk(wbWorld_Step(world, 0));
    wbDestroyWorld(world);
}

// Fluids, emitters and drains behind one that goes are renumbered: what a drain takes still comes out of its own emitter.
static void testPumpsAreRenumbered(void **state) {
    (void)state;
    Twins twins = {.random = 1};
    wbWorld *world = twins.worlds[VETERAN] = createTwin(&twins);
    const Object made[] = {{FLUID, 0, 0, -1, false, {{0}}},   {EMITTER, 2, 8, 0, false, {{0}}},
                           {DRAIN, 4, 3, 2, false, {{0}}},    {FLUID, 6, 1, -1, false, {{0}}},
                           {EMITTER, 8, 10, 6, false, {{0}}}, {DRAIN, 10, 1, 8, false, {{0}}}};
    for (int i = 0; i < 6; i++) {
        twins.objects[twins.count++] = made[i];
        assertOk(createIn(&twins, VETERAN, &twins.objects[i]));
    }
    assertOk(wbDestroyFluid(world, ID(wbFluidId, twins.objects[0].ids[0])));
    assert_int_equal(wbGetDrainAt(world, 0)->emitter, -1);
    assert_int_equal(wbGetDrainAt(world, 1)->emitter, 0);
    assert_int_equal(wbGetEmitterAt(world, 0)->fluid, 0);
    for (int i = 0; i < 100; i++) assertOk(wbWorld_Step(world, 0));
    const wbStats stats = wbWorld_GetStats(world);
    wbView view;
    int emitted = 0;
    assertOk(wbFluid_GetView(world, ID(wbFluidId, twins.objects[3].ids[0]), &view));
    for (int i = 0; i < view.count; i++) emitted += view.z[i] > 1; // where the emitter is
    assert_true(emitted > 0);
    assert_int_equal(view.count + stats.held, 27);
    wbDestroyWorld(world);
}

// The air of a collider that was destroyed is free again, also where another one has taken its place in the list and in space.
static void testAirIsFreeAgain(void **state) {
    (void)state;
    Twins twins = createObjects((const Kind[]){SOURCE}, 1);
    wbWorld *world = twins.worlds[VETERAN];
    wbColliderDef def = wbDefaultColliderDef();
    wbSmokeView smoke;
    def.name = "box", def.params.position = wbMakeVec3(1, 0.5f, 1);
    for (int k = 0; k < 3; k++) {
        const float side = k == 1 ? 0.5f : 1;
        wbColliderId id;
        int solid = 0;
        def.params.size = wbMakeVec3(side, side, side);
        assertOk(wbCreateCollider(world, &def, &id));
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbWorld_GetSmokeView(world, &smoke));
        for (int c = 0; c < 8 * 4 * 8; c++) solid += smoke.solid[c] != 0;
        assert_int_equal(solid, k == 1 ? 2 * 2 * 2 : 4 * 4 * 4);
        assertOk(wbDestroyCollider(world, id));
    }
    assertOk(wbWorld_Step(world, 0));
    assertOk(wbWorld_GetSmokeView(world, &smoke));
    for (int c = 0; c < 8 * 4 * 8; c++) assert_int_equal(smoke.solid[c], 0);
    wbDestroyWorld(world);
}

// Its parts stand where it left them, also turned about any axis.
static void testMechanismLetsGo(void **state) {
    (void)state;
    for (int n = 0; n < 8; n++) {
        Twins twins = createObjects((const Kind[]){FLUID, COLLIDER, MECHANISM}, 3);
        wbWorld *world = twins.worlds[VETERAN];
        const wbColliderId part = ID(wbColliderId, twins.objects[1].ids[0]);
        char speed[16];
        snprintf(speed, sizeof speed, "%d", 900 * n);
        assertOk(wbWorld_SetParam(world, "o4.speed", speed));
        for (int i = 0; i < 10; i++) assertOk(wbWorld_Step(world, 0));
        assertRefused(wbDestroyCollider(world, part), "mechanism \"o4\" moves it: destroy that first");
        const wbColliderStats before = wbCollider_GetStats(world, part);
        wbDestroyMechanism(world, ID(wbMechanismId, twins.objects[2].ids[0]));
        for (int i = 0; i < 3; i++) assertOk(wbWorld_Step(world, 0));
        const wbColliderStats after = wbCollider_GetStats(world, part);
        double cosine = 0;
        for (int a = 0; a < 4; a++) cosine += (double)before.rotation[a] * after.rotation[a];
        assert_memory_equal(before.position, after.position, sizeof before.position);
        assert_true(fabs(fabs(cosine) - 1) < 1e-6);
        const wbParticleFluid *liquid = wbGetNextLiquid(world, NULL);
        assert_false(wbBoundary_GetBody(&liquid->boundary, 0)->isMoving);
        assertOk(wbDestroyCollider(world, part));
        assert_int_equal(liquid->boundary.pointCount, 0);
        assertOk(wbWorld_Step(world, 0));
        wbDestroyWorld(world);
    }
}

static void testLastOneTakesItsSolver(void **state) {
    (void)state;
    Twins twins = createObjects((const Kind[]){FLUID, SOFT_BODY, FLUID}, 3);
    wbWorld *world = twins.worlds[VETERAN];
    assertOk(wbWorld_SetParam(world, "sph.viscosity", "0.25"));
    assertOk(wbWorld_Step(world, 0));
    assertOk(wbDestroyFluid(world, ID(wbFluidId, twins.objects[0].ids[0])));
    assert_true(wbWorld_HasSolver(world, "sph"));
    assertOk(wbDestroyFluid(world, ID(wbFluidId, twins.objects[2].ids[0])));
    assert_false(wbWorld_HasSolver(world, "sph"));
    assertOk(wbDestroySoftBody(world, ID(wbSoftBodyId, twins.objects[1].ids[0])));
    assert_false(wbWorld_HasSolver(world, "pbd"));
    assertOk(wbWorld_Step(world, 0));
    assert_true(wbWorld_GetSphParams(world)->viscosity == 0.25f);
    wbDestroyWorld(world);
}

static wbView getView(wbWorld *world, wbFluidId fluid) {
    wbView view;
    assertOk(wbFluid_GetView(world, fluid, &view));
    return view;
}

static void testParticlesAreRemoved(void **state) {
    (void)state;
    Twins twins = createObjects((const Kind[]){FLUID, FLUID}, 2);
    wbWorld *world = twins.worlds[VETERAN];
    const wbFluidId first = ID(wbFluidId, twins.objects[0].ids[0]),
                    second = ID(wbFluidId, twins.objects[1].ids[0]);
    assertOk(wbWorld_Step(world, 0));
    const uint64_t before = wbWorld_Hash(world);
    assertRefused(wbFluid_RemoveParticles(world, first, 2, (const uint32_t[]){1, 30}), "has no particle 30");
    assertRefused(wbFluid_RemoveParticles(world, first, 2, (const uint32_t[]){1, 1}), "1 is named twice");
    assertRefused(
        wbFluid_RemoveParticlesInBox(world, first, wbMakeVec3(0, 0, NAN), wbMakeVec3(1, 1, 1), NULL),
        "min nan must be less than its max 1 in z");
    assert_true(wbWorld_Hash(world) == before);
    assertOk(wbFluid_RemoveParticles(world, first, 3, (const uint32_t[]){26, 0, 7}));
    assertRefused(wbFluid_RemoveParticles(world, first, 1, (const uint32_t[]){7}),
                  "has no particle 7: it is gone");
    assert_int_equal(getView(world, first).count, 24);
    assert_int_equal(getView(world, second).count, 27);
    int removed;
    const wbVec3 corner = wbSub(getPlace(1, 0.5f), wbMakeVec3(0.3f, 0.4f, 0.3f));
    assertOk(
        wbFluid_RemoveParticlesInBox(world, first, corner, wbAdd(corner, wbMakeVec3(1, 1, 1)), &removed));
    assert_int_equal(removed, 0); // those are the other's
    assertOk(wbFluid_RemoveParticlesInBox(world, second, corner, wbAdd(corner, wbMakeVec3(0.35f, 1, 1)),
                                          &removed));
    assert_int_equal(removed, 18);
    const wbStats stats = wbWorld_GetStats(world);
    assert_int_equal(stats.removed, 21);
    assert_int_equal(stats.particles, 33);
    assert_int_equal(wbFluid_GetStats(world, second).removed, 18);
    for (int i = 0; i < 20; i++) assertOk(wbWorld_Step(world, 0));
    wbDestroyWorld(world);
}

static void testParticlesAreSet(void **state) {
    (void)state;
    Twins twins = createObjects((const Kind[]){FLUID, COLLIDER}, 2);
    wbWorld *world = twins.worlds[VETERAN];
    const wbFluidId fluid = ID(wbFluidId, twins.objects[0].ids[0]);
    for (int i = 0; i < 5; i++) assertOk(wbWorld_Step(world, 0));
    const uint32_t ids[2] = {11, 4};
    const float pos[6] = {1.7f, 0.5f, 1.5f, 1.7f, 0.7f, 1.5f}, vel[6] = {1, 2, 3, 4, 5, 6};
    const uint64_t before = wbWorld_Hash(world);
    const wbVec3 inside = getPlace(1, 0.15f);
    assertRefused(wbFluid_SetParticles(world, fluid, 1, ids, (const float[]){1, -0.1f, 1}, NULL),
                  "particle 11: coordinate y is -0.1, beyond the domain's closed sides");
    assertRefused(wbFluid_SetParticles(world, fluid, 1, ids, &inside.x, NULL), "inside a collider");
    assertRefused(wbFluid_SetParticles(world, fluid, 1, ids, NULL, (const float[]){1, INFINITY, 1}),
                  "not finite");
    assertRefused(wbFluid_SetParticles(world, fluid, 2, (const uint32_t[]){3, 99}, pos, vel),
                  "has no particle 99");
    assert_true(wbWorld_Hash(world) == before);
    float places[27 * 3], velocities[27 * 3], old[27 * 3];
    assertOk(wbFluid_CopyById(world, fluid, NULL, old));
    assertOk(wbFluid_SetParticles(world, fluid, 2, ids, pos, NULL));
    assertOk(wbFluid_CopyById(world, fluid, places, velocities));
    assert_memory_equal(places + 3 * 11, pos, sizeof(float[3]));
    assert_memory_equal(places + 3 * 4, pos + 3, sizeof(float[3]));
    assert_memory_equal(velocities, old, sizeof old);
    assertOk(wbFluid_SetParticles(world, fluid, 2, ids, NULL, vel));
    assertOk(wbFluid_CopyById(world, fluid, NULL, velocities));
    assert_memory_equal(velocities + 3 * 11, vel, sizeof(float[3]));
    assert_memory_equal(velocities + 3 * 4, vel + 3, sizeof(float[3]));
    for (int i = 0; i < 40; i++) assertOk(wbWorld_Step(world, 0)); // its energy was booked
    wbDestroyWorld(world);
}

// Water above a plate that is switched off falls through it, soft bodies and smoke do not feel it either, and it comes back
// only where there is room.
static void testCollidersAreSwitched(void **state) {
    (void)state;
    for (int w = 0; w < 2; w++) {
        Twins twins = createObjects((const Kind[]){SOURCE}, 1);
        wbWorld *world = twins.worlds[VETERAN];
        Object fluid = {.kind = FLUID, .slot = 5, .number = 10 + w, .parent = -1},
               body = {.kind = SOFT_BODY, .slot = 6, .number = 3, .parent = -1};
        wbColliderDef plate = wbDefaultColliderDef();
        wbColliderId id;
        wbSmokeView smoke;
        plate.name = "plate", plate.params.size = wbMakeVec3(1.8f, 0.2f, 1.8f);
        plate.params.position = wbMakeVec3(1, 0.2f, 1);
        assertOk(wbCreateCollider(world, &plate, &id));
        assertOk(createIn(&twins, VETERAN, &fluid)), assertOk(createIn(&twins, VETERAN, &body));
        for (int i = 0; i < 60; i++) assertOk(wbWorld_Step(world, 0));
        assert_true(wbGetClearance(world, (float[]){1, 0.2f, 1}, 0) < 0);
        const wbFluidId water = ID(wbFluidId, fluid.ids[0]);
        wbView view;
        assertOk(wbFluid_GetView(world, water, &view));
        for (int i = 0; i < view.count; i++) assert_true(view.y[i] > 0.29f);
        assert_true(wbCollider_GetStats(world, id).force[1] < 0);
        assertOk(wbCollider_SetOn(world, id, false));
        assertOk(wbWorld_Step(world, 0));
        const uint64_t hash = wbWorld_Hash(world);
        reload(&twins), world = twins.worlds[VETERAN];
        assert_true(wbWorld_Hash(world) == hash);
        assert_false(wbCollider_GetParams(world, id)->on);
        assert_true(wbGetClearance(world, (float[]){1, 0.2f, 1}, 0) == 0);
        for (int i = 0; i < 10; i++) assertOk(wbWorld_Step(world, 0));
        assertRefused(wbWorld_SetParam(world, "plate.on", "1"), " of fluids, ");
        assert_int_equal(wbWorld_GetStats(world).leaked, 0);
        assertOk(wbWorld_GetSmokeView(world, &smoke));
        for (int k = 0; k < 8 * 4 * 8; k++) assert_int_equal(smoke.solid[k], 0);
        for (int i = 0; i < 60; i++) assertOk(wbWorld_Step(world, 0));
        assertOk(wbFluid_GetView(world, water, &view));
        for (int i = 0; i < view.count; i++) assert_true(view.y[i] < 0.25f);
        assertOk(wbSoftBody_GetView(world, ID(wbSoftBodyId, body.ids[0]), &view));
        for (int i = 0; i < view.count; i++) assert_true(view.y[i] < 0.25f);
        assertOk(wbFluid_RemoveParticlesInBox(world, water, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 1, 2), NULL));
        assertOk(wbCollider_SetOn(world, id, true));
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbWorld_GetSmokeView(world, &smoke));
        assert_int_not_equal(smoke.solid[3 + 3 * smoke.solidStrideZ], 0);
        wbDestroyWorld(world);
    }
}

// Typed setters do what text keys do, and refuse what they refuse, with the same texts.
static void testTypedSetters(void **state) {
    (void)state;
    Twins twins = createObjects((const Kind[]){FLUID, EMITTER, COLLIDER, MECHANISM}, 4);
    wbWorld *world = twins.worlds[VETERAN];
    const wbEmitterId emitter = ID(wbEmitterId, twins.objects[1].ids[0]);
    const wbMechanismId mechanism = ID(wbMechanismId, twins.objects[3].ids[0]);
    const uint64_t calls = wbWorld_GetProfile(world).allocations;
    assertOk(wbEmitter_SetRate(world, emitter, 12));
    assert_true(wbEmitter_GetParams(world, emitter)->rate == 12);
    assertOk(wbEmitter_SetRate(world, emitter, 0));
    assert_true(wbEmitter_GetParams(world, emitter)->rate == 0);
    assertOk(wbMechanism_SetOpen(world, mechanism, 0.5f));
    assertOk(wbMechanism_SetSpeed(world, mechanism, -90));
    assert_true(wbMechanism_GetParams(world, mechanism)->open == 0.5f);
    assert_true(wbMechanism_GetParams(world, mechanism)->speed == -90);
    assertOk(wbWorld_SetGravity(world, wbMakeVec3(1, 2, 3)));
    assertOk(wbWorld_SetWind(world, wbMakeVec3(4, 5, 6)));
    assert_true(wbWorld_GetWorldParams(world)->gravity.z == 3 && world->domain.gravity.y == 2);
    assert_true(wbWorld_GetSmokeParams(world)->wind.x == 4);
    assert_int_equal(wbWorld_GetProfile(world).allocations, calls);
    const struct {
        wbStatus typed, text;
    } refused[] = {
        {wbEmitter_SetRate(world, emitter, -3), wbWorld_SetParam(world, "o2.rate", "-3")},
        {wbEmitter_SetRate(world, emitter, NAN), wbWorld_SetParam(world, "o2.rate", "nan")},
        {wbMechanism_SetOpen(world, mechanism, 2), wbWorld_SetParam(world, "o6.open", "2")},
        {wbMechanism_SetSpeed(world, mechanism, 1e7f), wbWorld_SetParam(world, "o6.speed", "1e7")},
        {wbWorld_SetGravity(world, wbMakeVec3(0, 1e5f, 0)),
         wbWorld_SetParam(world, "world.gravity", "0,1e5,0")},
        {wbWorld_SetWind(world, wbMakeVec3(0, 0, -1e7f)), wbWorld_SetParam(world, "smoke.wind", "0,0,-1e7")}};
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        assert_int_equal(refused[k].typed.code, wb_errorInput);
        if (k != 1) assert_string_equal(refused[k].typed.text, refused[k].text.text); // no text is a nan
    }
    for (int i = 0; i < 20; i++) assertOk(wbWorld_Step(world, 0));
    wbDestroyWorld(world);
    wbWorldDef def = wbDefaultWorldDef();
    assertOk(wbCreateWorld(&def, &world));
    assert_string_equal(wbWorld_SetWind(world, def.params.gravity).text,
                        wbWorld_SetParam(world, "smoke.wind", "0,0,0").text);
    wbDestroyWorld(world);
}

static void testUserData(void **state) {
    (void)state;
    Twins twins = createObjects((const Kind[]){COLLIDER, COLLIDER, MECHANISM, SOURCE}, 4);
    wbWorld *world = twins.worlds[VETERAN];
    const wbColliderId first = ID(wbColliderId, twins.objects[0].ids[0]),
                       second = ID(wbColliderId, twins.objects[1].ids[0]);
    int a, b, c;
    const uint64_t before = wbWorld_Hash(world);
    assert_null(wbCollider_GetUserData(world, first));
    assert_null(wbWorld_GetUserData(world));
    wbWorld_SetUserData(world, &a);
    wbCollider_SetUserData(world, first, &b), wbCollider_SetUserData(world, second, &c);
    wbSource_SetUserData(world, ID(wbSourceId, twins.objects[3].ids[0]), &a);
    assert_true(wbWorld_Hash(world) == before);
    assertOk(wbDestroyCollider(world, first));
    assert_ptr_equal(wbCollider_GetUserData(world, second), &c);
    assert_ptr_equal(wbWorld_GetUserData(world), &a);
    assert_ptr_equal(wbSource_GetUserData(world, ID(wbSourceId, twins.objects[3].ids[0])), &a);
    assertOk(createIn(&twins, VETERAN, &twins.objects[0]));
    assert_null(wbCollider_GetUserData(world, ID(wbColliderId, twins.objects[0].ids[0])));
    wbDestroyWorld(world);
}

// What came once and went has left its room to others like it.
static void testWarmStepsDoNotAllocate(void **state) {
    (void)state;
    Twins twins = createObjects((const Kind[]){FLUID, FLUID, COLLIDER, SOFT_BODY, SOFT_BODY, SOURCE}, 6);
    wbWorld *world = twins.worlds[VETERAN];
    const int recycled[] = {1, 2, 4, 5};
    uint64_t calls = 0;
    assertOk(
        wbWorld_SetParam(world, "world.gravity", "0,0,0")); // lists of neighbours stay as long as they are
    for (int round = 0; round < 4; round++) {
        for (int k = 0; k < 4; k++) {
            Object *object = &twins.objects[recycled[k]];
            assertOk(destroyIn(world, object->kind, object->ids[0]));
            assertOk(createIn(&twins, VETERAN, object));
        }
        assertOk(wbWorld_Step(world, 0)); // what follows from objects is made
        calls = wbWorld_GetProfile(world).allocations;
        for (int i = 0; i < 5; i++) assertOk(wbWorld_Step(world, 0));
        if (round > 0) assert_int_equal(wbWorld_GetProfile(world).allocations, calls);
    }
    wbDestroyWorld(world);
}

static void testRandom(void **state) {
    (void)state;
    const int operations = getOperations(2000);
    int done = 0;
    for (uint32_t seed = 1; done < operations; seed++) done += runTwins(seed, wb_backendCpu, 50, 150);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testOrderAndStaleIds),
        cmocka_unit_test(testStaleIdsAreAsserted),
        cmocka_unit_test(testPumps),
        cmocka_unit_test(testPumpsAreRenumbered),
        cmocka_unit_test(testAirIsFreeAgain),
        cmocka_unit_test(testMechanismLetsGo),
        cmocka_unit_test(testLastOneTakesItsSolver),
        cmocka_unit_test(testParticlesAreRemoved),
        cmocka_unit_test(testParticlesAreSet),
        cmocka_unit_test(testUserData),
        cmocka_unit_test(testTypedSetters),
        cmocka_unit_test(testCollidersAreSwitched),
        cmocka_unit_test(testWarmStepsDoNotAllocate),
        cmocka_unit_test(testRandom),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
