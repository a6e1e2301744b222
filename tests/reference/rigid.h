// SPDX-License-Identifier: MIT
// Rigid bodies as particles, plainly: all pairs, double, one loop after another. Numbers of equations are those of the source and of
// T. Harada, GPU Gems 3, chapter 29 (H).
#pragma once

#include <stdbool.h>

typedef struct refRigidBody {
    double x[3], q[4], v[3], w[3]; // q: x, y, z, w
    double mass, inertia[3];       // about the principal axes
    double friction, linearDamping, angularDamping;
    int first, count; // particles
} refRigidBody;

typedef struct refRigidParticle {
    double own[3], radius; // in the body's frame
    double x[3];
    int body;
} refRigidParticle;

typedef struct refSprings {
    double stiffness, damping, shearStiffness, shearDamping, friction;
} refSprings;

typedef enum refIntegrator { refEuler, refVerlet, refLeapfrog, refRungeKutta4 } refIntegrator;

typedef struct refRigid {
    refRigidBody *bodies;
    int bodyCount;
    refRigidParticle *particles;
    int particleCount;
    refSprings *springs; // [bodyCount][bodyCount + 1]: by two bodies; behind them, of one with sides
    double (*shear)[3];  // [particleCount][particleCount + 6]
    double gravity[3], terminalSpeed;
    double sideMin[3], sideMax[3], sideVelocity[6][3];
    bool closed[6];
    refIntegrator integrator;
    // of an evaluation
    double (*force)[3], (*torque)[3];
} refRigid;

refRigid *refCreateRigid(int bodyCount, int particleCount);
void refDestroyRigid(refRigid *rigid);
/// One step of dt seconds in parts.
void refStepRigid(refRigid *rigid, double dt, int subSteps);
