// SPDX-License-Identifier: MIT
// The plain truth about position based fluids: all pairs, double, plain loops.
#pragma once

#include <stdbool.h>

#include "reference/pbd.h"

typedef struct refPbf {
    int dimensions, count;
    double spacing, smoothing; ///< m; support radius in spacings
    double restDensity;        ///< kg/m3
    int iterations, subSteps;
    refPbdSolver solver;
    double turnStep; ///< Gauss-Seidel: of what a constraint wants
    const int *
        order; ///< Gauss-Seidel: `count` particles, whose constraints follow each other, forth and back in turn
    bool verlet;
    bool equality;       ///< the density is held, not only kept from rising
    double largest;      ///< answer of the constraints to a wave that the iterations are to damp
    double relaxation;   ///< epsilon', of G
    double tension;      ///< k_s of s_corr, in a step of 1/60 s with 4 iterations
    double tensionPoint; ///< delta q, in h
    double viscosity;    ///< c of XSPH
    double vorticity;    ///< m/s, epsilon of the confinement
    double gravity[3];
    bool isMixed; ///< with the kernels of particles of different sizes
    bool closed[6];
    double sideMin[3], sideMax[3]; ///< m
    double (*x)[3];                ///< m
    double (*v)[3];                ///< m/s
    double *relative;  ///< rest density of the particle's fluid over that of the parameters; 1 at first
    double previousDt; ///< s; 0 before the first sub-step
    // computed
    double h, mass, gradientSum;    ///< m; kg; G, 1/m2
    double kernelShare, slopeShare; ///< that make sums on the lattice right
    double *density; ///< kg/m3, as if of the parameters' fluid, at the last evaluation of lambda
    double *
        lowest; ///< relative density near a particle, faded out before h, which the constraints are as stiff as
    double *lambda, *sum; ///< m2, what the last iteration added, and all of the sub-step
    double (*p)[3], (*push)[3], (*spin)[3];
    int ghostCount, ghostCapacity;
    struct refPbfGhost *ghosts; ///< particles mirrored behind closed sides
    bool *near;                 ///< [count][count + ghostCount]: neighbours, found once a sub-step
} refPbf;

/// G, 1/m2: the sum over neighbours on the lattice of |m/rho0 grad W|2 of particles of one size; the own gradient is 0 there.
double refSumGradients(int dimensions, double spacing, double h);
/// `count` particles at the origin, at rest, with usual parameters; call refSetUpPbf after changing them.
refPbf *refCreatePbf(int dimensions, int count);
void refSetUpPbf(refPbf *pbf);
void refDestroyPbf(refPbf *pbf);

void refStepPbf(refPbf *pbf, double dt);
