// SPDX-License-Identifier: MIT
// Surface tension as a stress along the skin (sph_tension_formula.h), for wbSph_Step.
#pragma once

#include "sph/sph_boundary_code.h"

/// One evaluation of it.
typedef struct wbSphTensionPass {
    const wbSphPass *pass;
    const wbSphBoundaryPass *boundary; ///< NULL: no colliders
    SphTension constants;              ///< the model's
    unsigned terms;
    float *
        faceRecords; ///< of ghosts: 1 along the axes that they are mirrored along, and 1; of others 0; NULL: none
    float *skinRecords;   ///< e, and how much a particle belongs to the skin
    float *strengths;     ///< N/m2 per particle, of the stress before normals around and the curvature count
    float *stressRecords; ///< e and N/m2: S = f (I - e e^T - u u^T)
    float *bentRecords;   ///< u; before the curvature counts what of the stress does in any case
    float *baseRecords;   ///< the same of the bases, across n_b; NULL: none
    float *sumRecords[3]; ///< of colliders' points: n_b and cosines; Mxx, Myy, Mzz and weights; Mxy, Mxz, Myz
    float *adhesions;     ///< N/m, per point
} wbSphTensionPass;

/// Whether the tension is a stress, and on.
bool wbSphModel_HasStress(const wbSphModel *model);
/// Fails if the support is too short for it.
wbStatus wbCheckTension(const wbSphParams *params);
/// Pa, of the air that holds the skin together: sigma/h; 0 without the stress.
double wbSphModel_GetAmbient(const wbSphModel *model);
SphTension wbSphModel_MakeTension(const wbSphModel *model);

/// Finds the stress at the present positions; `boundary` is NULL without colliders. False: no memory.
bool wbSphTensionPass_Begin(wbSphTensionPass *tension, const wbSphPass *pass,
                            const wbSphBoundaryPass *boundary);
/// Adds accelerations; where forces on the bodies are wanted, their impulses in dt seconds, after those of the boundary's own pass.
void wbSphTensionPass_AddForces(const wbSphTensionPass *tension, wbBoundaryTime time, float dt);
