// SPDX-License-Identifier: MIT
#include "pbd/pbf_depth.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_columns.h"

int wbCountDepthSlots(int count) {
    int slots = 1024;
    while (slots < count && slots < 1 << 28) slots *= 2;
    return slots;
}

double wbPbfModel_GetDepth(const wbPbfModel *model, int most) {
    double width = PBF_COLUMN_WIDTH, across = model->dimensions == 3 ? width * width : width;
    return most / across * (double)model->params.spacing;
}

PbfColumns wbPbfModel_GetColumns(const wbPbfModel *model, int axis, int slots) {
    int other = axis == 2 ? 0 : 2;
    PbfColumns columns = {.inverseWidth = 1 / (PBF_COLUMN_WIDTH * model->params.spacing),
                          .mask = (unsigned)slots - 1,
                          .first = axis == 0 ? 1 : 0,
                          .second = axis == 1   ? other
                                    : axis == 0 ? 2
                                                : 1};
    return columns;
}

// In integers, whose sums do not depend on an order.
static int countDeepest(const wbParticles *p, const PbfColumns *columns, unsigned *slots) {
    const float *const places[3] = {p->x, p->y, p->z};
    const float *first = places[columns->first], *second = places[columns->second];
    unsigned *others = slots + columns->mask + 1, most = 0;
    memset(slots, 0, 2 * sizeof *slots * (columns->mask + 1));
    for (int i = 0; i < p->count; i++) {
        PbfSlots s = pbf_column(first[i], second[i], columns);
        slots[s.one]++, others[s.other]++;
    }
    for (int i = 0; i < p->count; i++) {
        PbfSlots s = pbf_column(first[i], second[i], columns);
        unsigned here = slots[s.one] < others[s.other] ? slots[s.one] : others[s.other];
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
        *head +=
            fabs((double)gravity[axis]) * wbPbfModel_GetDepth(model, countDeepest(particles, &columns, room));
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
