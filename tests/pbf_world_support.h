// SPDX-License-Identifier: MIT
// For tests of position based fluids in worlds, on every backend.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "box_support.h"
#include "flow_support.h"
#include "work_support.h"

/// Spacing 0.1, steps of 1/60 s, a box that is open at the top.
static inline wbWorldDef makePbfDef(int dimensions, wbBackend backend, wbVec3 size) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = dimensions;
    def.params.dt = 1.0f / 60;
    def.params.backend = backend;
    def.domain = (wbDomainDef){.max = size};
    def.domain.sides[wb_top].type = wb_sideOpen;
    def.coupling.fluids = wb_otherFluidsIgnore;
    def.threadCount = 1;
    return def;
}

static inline wbFluidId addPbf(wbWorld *world, const char *name) {
    wbFluidDef def = wbDefaultFluidDef();
    wbFluidId id;
    def.name = name, def.solver = wb_solverPbf;
    assertOk(wbCreateFluid(world, &def, &id));
    return id;
}

static inline wbWorld *createPbfWorld(const wbWorldDef *def, wbFluidId *fluid) {
    wbWorld *world;
    assertOk(wbCreateWorld(def, &world));
    *fluid = addPbf(world, "fluid");
    return world;
}

static inline void addBlock(wbWorld *world, wbFluidId fluid, wbVec3 min, wbVec3 max) {
    wbBlockDef block = {.min = min, .max = max};
    assertOk(wbFluid_AddBlock(world, fluid, &block));
}

static inline wbView getView(wbWorld *world, wbFluidId fluid) {
    wbView view;
    assertOk(wbFluid_GetView(world, fluid, &view));
    return view;
}

/// A pool with a post that nothing slips along, a gate that slides up through it, a jet that a drain feeds, and a second
/// fluid of SPH beside it all, if `isMixed`. Without `subSteps` they are automatic, and few iterations let it take several.
static inline wbWorld *createPool(int dimensions, wbBackend backend, int threads, int subSteps,
                                  bool isMixed) {
    wbWorldDef def = makePbfDef(dimensions, backend, wbMakeVec3(2, 1.6f, 1));
    wbFluidId fluid;
    def.threadCount = threads;
    def.pbf.subSteps = (float)subSteps, def.pbf.vorticity = 0.1f;
    if (subSteps == 0) def.pbf.iterations = 2;
    def.sph.spacing = 0.1f, def.sph.soundSpeed = 20;
    if (isMixed) def.params.dt = 0.004f;
    wbWorld *world = createPbfWorld(&def, &fluid);
    addBox(world, "post", wbMakeVec3(1.3f, 0.4f, dimensions == 3 ? 0.5f : 0), wbMakeVec3(0.3f, 0.8f, 0.4f));
    assertOk(wbWorld_SetParam(world, "post.slip", "noSlip"));
    wbColliderId gate =
        addBox(world, "door", wbMakeVec3(0.8f, 0.5f, dimensions == 3 ? 0.5f : 0), wbMakeVec3(0.12f, 1, 1));
    wbMechanismDef slider = wbDefaultMechanismDef();
    wbMechanismId sliderId;
    slider.name = "gate", slider.colliders = &gate, slider.colliderCount = 1;
    slider.params.open = 1, slider.params.duration = 0.3f;
    assertOk(wbCreateMechanism(world, &slider, &sliderId));
    addBlock(world, fluid, wbMakeVec3(0, 0, 0), wbMakeVec3(0.7f, 0.8f, 1));
    wbEmitterDef jet = wbDefaultEmitterDef();
    jet.name = "jet", jet.fluid = fluid;
    jet.params.position = wbMakeVec3(0.1f, 1.3f, dimensions == 3 ? 0.5f : 0), jet.params.radius = 0.15f;
    jet.params.velocity = 2;
    wbEmitterId jetId = addEmitter(world, &jet);
    addDrain(world, "inlet", wbMakeVec3(1.6f, 0, 0), wbMakeVec3(2, 0.3f, 1), jetId);
    assertOk(wbWorld_SetParam(world, "inlet.delay", "0.05"));
    if (!isMixed) return world;
    wbFluidDef water = wbDefaultFluidDef();
    wbFluidId waterId;
    assertOk(wbCreateFluid(world, &water, &waterId));
    addBlock(world, waterId, wbMakeVec3(1.6f, 0.5f, 0), wbMakeVec3(2, 1, 1));
    return world;
}
