// SPDX-License-Identifier: MIT
// A look at all particles on a device, as pbf_adaptive_look.c on the cores: the device measures, chooses and changes particles, the host gives places
// and ids, of what changes.
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_gpu.h"
#include "pbd/pbf_adaptive_strays.h"
#include "pbd/pbf_boundary_gpu.h"
#include "pbd/pbf_sized_gpu.h"
#include "pbd/pbf_wishes.h"
#include "space/spare_ids.h"

extern const char wb_clPbfAdaptiveLook[], wb_clPbfWishesConstants[], wb_clPbfWishesFormula[];

enum { X = wb_columnX, VX = wb_columnVx, PX = WB_SORTED_COLUMNS };
enum { HASHED = 1 };
enum { AROUND, CHOOSE, LEAVE, COUNT_UNKNOWN, COUNT_VARIED, PAIR, COUNT_SLOTS, FIND_ROOM, APPLY, KERNELS };
static const wbGpuVariantKernel kernels[KERNELS] = {[AROUND] = {"look_around", 0},
                                                    [CHOOSE] = {"look_choose", 0},
                                                    [LEAVE] = {"look_leave", 0},
                                                    [COUNT_UNKNOWN] = {"look_count_unknown", 0},
                                                    [COUNT_VARIED] = {"look_count_varied", 0},
                                                    [PAIR] = {"look_pair", 0},
                                                    [COUNT_SLOTS] = {"look_count_slots", 0},
                                                    [FIND_ROOM] = {"look_find_room", 0},
                                                    [APPLY] = {"look_apply", 0}};
// REAL is a float on CPUs too: what one particle looks for is not what the next one does
static const char oneLane[] = "#undef WB_LANES\n#define WB_LANES 1\n";
static const char *const sources[] = {
    oneLane, WB_GPU_SIZED_SOURCES, wb_clPbfWishesConstants, wb_clPbfWishesFormula, wb_clPbfAdaptiveLook,
    NULL};
static const char *const switches[] = {"HASHED", NULL};
const wbGpuVariants wb_lookProgram = {"pbf look", sources, switches, kernels, KERNELS};

// Counters, as in pbf_adaptive_look.cl.
enum {
    WANTED_LEVELS = PBF_LEVELS + 2,
    WISHES = PBF_LEVELS * WANTED_LEVELS,
    UNKNOWN = WISHES + 3,
    VARIED,
    COUNTERS
};

// Columns of the sub-step that nothing reads any more.
typedef struct Look {
    wbSizedStepGpu *step;
    wbParticlesGpu *particles;
    wbGpu *gpu;
    wbGpuBuffer *measured, *gradient;
    wbGpuBuffer *before;         // density over which the constraint pushed, of those that are there then
    wbGpuBuffer *marks[2];       // distances, negative where it looks like a surface
    wbGpuBuffer *curl, *deepest; // then what is around particles, if wishes ask for it
    wbGpuBuffer *sizes, *near2;  // that particles should have; squared distance to colliders
    wbGpuBuffer *wish, *partner;
    wbGpuBuffer *slots, *newIds; // first places of what comes of particles; ids of second halves
    wbGpuBuffer *pressure;
    wbGpuBuffer *counters, *rooms;
    PbfTargets targets;
    bool fills;
    int stride; // of rooms
    wbSizeChanges changes;
} Look;

static Look makeLook(wbSizedStepGpu *step, bool fills) {
    return (Look){.step = step,
                  .particles = &step->fluid->fluid->particles,
                  .gpu = step->fluid->fluid->gpu,
                  .measured = &step->moved[0],
                  .gradient = &step->moved[1],
                  .before = &step->moved[2],
                  .marks = {&step->spins[0], &step->spins[1]},
                  .curl = &step->spins[0],
                  .deepest = &step->spins[1],
                  .sizes = &step->spins[2],
                  .near2 = &step->spins[3],
                  .wish = &step->smoothed[0],
                  .partner = &step->smoothed[1],
                  .slots = &step->smoothed[2],
                  .newIds = &step->corrected[0],
                  .pressure = step->inverse,
                  .counters = &step->buffers[wb_countersBuffer],
                  .rooms = &step->buffers[wb_roomsBuffer],
                  .targets = wbMakeTargets(step->model, step->fluid->domain, fills),
                  .fills = fills};
}

static int getCount(const Look *look) { return look->step->fluid->search.count; }
static size_t getBytes(const Look *look) { return sizeof(float) * (size_t)getCount(look); }
static wbGpuBuffer *getOwn(const Look *look, int column) { return &look->particles->ownFront[column]; }

// One item for each particle.
static wbStatus run(const Look *look, int kernel, const wbGpuArg *args, int argCount) {
    return wbGpu_RunJoined(look->gpu, look->step->lookKernels[kernel], getCount(look),
                           WB_GPU_ARGS(WB_GPU_INT(getCount(look))), args, argCount);
}
static wbStatus search(const Look *look, int kernel, const wbGpuArg *args, int argCount) {
    return wbSizedStepGpu_Search(look->step, look->step->lookKernels[kernel], getCount(look), args, argCount);
}

static wbStatus chooseKernels(Look *look) {
    return wbGpuVariantSet_Choose(&look->step->programs[1], look->gpu,
                                  look->particles->cells.grid.hashed ? HASHED : 0, &look->step->lookKernels);
}

static wbStatus takeCounter(const Look *look, int counter, uint32_t *value) {
    return wbGpu_DownloadAt(look->gpu, look->counters, sizeof *value * (size_t)counter, value, sizeof *value);
}

static wbStatus clearCounters(const Look *look) {
    return wbGpu_Fill(look->gpu, look->counters, 0, sizeof(uint32_t) * COUNTERS);
}

static wbStatus measure(Look *look) {
    WB_TRY(wbSizedStepGpu_AddBoundary(look->step));
    return wbSizedStepGpu_Measure(look->step, look->measured, look->gradient);
}

// Distances from those of the last look, one neighbourhood farther. At first from nothing, as far as they go.
static wbStatus findDistances(Look *look) {
    enum { AT_FIRST = 16 };
    const bool isFirst = look->step->pbf->sizes.looks == 0;
    uint32_t unknown = UINT32_MAX, before;
    WB_TRY(wbSizedStepGpu_Mark(look->step, look->measured, look->gradient, look->marks[0]));
    do {
        before = unknown, unknown = 0;
        for (int k = 0; k < (isFirst ? AT_FIRST : 1); k++)
            WB_TRY(wbSizedStepGpu_FindDistances(look->step, look->measured, look->marks[k % 2],
                                                look->marks[1 - k % 2]));
        if (!isFirst) return wb_okStatus;
        WB_TRY(clearCounters(look));
        WB_TRY(
            run(look, COUNT_UNKNOWN,
                WB_GPU_ARGS(WB_GPU_BUFFER(*getOwn(look, WB_GPU_DISTANCE)), WB_GPU_BUFFER(*look->counters))));
        WB_TRY(takeCounter(look, UNKNOWN, &unknown));
    } while (unknown > 0 && unknown < before);
    return wb_okStatus;
}

static wbStatus findColliders(Look *look, const PbfWishes *wishes) {
    const float far = WB_FAR_COLLIDER * WB_FAR_COLLIDER;
    uint32_t bits;
    memcpy(&bits, &far, sizeof bits);
    WB_TRY(wbGpu_Fill(look->gpu, look->near2, bits, getBytes(look)));
    if (wishes->nearColliders <= 0 || !look->step->hasBoundary) return wb_okStatus;
    return wbSizedStepGpu_RunNear(
        look->step, wb_sizedBoundaryNearest,
        WB_GPU_ARGS(WB_GPU_BUFFER3(look->step->places), WB_GPU_BUFFER(*look->near2)));
}

static wbStatus lookAround(Look *look, const PbfWishes *wishes) {
    if (wishes->curl <= 0 && wishes->feature <= 0) return wb_okStatus;
    return search(look, AROUND,
                  WB_GPU_ARGS(WB_GPU_STRUCT(*wishes), WB_GPU_BUFFER3(look->step->places),
                              WB_GPU_BUFFER3(look->particles->front + VX),
                              WB_GPU_BUFFER(*getOwn(look, WB_GPU_DISTANCE)), WB_GPU_BUFFER(*look->curl),
                              WB_GPU_BUFFER(*look->deepest)));
}

// Whether anything wants to change.
static wbStatus choose(Look *look, bool *wantsChange) {
    wbPbfSizes *sizes = &look->step->pbf->sizes;
    const wbPbfModel *model = look->step->model;
    const PbfWishes wishes =
        wbMakePbfWishes(&model->adaptive, model->levels.radius[0], model->domain->dimensions);
    uint32_t counters[COUNTERS];
    int64_t fine = 0, wanted = 0;
    WB_TRY(findColliders(look, &wishes));
    WB_TRY(lookAround(look, &wishes));
    WB_TRY(clearCounters(look));
    WB_TRY(run(
        look, CHOOSE,
        WB_GPU_ARGS(WB_GPU_STRUCT(wishes), WB_GPU_STRUCT(look->targets),
                    WB_GPU_BUFFER(*getOwn(look, WB_GPU_LEVEL)), WB_GPU_BUFFER3(look->particles->front + X),
                    WB_GPU_BUFFER3(look->particles->front + VX), WB_GPU_BUFFER(*getOwn(look, WB_GPU_OFFSET)),
                    WB_GPU_BUFFER(*getOwn(look, WB_GPU_DISTANCE)), WB_GPU_BUFFER(*look->near2),
                    WB_GPU_BUFFER(*look->curl), WB_GPU_BUFFER(*look->deepest), WB_GPU_BUFFER(*look->sizes),
                    WB_GPU_BUFFER(*look->wish), WB_GPU_BUFFER(*look->counters))));
    WB_TRY(wbGpu_Download(look->gpu, look->counters, counters, sizeof counters));
    for (int level = 0; level < PBF_LEVELS; level++)
        for (int l = 0; l < WANTED_LEVELS; l++) {
            const int64_t particles = counters[level * WANTED_LEVELS + l];
            fine += particles << level;
            if (particles > 0) wanted += particles << (level + 16 - l);
        }
    *wantsChange = counters[WISHES + PBF_MERGE] + counters[WISHES + PBF_SPLIT] > 0;
    if (wbPbfSizes_Weigh(sizes, fine, wanted)) return wb_okStatus;
    *wantsChange = sizes->varied;
    return run(look, LEAVE,
               WB_GPU_ARGS(WB_GPU_BUFFER(*getOwn(look, WB_GPU_LEVEL)), WB_GPU_BUFFER(*look->wish)));
}

// A copy of a device's column, of elements of so many bytes.
static wbStatus fetch(const Look *look, const wbGpuBuffer *from, size_t element, void *to) {
    const wbWork *work = look->step->fluid->work;
    const size_t bytes = element * (size_t)getCount(look);
    void *copy = wbArena_Alloc(work->arena, bytes + WB_PADDING);
    if (!copy) return wbMemoryError(work->memory, "merges and splits of %d particles need", getCount(look));
    memcpy(to, &copy, sizeof copy);
    return wbGpu_Download(look->gpu, from, copy, bytes);
}

// By the host: there are few, and they look far.
static wbStatus pairStrays(Look *look) {
    const wbSizedStepGpu *step = look->step;
    const wbPbfSizes *sizes = &step->pbf->sizes;
    const wbGpuBuffer *front = look->particles->front;
    wbStrays strays = {
        .count = getCount(look), .targets = &look->targets, .runs = &sizes->runs, .h = step->model->h};
    if (!wbMayStraysMeet(step->model, sizes, wbFluidStepGpu_HasCollision(step->fluid))) return wb_okStatus;
    WB_TRY(fetch(look, look->partner, sizeof(int), &strays.partner));
    WB_TRY(fetch(look, look->sizes, sizeof(float), &strays.target));
    WB_TRY(fetch(look, getOwn(look, WB_GPU_LEVEL), 1, &strays.level));
    if (wbStrays_Count(&strays) < 2) return wb_okStatus;
    for (int a = 0; a < 3; a++) WB_TRY(fetch(look, &step->places[a], sizeof(float), &strays.x[a]));
    WB_TRY(fetch(look, &front[wb_columnId], sizeof(uint32_t), &strays.ids));
    WB_TRY(wbStrays_Pair(&strays, step->fluid->work));
    return wbGpu_Upload(look->gpu, look->partner, strays.partner, getBytes(look));
}

static wbStatus pairUp(Look *look) {
    const wbGpuBuffer *ids = &look->particles->front[wb_columnId];
    wbGpuBuffer *buffers = look->step->buffers;
    WB_TRY(wbUploadRuns(look->gpu, &look->step->pbf->sizes.runs, &buffers[wb_runsBuffer],
                        &buffers[wb_runFluidsBuffer]));
    WB_TRY(search(look, PAIR,
                  WB_GPU_ARGS(WB_GPU_STRUCT(look->targets), WB_GPU_BUFFER3(look->step->places),
                              WB_GPU_BUFFER(*ids), WB_GPU_BUFFER(*look->wish), WB_GPU_BUFFER(*look->sizes),
                              WB_GPU_INT(look->step->pbf->sizes.runs.count),
                              WB_GPU_BUFFER(buffers[wb_runsBuffer]),
                              WB_GPU_BUFFER(buffers[wb_runFluidsBuffer]), WB_GPU_BUFFER(*look->partner))));
    WB_TRY(pairStrays(look));
    return run(look, COUNT_SLOTS,
               WB_GPU_ARGS(WB_GPU_BUFFER(*ids), WB_GPU_BUFFER(*look->wish), WB_GPU_BUFFER(*look->partner),
                           WB_GPU_BUFFER(*look->slots)));
}

// Places and ids of what comes of particles: by the host, which has the ids that are free.
static wbStatus takeSlots(Look *look) {
    const wbWork *work = look->step->fluid->work;
    const size_t bytes = getBytes(look), room = bytes + 4;
    wbSizeChanges *changes = &look->changes;
    uint32_t *ids = wbArena_Alloc(work->arena, room), *newIds = wbArena_Alloc(work->arena, room);
    int *slots = wbArena_Alloc(work->arena, room);
    float *distances = wbArena_Alloc(work->arena, room);
    if (!ids || !newIds || !slots || !distances)
        return wbMemoryError(work->memory, "merges and splits of %d particles need", getCount(look));
    memset(newIds, 0, room);
    *changes = (wbSizeChanges){.count = getCount(look),
                               .ids = ids,
                               .distances = distances,
                               .limit = look->step->model->adaptive.limit,
                               .slots = slots,
                               .newIds = newIds};
    WB_TRY(wbGpu_Download(look->gpu, look->slots, slots, bytes));
    WB_TRY(wbGpu_Download(look->gpu, &look->particles->front[wb_columnId], ids, bytes));
    if (changes->limit > 0)
        WB_TRY(wbGpu_Download(look->gpu, getOwn(look, WB_GPU_DISTANCE), distances, bytes));
    wbPbfSizes *sizes = &look->step->pbf->sizes;
    WB_TRY(wbKeptIds_Keep(&sizes->hostIds, work->memory, &sizes->spare));
    WB_TRY(wbPbfSizes_TakeSlots(sizes, work, changes));
    WB_TRY(wbGpu_Upload(look->gpu, look->slots, slots, room));
    return wbGpu_Upload(look->gpu, look->newIds, newIds, bytes);
}

// Where halves have room.
static wbStatus findRooms(Look *look) {
    look->stride = wbPadCount(getCount(look)) + WB_PADDING;
    const size_t axes = (size_t)pbf_count_axes(look->step->model->domain->dimensions);
    WB_TRY(wbGpuBuffer_Reserve(look->gpu, look->rooms, "room for halves",
                               sizeof(float) * axes * (size_t)look->stride));
    if (look->changes.splits == 0) return wb_okStatus;
    WB_TRY(search(look, FIND_ROOM,
                  WB_GPU_ARGS(WB_GPU_BUFFER3(look->step->places), WB_GPU_BUFFER(*look->slots),
                              WB_GPU_INT(look->stride), WB_GPU_BUFFER(*look->rooms))));
    if (!look->step->hasBoundary) return wb_okStatus;
    return wbSizedStepGpu_RunNear(look->step, wb_sizedBoundaryRoom,
                                  WB_GPU_ARGS(WB_GPU_BUFFER3(look->step->places), WB_GPU_BUFFER(*look->slots),
                                              WB_GPU_INT(look->stride), WB_GPU_BUFFER(*look->rooms)));
}

// What so many particles are written to.
static wbStatus reserveTargets(Look *look, int count) {
    wbFluidGpu *fluid = look->step->fluid->fluid;
    const size_t values = (size_t)wbPadCount(count) + WB_PADDING, bytes = sizeof(float) * values;
    for (int k = 0; k < WB_SORTED_COLUMNS; k++)
        WB_TRY(wbGpuBuffer_Reserve(look->gpu, &look->particles->back[k], "particles", bytes));
    for (int k = 0; k < WB_SIZE_COLUMNS; k++)
        WB_TRY(wbGpuBuffer_Reserve(look->gpu, &look->particles->ownBack[k], "sizes", bytes));
    WB_TRY(wbGpuBuffer_Reserve(look->gpu, look->before, "densities before", bytes));
    WB_TRY(wbGpuBuffer_Reserve(look->gpu, look->pressure, "pressures", bytes));
    for (int a = 0; a < 3 && wbFluidStepGpu_HasCollision(look->step->fluid); a++)
        WB_TRY(wbGpuBuffer_Reserve(look->gpu, &fluid->before[a], "positions before", bytes));
    return wb_okStatus;
}

// HERD of pbf_adaptive_look.cl
#define HERD(columns, pressure, own)                                                                         \
    WB_GPU_BUFFER3((columns) + X), WB_GPU_BUFFER3((columns) + VX), WB_GPU_BUFFER((columns)[wb_columnId]),    \
        WB_GPU_BUFFER((columns)[wb_columnDensity]), WB_GPU_BUFFER(pressure), WB_GPU_BUFFER3(own)

static wbStatus apply(Look *look) {
    wbSizedStepGpu *step = look->step;
    wbParticlesGpu *p = look->particles;
    const bool hasFrom = wbFluidStepGpu_HasCollision(step->fluid);
    wbGpuBuffer *from = hasFrom ? step->fluid->fluid->before : step->boundary;
    WB_TRY(
        run(look, APPLY,
            WB_GPU_ARGS(WB_GPU_STRUCT(step->move->room), WB_GPU_BUFFER(step->buffers[wb_sizingBuffer]),
                        WB_GPU_INT(look->fills), WB_GPU_BUFFER(*look->slots), WB_GPU_BUFFER(*look->partner),
                        WB_GPU_BUFFER(*look->newIds), WB_GPU_BUFFER(*look->rooms), WB_GPU_INT(look->stride),
                        WB_GPU_BUFFER(*look->measured), HERD(p->front, p->pressure, p->ownFront),
                        HERD(p->back, *look->pressure, p->ownBack), WB_GPU_BUFFER(*look->before),
                        WB_GPU_INT(hasFrom), WB_GPU_BUFFER3(from))));
    for (int k = 0; k < WB_SORTED_COLUMNS; k++) wbGpuBuffer_Swap(&p->front[k], &p->back[k]);
    for (int k = 0; k < WB_SIZE_COLUMNS; k++) wbGpuBuffer_Swap(&p->ownFront[k], &p->ownBack[k]);
    return wb_okStatus;
}

// Room for so many from now on, on the host too, which may ask for them.
static wbStatus setCount(Look *look, int count) {
    wbSizedStepGpu *step = look->step;
    wbFluidStepGpu *fluid = step->fluid;
    const SpaceSides sides = fluid->search.space.sides; // at the end of the sub-step
    WB_TRY(wbParticles_Reserve(fluid->particles, fluid->work->memory, count));
    WB_TRY(wbPbfSizes_Reserve(&step->pbf->sizes, fluid->work->memory, count));
    fluid->particles->count = count;
    WB_TRY(wbFluidStepGpu_Reserve(fluid, step->terms, step->extra,
                                  wbPbfModel_GetBoundaryKernel(step->model, true, fluid->work->simd)));
    fluid->search.space.sides = sides;
    return wb_okStatus;
}

// What merges across a thin collider, or splits into it, is put back.
static wbStatus stayOutside(Look *look) {
    if (!wbFluidStepGpu_HasCollision(look->step->fluid)) return wb_okStatus;
    WB_TRY(wbFluidStepGpu_FillRelative(look->step->fluid));
    WB_TRY(wbSizedStepGpu_Weigh(look->step));
    return wbFluidStepGpu_Collide(look->step->fluid, wb_atEnd, wb_atEnd, true);
}

// Pressures and densities of before go along with the particles; the latter stand in the first of the marks then.
static wbStatus sortMore(Look *look) {
    wbGpuBuffer from[2] = {*look->pressure, *look->before},
                to[2] = {look->particles->pressure, *look->marks[0]};
    WB_TRY(wbGpuCells_Reorder(&look->particles->cells, getCount(look), from, to, 2));
    look->before = look->marks[0];
    return wb_okStatus;
}

// Particles in the order of their cells where they are.
static wbStatus findNeighbours(Look *look) {
    wbSizedStepGpu *step = look->step;
    wbFluidStepGpu *fluid = step->fluid;
    WB_TRY(wbFluidStepGpu_Copy(fluid, fluid->front + X, fluid->front + PX, 3));
    WB_TRY(wbSizedStepGpu_FindOrder(step));
    WB_TRY(chooseKernels(look));
    if (step->hasBoundary) {
        WB_TRY(wbBoundaryGpu_Place(&fluid->fluid->boundary, fluid->work, wb_atEnd));
        WB_TRY(wbFluidStepGpu_BuildBoundary(fluid,
                                            (fluid->isMixed ? WB_MIXED_BOUNDARY : 0) | WB_SIZED_BOUNDARY));
        WB_TRY(wbSizedStepGpu_PlaceBoundary(step));
    }
    WB_TRY(wbFluidStepGpu_Sort(fluid, WB_GPU_SORTED));
    WB_TRY(wbSizedStepGpu_SortSizes(step));
    WB_TRY(wbFluidStepGpu_Copy(fluid, fluid->front + X, step->places, 3));
    return wbSizedStepGpu_FindLowest(step);
}

// See pbf_adaptive_look.c.
static wbStatus relax(Look *look) {
    wbSizedStepGpu *step = look->step;
    const int count = wbCountRelaxations(step->model, look->fills);
    const PbfApart apart = wbMakeRelaxApart(step->model, look->fills);
    for (int k = 0; k < count; k++) {
        WB_TRY(wbSizedStepGpu_AddBoundary(step));
        WB_TRY(wbSizedStepGpu_Relax(step, look->before, wbGetRelaxMost(look->fills)));
        WB_TRY(wbSizedStepGpu_Shift(step, apart));
    }
    return wb_okStatus;
}

// What is still off becomes the rest offset, and particles are where they were relaxed to.
static wbStatus carry(Look *look) {
    wbFluidStepGpu *fluid = look->step->fluid;
    WB_TRY(measure(look));
    WB_TRY(wbSizedStepGpu_Carry(look->step, look->measured, look->before));
    if (wbFluidStepGpu_HasCollision(fluid))
        WB_TRY(wbFluidStepGpu_Copy(fluid, fluid->front + X, fluid->fluid->before, 3));
    return wbFluidStepGpu_Copy(fluid, look->step->places, fluid->front + X, 3);
}

static wbStatus findVariety(Look *look) {
    wbPbfSizes *sizes = &look->step->pbf->sizes;
    wbGpuBuffer *offsets = getOwn(look, WB_GPU_OFFSET);
    uint32_t varied;
    WB_TRY(clearCounters(look));
    WB_TRY(run(look, COUNT_VARIED,
               WB_GPU_ARGS(WB_GPU_BUFFER(*getOwn(look, WB_GPU_LEVEL)), WB_GPU_BUFFER(*offsets),
                           WB_GPU_BUFFER(*look->counters))));
    WB_TRY(takeCounter(look, VARIED, &varied));
    sizes->varied = varied > 0;
    return varied > 0 ? wb_okStatus : wbGpu_Fill(look->gpu, offsets, 0, getBytes(look));
}

static wbStatus change(Look *look) {
    WB_TRY(pairUp(look));
    WB_TRY(takeSlots(look));
    const wbSizeChanges *changes = &look->changes;
    // what is filled is relaxed also when nothing merges any more
    const bool isMoved =
        changes->merges + changes->splits > 0 || (look->fills && look->step->pbf->sizes.varied);
    if (!isMoved) return wb_okStatus;
    WB_TRY(findRooms(look));
    WB_TRY(reserveTargets(look, changes->slots[changes->count]));
    WB_TRY(apply(look));
    WB_TRY(setCount(look, changes->slots[changes->count]));
    WB_TRY(wbFluidStepGpu_ClearForces(look->step->fluid));
    WB_TRY(stayOutside(look));
    WB_TRY(findNeighbours(look));
    WB_TRY(sortMore(look));
    WB_TRY(relax(look));
    WB_TRY(carry(look));
    WB_TRY(stayOutside(look));
    return wbFluidStepGpu_TakeImpulses(look->step->fluid, wb_atEnd, 0, look->step->model->mass);
}

static wbStatus lookAt(Look *look) {
    wbSizedStepGpu *step = look->step;
    const size_t scratch = wbArena_Mark(step->fluid->work->arena);
    bool wantsChange;
    WB_TRY(wbGpuBuffer_Reserve(look->gpu, look->counters, "counters", sizeof(uint32_t) * COUNTERS));
    WB_TRY(chooseKernels(look));
    WB_TRY(wbFluidStepGpu_Copy(step->fluid, step->fluid->front + X, step->places, 3));
    WB_TRY(measure(look));
    // see wbLook_Run
    if (!look->fills || step->pbf->sizes.looks == 0) WB_TRY(findDistances(look));
    step->pbf->sizes.looks++, step->pbf->sizes.hasHead = 0;
    WB_TRY(choose(look, &wantsChange));
    if (wantsChange || look->fills) WB_TRY(change(look));
    wbArena_Release(step->fluid->work->arena, scratch);
    return findVariety(look);
}

wbStatus wbSizedStepGpu_Look(wbSizedStepGpu *step) {
    Look look = makeLook(step, false);
    return lookAt(&look);
}

// A round of merges, of particles that are nowhere sorted yet.
static wbStatus fillRound(wbSizedStepGpu *step, int *merges) {
    Look look = makeLook(step, true);
    const int64_t before = step->pbf->sizes.merges;
    WB_TRY(findNeighbours(&look));
    WB_TRY(wbGpu_Fill(look.gpu, &look.particles->pressure, 0, getBytes(&look)));
    WB_TRY(lookAt(&look));
    *merges = (int)(step->pbf->sizes.merges - before);
    return wb_okStatus;
}

wbStatus wbSizedStepGpu_Fill(wbSizedStepGpu *step) {
    wbPbfSizes *sizes = &step->pbf->sizes;
    wbFillRounds rounds = wbBeginFilling(step->fluid->particles->count);
    int merges;
    do WB_TRY(fillRound(step, &merges));
    while (wbFillRounds_Next(&rounds, sizes, merges));
    return wb_okStatus;
}
