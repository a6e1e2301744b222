// SPDX-License-Identifier: MIT
// For tests of what fluids give to colliders, on every backend: what the fluid loses, the collider gets.
#pragma once

#include <math.h>
#include <string.h>

#include "test_support.h"
#include "world/world.h"

typedef struct Splash {
    wbFluidSolver solver;
    int dimensions;
    wbBackend backend;
    wbIntegrator integrator; ///< of SPH
    wbPbdSolver method;      ///< of PBF
    float subSteps;          ///< likewise
    bool isMixed;            ///< half of the fluid is four times as heavy
} Splash;

static inline wbFluidId addHalf(wbWorld *world, const Splash *splash, const char *name, float density,
                                wbVec3 min, wbVec3 max) {
    wbFluidDef def = wbDefaultFluidDef();
    wbFluidId fluid;
    def.name = name, def.solver = splash->solver, def.restDensity = density;
    assertOk(wbCreateFluid(world, &def, &fluid));
    assertOk(wbFluid_AddBlock(world, fluid, &(wbBlockDef){min, max, {12, 3, 0}, 0}));
    return fluid;
}

/// Fast drops before the block, one by one: no pressure holds them back, continuous collision alone does.
static inline void addDrops(wbWorld *world, wbFluidId fluid, bool isFlat) {
    for (int k = 0; k < (isFlat ? 3 : 9); k++) {
        const float z = isFlat ? 0 : 0.15f * (float)(k / 3 - 1);
        const float x[3] = {0.36f, -0.1f + 0.16f * (float)(k % 3), z}, v[3] = {50, 5, 0};
        assertOk(wbFluid_AddParticles(world, fluid, 1, x, v));
    }
}

/// Without sides and gravity, a block flies against a thin plate that fluid does not slip along and that attracts it.
static inline wbWorld *createSplash(const Splash *splash, int threads) {
    const float depth = splash->dimensions == 3 ? 0.3f : 0;
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    wbColliderId id;
    def.params.dimensions = splash->dimensions, def.params.backend = splash->backend;
    def.params.gravity = wbMakeVec3(0, 0, 0), def.params.dt = 4e-4f;
    def.sph.spacing = def.pbf.spacing = 0.05f, def.sph.soundSpeed = 60;
    def.sph.integrator = splash->integrator;
    def.pbf.solver = splash->method, def.pbf.subSteps = splash->subSteps;
    def.threadCount = threads;
    assertOk(wbCreateWorld(&def, &world));
    wbColliderDef plate = wbDefaultColliderDef();
    plate.name = "plate";
    plate.params.size = wbMakeVec3(0.03f, 0.7f, 0.5f), plate.params.position = wbMakeVec3(0.5f, 0.1f, 0);
    plate.params.slip = wb_slipNone, plate.params.adhesion = 0.05f;
    plate.params.rotation = wbMakeVec3(0, 0, 20);
    assertOk(wbCreateCollider(world, &plate, &id));
    addDrops(world,
             addHalf(world, splash, "one", 0, wbMakeVec3(-0.3f, -0.2f, -depth), wbMakeVec3(0, 0.4f, depth)),
             splash->dimensions == 2);
    addHalf(world, splash, "two", splash->isMixed ? 4000 : 0, wbMakeVec3(0, -0.2f, -depth),
            wbMakeVec3(0.3f, 0.4f, depth));
    return world;
}

/// kg m/s, of all fluids; gives the sum of m |v|.
static inline double sumMomentum(wbWorld *world, double momentum[3]) {
    double size = 0;
    memset(momentum, 0, sizeof(double[3]));
    for (int f = 0; f < wbWorld_GetFluidCount(world); f++) {
        const wbFluidId fluid = wbWorld_GetFluid(world, f);
        const double mass = wbFluid_GetParticleMass(world, fluid);
        wbView view;
        assertOk(wbFluid_GetView(world, fluid, &view));
        for (int i = 0; i < view.count; i++) {
            const double v[3] = {view.vx[i], view.vy[i], view.vz[i]};
            for (int a = 0; a < 3; a++) momentum[a] += mass * v[a];
            size += mass * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        }
    }
    return size;
}

/// Momentum and the collider's impulses stay together what they were, to 1e-6 of sum m |v|.
static inline void checkSplash(const Splash *splash) {
    wbWorld *world = createSplash(splash, 1);
    const wbColliderId plate = wbWorld_GetCollider(world, 0);
    double start[3], now[3], given[3] = {0}, size = sumMomentum(world, start);
    for (int k = 0; k < 120; k++) {
        assertOk(wbWorld_Step(world, 0));
        const wbColliderStats stats = wbCollider_GetStats(world, plate);
        for (int a = 0; a < 3; a++) given[a] += stats.impulse[a];
    }
    (void)sumMomentum(world, now);
    for (int a = 0; a < 3; a++)
        if (!(fabs(now[a] + given[a] - start[a]) <= 1e-6 * size))
            fail_msg("axis %d: %g of %g kg m/s are lost", a, start[a] - now[a] - given[a], size);
    assert_true(wbCountCollisions(world).caught >= 3 && given[0] > 0.1 * start[0]);
    if (splash->dimensions == 2) {
        const wbColliderStats stats = wbCollider_GetStats(world, plate);
        assert_true(given[2] == 0 && stats.angularImpulse[0] == 0 && stats.angularImpulse[1] == 0);
    }
    wbDestroyWorld(world);
}
