// SPDX-License-Identifier: MIT
// Which fluid a particle belongs to. Ids are never used again, so a table by id would grow for ever beside a pump;
// instead, runs of ids that were given to one fluid are kept as long as one of them is alive.
#include "core/status.h"
#include "space/spare_ids.h"
#include "world/world.h"

static wbIdRun *getRuns(const wbWorld *world) { return world->idRuns.data; }

wbIdRun *wbFindIdRun(wbIdRun *runs, int count, uint32_t id) {
    int low = 0, high = count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (runs[middle].first <= id)
            low = middle;
        else
            high = middle;
    }
    return &runs[low];
}

static wbIdRun *findRun(const wbWorld *world, uint32_t id) {
    return wbFindIdRun(getRuns(world), world->idRunCount, id);
}

int wbGetFluidOfId(const wbWorld *world, uint32_t id) { return (int)findRun(world, id)->fluid; }

// Runs of fluids that are as dense as each other are one.
wbStatus wbListMixture(const wbParticleFluid *liquid, wbMixture *mixture) {
    const wbWorld *world = liquid->world;
    const wbIdRun *runs = getRuns(world);
    *mixture = (wbMixture){0};
    if (!wbIsMixed(liquid) || world->idRunCount == 0) return wb_okStatus;
    uint32_t *first = wbArena_Alloc(world->work.arena, sizeof *first * (size_t)world->idRunCount);
    float *relative = wbArena_Alloc(world->work.arena, sizeof *relative * (size_t)world->idRunCount);
    if (!first || !relative)
        return wbMemoryError(world->memory, "the densities of %d runs of ids need", world->idRunCount);
    int count = 0;
    for (int i = 0; i < world->idRunCount; i++) {
        float density = (float)wbGetRelativeDensity(world, (int)runs[i].fluid);
        if (count > 0 && relative[count - 1] == density) continue;
        first[count] = runs[i].first, relative[count++] = density;
    }
    *mixture = (wbMixture){count, first, relative};
    return wb_okStatus;
}

static void dropEmptyRuns(wbWorld *world) {
    wbIdRun *runs = getRuns(world);
    int kept = 0;
    for (int i = 0; i < world->idRunCount; i++)
        if (runs[i].live > 0) runs[kept++] = runs[i];
    world->idRunCount = kept;
}

wbStatus wbReserveIdRun(wbWorld *world) {
    // while a device is ahead, the host's particles may still need runs that are empty there
    if (world->idRunCount == world->idRuns.capacity && !wbIsDeviceNewer(world)) dropEmptyRuns(world);
    if (!wbArray_Reserve(world->memory, &world->idRuns, world->idRunCount + 1))
        return wbMemoryError(world->memory, "the ids of new particles need");
    return wb_okStatus;
}

uint32_t wbTakeId(wbWorld *world, int fluid) {
    wbIdRun *runs = getRuns(world), *last = world->idRunCount ? &runs[world->idRunCount - 1] : NULL;
    if (!last || last->fluid != (uint32_t)fluid) {
        last = &runs[world->idRunCount++];
        *last = (wbIdRun){.first = world->nextId, .fluid = (uint32_t)fluid};
    }
    last->live++;
    return world->nextId++;
}

int wbDropId(wbWorld *world, uint32_t id) {
    wbIdRun *run = findRun(world, id);
    run->live--;
    return (int)run->fluid;
}

void wbDropIdRuns(wbWorld *world, int fluid) {
    wbIdRun *runs = getRuns(world);
    int kept = 0;
    for (int i = 0; i < world->idRunCount; i++) {
        if (runs[i].fluid == (uint32_t)fluid) continue;
        runs[kept] = runs[i];
        if (runs[kept].fluid > (uint32_t)fluid) runs[kept].fluid--;
        kept++;
    }
    world->idRunCount = kept;
}

// Ids of particles that were merged may come again.
static void countSpareIds(const wbWorld *world, const wbParticleFluid *liquid) {
    if (!wbIsSized(liquid)) return;
    const wbSpareIds *spare = liquid->method->getSpareIds(liquid);
    const wbIdSpan *spans = wbSpareIds_GetSpans(spare);
    for (int i = 0; i < spare->spanCount; i++)
        for (uint32_t k = 0; k < spans[i].count; k++) findRun(world, spans[i].first + k)->live++;
}

void wbRecountIds(wbWorld *world) {
    wbIdRun *runs = getRuns(world);
    wbFluid *fluids = world->fluids.data;
    for (int f = 0; f < world->fluidIds.indexCount; f++) fluids[f].particleCount = 0;
    while (world->idRunCount > 0 && runs[world->idRunCount - 1].first >= world->nextId) world->idRunCount--;
    for (int i = 0; i < world->idRunCount; i++) runs[i].live = 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        for (int i = 0; i < l->particles->count; i++) {
            wbIdRun *run = findRun(world, l->particles->id[i]);
            run->live++;
            fluids[run->fluid].particleCount++;
        }
        countSpareIds(world, l);
    }
}
