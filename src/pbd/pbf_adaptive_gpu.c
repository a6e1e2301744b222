// SPDX-License-Identifier: MIT
#include "pbd/pbf_adaptive_gpu.h"

#include <string.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_step.h"
#include "pbd/pbf_boundary_gpu.h"
#include "pbd/pbf_sized_gpu.h"

extern const char wb_clPbfAdaptive[], wb_clPbfAdaptiveMeasure[];

enum { X = wb_columnX, VX = wb_columnVx, PX = WB_SORTED_COLUMNS };
enum { HASHED = 1, MIXED = 2 };
enum {
    KEYS,
    REORDER,
    WEIGH,
    FIND_LOWEST,
    SOLVE,
    CORRECT,
    CALM,
    SMOOTH,
    TURN,
    MEASURE,
    MARK,
    FIND_DISTANCES,
    RELAX,
    SHIFT,
    CARRY,
    KERNELS
};
static const wbGpuVariantKernel kernels[KERNELS] = {
    [KEYS] = {"sized_keys", 0},   [REORDER] = {"sized_reorder", 0},
    [WEIGH] = {"sized_weigh", 0}, [FIND_LOWEST] = {"sized_find_lowest", MIXED},
    [SOLVE] = {"sized_solve", 0}, [CORRECT] = {"sized_correct", 0},
    [CALM] = {"sized_calm", 0},   [SMOOTH] = {"sized_smooth", 0},
    [TURN] = {"sized_turn", 0},   [MEASURE] = {"sized_measure", 0},
    [MARK] = {"sized_mark", 0},   [FIND_DISTANCES] = {"sized_find_distances", 0},
    [RELAX] = {"sized_relax", 0}, [SHIFT] = {"sized_shift", 0},
    [CARRY] = {"sized_carry", 0}};
static const char *const sources[] = {WB_GPU_SIZED_SOURCES, wb_clPbfAdaptive, wb_clPbfAdaptiveMeasure, NULL};
static const char *const switches[] = {"HASHED", "MIXED", NULL};
const wbGpuVariants wb_sizedProgram = {"pbf adaptive", sources, switches, kernels, KERNELS};

void wbPbfSizes_PutOn(wbPbfSizes *sizes, wbParticlesGpu *device) {
    const wbColumn columns[2 * WB_SIZE_COLUMNS] = {
        [2 * WB_GPU_LEVEL] = {"level", (void **)&sizes->level, 1, true},
        {"backLevel", (void **)&sizes->backLevel, 1, false},
        [2 * WB_GPU_OFFSET] = {"offset", (void **)&sizes->offset, 4, true},
        {"backOffset", (void **)&sizes->backOffset, 4, false},
        [2 * WB_GPU_DISTANCE] = {"distance", (void **)&sizes->distance, 4, true},
        {"backDistance", (void **)&sizes->backDistance, 4, false},
    };
    wbParticlesGpu_SetOwn(device, columns, WB_SIZE_COLUMNS);
}

static wbParticlesGpu *getParticles(const wbSizedStepGpu *step) { return &step->fluid->fluid->particles; }
static wbGpu *getGpu(const wbSizedStepGpu *step) { return step->fluid->fluid->gpu; }

// SIZES of pbf_adaptive_walk.cl
#define SIZES(step)                                                                                          \
    WB_GPU_BUFFER((step)->buffers[wb_sizingBuffer]), WB_GPU_BUFFER(getParticles(step)->ownFront[WB_GPU_LEVEL])
// BOUNDARY of pbf_adaptive.cl
#define BOUNDARY(step)                                                                                       \
    WB_GPU_INT((step)->hasBoundary), WB_GPU_BUFFER3((step)->boundary), WB_GPU_BUFFER((step)->boundary[3]),   \
        WB_GPU_BUFFER((step)->boundary[4])

// Kernels for the cells as they are now, and the numbers that they read.
static wbStatus takeCells(wbSizedStepGpu *step) {
    const bool isHashed = getParticles(step)->cells.grid.hashed;
    const unsigned variant = (isHashed ? HASHED : 0) | (step->fluid->isMixed ? MIXED : 0);
    wbGpuBuffer *buffer = &step->buffers[wb_sizingBuffer];
    WB_TRY(wbGpuVariantSet_Choose(&step->programs[0], getGpu(step), variant, &step->kernels));
    WB_TRY(wbGpuBuffer_Reserve(getGpu(step), buffer, "sizes", sizeof step->sizing));
    return wbGpu_Upload(getGpu(step), buffer, &step->sizing, sizeof step->sizing);
}

wbStatus wbSizedStepGpu_FindOrder(wbSizedStepGpu *step) {
    wbFluidStepGpu *fluid = step->fluid;
    wbGpuBuffer *points = &fluid->front[PX];
    step->sizing.levels = step->model->levels;
    WB_TRY(wbLayOutOctaves(fluid, step->model->h, pbf_octave(PBF_LEVELS - 1, fluid->domain->dimensions) + 1,
                           &step->sizing.octaves));
    WB_TRY(takeCells(step));
    WB_TRY(wbGpu_Run(getGpu(step), step->kernels[KEYS], fluid->search.count,
                     WB_GPU_ARGS(WB_GPU_INT(fluid->search.count), SIZES(step), WB_GPU_BUFFER3(points),
                                 WB_GPU_BUFFER(getParticles(step)->cells.keys))));
    return wbSortByOctaves(fluid, &step->sizing.octaves, points);
}

wbStatus wbSizedStepGpu_TakeOrder(wbSizedStepGpu *step) {
    const wbGpuCells *cells = &getParticles(step)->cells;
    PbfOctaves *octaves = &step->sizing.octaves;
    step->sizing.levels = step->model->levels, octaves->count = 1;
    octaves->cells[0] = cells->cells, octaves->top[0] = step->model->h;
    octaves->firstBucket[0] = 0, octaves->firstBucket[1] = cells->grid.bucketCount;
    return takeCells(step);
}

wbStatus wbSizedStepGpu_SortSizes(wbSizedStepGpu *step) {
    wbParticlesGpu *particles = getParticles(step);
    wbGpuBuffer *front = particles->ownFront, *back = particles->ownBack;
    WB_TRY(wbGpu_Run(getGpu(step), step->kernels[REORDER], step->fluid->search.count,
                     WB_GPU_ARGS(WB_GPU_INT(step->fluid->search.count), WB_GPU_BUFFER(particles->cells.order),
                                 WB_GPU_BUFFER3(front), WB_GPU_BUFFER3(back))));
    for (int k = 0; k < WB_SIZE_COLUMNS; k++) wbGpuBuffer_Swap(&front[k], &back[k]);
    return wb_okStatus;
}

static wbStatus run(const wbSizedStepGpu *step, int kernel, const wbGpuArg *args, int argCount) {
    return wbGpu_RunJoined(getGpu(step), step->kernels[kernel], step->fluid->search.items,
                           WB_GPU_ARGS(WB_GPU_INT(step->fluid->search.count)), args, argCount);
}

wbStatus wbSizedStepGpu_Search(const wbSizedStepGpu *step, wbGpuKernel *kernel, int items,
                               const wbGpuArg *args, int argCount) {
    wbGpuArg all[WB_MAX_GPU_ARGS] = {SIZES(step)};
    WB_ASSERT(argCount + 2 <= WB_MAX_GPU_ARGS, "a kernel has too many arguments");
    memcpy(all + 2, args, sizeof *args * (size_t)argCount);
    return wbGpuSearch_RunItems(&step->fluid->search, kernel, items, all, argCount + 2);
}

static wbStatus search(const wbSizedStepGpu *step, int kernel, const wbGpuArg *args, int argCount) {
    return wbSizedStepGpu_Search(step, step->kernels[kernel], step->fluid->search.items, args, argCount);
}

wbStatus wbSizedStepGpu_FindLowest(wbSizedStepGpu *step) {
    WB_TRY(wbFluidStepGpu_FillRelative(step->fluid));
    if (!step->fluid->isMixed) return wb_okStatus;
    return search(step, FIND_LOWEST,
                  WB_GPU_ARGS(WB_GPU_BUFFER(*step->relative), WB_GPU_BUFFER(*step->lowest)));
}

wbStatus wbSizedStepGpu_Solve(wbSizedStepGpu *step) {
    wbParticlesGpu *particles = getParticles(step);
    return search(step, SOLVE,
                  WB_GPU_ARGS(WB_GPU_STRUCT(*step->move), WB_GPU_BUFFER3(step->places), BOUNDARY(step),
                              WB_GPU_BUFFER(particles->ownFront[WB_GPU_OFFSET]), WB_GPU_BUFFER(*step->lowest),
                              WB_GPU_BUFFER(*step->mu), WB_GPU_BUFFER(particles->front[wb_columnDensity]),
                              WB_GPU_BUFFER(particles->pressure),
                              WB_GPU_BUFFER(step->fluid->fluid->neighbours)));
}

wbStatus wbSizedStepGpu_Correct(wbSizedStepGpu *step) {
    wbGpuBuffer *front = step->fluid->front;
    WB_TRY(search(step, CORRECT,
                  WB_GPU_ARGS(WB_GPU_STRUCT(*step->move), WB_GPU_BUFFER3(step->places), BOUNDARY(step),
                              WB_GPU_BUFFER(*step->relative), WB_GPU_BUFFER(*step->lowest),
                              WB_GPU_BUFFER(*step->mu), WB_GPU_BUFFER3(front + X), WB_GPU_BUFFER3(front + VX),
                              WB_GPU_BUFFER3(step->moved), WB_GPU_BUFFER3(step->corrected))));
    for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&step->places[a], &step->corrected[a]);
    return wb_okStatus;
}

wbStatus wbSizedStepGpu_Smooth(wbSizedStepGpu *step) {
    wbGpuBuffer *velocities = &step->fluid->front[VX];
    const float keep = wbGetOffsetShare(step->model, step->frames);
    WB_TRY(run(step, CALM,
               WB_GPU_ARGS(WB_GPU_STRUCT(step->model->constants), SIZES(step), WB_GPU_FLOAT(keep),
                           WB_GPU_BUFFER(getParticles(step)->ownFront[WB_GPU_OFFSET]),
                           WB_GPU_BUFFER(*step->calming))));
    WB_TRY(search(step, SMOOTH,
                  WB_GPU_ARGS(WB_GPU_BUFFER3(step->places), WB_GPU_BUFFER(*step->relative),
                              WB_GPU_BUFFER(*step->inverse), WB_GPU_BUFFER(*step->calming),
                              WB_GPU_BUFFER3(velocities), WB_GPU_BUFFER3(step->smoothed),
                              WB_GPU_BUFFER3(step->spins), WB_GPU_BUFFER(step->spins[3]))));
    for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&velocities[a], &step->smoothed[a]);
    if (step->model->params.vorticity <= 0) return wb_okStatus;
    return search(step, TURN,
                  WB_GPU_ARGS(WB_GPU_STRUCT(*step->move), WB_GPU_BUFFER3(step->places),
                              WB_GPU_BUFFER(*step->inverse), WB_GPU_BUFFER3(step->spins),
                              WB_GPU_BUFFER(step->spins[3]), WB_GPU_BUFFER3(velocities)));
}

wbStatus wbSizedStepGpu_Weigh(wbSizedStepGpu *step) {
    if (!wbFluidStepGpu_HasCollision(step->fluid)) return wb_okStatus;
    step->fluid->weights = step->weights;
    return run(step, WEIGH,
               WB_GPU_ARGS(SIZES(step), WB_GPU_BUFFER(*step->relative), WB_GPU_BUFFER(*step->weights)));
}

// A look

wbStatus wbSizedStepGpu_Measure(wbSizedStepGpu *step, wbGpuBuffer *density, wbGpuBuffer *gradient) {
    return search(step, MEASURE,
                  WB_GPU_ARGS(WB_GPU_BUFFER3(step->places), BOUNDARY(step), WB_GPU_BUFFER(*density),
                              WB_GPU_BUFFER(*gradient)));
}

wbStatus wbSizedStepGpu_Mark(wbSizedStepGpu *step, const wbGpuBuffer *density, const wbGpuBuffer *gradient,
                             wbGpuBuffer *marks) {
    const PbfSurface surface = wbMakeSurface(step->model);
    return run(step, MARK,
               WB_GPU_ARGS(WB_GPU_STRUCT(surface), WB_GPU_BUFFER(*density), WB_GPU_BUFFER(*gradient),
                           WB_GPU_BUFFER(getParticles(step)->ownFront[WB_GPU_DISTANCE]),
                           WB_GPU_BUFFER(*marks)));
}

wbStatus wbSizedStepGpu_FindDistances(wbSizedStepGpu *step, const wbGpuBuffer *density,
                                      const wbGpuBuffer *marks, wbGpuBuffer *toMarks) {
    const PbfSurface surface = wbMakeSurface(step->model);
    return search(step, FIND_DISTANCES,
                  WB_GPU_ARGS(WB_GPU_STRUCT(surface), WB_GPU_BUFFER3(step->places), WB_GPU_BUFFER(*density),
                              WB_GPU_BUFFER(*marks),
                              WB_GPU_BUFFER(getParticles(step)->ownFront[WB_GPU_DISTANCE]),
                              WB_GPU_BUFFER(*toMarks)));
}

wbStatus wbSizedStepGpu_Relax(wbSizedStepGpu *step, const wbGpuBuffer *before, float most) {
    const float relaxation = step->model->params.omega / (float)step->model->stiffestWave;
    return search(step, RELAX,
                  WB_GPU_ARGS(WB_GPU_FLOAT(relaxation), WB_GPU_FLOAT(most), WB_GPU_BUFFER3(step->places),
                              BOUNDARY(step), WB_GPU_BUFFER(getParticles(step)->ownFront[WB_GPU_DISTANCE]),
                              WB_GPU_BUFFER(*before), WB_GPU_BUFFER(*step->lowest),
                              WB_GPU_BUFFER(*step->mu)));
}

wbStatus wbSizedStepGpu_Shift(wbSizedStepGpu *step, PbfApart apart) {
    WB_TRY(search(step, SHIFT,
                  WB_GPU_ARGS(WB_GPU_STRUCT(*step->move), WB_GPU_STRUCT(apart), WB_GPU_BUFFER3(step->places),
                              BOUNDARY(step), WB_GPU_BUFFER(*step->relative), WB_GPU_BUFFER(*step->lowest),
                              WB_GPU_BUFFER(*step->mu), WB_GPU_BUFFER3(step->corrected))));
    for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&step->places[a], &step->corrected[a]);
    return wb_okStatus;
}

wbStatus wbSizedStepGpu_Carry(wbSizedStepGpu *step, const wbGpuBuffer *density, const wbGpuBuffer *before) {
    const int count = step->fluid->search.count;
    const PbfCarry carry = wbMakeCarry(step->model);
    return wbGpu_Run(getGpu(step), step->kernels[CARRY], count,
                     WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_BUFFER(*density), WB_GPU_BUFFER(*before),
                                 WB_GPU_STRUCT(carry),
                                 WB_GPU_BUFFER(getParticles(step)->ownFront[WB_GPU_OFFSET])));
}

// The host's count of columns, of copies that it needs once after each look.
static wbStatus copyForHead(const wbSizedStepGpu *step, wbParticles *particles, wbPbfSizes *sizes) {
    const wbParticlesGpu *device = getParticles(step);
    wbArena *arena = step->fluid->work->arena;
    const size_t count = (size_t)particles->count;
    struct {
        void **to;
        const wbGpuBuffer *from;
        size_t bytes;
    } const copies[] = {{(void **)&particles->x, &device->front[wb_columnX], 4 * count},
                        {(void **)&particles->y, &device->front[wb_columnY], 4 * count},
                        {(void **)&particles->z, &device->front[wb_columnZ], 4 * count},
                        {(void **)&particles->id, &device->front[wb_columnId], 4 * count},
                        {(void **)&sizes->level, &device->ownFront[WB_GPU_LEVEL], count}};
    for (int k = 0; k < 5; k++) {
        *copies[k].to = wbArena_Alloc(arena, copies[k].bytes + WB_PADDING);
        if (!*copies[k].to)
            return wbMemoryError(step->fluid->work->memory, "the depth of %d particles needs",
                                 particles->count);
        WB_TRY(wbGpu_Download(getGpu(step), copies[k].from, *copies[k].to, copies[k].bytes));
    }
    return wb_okStatus;
}

wbStatus wbSizedStepGpu_FindHead(wbSizedStepGpu *step, double *head) {
    const wbWork *work = step->fluid->work;
    const size_t scratch = wbArena_Mark(work->arena);
    wbPbfSizes *sizes = &step->pbf->sizes, copy = *sizes;
    wbParticles particles = *step->fluid->particles;
    if (!sizes->hasHead) WB_TRY(copyForHead(step, &particles, &copy));
    WB_TRY(wbFindSizedHead(&particles, step->fluid->mixture, &copy, step->model, work, head));
    sizes->hasHead = copy.hasHead, sizes->head = copy.head, sizes->fullHead = copy.fullHead;
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}

// Colliders

static wbBoundaryGpu *getPoints(const wbSizedStepGpu *step) { return &step->fluid->fluid->boundary; }

wbStatus wbSizedStepGpu_PlaceBoundary(wbSizedStepGpu *step) {
    return step->hasBoundary ? wbUploadSunk(step->fluid, &step->buffers[wb_sunkBuffer]) : wb_okStatus;
}

#define SUNK(step) SIZES(step), WB_GPU_BUFFER((step)->buffers[wb_sunkBuffer])

wbStatus wbSizedStepGpu_RunNear(const wbSizedStepGpu *step, int kernel, const wbGpuArg *args, int argCount) {
    wbGpuArg all[WB_MAX_GPU_ARGS] = {SUNK(step)};
    WB_ASSERT(argCount + 3 <= WB_MAX_GPU_ARGS, "a kernel has too many arguments");
    memcpy(all + 3, args, sizeof *args * (size_t)argCount);
    return wbBoundaryGpu_RunAmongPlaces(getPoints(step), kernel, &step->fluid->search, all, argCount + 3);
}

wbStatus wbSizedStepGpu_AddBoundary(wbSizedStepGpu *step) {
    wbGpuBuffer *sums = step->boundary;
    if (!step->hasBoundary) return wb_okStatus;
    WB_TRY(wbFluidStepGpu_Clear(step->fluid, sums, WB_PBF_BOUNDARY_SUMS));
    return wbSizedStepGpu_RunNear(step, wb_sizedBoundaryAdd,
                                  WB_GPU_ARGS(WB_GPU_STRUCT(*step->move), WB_GPU_BUFFER3(step->places),
                                              WB_GPU_BUFFER3(sums), WB_GPU_BUFFER(sums[3]),
                                              WB_GPU_BUFFER(sums[4]),
                                              WB_GPU_BUFFER3(sums + WB_PBF_BOUNDARY_HEADS)));
}

wbStatus wbSizedStepGpu_LeanOnBoundary(wbSizedStepGpu *step) {
    wbGpuBuffer *sums = step->boundary;
    if (!step->hasBoundary) return wb_okStatus;
    return wbBoundaryGpu_RunOverParticles(
        getPoints(step), wb_sizedBoundaryLean, &step->fluid->search,
        WB_GPU_ARGS(SIZES(step), WB_GPU_STRUCT(*step->move), WB_GPU_BUFFER(*step->mu),
                    WB_GPU_BUFFER(*step->pressure), WB_GPU_BUFFER(*step->relative),
                    WB_GPU_BUFFER3(sums + WB_PBF_BOUNDARY_HEADS), WB_GPU_BUFFER3(sums),
                    WB_GPU_BUFFER(sums[WB_PBF_BOUNDARY_LEANS])));
}

wbStatus wbSizedStepGpu_PushBoundary(wbSizedStepGpu *step) {
    const double rate = (double)step->move->rate;
    const float scale = (float)(PBF_BOUNDARY_SHARE * step->model->mass * rate * rate *
                                (double)step->model->constants.mixedGradient);
    if (!step->hasBoundary) return wb_okStatus;
    return wbBoundaryGpu_RunAmongParticles(
        getPoints(step), wb_sizedBoundaryForces, &step->fluid->search,
        WB_GPU_ARGS(SUNK(step), WB_GPU_FLOAT(scale), WB_GPU_STRUCT(*step->move), WB_GPU_BUFFER3(step->places),
                    WB_GPU_BUFFER(*step->mu), WB_GPU_BUFFER(step->boundary[WB_PBF_BOUNDARY_LEANS]),
                    WB_GPU_BUFFER3(getPoints(step)->buffers + wb_placeFx)));
}

// Seven columns, between the iterations and the smoothing; and what colliders added has no reader any more.
wbStatus wbSizedStepGpu_Stick(wbSizedStepGpu *step) {
    wbGpuBuffer *mean = step->smoothed, *normal = step->spins, *means = &step->spins[3];
    const float scale = (float)(step->model->mass * (double)step->move->rate);
    if (!step->hasBoundary || !wbBoundary_HasNoSlip(getPoints(step)->boundary)) return wb_okStatus;
    WB_TRY(wbFluidStepGpu_Clear(step->fluid, mean, 3));
    WB_TRY(wbFluidStepGpu_Clear(step->fluid, normal, 4));
    WB_TRY(wbSizedStepGpu_RunNear(step, wb_sizedBoundaryMean,
                                  WB_GPU_ARGS(WB_GPU_BUFFER3(step->places), WB_GPU_BUFFER3(mean),
                                              WB_GPU_BUFFER(*means), WB_GPU_BUFFER3(normal))));
    WB_TRY(wbBoundaryGpu_RunOverParticles(
        getPoints(step), wb_sizedBoundaryStick, &step->fluid->search,
        WB_GPU_ARGS(SIZES(step), WB_GPU_BUFFER3(mean), WB_GPU_BUFFER(*means), WB_GPU_BUFFER3(normal),
                    WB_GPU_BUFFER3(step->fluid->front + VX), WB_GPU_BUFFER(*step->relative),
                    WB_GPU_BUFFER3(step->boundary))));
    return wbBoundaryGpu_RunAmongParticles(
        getPoints(step), wb_sizedBoundaryDrag, &step->fluid->search,
        WB_GPU_ARGS(SUNK(step), WB_GPU_FLOAT(scale), WB_GPU_BUFFER3(step->places),
                    WB_GPU_BUFFER3(step->boundary), WB_GPU_BUFFER3(getPoints(step)->buffers + wb_placeFx)));
}
