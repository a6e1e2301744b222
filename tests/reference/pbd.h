// SPDX-License-Identifier: MIT
// The plain truth about position based bodies: double, plain loops, constraints one after another.
#pragma once

#include <stdbool.h>

typedef enum refPbdSolver { refGaussSeidel, refJacobiParticles, refJacobiConstraints } refPbdSolver;

/// C = |sum k x| - rest over 2 or 4 particles, held at 0, or at C >= 0 or C <= 0 only. A distance has k = 1, -1.
typedef enum refPbdKind { refKeepDistance, refAtLeast, refAtMost } refPbdKind;

typedef struct refConstraint {
    int count, particles[4];
    double k[4];
    double rest;       ///< m
    double stiffness;  ///< PBD: share of the error that one projection takes away, 0 to 1
    double compliance; ///< XPBD: m/N
    refPbdKind kind;
    double lambda; ///< XPBD: N s2, of the present sub-step
} refConstraint;

typedef struct refPbd {
    int count, constraintCount;
    double (*x)[3];             ///< m
    double (*v)[3];             ///< m/s
    double *w;                  ///< 1/kg; 0: pinned
    int *body;                  ///< particles of different bodies touch each other
    refConstraint *constraints; ///< in the order in which Gauss-Seidel takes them
    refPbdSolver solver;
    bool xpbd, verlet, bdf2;
    int iterations, subSteps;
    double omega;   ///< over-relaxation of the Jacobis
    double damping; ///< share of each correction that is left out, 0 to 1
    double drag;    ///< 1/s, of velocities
    double gravity[3];
    double radius;                 ///< m, of particles at sides and at each other; 0: bodies do not touch
    double friction;               ///< Coulomb's coefficient
    double sideMin[3], sideMax[3]; ///< m; of a closed box
    double sideVelocity[6][3];     ///< m/s: min x, max x, min y, …
    double previousDt;             ///< s; 0 before the first sub-step
    // BDF2: of the last sub-step
    double (*way)[3], (*before)[3]; ///< m, that particles went; m/s, their velocities before it
    double *acceleration2;          ///< m2/s4
    double *bank;                   ///< J, by the number of the body
    // scratch
    double (*p)[3], (*push)[3];
    int *touches; ///< constraints, then contacts, of each particle
} refPbd;

refPbd *refCreatePbd(int count, int constraintCount);
void refDestroyPbd(refPbd *pbd);

/// Advances by dt seconds in sub-steps.
void refStepPbd(refPbd *pbd, double dt);
