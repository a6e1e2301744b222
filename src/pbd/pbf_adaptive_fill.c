// SPDX-License-Identifier: MIT
// A fluid is filled with particles of its sizes before the first sub-step.
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_look.h"

// A round of merges, of particles that are nowhere sorted yet.
static wbStatus fillRound(wbSizedStep *step, int *merges) {
    const wbPbfSizes *sizes = &step->pbf->sizes;
    const int count = step->pbf->fluid.particles.count;
    const int64_t before = sizes->merges;
    WB_TRY(wbSizedStep_ReserveLook(step));
    wbLook look = {.step = step, .fills = true, .pressure = step->room.pressure, .before = step->room.before};
    memset(look.pressure, 0, sizeof(float) * (size_t)count);
    memset(look.before, 0, sizeof(float) * (size_t)count);
    WB_TRY(wbLook_FindNeighbours(&look));
    WB_TRY(wbLook_Run(&look));
    *merges = (int)(sizes->merges - before);
    return wb_okStatus;
}

wbStatus wbSizedStep_Fill(wbSizedStep *step) {
    wbArena *arena = step->fluid->work->arena;
    wbFillRounds rounds = wbBeginFilling(step->pbf->fluid.particles.count);
    int merges;
    do {
        const size_t scratch = wbArena_Mark(arena);
        WB_TRY(fillRound(step, &merges));
        wbArena_Release(arena, scratch);
    } while (wbFillRounds_Next(&rounds, &step->pbf->sizes, merges));
    step->pbf->sizes.hasFilled = step->pbf->sizes.varied;
    return wb_okStatus;
}

void wbPbf_GiveFillingBack(wbPbf *pbf, const wbWork *work) {
    wbPbfSizes *sizes = &pbf->sizes;
    wbNeighbours *lists = &pbf->fluid.search.neighbours;
    const int count = pbf->fluid.particles.count, kept = count + count / 16;
    if (!sizes->hasFilled) return;
    sizes->hasFilled = 0;
    wbParticles_Shrink(&pbf->fluid.particles, work->memory, kept);
    wbPbfSizes_Shrink(sizes, work->memory, kept);
    wbNeighbours_Free(work->memory, lists);
    wbNeighbours_Init(lists);
    wbArena_Forget(work->arena);
}
