// SPDX-License-Identifier: MIT
// What changes left of the density: relaxed on positions alone, the rest carried as an offset.
#include "core/status.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_look.h"

// Of which fluid the sorted particles are, and the lightest around each of them.
static wbStatus fillRelative(wbLook *look) {
    wbSizedStep *step = look->step;
    wbPbfPass *pass = step->pass;
    if (step->fluid->mixture->count == 0) return wb_okStatus;
    pass->relative = wbFluidStep_AllocNumbers(step->fluid, 1);
    pass->lowest = wbFluidStep_AllocNumbers(step->fluid, 1);
    if (!pass->relative || !pass->lowest) return wbFluidStep_FailByMemory(step->fluid);
    wbFluidStep_FillRelative(step->fluid, wbLook_GetParticles(look)->id, pass->relative);
    wbFluidStep_CopyToGhosts(step->fluid, pass->relative);
    wbFluidStep_MirrorPositions(step->fluid, pass->places);
    wbSizedStep_RunOverLists(step, step->code->lowest, pass->places);
    wbFluidStep_CopyToGhosts(step->fluid, pass->lowest);
    return wb_okStatus;
}

// Neighbours of the particles where they are, with records of their places.
wbStatus wbLook_FindNeighbours(wbLook *look) {
    wbSizedStep *step = look->step;
    wbParticles *p = wbLook_GetParticles(look);
    wbPbfPass *pass = step->pass;
    const size_t bytes = sizeof(float) * (size_t)(wbPadCount(p->count) + WB_PADDING);
    float *before = wbArena_Alloc(step->fluid->work->arena, bytes);
    if (!before) return wbFluidStep_FailByMemory(step->fluid);
    wbMove moves[WB_SORTED_COLUMNS + 2] = {[WB_SORTED_COLUMNS] = {look->pressure, p->pressure},
                                           [WB_SORTED_COLUMNS + 1] = {look->before, before}};
    wbParticles_ListMoves(p, moves);
    WB_TRY(wbSizedStep_Sort(step, wbParticles_GetPoints(p), moves, WB_SORTED_COLUMNS + 2));
    wbParticles_Flip(p);
    look->before = before;
    WB_TRY(wbSizedStep_FindGhosts(step, wbParticles_GetPoints(p)));
    WB_TRY(wbSizedStep_BuildLists(step));
    pass->places = wbFluidStep_AllocPositions(step->fluid, 1);
    pass->solved = wbFluidStep_AllocPositions(step->fluid, 1);
    float **const columns[] = {&look->density, &look->gradient};
    if (!pass->places || !pass->solved || !wbFluidStep_AllocColumns(step->fluid, columns, 2))
        return wbFluidStep_FailByMemory(step->fluid);
    WB_TRY(wbSizedStep_ListBoundary(step, false));
    wbSizedStep_Run(step, step->code->stay);
    return fillRelative(look);
}

// What a change pressed together moves apart at once, and the other way round: on positions alone, so that no velocity comes of it,
// and with masses, so that the centre of mass stays.
void wbLook_Relax(wbLook *look) {
    wbSizedStep *step = look->step;
    wbPbfPass *pass = step->pass;
    const int count = wbCountRelaxations(step->model, look->fills);
    step->sized.before = look->before;
    step->sized.relaxMost = wbGetRelaxMost(look->fills);
    step->sized.relaxApart = wbMakeRelaxApart(step->model, look->fills);
    step->sized.relaxStep = step->model->params.omega / (float)step->model->stiffestWave;
    for (int k = 0; k < count; k++) {
        wbFluidStep_MirrorPositions(step->fluid, pass->places);
        wbSizedStep_AddBoundary(step, pass->places);
        wbSizedStep_RunOverLists(step, step->code->relax, pass->places);
        wbFluidStep_MirrorPositions(step->fluid, pass->solved);
        wbSizedStep_RunOverLists(step, step->code->shift, pass->solved);
    }
}

static void carryOver(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbLook *look = context;
    const wbParticles *p = wbLook_GetParticles(look);
    const PbfCarry carry = wbMakeCarry(look->step->model);
    for (int i = begin; i < end; i++) {
        const float *place = look->step->pass->places + 4 * (size_t)i;
        wbLook_GetSizes(look)->offset[i] = pbf_carried(look->density[i], look->before[i], carry);
        p->x[i] = place[0], p->y[i] = place[1], p->z[i] = place[2];
    }
}

void wbLook_Carry(wbLook *look) {
    wbParallelFor(look->step->fluid->work->pool, wbLook_GetParticles(look)->count, WB_BLOCK, carryOver, look);
}
