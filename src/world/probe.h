// SPDX-License-Identifier: MIT
// Probes of a world: what measures, when it is asked. They hold no state of the simulation: no step reads them.
#pragma once

#include "world/query.h"

enum { WB_MAX_PROBES = 4096 };

typedef struct wbProbe {
    char name[WB_NAME_SIZE];
    wbFluidId fluid;       ///< null: of all fluids
    wbColliderId collider; ///< null unless it measures its force
    wbProbeParams params;
} wbProbe;

static inline wbProbe *wbGetProbeAt(const wbWorld *world, int index) {
    return (wbProbe *)world->probes.data + index;
}

/// Makes one with a new id (index1 0), or as the next of those that were saved: then what it names may be gone.
wbStatus wbAddProbe(wbWorld *world, const wbProbe *probe, uint32_t index1);

/// @name What probes in liquids measure. `fluid` is an index, or -1: all
/// @{
typedef enum wbLiquidField { wb_liquidPressure, wb_liquidVelocity, wb_liquidDensity } wbLiquidField;
/// One value, or three of a velocity. False if there is no liquid.
wbStatus wbSampleLiquid(wbWorld *world, int fluid, wbVec3 point, wbLiquidField field, bool *isThere,
                        double values[3]);
/// m, of the surface in a column; NAN without liquid.
wbStatus wbFindLevel(wbWorld *world, int fluid, const wbProbeParams *params, double *level);
/// m3/s and kg/s (2D: m2/s and kg/m/s) through a rectangle.
wbStatus wbSumFlow(wbWorld *world, int fluid, const wbProbeParams *params, double *volume, double *mass);
/// @}

/// A value of the air, or three of its velocity; NAN beyond its grid and in colliders. The world has air.
wbStatus wbSampleAir(wbWorld *world, wbVec3 point, wbProbeKind kind, double values[3]);
