// SPDX-License-Identifier: MIT
// How particles of pbf_thesis.h merge and split on a device, as pbf_thesis_change.c has it on the cores. The host gives places and ids, of what changes.
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_thesis_step.h"
#include "pbd/pbf_thesis_step_gpu.h"
#include "pbd/pbf_wishes.h"
#include "space/spare_ids.h"

enum { X = wb_columnX, VX = wb_columnVx };

// Columns of the sub-step that nothing else reads by then.
static wbGpuBuffer *getColumn(const wbThesisStepGpu *step, int column) { return &step->columns[column]; }
static wbGpuBuffer *getSize(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_SIZE); }
static wbGpuBuffer *getNear2(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_NVX); }
static wbGpuBuffer *getCurl(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_NVX + 1); }
static wbGpuBuffer *getDeepest(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_NVX + 2); }
static wbGpuBuffer *getRadius(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_NX); }
static wbGpuBuffer *getPartner(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_NX + 1); }
static wbGpuBuffer *getNewParts(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_NX + 2); }
static wbGpuBuffer *getLost(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_MARK); }
static wbGpuBuffer *getWidest(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_NVX); }
static wbGpuBuffer *getSlots(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_NVX + 1); }
static wbGpuBuffer *getNewIds(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_NVX + 2); }
static wbGpuBuffer *getPressure(const wbThesisStepGpu *step) { return getColumn(step, WB_THESIS_MARK); }

static int getCount(const wbThesisStepGpu *step) { return step->fluid.search.count; }
static size_t getBytes(const wbThesisStepGpu *step) { return sizeof(float) * (size_t)getCount(step); }

// Sizes

static wbStatus findColliders(wbThesisStepGpu *step, const PbfWishes *wishes) {
    const float far = WB_FAR_COLLIDER * WB_FAR_COLLIDER;
    uint32_t bits;
    memcpy(&bits, &far, sizeof bits);
    WB_TRY(wbGpu_Fill(step->gpu, getNear2(step), bits, getBytes(step)));
    if (wishes->nearColliders <= 0 || !step->hasBoundary) return wb_okStatus;
    return wbThesisStepGpu_FindNearest(step, getNear2(step));
}

static wbStatus lookAround(wbThesisStepGpu *step, const PbfWishes *wishes) {
    const wbGpuBuffer *c = step->columns;
    if (wishes->curl <= 0 && wishes->feature <= 0) return wb_okStatus;
    return wbThesisStepGpu_Search(
        step, wb_thesisLookAround,
        WB_GPU_ARGS(WB_GPU_STRUCT(*wishes), WB_GPU_BUFFER3(c + WB_THESIS_QX),
                    WB_GPU_BUFFER3(step->fluid.front + VX), WB_GPU_BUFFER(c[WB_THESIS_VOLUME]),
                    WB_GPU_BUFFER(c[WB_THESIS_INVERSE]), WB_GPU_BUFFER(step->own[WB_THESIS_DISTANCE]),
                    WB_GPU_BUFFER(*getCurl(step)), WB_GPU_BUFFER(*getDeepest(step))));
}

wbStatus wbThesisStepGpu_TakeWishes(wbThesisStepGpu *step) {
    const PbfWishes wishes = wbThesisModel_GetWishes(step->model);
    WB_TRY(findColliders(step, &wishes));
    WB_TRY(lookAround(step, &wishes));
    return wbFluidStepGpu_Run(
        &step->fluid, wb_thesisWish,
        WB_GPU_ARGS(WB_GPU_STRUCT(wishes), WB_GPU_STRUCT(step->sizing),
                    WB_GPU_BUFFER3(step->columns + WB_THESIS_QX), WB_GPU_BUFFER3(step->fluid.front + VX),
                    WB_GPU_BUFFER(step->own[WB_THESIS_MASS]), WB_GPU_BUFFER(step->own[WB_THESIS_DISTANCE]),
                    WB_GPU_BUFFER(*getNear2(step)), WB_GPU_BUFFER(*getCurl(step)),
                    WB_GPU_BUFFER(*getDeepest(step)), WB_GPU_BUFFER(*getSize(step)),
                    WB_GPU_BUFFER(*getRadius(step))));
}

wbStatus wbThesisStepGpu_Widen(wbThesisStepGpu *step) {
    if (step->sizing.isGeneral)
        WB_TRY(wbThesisStepGpu_Search(
            step, wb_thesisFindWidest,
            WB_GPU_ARGS(WB_GPU_STRUCT(step->sizing), WB_GPU_BUFFER3(step->columns + WB_THESIS_QX),
                        WB_GPU_BUFFER(*getSize(step)), WB_GPU_BUFFER(*getWidest(step)))));
    return wbThesisStepGpu_Run(step, wb_thesisWiden,
                               WB_GPU_ARGS(WB_GPU_STRUCT(step->sizing), WB_GPU_BUFFER(*getSize(step)),
                                           WB_GPU_BUFFER(*getWidest(step)),
                                           WB_GPU_BUFFER(step->own[WB_THESIS_DISTANCE]),
                                           WB_GPU_BUFFER(step->own[WB_THESIS_WIDTH])));
}

// Transfers

static wbStatus startMerges(wbThesisStepGpu *step) {
    const wbGpuBuffer *own = step->own, *ids = &step->fluid.front[wb_columnId];
    WB_TRY(wbThesisStepGpu_Search(
        step, wb_thesisPair,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->sizing), WB_GPU_BUFFER3(step->columns + WB_THESIS_QX),
                    WB_GPU_BUFFER(*ids), WB_GPU_BUFFER(own[WB_THESIS_MASS]),
                    WB_GPU_BUFFER(own[WB_THESIS_ROLE]), WB_GPU_BUFFER(own[WB_THESIS_WIDTH]),
                    WB_GPU_BUFFER(*getSize(step)), WB_GPU_BUFFER(*getRadius(step)),
                    WB_GPU_INT(step->thesis->runs.count), WB_GPU_BUFFER(step->buffers[wb_thesisRuns]),
                    WB_GPU_BUFFER(step->buffers[wb_thesisRunFluids]), WB_GPU_BUFFER(*getPartner(step)))));
    return wbThesisStepGpu_Run(
        step, wb_thesisStartMerges,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->sizing), WB_GPU_BUFFER(*getPartner(step)), WB_GPU_BUFFER(*ids),
                    WB_GPU_BUFFER(own[WB_THESIS_MASS]), WB_GPU_BUFFER(own[WB_THESIS_ROLE]),
                    WB_GPU_BUFFER(own[WB_THESIS_OTHER]), WB_GPU_BUFFER(own[WB_THESIS_LEFT])));
}

// By the host, in double: only where momentum is lost, as in the source.
static wbStatus sumLost(wbThesisStepGpu *step) {
    const wbWork *work = step->fluid.work;
    const size_t scratch = wbArena_Mark(work->arena);
    double sum = 0;
    if (!step->sizing.losesMomentum) return wb_okStatus;
    float *lost = wbArena_Alloc(work->arena, getBytes(step));
    if (!lost) return wbMemoryError(work->memory, "lost momenta of %d particles need", getCount(step));
    WB_TRY(wbGpu_Download(step->gpu, getLost(step), lost, getBytes(step)));
    for (int i = 0; i < getCount(step); i++) sum += (double)lost[i];
    step->thesis->lost += wbThesisModel_GetMass(step->model) * sum;
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}

wbStatus wbThesisStepGpu_Transfer(wbThesisStepGpu *step) {
    wbGpuBuffer *own = step->own;
    WB_TRY(startMerges(step));
    WB_TRY(wbThesisStepGpu_Run(
        step, wb_thesisTransfer,
        WB_GPU_ARGS(WB_GPU_FLOAT(step->move.dt), WB_GPU_STRUCT(step->sizing),
                    WB_GPU_BUFFER3(step->columns + WB_THESIS_QX), WB_GPU_BUFFER3(step->fluid.front + VX),
                    WB_GPU_BUFFER(own[WB_THESIS_MASS]), WB_GPU_BUFFER(own[WB_THESIS_UNITS]),
                    WB_GPU_BUFFER(own[WB_THESIS_ROLE]), WB_GPU_BUFFER(own[WB_THESIS_OTHER]),
                    WB_GPU_BUFFER(own[WB_THESIS_LEFT]), WB_GPU_BUFFER(*getNewParts(step)),
                    WB_GPU_BUFFER(*getLost(step)))));
    wbGpuBuffer_Swap(&own[WB_THESIS_MASS], getNewParts(step));
    return sumLost(step);
}

// Splits and removals

// Whether anything is gone, or would split.
static wbStatus countSlots(wbThesisStepGpu *step, bool *wantsChange) {
    wbGpuBuffer *counters = &step->buffers[wb_thesisCounters];
    uint32_t counts[WB_THESIS_COUNTERS];
    WB_TRY(wbGpu_Fill(step->gpu, counters, 0, sizeof counts));
    WB_TRY(wbThesisStepGpu_Run(
        step, wb_thesisCountSlots,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->sizing), WB_GPU_BUFFER(step->own[WB_THESIS_ROLE]),
                    WB_GPU_BUFFER(step->own[WB_THESIS_MASS]), WB_GPU_BUFFER(*getSize(step)),
                    WB_GPU_BUFFER(*getSlots(step)), WB_GPU_BUFFER(*counters))));
    WB_TRY(wbGpu_Download(step->gpu, counters, counts, sizeof counts));
    *wantsChange = counts[WB_THESIS_GONE] + counts[WB_THESIS_SPLITTING] > 0;
    return wb_okStatus;
}

// Places and ids of what comes of particles; `count`: how many there are then.
static wbStatus takeSlots(wbThesisStepGpu *step, int *count, bool *hasChanged) {
    const wbWork *work = step->fluid.work;
    wbThesis *t = step->thesis;
    const size_t bytes = getBytes(step), room = bytes + sizeof(int), scratch = wbArena_Mark(work->arena);
    uint32_t *ids = wbArena_Alloc(work->arena, room), *newIds = wbArena_Alloc(work->arena, room);
    int *slots = wbArena_Alloc(work->arena, room);
    if (!ids || !newIds || !slots)
        return wbMemoryError(work->memory, "merges and splits of %d particles need", getCount(step));
    memset(newIds, 0, room);
    WB_TRY(wbGpu_Download(step->gpu, getSlots(step), slots, bytes));
    WB_TRY(wbGpu_Download(step->gpu, &step->fluid.front[wb_columnId], ids, bytes));
    WB_TRY(wbKeptIds_Keep(&t->hostIds, work->memory, &t->spare));
    WB_TRY(wbThesis_TakeSlots(t, work, ids, getCount(step), step->model->params.limit, slots, newIds,
                              hasChanged));
    *count = slots[getCount(step)];
    WB_TRY(wbGpu_Upload(step->gpu, getSlots(step), slots, room));
    WB_TRY(wbGpu_Upload(step->gpu, getNewIds(step), newIds, bytes));
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}

// What so many particles are written to.
static wbStatus reserveTargets(wbThesisStepGpu *step, int count) {
    wbParticlesGpu *particles = &step->device->particles;
    const size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING);
    for (int k = 0; k < WB_SORTED_COLUMNS; k++)
        WB_TRY(wbGpuBuffer_Reserve(step->gpu, &particles->back[k], "particles", bytes));
    for (int k = 0; k < WB_THESIS_COLUMNS; k++)
        WB_TRY(wbGpuBuffer_Reserve(step->gpu, &particles->ownBack[k], "sizes", bytes));
    WB_TRY(wbGpuBuffer_Reserve(step->gpu, getPressure(step), "pressures", bytes));
    for (int a = 0; a < 3 && wbFluidStepGpu_HasCollision(&step->fluid); a++)
        WB_TRY(wbGpuBuffer_Reserve(step->gpu, &step->device->before[a], "positions before", bytes));
    return wb_okStatus;
}

// COLUMNS of pbf_thesis_change.cl
#define COLUMNS(columns, pressure, own)                                                                      \
    WB_GPU_BUFFER3((columns) + X), WB_GPU_BUFFER3((columns) + VX), WB_GPU_BUFFER((columns)[wb_columnId]),    \
        WB_GPU_BUFFER((columns)[wb_columnDensity]), WB_GPU_BUFFER(pressure), WB_GPU_BUFFER3(own),            \
        WB_GPU_BUFFER3((own) + 3), WB_GPU_BUFFER((own)[6]), WB_GPU_BUFFER((own)[7])

static wbStatus apply(wbThesisStepGpu *step) {
    wbParticlesGpu *p = &step->device->particles;
    const bool hasFrom = wbFluidStepGpu_HasCollision(&step->fluid);
    wbGpuBuffer *from = hasFrom ? step->device->before : &step->columns[WB_THESIS_NX];
    WB_TRY(wbThesisStepGpu_Run(
        step, wb_thesisApply,
        WB_GPU_ARGS(
            WB_GPU_STRUCT(step->move), WB_GPU_STRUCT(step->sizing), WB_GPU_BUFFER(*getSlots(step)),
            WB_GPU_BUFFER(*getNewIds(step)), WB_GPU_BUFFER3(step->columns + WB_THESIS_GRADIENT),
            WB_GPU_BUFFER3(step->columns + WB_THESIS_INSET), COLUMNS(p->front, p->pressure, p->ownFront),
            COLUMNS(p->back, *getPressure(step), p->ownBack), WB_GPU_INT(hasFrom), WB_GPU_BUFFER3(from))));
    for (int k = 0; k < WB_SORTED_COLUMNS; k++) wbGpuBuffer_Swap(&p->front[k], &p->back[k]);
    for (int k = 0; k < WB_THESIS_COLUMNS; k++) wbGpuBuffer_Swap(&p->ownFront[k], &p->ownBack[k]);
    wbGpuBuffer_Swap(&p->pressure, getPressure(step));
    return wb_okStatus;
}

// Room for so many from now on, on the host too, which may ask for them.
static wbStatus setCount(wbThesisStepGpu *step, int count) {
    wbFluidStepGpu *fluid = &step->fluid;
    const SpaceSides sides = fluid->search.space.sides; // at the end of the sub-step
    WB_TRY(wbParticles_Reserve(fluid->particles, fluid->work->memory, count));
    WB_TRY(wbThesis_Reserve(step->thesis, fluid->work->memory, count));
    fluid->particles->count = count;
    WB_TRY(wbThesisStepGpu_Reserve(step));
    fluid->search.space.sides = sides;
    return wbFluidStepGpu_FillRelative(fluid);
}

wbStatus wbThesisStepGpu_Change(wbThesisStepGpu *step) {
    bool wantsChange, hasChanged = false;
    int count = 0;
    WB_TRY(countSlots(step, &wantsChange));
    if (!wantsChange) return wb_okStatus;
    WB_TRY(takeSlots(step, &count, &hasChanged));
    if (!hasChanged) return wb_okStatus;
    WB_TRY(reserveTargets(step, count));
    WB_TRY(apply(step));
    WB_TRY(setCount(step, count));
    return wbThesisStepGpu_Collide(step, wb_atEnd);
}
