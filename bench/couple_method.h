// SPDX-License-Identifier: MIT
// The methods by which liquids are computed that bodies float in: rows of validation are alike for each.
#pragma once

#include "wirbel/wirbel.h"

typedef enum wbCoupleMethod {
    wb_coupleSph,
    wb_coupleSplit,
    wb_couplePbf,
    wb_coupleLevels,
    wb_coupleThesis,
    wb_coupleMethodCount
} wbCoupleMethod;

/// The names of a quantity, by method; `what` and `of` are literals.
#define WB_COUPLE_NAMES(what, of)                                                                            \
    { what ", SPH, " of, what ", split, " of, what ", PBF, " of, what ", levels, " of, what ", thesis, " of }

/// Sets the method in a def.
static inline wbFluidSolver wbChooseCoupleMethod(wbCoupleMethod method, wbWorldDef *def) {
    if (method == wb_coupleSplit) def->sph.method = wb_sphSplit;
    if (method == wb_coupleLevels) def->pbf.adaptive.method = wb_adaptiveLevels;
    if (method == wb_coupleThesis) def->pbf.adaptive.method = wb_adaptiveThesis;
    return method <= wb_coupleSplit ? wb_solverSph : wb_solverPbf;
}
