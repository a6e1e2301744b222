// SPDX-License-Identifier: MIT
// The largest time step with which a falling block of water stays calm.
#pragma once

#include "bench/validate_case.h"

enum { WB_INTEGRATORS = 3, WB_EQUATIONS = 2 };

/// s, by wbIntegrator and wbEquation; 0: none of those that are tried.
typedef struct wbStableSteps {
    double dt[WB_INTEGRATORS][WB_EQUATIONS];
} wbStableSteps;

/// Bisects between 0.002 and 0.016 s, to 2 %. A step is stable if 10 s end without an error (all is finite, and inside
/// the bound of the energy) and the water is then as calm as with leapfrog and 0.002 s: the mean kinetic energy of the
/// last 2 s is at most 1.2 times that one's. Nothing is found if the run is stopped.
wbStatus wbFindStableSteps(wbValidateRun *run, wbStableSteps *steps);
