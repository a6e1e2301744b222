// SPDX-License-Identifier: MIT
// Worlds with smoke from scenes as text, and runs that are saved on their way.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test_support.h"
#include "wirbel/scene.h"
#include "world/air.h"

static inline wbWorld *createFromText(const char *text, int threads) {
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("test.json", text, strlen(text), &scene));
    wbScene_GetWorldDef(scene)->threadCount = threads;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

static inline wbWorld *saveAndLoad(wbWorld *world) {
    char path[] = "/tmp/wirbel-test-air-XXXXXX";
    wbWorld *loaded;
    close(mkstemp(path));
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorld(path, &loaded));
    unlink(path);
    return loaded;
}

/// A closed box with a ball that goes to and fro and a wheel at rest; one with a thin plate that cycles of the pressure are
/// slow at; a lid that shuts a part of an open box off, with a wheel that turns below it; and a piston that shakes behind a
/// wall: the time step follows it, though no air does; and sides and a ball that moves, of different temperatures.
static const char *const resumeScenes[] = {
    "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,0.8]},\"smoke\":{\"cellSize\":0.05,\"keepMass\":true},"
    "\"sources\":[{\"name\":\"fire\",\"position\":[0.5,0.2,0.4],\"radius\":0.15,\"temperature\":60}],"
    "\"colliders\":[{\"name\":\"ball\",\"shape\":\"sphere\",\"radius\":0.15,\"position\":[0.5,0.6,0.4]},"
    "{\"name\":\"wheel\",\"shape\":\"wheel\",\"radius\":0.15,\"width\":0.2,\"thickness\":0.03,\"hub\":0.5,"
    "\"position\":[0.2,0.8,0.4]}],"
    "\"mechanisms\":[{\"name\":\"arm\",\"kind\":\"shaker\",\"colliders\":[\"ball\"],\"travel\":[0.2,0,0]}]}",
    "{\"domain\":{\"min\":[0,0,0],\"max\":[1.2,1.2,1.2]},\"smoke\":{\"cellSize\":0.05},"
    "\"sources\":[{\"name\":\"fire\",\"position\":[0.5,0.2,0.6],\"radius\":0.15,\"temperature\":60},"
    "{\"name\":\"fan\",\"shape\":\"box\",\"position\":[0.6,0.3,0.6],\"size\":[0.3,0.1,0.3],\"density\":0,"
    "\"velocity\":[0,3,0]}],"
    "\"colliders\":[{\"name\":\"plate\",\"size\":[0.9,0.01,0.9],\"position\":[0.6,0.63,0.6]}]}",
    "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,0.8],\"sides\":{\"top\":{\"type\":\"open\"}}},"
    "\"smoke\":{\"cellSize\":0.05,\"advection\":\"macCormack\"},"
    "\"sources\":[{\"name\":\"fire\",\"position\":[0.5,0.2,0.4],\"radius\":0.15,\"temperature\":60}],"
    "\"colliders\":[{\"name\":\"lid\",\"size\":[2,0.01,2],\"position\":[0.5,0.62,0.4]},"
    "{\"name\":\"fan\",\"shape\":\"wheel\",\"radius\":0.15,\"width\":0.2,\"thickness\":0.03,\"hub\":0.5,"
    "\"position\":[0.5,0.4,0.4]}],"
    "\"mechanisms\":[{\"name\":\"motor\",\"kind\":\"wheel\",\"colliders\":[\"fan\"],\"pivot\":[0.5,0.4,0.4],"
    "\"speed\":200}]}",
    "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,0.8]},\"smoke\":{\"cellSize\":0.05},"
    "\"sources\":[{\"name\":\"fire\",\"position\":[0.15,0.2,0.4],\"radius\":0.1}],"
    "\"colliders\":[{\"name\":\"piston\",\"size\":[1.6,3,3],\"position\":[1.5,0.5,0.4]},"
    "{\"name\":\"wall\",\"size\":[0.6,3,3],\"position\":[0.65,0.5,0.4]}],"
    "\"mechanisms\":[{\"name\":\"arm\",\"kind\":\"shaker\",\"colliders\":[\"piston\"],\"travel\":[0.25,0,0],"
    "\"frequency\":7}]}",
    "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,0.8],\"sides\":{\"bottom\":{\"type\":\"noSlip\","
    "\"temperature\":50},\"top\":{\"temperature\":18}}},\"smoke\":{\"cellSize\":0.05,\"ambient\":20,"
    "\"thermalDiffusivity\":0.01,\"confinement\":-2},"
    "\"colliders\":[{\"name\":\"ball\",\"shape\":\"sphere\",\"radius\":0.15,\"position\":[0.5,0.6,0.4],"
    "\"temperature\":90}],"
    "\"mechanisms\":[{\"name\":\"arm\",\"kind\":\"shaker\",\"colliders\":[\"ball\"],\"travel\":[0.2,0,0]}]}"};
enum { RESUME_SCENES = 5, SLOW_SCENE = 1 };

/// A run that is saved and loaded ends like one that goes on.
static inline void checkResume(int scene, wbBackend backend, int before, int after) {
    wbWorld *world = createFromText(resumeScenes[scene], 1);
    assertOk(wbWorld_SetBackend(world, backend, -1));
    for (int n = 0; n < before; n++) assertOk(wbWorld_Step(world, 0));
    if (scene == SLOW_SCENE) assert_true(wbGetAir(world)->smoke.pressure.slowSteps > 0);
    wbWorld *loaded = saveAndLoad(world);
    assertOk(wbWorld_SetBackend(loaded, backend, -1));
    assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
    assert_true(wbWorld_GetStableStep(loaded) == wbWorld_GetStableStep(world));
    for (int n = 0; n < after; n++) {
        assertOk(wbWorld_Step(world, 0));
        assertOk(wbWorld_Step(loaded, 0));
    }
    assert_true(wbWorld_Hash(loaded) == wbWorld_Hash(world));
    wbDestroyWorld(loaded);
    wbDestroyWorld(world);
}
