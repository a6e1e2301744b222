// SPDX-License-Identifier: MIT
// A look at all particles: which are too small or too large for their distance to the surface; merges and splits.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_ids.h"
#include "pbd/pbf_adaptive_look_formula.h"
#include "pbd/pbf_adaptive_step.h"
#include "pbd/pbf_wishes.h"

// What splits and merges of a look are told by, per particle; in the arena.
typedef struct Look {
    wbSizedStep *step;
    PbfTargets targets;
    float *density, *gradient;
    float *target; // the size that a particle should have, over that of the smallest
    uint8_t *wish;
    int *partner; // -1: nobody
    int *slots;   // what becomes of a particle: none, one, two; then the first of their places
    float *axisX, *axisY, *axisZ; // half the way from one half to the other
    float *before;                // density over which the constraint pushed, of those that are there then
    float *pressure;              // of those
    float *fromX, *fromY, *fromZ; // where they were, or what they came from; NULL: nobody asks
    uint32_t *newIds;             // of second halves
    int64_t fine[WB_MAX_THREADS],
        wanted[WB_MAX_THREADS]; // particles if all were of level 0, and if all were as they should, in 2^-16
    int changed;
    bool fills; // as in the targets
} Look;

static wbParticles *getParticles(const Look *look) { return &look->step->pbf->fluid.particles; }
static wbPbfSizes *getSizes(const Look *look) { return &look->step->pbf->sizes; }

// Neighbours of a particle in its list.
typedef struct Row {
    const int *entry;
    int left;
} Row;
static Row getRowOf(const wbNeighbours *neighbours, int i) {
    Row row;
    row.entry = wbNeighbours_GetRows(neighbours, i / WB_GROUP, &row.left) + i % WB_GROUP;
    return row;
}
static Row getRow(const Look *look, int i) { return getRowOf(&look->step->fluid->search->neighbours, i); }
static bool nextIn(Row *row, int *j) {
    if (row->left-- == 0) return false;
    *j = *row->entry, row->entry += WB_GROUP;
    return true;
}

// Targets, where particles are.
static wbStatus takeWishes(Look *look) {
    wbSizedStep *step = look->step;
    const wbWork *work = step->fluid->work;
    wbWishPass pass = {.wishes = wbMakePbfWishes(&step->model->adaptive, step->model->levels.radius[0]),
                       .particles = getParticles(look),
                       .toSurface = getSizes(look)->distance,
                       .size = look->target};
    float *toColliders;
    if (pass.wishes.nearColliders > 0 && step->pass->boundary) {
        if (!wbFluidStep_AllocColumns(step->fluid, (float **const[]){&toColliders}, 1))
            return wbFluidStep_FailByMemory(step->fluid);
        wbFindColliderDistances(step->fluid, &step->sized.near, toColliders);
        pass.toColliders = toColliders;
    }
    wbParallelShare(work->pool, pass.particles->count, WB_BLOCK, wbGetWishCode(work->simd)->sizes, &pass);
    return wb_okStatus;
}

static void choose(int begin, int end, int worker, void *context) {
    Look *look = context;
    const wbPbfSizes *sizes = getSizes(look);
    for (int i = begin; i < end; i++) {
        const int level = sizes->level[i], wanted = pbf_wanted_level(&look->targets, look->target[i]);
        look->wish[i] = (uint8_t)pbf_wish(&look->targets, look->target[i], level, sizes->distance[i],
                                          sizes->offset[i]);
        look->fine[worker] += (int64_t)1 << level;
        look->wanted[worker] += (int64_t)1 << (level + 16 - wanted);
    }
}

static int getFluid(const Look *look, int i) {
    return wbGetFluidOfRun(&getSizes(look)->runs, getParticles(look)->id[i]);
}

static bool canMerge(const Look *look, int i, int j) {
    const wbPbfSizes *sizes = getSizes(look);
    return j < getParticles(look)->count && j != i && look->wish[j] == PBF_MERGE &&
           sizes->level[j] == sizes->level[i] && getFluid(look, i) == getFluid(look, j);
}

static float getKey(const Look *look, int i, int j) {
    const wbParticles *p = getParticles(look);
    return pbf_partner_key(p->x[i] - p->x[j], p->y[i] - p->y[j], p->z[i] - p->z[j], p->id[i], p->id[j]);
}

static void tryPartner(const Look *look, int i, int j, float *best, int *partner) {
    if (!canMerge(look, i, j)) return;
    const float key = getKey(look, i, j);
    if (key < *best) *best = key, *partner = j;
}

// The nearest of the same level that wants to merge. What is two levels behind looks farther, and if need be among the neighbours of its larger
// neighbours: small ones that are alone among large ones are thrown about.
static int findPartner(const Look *look, int i) {
    const wbPbfSizes *sizes = getSizes(look);
    if (look->wish[i] != PBF_MERGE) return -1;
    const bool isBehind = pbf_is_at_least(&look->targets, look->target[i], sizes->level[i] + 2);
    const float reach = pbf_partner_reach(look->step->model->levels.radius[sizes->level[i]], isBehind);
    float best = reach * reach;
    int partner = -1, j, k;
    for (Row row = getRow(look, i); nextIn(&row, &j);) tryPartner(look, i, j, &best, &partner);
    if (partner >= 0 || !isBehind) return partner;
    best = 1e30f;
    for (Row row = getRow(look, i); nextIn(&row, &j);)
        if (j < getParticles(look)->count && sizes->level[j] > sizes->level[i])
            for (Row far = getRow(look, j); nextIn(&far, &k);) tryPartner(look, i, k, &best, &partner);
    return partner;
}

static void pairUp(int begin, int end, int worker, void *context) {
    (void)worker;
    const Look *look = context;
    for (int i = begin; i < end; i++) look->partner[i] = findPartner(look, i);
}

static bool isMerged(const Look *look, int i) {
    return look->partner[i] >= 0 && look->partner[look->partner[i]] == i;
}

// The one with the smaller id stays.
static bool isGone(const Look *look, int i) {
    const uint32_t *id = getParticles(look)->id;
    return isMerged(look, i) && id[look->partner[i]] < id[i];
}

// Room before points of colliders.
static void leaveColliders(const Look *look, int i, const float *own, float half, float unit[][3],
                           int axisCount, float *room) {
    const wbBoundaryLists *near = &look->step->sized.near;
    const float size = pbf_collider_size(look->step->model->levels.radius[getSizes(look)->level[i] - 1]);
    const int dummy = wbBoundary_GetCount(near->points);
    int j;
    for (Row row = getRowOf(near->places, i); nextIn(&row, &j);) {
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
static void findAxis(const Look *look, int i) {
    const wbPbfSizes *sizes = getSizes(look);
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
    for (Row row = getRow(look, i); nextIn(&row, &j);) {
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
    int best = (int)(getParticles(look)->id[i] % (uint32_t)axisCount);
    for (int n = 1, first = best; n < axisCount; n++)
        if (pbf_has_more_room(room[(first + n) % axisCount], room[best])) best = (first + n) % axisCount;
    look->axisX[i] = half * unit[best][0], look->axisY[i] = half * unit[best][1];
    look->axisZ[i] = half * unit[best][2];
}

static void countSlots(int begin, int end, int worker, void *context) {
    (void)worker;
    const Look *look = context;
    for (int i = begin; i < end; i++) {
        look->slots[i] = isGone(look, i) ? 0 : look->wish[i] == PBF_SPLIT ? 2 : 1;
        if (look->slots[i] == 2) findAxis(look, i);
    }
}

// Places of what comes of each particle, and ids of second halves.
static wbStatus takeSlots(Look *look) {
    const wbParticles *p = getParticles(look);
    wbSizeChanges changes = {.count = p->count,
                             .ids = p->id,
                             .distances = getSizes(look)->distance,
                             .limit = look->step->model->adaptive.limit,
                             .slots = look->slots,
                             .newIds = look->newIds};
    WB_TRY(wbPbfSizes_TakeSlots(getSizes(look), look->step->fluid->work, &changes));
    look->changed = changes.merges + changes.splits > 0;
    return wb_okStatus;
}

static float getPressed(const Look *look, int i) {
    return pbf_pressed(look->density[i], getSizes(look)->offset[i]);
}

static void copyParticle(const Look *look, int i, int to) {
    const wbParticles *p = getParticles(look);
    const wbPbfSizes *sizes = getSizes(look);
    p->backX[to] = p->x[i], p->backY[to] = p->y[i], p->backZ[to] = p->z[i];
    p->backVx[to] = p->vx[i], p->backVy[to] = p->vy[i], p->backVz[to] = p->vz[i];
    p->backId[to] = p->id[i], p->backDensity[to] = p->density[i], look->pressure[to] = p->pressure[i];
    sizes->backLevel[to] = sizes->level[i], sizes->backOffset[to] = sizes->offset[i];
    sizes->backDistance[to] = sizes->distance[i], look->before[to] = look->fills ? 1 : getPressed(look, i);
    if (look->fromX) look->fromX[to] = p->x[i], look->fromY[to] = p->y[i], look->fromZ[to] = p->z[i];
}

// Of equal masses: means keep mass, momentum and centre.
static void merge(const Look *look, int i, int to) {
    const wbParticles *p = getParticles(look);
    const wbPbfSizes *sizes = getSizes(look);
    const int j = look->partner[i];
    copyParticle(look, i, to);
    p->backX[to] = 0.5f * (p->x[i] + p->x[j]), p->backY[to] = 0.5f * (p->y[i] + p->y[j]);
    p->backZ[to] = 0.5f * (p->z[i] + p->z[j]);
    p->backVx[to] = 0.5f * (p->vx[i] + p->vx[j]), p->backVy[to] = 0.5f * (p->vy[i] + p->vy[j]);
    p->backVz[to] = 0.5f * (p->vz[i] + p->vz[j]);
    sizes->backLevel[to]++;
    sizes->backDistance[to] = 0.5f * (sizes->distance[i] + sizes->distance[j]);
    if (!look->fills) look->before[to] = 0.5f * (getPressed(look, i) + getPressed(look, j));
}

static float confine(const Look *look, float x, int axis) {
    const SpaceRoom *room = &look->step->pass->move.room;
    return fminf(fmaxf(x, room->low[axis]), room->high[axis]);
}

static void split(const Look *look, int i, int to) {
    const wbParticles *p = getParticles(look);
    for (int half = 0; half < 2; half++, to++) {
        const float sign = half ? 1 : -1;
        copyParticle(look, i, to);
        p->backX[to] = confine(look, p->x[i] + sign * look->axisX[i], 0);
        p->backY[to] = confine(look, p->y[i] + sign * look->axisY[i], 1);
        p->backZ[to] = confine(look, p->z[i] + sign * look->axisZ[i], 2);
        getSizes(look)->backLevel[to]--;
        if (half) p->backId[to] = look->newIds[i];
    }
}

static void apply(int begin, int end, int worker, void *context) {
    (void)worker;
    const Look *look = context;
    for (int i = begin; i < end; i++) {
        const int to = look->slots[i], count = look->slots[i + 1] - to;
        if (count == 2)
            split(look, i, to);
        else if (count == 1 && isMerged(look, i))
            merge(look, i, to);
        else if (count == 1)
            copyParticle(look, i, to);
    }
}

// What merges across a thin collider, or splits into it, is put back.
static wbStatus stayOutside(Look *look) {
    wbSizedStep *step = look->step;
    float *const from[3] = {look->fromX, look->fromY, look->fromZ};
    if (!look->fromX) return wb_okStatus;
    memcpy(step->fluid->before, from, sizeof from);
    WB_TRY(wbSizedStep_WeighParticles(step));
    wbFluidStep_Collide(step->fluid, NULL, wb_atEnd, wb_atEnd, true);
    return wb_okStatus;
}

// Where particles are before they are relaxed, which knows of colliders by their points alone.
static wbStatus keepPlaces(Look *look) {
    const wbParticles *p = getParticles(look);
    const wbFluidStep *fluid = look->step->fluid;
    float **const columns[] = {&look->fromX, &look->fromY, &look->fromZ};
    const size_t bytes = sizeof(float) * (size_t)p->count;
    look->fromX = NULL;
    if (!wbFluidStep_HasCollision(fluid)) return wb_okStatus;
    if (!wbFluidStep_AllocColumns(fluid, columns, 3)) return wbFluidStep_FailByMemory(fluid);
    memcpy(look->fromX, p->x, bytes), memcpy(look->fromY, p->y, bytes), memcpy(look->fromZ, p->z, bytes);
    return wb_okStatus;
}

// Whether particles are not where they were: what is filled is relaxed also when nothing merges any more.
static bool isMoved(const Look *look) { return look->changed || (look->fills && getSizes(look)->varied); }

// The room of particles, of their sizes, and of what goes along with them; then all of them as they are now.
static wbStatus change(Look *look) {
    wbSizedStep *step = look->step;
    wbParticles *p = getParticles(look);
    wbPbfSizes *sizes = getSizes(look);
    const wbWork *work = step->fluid->work;
    WB_TRY(takeSlots(look));
    const int count = look->slots[p->count];
    if (!isMoved(look)) return wb_okStatus;
    WB_TRY(wbParticles_Reserve(p, work->memory, count));
    WB_TRY(wbPbfSizes_Reserve(sizes, work->memory, count));
    const size_t bytes = sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING);
    look->before = wbArena_Alloc(work->arena, bytes), look->pressure = wbArena_Alloc(work->arena, bytes);
    if (wbFluidStep_HasCollision(step->fluid)) {
        look->fromX = wbArena_Alloc(work->arena, bytes), look->fromY = wbArena_Alloc(work->arena, bytes);
        look->fromZ = wbArena_Alloc(work->arena, bytes);
        if (!look->fromX || !look->fromY || !look->fromZ) return wbFluidStep_FailByMemory(step->fluid);
    }
    if (!look->before || !look->pressure) return wbFluidStep_FailByMemory(step->fluid);
    wbParallelFor(work->pool, p->count, WB_BLOCK, apply, look);
    p->count = count;
    wbParticles_Flip(p);
    uint8_t *level = sizes->level;
    float *offset = sizes->offset, *distance = sizes->distance;
    sizes->level = sizes->backLevel, sizes->backLevel = level;
    sizes->offset = sizes->backOffset, sizes->backOffset = offset;
    sizes->distance = sizes->backDistance, sizes->backDistance = distance;
    return stayOutside(look);
}

// Of which fluid the sorted particles are, and the lightest around each of them.
static wbStatus fillRelative(Look *look) {
    wbSizedStep *step = look->step;
    wbPbfPass *pass = step->pass;
    if (step->fluid->mixture->count == 0) return wb_okStatus;
    pass->relative = wbFluidStep_AllocNumbers(step->fluid, 1);
    pass->lowest = wbFluidStep_AllocNumbers(step->fluid, 1);
    if (!pass->relative || !pass->lowest) return wbFluidStep_FailByMemory(step->fluid);
    wbFluidStep_FillRelative(step->fluid, getParticles(look)->id, pass->relative);
    wbFluidStep_CopyToGhosts(step->fluid, pass->relative);
    wbFluidStep_MirrorPositions(step->fluid, pass->places);
    wbSizedStep_RunOverLists(step, step->code->lowest, pass->places);
    wbFluidStep_CopyToGhosts(step->fluid, pass->lowest);
    return wb_okStatus;
}

// Neighbours of the particles where they are, with records of their places.
static wbStatus findNeighbours(Look *look) {
    wbSizedStep *step = look->step;
    wbParticles *p = getParticles(look);
    wbPbfPass *pass = step->pass;
    const size_t bytes = sizeof(float) * (size_t)(wbPadCount(p->count) + WB_PADDING);
    float *before = wbArena_Alloc(step->fluid->work->arena, bytes);
    if (!before) return wbFluidStep_FailByMemory(step->fluid);
    wbMove moves[WB_SORTED_COLUMNS + 2] = {[WB_SORTED_COLUMNS] = {look->pressure, p->pressure},
                                           [WB_SORTED_COLUMNS + 1] = {look->before, before}};
    wbParticles_ListMoves(p, moves);
    WB_TRY(wbSizedStep_Sort(step, wbParticles_GetPoints(p), moves, WB_SORTED_COLUMNS + 2));
    wbParticles_Flip(p);
    look->before = before;
    WB_TRY(wbSizedStep_FindGhosts(step, wbParticles_GetPoints(p)));
    pass->places = wbFluidStep_AllocPositions(step->fluid, 1);
    pass->solved = wbFluidStep_AllocPositions(step->fluid, 1);
    float **const columns[] = {&look->density, &look->gradient};
    if (!pass->places || !pass->solved || !wbFluidStep_AllocColumns(step->fluid, columns, 2))
        return wbFluidStep_FailByMemory(step->fluid);
    WB_TRY(wbSizedStep_BuildLists(step));
    WB_TRY(wbSizedStep_ListBoundary(step, false));
    wbSizedStep_Run(step, step->code->stay);
    return fillRelative(look);
}

// What a change pressed together moves apart at once, and the other way round: on positions alone, so that no velocity comes of it,
// and with masses, so that the centre of mass stays.
static void relax(Look *look) {
    wbSizedStep *step = look->step;
    wbPbfPass *pass = step->pass;
    const int count = wbCountRelaxations(step->model, look->fills);
    step->sized.before = look->before;
    step->sized.relaxApart = look->fills ? pass->move.apartScale : 0;
    step->sized.relaxStep = step->model->params.omega / (float)step->model->stiffestWave;
    for (int k = 0; k < count; k++) {
        wbFluidStep_MirrorPositions(step->fluid, pass->places);
        wbSizedStep_AddBoundary(step, pass->places);
        wbSizedStep_RunOverLists(step, step->code->relax, pass->places);
        wbFluidStep_MirrorPositions(step->fluid, pass->solved);
        wbSizedStep_RunOverLists(step, step->code->shift, pass->solved);
    }
}

static void measure(Look *look) {
    wbSizedStep *step = look->step;
    step->sized.density = look->density, step->sized.gradient = look->gradient;
    wbFluidStep_MirrorPositions(step->fluid, step->pass->places);
    wbSizedStep_AddBoundary(step, step->pass->places);
    wbSizedStep_RunOverLists(step, step->code->measure, step->pass->places);
}

// What is still off becomes the rest offset.
static void carry(int begin, int end, int worker, void *context) {
    (void)worker;
    const Look *look = context;
    const wbParticles *p = getParticles(look);
    for (int i = begin; i < end; i++) {
        const float *place = look->step->pass->places + 4 * (size_t)i;
        getSizes(look)->offset[i] = pbf_carried(look->density[i], look->before[i]);
        p->x[i] = place[0], p->y[i] = place[1], p->z[i] = place[2];
    }
}

// Distances from those of the last look, one neighbourhood farther. At first from nothing, as far as they go.
static void findDistances(Look *look) {
    wbSizedStep *step = look->step;
    wbPbfPass *pass = step->pass;
    const wbPbfSizes *sizes = getSizes(look);
    enum { AT_FIRST = 16 };
    int unknown = INT32_MAX, before;
    step->sized.to = pass->places;
    wbSizedStep_Run(step, step->code->mark);
    do {
        before = unknown, unknown = 0;
        for (int k = 0; k < (sizes->looks == 0 ? AT_FIRST : 2); k++) {
            float *from = k % 2 ? pass->solved : pass->places;
            if (k == 1 && sizes->looks > 0) break;
            step->sized.to = k % 2 ? pass->places : pass->solved;
            wbFluidStep_MirrorPositions(step->fluid, from);
            wbSizedStep_RunOverLists(step, step->code->distance, from);
        }
        for (int i = 0; i < getParticles(look)->count && sizes->looks == 0; i++)
            unknown += sizes->distance[i] > 0.1f * WB_UNKNOWN_DISTANCE;
    } while (unknown > 0 && unknown < before);
}

static bool allocate(Look *look) {
    const wbFluidStep *fluid = look->step->fluid;
    wbArena *arena = fluid->work->arena;
    const size_t count = (size_t)(wbPadCount(fluid->particles->count) + WB_PADDING);
    float **const columns[] = {&look->density, &look->gradient, &look->target,
                               &look->axisX,   &look->axisY,    &look->axisZ};
    look->wish = wbArena_Alloc(arena, count), look->partner = wbArena_Alloc(arena, sizeof(int) * count);
    look->slots = wbArena_Alloc(arena, sizeof(int) * count);
    look->newIds = wbArena_Alloc(arena, sizeof(uint32_t) * count);
    return look->wish && look->partner && look->slots && look->newIds &&
           wbFluidStep_AllocColumns(fluid, columns, 6);
}

static void weigh(Look *look) {
    const wbPbfSizes *sizes = getSizes(look);
    int64_t fine = 0, wanted = 0;
    for (int w = 0; w < WB_MAX_THREADS; w++) fine += look->fine[w], wanted += look->wanted[w];
    if (wbPbfSizes_Weigh(getSizes(look), fine, wanted)) return;
    for (int i = 0; i < getParticles(look)->count; i++)
        look->wish[i] = sizes->level[i] > 0 ? PBF_SPLIT : PBF_KEEP;
}

static void findVariety(wbPbfSizes *sizes, int count) {
    sizes->varied = 0;
    for (int i = 0; i < count && !sizes->varied; i++)
        sizes->varied = sizes->level[i] > 0 || fabsf(sizes->offset[i]) > 1e-4f;
    for (int i = 0; i < count && !sizes->varied; i++) sizes->offset[i] = 0;
}

// A fluid of one size has lists without variety.
static wbStatus fillPure(wbSizedStep *step) {
    wbPbfSizes *sizes = &step->pbf->sizes;
    const int groups = wbPadCount(step->pbf->fluid.particles.count) / WB_GROUP;
    if (sizes->varied) return wb_okStatus;
    if (!wbArray_Reserve(step->fluid->work->memory, &sizes->pure, groups))
        return wbFluidStep_FailByMemory(step->fluid);
    memset(sizes->pure.data, 1, (size_t)groups);
    return wb_okStatus;
}

static wbStatus lookAt(Look *look) {
    wbSizedStep *step = look->step;
    const wbWork *work = step->fluid->work;
    const int count = step->pbf->fluid.particles.count;
    if (!allocate(look)) return wbFluidStep_FailByMemory(step->fluid);
    look->targets = wbMakeTargets(step->model, step->fluid->domain, look->fills);
    wbSizedStep_Run(step, step->code->stay);
    measure(look);
    findDistances(look);
    step->pbf->sizes.looks++, step->pbf->sizes.hasHead = 0;
    WB_TRY(takeWishes(look));
    wbParallelFor(work->pool, count, WB_BLOCK, choose, look);
    weigh(look);
    wbParallelFor(work->pool, count, WB_BLOCK, pairUp, look);
    wbSizedStep_Run(step, step->code->stay); // records of places again, ghosts too, for the axes
    wbFluidStep_MirrorPositions(step->fluid, step->pass->places);
    wbParallelFor(work->pool, count, WB_BLOCK, countSlots, look);
    WB_TRY(change(look));
    if (isMoved(look)) {
        WB_TRY(findNeighbours(look));
        relax(look);
        measure(look);
        WB_TRY(keepPlaces(look));
        wbParallelFor(work->pool, step->pbf->fluid.particles.count, WB_BLOCK, carry, look);
        WB_TRY(stayOutside(look));
    }
    findVariety(&step->pbf->sizes, step->pbf->fluid.particles.count);
    return wb_okStatus;
}

wbStatus wbSizedStep_Look(wbSizedStep *step) {
    WB_TRY(fillPure(step));
    return lookAt(&(Look){.step = step});
}

// A round of merges, of particles that are nowhere sorted yet.
static wbStatus fillRound(wbSizedStep *step, int *merges) {
    const wbPbfSizes *sizes = &step->pbf->sizes;
    const int count = step->pbf->fluid.particles.count;
    const int64_t before = sizes->merges;
    Look look = {.step = step, .fills = true};
    look.pressure = wbFluidStep_AllocZeros(step->fluid, count);
    look.before = wbFluidStep_AllocZeros(step->fluid, count);
    if (!look.pressure || !look.before) return wbFluidStep_FailByMemory(step->fluid);
    WB_TRY(findNeighbours(&look));
    WB_TRY(lookAt(&look));
    *merges = (int)(sizes->merges - before);
    return wb_okStatus;
}

wbStatus wbSizedStep_Fill(wbSizedStep *step) {
    wbArena *arena = step->fluid->work->arena;
    wbFillRounds rounds = wbBeginFilling(step->pbf->fluid.particles.count);
    int merges;
    do {
        const size_t scratch = wbArena_Mark(arena);
        WB_TRY(fillRound(step, &merges));
        wbArena_Release(arena, scratch);
    } while (wbFillRounds_Next(&rounds, &step->pbf->sizes, merges));
    return wb_okStatus;
}
