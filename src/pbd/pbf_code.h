// SPDX-License-Identifier: MIT
// The hot loops of position based fluids, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "pbd/pbf.h"
#include "space/mirror.h"

/// Terms of passes over neighbours, for wbListPass.
enum { PBF_MIXED = 1, PBF_SPINS = 2 };

/// One sub-step: what its passes read and write. Records and numbers are those of wbFluidStep.
typedef struct wbPbfPass {
    wbPbf *pbf;
    const wbPbfModel *model;
    PbfConstants constants; ///< the model's
    PbfMove move;
    const wbFluidStep *fluid;
    float *px, *py, *pz; ///< predicted positions
    float *moved;        ///< what the constraints have moved particles by
    float *places;       ///< x, y, z, and 1/density for the passes over velocities
    float *solved;       ///< x, y, z, and what an iteration adds to lambda
    float *velocities;   ///< vx, vy, vz, 0; in the place of `solved`, after it
    float *spins;        ///< curl of the velocity and its length; NULL without confinement
    /// what colliders add: gradient, density, without their factors; NULL: no colliders, or columns
    float *boundary;
    float *boundarySquares; ///< and sums of squared gradients
    float *boundaryHeads;   ///< of the gradients times heads, as pbf_head: records; NULL: no colliders
    /// all of that instead, by groups of sixteen particles: eight times sixteen; NULL: records
    float *boundaryColumns;
    const int *boundaryRows; ///< then: 0: no collider adds anything to this group, whose columns are not set
    float *leans;            ///< see pbf_lean, numbers
    float *relative;         ///< densities of the fluids over the solver's, numbers; NULL: all 1
    float *lowest;           ///< of them near a particle, see pbf_lightness, numbers
    float *density;          ///< the particles', in units of the rest density until the end
} wbPbfPass;

typedef struct wbPbfCode {
    wbRangeFn *predict; ///< predicted positions
    wbRangeFn *arrange; ///< predicted positions of the sorted particles
    wbRangeFn *place;   ///< records of places, before the first iteration
    wbRangeFn *finish;  ///< velocities and positions, maxima, records for the passes over velocities
    // over lists
    wbRangeFn *lowest;  ///< relative densities near particles at their places, if there are several
    wbRangeFn *lambda;  ///< from places to solved; by PBF_MIXED
    wbRangeFn *correct; ///< from solved to places; by PBF_MIXED
    wbRangeFn *smooth;  ///< XSPH into the particles' velocities, spins; by both terms
    wbRangeFn *confine; ///< vorticity confinement into the particles' velocities
} wbPbfCode;

/// By constraints, over the blocks of a colour; wbPbfSweep.
typedef struct wbPbfSweepCode {
    wbRangeFn *project; ///< Gauss-Seidel: moves particles
    wbRangeFn *scatter; ///< Jacobi: from solved into sums
    wbRangeFn *settle;  ///< over particles: places from what has moved them, and sums
} wbPbfSweepCode;

WB_DECLARE_CODE(wbPbfCode, wb_pbfCode, wbGetPbfCode)
WB_DECLARE_CODE(wbPbfSweepCode, wb_pbfSweepCode, wbGetPbfSweepCode)
