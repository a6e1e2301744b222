// SPDX-License-Identifier: MIT
// A look at all particles, from the distances to the surface to what is left of changes.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_look.h"

wbStatus wbSizedStep_ReserveLook(wbSizedStep *step) {
    const wbFluidStep *fluid = step->fluid;
    wbLookRoom *room = &step->room;
    const int most = 2 * fluid->particles->count; // if each splits
    const bool collides = wbFluidStep_HasCollision(fluid);
    float **const columns[] = {&room->before, &room->pressure, &room->from[0], &room->from[1],
                               &room->from[2]};
    *room = (wbLookRoom){0};
    for (int c = 0; c < (collides ? 5 : 2); c++) {
        const size_t bytes = sizeof(float) * (size_t)(wbPadCount(most) + WB_PADDING);
        if (!(*columns[c] = wbArena_Alloc(fluid->work->arena, bytes))) return wbFluidStep_FailByMemory(fluid);
    }
    room->mark = wbArena_Mark(fluid->work->arena);
    return wb_okStatus;
}

// Of the records of the sub-step nobody asks for what moved particles any more, and for what solved constraints only until distances are known: most columns of a look
// lie there, those of the axes in the latter.
static bool allocate(wbLook *look) {
    const wbFluidStep *fluid = look->step->fluid;
    const wbPbfPass *pass = look->step->pass;
    wbArena *arena = fluid->work->arena;
    const size_t padded = (size_t)wbPadCount(fluid->particles->count), count = padded + WB_PADDING;
    float *early = look->fills ? wbFluidStep_AllocZeros(fluid, 4 * (int)count) : pass->moved,
          *late = pass->solved;
    if (!early) return false;
    look->density = early, look->gradient = early + count, look->target = early + 2 * count;
    look->newIds = (uint32_t *)(early + 3 * count);
    look->axisX = late, look->axisY = late + padded, look->axisZ = late + 2 * padded;
    look->wish = wbArena_Alloc(arena, count), look->partner = wbArena_Alloc(arena, sizeof(int) * count);
    look->slots = wbArena_Alloc(arena, sizeof(int) * count);
    return look->wish && look->partner && look->slots;
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
    step->lists.dummy = step->fluid->dummy;
    return wb_okStatus;
}

wbStatus wbLook_Run(wbLook *look) {
    wbSizedStep *step = look->step;
    if (!allocate(look)) return wbFluidStep_FailByMemory(step->fluid);
    look->targets = wbMakeTargets(step->model, step->fluid->domain, look->fills);
    wbSizedStep_Run(step, step->code->stay);
    wbLook_Measure(look);
    // the first merges of a fluid that is filled leave gaps, of which the deepest looked like surfaces
    if (!look->fills || step->pbf->sizes.looks == 0) wbLook_FindDistances(look);
    step->pbf->sizes.looks++, step->pbf->sizes.hasHead = 0;
    WB_TRY(wbLook_ChooseWishes(look));
    WB_TRY(wbLook_ChoosePartners(look));
    wbSizedStep_Run(step, step->code->stay); // records of places again, ghosts too, for the axes
    wbFluidStep_MirrorPositions(step->fluid, step->pass->places);
    wbLook_CountSlots(look);
    WB_TRY(wbLook_Change(look));
    if (wbLook_IsMoved(look)) {
        wbArena_Release(step->fluid->work->arena, step->room.mark);
        WB_TRY(wbLook_FindNeighbours(look));
        wbLook_Relax(look);
        wbLook_Measure(look);
        wbLook_KeepPlaces(look);
        wbLook_Carry(look);
        WB_TRY(wbLook_StayOutside(look));
    }
    findVariety(&step->pbf->sizes, step->pbf->fluid.particles.count);
    return wb_okStatus;
}

wbStatus wbSizedStep_Look(wbSizedStep *step) {
    WB_TRY(fillPure(step));
    return wbLook_Run(&(wbLook){.step = step});
}
