// SPDX-License-Identifier: MIT
// The hot loops over colliders' points, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "space/boundary.h"
#include "sph/sph_code.h"

/// Colliders in one evaluation of the forces.
typedef struct wbSphWallPass {
    const wbSphPass *pass;
    const wbBoundary *boundary;
    bool isAdhesive, isMean; ///< any body sticks; places have the mean pressure of the particles near them
    wbListTask lists;        ///< particle -> places
    const wbNeighbours *bodyNeighbours; ///< place -> particles; NULL: not wanted
    float *extraRecords;                ///< per place and a dummy: p/rho2, weight times adhesion, 0, 0
    float *fx, *fy, *fz;                ///< N, at all places; NULL: not wanted
} wbSphWallPass;

/// All that may fail: places the bodies as they are at this time, lists who is near them, and sums what they add to
/// densities. `dummy` is that of the particles' records.
wbStatus wbSphWallPass_Begin(wbSphWallPass *walls, wbSphPass *pass, wbBoundary *boundary, const wbWork *work,
                             wbBoundaryTime time, bool wantsForces, int dummy);
/// Adds accelerations; the forces of the bodies where they are wanted.
void wbSphWallPass_AddForces(wbSphWallPass *walls, wbBoundary *boundary, const wbWork *work,
                             wbBoundaryTime time);

typedef struct wbSphWallCode {
    wbRangeFn *density; ///< lists, and what places add to the sums of density: pass->wallSums; wbSphWallPass
    wbRangeFn *normals; ///< added to the rough normals; wbSphWallPass
    wbRangeFn *places;  ///< extraRecords, over places; wbSphWallPass
    wbRangeFn *forces;  ///< added to the accelerations; wbSphWallPass
    wbRangeFn *bodyForces; ///< over places; wbSphWallPass
    wbRangeFn *weigh;      ///< wbWeighing, of a wbSphModel
} wbSphWallCode;

const wbSphWallCode *wbGetSphWallCode(wbSimd simd);

extern const wbSphWallCode wb_sphWallCode_scalar;
#ifdef __x86_64__
extern const wbSphWallCode wb_sphWallCode_sse, wb_sphWallCode_avx2, wb_sphWallCode_avx512;
#endif
