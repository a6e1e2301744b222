// SPDX-License-Identifier: MIT
#include "pbd/pbf_depth.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_columns.h"

int wbCountDepthSlots(int count) {
    int slots = 1024;
    while (slots < 4 * (int64_t)count && slots < 1 << 28) slots *= 2;
    return slots;
}

// Counts, and where there are several fluids heaviness and lightness: two of each.
int wbCountDepthTables(const wbMixture *mixture) { return mixture->count > 0 ? 6 : 2; }

double wbPbfModel_GetDepth(const wbPbfModel *model, int most) {
    double width = PBF_CELL_WIDTH, across = model->domain->dimensions == 3 ? width * width : width;
    return most / across * (double)model->params.spacing;
}

void wbGetDepthAxes(int axis, int axes[3]) {
    axes[0] = axis == 0 ? 1 : 0, axes[1] = axis == 2 ? 1 : 2, axes[2] = axis;
}

static void setMixture(PbfColumns *columns, const wbMixture *mixture) {
    float least = FLT_MAX, most = 0;
    for (int k = 0; k < mixture->count; k++)
        least = fminf(least, mixture->relative[k]), most = fmaxf(most, mixture->relative[k]);
    columns->heaviness = PBF_WHOLE / most, columns->lightness = PBF_WHOLE * least;
    columns->bearing = most / least / (PBF_WHOLE * PBF_WHOLE);
}

PbfColumns wbPbfModel_GetColumns(const wbPbfModel *model, const wbMixture *mixture, int axis, int slots) {
    const float gravity[3] = {model->domain->gravity.x, model->domain->gravity.y, model->domain->gravity.z};
    const int width = PBF_CELL_WIDTH;
    PbfColumns columns = {.inverseWidth = 1 / ((float)width * model->params.spacing),
                          .mask = (unsigned)slots - 1,
                          .along = gravity[axis] > 0 ? 1 : -1,
                          .full = model->domain->dimensions == 3 ? width * width * width : width * width};
    if (mixture->count > 0) setMixture(&columns, mixture);
    return columns;
}

typedef struct DepthTask {
    const wbParticles *particles;
    const wbMixture *mixture;
    const float *first, *second, *height; // places, by the axes of a cell's numbers
    PbfColumns columns;
    unsigned *tables;
    PbfSlots *slots; // per particle
    unsigned most[WB_MAX_THREADS];
} DepthTask;

static PbfCell getCell(const DepthTask *task, int i) {
    return pbf_cell(task->first[i], task->second[i], task->height[i], &task->columns);
}

static bool isSame(PbfCell a, PbfCell b) { return a.i == b.i && a.j == b.j && a.k == b.k; }

// Particles are nearly sorted: most are in the cell of the one before them.
static void findSlots(int begin, int end, int worker, void *context) {
    (void)worker;
    const DepthTask *task = context;
    PbfCell last = getCell(task, begin);
    PbfSlots slots = pbf_slots(last, &task->columns);
    for (int i = begin; i < end; i++) {
        const PbfCell cell = getCell(task, i);
        if (!isSame(cell, last)) slots = pbf_slots(cell, &task->columns);
        task->slots[i] = slots, last = cell;
    }
}

static void addCounts(const DepthTask *task) {
    const size_t size = task->columns.mask + (size_t)1;
    const int count = task->particles->count;
    for (int i = 0, next; i < count; i = next) {
        const PbfSlots s = task->slots[i];
        for (next = i + 1;
             next < count && task->slots[next].one == s.one && task->slots[next].other == s.other;)
            next++;
        task->tables[s.one] += (unsigned)(next - i), task->tables[size + s.other] += (unsigned)(next - i);
    }
}

static void addMix(const DepthTask *task, int i) {
    const PbfColumns *columns = &task->columns;
    const PbfSlots s = task->slots[i];
    const unsigned size = columns->mask + 1;
    const float relative = wbMixture_GetRelative(task->mixture, task->particles->id[i]);
    const unsigned heaviness = pbf_weigh(relative, columns), lightness = pbf_lighten(relative, columns);
    task->tables[2 * size + s.one] += heaviness, task->tables[3 * size + s.other] += heaviness;
    task->tables[4 * size + s.one] += lightness, task->tables[5 * size + s.other] += lightness;
}

static void findRuns(int begin, int end, int worker, void *context) {
    DepthTask *task = context;
    const bool mixed = task->mixture->count > 0;
    const int count = task->particles->count;
    PbfCell last = {0, 0, 0};
    for (int i = begin; i < end; i++) {
        PbfCell cell = getCell(task, i);
        if (i > begin && isSame(cell, last)) continue;
        last = cell;
        unsigned here = mixed ? pbf_find_run(task->tables, cell, count, &task->columns, true)
                              : pbf_find_run(task->tables, cell, count, &task->columns, false);
        task->most[worker] = here > task->most[worker] ? here : task->most[worker];
    }
}

// In integers, whose sums and maxima do not depend on an order.
static int countDeepest(DepthTask *task, const wbWork *work) {
    const size_t size = task->columns.mask + (size_t)1;
    const int count = task->particles->count;
    unsigned most = 0;
    memset(task->tables, 0, (size_t)wbCountDepthTables(task->mixture) * sizeof *task->tables * size);
    memset(task->most, 0, sizeof task->most);
    wbParallelFor(work->pool, count, WB_BLOCK, findSlots, task);
    addCounts(task);
    for (int i = 0; i < count && task->mixture->count > 0; i++) addMix(task, i);
    wbParallelFor(work->pool, count, WB_BLOCK, findRuns, task);
    for (int w = 0; w < WB_MAX_THREADS; w++) most = task->most[w] > most ? task->most[w] : most;
    return (int)most;
}

wbStatus wbFindPbfHead(const wbParticles *particles, const wbMixture *mixture, const wbPbfModel *model,
                       const wbWork *work, double *head) {
    const float gravity[3] = {model->domain->gravity.x, model->domain->gravity.y, model->domain->gravity.z};
    const float *const places[3] = {particles->x, particles->y, particles->z};
    int slots = wbCountDepthSlots(particles->count);
    size_t scratch = wbArena_Mark(work->arena);
    DepthTask task = {
        .particles = particles,
        .mixture = mixture,
        .tables = wbArena_Alloc(work->arena,
                                (size_t)wbCountDepthTables(mixture) * sizeof *task.tables * (size_t)slots),
        .slots = wbArena_Alloc(work->arena, sizeof *task.slots * (size_t)particles->count),
    };
    *head = 0;
    if (!task.tables || !task.slots)
        return wbMemoryError(work->memory, "columns of %d particles need", particles->count);
    for (int axis = 0; axis < model->domain->dimensions; axis++) {
        int axes[3];
        if (gravity[axis] == 0) continue;
        wbGetDepthAxes(axis, axes);
        task.first = places[axes[0]], task.second = places[axes[1]], task.height = places[axes[2]];
        task.columns = wbPbfModel_GetColumns(model, mixture, axis, slots);
        *head += fabs((double)gravity[axis]) * wbPbfModel_GetDepth(model, countDeepest(&task, work));
    }
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}

double wbGetPbfReach(const wbParticles *p, const wbPbfModel *model) {
    const float gravity[3] = {model->domain->gravity.x, model->domain->gravity.y, model->domain->gravity.z};
    const float *const places[3] = {p->x, p->y, p->z};
    double head = 0;
    for (int axis = 0; axis < model->domain->dimensions; axis++) {
        float low = FLT_MAX, high = -FLT_MAX;
        for (int i = 0; i < p->count; i++)
            low = fminf(low, places[axis][i]), high = fmaxf(high, places[axis][i]);
        head += p->count > 0 ? fabs((double)gravity[axis]) * ((double)high - low) : 0;
    }
    return head * (double)model->contrast;
}
