// SPDX-License-Identifier: MIT
// For tests of the split scheme of SPH on every backend: set-ups, and comparisons with the reference.
#pragma once

#include "boundary_support.h"
#include "reference/split.h"

static const float comparedStep = 4e-3f;

static inline void useSplit(Setup *setup, int updates) {
    wbSphParams *p = &setup->def.sph;
    p->method = wb_sphSplit;
    p->minIterations = p->maxIterations = updates;
}

// m/s, by which artificial viscosity damps while nothing is faster.
static inline double getSpeed(const Setup *setup) { return 10 * sqrt(9.81 * (double)setup->def.sph.spacing); }

enum { splitVariants = 8, splitSteps = 3 };
static inline void setSplitVariant(Setup *setup, int variant) {
    useSplit(setup, 1 + 2 * (variant % 4));
    setup->def.sph.kernel = variant & 2 ? wb_kernelMuller : wb_kernelWendland;
    setup->def.sph.artificialViscosity = variant & 4 ? 0.1f : 0;
    setup->def.sph.surfaceTension = variant & 4 ? 20 : 0;
}

static inline refSplit *stepSplitReference(const Setup *setup, refSph *sph) {
    refSplit *reference = refCreateSplit(sph);
    for (int n = 0; n < splitSteps; n++)
        refStepSplit(reference, setup->def.sph.maxIterations, getSpeed(setup), (double)comparedStep);
    return reference;
}

static inline double getDerived(wbWorld *world, const char *name) {
    wbDerived rows[64];
    int count;
    assertOk(wbWorld_GetDerived(world, rows, 64, &count));
    for (int k = 0; k < count; k++)
        if (strcmp(rows[k].name, name) == 0) return rows[k].value;
    fail();
    return 0;
}

static inline void compareSplit(const Setup *setup, const refSplit *reference) {
    static float x[3 * maxParticles], v[3 * maxParticles];
    double largestX, largestV, worst = 0, largest = 0;
    wbFluidId fluid;
    wbView view;
    wbWorld *world = createWorld(setup, &fluid);
    for (int n = 0; n < splitSteps; n++) assertOk(wbWorld_Step(world, comparedStep));
    assertOk(wbFluid_CopyById(world, fluid, x, v));
    double worstX = compareVectors(x, reference->sph->x, setup->count, &largestX);
    double worstV = compareVectors(v, reference->sph->v, setup->count, &largestV);
    assertOk(wbFluid_GetView(world, fluid, &view));
    for (int k = 0; k < view.count; k++) {
        double expected = reference->sph->pressure[view.id[k]];
        worst = fmax(worst, fabs((double)view.pressure[k] - expected)), largest = fmax(largest, expected);
    }
    assertBelow(worstX / (double)setup->def.sph.spacing, 1e-4, "position in spacings");
    assertBelow(worstV / largestV, 1e-4, "velocity");
    assert_true(largest > 100);
    assertBelow(worst / largest, 1e-4, "pressure");
    assert_true(getDerived(world, "updates of pressures") == setup->def.sph.maxIterations);
    assertBelow(fabs(getDerived(world, "change of the last update") / reference->residual - 1), 1e-3,
                "residual");
    wbDestroyWorld(world);
}

static inline double getEnergy(wbWorld *world) {
    const wbStats stats = wbWorld_GetStats(world);
    return stats.kinetic + stats.potential;
}

// A column in one half of its box collapses and runs up the far side: energy only falls.
static inline wbWorld *createDam(int dimensions, int threads, wbBackend backend, wbFluidId *fluid) {
    wbWorldDef def = wbDefaultWorldDef();
    wbFluidDef water = wbDefaultFluidDef();
    wbWorld *world;
    const float d = 0.04f;
    def.params.dimensions = dimensions;
    def.params.backend = backend;
    def.threadCount = threads;
    def.sph.method = wb_sphSplit;
    def.sph.spacing = d;
    def.domain.max = wbMakeVec3(48 * d, 40 * d, 6 * d);
    setSides(&def.domain, wb_sideFreeSlip);
    water.name = "water";
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateFluid(world, &water, fluid));
    const wbBlockDef block = {.max = wbMakeVec3(12 * d, 24 * d, 6 * d)};
    assertOk(wbFluid_AddBlock(world, *fluid, &block));
    return world;
}
