// SPDX-License-Identifier: MIT
// Fields of the air as files hold them: at the centres of cells, row by row along x, then y, then z.
#pragma once

#include "core/output_file.h"
#include "wirbel/types.h"

typedef enum wbAirField {
    wb_airDensity,
    wb_airTemperature,
    wb_airFuel,
    wb_airSteam,
    wb_airCloud,
    wb_airPressure,
    wb_airVelocity, ///< the mean of both faces
    wb_airColour,
    wb_airSolid,
    wb_airFieldCount
} wbAirField;

const char *wbGetAirFieldName(wbAirField field);
/// False for those that this air does not have: fuel, steam, cloud, colour.
bool wbHasAirField(const wbSmokeView *view, wbAirField field);
/// 1, or 3 of vectors and colours.
int wbGetAirComponents(wbAirField field);
/// Of a whole field in a file: floats, and a byte per cell that says whether it is solid.
uint64_t wbGetAirBytes(const wbSmokeView *view, wbAirField field);

/// One component of cell (i, j, k).
float wbGetAirValue(const wbSmokeView *view, wbAirField field, int component, int i, int j, int k);

/// The whole field, little-endian.
wbStatus wbWriteAirField(wbOutputFile *file, const wbSmokeView *view, wbAirField field);
