// SPDX-License-Identifier: MIT
// Strays: particles that are behind (pbf_is_behind) and found nobody to merge with. Among large ones the supports that
// they share with these may reach none, and they fall freely between them. They merge with each other, as far apart as
// their size should be. The same for the cores and for devices, whose columns are copied for it.
#pragma once

#include "core/work.h"
#include "pbd/pbf_adaptive_look_formula.h"
#include "pbd/pbf_model.h"

/// By particle.
typedef struct wbStrays {
    int count;
    const PbfTargets *targets;
    const wbFluidRuns *runs;
    float h; ///< m, support of level 0
    const uint32_t *ids;
    const uint8_t *level;
    const float *x[3];
    const float *target; ///< the size that a particle should have, over that of the smallest
    int *partner;        ///< -1: nobody, which strays may change
} wbStrays;

/// Without weight they do not fall, and what they leave when they merge pushes: a disc got 13 instead of 0.4 mm/s. Where there are colliders they may be on
/// both sides of one.
bool wbMayStraysMeet(const wbPbfModel *model, const wbPbfSizes *sizes, bool hasColliders);
/// Of those that are not paired yet.
int wbStrays_Count(const wbStrays *strays);
wbStatus wbStrays_Pair(const wbStrays *strays, const wbWork *work);
