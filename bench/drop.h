// SPDX-License-Identifier: MIT
// Drops of water that float freely, for the cases about surface tension.
#pragma once

#include "bench/validate_case.h"

#define WB_DROP_SPACING 1e-3   ///< m
#define WB_DROP_TENSION 0.0728 ///< N/m
#define WB_DROP_DENSITY 1000.0 ///< kg/m3

/// s, in which a drop swings, up to a factor.
double wbGetSwingTime(double radius);

/// No gravity, no sides; viscous enough to be calm after a few swings.
wbWorldDef wbMakeDropWorld(int dimensions, double radius);

/// The same with the tension as a stress along the skin, and as little viscosity as that of water is beside it.
wbWorldDef wbMakeLiquidDropWorld(int dimensions, double radius);

/// Sites of the lattice nearer than `radius` to the origin.
wbStatus wbAddDrop(wbWorld *world, wbFluidId fluid, int dimensions, double radius);

/// m, of the ball or disc with the volume of the particles.
double wbGetDropRadius(const wbWorld *world, wbFluidId fluid, int dimensions);

/// Steps up to the time `end`; the case is then done by the share `done` + `share`.
wbStatus wbRunDrop(wbValidateRun *run, wbWorld *world, double end, double done, double share);
