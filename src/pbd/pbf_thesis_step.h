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
    wbDomain domain; ///< at the end of the sub-step
    wbThesisListTask lists;
    wbThesisPass pass;
    ThesisSizing sizing;
    float *rest, *least;
    float *size;  ///< that particles should have, over the smallest's
    double *lost; ///< kg m/s, per block of particles
} wbThesisStep;

/// Into the order of octaves and cells of `points`; these, and reaches, are moved as well. Then ghosts; then lists can be built.
wbStatus wbThesisStep_Sort(wbThesisStep *step, float *points[3], float *reach);
wbStatus wbThesisStep_FindGhosts(wbThesisStep *step);
wbStatus wbThesisStep_BuildLists(const wbThesisStep *step, wbNeighbours *neighbours, wbThesisListTask *task);

/// By the kernel of the smallest particles.
wbBoundaryKernel wbGetThesisBoundaryKernel(const wbThesisModel *model, const ThesisConstants *constants,
                                           wbSimd simd);
/// Lists of colliders' points near the sorted particles, and the other way round. Then what they add to the sums of the next pass, what that does to
/// them, and what surfaces do that nothing slips along. Without colliders these do nothing.
wbStatus wbThesisStep_ListBoundary(wbThesisStep *step);
void wbThesisStep_AddBoundary(wbThesisStep *step);
void wbThesisStep_PushBoundary(wbThesisStep *step);
void wbThesisStep_Stick(wbThesisStep *step);
/// Continuous collision of what went from `before` to where particles are, as colliders are from one time to the other.
wbStatus wbThesisStep_Collide(wbThesisStep *step, float *const before[3], wbBoundaryTime from);

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

/// What becomes of each of `count` particles, for cores and devices: none, one, two; then `slots` are the first of their places, and behind them how many there
/// are. Splits obey the limit, and take the ids of what was merged: what splits was merged once.
wbStatus wbThesis_TakeSlots(wbThesis *thesis, const wbWork *work, const uint32_t *ids, int count, int limit,
                            int *slots, uint32_t *newIds, bool *hasChanged);
