// SPDX-License-Identifier: MIT
#include "pbd/pbf_boundary.h"

#include "core/status.h"
#include "pbd/pbf_boundary_code.h"

wbBoundaryKernel wbPbfModel_GetBoundaryKernel(const wbPbfModel *model, wbSimd simd) {
    wbBoundaryKernel poly6 = {.sum = wbGetPbfBoundaryCode(simd)->weigh,
                              .constants = &model->constants,
                              .spacing = model->params.spacing};
    poly6.key.radius = model->h, poly6.key.dimensions = model->domain->dimensions;
    return poly6;
}

static wbStatus reserve(wbPbfBoundaryPass *boundary, wbPbfPass *pass) {
    const wbFluidStep *fluid = pass->fluid;
    const int count = wbPadCount(pass->pbf->fluid.particles.count);
    pass->boundary = wbFluidStep_AllocZeros(fluid, 4 * count);
    pass->boundarySquares = wbFluidStep_AllocZeros(fluid, count);
    pass->boundaryHeads = wbFluidStep_AllocZeros(fluid, 4 * count);
    pass->leans = wbFluidStep_AllocZeros(fluid, wbPadCount(fluid->dummy + 1));
    if (boundary->sticks) boundary->changes = wbFluidStep_AllocZeros(fluid, 4 * (fluid->dummy + 1));
    if (pass->boundary && pass->boundarySquares && pass->boundaryHeads && pass->leans &&
        (boundary->changes || !boundary->sticks))
        return wb_okStatus;
    return wbMemoryError(fluid->work->memory, "colliders among %d particles need",
                         pass->pbf->fluid.particles.count);
}

wbStatus wbPbfBoundaryPass_Begin(wbPbfBoundaryPass *boundary, wbPbfPass *pass) {
    const wbPoints particles = {pass->px, pass->py, pass->pz, pass->pbf->fluid.particles.count};
    const double mass = pass->model->mass, rate = pass->move.rate;
    *boundary = (wbPbfBoundaryPass){.pass = pass,
                                    .constants = pass->constants,
                                    .sticks = wbBoundary_HasNoSlip(pass->fluid->colliders->boundary),
                                    .forceScale = (float)(PBF_BOUNDARY_SHARE * mass * rate * rate *
                                                          (double)pass->model->constants.gradientScale),
                                    .dragScale = (float)(mass * rate)};
    WB_TRY(reserve(boundary, pass));
    WB_TRY(wbFluidStep_ListBoundary(pass->fluid, particles, wb_atEnd, wb_wantsForces, &boundary->near));
    // the passes over all particles read what colliders add where there is some; sheets add elsewhere, too
    pass->boundaryRows = pass->fluid->colliders->sheets ? NULL : boundary->near.places->lengths.data;
    return wb_okStatus;
}
