// SPDX-License-Identifier: MIT
#include "bench/block.h"

wbWorldDef wbMakeBlockWorld(int n) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dt = 0.005f;
    def.sph.spacing = 1;
    def.sph.soundSpeed = 120;
    def.sph.viscosity = 40000;
    def.sph.artificialViscosity = 0;
    def.sph.surfaceTension = 10000;
    def.sph.integrator = wb_integratorLeapfrog;
    def.domain.max = wbMakeVec3(2 * (float)n + 1, 1.5f * (float)n + 1, (float)n + 1);
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideFreeSlip;
    return def;
}

wbStatus wbAddBlockOf(wbWorld *world, wbFluidId fluid, int n) {
    wbBlockDef block = {.min = wbMakeVec3(0, 0, 0.5f),
                        .max = wbMakeVec3((float)n, (float)n, (float)n + 0.5f)};
    return wbFluid_AddBlock(world, fluid, &block);
}
