// SPDX-License-Identifier: MIT
// For tests of colliders in water on every backend.
#pragma once

#include <math.h>
#include <string.h>

#include "test_support.h"
#include "wirbel/wirbel.h"

typedef struct Cup {
    wbWorld *world;
    wbColliderId id;
} Cup;

/// A closed cup, half full, with a wall of a third of a spacing, that is shaken and turned.
static inline Cup createCup(wbBackend backend, int threads, wbIntegrator integrator) {
    Cup cup;
    wbWorldDef def = wbDefaultWorldDef();
    def.params.backend = backend;
    def.sph.spacing = 0.05f, def.sph.soundSpeed = 40, def.sph.integrator = integrator;
    def.threadCount = threads;
    assertOk(wbCreateWorld(&def, &cup.world));
    wbColliderDef collider = wbDefaultColliderDef();
    collider.name = "cup";
    collider.params.shape = wb_shapeCup;
    collider.params.radius = 0.3f, collider.params.height = 0.6f, collider.params.thickness = 0.016f;
    collider.params.lid = true;
    assertOk(wbCreateCollider(cup.world, &collider, &cup.id));
    wbMechanismDef hand = wbDefaultMechanismDef();
    wbMechanismId mechanism;
    hand.name = "hand";
    hand.params.kind = wb_mechanismShaker;
    hand.params.travel = wbMakeVec3(0.3f, 0.1f, 0), hand.params.frequency = 3;
    hand.params.swing = 60, hand.params.speed = 200;
    hand.params.pivot = wbMakeVec3(0, 0.3f, 0), hand.params.axis = wbMakeVec3(0.3f, 0.2f, 1);
    hand.colliders = &cup.id, hand.colliderCount = 1;
    assertOk(wbCreateMechanism(cup.world, &hand, &mechanism));
    wbFluidDef water = wbDefaultFluidDef();
    wbFluidId fluid;
    assertOk(wbCreateFluid(cup.world, &water, &fluid));
    wbBlockDef block = {.min = {-0.25f, 0.05f, -0.25f}, .max = {0.25f, 0.35f, 0.25f}};
    assertOk(wbFluid_AddBlock(cup.world, fluid, &block));
    return cup;
}

/// Particles that are not in the room of the cup, where it is now.
static inline int countOutside(const Cup *cup) {
    wbColliderStats stats = wbCollider_GetStats(cup->world, cup->id);
    const float *q = stats.rotation;
    wbView view;
    int outside = 0;
    assertOk(wbFluid_GetView(cup->world, wbWorld_GetFluid(cup->world, 0), &view));
    for (int i = 0; i < view.count; i++) {
        double d[3] = {view.x[i] - stats.position[0], view.y[i] - stats.position[1],
                       view.z[i] - stats.position[2]};
        // v + 2 q × (q × v + w v) with the inverse quaternion
        double t[3] = {-q[1] * d[2] + q[2] * d[1] + q[3] * d[0], -q[2] * d[0] + q[0] * d[2] + q[3] * d[1],
                       -q[0] * d[1] + q[1] * d[0] + q[3] * d[2]};
        double own[3] = {d[0] + 2 * (-q[1] * t[2] + q[2] * t[1]), d[1] + 2 * (-q[2] * t[0] + q[0] * t[2]),
                         d[2] + 2 * (-q[0] * t[1] + q[1] * t[0])};
        outside += hypot(own[0], own[2]) > 0.3 || own[1] < 0.016 || own[1] > 0.616;
    }
    return outside;
}

/// A wheel that is free on its axle, under a jet beside it: the world, and the wheel's id.
static inline wbWorld *createMill(wbBackend backend, int dimensions, wbMechanismId *mill) {
    wbWorld *world;
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = dimensions, def.params.backend = backend;
    def.domain = (wbDomainDef){.min = {-1, -1, -0.3f}, .max = {1, 2, 0.3f}};
    def.domain.sides[wb_top].type = wb_sideOpen;
    def.sph.spacing = 0.06f, def.sph.soundSpeed = 40;
    def.threadCount = 1;
    assertOk(wbCreateWorld(&def, &world));
    wbColliderDef wheel = wbDefaultColliderDef();
    wbColliderId id;
    wheel.name = "paddles";
    wheel.params.shape = wb_shapeWheel;
    wheel.params.radius = 0.5f, wheel.params.width = 0.5f, wheel.params.thickness = 0.13f;
    wheel.params.paddles = 6, wheel.params.hub = 0.35f;
    assertOk(wbCreateCollider(world, &wheel, &id));
    wbMechanismDef free = wbDefaultMechanismDef();
    free.name = "mill";
    free.params.kind = wb_mechanismWheel, free.params.drive = wb_driveFree, free.params.inertia = 5;
    free.colliders = &id, free.colliderCount = 1;
    assertOk(wbCreateMechanism(world, &free, mill));
    wbFluidDef water = wbDefaultFluidDef();
    wbFluidId fluid;
    assertOk(wbCreateFluid(world, &water, &fluid));
    wbBlockDef block = {.min = {0.24f, 0.7f, -0.24f}, .max = {0.48f, 1.6f, 0.24f}, .velocity = {0, -1, 0}};
    assertOk(wbFluid_AddBlock(world, fluid, &block));
    return world;
}

static inline void stepTo(wbWorld *world, double seconds) {
    while (wbWorld_GetTime(world) < seconds) assertOk(wbWorld_Step(world, 0));
}
