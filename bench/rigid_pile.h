// SPDX-License-Identifier: MIT
// Scenes of rigid boxes without a world: the jumbled pile of the benchmarks and stacks, and how far boxes overlap.
#pragma once

#include "rigid/rigid.h"
#include "wirbel/rigid.h"

typedef struct wbRigidPile {
    wbRigid rigid;
    wbRigidModel model;
    wbDomain domain;
} wbRigidPile;

/// Unit cubes of 1 kg that fall: jumbled, above a floor between four walls.
wbStatus wbCreateJumble(const wbWork *work, int count, uint32_t seed, float scale, wbRigidPile *pile);
/// One above another; uneven: up to 0.05 edges off and turned by up to 0.4 rad.
wbStatus wbCreateStack(const wbWork *work, int count, bool isUneven, float scale, wbRigidPile *pile);
void wbDestroyPile(const wbWork *work, wbRigidPile *pile);
wbStatus wbRigidPile_Step(wbRigidPile *pile, const wbWork *work, float dt);

/// How far cubes are in each other: in double, over all pairs.
typedef struct wbOverlaps {
    int count;
    double mean, max; ///< m
} wbOverlaps;
wbOverlaps wbMeasureOverlaps(const wbRigidView *view, double edge);

typedef struct wbPileQuality {
    wbOverlaps overlaps;
    double maxBeyond;  ///< m, beyond a side
    int escaped;       ///< bodies whose centres are
    double kinetic;    ///< J
    double top, drift; ///< m: of the highest centre; of centres from the axis
} wbPileQuality;
wbPileQuality wbRigidPile_Measure(const wbRigidPile *pile);
