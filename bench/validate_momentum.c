// SPDX-License-Identifier: MIT
// Pair forces cancel, so a blob without sides and gravity keeps its momentum, whatever its particles do.
#include <math.h>

#include "bench/validate_case.h"
#include "core/hash.h"
#include "core/memory.h"
#include "core/status.h"

enum { steps = 1000, across = 16 };
static const float spacing = 0.02f, maxSpeed = 1; // a twentieth of the default speed of sound

typedef struct Sums {
    double momentum[3], size; // size: sum of m |v|
} Sums;

// Sites of a lattice of across^d inside the ball (disc) that it holds; x, y, z each.
static int fillBall(int dimensions, float *positions, float *velocities) {
    int count = 0;
    int layers = dimensions == 3 ? across : 1;
    for (int site = 0; site < across * across * layers; site++) {
        float x[3] = {(float)(site % across), (float)(site / across % across),
                      (float)(site / across / across)};
        float r2 = 0;
        for (int k = 0; k < dimensions; k++) {
            x[k] += 0.5f - across / 2;
            r2 += x[k] * x[k];
        }
        if (r2 > across * across / 4.0f) continue;
        for (int k = 0; k < 3; k++) {
            positions[3 * count + k] = spacing * x[k];
            float random = 2 * wbHashFloat((uint32_t)(3 * site + k)) - 1;
            velocities[3 * count + k] = k < dimensions ? maxSpeed * random : 0;
        }
        count++;
    }
    return count;
}

static wbStatus addBall(wbWorld *world, wbFluidId fluid, int dimensions) {
    const size_t bytes = 3 * across * across * across * sizeof(float);
    float *positions = wbAlloc(NULL, bytes), *velocities = wbAlloc(NULL, bytes);
    wbStatus status = wbError(wb_errorMemory, "no memory for the positions of a blob");
    if (positions != NULL && velocities != NULL) {
        int count = fillBall(dimensions, positions, velocities);
        status = wbFluid_AddParticles(world, fluid, count, positions, velocities);
    }
    wbFree(NULL, positions, bytes);
    wbFree(NULL, velocities, bytes);
    return status;
}

static wbStatus sumMomentum(wbWorld *world, wbFluidId fluid, Sums *sums) {
    wbView view;
    WB_TRY(wbFluid_GetView(world, fluid, &view));
    double mass = wbFluid_GetParticleMass(world, fluid);
    *sums = (Sums){0};
    for (int i = 0; i < view.count; i++) {
        double vx = view.vx[i * view.stride], vy = view.vy[i * view.stride], vz = view.vz[i * view.stride];
        sums->momentum[0] += mass * vx;
        sums->momentum[1] += mass * vy;
        sums->momentum[2] += mass * vz;
        sums->size += mass * sqrt(vx * vx + vy * vy + vz * vz);
    }
    return wb_okStatus;
}

static wbStatus measureDrift(wbValidateRun *run, wbWorld *world, wbFluidId fluid, double *drift) {
    Sums start, end;
    double square = 0;
    WB_TRY(sumMomentum(world, fluid, &start));
    for (int i = 0; i < steps && !run->stopped; i++) WB_TRY(wbStepCaseFinely(run, world, (double)i / steps));
    WB_TRY(sumMomentum(world, fluid, &end));
    for (int k = 0; k < 3; k++) square += pow(end.momentum[k] - start.momentum[k], 2);
    *drift = sqrt(square) / start.size;
    return wb_okStatus;
}

static wbStatus runBlob(wbValidateRun *run, int dimensions, double *drift) {
    wbWorld *world;
    wbFluidId fluid;
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = dimensions;
    def.params.gravity = wbMakeVec3(0, 0, 0);
    def.sph.spacing = spacing;
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverSph, &world, &fluid));
    wbStatus status = addBall(world, fluid, dimensions);
    if (wbIsOk(status)) status = measureDrift(run, world, fluid, drift);
    wbDestroyWorld(world);
    return status;
}

wbStatus wbValidateMomentum(wbValidateRun *run) {
    static const char *const names[] = {"momentum drift in 1000 steps, 2D",
                                        "momentum drift in 1000 steps, 3D"};
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        double drift = 0;
        WB_TRY(runBlob(run, dimensions, &drift));
        if (run->stopped) return wb_okStatus;
        wbReportQuantity(run, (wbQuantity){.quantity = names[dimensions - 2],
                                           .unit = "sum m abs(v)",
                                           .value = drift,
                                           .tolerance = 1e-5,
                                           .source = "sum m v is constant"});
    }
    return wb_okStatus;
}
