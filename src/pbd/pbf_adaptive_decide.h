// SPDX-License-Identifier: MIT
// What a look at particles of different sizes decides for all of them at once, the same for the cores and for devices: targets, whether it pays,
// places and ids of what merges and splits.
#pragma once

#include "core/work.h"
#include "pbd/pbf_adaptive_look_formula.h"
#include "pbd/pbf_model.h"

/// What is taken for a surface, and how large particles should be.
PbfSurface wbMakeSurface(const wbPbfModel *model);
PbfTargets wbMakeTargets(const wbPbfModel *model, const wbDomain *domain, bool fills);

/// Whether it pays, by the mass of all in smallest particles, and how many particles there would be if all were as they should, in 2^-16; else it is off
/// from now on.
bool wbPbfSizes_Weigh(wbPbfSizes *sizes, int64_t fine, int64_t wanted);

typedef struct wbSizeChanges {
    int count;
    const uint32_t *ids;
    const float *distances; ///< m, to the surface; read where there is a limit
    int limit;              ///< particles beyond which none splits; 0: any number
    int *
        slots; ///< what becomes of a particle: none, one, two; then the first of their places, and behind them how many there are
    uint32_t *newIds; ///< of second halves
    int merges, splits;
} wbSizeChanges;
/// Sets aside the ids of what goes, limits splits, and gives ids to halves.
wbStatus wbPbfSizes_TakeSlots(wbPbfSizes *sizes, const wbWork *work, wbSizeChanges *changes);

/// Whether a look is due after a sub-step of so many frames, in water of this head, m2/s2.
bool wbPbfSizes_IsLookDue(wbPbfSizes *sizes, const wbPbfModel *model, double head, float frames);

/// What is left of an offset after so many frames.
float wbGetOffsetShare(const wbPbfModel *model, float frames);
/// Limits of the offsets that changes leave.
PbfCarry wbMakeCarry(const wbPbfModel *model);
/// Iterations on positions alone after changes, and how they push particles apart.
int wbCountRelaxations(const wbPbfModel *model, bool fills);
PbfApart wbMakeRelaxApart(const wbPbfModel *model, bool fills);
/// The error of a density that an iteration mends at most.
float wbGetRelaxMost(bool fills);

/// Rounds in which a fluid is filled: until next to nothing merges any more for some of them.
typedef struct wbFillRounds {
    int few, round, calm;
} wbFillRounds;
wbFillRounds wbBeginFilling(int count);
/// Whether there is another round, after one with so many merges.
bool wbFillRounds_Next(wbFillRounds *rounds, wbPbfSizes *sizes, int merges);
