// SPDX-License-Identifier: MIT
// For tests of the SPH solver on every backend: set-ups, and comparisons with the reference.
#pragma once

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "reference/sph.h"
#include "test_support.h"
#include "wirbel/wirbel.h"

// Worlds

enum { maxParticles = 4096 };

// A world and its start, in the order of ids.
typedef struct Setup {
    wbWorldDef def;
    int count;
    float x[3 * maxParticles], v[3 * maxParticles];
} Setup;

static inline void assertBelow(double value, double limit, const char *what) {
    if (value <= limit) return;
    print_error("%s: %g is above %g\n", what, value, limit);
    fail();
}

static inline void setSides(wbDomainDef *domain, wbSideType type) {
    for (int side = 0; side < wb_sideCount; side++) domain->sides[side].type = type;
}

static inline float randomSigned(uint32_t counter) { return 2 * wbHashFloat(counter) - 1; }

// nx × ny × nz sites, 0.98 spacings apart so that there is pressure, shaken; the box is the lattice's own, without sides.
static inline Setup makeShaken(int dimensions, int nx, int ny, int nz) {
    Setup setup = {.def = wbDefaultWorldDef(), .count = nx * ny * nz};
    const float spacing = 0.1f, packed = 0.098f;
    setup.def.params.dimensions = dimensions;
    setup.def.threadCount = 2;
    setup.def.sph.spacing = spacing;
    setup.def.sph.viscosity = 5;
    setup.def.domain.max = wbMakeVec3(nx * packed, ny * packed, nz * packed);
    setSides(&setup.def.domain, wb_sideOpen);
    for (int i = 0; i < setup.count; i++) {
        const int site[3] = {i % nx, i / nx % ny, i / nx / ny};
        for (int k = 0; k < dimensions; k++) {
            uint32_t counter = (uint32_t)(6 * i + k);
            setup.x[3 * i + k] = packed * ((float)site[k] + 0.5f + 0.2f * randomSigned(counter));
            setup.v[3 * i + k] = randomSigned(counter + 3);
        }
    }
    return setup;
}

// Shaken water in a box with sides of every kind.
static inline Setup makeBoxed(int dimensions) {
    Setup setup = dimensions == 2 ? makeShaken(2, 23, 17, 1) : makeShaken(3, 11, 9, 7);
    wbSideDef *sides = setup.def.domain.sides;
    setSides(&setup.def.domain, wb_sideFreeSlip);
    sides[wb_top] = (wbSideDef){wb_sideNoSlip, {0.7f, 0.3f, dimensions == 3 ? -0.2f : 0}, NAN};
    sides[wb_left] = (wbSideDef){wb_sideNoSlip, {0, 0, 0}, NAN};
    sides[wb_right].type = wb_sideOpen;
    return setup;
}

static inline wbWorld *createWorld(const Setup *setup, wbFluidId *fluid) {
    wbWorld *world;
    wbFluidDef water = wbDefaultFluidDef();
    water.name = "water";
    assertOk(wbCreateWorld(&setup->def, &world));
    assertOk(wbCreateFluid(world, &water, fluid));
    assertOk(wbFluid_AddParticles(world, *fluid, setup->count, setup->x, setup->v));
    return world;
}

static inline refSph *createReference(const Setup *setup) {
    refSph *reference = refCreateSph(&setup->def, setup->count);
    for (int i = 0; i < setup->count; i++) {
        for (int k = 0; k < setup->def.params.dimensions; k++) {
            reference->x[i][k] = setup->x[3 * i + k];
            reference->v[i][k] = setup->v[3 * i + k];
        }
    }
    return reference;
}

// Largest difference between the components of two sets of vectors, and the largest component.
static inline double compareVectors(const float *fast, double (*reference)[3], int count, double *largest) {
    double worst = *largest = 0;
    for (int i = 0; i < 3 * count; i++) {
        double expected = reference[i / 3][i % 3];
        if (!(fabs(fast[i] - expected) <= worst)) worst = fabs(fast[i] - expected);
        *largest = fmax(*largest, fabs(expected));
    }
    return worst;
}

// No closed sides at all, two blobs so far apart that cells must be hashed.
static inline Setup makeFarApart(float distance) {
    Setup setup = makeShaken(3, 8, 8, 8);
    for (int i = setup.count / 2; i < setup.count; i++) {
        for (int k = 0; k < 3; k++) setup.x[3 * i + k] -= distance;
    }
    return setup;
}

// Fast particles that hit the sides.
static inline Setup makeBouncing(int dimensions) {
    Setup setup = makeBoxed(dimensions);
    setup.def.sph.sideRestitution = 0.5f;
    for (int i = 0; i < 3 * setup.count; i++) setup.v[i] *= 5;
    return setup;
}

enum { variantCount = 16, surfaceVariantCount = 8 };
static inline void setVariant(wbSphParams *params, int variant) {
    params->kernel = variant & 1 ? wb_kernelWendland : wb_kernelMuller;
    params->equation = variant & 2 ? wb_equationTait : wb_equationLinear;
    params->artificialViscosity = variant & 4 ? 0.1f : 0;
    params->clampPressure = variant & 8;
    params->smoothing = variant & 4 ? 2.1f : 2.7f;
}

// Soft water, whose surface tension is the larger part of the forces.
static inline void setSurfaceVariant(wbSphParams *params, int variant) {
    params->soundSpeed = 2;
    params->surfaceTension = 100;
    params->smoothNormals = variant & 1;
    params->kernel = variant & 2 ? wb_kernelWendland : wb_kernelMuller;
    params->artificialViscosity = variant & 4 ? 0.1f : 0;
    params->smoothing = variant & 4 ? 2.1f : 2.7f;
}

// Density, pressure and acceleration of the start; the acceleration is the change of velocity in one step.
static inline void compareFirstStep(const Setup *setup, const refSph *reference) {
    static float v[3 * maxParticles];
    const float dt = 1e-3f;
    wbFluidId fluid;
    wbView view;
    wbWorld *world = createWorld(setup, &fluid);
    assertOk(wbWorld_Step(world, dt));
    assertOk(wbFluid_GetView(world, fluid, &view));
    double worstDensity = 0, worstPressure = 0, largestPressure = 1, largest;
    for (int k = 0; k < view.count; k++) {
        int i = (int)view.id[k * view.stride];
        worstDensity = fmax(worstDensity, fabs(view.density[k * view.stride] / reference->density[i] - 1));
        worstPressure = fmax(worstPressure, fabs(view.pressure[k * view.stride] - reference->pressure[i]));
        largestPressure = fmax(largestPressure, fabs(reference->pressure[i]));
    }
    assertOk(wbFluid_CopyById(world, fluid, NULL, v));
    for (int i = 0; i < 3 * setup->count; i++) v[i] = (v[i] - setup->v[i]) / dt;
    double worst = compareVectors(v, reference->a, setup->count, &largest);
    assertBelow(worstDensity, 2e-6, "density");
    assertBelow(worstPressure / largestPressure, 1e-5, "pressure");
    assertBelow(worst / largest, 1e-5, "acceleration");
    assertBelow(fabs(wbFluid_GetParticleMass(world, fluid) / reference->mass - 1), 1e-6, "mass");
    wbDestroyWorld(world);
}

enum { comparedSteps = 8 };

static const float comparedDt = 1e-3f;

// The reference after the steps that are compared.
static inline refSph *stepReference(Setup *setup, wbIntegrator integrator) {
    setup->def.sph.integrator = integrator;
    refSph *reference = createReference(setup);
    for (int i = 0; i < comparedSteps; i++) refStepSph(reference, (double)comparedDt);
    return reference;
}

static inline void compareState(const Setup *setup, const refSph *reference) {
    static float x[3 * maxParticles], v[3 * maxParticles];
    wbFluidId fluid;
    double largestX, largestV;
    wbWorld *world = createWorld(setup, &fluid);
    for (int i = 0; i < comparedSteps; i++) assertOk(wbWorld_Step(world, comparedDt));
    assertOk(wbFluid_CopyById(world, fluid, x, v));
    double worstX = compareVectors(x, reference->x, setup->count, &largestX);
    double worstV = compareVectors(v, reference->v, setup->count, &largestV);
    assertBelow(worstX / setup->def.sph.spacing, 1e-4, "position in spacings");
    assertBelow(worstV / largestV, 1e-4, "velocity");
    wbDestroyWorld(world);
}

// A parameter that changes while the world runs takes effect with the next step, as if it had been so. Returns the
// world.
static inline wbWorld *compareChanges(wbBackend backend) {
    static const char *const settings[][2] = {
        {"sph.viscosity", "20"},       {"sph.kernel", "muller"},    {"sph.smoothing", "2.6"},
        {"sph.equation", "linear"},    {"sph.soundSpeed", "12"},    {"sph.clampPressure", "false"},
        {"sph.restDensity", "900"},    {"sph.integrator", "euler"}, {"sph.artificialViscosity", "0.3"},
        {"sph.bulkViscosity", "0"},    {"world.gravity", "3,-5,0"}, {"sph.surfaceTension", "30"},
        {"sph.smoothNormals", "true"}, {"sph.surfaceTension", "0"},
    };
    static float v[3 * maxParticles];
    Setup setup = makeBoxed(2);
    wbFluidId fluid;
    setup.def.params.backend = backend;
    wbWorld *world = createWorld(&setup, &fluid);
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
        assertOk(wbWorld_SetParam(world, settings[k][0], settings[k][1]));
        assertOk(wbFluid_CopyById(world, fluid, setup.x, setup.v));
        setup.def.sph = *wbWorld_GetSphParams(world);
        setup.def.params = *wbWorld_GetWorldParams(world);
        refSph *reference = createReference(&setup);
        double largest;
        assertOk(wbWorld_Step(world, 1e-4f));
        refStepSph(reference, (double)1e-4f);
        assertOk(wbFluid_CopyById(world, fluid, NULL, v));
        double worst = compareVectors(v, reference->v, setup.count, &largest);
        assertBelow(worst / largest, 1e-5, settings[k][0]);
        refDestroySph(reference);
    }
    return world;
}

static inline uint64_t hashAfter(const Setup *setup, int steps) {
    wbFluidId fluid;
    wbWorld *world = createWorld(setup, &fluid);
    for (int i = 0; i < steps; i++) assertOk(wbWorld_Step(world, 0));
    uint64_t hash = wbWorld_Hash(world);
    wbDestroyWorld(world);
    return hash;
}
