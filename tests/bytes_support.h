// SPDX-License-Identifier: MIT
// Worlds that go back to bytes, on both backends.
#pragma once

#include "every_world.h"

static const Variant plain = {"", "", "", "", 3, NULL, true, false, false, false};

static inline void step(wbWorld *world, int count) {
    for (int i = 0; i < count; i++) assertOk(wbWorld_Step(world, 0));
}

static inline wbBytes save(wbWorld *world) {
    wbBytes bytes = {0};
    assertOk(wbWorld_SaveToBytes(world, &bytes));
    return bytes;
}

static inline void restore(wbWorld *world, const wbBytes *bytes) {
    assertOk(wbWorld_Restore(world, bytes->data, bytes->size));
}

static inline void addBall(wbWorld *world, const char *name, wbVec3 position) {
    wbColliderDef def = wbDefaultColliderDef();
    wbColliderId id;
    def.name = name, def.params.shape = wb_shapeSphere;
    def.params.radius = 0.1f, def.params.position = position;
    assertOk(wbCreateCollider(world, &def, &id));
}

static inline void addWater(wbWorld *world, const char *name) {
    wbFluidDef def = wbDefaultFluidDef();
    wbFluidId id;
    def.name = name;
    assertOk(wbCreateFluid(world, &def, &id));
    assertOk(wbFluid_AddBlock(world, id, &(wbBlockDef){{0.4f, 0.5f, 0}, {0.6f, 0.7f, 0.2f}, {0, 0, 0}, 0}));
}

// Parameters of all kinds, also where sides go, and objects that have come or gone since, are as they were; ids and user data hold.
static inline void goBackBehindChanges(wbBackend backend) {
    wbWorld *world = createEvery(&plain, backend);
    const wbDevice *device = wbWorld_GetDevice(world);
    addBall(world, "first", (wbVec3){0.4f, 0.7f, 0.4f});
    step(world, 1);
    wbWorld_SetScriptTime(world, 0.25);
    const wbBytes bytes = save(world);
    const wbColliderId ball = wbWorld_GetCollider(world, 1);
    const wbDrainId sink = wbWorld_GetDrain(world, 0);
    int mark;
    wbWorld_SetUserData(world, &mark);
    wbEmitter_SetUserData(world, wbWorld_GetEmitter(world, 1), &mark);
    step(world, 4);
    const uint64_t hash = wbWorld_Hash(world);
    static const char *const settings[][2] = {{"world.gravity", "1,-5,0"},
                                              {"world.dt", "0.004"},
                                              {"sph.viscosity", "0.5"},
                                              {"pbf.iterations", "2"},
                                              {"pbd.iterations", "3"},
                                              {"smoke.buoyancy", "0.1"},
                                              {"smoke.wind", "0.1,0,0"},
                                              {"domain.max", "1.5,0.8,0.75"},
                                              {"jet.velocity", "10"},
                                              {"jet.radius", "0.15"},
                                              {"sink.max", "1.6,0.3,0.3"},
                                              {"mill.speed", "45"},
                                              {"first.position", "0.4,0.7,0.5"},
                                              {"fire.temperature", "100"},
                                              {"fire.position", "0.5,0.5,0.4"}};
    for (int round = 0; round < 3; round++) {
        for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++)
            assertOk(wbWorld_SetParam(world, settings[k][0], settings[k][1]));
        wbWorld_SetScriptTime(world, 7);
        step(world, 2);
        if (round > 0) addBall(world, "second", (wbVec3){1.0f, 0.2f, 0.7f});
        if (round > 1) addWater(world, "more");
        if (round > 1) assertOk(wbDestroyCollider(world, ball));
        if (round > 1) wbDestroyDrain(world, sink);
        step(world, 2);
        restore(world, &bytes);
        assert_true(wbWorld_GetScriptTime(world) == 0.25);
        assert_true(wbCollider_IsValid(world, ball));
        assert_true(wbDrain_IsValid(world, sink));
        assert_ptr_equal(wbWorld_GetUserData(world), &mark);
        assert_ptr_equal(wbEmitter_GetUserData(world, wbWorld_GetEmitter(world, 1)), &mark);
        assert_ptr_equal(wbWorld_GetDevice(world), device);
        assert_string_equal(wbCollider_GetName(world, ball), "first");
        const wbBytes again = save(world);
        assert_int_equal(again.size, bytes.size);
        assert_memory_equal(again.data, bytes.data, bytes.size);
        wbFreeBytes((wbBytes *)&again);
        step(world, 4);
        assert_true(wbWorld_Hash(world) == hash);
    }
    wbFreeBytes((wbBytes *)&bytes);
    wbDestroyWorld(world);
}
