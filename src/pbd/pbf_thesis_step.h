// SPDX-License-Identifier: MIT
// What the files of pbf_thesis.h share of a step.
#pragma once

#include "pbd/pbf_thesis.h"
#include "pbd/pbf_thesis_code.h"

typedef struct wbThesisStep {
    wbThesis *thesis;
    const wbThesisModel *model;
    const wbWork *work;
    wbFluidStep fluid;
    const wbThesisCode *code;
    wbThesisPass pass;
    float *rest, *least;
    double *lost; ///< kg m/s, per block of particles
} wbThesisStep;

/// A pass over particles; over lists, by places.
void wbThesisStep_Run(wbThesisStep *step, wbRangeFn *range);
void wbThesisStep_RunOverLists(wbThesisStep *step, wbRangeFn *range);
/// Lattice sums, by masses and kernels as they are.
void wbThesisStep_Calibrate(wbThesisStep *step);

/// Exchanges front and back.
void wbThesis_Flip(wbThesis *thesis);

/// Finds who merges (4.34), and moves parts of what transfers move (4.17 to 4.29).
wbStatus wbThesisStep_Transfer(wbThesisStep *step);
/// Splits what is too large (4.33), and removes what was merged.
wbStatus wbThesisStep_Change(wbThesisStep *step);
