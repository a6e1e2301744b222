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

double wbPbfModel_GetDepth(const wbPbfModel *model, int most) {
    double width = PBF_CELL_WIDTH, across = model->dimensions == 3 ? width * width : width;
    return most / across * (double)model->params.spacing;
}

void wbGetDepthAxes(int axis, int axes[3]) {
    axes[0] = axis == 0 ? 1 : 0, axes[1] = axis == 2 ? 1 : 2, axes[2] = axis;
}

PbfColumns wbPbfModel_GetColumns(const wbPbfModel *model, int axis, int slots) {
    const float gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
    const int width = PBF_CELL_WIDTH;
    PbfColumns columns = {.inverseWidth = 1 / ((float)width * model->params.spacing),
                          .mask = (unsigned)slots - 1,
                          .along = gravity[axis] > 0 ? 1 : -1,
                          .full = model->dimensions == 3 ? width * width * width : width * width};
    return columns;
}

// In integers, whose sums do not depend on an order.
static int countDeepest(const wbParticles *p, int axis, const PbfColumns *columns, unsigned *tables) {
    const float *const places[3] = {p->x, p->y, p->z};
    unsigned most = 0;
    int axes[3];
    wbGetDepthAxes(axis, axes);
    const float *first = places[axes[0]], *second = places[axes[1]], *height = places[axes[2]];
    memset(tables, 0, 2 * sizeof *tables * (columns->mask + 1));
    for (int i = 0; i < p->count; i++) {
        PbfSlots s = pbf_slots(pbf_cell(first[i], second[i], height[i], columns), columns);
        tables[s.one]++, tables[columns->mask + 1 + s.other]++;
    }
    for (int i = 0; i < p->count; i++) {
        PbfCell cell = pbf_cell(first[i], second[i], height[i], columns);
        unsigned here = pbf_find_run(tables, cell, p->count, columns);
        most = here > most ? here : most;
    }
    return (int)most;
}

wbStatus wbFindPbfHead(const wbParticles *particles, const wbPbfModel *model, const wbWork *work,
                       double *head) {
    const float gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
    int slots = wbCountDepthSlots(particles->count);
    size_t scratch = wbArena_Mark(work->arena);
    unsigned *room = wbArena_Alloc(work->arena, 2 * sizeof *room * (size_t)slots);
    *head = 0;
    if (!room) return wbMemoryError(work->memory, "columns of %d particles need", particles->count);
    for (int axis = 0; axis < model->dimensions; axis++) {
        if (gravity[axis] == 0) continue;
        PbfColumns columns = wbPbfModel_GetColumns(model, axis, slots);
        *head += fabs((double)gravity[axis]) *
                 wbPbfModel_GetDepth(model, countDeepest(particles, axis, &columns, room));
    }
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}

double wbGetPbfReach(const wbParticles *p, const wbPbfModel *model) {
    const float gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
    const float *const places[3] = {p->x, p->y, p->z};
    double head = 0;
    for (int axis = 0; axis < model->dimensions; axis++) {
        float low = FLT_MAX, high = -FLT_MAX;
        for (int i = 0; i < p->count; i++)
            low = fminf(low, places[axis][i]), high = fmaxf(high, places[axis][i]);
        head += p->count > 0 ? fabs((double)gravity[axis]) * ((double)high - low) : 0;
    }
    return head;
}
