// SPDX-License-Identifier: MIT
// Particles that a program removes or sets by their ids, and fluids that go.
#include <math.h>
#include <stdlib.h>

#include "core/status.h"
#include "world/flow.h"

// A particle that is asked for, by its id.
typedef struct Wanted {
    uint32_t id;
    int order, place; // in the program's array; in memory, -1: not found
} Wanted;

static int compareIds(const void *a, const void *b) {
    uint32_t one = ((const Wanted *)a)->id, two = ((const Wanted *)b)->id;
    return one < two ? -1 : one > two;
}

static wbStatus checkTwice(const wbFluid *fluid, const Wanted *wanted, int count) {
    for (int k = 1; k < count; k++)
        if (wanted[k].id == wanted[k - 1].id)
            return wbError(wb_errorInput, "fluid \"%s\": particle %u is named twice", fluid->name,
                           wanted[k].id);
    return wb_okStatus;
}

static wbStatus checkFound(const wbFluid *fluid, const Wanted *wanted, int count) {
    for (int k = 0; k < count; k++)
        if (wanted[k].place < 0)
            return wbError(wb_errorInput, "fluid \"%s\" has no particle %u: it is gone, or of another fluid",
                           fluid->name, wanted[k].id);
    return wb_okStatus;
}

// Places of particles of a fluid, in the order of `ids`; in the arena. The state is on the host.
static wbStatus findPlaces(wbWorld *world, int fluid, int count, const uint32_t *ids, int **places) {
    const wbParticles *p = wbGetLiquidOf(world, fluid)->particles;
    const wbFluid *owner = (const wbFluid *)world->fluids.data + fluid;
    Wanted *wanted = wbArena_Alloc(world->work.arena, sizeof *wanted * ((size_t)count + 1));
    *places = wbArena_Alloc(world->work.arena, sizeof **places * ((size_t)count + 1));
    if (!wanted || !*places) return wbMemoryError(world->memory, "to find %d particles needs", count);
    for (int k = 0; k < count; k++) wanted[k] = (Wanted){ids[k], k, -1};
    qsort(wanted, (size_t)count, sizeof *wanted, compareIds);
    WB_TRY(checkTwice(owner, wanted, count));
    for (int i = 0; i < p->count; i++) {
        Wanted *found = bsearch(&(Wanted){.id = p->id[i]}, wanted, (size_t)count, sizeof *wanted, compareIds);
        if (found && wbGetFluidOfId(world, p->id[i]) == fluid) found->place = i;
    }
    WB_TRY(checkFound(owner, wanted, count));
    for (int k = 0; k < count; k++) (*places)[wanted[k].order] = wanted[k].place;
    return wb_okStatus;
}

// After particles were changed or removed on the host.
static void followParticles(wbParticleFluid *liquid) {
    if (liquid->world->stepCount == 0 || liquid->particles->count == 0) wbBookAfresh(liquid);
    wbMarkLiquidDirty(liquid->world, liquid);
}

static wbStatus removeMarked(wbParticleFluid *liquid, const uint8_t *marks, int *removed) {
    const int before = liquid->particles->count;
    WB_TRY(wbRemoveMarked(liquid, marks));
    *removed = before - liquid->particles->count;
    if (*removed > 0) followParticles(liquid);
    return wb_okStatus;
}

// A byte for each particle of a liquid, all 0; in the arena.
static wbStatus makeMarks(wbWorld *world, const wbParticleFluid *liquid, uint8_t **marks) {
    const size_t count = (size_t)liquid->particles->count;
    *marks = wbArena_Alloc(world->work.arena, count + 1);
    if (!*marks) return wbMemoryError(world->memory, "to remove particles needs");
    for (size_t i = 0; i < count; i++) (*marks)[i] = 0;
    return wb_okStatus;
}

static wbStatus removeByIds(wbWorld *world, int fluid, int count, const uint32_t *ids) {
    wbParticleFluid *liquid = wbGetLiquidOf(world, fluid);
    uint8_t *marks;
    int *places, removed;
    WB_TRY(findPlaces(world, fluid, count, ids, &places));
    WB_TRY(makeMarks(world, liquid, &marks));
    for (int k = 0; k < count; k++) marks[places[k]] = 1;
    return removeMarked(liquid, marks, &removed);
}

wbStatus wbFluid_RemoveParticles(wbWorld *world, wbFluidId id, int count, const uint32_t *ids) {
    int fluid = wbGetFluidIndex(world, id);
    WB_ASSERT(count >= 0 && (ids || count == 0), "the ids of particles are missing");
    WB_TRY(wbPullState(world));
    size_t mark = wbArena_Mark(world->work.arena);
    wbStatus status = removeByIds(world, fluid, count, ids);
    wbArena_Release(world->work.arena, mark);
    return status;
}

static wbStatus checkBox(const wbWorld *world, wbVec3 min, wbVec3 max) {
    for (int a = 0; a < world->params.dimensions; a++)
        if (!((&min.x)[a] < (&max.x)[a]))
            return wbError(wb_errorInput, "a box's min %g must be less than its max %g in %c", (&min.x)[a],
                           (&max.x)[a], "xyz"[a]);
    return wb_okStatus;
}

// All particles of a fluid, or those in a region.
static wbStatus removeWithin(wbWorld *world, int fluid, const FlowRegion *region, int *removed) {
    wbParticleFluid *liquid = wbGetLiquidOf(world, fluid);
    const wbParticles *p = liquid->particles;
    size_t mark = wbArena_Mark(world->work.arena);
    uint8_t *marks;
    WB_TRY(makeMarks(world, liquid, &marks));
    for (int i = 0; i < p->count; i++)
        marks[i] = (!region || flow_is_in(region, p->x[i], p->y[i], p->z[i])) &&
                   wbGetFluidOfId(world, p->id[i]) == fluid;
    wbStatus status = removeMarked(liquid, marks, removed);
    wbArena_Release(world->work.arena, mark);
    return status;
}

wbStatus wbFluid_RemoveParticlesInBox(wbWorld *world, wbFluidId id, wbVec3 min, wbVec3 max, int *removed) {
    int fluid = wbGetFluidIndex(world, id), count;
    FlowRegion region = {{min.x, min.y, min.z}, {max.x, max.y, max.z}, false};
    if (world->params.dimensions == 2) region.min[2] = region.max[2] = 0;
    if (removed) *removed = 0;
    WB_TRY(checkBox(world, min, max));
    WB_TRY(wbPullState(world));
    WB_TRY(removeWithin(world, fluid, &region, removed ? removed : &count));
    return wb_okStatus;
}

static void setParticle(wbWorld *world, int fluid, int i, const float *pos, const float *vel) {
    const wbParticleFluid *liquid = wbGetLiquidOf(world, fluid);
    wbParticles *p = liquid->particles;
    const double units = wbGetUnits(liquid, i);
    float *const x[3] = {&p->x[i], &p->y[i], &p->z[i]}, *const v[3] = {&p->vx[i], &p->vy[i], &p->vz[i]};
    wbTakeEnergy(world, fluid, units, (float[3]){*x[0], *x[1], *x[2]}, (float[3]){*v[0], *v[1], *v[2]},
                 wbCountUnits(liquid));
    for (int a = 0; a < world->params.dimensions; a++) {
        if (pos) *x[a] = pos[a];
        if (vel) *v[a] = vel[a];
    }
    wbAddEnergy(world, fluid, units, (float[3]){*x[0], *x[1], *x[2]}, (float[3]){*v[0], *v[1], *v[2]});
    p->maxSpeed = fmaxf(p->maxSpeed, sqrtf(*v[0] * *v[0] + *v[1] * *v[1] + *v[2] * *v[2]));
}

wbStatus wbFluid_SetParticles(wbWorld *world, wbFluidId id, int count, const uint32_t *ids, const float *pos3,
                              const float *vel3) {
    int fluid = wbGetFluidIndex(world, id), *places;
    WB_ASSERT(count >= 0 && (ids || count == 0), "the ids of particles are missing");
    for (size_t k = 0; k < (size_t)count; k++)
        WB_TRY(wbCheckParticle(world, (int)ids[k], pos3 ? pos3 + 3 * k : NULL, vel3 ? vel3 + 3 * k : NULL));
    WB_TRY(wbPullState(world));
    wbParticleFluid *liquid = wbGetLiquidOf(world, fluid);
    size_t mark = wbArena_Mark(world->work.arena);
    wbStatus status = findPlaces(world, fluid, count, ids, &places);
    for (size_t k = 0; k < (size_t)count && wbIsOk(status); k++)
        setParticle(world, fluid, places[k], pos3 ? pos3 + 3 * k : NULL, vel3 ? vel3 + 3 * k : NULL);
    wbArena_Release(world->work.arena, mark);
    if (!wbIsOk(status) || count == 0) return status;
    if (liquid->solver->kind->disturb) liquid->solver->kind->disturb(liquid->solver);
    followParticles(liquid);
    return wb_okStatus;
}

// Emitters of the fluid go with it.
static void removeEmitters(wbWorld *world, int fluid) {
    for (int i = world->emitterIds.indexCount - 1; i >= 0; i--) {
        wbEmitter *emitter = wbGetEmitterAt(world, i);
        if (emitter->fluid == fluid)
            wbRemoveEmitter(world, i);
        else if (emitter->fluid > fluid)
            emitter->fluid--;
    }
}

wbStatus wbDestroyFluid(wbWorld *world, wbFluidId id) {
    int index = wbGetFluidIndex(world, id), removed;
    WB_TRY(wbPullState(world));
    wbParticleFluid *liquid = wbGetLiquidOf(world, index);
    WB_TRY(removeWithin(world, index, NULL, &removed));
    removeEmitters(world, index);
    wbDropIdRuns(world, index);
    wbFreeViews(world, index);
    wbDropObject(world, &wb_fluidKind, &world->fluids, index);
    bool isLast = true;
    for (int i = 0; i < world->fluidIds.indexCount; i++) isLast &= wbGetLiquidOf(world, i) != liquid;
    if (isLast)
        wbSolver_Destroy(liquid->solver);
    else
        liquid->method->follow(liquid);
    wbMarkStateDirty(world);
    return wb_okStatus;
}
