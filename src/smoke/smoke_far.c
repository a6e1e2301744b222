// SPDX-License-Identifier: MIT
#include "smoke/smoke_far.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "smoke/smoke_sources.h"
#include "smoke/smoke_walls.h"

SmokeNest wbMakeSmokeNest(const wbSmokePair *pair) {
    const wbSmokeGrid *near = &pair->near->grid, *far = &pair->far->grid;
    SmokeNest nest = {.factor = pair->factor,
                      .low = {pair->low[0], pair->low[1], pair->low[2]},
                      .fine = {near->nx, near->ny, near->nz},
                      .coarse = {far->nx, far->ny, far->nz}};
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

// From near to far

typedef struct Gather {
    const SmokeNest *nest;
    const wbSmokePair *pair;
    int low[3], high[3]; // coarse cells
    bool pressure;       // too
} Gather;

// The mean over the fine faces of a coarse one, whose lower corner is fine value c.
static float getFaceMean(const SmokeNest *nest, const wbSmoke *near, int axis, int c) {
    const int strides[3] = {1, near->grid.plane, near->grid.row};
    const float *field = near->fields[axis];
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, countA = smoke_fine_count(nest, a),
        countB = smoke_fine_count(nest, b);
    float sum = 0;
    for (int n = 0; n < countB; n++)
        for (int m = 0; m < countA; m++) sum += field[c + m * strides[a] + n * strides[b]];
    return sum / (float)(countA * countB);
}

static void gatherFaces(const Gather *gather, int axis, int j) {
    const SmokeNest *nest = gather->nest;
    const wbSmoke *near = gather->pair->near, *far = gather->pair->far;
    int end[3];
    for (int a = 0; a < 3; a++) end[a] = gather->high[a] + (a == axis);
    if (j >= end[1]) return;
    for (int k = gather->low[2]; k < end[2]; k++) {
        int y = smoke_first_fine(nest, 1, j), z = smoke_first_fine(nest, 2, k);
        for (int i = gather->low[0]; i < end[0]; i++) {
            int c = wbSmokeIndex(&near->grid, smoke_first_fine(nest, 0, i), y, z);
            far->fields[axis][wbSmokeIndex(&far->grid, i, j, k)] = getFaceMean(nest, near, axis, c);
        }
    }
}

// The mean over the fine cells of air; p is in units of the size of cells.
static float getPressureMean(const SmokeNest *nest, const wbSmoke *near, int i, int j, int k) {
    const wbPressureLevel *level = &near->pressure.levels[0];
    int nx = smoke_fine_count(nest, 0), ny = smoke_fine_count(nest, 1), nz = smoke_fine_count(nest, 2),
        count = 0;
    float sum = 0;
    for (int y = j * ny; y < (j + 1) * ny; y++) {
        for (int z = k * nz; z < (k + 1) * nz; z++) {
            for (int x = i * nx; x < (i + 1) * nx; x++) {
                if (near->solid[wbSmokeCell(&near->grid, x, y, z)]) continue;
                sum += *findPressure(level, x, y, z), count++;
            }
        }
    }
    return count > 0 ? sum / (float)(count * nest->factor) : 0;
}

static void gatherPressure(const Gather *gather, int j) {
    const SmokeNest *nest = gather->nest;
    const wbSmoke *far = gather->pair->far;
    if (j >= gather->high[1]) return;
    for (int k = gather->low[2]; k < gather->high[2]; k++)
        for (int i = gather->low[0]; i < gather->high[0]; i++)
            if (!far->solid[wbSmokeCell(&far->grid, i, j, k)])
                *findPressure(&far->pressure.levels[0], i, j, k) = getPressureMean(
                    nest, gather->pair->near, i - nest->low[0], j - nest->low[1], k - nest->low[2]);
}

static void gatherPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Gather *gather = context;
    for (int j = gather->low[1] + begin; j < gather->low[1] + end; j++) {
        for (int axis = 0; axis < gather->pair->near->grid.dimensions; axis++) gatherFaces(gather, axis, j);
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

// From far to near

typedef struct Scatter {
    const SmokeNest *nest;
    const wbSmokePair *pair;
    int keepLow[3], keepHigh[3]; // near's cells that are left alone
    bool pressure;               // too
    float *lines;                // scratch per thread
    int lineLength;
} Scatter;

// Values first … end - 1 of a row: the four coarse rows around it are mixed, then what is between along x.
static void scatterFaces(const Scatter *scatter, int axis, int j, int k, int first, int end, float *line) {
    const SmokeNest *nest = scatter->nest;
    const wbSmokeGrid *grid = &scatter->pair->far->grid;
    const float *from = scatter->pair->far->fields[axis];
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
    float *to = scatter->pair->near->fields[axis] + wbSmokeIndex(&scatter->pair->near->grid, 0, j, k);
    for (int i = first; i < end; i++) {
        SmokeBetween x = smoke_between(nest, 0, axis == 0, i);
        to[i] = line[x.low] + x.share * (line[x.high] - line[x.low]);
    }
}

// Far's pressure at a cell of near or one beyond, of the cells of air around; false if there is none.
static bool getFarPressure(const SmokeNest *nest, const wbSmoke *far, int i, int j, int k, float *pressure) {
    const SmokeBetween x = smoke_between(nest, 0, 0, i), y = smoke_between(nest, 1, 0, j),
                       z = smoke_between(nest, 2, 0, k);
    float sum = 0, weights = 0;
    for (int n = 0; n < 8; n++) {
        int a = n & 1 ? x.high : x.low, b = n & 2 ? y.high : y.low, c = n & 4 ? z.high : z.low;
        float weight = (n & 1 ? x.share : 1 - x.share) * (n & 2 ? y.share : 1 - y.share) *
                       (n & 4 ? z.share : 1 - z.share);
        if (far->solid[wbSmokeCell(&far->grid, a, b, c)]) continue;
        sum += weight * *findPressure(&far->pressure.levels[0], a, b, c), weights += weight;
    }
    *pressure = (float)nest->factor * sum / weights;
    return weights > 0;
}

static void scatterPressure(const Scatter *scatter, int j, int k, int first, int end) {
    const wbSmoke *near = scatter->pair->near;
    float pressure;
    for (int i = first; i < end; i++)
        if (getFarPressure(scatter->nest, scatter->pair->far, i, j, k, &pressure))
            *findPressure(&near->pressure.levels[0], i, j, k) = pressure;
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
        for (int axis = 0; axis < scatter->pair->near->grid.dimensions; axis++) {
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

// What a source makes in near's cells of air goes into far's b. Gives by how much the sum of its squares grew.
static double expandCells(const wbSmokePair *pair, const SmokeNest *nest, const SmokeFeed *feed,
                          const uint8_t *mask) {
    const wbSmokeGrid *near = &pair->near->grid, *far = &pair->far->grid;
    float scale = smoke_coarse_scale(nest);
    double growth = 0;
    for (int j = feed->first[1]; j < feed->end[1]; j++) {
        for (int k = feed->first[2]; k < feed->end[2]; k++) {
            for (int i = feed->first[0]; i < feed->end[0]; i++) {
                int x = smoke_coarse_cell(nest, 0, i), y = smoke_coarse_cell(nest, 1, j),
                    z = smoke_coarse_cell(nest, 2, k);
                if (pair->near->solid[wbSmokeCell(near, i, j, k)]) continue;
                if (pair->far->solid[wbSmokeCell(far, x, y, z)]) continue;
                float *b = findB(&pair->far->pressure.levels[0], x, y, z);
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

static wbStatus expandFar(const wbSmokePair *pair, const SmokeNest *nest, const wbSmokeSource *sources,
                          int sourceCount, double time, bool *expands) {
    wbSmoke *far = pair->far;
    double before = far->divergenceBefore * far->grid.h,
           sum = before * before * fmax(far->pressure.airCount, 1);
    *expands = far->isBlocked = false;
    for (int s = 0; s < sourceCount; s++) {
        SmokeFeed feed;
        if (!wbMakeSmokeExpansion(&pair->near->grid, &sources[s], time, &feed)) continue;
        sum += expandCells(pair, nest, &feed, sources[s].cells);
        wbSmokeSource coarse = wbCoarsenSource(nest, &sources[s]);
        far->isBlocked |= wbIsExpansionBlocked(far, &coarse, 1, time);
        *expands = true;
    }
    return *expands ? wbSmoke_TakeDivergence(far, fmax(sum, 0)) : wb_okStatus;
}

// Where air cannot leave, what is taken away from far's b is taken away from near's as well: minus before, plus after it.
static void addFarB(const wbSmokePair *pair, const SmokeNest *nest, float sign) {
    const wbSmoke *near = pair->near;
    const wbPressureLevel *level = &pair->far->pressure.levels[0];
    for (int j = 0; j < near->grid.ny; j++) {
        for (int k = 0; k < near->grid.nz; k++) {
            for (int i = 0; i < near->grid.nx; i++) {
                if (near->solid[wbSmokeCell(&near->grid, i, j, k)]) continue;
                *findB(&near->pressure.levels[0], i, j, k) +=
                    sign / (float)nest->factor *
                    *findB(level, smoke_coarse_cell(nest, 0, i), smoke_coarse_cell(nest, 1, j),
                           smoke_coarse_cell(nest, 2, k));
            }
        }
    }
}

// Far's projection, which needs to know what sources make in near; near's b is found already.
static wbStatus projectFar(const wbSmokePair *pair, const SmokeNest *nest, const wbWork *work,
                           const wbSmokeSource *sources, int sourceCount, double time) {
    wbSmoke *far = pair->far;
    bool expands;
    WB_TRY(wbSmoke_FindDivergence(far, pair->farModel, work, NULL, 0, 0));
    WB_TRY(expandFar(pair, nest, sources, sourceCount, time, &expands));
    pair->near->isBlocked |= far->isBlocked;
    if (expands && far->pressure.pocketCount > 0) {
        addFarB(pair, nest, -1);
        WB_TRY(wbPressure_Balance(&far->pressure, work));
        addFarB(pair, nest, 1);
    }
    return wbSmoke_TakePressure(far, pair->farModel, work);
}

// Far's pressure beyond the rim does its part: it drives the velocity across the rim, and so it is in near's b. Beyond
// the rim near's own pressure is then 0, as beyond other open sides.

typedef struct Rim {
    const wbSmokePair *pair;
    const SmokeNest *nest;
    int side;
} Rim;

static void pushRimCell(const Rim *rim, int i, int j, int k) {
    const wbSmoke *near = rim->pair->near;
    int at[3] = {i, j, k}, beyond[3] = {i, j, k}, axis = rim->side / 2, isHigh = rim->side & 1;
    float pressure;
    beyond[axis] += isHigh ? 1 : -1, at[axis] += isHigh;
    if (near->solid[wbSmokeCell(&near->grid, i, j, k)]) return;
    if (!getFarPressure(rim->nest, rim->pair->far, beyond[0], beyond[1], beyond[2], &pressure))
        pressure = *findPressure(&near->pressure.levels[0], i, j, k);
    near->fields[axis][wbSmokeIndex(&near->grid, at[0], at[1], at[2])] += isHigh ? -pressure : pressure;
    *findB(&near->pressure.levels[0], i, j, k) += pressure;
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
    for (int side = 0; side < 2 * pair->near->grid.dimensions; side++) {
        Rim rim = {pair, nest, side};
        if (wbIsRim(nest, side))
            wbParallelFor(work->pool, nest->fine[side / 2 == 1 ? 2 : 1], 1, pushRimRows, &rim);
    }
}

// The step

wbStatus wbSmokePair_Step(const wbSmokePair *pair, const wbWork *work, const wbSmokeSource *sources,
                          int sourceCount, double time, float dt, double *farMs) {
    wbSmoke *near = pair->near, *far = pair->far;
    const SmokeNest nest = wbMakeSmokeNest(pair);
    WB_TRY(wbSmoke_Predict(near, pair->nearModel, work, sources, sourceCount, time, dt));
    double mark = wbGetSeconds();
    WB_TRY(wbSmoke_Predict(far, pair->farModel, work, NULL, 0, time, dt));
    WB_TRY(scatterBand(pair, &nest, work));
    wbSetWallVelocities(near, pair->nearModel, work, near->fields, false);
    gatherInner(pair, &nest, work);
    wbSetWallVelocities(far, pair->farModel, work, far->fields, false);
    *farMs = wbLapMs(&mark);
    WB_TRY(wbSmoke_FindDivergence(near, pair->nearModel, work, sources, sourceCount, time));
    (void)wbLapMs(&mark);
    WB_TRY(projectFar(pair, &nest, work, sources, sourceCount, time));
    pushRim(pair, &nest, work);
    near->divergenceBefore = fmax(near->divergenceBefore, far->divergenceBefore);
    *farMs += wbLapMs(&mark);
    WB_TRY(wbSmoke_TakePressure(near, pair->nearModel, work));
    (void)wbLapMs(&mark);
    gatherInner(pair, &nest, work);
    *farMs += wbLapMs(&mark);
    return wb_okStatus;
}

size_t wbSmokePair_GetStepBytes(const wbSmokePair *pair, int sourceCount, int threadCount) {
    const wbSmoke *far = pair->far;
    return wbSmoke_GetStepBytes(pair->near, pair->nearModel, sourceCount, threadCount) +
           wbSmoke_GetStepBytes(far, pair->farModel, sourceCount, threadCount) +
           sizeof(float) * (size_t)threadCount * (size_t)wbPadCount(far->grid.nx + 1);
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
