// SPDX-License-Identifier: MIT
#include "pbd/pbf_adaptive_strays.h"

#include <math.h>
#include <stdlib.h>

#include "core/status.h"
#include "space/spare_ids.h"

typedef struct Stray {
    int level, fluid;
    float x;
    uint32_t id;
    int particle;
} Stray;

bool wbMayStraysMeet(const wbPbfModel *model, const wbPbfSizes *sizes, bool hasColliders) {
    return !sizes->isOff && wbPbfModel_HasWeight(model) && !hasColliders;
}

static bool isStray(const wbStrays *s, int i) {
    return s->partner[i] < 0 && pbf_is_behind(s->targets, s->target[i], s->level[i]);
}

int wbStrays_Count(const wbStrays *strays) {
    int count = 0;
    for (int i = 0; i < strays->count; i++) count += isStray(strays, i);
    return count;
}

static int compare(const void *a, const void *b) {
    const Stray *one = a, *other = b;
    if (one->level != other->level) return one->level < other->level ? -1 : 1;
    if (one->fluid != other->fluid) return one->fluid < other->fluid ? -1 : 1;
    if (one->x != other->x) return one->x < other->x ? -1 : 1;
    return one->id < other->id ? -1 : one->id > other->id;
}

static float getKey(const wbStrays *s, int i, int j) {
    return pbf_partner_key(s->x[0][i] - s->x[0][j], s->x[1][i] - s->x[1][j], s->x[2][i] - s->x[2][j],
                           s->ids[i], s->ids[j]);
}

// The nearest of its kind, to one side along x.
static void seek(const wbStrays *s, const Stray *list, int count, int at, int side, float *best,
                 int *partner) {
    const Stray *own = &list[at];
    for (int k = at + side; k >= 0 && k < count; k += side) {
        const float apart = list[k].x - own->x;
        if (list[k].level != own->level || list[k].fluid != own->fluid || apart * apart >= *best) return;
        const float key = getKey(s, own->particle, list[k].particle);
        if (key < *best) *best = key, *partner = list[k].particle;
    }
}

wbStatus wbStrays_Pair(const wbStrays *s, const wbWork *work) {
    const int count = wbStrays_Count(s);
    if (count < 2) return wb_okStatus;
    Stray *list = wbArena_Alloc(work->arena, sizeof *list * (size_t)count);
    if (!list) return wbMemoryError(work->memory, "merges of %d particles need", count);
    for (int i = 0, k = 0; i < s->count; i++)
        if (isStray(s, i))
            list[k++] =
                (Stray){s->level[i], wbFluidRuns_GetFluid(s->runs, s->ids[i]), s->x[0][i], s->ids[i], i};
    qsort(list, (size_t)count, sizeof *list, compare);
    for (int k = 0; k < count; k++) {
        const int i = list[k].particle;
        const float wanted = fminf(s->target[i], s->targets->size[s->targets->topLevel]) * s->h;
        // before anything moves, what is left is to be little
        const float reach = s->targets->fills ? 4 * wanted : wanted;
        float best = reach * reach;
        int partner = -1;
        for (int side = -1; side <= 1; side += 2) seek(s, list, count, k, side, &best, &partner);
        s->partner[i] = partner;
    }
    return wb_okStatus;
}
