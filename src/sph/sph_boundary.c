// SPDX-License-Identifier: MIT
#include "sph/sph_boundary.h"

#include <string.h>

#include "core/status.h"
#include "sph/sph_boundary_code.h"

const wbSphBoundaryCode *wbGetSphBoundaryCode(wbSimd simd) {
    return WB_CHOOSE_CODE(wb_sphBoundaryCode, simd);
}

static float *allocateFloats(const wbWork *work, int count) {
    return wbArena_Alloc(work->arena, sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING));
}

wbStatus wbWeighBoundary(wbBoundary *boundary, const wbSphModel *model, const wbWork *work) {
    wbBoundaryKernel kernel = {.key = {model->h, model->domain->dimensions, (int)model->params.kernel},
                               .sum = wbGetSphBoundaryCode(work->simd)->weigh,
                               .model = model,
                               .whole = model->constants.restDensity,
                               .scale = model->constants.densityScale};
    return wbBoundary_Weigh(boundary, &kernel, work);
}

// Lists of the particles near each place, whose records are written only later.
static wbStatus listParticles(wbSphBoundaryPass *walls, wbSph *sph, const wbWork *work, int dummy) {
    wbPointSet particles = {.points = wbParticles_GetPoints(&sph->particles), .grid = &sph->search.grid};
    walls->bodyNeighbours = &sph->search.bodyNeighbours;
    return wbBoundary_ListParticles(walls->boundary, &sph->search.bodyNeighbours, work, &particles, dummy);
}

static wbStatus listPlaces(wbSphBoundaryPass *walls, wbSph *sph, const wbWork *work) {
    WB_TRY(wbBoundary_BeginLists(walls->boundary, &sph->search.boundaryNeighbours, work,
                                 wbParticles_GetPoints(&sph->particles), &walls->lists));
    wbParallelFor(work->pool, sph->particles.count, WB_BLOCK, wbGetSphBoundaryCode(work->simd)->density,
                  walls);
    return wbNeighbours_End(&sph->search.boundaryNeighbours, work);
}

static wbStatus reserve(wbSphBoundaryPass *walls, const wbWork *work, bool wantsForces) {
    int count = wbBoundary_GetCount(walls->boundary);
    walls->extraRecords = allocateFloats(work, 4 * (wbPadCount(count) + 1));
    bool isComplete = walls->extraRecords;
    float **forces[] = {&walls->fx, &walls->fy, &walls->fz};
    for (int a = 0; a < 3 && wantsForces; a++)
        isComplete &= (*forces[a] = allocateFloats(work, count)) != NULL;
    return isComplete ? wb_okStatus : wbMemoryError(work->memory, "%d points of colliders need", count);
}

wbStatus wbSphBoundaryPass_Begin(wbSphBoundaryPass *walls, wbSphPass *pass, wbBoundary *boundary,
                                 const wbWork *work, wbBoundaryTime time, bool wantsForces, int dummy) {
    *walls = (wbSphBoundaryPass){.pass = pass,
                                 .boundary = boundary,
                                 .isAdhesive = wbBoundary_HasAdhesion(boundary),
                                 .isMean = pass->model->params.boundaryPressure == wb_boundaryMean};
    WB_TRY(reserve(walls, work, wantsForces));
    WB_TRY(wbBoundary_Place(boundary, work, time));
    if (wantsForces || walls->isMean) WB_TRY(listParticles(walls, pass->sph, work, dummy));
    return listPlaces(walls, pass->sph, work);
}

void wbSphBoundaryPass_AddForces(wbSphBoundaryPass *walls, wbBoundary *boundary, const wbWork *work,
                                 wbBoundaryTime time) {
    const wbSphBoundaryCode *code = wbGetSphBoundaryCode(work->simd);
    int count = wbBoundary_GetCount(boundary);
    if (walls->isMean || walls->isAdhesive) {
        wbParallelFor(work->pool, count, WB_BLOCK, code->places, walls);
        memset(walls->extraRecords + 4 * (size_t)count, 0, sizeof(float[4]));
    }
    wbParallelFor(work->pool, walls->pass->sph->particles.count, WB_BLOCK, code->forces, walls);
    if (!walls->fx) return;
    wbParallelFor(work->pool, count, WB_BLOCK, code->bodyForces, walls);
    wbBoundary_SumForces(boundary, time, walls->fx, walls->fy, walls->fz);
}
