// SPDX-License-Identifier: MIT
#include "pbd/pbf_thesis.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/sort.h"
#include "core/status.h"
#include "pbd/pbf.h"
#include "pbd/pbf_thesis_step.h"

#define PI 3.14159265358979323846

wbThesisParams wbDefaultThesisParams(int dimensions) {
    return (wbThesisParams){.spacing = 0.1f,
                            .restDensity = 1000,
                            .iterations = 4,
                            .width = 4,
                            .slope = dimensions == 3 ? 0.3f : 0.4f,
                            .largest = 64,
                            .omega = 0.35f,
                            .softness = 0.01f,
                            .viscosity = 0.01f,
                            .mergeTime = 0.25f,
                            .reach = 2.2f,
                            .gap = 0.5f,
                            .steep = 0.3f,
                            .thin = 0.7f,
                            .relaxations = 2,
                            .inside = 4};
}

// Model

// Over the sites of a lattice of spacing 2, of particles of radius 1 with kernels of this width.
static void sumLattice(int dimensions, double width, double *sum, double *squares) {
    const int reach = (int)(width / 2) + 1, reachZ = dimensions == 3 ? reach : 0;
    const double factor = pow(2 / width, dimensions) * (dimensions == 3 ? 15 : 10) / PI;
    *sum = *squares = 0;
    for (int z = -reachZ; z <= reachZ; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                const double s = fmax(1 - 2 * sqrt(x * x + y * y + z * z) / width, 0);
                *sum += factor * s * s * s;
                if (x != 0 || y != 0 || z != 0) *squares += pow(2, -dimensions) * pow(3 * factor * s * s, 2);
            }
    *squares *= pow(width, dimensions); // to V |grad W|2 h^(d + 2)
}

// Ratios h/r from 24 on: beyond, what is not the integral goes as (h/r)^-(d + 1), and squares are what they are at 24.
static const double mostRatio = 24;
// Below, no neighbour is in the kernel; the squares of the ratio where some are keep constraints soft.
static const double leastRatio = 2.5;

void wbThesisModel_Init(wbThesisModel *model, const wbThesisParams *params, const wbDomain *domain) {
    model->params = *params, model->domain = domain;
    for (int k = 0; k <= WB_THESIS_TABLE; k++) {
        const double inverse = 1 / mostRatio + (1 / leastRatio - 1 / mostRatio) * k / WB_THESIS_TABLE;
        double sum, squares;
        sumLattice(domain->dimensions, 1 / inverse, &sum, &squares);
        model->sums[k] = (float)sum, model->squares[k] = (float)squares;
    }
}

void wbThesisModel_GetSums(const wbThesisModel *model, float r, float h, float *sum, float *squares) {
    const int d = model->domain->dimensions;
    const double inverse = (double)r / (double)h, most = 1 / leastRatio, least = 1 / mostRatio;
    const double place = fmin(fmax((inverse - least) / (most - least), 0), 1) * WB_THESIS_TABLE;
    const int k = place < WB_THESIS_TABLE ? (int)place : WB_THESIS_TABLE - 1;
    const float share = (float)(place - k);
    *sum = model->sums[k] + share * (model->sums[k + 1] - model->sums[k]);
    *squares = model->squares[k] + share * (model->squares[k + 1] - model->squares[k]);
    if (inverse < least) *sum = 1 + (model->sums[0] - 1) * (float)pow(inverse / least, d + 1);
    if (inverse > most) {
        double exact, unused;
        sumLattice(d, 1 / inverse, &exact, &unused);
        *sum = (float)exact;
    }
}

static float getSmallest(const wbThesisModel *model) { return 0.5f * model->params.spacing; }

float wbThesisModel_GetSupport(const wbThesisModel *model, float distance) {
    const wbThesisParams *p = &model->params;
    const float smallest = getSmallest(model);
    return fminf(fmaxf(p->slope * distance, p->width * smallest),
                 p->largest * smallest * p->width * (1 + p->slope));
}

float wbThesisModel_GetTarget(const wbThesisModel *model, float distance) {
    const wbThesisParams *p = &model->params;
    const float smallest = getSmallest(model);
    return fminf(fmaxf(p->slope / (p->width * (1 + p->slope)) * distance, smallest), p->largest * smallest);
}

// State

enum { COLUMNS = 2 * WB_THESIS_COLUMNS };
static void listColumns(wbThesis *t, wbColumn columns[COLUMNS]) {
    const wbColumn list[COLUMNS] = {
        {"units", (void **)&t->units, 4, true},
        {"parts", (void **)&t->parts, 4, true},
        {"width", (void **)&t->h, 4, true},
        {"distance", (void **)&t->distance, 4, true},
        {"offset", (void **)&t->offset, 4, true},
        {"role", (void **)&t->role, 4, true},
        {"other", (void **)&t->other, 4, true},
        {"left", (void **)&t->left, 4, true},
        {"backUnits", (void **)&t->backUnits, 4, false},
        {"backParts", (void **)&t->backParts, 4, false},
        {"backWidth", (void **)&t->backH, 4, false},
        {"backDistance", (void **)&t->backDistance, 4, false},
        {"backOffset", (void **)&t->backOffset, 4, false},
        {"backRole", (void **)&t->backRole, 4, false},
        {"backOther", (void **)&t->backOther, 4, false},
        {"backLeft", (void **)&t->backLeft, 4, false},
    };
    memcpy(columns, list, sizeof list);
}

void wbThesis_Init(wbThesis *thesis) {
    *thesis = (wbThesis){.freeIds = {.elementSize = sizeof(uint32_t)}};
    for (int g = 0; g < WB_THESIS_OCTAVES; g++) wbGrid_Init(&thesis->grids[g]);
}

void wbThesis_Free(wbMemory *memory, wbThesis *thesis) {
    wbColumn columns[COLUMNS];
    listColumns(thesis, columns);
    wbFreeColumns(memory, columns, COLUMNS, &thesis->capacity);
    wbArray_Free(memory, &thesis->freeIds);
    for (int g = 0; g < WB_THESIS_OCTAVES; g++) wbGrid_Free(memory, &thesis->grids[g]);
}

wbStatus wbThesis_Reserve(wbThesis *thesis, wbMemory *memory, int count) {
    wbColumn columns[COLUMNS];
    listColumns(thesis, columns);
    if (!wbReserveColumns(memory, columns, COLUMNS, &thesis->capacity, count))
        return wbMemoryError(memory, "sizes of %d particles need", count);
    return wb_okStatus;
}

wbStatus wbThesis_ReserveIds(wbThesis *thesis, wbMemory *memory, int count) {
    if (!wbArray_Reserve(memory, &thesis->freeIds, count))
        return wbMemoryError(memory, "ids of %d merged particles need", count);
    return wb_okStatus;
}

void wbThesis_ListColumns(wbThesis *thesis, wbColumn columns[WB_THESIS_COLUMNS]) {
    wbColumn all[COLUMNS];
    listColumns(thesis, all);
    memcpy(columns, all, WB_THESIS_COLUMNS * sizeof *columns);
}

void wbThesis_ListValues(wbThesis *thesis, wbSavedValue values[WB_THESIS_VALUES]) {
    const double many = 4e18; // merges and splits that 64 bits can still count on from
    const wbSavedValue list[WB_THESIS_VALUES] = {
        {"pbf.spareCount", &thesis->freeCount, wb_valueInt, 0, INT_MAX - 1024, true},
        {"pbf.sizeSteps", &thesis->steps, wb_valueInt, 0, INT_MAX, true},
        {"pbf.merges", &thesis->merges, wb_valueInt64, 0, many, false},
        {"pbf.splits", &thesis->splits, wb_valueInt64, 0, many, false},
        {"pbf.lostMomentum", &thesis->lost, wb_valueDouble, 0, DBL_MAX, false},
    };
    memcpy(values, list, sizeof list);
}

// Columns as they are in a file, at any place.
static uint32_t readNumber(const void *column, int i) {
    uint32_t value;
    memcpy(&value, (const char *)column + sizeof value * (size_t)i, sizeof value);
    return value;
}
static float readFloat(const void *column, int i) {
    float value;
    memcpy(&value, (const char *)column + sizeof value * (size_t)i, sizeof value);
    return value;
}

static bool isTransfer(const void *roles, const void *others, int i, int count) {
    const uint32_t role = readNumber(roles, i);
    const int j = (int)readNumber(others, i);
    if (role > wb_roleSplitTarget) return false;
    if (role == wb_roleAlone) return j == -1;
    const uint32_t answer = role % 2 ? role + 1 : role - 1; // source and target stand beside each other
    return j >= 0 && j < count && (int)readNumber(others, j) == i && readNumber(roles, j) == answer;
}

bool wbThesis_AreColumns(const void *const columns[WB_THESIS_COLUMNS], int count, int64_t *units) {
    int64_t moved = 0;
    *units = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t own = readNumber(columns[0], i), parts = readNumber(columns[1], i);
        const float width = readFloat(columns[2], i), distance = readFloat(columns[3], i);
        const bool isNumber = width > 0 && width < 1e9f && distance >= 0 && distance < 1e9f &&
                              fabsf(readFloat(columns[4], i)) <= 1 && fabsf(readFloat(columns[7], i)) <= 1e9f;
        if (!isNumber || own < 1 || own > UINT32_MAX / WB_THESIS_PARTS) return false;
        if (!isTransfer(columns[5], columns[6], i, count)) return false;
        const int64_t more = (int64_t)parts - (int64_t)own * WB_THESIS_PARTS;
        if (readNumber(columns[5], i) == wb_roleAlone && more != 0) return false;
        *units += own, moved += more;
    }
    return moved == 0;
}

void wbThesis_RemoveMarked(wbThesis *t, const uint8_t *marks, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) t->backOther[i] = marks[i] ? -1 : kept++;
    kept = 0;
    for (int i = 0; i < count; i++) {
        if (marks[i]) continue;
        const int other = t->other[i] < 0 ? -1 : t->backOther[t->other[i]];
        const bool isLeft = t->other[i] >= 0 && other < 0;
        t->units[kept] = t->units[i], t->parts[kept] = isLeft ? t->units[i] * WB_THESIS_PARTS : t->parts[i];
        t->h[kept] = t->h[i], t->distance[kept] = t->distance[i], t->offset[kept] = t->offset[i];
        t->role[kept] = isLeft ? wb_roleAlone : t->role[i], t->left[kept] = t->left[i];
        t->other[kept++] = other;
    }
}

void wbThesis_Begin(wbThesis *t, const wbThesisModel *model, int begin, int end) {
    const float smallest = getSmallest(model);
    for (int i = begin; i < end; i++) {
        t->units[i] = 1, t->parts[i] = WB_THESIS_PARTS, t->h[i] = model->params.width * smallest,
        t->distance[i] = smallest;
        t->offset[i] = 0, t->role[i] = wb_roleAlone, t->other[i] = -1, t->left[i] = 0;
    }
}

float wbThesis_GetRadius(const wbThesis *thesis, const wbThesisModel *model, int i) {
    const float mass = (float)thesis->parts[i] / WB_THESIS_PARTS;
    return getSmallest(model) * (model->domain->dimensions == 3 ? cbrtf(mass) : sqrtf(mass));
}

// Sorting

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

static void exchange(void *a, void *b) {
    void *first, *second;
    memcpy(&first, a, sizeof first), memcpy(&second, b, sizeof second);
    memcpy(a, &second, sizeof second), memcpy(b, &first, sizeof first);
}

void wbThesis_Flip(wbThesis *t) {
    exchange(&t->units, &t->backUnits), exchange(&t->parts, &t->backParts), exchange(&t->h, &t->backH),
        exchange(&t->distance, &t->backDistance);
    exchange(&t->offset, &t->backOffset), exchange(&t->role, &t->backRole);
    exchange(&t->other, &t->backOther), exchange(&t->left, &t->backLeft);
}

// Into the order of octaves and cells of `points`; these, and reaches, are moved as well.
static wbStatus sortParticles(wbThesisStep *step, float *points[3], float *reach, wbThesisListTask *lists) {
    wbThesis *t = step->thesis;
    wbParticles *p = step->fluid.particles;
    const wbWork *work = step->work;
    const size_t bytes = sizeof(int) * (size_t)(wbPadCount(p->count) + WB_PADDING);
    SortTask task = {.step = step,
                     .reach = reach,
                     .base = step->model->params.width * getSmallest(step->model),
                     .octaves = wbArena_Alloc(work->arena, bytes),
                     .order = wbArena_Alloc(work->arena, bytes),
                     .places = wbArena_Alloc(work->arena, bytes)};
    float *sorted[4];
    float **const columns[] = {&sorted[0], &sorted[1], &sorted[2], &sorted[3]};
    if (!task.octaves || !task.order || !task.places || !wbFluidStep_AllocColumns(&step->fluid, columns, 4))
        return wbFluidStep_FailByMemory(&step->fluid);
    wbParallelFor(work->pool, p->count, WB_BLOCK, findOctaves, &task);
    if (!wbCountingSort(work->pool, work->arena, task.octaves, p->count, WB_THESIS_OCTAVES, t->begins,
                        task.order))
        return wbFluidStep_FailByMemory(&step->fluid);
    WB_TRY(sortOctaves(step, (wbPoints){points[0], points[1], points[2], p->count}, task.base, task.order));
    wbMove moves[WB_SORTED_COLUMNS + 12] = {{0}};
    const wbMove own[12] = {
        {t->units, t->backUnits},       {t->parts, t->backParts},   {t->h, t->backH},
        {t->distance, t->backDistance}, {t->offset, t->backOffset}, {t->role, t->backRole},
        {t->other, t->backOther},       {t->left, t->backLeft},     {points[0], sorted[0]},
        {points[1], sorted[1]},         {points[2], sorted[2]},     {reach, sorted[3]}};
    wbParticles_ListMoves(p, moves);
    memcpy(moves + WB_SORTED_COLUMNS, own, sizeof own);
    wbReorder(work, task.order, p->count, moves, WB_SORTED_COLUMNS + 12);
    wbParallelFor(work->pool, p->count, WB_BLOCK, invert, &task);
    wbParallelFor(work->pool, p->count, WB_BLOCK, follow, &task);
    wbParticles_Flip(p);
    wbThesis_Flip(t);
    *lists = (wbThesisListTask){.own = {sorted[0], sorted[1], sorted[2], p->count}, .reach = sorted[3]};
    for (int g = 0; g < WB_THESIS_OCTAVES; g++) {
        const int begin = t->begins[g], count = t->begins[g + 1] - begin;
        if (count == 0) continue;
        lists->tops[lists->setCount] = g == WB_THESIS_OCTAVES - 1 ? INFINITY : ldexpf(task.base, g);
        lists->sets[lists->setCount++] =
            (wbPointSet){.points = {sorted[0] + begin, sorted[1] + begin, sorted[2] + begin, count},
                         .grid = &t->grids[g],
                         .firstIndex = begin};
    }
    return wb_okStatus;
}

// The step

void wbThesisStep_Run(wbThesisStep *step, wbRangeFn *range) {
    wbParallelShare(step->work->pool, step->fluid.particles->count, WB_BLOCK, range, &step->pass);
}
void wbThesisStep_RunOverLists(wbThesisStep *step, wbRangeFn *range) {
    wbFluidStep_RunOverLists(&step->fluid, range, step->pass.places, &step->pass, 0);
}

// What each step begins with: where particles would go, (3.1), and how far they are kept from the sides, each a little elsewhere, so that none
// coincide there (3.2.5).
typedef struct Prediction {
    wbThesisStep *step;
    float *points[3], *reach;
} Prediction;

static float getInset(const wbThesisStep *step, int i, int axis) {
    const uint32_t salt = wbHash32(3 * (uint32_t)step->thesis->steps + (uint32_t)axis);
    return 1e-3f * step->model->params.spacing * wbHashFloat(step->fluid.particles->id[i] + salt);
}

static void predict(int begin, int end, int worker, void *context) {
    (void)worker;
    const Prediction *prediction = context;
    const wbThesisStep *step = prediction->step;
    const wbParticles *p = step->fluid.particles;
    const SpaceRoom *room = &step->pass.room;
    const wbThesisParams *params = &step->model->params;
    const float *const x[3] = {p->x, p->y, p->z}, *const v[3] = {p->vx, p->vy, p->vz}, dt = step->pass.dt;
    for (int i = begin; i < end; i++) {
        for (int a = 0; a < 3; a++) {
            const float inset = getInset(step, i, a), to = x[a][i] + dt * (v[a][i] + dt * room->gravity[a]);
            prediction->points[a][i] = fminf(fmaxf(to, room->low[a] + inset), room->high[a] - inset);
        }
        const float target = wbThesisModel_GetTarget(step->model, step->thesis->distance[i]);
        prediction->reach[i] =
            params->isGeneral ? fmaxf(step->thesis->h[i], 1.5f * params->width * target) : step->thesis->h[i];
    }
}

static void calibrate(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbThesisStep *step = context;
    for (int i = begin; i < end; i++) {
        const float mass = (float)step->thesis->parts[i] / WB_THESIS_PARTS;
        const float r = wbThesis_GetRadius(step->thesis, step->model, i);
        wbThesisModel_GetSums(step->model, fmaxf(r, 1e-3f * step->model->params.spacing), step->thesis->h[i],
                              step->pass.calibration + i, step->pass.squares + i);
        step->pass.places[4 * (size_t)i + 3] = mass;
    }
}
void wbThesisStep_Calibrate(wbThesisStep *step) {
    wbParallelFor(step->work->pool, step->fluid.particles->count, WB_BLOCK, calibrate, step);
}

typedef struct Placing {
    wbThesisStep *step;
    wbPoints points;
} Placing;

static void place(int begin, int end, int worker, void *context) {
    (void)worker;
    const Placing *placing = context;
    const wbThesisStep *step = placing->step;
    for (int i = begin; i < end; i++) {
        float *record = step->pass.places + 4 * (size_t)i;
        record[0] = placing->points.x[i], record[1] = placing->points.y[i], record[2] = placing->points.z[i];
        for (int a = 0; a < 3; a++) step->pass.inset[a][i] = getInset(step, i, a);
        step->rest[i] = 1 + step->thesis->offset[i], step->least[i] = 0, step->pass.mu[i] = 0;
    }
}

static bool allocate(wbThesisStep *step) {
    wbThesisPass *pass = &step->pass;
    const wbFluidStep *fluid = &step->fluid;
    float **const columns[] = {&pass->inset[0],    &pass->inset[1],    &pass->inset[2],    &pass->calibration,
                               &pass->squares,     &step->rest,        &step->least,       &pass->density,
                               &pass->gradient[0], &pass->gradient[1], &pass->gradient[2], &pass->mu,
                               &pass->isBoundary};
    pass->places = wbFluidStep_AllocPositions(fluid, 0), pass->kernels = wbFluidStep_AllocVectors(fluid);
    pass->extra = wbFluidStep_AllocVectors(fluid), pass->result = wbFluidStep_AllocVectors(fluid);
    pass->rest = NULL;
    if (!pass->places || !pass->kernels || !pass->extra || !pass->result ||
        !wbFluidStep_AllocColumns(fluid, columns, 13))
        return false;
    pass->rest = step->rest, pass->least = step->least;
    return true;
}

static wbStatus findNeighbours(wbThesisStep *step) {
    wbFluidStep *fluid = &step->fluid;
    const wbWork *work = step->work;
    const int count = fluid->particles->count;
    Prediction prediction = {.step = step};
    wbThesisListTask lists;
    wbListTask room; // of which the memory of lists is all that is used
    float **const columns[] = {&prediction.points[0], &prediction.points[1], &prediction.points[2],
                               &prediction.reach};
    if (!wbFluidStep_AllocColumns(fluid, columns, 4)) return wbFluidStep_FailByMemory(fluid);
    wbParallelFor(work->pool, count, WB_BLOCK, predict, &prediction);
    WB_TRY(sortParticles(step, prediction.points, prediction.reach, &lists));
    wbFluidStep_EndPhase(fluid, wb_pbf_sort);
    fluid->firstGhost = fluid->dummy = wbPadCount(count);
    if (!allocate(step)) return wbFluidStep_FailByMemory(fluid);
    Placing placing = {step, lists.own};
    wbParallelFor(work->pool, count, WB_BLOCK, place, &placing);
    wbNeighbours *neighbours = &fluid->search->neighbours;
    const wbPointSet own = {.points = lists.own, .grid = lists.sets[0].grid};
    WB_TRY(wbNeighbours_Begin(neighbours, work, &own, NULL, fluid->dummy, &room));
    lists.neighbours = neighbours, lists.memory = work->memory, lists.dummy = fluid->dummy;
    wbParallelFor(work->pool, count, WB_BLOCK, step->code->lists, &lists);
    WB_TRY(wbNeighbours_End(neighbours, work));
    wbFluidStep_EndPhase(fluid, wb_pbf_neighbours);
    return wb_okStatus;
}

static void iterate(wbThesisStep *step, int iterations) {
    for (int k = 0; k < iterations; k++) {
        wbThesisStep_RunOverLists(step, step->code->solve);
        wbThesisStep_RunOverLists(step, step->code->correct);
        wbThesisStep_Run(step, step->code->move);
    }
}

// Density and gradient where particles are; the density that is to stay is where constraints push, at least the rest density.
static void measure(wbThesisStep *step) {
    const int count = step->fluid.particles->count;
    float *mu = step->pass.mu; // which the pressure is made of is that of the iterations
    step->pass.mu = step->pass.isBoundary;
    memset(step->pass.isBoundary, 0, sizeof(float) * (size_t)count);
    wbThesisStep_RunOverLists(step, step->code->solve);
    step->pass.mu = mu;
}

// Section 4.5.2: from those of the last step, one neighbourhood farther.
static void findDistances(wbThesisStep *step) {
    wbThesis *thesis = step->thesis;
    const int count = step->fluid.particles->count;
    wbThesisStep_RunOverLists(step, step->code->boundary);
    for (int i = 0; i < count; i++) {
        if (step->pass.isBoundary[i] > 0) thesis->distance[i] = wbThesis_GetRadius(thesis, step->model, i);
        step->pass.extra[4 * (size_t)i] = thesis->distance[i];
    }
    wbThesisStep_RunOverLists(step, step->code->distance);
    for (int i = 0; i < count; i++) {
        const float nearest = step->pass.result[i];
        if (step->pass.isBoundary[i] == 0 && nearest < 1e14f) thesis->distance[i] = nearest;
    }
}

static void finishVelocities(wbThesisStep *step) {
    wbThesisStep_Run(step, step->code->finish);
    if (step->pass.constants.viscosity > 0) wbThesisStep_RunOverLists(step, step->code->smooth);
}

// Kernels follow by a hundredth in a step.
static void widen(wbThesisStep *step) {
    wbThesis *t = step->thesis;
    const wbThesisParams *params = &step->model->params;
    const int count = step->fluid.particles->count;
    if (params->isGeneral) {
        for (int i = 0; i < count; i++)
            step->pass.extra[4 * (size_t)i] =
                params->width * wbThesisModel_GetTarget(step->model, t->distance[i]);
        wbThesisStep_RunOverLists(step, step->code->spread);
    }
    for (int i = 0; i < count; i++) {
        const float wanted =
            params->isGeneral ? step->pass.result[i] : wbThesisModel_GetSupport(step->model, t->distance[i]);
        t->h[i] = fminf(fmaxf(wanted, 0.99f * t->h[i]), 1.01f * t->h[i]);
    }
}

// Towards the density of before, without velocity; what is left is a rest offset.
static void settle(wbThesisStep *step) {
    wbThesis *t = step->thesis;
    wbParticles *p = step->fluid.particles;
    const float inside = step->model->params.inside * getSmallest(step->model);
    for (int i = 0; i < p->count; i++) step->least[i] = t->distance[i] > inside ? -0.1f : 0;
    iterate(step, step->model->params.relaxations);
    measure(step);
    for (int i = 0; i < p->count; i++) {
        float offset = step->pass.density[i] - step->rest[i];
        if (step->rest[i] <= 1) offset = fmaxf(offset, 0);
        t->offset[i] = fminf(fmaxf(offset, -0.2f), 0.6f);
        const float *place = step->pass.places + 4 * (size_t)i;
        p->x[i] = place[0], p->y[i] = place[1], p->z[i] = place[2];
    }
}

static ThesisConstants getConstants(const wbThesisModel *model) {
    const wbThesisParams *p = &model->params;
    const int d = model->domain->dimensions;
    const double volume = pow((double)p->spacing, d);
    return (ThesisConstants){.kernel = (float)(volume * (d == 3 ? 15 : 10) / PI),
                             .softness = (float)(volume * (double)p->softness),
                             .omega = p->omega,
                             .tiny = 1e-10f * p->spacing * p->spacing,
                             .viscosity = p->viscosity,
                             .restDensity = p->restDensity,
                             .steep = p->steep,
                             .thin = p->thin,
                             .isFlat = d == 2};
}

// Section 5.1. Transfers and kernels change at the end instead of at the start, where lists are at hand to settle what comes of it.
static wbStatus advance(wbThesisStep *step) {
    WB_TRY(findNeighbours(step));
    wbThesisStep_Calibrate(step);
    iterate(step, step->model->params.iterations);
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_density);
    measure(step);
    for (int i = 0; i < step->fluid.particles->count; i++)
        step->rest[i] = fmaxf(step->pass.density[i] - step->thesis->offset[i], 1);
    findDistances(step);
    finishVelocities(step);
    WB_TRY(wbFluidStep_TakeMaxima(&step->fluid));
    WB_TRY(wbThesisStep_Transfer(step));
    widen(step);
    wbThesisStep_Calibrate(step);
    settle(step);
    WB_TRY(wbThesisStep_Change(step));
    step->thesis->steps++;
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_velocities);
    return wb_okStatus;
}

wbStatus wbThesis_Step(wbThesis *thesis, wbFluidState *fluid, const wbThesisModel *model,
                       const wbDomain *domain, const wbWork *work, float dt) {
    const wbThesisParams *params = &model->params;
    wbThesisStep step = {.thesis = thesis,
                         .model = model,
                         .work = work,
                         .code = wbGetThesisCode(work->simd),
                         .fluid = wbMakeFluidStep(fluid, domain, params->width * getSmallest(model),
                                                  0.5f * params->width, NULL, work)};
    if (fluid->particles.count == 0) return wb_okStatus;
    const size_t scratch = wbArena_Mark(work->arena);
    step.pass = (wbThesisPass){.thesis = thesis,
                               .particles = &fluid->particles,
                               .constants = getConstants(model),
                               .room = wbGetRoom(domain, params->spacing),
                               .dt = dt};
    WB_TRY(wbFluidStep_ReserveMaxima(&step.fluid));
    step.pass.fluid = &step.fluid;
    WB_TRY(advance(&step));
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}
