// SPDX-License-Identifier: MIT
// The hot loops of pbf_thesis.h, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "pbd/pbf_thesis.h"
#include "pbd/pbf_thesis_constants.h"
#include "space/mirror.h"

/// Points to search among, sorted by their grid.
typedef struct wbReachedSet {
    wbPointSet set;
    const float *reach; ///< m, of each point
    float top;          ///< m, the largest that there may be
} wbReachedSet;

/// Lists of all j with r < max(reach_i, reach_j), i itself included, by grids of octaves: neighbours, and those whose kernels contain me, in one
/// symmetric list. Kernels are 0 where a pair is only in the other's. Points of colliders reach nowhere.
typedef struct wbThesisListTask {
    wbNeighbours *neighbours;
    wbMemory *memory;
    wbPoints own;
    const float *reach; ///< m, of the own points
    const float *size;  ///< m, of what is searched together, of the own points: their reaches, or about
    wbReachedSet sets[2 * WB_THESIS_OCTAVES];
    int setCount;
    int dummy;
    bool findsItself; ///< the own points are among the sets
} wbThesisListTask;

/// What passes of a step read and write, per particle; records are those of wbFluidStep.
typedef struct wbThesisPass {
    wbThesis *thesis;
    const wbParticles *particles;
    const wbFluidStep *fluid;
    ThesisConstants constants;
    ThesisMove move;
    int firstGhost; ///< among records
    float *places;  ///< x, y, z, volume
    float *kernels; ///< 1/h, mu G_0, c of XSPH, 0
    float
        *extra; ///< vx, vy, vz, 0; or in the first field the distance to the boundary, or the intrinsic width
    float *inset[3];              ///< m, from the sides, of this step
    float *calibration, *squares; ///< lattice sums
    const float *rest, *least;    ///< density that constraints hold, and the smallest error that counts
    float *density, *gradient[3]; ///< over the rest density; grad_i C_i, 1/m
    float *mu;                    ///< m2, all of the step: for the pressure
    float *isBoundary;            ///< 1, or 0
    float *result;                ///< of the passes over `extra`
    const float *relative; ///< densities of several fluids, and the lowest near a particle; NULL: one fluid
    float *lowest;
    wbBoundaryLists near; ///< points of colliders
    float *
        boundary; ///< records: what they add to sums of V s^2 times directions, and of V s^3; NULL: there are none
    float *boundarySquares; ///< of V s^4
    float *boundaryHeads;   ///< records: of V s^2 times directions and heads, see pbf_head
    float *leans;           ///< see pbf_lean, numbers
    const float *sunk; ///< records of the points: the unit vector into the collider, depth below the surface
    float *changes;    ///< records: what sticking changed, 1/h
    float forceScale, dragScale;
} wbThesisPass;

/// Terms of passes over lists.
enum { THESIS_MIXED = 1 };

typedef struct wbThesisCode {
    wbRangeFn *lists; ///< wbThesisListTask
    // over lists, by places
    wbRangeFn *solve;    ///< density, gradient, mu G_0
    wbRangeFn *correct;  ///< from kernels; `result` has the pushes, then move them
    wbRangeFn *boundary; ///< isBoundary, section 4.5.1
    wbRangeFn *distance; ///< result: the least of b_j + r_ij
    wbRangeFn *spread;   ///< result: the widest kernel around, section 4.2
    wbRangeFn *lowest;   ///< the least relative density around
    wbRangeFn *smooth;   ///< XSPH into the particles' velocities
    // over particles
    wbRangeFn *move;   ///< places by pushes, kept in the room
    wbRangeFn *finish; ///< velocities and positions, maxima
} wbThesisCode;

/// As wbPbfBoundaryCode, of a wbThesisPass; weighing is by ThesisConstants.
typedef struct wbThesisBoundaryCode {
    wbRangeFn *add, *forces, *stick, *drag, *weigh;
} wbThesisBoundaryCode;

WB_DECLARE_CODE(wbThesisBoundaryCode, wb_thesisBoundaryCode, wbGetThesisBoundaryCode)
WB_DECLARE_CODE(wbThesisCode, wb_thesisCode, wbGetThesisCode)
