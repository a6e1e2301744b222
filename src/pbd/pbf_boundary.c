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

// What a pass writes before another reads it is not zeroed: it was a part in a hundred of a step.
static wbStatus reserve(wbPbfBoundaryPass *boundary, wbPbfPass *pass, bool readsAll) {
    const wbFluidStep *fluid = pass->fluid;
    const int count = wbPadCount(pass->pbf->fluid.particles.count), meetings = boundary->meetings.count,
              parts = meetings / WB_GROUP * 6 * (int)(sizeof(double) / sizeof(float)),
              zeros = readsAll ? count : 0;
    pass->boundary = alloc(fluid, 4 * count, 4 * zeros);
    pass->boundarySquares = alloc(fluid, count, zeros);
    pass->boundaryHeads = alloc(fluid, 4 * count, 4 * zeros);
    pass->leans = wbFluidStep_AllocZeros(fluid, wbPadCount(fluid->dummy + 1));
    boundary->sums = alloc(fluid, 8 * meetings, 8 * WB_GROUP); // of the first group, where chains end
    boundary->parts = (double(*)[6])wbFluidStep_AllocZeros(fluid, parts);
    if (boundary->sticks) {
        boundary->changes = wbFluidStep_AllocZeros(fluid, 4 * (fluid->dummy + 1));
        boundary->arms = alloc(fluid, 4 * meetings, 0);
    }
    if (pass->boundary && pass->boundarySquares && pass->boundaryHeads && pass->leans && boundary->sums &&
        boundary->parts && ((boundary->changes && boundary->arms) || !boundary->sticks))
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
    WB_TRY(wbMeetSearch_Find(&fluid->search->meet, points, fluid->work, particles, wb_atEnd, fluid->dummy,
                             &boundary->meetings));
    // passes over all particles read what colliders add where there is some; but sheets add elsewhere, too, and constraints in turn ask for all
    const bool readsAll =
        lists || fluid->colliders->sheets || pass->model->params.solver != wb_pbdJacobiParticles;
    WB_TRY(reserve(boundary, pass, readsAll));
    pass->boundaryRows = readsAll ? NULL : boundary->meetings.heads;
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

typedef struct NearnessTask {
    const wbMeetings *meetings;
    float *nearness;
} NearnessTask;

static void nearnessRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const NearnessTask *task = context;
    const wbMeetings *m = task->meetings;
    for (int i = begin; i < end; i++) {
        int isNear = 0;
        if (i % WB_GROUP == 0 && m->heads[i / WB_GROUP] == 0) {
            for (int l = 0; l < WB_GROUP; l++) task->nearness[i + l] = 0;
            i += WB_GROUP - 1;
            continue;
        }
        for (int k = m->head[i]; k > 0; k = m->next[k]) isNear |= m->isNear[k];
        task->nearness[i] = (float)isNear;
    }
}

float *wbPbfBoundaryPass_AllocNearness(const wbPbfBoundaryPass *boundary) {
    const wbWork *work = boundary->pass->fluid->work;
    const int count = boundary->meetings.particleCount;
    float *nearness = wbArena_Alloc(work->arena, sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING));
    NearnessTask task = {&boundary->meetings, nearness};
    if (nearness) wbParallelFor(work->pool, count, WB_BLOCK, nearnessRange, &task);
    return nearness;
}
