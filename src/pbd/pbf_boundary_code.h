// SPDX-License-Identifier: MIT
// Colliders in a position based fluid: the loops over their points, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "pbd/pbf_code.h"

/// Colliders in one sub-step.
typedef struct wbPbfBoundaryPass {
    const wbPbfPass *pass;
    PbfConstants constants; ///< the model's
    wbBoundaryLists near;
    float *changes; ///< records: what colliders changed a particle's velocity by, over its sum of weights and
                    ///< times its relative density
    bool sticks;    ///< to any body
    float forceScale; ///< N/m, of lambda times a gradient without its factor
    float dragScale;  ///< kg/s, of changes
} wbPbfBoundaryPass;

/// All that may fail: places the bodies as they are at the end of the sub-step and lists who is near them at the predicted
/// positions. `pass` gets room for what they add.
wbStatus wbPbfBoundaryPass_Begin(wbPbfBoundaryPass *boundary, wbPbfPass *pass);

/// All but the last over lists, of a wbPbfBoundaryPass.
typedef struct wbPbfBoundaryCode {
    wbRangeFn *add;        ///< densities and gradients by places, into the pass
    wbRangeFn *forces;     ///< adds what an iteration does to places, over places
    wbRangeFn *stick;      ///< velocities where fluid does not slip
    wbRangeFn *drag;       ///< adds what changes do to places, over places
    wbRangeFn *weigh;      ///< wbWeighing
    wbRangeFn *weighMixed; ///< the same for particles of levels
} wbPbfBoundaryCode;

WB_DECLARE_CODE(wbPbfBoundaryCode, wb_pbfBoundaryCode, wbGetPbfBoundaryCode)
