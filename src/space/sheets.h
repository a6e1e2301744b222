// SPDX-License-Identifier: MIT
// Thin surfaces in a fluid of particles, for the steps of its solver: cloth, of which water feels the side that it is on. Who owns them
// is asked in each sub-step
//
//     find(…)     when places are predicted: what is near, and on which side it begins
//     cut(…)      when neighbours are listed: those behind a sheet go
//     add(…)      what sheets add to densities and gradients, where particles begin or where they are by now
//     near(…)     how fast sheets come nearer by themselves, for solvers of velocities
//     push(…)     what the solver did to them, to which they give way: once, or after each iteration
//     hold(…)     after all: nothing goes through
//     parts(…)    when particles merge and split: whether a sheet is between two places
//     approach(…) likewise: how near sheets are
//
// Solvers that drift in parts of a sub-step do all of it in each part.
#pragma once

#include "core/work.h"
#include "space/mirror.h"
#include "space/neighbours.h"

/// Kernels of solvers without their factors, with q = r/h. The gradient is that along a normal.
typedef enum wbSheetKernel {
    wb_sheetMuller,   ///< density (1 - q2)^3, gradient (1 - q)^2 of the unit vector
    wb_sheetBlunt,    ///< density (1 - q)^3 (1 + q/3), gradient (1 - q)^2 (1 + q/2) of the unit vector
    wb_sheetWendland, ///< density (1 - q)^4 (1 + 4 q), gradient (1 - q)^3 of the way, in spacings
    wb_sheetKernelCount
} wbSheetKernel;

/// The particles of a sub-step, or of a part of it, in the order of cells. Records are those of wbFluidStep.
typedef struct wbSheetSwarm {
    int count;
    int firstGhost, dummy; ///< places among records
    const wbGhosts *ghosts;
    wbSheetKernel kernel;
    float h, spacing;      ///< m, of the largest particles
    const float *sizes;    ///< h and spacing of particles over those; NULL: all 1
    double mass;           ///< kg, of a particle of relative mass 1
    const float *relative; ///< masses over that; NULL: all 1
    float share;           ///< of a collider's push, that sheets push by
    float dt;              ///< s, of the sub-step
    float from, to;        ///< shares of it, at which particles begin and end
    bool isStill;          ///< sheets are held
    bool isSharp;   ///< beside a sharp edge of a closed surface there is less behind it than half a space
    bool isAtStart; ///< sums are taken where particles and sheets begin; else where they are by now
    const float *starts;   ///< records: where particles and ghosts were at `from`
    float *places;         ///< records: where they are by now
    float *moved;          ///< records: by how much constraints have moved them, in all
    const SpaceRoom *room; ///< where particles may be
} wbSheetSwarm;

/// What a solver did, per particle: a sheet's corners get `scale` times its value times its part of the particle's sum of gradients, kg m.
typedef struct wbSheetPush {
    const float *values;
    int stride; ///< floats from one value to the next
    double scale;
    bool isWhole; ///< of a sub-step whose solver does not iterate: there is no answer to it
} wbSheetPush;

typedef struct wbFluidSheets {
    wbStatus (*find)(const wbSheetSwarm *swarm, const wbWork *work, void *context);
    void (*cut)(const wbSheetSwarm *swarm, wbNeighbours *neighbours, const wbWork *work, void *context);
    /// `sums`: records of gradients and of densities by the swarm's kernel, summed over lattice sites behind the sheet; `squares` of
    /// gradients by the share that the sheet gives way; NULL: not wanted.
    void (*add)(const wbSheetSwarm *swarm, float *sums, float *squares, const wbWork *work, void *context);
    /// `nearing`, 1/s: gradients times velocities of what they come from.
    void (*near)(const wbSheetSwarm *swarm, float *nearing, const wbWork *work, void *context);
    void (*push)(const wbSheetSwarm *swarm, const wbSheetPush *push, const wbWork *work, void *context);
    void (*hold)(const wbSheetSwarm *swarm, const wbWork *work, void *context);
    /// Whether a sheet, where it is by now, is between a place of a particle and another nearer than its support.
    bool (*parts)(int particle, const float from[3], const float to[3], void *context);
    /// `distances` (m) of particles, which become less where a sheet is nearer; farther than a support none is known.
    void (*approach)(const wbSheetSwarm *swarm, float *distances, const wbWork *work, void *context);
    void *context;
} wbFluidSheets;
