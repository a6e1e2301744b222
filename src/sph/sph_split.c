// SPDX-License-Identifier: MIT
#include "sph/sph_split.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "sph/sph_split_code.h"
#include "sph/sph_split_model.h"

// What one solve works with.
typedef struct Solve {
    const wbSphSplit *split;
    const wbFluidStep *fluid;
    const wbSphSplitCode *code;
    wbSphSplitPass pass;
    unsigned terms;
    float *given; // of particles' pressures, what sheets got of them so far; NULL: no sheets
} Solve;

static int getCount(const Solve *solve) { return solve->fluid->particles->count; }

static wbStatus reserve(Solve *solve) {
    wbSphSplitPass *pass = &solve->pass;
    const wbFluidStep *fluid = solve->fluid;
    float **const columns[] = {&pass->k, &pass->gain, &pass->target};
    float **const boundary[] = {&pass->bx, &pass->by, &pass->bz, &pass->nearing};
    const int count = getCount(solve);
    pass->changes = wbFluidStep_AllocZeros(fluid, 2 * wbPadCount(count));
    if (!pass->changes) return wbFluidStep_FailByMemory(fluid);
    pass->records = wbFluidStep_AllocMotions(fluid);
    pass->nextRecords = wbFluidStep_AllocMotions(fluid);
    if (!pass->records || !pass->nextRecords || !wbFluidStep_AllocColumns(fluid, columns, 3))
        return wbFluidStep_FailByMemory(fluid);
    for (int c = 0; c < 4 && (solve->terms & SPH_BOUNDARY); c++)
        if (!(*boundary[c] = wbFluidStep_AllocZeros(fluid, count))) return wbFluidStep_FailByMemory(fluid);
    if (solve->split->sheets && !(solve->given = wbFluidStep_AllocZeros(fluid, count)))
        return wbFluidStep_FailByMemory(fluid);
    return wb_okStatus;
}

static void runOverLists(const Solve *solve, wbRangeFn *range) {
    const wbFluidStep *fluid = solve->fluid;
    wbFluidStep_Run(fluid, range, getCount(solve),
                    (wbListPass){.neighbours = &fluid->search->neighbours,
                                 .others = solve->pass.records,
                                 .pass = &solve->pass,
                                 .terms = solve->terms});
}

static void runOverGhosts(Solve *solve, wbRangeFn *range) {
    wbParallelFor(solve->fluid->work->pool, solve->fluid->ghosts.count, 4 * WB_BLOCK, range, solve);
}

static float *getGhost(const Solve *solve, float *records, int g) {
    return records + 8 * (size_t)(solve->fluid->firstGhost + g);
}

static const float *getSource(const Solve *solve, int g) {
    return solve->pass.records + 8 * (size_t)solve->fluid->ghosts.source[g];
}

// With the velocities that mirrored volume has.
static void placeGhosts(int begin, int end, int worker, void *context) {
    (void)worker;
    const Solve *solve = context;
    const wbSphPass *pass = solve->split->pass;
    for (int g = begin; g < end; g++) {
        const size_t i = 4 * (size_t)(solve->fluid->firstGhost + g);
        float *record = getGhost(solve, solve->pass.records, g);
        memcpy(record, pass->positionRecords + i, sizeof(float[4]));
        memcpy(record + 4, pass->velocityRecords + i, sizeof(float[3]));
        record[3] = getSource(solve, g)[3], record[7] = getSource(solve, g)[7];
        memcpy(getGhost(solve, solve->pass.nextRecords, g), record, sizeof(float[4]));
    }
}

static void mirrorPressures(int begin, int end, int worker, void *context) {
    (void)worker;
    const Solve *solve = context;
    for (int g = begin; g < end; g++) getGhost(solve, solve->pass.records, g)[3] = getSource(solve, g)[3];
}

// Vectors change their sign across their sides.
static void mirrorAccelerations(int begin, int end, int worker, void *context) {
    (void)worker;
    const Solve *solve = context;
    for (int g = begin; g < end; g++) {
        const float *from = getSource(solve, g);
        float *to = getGhost(solve, solve->pass.records, g);
        to[3] = from[3], to[7] = from[7];
        for (int a = 0; a < 3; a++) {
            const uint32_t sides = solve->fluid->ghosts.sides[g] >> (2 * a) & 3;
            to[4 + a] = sides == 1 || sides == 2 ? -from[4 + a] : from[4 + a];
        }
    }
}

// What was written is read from now on.
static void turnRecords(Solve *solve) {
    float *read = solve->pass.records;
    solve->pass.records = solve->pass.nextRecords, solve->pass.nextRecords = read;
}

static void runOverParticles(Solve *solve, wbRangeFn *range) {
    wbParallelFor(solve->fluid->work->pool, getCount(solve), WB_BLOCK, range, &solve->pass);
}

// Of colliders and sheets. Those of colliders are written only where they are near.
static void sumBoundary(const Solve *solve) {
    const wbSphSplit *split = solve->split;
    const wbSphSplitPass *pass = &solve->pass;
    float *const columns[4] = {pass->bx, pass->by, pass->bz, pass->nearing};
    for (int c = 0; c < 4 && split->sheets; c++)
        memset(columns[c], 0, sizeof(float) * (size_t)getCount(solve));
    if (split->boundary)
        wbFluidStep_RunNear(solve->fluid, &split->boundary->near, solve->code->boundary,
                            split->pass->positionRecords, &solve->pass, solve->terms & SPH_WENDLAND);
    if (split->sheets) wbSphSheets_AddNearing(split->sheets, columns);
}

// Sums of vectors of particles, then of groups, in their order.
static SphSplitChange sumChanges(const Solve *solve) {
    const int lanes = solve->code->lanes, count = (getCount(solve) + lanes - 1) / lanes;
    const float(*changes)[2] = (const float(*)[2])solve->pass.changes;
    double size = 0, smooth = 0, group = 0;
    for (int k = 0; k < count; k++) {
        size += (double)changes[k][0], group += (double)changes[k][1];
        if ((k + 1) * lanes % WB_GROUP != 0 && k + 1 < count) continue;
        smooth += fabs(group), group = 0;
    }
    return (SphSplitChange){(float)(size / getCount(solve)), (float)(smooth / getCount(solve))};
}

// Into the lists of the boundary.
static void findForces(Solve *solve) {
    const wbBoundaryLists *near = &solve->split->boundary->near;
    solve->pass.fx = near->fx, solve->pass.fy = near->fy, solve->pass.fz = near->fz;
    wbFluidStep_RunAt(solve->fluid, near, solve->code->bodyForces, solve->split->pass->positionRecords,
                      &solve->pass, solve->terms & SPH_WENDLAND);
}

// Bodies give way to what presses on them, and the update sees how fast they then are.
static void respond(Solve *solve) {
    const wbSphSplit *split = solve->split;
    const bool asksBodies = split->boundary && solve->fluid->colliders->respond;
    if (split->sheets) wbSphSheets_Push(split->sheets, solve->pass.records + 7, 8, solve->given);
    if (asksBodies) {
        findForces(solve);
        wbFluidStep_Respond(solve->fluid, &split->boundary->near, split->time, split->dt);
    }
    if (asksBodies || split->sheets) sumBoundary(solve);
}

// The first a and k; the push of places comes with them.
static void beginUpdates(Solve *solve) {
    const wbSphSplitCode *code = solve->code;
    runOverLists(solve, solve->split->addsForces ? code->beginWithForces : code->begin);
    turnRecords(solve);
    runOverGhosts(solve, mirrorAccelerations);
    respond(solve);
    runOverLists(solve, code->push);
}

static void goOn(Solve *solve) {
    turnRecords(solve);
    runOverGhosts(solve, mirrorPressures);
    runOverLists(solve, solve->code->accelerate);
    runOverGhosts(solve, mirrorAccelerations);
    respond(solve);
    runOverLists(solve, solve->code->update);
}

// Updates until they change little. The last accelerations, which records keep, are those of the k before the last update.
static void iterate(Solve *solve) {
    wbSph *sph = solve->split->pass->sph;
    SphSplitProgress *progress = &solve->pass.progress;
    const SphSplitLimits limits = wbSphModel_GetSplitLimits(solve->split->pass->model);
    *progress = split_start();
    for (beginUpdates(solve);; goOn(solve)) {
        *progress = split_go_on(*progress, sumChanges(solve), &limits);
        if (progress->isDone) break;
    }
    sph->iterations = progress->iterations, sph->residual = (double)progress->residual;
}

static void addForces(Solve *solve) {
    if (!solve->split->boundary) return;
    findForces(solve);
    wbBoundary_AddForces(solve->fluid->colliders->boundary, solve->split->time, solve->pass.fx,
                         solve->pass.fy, solve->pass.fz, (double)solve->split->dt);
}

static Solve makeSolve(const wbSphSplit *split) {
    const wbSphPass *pass = split->pass;
    const bool isWendland = pass->model->params.kernel == wb_kernelWendland;
    return (Solve){.split = split,
                   .fluid = pass->fluid,
                   .code = wbGetSphSplitCode(pass->fluid->work->simd),
                   .terms = (isWendland ? SPH_WENDLAND : 0) |
                            (split->boundary || split->sheets ? SPH_BOUNDARY : 0),
                   .pass = {.pass = pass,
                            .boundary = split->boundary,
                            .constants = wbSphModel_GetSplitConstants(pass->model, split->dt),
                            .forces = pass->constants,
                            .pressure = split->pressure,
                            .push = {split->push[0], split->push[1], split->push[2]}}};
}

wbStatus wbSphSplit_Solve(const wbSphSplit *split) {
    Solve solve = makeSolve(split);
    WB_TRY(reserve(&solve));
    wbFluidStep_MirrorVelocities(solve.fluid, split->pass->velocityRecords); // volume slips along every side
    sumBoundary(&solve);                                                     // B
    runOverParticles(&solve, solve.code->remember);
    runOverGhosts(&solve, placeGhosts);
    iterate(&solve); // k, a, and the push
    addForces(&solve);
    runOverParticles(&solve, solve.code->end);
    return wb_okStatus;
}

static int getBin(float square) {
    uint32_t bits;
    memcpy(&bits, &square, sizeof bits);
    return (int)(bits >> SPLIT_SPEED_SHIFT & (SPLIT_SPEED_BINS - 1));
}

// What few of them exceed: the root of the upper end of a bin.
static float findUsual(const int *counts, int count) {
    int64_t faster = 0;
    uint32_t bin = SPLIT_SPEED_BINS - 1;
    while (bin > 0 && SPLIT_FASTER * (faster += counts[bin]) <= count) bin--;
    bin = (bin + 1) << SPLIT_SPEED_SHIFT;
    float square;
    memcpy(&square, &bin, sizeof square);
    return sqrtf(square);
}

void wbSphSplit_FindUsual(const wbSphModel *model, const float *relative, wbSph *sph) {
    const SphSplitConstants c = wbSphModel_GetSplitConstants(model, 1);
    const wbParticles *p = &sph->fluid.particles;
    int speeds[SPLIT_SPEED_BINS] = {0}, paces[SPLIT_SPEED_BINS] = {0};
    for (int i = 0; i < p->count; i++) {
        const float pressure = p->pressure[i] + c.sph.ambient;
        speeds[getBin(p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i])]++;
        paces[getBin(c.paceOfPressure * (relative ? pressure / relative[i] : pressure))]++;
    }
    sph->usualSpeed = findUsual(speeds, p->count), sph->usualAmong = p->maxSpeed;
    sph->usualPace = findUsual(paces, p->count);
}
