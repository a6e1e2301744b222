// SPDX-License-Identifier: MIT
// The plain truth about particles near sheets: all pairs, double, plain loops.
#pragma once

#include <stdbool.h>

typedef struct refSheets {
    int count; ///< of triangles and balls
    const int (*corners)[3];
    const double *radii;             ///< m; 0: a triangle
    double (*starts)[3], (*ends)[3]; ///< m, of nodes
    double h, spacing;
    bool (*rims)[8]; ///< by which corners a place is between, as bits: whether it is on a rim
} refSheets;

typedef struct refFoot {
    int element;
    double place[3]; ///< the closest point
    double normal[3], distance, share;
    double length,
        angle;     ///< m, from that point; of the wedge behind the sheet that it hides: pi away from rims
    bool isBeyond; ///< a rim
} refFoot;

/// Fills `rims`.
void refFindRims(refSheets *sheets);
/// Up to three feet of a particle that began at `start`; `isDoubtful`: a little error would choose others.
int refFindFeet(const refSheets *sheets, const double start[3], const double place[3], refFoot feet[3],
                bool *isDoubtful);
/// The side of the triangle that is nearest to where a particle began; 0: beyond a rim, or farther than `reach`.
int refFindSide(const refSheets *sheets, const double start[3], double reach, bool *isDoubtful);
/// Whether a triangle is between two places at the beginning. `isDoubtful`: one ends near by.
bool refIsBetween(const refSheets *sheets, const double a[3], const double b[3], bool *isDoubtful);
/// Whether a particle that goes evenly from one place to another goes through a triangle, by more than a hair.
bool refGoesThrough(const refSheets *sheets, const double from[3], const double to[3]);
/// Sums over lattice sites behind a plane at a distance, in spacings: of (1 - r2/h2)^3, and of (1 - r/h)^2 along the normal.
void refSumHalfSpace(double h, double distance, double *density, double *gradient);
