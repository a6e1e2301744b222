// SPDX-License-Identifier: MIT
// Colliders in a position based fluid: the loops over their points, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "pbd/pbf_code.h"
#include "space/meet.h"

/// Colliders in one sub-step.
typedef struct wbPbfBoundaryPass {
    const wbPbfPass *pass;
    PbfConstants constants; ///< the model's
    wbMeetings meetings;
    wbBoundaryLists near; ///< for a look at sizes, which asks for points near particles
    float *
        sums; ///< eight floats per meeting: what pass->boundary is the sum of, then pass->boundaryHeads and boundarySquares; at the
              ///< end, velocities of points and their weights, then normals
    float *arms;    ///< at the end: of the weights, times the way from the body's origin
    float *changes; ///< records: what colliders changed a particle's velocity by, over its sum of weights and
                    ///< times its relative density
    double (*parts)
        [6]; ///< N, N m about the body's origin, per group of meetings that ends a body's in its block: of all since
    float *clearances; ///< m, per particle: how far all surfaces are away at least
    bool sticks;       ///< to any body
    float forceScale;  ///< N/m, of lambda times a gradient without its factor
    float dragScale;   ///< kg/s, of changes
} wbPbfBoundaryPass;

/// All that may fail: finds who meets which body, as they are at the end of the sub-step, at the predicted positions. `pass` gets room for what
/// they add. With `lists` points near particles are listed, too.
wbStatus wbPbfBoundaryPass_Begin(wbPbfBoundaryPass *boundary, wbPbfPass *pass, bool lists);
/// Densities and gradients by colliders, into the pass.
void wbPbfBoundaryPass_Add(const wbPbfBoundaryPass *boundary);
/// Adds what an iteration does to bodies.
void wbPbfBoundaryPass_Push(const wbPbfBoundaryPass *boundary);
/// Velocities where fluid does not slip, and what that does to bodies.
void wbPbfBoundaryPass_Stick(const wbPbfBoundaryPass *boundary);
/// Of particles where lists were made, for wbFluidStep_Collide; NULL: no memory, or nothing is known.
const float *wbPbfBoundaryPass_FindClearances(wbPbfBoundaryPass *boundary);

/// Whether a group of meetings is the last of its body or of its block.
static inline bool wbPbf_EndsPart(const wbMeetings *meetings, int group) {
    return (group + 1) % (WB_BLOCK / WB_GROUP) == 0 ||
           group + 1 == meetings->firstGroup[meetings->bodies[group] + 1];
}

/// Of a wbPbfBoundaryPass.
typedef struct wbPbfBoundaryCode {
    // over meetings
    wbRangeFn *add;   ///< what points add to the density of a particle and to the gradient of its constraint
    wbRangeFn *force; ///< adds to the parts what an iteration does to bodies
    wbRangeFn *mean;  ///< velocities of points
    wbRangeFn *drag;  ///< adds what changes do to them
    // over particles
    wbRangeFn *gather;     ///< sums over a particle's meetings
    wbRangeFn *clear;      ///< how far the nearest of them is away at least
    wbRangeFn *stick;      ///< velocities where fluid does not slip
    wbRangeFn *weigh;      ///< wbWeighing
    wbRangeFn *weighMixed; ///< the same for particles of levels
} wbPbfBoundaryCode;

WB_DECLARE_CODE(wbPbfBoundaryCode, wb_pbfBoundaryCode, wbGetPbfBoundaryCode)
