// SPDX-License-Identifier: MIT
// The plain truth about smoke: a staggered grid, double, plain loops. The fast solver is tested against it.
#pragma once

#include <stdint.h>

#include "smoke/smoke_def.h"

enum { refDensity = 3, refTemperature = 4, refFuel = 5, refFields = 6 };

/// Fields 0 to 2 are the velocity at the faces across x, y and z, the others stand at cell centres. Cell (i, j, k)
/// is i + nx (j + ny k); the faces of axis a have one more along a. In 2D there is one layer and no z velocity.
typedef struct refSmoke {
    int dimensions, n[3];
    double h; ///< m
    wbSmokeParams params;
    wbSideDef sides[wb_sideCount];
    wbVec3 origin;
    double up[3];   ///< against gravity; 0 without
    uint8_t *solid; ///< per cell: 0, or 1 + number of its body
    wbSmokeBody bodies[4];
    double *field[refFields];
    double *pressure;
    int turned;          ///< 1: smoke flows along the axes in the opposite order next
    double pressureStep; ///< s, of the step that it is of
    double *
        half[3]; ///< of the acceleration, times dt, while velocities are carried by scheme reflect; else NULL
    double divergenceBefore, divergence; ///< 1/s, root mean square over fluid cells, of the last projection
    double nearest;                      ///< K, that a cell with fuel came to ignition, at its nearest
    double massRatio;                    ///< of the last step: density that advection left, over that before
} refSmoke;

/// A volume at rest and without smoke.
refSmoke *refCreateSmoke(int dimensions, int nx, int ny, int nz, double h);
void refDestroySmoke(refSmoke *smoke);

/// Where a value stands in its field.
int refIndex(const refSmoke *smoke, int field, int i, int j, int k);
/// How many values a field has along an axis.
int refCount(const refSmoke *smoke, int field, int axis);

/// The phases of a step, and all in their order.
void refAdvect(refSmoke *smoke, double dt);         ///< all but velocities
void refAdvectVelocity(refSmoke *smoke, double dt); ///< after all that changes the smoke
void refFeed(refSmoke *smoke, const wbSmokeSource *sources, int count, double time, double dt); ///< the rest
void refBlow(refSmoke *smoke, const wbSmokeSource *sources, int count, double time, double dt); ///< velocity
void refAccelerate(refSmoke *smoke, double dt);
void refSetClosedFaces(refSmoke *smoke);
void refSlowInflow(refSmoke *smoke, double dt);
void refDiffuse(refSmoke *smoke, double dt);
void refBurn(refSmoke *smoke, double dt);
void refConduct(refSmoke *smoke, double dt);
void refProject(refSmoke *smoke, const wbSmokeSource *sources, int count, double time);
void refStepSmoke(refSmoke *smoke, const wbSmokeSource *sources, int count, double time, double dt);
