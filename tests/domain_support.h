// SPDX-License-Identifier: MIT
// For tests of sides that move and change their kind, on every backend: worlds from the text of a scene.
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/scene.h"

/// Water 0.3 m deep in a box 1 m wide; a drain takes what is beyond its sides.
#define WATER(solver, dimensions, size, block)                                                               \
    "{\"world\": {\"dimensions\": " dimensions "}, \"domain\": {\"min\": [0, 0" size                         \
    "], \"max\": [1, 1" block "]}, \"" solver                                                                \
    "\": {\"spacing\": 0.05}, \"fluids\": [{\"name\": \"water\", \"solver\": \"" solver                      \
    "\", \"blocks\": [{\"min\": [0, 0" size "], \"max\": [1, 0.3" block "]}]}]}"
#define WATER_2D(solver) WATER(solver, "2", "", "")
#define WATER_3D(solver) WATER(solver, "3", ", 0", ", 0.3")

/// A box full of water that flies, without gravity.
#define FLYING(solver)                                                                                       \
    "{\"world\": {\"dimensions\": 2, \"gravity\": [0, 0]}, \"domain\": {\"min\": [0, 0], \"max\": [0.5, "    \
    "0.5],"                                                                                                  \
    "\"sideSpeed\": 0.4}, \"" solver                                                                         \
    "\": {\"spacing\": 0.05}, \"fluids\": [{\"name\": \"water\", \"solver\":"                                \
    "\"" solver "\", \"blocks\": [{\"min\": [0, 0], \"max\": [0.5, 0.5], \"velocity\": [0.4, 0]}]}]}"

/// Smoke in still air, below an open top.
#define SMOKE_BOX(sides)                                                                                     \
    "{\"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 0.5], " sides "}, \"smoke\": {\"cellSize\": 0.05},"   \
    "\"sources\": [{\"name\": \"fire\", \"position\": [0.5, 0.3, 0.25], \"radius\": 0.15, \"end\": 0.3}]}"

/// The same in 2D, and with fine cells that follow the smoke.
#define SMOKE_FLAT                                                                                           \
    "{\"world\": {\"dimensions\": 2}, \"domain\": {\"min\": [0, 0], \"max\": [1, 1], \"top\": \"open\"},"    \
    "\"smoke\": {\"cellSize\": 0.05}, \"sources\": [{\"name\": \"fire\", \"position\": [0.5, 0.3],"          \
    "\"radius\": 0.15, \"end\": 0.3}]}"
#define SMOKE_FOLLOWED                                                                                       \
    "{\"domain\": {\"min\": [0, 0, 0], \"max\": [2.4, 2.4, 1.6], \"top\": \"open\"}, \"smoke\": "            \
    "{\"follow\":"                                                                                           \
    "true, \"cellSize\": 0.05}, \"sources\": [{\"name\": \"fire\", \"position\": [0.4, 0.3, 0.4],"           \
    "\"radius\": 0.15, \"end\": 0.3}]}"
/// A ball in the air.
#define BALL                                                                                                 \
    "{\"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 2, 1]}, \"pbd\": {\"radius\": 0.05}, \"softBodies\":"  \
    "[{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.3, \"count\": 57, \"position\": [0, 1, "     \
    "0]}]}"

/// All of it in one box: a ball that floats at a side of its own, two fluids, and smoke.
#define EVERYTHING                                                                                           \
    "{\"world\": {\"dt\": 0.002}, \"domain\": {\"min\": [0, 0, 0], \"max\": [1, 1, 0.4], \"top\": \"open\"," \
    "\"sideSpeed\": 0.4}, \"sph\": {\"spacing\": 0.05}, \"coupling\": {\"fluids\": \"ignore\"}, \"pbf\": "   \
    "{\"spacing\": 0.05},"                                                                                   \
    "\"pbd\": {\"radius\": 0.02}, \"smoke\": {\"cellSize\": 0.1}, \"fluids\": [{\"name\": \"water\","        \
    "\"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.4, 0.2, 0.4]}]}, {\"name\": \"oil\", \"solver\": "        \
    "\"pbf\","                                                                                               \
    "\"blocks\": [{\"min\": [0.6, 0, 0], \"max\": [1, 0.2, 0.4]}]}], \"softBodies\": [{\"name\": \"ball\","  \
    "\"shape\": \"sphere\", \"radius\": 0.15, \"count\": 57, \"position\": [0.5, 0.6, 0.2]}],"               \
    "\"sources\": [{\"name\": \"fire\", \"position\": [0.5, 0.5, 0.2], \"radius\": 0.15}]}"

static inline wbWorld *createWorldOf(const char *text, wbBackend backend, int threads) {
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("domain.json", text, strlen(text), &scene));
    wbScene_GetWorldDef(scene)->params.backend = backend;
    wbScene_GetWorldDef(scene)->threadCount = threads;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

/// Everything beyond the sides goes, in a box of this size.
static inline void addDrainAround(wbWorld *world, wbVec3 max) {
    wbDrainDef def = wbDefaultDrainDef();
    wbDrainId id;
    def.params.region = wb_drainOutside;
    def.params.min = wbMakeVec3(-0.01f, -0.01f, -0.01f);
    def.params.max = wbAdd(max, wbMakeVec3(0.01f, 0.01f, 0.01f));
    assertOk(wbCreateDrain(world, &def, &id));
}

/// Until so many seconds are over, and nothing leaks meanwhile.
static inline void runFor(wbWorld *world, double seconds) {
    double end = wbWorld_GetStats(world).time + seconds;
    for (int k = 0; wbWorld_GetTime(world) < end; k++) {
        assertOk(wbWorld_Step(world, 0));
        if (k % 16 == 0) assert_int_equal(wbWorld_GetStats(world).leaked, 0);
    }
    assert_int_equal(wbWorld_GetStats(world).leaked, 0);
}

static inline void set(wbWorld *world, const char *key, const char *value) {
    assertOk(wbWorld_SetParam(world, key, value));
}

/// m, of the water: twice the mean height.
static inline double getLevel(wbWorld *world) {
    wbView view;
    double sum = 0;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
    for (int i = 0; i < view.count; i++) sum += (double)view.y[i];
    return 2 * sum / view.count;
}
