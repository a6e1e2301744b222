// SPDX-License-Identifier: MIT
// Which particles are too small or too large for what is wished, who merges with whom, and along which axis what is too large splits.
#include <math.h>
#include <stdlib.h>

#include "core/hash.h"
#include "core/status.h"
#include "pbd/pbf_adaptive_look.h"
#include "pbd/pbf_spare_ids.h"
#include "pbd/pbf_wishes.h"

// The nearest level is wanted: with the next lower one there are a quarter more particles, and what is large is no calmer.
static bool isAtLeast(const wbLook *look, float target, int level) {
    return level <= look->topLevel && target >= look->from[level];
}

// What still fades waits, unless it is far from what it should be. Nothing large stays at the surface: level 1, which is no larger than the slack
// allows anywhere, rose in a pool that circulates until all of its surface was of it.
static wbSizeWish getWish(const wbLook *look, int i) {
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    const int level = sizes->level[i];
    const float target = fminf(look->target[i], look->size[look->topLevel]);
    const bool isCalm = look->fills || fabsf(sizes->offset[i]) < 0.03f;
    if (isAtLeast(look, target, level + 1) && (isCalm || isAtLeast(look, target, level + 2)))
        return wb_wishMerge;
    if (level > 0 && sizes->distance[i] < look->surface && !isAtLeast(look, target, level))
        return wb_wishSplit;
    if (level == 0 || target * look->slack >= look->size[level]) return wb_wishKeep;
    return isCalm || target * look->slack < look->size[level - 1] ? wb_wishSplit : wb_wishKeep;
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
    const wbWishInput input = {.toSurface = wbLook_GetSizes(look)->distance,
                               .h = h,
                               .mass = mass,
                               .near = step->pass->boundary ? &step->sized.near : NULL};
    return wbFindWishedSizes(step->fluid, &wishes, &input, look->target);
}

static void choose(int begin, int end, int worker, void *context) {
    wbLook *look = context;
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    for (int i = begin; i < end; i++) {
        const int level = sizes->level[i];
        int wanted = 0;
        while (isAtLeast(look, look->target[i], wanted + 1)) wanted++;
        look->wish[i] = (uint8_t)getWish(look, i);
        look->fine[worker] += (int64_t)1 << level;
        look->wanted[worker] += (int64_t)1 << (level + 16 - wanted);
    }
}

// Whether it pays: a particle among others of different sizes costs about twice as much as one among equal ones.
static void weigh(wbLook *look) {
    wbPbfSizes *sizes = wbLook_GetSizes(look);
    int64_t fine = 0, wanted = 0;
    for (int w = 0; w < WB_MAX_THREADS; w++) fine += look->fine[w], wanted += look->wanted[w];
    const double share = (double)wanted / 65536 / (double)fine;
    if (sizes->isOff || sizes->looks == 1 ? share < 0.5 : share <= 0.6) {
        sizes->isOff = 0;
        return;
    }
    sizes->isOff = 1;
    for (int i = 0; i < wbLook_GetParticles(look)->count; i++)
        look->wish[i] = sizes->level[i] > 0 ? wb_wishSplit : wb_wishKeep;
}

wbStatus wbLook_ChooseWishes(wbLook *look) {
    WB_TRY(takeWishes(look));
    wbParallelFor(look->step->fluid->work->pool, wbLook_GetParticles(look)->count, WB_BLOCK, choose, look);
    weigh(look);
    return wb_okStatus;
}

int wbLook_GetFluid(const wbLook *look, int i) {
    return wbFluidRuns_GetFluid(&wbLook_GetSizes(look)->runs, wbLook_GetParticles(look)->id[i]);
}

static bool canMerge(const wbLook *look, int i, int j) {
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    return j < wbLook_GetParticles(look)->count && j != i && look->wish[j] == wb_wishMerge &&
           sizes->level[j] == sizes->level[i] && wbLook_GetFluid(look, i) == wbLook_GetFluid(look, j);
}

// Squared distance, made a little longer by a hash of both ids, the same from both sides: a lattice has no order of its own.
static float getKey(const wbLook *look, int i, int j) {
    const wbParticles *p = wbLook_GetParticles(look);
    const float x = p->x[i] - p->x[j], y = p->y[i] - p->y[j], z = p->z[i] - p->z[j];
    const uint32_t low = p->id[i] < p->id[j] ? p->id[i] : p->id[j], high = p->id[i] ^ p->id[j] ^ low;
    return (x * x + y * y + z * z) * (1 + 0.1f * wbHashFloat(low * 0x9e3779b9u + wbHash32(high)));
}

static void tryPartner(const wbLook *look, int i, int j, float *best, int *partner) {
    if (!canMerge(look, i, j)) return;
    const float key = getKey(look, i, j);
    if (key < *best) *best = key, *partner = j;
}

// The nearest of the same level that wants to merge. What is two levels behind looks farther, and if need be among the neighbours of its larger
// neighbours: small ones that are alone among large ones are thrown about.
static int findPartner(const wbLook *look, int i) {
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    if (look->wish[i] != wb_wishMerge) return -1;
    const bool isBehind = isAtLeast(look, look->target[i], sizes->level[i] + 2);
    const float reach = (isBehind ? 4.2f : 2.6f) * look->step->model->levels.radius[sizes->level[i]];
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

// A particle two levels behind that found nobody: among large ones its supports with them may reach none, and it falls freely between them.
typedef struct Stranded {
    int level, fluid;
    float x;
    uint32_t id;
    int particle;
} Stranded;

static bool isStranded(const wbLook *look, int i) {
    return look->wish[i] == wb_wishMerge && look->partner[i] < 0 &&
           isAtLeast(look, look->target[i], wbLook_GetSizes(look)->level[i] + 2);
}

static int compareStranded(const void *a, const void *b) {
    const Stranded *one = a, *other = b;
    if (one->level != other->level) return one->level < other->level ? -1 : 1;
    if (one->fluid != other->fluid) return one->fluid < other->fluid ? -1 : 1;
    if (one->x != other->x) return one->x < other->x ? -1 : 1;
    return one->id < other->id ? -1 : one->id > other->id;
}

// The nearest of its kind within the support of the size that it should have, to one side along x.
static void seekStranded(const wbLook *look, const Stranded *list, int count, int at, int side, float *best,
                         int *partner) {
    const Stranded *own = &list[at];
    for (int k = at + side; k >= 0 && k < count; k += side) {
        const float apart = list[k].x - own->x;
        if (list[k].level != own->level || list[k].fluid != own->fluid || apart * apart >= *best) return;
        const float key = getKey(look, own->particle, list[k].particle);
        if (key < *best) *best = key, *partner = list[k].particle;
    }
}

// They merge with each other, so far away from each other as their size should be. Without weight they do not fall, and what they leave when they merge pushes: a
// disc got 13 instead of 0.4 mm/s. Where there are colliders they may be on both sides of one.
static wbStatus pairStranded(wbLook *look) {
    const wbParticles *p = wbLook_GetParticles(look);
    const wbSizedStep *step = look->step;
    const bool mayMeet = wbPbfModel_HasWeight(step->model) && !wbFluidStep_HasCollision(step->fluid);
    int count = 0;
    for (int i = 0; i < p->count && mayMeet; i++) count += isStranded(look, i);
    if (count < 2) return wb_okStatus;
    Stranded *list = wbArena_Alloc(look->step->fluid->work->arena, sizeof *list * (size_t)count);
    if (!list) return wbFluidStep_FailByMemory(look->step->fluid);
    for (int i = 0, k = 0; i < p->count; i++)
        if (isStranded(look, i))
            list[k++] =
                (Stranded){wbLook_GetSizes(look)->level[i], wbLook_GetFluid(look, i), p->x[i], p->id[i], i};
    qsort(list, (size_t)count, sizeof *list, compareStranded);
    for (int k = 0; k < count; k++) {
        const int i = list[k].particle;
        const float wanted = fminf(look->target[i], look->size[look->topLevel]) * look->step->model->h;
        const float reach =
            look->fills ? 4 * wanted : wanted; // before anything moves, what is left is to be little
        float best = reach * reach;
        int partner = -1;
        for (int side = -1; side <= 1; side += 2) seekStranded(look, list, count, k, side, &best, &partner);
        look->partner[i] = partner;
    }
    return wb_okStatus;
}

wbStatus wbLook_ChoosePartners(wbLook *look) {
    wbParallelFor(look->step->fluid->work->pool, wbLook_GetParticles(look)->count, WB_BLOCK, pairUp, look);
    return pairStranded(look);
}

bool wbLook_IsMerged(const wbLook *look, int i) {
    return look->partner[i] >= 0 && look->partner[look->partner[i]] == i;
}

// The one with the smaller id stays.
static bool isGone(const wbLook *look, int i) {
    const uint32_t *id = wbLook_GetParticles(look)->id;
    return wbLook_IsMerged(look, i) && id[look->partner[i]] < id[i];
}

// Axes of the plane come first.
static const signed char axes[13][3] = {{1, 0, 0},  {0, 1, 0},  {1, 1, 0}, {1, -1, 0}, {0, 0, 1},
                                        {1, 0, 1},  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1},
                                        {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};

// Room before points of colliders: as if a half were mirrored there.
static void leaveColliders(const wbLook *look, int i, const float *own, float half, float unit[][3],
                           int axisCount, float *room) {
    const wbBoundaryLists *near = &look->step->sized.near;
    const float size = 0.5f * look->step->model->levels.radius[wbLook_GetSizes(look)->level[i] - 1];
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
    const int axisCount = look->step->model->domain->dimensions == 3 ? 13 : 4;
    const float half = 0.9f * levels->radius[sizes->level[i] - 1];
    const wbFluidStep *fluid = look->step->fluid;
    float room[13], unit[13][3];
    for (int k = 0; k < axisCount; k++) {
        const int length2 = axes[k][0] * axes[k][0] + axes[k][1] * axes[k][1] + axes[k][2] * axes[k][2];
        for (int a = 0; a < 3; a++) unit[k][a] = (float)axes[k][a] / sqrtf((float)length2);
        room[k] = 1e30f;
    }
    int j;
    for (wbRow row = wbLook_GetRow(look, i); wbNextIn(&row, &j);) {
        if (j == i || j == fluid->dummy) continue;
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
    if (look->step->pass->boundary) leaveColliders(look, i, own, half, unit, axisCount, room);
    int best = (int)(wbLook_GetParticles(look)->id[i] % (uint32_t)axisCount);
    for (int n = 1, first = best; n < axisCount; n++) // ghosts make ties, which rounding is not to decide
        if (room[(first + n) % axisCount] > 1.001f * room[best]) best = (first + n) % axisCount;
    look->axisX[i] = half * unit[best][0], look->axisY[i] = half * unit[best][1];
    look->axisZ[i] = half * unit[best][2];
}

static void countSlots(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbLook *look = context;
    for (int i = begin; i < end; i++) {
        look->slots[i] = isGone(look, i) ? 0 : look->wish[i] == wb_wishSplit ? 2 : 1;
        if (look->slots[i] == 2) findAxis(look, i);
    }
}

void wbLook_CountSlots(wbLook *look) {
    wbParallelFor(look->step->fluid->work->pool, wbLook_GetParticles(look)->count, WB_BLOCK, countSlots,
                  look);
}
