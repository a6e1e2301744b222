// SPDX-License-Identifier: MIT
// What follows from the parameters of a position based fluid.
#pragma once

#include "pbd/pbf_constants.h"
#include "space/mirror.h"
#include "wirbel/types.h"

typedef struct wbPbfModel {
    wbPbfParams params;
    int dimensions;
    wbVec3 gravity;
    wbDomainDef domain;
    wbBox box;          ///< in 2D z is open
    float h;            ///< m, support radius
    double mass;        ///< kg: the undisturbed lattice has exactly the rest density
    double slope;       ///< what pairs make of a pressure's slope on the lattice, of what it is
    double gradientSum; ///< G, 1/m2: sum of squared gradients of C on the lattice
    double
        stiffestWave; ///< of the lattice: by how much an iteration answers to it with omega = 1 in the paper's way
    PbfConstants constants;
} wbPbfModel;

/// Fails if walls are nearer to each other than h.
wbStatus wbPbfModel_Init(wbPbfModel *model, const wbPbfParams *params, const wbDomainDef *domain,
                         wbVec3 gravity, int dimensions);

/// The largest step, s, at this highest speed (m/s; solids count): a sixtieth of a second, and no more than 0.8 h of the
/// fastest particle's way in a sub-step.
float wbPbfModel_GetStableStep(const wbPbfModel *model, float maxSpeed);

PbfMove wbPbfModel_GetMove(const wbPbfModel *model, float dt);
