// SPDX-License-Identifier: MIT
// All public headers from C++: a world with one block of water, stepped.
#include <cstdio>
#include <cstdlib>
#include <wirbel/scene.h>
#include <wirbel/wirbel.h>

static void expect(wbStatus status) {
    if (wbIsOk(status)) return;
    std::fprintf(stderr, "%s\n", status.text);
    std::exit(1);
}

int main() {
    wbWorldDef def = wbDefaultWorldDef();
    def.domain.max = wbMakeVec3(1, 1, 1);
    for (wbSideDef &side : def.domain.sides) side.type = wb_sideNoSlip;
    def.sph.spacing = 0.1f;

    wbWorld *world = nullptr;
    expect(wbCreateWorld(&def, &world));
    wbFluidDef fluidDef = wbDefaultFluidDef();
    fluidDef.name = "water";
    wbFluidId fluid;
    expect(wbCreateFluid(world, &fluidDef, &fluid));
    wbBlockDef block = {};
    block.max = wbMakeVec3(0.5f, 0.5f, 1);
    expect(wbFluid_AddBlock(world, fluid, &block));
    for (int i = 0; i < 10; i++) expect(wbWorld_Step(world, 0));

    wbView view;
    expect(wbFluid_GetView(world, fluid, &view));
    std::printf("%d particles from C++\n", view.count);
    wbDestroyWorld(world);
    return 0;
}
