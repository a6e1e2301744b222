// SPDX-License-Identifier: MIT
// Colliders in a position based fluid: the loops over their points, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "pbd/pbf_code.h"
#include "space/colliders.h"

/// Colliders in one sub-step.
typedef struct wbPbfWallPass {
    const wbPbfPass *pass;
    const wbBoundary *boundary;
    const wbNeighbours *placesNear, *particlesNear; ///< of particles; of places
    float *fx, *fy, *fz;                            ///< N, at all places
    float *
        changes; ///< per particle: what colliders changed its velocity by, over its sum of weights; times its relative density
    const float *dragRecords; ///< places' records whose fourth field has those weights
    bool sticks;              ///< to any body
    float forceScale;         ///< N/m, of lambda times a gradient without its factor
    float dragScale;          ///< kg/s, of changes
} wbPbfWallPass;

/// All that may fail: places the bodies as they are at the end of the sub-step and lists who is near them at the predicted
/// positions. `pass` gets room for what they add.
wbStatus wbPbfWallPass_Begin(wbPbfWallPass *walls, wbPbfPass *pass, wbBoundary *boundary, const wbWork *work);

typedef struct wbPbfWallCode {
    wbRangeFn *add;    ///< densities and gradients by places, into the pass; wbPbfWallPass
    wbRangeFn *forces; ///< adds what an iteration does to places, over places; wbPbfWallPass
    wbRangeFn *stick;  ///< velocities where fluid does not slip; wbPbfWallPass
    wbRangeFn *caught; ///< changes by the collision, which backVx, … are from before; wbPbfWallPass
    wbRangeFn *drag;   ///< adds what changes do to places, over places; wbPbfWallPass
    wbRangeFn *weigh;  ///< wbWeighing, of a wbPbfModel
} wbPbfWallCode;

const wbPbfWallCode *wbGetPbfWallCode(wbSimd simd);

extern const wbPbfWallCode wb_pbfWallCode_scalar;
#ifdef __x86_64__
extern const wbPbfWallCode wb_pbfWallCode_sse, wb_pbfWallCode_avx2, wb_pbfWallCode_avx512;
#endif
