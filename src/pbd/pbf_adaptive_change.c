// SPDX-License-Identifier: MIT
// Merges and splits: their ids and places, and what becomes of mass, momentum and density.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_look.h"
#include "pbd/pbf_spare_ids.h"

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
static wbStatus limitSplits(wbLook *look) {
    const wbParticles *p = wbLook_GetParticles(look);
    const int limit = look->step->model->adaptive.limit;
    int count = 0, after = 0;
    for (int i = 0; i < p->count; i++) count += look->slots[i] == 2, after += look->slots[i];
    if (limit == 0 || after <= limit || count == 0) return wb_okStatus;
    Deep *deep = wbArena_Alloc(look->step->fluid->work->arena, sizeof *deep * (size_t)count);
    if (!deep) return wbFluidStep_FailByMemory(look->step->fluid);
    for (int i = 0, k = 0; i < p->count; i++)
        if (look->slots[i] == 2) deep[k++] = (Deep){wbLook_GetSizes(look)->distance[i], p->id[i], i};
    qsort(deep, (size_t)count, sizeof *deep, compareDepths);
    for (int k = count - 1; k >= 0 && after > limit; k--, after--) look->slots[deep[k].particle] = 1;
    return wb_okStatus;
}

// Halves take the ids of those that were merged: what splits was merged once, or filled as large as it is, when its ids were set aside.
static wbStatus giveIds(wbLook *look) {
    wbPbfSizes *sizes = wbLook_GetSizes(look);
    wbSpareIds ids;
    if (!wbSpareIds_Begin(&ids, &sizes->runs, sizes->freeIds.data, &sizes->freeCount,
                          look->step->fluid->work->arena))
        return wbFluidStep_FailByMemory(look->step->fluid);
    for (int i = 0; i < wbLook_GetParticles(look)->count; i++) {
        if (look->slots[i] != 2) continue;
        if (wbSpareIds_Take(&ids, wbLook_GetFluid(look, i), &look->newIds[i]))
            sizes->splits++, look->changed = 1;
        else
            look->slots[i] = 1;
    }
    wbSpareIds_End(&ids);
    return wb_okStatus;
}

// Places of what comes of each particle.
static wbStatus takeSlots(wbLook *look) {
    wbPbfSizes *sizes = wbLook_GetSizes(look);
    const wbParticles *p = wbLook_GetParticles(look);
    int place = 0;
    if (!wbArray_Reserve(look->step->fluid->work->memory, &sizes->freeIds, sizes->freeCount + p->count))
        return wbFluidStep_FailByMemory(look->step->fluid);
    uint32_t *freeIds = sizes->freeIds.data;
    for (int i = 0; i < p->count; i++)
        if (look->slots[i] == 0) freeIds[sizes->freeCount++] = p->id[i], sizes->merges++, look->changed = 1;
    WB_TRY(limitSplits(look));
    WB_TRY(giveIds(look));
    for (int i = 0; i < p->count; i++) {
        const int slots = look->slots[i];
        look->slots[i] = place, place += slots;
    }
    look->slots[p->count] = place;
    return wb_okStatus;
}

// The density over which the constraint pushed; 1 where it did not.
static float getPressed(const wbLook *look, int i) {
    return fmaxf(look->density[i] - wbLook_GetSizes(look)->offset[i], 1);
}

static void copyParticle(const wbLook *look, int i, int to) {
    const wbParticles *p = wbLook_GetParticles(look);
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    p->backX[to] = p->x[i], p->backY[to] = p->y[i], p->backZ[to] = p->z[i];
    p->backVx[to] = p->vx[i], p->backVy[to] = p->vy[i], p->backVz[to] = p->vz[i];
    p->backId[to] = p->id[i], p->backDensity[to] = p->density[i], look->pressure[to] = p->pressure[i];
    sizes->backLevel[to] = sizes->level[i], sizes->backOffset[to] = sizes->offset[i];
    sizes->backDistance[to] = sizes->distance[i], look->before[to] = look->fills ? 1 : getPressed(look, i);
    if (look->fromX) look->fromX[to] = p->x[i], look->fromY[to] = p->y[i], look->fromZ[to] = p->z[i];
}

// Of equal masses: means keep mass, momentum and centre.
static void merge(const wbLook *look, int i, int to) {
    const wbParticles *p = wbLook_GetParticles(look);
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
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

static float confine(const wbLook *look, float x, int axis) {
    const SpaceRoom *room = &look->step->pass->move.room;
    return fminf(fmaxf(x, room->low[axis]), room->high[axis]);
}

static void split(const wbLook *look, int i, int to) {
    const wbParticles *p = wbLook_GetParticles(look);
    for (int half = 0; half < 2; half++, to++) {
        const float sign = half ? 1 : -1;
        copyParticle(look, i, to);
        p->backX[to] = confine(look, p->x[i] + sign * look->axisX[i], 0);
        p->backY[to] = confine(look, p->y[i] + sign * look->axisY[i], 1);
        p->backZ[to] = confine(look, p->z[i] + sign * look->axisZ[i], 2);
        wbLook_GetSizes(look)->backLevel[to]--;
        if (half) p->backId[to] = look->newIds[i];
    }
}

static void apply(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbLook *look = context;
    for (int i = begin; i < end; i++) {
        const int to = look->slots[i], count = look->slots[i + 1] - to;
        if (count == 2)
            split(look, i, to);
        else if (count == 1 && wbLook_IsMerged(look, i))
            merge(look, i, to);
        else if (count == 1)
            copyParticle(look, i, to);
    }
}

// What merges across a thin collider, or splits into it, is put back.
wbStatus wbLook_StayOutside(wbLook *look) {
    wbSizedStep *step = look->step;
    float *const from[3] = {look->fromX, look->fromY, look->fromZ};
    if (!look->fromX) return wb_okStatus;
    memcpy(step->fluid->before, from, sizeof from);
    WB_TRY(wbSizedStep_WeighParticles(step));
    wbFluidStep_Collide(step->fluid, NULL, wb_atEnd, wb_atEnd, true);
    return wb_okStatus;
}

// Where particles are before they are relaxed, which knows of colliders by their points alone.
wbStatus wbLook_KeepPlaces(wbLook *look) {
    const wbParticles *p = wbLook_GetParticles(look);
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
bool wbLook_IsMoved(const wbLook *look) {
    return look->changed || (look->fills && wbLook_GetSizes(look)->varied);
}

// The room of particles, of their sizes, and of what goes along with them; then all of them as they are now.
wbStatus wbLook_Change(wbLook *look) {
    wbSizedStep *step = look->step;
    wbParticles *p = wbLook_GetParticles(look);
    wbPbfSizes *sizes = wbLook_GetSizes(look);
    const wbWork *work = step->fluid->work;
    WB_TRY(takeSlots(look));
    const int count = look->slots[p->count];
    if (!wbLook_IsMoved(look)) return wb_okStatus;
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
    return wbLook_StayOutside(look);
}
