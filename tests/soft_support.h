// SPDX-License-Identifier: MIT
// For tests of soft bodies in worlds on every backend: worlds from the text of a scene.
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/scene.h"

/// A box, a ball that falls on a tilted block and then on a rope, and a cloth with pins: contacts of every kind.
#define SOFT_MIXTURE                                                                                         \
    "{\"world\": {\"dt\": 0.01}, \"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 2, 1]},"                    \
    "\"pbd\": {\"iterations\": 4, \"subSteps\": 3, \"radius\": 0.03, \"method\": \"xpbd\", "                 \
    "\"bendCompliance\": 0.1},"                                                                              \
    "\"softBodies\": ["                                                                                      \
    "{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.2, \"count\": 57, \"position\": [0, 0.8, 0]," \
    " \"constraints\": \"decimated\", \"maxDistance\": 0.2, \"farMax\": 2, \"furthest\": 0.35,"              \
    " \"velocity\": [0, -2, 0], \"mass\": 5},"                                                               \
    "{\"name\": \"rope\", \"shape\": \"rope\", \"length\": 1.2, \"count\": 25, \"position\": [0, 0.3, 0]},"  \
    "{\"name\": \"cloth\", \"shape\": \"cloth\", \"size\": [0.8, 0.8, 1], \"counts\": [12, 12, 1],"          \
    " \"position\": [0, 1.3, 0], \"rotation\": [90, 0, 0], \"pins\": [0, -1], \"bending\": \"dihedral\"}],"  \
    "\"colliders\": [{\"name\": \"block\", \"shape\": \"box\", \"size\": [0.5, 0.1, 0.5],"                   \
    " \"position\": [0.1, 0.45, 0], \"rotation\": [0, 0, 20]}]}"

static inline wbScene *readScene(const char *text) {
    wbScene *scene;
    assertOk(wbReadSceneText("soft.json", text, strlen(text), &scene));
    return scene;
}

static inline wbWorld *createSoftWorld(const char *text, wbBackend backend, int threads) {
    wbScene *scene = readScene(text);
    wbWorld *world;
    wbScene_GetWorldDef(scene)->params.backend = backend;
    wbScene_GetWorldDef(scene)->threadCount = threads;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

static inline void stepWorld(wbWorld *world, int count) {
    for (int k = 0; k < count; k++) assertOk(wbWorld_Step(world, 0));
}

static inline wbView getView(wbWorld *world, int body) {
    wbView view;
    assertOk(wbSoftBody_GetView(world, wbWorld_GetSoftBody(world, body), &view));
    return view;
}

static inline wbVec3 getMean(const wbView *view) {
    wbVec3 sum = {0, 0, 0};
    for (int i = 0; i < view->count; i++) sum = wbAdd(sum, wbMakeVec3(view->x[i], view->y[i], view->z[i]));
    return wbScale(1 / (float)view->count, sum);
}

// Without weight a cube hits what is lighter, heavier, finer and thinner than it, off its middle: what one gets the other gives, and nothing
// is gained. A step is a power of two, so that velocities that become ways and velocities again lose little.
static inline void checkSoftCrash(wbBackend backend, const char *other, const char *solver) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"world\": {\"gravity\": [0, 0, 0], \"dt\": 0.015625}, \"pbd\": {\"solver\": \"%s\", \"method\": "
        "\"xpbd\", \"subSteps\": 4, \"radius\": 0.03, \"friction\": 0.3}, \"softBodies\": [{\"name\": "
        "\"cube\", \"shape\": \"cube\", \"size\": [0.2, 0.2, 0.2], \"counts\": [4, 4, 4], \"mass\": 3, "
        "\"position\": [-0.2, 0.02, 0.01], \"velocity\": [2, 0, 0]}, {\"name\": \"other\", %s, \"position\": "
        "[0.17, 0, 0]}]}",
        solver, other);
    wbWorld *world = createSoftWorld(text, backend, 1);
    const wbStats first = wbWorld_GetStats(world);
    for (int k = 0; k < 60; k++) {
        stepWorld(world, 1);
        const wbStats stats = wbWorld_GetStats(world);
        for (int a = 0; a < 3; a++)
            assert_true(fabs(stats.momentum[a] - first.momentum[a]) < 1e-5 * first.momentum[0]);
        assert_true(stats.kinetic < 1.001 * first.kinetic);
    }
    assert_true(wbWorld_GetStats(world).kinetic < 0.95 * first.kinetic); // they have met
    wbDestroyWorld(world);
}
static inline void checkSoftCrashes(wbBackend backend) {
    const char *const others[] = {"\"shape\": \"cube\", \"size\": [0.2, 0.2, 0.2], \"counts\": [4, 4, 4], "
                                  "\"mass\": 3, \"rotation\": [10, 20, 30]",
                                  "\"shape\": \"sphere\", \"radius\": 0.15, \"count\": 200, \"mass\": 12",
                                  "\"shape\": \"rope\", \"length\": 0.6, \"count\": 13, \"mass\": 0.5, "
                                  "\"rotation\": [0, 10, 80]",
                                  "\"shape\": \"cloth\", \"size\": [0.5, 0.5, 1], \"counts\": [9, 9, 1], "
                                  "\"mass\": 1, \"rotation\": [0, 80, 0]"};
    const char *const solvers[] = {"gaussSeidel", "jacobiParticles"};
    for (int o = 0; o < 4; o++)
        for (int s = 0; s < 2; s++) checkSoftCrash(backend, others[o], solvers[s]);
}
