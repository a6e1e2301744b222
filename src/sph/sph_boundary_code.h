// SPDX-License-Identifier: MIT
// The hot loops over colliders' points, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "space/boundary.h"
#include "sph/sph_code.h"

/// Colliders in one evaluation of the forces.
typedef struct wbSphBoundaryPass {
    const wbSphPass *pass;
    const wbBoundary *boundary;
    bool isAdhesive, isMean; ///< any body sticks; places have the mean pressure of the particles near them
    wbListTask lists;        ///< particle -> places
    const wbNeighbours *bodyNeighbours; ///< place -> particles; NULL: not wanted
    float *extraRecords;                ///< per place and a dummy: p/rho2, weight times adhesion, 0, 0
    float *fx, *fy, *fz;                ///< N, at all places; NULL: not wanted
} wbSphBoundaryPass;

/// All that may fail: places the bodies as they are at this time, lists who is near them, and sums what they add to
/// densities. `dummy` is that of the particles' records.
wbStatus wbSphBoundaryPass_Begin(wbSphBoundaryPass *walls, wbSphPass *pass, wbBoundary *boundary,
                                 const wbWork *work, wbBoundaryTime time, bool wantsForces, int dummy);
/// Adds accelerations; the forces of the bodies where they are wanted.
void wbSphBoundaryPass_AddForces(wbSphBoundaryPass *walls, wbBoundary *boundary, const wbWork *work,
                                 wbBoundaryTime time);

typedef struct wbSphBoundaryCode {
    wbRangeFn *
        density; ///< lists, and what places add to the sums of density: pass->boundarySums; wbSphBoundaryPass
    wbRangeFn *normals;    ///< added to the rough normals; wbSphBoundaryPass
    wbRangeFn *places;     ///< extraRecords, over places; wbSphBoundaryPass
    wbRangeFn *forces;     ///< added to the accelerations; wbSphBoundaryPass
    wbRangeFn *bodyForces; ///< over places; wbSphBoundaryPass
    wbRangeFn *weigh;      ///< wbWeighing, of a wbSphModel
} wbSphBoundaryCode;

const wbSphBoundaryCode *wbGetSphBoundaryCode(wbSimd simd);

WB_DECLARE_CODE(wbSphBoundaryCode, wb_sphBoundaryCode);
