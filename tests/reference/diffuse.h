// SPDX-License-Identifier: MIT
// Where diffuse particles are born and what carries them, as the paper has it: all pairs, double, plain loops.
#pragma once

/// Fluid particles of one size.
typedef struct RefDiffuse {
    int count, dimensions;
    const double (*x)[3], (*v)[3]; ///< m, m/s
    double spacing, radius;        ///< m
    double leastSpeed;             ///< m/s: who is not faster bears none and has no normal
    double leastNormal;            ///< of the normal at a flat surface
} RefDiffuse;

/// Of a particle: speed at which others come near (eq. 2) over the kernel's sum on the lattice, others in reach, its normal.
typedef struct RefPotential {
    double closing, count, normal[3];
} RefPotential;

RefPotential refGetPotential(const RefDiffuse *fluid, int i);
/// Bend of the surface where it moves along its normal (eqs. 4 to 6), over the same sum.
double refGetBend(const RefDiffuse *fluid, int i, double leastFacing);
/// Share of the ball around a point that is fluid, and the fluid's velocity there (eq. 14).
double refSample(const RefDiffuse *fluid, const double p[3], double v[3]);
