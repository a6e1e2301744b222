// SPDX-License-Identifier: MIT
#include "bench/drop.h"

#include <math.h>

#include "core/memory.h"
#include "core/status.h"

enum { maxSites = 32 * 32 * 32 };
static const double pi = 3.14159265, soundSpeed = 8; // m/s

double wbGetSwingTime(double radius) {
    return sqrt(WB_DROP_DENSITY * radius * radius * radius / WB_DROP_TENSION);
}

wbWorldDef wbMakeDropWorld(int dimensions, double radius) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = dimensions;
    def.params.gravity = wbMakeVec3(0, 0, 0);
    def.sph.spacing = (float)WB_DROP_SPACING;
    def.sph.soundSpeed = (float)soundSpeed;
    def.sph.surfaceTension = (float)WB_DROP_TENSION;
    def.sph.viscosity = (float)(0.3 * sqrt(WB_DROP_DENSITY * WB_DROP_TENSION * radius));
    def.sph.artificialViscosity = 0.1f;
    return def;
}

// Ohnesorge's number is 0.01; the air presses with 0.6 % of what would halve the water's volume.
wbWorldDef wbMakeLiquidDropWorld(int dimensions, double radius) {
    wbWorldDef def = wbMakeDropWorld(dimensions, radius);
    def.sph.tensionMethod = wb_tensionStress;
    def.sph.smoothing = 3;
    def.sph.soundSpeed = 2;
    def.sph.viscosity = (float)(0.01 * sqrt(WB_DROP_DENSITY * WB_DROP_TENSION * radius));
    def.sph.artificialViscosity = 0.03f;
    return def;
}

wbStatus wbRunDrop(wbValidateRun *run, wbWorld *world, double end, double done, double share) {
    double time;
    while ((time = wbWorld_GetTime(world)) < end && !run->stopped)
        WB_TRY(wbStepCaseFinely(run, world, done + share * time / end));
    return wb_okStatus;
}

wbStatus wbAddDrop(wbWorld *world, wbFluidId fluid, int dimensions, double radius) {
    const size_t bytes = 3 * maxSites * sizeof(float);
    float *positions = wbAlloc(NULL, bytes);
    if (!positions) return wbError(wb_errorMemory, "no memory for the positions of a drop");
    int reach = (int)ceil(radius / WB_DROP_SPACING), count = 0;
    for (int z = dimensions == 3 ? -reach : 0; z <= (dimensions == 3 ? reach : 0); z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double at[3] = {(x + 0.5) * WB_DROP_SPACING, (y + 0.5) * WB_DROP_SPACING,
                                dimensions == 3 ? (z + 0.5) * WB_DROP_SPACING : 0};
                if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > radius * radius) continue;
                for (int k = 0; k < 3; k++) positions[3 * count + k] = (float)at[k];
                count++;
            }
    wbStatus status = wbFluid_AddParticles(world, fluid, count, positions, NULL);
    wbFree(NULL, positions, bytes);
    return status;
}

double wbGetDropRadius(const wbWorld *world, wbFluidId fluid, int dimensions) {
    double mass = wbFluid_GetParticleCount(world, fluid) * wbFluid_GetParticleMass(world, fluid);
    double volume = mass / WB_DROP_DENSITY;
    return dimensions == 3 ? cbrt(3 * volume / (4 * pi)) : sqrt(volume / pi);
}
