// SPDX-License-Identifier: MIT
// A fluid is filled with particles of its sizes before the first sub-step.
#include "core/status.h"
#include "pbd/pbf_adaptive_look.h"

// A round of merges, of particles that are nowhere sorted yet.
static wbStatus fillRound(wbSizedStep *step, int *merges) {
    const wbPbfSizes *sizes = &step->pbf->sizes;
    const int count = step->pbf->fluid.particles.count;
    const int64_t before = sizes->merges;
    wbLook look = {.step = step, .fills = true};
    look.pressure = wbFluidStep_AllocZeros(step->fluid, count);
    look.before = wbFluidStep_AllocZeros(step->fluid, count);
    if (!look.pressure || !look.before) return wbFluidStep_FailByMemory(step->fluid);
    WB_TRY(wbLook_FindNeighbours(&look));
    WB_TRY(wbLook_Run(&look));
    *merges = (int)(sizes->merges - before);
    return wb_okStatus;
}

wbStatus wbSizedStep_Fill(wbSizedStep *step) {
    enum { ROUNDS = 40, CALM_ROUNDS = 10 };
    wbArena *arena = step->fluid->work->arena;
    wbPbfSizes *sizes = &step->pbf->sizes;
    const int few = step->pbf->fluid.particles.count / 1000;
    for (int round = 0, calm = 0, merges; round < ROUNDS && calm < CALM_ROUNDS; round++) {
        const size_t scratch = wbArena_Mark(arena);
        WB_TRY(fillRound(step, &merges));
        wbArena_Release(arena, scratch);
        if (!sizes->varied) break;
        calm += merges <= few;
    }
    if (!sizes->varied)
        sizes->isOff = sizes->looks = 0; // what does not pay on the lattice may pay when it has settled
    return wb_okStatus;
}
