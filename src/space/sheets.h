// SPDX-License-Identifier: MIT
// Thin surfaces in a fluid that iterates, for the steps of its solver: cloth, of which water feels the side that it is on. Who owns them
// is asked in each sub-step
//
//     find(…)     when places are predicted: what is near, and on which side it begins
//     cut(…)      when neighbours are listed: those behind a sheet go
//     add(…)      in each iteration: what sheets add to densities and gradients
//     push(…)     after it: what its corrections did to them, to which they give way
//     hold(…)     after all: nothing goes through
#pragma once

#include "core/work.h"
#include "space/mirror.h"
#include "space/neighbours.h"

/// The particles of a sub-step, in the order of cells. Records are those of wbFluidStep.
typedef struct wbSheetSwarm {
    int count;
    int firstGhost, dummy; ///< places among records
    const wbGhosts *ghosts;
    float h, spacing;      ///< m
    double mass;           ///< kg, of a particle of relative density 1
    float dt;              ///< s
    float gradientScale;   ///< m, of gradients in sums
    const float *starts;   ///< records: where particles and ghosts were when the sub-step began
    float *places;         ///< records: where they are by now
    float *moved;          ///< records: by how much constraints have moved them, in all
    const float *relative; ///< densities of several fluids; NULL: all 1
    const SpaceRoom *room; ///< where particles may be
} wbSheetSwarm;

typedef struct wbFluidSheets {
    wbStatus (*find)(const wbSheetSwarm *swarm, const wbWork *work, void *context);
    void (*cut)(const wbSheetSwarm *swarm, wbNeighbours *neighbours, const wbWork *work, void *context);
    /// `sums`: records of gradients without their factor, and of densities without theirs: (1 - r2/h2)^3 and (1 - r/h)^2, summed over
    /// lattice sites behind the sheet; `squares` of gradients by the share that the sheet gives way.
    void (*add)(const wbSheetSwarm *swarm, float *sums, float *squares, const wbWork *work, void *context);
    /// `solved`: records whose fourth field is what an iteration added to lambda; a particle goes -2 lambda times its sum.
    void (*push)(const wbSheetSwarm *swarm, const float *solved, const wbWork *work, void *context);
    void (*hold)(const wbSheetSwarm *swarm, const wbWork *work, void *context);
    void *context;
} wbFluidSheets;
