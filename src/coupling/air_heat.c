// SPDX-License-Identifier: MIT
#include "coupling/air_heat.h"

#include <math.h>
#include <stdlib.h>
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

static int getPlace(const wbWarmAir *air, const int cell[3]) {
    return wbSmokeIndex(&air->smoke->grid, cell[0], cell[1], cell[2]);
}

double wbGetAirCapacity(const wbWarmAir *air, const int cell[3]) {
    return WB_AIR_DENSITY * WB_AIR_HEAT * air->cellVolume * wbGetCooling(air->smoke, air->model, cell);
}

double wbGetAirCelsius(const wbWarmAir *air, const int cell[3]) {
    const double kelvin = 273.15,
                 temperature = (double)air->smoke->fields[wb_smokeTemperature][getPlace(air, cell)];
    return (kelvin + (double)air->model->params.celsius + temperature) *
               wbGetCooling(air->smoke, air->model, cell) -
           kelvin;
}

static void markBlock(const wbWarmAir *air, const int cell[3]) {
    const int block = wbSmokeBlockRow(&air->smoke->grid, cell[1], cell[2]) + cell[0] / WB_SMOKE_BLOCK_X;
    air->smoke->marks[block] = air->smoke->dirty[0][block] = 1;
}

// What of a change a number of a cell cannot hold.
static double addTo(float *number, double more) {
    const float before = *number;
    *number = (float)((double)before + more);
    return more - ((double)*number - (double)before);
}

double wbWarmCell(const wbWarmAir *air, const int cell[3], double heat) {
    const double capacity = wbGetAirCapacity(air, cell);
    markBlock(air, cell);
    return capacity * addTo(&air->smoke->fields[wb_smokeTemperature][getPlace(air, cell)], heat / capacity);
}

double wbSteamCell(const wbWarmAir *air, const int cell[3], double mass) {
    const wbSmokeGrid *grid = &air->smoke->grid;
    const double grams = 1000 * mass / air->cellVolume;
    air->expansion[wbSmokeCell(grid, cell[0], cell[1], cell[2])] +=
        (float)(grams / (WB_STEAM_DENSITY * air->dt));
    markBlock(air, cell);
    return 1e-3 * WB_STEAM_HEAT * air->cellVolume *
           addTo(&air->smoke->fields[air->smoke->steam][getPlace(air, cell)], grams);
}

// Cells

static bool findCell(const wbSmokeGrid *grid, const float place[3], int cell[3]) {
    const int counts[3] = {grid->nx, grid->ny, grid->nz};
    cell[2] = 0;
    for (int a = 0; a < grid->dimensions; a++) {
        const float at = (place[a] - (&grid->origin.x)[a]) / grid->h;
        if (!(at >= 0 && at < (float)counts[a])) return false;
        cell[a] = (int)at;
    }
    return true;
}

// One more than the least of those beside it that come before it in memory, or after it.
static uint8_t findWay(const wbAirFill *fill, const int at[3], bool isAfter) {
    const wbSmokeGrid *grid = &fill->grid;
    const uint8_t *ways = fill->ways.data;
    const int counts[3] = {grid->nx, grid->ny, grid->nz}, sign = isAfter ? 1 : -1;
    int least = UINT8_MAX;
    for (int n = 0; n < 13; n++) { // half of the cells around it
        const int m = n + 14, away[3] = {m % 3 - 1, m / 9 - 1, m / 3 % 3 - 1};
        int to[3];
        bool isIn = true;
        for (int a = 0; a < 3; a++) {
            to[a] = at[a] + sign * away[a];
            isIn &= to[a] >= 0 && to[a] < counts[a];
        }
        if (!isIn) continue;
        const int way = ways[wbSmokeCell(grid, to[0], to[1], to[2])] + 1;
        least = way < least ? way : least;
    }
    return (uint8_t)least;
}

// From the first cell to the last, and back.
void wbFindAirWays(wbAirFill *fill, const uint16_t *mask, uint16_t mark, int reach) {
    fill->mask = mask, fill->mark = mark, fill->reach = reach;
    const wbSmokeGrid *grid = &fill->grid;
    const int total = fill->cellCount, plane = grid->nx * grid->nz;
    uint8_t *ways = fill->ways.data;
    for (int n = 0; n < 2 * total; n++) {
        const bool isAfter = n >= total;
        const int c = isAfter ? 2 * total - 1 - n : n,
                  at[3] = {c % grid->nx, c / plane, c / grid->nx % grid->nz};
        if (!fill->mask[c]) {
            ways[c] = 0;
            continue;
        }
        const uint8_t way = findWay(fill, at, isAfter);
        ways[c] = isAfter && ways[c] < way ? ways[c] : way;
    }
}

static int getWay(const wbAirFill *fill, const int cell[3]) {
    return ((const uint8_t *)fill->ways.data)[wbSmokeCell(&fill->grid, cell[0], cell[1], cell[2])];
}

// Squared, m2, from a place to a cell.
static float getDistance2(const wbSmokeGrid *grid, const float place[3], const int cell[3]) {
    float sum = 0;
    for (int a = 0; a < grid->dimensions; a++) {
        const float below = (&grid->origin.x)[a] + grid->h * (float)cell[a] - place[a],
                    above = -below - grid->h, away = below > above ? below : above;
        sum += away > 0 ? away * away : 0;
    }
    return sum;
}

bool wbIsNearAir(const wbAirFill *fill, const float place[3]) {
    int cell[3];
    return findCell(&fill->grid, place, cell) && getWay(fill, cell) <= fill->reach;
}

bool wbFindNearAir(const wbAirFill *fill, const float place[3], int cell[3]) {
    const wbSmokeGrid *grid = &fill->grid;
    int own[3];
    if (!findCell(grid, place, own)) return false;
    memcpy(cell, own, sizeof own);
    const int way = getWay(fill, own), deep = grid->dimensions == 3 ? way : 0;
    if (way == 0 || way > fill->reach) return way == 0;
    const int counts[3] = {grid->nx, grid->ny, grid->nz};
    float best = INFINITY;
    // on the faces of a block of cells: nearer ones are no air
    for (int y = way; y >= -way; y--)
        for (int z = -deep; z <= deep; z++)
            for (int x = -way, next = abs(y) == way || abs(z) == way ? 1 : 2 * way; x <= way; x += next) {
                const int at[3] = {own[0] + x, own[1] + y, own[2] + z};
                bool isIn = true;
                for (int a = 0; a < 3; a++) isIn &= at[a] >= 0 && at[a] < counts[a];
                if (!isIn || getWay(fill, at) > 0) continue;
                const float distance2 = getDistance2(grid, place, at);
                if (distance2 < best) best = distance2, memcpy(cell, at, sizeof at);
            }
    return best < INFINITY;
}

// Surfaces

// m, of the smallest particles that have their water in no smaller cells.
static float getLayer(const wbSmokeGrid *grid, const wbAirFillers *sets, int count) {
    float least = INFINITY;
    for (int s = 0; s < count; s++)
        if (sets[s].water) least = fminf(least, sets[s].allEdge);
    return fminf(least, grid->h);
}

static bool isWall(const wbAirFill *fill, int cell) {
    return fill->mask[cell] != 0 && fill->mask[cell] != fill->mark;
}

// The mean filled share of what water there is in a cell and around it.
static float findMeanShare(const wbAirFill *fill, const int at[3], float perVolume) {
    const wbSmokeGrid *grid = &fill->grid;
    const float *wet = fill->wet.data;
    const int counts[3] = {grid->nx, grid->ny, grid->nz};
    int low[3], high[3];
    float sum = 0, squares = 0;
    for (int a = 0; a < 3; a++) {
        low[a] = at[a] > 0 ? at[a] - 1 : 0;
        high[a] = at[a] + 1 < counts[a] ? at[a] + 1 : counts[a] - 1;
    }
    for (int y = low[1]; y <= high[1]; y++)
        for (int z = low[2]; z <= high[2]; z++)
            for (int x = low[0]; x <= high[0]; x++) {
                const float share = fminf(1, wet[wbSmokeCell(grid, x, y, z)] * perVolume);
                sum += share, squares += share * share;
            }
    return squares / sum;
}

// How much of a cell is covered, 0 to 1.
static void findCovers(wbAirFill *fill, const wbAirFillers *sets, int count) {
    const float even = 0.75f, half = 2; // particles fill cells unevenly; half a layer of them
    const wbSmokeGrid *grid = &fill->grid;
    const float layer = getLayer(grid, sets, count), *wet = fill->wet.data,
                perVolume = 1 / (grid->dimensions == 3 ? grid->h * grid->h * grid->h : grid->h * grid->h);
    const uint8_t *ways = fill->ways.data;
    float *cover = fill->cover.data;
    for (int j = 0; j < grid->ny; j++)
        for (int k = 0; k < grid->nz; k++)
            for (int i = 0; i < grid->nx; i++) {
                const int cell = wbSmokeCell(grid, i, j, k);
                cover[cell] = ways[cell] > fill->reach && !isWall(fill, cell);
                if (!(wet[cell] > 0) || ways[cell] > fill->reach) continue;
                const float most = 1 / (even * findMeanShare(fill, (int[3]){i, j, k}, perVolume));
                cover[cell] = fminf(1, wet[cell] * perVolume * fminf(most, half * grid->h / layer));
            }
}

// How much less there is beside a cell, on both sides along an axis. Colliders and sides go on as it is.
static float getJump(const wbAirFill *fill, const int at[3], int axis) {
    const wbSmokeGrid *grid = &fill->grid;
    const int counts[3] = {grid->nx, grid->ny, grid->nz};
    const float *cover = fill->cover.data, own = cover[wbSmokeCell(grid, at[0], at[1], at[2])];
    float jump = 0;
    for (int way = -1; way <= 1; way += 2) {
        int to[3] = {at[0], at[1], at[2]};
        to[axis] += way;
        if (to[axis] < 0 || to[axis] >= counts[axis]) continue;
        const int cell = wbSmokeCell(grid, to[0], to[1], to[2]);
        if (!isWall(fill, cell)) jump += fmaxf(own - cover[cell], 0);
    }
    return jump;
}

void wbFindSurface(wbAirFill *fill, const wbAirFillers *sets, int count) {
    const wbSmokeGrid *grid = &fill->grid;
    const float face = grid->dimensions == 3 ? grid->h * grid->h : grid->h, *wet = fill->wet.data;
    const uint8_t *ways = fill->ways.data;
    float *surface = fill->surface.data;
    findCovers(fill, sets, count);
    for (int j = 0; j < grid->ny; j++)
        for (int k = 0; k < grid->nz; k++)
            for (int i = 0; i < grid->nx; i++) {
                const int cell = wbSmokeCell(grid, i, j, k);
                float squares = 0;
                surface[cell] = 0;
                if (!(wet[cell] > 0) || ways[cell] > fill->reach) continue;
                for (int axis = 0; axis < grid->dimensions; axis++) {
                    const float jump = getJump(fill, (int[3]){i, j, k}, axis);
                    squares += jump * jump;
                }
                surface[cell] = face * sqrtf(squares) / wet[cell];
            }
}
