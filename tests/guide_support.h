// SPDX-License-Identifier: MIT
// For tests of mechanisms that are free, on every backend.
#pragma once

#include <stdio.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/scene.h"

/// The methods by which liquids are computed, as settings of a scene.
static const char *const methods[] = {"'sph':{'spacing':0.05,'soundSpeed':20}",
                                      "'sph':{'spacing':0.05,'method':'split'}", "'pbf':{'spacing':0.05}",
                                      "'pbf':{'spacing':0.05,'adaptive':{'method':'levels'}}",
                                      "'pbf':{'spacing':0.05,'adaptive':{'method':'thesis'}}"};
enum { METHODS = sizeof methods / sizeof methods[0] };

/// In which ' stands for ".
static inline wbWorld *createFrom(const char *text, int threads, wbBackend backend) {
    char json[4000];
    wbScene *scene;
    wbWorld *world;
    assert_true(strlen(text) < sizeof json);
    for (size_t i = 0; i <= strlen(text); i++) json[i] = text[i] == '\'' ? '"' : text[i];
    assertOk(wbReadSceneText("guide.json", json, strlen(json), &scene));
    wbScene_GetWorldDef(scene)->threadCount = threads;
    wbScene_GetWorldDef(scene)->params.backend = backend;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

/// A piston between two walls that a spring bears, below 0.3 m of water.
static inline wbWorld *createPiston(const char *method, double mass, int threads, wbBackend backend) {
    char text[1500];
    snprintf(
        text, sizeof text,
        "{'world':{'dimensions':2},'domain':{'min':[0,-1],'max':[0.5,1]},%s,"
        "'fluids':[{'name':'water','solver':'%s','blocks':[{'min':[0,0],'max':[0.5,0.3]}]}],"
        "'colliders':[{'name':'head','size':[1,0.2],'position':[0.25,-0.1]}],"
        "'mechanisms':[{'name':'piston','kind':'gate','colliders':['head'],'drive':'free','travel':[0,-0.5],"
        "'mass':%g,'stiffness':20000,'friction':1000}]}",
        method, strstr(method, "pbf") ? "pbf" : "sph", mass);
    return createFrom(text, threads, backend);
}
