// SPDX-License-Identifier: MIT
// For tests of fluids of different rest density in one solver, on every backend.
#pragma once

#include <stdio.h>

#include "sph_support.h"
#include "wirbel/scene.h"

// Particles of a setup: the first third is the solver's own fluid, then come a light and a heavy one.
enum { fluidKinds = 3 };
static const float restDensities[fluidKinds] = {0, 300, 4000};

static inline int firstOf(const Setup *setup, int kind) { return kind * setup->count / fluidKinds; }

static inline wbWorld *createMixed(const Setup *setup, wbFluidId fluids[fluidKinds]) {
    static const char *const names[fluidKinds] = {"water", "light", "heavy"};
    wbWorld *world;
    assertOk(wbCreateWorld(&setup->def, &world));
    for (int k = 0; k < fluidKinds; k++) {
        wbFluidDef def = wbDefaultFluidDef();
        int first = firstOf(setup, k);
        def.name = names[k], def.restDensity = restDensities[k];
        assertOk(wbCreateFluid(world, &def, &fluids[k]));
        assertOk(wbFluid_AddParticles(world, fluids[k], firstOf(setup, k + 1) - first, setup->x + 3 * first,
                                      setup->v + 3 * first));
    }
    return world;
}

static inline double getRelative(const Setup *setup, int i) {
    int kind = 0;
    while (i >= firstOf(setup, kind + 1)) kind++;
    return restDensities[kind] > 0 ? (double)restDensities[kind] / setup->def.sph.restDensity : 1;
}

// Velocities of a few steps against the reference; then densities, in the fluid's own measure.
static inline void compareMixed(Setup setup, wbBackend backend, wbIntegrator integrator) {
    static float v[3 * maxParticles];
    wbFluidId fluids[fluidKinds];
    wbView view;
    setup.def.params.backend = backend;
    setup.def.sph.integrator = integrator;
    refSph *reference = createReference(&setup);
    for (int i = 0; i < setup.count; i++) reference->relative[i] = getRelative(&setup, i);
    wbWorld *world = createMixed(&setup, fluids);
    for (int s = 0; s < 4; s++) {
        assertOk(wbWorld_Step(world, 2e-4f));
        refStepSph(reference, (double)2e-4f);
    }
    for (int k = 0; k < fluidKinds; k++)
        assertOk(wbFluid_CopyById(world, fluids[k], NULL, v + 3 * firstOf(&setup, k)));
    double largest, worst = compareVectors(v, reference->v, setup.count, &largest), worstDensity = 0;
    assertBelow(worst / largest, 1e-4, "velocity");
    for (int k = 0; k < fluidKinds; k++) {
        assertOk(wbFluid_GetView(world, fluids[k], &view));
        for (int n = 0; n < view.count; n++) {
            int i = (int)view.id[n];
            double expected = reference->density[i] * reference->relative[i];
            worstDensity = fmax(worstDensity, fabs(view.density[n] / expected - 1));
        }
    }
    assertBelow(worstDensity, 1e-5, "density");
    wbDestroyWorld(world);
    refDestroySph(reference);
}

static inline void expectReference(wbBackend backend) {
    for (int d = 2; d <= 3; d++) {
        compareMixed(makeBoxed(d), backend, wb_integratorSymplectic);
        compareMixed(makeBoxed(d), backend, wb_integratorLeapfrog);
    }
    Setup surface = makeShaken(2, 20, 15, 1), muller = makeBoxed(2);
    setSurfaceVariant(&surface.def.sph, 4);
    surface.def.sph.soundSpeed = 20;
    setVariant(&muller.def.sph, 4);
    compareMixed(surface, backend, wb_integratorEuler);
    compareMixed(muller, backend, wb_integratorSymplectic);
}

// kg m/s and the sum of what could have changed it.
static inline void expectMomentum(wbBackend backend) {
    for (int d = 2; d <= 3; d++) {
        Setup setup = d == 2 ? makeShaken(2, 20, 20, 1) : makeShaken(3, 8, 8, 8);
        wbFluidId fluids[fluidKinds];
        setup.def.params.gravity = wbMakeVec3(0, 0, 0);
        setup.def.params.backend = backend;
        wbWorld *world = createMixed(&setup, fluids);
        wbStats before = wbWorld_GetStats(world);
        double size = sqrt(2 * before.kinetic * before.mass);
        for (int s = 0; s < 100; s++) assertOk(wbWorld_Step(world, 0));
        wbStats after = wbWorld_GetStats(world);
        assert_true(fabs(after.kinetic - before.kinetic) > 0.1 * before.kinetic); // much has happened
        for (int k = 0; k < 3; k++)
            assertBelow(fabs(after.momentum[k] - before.momentum[k]) / size, 1e-5, "momentum");
        wbDestroyWorld(world);
    }
}

// Oil comes out below water, passes a sieve of colliders and is drained above: all that makes and moves particles.
static const char *const pipeScene =
    "{'world':{'dimensions':2},'domain':{'min':[0,0],'max':[0.6,0.8]},'sph':{'spacing':0.02,'soundSpeed':20},"
    "'fluids':[{'name':'water','blocks':[{'min':[0,0],'max':[0.6,0.5]}]},{'name':'oil','restDensity':600}],"
    "'colliders':[{'name':'sieve','shape':'box','size':[0.3,0.06,1],'position':[0.3,0.55]}],"
    "'emitters':[{'name':'spring','fluid':'oil','position':[0.1,0.65],'direction':[0,-1],'radius':0.06,"
    "'velocity':1.5}],"
    "'drains':[{'name':'rim','min':[0.5,0.3],'max':[0.6,0.8]}]}";

// Oil below water, a sieve and a drain, of position based fluids: nothing slips along a ball that is in it, too.
static const char *const pbfPipeScene =
    "{'world':{'dimensions':2},'domain':{'min':[0,0],'max':[0.6,0.8]},'pbf':{'spacing':0.02,'viscosity':0.02}"
    ","
    "'fluids':[{'name':'water','solver':'pbf','blocks':[{'min':[0,0],'max':[0.6,0.5]}]},"
    "{'name':'oil','solver':'pbf','restDensity':200}],"
    "'colliders':[{'name':'sieve','shape':'box','size':[0.3,0.06,1],'position':[0.3,0.55]},"
    "{'name':'ball','shape':'sphere','radius':0.06,'position':[0.3,0.2],'slip':'noSlip'}],"
    "'emitters':[{'name':'spring','fluid':'oil','position':[0.1,0.65],'direction':[0,-1],'radius':0.06,"
    "'velocity':1.5}],"
    "'drains':[{'name':'rim','min':[0.5,0.3],'max':[0.6,0.8]}]}";

static inline wbWorld *createPipe(wbFluidSolver solver, wbBackend backend, int threads) {
    char text[2048];
    wbScene *scene;
    wbWorld *world;
    snprintf(text, sizeof text, "%s", solver == wb_solverSph ? pipeScene : pbfPipeScene);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    assertOk(wbReadSceneText("pipe.json", text, strlen(text), &scene));
    wbScene_GetWorldDef(scene)->params.backend = backend;
    wbScene_GetWorldDef(scene)->threadCount = threads;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

// Position based fluids take a tenth of the steps, each ten times as long.
static inline void stepPipe(wbFluidSolver solver, wbWorld *world, int steps) {
    const int isSph = solver == wb_solverSph;
    for (int s = 0; s < (isSph ? steps : steps / 10); s++)
        assertOk(wbWorld_Step(world, isSph ? 4e-4f : 4e-3f));
}

// A run that is saved in its middle ends as the one that is not.
static inline void expectResume(wbFluidSolver solver, wbBackend backend) {
    const char *path = "test_densities.wirbel";
    wbWorld *world = createPipe(solver, backend, 1), *resumed;
    stepPipe(solver, world, 300);
    assertOk(wbWorld_Save(world, path));
    assertOk(wbLoadWorldOn(path, backend, -1, &resumed));
    wbFluidId oil = wbWorld_GetFluid(resumed, 1);
    assert_true(wbFluid_GetRestDensity(resumed, oil) == (solver == wb_solverSph ? 600 : 200) &&
                wbFluid_GetParticleCount(resumed, oil) > 20);
    assert_true(wbWorld_GetStableStep(resumed) == wbWorld_GetStableStep(world));
    stepPipe(solver, world, 200), stepPipe(solver, resumed, 200);
    assert_true(wbWorld_Hash(world) == wbWorld_Hash(resumed));
    wbStats stats = wbWorld_GetStats(world);
    assert_true(stats.removed > 20);
    wbDestroyWorld(world), wbDestroyWorld(resumed);
    remove(path);
}
