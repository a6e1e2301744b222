// SPDX-License-Identifier: MIT
// What follows from the parameters of a position based fluid.
#pragma once

#include "pbd/pbf_adaptive.h"
#include "pbd/pbf_constants.h"
#include "space/domain.h"
#include "space/mirror.h"
#include "wirbel/types.h"

typedef struct wbPbfModel {
    wbPbfParams params;
    const wbDomain *domain; ///< the world's
    float h;                ///< m, support radius
    double mass;            ///< kg, that of a lattice site at the rest density
    double kernelShare,
        gradientShare; ///< 1, m: of the kernel and its slope, so that their sums on the lattice are right
    double mixedShare, mixedGradientShare; ///< of poly6 and spiky's slope, likewise
    double gradientSum;                    ///< G, 1/m2: sum of squared gradients of C on the lattice
    double stiffestWave;                   ///< of the lattice: by how much the constraints answer to it
    double middleWave, spread2;            ///< of the sweep of iterations: the answers it damps, see setSweep
    double gain;    ///< of the sweep: by how much it answers to long waves, over what the constraints do
    float contrast; ///< of the heaviest fluid's rest density to the lightest's, of those that the solver has
    PbfConstants constants;
    wbAdaptiveParams adaptive; ///< those of the params
    PbfLevels levels;
} wbPbfModel;

/// Whether particles may be of different sizes.
static inline bool wbPbfModel_IsAdaptive(const wbPbfModel *model) {
    return model->adaptive.method != wb_adaptiveOff;
}

/// Whether there is gravity.
bool wbPbfModel_HasWeight(const wbPbfModel *model);

/// Fails if sides are, or will be, nearer to each other than h.
wbStatus wbPbfModel_Init(wbPbfModel *model, const wbPbfParams *params, const wbDomain *domain);

/// Densities of particles above level 0 are by so much greater than their sums: where sizes are mixed, particles of different size keep farther apart,
/// by the mean of their sizes, than the mean of their supports allows for, and sums are less than on a lattice of one size. With it settled pools of 23 to
/// 50 layers stand at 0.983 to 1.005 of their height at spacings of 1 cm, 10 cm and 1 m, uniform ones at 0.980 to 0.988.
double wbGetMixedShare(int dimensions);

/// Most sub-steps of a step that the fluid's speed asks for; beyond, steps become shorter.
enum { WB_PBF_MOST_SUB_STEPS = 10000, WB_PBF_FAST_SUB_STEPS = 8 };

/// The longest sub-step, s, of water with this head (m2/s2, gravity times depth) and highest speed (m/s; colliders count): 1/60 s,
/// 0.8 h of the fastest particle's way, a fall of 0.2 spacings, and as much as lets water sink by 0.15 spacings, or 0.6 %.
float wbPbfModel_GetSubStep(const wbPbfModel *model, double head, float maxSpeed);
/// Of a step of dt seconds: what the parameter says, or if it is auto, as many as that asks for.
int wbPbfModel_CountSubSteps(const wbPbfModel *model, float dt, double head, float maxSpeed);
/// The largest step, s: 1/60 s, or as long as its sub-steps may be; in fast water a whole number of them.
float wbPbfModel_GetStableStep(const wbPbfModel *model, double head, float maxSpeed);
/// The length, s, of the sub-step that the stiffness of the next one, of dt, is to be of; `before` is that of the last.
float wbPbfModel_GetSoftStep(const wbPbfModel *model, float before, float dt, double head, float maxSpeed);

PbfMove wbPbfModel_GetMove(const wbPbfModel *model, const wbDomain *domain, float dt, float softStep);
/// Iterations come in their order, from 0 on.
void wbPbfModel_SetIteration(const wbPbfModel *model, int iteration, PbfMove *move);
