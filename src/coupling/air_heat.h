// SPDX-License-Identifier: MIT
// Heat between the air of a grid and water. A drop, or a face between air and a filled cell, takes Q = C (T_air - T_water) (1 - exp(-a A t / C)) in a time t, with
// 1/C = 1/C_air + 1/C_water: neither overshoots. Water warms up to 100 degrees, and then boils: what it gets turns that part of it into steam, which stands in
// the air beside it, with its heat and its volume. Heat is counted from water of 20 degrees on, and from the air around.
#pragma once

#include "coupling/air_fill.h"
#include "smoke/smoke_steam.h"

/// W/m2/K, of a surface of water.
#define WB_SURFACE_HEAT 30.0f
/// J/kg, of water that begins to boil, and of what turns to steam then: together they are WB_STEAM_HEAT.
#define WB_BOIL_FROM (WB_WATER_HEAT * 80)
#define WB_BOIL_HEAT (WB_STEAM_HEAT - WB_BOIL_FROM)

/// The share of water that has become steam after it got so much heat, J/kg.
double wbGetBoiledShare(double heat);
/// J/kg, of what is left of a kilogram: less what its steam took along.
double wbGetHeldHeat(double heat);
/// Degrees.
double wbGetWaterCelsius(double heat);
/// W/K, of a drop of this volume in drops of a diameter, that the air passes at a speed.
double wbGetDropConductance(double volume, double diameter, double speed);
/// J, from the air to water: capacities in J/K, of water INFINITY if it boils.
double wbExchangeHeat(double conductance, double dt, double airCapacity, double waterCapacity,
                      double difference);

/// The air and what it gets.
typedef struct wbWarmAir {
    wbSmoke *smoke;
    const wbSmokeModel *model;
    const uint16_t *mask;
    uint16_t mark;     ///< of filled cells
    float *expansion;  ///< by wbSmokeCell, 1/s
    double dt;         ///< s
    double cellVolume; ///< m3 (2D: m2)
} wbWarmAir;

/// J/K, of a cell of air.
double wbGetAirCapacity(const wbWarmAir *air);
/// Degrees, of the air of a cell.
double wbGetAirCelsius(const wbWarmAir *air, const int cell[3]);
/// Cells of air take heat, J, and steam, kg.
void wbWarmCell(const wbWarmAir *air, const int cell[3], double heat);
void wbSteamCell(const wbWarmAir *air, const int cell[3], double mass);
/// The nearest cell of air, the one itself if it is; false: there is none within three cells.
bool wbFindAirCell(const wbWarmAir *air, int cell[3]);
/// False: it is beyond the cells.
bool wbFindCell(const wbSmokeGrid *grid, const float place[3], int cell[3]);

/// What filled cells get through their faces to air: J/kg of the water in them, wbAirFill.warmth.
void wbWarmFilled(wbAirFill *fill, const wbWarmAir *air);
/// J/kg, of a particle of a set by its place: what it gets of that.
double wbGetWarmth(const wbAirFill *fill, const wbAirFillers *set, int i);
