// SPDX-License-Identifier: MIT
// Heat between fluids and the air, as the world sees it: what particles have got is kept by their ids, and those that have become steam go.
#include <math.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "coupling/air_heat.h"
#include "world/air.h"
#include "world/coupling.h"
#include "world/drops.h"

bool wbIsHeatExchanged(const wbWorld *world) {
    const wbAir *air = wbGetAir(world);
    return air && air->smoke.steam && air->fill.cellCount > 0 && world->def.coupling.airHeat &&
           wbGetPairMode(&world->def.coupling, wb_matterAir, wb_matterWater) != wb_pairOff &&
           wbGetNextLiquid(world, NULL);
}

static bool takesHeat(const wbParticleFluid *liquid) { return !wbIsSized(liquid); }

// J/kg, of those that have got none: heat counts from 20 degrees on.
static double getFirstHeat(const wbWorld *world) {
    return WB_WATER_HEAT * ((double)world->def.coupling.waterCelsius - 20);
}

static double getHeat(const wbWorld *world, uint32_t id) {
    const wbAir *air = wbGetAir(world);
    const float *heats = air->heats.data;
    return getFirstHeat(world) + ((int64_t)id < air->heatCount ? (double)heats[id] : 0);
}

wbStatus wbPrepareHeat(wbWorld *world) {
    wbAir *air = wbGetAir(world);
    if (!wbIsHeatExchanged(world)) return wb_okStatus;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        if (takesHeat(l) || air->isHeatTold) continue;
        wbLog(wb_logWarning, "coupling.airHeat: particles of different sizes take no heat from the air");
        air->isHeatTold = true;
    }
    const int needed = (int)world->nextId;
    if (!wbArray_Reserve(world->memory, &air->heats, needed) ||
        !wbArray_Reserve(world->memory, &air->expansion, air->fill.cellCount))
        return wbMemoryError(world->memory, "the heat of %d particles needs", needed);
    if (needed > air->heatCount)
        memset((float *)air->heats.data + air->heatCount, 0,
               sizeof(float) * (size_t)(needed - air->heatCount));
    if (needed > air->heatCount) air->heatCount = needed;
    return wb_okStatus;
}

wbStatus wbListHeats(const wbWorld *world, const wbParticleFluid *liquid, const float **heats) {
    const int count = liquid->particles->count;
    *heats = NULL;
    if (!wbIsHeatExchanged(world) || !takesHeat(liquid)) return wb_okStatus;
    float *list = wbArena_Alloc(world->work.arena, sizeof(float) * (size_t)(count + 1));
    if (!list) return wbMemoryError(world->memory, "the heat of %d particles needs", count);
    for (int i = 0; i < count; i++) list[i] = (float)getHeat(world, liquid->particles->id[i]);
    *heats = list;
    return wb_okStatus;
}

// Of fuel in cells that water has come to.
static void drownFuel(wbWorld *world, double cellVolume) {
    wbAir *air = wbGetAir(world);
    const wbSmokeGrid *grid = &air->smoke.grid;
    const uint8_t *filled = air->fill.filled.data;
    float *fuel = air->model.params.fire ? air->smoke.fields[wb_smokeFuel] : NULL;
    for (int j = 0; j < grid->ny && fuel; j++)
        for (int k = 0; k < grid->nz; k++)
            for (int i = 0; i < grid->nx; i++) {
                float *here = &fuel[wbSmokeIndex(grid, i, j, k)];
                if (!filled[wbSmokeCell(grid, i, j, k)] || *here == 0) continue;
                air->drowned += cellVolume * (double)*here;
                *here = 0;
            }
}

typedef struct Warm {
    wbWorld *world;
    const wbParticleFluid *liquid;
    const wbAirFillers *set;
    const wbWarmAir *air;
} Warm;

static double getSpeedPast(const Warm *warm, int i) {
    const wbParticles *p = warm->liquid->particles;
    const double place[3] = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
    float u[3] = {0, 0, 0};
    wbReadVelocity(warm->air->smoke, place, u);
    const float d[3] = {u[0] - p->vx[i], u[1] - p->vy[i], u[2] - p->vz[i]};
    return sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
}

// J, that a drop takes from the air of its cell; `share` of it is one.
static double warmDrop(const Warm *warm, int i, int cell[3], double mass, double heat, double share) {
    const double volume = warm->set->volume ? (double)warm->set->volume[i] : (double)warm->set->allVolume;
    const double difference = wbGetAirCelsius(warm->air, cell) - wbGetWaterCelsius(heat);
    const bool isBoiling = heat >= WB_BOIL_FROM;
    if (isBoiling && difference < 0) return 0;
    const double conductance =
        share *
        wbGetDropConductance(volume, (double)warm->world->def.coupling.sprayDiameter, getSpeedPast(warm, i));
    const double gain = fmin(wbExchangeHeat(conductance, warm->air->dt, wbGetAirCapacity(warm->air),
                                            isBoiling ? INFINITY : mass * WB_WATER_HEAT, difference),
                             fmax(mass * (WB_STEAM_HEAT - heat), 0));
    wbWarmCell(warm->air, cell, -gain);
    return gain;
}

// What has become steam stands in the next air; where there is none, water cannot boil, and the heat counts as lost. True: all has.
static bool boil(const Warm *warm, int cell[3], bool isWithin, double mass, double before, float *heat) {
    wbAir *air = wbGetAir(warm->world);
    const double first = getFirstHeat(warm->world), now = first + (double)*heat,
                 more = wbGetBoiledShare(now) - wbGetBoiledShare(before);
    if (!(more > 0)) return false;
    if (!isWithin || !wbFindAirCell(warm->air, cell)) {
        *heat = (float)(before - first);
        air->lostHeat += mass * (now - before);
        return false;
    }
    wbSteamCell(warm->air, cell, more * mass);
    air->evaporated += more * mass;
    if (now < WB_STEAM_HEAT) return false;
    wbWarmCell(warm->air, cell, mass * (now - WB_STEAM_HEAT));
    return true;
}

static bool warmOne(const Warm *warm, int i) {
    wbAir *air = wbGetAir(warm->world);
    const wbParticles *p = warm->liquid->particles;
    const float place[3] = {p->x[i], p->y[i], p->z[i]};
    float *heat = (float *)air->heats.data + p->id[i];
    const double mass = warm->set->mass ? (double)warm->set->mass[i] : (double)warm->set->allMass,
                 before = getFirstHeat(warm->world) + (double)*heat;
    int cell[3];
    const bool isWithin = wbFindCell(&air->smoke.grid, place, cell);
    const float share = wbGetDropShare(warm->liquid, i);
    double gain = wbGetWarmth(&air->fill, warm->set, i);
    if (isWithin && share > 0 && !warm->air->mask[wbSmokeCell(&air->smoke.grid, cell[0], cell[1], cell[2])])
        gain += warmDrop(warm, i, cell, mass, before, (double)share) / mass;
    if (gain == 0) return false;
    // what rounding leaves of it is counted, too
    const float next = (float)((double)*heat + gain);
    air->lostHeat += mass * ((double)*heat + gain - (double)next);
    *heat = next;
    return boil(warm, cell, isWithin, mass, before, heat);
}

static void warmLiquid(wbWorld *world, wbParticleFluid *liquid, const Warm *warm) {
    const int count = liquid->particles->count;
    const size_t mark = wbArena_Mark(world->work.arena);
    uint8_t *isGone = wbArena_Alloc(world->work.arena, (size_t)count + 1);
    WB_ASSERT(isGone, "room for it was reserved");
    bool any = false;
    for (int i = 0; i < count; i++) {
        isGone[i] = warmOne(warm, i);
        any |= isGone[i] != 0;
    }
    if (any) {
        // their heat went with the steam; where there is no memory they wait, as what drains take does
        if (wbIsOk(wbRemoveMarked(liquid, isGone))) wbMarkLiquidDirty(world, liquid);
    }
    wbArena_Release(world->work.arena, mark);
}

void wbExchangeAirHeat(wbWorld *world, const wbAirFillers *sets, float dt) {
    wbAir *air = wbGetAir(world);
    const double cellVolume = pow((double)air->smoke.grid.h, air->smoke.grid.dimensions);
    air->smoke.expansion = NULL;
    if (wbIsAirFilled(world)) drownFuel(world, cellVolume);
    if (!wbIsHeatExchanged(world)) return;
    const wbWarmAir warmAir = {.smoke = &air->smoke,
                               .model = &air->model,
                               .mask = air->mask,
                               .mark = air->fillMark,
                               .expansion = air->expansion.data,
                               .dt = (double)dt,
                               .cellVolume = cellVolume};
    memset(air->expansion.data, 0, sizeof(float) * (size_t)air->fill.cellCount);
    wbWarmFilled(&air->fill, &warmAir);
    wbParticleFluid *l = wbGetNextLiquid(world, NULL);
    for (int s = 0; l; l = wbGetNextLiquid(world, l), s++) {
        const Warm warm = {world, l, &sets[s], &warmAir};
        if (sets[s].heat) warmLiquid(world, l, &warm);
    }
    air->smoke.expansion = air->expansion.data;
}

// J that fluids have, without what their steam took along; kg of them that have become steam.
static void addWater(const wbWorld *world, const wbParticleFluid *liquid, wbStats *stats) {
    const wbParticles *p = liquid->particles;
    for (int i = 0; i < p->count; i++) {
        const double relative =
                         wbIsMixed(liquid) ? wbGetRelativeDensity(world, wbGetFluidOfId(world, p->id[i])) : 1,
                     mass = liquid->mass * relative, heat = getHeat(world, p->id[i]);
        stats->heatWater += mass * wbGetHeldHeat(heat);
        stats->boiling += mass * wbGetBoiledShare(heat);
    }
}

void wbAddHeatStats(const wbWorld *world, wbStats *stats) {
    const wbAir *air = wbGetAir(world);
    stats->fuelDrowned = air->drowned;
    if (!air->smoke.steam) return;
    const wbSteamSums sums = wbSumSteam(&air->smoke, &air->model);
    stats->heatAir = sums.heat, stats->heatSteam = sums.latent;
    stats->steam = sums.vapour, stats->clouds = sums.droplets;
    stats->evaporated = air->evaporated, stats->heatLost = air->lostHeat;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l && wbIsHeatExchanged(world);
         l = wbGetNextLiquid(world, l))
        if (takesHeat(l)) addWater(world, l, stats);
}
