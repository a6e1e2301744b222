// SPDX-License-Identifier: MIT
// The hot loops of the pressure, once per instruction set: each works on one plane.
#pragma once

#include "core/cpu.h"
#include "smoke/pressure.h"
#include "smoke/pressure_formula.h"

typedef struct wbPressureCode {
    /// p of a colour from the other: Gauss-Seidel. nearOnly: rows near solids.
    void (*smooth)(const wbPressureLevel *level, int colour, int j, bool nearOnly);
    /// The same where the other colour is 0.
    void (*start)(const wbPressureLevel *level, int colour, int j);
    /// p += relaxation * change.
    void (*relax)(const wbPressureLevel *level, int colour, int j, float relaxation);
    /// Both colours into another pair of arrays.
    void (*jacobi)(const wbPressureLevel *level, float *const target[2], int j);
    /// Sum of squares of what is left of b, of one colour.
    double (*residual)(const wbPressureLevel *level, int colour, int j);
    /// Adds both colours' sums of pressure_best_shares: kept[0] is p before the cycle, kept[1] that before the last one.
    void (*compare)(const wbPressureLevel *level, float *const kept[2][2], int j, double sums[PRESSURE_SUMS]);
    /// Goes by shares[0] along the way from kept[0] to p, and by shares[1] along that from kept[1] to kept[0].
    void (*mix)(const wbPressureLevel *level, float *const kept[2][2], int j, const float shares[2]);
    /// b of a coarse plane from the red residual of the finer level: black has none after it was smoothed.
    void (*restrict_)(const wbPressureLevel *fine, const wbPressureLevel *coarse, int coarseJ);
    /// Adds the coarse p, interpolated, to the black one. `line`: scratch of coarse->nx + 64 floats.
    void (*prolong)(const wbPressureLevel *fine, const wbPressureLevel *coarse, int j, float *line);
} wbPressureCode;

WB_DECLARE_CODE(wbPressureCode, wb_pressureCode, wbGetPressureCode)
