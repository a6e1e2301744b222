// SPDX-License-Identifier: MIT
#include "coupling/air_heat.h"

#include <math.h>
#include <string.h>

#include "coupling/drop.h"

static const double conductivity = 0.026, prandtl = 0.71; // W/m/K of air
static const double referenceCelsius = 20, boilingCelsius = 100;

double wbGetBoiledShare(double heat) { return fmin(fmax((heat - WB_BOIL_FROM) / WB_BOIL_HEAT, 0), 1); }
double wbGetHeldHeat(double heat) { return heat - WB_STEAM_HEAT * wbGetBoiledShare(heat); }
double wbGetWaterCelsius(double heat) {
    return fmin(referenceCelsius + heat / WB_WATER_HEAT, boilingCelsius);
}

// Ranz and Marshall 1952.
double wbGetDropConductance(double volume, double diameter, double speed) {
    const double reynolds = speed * diameter / (double)WB_AIR_VISCOSITY,
                 nusselt = 2 + 0.6 * sqrt(reynolds) * cbrt(prandtl);
    return nusselt * conductivity / diameter * 6 * volume / diameter;
}

double wbExchangeHeat(double conductance, double dt, double airCapacity, double waterCapacity,
                      double difference) {
    const double capacity = 1 / (1 / airCapacity + 1 / waterCapacity);
    return -capacity * difference * expm1(-conductance * dt / capacity);
}

double wbGetAirCapacity(const wbWarmAir *air) { return WB_AIR_DENSITY * WB_AIR_HEAT * air->cellVolume; }

static int getPlace(const wbWarmAir *air, const int cell[3]) {
    return wbSmokeIndex(&air->smoke->grid, cell[0], cell[1], cell[2]);
}

double wbGetAirCelsius(const wbWarmAir *air, const int cell[3]) {
    return (double)air->model->params.celsius +
           (double)air->smoke->fields[wb_smokeTemperature][getPlace(air, cell)];
}

static void markBlock(const wbWarmAir *air, const int cell[3]) {
    const int block = wbSmokeBlockRow(&air->smoke->grid, cell[1], cell[2]) + cell[0] / WB_SMOKE_BLOCK_X;
    air->smoke->marks[block] = air->smoke->dirty[0][block] = 1;
}

void wbWarmCell(const wbWarmAir *air, const int cell[3], double heat) {
    float *temperature = &air->smoke->fields[wb_smokeTemperature][getPlace(air, cell)];
    *temperature = (float)((double)*temperature + heat / wbGetAirCapacity(air));
    markBlock(air, cell);
}

void wbSteamCell(const wbWarmAir *air, const int cell[3], double mass) {
    const wbSmokeGrid *grid = &air->smoke->grid;
    const double grams = 1000 * mass / air->cellVolume;
    float *steam = &air->smoke->fields[air->smoke->steam][getPlace(air, cell)];
    *steam = (float)((double)*steam + grams);
    air->expansion[wbSmokeCell(grid, cell[0], cell[1], cell[2])] +=
        (float)(grams / (WB_STEAM_DENSITY * air->dt));
    markBlock(air, cell);
}

bool wbFindCell(const wbSmokeGrid *grid, const float place[3], int cell[3]) {
    const int counts[3] = {grid->nx, grid->ny, grid->nz};
    cell[2] = 0;
    for (int a = 0; a < grid->dimensions; a++) {
        const float at = (place[a] - (&grid->origin.x)[a]) / grid->h;
        if (!(at >= 0 && at < (float)counts[a])) return false;
        cell[a] = (int)at;
    }
    return true;
}

bool wbFindAirCell(const wbWarmAir *air, int cell[3]) {
    enum { REACH = 3 };
    const wbSmokeGrid *grid = &air->smoke->grid;
    const int counts[3] = {grid->nx, grid->ny, grid->nz}, deep = grid->dimensions == 3 ? REACH : 0;
    int best = (REACH + 1) * (REACH + 1) * 3, found[3];
    bool isFound = false;
    for (int y = REACH; y >= -REACH; y--)
        for (int z = -deep; z <= deep; z++)
            for (int x = -REACH; x <= REACH; x++) {
                const int at[3] = {cell[0] + x, cell[1] + y, cell[2] + z}, away = x * x + y * y + z * z;
                bool isIn = away < best;
                for (int a = 0; a < 3; a++) isIn &= at[a] >= 0 && at[a] < counts[a];
                if (!isIn || air->mask[wbSmokeCell(grid, at[0], at[1], at[2])]) continue;
                best = away, isFound = true;
                memcpy(found, at, sizeof found);
            }
    if (isFound) memcpy(cell, found, sizeof found);
    return isFound;
}

// Boiling water warms no air: it would have to take steam back.
static double takeFromCell(const wbWarmAir *air, const wbAirFilled *in, const int cell[3]) {
    const double heat = (double)(in->heat / in->wet), celsius = wbGetWaterCelsius(heat),
                 difference = wbGetAirCelsius(air, cell) - celsius;
    const bool isBoiling = heat >= WB_BOIL_FROM;
    if (isBoiling && difference < 0) return 0;
    const double area = air->cellVolume / (double)air->smoke->grid.h,
                 gain = wbExchangeHeat((double)WB_SURFACE_HEAT * area, air->dt, wbGetAirCapacity(air),
                                       isBoiling ? INFINITY : WB_WATER_HEAT * (double)in->wet, difference);
    wbWarmCell(air, cell, -gain);
    return gain;
}

void wbWarmFilled(wbAirFill *fill, const wbWarmAir *air) {
    const wbSmoke *smoke = air->smoke;
    float *warmth = fill->warmth.data;
    const wbAirFilled *cells = fill->cells.data;
    memset(warmth, 0, sizeof(float) * (size_t)fill->cellCount);
    for (int axis = 0; axis < fill->grid.dimensions; axis++) {
        const int *places = smoke->faces[axis].places.data;
        for (int f = 0; f < smoke->faces[axis].surfaceCount; f++) {
            const wbAirFace face = wbFindAirFace(smoke, air->mask, axis, places[f]);
            const int cell = wbSmokeCell(&fill->grid, face.solid[0], face.solid[1], face.solid[2]);
            if (face.mark != air->mark || !face.isAirWithin || !(cells[cell].wet > 0)) continue;
            warmth[cell] += (float)(takeFromCell(air, &cells[cell], face.air) / (double)cells[cell].wet);
        }
    }
}

double wbGetWarmth(const wbAirFill *fill, const wbAirFillers *set, int i) {
    return wbAirFill_Gather(fill, set, i, fill->warmth.data);
}
