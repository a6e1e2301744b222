// SPDX-License-Identifier: MIT
// The hot loops of this solver, once per instruction set, as ranges of particles for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "space/mirror.h"
#include "sph/sph.h"
#include "sph/sph_model.h"

/// Terms of passes over neighbours, for wbListPass.
enum { SPH_WENDLAND = 1, SPH_SURFACE = 2, SPH_ARTIFICIAL = 4, SPH_MIXED = 8 };

/// One evaluation of the forces: what its passes read and write.
typedef struct wbSphPass {
    wbSph *sph;
    const wbSphModel *model;
    SphConstants constants; ///< the model's
    const wbFluidStep *fluid;
    wbListTask lists;
    float *positionRecords; ///< x, y, z, 1/rho; the dummy is far away
    float *velocityRecords; ///< vx, vy, vz, p/rho2, where p has the bulk viscosity in it
    float *normalRecords;   ///< nx, ny, nz, 0: inwards at surfaces; NULL without surface tension
    float *roughRecords;    ///< nx, ny, nz, 0, before they are smoothed
    float *
        boundarySums; ///< what colliders add to the sums of density, without their factor; NULL: no colliders
    const float *relative; ///< densities of the fluids over the reference's; NULL: all 1
    float *roots;          ///< of their impedances, numbers; NULL likewise
    float *ax, *ay, *az;   ///< m/s2 of the reference fluid, without gravity
    float inverseTime;     ///< 1/s since the densities were summed before; 0: never
} wbSphPass;

/// A fused update of velocity and position, then the sides.
typedef struct wbSphMove {
    wbSph *sph;
    SphMove move;
    const float *ax, *ay, *az;
    const float *relative; ///< densities of the fluids over the reference's; NULL: all 1
    const float *startVx, *startVy,
        *startVz;       ///< velocity that is kicked: of the step's start (leapfrog), or the own
    float (*maxima)[2]; ///< of wbFluidStep
} wbSphMove;

typedef struct wbSphCode {
    wbRangeFn *roots;     ///< of impedances, from relative densities; wbSphPass
    wbRangeFn *density;   ///< neighbour lists, density and pressure; writes the particles' records; wbSphPass
    wbRangeFn *sums;      ///< density and pressure of lists that are there, by records of places; by kernel
    wbRangeFn *ghosts;    ///< records of the ghosts, over ghosts; wbSphPass
    wbRangeFn *normals;   ///< surface normals, over lists; by kernel
    wbRangeFn *smooth;    ///< surface normals from rough ones, over lists; by kernel
    wbRangeFn *forces;    ///< accelerations, over lists; by all terms
    wbRangeFn *integrate; ///< wbSphMove
} wbSphCode;

WB_DECLARE_CODE(wbSphCode, wb_sphCode, wbGetSphCode)
