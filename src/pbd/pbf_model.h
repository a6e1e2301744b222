// SPDX-License-Identifier: MIT
// What follows from the parameters of a position based fluid.
#pragma once

#include "pbd/pbd_params.h"
#include "pbd/pbf_constants.h"
#include "space/mirror.h"
#include "wirbel/types.h"

typedef struct wbPbfModel {
    wbPbfParams params;
    int dimensions;
    wbVec3 gravity;
    wbBox box;          ///< in 2D z is open
    float h;            ///< m, support radius
    double mass;        ///< kg: the undisturbed lattice has exactly the rest density
    double gradientSum; ///< G, 1/m2: sum of squared gradients of C on the lattice
    double
        stiffestWave; ///< of the lattice: by how much an iteration answers to it with omega = 1 in the paper's way
    PbfConstants constants;
} wbPbfModel;

/// Sides other than open ones are free-slip walls. Fails if walls are nearer to each other than h.
wbStatus wbPbfModel_Init(wbPbfModel *model, const wbPbfParams *params, const wbDomainDef *domain,
                         wbVec3 gravity, int dimensions);

PbfMove wbPbfModel_GetMove(const wbPbfModel *model, float dt);
