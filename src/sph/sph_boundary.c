// SPDX-License-Identifier: MIT
#include "sph/sph_boundary.h"

#include <string.h>

#include "core/status.h"
#include "sph/sph_boundary_code.h"
#include "sph/sph_tension.h"

wbBoundaryKernel wbSphModel_GetBoundaryKernel(const wbSphModel *model, wbSimd simd) {
    const SphConstants *c = &model->constants;
    const bool isWendland = model->params.kernel == wb_kernelWendland;
    return (wbBoundaryKernel){.key = {model->h, model->domain->dimensions, isWendland},
                              .sum = wbGetSphBoundaryCode(simd)->weigh[isWendland],
                              .readsSlip = true,
                              .constants = c,
                              .spacing = model->params.spacing};
}

static unsigned getKernel(const wbSphBoundaryPass *boundary) {
    return boundary->pass->model->params.kernel == wb_kernelWendland ? SPH_WENDLAND : 0;
}

static const wbSphBoundaryCode *getCode(const wbSphBoundaryPass *boundary) {
    return wbGetSphBoundaryCode(boundary->pass->fluid->work->simd);
}

static void runNear(const wbSphBoundaryPass *boundary, wbRangeFn *range, unsigned terms) {
    const wbSphPass *pass = boundary->pass;
    wbFluidStep_RunNear(pass->fluid, &boundary->near, range, pass->positionRecords, boundary, terms);
}
static void runAt(const wbSphBoundaryPass *boundary, wbRangeFn *range, unsigned terms) {
    const wbSphPass *pass = boundary->pass;
    wbFluidStep_RunAt(pass->fluid, &boundary->near, range, pass->positionRecords, boundary, terms);
}

wbStatus wbSphBoundaryPass_Begin(wbSphBoundaryPass *boundary, wbSphPass *pass, wbBoundaryTime time,
                                 bool wantsForces) {
    const wbFluidStep *fluid = pass->fluid;
    const wbBoundary *points = fluid->colliders->boundary;
    const int places = wbBoundary_GetCount(points);
    *boundary = (wbSphBoundaryPass){.isAdhesive =
                                        wbBoundary_HasAdhesion(points) && !wbSphModel_HasStress(pass->model),
                                    .isMean = pass->model->params.boundaryPressure == wb_boundaryMean,
                                    .constants = pass->constants,
                                    .pass = pass};
    boundary->extraRecords = wbFluidStep_AllocZeros(fluid, 4 * (wbPadCount(places) + 1));
    if (!boundary->extraRecords)
        return wbMemoryError(fluid->work->memory, "%d points of colliders need", places);
    wbBoundaryWish wish = boundary->isMean ? wb_wantsParticles : wb_wantsPlaces;
    WB_TRY(wbFluidStep_ListBoundary(fluid, wbParticles_GetPoints(&pass->sph->fluid.particles), time,
                                    wantsForces ? wb_wantsForces : wish, &boundary->near));
    wbFluidStep_Run(fluid, getCode(boundary)->density, pass->sph->fluid.particles.count,
                    (wbListPass){.neighbours = boundary->near.places,
                                 .others = points->positionRecords,
                                 .pass = boundary,
                                 .terms = getKernel(boundary)});
    return wb_okStatus;
}

void wbSphBoundaryPass_AddNormals(const wbSphBoundaryPass *boundary) {
    runNear(boundary, getCode(boundary)->normals, getKernel(boundary));
}

// p/rho2 of places, and their adhesion.
static void setExtraRecords(const wbSphBoundaryPass *boundary) {
    const wbBoundary *points = boundary->near.points;
    const int places = wbBoundary_GetCount(points);
    if (boundary->isMean) runAt(boundary, getCode(boundary)->means, getKernel(boundary));
    for (int k = 0; k < places && boundary->isAdhesive; k++) {
        const int point = points->source[k];
        const float adhesion = wbBoundary_GetBody(points, points->body[point])->adhesion;
        boundary->extraRecords[4 * (size_t)k + 1] = points->weight[point] * adhesion;
    }
    memset(boundary->extraRecords + 4 * (size_t)places, 0, sizeof(float[4])); // the dummy
}

void wbSphBoundaryPass_AddForces(const wbSphBoundaryPass *boundary, wbBoundaryTime time, float dt) {
    const wbBoundaryLists *near = &boundary->near;
    const bool hasExtra = boundary->isMean || boundary->isAdhesive;
    const unsigned terms = getKernel(boundary) | (hasExtra ? SPH_EXTRA : 0);
    if (hasExtra) setExtraRecords(boundary);
    runNear(boundary, getCode(boundary)->forces, terms);
    if (!near->fx) return;
    runAt(boundary, getCode(boundary)->bodyForces, terms);
    wbBoundary_AddForces(boundary->pass->fluid->colliders->boundary, time, near->fx, near->fy, near->fz,
                         (double)dt);
}
