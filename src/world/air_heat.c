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

wbStatus wbListWater(const wbWorld *world, const wbParticleFluid *liquid, wbAirFillers *set) {
    const int count = liquid->particles->count;
    if (!wbIsHeatExchanged(world) || !takesHeat(liquid)) return wb_okStatus;
    float *water = wbArena_Alloc(world->work.arena, sizeof(float) * (size_t)(count + 1));
    if (!water) return wbMemoryError(world->memory, "the surface of %d particles needs", count);
    for (int i = 0; i < count; i++) water[i] = 1 - wbGetDropShare(liquid, i);
    set->water = water;
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

static double getVolume(const Warm *warm, int i) {
    return warm->set->volume ? (double)warm->set->volume[i] : (double)warm->set->allVolume;
}

// kg, as heat is counted.
static double getMass(const wbParticleFluid *liquid, int i) {
    if (!wbIsMixed(liquid)) return liquid->mass;
    return liquid->mass *
           wbGetRelativeDensity(liquid->world, wbGetFluidOfId(liquid->world, liquid->particles->id[i]));
}

static double getSpeedPast(const Warm *warm, int i) {
    const wbParticles *p = warm->liquid->particles;
    const double place[3] = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
    float u[3] = {0, 0, 0};
    wbReadVelocity(warm->air->smoke, place, u);
    const float d[3] = {u[0] - p->vx[i], u[1] - p->vy[i], u[2] - p->vz[i]};
    return sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
}

// W/K: of drops, as far as it is such, and of its surface.
static double getConductance(const Warm *warm, int i) {
    const wbAirFill *fill = &wbGetAir(warm->world)->fill;
    const double water = (double)warm->set->water[i], volume = getVolume(warm, i);
    double conductance = 0;
    if (water > 0)
        conductance = (double)WB_SURFACE_HEAT * water * volume *
                      wbAirFill_GatherWet(fill, warm->set, i, fill->surface.data);
    if (water < 1)
        conductance +=
            (1 - water) * wbGetDropConductance(volume, (double)warm->world->def.coupling.sprayDiameter,
                                               getSpeedPast(warm, i));
    return conductance;
}

// J, from a cell of air. Boiling water warms no air: it would have to take steam back.
static double takeFromCell(const Warm *warm, const int cell[3], double conductance, double mass,
                           double heat) {
    const double difference = wbGetAirCelsius(warm->air, cell) - wbGetWaterCelsius(heat);
    const bool isBoiling = heat >= WB_BOIL_FROM;
    if (isBoiling && difference < 0) return 0;
    return fmin(wbExchangeHeat(conductance, warm->air->dt, wbGetAirCapacity(warm->air, cell),
                               isBoiling ? INFINITY : mass * WB_WATER_HEAT, difference),
                fmax(mass * (WB_STEAM_HEAT - heat), 0));
}

// What has become steam stands in the cell that gave the heat. What rounding takes is counted. True: all has.
static bool give(const Warm *warm, const int cell[3], double mass, double gain, float *heat) {
    const double closeToSteam = 1; // J/kg: a float hardly tells it from none
    wbAir *air = wbGetAir(warm->world);
    const double first = getFirstHeat(warm->world), before = first + (double)*heat,
                 wanted = before + gain / mass;
    *heat = (float)(wanted - first);
    const double now = first + (double)*heat;
    const bool isGone = WB_STEAM_HEAT - now < closeToSteam;
    const double more = mass * ((isGone ? 1 : wbGetBoiledShare(now)) - wbGetBoiledShare(before));
    air->lostHeat += mass * (wanted - (isGone ? WB_STEAM_HEAT : now));
    if (more > 0) {
        air->lostHeat += wbSteamCell(warm->air, cell, more);
        air->evaporated += more;
    }
    return isGone;
}

static bool warmOne(const Warm *warm, int i) {
    wbAir *air = wbGetAir(warm->world);
    const wbParticles *p = warm->liquid->particles;
    const float place[3] = {p->x[i], p->y[i], p->z[i]};
    float *heat = (float *)air->heats.data + p->id[i];
    if (!wbIsNearAir(&air->fill, place)) return false;
    const double conductance = getConductance(warm, i), mass = getMass(warm->liquid, i);
    int cell[3];
    if (!(conductance > 0) || !wbFindNearAir(&air->fill, place, cell)) return false;
    const double gain =
        takeFromCell(warm, cell, conductance, mass, getFirstHeat(warm->world) + (double)*heat);
    if (gain == 0) return false;
    air->lostHeat += wbWarmCell(warm->air, cell, -gain);
    return give(warm, cell, mass, gain, heat);
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

// Liquids, in their order.
static void warmLiquids(wbWorld *world, const wbAirFillers *sets, const wbWarmAir *warmAir) {
    wbAir *air = wbGetAir(world);
    float largest = 0;
    int count = 0;
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l), count++)
        largest = fmaxf(largest, l->spacing);
    // from the cell of a particle's middle to one that it reaches into, from there to one beside, and to the air above what fills that
    wbFindAirWays(&air->fill, air->mask, air->fillMark, 3 + (int)(largest / air->smoke.grid.h));
    wbAirFill_FindWet(&air->fill, &world->work, sets, count);
    wbFindSurface(&air->fill, sets, count);
    wbParticleFluid *l = wbGetNextLiquid(world, NULL);
    for (int s = 0; l; l = wbGetNextLiquid(world, l), s++) {
        const Warm warm = {world, l, &sets[s], warmAir};
        if (sets[s].water) warmLiquid(world, l, &warm);
    }
}

// J that fluids have, without what their steam took along; kg of them that have become steam.
typedef struct Water {
    double heat, boiled;
} Water;

static void addWater(const wbWorld *world, const wbParticleFluid *liquid, Water *sum) {
    const wbParticles *p = liquid->particles;
    for (int i = 0; i < p->count; i++) {
        const double mass = getMass(liquid, i), heat = getHeat(world, p->id[i]);
        sum->heat += mass * wbGetHeldHeat(heat);
        sum->boiled += mass * wbGetBoiledShare(heat);
    }
}

// Also while the exchange is off, once it was on.
static Water sumWater(const wbWorld *world) {
    Water sum = {0};
    const bool isCounted = wbGetAir(world)->heatCount > 0 || wbIsHeatExchanged(world);
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l && isCounted;
         l = wbGetNextLiquid(world, l))
        if (takesHeat(l)) addWater(world, l, &sum);
    return sum;
}

void wbExchangeAirHeat(wbWorld *world, const wbAirFillers *sets, float dt) {
    wbAir *air = wbGetAir(world);
    const double cellVolume = pow((double)air->smoke.grid.h, air->smoke.grid.dimensions);
    air->smoke.expansion = NULL;
    if (wbIsAirFilled(world)) drownFuel(world, cellVolume);
    if (!wbIsHeatExchanged(world)) return;
    const wbWarmAir warmAir = {.smoke = &air->smoke,
                               .model = &air->model,
                               .expansion = air->expansion.data,
                               .dt = (double)dt,
                               .cellVolume = cellVolume};
    memset(air->expansion.data, 0, sizeof(float) * (size_t)air->fill.cellCount);
    // what has changed since the last time came with particles, or went with them
    air->broughtHeat += sumWater(world).heat - air->waterHeat;
    warmLiquids(world, sets, &warmAir);
    air->waterHeat = sumWater(world).heat;
    air->smoke.expansion = air->expansion.data;
}

void wbAddHeatStats(const wbWorld *world, wbStats *stats) {
    const wbAir *air = wbGetAir(world);
    stats->fuelDrowned = air->drowned;
    if (!air->smoke.steam) return;
    const wbSteamSums sums = wbSumSteam(&air->smoke, &air->model);
    const Water water = sumWater(world);
    stats->heatAir = sums.heat, stats->heatSteam = sums.latent;
    stats->steam = sums.vapour, stats->clouds = sums.droplets;
    stats->heatWater = water.heat, stats->boiling = water.boiled;
    stats->evaporated = air->evaporated, stats->heatLost = air->lostHeat + air->smoke.heat.lost;
    stats->heatSources = air->smoke.heat.sources, stats->heatSides = air->smoke.heat.sides;
    stats->heatFluids = air->broughtHeat + water.heat - air->waterHeat;
}
