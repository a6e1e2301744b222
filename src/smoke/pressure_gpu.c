// SPDX-License-Identifier: MIT
#include "smoke/pressure_gpu.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "smoke/pressure_formula.h"

extern const char wb_clReal[], wb_clSmokeDevice[], wb_clSmokeLanes[], wb_clSmokeSourceFormula[],
    wb_clPressureDevice[], wb_clPressureFormula[], wb_clPressure[];

enum { TAIL_CELLS = 8192 }; // a level below this size is faster within one group

int wbCountRowItems(const wbGpu *gpu, int rows, int values) {
    return wbGpu_GetLanes(gpu) == 1 ? rows * values : rows;
}

int wbCountSumGroups(const wbGpu *gpu, int rows, int values) {
    int groups = (wbCountRowItems(gpu, rows, values) + SMOKE_SUM_GROUP - 1) / SMOKE_SUM_GROUP;
    return groups < SMOKE_MAX_SUMS ? groups : SMOKE_MAX_SUMS;
}

void wbPressureGpu_Init(wbPressureGpu *device, wbGpu *gpu) { *device = (wbPressureGpu){.gpu = gpu}; }

void wbPressureGpu_Free(wbPressureGpu *device) {
    wbGpuBuffer *buffers[] = {&device->levels,  &device->values,       &device->inverse,    &device->diagonal,
                              &device->rows,    &device->flags,        &device->weights,    &device->ghosts,
                              &device->runs,    &device->ghostSources, &device->starts,     &device->cells,
                              &device->runSums, &device->means,        &device->kept[0],    &device->kept[1],
                              &device->sums,    &device->patches,      &device->patchValues};
    for (size_t n = 0; n < sizeof buffers / sizeof buffers[0]; n++) wbGpuBuffer_Free(device->gpu, buffers[n]);
    device->levelCount = 0, device->hasWeights = false;
}

static wbStatus buildKernels(wbPressureGpu *device) {
    const char *const sources[] = {wb_clReal,       wb_clSmokeDevice,    wb_clSmokeSourceFormula,
                                   wb_clSmokeLanes, wb_clPressureDevice, wb_clPressureFormula,
                                   wb_clPressure};
    wbGpuProgramDef def = {"pressure", sources, sizeof sources / sizeof sources[0], ""};
    const wbGpuKernelName kernels[] = {{"pressure_smooth", &device->kernels.smooth},
                                       {"pressure_restrict", &device->kernels.restrict_},
                                       {"pressure_prolong", &device->kernels.prolong},
                                       {"pressure_ghosts", &device->kernels.ghosts},
                                       {"pressure_tail", &device->kernels.tail},
                                       {"pressure_relax", &device->kernels.relax},
                                       {"pressure_jacobi", &device->kernels.jacobi},
                                       {"pressure_measure", &device->kernels.measure},
                                       {"pressure_compare", &device->kernels.compare},
                                       {"pressure_mix", &device->kernels.mix},
                                       {"pressure_mask", &device->kernels.mask},
                                       {"pressure_patch", &device->kernels.patch},
                                       {"pressure_divergence", &device->kernels.divergence},
                                       {"pressure_expand", &device->kernels.expand},
                                       {"pressure_sum_runs", &device->kernels.sumRuns},
                                       {"pressure_sum_parts", &device->kernels.sumParts},
                                       {"pressure_balance", &device->kernels.balance},
                                       {"pressure_gradient", &device->kernels.gradient},
                                       {"pressure_speed", &device->kernels.speed}};
    if (device->kernels.speed) return wb_okStatus;
    return wbGpu_BuildKernels(device->gpu, &def, kernels, (int)(sizeof kernels / sizeof kernels[0]));
}

// Levels

static int64_t takePlaces(int64_t *next, int64_t count) {
    int64_t start = *next + WB_SMOKE_MARGIN;
    *next = start + count + WB_SMOKE_MARGIN;
    return start;
}

// Where each level stands in the buffers, once; what changes with the solids is set when they are copied.
static wbStatus layOut(wbPressureGpu *device, const wbPressure *pressure) {
    int64_t values = 0, weights = 0, rows = 0;
    if (device->levelCount > 0) return wb_okStatus;
    device->tail = pressure->levelCount - 1;
    for (int l = 0; l < pressure->levelCount; l++) {
        const wbPressureLevel *from = &pressure->levels[l];
        PressureLevel *to = &device->layout[l];
        *to = (PressureLevel){.nx = from->nx,
                              .ny = from->ny,
                              .nz = from->nz,
                              .places = (from->nx + 1) / 2,
                              .shiftY = from->shiftY,
                              .shiftZ = from->shiftZ,
                              .cellsZ = from->cellsZ,
                              .row = from->row,
                              .plane = from->plane,
                              .length = from->length,
                              .diagonals = (int)(2 * rows),
                              .flags = (int)rows};
        for (int colour = 0; colour < 2; colour++) to->p[colour] = (int)takePlaces(&values, from->total);
        for (int colour = 0; colour < 2; colour++) to->b[colour] = (int)takePlaces(&values, from->total);
        for (int w = 0; w < 6 && from->weights[0]; w++) {
            int64_t start = takePlaces(&weights, 2 * (int64_t)from->total);
            if (w == 0) to->weights[0] = (int)start, to->weights[1] = (int)(start + from->total);
            if (w == 1) to->weightStride = (int)start - to->weights[0];
        }
        rows += (int64_t)from->ny * from->nz;
        if (l > 0 && l < device->tail && (int64_t)from->nx * from->ny * from->nz <= TAIL_CELLS)
            device->tail = l;
        if (values > INT32_MAX || weights > INT32_MAX || rows > INT32_MAX / 2)
            return wbError(wb_errorInput,
                           "smoke of %d x %d x %d cells is too large for a device: take "
                           "larger cells, or world.backend cpu",
                           pressure->grid.nx, pressure->grid.ny, pressure->grid.nz);
    }
    device->valueCount = values, device->weightCount = weights;
    device->levelCount = pressure->levelCount;
    return wb_okStatus;
}

typedef struct Sizes {
    size_t rows, diagonals, ghosts, ghostSources, patches, patchValues;
} Sizes;

static bool isPatched(const wbPressureGpu *device, const wbPressureLevel *level, size_t row) {
    return device->hasWeights && level->changed && level->changed[row];
}

static Sizes getSizes(const wbPressureGpu *device, const wbPressure *pressure) {
    Sizes sizes = {0};
    for (int l = 0; l < pressure->levelCount; l++) {
        const wbPressureLevel *level = &pressure->levels[l];
        size_t rows = (size_t)level->ny * (size_t)level->nz, patched = 0;
        for (size_t r = 0; r < rows; r++) patched += isPatched(device, level, r);
        sizes.rows += rows;
        sizes.patches += 2 * patched;
        sizes.patchValues += 2 * 6 * patched * (size_t)level->length;
        sizes.diagonals += (size_t)level->diagonalCount;
        sizes.ghosts += (size_t)level->ghostCount;
        sizes.ghostSources += (size_t)level->ghostSourceCount;
    }
    return sizes;
}

// At least a little, so that there always is a buffer.
static wbStatus reserveBuffer(wbPressureGpu *device, wbGpuBuffer *buffer, const char *name, size_t bytes) {
    return wbGpuBuffer_Reserve(device->gpu, buffer, name, bytes + 64);
}

// Both colours of the finest level, which stand first among all values.
static size_t getPressureBytes(const wbPressureGpu *device) {
    return sizeof(float) * (size_t)device->layout[0].b[0];
}

wbStatus wbPressureGpu_Reserve(wbPressureGpu *device, const wbPressure *pressure) {
    WB_TRY(buildKernels(device));
    WB_TRY(layOut(device, pressure));
    Sizes sizes = getSizes(device, pressure);
    size_t values = sizeof(float) * (size_t)device->valueCount, runs = (size_t)pressure->runCount,
           parts = (size_t)pressure->pocketCount;
    bool isNew = device->values.bytes < values;
    WB_TRY(reserveBuffer(device, &device->values, "pressure", values));
    if (isNew) WB_TRY(wbGpu_Fill(device->gpu, &device->values, 0, device->values.bytes / 4 * 4));
    WB_TRY(reserveBuffer(device, &device->levels, "pressure levels", sizeof device->layout));
    WB_TRY(reserveBuffer(device, &device->inverse, "pressure diagonals", sizeof(float) * sizes.diagonals));
    WB_TRY(reserveBuffer(device, &device->diagonal, "pressure diagonals", sizeof(float) * sizes.diagonals));
    WB_TRY(reserveBuffer(device, &device->rows, "pressure rows", 2 * sizeof(int) * sizes.rows));
    WB_TRY(reserveBuffer(device, &device->flags, "pressure rows", sizes.rows));
    WB_TRY(reserveBuffer(device, &device->weights, "pressure weights",
                         sizeof(float) * (size_t)device->weightCount));
    WB_TRY(
        reserveBuffer(device, &device->patches, "pressure weights", sizeof(PressurePatch) * sizes.patches));
    WB_TRY(
        reserveBuffer(device, &device->patchValues, "pressure weights", sizeof(float) * sizes.patchValues));
    WB_TRY(reserveBuffer(device, &device->ghosts, "pressure ghosts", sizeof(PressureGhost) * sizes.ghosts));
    WB_TRY(reserveBuffer(device, &device->ghostSources, "pressure ghosts", sizeof(int) * sizes.ghostSources));
    WB_TRY(reserveBuffer(device, &device->sums, "sums", sizeof(float) * SMOKE_MAX_SUMS));
    if (pressure->pocketCount > 0) {
        WB_TRY(reserveBuffer(device, &device->runs, "closed air", sizeof(PressureRun) * runs));
        WB_TRY(reserveBuffer(device, &device->runSums, "closed air", sizeof(float) * runs));
        WB_TRY(reserveBuffer(device, &device->starts, "closed air", sizeof(int) * (parts + 1)));
        WB_TRY(reserveBuffer(device, &device->cells, "closed air", sizeof(int) * parts));
        WB_TRY(reserveBuffer(device, &device->means, "closed air", sizeof(float) * parts));
    }
    WB_TRY(reserveBuffer(device, &device->kept[0], "pressure copy", getPressureBytes(device)));
    return reserveBuffer(device, &device->kept[1], "pressure copy", getPressureBytes(device));
}

// What is put together before it is copied.
typedef struct Staging {
    int *rows;
    uint8_t *flags;
    PressureGhost *ghosts;
    int *ghostSources;
    PressureRun *runs;
    int *starts, *cells;
    float *inverse, *diagonal;
    PressurePatch *patches;
    float *patchValues;
    size_t patchCount, patchValueCount; // so far
} Staging;

static bool allocateStaging(Staging *staging, const Sizes *sizes, const wbPressure *pressure,
                            wbArena *arena) {
    size_t parts = (size_t)pressure->pocketCount + 2;
    *staging = (Staging){0};
    staging->inverse = wbArena_Alloc(arena, sizeof(float) * sizes->diagonals);
    staging->diagonal = wbArena_Alloc(arena, sizeof(float) * sizes->diagonals);
    staging->patches = wbArena_Alloc(arena, sizeof(PressurePatch) * (sizes->patches + 1));
    staging->patchValues = wbArena_Alloc(arena, sizeof(float) * (sizes->patchValues + 1));
    staging->rows = wbArena_Alloc(arena, 2 * sizeof(int) * sizes->rows);
    staging->flags = wbArena_Alloc(arena, sizes->rows);
    staging->ghosts = wbArena_Alloc(arena, sizeof(PressureGhost) * (sizes->ghosts + 1));
    staging->ghostSources = wbArena_Alloc(arena, sizeof(int) * (sizes->ghostSources + 1));
    staging->runs = wbArena_Alloc(arena, sizeof(PressureRun) * ((size_t)pressure->runCount + 1));
    staging->starts = wbArena_Alloc(arena, sizeof(int) * parts);
    staging->cells = wbArena_Alloc(arena, sizeof(int) * parts);
    return staging->rows && staging->flags && staging->ghosts && staging->ghostSources && staging->runs &&
           staging->starts && staging->cells && staging->inverse && staging->diagonal && staging->patches &&
           staging->patchValues;
}

static void stageGhosts(const wbPressureLevel *from, const PressureLevel *to, PressureGhost *ghosts,
                        int *sources, int firstSource) {
    const wbPressureGhost *own = from->ghosts.data;
    const int *ownSources = from->ghostSources.data;
    for (int g = 0; g < from->ghostCount; g++)
        ghosts[g] =
            (PressureGhost){to->p[own[g].colour] + own[g].place, firstSource + own[g].first, own[g].count};
    for (int s = 0; s < from->ghostSourceCount; s++)
        sources[s] = to->p[ownSources[s] & 1] + (ownSources[s] >> 1);
}

// Runs of air that cannot leave, by part. Parts count from 1: what is placed at starts[part] makes it the next one's.
static void stageRuns(wbPressureGpu *device, const wbPressure *pressure, Staging *staging) {
    const wbAirRun *runs = pressure->runs.data;
    int parts = device->partCount = pressure->pocketCount, *starts = staging->starts;
    memset(starts, 0, sizeof(int) * ((size_t)parts + 2));
    memset(staging->cells, 0, sizeof(int) * ((size_t)parts + 2));
    for (int r = 0; r < pressure->runCount; r++) {
        if (runs[r].part == 0) continue;
        starts[runs[r].part + 1]++;
        staging->cells[runs[r].part - 1] += runs[r].end - runs[r].first;
    }
    for (int p = 0; p < parts; p++) starts[p + 2] += starts[p + 1];
    device->runCount = starts[parts + 1];
    for (int r = 0; r < pressure->runCount; r++)
        if (runs[r].part > 0)
            staging->runs[starts[runs[r].part]++] =
                (PressureRun){runs[r].row, runs[r].first, runs[r].end, runs[r].part - 1};
}

static void stageRow(const wbPressureLevel *from, const PressureLevel *to, int row, Staging *staging) {
    size_t bytes = sizeof(float) * (size_t)from->length;
    int place = from->row * (row % from->nz + 1) + from->plane * (row / from->nz + 1);
    for (int colour = 0; colour < 2; colour++) {
        staging->patches[staging->patchCount++] = (PressurePatch){
            to->weights[colour] + place, to->weightStride, (int)staging->patchValueCount, from->length};
        for (int w = 0; w < 6; w++, staging->patchValueCount += (size_t)from->length)
            memcpy(staging->patchValues + staging->patchValueCount,
                   from->weights[w] + colour * from->total + place, bytes);
    }
}

static void stageLevel(const wbPressureGpu *device, const wbPressureLevel *from, const PressureLevel *to,
                       size_t firstDiagonal, Staging *staging) {
    size_t bytes = sizeof(float) * (size_t)from->diagonalCount;
    if (bytes > 0) memcpy(staging->inverse + firstDiagonal, from->inverse, bytes);
    if (bytes > 0) memcpy(staging->diagonal + firstDiagonal, from->diagonal, bytes);
    for (int r = 0; r < from->ny * from->nz; r++)
        if (isPatched(device, from, (size_t)r)) stageRow(from, to, r, staging);
}

static wbStatus copyWeights(wbPressureGpu *device, const wbPressure *pressure) {
    for (int l = 1; l < pressure->levelCount; l++) {
        const wbPressureLevel *from = &pressure->levels[l];
        const PressureLevel *to = &device->layout[l];
        for (int w = 0; w < 6; w++) {
            size_t start = (size_t)to->weights[0] + (size_t)w * (size_t)to->weightStride;
            WB_TRY(wbGpu_UploadAt(device->gpu, &device->weights, sizeof(float) * start, from->weights[w],
                                  2 * sizeof(float) * (size_t)from->total));
        }
    }
    return wb_okStatus;
}

// One copy for all that changed, and a kernel that puts it to its places: many copies cost more than large ones.
static wbStatus placeWeights(wbPressureGpu *device, wbPressure *pressure, const Staging *staging) {
    if (!device->hasWeights) WB_TRY(copyWeights(device, pressure));
    WB_TRY(wbGpu_Upload(device->gpu, &device->patches, staging->patches,
                        sizeof(PressurePatch) * staging->patchCount));
    WB_TRY(wbGpu_Upload(device->gpu, &device->patchValues, staging->patchValues,
                        sizeof(float) * staging->patchValueCount));
    WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.patch, (int)staging->patchCount, PRESSURE_PATCH_GROUP,
                           WB_GPU_ARGS(WB_GPU_BUFFER(device->patches), WB_GPU_BUFFER(device->patchValues),
                                       WB_GPU_BUFFER(device->weights))));
    for (int l = 1; l < pressure->levelCount; l++)
        memset(pressure->levels[l].changed, 0,
               (size_t)pressure->levels[l].ny * (size_t)pressure->levels[l].nz);
    device->hasWeights = true;
    return wb_okStatus;
}

static wbStatus copyStaging(wbPressureGpu *device, const Staging *staging, const Sizes *sizes) {
    wbGpu *gpu = device->gpu;
    size_t runs = (size_t)device->runCount, parts = (size_t)device->partCount;
    WB_TRY(wbGpu_Upload(gpu, &device->levels, device->layout, sizeof device->layout));
    WB_TRY(wbGpu_Upload(gpu, &device->inverse, staging->inverse, sizeof(float) * sizes->diagonals));
    WB_TRY(wbGpu_Upload(gpu, &device->diagonal, staging->diagonal, sizeof(float) * sizes->diagonals));
    WB_TRY(wbGpu_Upload(gpu, &device->rows, staging->rows, 2 * sizeof(int) * sizes->rows));
    WB_TRY(wbGpu_Upload(gpu, &device->flags, staging->flags, sizes->rows));
    WB_TRY(wbGpu_Upload(gpu, &device->ghosts, staging->ghosts, sizeof(PressureGhost) * sizes->ghosts));
    WB_TRY(
        wbGpu_Upload(gpu, &device->ghostSources, staging->ghostSources, sizeof(int) * sizes->ghostSources));
    if (parts == 0) return wb_okStatus;
    WB_TRY(wbGpu_Upload(gpu, &device->runs, staging->runs, sizeof(PressureRun) * runs));
    WB_TRY(wbGpu_Upload(gpu, &device->starts, staging->starts, sizeof(int) * (parts + 1)));
    return wbGpu_Upload(gpu, &device->cells, staging->cells, sizeof(int) * parts);
}

#define FIELD_ARGS(device)                                                                                   \
    WB_GPU_BUFFER((device)->values), WB_GPU_BUFFER((device)->inverse), WB_GPU_BUFFER((device)->diagonal),    \
        WB_GPU_BUFFER((device)->rows), WB_GPU_BUFFER((device)->flags), WB_GPU_BUFFER((device)->weights)
#define LEVEL_ARGS(device, l) FIELD_ARGS(device), WB_GPU_STRUCT((device)->layout[l])

static int countItems(const wbPressureGpu *device, int l, int values) {
    const PressureLevel *level = &device->layout[l];
    return wbCountRowItems(device->gpu, level->ny * level->nz, values);
}

wbStatus wbPressureGpu_Place(wbPressureGpu *device, wbPressure *pressure, const wbWork *work) {
    size_t mark = wbArena_Mark(work->arena), rows = 0, diagonals = 0, ghosts = 0, sources = 0;
    Sizes sizes = getSizes(device, pressure);
    Staging staging;
    if (!allocateStaging(&staging, &sizes, pressure, work->arena))
        return wbMemoryError(work->memory, "a copy of the pressure's levels needs");
    for (int l = 0; l < pressure->levelCount; l++) {
        const wbPressureLevel *from = &pressure->levels[l];
        PressureLevel *to = &device->layout[l];
        size_t count = (size_t)from->ny * (size_t)from->nz;
        for (size_t r = 0; r < 2 * count; r++)
            staging.rows[2 * rows + r] = from->diagonals[r] < 0 ? -1 : from->diagonals[r] + (int)diagonals;
        for (size_t r = 0; r < count; r++)
            staging.flags[rows + r] =
                (uint8_t)((from->weighted[r] ? PRESSURE_WEIGHTED : 0) | (from->near[r] ? PRESSURE_NEAR : 0));
        to->ghosts = (int)ghosts, to->ghostCount = from->ghostCount;
        to->gain = from->gain;
        memcpy(to->beyond, from->beyond, sizeof to->beyond);
        stageGhosts(from, to, staging.ghosts + ghosts, staging.ghostSources + sources, (int)sources);
        stageLevel(device, from, to, diagonals, &staging);
        rows += count, diagonals += (size_t)from->diagonalCount;
        ghosts += (size_t)from->ghostCount, sources += (size_t)from->ghostSourceCount;
    }
    stageRuns(device, pressure, &staging);
    wbStatus status = copyStaging(device, &staging, &sizes);
    if (wbIsOk(status)) status = placeWeights(device, pressure, &staging);
    wbArena_Release(work->arena, mark);
    WB_TRY(status);
    for (int l = 0; l < device->levelCount; l++)
        WB_TRY(wbGpu_Run(device->gpu, device->kernels.mask, countItems(device, l, device->layout[l].places),
                         WB_GPU_ARGS(LEVEL_ARGS(device, l))));
    return wb_okStatus;
}

wbStatus wbPressureGpu_Upload(wbPressureGpu *device, const wbPressure *pressure) {
    const wbPressureLevel *finest = &pressure->levels[0];
    for (int colour = 0; colour < 2; colour++)
        WB_TRY(wbGpu_UploadAt(device->gpu, &device->values,
                              sizeof(float) * (size_t)device->layout[0].p[colour], finest->p[colour],
                              sizeof(float) * (size_t)finest->total));
    return wb_okStatus;
}

wbStatus wbPressureGpu_Download(wbPressureGpu *device, wbPressure *pressure) {
    const wbPressureLevel *finest = &pressure->levels[0];
    for (int colour = 0; colour < 2; colour++)
        WB_TRY(wbGpu_DownloadAt(device->gpu, &device->values,
                                sizeof(float) * (size_t)device->layout[0].p[colour], finest->b[colour],
                                sizeof(float) * (size_t)finest->total));
    return wb_okStatus;
}

void wbPressureGpu_Take(wbPressure *pressure) {
    const wbPressureLevel *finest = &pressure->levels[0];
    for (int colour = 0; colour < 2; colour++)
        memcpy(finest->p[colour], finest->b[colour], sizeof(float) * (size_t)finest->total);
}

// b

wbStatus wbPressureGpu_FindDivergence(wbPressureGpu *device, const SmokeShape *shape,
                                      const wbGpuBuffer *velocity) {
    return wbGpu_Run(device->gpu, device->kernels.divergence, countItems(device, 0, device->layout[0].places),
                     WB_GPU_ARGS(LEVEL_ARGS(device, 0), WB_GPU_STRUCT(*shape), WB_GPU_BUFFER(*velocity)));
}

wbStatus wbPressureGpu_Expand(wbPressureGpu *device, const SmokeFeed *feed, const wbGpuBuffer *mask) {
    int rows = (feed->end[1] - feed->first[1]) * (feed->end[2] - feed->first[2]);
    return wbGpu_Run(device->gpu, device->kernels.expand,
                     wbCountRowItems(device->gpu, rows, feed->end[0] - feed->first[0]),
                     WB_GPU_ARGS(LEVEL_ARGS(device, 0), WB_GPU_STRUCT(*feed), WB_GPU_BUFFER(*mask)));
}

static int countGroups(const wbPressureGpu *device) {
    const PressureLevel *finest = &device->layout[0];
    return wbCountSumGroups(device->gpu, finest->ny * finest->nz, finest->places);
}

static wbStatus addSums(wbPressureGpu *device, double *sum) {
    float sums[SMOKE_MAX_SUMS];
    int groups = countGroups(device);
    WB_TRY(wbGpu_Download(device->gpu, &device->sums, sums, sizeof(float) * (size_t)groups));
    *sum = 0;
    for (int g = 0; g < groups; g++) *sum += sums[g];
    return wb_okStatus;
}

static wbStatus measure(wbPressureGpu *device, int colours, bool ofB, double *sum) {
    WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.measure, countGroups(device), SMOKE_SUM_GROUP,
                           WB_GPU_ARGS(LEVEL_ARGS(device, 0), WB_GPU_INT(colours), WB_GPU_INT(ofB),
                                       WB_GPU_BUFFER(device->sums))));
    return addSums(device, sum);
}

wbStatus wbPressureGpu_SumSquares(wbPressureGpu *device, double *sum) {
    return measure(device, 2, true, sum);
}

static wbStatus takeMeans(wbPressureGpu *device, bool ofB) {
    int count = device->runCount;
    if (device->partCount == 0) return wb_okStatus;
    WB_TRY(wbGpu_Run(device->gpu, device->kernels.sumRuns, count,
                     WB_GPU_ARGS(LEVEL_ARGS(device, 0), WB_GPU_INT(ofB), WB_GPU_INT(count),
                                 WB_GPU_BUFFER(device->runs), WB_GPU_BUFFER(device->runSums))));
    WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.sumParts, device->partCount, SMOKE_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_BUFFER(device->starts), WB_GPU_BUFFER(device->cells),
                                       WB_GPU_BUFFER(device->runSums), WB_GPU_BUFFER(device->means))));
    return wbGpu_Run(device->gpu, device->kernels.balance, count,
                     WB_GPU_ARGS(LEVEL_ARGS(device, 0), WB_GPU_INT(ofB), WB_GPU_INT(count),
                                 WB_GPU_BUFFER(device->runs), WB_GPU_BUFFER(device->means)));
}

wbStatus wbPressureGpu_Balance(wbPressureGpu *device) { return takeMeans(device, true); }

// The cycle: see pressure.c

static wbStatus smooth(wbPressureGpu *device, int l, int colour, int mode) {
    return wbGpu_Run(device->gpu, device->kernels.smooth, countItems(device, l, device->layout[l].places),
                     WB_GPU_ARGS(LEVEL_ARGS(device, l), WB_GPU_INT(colour), WB_GPU_INT(mode)));
}

static wbStatus relax(wbPressureGpu *device, int colour, float relaxation) {
    return wbGpu_Run(device->gpu, device->kernels.relax, countItems(device, 0, device->layout[0].places),
                     WB_GPU_ARGS(LEVEL_ARGS(device, 0), WB_GPU_INT(colour), WB_GPU_FLOAT(relaxation)));
}

static wbStatus smoothNear(wbPressureGpu *device, int l) {
    for (int n = 0; n < 2 * PRESSURE_NEAR_SWEEPS; n++) WB_TRY(smooth(device, l, n & 1, PRESSURE_SMOOTH_NEAR));
    return wb_okStatus;
}

static wbStatus setGhosts(wbPressureGpu *device, int l, bool fills) {
    const PressureLevel *level = &device->layout[l];
    return wbGpu_Run(device->gpu, device->kernels.ghosts, level->ghostCount,
                     WB_GPU_ARGS(WB_GPU_INT(level->ghosts), WB_GPU_INT(level->ghostCount), WB_GPU_INT(fills),
                                 WB_GPU_BUFFER(device->ghosts), WB_GPU_BUFFER(device->ghostSources),
                                 WB_GPU_BUFFER(device->values)));
}

static wbStatus goDown(wbPressureGpu *device, int l, bool isSlow) {
    const PressureLevel *coarse = &device->layout[l + 1];
    if (l == 0 && isSlow) WB_TRY(smoothNear(device, l));
    WB_TRY(l == 0 ? relax(device, 0, PRESSURE_FIRST_RELAXATION) : smooth(device, l, 0, PRESSURE_START));
    WB_TRY(smooth(device, l, 1, PRESSURE_SMOOTH));
    return wbGpu_Run(device->gpu, device->kernels.restrict_, countItems(device, l + 1, coarse->places),
                     WB_GPU_ARGS(LEVEL_ARGS(device, l), WB_GPU_STRUCT(device->layout[l + 1])));
}

static wbStatus goUp(wbPressureGpu *device, int l, bool isSlow, bool measures) {
    const PressureLevel *level = &device->layout[l];
    WB_TRY(setGhosts(device, l + 1, true));
    WB_TRY(wbGpu_Run(device->gpu, device->kernels.prolong, countItems(device, l, (level->places + 1) / 2),
                     WB_GPU_ARGS(LEVEL_ARGS(device, l), WB_GPU_STRUCT(device->layout[l + 1]))));
    for (int n = 0; n < 2 * pressure_sweeps_up(l, measures); n++)
        WB_TRY(smooth(device, l, n & 1, PRESSURE_SMOOTH));
    if (isSlow) WB_TRY(smoothNear(device, l));
    return setGhosts(device, l + 1, false);
}

static wbStatus runTail(wbPressureGpu *device, bool isClosed, bool isSlow) {
    return wbGpu_RunGroups(device->gpu, device->kernels.tail, 1, PRESSURE_TAIL_GROUP,
                           WB_GPU_ARGS(FIELD_ARGS(device), WB_GPU_BUFFER(device->levels),
                                       WB_GPU_INT(device->tail), WB_GPU_INT(device->levelCount - 1),
                                       WB_GPU_INT(isClosed), WB_GPU_INT(isSlow),
                                       WB_GPU_BUFFER(device->ghosts), WB_GPU_BUFFER(device->ghostSources)));
}

static wbStatus runCycle(wbPressureGpu *device, const wbPressure *pressure, bool measures) {
    bool isSlow = pressure->slowSteps > 0;
    if (device->levelCount == 1) {
        for (int n = 0; n < 2 * PRESSURE_BOTTOM_SWEEPS; n++)
            WB_TRY(smooth(device, 0, n & 1, PRESSURE_SMOOTH));
        return wb_okStatus;
    }
    for (int l = 0; l < device->tail; l++) WB_TRY(goDown(device, l, isSlow));
    WB_TRY(runTail(device, pressure->isClosed, isSlow));
    for (int l = device->tail - 1; l >= 0; l--) WB_TRY(goUp(device, l, isSlow, measures));
    return wb_okStatus;
}

static wbStatus measureRms(wbPressureGpu *device, const wbPressure *pressure, int colours, double *rms) {
    double sum;
    WB_TRY(measure(device, colours, false, &sum));
    *rms = sqrt(sum / fmax(pressure->airCount, 1));
    return wb_okStatus;
}

static wbStatus keepPressure(wbPressureGpu *device) {
    wbGpuBuffer last = device->kept[1];
    device->kept[1] = device->kept[0], device->kept[0] = last;
    return wbGpu_Copy(device->gpu, &device->values, &device->kept[0], getPressureBytes(device));
}

static wbStatus goAlong(wbPressureGpu *device) {
    double sums[PRESSURE_SUMS];
    float shares[2];
    for (int n = 0; n < PRESSURE_SUMS; n++) {
        WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.compare, countGroups(device), SMOKE_SUM_GROUP,
                               WB_GPU_ARGS(LEVEL_ARGS(device, 0), WB_GPU_BUFFER(device->kept[0]),
                                           WB_GPU_BUFFER(device->kept[1]), WB_GPU_INT(n),
                                           WB_GPU_BUFFER(device->sums))));
        WB_TRY(addSums(device, &sums[n]));
    }
    pressure_best_shares(sums, shares);
    return wbGpu_Run(device->gpu, device->kernels.mix, countItems(device, 0, device->layout[0].places),
                     WB_GPU_ARGS(LEVEL_ARGS(device, 0), WB_GPU_BUFFER(device->kept[0]),
                                 WB_GPU_BUFFER(device->kept[1]), WB_GPU_FLOAT(shares[0]),
                                 WB_GPU_FLOAT(shares[1])));
}

static wbStatus clearPressure(wbPressureGpu *device) {
    return wbGpu_Fill(device->gpu, &device->values, 0, getPressureBytes(device));
}

static wbStatus solveByCycles(wbPressureGpu *device, wbPressure *pressure, const wbSmokeParams *params,
                              double before, wbPressureResult *result) {
    double last = before, allowed = params->tolerance * before;
    bool isCentred = false, goesAlong = false;
    int stalls = 0;
    if (pressure->slowSteps > 0) pressure->slowSteps--;
    for (int n = 1; n <= params->maxCycles && result->residual > allowed; n++) {
        bool wentAlong = goesAlong;
        goesAlong = pressure->slowSteps > 0;
        bool mayBeLast = goesAlong || pressure_is_measured(n, pressure->likelyCycles, params->maxCycles);
        if (goesAlong && !wentAlong) WB_TRY(keepPressure(device));
        if (goesAlong) WB_TRY(keepPressure(device));
        WB_TRY(runCycle(device, pressure, mayBeLast));
        result->cycles = n;
        if (!mayBeLast) continue;
        if (goesAlong) WB_TRY(goAlong(device));
        WB_TRY(measureRms(device, pressure, goesAlong ? 2 : 1, &result->residual));
        if (result->residual > PRESSURE_SLOW_RATE * last) pressure->slowSteps = PRESSURE_SLOW_STEPS;
        stalls = result->residual > PRESSURE_STALL_RATE * last ? stalls + 1 : 0;
        if (stalls == PRESSURE_STALLS) break;
        last = result->residual;
        if (isCentred || n < pressure->likelyCycles || result->residual <= allowed) continue;
        WB_TRY(takeMeans(device, false));
        isCentred = true;
    }
    if (result->residual > before) {
        WB_TRY(clearPressure(device));
        result->residual = before;
    }
    pressure->likelyCycles = pressure_likely_cycles(result->cycles, result->residual, allowed);
    return wb_okStatus;
}

static wbStatus solveBySor(wbPressureGpu *device, const wbSmokeParams *params) {
    for (int n = 0; n < 2 * params->sweeps; n++) WB_TRY(relax(device, n & 1, params->relaxation));
    return wb_okStatus;
}

// To and fro between the pressure and its copy. Rows that a solid fills are not written, and must be empty.
static wbStatus solveByJacobi(wbPressureGpu *device, const wbSmokeParams *params) {
    int items = countItems(device, 0, device->layout[0].places);
    WB_TRY(wbGpu_Fill(device->gpu, &device->kept[0], 0, device->kept[0].bytes / 4 * 4));
    for (int n = 0; n < params->sweeps; n++) {
        const wbGpuBuffer *from = n % 2 == 0 ? &device->values : &device->kept[0];
        const wbGpuBuffer *to = n % 2 == 0 ? &device->kept[0] : &device->values;
        WB_TRY(wbGpu_Run(device->gpu, device->kernels.jacobi, items,
                         WB_GPU_ARGS(LEVEL_ARGS(device, 0), WB_GPU_BUFFER(*from), WB_GPU_BUFFER(*to))));
    }
    if (params->sweeps % 2 == 0) return wb_okStatus;
    return wbGpu_Copy(device->gpu, &device->kept[0], &device->values, getPressureBytes(device));
}

static wbStatus solveBySweeps(wbPressureGpu *device, const wbPressure *pressure, const wbSmokeParams *params,
                              double before, wbPressureResult *result) {
    double start;
    WB_TRY(measureRms(device, pressure, 2, &start));
    if (start > before) WB_TRY(clearPressure(device));
    if (params->pressureSolver == wb_pressureSor)
        WB_TRY(solveBySor(device, params));
    else
        WB_TRY(solveByJacobi(device, params));
    result->cycles = params->sweeps;
    return measureRms(device, pressure, 2, &result->residual);
}

wbStatus wbPressureGpu_Solve(wbPressureGpu *device, wbPressure *pressure, const wbSmokeParams *params,
                             double before, wbPressureResult *result) {
    *result = (wbPressureResult){.residual = before};
    if (before == 0) // nothing moves: no pressure
        return clearPressure(device);
    if (params->pressureSolver == wb_pressureMultigrid)
        return solveByCycles(device, pressure, params, before, result);
    return solveBySweeps(device, pressure, params, before, result);
}

wbStatus wbPressureGpu_SubtractGradient(wbPressureGpu *device, const SmokeShape *shape, int axes,
                                        const wbGpuBuffer *velocity) {
    return wbGpu_Run(device->gpu, device->kernels.gradient,
                     wbCountRowItems(device->gpu, (shape->ny + 1) * (shape->nz + 1), shape->nx / 2 + 1),
                     WB_GPU_ARGS(LEVEL_ARGS(device, 0), WB_GPU_STRUCT(*shape), WB_GPU_INT(axes),
                                 WB_GPU_BUFFER(*velocity)));
}

wbStatus wbPressureGpu_FindMaxSpeed(wbPressureGpu *device, const SmokeShape *shape, int axes,
                                    const wbGpuBuffer *velocity, float *maxSpeed) {
    float maxima[SMOKE_MAX_SUMS];
    int groups = wbCountSumGroups(device->gpu, (shape->ny + 1) * (shape->nz + 1), shape->nx + 1);
    WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.speed, groups, SMOKE_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_INT(axes), WB_GPU_BUFFER(*velocity),
                                       WB_GPU_BUFFER(device->sums))));
    WB_TRY(wbGpu_Download(device->gpu, &device->sums, maxima, sizeof(float) * (size_t)groups));
    *maxSpeed = 0;
    for (int g = 0; g < groups; g++) *maxSpeed = fmaxf(*maxSpeed, maxima[g]);
    return wb_okStatus;
}
