// SPDX-License-Identifier: MIT
// A small world with every solver, for tests of steps that fail.
#pragma once

#include <stdio.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/scene.h"

/// Every solver, with what brings, takes and moves; %s: dt, more parameters of the smoke, of sph, pbf and pbd, and bodies.
static const char everyText[] =
    "{\"world\":{\"dt\":%s},\"output\":{\"fps\":200},\"domain\":{\"min\":[0,0,0],\"max\":[1.6,0.8,0.8],"
    "\"sides\":{\"top\":{"
    "\"type\":\"open\"}}},"
    "\"smoke\":{\"cellSize\":0.1,\"buoyancy\":0.05%s},\"sph\":{\"spacing\":0.1,\"soundSpeed\":20%s},"
    "\"pbf\":{\"spacing\":0.1,\"subSteps\":2%s},\"pbd\":{\"radius\":0.02%s},"
    "\"sources\":[{\"name\":\"fire\",\"position\":[0.4,0.5,0.4],\"radius\":0.08,\"temperature\":300}],"
    "\"fluids\":[{\"name\":\"water\",\"blocks\":[{\"min\":[0,0,0],\"max\":[0.3,0.3,0.4]}]},"
    "{\"name\":\"oil\",\"restDensity\":800,\"blocks\":[{\"min\":[0,0,0.4],\"max\":[0.3,0.3,0.8]}]},"
    "{\"name\":\"syrup\",\"solver\":\"pbf\",\"blocks\":[{\"min\":[1.2,0,0],\"max\":[1.6,0.4,0.4]}]}],"
    "\"colliders\":[{\"name\":\"wheel\",\"shape\":\"wheel\",\"radius\":0.2,\"width\":0.2,\"thickness\":0.03,"
    "\"position\":[0.7,0.3,0.4]}],\"mechanisms\":[{\"name\":\"mill\",\"kind\":\"wheel\",\"colliders\":"
    "[\"wheel\"],\"pivot\":[0.7,0.3,0.4],\"speed\":90}],"
    "\"emitters\":[{\"name\":\"burst\",\"fluid\":\"water\",\"kind\":\"block\",\"min\":[0.1,0.5,0.1],"
    "\"max\":[0.3,0.7,0.3],\"start\":%g},{\"name\":\"jet\",\"fluid\":\"syrup\",\"kind\":\"disc\","
    "\"position\":"
    "[1.4,0.7,0.6],\"direction\":[0,-1,0],\"radius\":0.1,\"velocity\":20}],"
    "\"drains\":[{\"name\":\"sink\",\"min\":[1.4,0,0],\"max\":[1.6,0.2,0.2]}],"
    "\"softBodies\":[{\"name\":\"cube\",\"shape\":\"cube\",\"size\":[0.1,0.1,0.1],\"counts\":[3,3,3],"
    "\"position\":[1,0.6,0.4]}],\"bodies\":[%s],\"coupling\":{\"fluids\":\"ignore\"%s}}";

/// Floats in the water, which a device computes: as thin as it is, it is felt by points.
static const char raftText[] = "{\"name\":\"raft\",\"size\":[0.2,0.1,0.2],\"density\":400,\"position\":["
                               "0.15,0.37,0.2],\"hull\":\"solid\"}";

/// Thinner than kernels, on the oil and on the syrup.
static const char traysText[] = ",{\"name\":\"tray\",\"size\":[0.25,0.02,0.3],\"density\":400,\"position\":["
                                "0.15,0.34,0.6],\"hull\":\"thin\"},"
                                "{\"name\":\"lid\",\"size\":[0.3,0.02,0.3],\"density\":400,\"position\":[1.4,"
                                "0.44,0.2],\"hull\":\"thin\"}";

/// More parameters of the solvers, and what it has done.
typedef struct Variant {
    const char *smoke, *sph, *pbf, *pbd;
    int stepsBefore; ///< the step after them lets a block of water in
    const char *max; ///< m, where sides then go to, and the front one opens; NULL: none moves
    bool isDivided;  ///< steps of 0.005 s have two sub-steps of each fluid
    bool hasNoRaft;  ///< nor any other rigid body
    bool isSoftDry;  ///< soft bodies do not feel water, so that a device computes it
    bool hasTrays;   ///< beside the raft
} Variant;

static inline wbWorld *createEvery(const Variant *variant, wbBackend backend) {
    char every[sizeof everyText + sizeof raftText + sizeof traysText + 440],
        bodies[sizeof raftText + sizeof traysText];
    wbScene *scene;
    wbWorld *world;
    snprintf(bodies, sizeof bodies, "%s%s", raftText, variant->hasTrays ? traysText : "");
    snprintf(every, sizeof every, everyText, variant->isDivided ? "\"auto\"" : "0.005", variant->smoke,
             variant->sph, variant->pbf, variant->pbd, 0.005 * variant->stepsBefore,
             variant->hasNoRaft ? "" : bodies, variant->isSoftDry ? ",\"waterSoft\":\"off\"" : "");
    assertOk(wbReadSceneText("every.json", every, strlen(every), &scene));
    wbScene_GetWorldDef(scene)->threadCount = 1;
    wbScene_GetWorldDef(scene)->params.backend = backend;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    for (int k = 0; k < variant->stepsBefore; k++) assertOk(wbWorld_Step(world, 0));
    if (variant->max) assertOk(wbWorld_SetParam(world, "domain.max", variant->max));
    if (variant->max) assertOk(wbWorld_SetParam(world, "domain.front", "open"));
    return world;
}
