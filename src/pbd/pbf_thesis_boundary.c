// SPDX-License-Identifier: MIT
// Colliders among particles of pbf_thesis.h: a particle feels their points within its own kernel, and they feel it.
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_step.h"
#include "pbd/pbf_constants.h"
#include "pbd/pbf_thesis_change_formula.h"
#include "pbd/pbf_thesis_step.h"

wbBoundaryKernel wbGetThesisBoundaryKernel(const wbThesisModel *model, const ThesisConstants *constants,
                                           wbSimd simd) {
    const float smallest = wbThesisModel_GetSmallest(model), h = model->params.width * smallest;
    const int d = model->domain->dimensions;
    return (wbBoundaryKernel){.key = {.radius = h, .dimensions = d, .kernel = 1},
                              .sum = wbGetThesisBoundaryCode(simd)->weigh,
                              .constants = constants,
                              .spacing = model->params.spacing};
}

// Who is near places of colliders: r < h_j.
static wbStatus listParticles(const wbThesisStep *step, const float *zeros) {
    const wbBoundary *boundary = step->fluid.colliders->boundary;
    const int count = wbBoundary_GetCount(boundary);
    wbThesisListTask task = step->lists;
    float *size = wbFluidStep_AllocZeros(&step->fluid, count);
    if (!size) return wbFluidStep_FailByMemory(&step->fluid);
    for (int k = 0; k < count; k++) size[k] = step->fluid.h;
    task.own = (wbPoints){boundary->x, boundary->y, boundary->z, count};
    task.reach = zeros, task.size = size, task.findsItself = false, task.setCount = 0;
    for (int k = 0; k < step->lists.setCount; k++)
        if (step->lists.sets[k].set.firstIndex < step->fluid.firstGhost)
            task.sets[task.setCount++] = step->lists.sets[k];
    return wbThesisStep_BuildLists(step, &step->fluid.search->bodyNeighbours, &task);
}

// Places near particles: r < h_i.
static wbStatus listPlaces(const wbThesisStep *step, const float *zeros) {
    const wbBoundary *boundary = step->fluid.colliders->boundary;
    wbThesisListTask task = {.own = step->lists.own,
                             .reach = step->lists.reach,
                             .size = step->lists.size,
                             .dummy = wbBoundary_GetCount(boundary)};
    const int counts[] = {boundary->stillCount, boundary->movingCount};
    for (int k = 0; k < 2; k++)
        if (counts[k] > 0)
            task.sets[task.setCount++] = (wbReachedSet){.set = boundary->sets[k], .reach = zeros};
    return wbThesisStep_BuildLists(step, &step->fluid.search->boundaryNeighbours, &task);
}

wbStatus wbThesisStep_ListBoundary(wbThesisStep *step) {
    const wbFluidStep *fluid = &step->fluid;
    wbThesisPass *pass = &step->pass;
    if (!wbFluidStep_HasBoundary(fluid)) return wb_okStatus;
    wbBoundary *boundary = fluid->colliders->boundary;
    WB_TRY(wbBoundary_Place(boundary, fluid->work, wb_atEnd));
    const int count = wbPadCount(fluid->particles->count), places = wbBoundary_GetCount(boundary);
    const float *zeros = wbFluidStep_AllocZeros(fluid, places);
    pass->boundary = wbFluidStep_AllocZeros(fluid, 4 * count);
    pass->boundarySquares = wbFluidStep_AllocZeros(fluid, count);
    pass->boundaryHeads = wbFluidStep_AllocZeros(fluid, 4 * count);
    pass->leans = wbFluidStep_AllocZeros(fluid, wbPadCount(fluid->dummy + 1));
    pass->changes = wbFluidStep_AllocZeros(fluid, 4 * (fluid->dummy + 1));
    float *sunk = wbFluidStep_AllocZeros(fluid, 4 * (places + 1));
    pass->sunk = sunk;
    pass->near = (wbBoundaryLists){.points = boundary,
                                   .places = &fluid->search->boundaryNeighbours,
                                   .particles = &fluid->search->bodyNeighbours,
                                   .fx = wbFluidStep_AllocZeros(fluid, places),
                                   .fy = wbFluidStep_AllocZeros(fluid, places),
                                   .fz = wbFluidStep_AllocZeros(fluid, places),
                                   .sums = wbFluidStep_AllocBodySums(fluid)};
    if (!zeros || !pass->boundary || !pass->boundarySquares || !pass->boundaryHeads || !pass->leans ||
        !pass->changes || !sunk || !pass->near.fx || !pass->near.fy || !pass->near.fz || !pass->near.sums)
        return wbFluidStep_FailByMemory(fluid);
    wbFillSunk(boundary, sunk);
    WB_TRY(listParticles(step, zeros));
    return listPlaces(step, zeros);
}

static void runNear(wbThesisStep *step, wbRangeFn *range) {
    wbFluidStep_RunNear(&step->fluid, &step->pass.near, range, step->pass.places, &step->pass, 0);
}
static void runAt(wbThesisStep *step, wbRangeFn *range) {
    wbFluidStep_RunAt(&step->fluid, &step->pass.near, range, step->pass.places, &step->pass, 0);
}

void wbThesisStep_AddBoundary(wbThesisStep *step) {
    if (step->pass.boundary) runNear(step, wbGetThesisBoundaryCode(step->work->simd)->add);
}

void wbThesisStep_PushBoundary(wbThesisStep *step) {
    if (step->pass.boundary) runAt(step, wbGetThesisBoundaryCode(step->work->simd)->forces);
}

void wbThesisStep_Stick(wbThesisStep *step) {
    const wbThesisBoundaryCode *code = wbGetThesisBoundaryCode(step->work->simd);
    if (!step->pass.boundary || !wbBoundary_HasNoSlip(step->pass.near.points)) return;
    runNear(step, code->stick);
    runAt(step, code->drag);
}

wbStatus wbThesisStep_Collide(wbThesisStep *step, float *const before[3], wbBoundaryTime from) {
    wbFluidStep *fluid = &step->fluid;
    const wbParticles *p = fluid->particles;
    if (!wbFluidStep_HasCollision(fluid)) return wb_okStatus;
    float *weights = wbFluidStep_AllocZeros(fluid, p->count);
    if (!weights) return wbFluidStep_FailByMemory(fluid);
    for (int i = 0; i < p->count; i++)
        weights[i] = thesis_mass(step->thesis->parts[i]) *
                     (fluid->mixture->count > 0 ? wbMixture_GetRelative(fluid->mixture, p->id[i]) : 1);
    fluid->relative = weights;
    memcpy(fluid->before, before, sizeof fluid->before);
    wbFluidStep_Collide(fluid, NULL, from, wb_atEnd, true);
    return wb_okStatus;
}
