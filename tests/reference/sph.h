// SPDX-License-Identifier: MIT
// The plain truth about SPH: all pairs, double, plain loops. The fast solver is tested against it.
#pragma once

#include "wirbel/types.h"

/// Kernels as functions of the distance r, with support radius h, in `d` dimensions; 0 from r = h on.
/// A slope is dW/dr / r, so that the gradient is slope * (x_i - x_j) without a division by zero at r = 0.
double refPoly6(int d, double h, double r);
double refWendland(int d, double h, double r);
double refWendlandSlope(int d, double h, double r);
double refSpikySlope(int d, double h, double r);
/// Of position based fluids: (1 - q)^3 (1 + q/3).
double refBlunt(int d, double h, double r);
double refBluntSlope(int d, double h, double r);
/// What multiplies m / rho_j (v_j - v_i) in the viscosity sum: Laplacian of the viscosity kernel (muller), or
/// -2 dW/dr / r (wendland; Brookshaw 1985, Morris, Fox and Zhu 1997).
double refViscosityWeight(wbKernel kernel, int d, double h, double r);
double refPoly6Slope(int d, double h, double r);
/// The spline of cohesion: positive attracts.
double refCohesion(int d, double h, double r);

/// The spline of adhesion (Akinci, Akinci and Teschner 2013, eq. 7) without its factor, as a function of r/h.
double refAdhesion(double h, double r);

/// A point of a collider's boundary.
typedef struct refBoundaryPoint {
    double x[3], v[3]; ///< m, m/s
    double psi;        ///< kg, what it weighs in sums
    bool noSlip;
    double adhesion; ///< N/m, work per area that parts fluid and collider
    double f[3];     ///< N, what the particles do to it: computed
} refBoundaryPoint;

/// A particle mirrored behind closed sides.
typedef struct refGhost {
    double x[3], v[3];
    double sign[3]; ///< of a normal's components
    int original;
} refGhost;

/// Particles, 3 coordinates each; in 2D z stays 0. The fields above the line may be changed between steps.
typedef struct refSph {
    int dimensions;
    int count;
    wbSphParams params;
    wbDomainDef domain;
    double gravity[3];
    double (*x)[3];   ///< m
    double (*v)[3];   ///< m/s
    double *relative; ///< rest density of the particle's fluid over that of the parameters; 1 at first
    int boundaryCount;
    refBoundaryPoint *boundary; ///< of the caller
    /// Puts the boundary points where they are at a fraction 0 … 1 of the step; NULL: they stay
    void (*placeBoundary)(struct refSph *sph, double fraction, void *context);
    void *placeContext;
    bool hasNoPressure; ///< all forces but pressure are evaluated
    // computed
    double h;               ///< m, support radius
    double mass;            ///< kg, of the rest density in a site of the lattice
    double kernelFactor;    ///< that the kernel of densities is divided by
    double gradientFactor;  ///< that the pressure gradient is divided by
    double viscosityFactor; ///< that the viscosity weight is divided by
    double normalFactor;    ///< that the gradient for normals is divided by
    double cohesion;        ///< gamma_s, N m3/kg2 (3D)
    double curvature;       ///< gamma_s of the difference of normals, m/s2
    double (*a)[3];         ///< m/s2
    double *density;  ///< kg/m3, as if of the parameters' fluid; the rest density before the first evaluation
    double *pressure; ///< Pa, of the equation of state
    double *stress;   ///< Pa, with the bulk viscosity: what accelerates
    double (*normal)[3];    ///< of surfaces, inwards
    double sinceEvaluation; ///< s that positions have moved since the densities were summed; 0: never summed
    int ghostCount, ghostCapacity;
    refGhost *ghosts;
} refSph;

/// Surface tension as a stress along the skin, sph_tension.c: whether it is on, what the air presses with (Pa), and what it adds to
/// accelerations and to the forces on boundary points.
bool refHasStress(const refSph *sph);
double refAmbient(const refSph *sph);
void refAddTension(refSph *sph);

/// `count` particles at the origin, at rest, with dimensions, gravity, domain and parameters of the def.
refSph *refCreateSph(const wbWorldDef *def, int count);
void refDestroySph(refSph *sph);

/// Density, pressure and acceleration at the present positions and velocities.
void refEvaluateSph(refSph *sph);
/// dW/dr / r of the gradients of pressure, which are calibrated on the lattice.
double refGetSlope(const refSph *sph, double r);
/// Puts the boundary points where they are at a fraction of the step.
void refPlaceBoundary(refSph *sph, double fraction);
/// The last line of closed sides.
void refClampToSides(const refSph *sph, double x[3], double v[3]);
/// One step with the integrator of the parameters.
void refStepSph(refSph *sph, double dt);
