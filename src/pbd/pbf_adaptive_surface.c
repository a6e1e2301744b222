// SPDX-License-Identifier: MIT
// How far particles are from the surface.
#include "pbd/pbf_adaptive_look.h"

void wbLook_Measure(wbLook *look) {
    wbSizedStep *step = look->step;
    step->sized.density = look->density, step->sized.gradient = look->gradient;
    wbFluidStep_MirrorPositions(step->fluid, step->pass->places);
    wbSizedStep_AddBoundary(step, step->pass->places);
    wbSizedStep_RunOverLists(step, step->code->measure, step->pass->places);
}

// Distances from those of the last look, one neighbourhood farther. At first from nothing, as far as they go.
void wbLook_FindDistances(wbLook *look) {
    wbSizedStep *step = look->step;
    wbPbfPass *pass = step->pass;
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    enum { AT_FIRST = 16 };
    int unknown = INT32_MAX, before;
    step->sized.to = pass->places;
    wbSizedStep_Run(step, step->code->mark);
    do {
        before = unknown, unknown = 0;
        for (int k = 0; k < (sizes->looks == 0 ? AT_FIRST : 2); k++) {
            float *from = k % 2 ? pass->solved : pass->places;
            if (k == 1 && sizes->looks > 0) break;
            step->sized.to = k % 2 ? pass->places : pass->solved;
            wbFluidStep_MirrorPositions(step->fluid, from);
            wbSizedStep_RunOverLists(step, step->code->distance, from);
        }
        for (int i = 0; i < wbLook_GetParticles(look)->count && sizes->looks == 0; i++)
            unknown += sizes->distance[i] > 0.1f * WB_UNKNOWN_DISTANCE;
    } while (unknown > 0 && unknown < before);
}
