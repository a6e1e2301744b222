// SPDX-License-Identifier: MIT
// Particles of different sizes: what comes and goes is counted by mass, in units of the smallest particle. A method that has such
// particles says so by its wbFluidMethod; for the others a particle is a unit.
#include <limits.h>
#include <math.h>

#include "core/status.h"
#include "space/spare_ids.h"
#include "world/world.h"

bool wbIsSized(const wbParticleFluid *liquid) {
    return liquid->method->isSized && liquid->method->isSized(liquid);
}

double wbGetUnits(const wbParticleFluid *liquid, int place) {
    return wbIsSized(liquid) ? liquid->method->getUnits(liquid, place) : 1;
}

int64_t wbCountUnits(const wbParticleFluid *liquid) {
    const wbWorld *world = liquid->world;
    const wbFluid *fluids = world->fluids.data;
    int64_t count = 0;
    if (!wbIsSized(liquid)) return liquid->particles->count;
    for (int i = 0; i < world->fluidIds.indexCount; i++)
        if (wbGetLiquidOf(world, i) == liquid) count += fluids[i].spawned - fluids[i].removed;
    return count;
}

float wbGetRadiusOf(const wbParticleFluid *liquid, double units) {
    return (float)(0.5 * (double)liquid->spacing * pow(units, 1.0 / liquid->world->params.dimensions));
}

wbStatus wbReserveParticles(wbParticleFluid *liquid, int count) {
    WB_TRY(wbParticles_Reserve(liquid->particles, liquid->world->memory, count));
    return wbIsSized(liquid) ? liquid->method->reserve(liquid, count) : wb_okStatus;
}

void wbBeginParticles(wbParticleFluid *liquid, int begin) {
    if (wbIsSized(liquid)) liquid->method->begin(liquid, begin, liquid->particles->count);
}

// Of the ids of what goes, all but one are spare ones: the largest of its fluid.
static void dropSpareIds(wbParticleFluid *liquid, int64_t *gone) {
    wbWorld *world = liquid->world;
    wbSpareIds *spare = liquid->method->getSpareIds(liquid);
    for (int k = spare->spanCount - 1; k >= 0; k--) {
        wbIdSpan *span = wbSpareIds_GetSpans(spare) + k;
        int64_t *left = &gone[wbGetFluidOfId(world, span->first)];
        for (; *left > 0 && span->count > 0; (*left)--, spare->count--)
            wbDropId(world, span->first + --span->count);
    }
    wbSpareIds_Close(spare);
}

wbStatus wbRemoveMarked(wbParticleFluid *liquid, const uint8_t *marks) {
    wbWorld *world = liquid->world;
    wbParticles *p = liquid->particles;
    const size_t fluids = (size_t)world->fluidIds.indexCount, mark = wbArena_Mark(world->work.arena);
    int64_t *gone = wbArena_Alloc(world->work.arena, sizeof *gone * (fluids + 1));
    if (!gone) return wbMemoryError(world->memory, "to remove particles needs");
    for (size_t f = 0; f < fluids; f++) gone[f] = 0;
    for (int i = 0; i < p->count; i++) {
        if (!marks[i]) continue;
        const double units = wbGetUnits(liquid, i);
        gone[wbGetFluidOfId(world, p->id[i])] += llround(units) - 1;
        wbUnbookParticle(world, p->id[i], units, (float[3]){p->x[i], p->y[i], p->z[i]},
                         (float[3]){p->vx[i], p->vy[i], p->vz[i]});
    }
    if (wbIsSized(liquid)) {
        dropSpareIds(liquid, gone);
        liquid->method->remove(liquid, marks);
    }
    wbParticles_RemoveMarked(p, marks);
    wbArena_Release(world->work.arena, mark);
    return wb_okStatus;
}

static void countByIds(wbParticleFluid *liquid, const uint32_t *ids) {
    wbFluid *fluids = liquid->world->fluids.data;
    for (int i = 0; i < liquid->particles->count; i++)
        fluids[wbGetFluidOfId(liquid->world, ids[i])].particleCount++;
}

wbStatus wbRecountFluids(wbParticleFluid *liquid) {
    const wbWorld *world = liquid->world;
    wbArena *arena = world->work.arena;
    wbFluid *fluids = world->fluids.data;
    const size_t mark = wbArena_Mark(arena), bytes = sizeof(uint32_t) * (size_t)liquid->particles->count;
    int own = 0, last = 0;
    for (int i = 0; i < world->fluidIds.indexCount; i++)
        if (wbGetLiquidOf(world, i) == liquid) own++, last = i, fluids[i].particleCount = 0;
    if (own == 1) {
        fluids[last].particleCount = liquid->particles->count;
    } else if (!wbIsLiquidOnDevice(liquid)) {
        countByIds(liquid, liquid->particles->id);
    } else {
        uint32_t *ids = wbArena_Alloc(arena, bytes + sizeof *ids);
        if (!ids) return wbMemoryError(world->memory, "to count particles needs");
        WB_TRY(wbGpu_Download(world->gpu, &liquid->device->front[wb_columnId], ids, bytes));
        countByIds(liquid, ids);
        wbArena_Release(arena, mark);
    }
    return wb_okStatus;
}

wbStatus wbFetchSized(wbParticleFluid *liquid) {
    if (!wbIsSized(liquid) || !wbIsLiquidOnDevice(liquid)) return wb_okStatus;
    WB_TRY(wbParticlesGpu_Pull(liquid->device, liquid->particles));
    liquid->method->takeBack(liquid, false);
    return wb_okStatus;
}

// Masses, radii and distances of the particles of a view, which are those of one fluid.
wbStatus wbFillViewSizes(wbWorld *world, int fluid, wbView *view) {
    wbFluid *owner = (wbFluid *)world->fluids.data + fluid;
    const wbParticleFluid *liquid = wbGetLiquidOf(world, fluid);
    const wbParticles *p = liquid->particles;
    const double mass = liquid->mass * wbGetRelativeDensity(world, fluid);
    if (!wbIsSized(liquid)) return wb_okStatus;
    if (view->count > (INT_MAX - 1024) / 3)
        return wbError(wb_errorMemory,
                       "a view of %d particles of different sizes is more than an array holds", view->count);
    if (!wbArray_Reserve(world->memory, &owner->viewSizes, 3 * view->count))
        return wbMemoryError(world->memory, "the sizes of %d particles need", view->count);
    float *masses = owner->viewSizes.data, *radii = masses + view->count, *distances = radii + view->count;
    for (int i = 0, k = 0; i < p->count && k < view->count; i++) {
        if (view->count < p->count && wbGetFluidOfId(world, p->id[i]) != fluid) continue;
        const double units = wbGetUnits(liquid, i);
        masses[k] = (float)(mass * units), radii[k] = wbGetRadiusOf(liquid, units);
        distances[k++] = liquid->method->getDistance(liquid, i);
    }
    view->mass = masses, view->radius = radii, view->distance = distances;
    return wb_okStatus;
}

double wbFluid_GetMass(const wbWorld *world, wbFluidId id) {
    const wbFluid *fluid = wbGetFluidOf(world, id);
    return wbFluid_GetParticleMass(world, id) * (double)(fluid->spawned - fluid->removed);
}
