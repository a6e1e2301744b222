// SPDX-License-Identifier: MIT
// The hot loops of the split scheme, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "sph/sph_split.h"
#include "sph/sph_split_constants.h"
#include "sph/sph_split_progress.h"

/// Terms beside SPH_WENDLAND: points of colliders are near.
enum { SPH_BOUNDARY = 2 };

typedef struct wbSphSplitPass {
    const wbSphPass *pass; ///< forces but pressure are its accelerations
    const wbSphBoundaryPass *boundary;
    SphSplitConstants constants;
    SphConstants forces;   ///< of forces but pressure
    const float *pressure; ///< Pa, of the step before
    float *
        records; ///< of particles and ghosts, of eight floats: x, y, z, k, then velocities and 1/rho at first, later a and k + w
    float *nextRecords; ///< likewise: what a pass writes whose neighbours still read what was there before
    float *k;           ///< m2/s2, of the last update; records are ahead of it by the progress' momentum
    SphSplitProgress progress;
    float *gain;         ///< 1/s2: change of k per residual
    float *target;       ///< a residual without accelerations and places' own velocities: dt G v + E
    float *nearing;      ///< sum of V_b F (x_i - x_b)·v_b, 1/s; NULL: no colliders
    float *bx, *by, *bz; ///< B, 1/m; NULL likewise
    float
        *changes; ///< for each vector of particles: sums of the sizes of what an update changed, and of that
    float *push[3];      ///< m
    float *fx, *fy, *fz; ///< N, on places of colliders
} wbSphSplitPass;

/// Of a wbSphSplitPass; those over lists by SPH_WENDLAND, and SPH_BOUNDARY where it says so.
typedef struct wbSphSplitCode {
    int lanes;           ///< particles of a vector
    wbRangeFn *boundary; ///< B and what nears by itself, over lists of places
    wbRangeFn *remember; ///< k and velocities into the records
    wbRangeFn *
        begin; ///< gains, targets, a from the first k, and in its place that of the push; over lists; SPH_BOUNDARY
    wbRangeFn *beginWithForces; ///< the same, and before it what viscosity adds to accelerations
    wbRangeFn *accelerate;      ///< a from k, over lists; SPH_BOUNDARY
    wbRangeFn *push;            ///< the first update, and the push of places; over lists; SPH_BOUNDARY
    wbRangeFn *update;          ///< next k from a, over lists; SPH_BOUNDARY
    wbRangeFn *end;             ///< pressures; accelerations back to columns
    wbRangeFn *bodyForces;      ///< on places, over lists of particles near them
} wbSphSplitCode;

WB_DECLARE_CODE(wbSphSplitCode, wb_sphSplitCode, wbGetSphSplitCode)
