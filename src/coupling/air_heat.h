// SPDX-License-Identifier: MIT
// Heat between the air of a grid and water. A particle takes Q = C (T_air - T_water) (1 - exp(-a A t / C)) in a time t
// from the cell of air that is nearest to it, with 1/C = 1/C_air + 1/C_water: neither overshoots, whoever comes first.
// As far as it is a drop, a A is that of drops of its volume. As far as it is water, A is its share of the surface of
// the water of its cells.
//
// That surface: a cell is covered from half a layer of particles on, by less in proportion. Where cover ends is
// surface: its jumps to the cells beside, along each axis, squared and summed as a gradient's. Along a line of cells
// jumps sum up to the cover, so that still water shows its level, a film as much, a sheet in the air twice that, a lump
// of particles in a cell about their faces, and slopes no stairs. Sides and colliders are no end of it. Water within a
// cell is stirred: it shares its surface by mass.
//
// Water warms up to 100 degrees, and then boils: what it gets turns that part of it into steam, which stands in that
// cell of air, with its heat and its volume. Heat is counted from water of 20 degrees on, and from the air around.
//
// Tried: the faces of filled cells, of which water that fills none had nothing, and slopes 1.4 times theirs; and what a
// particle's density lacks, which is right in explicit SPH alone: others draw the particles of a surface together until
// hardly anything lacks (0.02 to 0.4 of the surface was left).
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

/// J/K, of a cell of air, per kelvin that it has in the field.
double wbGetAirCapacity(const wbWarmAir *air, const int cell[3]);
/// Degrees, of the air of a cell, where it is.
double wbGetAirCelsius(const wbWarmAir *air, const int cell[3]);
/// Cells of air take heat, J, and steam, kg. They return what rounding took of it, J.
double wbWarmCell(const wbWarmAir *air, const int cell[3], double heat);
double wbSteamCell(const wbWarmAir *air, const int cell[3], double mass);

/// Before all else, with what wbAirFill.mask, mark and reach are to be: how many cells each is from air, also by corners, wbAirFill.ways.
void wbFindAirWays(wbAirFill *fill, const uint16_t *mask, uint16_t mark, int reach);
/// Whether there is air within reach of a place; and the nearest cell of it, among those that are as few cells away as any.
bool wbIsNearAir(const wbAirFill *fill, const float place[3]);
bool wbFindNearAir(const wbAirFill *fill, const float place[3], int cell[3]);

/// After wbAirFill_FindWet. What the surface of dense water is: m2 per m3 of it (2D: m per m2), wbAirFill.surface.
void wbFindSurface(wbAirFill *fill, const wbAirFillers *sets, int count);
