// SPDX-License-Identifier: MIT
#include "pbd/pbf_boundary.h"

#include <string.h>

#include "core/status.h"
#include "pbd/pbf_boundary_code.h"

wbBoundaryKernel wbPbfModel_GetBoundaryKernel(const wbPbfModel *model, bool isMixed, wbSimd simd) {
    const wbPbfBoundaryCode *code = wbGetPbfBoundaryCode(simd);
    wbBoundaryKernel kernel = {.sum = isMixed ? code->weighMixed : code->weigh,
                               .constants = &model->constants,
                               .spacing = model->params.spacing};
    kernel.key.radius = model->h, kernel.key.dimensions = model->domain->dimensions;
    kernel.key.kernel = !isMixed;
    return kernel;
}

static float *alloc(const wbFluidStep *fluid, int count, int zeros) {
    const size_t room = (size_t)(wbPadCount(count) + WB_PADDING);
    float *floats = wbArena_Alloc(fluid->work->arena, sizeof(float) * room);
    if (floats) memset(floats, 0, sizeof(float) * (size_t)zeros);
    return floats;
}

static bool reserveRecords(wbPbfPass *pass, int count) {
    pass->boundary = alloc(pass->fluid, 4 * count, 4 * count);
    pass->boundarySquares = alloc(pass->fluid, count, count);
    pass->boundaryHeads = alloc(pass->fluid, 4 * count, 4 * count);
    return pass->boundary && pass->boundarySquares && pass->boundaryHeads;
}

static bool reserveColumns(const wbPbfBoundaryPass *boundary, wbPbfPass *pass, int count) {
    pass->boundaryColumns = alloc(pass->fluid, 8 * count, 0);
    pass->boundaryRows = boundary->meetings.heads;
    return pass->boundaryColumns != NULL;
}

// What a pass writes before another reads it is not zeroed: it was a part in a hundred of a step.
static wbStatus reserve(wbPbfBoundaryPass *boundary, wbPbfPass *pass, bool readsAll) {
    const wbFluidStep *fluid = pass->fluid;
    const int count = wbPadCount(pass->pbf->fluid.particles.count), meetings = boundary->meetings.count,
              parts = meetings / WB_GROUP * 6 * (int)(sizeof(double) / sizeof(float));
    const bool hasAdded = readsAll ? reserveRecords(pass, count) : reserveColumns(boundary, pass, count);
    pass->leans = alloc(fluid, fluid->dummy + 1, readsAll ? fluid->dummy : 0);
    if (pass->leans) pass->leans[fluid->dummy] = 0;
    boundary->sums = alloc(fluid, 8 * meetings, 8 * WB_GROUP); // of the first group, where chains end
    boundary->parts = (double(*)[6])wbFluidStep_AllocZeros(fluid, parts);
    if (boundary->sticks) {
        boundary->changes = wbFluidStep_AllocZeros(fluid, 4 * (fluid->dummy + 1));
        boundary->arms = alloc(fluid, 4 * meetings, 0);
    }
    if (hasAdded && pass->leans && boundary->sums && boundary->parts &&
        ((boundary->changes && boundary->arms) || !boundary->sticks))
        return wb_okStatus;
    return wbMemoryError(fluid->work->memory, "colliders among %d particles need",
                         pass->pbf->fluid.particles.count);
}

wbStatus wbPbfBoundaryPass_Begin(wbPbfBoundaryPass *boundary, wbPbfPass *pass, bool lists) {
    const wbFluidStep *fluid = pass->fluid;
    const wbPoints particles = {pass->px, pass->py, pass->pz, pass->pbf->fluid.particles.count};
    const double mass = pass->model->mass, rate = pass->move.rate;
    wbBoundary *points = fluid->colliders->boundary;
    *boundary = (wbPbfBoundaryPass){.pass = pass,
                                    .constants = pass->constants,
                                    .sticks = wbBoundary_HasNoSlip(points),
                                    .forceScale = (float)(PBF_BOUNDARY_SHARE * mass * rate * rate *
                                                          (double)pass->model->constants.gradientScale),
                                    .dragScale = (float)(mass * rate)};
    WB_TRY(wbBoundary_SortBodies(points, fluid->work));
    points->hasPlaces = false;
    // a surface is never farther than 1.5 spacings from all of its points (tests/test_shape_sample.c)
    WB_TRY(wbMeetSearch_Find(&fluid->search->meet, points, fluid->work, particles, wb_atEnd, fluid->dummy,
                             pass->model->h - 1.5f * pass->model->params.spacing, &boundary->meetings));
    // passes over all particles read what colliders add where there is some; but sheets add elsewhere, too, and constraints in turn ask for all
    const bool readsAll =
        lists || fluid->colliders->sheets || pass->model->params.solver != wb_pbdJacobiParticles;
    WB_TRY(reserve(boundary, pass, readsAll));
    if (!lists) return wb_okStatus;
    return wbFluidStep_ListBoundary(fluid, particles, wb_atEnd, wb_wantsPlaces, &boundary->near);
}

static void runOver(const wbPbfBoundaryPass *boundary, int count, wbRangeFn *range) {
    wbParallelShare(boundary->pass->fluid->work->pool, count, WB_BLOCK, range, (void *)boundary);
}

static const wbPbfBoundaryCode *getCode(const wbPbfBoundaryPass *boundary) {
    return wbGetPbfBoundaryCode(boundary->pass->fluid->work->simd);
}

void wbPbfBoundaryPass_Add(const wbPbfBoundaryPass *boundary) {
    runOver(boundary, boundary->meetings.count, getCode(boundary)->add);
    runOver(boundary, boundary->meetings.particleCount, getCode(boundary)->gather);
}

// Parts of bodies, in the order of blocks.
static void sumParts(const wbPbfBoundaryPass *boundary) {
    const wbMeetings *m = &boundary->meetings;
    for (int b = 0; b < m->boundary->bodyCount; b++) {
        wbImpulse sum = {0};
        for (int g = m->firstGroup[b]; g < m->firstGroup[b + 1]; g++) {
            if (!wbPbf_EndsPart(m, g)) continue;
            for (int a = 0; a < 3; a++)
                sum.linear[a] += boundary->parts[g][a], sum.angular[a] += boundary->parts[g][3 + a];
        }
        m->forces[b] = sum;
    }
}

void wbPbfBoundaryPass_Push(const wbPbfBoundaryPass *boundary) {
    runOver(boundary, boundary->meetings.count, getCode(boundary)->force);
    sumParts(boundary);
}

void wbPbfBoundaryPass_Stick(const wbPbfBoundaryPass *boundary) {
    runOver(boundary, boundary->meetings.count, getCode(boundary)->mean);
    runOver(boundary, boundary->meetings.particleCount, getCode(boundary)->stick);
    runOver(boundary, boundary->meetings.count, getCode(boundary)->drag);
    sumParts(boundary);
}

const float *wbPbfBoundaryPass_FindClearances(wbPbfBoundaryPass *boundary) {
    const int count = boundary->meetings.particleCount;
    boundary->clearances = alloc(boundary->pass->fluid, count, 0);
    if (boundary->clearances) runOver(boundary, count, getCode(boundary)->clear);
    return boundary->clearances;
}
