// SPDX-License-Identifier: MIT
// Numbers that the formulas of sph_formula.h need, computed from the parameters (sph_model.c): the same structs in C
// and in OpenCL C.
#pragma once

#include "space/space_device.h"

typedef struct SphConstants {
    float h2;            ///< m2, squared support radius
    float inverseH;      ///< 1/m
    float tiny;          ///< m2, keeps 1/r finite where particles coincide
    float densityScale;  ///< kg/m3, particle mass times the kernel's factor
    float gradientScale; ///< particle mass times the gradient's factor: m F = gradientScale * (function of s)
    float laplacianScale;  ///< mu times mass times the factor of the Laplacian
    float artificialScale; ///< m2/s, 2 alpha c l, with [M92]'s smoothing length l = h/2
    float artificialFloor; ///< m2, 0.01 l2
    float bulkScale;       ///< m2/s, beta c h
    float restDensity;     ///< kg/m3
    float inverseRestDensity;
    float stiffness;      ///< Pa: rho0 c2 / 7 (Tait) or rho0 c2 (linear)
    float minPressure;    ///< Pa: 0, or no limit
    float ambient;        ///< Pa, of the air: pressures are counted from it; 0 unless the tension is a stress
    float normalScale;    ///< particle mass times h times the factor of the normals' gradient
    float cohesionScale;  ///< m/s2, of the spline c without its factor, and of 2 rho0 / (rho_i + rho_j)
    float curvatureScale; ///< m/s2, of the difference of normals, likewise
    float boundaryShare;  ///< how often a particle's own p/rho2 counts against a collider: 2 (mirrored) or 1
    float adhesionScale;  ///< m/kg, of the spline of adhesion: times N/m it is an acceleration
} SphConstants;

/// Numbers that the formulas of sph_tension_formula.h need (sph_tension.c).
typedef struct SphTension {
    float inverseH;    ///< 1/m
    float tinyWay;     ///< m2, keeps 1/r finite where particles coincide
    float tinyNormal;  ///< 1/m2, keeps 1/|n| finite inside
    float normalScale; ///< 1/m2, V times the factor of Wendland's gradient
    float momentScale; ///< 1/m2, V times the factor of F
    float pullScale;   ///< m/kg, the same over the rest density: times a stress it is an acceleration
    float skinScale;   ///< m: the skin begins at |n| = 1 over it, and is whole at 2 over it
    float meanScale;   ///< how much mean normals count begins at 1 over it, and is all at 2 over it
    float share;       ///< 1 over the dimensions of the skin
    float twice;       ///< N/m, 2 sigma
    float offset;      ///< m, by which curvature shortens radii
    float isSpace;     ///< 1 in 3D, 0 in 2D
    float sideCosine;  ///< of the contact angle at sides
} SphTension;

/// How to move: v' = start + kick (a + g), x' = x + drift v (or v'), then the sides.
typedef struct SphMove {
    float kick, drift;   ///< s
    int driftsAfterKick; ///< by v' instead of v
    float restitution;
    SpaceRoom room;
    float lowSpeed[3], highSpeed[3]; ///< m/s, of the sides there
} SphMove;
