// SPDX-License-Identifier: MIT
// How many particles and pairs of neighbours an adaptive fluid has, by theory: a ball of fluid at rest around the origin, in which
// particles are as large as their distance to the surface allows. After L. Geyer, Adaptive Sampling in
// Position-Based Fluids, TU Wien 2022, chapter 6, whose equations are named below; in one, two and three dimensions. Lengths are in
// radii of the finest particle.
#pragma once

#include "wirbel/params.h"

typedef enum wbAdaptiveTheoryKind {
    wb_theoryThesis, ///< the source's streamlined variant: h = max(a b, k), r = max(a b / (k + k a), 1); neighbours within h of one
    wb_theoryLevels, ///< r = 1 + slope max(0, b - band), to the nearest power of two of the mass, h = k r; neighbours within the geometric mean of both h
} wbAdaptiveTheoryKind;

typedef struct wbAdaptiveTheory {
    wbAdaptiveTheoryKind kind;
    int dimensions; ///< 1, 2, 3
    double radius;  ///< of the fluid
    double width;   ///< k: support of a kernel by the particle's radius
    double slope;   ///< a; 0: all particles are of the finest size
    double band;    ///< levels: depth down to which all are
} wbAdaptiveTheory;

/// The thesis' values for a number of dimensions: k = 4 and its fixed slope.
wbAdaptiveTheory wbMakeThesisTheory(int dimensions, double radius);
/// The slope, band and kernels of the parameters.
wbAdaptiveTheory wbMakeLevelsTheory(const wbPbfParams *params, int dimensions, double radius);

/// At a distance x from the centre; beyond the surface particles go on as the finest: radius of a particle, support of its kernel, particles
/// per volume (6.4, 6.8, 6.12), neighbours of one (6.5, 6.9, 6.13).
double wbTheory_GetRadius(const wbAdaptiveTheory *theory, double x);
double wbTheory_GetSupport(const wbAdaptiveTheory *theory, double x);
double wbTheory_GetDensity(const wbAdaptiveTheory *theory, double x);
double wbTheory_CountNeighbours(const wbAdaptiveTheory *theory, double x);

/// Of the whole fluid: particles, and pairs i to j (6.7, 6.11, 6.15).
double wbTheory_CountParticles(const wbAdaptiveTheory *theory);
double wbTheory_CountPairs(const wbAdaptiveTheory *theory);

/// The slope with the fewest pairs; 0 if none has fewer than particles of one size.
double wbTheory_FindBestSlope(wbAdaptiveTheory theory);
/// The smallest fluid that has fewer pairs than one of particles of one size.
double wbTheory_FindLeastRadius(wbAdaptiveTheory theory);
