// SPDX-License-Identifier: MIT
#include "pbd/pbf_boundary.h"

#include <string.h>

#include "core/status.h"
#include "pbd/pbf_boundary_code.h"
#include "space/space_code.h"

const wbPbfBoundaryCode *wbGetPbfBoundaryCode(wbSimd simd) {
    return WB_CHOOSE_CODE(wb_pbfBoundaryCode, simd);
}

wbStatus wbPbfModel_WeighBoundary(const wbPbfModel *model, wbBoundary *boundary, const wbWork *work) {
    wbBoundaryKernel kernel = {.key = {model->h, model->domain->dimensions, 0},
                               .sum = wbGetPbfBoundaryCode(work->simd)->weigh,
                               .model = model,
                               .whole = 1,
                               .scale = model->constants.densityScale};
    return wbBoundary_Weigh(boundary, &kernel, work);
}

static float *allocateZeros(const wbWork *work, int count) {
    size_t bytes = sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING);
    float *floats = wbArena_Alloc(work->arena, bytes);
    if (floats) memset(floats, 0, bytes);
    return floats;
}

static wbStatus reserve(wbPbfBoundaryPass *walls, wbPbfPass *pass, const wbWork *work) {
    int count = pass->pbf->particles.count, places = wbBoundary_GetCount(walls->boundary);
    // the lists name a dummy behind the ghosts
    int dummy = pass->fluid->dummy;
    pass->walls = allocateZeros(work, 4 * wbPadCount(count));
    pass->wallSquares = allocateZeros(work, count);
    walls->fx = allocateZeros(work, places), walls->fy = allocateZeros(work, places);
    walls->fz = allocateZeros(work, places);
    walls->changes = allocateZeros(work, 4 * (dummy + 1));
    if (pass->walls && pass->wallSquares && walls->fx && walls->fy && walls->fz && walls->changes)
        return wb_okStatus;
    return wbMemoryError(work->memory, "%d points of colliders need", places);
}

wbStatus wbPbfBoundaryPass_Begin(wbPbfBoundaryPass *walls, wbPbfPass *pass, wbBoundary *boundary,
                                 const wbWork *work) {
    wbPbf *pbf = pass->pbf;
    wbPoints particles = {pass->px, pass->py, pass->pz, pbf->particles.count};
    wbPointSet set = {.points = particles, .grid = &pbf->search.grid};
    wbListTask task;
    double mass = pass->model->mass, rate = pass->move.rate;
    *walls = (wbPbfBoundaryPass){.pass = pass,
                                 .boundary = boundary,
                                 .sticks = wbBoundary_HasNoSlip(boundary),
                                 .placesNear = &pbf->search.boundaryNeighbours,
                                 .particlesNear = &pbf->search.bodyNeighbours,
                                 .forceScale = (float)(PBF_WALL_SHARE * mass * rate * rate *
                                                       (double)pass->model->constants.gradientScale),
                                 .dragScale = (float)(mass * rate)};
    WB_TRY(reserve(walls, pass, work));
    WB_TRY(wbBoundary_Place(boundary, work, wb_atEnd));
    WB_TRY(wbBoundary_ListParticles(boundary, &pbf->search.bodyNeighbours, work, &set, pass->fluid->dummy));
    WB_TRY(wbBoundary_BeginLists(boundary, &pbf->search.boundaryNeighbours, work, particles, &task));
    wbParallelFor(work->pool, particles.count, WB_BLOCK, wbGetSpaceCode(work->simd)->lists, &task);
    return wbNeighbours_End(&pbf->search.boundaryNeighbours, work);
}
