// SPDX-License-Identifier: MIT
#include "pbd/pbf_adaptive.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "core/status.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_step.h"

enum { COLUMNS = 2 * WB_SIZE_COLUMNS }; // those that are saved, then where they are sorted to
static void listColumns(wbPbfSizes *sizes, wbColumn columns[COLUMNS]) {
    const wbColumn list[COLUMNS] = {
        {"level", (void **)&sizes->level, 1, true},
        {"offset", (void **)&sizes->offset, 4, true},
        {"distance", (void **)&sizes->distance, 4, true},
        {"backLevel", (void **)&sizes->backLevel, 1, false},
        {"backOffset", (void **)&sizes->backOffset, 4, false},
        {"backDistance", (void **)&sizes->backDistance, 4, false},
    };
    memcpy(columns, list, sizeof list);
}

// All 0 is a state without particles; numbers may have been loaded.
static void init(wbPbfSizes *sizes) {
    sizes->pure.elementSize = 1, sizes->bases.elementSize = sizeof(int);
    for (int g = 0; g < PBF_OCTAVES; g++) wbGrid_Init(&sizes->grids[g]), wbGrid_Init(&sizes->ghostGrids[g]);
}

void wbPbfSizes_Free(wbMemory *memory, wbPbfSizes *sizes) {
    wbColumn columns[COLUMNS];
    if (sizes->pure.elementSize == 0) return;
    listColumns(sizes, columns);
    wbFreeColumns(memory, columns, COLUMNS, &sizes->capacity);
    wbSpareIds_Free(memory, &sizes->spare), wbArray_Free(memory, &sizes->hostIds.spans);
    wbArray_Free(memory, &sizes->pure), wbArray_Free(memory, &sizes->bases);
    for (int g = 0; g < PBF_OCTAVES; g++)
        wbGrid_Free(memory, &sizes->grids[g]), wbGrid_Free(memory, &sizes->ghostGrids[g]);
}

wbStatus wbPbfSizes_Reserve(wbPbfSizes *sizes, wbMemory *memory, int count) {
    wbColumn columns[COLUMNS];
    if (sizes->pure.elementSize == 0) init(sizes);
    listColumns(sizes, columns);
    if (!wbReserveColumns(memory, columns, COLUMNS, &sizes->capacity, count))
        return wbMemoryError(memory, "sizes of %d particles need", count);
    return wb_okStatus;
}

void wbPbfSizes_Shrink(wbPbfSizes *sizes, wbMemory *memory, int kept) {
    wbColumn columns[COLUMNS];
    listColumns(sizes, columns);
    wbShrinkColumns(memory, columns, COLUMNS, &sizes->capacity, kept);
    wbArray_Shrink(memory, &sizes->spare.spans, sizes->spare.spanCount + kept / 8);
    wbArray_Shrink(memory, &sizes->pure, wbPadCount(kept) / WB_GROUP);
    wbArray_Shrink(memory, &sizes->bases, wbPadCount(kept) / WB_GROUP);
    for (int g = 0; g < PBF_OCTAVES; g++) // cells of the smallest were those of the whole lattice
        wbGrid_Free(memory, &sizes->grids[g]), wbGrid_Free(memory, &sizes->ghostGrids[g]);
}

void wbPbfSizes_Begin(wbPbfSizes *sizes, int begin, int end) {
    for (int i = begin; i < end; i++)
        sizes->level[i] = 0, sizes->offset[i] = 0, sizes->distance[i] = WB_UNKNOWN_DISTANCE;
}

void wbPbfSizes_RemoveMarked(wbPbfSizes *sizes, const uint8_t *marks, int count) {
    for (int i = 0, kept = 0; i < count; i++) {
        if (marks[i]) continue;
        sizes->level[kept] = sizes->level[i], sizes->offset[kept] = sizes->offset[i];
        sizes->distance[kept++] = sizes->distance[i];
    }
}

void wbPbfSizes_ListColumns(wbPbfSizes *sizes, wbColumn columns[WB_SIZE_COLUMNS]) {
    wbColumn all[COLUMNS];
    listColumns(sizes, all);
    memcpy(columns, all, WB_SIZE_COLUMNS * sizeof *columns);
}

void wbPbfSizes_ListValues(wbPbfSizes *sizes, wbSavedValue values[WB_SIZE_VALUES]) {
    const double many = 4e18; // merges and splits that 64 bits can still count on from
    const wbSavedValue list[WB_SIZE_VALUES] = {
        {"pbf.spareCount", &sizes->spare.count, wb_valueInt, 0, INT_MAX - 1024, true},
        {"pbf.spareSpans", &sizes->spare.spanCount, wb_valueInt, 0, INT_MAX - 1024, true},
        {"pbf.isVaried", &sizes->varied, wb_valueInt, 0, 1, true},
        {"pbf.isOff", &sizes->isOff, wb_valueInt, 0, 1, true},
        {"pbf.age", &sizes->age, wb_valueFloat, 0, FLT_MAX, true},
        {"pbf.hasSizedHead", &sizes->hasHead, wb_valueInt, 0, 1, true},
        {"pbf.sizedHead", &sizes->head, wb_valueDouble, 0, DBL_MAX, true},
        {"pbf.sizedFullHead", &sizes->fullHead, wb_valueDouble, 0, DBL_MAX, true},
        {"pbf.looks", &sizes->looks, wb_valueInt, 0, INT_MAX - 1024, true},
        {"pbf.isFilled", &sizes->isFilled, wb_valueInt, 0, 1, true},
        {"pbf.merges", &sizes->merges, wb_valueInt64, 0, many, false},
        {"pbf.splits", &sizes->splits, wb_valueInt64, 0, many, false},
    };
    memcpy(values, list, sizeof list);
}

// Octaves

static float getTop(const wbPbfModel *model, int octave) { return ldexpf(model->h, octave); }

wbSizedStep wbMakeSizedStep(wbPbf *pbf, const wbPbfModel *model, wbFluidStep *fluid, wbPbfPass *pass) {
    const float frames = pass->move.dt / wbPbfModel_GetSubStep(model, 0, pbf->startSpeed);
    return (wbSizedStep){.pbf = pbf,
                         .model = model,
                         .fluid = fluid,
                         .pass = pass,
                         .code = wbGetSizedCode(fluid->work->simd),
                         .boundaryCode = wbGetSizedBoundaryCode(fluid->work->simd),
                         .frames = frames,
                         .sized = {.pass = pass,
                                   .constants = model->constants,
                                   .levels = model->levels,
                                   .surface = wbMakeSurface(model),
                                   .keep = wbGetOffsetShare(model, frames)}};
}

typedef struct OrderTask {
    const wbSizedStep *step;
    uint32_t *octaves;   // of the particles as they are
    int *order;          // by octave; then by octave and cell
    const int *inOctave; // of the particles of an octave, by cell
    const int *begins;   // of the octaves
    const uint8_t *from;
    uint8_t *to;
} OrderTask;

static void findOctaves(int begin, int end, int worker, void *context) {
    (void)worker;
    const OrderTask *task = context;
    for (int i = begin; i < end; i++)
        task->octaves[i] =
            (uint32_t)pbf_octave(task->step->pbf->sizes.level[i], task->step->model->domain->dimensions);
}

static void moveBytes(int begin, int end, int worker, void *context) {
    (void)worker;
    const OrderTask *task = context;
    for (int i = begin; i < end; i++) task->to[i] = task->from[task->order[i]];
}

static wbStatus checkCrowding(const wbSizedStep *step, const wbGrid *grid, const int *order) {
    if (!wbAreClumped(step->model->params.smoothing, step->model->domain->dimensions, (double)grid->crowding))
        return wb_okStatus;
    return wbParticles_FailByClump(&step->pbf->fluid.particles, (double)grid->crowding,
                                   order[grid->crowdedPlace]);
}

// order: by octave. The particles of each octave are then put in the order of its cells.
static wbStatus sortOctaves(const wbSizedStep *step, wbPoints points, int *order) {
    const wbWork *work = step->fluid->work;
    wbPbfSizes *sizes = &step->pbf->sizes;
    const size_t bytes = sizeof(float) * (size_t)(wbPadCount(points.count) + WB_PADDING);
    float *x = wbArena_Alloc(work->arena, bytes), *y = wbArena_Alloc(work->arena, bytes),
          *z = wbArena_Alloc(work->arena, bytes);
    int *cells = wbArena_Alloc(work->arena, bytes), *byOctave = wbArena_Alloc(work->arena, bytes);
    if (!x || !y || !z || !cells || !byOctave) return wbFluidStep_FailByMemory(step->fluid);
    const wbMove moves[] = {{points.x, x}, {points.y, y}, {points.z, z}};
    wbReorder(work, order, points.count, moves, 3);
    memcpy(byOctave, order, sizeof *order * (size_t)points.count);
    for (int g = 0; g < PBF_OCTAVES; g++) {
        const int begin = sizes->begins[g], count = sizes->begins[g + 1] - begin;
        if (count == 0) continue;
        WB_TRY(wbGrid_Sort(&sizes->grids[g], work, (wbPoints){x + begin, y + begin, z + begin, count},
                           getTop(step->model, g), step->model->domain->dimensions, wb_gridAuto,
                           cells + begin));
        for (int k = begin; k < begin + count; k++) order[k] = byOctave[begin + cells[k]];
        WB_TRY(checkCrowding(step, &sizes->grids[g], order + begin));
    }
    return wb_okStatus;
}

static void exchange(void *a, void *b) {
    void *one, *other;
    memcpy(&one, a, sizeof one), memcpy(&other, b, sizeof other);
    memcpy(a, &other, sizeof one), memcpy(b, &one, sizeof other);
}

wbStatus wbSizedStep_Sort(wbSizedStep *step, wbPoints points, const wbMove *moves, int moveCount) {
    const wbWork *work = step->fluid->work;
    wbPbfSizes *sizes = &step->pbf->sizes;
    const size_t scratch = wbArena_Mark(work->arena), bytes = sizeof(int) * (size_t)wbPadCount(points.count);
    OrderTask task = {.step = step,
                      .octaves = wbArena_Alloc(work->arena, bytes),
                      .order = wbArena_Alloc(work->arena, bytes),
                      .from = sizes->level,
                      .to = sizes->backLevel};
    if (!task.octaves || !task.order) return wbFluidStep_FailByMemory(step->fluid);
    wbParallelFor(work->pool, points.count, WB_BLOCK, findOctaves, &task);
    if (!wbCountingSort(work->pool, work->arena, task.octaves, points.count, PBF_OCTAVES, sizes->begins,
                        task.order))
        return wbFluidStep_FailByMemory(step->fluid);
    WB_TRY(sortOctaves(step, points, task.order));
    const wbMove own[] = {{sizes->offset, sizes->backOffset}, {sizes->distance, sizes->backDistance}};
    wbReorder(work, task.order, points.count, moves, moveCount);
    wbReorder(work, task.order, points.count, own, 2);
    wbParallelFor(work->pool, points.count, WB_BLOCK, moveBytes, &task);
    exchange(&sizes->level, &sizes->backLevel), exchange(&sizes->offset, &sizes->backOffset);
    exchange(&sizes->distance, &sizes->backDistance);
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}

// Neighbours

static int countIn(const wbPbfSizes *sizes, int octave) {
    return sizes->begins[octave + 1] - sizes->begins[octave];
}

// m, the largest support of any particle.
static float findLargest(const wbSizedStep *step) {
    const wbPbfSizes *sizes = &step->pbf->sizes;
    int largest = 0;
    for (int g = 0; g < PBF_OCTAVES; g++)
        if (countIn(sizes, g) > 0) largest = g;
    return getTop(step->model, largest);
}

static void listOwn(const wbSizedStep *step, wbPoints points, const float *h, wbSizedListTask *task) {
    const wbPbfSizes *sizes = &step->pbf->sizes;
    for (int g = 0; g < PBF_OCTAVES; g++) {
        const int begin = sizes->begins[g], count = countIn(sizes, g);
        if (count == 0) continue;
        const wbPoints own = {points.x + begin, points.y + begin, points.z + begin, count};
        task->sets[task->setCount++] =
            (wbSizedSet){.set = {.points = own, .grid = &sizes->grids[g], .firstIndex = begin},
                         .reach = h + begin,
                         .top = getTop(step->model, g),
                         .isCoarse = g > 0};
    }
}

// Ghosts of all octaves stand one after the other. Lists ask for all of it; afterwards only sources and sides are asked for.
typedef struct OctaveGhosts {
    wbMirror mirrors[PBF_OCTAVES];
    wbGhosts all;
    float *h; // m, of the ghosts
} OctaveGhosts;

// Behind a side, farther from it than sqrt(h_i h_j), nobody is near anybody: a particle is mirrored as far from a side as it and the largest of all
// reach together.
static wbStatus countGhosts(const wbSizedStep *step, wbPoints points, OctaveGhosts *ghosts) {
    const wbFluidStep *fluid = step->fluid;
    for (int g = 0; g < PBF_OCTAVES; g++) {
        const int begin = step->pbf->sizes.begins[g], count = countIn(&step->pbf->sizes, g);
        const wbPoints own = {points.x + begin, points.y + begin, points.z + begin, count};
        if (count == 0) continue;
        WB_TRY(wbMirror_Count(&ghosts->mirrors[g], fluid->work, fluid->domain, own,
                              sqrtf(getTop(step->model, g) * findLargest(step))));
        ghosts->all.count += ghosts->mirrors[g].count;
    }
    return wb_okStatus;
}

static bool allocateGhosts(wbSizedStep *step, OctaveGhosts *ghosts) {
    wbArena *arena = step->fluid->work->arena;
    wbGhosts *all = &ghosts->all;
    const size_t bytes = sizeof(float) * (size_t)(all->count + WB_PADDING);
    all->source = wbArena_Alloc(arena, bytes), all->sides = wbArena_Alloc(arena, bytes);
    step->searched = wbArena_Mark(arena);
    all->x = wbArena_Alloc(arena, bytes), all->y = wbArena_Alloc(arena, bytes);
    all->z = wbArena_Alloc(arena, bytes), ghosts->h = wbArena_Alloc(arena, bytes);
    return all->source && all->sides && all->x && all->y && all->z && ghosts->h;
}

// Ghosts are few in a box as large as the water's: cells are twice as long as the search needs, which are an eighth as many.
static wbStatus mirrorOctave(wbSizedStep *step, int octave, int first, const OctaveGhosts *ghosts) {
    wbFluidStep *fluid = step->fluid;
    wbPbfSizes *sizes = &step->pbf->sizes;
    const float top = getTop(step->model, octave);
    const wbGhosts *all = &ghosts->all;
    float *h = ghosts->h + first;
    wbGhosts own = {all->x + first,      all->y + first,     all->z + first,
                    all->source + first, all->sides + first, ghosts->mirrors[octave].count};
    wbSizedSet set = {.reach = h, .top = top, .isCoarse = octave > 0, .canBeClear = true};
    wbMirror_Write(&ghosts->mirrors[octave], fluid->work, &own);
    WB_TRY(wbSortGhosts(&sizes->ghostGrids[octave], fluid->work, fluid->domain, 2 * top,
                        fluid->firstGhost + first, &own, &set.set));
    for (int k = 0; k < own.count; k++) {
        own.source[k] += sizes->begins[octave];
        h[k] = step->model->levels.h[sizes->level[own.source[k]]];
    }
    step->lists.sets[step->lists.setCount++] = set;
    return wb_okStatus;
}

wbStatus wbSizedStep_FindGhosts(wbSizedStep *step, wbPoints points) {
    wbFluidStep *fluid = step->fluid;
    wbPbfSizes *sizes = &step->pbf->sizes;
    OctaveGhosts ghosts = {.h = NULL};
    float **const columns[] = {&step->h};
    if (!wbFluidStep_AllocColumns(fluid, columns, 1)) return wbFluidStep_FailByMemory(fluid);
    for (int i = 0; i < points.count; i++) step->h[i] = step->model->levels.h[sizes->level[i]];
    step->lists = (wbSizedListTask){.own = points, .reach = step->h, .size = step->h};
    listOwn(step, points, step->h, &step->lists);
    step->lists.ownSetCount = step->lists.setCount;
    step->lists.dummy = wbPadCount(points.count), fluid->firstGhost = step->lists.dummy + WB_PADDING;
    WB_TRY(countGhosts(step, points, &ghosts));
    if (!allocateGhosts(step, &ghosts)) return wbFluidStep_FailByMemory(fluid);
    for (int g = 0, first = 0; g < PBF_OCTAVES; first += ghosts.mirrors[g].count, g++)
        if (ghosts.mirrors[g].count > 0) WB_TRY(mirrorOctave(step, g, first, &ghosts));
    fluid->ghosts = ghosts.all;
    fluid->dummy = fluid->firstGhost + fluid->ghosts.count;
    return wb_okStatus;
}

// Lists are a third of the memory of a fluid, which entries of two bytes halve. Wishes that look around walk long ones.
static bool canBeShort(const wbSizedStep *step) {
    return step->model->adaptive.curl == 0 && step->model->adaptive.feature == 0;
}

wbStatus wbSizedStep_BuildLists(wbSizedStep *step) {
    const wbWork *work = step->fluid->work;
    wbPbfSizes *sizes = &step->pbf->sizes;
    wbNeighbours *neighbours = &step->fluid->search->neighbours;
    const wbPoints points = step->lists.own;
    const wbPointSet own = {.points = points, .grid = step->lists.sets[0].set.grid};
    wbListTask room; // of which the memory of lists is all that is used
    const bool isShort = canBeShort(step);
    const int groups = wbPadCount(points.count) / WB_GROUP;
    if (!wbArray_Reserve(work->memory, &sizes->pure, groups) ||
        !wbArray_Reserve(work->memory, &sizes->bases, groups))
        return wbFluidStep_FailByMemory(step->fluid);
    step->lists.bases = isShort ? sizes->bases.data : NULL, step->lists.lastEntry = step->fluid->dummy;
    neighbours->usualRows = (step->model->domain->dimensions == 2 ? 20 : 44) >> isShort;
    WB_TRY(wbNeighbours_Begin(neighbours, work, &own, NULL, step->lists.dummy, &room));
    step->lists.neighbours = neighbours, step->lists.memory = work->memory;
    step->lists.pure = sizes->pure.data;
    wbParallelFor(work->pool, points.count, WB_BLOCK, step->code->lists, &step->lists);
    wbArena_Release(work->arena, step->searched);
    return wbNeighbours_End(neighbours, work);
}

// Passes

static void attach(wbSizedStep *step) {
    const wbPbfSizes *sizes = &step->pbf->sizes;
    wbSizedPass *sized = &step->sized;
    sized->move = step->pass->move;
    sized->level = sizes->level, sized->offset = sizes->offset, sized->distance = sizes->distance;
    sized->pure = sizes->pure.data, sized->bases = step->lists.bases;
}

void wbSizedStep_Run(wbSizedStep *step, wbRangeFn *range) {
    attach(step);
    wbParallelShare(step->fluid->work->pool, step->pbf->fluid.particles.count, WB_BLOCK, range, &step->sized);
}

void wbSizedStep_RunOverLists(wbSizedStep *step, wbRangeFn *range, const float *records) {
    attach(step);
    const unsigned terms = (step->pass->relative ? PBF_MIXED : 0) | (step->pass->spins ? PBF_SPINS : 0);
    wbFluidStep_RunOverLists(step->fluid, range, records, &step->sized, terms);
}
