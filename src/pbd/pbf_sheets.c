// SPDX-License-Identifier: MIT
#include "pbd/pbf_sheets.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "pbd/pbf_model.h"

static int getCount(const wbPbfSheets *sheets) { return sheets->fluid->particles->count; }

// What they take is theirs, not a phase of the fluid's.
static void leaveOut(const wbPbfSheets *sheets, double since) {
    sheets->fluid->mark += wbGetSeconds() - since;
}

static bool reserve(wbPbfSheets *sheets, const wbPbfSheetPart *part) {
    const wbFluidStep *fluid = sheets->fluid;
    wbPbfPass *pass = sheets->pass;
    const int count = wbPadCount(getCount(sheets));
    if (!pass->boundary) pass->boundary = wbFluidStep_AllocZeros(fluid, 4 * count);
    if (!pass->boundarySquares) pass->boundarySquares = wbFluidStep_AllocZeros(fluid, count);
    sheets->level = part->level;
    if (part->level) {
        sheets->sums = wbFluidStep_AllocZeros(fluid, 4 * count);
        sheets->squares = wbFluidStep_AllocZeros(fluid, count);
        sheets->values = wbFluidStep_AllocZeros(fluid, count);
        if (!sheets->sums || !sheets->squares || !sheets->values) return false;
    }
    return pass->boundary && pass->boundarySquares;
}

// Supports and masses of levels over those of the highest, and of the lowest.
static bool fillSizes(wbPbfSheets *sheets) {
    const PbfLevels *levels = &sheets->model->levels;
    const float *mixed = sheets->pass->relative;
    const int count = getCount(sheets);
    int top = 0;
    float *sizes = wbFluidStep_AllocZeros(sheets->fluid, count),
          *masses = wbFluidStep_AllocZeros(sheets->fluid, count);
    if (!sizes || !masses) return false;
    for (int i = 0; i < count; i++) top = sheets->level[i] > top ? sheets->level[i] : top;
    for (int i = 0; i < count; i++) {
        sizes[i] = levels->width[sheets->level[i]] / levels->width[top];
        masses[i] = levels->mass[sheets->level[i]] * (mixed ? mixed[i] : 1);
    }
    sheets->swarm.sizes = sizes, sheets->swarm.relative = masses;
    sheets->swarm.h *= levels->width[top], sheets->swarm.spacing *= levels->width[top];
    return true;
}

static float *copyStarts(const wbPbfSheets *sheets, const wbPbfSheetPart *part) {
    float *starts = wbFluidStep_AllocPositions(sheets->fluid, 1);
    for (int i = 0; i < getCount(sheets) && starts; i++)
        memcpy(starts + 4 * (size_t)i,
               (const float[4]){part->from[0][i], part->from[1][i], part->from[2][i], 1}, sizeof(float[4]));
    if (starts) wbFluidStep_MirrorPositions(sheets->fluid, starts);
    return starts;
}

wbStatus wbPbfSheets_Find(wbPbfSheets *sheets, const wbPbfSheetPart *part) {
    const wbFluidStep *fluid = sheets->fluid;
    const wbFluidSheets *own = sheets->sheets;
    const double start = wbGetSeconds();
    const float *starts = copyStarts(sheets, part);
    if (!starts || !reserve(sheets, part)) return wbFluidStep_FailByMemory(fluid);
    sheets->swarm =
        (wbSheetSwarm){.count = getCount(sheets),
                       .firstGhost = fluid->firstGhost,
                       .dummy = part->dummy,
                       .ghosts = &fluid->ghosts,
                       .kernel = sheets->level ? wb_sheetMuller : wb_sheetBlunt,
                       .h = sheets->model->h,
                       .spacing = sheets->model->params.spacing,
                       .mass = sheets->model->mass,
                       .relative = sheets->pass->relative,
                       // tried: with all of a collider's push water before a sheet is not quite calm
                       .share = 0.75f,
                       .dt = part->dt,
                       .from = part->begin,
                       .to = part->end,
                       .isStill = part->isStill,
                       // isSharp was tried: particles came in where planks of a compound meet
                       .starts = starts,
                       .places = sheets->pass->places,
                       .moved = sheets->pass->moved,
                       .room = &sheets->pass->move.room};
    if (sheets->level && !fillSizes(sheets)) return wbFluidStep_FailByMemory(fluid);
    WB_TRY(own->find(&sheets->swarm, fluid->work, own->context));
    own->cut(&sheets->swarm, &fluid->search->neighbours, fluid->work, own->context);
    leaveOut(sheets, start);
    return wb_okStatus;
}

// What colliders add is written only where they are near.
void wbPbfSheets_Clear(wbPbfSheets *sheets) {
    const size_t count = (size_t)wbPadCount(getCount(sheets));
    memset(sheets->pass->boundary, 0, sizeof(float[4]) * count);
    memset(sheets->pass->boundarySquares, 0, sizeof(float) * count);
}

// Behind a sheet there are particles as large as the one before it, whose sums are multiplied by its own powers of the root yet (PbfLevels).
static void addSized(wbPbfSheets *sheets) {
    const PbfLevels *levels = &sheets->model->levels;
    const int count = getCount(sheets);
    memset(sheets->sums, 0, sizeof(float[4]) * (size_t)count);
    memset(sheets->squares, 0, sizeof(float) * (size_t)count);
    sheets->sheets->add(&sheets->swarm, sheets->sums, sheets->squares, sheets->fluid->work,
                        sheets->sheets->context);
    for (int i = 0; i < count; i++) {
        const int l = sheets->level[i];
        const float *sum = sheets->sums + 4 * (size_t)i, root2 = levels->root[l] * levels->root[l];
        const float density = levels->mass[l] * levels->mixingOwn[l],
                    slope = levels->mass[l] * levels->slopeOwn[l];
        float *to = sheets->pass->boundary + 4 * (size_t)i;
        for (int a = 0; a < 3; a++) to[a] += slope * sum[a];
        to[3] += density * sum[3];
        sheets->pass->boundarySquares[i] += root2 * sheets->squares[i];
    }
}

void wbPbfSheets_Add(wbPbfSheets *sheets) {
    const double start = wbGetSeconds();
    if (sheets->level)
        addSized(sheets);
    else
        sheets->sheets->add(&sheets->swarm, sheets->pass->boundary, sheets->pass->boundarySquares,
                            sheets->fluid->work, sheets->sheets->context);
    leaveOut(sheets, start);
}

void wbPbfSheets_Push(wbPbfSheets *sheets) {
    const PbfLevels *levels = &sheets->model->levels;
    const double start = wbGetSeconds(),
                 scale = 2 * sheets->model->mass *
                         (double)(sheets->level ? sheets->pass->constants.mixedGradient
                                                : sheets->pass->constants.gradientScale);
    wbSheetPush push = {sheets->pass->solved + 3, 4, scale, false};
    if (sheets->level) {
        for (int i = 0; i < getCount(sheets); i++) {
            const int l = sheets->level[i];
            sheets->values[i] = sheets->pass->solved[4 * (size_t)i + 3] *
                                (levels->mass[l] * levels->root[l] * levels->root[l]);
        }
        push = (wbSheetPush){sheets->values, 1, scale, false};
    }
    sheets->sheets->push(&sheets->swarm, &push, sheets->fluid->work, sheets->sheets->context);
    leaveOut(sheets, start);
}

void wbPbfSheets_Hold(wbPbfSheets *sheets) {
    const double start = wbGetSeconds();
    sheets->sheets->hold(&sheets->swarm, sheets->fluid->work, sheets->sheets->context);
    leaveOut(sheets, start);
}

void wbPbfSheets_Approach(const wbPbfSheets *sheets, float *distances) {
    sheets->sheets->approach(&sheets->swarm, distances, sheets->fluid->work, sheets->sheets->context);
}

bool wbPbfSheets_Parts(const wbPbfSheets *sheets, int particle, const float from[3], const float to[3]) {
    return sheets->sheets->parts(particle, from, to, sheets->sheets->context);
}
