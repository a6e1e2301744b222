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
    double width = PBF_CELL_WIDTH, across = model->dimensions == 3 ? width * width : width;
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
    const float gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
    const int width = PBF_CELL_WIDTH;
    PbfColumns columns = {.inverseWidth = 1 / ((float)width * model->params.spacing),
                          .mask = (unsigned)slots - 1,
                          .along = gravity[axis] > 0 ? 1 : -1,
                          .full = model->dimensions == 3 ? width * width * width : width * width};
    if (mixture->count > 0) setMixture(&columns, mixture);
    return columns;
}

static void addMix(const wbParticles *p, int i, const wbMixture *mixture, PbfSlots s,
                   const PbfColumns *columns, unsigned *tables) {
    const unsigned size = columns->mask + 1;
    const float relative = wbMixture_GetRelative(mixture, p->id[i]);
    const unsigned heaviness = pbf_weigh(relative, columns), lightness = pbf_lighten(relative, columns);
    tables[2 * size + s.one] += heaviness, tables[3 * size + s.other] += heaviness;
    tables[4 * size + s.one] += lightness, tables[5 * size + s.other] += lightness;
}

// In integers, whose sums do not depend on an order.
static int countDeepest(const wbParticles *p, const wbMixture *mixture, int axis, const PbfColumns *columns,
                        unsigned *tables) {
    const bool mixed = mixture->count > 0;
    const float *const places[3] = {p->x, p->y, p->z};
    unsigned most = 0;
    int axes[3];
    wbGetDepthAxes(axis, axes);
    const float *first = places[axes[0]], *second = places[axes[1]], *height = places[axes[2]];
    memset(tables, 0, (size_t)wbCountDepthTables(mixture) * sizeof *tables * (columns->mask + 1));
    for (int i = 0; i < p->count; i++) {
        PbfSlots s = pbf_slots(pbf_cell(first[i], second[i], height[i], columns), columns);
        tables[s.one]++, tables[columns->mask + 1 + s.other]++;
        if (mixed) addMix(p, i, mixture, s, columns, tables);
    }
    for (int i = 0; i < p->count; i++) {
        PbfCell cell = pbf_cell(first[i], second[i], height[i], columns);
        unsigned here = mixed ? pbf_find_run(tables, cell, p->count, columns, true)
                              : pbf_find_run(tables, cell, p->count, columns, false);
        most = here > most ? here : most;
    }
    return (int)most;
}

wbStatus wbFindPbfHead(const wbParticles *particles, const wbMixture *mixture, const wbPbfModel *model,
                       const wbWork *work, double *head) {
    const float gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
    int slots = wbCountDepthSlots(particles->count);
    size_t scratch = wbArena_Mark(work->arena);
    unsigned *room =
        wbArena_Alloc(work->arena, (size_t)wbCountDepthTables(mixture) * sizeof *room * (size_t)slots);
    *head = 0;
    if (!room) return wbMemoryError(work->memory, "columns of %d particles need", particles->count);
    for (int axis = 0; axis < model->dimensions; axis++) {
        if (gravity[axis] == 0) continue;
        PbfColumns columns = wbPbfModel_GetColumns(model, mixture, axis, slots);
        *head += fabs((double)gravity[axis]) *
                 wbPbfModel_GetDepth(model, countDeepest(particles, mixture, axis, &columns, room));
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
    return head * (double)model->contrast;
}
