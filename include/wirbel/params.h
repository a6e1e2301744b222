// SPDX-License-Identifier: MIT
// The parameters of worlds and solvers, each declared once. A table row fills the struct, its defaults, JSON
// scenes, `--set`, the schema and the printed reference.
//
// Rows:  F(field, default, min, max, unit, live, sentence)            float
//        A(field, default, min, max, unit, live, sentence)            float or "auto"; with min 1 a count
//        I(field, default, min, max, unit, live, sentence)            int
//        B(field, default, live, sentence)                            bool
//        E(field, enum type, default, "name|name", live, sentence)    enum; the names stand for 0, 1, …
//        V(field, x, y, z, min, max, unit, live, sentence)            vector
//        S(field, width, height, min, max, unit, live, sentence)      picture size
// live: 1 if it may change while the world runs, 0 if it is fixed when the world is made, 2 if it may change and its
// "auto" is a number that a world chooses once, from its state.
#pragma once

#include "wirbel/base.h"
#include "wirbel/math.h"

WB_API_BEGIN

typedef enum wbBackend { wb_backendCpu, wb_backendOpencl } wbBackend;

// clang-format off
#define WB_WORLD_PARAMS(F, A, I, B, E, V, S)                                                                 \
    I(dimensions, 3, 2, 3, "", 0, "2: everything lies in the plane z = 0; 3: space")                         \
    V(gravity, 0, -9.81f, 0, -1e4f, 1e4f, "m/s2", 1, "acceleration of everything that moves")                \
    A(dt, 0, 1e-9f, 10, "s", 1, "time step of all solvers; auto: a part of a frame, 1/60 s at most, in sub-steps that each solver chooses")     \
    F(seconds, 10, 0, 1e9f, "s", 1, "simulated time after which a run ends")                                 \
    I(seed, 1, 0, 2147483647, "", 0, "start of the pseudo-random numbers (jitter of blocks)")                \
    I(maxParticles, 2147482623, 0, 2147482623, "", 1, "emitters wait while there are so many particles")       \
    F(memoryLimit, 8e9f, 1e6f, 1e15f, "bytes", 1, "a world that needs more stops with an error")             \
    E(backend, wbBackend, wb_backendCpu, "cpu|opencl", 1,                                                    \
      "what computes: the processor's cores, or a compute device through OpenCL")                            \
    I(device, -1, -1, 255, "", 1,                                                                            \
      "which compute device, as wirbel info counts them; -1: the first GPU, else the first of all")

typedef enum wbKernel { wb_kernelMuller, wb_kernelWendland } wbKernel;
typedef enum wbEquation { wb_equationLinear, wb_equationTait } wbEquation;
typedef enum wbTensionMethod { wb_tensionCohesion, wb_tensionStress } wbTensionMethod;
typedef enum wbBoundaryPressure { wb_boundaryMean, wb_boundaryMirrored, wb_boundaryPlain } wbBoundaryPressure;
typedef enum wbIntegrator { wb_integratorEuler, wb_integratorSymplectic, wb_integratorLeapfrog } wbIntegrator;

typedef enum wbSphMethod { wb_sphExplicit, wb_sphSplit } wbSphMethod;

#define WB_SPH_PARAMS(F, A, I, B, E, V, S)                                                                   \
    F(spacing, 0.02f, 1e-6f, 1e6f, "m", 0,                                                                   \
      "distance of particles on the undisturbed lattice; sets their mass")                                   \
    A(particles, 0, 1, 1e9f, "", 0,                                                                          \
      "of a scene: chooses the spacing so that its blocks hold about so many; auto: the spacing is given")   \
    F(smoothing, 2.1f, 1.1f, 6, "spacings", 1, "support radius h of the kernels")                            \
    E(kernel, wbKernel, wb_kernelWendland, "muller|wendland", 1,                                             \
      "muller: poly6, spiky and viscosity kernel; wendland: Wendland C2 for all sums")                       \
    F(restDensity, 1000, 1e-3f, 1e6f, "kg/m3", 1, "density of the undisturbed fluid")                        \
    E(method, wbSphMethod, wb_sphExplicit, "explicit|split", 1,                                              \
      "explicit: pressure from density, in the short steps of sound; split: volume is kept by solving for pressures, in long steps") \
    F(tolerance, 0.0003f, 1e-6f, 0.1f, "", 1,                                                                \
      "split: mean change of relative density in a step that the pressures may leave over")                  \
    I(minIterations, 2, 1, 10000, "", 1, "split: of the pressures in each sub-step, whatever the tolerance says") \
    I(maxIterations, 100, 1, 10000, "", 1, "split: at most, even if the tolerance is not reached then")       \
    E(equation, wbEquation, wb_equationTait, "linear|tait", 1,                                               \
      "pressure from density: c2 (rho - rho0), or rho0 c2 / 7 ((rho/rho0)^7 - 1)")                           \
    A(soundSpeed, 20, 1e-3f, 1e6f, "m/s", 2,                                                                 \
      "speed of sound c; auto: chosen once for 1 % compression, from the water's height, depth and speed")   \
    B(clampPressure, 1, 1, "no negative pressure: no clumping where the fluid is stretched")                 \
    F(viscosity, 0.001f, 0, 1e6f, "Pa s", 1, "dynamic viscosity mu")                                         \
    F(artificialViscosity, 0.05f, 0, 10, "", 1, "Monaghan's alpha: damps approaching particles")             \
    F(bulkViscosity, 0.3f, 0, 5, "", 1,                                                                      \
      "beta: the pressure gains beta c h drho/dt, so that sound dies out and shear is left alone")           \
    F(surfaceTension, 0, 0, 1e6f, "N/m", 1, "sigma; water and air: 0.073; 0: off and costs nothing")         \
    E(tensionMethod, wbTensionMethod, wb_tensionCohesion, "cohesion|stress", 1,                              \
      "surface tension between particles (Akinci), or as a stress along the skin, with which drops flow as a liquid's; it needs a smoothing of 3") \
    F(contactAngle, 90, 0, 180, "deg", 1,                                                                    \
      "tensionMethod stress: at sides, and at colliders without adhesion; those with one have cos = adhesion / surfaceTension - 1") \
    B(smoothNormals, 0, 1,                                                                                   \
      "tensionMethod cohesion: surface normals are averaged once over neighbours, for less noise")           \
    E(integrator, wbIntegrator, wb_integratorSymplectic, "euler|symplectic|leapfrog", 1,                     \
      "time integration; leapfrog evaluates the forces twice a step")                                        \
    F(sideRestitution, 0, 0, 1, "", 1, "share of the normal speed kept by a particle that hits a side")      \
    E(boundaryPressure, wbBoundaryPressure, wb_boundaryMean, "mean|mirrored|plain", 1,                                   \
      "pressure of a collider's points: mean of the water near them, that of the particle they push, or none")

typedef enum wbPbdSolver { wb_pbdGaussSeidel, wb_pbdJacobiParticles, wb_pbdJacobiConstraints } wbPbdSolver;
typedef enum wbPbfIntegrator { wb_pbfEuler, wb_pbfVerlet } wbPbfIntegrator;
typedef enum wbPbfConstraint { wb_densityInequality, wb_densityEquality } wbPbfConstraint;

#define WB_PBF_PARAMS(F, A, I, B, E, V, S)                                                                   \
    F(spacing, 0.1f, 1e-6f, 1e6f, "m", 0,                                                                    \
      "distance of particles on the undisturbed lattice; sets their mass")                                   \
    F(smoothing, 2, 1.1f, 6, "spacings", 1, "support radius h of the kernels")                               \
    F(restDensity, 1000, 1e-3f, 1e6f, "kg/m3", 1, "density that the constraints hold")                       \
    E(solver, wbPbdSolver, wb_pbdJacobiParticles, "gaussSeidel|jacobiParticles|jacobiConstraints", 1,        \
      "densities held one colour of cells after another, or all at once: summed by particles, or by constraints") \
    E(integrator, wbPbfIntegrator, wb_pbfEuler, "euler|verlet", 1,                                           \
      "time integration; verlet starts with half a kick and allows for unequal steps")                       \
    I(iterations, 6, 1, 10000, "", 1, "of the solver in each sub-step")                                      \
    A(subSteps, 0, 1, 10000, "", 1,                                                                          \
      "parts that a step is cut into; auto: by the water's depth and speed")                                 \
    E(constraint, wbPbfConstraint, wb_densityInequality, "inequality|equality", 1,                           \
      "the density may not rise above the rest density, or not fall below it either")                        \
    F(relaxation, 0.01f, 1e-6f, 10, "", 1,                                                                   \
      "softens the constraints of particles with few neighbours; in units of the lattice's gradients")       \
    F(omega, 1.5f, 0.01f, 4, "", 1,                                                                          \
      "relaxation of the solver; from 2 on the lattice's stiffest wave of density grows with the Jacobis")                    \
    F(tension, 0.03f, 0, 1, "", 1, "artificial pressure between close particles: s_corr's k with 4 iterations of 1/60 s") \
    F(tensionPoint, 0.2f, 0, 0.9f, "h", 1, "distance at which that pressure is counted from")                \
    F(viscosity, 0.005f, 0, 1, "", 1, "XSPH's c: share of the neighbours' velocity that is taken on")         \
    F(vorticity, 0, 0, 1e3f, "m/s", 1, "vorticity confinement; 0: off and costs nothing")

typedef enum wbAdaptiveMethod { wb_adaptiveOff, wb_adaptiveLevels, wb_adaptiveThesis } wbAdaptiveMethod;

/// Position based fluids with particles of different sizes; rows of the section "pbf", as "adaptive.slope".
#define WB_ADAPTIVE_PARAMS(F, A, I, B, E, V, S)                                                              \
    E(method, wbAdaptiveMethod, wb_adaptiveOff, "off|levels|thesis", 0,                                      \
      "off: particles are of one size; levels: they merge in pairs inside and split near the surface; "      \
      "thesis: they have any size, and kernels as wide as their distance to the surface asks for")           \
    F(slope, 0.08f, 0, 1, "", 1, "by how much a particle's radius grows over its distance to the surface")   \
    F(band, 4, 0, 1e4f, "radii", 1, "distance to the surface, in radii of the smallest, from which on it grows") \
    F(hysteresis, 2, 1, 15, "levels", 1, "by how much a particle may be too large before it splits; a level is a factor of two in mass") \
    I(interval, 8, 1, 10000, "frames", 1, "from one look at all particles to the next; a frame is the longest sub-step of shallow water") \
    I(topLevel, 9, 0, 15, "", 1, "of the largest particle, which has 2^level times the mass of the smallest")  \
    I(limit, 0, 0, 2147482623, "", 1, "particles beyond which none splits; 0: any number")                   \
    I(fade, 20, 1, 10000, "frames", 1, "in which what a merge or a split left of the density fades away; without gravity it stays until merges or splits near it")  \
    I(relaxations, 3, 0, 100, "", 1, "iterations after merges and splits, on positions alone, where there is no gravity") \
    B(fills, 1, 0, "particles that are there at the first step are merged before it, at rest, instead of while they move") \
    V(point, 0, 0, 0, -1e9f, 1e9f, "m", 1, "near which particles are small: a camera, say")                  \
    F(pointReach, 0, 0, 1e6f, "m", 1, "from the point, within which they are; beyond, they grow by the slope; 0: off") \
    V(boxMin, 0, 0, 0, -1e9f, 1e9f, "m", 1, "lower corner of a box in which particles are small; beyond, they grow by the slope") \
    V(boxMax, 0, 0, 0, -1e9f, 1e9f, "m", 1, "its upper corner; where it is not above the lower one, there is no box") \
    F(speed, 0, 0, 1e6f, "m/s", 1, "from which on particles are small; below half of it, it does not matter; 0: off") \
    F(nearColliders, 4, 0, 1e4f, "radii", 1, "distance to colliders, cloth and soft bodies within which particles are small; beyond, they grow by 2.5 times the slope; 0: off") \
    F(curl, 0, 0, 1e6f, "1/s", 1, "length of the velocity's curl from which on particles are small; below half of it, it does not matter; 0: off") \
    F(feature, 0, 0, 1, "", 1, "radius over the thickness of the fluid there, at most: thin sheets, necks and drops; 0: off") \
    V(view, 0, 0, 0, -1e9f, 1e9f, "m", 1, "where a camera is: out of its view particles may be larger")      \
    V(viewTarget, 0, 0, 0, -1e9f, 1e9f, "m", 1, "what it looks at, upright")                                 \
    F(viewAngle, 0, 0, 170, "deg", 1, "of its view, from the lowest to the highest that it sees; 0: there is no camera") \
    F(viewAspect, 1.7777778f, 0.01f, 100, "", 1, "width of its picture over the height")                     \
    F(viewFactor, 2, 1, 16, "", 1, "by how much particles may be larger that are out of view, at surfaces too; from its edge on they grow by the slope") \
    A(kernelSlope, 0, 0.001f, 1, "", 1, "thesis: by how much kernels widen over the distance to the surface; auto: 0.4 in 2D, 0.3 in 3D") \
    F(mergeTime, 0.25f, 0.001f, 100, "s", 1, "thesis: in which the mass of a particle goes over into another") \
    B(spreadsKernels, 0, 1, "thesis: kernels are as wide as those of large neighbours, instead of by the distance to the surface") \
    B(losesMomentum, 0, 1, "thesis: merges lose the velocity of the particle that goes, as in the source")   \
    B(movesTargets, 0, 1, "thesis: a particle moves towards what it takes over")                             \
    B(splitsGradually, 0, 1, "thesis: the mass of a new particle goes over to it as in merges, instead of at once")

typedef enum wbEmitterKind { wb_emitterDisc, wb_emitterBlock } wbEmitterKind;
typedef enum wbLattice { wb_latticeSquare, wb_latticeHexagonal } wbLattice;

#define WB_EMITTER_PARAMS(F, A, I, B, E, V, S)                                                               \
    E(kind, wbEmitterKind, wb_emitterDisc, "disc|block", 0,                                                  \
      "disc: the mouth of a pipe; block: a box of water, each time it opens")                                \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 1, "disc: centre of the mouth")                                   \
    V(direction, 1, 0, 0, -1e9f, 1e9f, "", 1, "of the velocity; its length does not matter")                 \
    F(radius, 0.1f, 1e-6f, 1e6f, "m", 1, "disc: of the mouth; in 2D half its width")                         \
    E(lattice, wbLattice, wb_latticeSquare, "square|hexagonal", 1, "disc: places of a layer in 3D")          \
    V(min, 0, 0, 0, -1e9f, 1e9f, "m", 1, "block: lower corner")                                              \
    V(max, 0, 0, 0, -1e9f, 1e9f, "m", 1, "block: upper corner")                                              \
    F(velocity, 1, 0, 1e6f, "m/s", 1, "along the direction")                                                 \
    A(rate, 0, 1e-6f, 1e9f, "1/s", 1, "disc: particles per second at most; auto: layers join without a gap") \
    I(count, 2147483647, 0, 2147483647, "", 1, "particles that it emits at most, ever")                      \
    F(start, 0, 0, 1e9f, "s", 1, "simulated time from which it works")                                       \
    F(end, 1e9f, 0, 1e9f, "s", 1, "simulated time until which it works")                                     \
    B(open, 1, 1, "a closed one keeps what it has")

typedef enum wbDrainRegion { wb_drainInside, wb_drainOutside } wbDrainRegion;

#define WB_DRAIN_PARAMS(F, A, I, B, E, V, S)                                                                 \
    E(region, wbDrainRegion, wb_drainInside, "inside|outside", 1, "what it removes: in the box, or out of it") \
    V(min, 0, 0, 0, -1e9f, 1e9f, "m", 1, "lower corner of the box")                                          \
    V(max, 0, 0, 0, -1e9f, 1e9f, "m", 1, "upper corner of the box")                                          \
    A(rate, 0, 1e-6f, 1e9f, "1/s", 1, "particles per second at most; auto: all, of a pump what its emitter lets out") \
    F(delay, 0, 0, 1e6f, "s", 1, "of a pump: time from the drain to its emitter")                            \
    F(start, 0, 0, 1e9f, "s", 1, "simulated time from which it works")                                       \
    F(end, 1e9f, 0, 1e9f, "s", 1, "simulated time until which it works")                                     \
    B(open, 1, 1, "a closed one removes nothing")

typedef enum wbColliderShape {
    wb_shapeBox, wb_shapeSphere, wb_shapeCylinder, wb_shapeCapsule, wb_shapeTorus, wb_shapePipe, wb_shapeTrough,
    wb_shapeCup, wb_shapeTank, wb_shapeWheel, wb_shapePolygon, wb_shapeMesh
} wbColliderShape;
typedef enum wbSlip { wb_slipFree, wb_slipNone } wbSlip;

#define WB_COLLIDER_PARAMS(F, A, I, B, E, V, S)                                                              \
    E(shape, wbColliderShape, wb_shapeBox,                                                                   \
      "box|sphere|cylinder|capsule|torus|pipe|trough|cup|tank|wheel|polygon|mesh", 0,                      \
      "a collider; pipe and trough follow a path, a polygon is one in 2D, a mesh comes from a file")            \
    B(on, 1, 1, "one that is off is not there: nothing feels it, and pictures do not show it")                \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 1, "of its origin; if it changes, the collider sweeps there, no faster than its speed") \
    V(rotation, 0, 0, 0, -1e6f, 1e6f, "deg", 1, "about x, then y, then z; likewise; in 2D about z only")      \
    A(speed, 0, 1e-6f, 1e6f, "m/s", 1,                                                                       \
      "of its surface at most, where position or rotation change; auto: what the fluids around it bear")     \
    V(size, 1, 1, 1, 1e-4f, 1e4f, "m", 0, "box: edges; tank: of the room inside")                          \
    F(radius, 0.5f, 1e-4f, 1e4f, "m", 0, "sphere, cylinder, capsule, torus, wheel; pipe, cup: of the room inside") \
    F(height, 1, 1e-4f, 1e4f, "m", 0, "cylinder, capsule: along y; trough, cup: of the room inside")         \
    F(width, 1, 1e-4f, 1e4f, "m", 0, "trough: between its walls; wheel: along its axle, z; polygon in 3D: along z")                  \
    F(thickness, 0.1f, 1e-4f, 1e4f, "m", 0, "of walls and paddles; torus: radius of the ring's section")     \
    I(paddles, 8, 1, 64, "", 0, "of a wheel")                                                                \
    F(hub, 0.2f, 0.01f, 0.9f, "", 0, "of a wheel: radius of its hub, as a share of the wheel's")             \
    B(discs, 0, 0, "of a wheel: between two discs")                                                          \
    B(lid, 0, 0, "cup, tank: closed at the top")                                                           \
    F(scale, 1, 1e-6f, 1e6f, "", 0, "of a mesh")                                                             \
    E(slip, wbSlip, wb_slipFree, "freeSlip|noSlip", 1,                                                       \
      "freeSlip: fluid slides along it; noSlip: fluid at it moves with it")                                  \
    F(adhesion, 0, 0, 1e6f, "N/m", 1, "attracts fluid; works without surface tension too")                   \
    V(colour, 0.62f, 0.60f, 0.57f, 0, 1, "", 1, "red, green, blue")                                          \
    F(opacity, 1, 0, 1, "", 1, "less than 1: like glass")                                                    \
    A(temperature, NAN, -1e6f, 1e6f, "K", 1, "with smoke.thermalDiffusivity: held at its surface; auto: it insulates") \
    F(friction, 0.5f, 0, 100, "", 1, "Coulomb's coefficient, mixed with that of a rigid body")               \
    F(restitution, 0, 0, 1, "", 1, "share of the speed with which rigid bodies bounce off, likewise")

typedef enum wbMechanismKind { wb_mechanismGate, wb_mechanismLock, wb_mechanismWheel, wb_mechanismShaker } wbMechanismKind;
typedef enum wbLockGates { wb_lockShut, wb_lockUpper, wb_lockLower } wbLockGates;
typedef enum wbDrive { wb_driveMotor, wb_driveHand, wb_driveFree } wbDrive;

#define WB_MECHANISM_PARAMS(F, A, I, B, E, V, S)                                                             \
    E(kind, wbMechanismKind, wb_mechanismGate, "gate|lock|wheel|shaker", 0,                                  \
      "gate: slides; lock: two gates, never both open; wheel: turns; shaker: swings to and fro")             \
    V(travel, 0, 1, 0, -1e6f, 1e6f, "m", 1, "gate, lock: way from shut to open; shaker: of its swing to one side") \
    F(open, 0, 0, 1, "", 1, "gate: how far it shall be open; where a spring pulls it")                                                \
    E(gates, wbLockGates, wb_lockShut, "shut|upper|lower", 1, "lock: which of its two gates shall be open")  \
    F(duration, 1, 1e-3f, 1e6f, "s", 1, "gate, lock: from shut to open")                                     \
    F(period, 0, 0, 1e6f, "s", 1, "lock: opens its other gate by itself after each of these; 0: never")      \
    V(axis, 0, 0, 1, -1e6f, 1e6f, "", 1, "wheel, shaker: of the turning; its length does not matter")        \
    V(pivot, 0, 0, 0, -1e9f, 1e9f, "m", 1, "wheel, shaker: a point on the axis")                             \
    E(drive, wbDrive, wb_driveMotor, "motor|hand|free", 1,                                                   \
      "wheel: turned at its speed, to its angle, or by the water; gate: free if the water moves it")                                           \
    F(speed, 0, -1e6f, 1e6f, "deg/s", 1, "wheel: of the motor, or at most by hand; shaker: of a turning on top") \
    F(angle, 0, -1e9f, 1e9f, "deg", 1, "wheel: where it shall be by hand; its start; where a spring pulls it")                        \
    F(inertia, 1, 1e-9f, 1e12f, "kg m2", 1, "free wheel: about its axis")                                    \
    F(mass, 0, 0, 1e12f, "kg", 1, "free gate: that slides; free wheel: whose weight pulls at the middle of its parts") \
    F(stiffness, 0, 0, 1e12f, "N m", 1, "free wheel: of a spring, torque per rad; free gate: N/m")           \
    F(friction, 0, 0, 1e12f, "N m s", 1, "free wheel: torque against it per rad/s; free gate: N s/m")        \
    F(load, 0, 0, 1e12f, "N m", 1, "free wheel: torque against it, as of a mill; free gate: N")              \
    F(frequency, 1, 0, 1e6f, "1/s", 1, "shaker: swings per second")                                          \
    F(swing, 0, -1e6f, 1e6f, "deg", 1, "shaker: turn to one side")

typedef enum wbPbdMethod { wb_methodPbd, wb_methodXpbd } wbPbdMethod;
typedef enum wbPbdIntegrator { wb_pbdEuler, wb_pbdVerlet, wb_pbdBdf2 } wbPbdIntegrator;

#define WB_PBD_PARAMS(F, A, I, B, E, V, S)                                                                   \
    E(solver, wbPbdSolver, wb_pbdGaussSeidel, "gaussSeidel|jacobiParticles|jacobiConstraints", 1,            \
      "constraints one colour after another, or all at once: summed by particles, or by constraints")        \
    E(method, wbPbdMethod, wb_methodPbd, "pbd|xpbd", 1,                                                      \
      "pbd: stiffness grows with iterations; xpbd: compliance, which iterations and sub-steps approach")     \
    E(integrator, wbPbdIntegrator, wb_pbdEuler, "euler|verlet|bdf2", 1,                                      \
      "time integration; verlet starts with half a kick; bdf2: of second order, swings go on for longer")     \
    I(iterations, 1, 1, 10000, "", 1, "of the solver in each sub-step; sub-steps do more for the same time") \
    I(subSteps, 5, 1, 10000, "", 1, "parts that a step is cut into: stiffer, and swings go on for longer")    \
    F(omega, 1, 0, 2, "", 1, "over-relaxation of the Jacobi solvers")                                        \
    F(damping, 0, 0, 1, "", 1, "share of each correction that is left out")                                  \
    F(drag, 0, 0, 1e6f, "1/s", 1, "rate at which velocities die away")                                       \
    F(stiffness, 1, 0, 1, "", 1, "pbd: share of the error in a length that one iteration takes away")        \
    F(bendStiffness, 0.5f, 0, 1, "", 1, "pbd: the same for bending")                                         \
    F(compliance, 0, 0, 1e6f, "m/N", 1, "xpbd: inverse spring constant of lengths; 0: rigid")                \
    F(bendCompliance, 0, 0, 1e6f, "m/N", 1, "xpbd: the same for bending")                                    \
    F(radius, 0, 0, 1e6f, "m", 1, "of particles at sides and at other bodies; 0: bodies pass through each other") \
    F(friction, 0.3f, 0, 100, "", 1, "Coulomb's coefficient, at sides and between bodies")

typedef enum wbSoftBodyShape {
    wb_softBodyStick, wb_softBodyCube, wb_softBodySphere, wb_softBodyGrid, wb_softBodyCloth, wb_softBodyRope, wb_softBodyMeshSurface,
    wb_softBodyMeshVolume, wb_softBodyRandom
} wbSoftBodyShape;
typedef enum wbSoftBodyLinks { wb_linksAuto, wb_linksAll, wb_linksDecimated, wb_linksEdges } wbSoftBodyLinks;
typedef enum wbBending { wb_bendingNone, wb_bendingOverTwoEdges, wb_bendingDihedral } wbBending;
typedef enum wbSoftBodyShow { wb_showAuto, wb_showSpheres, wb_showSurface, wb_showLines } wbSoftBodyShow;

#define WB_SOFT_BODY_PARAMS(F, A, I, B, E, V, S)                                                                 \
    E(shape, wbSoftBodyShape, wb_softBodyCube, "stick|cube|sphere|grid|cloth|rope|meshSurface|meshVolume|random", 0, \
      "how its particles stand; those of a mesh are its corners, or a lattice in it")                        \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 0, "of its middle at the start; of a mesh, its origin")           \
    V(rotation, 0, 0, 0, -1e6f, 1e6f, "deg", 0, "at the start: about x, then y, then z")                     \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 0, "at the start")                                              \
    V(size, 1, 1, 1, 1e-4f, 1e6f, "m", 0, "cube, random: edges; cloth: along x and y")                       \
    F(length, 1, 1e-4f, 1e6f, "m", 0, "stick, rope: along x")                                                \
    F(radius, 0.5f, 1e-4f, 1e6f, "m", 0, "sphere")                                                           \
    I(count, 100, 1, 10000000, "", 0, "stick, rope, sphere, random: particles")                              \
    V(counts, 10, 10, 10, 1, 100000, "", 0, "cube, grid: particles along x, y, z; cloth: along x and y")     \
    F(spacing, 0.1f, 1e-6f, 1e6f, "m", 0, "grid, meshVolume: distance of particles")                         \
    F(scale, 1, 1e-6f, 1e6f, "", 0, "of a mesh")                                                             \
    E(constraints, wbSoftBodyLinks, wb_linksAuto, "auto|all|decimated|edges", 0,                                \
      "which pairs keep their distance; auto: edges of rope, cloth and meshSurface, else all")               \
    F(maxDistance, 0, 0, 1e9f, "m", 0, "decimated: pairs nearer than this")                                  \
    I(farMax, 0, 0, 100000, "", 0, "decimated, edges: braces at each particle to those further than `furthest`") \
    F(furthest, 0, 0, 1e9f, "m", 0, "of those braces; edges: longer than all edges")                         \
    E(bending, wbBending, wb_bendingOverTwoEdges, "none|overTwoEdges|dihedral", 0,                           \
      "edges: resisted by lengths over two edges, or by hinges between triangles")                           \
    A(density, 0, 1e-9f, 1e9f, "kg/m3", 0,                                                                   \
      "of cloth and meshSurface kg/m2, of stick and rope kg/m; auto: by the mass")                           \
    A(mass, 0, 1e-9f, 1e12f, "kg", 0, "of all its particles; auto: by the density, or 1 kg each")            \
    B(selfContact, 0, 1, "cloth, meshSurface, stick, rope: touches itself, and others that do")               \
    F(thickness, 0.01f, 0, 1e3f, "m", 0, "what selfContact keeps apart; stick, rope: diameter that the air sees") \
    E(show, wbSoftBodyShow, wb_showAuto, "auto|spheres|surface|lines", 1,                                       \
      "how it looks; auto: cloth and meshSurface by their triangles, stick and rope by lines, else spheres") \
    A(showRadius, 0, 1e-6f, 1e6f, "m", 1, "of spheres and lines in pictures; auto: pbd.radius, or by distances") \
    V(colour, 0.85f, 0.42f, 0.22f, 0, 1, "", 1, "red, green, blue")

typedef enum wbRigidContact { wb_contactExact, wb_contactParticles } wbRigidContact;
typedef enum wbRigidSearch { wb_searchBodies, wb_searchGrid, wb_searchAllPairs } wbRigidSearch;
typedef enum wbRigidIntegrator { wb_rigidEuler, wb_rigidVerlet, wb_rigidLeapfrog, wb_rigidRungeKutta4 } wbRigidIntegrator;
/// What the domain's sides are made of, as rigid bodies feel them.
typedef enum wbSideMaterial { wb_sideMaterialBody, wb_sideMaterialOwn } wbSideMaterial;
typedef enum wbMix { wb_mixGeometric, wb_mixMean, wb_mixLeast, wb_mixMost, wb_mixProduct } wbMix;

#define WB_RIGID_PARAMS(F, A, I, B, E, V, S)                                                                 \
    E(contact, wbRigidContact, wb_contactExact, "exact|particles", 1,                                        \
      "how bodies touch: by their shapes, or as rigid sets of particles with springs")                       \
    A(subSteps, 0, 1, 1000, "", 1, "parts that a step is cut into; auto: 4 of exact contacts, 10 of particles") \
    E(frictionMix, wbMix, wb_mixGeometric, "geometric|mean|least|most|product", 1,                           \
      "friction of two materials from that of each")                                                         \
    E(restitutionMix, wbMix, wb_mixMost, "geometric|mean|least|most|product", 1,                             \
      "restitution of two materials from that of each")                                                      \
    E(sideMaterial, wbSideMaterial, wb_sideMaterialBody, "body|own", 1,                                      \
      "what the domain's sides are made of: the same as the body that touches them, or sideFriction and sideRestitution") \
    F(sideFriction, 0.5f, 0, 100, "", 1, "of the domain's sides if their material is their own, mixed with that of a body") \
    F(sideRestitution, 0, 0, 1, "", 1, "likewise")                                                           \
    F(restitutionSpeed, 0.5f, 0, 1e6f, "m/s", 1, "of approach, below which nothing bounces")                 \
    F(hertz, 60, 1e-3f, 1e6f, "1/s", 1, "exact: stiffness of contacts, as of a spring; at most a quarter of the sub-steps' rate") \
    F(dampingRatio, 10, 0, 1e3f, "", 1, "exact: of contacts")                                                \
    F(pushSpeed, 3, 0, 1e6f, "m/s", 1, "exact: with which bodies that overlap part at most")                 \
    F(jointHertz, 60, 1e-3f, 1e6f, "1/s", 1, "exact: stiffness of joints, likewise")                         \
    F(jointDampingRatio, 4, 0, 1e3f, "", 1, "exact: of joints")                                              \
    F(margin, 0.04f, 1e-4f, 1, "", 1, "exact: contacts begin so far apart, as a share of the thinner body's half thickness times two") \
    B(continuous, 1, 1, "exact: fast bodies are stopped before they pass through others")                    \
    B(sleep, 1, 1, "exact: bodies at rest are not computed until something wakes them")                      \
    F(sleepSpeed, 0.05f, 0, 1e6f, "m/s", 1, "of a body's surface, below which it may fall asleep")           \
    F(sleepTime, 0.5f, 0, 1e6f, "s", 1, "for which it must be as slow, with all that touch it")              \
    F(hitSpeed, 1, 0, 1e6f, "m/s", 1, "exact: of approach, from which on a touch is told as a hit")           \
    E(search, wbRigidSearch, wb_searchBodies, "bodies|grid|allPairs", 1,                                     \
      "particles: which ones meet is found by their bodies, in a grid of cells, or by trying all")           \
    E(integrator, wbRigidIntegrator, wb_rigidEuler, "euler|verlet|leapfrog|rungeKutta4", 1,                  \
      "particles: semi-implicit Euler, velocity Verlet, leapfrog, Runge-Kutta of fourth order") \
    A(stiffness, 0, 1e-6f, 1e12f, "N/m", 1, "particles: of their springs; auto: by the overlap that is wanted, the heavier body's weight, and what sub-steps can follow") \
    F(overlap, 0.02f, 1e-6f, 0.5f, "", 1, "particles: wanted under a body's own weight, as a share of a particle's radius") \
    F(damping, 0.5f, 0, 1e12f, "N s/m", 1, "particles: of their dampers where the stiffness is given; else a share of the critical one") \
    F(shearStiffness, 0.3f, 0, 10, "", 1, "particles: of tangential springs, as a share of the others'")     \
    F(shearDamping, 0.5f, 0, 10, "", 1, "particles: of tangential dampers, as a share of the others'")       \
    B(seed, 0, 1, "particles: springs and dampers alone, without friction, as in the source")               \
    F(terminalSpeed, 0, 0, 1e6f, "m/s", 1, "particles: momentum is cut to that of this speed; 0: it is not") \
    I(particlesPerEdge, 3, 1, 64, "", 0, "particles along a body's shortest extent")

typedef enum wbRigidType { wb_rigidStatic, wb_rigidKinematic, wb_rigidDynamic } wbRigidType;
typedef enum wbRigidShape {
    wb_rigidBox, wb_rigidSphere, wb_rigidCapsule, wb_rigidCylinder, wb_rigidPlane, wb_rigidHull, wb_rigidMesh, wb_rigidHeights,
    wb_rigidPolygon, wb_rigidCompound
} wbRigidShape;
typedef enum wbHullKind { wb_hullAuto, wb_hullThin, wb_hullSolid } wbHullKind;
typedef enum wbRigidShow { wb_rigidShowShape, wb_rigidShowParticles } wbRigidShow;

#define WB_RIGID_BODY_PARAMS(F, A, I, B, E, V, S)                                                            \
    E(shape, wbRigidShape, wb_rigidBox, "box|sphere|capsule|cylinder|plane|hull|mesh|heights|polygon|compound", 0, \
      "a circle in 2D is a sphere, a polygon convex; a plane faces up in its own frame; a compound has parts") \
    E(type, wbRigidType, wb_rigidDynamic, "static|kinematic|dynamic", 1,                                     \
      "static: stands; kinematic: moves as it is told; dynamic: moved by forces")                            \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 0, "of its origin at the start")                                  \
    V(rotation, 0, 0, 0, -1e6f, 1e6f, "deg", 0, "at the start: about x, then y, then z; in 2D about z only") \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 0, "at the start, of its centre of mass")                       \
    V(spin, 0, 0, 0, -1e6f, 1e6f, "rad/s", 0, "at the start, about the world's axes")                        \
    V(size, 1, 1, 1, 1e-4f, 1e4f, "m", 0, "box: edges; heights: extents")                                    \
    F(radius, 0.5f, 1e-4f, 1e4f, "m", 0, "sphere, capsule, cylinder")                                        \
    F(height, 1, 1e-4f, 1e4f, "m", 0, "cylinder: along y; capsule: of its middle part, along y")             \
    F(scale, 1, 1e-6f, 1e6f, "", 0, "of a mesh or a hull's points")                                          \
    I(maxParts, 16, 1, 256, "", 0, "mesh that moves: convex pieces that it is cut into, at most")            \
    A(density, 1000, 1e-6f, 1e9f, "kg/m3", 0, "auto: by the mass")                                           \
    A(mass, 0, 1e-9f, 1e12f, "kg", 0, "auto: by the density and the solid's volume")                         \
    A(centreX, NAN, -1e6f, 1e6f, "m", 0, "centre of mass along the body's own x; auto: by the shape")        \
    A(centreY, NAN, -1e6f, 1e6f, "m", 0, "likewise along y")                                                 \
    A(centreZ, NAN, -1e6f, 1e6f, "m", 0, "likewise along z")                                                 \
    V(inertia, 0, 0, 0, 0, 1e30f, "kg m2", 0, "about the body's own axes through its centre of mass; 0, 0, 0: by the shape") \
    B(turns, 1, 1, "else it keeps its direction")                                                            \
    F(friction, 0.5f, 0, 100, "", 1, "Coulomb's coefficient, mixed with that of the other body")             \
    F(rollingFriction, 0, 0, 1e3f, "m", 1, "arm of the torque against rolling; the larger of the two counts") \
    F(restitution, 0, 0, 1, "", 1, "share of the speed with which it bounces off")                           \
    F(gravityScale, 1, -1e3f, 1e3f, "", 1, "of the world's gravity")                                         \
    F(linearDamping, 0, 0, 1e6f, "1/s", 1, "rate at which its velocity dies away")                           \
    F(angularDamping, 0, 0, 1e6f, "1/s", 1, "rate at which its spin dies away")                              \
    I(category, 1, 0, 2147483647, "", 1, "bits: what it is")                                                 \
    I(mask, 2147483647, 0, 2147483647, "", 1, "bits: with what it collides, if that collides with it")       \
    B(sensor, 0, 1, "tells what touches it, and lets it pass")                                               \
    B(bullet, 0, 1, "is stopped before it passes through others that move, too")                             \
    B(sleeps, 1, 1, "may fall asleep")                                                                       \
    B(on, 1, 1, "one that is off is not there")                                                              \
    I(particlesPerEdge, 0, 0, 64, "", 0, "as rigid.particlesPerEdge; 0: that")                               \
    E(slip, wbSlip, wb_slipFree, "freeSlip|noSlip", 1, "of fluids along its surface")                        \
    F(adhesion, 0, 0, 1e6f, "N/m", 1, "attracts fluid; works without surface tension too")                   \
    E(hull, wbHullKind, wb_hullAuto, "auto|thin|solid", 1,                                                   \
      "thin: fluids feel its walls from both sides, apart; solid: by points that fill it; auto: by its walls") \
    E(show, wbRigidShow, wb_rigidShowShape, "shape|particles", 1, "how it looks")                            \
    V(colour, 0.80f, 0.55f, 0.30f, 0, 1, "", 1, "red, green, blue")

typedef enum wbJointKind {
    wb_jointBall, wb_jointHinge, wb_jointSlider, wb_jointFixed, wb_jointDistance
} wbJointKind;

#define WB_JOINT_PARAMS(F, A, I, B, E, V, S)                                                                 \
    E(kind, wbJointKind, wb_jointBall, "ball|hinge|slider|fixed|distance", 0,                                \
      "ball: a point; hinge: an axle; slider: a rail; fixed: no motion; distance: between two points")       \
    V(anchor, 0, 0, 0, -1e9f, 1e9f, "m", 0, "in the world at the start; of a distance its end at the first body") \
    V(end, 0, 0, 0, -1e9f, 1e9f, "m", 0, "distance: its end at the second body")                             \
    V(axis, 0, 0, 1, -1e6f, 1e6f, "", 0, "hinge, slider: in the world at the start; its length does not matter") \
    B(limits, 0, 1, "whether `lower`, `upper`, `twistLower` and `twistUpper` hold")                          \
    F(lower, 0, -1e6f, 1e6f, "deg, m", 1, "hinge, ball: angle; slider: way; distance: length")               \
    F(upper, 0, -1e6f, 1e6f, "deg, m", 1, "likewise; ball: of the cone about the axis")                      \
    F(twistLower, 0, -180, 180, "deg", 1, "ball: how far the second body may turn about the axis")           \
    F(twistUpper, 0, -180, 180, "deg", 1, "likewise; both 0: as far as it will")                             \
    B(motor, 0, 1, "hinge, slider: driven at `speed`")                                                       \
    F(speed, 0, -1e6f, 1e6f, "deg/s, m/s", 1, "of the motor")                                                \
    F(maxForce, 1e6f, 0, 1e12f, "N, N m", 1, "of the motor at most")                                         \
    F(hertz, 0, 0, 1e6f, "1/s", 1, "of a spring towards its rest (distance: rest length; hinge, slider: 0); 0: distance rigid, others free") \
    F(dampingRatio, 1, 0, 1e3f, "", 1, "of that spring")                                                     \
    A(length, 0, 1e-6f, 1e6f, "m", 1, "distance: at rest; auto: as it is at the start")                      \
    F(breakForce, 0, 0, 1e12f, "N", 1, "breaks above this; 0: never")                                        \
    F(breakTorque, 0, 0, 1e12f, "N m", 1, "likewise; 0: never")                                              \
    B(collide, 0, 1, "whether its two bodies collide with each other")                                       \
    B(on, 1, 1, "one that is off holds nothing")

typedef enum wbPairMode { wb_pairBoth, wb_pairOneWay, wb_pairOff } wbPairMode;
typedef enum wbOtherFluids { wb_otherFluidsRefuse, wb_otherFluidsIgnore } wbOtherFluids;

#define WB_COUPLING_PARAMS(F, A, I, B, E, V, S)                                                              \
    E(waterRigid, wbPairMode, wb_pairBoth, "both|oneWay|off", 1,                                             \
      "fluids and rigid bodies: both push each other; oneWay: bodies push water, and feel nothing of it")    \
    E(waterSoft, wbPairMode, wb_pairBoth, "both|oneWay|off", 1,                                              \
      "fluids and soft bodies: both push each other; oneWay: soft bodies push water, and feel nothing of it") \
    E(rigidSoft, wbPairMode, wb_pairBoth, "both|oneWay|off", 1,                                              \
      "rigid bodies and soft bodies: both push each other; oneWay: rigid ones push, and feel nothing of it") \
    B(response, 1, 1, "fluids that iterate: bodies give way within their iterations; else after them")       \
    F(floor, 1, 0, 100, "", 1, "least inertia of a body in water, over what is stable without more; 0: none") \
    E(fluids, wbOtherFluids, wb_otherFluidsRefuse, "refuse|ignore", 1,                                       \
      "fluids of different solvers in one world: they do not feel each other")                               \
    E(airSoft, wbPairMode, wb_pairOff, "both|oneWay|off", 1,                                                 \
      "air and soft bodies: cloth and ropes are blown and held back by it; oneWay: and it feels nothing of them") \
    B(airHeat, 0, 1, "fluids and the air of a grid exchange heat: water cools fire and becomes steam; with smoke.steam") \
    F(waterCelsius, 20, 0, 99, "C", 1, "airHeat: of fluids, before they were heated")                        \
    E(airRigid, wbPairMode, wb_pairOff, "both|oneWay|off", 1,                                                \
      "air and rigid bodies: they are blown and held back by it; oneWay: they push it, and feel nothing of it") \
    E(airWater, wbPairMode, wb_pairOff, "both|oneWay|off", 0,                                                \
      "air and fluids: water is in the way of the air, which presses on it and drags drops along; oneWay: it is in the way, and feels nothing") \
    F(sprayDiameter, 2e-3f, 1e-6f, 1, "m", 1, "of the drops that a lone particle of a fluid, or of spray, stands for in the air") \
    F(airDensity, 1.2f, 0, 1e4f, "kg/m3", 1, "of the air that bodies feel")                                  \
    V(wind, 0, 0, 0, -1e3f, 1e3f, "m/s", 1, "velocity of the air where it is not computed")                  \
    F(dragNormal, 1.2f, 0, 100, "", 1, "coefficient of the air's drag across a surface or a rope")           \
    F(dragAlong, 0.02f, 0, 100, "", 1, "likewise along it")

/// Spray, foam and bubbles. Speeds and energies are over those of waves as long as a spacing, by gravity and surface tension.
#define WB_DIFFUSE_PARAMS(F, A, I, B, E, V, S)                                                               \
    B(on, 0, 1, "spray, foam and bubbles where water breaks: to be seen, without any effect on it; off they are gone and cost nothing") \
    I(limit, 40000, 0, 100000000, "", 1, "of them at once; what would be born beyond it is counted")         \
    F(trappedRate, 50, 0, 1e6f, "1/s", 1, "born per particle of fluid where it traps air, at most")          \
    F(trappedFrom, 0.3f, 0, 1e6f, "", 1, "relative speed of a particle's neighbours from which on air is trapped") \
    F(trappedTo, 1.5f, 0, 1e6f, "", 1, "relative speed from which on the rate is reached")                      \
    F(crestRate, 50, 0, 1e6f, "1/s", 1, "born per particle of fluid at breaking crests, at most")            \
    F(crestFrom, 0.05f, 0, 10, "", 1, "bend of the surface, 1 - cosine in the weighted mean, from which on a crest breaks") \
    F(crestTo, 0.25f, 0, 10, "", 1, "bend from which on the rate is reached")                                \
    F(energyFrom, 2, 0, 1e6f, "", 1, "square of a particle's speed from which on it bears any")              \
    F(energyTo, 20, 0, 1e6f, "", 1, "square of the speed from which on it bears all")                        \
    F(scatter, 0.3f, 0, 10, "", 1, "share of the relative speed that they are born with across the water's way") \
    F(lifetime, 3, 1e-3f, 1e6f, "s", 1, "of spray and foam in the mean; of bubbles four times as long")      \
    F(sprayBelow, 0.2f, 0, 10, "", 1, "share of the neighbours inside of water below which they are spray")  \
    F(bubblesFrom, 0.75f, 0, 10, "", 1, "share of the neighbours from which on they are bubbles; between both they are foam") \
    F(airDrag, 0, 0, 1e6f, "1/m", 1, "of spray, times the square of its speed; drops of 1 mm: 0.2; 0: none") \
    F(bubbleRise, 0.25f, 0, 1e3f, "m/s", 1, "speed of bubbles against the water around them, upwards")       \
    F(bubbleDrag, 20, 0, 1e6f, "1/s", 1, "rate at which bubbles take on that speed")                         \
    F(radius, 0.15f, 1e-3f, 2, "spacings", 1, "of drops of spray in pictures; foam and bubbles follow from it")

typedef enum wbForceKind {
    wb_forceGravity, wb_forceDrag, wb_forceSpring, wb_forceAnchoredSpring, wb_forceRod, wb_forceBungee, wb_forceAnchoredBungee,
    wb_forceCable, wb_forceRodConstraint, wb_forceBuoyancy, wb_forceTorque, wb_forceAttraction, wb_forceWind
} wbForceKind;

#define WB_FORCE_PARAMS(F, A, I, B, E, V, S)                                                                 \
    E(kind, wbForceKind, wb_forceSpring,                                                                     \
      "gravity|drag|spring|anchoredSpring|stiffRod|bungee|anchoredBungee|cable|rod|buoyancy|torque|attraction|wind", 0, \
      "what acts on its bodies; spring, stiffRod, bungee, cable and rod tie pairs of them")                  \
    V(vector, 0, 0, 0, -1e9f, 1e9f, "m/s2, N m, m/s", 1, "gravity: acceleration; torque; wind: velocity of the air") \
    V(anchor, 0, 0, 0, -1e9f, 1e9f, "m", 1, "anchoredSpring, anchoredBungee: the other end, in the world")   \
    V(attach, 0, 0, 0, -1e6f, 1e6f, "m", 0, "where it holds its first body, in that one's frame")            \
    V(attachOther, 0, 0, 0, -1e6f, 1e6f, "m", 0, "where it holds the other one")                             \
    F(stiffness, 10, 0, 1e12f, "N/m", 1, "spring, stiffRod, bungee")                                         \
    F(damping, 0, 0, 1e12f, "N s/m", 1, "along a spring, rod or bungee")                                     \
    F(length, 1, 0, 1e6f, "m", 1, "at rest; cable: at most")                                                 \
    F(restitution, 0, 0, 1, "", 1, "cable")                                                                  \
    F(linear, 0, 0, 1e12f, "N s/m", 1, "drag: by speed")                                                     \
    F(quadratic, 0, 0, 1e12f, "N s2/m2", 1, "drag, wind: by its square")                                     \
    F(waterHeight, 0, -1e9f, 1e9f, "m", 1, "buoyancy: of the surface")                                       \
    F(maxDepth, 0.5f, 1e-6f, 1e6f, "m", 1, "buoyancy: of the centre at which the whole body is under water") \
    A(volume, 0, 1e-9f, 1e9f, "m3", 1, "buoyancy: of the body; auto: of its solid")                          \
    F(liquidDensity, 1000, 0, 1e6f, "kg/m3", 1, "buoyancy")                                                  \
    F(strength, 6.674e-11f, -1e12f, 1e12f, "m3/(kg s2)", 1, "attraction: f = strength m1 m2 / r2")           \
    B(on, 1, 1, "one that is off does nothing")

/// Of wbDomainDef; the kinds of its sides are parameters, too, by their names: domain.left = freeSlip, noSlip or open.
#define WB_DOMAIN_PARAMS(F, A, I, B, E, V, S)                                                                \
    V(min, 0, 0, 0, -1e9f, 1e9f, "m", 1, "lower corner of the box; while it runs, where its sides shall go") \
    V(max, 0, 0, 0, -1e9f, 1e9f, "m", 1, "upper corner of the box; likewise")                                \
    A(sideSpeed, 0, 1e-6f, 1e6f, "m/s", 1, "of sides on their way at most; auto: what the solvers bear, and 5 among soft bodies")

typedef enum wbAdvection { wb_advectionSemiLagrangian, wb_advectionMacCormack } wbAdvection;
typedef enum wbSmokeAdvection { wb_smokeSemiLagrangian, wb_smokeMacCormack, wb_smokeConserving } wbSmokeAdvection;
typedef enum wbBacktrace { wb_backtraceEuler, wb_backtraceMidpoint } wbBacktrace;
typedef enum wbSmokeScheme { wb_schemeProject, wb_schemeReflect } wbSmokeScheme;
typedef enum wbPressureSolver { wb_pressureJacobi, wb_pressureSor, wb_pressureMultigrid } wbPressureSolver;

#define WB_SMOKE_PARAMS(F, A, I, B, E, V, S)                                                                 \
    F(cellSize, 0.02f, 1e-6f, 1e6f, "m", 0, "edge of a cell; the domain's box is rounded to whole cells")    \
    B(follow, 0, 0, "fine cells only around smoke, sources and moving colliders; the rest of the box is coarse") \
    I(margin, 8, 4, 1000, "", 1, "with follow: fine cells around them at least")                             \
    E(advection, wbSmokeAdvection, wb_smokeConserving, "semiLagrangian|macCormack|conserving", 1,            \
      "how smoke and heat are carried: smooth, with more detail, or as fluxes, by which none is lost")       \
    E(velocityAdvection, wbAdvection, wb_advectionSemiLagrangian, "semiLagrangian|macCormack", 1,            \
      "how the velocity is carried: smooth and cheap, or with more detail")                                  \
    E(scheme, wbSmokeScheme, wb_schemeReflect, "project|reflect", 1,                                         \
      "steps of first order, in which pressure acts at their end, or of second, at both ends")               \
    E(backtrace, wbBacktrace, wb_backtraceEuler, "euler|midpoint", 1,                                        \
      "but as fluxes and by scheme reflect: path along which they are carried: straight, or by its middle")  \
    I(vortices, 0, 0, 1000, "", 0,                                                                           \
      "of Taylor and Green along x, y and z, at 1 m/s, that the air starts with; 0: it starts at rest")      \
    B(keepMass, 1, 1, "unless advection conserves: in a box without open sides the amount of smoke is held") \
    F(densityDecay, 0, 0, 1e6f, "1/s", 1, "rate at which smoke fades")                                       \
    F(cooling, 0, 0, 1e6f, "1/s", 1, "rate at which heat fades")                                             \
    F(velocityDecay, 0, 0, 1e6f, "1/s", 1, "rate at which motion fades")                                     \
    F(ambient, 0, -1e6f, 1e6f, "K", 1, "temperature of the air around; those of sources, sides and colliders count from it") \
    F(thermalDiffusivity, 0, 0, 1e6f, "m2/s", 1, "how fast heat is conducted; 0: off and costs nothing; air: 2.1e-5") \
    F(buoyancy, 0.0335f, -1e6f, 1e6f, "m/s2/K", 1, "lift per kelvin above ambient, against gravity")         \
    F(weight, 0.2f, -1e6f, 1e6f, "m/s2", 1, "fall of smoke of density 1, along gravity")                     \
    V(wind, 0, 0, 0, -1e6f, 1e6f, "m/s2", 1, "uniform acceleration of the air")                              \
    F(confinement, 0.1f, -1e3f, 1e3f, "", 1, "strength of the force that keeps small vortices alive; negative: it smooths them away") \
    F(viscosity, 0, 0, 1e6f, "m2/s", 1, "kinematic; 0: off and costs nothing; air: 1.5e-5")                  \
    B(coloured, 0, 0, "smoke has the colours of its sources, which cost three more densities")               \
    B(fire, 0, 0, "there is fuel, which burns to heat and smoke")                                            \
    B(steam, 0, 0, "the air carries vapour of water, and the droplets that it condenses to: two more fields") \
    F(celsius, 20, -50, 90, "C", 1, "steam: what the temperature of the air around is in truth")             \
    F(lapse, 0, 0, 1e3f, "K/m", 1, "steam: by how much rising air cools; 0.0098 by nature, more makes clouds in small boxes") \
    F(burnRate, 3, 0, 1e6f, "1/s", 1, "fire: rate at which hot fuel burns")                                  \
    F(ignition, 50, -1e6f, 1e6f, "K", 1, "fire: temperature above ambient from which fuel burns")            \
    F(burnHeat, 1500, 0, 1e6f, "K", 1, "fire: rise of temperature by fuel of density 1")                     \
    F(soot, 0.5f, 0, 1e3f, "", 1, "fire: smoke by fuel of density 1")                                        \
    E(pressureSolver, wbPressureSolver, wb_pressureMultigrid, "jacobi|sor|multigrid", 1,                     \
      "how the pressure is found: fixed sweeps of Jacobi or red-black over-relaxation, or multigrid")        \
    F(tolerance, 1e-3f, 1e-6f, 1, "", 1,                                                                     \
      "multigrid: divergence that may remain, as a share of that before, root mean square")                  \
    I(maxCycles, 20, 1, 1000, "", 1, "multigrid: cycles at most in a step")                                  \
    I(sweeps, 40, 1, 100000, "", 1, "jacobi and sor: sweeps in a step")                                      \
    F(relaxation, 1.7f, 0.1f, 1.99f, "", 1, "sor: factor of over-relaxation")                                \
    F(cfl, 2, 0.01f, 100, "", 1, "with world.dt auto: cells that the fastest air passes in a step")          \
    F(longestStep, 0.016667f, 1e-6f, 10, "s", 1, "with world.dt auto: a step lasts no longer")

typedef enum wbSourceShape { wb_sourceSphere, wb_sourceBox, wb_sourceMesh } wbSourceShape;

#define WB_SOURCE_PARAMS(F, A, I, B, E, V, S)                                                                \
    E(shape, wbSourceShape, wb_sourceSphere, "sphere|box|mesh", 0, "of the place; a mesh comes from a file") \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 1, "sphere, box: centre; mesh: of its origin")                    \
    F(radius, 0.1f, 1e-6f, 1e6f, "m", 1, "sphere")                                                           \
    V(size, 0.2f, 0.2f, 0.2f, 1e-6f, 1e6f, "m", 1, "box: edges")                                             \
    F(scale, 1, 1e-6f, 1e6f, "", 0, "of a mesh")                                                             \
    B(soft, 0, 1, "sphere: weaker towards its surface")                                                      \
    F(density, 1, 0, 1e6f, "", 1,                                                                            \
      "of the smoke in it, 1: thick; without density, temperature and fuel it leaves them alone")            \
    V(colour, 1, 1, 1, 0, 1, "", 1, "red, green, blue of its smoke, with smoke.coloured")                    \
    A(temperature, NAN, -1e6f, 1e6f, "K", 1, "of the air in it, on the scale of smoke.ambient; auto: ambient")  \
    F(fuel, 0, 0, 1e6f, "", 1, "in it; burns with smoke.fire")                                               \
    F(steam, 0, 0, 1e6f, "g/m3", 1, "vapour of water in it, with smoke.steam")                               \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 1, "of the air in it, as of a fan; 0,0,0: it leaves it alone")  \
    F(expansion, 0, -1e6f, 1e6f, "1/s", 1, "air that it makes per second and its volume: an explosion")      \
    A(rate, 0, 1e-6f, 1e9f, "1/s", 1, "at which the air takes these values; auto: at once")                  \
    F(start, 0, 0, 1e9f, "s", 1, "simulated time from which it works")                                       \
    F(end, 1e9f, 0, 1e9f, "s", 1, "simulated time until which it works")                                     \
    B(open, 1, 1, "a closed one does nothing")

typedef enum wbProbeKind {
    wb_probePressure, wb_probeVelocity, wb_probeDensity, wb_probeTemperature, wb_probeLevel, wb_probeFlow, wb_probeForce
} wbProbeKind;
typedef enum wbProbeMedium { wb_probeLiquid, wb_probeAir } wbProbeMedium;

#define WB_PROBE_PARAMS(F, A, I, B, E, V, S)                                                                 \
    E(kind, wbProbeKind, wb_probePressure, "pressure|velocity|density|temperature|level|flow|force", 0,      \
      "what it measures: four of them at a point, the level of a column, the flow through a rectangle, the force on a collider") \
    E(medium, wbProbeMedium, wb_probeLiquid, "liquid|air", 0,                                                \
      "pressure, velocity, density: in which; the density of air is that of its smoke; temperature: always of air") \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 1, "the point; level: x and z of the column's middle; flow: of the rectangle's") \
    V(rotation, 0, 0, 0, -1e6f, 1e6f, "deg", 1, "flow: about x, then y, then z; a rectangle that is not turned counts what goes along x") \
    V(size, 0.1f, 0.1f, 0.1f, 1e-6f, 1e6f, "m", 1,                                                           \
      "level: the column's edges x and z, a few spacings long; flow: the rectangle's, y and z before it is turned")

#define WB_GRAB_PARAMS(F, A, I, B, E, V, S)                                                                  \
    B(on, 1, 1, "one that is off does nothing")                                                              \
    V(target, 0, 0, 0, -1e9f, 1e9f, "m", 1, "where what it holds shall go; without any: the ball that pushes fluids") \
    I(particle, 0, 0, 2147483647, "", 1, "of a soft body: which it holds, from 0")                           \
    V(point, 0, 0, 0, -1e6f, 1e6f, "m", 1, "of a rigid body or collider: where it holds it, in its own frame") \
    A(stiffness, 0, 1e-6f, 1e12f, "N/m", 1, "of its spring; auto: 7.5 swings per second of the mass that it holds; collider, fluids: of 1 kg") \
    F(damping, 1, 0, 1e3f, "", 1, "of the spring, over the critical one")                                    \
    A(maxForce, 0, 1e-6f, 1e15f, "N", 1, "at most; auto: 100 times the weight on earth of what it holds; fluids: of each kg") \
    F(spinDamping, 2, 0, 1e6f, "1/s", 1, "rate at which the spin of a rigid body dies away that it holds")   \
    F(radius, 0.1f, 1e-6f, 1e6f, "m", 1, "fluids: of the ball that pushes them")                             \
    F(strength, 30, 0, 1e6f, "1/s", 1, "fluids: rate at which they take on the velocity of the ball in its middle")
// clang-format on

#define WB_FIELD_F(field, ...)       float field;
#define WB_FIELD_A(field, ...)       float field;
#define WB_FIELD_I(field, ...)       int field;
#define WB_FIELD_B(field, ...)       bool field;
#define WB_FIELD_E(field, type, ...) type field;
#define WB_FIELD_V(field, ...)       wbVec3 field;
#define WB_FIELD_S(field, ...)       wbSize field;
#define WB_PARAM_FIELDS(TABLE)                                                                               \
    TABLE(WB_FIELD_F, WB_FIELD_A, WB_FIELD_I, WB_FIELD_B, WB_FIELD_E, WB_FIELD_V, WB_FIELD_S)

typedef struct wbWorldParams {
    WB_PARAM_FIELDS(WB_WORLD_PARAMS)
} wbWorldParams;
typedef struct wbSphParams {
    WB_PARAM_FIELDS(WB_SPH_PARAMS)
} wbSphParams;
typedef struct wbAdaptiveParams {
    WB_PARAM_FIELDS(WB_ADAPTIVE_PARAMS)
} wbAdaptiveParams;
typedef struct wbPbfParams {
    WB_PARAM_FIELDS(WB_PBF_PARAMS)
    wbAdaptiveParams adaptive; ///< see WB_ADAPTIVE_PARAMS
} wbPbfParams;
typedef struct wbEmitterParams {
    WB_PARAM_FIELDS(WB_EMITTER_PARAMS)
} wbEmitterParams;
typedef struct wbDrainParams {
    WB_PARAM_FIELDS(WB_DRAIN_PARAMS)
} wbDrainParams;
typedef struct wbColliderParams {
    WB_PARAM_FIELDS(WB_COLLIDER_PARAMS)
} wbColliderParams;
typedef struct wbMechanismParams {
    WB_PARAM_FIELDS(WB_MECHANISM_PARAMS)
} wbMechanismParams;
typedef struct wbPbdParams {
    WB_PARAM_FIELDS(WB_PBD_PARAMS)
} wbPbdParams;
typedef struct wbSoftBodyParams {
    WB_PARAM_FIELDS(WB_SOFT_BODY_PARAMS)
} wbSoftBodyParams;
typedef struct wbRigidParams {
    WB_PARAM_FIELDS(WB_RIGID_PARAMS)
} wbRigidParams;
typedef struct wbRigidBodyParams {
    WB_PARAM_FIELDS(WB_RIGID_BODY_PARAMS)
} wbRigidBodyParams;
typedef struct wbCouplingParams {
    WB_PARAM_FIELDS(WB_COUPLING_PARAMS)
} wbCouplingParams;
typedef struct wbDiffuseParams {
    WB_PARAM_FIELDS(WB_DIFFUSE_PARAMS)
} wbDiffuseParams;
typedef struct wbJointParams {
    WB_PARAM_FIELDS(WB_JOINT_PARAMS)
} wbJointParams;
typedef struct wbForceParams {
    WB_PARAM_FIELDS(WB_FORCE_PARAMS)
} wbForceParams;
typedef struct wbSmokeParams {
    WB_PARAM_FIELDS(WB_SMOKE_PARAMS)
} wbSmokeParams;
typedef struct wbSourceParams {
    WB_PARAM_FIELDS(WB_SOURCE_PARAMS)
} wbSourceParams;
typedef struct wbProbeParams {
    WB_PARAM_FIELDS(WB_PROBE_PARAMS)
} wbProbeParams;

typedef struct wbGrabParams {
    WB_PARAM_FIELDS(WB_GRAB_PARAMS)
} wbGrabParams;

typedef enum wbParamType {
    wb_paramFloat,
    wb_paramAuto, ///< a float, or "auto": 0, or NAN where 0 is a value
    wb_paramInt,
    wb_paramBool,
    wb_paramEnum,
    wb_paramVec3,
    wb_paramSize, ///< width and height in pixels
} wbParamType;

/// One row of a table.
typedef struct wbParam {
    const char *name;
    wbParamType type;
    int offset;             ///< of the field in the section's struct, in bytes
    double defaultValue[3]; ///< vectors use all three, sizes two
    double min, max;        ///< per component
    const char *unit;       ///< "" where it has none
    const char *choices;    ///< enums: "name|name"; else NULL
    bool live;              ///< may change while the world runs
    const char *sentence;
    bool isChosen; ///< set to "auto", it becomes a number that the world chooses, once, from its state
} wbParam;

/// A section of the scene file: "world", "sph", …
typedef struct wbParamTable {
    const char *section;
    const char *sentence;
    const wbParam *params;
    int count;
    int structSize;
} wbParamTable;

/// All tables of worlds and solvers; `count` receives how many.
const wbParamTable *const *wbGetParamTables(int *count);

/// The table of one section, NULL if there is none of that name.
const wbParamTable *wbGetParams(const char *section);

/// The tables of objects, each with a struct of its own: "emitter", "drain", "collider", "mechanism", "softBody",
/// "source", "probe", "grab". Set by the object's name: "pipe.rate".
const wbParamTable *const *wbGetObjectTables(int *count);
/// The table of one kind of object, NULL if there is none of that name.
const wbParamTable *wbGetObjectParams(const char *kind);

/// The row of one parameter, NULL if there is none of that name.
const wbParam *wbFindParam(const wbParamTable *table, const char *name);

/// Fills a section's struct with the defaults.
void wbSetParamDefaults(const wbParamTable *table, void *section);

/// Whether a value of a row with "auto" stands for that: 0, or NAN where the row's range has a 0 of its own.
bool wbParam_IsAuto(const wbParam *param, double value);

/// Stores numbers (three for a vector, two for a size, else one) after checking type and range. The status
/// text reads like "viscosity is -3, allowed is 0 to 1e+06 Pa s". A vector of two numbers has z = 0; an enum
/// is set by its name only, with wbParam_SetText.
wbStatus wbParam_SetNumbers(const wbParam *param, void *section, const double *values, int count);

/// The value as numbers: three of a vector, two of a size, else one; of a bool 0 or 1, of an enum its place.
void wbParam_GetNumbers(const wbParam *param, const void *section, double values[3]);

/// Stores what a text says: "0.2", "true", "wendland", "auto", "0,-9.81,0", "1280x720".
wbStatus wbParam_SetText(const wbParam *param, void *section, const char *text);

/// Writes the value as wbParam_SetText reads it. wb_errorInput, with the size that it takes, if it does not fit: the text
/// is cut then.
wbStatus wbParam_GetText(const wbParam *param, const void *section, char *text, int size);

/// The known name nearest to a misspelt one, NULL if none is near. For messages.
const char *wbNearestParam(const wbParamTable *table, const char *name);

WB_API_END
