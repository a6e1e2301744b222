// SPDX-License-Identifier: MIT
// How deep water of particles of different sizes is for the choice of sub-steps: as in pbf_depth.c, but a large particle is spread over the cells
// that it covers, and counts by its weight, that of its fluid, and by how much it is compressed.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_step.h"
#include "pbd/pbf_columns.h"
#include "pbd/pbf_depth.h"

// Parts of a smallest particle, in sums of integers, which do not depend on an order.
#define PART 16.0f
// Cells along an axis that the largest particle covers at most: 2^(15/2) spacings in 2D.
enum { MOST_CELLS = 64 };

// What a cell holds, in parts; without mass nobody has it.
typedef struct DepthCell {
    unsigned i, j, k;
    unsigned mass, give, weight;
} DepthCell;

typedef struct DepthTask {
    const wbParticles *particles;
    const wbPbfSizes *sizes;
    const wbPbfModel *model;
    const float *places[3]; // by the axes of a cell's numbers: across gravity, across, along it
    PbfColumns columns;
    const wbMixture *mixture;
    DepthCell *cells; // a cell is in its slot, or in the next free one behind it
    int cellCount;
    float give
        [PBF_LEVELS]; // of a particle's weight, by the level: C under a load goes as G, which goes as 1/h2
    float most[WB_MAX_THREADS], fullest[WB_MAX_THREADS];
} DepthTask;

// The cell, or the free one where it would be: some are always free.
static DepthCell *findCell(const DepthTask *task, PbfCell cell) {
    unsigned slot = pbf_slots(cell, &task->columns).one;
    for (;; slot = (slot + 1) & task->columns.mask) {
        DepthCell *found = &task->cells[slot];
        if (found->mass == 0 || (found->i == cell.i && found->j == cell.j && found->k == cell.k))
            return found;
    }
}

static bool isCrowded(const DepthTask *task) { return task->cellCount > (int)(task->columns.mask / 4 * 3); }

static void addTo(DepthTask *task, PbfCell cell, float mass, float give, float relative) {
    DepthCell *to = findCell(task, cell);
    if (to->mass == 0) to->i = cell.i, to->j = cell.j, to->k = cell.k, task->cellCount++;
    to->mass += (unsigned)fmaxf(mass * PART + 0.5f, 1);
    to->give += (unsigned)(give * mass * PART / relative + 0.5f);
    to->weight += (unsigned)(mass * PART * relative + 0.5f);
}

// Half the side of the cube that a particle covers, a hair less: cubes end at the ends of cells often.
static float getRadius(const DepthTask *task, int i) {
    const int level = task->sizes->level[i];
    return level > 0 ? 0.999f * task->model->levels.radius[level] : 0;
}

// Weight in the cells that the cube of a particle covers; one of level 0 is in one cell.
static void spread(DepthTask *task, int i) {
    const int level = task->sizes->level[i];
    const float r = getRadius(task, i), width = 1 / task->columns.inverseWidth;
    const float mass = task->model->levels.mass[level], give = task->give[level];
    const float relative = wbMixture_GetRelative(task->mixture, task->particles->id[i]);
    float low[3], high[3];
    for (int a = 0; a < 3; a++) low[a] = task->places[a][i] - r, high[a] = task->places[a][i] + r;
    if (task->model->domain->dimensions == 2) low[1] = high[1] = 0;
    const PbfCell first = pbf_cell(low[0], low[1], low[2], &task->columns),
                  last = pbf_cell(high[0], high[1], high[2], &task->columns);
    const unsigned firsts[3] = {first.i, first.j, first.k}, lasts[3] = {last.i, last.j, last.k};
    float shares[3][MOST_CELLS];
    for (int a = 0; a < 3; a++)
        for (unsigned n = 0; n <= lasts[a] - firsts[a]; n++) {
            const float begin = width * (float)(int)(firsts[a] + n), length = high[a] - low[a];
            shares[a][n] = length > 0 ? (fminf(high[a], begin + width) - fmaxf(low[a], begin)) / length : 1;
        }
    for (unsigned k = 0; k <= lasts[2] - firsts[2]; k++)
        for (unsigned j = 0; j <= lasts[1] - firsts[1]; j++)
            for (unsigned n = 0; n <= lasts[0] - firsts[0] && !isCrowded(task); n++)
                addTo(task, (PbfCell){first.i + n, first.j + j, first.k + k},
                      mass * shares[0][n] * shares[1][j] * shares[2][k], give, relative);
}

typedef struct Load {
    float mass, give, weight;
} Load;

static Load getLoad(const DepthTask *task, PbfCell cell) {
    const DepthCell *found = findCell(task, cell);
    return (Load){(float)found->mass / PART, (float)found->give / PART, (float)found->weight / PART};
}

// As pbf_find_run, from the highest cell that a particle covers: the depth of a uniform fluid, in particles, that is compressed as much somewhere, or
// sinks as far in all. *fullest: if all were small.
static float findRun(const DepthTask *task, int i, float *fullest) {
    const float r = getRadius(task, i), full = (float)task->columns.full;
    PbfCell cell = pbf_cell(task->places[0][i], task->places[1][i],
                            task->places[2][i] - (float)task->columns.along * r, &task->columns);
    float most = 0, above = 0, last = 0, peak = 0, sink = 0;
    cell.k -= (unsigned)task->columns.along;
    if (getLoad(task, cell).mass > 0) return 0;
    for (int64_t cells = 0; cells <= INT32_MAX; cells++) {
        cell.k += (unsigned)task->columns.along;
        const Load load = getLoad(task, cell);
        const float here = load.mass, bounded = fminf(here, full);
        if (here == 0) break;
        const bool ends = 2 * bounded < peak,
                   begins = !ends && (bounded > 2 * peak || (4 * bounded >= 3 * full && 4 * peak < 3 * full));
        if (ends) above = 0, sink = 0, peak = 0; // perhaps the start of another
        if (begins)
            above = last, sink = 0.5f * last * last,
            peak = 0; // water below spray, or below a jet that falls into it
        sink += (above + 0.5f * load.weight) * load.give;
        above += load.weight, last = load.weight, peak = fmaxf(peak, bounded);
        most = fmaxf(most, fmaxf(above * load.give / here, sqrtf(2 * sink)));
        *fullest = fmaxf(*fullest, above);
    }
    return most;
}

static void findRuns(int begin, int end, int worker, void *context) {
    DepthTask *task = context;
    for (int i = begin; i < end; i++)
        task->most[worker] = fmaxf(task->most[worker], findRun(task, i, &task->fullest[worker]));
}

typedef struct Depths {
    float most, fullest;
} Depths;
static Depths findDeepest(DepthTask *task, const wbWork *work) {
    Depths depths = {0, 0};
    memset(task->most, 0, sizeof task->most), memset(task->fullest, 0, sizeof task->fullest);
    wbParallelFor(work->pool, task->particles->count, WB_BLOCK, findRuns, task);
    for (int w = 0; w < WB_MAX_THREADS; w++)
        depths.most = fmaxf(depths.most, task->most[w]),
        depths.fullest = fmaxf(depths.fullest, task->fullest[w]);
    return depths;
}

// Weights of all cells along an axis, in a table of so many slots. False: there are more cells.
static bool fillCells(DepthTask *task, int axis, int slots) {
    task->columns = wbPbfModel_GetColumns(task->model, &(wbMixture){0}, axis, slots);
    task->cellCount = 0;
    memset(task->cells, 0, sizeof *task->cells * (size_t)slots);
    for (int i = 0; i < task->particles->count && !isCrowded(task); i++) spread(task, i);
    return !isCrowded(task);
}

// Room for twice the cells of water that lies together; with more of them, such as those of spray, the table doubles.
static wbStatus makeCells(DepthTask *task, const wbWork *work, int axis, int *slots) {
    const size_t scratch = wbArena_Mark(work->arena);
    for (;; *slots *= 2) {
        wbArena_Release(work->arena, scratch);
        task->cells = wbArena_Alloc(work->arena, sizeof *task->cells * (size_t)*slots);
        if (!task->cells)
            return wbMemoryError(work->memory, "columns of %d particles need", task->particles->count);
        if (fillCells(task, axis, *slots)) return wb_okStatus;
    }
}

static int guessSlots(const wbParticles *particles, const wbPbfSizes *sizes) {
    const int fullest = PBF_CELL_WIDTH * PBF_CELL_WIDTH; // that a cell is in 2D; in 3D three times that
    int64_t mass = 0;
    int slots = 1024;
    for (int i = 0; i < particles->count; i++) mass += (int64_t)1 << sizes->level[i];
    while (slots < (particles->count + mass) / fullest && slots < 1 << 26) slots *= 2;
    return slots;
}

static wbStatus findHead(const wbParticles *particles, const wbMixture *mixture, wbPbfSizes *sizes,
                         const wbPbfModel *model, const wbWork *work) {
    const float gravity[3] = {model->domain->gravity.x, model->domain->gravity.y, model->domain->gravity.z};
    const float *const places[3] = {particles->x, particles->y, particles->z};
    const size_t scratch = wbArena_Mark(work->arena);
    int slots = guessSlots(particles, sizes);
    DepthTask task = {.particles = particles, .mixture = mixture, .sizes = sizes, .model = model};
    sizes->head = sizes->fullHead = 0;
    for (int l = 0; l < PBF_LEVELS; l++) task.give[l] = 1 / (model->levels.width[l] * model->levels.width[l]);
    for (int axis = 0; axis < model->domain->dimensions; axis++) {
        int axes[3];
        if (gravity[axis] == 0) continue;
        wbGetDepthAxes(axis, axes);
        for (int a = 0; a < 3; a++) task.places[a] = places[axes[a]];
        WB_TRY(makeCells(&task, work, axis, &slots));
        const Depths depths = findDeepest(&task, work);
        const double fall = fabs((double)gravity[axis]);
        sizes->head += fall * wbPbfModel_GetDepth(model, (int)(depths.most + 0.5f));
        sizes->fullHead += fall * wbPbfModel_GetDepth(model, (int)(depths.fullest + 0.5f));
        wbArena_Release(work->arena, scratch);
    }
    return wb_okStatus;
}

// It takes as long as for all smallest particles. Sub-steps damp what moves, the longer the more: where water moves as fast as it would by falling
// half of its depth it has as many of them as if all were small. With fewer, a jet rose to 0.6 of its height.
wbStatus wbFindSizedHead(const wbParticles *particles, const wbMixture *mixture, wbPbfSizes *sizes,
                         const wbPbfModel *model, const wbWork *work, double *head) {
    const size_t scratch = wbArena_Mark(work->arena);
    if (!sizes->hasHead) WB_TRY(findHead(particles, mixture, sizes, model, work));
    const double speed = (double)particles->maxSpeed, haste = 4 * speed * speed;
    sizes->hasHead = 1, *head = fmax(sizes->head, fmin(sizes->fullHead, haste));
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}
