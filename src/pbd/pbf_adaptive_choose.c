// SPDX-License-Identifier: MIT
// Which particles are too small or too large for what is wished, who merges with whom, and along which axis what is too large splits.
#include <math.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_look.h"
#include "pbd/pbf_adaptive_strays.h"
#include "pbd/pbf_sheets.h"
#include "pbd/pbf_wishes.h"
#include "space/spare_ids.h"

// Sheets are as colliders are: what is large lies on them with its whole weight in a few places, or between what they are made of.
static wbStatus approachSheets(wbLook *look, const PbfWishes *wishes) {
    const wbSizedStep *step = look->step;
    const int count = wbLook_GetParticles(look)->count;
    if (!step->sheets || wishes->nearColliders == 0) return wb_okStatus;
    if (!look->toColliders) {
        if (!wbFluidStep_AllocColumns(step->fluid, (float **const[]){&look->toColliders}, 1))
            return wbFluidStep_FailByMemory(step->fluid);
        for (int i = 0; i < wbPadCount(count); i++) look->toColliders[i] = WB_FAR_COLLIDER;
    }
    wbPbfSheets_Approach(step->sheets, look->toColliders);
    return wb_okStatus;
}

// Targets, where particles are.
static wbStatus takeWishes(wbLook *look) {
    wbSizedStep *step = look->step;
    const PbfLevels *levels = &step->model->levels;
    const PbfWishes wishes =
        wbMakePbfWishes(&step->model->adaptive, levels->radius[0], step->model->domain->dimensions);
    float *h = NULL, *mass = NULL;
    float **const columns[] = {&h, &mass};
    const bool looksAround = wishes.curl > 0 || wishes.feature > 0;
    if (looksAround && !wbFluidStep_AllocColumns(step->fluid, columns, 2))
        return wbFluidStep_FailByMemory(step->fluid);
    for (int i = 0; i < wbLook_GetParticles(look)->count && looksAround; i++) {
        const int level = wbLook_GetSizes(look)->level[i];
        h[i] = levels->h[level], mass[i] = levels->mass[level];
    }
    WB_TRY(wbFindToColliders(step->fluid, &wishes,
                             wbFluidStep_HasBoundary(step->fluid) ? &step->sized.near : NULL,
                             &look->toColliders));
    WB_TRY(approachSheets(look, &wishes));
    const wbWishInput input = {
        .toSurface = wbLook_GetSizes(look)->distance, .toColliders = look->toColliders, .h = h, .mass = mass};
    return wbFindWishedSizes(step->fluid, &wishes, &input, look->target);
}

static void choose(int begin, int end, int worker, void *context) {
    wbLook *look = context;
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    for (int i = begin; i < end; i++) {
        const int level = sizes->level[i], wanted = pbf_wanted_level(&look->targets, look->target[i]);
        const float toColliders = look->toColliders ? look->toColliders[i] : WB_FAR_COLLIDER;
        look->wish[i] = (uint8_t)pbf_wish(&look->targets, look->target[i], level, sizes->distance[i],
                                          toColliders, sizes->offset[i]);
        look->fine[worker] += (int64_t)1 << level;
        look->wanted[worker] += (int64_t)1 << (level + 16 - wanted);
    }
}

static void weigh(wbLook *look) {
    wbPbfSizes *sizes = wbLook_GetSizes(look);
    int64_t fine = 0, wanted = 0;
    for (int w = 0; w < WB_MAX_THREADS; w++) fine += look->fine[w], wanted += look->wanted[w];
    if (wbPbfSizes_Weigh(sizes, fine, wanted)) return;
    for (int i = 0; i < wbLook_GetParticles(look)->count; i++)
        look->wish[i] = sizes->level[i] > 0 ? PBF_SPLIT : PBF_KEEP;
}

wbStatus wbLook_ChooseWishes(wbLook *look) {
    WB_TRY(takeWishes(look));
    wbParallelFor(look->step->fluid->work->pool, wbLook_GetParticles(look)->count, WB_BLOCK, choose, look);
    weigh(look);
    return wb_okStatus;
}

static int getFluid(const wbLook *look, int i) {
    return wbFluidRuns_GetFluid(&wbLook_GetSizes(look)->runs, wbLook_GetParticles(look)->id[i]);
}

// Whether a sheet is between the place of a particle and another.
static bool isParted(const wbLook *look, int i, const float to[3]) {
    const wbParticles *p = wbLook_GetParticles(look);
    const float from[3] = {p->x[i], p->y[i], p->z[i]};
    return look->step->sheets && wbPbfSheets_Parts(look->step->sheets, i, from, to);
}

static bool canMerge(const wbLook *look, int i, int j) {
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    const wbParticles *p = wbLook_GetParticles(look);
    return j < p->count && j != i && look->wish[j] == PBF_MERGE && sizes->level[j] == sizes->level[i] &&
           getFluid(look, i) == getFluid(look, j) &&
           !isParted(look, i, (const float[3]){p->x[j], p->y[j], p->z[j]});
}

static float getKey(const wbLook *look, int i, int j) {
    const wbParticles *p = wbLook_GetParticles(look);
    return pbf_partner_key(p->x[i] - p->x[j], p->y[i] - p->y[j], p->z[i] - p->z[j], p->id[i], p->id[j]);
}

static void tryPartner(const wbLook *look, int i, int j, float *best, int *partner) {
    if (!canMerge(look, i, j)) return;
    const float key = getKey(look, i, j);
    if (key < *best) *best = key, *partner = j;
}

// The nearest of the same level that wants to merge. What is behind looks farther, and if need be among the neighbours of its larger
// neighbours: small ones that are alone among large ones are thrown about. Not where there are sheets, which are known as far as a support alone.
static int findPartner(const wbLook *look, int i) {
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    if (look->wish[i] != PBF_MERGE) return -1;
    const bool isBehind = look->targets.reachesFar && !look->step->sheets &&
                          pbf_is_behind(&look->targets, look->target[i], sizes->level[i]);
    const float reach = pbf_partner_reach(look->step->model->levels.radius[sizes->level[i]], isBehind);
    float best = reach * reach;
    int partner = -1, j, k;
    for (wbRow row = wbLook_GetRow(look, i); wbNextIn(&row, &j);) tryPartner(look, i, j, &best, &partner);
    if (partner >= 0 || !isBehind) return partner;
    best = 1e30f;
    for (wbRow row = wbLook_GetRow(look, i); wbNextIn(&row, &j);)
        if (j < wbLook_GetParticles(look)->count && sizes->level[j] > sizes->level[i])
            for (wbRow far = wbLook_GetRow(look, j); wbNextIn(&far, &k);)
                tryPartner(look, i, k, &best, &partner);
    return partner;
}

static void pairUp(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbLook *look = context;
    for (int i = begin; i < end; i++) look->partner[i] = findPartner(look, i);
}

wbStatus wbLook_ChoosePartners(wbLook *look) {
    const wbParticles *p = wbLook_GetParticles(look);
    const wbSizedStep *step = look->step;
    const wbWork *work = step->fluid->work;
    wbParallelFor(work->pool, p->count, WB_BLOCK, pairUp, look);
    if (!wbMayStraysMeet(step->model, wbLook_GetSizes(look),
                         wbFluidStep_HasCollision(step->fluid) || step->sheets))
        return wb_okStatus;
    const wbStrays strays = {.count = p->count,
                             .targets = &look->targets,
                             .runs = &wbLook_GetSizes(look)->runs,
                             .h = step->model->h,
                             .ids = p->id,
                             .level = wbLook_GetSizes(look)->level,
                             .x = {p->x, p->y, p->z},
                             .target = look->target,
                             .partner = look->partner};
    return wbStrays_Pair(&strays, work);
}

bool wbLook_IsMerged(const wbLook *look, int i) {
    return look->partner[i] >= 0 && look->partner[look->partner[i]] == i;
}

// The one with the smaller id stays.
static bool isGone(const wbLook *look, int i) {
    const uint32_t *id = wbLook_GetParticles(look)->id;
    return wbLook_IsMerged(look, i) && id[look->partner[i]] < id[i];
}

// Room before points of colliders.
static void leaveColliders(const wbLook *look, int i, const float *own, float half, float unit[][3],
                           int axisCount, float *room) {
    const wbBoundaryLists *near = &look->step->sized.near;
    const float size =
        pbf_collider_size(look->step->model->levels.radius[wbLook_GetSizes(look)->level[i] - 1]);
    const int dummy = wbBoundary_GetCount(near->points);
    int j;
    for (wbRow row = wbGetRow(near->places, i); wbNextIn(&row, &j);) {
        if (j == dummy) continue;
        const float *place = near->points->positionRecords + 4 * (size_t)j;
        const float d[3] = {place[0] - own[0], place[1] - own[1], place[2] - own[2]};
        const float d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + half * half;
        for (int k = 0; k < axisCount; k++) {
            const float along = fabsf(d[0] * unit[k][0] + d[1] * unit[k][1] + d[2] * unit[k][2]);
            room[k] = fminf(room[k], (d2 - 2 * half * along) / (size * size));
        }
    }
}

// The axis on which the halves have most room, by the squared distance of the nearer end to anyone, over the other's size.
static void findAxis(const wbLook *look, int i) {
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    const PbfLevels *levels = &look->step->model->levels;
    const float *records = look->step->pass->places, *own = records + 4 * (size_t)i;
    const int axisCount = pbf_count_axes(look->step->model->domain->dimensions);
    const float half = pbf_half_way(levels->radius[sizes->level[i] - 1]);
    const wbFluidStep *fluid = look->step->fluid;
    float room[PBF_AXES], unit[PBF_AXES][3];
    for (int k = 0; k < axisCount; k++) {
        for (int a = 0; a < 3; a++) unit[k][a] = pbf_axis(k, a);
        room[k] = 1e30f;
    }
    int j;
    for (wbRow row = wbLook_GetRow(look, i); wbNextIn(&row, &j);) {
        if (j == i || j == look->step->lists.dummy) continue;
        const float *other = records + 4 * (size_t)j;
        const float d[3] = {other[0] - own[0], other[1] - own[1], other[2] - own[2]};
        const int source = j < fluid->firstGhost ? j : fluid->ghosts.source[j - fluid->firstGhost];
        const float size = levels->radius[sizes->level[source]],
                    d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + half * half;
        for (int k = 0; k < axisCount; k++) {
            const float along = fabsf(d[0] * unit[k][0] + d[1] * unit[k][1] + d[2] * unit[k][2]);
            room[k] = fminf(room[k], (d2 - 2 * half * along) / (size * size));
        }
    }
    if (wbFluidStep_HasBoundary(look->step->fluid)) leaveColliders(look, i, own, half, unit, axisCount, room);
    int best = (int)(wbLook_GetParticles(look)->id[i] % (uint32_t)axisCount);
    for (int n = 1, first = best; n < axisCount; n++)
        if (pbf_has_more_room(room[(first + n) % axisCount], room[best])) best = (first + n) % axisCount;
    look->axisX[i] = half * unit[best][0], look->axisY[i] = half * unit[best][1];
    look->axisZ[i] = half * unit[best][2];
}

// A half would come to be behind a sheet.
static bool isSplitParted(const wbLook *look, int i) {
    const wbParticles *p = wbLook_GetParticles(look);
    for (int sign = -1; sign <= 1; sign += 2) {
        const float to[3] = {p->x[i] + (float)sign * look->axisX[i], p->y[i] + (float)sign * look->axisY[i],
                             p->z[i] + (float)sign * look->axisZ[i]};
        if (isParted(look, i, to)) return true;
    }
    return false;
}

static void countSlots(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbLook *look = context;
    for (int i = begin; i < end; i++) {
        look->slots[i] = isGone(look, i) ? 0 : look->wish[i] == PBF_SPLIT ? 2 : 1;
        if (look->slots[i] == 2) findAxis(look, i);
        if (look->slots[i] == 2 && isSplitParted(look, i)) look->slots[i] = 1;
    }
}

void wbLook_CountSlots(wbLook *look) {
    wbParallelFor(look->step->fluid->work->pool, wbLook_GetParticles(look)->count, WB_BLOCK, countSlots,
                  look);
}
