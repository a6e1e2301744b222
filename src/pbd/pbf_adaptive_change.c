// SPDX-License-Identifier: MIT
// Merges and splits: their ids and places, and what becomes of mass, momentum and density.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_look.h"

// Places of what comes of each particle, and ids of second halves.
static wbStatus takeSlots(wbLook *look) {
    const wbParticles *p = wbLook_GetParticles(look);
    wbSizeChanges changes = {.count = p->count,
                             .ids = p->id,
                             .distances = wbLook_GetSizes(look)->distance,
                             .limit = look->step->model->adaptive.limit,
                             .slots = look->slots,
                             .newIds = look->newIds};
    WB_TRY(wbPbfSizes_TakeSlots(wbLook_GetSizes(look), look->step->fluid->work, &changes));
    look->changed = changes.merges + changes.splits > 0;
    return wb_okStatus;
}

static float getPressed(const wbLook *look, int i) {
    return pbf_pressed(look->density[i], wbLook_GetSizes(look)->offset[i]);
}

static void copyParticle(const wbLook *look, int i, int to) {
    const wbParticles *p = wbLook_GetParticles(look);
    const wbPbfSizes *sizes = wbLook_GetSizes(look);
    p->backX[to] = p->x[i], p->backY[to] = p->y[i], p->backZ[to] = p->z[i];
    p->backVx[to] = p->vx[i], p->backVy[to] = p->vy[i], p->backVz[to] = p->vz[i];
    p->backId[to] = p->id[i], p->backDensity[to] = p->density[i], look->pressure[to] = p->pressure[i];
    sizes->backLevel[to] = sizes->level[i], sizes->backOffset[to] = sizes->offset[i];
    sizes->backDistance[to] = sizes->distance[i], look->before[to] = look->fills ? 1 : getPressed(look, i);
    if (look->from) look->from[0][to] = p->x[i], look->from[1][to] = p->y[i], look->from[2][to] = p->z[i];
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
    if (!look->from) return wb_okStatus;
    memcpy(step->fluid->before, step->room.from, sizeof step->room.from);
    WB_TRY(wbSizedStep_WeighParticles(step));
    wbFluidStep_Collide(step->fluid, NULL, wb_atEnd, wb_atEnd, true);
    return wb_okStatus;
}

// Where particles are before they are relaxed, which knows of colliders by their points alone.
void wbLook_KeepPlaces(const wbLook *look) {
    const wbParticles *p = wbLook_GetParticles(look);
    const float *const places[3] = {p->x, p->y, p->z};
    for (int a = 0; a < 3 && look->from; a++)
        memcpy(look->from[a], places[a], sizeof(float) * (size_t)p->count);
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
    look->before = step->room.before, look->pressure = step->room.pressure;
    look->from = wbFluidStep_HasCollision(step->fluid) ? step->room.from : NULL;
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
