// SPDX-License-Identifier: MIT
// For tests on every backend: colliders that are far away change nothing.
#pragma once

#include "soft_support.h"
#include "wirbel/wirbel.h"

enum { MANY_NEAR = 10, MANY_ALL = 500 };

/// A ball and a cloth that fall, for boxes to be put below.
#define MANY_BASE                                                                                            \
    "{\"world\": {\"dt\": 0.01}, \"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 2, 1]},"                    \
    "\"pbd\": {\"subSteps\": 3, \"radius\": 0.05},"                                                          \
    "\"softBodies\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.25, \"count\": 57,"          \
    " \"position\": [0, 1.3, 0], \"constraints\": \"decimated\", \"maxDistance\": 0.25, \"farMax\": 2,"      \
    " \"furthest\": 0.4, \"velocity\": [0, -3, 0], \"mass\": 5},"                                            \
    "{\"name\": \"cloth\", \"shape\": \"cloth\", \"size\": [1.5, 1.5, 1], \"counts\": [15, 15, 1],"          \
    " \"position\": [0, 0.6, 0], \"rotation\": [90, 0, 0]}]}"

static inline wbColliderId addBox(wbWorld *world, int index, wbVec3 position, float edge) {
    char name[32];
    wbColliderDef def = wbDefaultColliderDef();
    wbColliderId id;
    snprintf(name, sizeof name, "box%d", index);
    def.name = name;
    def.params.size = wbMakeVec3(edge, edge, edge);
    def.params.position = position;
    def.params.rotation = wbMakeVec3(0, 10 * (float)(index % 9), 5 * (float)(index % 7));
    assertOk(wbCreateCollider(world, &def, &id));
    return id;
}

static inline void shake(wbWorld *world, const char *name, wbColliderId collider) {
    wbMechanismDef def = wbDefaultMechanismDef();
    wbMechanismId id;
    def.name = name;
    def.params.kind = wb_mechanismShaker;
    def.params.travel = wbMakeVec3(0.1f, 0.05f, 0), def.params.frequency = 3, def.params.swing = 40;
    def.params.axis = wbMakeVec3(0.2f, 1, 0.1f);
    def.colliders = &collider, def.colliderCount = 1;
    assertOk(wbCreateMechanism(world, &def, &id));
}

/// Ten boxes below, of which one is shaken; among 490 that are far away, of which one is shaken too, or alone.
static inline wbWorld *createManyColliders(wbBackend backend, int threads, bool alone) {
    wbWorld *world = createSoftWorld(MANY_BASE, backend, threads);
    for (int i = 0; i < MANY_ALL; i++) {
        const int near = i % (MANY_ALL / MANY_NEAR) ? -1 : i / (MANY_ALL / MANY_NEAR);
        const wbVec3 below = {-0.6f + 0.3f * (float)(near % 5), 0.2f, near < 5 ? -0.3f : 0.3f},
                     away = {4 + 0.5f * (float)(i % 10), 0.5f * (float)(i / 10 % 10),
                             -1 + 0.5f * (float)(i / 100)};
        if (alone && near < 0) continue;
        wbColliderId id = addBox(world, i, near < 0 ? away : below, near < 0 ? 0.3f : 0.25f);
        if (i == 250 || i == 99) shake(world, i == 250 ? "near" : "far", id);
    }
    return world;
}

/// Steps a world with all boxes and one with the near ones: what falls on them is the same, to the bit.
static inline void checkManyColliders(wbBackend backend, int threads, int steps) {
    wbWorld *all = createManyColliders(backend, threads, false),
            *alone = createManyColliders(backend, 1, true);
    stepWorld(all, steps), stepWorld(alone, steps);
    for (int k = 0; k < 2; k++) {
        const wbView one = getView(all, k), two = getView(alone, k);
        assert_int_equal(one.count, two.count);
        assert_memory_equal(one.x, two.x, sizeof(float) * (size_t)one.count);
        assert_memory_equal(one.y, two.y, sizeof(float) * (size_t)one.count);
        assert_memory_equal(one.z, two.z, sizeof(float) * (size_t)one.count);
    }
    // the cloth lies on the boxes, and has not fallen through
    const wbView cloth = getView(alone, 1);
    assert_true(getMean(&cloth).y > 0.2f && getMean(&cloth).y < 0.5f);
    wbDestroyWorld(all), wbDestroyWorld(alone);
}
