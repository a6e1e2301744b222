// SPDX-License-Identifier: MIT
// A small world with one of everything that a grab can hold or push.
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/scene.h"

static const char grabText[] =
    "{\"output\":{\"fps\":100},\"coupling\":{\"fluids\":\"ignore\"},\"domain\":{\"min\":[0,0,0],\"max\":[1,0."
    "8,0.8]},"
    "\"sph\":{\"spacing\":0.05,\"soundSpeed\":10},\"pbf\":{\"spacing\":0.05},\"smoke\":{\"cellSize\":0.1},"
    "\"fluids\":[{\"name\":\"water\",\"blocks\":[{\"min\":[0,0,0],\"max\":[0.4,0.2,0.2]}]},"
    "{\"name\":\"syrup\",\"solver\":\"pbf\",\"blocks\":[{\"min\":[0,0,0.2],\"max\":[0.4,0.2,0.4]}]}],"
    "\"rigidBodies\":[{\"name\":\"crate\",\"size\":[0.1,0.1,0.1],\"mass\":1,\"position\":[0.5,0.1,0.6]}],"
    "\"colliders\":[{\"name\":\"post\",\"shape\":\"sphere\",\"radius\":0.03,\"position\":[0.9,0.1,0.75]}],"
    "\"softBodies\":[{\"name\":\"cloth\",\"shape\":\"cloth\",\"size\":[0.3,0.3,1],\"counts\":[4,4,1],"
    "\"position\":[0.5,0.4,0.3]}]}";

static inline wbWorld *makeGrabWorld(wbBackend backend, int threads) {
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("grab.json", grabText, strlen(grabText), &scene));
    wbScene_GetWorldDef(scene)->threadCount = threads;
    wbScene_GetWorldDef(scene)->params.backend = backend;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

static inline void stepTimes(wbWorld *world, int count) {
    for (int k = 0; k < count; k++) assertOk(wbWorld_Step(world, 0));
}

/// m, that what the first grab holds is from its target.
static inline float getDistance(wbWorld *world) {
    const wbGrabId id = wbWorld_GetGrab(world, 0);
    bool isThere;
    wbVec3 point;
    assertOk(wbGrab_GetPoint(world, id, &isThere, &point));
    assert_true(isThere);
    const wbVec3 way = wbSub(wbGrab_GetParams(world, id)->target, point);
    return sqrtf(wbDot(way, way));
}

/// m/s along x, the mean of a fluid.
static inline double getMomentum(wbWorld *world, int fluid) {
    wbView view;
    double sum = 0;
    assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, fluid), &view));
    for (int i = 0; i < view.count; i++) sum += (double)view.vx[i * view.stride];
    return sum / view.count;
}

static inline void grabAll(wbWorld *world) {
    assertOk(wbWorld_Apply(world, "world.addGrab", "mouse0 of=cloth particle=3 target=0.2,0.7,0.2"));
    assertOk(wbWorld_Apply(world, "world.addGrab", "mouse1 of=crate point=0.05,0,0 target=0.5,0.6,0.6"));
    assertOk(wbWorld_Apply(world, "world.addGrab", "mouse2 of=post target=0.9,0.6,0.75"));
    assertOk(wbWorld_Apply(world, "world.addGrab", "mouse3 target=0.05,0.15,0.2 radius=0.15"));
    stepTimes(world, 2);
    assertOk(wbWorld_SetParam(world, "mouse3.target", "0.35,0.15,0.2"));
}
