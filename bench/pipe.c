// SPDX-License-Identifier: MIT
#include "bench/pipe.h"

#include "bench/block.h"

wbWorldDef wbMakePipeWorld(void) {
    wbWorldDef def = wbMakeBlockWorld(32);
    def.sph.surfaceTension = 0;
    def.params.seconds = 16;
    def.domain.sides[wb_top].type = wb_sideOpen;
    return def;
}

wbStatus wbAddPipe(wbWorld *world, wbFluidId fluid) {
    wbEmitterDef pipe = wbDefaultEmitterDef();
    wbEmitterId id;
    pipe.name = "pipe";
    pipe.fluid = fluid;
    pipe.params.position = wbMakeVec3(3, 38, 16.5f);
    pipe.params.radius = 8;
    pipe.params.velocity = 15;
    pipe.params.count = 32768;
    return wbCreateEmitter(world, &pipe, &id);
}
