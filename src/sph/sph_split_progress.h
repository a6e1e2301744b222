// SPDX-License-Identifier: MIT
// How far the updates of a solve of the split scheme are, and which speed steps follow: the same in C and in OpenCL C.
#pragma once

#ifdef __OPENCL_VERSION__
#    define SPLIT_SQRT sqrt
#else
#    include <math.h>
#    define SPLIT_SQRT sqrtf
#endif

/// Until when updates go on.
typedef struct SphSplitLimits {
    int minIterations, maxIterations;
    float tolerance;         ///< of the mean change, in relative density
    float shareWithMomentum; ///< of the gains that updates use
} SphSplitLimits;

/// What an update changed, over all particles.
typedef struct SphSplitChange {
    float size;   ///< mean of sizes
    float smooth; ///< mean of the sizes of means over groups, which are neighbours
} SphSplitChange;

typedef struct SphSplitProgress {
    int iterations, isDone;
    float residual; ///< the size of the last change
    float momentum; ///< times the last change: by what the next update starts ahead
    float share;    ///< of the gains that it uses
    float t;        ///< of the momentum
} SphSplitProgress;

static inline SphSplitProgress split_start(void) {
    SphSplitProgress start = {0, 0, 0, 0, 1, 1};
    return start;
}

/// Waves as long as the water is deep change by little in each update, and in every step again: they have to be smaller than the noise of
/// single particles.
static inline int split_is_enough(SphSplitChange change, const SphSplitLimits *limits) {
    const float ofSmooth = 0.3f;
    return change.size <= limits->tolerance && change.smooth <= ofSmooth * limits->tolerance;
}

/// After an update. Momentum of updates (Nesterov 1983), once the first two, which are all that water at rest needs, did not do. It begins
/// anew where changes grow (O'Donoghue and Candes 2015).
static inline SphSplitProgress split_go_on(SphSplitProgress last, SphSplitChange change,
                                           const SphSplitLimits *limits) {
    const int iterations = last.iterations + 1;
    const int isStart = iterations < 3, isAnew = isStart || change.size > last.residual;
    const float t = isAnew ? 1 : last.t, after = 0.5f + SPLIT_SQRT(0.25f + t * t);
    SphSplitProgress next;
    next.iterations = iterations;
    next.isDone = iterations >= limits->maxIterations ||
                  (iterations >= limits->minIterations && split_is_enough(change, limits));
    next.residual = change.size;
    next.momentum = isAnew ? 0 : (t - 1) / after;
    next.share = isStart ? 1 : limits->shareWithMomentum;
    next.t = after;
    return next;
}

/// Squared speeds, and paces that stand for pressures, are counted by their leading bits, in bins that are 0.8 % wide. One particle in so
/// many is above the usual one.
enum { SPLIT_SPEED_SHIFT = 17, SPLIT_SPEED_BINS = 1 << (31 - SPLIT_SPEED_SHIFT), SPLIT_FASTER = 200 };

/// Of a device: items that sum changes together, and particles whose mean counts as that of neighbours, which is WB_GROUP.
enum { SPLIT_SUM_GROUP = 64, SPLIT_NEIGHBOURS = 16 };
