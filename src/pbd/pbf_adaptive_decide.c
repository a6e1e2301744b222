// SPDX-License-Identifier: MIT
#include "pbd/pbf_adaptive_decide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "space/spare_ids.h"

// The largest particle must fit between closed sides: ghosts of it reach no farther.
static int findTopLevel(const wbPbfModel *model, const wbDomain *domain) {
    int level = model->adaptive.topLevel;
    float width;
    while (level > 0 && wbDomain_FindNarrow(domain, model->levels.h[level], &width) >= 0) level--;
    return level;
}

// Where two of them merge that were far apart, what is between them is pushed. Weight evens that out and filling relaxes it; in a disc without weight it left
// 83 mm/s after 6 s, where it is 8 mm/s now.
static bool reachesFar(const wbPbfModel *model, bool fills) { return fills || wbPbfModel_HasWeight(model); }

// In a plane a particle of a flat surface has four neighbours that are of it. Where three had to agree, large particles that a collider had held stayed at the
// surface when it vanished. Without weight gaps inside stay open, and are taken for surfaces sooner than they are: a disc went on splitting, at 8 mm/s.
PbfSurface wbMakeSurface(const wbPbfModel *model) {
    const bool isFlat = model->domain->dimensions == 2, isHeavy = wbPbfModel_HasWeight(model);
    return (PbfSurface){.smallest = model->levels.radius[0],
                        .few = isFlat ? 2 : 3,
                        .many = !isFlat   ? 8
                                : isHeavy ? 2
                                          : 3,
                        .steep = isHeavy ? 1 : 1e30f};
}

PbfTargets wbMakeTargets(const wbPbfModel *model, const wbDomain *domain, bool fills) {
    const int d = model->domain->dimensions;
    PbfTargets targets = {.slack = (float)pow(2, (double)model->adaptive.hysteresis / d),
                          .topLevel = findTopLevel(model, domain),
                          .surface = 0.5f * model->adaptive.band * model->levels.radius[0],
                          .colliders = 0.5f * model->adaptive.nearColliders * model->levels.radius[0],
                          .fills = fills,
                          .reachesFar = reachesFar(model, fills)};
    for (int l = 0; l < PBF_LEVELS + 2; l++)
        targets.size[l] = (float)pow(2, (double)l / d), targets.from[l] = (float)pow(2, (l - 0.5) / d);
    return targets;
}

// A particle among others of different sizes costs about twice as much as one among equal ones.
bool wbPbfSizes_Weigh(wbPbfSizes *sizes, int64_t fine, int64_t wanted) {
    const double share = (double)wanted / 65536 / (double)fine;
    const bool pays = sizes->isOff || sizes->looks == 1 ? share < 0.5 : share <= 0.6;
    sizes->isOff = !pays;
    return pays;
}

static wbStatus outOfMemory(const wbWork *work, const wbSizeChanges *changes) {
    return wbMemoryError(work->memory, "merges and splits of %d particles need", changes->count);
}

// A particle that would split, by its distance to the surface.
typedef struct Deep {
    float distance;
    uint32_t id;
    int particle;
} Deep;

static int compareDepths(const void *a, const void *b) {
    const Deep *one = a, *other = b;
    if (one->distance != other->distance) return one->distance < other->distance ? -1 : 1;
    return one->id < other->id ? -1 : one->id > other->id;
}

// Splits obey the limit: the deepest stay as they are.
static wbStatus limitSplits(const wbWork *work, wbSizeChanges *changes) {
    int *slots = changes->slots, count = 0, after = 0;
    for (int i = 0; i < changes->count; i++) count += slots[i] == 2, after += slots[i];
    if (changes->limit == 0 || after <= changes->limit || count == 0) return wb_okStatus;
    Deep *deep = wbArena_Alloc(work->arena, sizeof *deep * (size_t)count);
    if (!deep) return outOfMemory(work, changes);
    for (int i = 0, k = 0; i < changes->count; i++)
        if (slots[i] == 2) deep[k++] = (Deep){changes->distances[i], changes->ids[i], i};
    qsort(deep, (size_t)count, sizeof *deep, compareDepths);
    for (int k = count - 1; k >= 0 && after > changes->limit; k--, after--) slots[deep[k].particle] = 1;
    return wb_okStatus;
}

// What splits was merged once, or filled as large as it is, when its ids were set aside.
static wbStatus giveIds(wbPbfSizes *sizes, const wbWork *work, wbSizeChanges *changes) {
    wbIdTaker taker;
    if (!wbIdTaker_Begin(&taker, &sizes->spare, &sizes->runs, work->arena)) return outOfMemory(work, changes);
    for (int i = 0; i < changes->count; i++) {
        if (changes->slots[i] != 2) continue;
        if (wbIdTaker_Take(&taker, wbFluidRuns_GetFluid(&sizes->runs, changes->ids[i]), &changes->newIds[i]))
            changes->splits++;
        else
            changes->slots[i] = 1;
    }
    wbIdTaker_End(&taker);
    return wb_okStatus;
}

static wbStatus setAside(wbPbfSizes *sizes, const wbWork *work, const wbSizeChanges *changes) {
    const size_t scratch = wbArena_Mark(work->arena);
    uint32_t *ids = wbArena_Alloc(work->arena, sizeof *ids * (size_t)(changes->merges + 1));
    if (!ids) return outOfMemory(work, changes);
    for (int i = 0, k = 0; i < changes->count; i++)
        if (changes->slots[i] == 0) ids[k++] = changes->ids[i];
    WB_TRY(wbSpareIds_Add(&sizes->spare, &sizes->runs, ids, changes->merges, work));
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}

wbStatus wbPbfSizes_TakeSlots(wbPbfSizes *sizes, const wbWork *work, wbSizeChanges *changes) {
    int place = 0;
    changes->merges = changes->splits = 0;
    for (int i = 0; i < changes->count; i++) changes->merges += changes->slots[i] == 0;
    WB_TRY(setAside(sizes, work, changes));
    WB_TRY(limitSplits(work, changes));
    WB_TRY(giveIds(sizes, work, changes));
    for (int i = 0; i < changes->count; i++) {
        const int slots = changes->slots[i];
        changes->slots[i] = place, place += slots;
    }
    changes->slots[changes->count] = place;
    sizes->merges += changes->merges, sizes->splits += changes->splits;
    return wb_okStatus;
}

// Whether water of this head, m2/s2, may be deep enough: of a column of the whole depth so many particles would be left if each were as its depth asks
// for. Distances are found along ways from particle to particle, which are longer.
static bool mayPay(const wbPbfModel *model, double head) {
    const wbVec3 g = model->domain->gravity;
    const double fall = fabs((double)g.x) + fabs((double)g.y) + fabs((double)g.z), longWay = 1.3;
    const double slope = (double)model->adaptive.slope, band = (double)model->adaptive.band,
                 power = model->domain->dimensions - 1;
    if (fall == 0 || slope == 0 || model->adaptive.viewAngle > 0) return true;
    const double depth = longWay * head / fall / (double)model->levels.radius[0],
                 inner = fmax(depth - band, 0),
                 left = depth - inner + (1 - pow(1 + slope * inner, -power)) / (slope * power);
    return left < 0.5 * depth;
}

// Where it does not pay, looks are to cost next to nothing.
bool wbPbfSizes_IsLookDue(wbPbfSizes *sizes, const wbPbfModel *model, double head, float frames) {
    const bool isIdle = sizes->isOff && !sizes->varied;
    const int longer = !isIdle ? 1 : mayPay(model, head) ? 4 : 32;
    sizes->age += frames;
    if (sizes->age < (float)(longer * model->adaptive.interval)) return false;
    sizes->age = 0;
    return true;
}

// Where weight closes the gaps that merging leaves, relaxation only makes unrest. What is left of it when a fluid was filled drives it apart while its
// offsets fade, and without weight nothing brings it back: a disc of 7,850 particles got 0.3 m/s after 10 iterations, 0.02 after 60.
int wbCountRelaxations(const wbPbfModel *model, bool fills) {
    enum { FILL_RELAXATIONS = 10, WEIGHTLESS_FILL_RELAXATIONS = 60 };
    const bool isHeavy = wbPbfModel_HasWeight(model);
    if (fills) return isHeavy ? FILL_RELAXATIONS : WEIGHTLESS_FILL_RELAXATIONS;
    return isHeavy ? 0 : model->adaptive.relaxations;
}

// Merges leave pairs that lie in each other beside gaps, which densities do not tell. Pushes of 0.05 part them; those of 0.1 left a disc 8 instead
// of 0.3 mm/s, and so did pushes after later changes, where few iterations follow. Pairs that fall into each other fly apart, seconds later, when they pass each
// other: a disc that had been at rest for 5 s burst at its edge.
PbfApart wbMakeRelaxApart(const wbPbfModel *model, bool fills) {
    const double unit = (double)model->params.omega / (model->stiffestWave * model->gradientSum);
    return (PbfApart){.far = (float)(fills ? 0.05 * unit : 0),
                      .near = (float)(wbPbfModel_HasWeight(model) ? 0 : 0.06 * unit)};
}

// A particle that has lain in another since it was filled would jump by a spacing when something changes elsewhere.
float wbGetRelaxMost(bool fills) { return fills ? 10 : 0.1f; }

wbFillRounds wbBeginFilling(int count) { return (wbFillRounds){.few = count / 1000}; }

bool wbFillRounds_Next(wbFillRounds *rounds, wbPbfSizes *sizes, int merges) {
    enum { ROUNDS = 40, CALM_ROUNDS = 10 };
    rounds->round++, rounds->calm += merges <= rounds->few;
    if (sizes->varied) return rounds->round < ROUNDS && rounds->calm < CALM_ROUNDS;
    sizes->isOff = sizes->looks = 0; // what does not pay on the lattice may pay when it has settled
    return false;
}

// Beyond the limit a change pushes, as where a small particle comes to lie in a large one; and a gap that counts as full, for the least pressure there was, opens
// further. Weight takes both back; without it nothing does: a disc got 8 to 12 instead of 0.3 mm/s.
PbfCarry wbMakeCarry(const wbPbfModel *model) {
    return wbPbfModel_HasWeight(model) ? PBF_HEAVY_CARRY : (PbfCarry){.most = 10, .rate = 20};
}

// Where nothing holds a fluid together, what fades drives it apart.
float wbGetOffsetShare(const wbPbfModel *model, float frames) {
    return wbPbfModel_HasWeight(model) ? fmaxf(0, 1 - frames / (float)model->adaptive.fade) : 1;
}
