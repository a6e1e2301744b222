// SPDX-License-Identifier: MIT
// For tests on every backend: colliders that are far away change nothing.
#pragma once

#include <stdlib.h>

#include "soft_support.h"
#include "wirbel/wirbel.h"
#include "world/air.h"
#include "world/collider.h"

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

enum { BODIES_ALL = 300 };

/// Air with 300 boxes that overlap a little, each on its own way, and a large one that rests.
static inline wbWorld *createManyBodies(wbBackend backend, int threads) {
    wbWorld *world =
        createSoftWorld("{\"world\": {\"dt\": 0.02}, \"domain\": {\"min\": [0, 0, 0], \"max\": [2, 2, 2]},"
                        "\"smoke\": {\"cellSize\": 0.0625},"
                        "\"sources\": [{\"name\": \"s\", \"position\": [1, 0.3, 1], \"radius\": 0.3}]}",
                        backend, threads);
    for (int i = 0; i <= BODIES_ALL; i++) {
        const wbVec3 place = {0.25f + 0.25f * (float)(i % 7), 0.25f + 0.25f * (float)(i / 7 % 7),
                              0.25f + 0.25f * (float)(i / 49)};
        wbColliderId id = addBox(world, i, i == 40 ? wbMakeVec3(1, 0, 1) : place, i == 40 ? 0.9f : 0.15f);
        if (i == 40) continue;
        const wbVec3 way = {0.001f * (float)(i + 1), 0.05f, -0.0007f * (float)i};
        const wbVec3 rotation = wbCollider_GetParams(world, id)->rotation;
        assertOk(wbCollider_MoveTo(world, id, wbAdd(place, way), rotation));
    }
    return world;
}

/// What numbers of bodies cells should have: each collider marked after those before it.
static inline void checkMask(wbWorld *world, float dt) {
    const wbAir *air = wbGetAir(world);
    const wbVoxelGrid grid = wbMakeAirVoxels(&air->smoke.grid);
    const wbSmokeBody *bodies = air->bodies.data;
    uint16_t *owners = calloc(air->cellCount, sizeof *owners);
    int highest = 0;
    for (int i = 0; i <= BODIES_ALL; i++) {
        const wbCollider *collider = wbGetColliderAt(world, i);
        wbVoxels voxels = {0};
        assertOk(wbVoxelise(&grid, &collider->mesh, &collider->state.pose, world->work.arena, NULL, &voxels));
        const wbVoxelRun *runs = voxels.runs.data;
        for (int r = 0; r < voxels.runCount; r++)
            for (int c = 0; c < runs[r].count; c++) owners[runs[r].first + c] = (uint16_t)(i + 1);
        wbVoxels_Free(NULL, &voxels);
    }
    for (size_t c = 0; c < air->cellCount; c++) {
        assert_int_equal(owners[c] != 0, air->mask[c] != 0);
        assert_int_equal(owners[c] != 0, air->smoke.solid[c]);
        if (owners[c] == 0) continue;
        const wbMotion *motion = &wbGetColliderAt(world, owners[c] - 1)->motion[2];
        assert_memory_equal(&bodies[air->mask[c] - 1].velocity, motion->velocity, sizeof motion->velocity);
        highest = air->mask[c] > highest ? air->mask[c] : highest;
    }
    assert_true(dt == 0 || highest > 290);
    free(owners);
}

/// Faces within one box go along with it.
static inline void checkBodyFaces(wbWorld *world) {
    const wbAir *air = wbGetAir(world);
    const wbSmokeBody *bodies = air->bodies.data;
    wbSmokeView view;
    int faces = 0;
    assertOk(wbWorld_GetSmokeView(world, &view));
    for (int k = 0; k < view.cells[2]; k++)
        for (int j = 0; j < view.cells[1]; j++)
            for (int i = 1; i < view.cells[0]; i++) {
                const int c = wbSmokeCell(&air->smoke.grid, i, j, k), mark = air->mask[c];
                if (mark == 0 || air->mask[c - 1] != mark) continue;
                // rounding turns them by a little
                assert_true(fabsf(view.u[i + j * view.strideY + k * view.strideZ] -
                                  bodies[mark - 1].velocity.x) < 1e-3f);
                faces++;
            }
    assert_true(faces > 500);
}
