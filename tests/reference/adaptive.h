// SPDX-License-Identifier: MIT
// The plain truth about position based fluids with particles of different sizes: all pairs, double, plain loops. A particle of
// level l has 2^l times the mass of the smallest, and a support that fits; each pair has one support, the geometric mean.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum refWish { refKeep, refMerge, refSplit } refWish;

typedef struct refAdaptive {
    int dimensions, count, capacity;
    double spacing, smoothing; ///< m, of the smallest particles; support radius in spacings
    int iterations;
    double largest;    ///< answer of the constraints to a wave that the iterations are to damp
    double relaxation; ///< epsilon', of G
    double tension;    ///< k_s of s_corr, in a step of 1/60 s with 4 iterations
    double tensionPoint;
    double viscosity; ///< c of XSPH
    double gravity[3];
    bool closed[6];
    double sideMin[3], sideMax[3]; ///< m
    // of sizes
    double slope,
        band; ///< of the target: radius over distance; the distance, in smallest radii, from which it grows
    double hysteresis; ///< levels
    int topLevel;
    double fade;       ///< steps, in which a rest offset fades
    int relaxations;   ///< after a change
    double mixedShare; ///< of densities above level 0, where sizes are mixed
    // state
    double (*x)[3], (*v)[3];
    int *level;
    double *
        offset; ///< of the rest density, which the constraint holds instead: what a change left, and what fades
    double *distance; ///< m, to the surface; 1e30: not known
    uint32_t *id;
    uint32_t *freeIds; ///< of particles that were merged away; the largest is taken first
    int freeCount;
    // computed
    double h, gradientSum;          ///< m, of the smallest; G, 1/m2
    double kernelShare, slopeShare; ///< that make sums on the lattice right
    double flatGradient;            ///< h |grad C| in the first layer of a flat surface
    double *density;                ///< over the rest density, at the last evaluation
    double *gradient;               ///< h |grad C| at the last measurement
    double *lambda,
        *sum; ///< m2: what the last iteration added, and all of the step; over the volume in smallest ones
    double (*p)[3], (*push)[3];
    refWish *wish;
    int *partner; ///< who a particle would merge with; -1: nobody
    int ghostCount, ghostCapacity;
    struct refAdaptiveGhost *ghosts;
    bool *near;
} refAdaptive;

/// Room for `capacity` particles, of which `count` are at the origin, at rest and of level 0, with usual parameters; call
/// refSetUpAdaptive after changing them.
refAdaptive *refCreateAdaptive(int dimensions, int count, int capacity);
void refSetUpAdaptive(refAdaptive *a);
void refDestroyAdaptive(refAdaptive *a);

double refGetMass(int level);                          ///< in smallest ones
double refGetSize(const refAdaptive *a, int level);    ///< m, of the cube that a particle stands for
double refGetSupport(const refAdaptive *a, int level); ///< m
double refGetTargetLevel(const refAdaptive *a, double distance); ///< may be between two levels

/// One undivided step.
void refStepAdaptive(refAdaptive *a, double dt);

/// Parts of an event, which happens where particles are after a step, with the neighbours of the step.
void refMeasure(refAdaptive *a);                   ///< density and gradient
void refFindDistances(refAdaptive *a, int passes); ///< each goes one neighbourhood farther
void refChooseChanges(refAdaptive *a);             ///< wishes and partners
/// Merges and splits, up to `most` particles (0: any number); before[i] is the density over which the constraint pushed, of those that are
/// there then. Gives whether there was any change.
bool refChange(refAdaptive *a, int most, double *before);
void refFindNeighbours(refAdaptive *a); ///< anew, where particles are
void refRelax(refAdaptive *a, const double *before);
void refCarry(refAdaptive *a, const double *before);
/// All of them.
void refEventAdaptive(refAdaptive *a, int passes, int most);
