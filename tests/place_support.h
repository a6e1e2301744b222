// SPDX-License-Identifier: MIT
// For tests of colliders that are put or moved elsewhere, on every backend: a tank of water with a box above it.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/wirbel.h"
#include "work_support.h"

typedef struct Tank {
    wbWorld *world;
    wbColliderId box;
} Tank;

/// 1 m wide, water up to 0.4 m, and a box of 0.3 m whose middle is at 0.7 m.
static inline Tank createTank(int dimensions, wbFluidSolver solver, wbBackend backend) {
    Tank tank;
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = dimensions, def.params.backend = backend;
    def.domain = (wbDomainDef){.max = {1, 1, 0.5f}};
    if (dimensions == 2) def.domain.sides[wb_back].type = def.domain.sides[wb_front].type = wb_sideOpen;
    def.sph.spacing = def.pbf.spacing = 0.05f, def.sph.soundSpeed = 30;
    def.threadCount = 1;
    assertOk(wbCreateWorld(&def, &tank.world));
    wbFluidDef water = wbDefaultFluidDef();
    wbFluidId fluid;
    water.solver = solver;
    assertOk(wbCreateFluid(tank.world, &water, &fluid));
    wbColliderDef box = wbDefaultColliderDef();
    box.name = "box";
    box.params.size = wbMakeVec3(0.3f, 0.3f, 0.3f);
    box.params.position = wbMakeVec3(0.5f, 0.7f, dimensions == 3 ? 0.25f : 0);
    assertOk(wbCreateCollider(tank.world, &box, &tank.box));
    wbBlockDef block = {.max = {1, 0.4f, 0.5f}};
    assertOk(wbFluid_AddBlock(tank.world, fluid, &block));
    return tank;
}

/// Goes to x, y, where the box's middle shall be.
static inline wbVec3 placeAt(const Tank *tank, float x, float y) {
    return wbMakeVec3(x, y, wbWorld_GetWorldParams(tank->world)->dimensions == 3 ? 0.25f : 0);
}

static inline double getEnergy(wbWorld *world) {
    wbStats stats = wbWorld_GetStats(world);
    return stats.kinetic + stats.potential;
}

static inline void runFor(wbWorld *world, double seconds) {
    double end = wbWorld_GetTime(world) + seconds;
    while (wbWorld_GetTime(world) < end) assertOk(wbWorld_Step(world, 0));
}

static inline void assertStands(const Tank *tank, wbVec3 place) {
    wbColliderStats stats = wbCollider_GetStats(tank->world, tank->box);
    const float *p = stats.position;
    if (p[0] != place.x || p[1] != place.y || p[2] != place.z)
        fail_msg("the box is at %g, %g, %g", (double)p[0], (double)p[1], (double)p[2]);
}

/// Refused with a number of particles, and all as before.
static inline void assertTrapped(const Tank *tank, wbStatus status, uint64_t hash) {
    assert_int_equal(status.code, wb_errorInput);
    const char *number = strstr(status.text, ": ");
    if (!number || atoi(number + 2) < 5 || !strstr(status.text, "would be in it"))
        fail_msg("\"%s\"", status.text);
    assert_true(wbWorld_Hash(tank->world) == hash);
}

/// Nothing is put into water; where there is room, it is put at once, and the water is as if it had not been.
static inline void checkPlacing(int dimensions, wbFluidSolver solver, wbBackend backend) {
    Tank tank = createTank(dimensions, solver, backend), alike = createTank(dimensions, solver, backend);
    const wbVec3 still = {0, 0, 0}, free = placeAt(&tank, 0.2f, 0.75f);
    runFor(tank.world, 0.2);
    uint64_t hash = wbWorld_Hash(tank.world);
    assertTrapped(&tank, wbCollider_Place(tank.world, tank.box, placeAt(&tank, 0.5f, 0.3f), still), hash);
    assertTrapped(&tank, wbCollider_Place(tank.world, tank.box, placeAt(&tank, 0.5f, 0.54f), still), hash);
    wbColliderDef other = wbDefaultColliderDef();
    wbColliderId id;
    other.name = "other", other.params.size = wbMakeVec3(0.2f, 0.2f, 0.2f);
    other.params.position = placeAt(&tank, 0.6f, 0.2f);
    assertTrapped(&tank, wbCreateCollider(tank.world, &other, &id), hash);
    assert_int_equal(wbWorld_GetColliderCount(tank.world), 1);
    assertOk(wbCollider_Place(tank.world, tank.box, free, wbMakeVec3(0, 0, 30)));
    assertStands(&tank, free);
    runFor(tank.world, 0.1);
    assertStands(&tank, free);
    runFor(alike.world, wbWorld_GetTime(tank.world));
    assert_true(getEnergy(tank.world) < 1.001 * getEnergy(alike.world));
    assert_int_equal(wbWorld_GetStats(tank.world).leaked, 0);
    wbDestroyWorld(tank.world), wbDestroyWorld(alike.world);
}

/// It dives into the water: no faster than its speed, and with no more energy than a box that pushes water aside gives.
static inline void checkSweeping(int dimensions, wbFluidSolver solver, wbBackend backend) {
    Tank tank = createTank(dimensions, solver, backend);
    const wbVec3 goal = placeAt(&tank, 0.5f, 0.2f), up = placeAt(&tank, 0.5f, 0.7f);
    runFor(tank.world, 0.1);
    double energy = getEnergy(tank.world), most = 0;
    assertOk(wbCollider_MoveTo(tank.world, tank.box, goal, wbMakeVec3(0, 0, 0)));
    float before = 0.7f;
    for (double end = wbWorld_GetTime(tank.world) + 0.6; wbWorld_GetTime(tank.world) < end;) {
        double start = wbWorld_GetTime(tank.world);
        assertOk(wbWorld_Step(tank.world, 0));
        float now = wbCollider_GetStats(tank.world, tank.box).position[1];
        most = fmax(most, (before - now) / (wbWorld_GetTime(tank.world) - start));
        before = now;
    }
    assertStands(&tank, goal);
    assertBelow(most, 3.001, "speed"); // a tenth of that of sound, 30 m/s; less by positions
    assertBelow(getEnergy(tank.world), 4 * energy, "energy");
    assert_int_equal(wbWorld_GetStats(tank.world).leaked, 0);
    assertOk(wbWorld_SetParam(tank.world, "box.speed", "0.5"));
    assertOk(wbCollider_MoveTo(tank.world, tank.box, up, wbMakeVec3(0, 0, 0)));
    runFor(tank.world, 0.5);
    float height = wbCollider_GetStats(tank.world, tank.box).position[1];
    if (!(height > 0.44f && height < 0.47f)) fail_msg("it is at %g m", (double)height);
    wbDestroyWorld(tank.world);
}
