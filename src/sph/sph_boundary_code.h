// SPDX-License-Identifier: MIT
// The hot loops over colliders' points, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "sph/sph_code.h"

/// Terms beside SPH_WENDLAND: extra records are read.
enum { SPH_EXTRA = 2 };

/// Colliders in one evaluation of the forces.
typedef struct wbSphBoundaryPass {
    const wbSphPass *pass;
    SphConstants constants; ///< the model's
    wbBoundaryLists near;
    bool isAdhesive, isMean; ///< any body sticks; places have the mean pressure of the particles near them
    float *extraRecords;     ///< per place and a dummy: p/rho2, weight times adhesion, 0, 0
} wbSphBoundaryPass;

/// All that may fail: places the bodies as they are at this time, lists who is near them, and sums what they add to
/// densities: pass->boundarySums.
wbStatus wbSphBoundaryPass_Begin(wbSphBoundaryPass *boundary, wbSphPass *pass, wbBoundaryTime time,
                                 bool wantsForces);
/// Adds accelerations; where forces on the bodies are wanted, their impulses in dt seconds.
void wbSphBoundaryPass_AddForces(const wbSphBoundaryPass *boundary, wbBoundaryTime time, float dt);
/// Adds to the rough normals.
void wbSphBoundaryPass_AddNormals(const wbSphBoundaryPass *boundary);

/// All but the last over lists, of a wbSphBoundaryPass; by kernel, forces also by SPH_EXTRA.
typedef struct wbSphBoundaryCode {
    wbRangeFn *density;    ///< what places add to the sums of density
    wbRangeFn *normals;    ///< added to the rough normals
    wbRangeFn *means;      ///< pressures of places into extraRecords, over places
    wbRangeFn *forces;     ///< added to the accelerations
    wbRangeFn *bodyForces; ///< over places
    wbRangeFn *weigh[2];   ///< wbWeighing, by SPH_WENDLAND
} wbSphBoundaryCode;

WB_DECLARE_CODE(wbSphBoundaryCode, wb_sphBoundaryCode, wbGetSphBoundaryCode)
