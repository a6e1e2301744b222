// SPDX-License-Identifier: MIT
// Colliders among particles of different sizes: a particle feels their points within its own support, however large that is, and they feel it.
#include "core/status.h"
#include "pbd/pbf_adaptive_step.h"
#include "pbd/pbf_sheets.h"

// Columns of the same number for so many points.
static float *fill(const wbFluidStep *fluid, int count, float number) {
    float *numbers = wbFluidStep_AllocZeros(fluid, count);
    for (int i = 0; i < count && numbers; i++) numbers[i] = number;
    return numbers;
}

static wbStatus buildLists(const wbSizedStep *step, wbNeighbours *neighbours, wbSizedListTask *task) {
    const wbWork *work = step->fluid->work;
    const wbPointSet *room[] = {&task->sets[0].set};
    wbListTask lists; // of which the memory is all that is used
    WB_TRY(wbNeighbours_BeginAmong(neighbours, work, task->own, room, 1, task->dummy, &lists));
    task->neighbours = neighbours, task->memory = work->memory;
    wbParallelFor(work->pool, task->own.count, WB_BLOCK, step->code->lists, task);
    return wbNeighbours_End(neighbours, work);
}

// Who is near places of colliders: r2 < h_j2.
static wbStatus listParticles(const wbSizedStep *step, const float *ones, const float *squares) {
    const wbBoundary *boundary = step->fluid->colliders->boundary;
    const int count = wbBoundary_GetCount(boundary);
    wbSizedListTask task = step->lists;
    task.own = (wbPoints){boundary->x, boundary->y, boundary->z, count};
    task.reach = ones, task.size = fill(step->fluid, count, step->model->h);
    task.dummy = step->fluid->dummy, task.ownSetCount = 0;
    task.bases = NULL, task.pure = NULL;
    if (!task.size) return wbFluidStep_FailByMemory(step->fluid);
    int kept = 0;
    for (int k = 0; k < task.setCount; k++) {
        wbSizedSet set = step->lists.sets[k];
        if (set.set.firstIndex >= step->fluid->firstGhost) continue;
        set.reach = squares + set.set.firstIndex, set.top *= set.top;
        task.sets[kept++] = set;
    }
    task.setCount = kept;
    return buildLists(step, &step->fluid->search->bodyNeighbours, &task);
}

// Places near particles: r2 < h_i2.
static wbStatus listPlaces(const wbSizedStep *step, const float *ones, const float *squares) {
    const wbBoundary *boundary = step->fluid->colliders->boundary;
    wbSizedListTask task = {
        .own = step->lists.own, .reach = squares, .size = step->h, .dummy = wbBoundary_GetCount(boundary)};
    const int counts[] = {boundary->stillCount, boundary->movingCount};
    for (int k = 0; k < 2; k++)
        if (counts[k] > 0)
            task.sets[task.setCount++] = (wbSizedSet){
                .set = boundary->sets[k], .reach = ones + boundary->sets[k].firstIndex, .top = 1};
    return buildLists(step, &step->fluid->search->boundaryNeighbours, &task);
}

void wbFillSunk(const wbBoundary *b, float *sunk) {
    for (int k = 0; k < wbBoundary_GetCount(b); k++) {
        const int point = b->source[k];
        const wbPose *pose = &wbBoundary_GetBody(b, b->body[point])->motions[wb_atEnd].pose;
        const wbVec3 out = wbMakeVec3(b->normalX[point], b->normalY[point], b->normalZ[point]),
                     n = wbPose_Rotate(pose, out);
        sunk[4 * k] = -n.x, sunk[4 * k + 1] = -n.y, sunk[4 * k + 2] = -n.z, sunk[4 * k + 3] = b->depth[point];
    }
}

wbStatus wbSizedStep_SetBoundary(wbSizedStep *step, const wbBoundaryLists *near) {
    step->sized.near = *near;
    step->sized.sunk = wbFluidStep_AllocZeros(step->fluid, 4 * (wbBoundary_GetCount(near->points) + 1));
    if (!step->sized.sunk) return wbFluidStep_FailByMemory(step->fluid);
    wbFillSunk(near->points, step->sized.sunk);
    return wb_okStatus;
}

static bool reserve(wbSizedStep *step, bool wantsForces) {
    const wbFluidStep *fluid = step->fluid;
    wbPbfPass *pass = step->pass;
    wbBoundaryLists *near = &step->sized.near;
    const int count = wbPadCount(fluid->particles->count), places = wbBoundary_GetCount(near->points);
    pass->boundary = wbFluidStep_AllocZeros(fluid, 4 * count);
    pass->boundarySquares = wbFluidStep_AllocZeros(fluid, count);
    pass->boundaryHeads = wbFluidStep_AllocZeros(fluid, 4 * count);
    pass->leans = wbFluidStep_AllocZeros(fluid, wbPadCount(fluid->dummy + 1));
    if (!pass->boundary || !pass->boundarySquares || !pass->boundaryHeads || !pass->leans) return false;
    if (!wantsForces) return true;
    step->sized.changes = wbFluidStep_AllocZeros(fluid, 4 * (fluid->dummy + 1));
    near->fx = wbFluidStep_AllocZeros(fluid, places), near->fy = wbFluidStep_AllocZeros(fluid, places);
    near->fz = wbFluidStep_AllocZeros(fluid, places), near->sums = wbFluidStep_AllocBodySums(fluid);
    return step->sized.changes && near->fx && near->fy && near->fz && near->sums;
}

wbStatus wbSizedStep_ListBoundary(wbSizedStep *step, bool wantsForces) {
    const wbFluidStep *fluid = step->fluid;
    if (!wbFluidStep_HasBoundary(fluid)) return wb_okStatus;
    wbBoundary *boundary = fluid->colliders->boundary;
    const double mass = step->model->mass, rate = (double)step->pass->move.rate;
    const int count = step->lists.own.count;
    const wbBoundaryLists near = {.points = boundary,
                                  .places = &fluid->search->boundaryNeighbours,
                                  .particles = &fluid->search->bodyNeighbours};
    step->sized.forceScale =
        (float)(PBF_BOUNDARY_SHARE * mass * rate * rate * (double)step->model->constants.mixedGradient);
    step->sized.dragScale = (float)(mass * rate);
    WB_TRY(wbBoundary_Place(boundary, fluid->work, wb_atEnd));
    WB_TRY(wbSizedStep_SetBoundary(step, &near));
    const float *ones = fill(fluid, wbBoundary_GetCount(boundary), 1);
    float *squares = wbFluidStep_AllocZeros(fluid, count);
    if (!ones || !squares || !reserve(step, wantsForces)) return wbFluidStep_FailByMemory(fluid);
    for (int i = 0; i < count; i++) squares[i] = step->h[i] * step->h[i];
    if (wantsForces) WB_TRY(listParticles(step, ones, squares));
    return listPlaces(step, ones, squares);
}

void wbSizedStep_AddBoundary(wbSizedStep *step, const float *records) {
    if (step->sheets) wbPbfSheets_Clear(step->sheets);
    if (wbFluidStep_HasBoundary(step->fluid))
        wbFluidStep_RunNear(step->fluid, &step->sized.near, step->boundaryCode->add, records, &step->sized,
                            0);
    if (step->sheets) wbPbfSheets_Add(step->sheets);
}

void wbSizedStep_PushBoundary(wbSizedStep *step) {
    if (wbFluidStep_HasBoundary(step->fluid))
        wbFluidStep_RunAt(step->fluid, &step->sized.near, step->boundaryCode->forces, step->pass->solved,
                          &step->sized, 0);
}

void wbSizedStep_Stick(wbSizedStep *step) {
    if (!wbFluidStep_HasBoundary(step->fluid) || !wbBoundary_HasNoSlip(step->sized.near.points)) return;
    wbFluidStep_RunNear(step->fluid, &step->sized.near, step->boundaryCode->stick, step->pass->places,
                        &step->sized, 0);
    wbFluidStep_RunAt(step->fluid, &step->sized.near, step->boundaryCode->drag, step->pass->places,
                      &step->sized, 0);
}

wbStatus wbSizedStep_WeighParticles(wbSizedStep *step) {
    wbFluidStep *fluid = step->fluid;
    const int count = fluid->particles->count;
    if (!wbFluidStep_HasCollision(fluid)) return wb_okStatus;
    float *weights = wbFluidStep_AllocZeros(fluid, count);
    if (!weights) return wbFluidStep_FailByMemory(fluid);
    for (int i = 0; i < count; i++) weights[i] = step->model->levels.mass[step->pbf->sizes.level[i]];
    for (int i = 0; i < count && fluid->mixture->count > 0; i++)
        weights[i] *= wbMixture_GetRelative(fluid->mixture, fluid->particles->id[i]);
    fluid->relative = weights;
    return wb_okStatus;
}
