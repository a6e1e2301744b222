// SPDX-License-Identifier: MIT
// Vapour of water in the air, and the droplets that it condenses to. A cell holds vapour up to saturation (Magnus 1844, with the constants of Sonntag 1990);
// what is more becomes droplets, and droplets in dry air vapour, with their heat: air gets warmer where clouds form. Rising air cools by
// `smoke.lapse`: what the temperature field has is that of air brought down to the bottom of the box (potential temperature), which does not change on
// the way. Both are per volume of air as it is down there.
#pragma once

#include "smoke/smoke_code.h"

#define WB_AIR_HEAT      1005.0                         ///< J/kg/K
#define WB_WATER_HEAT    4186.0                         ///< J/kg/K
#define WB_STEAM_HEAT    (80 * WB_WATER_HEAT + 2.257e6) ///< J/kg, of steam over water of 20 degrees
#define WB_STEAM_DENSITY 598.0                          ///< g/m3, of steam alone at 100 degrees

/// What saturation depends on.
typedef struct wbSteamModel {
    double kelvin;  ///< of the air around, at the bottom
    double density; ///< kg/m3, of the air
    double lapse;   ///< K/m
} wbSteamModel;

wbSteamModel wbMakeSteamModel(const wbSmokeParams *params);
/// g/m3: the most vapour at a temperature, kelvin above that of the air around, and a height, m above the bottom.
double wbFindSaturation(const wbSteamModel *model, double temperature, double height);
/// A cell comes to rest: temperature, vapour and droplets.
void wbSettleSteam(const wbSteamModel *model, double height, double *temperature, double *vapour,
                   double *droplets);

/// All cells that smoke is in.
void wbCondense(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work);
/// What steam and droplets weigh, with heat: wbSmoke.lift.
void wbFindLift(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work);
/// Air at a cell's height over that at the bottom: kelvin where it is, per kelvin of the field.
double wbGetCooling(const wbSmoke *smoke, const wbSmokeModel *model, const int cell[3]);
/// J above the air around, of cells of air: its heat, that of its vapour; kg of vapour and of droplets.
typedef struct wbSteamSums {
    double heat, latent, vapour, droplets;
} wbSteamSums;
/// With what solids have come to and push away in the next step.
wbSteamSums wbSumSteam(const wbSmoke *smoke, const wbSmokeModel *model);
/// Its heat and that of vapour. `sums`: room for one per plane.
double wbSumAirHeat(const wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work, double *sums);
/// Likewise of cells in solids: nobody has them but for what was not pushed away.
double wbSumBuriedHeat(const wbSmoke *smoke, const wbSmokeModel *model);
