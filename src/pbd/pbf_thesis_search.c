// SPDX-License-Identifier: MIT
// How a step of pbf_thesis.h finds neighbours: particles are sorted by octaves of their reach, and mirrored behind sides.
#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "core/status.h"
#include "pbd/pbf_thesis_step.h"

typedef struct SortTask {
    wbThesisStep *step;
    const float *reach;
    float base; // m, top of the first octave
    uint32_t *octaves;
    int *order, *places; // places: where a particle comes to
} SortTask;

static void findOctaves(int begin, int end, int worker, void *context) {
    (void)worker;
    const SortTask *task = context;
    for (int i = begin; i < end; i++) {
        uint32_t octave = 0;
        for (float top = task->base; top < task->reach[i] && octave < WB_THESIS_OCTAVES - 1; top *= 2)
            octave++;
        task->octaves[i] = octave;
    }
}

static void invert(int begin, int end, int worker, void *context) {
    (void)worker;
    const SortTask *task = context;
    for (int k = begin; k < end; k++) task->places[task->order[k]] = k;
}

static void follow(int begin, int end, int worker, void *context) {
    (void)worker;
    const SortTask *task = context;
    int *other = task->step->thesis->backOther;
    for (int k = begin; k < end; k++)
        if (other[k] >= 0) other[k] = task->places[other[k]];
}

// order: by octave; then by octave and cell.
static wbStatus sortOctaves(const wbThesisStep *step, wbPoints points, float base, int *order) {
    const wbWork *work = step->work;
    wbThesis *thesis = step->thesis;
    const size_t bytes = sizeof(float) * (size_t)(wbPadCount(points.count) + WB_PADDING);
    float *x = wbArena_Alloc(work->arena, bytes), *y = wbArena_Alloc(work->arena, bytes),
          *z = wbArena_Alloc(work->arena, bytes);
    int *cells = wbArena_Alloc(work->arena, bytes), *byOctave = wbArena_Alloc(work->arena, bytes);
    if (!x || !y || !z || !cells || !byOctave) return wbFluidStep_FailByMemory(&step->fluid);
    const wbMove moves[] = {{points.x, x}, {points.y, y}, {points.z, z}};
    wbReorder(work, order, points.count, moves, 3);
    memcpy(byOctave, order, sizeof *order * (size_t)points.count);
    for (int g = 0; g < WB_THESIS_OCTAVES; g++) {
        const int begin = thesis->begins[g], count = thesis->begins[g + 1] - begin;
        if (count == 0) continue;
        WB_TRY(wbGrid_Sort(&thesis->grids[g], work, (wbPoints){x + begin, y + begin, z + begin, count},
                           ldexpf(base, g), step->model->domain->dimensions, wb_gridAuto, cells + begin));
        for (int k = begin; k < begin + count; k++) order[k] = byOctave[begin + cells[k]];
    }
    return wb_okStatus;
}

static int countIn(const wbThesis *t, int octave) { return t->begins[octave + 1] - t->begins[octave]; }

static void listOctave(wbThesisStep *step, int octave) {
    const wbThesis *t = step->thesis;
    wbThesisListTask *lists = &step->lists;
    const int begin = t->begins[octave], count = countIn(t, octave);
    if (count == 0) return;
    const wbPoints own = {lists->own.x + begin, lists->own.y + begin, lists->own.z + begin, count};
    wbReachedSet set = {.set = {.points = own, .grid = &t->grids[octave], .firstIndex = begin},
                        .reach = lists->reach + begin};
    for (int k = 0; k < count; k++) set.top = fmaxf(set.top, set.reach[k]);
    lists->sets[lists->setCount++] = set;
}

wbStatus wbThesisStep_Sort(wbThesisStep *step, float *points[3], float *reach) {
    wbThesis *t = step->thesis;
    wbParticles *p = step->fluid.particles;
    const wbWork *work = step->work;
    const size_t bytes = sizeof(int) * (size_t)(wbPadCount(p->count) + WB_PADDING);
    SortTask task = {.step = step,
                     .reach = reach,
                     .base = step->model->params.width * wbThesisModel_GetSmallest(step->model),
                     .octaves = wbArena_Alloc(work->arena, bytes),
                     .order = wbArena_Alloc(work->arena, bytes),
                     .places = wbArena_Alloc(work->arena, bytes)};
    float *sorted[5];
    float **const columns[] = {&sorted[0], &sorted[1], &sorted[2], &sorted[3], &sorted[4]};
    if (!task.octaves || !task.order || !task.places || !wbFluidStep_AllocColumns(&step->fluid, columns, 5))
        return wbFluidStep_FailByMemory(&step->fluid);
    wbParallelFor(work->pool, p->count, WB_BLOCK, findOctaves, &task);
    if (!wbCountingSort(work->pool, work->arena, task.octaves, p->count, WB_THESIS_OCTAVES, t->begins,
                        task.order))
        return wbFluidStep_FailByMemory(&step->fluid);
    WB_TRY(sortOctaves(step, (wbPoints){points[0], points[1], points[2], p->count}, task.base, task.order));
    wbMove moves[WB_SORTED_COLUMNS + 13] = {{0}};
    const wbMove own[13] = {
        {t->units, t->backUnits},       {t->parts, t->backParts},   {t->h, t->backH},
        {t->distance, t->backDistance}, {t->offset, t->backOffset}, {t->role, t->backRole},
        {t->other, t->backOther},       {t->left, t->backLeft},     {points[0], sorted[0]},
        {points[1], sorted[1]},         {points[2], sorted[2]},     {reach, sorted[3]},
        {p->pressure, sorted[4]}};
    wbParticles_ListMoves(p, moves);
    memcpy(moves + WB_SORTED_COLUMNS, own, sizeof own);
    wbReorder(work, task.order, p->count, moves, WB_SORTED_COLUMNS + 13);
    memcpy(p->pressure, sorted[4], sizeof(float) * (size_t)p->count);
    wbParallelFor(work->pool, p->count, WB_BLOCK, invert, &task);
    wbParallelFor(work->pool, p->count, WB_BLOCK, follow, &task);
    wbParticles_Flip(p);
    wbThesis_Flip(t);
    step->lists = (wbThesisListTask){.own = {sorted[0], sorted[1], sorted[2], p->count},
                                     .reach = sorted[3],
                                     .size = sorted[3],
                                     .findsItself = true};
    for (int g = 0; g < WB_THESIS_OCTAVES; g++) listOctave(step, g);
    return wb_okStatus;
}

// Ghosts

// m, from the nearest closed side.
static float getSideDistance(const wbDomain *domain, const float x[3]) {
    float nearest = INFINITY;
    for (int s = 0; s < wb_sideCount; s++) {
        const float away = x[s / 2] - wbDomain_GetEnd(domain, s);
        if (domain->closed[s]) nearest = fminf(nearest, s % 2 ? -away : away);
    }
    return nearest;
}

// m: who is farther from every side than this is in nobody's kernel behind it.
static float findOverhang(const wbThesisStep *step) {
    const wbThesisListTask *lists = &step->lists;
    float most = 0;
    for (int i = 0; i < lists->own.count; i++) {
        const float x[3] = {lists->own.x[i], lists->own.y[i], lists->own.z[i]};
        most = fmaxf(most, lists->reach[i] - fmaxf(getSideDistance(step->fluid.domain, x), 0));
    }
    return most;
}

// A particle is mirrored if it is in a kernel behind a side, or somebody is in its own.
static wbStatus mirrorSet(wbThesisStep *step, int k, float overhang, int first, wbGhosts *ghosts) {
    const wbFluidStep *fluid = &step->fluid;
    const wbWork *work = step->work;
    const wbReachedSet own = step->lists.sets[k];
    wbReachedSet set = {.top = own.top};
    WB_TRY(wbMirrorPoints(work, fluid->domain, own.set.points, fmaxf(own.top, overhang), ghosts));
    if (ghosts->count == 0) return wb_okStatus;
    WB_TRY(wbSortGhosts(&step->thesis->ghostGrids[k], work, fluid->domain, own.top, first, ghosts, &set.set));
    float *reach = wbArena_Alloc(work->arena, sizeof(float) * (size_t)(ghosts->count + WB_PADDING));
    if (!reach) return wbFluidStep_FailByMemory(fluid);
    for (int g = 0; g < ghosts->count; g++) {
        reach[g] = own.reach[ghosts->source[g]];
        ghosts->source[g] += own.set.firstIndex;
    }
    set.reach = reach;
    step->lists.sets[step->lists.setCount++] = set;
    return wb_okStatus;
}

static bool joinGhosts(const wbFluidStep *fluid, const wbGhosts *parts, int partCount, wbGhosts *all) {
    wbArena *arena = fluid->work->arena;
    int count = 0;
    for (int k = 0; k < partCount; k++) count += parts[k].count;
    *all = (wbGhosts){.source = wbArena_Alloc(arena, sizeof(int) * (size_t)(count + 1)),
                      .sides = wbArena_Alloc(arena, sizeof(uint32_t) * (size_t)(count + 1)),
                      .count = count};
    if (!all->source || !all->sides) return false;
    for (int k = 0, first = 0; k < partCount; first += parts[k].count, k++) {
        const size_t bytes = sizeof(int) * (size_t)parts[k].count;
        if (bytes == 0) continue;
        memcpy(all->source + first, parts[k].source, bytes),
            memcpy(all->sides + first, parts[k].sides, bytes);
    }
    return true;
}

wbStatus wbThesisStep_FindGhosts(wbThesisStep *step) {
    wbFluidStep *fluid = &step->fluid;
    wbGhosts parts[WB_THESIS_OCTAVES] = {{0}};
    const int own = step->lists.setCount;
    const float overhang = findOverhang(step);
    int first = fluid->firstGhost = wbPadCount(step->lists.own.count);
    for (int k = 0; k < own; first += parts[k].count, k++)
        WB_TRY(mirrorSet(step, k, overhang, first, &parts[k]));
    if (!joinGhosts(fluid, parts, own, &fluid->ghosts)) return wbFluidStep_FailByMemory(fluid);
    fluid->dummy = fluid->firstGhost + fluid->ghosts.count;
    return wb_okStatus;
}

wbStatus wbThesisStep_BuildLists(const wbThesisStep *step, wbNeighbours *neighbours, wbThesisListTask *task) {
    const wbWork *work = step->work;
    const wbPointSet *room[] = {&task->sets[0].set};
    wbListTask lists; // of which the memory is all that is used
    WB_TRY(wbNeighbours_BeginAmong(neighbours, work, task->own, room, 1, task->dummy, &lists));
    task->neighbours = neighbours, task->memory = work->memory;
    wbParallelFor(work->pool, task->own.count, WB_BLOCK, step->code->lists, task);
    return wbNeighbours_End(neighbours, work);
}
