// SPDX-License-Identifier: MIT
// What follows from the parameters: masses, kernel factors, limits.
#pragma once

#include "space/domain.h"
#include "space/mirror.h"
#include "sph/sph.h"
#include "sph/sph_constants.h"
#include "wirbel/types.h"

/// What the lattice makes of sums of the split scheme (sph_split_formula.h).
typedef struct wbSphLattice {
    double diagonal; ///< 1/m2, D
    double surface;  ///< 1/m2, |B|2 at a plane
    double nearest;  ///< 1/m, |B| of a particle as near to a plane as it may come
    double depth;    ///< m, by which the density of what is behind a plane grows with |B|
    double lambda;   ///< largest eigenvalue over D
    double swing;    ///< 1/m2: sites under p = rho0 k swing with w2 = 2 k times this at most
} wbSphLattice;

struct wbSphModel {
    wbSphParams params;
    const wbDomain *domain; ///< the world's
    float h;                ///< m, support radius
    float spacing;          ///< m
    SphConstants constants;
    SphTension tension;   ///< with sph.tensionMethod stress
    double mass;          ///< kg, of a site of the undisturbed lattice: rho0 spacing^d
    wbSphLattice lattice; ///< of the method split
    float lightest;       ///< least density of a fluid over the rest density: limits the step; 1 at first
};

/// Fails if a parameter is left to be chosen.
wbStatus wbSphModel_Init(wbSphModel *model, const wbSphParams *params, const wbDomain *domain);
/// Fails if sides are, or will be, nearer to each other than h.
wbStatus wbSphModel_CheckRoom(const wbSphModel *model);

/// The speed of sound, m/s, with which water under the pressure rho0 * head (m2/s2: g times depth, and half the squared
/// speed that a side stops) and its own cohesion is compressed by 1 %.
double wbSphModel_ChooseSoundSpeed(const wbSphParams *params, double head);

static inline bool wbSphModel_IsSplit(const wbSphModel *model) { return model->params.method == wb_sphSplit; }

/// The largest step, s, that the limits of sound, gravity, viscosity and surface tension allow at this highest speed
/// (m/s; colliders count, by wbBoundary_GetTopSpeed) and density. The method split has no sound; its speed is that of most.
float wbSphModel_GetStableStep(const wbSphModel *model, float maxSpeed, float maxDensity);

/// A move of the particles, for the formulas; `domain` is as it will be after it.
SphMove wbSphModel_GetMove(const wbSphModel *model, const wbDomain *domain, float kick, float drift,
                           bool driftsAfterKick);
