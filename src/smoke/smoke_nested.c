// SPDX-License-Identifier: MIT
#include "smoke/smoke_nested.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "smoke/smoke_sources.h"
#include "smoke/smoke_walls.h"

SmokeNest wbMakeSmokeNest(const wbSmokePair *pair) {
    const wbSmokeGrid *fine = &pair->fine->grid, *coarse = &pair->coarse->grid;
    SmokeNest nest = {.factor = pair->factor,
                      .low = {pair->low[0], pair->low[1], pair->low[2]},
                      .fine = {fine->nx, fine->ny, fine->nz},
                      .coarse = {coarse->nx, coarse->ny, coarse->nz}};
    for (int a = 0; a < 3; a++) {
        int high = nest.low[a] + nest.fine[a] / smoke_fine_count(&nest, a),
            band = WB_SMOKE_BAND / pair->factor;
        nest.innerLow[a] = nest.low[a] + (nest.low[a] > 0 ? band : 0);
        nest.innerHigh[a] = high - (high < nest.coarse[a] ? band : 0);
    }
    return nest;
}

bool wbIsRim(const SmokeNest *nest, int side) {
    int axis = side / 2, high = nest->low[axis] + nest->fine[axis] / smoke_fine_count(nest, axis);
    return side & 1 ? high < nest->coarse[axis] : nest->low[axis] > 0;
}

static float *findPressure(const wbPressureLevel *level, int i, int j, int k) {
    return &level->p[(i + j + k) & 1][(i >> 1) + level->row * (k + 1) + level->plane * (j + 1)];
}

static float *findB(const wbPressureLevel *level, int i, int j, int k) {
    return &level->b[(i + j + k) & 1][(i >> 1) + level->row * (k + 1) + level->plane * (j + 1)];
}

// From near to coarse

typedef struct Gather {
    const SmokeNest *nest;
    const wbSmokePair *pair;
    int low[3], high[3]; // coarse cells
    bool pressure;       // too
} Gather;

// The mean over the fine faces of a coarse one, whose lower corner is fine value c.
static float getFaceMean(const SmokeNest *nest, const wbSmoke *fine, int axis, int c) {
    const int strides[3] = {1, fine->grid.plane, fine->grid.row};
    const float *field = fine->fields[axis];
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, countA = smoke_fine_count(nest, a),
        countB = smoke_fine_count(nest, b);
    float sum = 0;
    for (int n = 0; n < countB; n++)
        for (int m = 0; m < countA; m++) sum += field[c + m * strides[a] + n * strides[b]];
    return sum / (float)(countA * countB);
}

static void gatherFaces(const Gather *gather, int axis, int j) {
    const SmokeNest *nest = gather->nest;
    const wbSmoke *fine = gather->pair->fine, *coarse = gather->pair->coarse;
    int end[3];
    for (int a = 0; a < 3; a++) end[a] = gather->high[a] + (a == axis);
    if (j >= end[1]) return;
    for (int k = gather->low[2]; k < end[2]; k++) {
        int y = smoke_first_fine(nest, 1, j), z = smoke_first_fine(nest, 2, k);
        for (int i = gather->low[0]; i < end[0]; i++) {
            int c = wbSmokeIndex(&fine->grid, smoke_first_fine(nest, 0, i), y, z);
            coarse->fields[axis][wbSmokeIndex(&coarse->grid, i, j, k)] = getFaceMean(nest, fine, axis, c);
        }
    }
}

// The mean over the fine cells of air; p is in units of the size of cells.
static float getPressureMean(const SmokeNest *nest, const wbSmoke *fine, int i, int j, int k) {
    const wbPressureLevel *level = &fine->pressure.levels[0];
    int nx = smoke_fine_count(nest, 0), ny = smoke_fine_count(nest, 1), nz = smoke_fine_count(nest, 2),
        count = 0;
    float sum = 0;
    for (int y = j * ny; y < (j + 1) * ny; y++) {
        for (int z = k * nz; z < (k + 1) * nz; z++) {
            for (int x = i * nx; x < (i + 1) * nx; x++) {
                if (fine->solid[wbSmokeCell(&fine->grid, x, y, z)]) continue;
                sum += *findPressure(level, x, y, z), count++;
            }
        }
    }
    return count > 0 ? sum / (float)(count * nest->factor) : 0;
}

static void gatherPressure(const Gather *gather, int j) {
    const SmokeNest *nest = gather->nest;
    const wbSmoke *coarse = gather->pair->coarse;
    if (j >= gather->high[1]) return;
    for (int k = gather->low[2]; k < gather->high[2]; k++)
        for (int i = gather->low[0]; i < gather->high[0]; i++)
            if (!coarse->solid[wbSmokeCell(&coarse->grid, i, j, k)])
                *findPressure(&coarse->pressure.levels[0], i, j, k) = getPressureMean(
                    nest, gather->pair->fine, i - nest->low[0], j - nest->low[1], k - nest->low[2]);
}

static void gatherPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Gather *gather = context;
    for (int j = gather->low[1] + begin; j < gather->low[1] + end; j++) {
        for (int axis = 0; axis < gather->pair->fine->grid.dimensions; axis++) gatherFaces(gather, axis, j);
        if (gather->pressure) gatherPressure(gather, j);
    }
}

static void runGather(Gather *gather, const wbWork *work) {
    for (int a = 0; a < 3; a++)
        if (gather->low[a] >= gather->high[a]) return;
    wbParallelFor(work->pool, gather->high[1] - gather->low[1] + 1, 1, gatherPlanes, gather);
}

static void gatherInner(const wbSmokePair *pair, const SmokeNest *nest, const wbWork *work) {
    Gather gather = {.nest = nest, .pair = pair};
    memcpy(gather.low, nest->innerLow, sizeof gather.low);
    memcpy(gather.high, nest->innerHigh, sizeof gather.high);
    runGather(&gather, work);
}

void wbSmokePair_Gather(const wbSmokePair *pair, const wbWork *work) {
    SmokeNest nest = wbMakeSmokeNest(pair);
    Gather gather = {.nest = &nest, .pair = pair, .pressure = true};
    for (int a = 0; a < 3; a++) {
        gather.low[a] = nest.low[a];
        gather.high[a] = nest.low[a] + nest.fine[a] / smoke_fine_count(&nest, a);
    }
    runGather(&gather, work);
}

// From coarse to fine

typedef struct Scatter {
    const SmokeNest *nest;
    const wbSmokePair *pair;
    int keepLow[3], keepHigh[3]; // fine's cells that are left alone
    bool pressure;               // too
    float *lines;                // scratch per thread
    int lineLength;
} Scatter;

// Values first … end - 1 of a row: the four coarse rows around it are mixed, then what is between along x.
static void scatterFaces(const Scatter *scatter, int axis, int j, int k, int first, int end, float *line) {
    const SmokeNest *nest = scatter->nest;
    const wbSmokeGrid *grid = &scatter->pair->coarse->grid;
    const float *from = scatter->pair->coarse->fields[axis];
    if (first >= end) return;
    SmokeBetween y = smoke_between(nest, 1, axis == 1, j), z = smoke_between(nest, 2, axis == 2, k);
    const float *low = from + wbSmokeIndex(grid, 0, y.low, z.low),
                *lowFront = from + wbSmokeIndex(grid, 0, y.low, z.high),
                *high = from + wbSmokeIndex(grid, 0, y.high, z.low),
                *highFront = from + wbSmokeIndex(grid, 0, y.high, z.high);
    int begin = smoke_between(nest, 0, axis == 0, first).low,
        last = smoke_between(nest, 0, axis == 0, end - 1).high;
    for (int i = begin; i <= last; i++) {
        float a = low[i] + z.share * (lowFront[i] - low[i]), b = high[i] + z.share * (highFront[i] - high[i]);
        line[i] = a + y.share * (b - a);
    }
    float *to = scatter->pair->fine->fields[axis] + wbSmokeIndex(&scatter->pair->fine->grid, 0, j, k);
    for (int i = first; i < end; i++) {
        SmokeBetween x = smoke_between(nest, 0, axis == 0, i);
        to[i] = line[x.low] + x.share * (line[x.high] - line[x.low]);
    }
}

// Far's pressure at a cell of fine or one beyond, of the cells of air around; false if there is none.
static bool getCoarsePressure(const SmokeNest *nest, const wbSmoke *coarse, int i, int j, int k,
                              float *pressure) {
    const SmokeBetween x = smoke_between(nest, 0, 0, i), y = smoke_between(nest, 1, 0, j),
                       z = smoke_between(nest, 2, 0, k);
    float sum = 0, weights = 0;
    for (int n = 0; n < 8; n++) {
        int a = n & 1 ? x.high : x.low, b = n & 2 ? y.high : y.low, c = n & 4 ? z.high : z.low;
        float weight = (n & 1 ? x.share : 1 - x.share) * (n & 2 ? y.share : 1 - y.share) *
                       (n & 4 ? z.share : 1 - z.share);
        if (coarse->solid[wbSmokeCell(&coarse->grid, a, b, c)]) continue;
        sum += weight * *findPressure(&coarse->pressure.levels[0], a, b, c), weights += weight;
    }
    *pressure = (float)nest->factor * sum / weights;
    return weights > 0;
}

static void scatterPressure(const Scatter *scatter, int j, int k, int first, int end) {
    const wbSmoke *fine = scatter->pair->fine;
    float pressure;
    for (int i = first; i < end; i++)
        if (getCoarsePressure(scatter->nest, scatter->pair->coarse, i, j, k, &pressure))
            *findPressure(&fine->pressure.levels[0], i, j, k) = pressure;
}

// Values of a row that are kept; none if first >= end. The faces at both ends of kept cells are kept.
static void findKept(const Scatter *scatter, int axis, int j, int k, int *first, int *end) {
    const int *low = scatter->keepLow, *high = scatter->keepHigh;
    bool isKept = j >= low[1] && j < high[1] + (axis == 1) && k >= low[2] && k < high[2] + (axis == 2) &&
                  low[0] < high[0];
    *first = isKept ? low[0] : 0, *end = isKept ? high[0] + (axis == 0) : 0;
}

static void scatterPlanes(int begin, int end, int worker, void *context) {
    const Scatter *scatter = context;
    const SmokeNest *nest = scatter->nest;
    float *line = scatter->lines + worker * scatter->lineLength;
    int first, last;
    for (int j = begin; j < end; j++) {
        for (int axis = 0; axis < scatter->pair->fine->grid.dimensions; axis++) {
            int count = nest->fine[0] + (axis == 0);
            for (int k = 0; k < nest->fine[2] + (axis == 2) && j < nest->fine[1] + (axis == 1); k++) {
                findKept(scatter, axis, j, k, &first, &last);
                scatterFaces(scatter, axis, j, k, 0, first, line);
                scatterFaces(scatter, axis, j, k, last, count, line);
            }
        }
        for (int k = 0; k < nest->fine[2] && j < nest->fine[1] && scatter->pressure; k++) {
            findKept(scatter, 3, j, k, &first, &last);
            scatterPressure(scatter, j, k, 0, first);
            scatterPressure(scatter, j, k, last, nest->fine[0]);
        }
    }
}

static wbStatus runScatter(Scatter *scatter, const wbWork *work) {
    size_t arena = wbArena_Mark(work->arena), threads = (size_t)wbThreadPool_GetCount(work->pool);
    scatter->lineLength = wbPadCount(scatter->nest->coarse[0] + 1);
    scatter->lines = wbArena_Alloc(work->arena, sizeof(float) * threads * (size_t)scatter->lineLength);
    if (!scatter->lines) return wbMemoryError(work->memory, "two grids of smoke need");
    wbParallelFor(work->pool, scatter->nest->fine[1] + 1, 1, scatterPlanes, scatter);
    wbArena_Release(work->arena, arena);
    return wb_okStatus;
}

static wbStatus scatterBand(const wbSmokePair *pair, const SmokeNest *nest, const wbWork *work) {
    Scatter scatter = {.nest = nest, .pair = pair};
    for (int a = 0; a < 3; a++) {
        scatter.keepLow[a] = smoke_first_fine(nest, a, nest->innerLow[a]);
        scatter.keepHigh[a] = smoke_first_fine(nest, a, nest->innerHigh[a]);
    }
    return runScatter(&scatter, work);
}

wbStatus wbSmokePair_Scatter(const wbSmokePair *pair, const wbWork *work, const int keepLow[3],
                             const int keepHigh[3]) {
    SmokeNest nest = wbMakeSmokeNest(pair);
    Scatter scatter = {.nest = &nest, .pair = pair, .pressure = true};
    memcpy(scatter.keepLow, keepLow, sizeof scatter.keepLow);
    memcpy(scatter.keepHigh, keepHigh, sizeof scatter.keepHigh);
    return runScatter(&scatter, work);
}

// Projection

// What a source makes in fine's cells of air goes into coarse's b. Gives by how much the sum of its squares grew.
static double expandCells(const wbSmokePair *pair, const SmokeNest *nest, const SmokeFeed *feed,
                          const uint8_t *mask) {
    const wbSmokeGrid *fine = &pair->fine->grid, *coarse = &pair->coarse->grid;
    float scale = smoke_coarse_scale(nest);
    double growth = 0;
    for (int j = feed->first[1]; j < feed->end[1]; j++) {
        for (int k = feed->first[2]; k < feed->end[2]; k++) {
            for (int i = feed->first[0]; i < feed->end[0]; i++) {
                int x = smoke_coarse_cell(nest, 0, i), y = smoke_coarse_cell(nest, 1, j),
                    z = smoke_coarse_cell(nest, 2, k);
                if (pair->fine->solid[wbSmokeCell(fine, i, j, k)]) continue;
                if (pair->coarse->solid[wbSmokeCell(coarse, x, y, z)]) continue;
                float *b = findB(&pair->coarse->pressure.levels[0], x, y, z);
                float changed = *b + scale * feed->target * smoke_strength(feed, mask, i, j, k);
                growth += (double)changed * changed - (double)*b * *b;
                *b = changed;
            }
        }
    }
    return growth;
}

wbSmokeSource wbCoarsenSource(const SmokeNest *nest, const wbSmokeSource *source) {
    wbSmokeSource coarse = *source;
    for (int a = 0; a < 3; a++) {
        int count = smoke_fine_count(nest, a);
        coarse.low[a] = nest->low[a] + source->low[a] / count;
        coarse.high[a] = nest->low[a] + (source->high[a] + count - 1) / count;
    }
    return coarse;
}

static wbStatus expandCoarse(const wbSmokePair *pair, const SmokeNest *nest, const wbSmokeSource *sources,
                             int sourceCount, double time, bool *expands) {
    wbSmoke *coarse = pair->coarse;
    double before = coarse->divergenceBefore * coarse->grid.h,
           sum = before * before * fmax(coarse->pressure.airCount, 1);
    *expands = coarse->isBlocked = false;
    for (int s = 0; s < sourceCount; s++) {
        SmokeFeed feed;
        if (!wbMakeSmokeExpansion(&pair->fine->grid, &sources[s], time, &feed)) continue;
        sum += expandCells(pair, nest, &feed, sources[s].cells);
        wbSmokeSource coarsened = wbCoarsenSource(nest, &sources[s]);
        coarse->isBlocked |= wbIsExpansionBlocked(coarse, &coarsened, 1, time);
        *expands = true;
    }
    return *expands ? wbSmoke_TakeDivergence(coarse, fmax(sum, 0)) : wb_okStatus;
}

// Where air cannot leave, what is taken away from coarse's b is taken away from fine's as well: minus before, plus after it.
static void addCoarseB(const wbSmokePair *pair, const SmokeNest *nest, float sign) {
    const wbSmoke *fine = pair->fine;
    const wbPressureLevel *level = &pair->coarse->pressure.levels[0];
    for (int j = 0; j < fine->grid.ny; j++) {
        for (int k = 0; k < fine->grid.nz; k++) {
            for (int i = 0; i < fine->grid.nx; i++) {
                if (fine->solid[wbSmokeCell(&fine->grid, i, j, k)]) continue;
                *findB(&fine->pressure.levels[0], i, j, k) +=
                    sign / (float)nest->factor *
                    *findB(level, smoke_coarse_cell(nest, 0, i), smoke_coarse_cell(nest, 1, j),
                           smoke_coarse_cell(nest, 2, k));
            }
        }
    }
}

// Far's projection, which needs to know what sources make in fine; fine's b is found already.
static wbStatus projectCoarse(const wbSmokePair *pair, const SmokeNest *nest, const wbWork *work,
                              const wbSmokeSource *sources, int sourceCount, double time) {
    wbSmoke *coarse = pair->coarse;
    bool expands;
    WB_TRY(wbSmoke_FindDivergence(coarse, pair->coarseModel, work, NULL, 0, 0));
    WB_TRY(expandCoarse(pair, nest, sources, sourceCount, time, &expands));
    pair->fine->isBlocked |= coarse->isBlocked;
    if (expands && coarse->pressure.pocketCount > 0) {
        addCoarseB(pair, nest, -1);
        WB_TRY(wbPressure_Balance(&coarse->pressure, work));
        addCoarseB(pair, nest, 1);
    }
    return wbSmoke_TakePressure(coarse, pair->coarseModel, work);
}

// Far's pressure beyond the rim does its part: it drives the velocity across the rim, and so it is in fine's b. Beyond
// the rim fine's own pressure is then 0, as beyond other open sides.

typedef struct Rim {
    const wbSmokePair *pair;
    const SmokeNest *nest;
    int side;
} Rim;

static void pushRimCell(const Rim *rim, int i, int j, int k) {
    const wbSmoke *fine = rim->pair->fine;
    int at[3] = {i, j, k}, beyond[3] = {i, j, k}, axis = rim->side / 2, isHigh = rim->side & 1;
    float pressure;
    beyond[axis] += isHigh ? 1 : -1, at[axis] += isHigh;
    if (fine->solid[wbSmokeCell(&fine->grid, i, j, k)]) return;
    if (!getCoarsePressure(rim->nest, rim->pair->coarse, beyond[0], beyond[1], beyond[2], &pressure))
        pressure = *findPressure(&fine->pressure.levels[0], i, j, k);
    fine->fields[axis][wbSmokeIndex(&fine->grid, at[0], at[1], at[2])] += isHigh ? -pressure : pressure;
    *findB(&fine->pressure.levels[0], i, j, k) += pressure;
}

// Rows of a side, along x but at the sides across it.
static void pushRimRows(int begin, int end, int worker, void *context) {
    (void)worker;
    const Rim *rim = context;
    const int *cells = rim->nest->fine;
    int axis = rim->side / 2, last = rim->side & 1 ? cells[axis] - 1 : 0;
    for (int n = begin; n < end; n++) {
        if (axis == 0)
            for (int k = 0; k < cells[2]; k++) pushRimCell(rim, last, n, k);
        for (int i = 0; i < cells[0] && axis == 1; i++) pushRimCell(rim, i, last, n);
        for (int i = 0; i < cells[0] && axis == 2; i++) pushRimCell(rim, i, n, last);
    }
}

static void pushRim(const wbSmokePair *pair, const SmokeNest *nest, const wbWork *work) {
    for (int side = 0; side < 2 * pair->fine->grid.dimensions; side++) {
        Rim rim = {pair, nest, side};
        if (wbIsRim(nest, side))
            wbParallelFor(work->pool, nest->fine[side / 2 == 1 ? 2 : 1], 1, pushRimRows, &rim);
    }
}

// The step

wbStatus wbSmokePair_Step(const wbSmokePair *pair, const wbWork *work, const wbSmokeSource *sources,
                          int sourceCount, double time, float dt, double *coarseMs) {
    wbSmoke *fine = pair->fine, *coarse = pair->coarse;
    const SmokeNest nest = wbMakeSmokeNest(pair);
    WB_TRY(wbSmoke_Predict(fine, pair->fineModel, work, sources, sourceCount, time, dt));
    double mark = wbGetSeconds();
    WB_TRY(wbSmoke_Predict(coarse, pair->coarseModel, work, NULL, 0, time, dt));
    WB_TRY(scatterBand(pair, &nest, work));
    wbSetWallVelocities(fine, pair->fineModel, work, fine->fields, false);
    gatherInner(pair, &nest, work);
    wbSetWallVelocities(coarse, pair->coarseModel, work, coarse->fields, false);
    *coarseMs = wbLapMs(&mark);
    WB_TRY(wbSmoke_FindDivergence(fine, pair->fineModel, work, sources, sourceCount, time));
    (void)wbLapMs(&mark);
    WB_TRY(projectCoarse(pair, &nest, work, sources, sourceCount, time));
    pushRim(pair, &nest, work);
    fine->divergenceBefore = fmax(fine->divergenceBefore, coarse->divergenceBefore);
    *coarseMs += wbLapMs(&mark);
    WB_TRY(wbSmoke_TakePressure(fine, pair->fineModel, work));
    (void)wbLapMs(&mark);
    gatherInner(pair, &nest, work);
    *coarseMs += wbLapMs(&mark);
    return wb_okStatus;
}

size_t wbSmokePair_GetStepBytes(const wbSmokePair *pair, int sourceCount, int threadCount) {
    const wbSmoke *coarse = pair->coarse;
    return wbSmoke_GetStepBytes(pair->fine, pair->fineModel, sourceCount, threadCount) +
           wbSmoke_GetStepBytes(coarse, pair->coarseModel, sourceCount, threadCount) +
           sizeof(float) * (size_t)threadCount * (size_t)wbPadCount(coarse->grid.nx + 1);
}

// Another window

typedef struct Copy {
    wbSmoke *to;
    const wbSmoke *from;
    const int *shift, *low, *high;
} Copy;

static void copyPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Copy *copy = context;
    const int *shift = copy->shift, *low = copy->low, *high = copy->high;
    const wbPressureLevel *toLevel = &copy->to->pressure.levels[0],
                          *fromLevel = &copy->from->pressure.levels[0];
    for (int j = low[1] + begin; j < low[1] + end; j++) {
        for (int f = 0; f < wb_smokeDensity + copy->to->scalarCount; f++) {
            for (int k = low[2]; k < high[2] + (f == wb_smokeW) && j < high[1] + (f == wb_smokeV); k++)
                memcpy(copy->to->fields[f] + wbSmokeIndex(&copy->to->grid, low[0], j, k),
                       copy->from->fields[f] +
                           wbSmokeIndex(&copy->from->grid, low[0] - shift[0], j - shift[1], k - shift[2]),
                       sizeof(float) * (size_t)(high[0] - low[0] + (f == wb_smokeU)));
        }
        for (int k = low[2]; k < high[2] && j < high[1]; k++)
            for (int i = low[0]; i < high[0]; i++)
                *findPressure(toLevel, i, j, k) =
                    *findPressure(fromLevel, i - shift[0], j - shift[1], k - shift[2]);
    }
}

static void copyMarks(const Copy *copy) {
    const int *low = copy->low, *high = copy->high, *shift = copy->shift;
    for (int j = low[1]; j < high[1]; j += WB_SMOKE_BLOCK)
        for (int k = low[2]; k < high[2]; k += WB_SMOKE_BLOCK)
            for (int i = low[0]; i < high[0]; i += WB_SMOKE_BLOCK_X)
                copy->to->marks[wbSmokeBlockRow(&copy->to->grid, j, k) + i / WB_SMOKE_BLOCK_X] =
                    copy->from->marks[wbSmokeBlockRow(&copy->from->grid, j - shift[1], k - shift[2]) +
                                      (i - shift[0]) / WB_SMOKE_BLOCK_X];
}

void wbCopySmoke(wbSmoke *to, const wbSmoke *from, const int shift[3], const wbWork *work, int low[3],
                 int high[3]) {
    const int cells[3] = {to->grid.nx, to->grid.ny, to->grid.nz},
              others[3] = {from->grid.nx, from->grid.ny, from->grid.nz};
    bool any = true;
    for (int a = 0; a < 3; a++) {
        low[a] = shift[a] > 0 ? shift[a] : 0;
        high[a] = shift[a] + others[a] < cells[a] ? shift[a] + others[a] : cells[a];
        any &= low[a] < high[a];
    }
    if (!any) memset(low, 0, sizeof(int[3])), memset(high, 0, sizeof(int[3]));
    Copy copy = {to, from, shift, low, high};
    wbSmoke_ClearMarks(to);
    if (any) {
        wbParallelFor(work->pool, high[1] - low[1] + 1, 1, copyPlanes, &copy);
        copyMarks(&copy);
    }
    wbSmokeValues values = wbSmoke_GetValues(from);
    wbSmoke_SetValues(to, &values);
    to->isBlocked = from->isBlocked;
}
