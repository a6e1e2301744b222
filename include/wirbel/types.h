// SPDX-License-Identifier: MIT
// Definitions to create things from, and views, statistics and profiles to read back.
#pragma once

#include "wirbel/base.h"
#include "wirbel/id.h"
#include "wirbel/math.h"
#include "wirbel/mesh.h"
#include "wirbel/params.h"

WB_API_BEGIN

/// A world: every call on it comes from one thread at a time. Worlds do not know of each other.
typedef struct wbWorld wbWorld;

/// Instruction set of the hot loops, chosen when a world is made.
typedef enum wbSimd {
    wb_simdAuto, ///< the environment's WIRBEL_SIMD (scalar, sse, avx2, avx512), else the best that the CPU
                 ///< has
    wb_simdScalar,
    wb_simdSse,
    wb_simdAvx2,
    wb_simdAvx512,
} wbSimd;

/// "scalar", "sse", "avx2", "avx512" ("auto" for wb_simdAuto).
const char *wbGetSimdName(wbSimd simd);
/// False also for an instruction set that this build does not have.
bool wbIsSimdSupported(wbSimd simd);

/// The CPU's model: as it calls itself ("unknown" where it does not), with its family and model numbers.
void wbGetCpuName(char *name, int size);

/// A compute device of OpenCL.
typedef struct wbDevice {
    char name[128], platform[128];
    char driver[128], version[128]; ///< of the driver; of OpenCL
    bool isCpu;                     ///< runs on the host's processor
    int computeUnits;
    uint64_t globalBytes, maxBufferBytes, localBytes;
    int maxGroupSize;
    int lanes; ///< floats that its kernels hold in one value: 1 on GPUs
} wbDevice;

/// Sides of the box: x from left to right, y from bottom to top, z from back to front.
typedef enum wbSide { wb_left, wb_right, wb_bottom, wb_top, wb_back, wb_front, wb_sideCount } wbSide;

typedef enum wbSideType {
    wb_sideFreeSlip, ///< nothing passes, sliding along is free
    wb_sideNoSlip,   ///< nothing passes, the fluid at the side moves with it
    wb_sideOpen,     ///< everything passes
} wbSideType;

typedef struct wbSideDef {
    wbSideType type;
    wbVec3 velocity;   ///< m/s; the part along the side drags a fluid that does not slip
    float temperature; ///< K, on the scale of smoke.ambient: what air at a closed side has with
                       ///< smoke.thermalDiffusivity; NAN, the default: the side insulates
} wbSideDef;

/// The box that everything happens in. In 2D z is left out. Without extent (min = max) there is none, and no sides.
typedef struct wbDomainDef {
    wbVec3 min, max; ///< m
    float
        sideSpeed; ///< m/s, at most, with which sides go to where domain.min and domain.max are set while a world runs;
                   ///< 0: what the solvers bear, and 5 among soft bodies
    wbSideDef sides[wb_sideCount];
} wbDomainDef;

/// Runs task(index, taskContext) for index = 0 … count - 1, in any order and at once if it can, and returns
/// when all have ended. `hostContext` is what the world's def gave.
typedef void wbTaskFn(int index, void *taskContext);
typedef void wbParallelFn(int count, wbTaskFn *task, void *taskContext, void *hostContext);

/// Fields of solvers that a build of its own adds (docs/adding-a-solver.md).
#ifndef WB_MORE_SECTIONS
#    define WB_MORE_SECTIONS
#endif

typedef struct wbWorldDef {
    wbWorldParams params; ///< dimensions, gravity, dt, …: see WB_WORLD_PARAMS
    wbSphParams sph;      ///< see WB_SPH_PARAMS
    wbPbdParams pbd;      ///< see WB_PBD_PARAMS
    bool hasSmoke; ///< air that carries smoke fills the box of the domain, also where its sides are open
    wbSmokeParams smoke;       ///< see WB_SMOKE_PARAMS
    wbPbfParams pbf;           ///< see WB_PBF_PARAMS
    wbRigidParams rigid;       ///< see WB_RIGID_PARAMS
    wbCouplingParams coupling; ///< see WB_COUPLING_PARAMS
    wbDiffuseParams diffuse;   ///< see WB_DIFFUSE_PARAMS
    WB_MORE_SECTIONS
    wbDomainDef domain;
    double frameRate; ///< 1/s: steps of a world whose dt is auto divide frames; see wbWorld_SetFrameRate
    int threadCount;  ///< 0: one per core
    wbSimd simd;
    wbParallelFn
        *parallel; ///< a host's scheduler that takes the place of the world's threads; NULL: own threads
    void *parallelContext;
    uint32_t cookie; ///< set by wbDefaultWorldDef
} wbWorldDef;

/// 3D, gravity downwards, all cores, best instruction set. The domain has no extent; once it has, its sides are
/// closed and things slide along them (wb_sideFreeSlip).
wbWorldDef wbDefaultWorldDef(void);

typedef enum wbFluidSolver {
    wb_solverSph, ///< weakly compressible SPH, parameters `sph`
    wb_solverPbf, ///< position based fluids, parameters `pbf`
} wbFluidSolver;

/// Their names, as a row of choices: "sph|pbf".
extern const char wb_fluidSolverNames[];

/// A solver, as scenes, menus and tools see it: what walks over this list need not name one.
typedef struct wbSolverInfo {
    const char *name;   ///< of its section of parameters, which wbGetParams gives: "sph"
    const char *moves;  ///< for messages, as of several: "fluids", "soft bodies", "smoke"
    const char *object; ///< kind of objects that need it: "fluid", or one of wbGetObjectTables; NULL: none
    const char *with; ///< without objects of its own: the kinds that are enough for it: "softBody|rigidBody"
    bool isFluid;     ///< fluids name it; its place in the list is the wbFluidSolver
    size_t params;    ///< bytes, to its parameters in a wbWorldDef
    size_t
        isAsked; ///< bytes, to the bool in a wbWorldDef that asks for it; 0: it comes with its first object
} wbSolverInfo;

/// All solvers, those of fluids first; `count` receives how many.
const wbSolverInfo *const *wbGetSolvers(int *count);

/// How true water is, and what that costs: a set of parameters of one solver that was measured as a whole (docs/water.md).
typedef enum wbQuality {
    wb_qualityOwn,      ///< none: the solver's parameters as they are given
    wb_qualityFast,     ///< the longest steps: for games and films
    wb_qualityBalanced, ///< keeps its volume, in long steps
    wb_qualityPrecise,  ///< converges with the spacing, in short steps
} wbQuality;

/// Their names, as a row of choices: "own|fast|balanced|precise".
extern const char wb_qualityNames[];

/// A parameter of a quality's solver, as wbParam_SetText reads it.
typedef struct wbQualityValue {
    const char *name, *text;
} wbQualityValue;

typedef struct wbQualityInfo {
    wbQuality quality;
    wbFluidSolver solver;         ///< of its fluids
    const wbQualityValue *values; ///< of its section
    int valueCount;
} wbQualityInfo;

/// What a quality is; NULL of wb_qualityOwn.
const wbQualityInfo *wbGetQuality(wbQuality quality);

/// Sets the parameters of a quality in its solver's section, and gives that solver, for the defs of its fluids. What is set
/// afterwards wins; a second quality of the same solver takes the place of the first. Not of wb_qualityOwn.
wbFluidSolver wbWorldDef_SetQuality(wbWorldDef *def, wbQuality quality);

typedef struct wbFluidDef {
    const char *name; ///< unique in its world; copied; at most 63 bytes
    wbFluidSolver solver;
    float restDensity; ///< kg/m3, 1e-3 to 1e6; 0: the solver's
    uint32_t cookie;   ///< set by wbDefaultFluidDef
} wbFluidDef;

wbFluidDef wbDefaultFluidDef(void);

/// Particles on a cubic (2D: square) lattice of the solver's spacing: as many whole layers as fit between min and max,
/// in the middle. None is nearer than half a spacing to the faces, nor to a collider.
typedef struct wbBlockDef {
    wbVec3 min, max; ///< m
    wbVec3 velocity; ///< m/s
    float jitter;    ///< random shift of each coordinate, in spacings, 0 to 0.5
} wbBlockDef;

/// Particles on the same lattice in a ball (2D: a disc): those shells around its middle, which is a site or between some,
/// that make its mass most exact. What is nearer than half a spacing to a closed side or a collider is left out.
typedef struct wbBallDef {
    wbVec3 position; ///< m, of its middle
    float radius;    ///< m
    wbVec3 velocity; ///< m/s
} wbBallDef;

/// Fluid in a closed mesh, in 3D only; the lattice is in the middle of the box around it.
typedef struct wbFillMeshDef {
    const wbMesh *mesh; ///< as of a collider; copied
    wbVec3 position;    ///< m, of its origin
    wbVec3 rotation;    ///< deg, about x, then y, then z
    float scale;
    wbVec3 velocity; ///< m/s
} wbFillMeshDef;

/// Particles at random places of a box, by world.seed: no two nearer than a spacing, and none nearer to what is there.
typedef struct wbRandomDef {
    wbVec3 min, max; ///< m
    int count;
    wbVec3 velocity; ///< m/s
} wbRandomDef;

/// Where particles of a fluid come from: see WB_EMITTER_PARAMS.
typedef struct wbEmitterDef {
    const char *
        name; ///< letters, digits, - and _, the first a letter; unique in its world; copied; at most 63 bytes
    wbFluidId fluid;
    wbEmitterParams params;
    uint32_t cookie; ///< set by wbDefaultEmitterDef
} wbEmitterDef;

wbEmitterDef wbDefaultEmitterDef(void);

/// Where particles go: see WB_DRAIN_PARAMS.
typedef struct wbDrainDef {
    const char *name;    ///< as of an emitter
    wbEmitterId emitter; ///< a pump: this disc emits what is drained, and nothing else; null: it is gone
    wbDrainParams params;
    uint32_t cookie; ///< set by wbDefaultDrainDef
} wbDrainDef;

wbDrainDef wbDefaultDrainDef(void);

/// How the surface of a fluid becomes a mesh.
typedef struct wbFluidSurfaceDef {
    float cellSize;  ///< spacings, 0.1 to 1, of the grid that it is found on: triangles are about so large
    float radius;    ///< spacings, 1 to 4, that a particle reaches: more is smoother, and joins what is near
    int smoothing;   ///< passes over the mesh, 0 to 100, against the grain of particles; not in 2D
    uint32_t cookie; ///< set by wbDefaultFluidSurfaceDef
} wbFluidSurfaceDef;

wbFluidSurfaceDef wbDefaultFluidSurfaceDef(void);

typedef struct wbFluidStats {
    int particles;
    int64_t spawned,
        removed; ///< in smallest particles: spawned - removed = particles where all are of one size
} wbFluidStats;

typedef struct wbEmitterStats {
    int64_t emitted;
    int64_t waiting; ///< of a pump: drained and ready to come out
    int places;      ///< in a layer of a disc, or in the block
} wbEmitterStats;

typedef struct wbDrainStats {
    int64_t drained;
    int64_t inPipe; ///< of a pump with a delay: on their way to its emitter
} wbDrainStats;

/// A collider that fluids flow around: see WB_COLLIDER_PARAMS.
typedef struct wbColliderDef {
    const char *name; ///< as of an emitter
    wbColliderParams params;
    const wbMesh *mesh; ///< of the shape "mesh": closed, counter-clockwise seen from outside; copied
    const wbVec3 *path; ///< pipe, trough: points of its middle line (of its floor); polygon: corners; copied
    int pathCount;
    uint32_t cookie; ///< set by wbDefaultColliderDef
} wbColliderDef;

wbColliderDef wbDefaultColliderDef(void);

enum { WB_MAX_PARTS = 256 }; ///< colliders that one mechanism moves

/// What moves colliders: see WB_MECHANISM_PARAMS.
typedef struct wbMechanismDef {
    const char *name; ///< as of an emitter
    wbMechanismParams params;
    const wbColliderId *colliders; ///< that it moves; of a lock: the upper and the lower gate
    int colliderCount;
    uint32_t cookie; ///< set by wbDefaultMechanismDef
} wbMechanismDef;

wbMechanismDef wbDefaultMechanismDef(void);

/// Where smoke, heat, fuel or wind come from: see WB_SOURCE_PARAMS.
typedef struct wbSourceDef {
    const char *name; ///< as of an emitter
    wbSourceParams params;
    const wbMesh *mesh; ///< of the shape "mesh": as of a collider
    uint32_t cookie;    ///< set by wbDefaultSourceDef
} wbSourceDef;

wbSourceDef wbDefaultSourceDef(void);

/// What measures: see WB_PROBE_PARAMS.
typedef struct wbProbeDef {
    const char *name;      ///< as of an emitter
    wbFluidId fluid;       ///< level, flow, and in liquids: of this one alone; null: of all fluids
    wbColliderId collider; ///< force: on this one
    wbProbeParams params;
    uint32_t cookie; ///< set by wbDefaultProbeDef
} wbProbeDef;

wbProbeDef wbDefaultProbeDef(void);

/// What pulls a particle of a soft body, a point of a rigid body, or a collider to a place, by a damped spring; one that holds nothing
/// pushes fluids and air, as an invisible ball that is pulled there. See WB_GRAB_PARAMS. For mice, hands, tests.
typedef struct wbGrabDef {
    const char *name;        ///< as of an emitter
    wbSoftBodyId softBody;   ///< at most one of the three is not null
    wbRigidBodyId rigidBody; ///< only a dynamic one feels it
    wbColliderId
        collider; ///< not one that a mechanism moves; it is moved, not turned, no faster than "name.speed"
    wbGrabParams params;
    uint32_t cookie; ///< set by wbDefaultGrabDef
} wbGrabDef;

wbGrabDef wbDefaultGrabDef(void);

enum { WB_MAX_PROBE_VALUES = 6 };

/// What a probe measures. NAN where there is nothing to measure: see docs/queries.md.
typedef struct wbProbeValues {
    int count;
    struct {
        const char *name, *unit; ///< "velocity_x", "m/s"
        double value;
    } values[WB_MAX_PROBE_VALUES];
} wbProbeValues;

typedef struct wbColliderStats {
    float position[3]; ///< m, of its origin, now
    float rotation[4]; ///< unit quaternion x, y, z, w
    double
        force[3]; ///< N, by fluids, the mean of the last step: of pressure, friction, adhesion and collisions
    double torque[3]; ///< N m, about its origin
    double impulse
        [3]; ///< N s, of all that: what fluids lost to it in the last step, to be given to a body that it stands for
    double angularImpulse[3]; ///< N m s, about its origin
} wbColliderStats;

typedef struct wbMechanismStats {
    double open[2];      ///< of a gate; of a lock's upper and lower gate
    double angle, speed; ///< deg, deg/s, of a wheel; m/s, of a free gate
    double torque;       ///< N m, by fluids about its axis in the last step: the load of a motor
    double force;        ///< N, by fluids along the travel of a gate or lock in the last step
    double inertia;      ///< kg m2 of a wheel, kg of a gate, as it moves: its own, or the floor under it
    double transit;      ///< N m s, N s: given to one that is free by fluids, which has not got it yet
} wbMechanismStats;

/// A soft body: particles that constraints hold together. See WB_SOFT_BODY_PARAMS.
typedef struct wbSoftBodyDef {
    const char *name; ///< as of an emitter
    wbSoftBodyParams params;
    const wbMesh *mesh; ///< of meshSurface and meshVolume; the latter closed; copied
    const int *pins; ///< particles that stay where they are, counted from 0, or from the end: -1 is the last
    int pinCount;
    uint32_t cookie; ///< set by wbDefaultSoftBodyDef
} wbSoftBodyDef;

wbSoftBodyDef wbDefaultSoftBodyDef(void);

/// A particle of a soft body that a point of a rigid body holds.
typedef struct wbAttachment {
    int particle;       ///< counted from 0 in its body
    wbRigidBodyId body; ///< what holds it
    wbVec3 point;       ///< m, where, as seen from the rigid body's origin
} wbAttachment;

/// What holds a soft body together and how it can be drawn. Valid until the world changes. Particles are counted over all
/// soft bodies of the world: less firstParticle they are places in the body's view.
typedef struct wbSoftBodyMesh {
    int firstParticle;
    int constraintCount;
    const int *first, *second; ///< of each constraint
    const float *restLength;   ///< m, of each constraint
    int triangleCount;         ///< of cloth and meshSurface
    const int *triangles;      ///< three each
} wbSoftBodyMesh;

/// Particle data of one fluid or soft body in memory order, without a copy where the world holds only this fluid. Valid
/// until the world changes or steps. Element i of an array stands at [i * stride]. Of a soft body, density and pressure are
/// NULL. Where all particles are of one size, mass, radius and distance are NULL: see wbFluid_GetParticleMass and wbFluid_GetSpacing.
typedef struct wbView {
    int count;
    int stride;
    const float *x, *y, *z;    ///< m
    const float *vx, *vy, *vz; ///< m/s
    const float *density;      ///< kg/m3, of the last evaluation; the rest density before the first
    const float *pressure;     ///< Pa, of the equation of state or of the constraints; 0 before the first
    const uint32_t *id;        ///< of a particle, for its whole life; counted from 0 in its world
    const float *mass;         ///< kg; NULL: all have that of the fluid
    const float *
        radius; ///< m, half the side of the cube (2D: square) of water at rest that it stands for; NULL: half a spacing
    const float *distance; ///< m, to the fluid's surface, at which it is the radius; NULL where mass is
} wbView;

typedef enum wbDiffuseKind { wb_diffuseSpray, wb_diffuseFoam, wb_diffuseBubble } wbDiffuseKind;

/// Spray, foam and bubbles of all fluids, without a copy. Valid until the world changes or steps.
typedef struct wbDiffuseView {
    int count;
    const float *x, *y, *z;    ///< m
    const float *vx, *vy, *vz; ///< m/s
    const float *age;          ///< s, since it was born
    const float *left;         ///< s, that it still lasts where it is
    const uint32_t *kind;      ///< wbDiffuseKind
    const uint32_t *id;        ///< for its whole life; counted from 0
    float radius;              ///< m, of spray in pictures
} wbDiffuseView;

/// Fields of the air in cells of a grid, without a copy. Valid until the world changes or steps. The values of cell
/// (i, j, k) stand at [i + j * strideY + k * strideZ]. With smoke.follow the grid is a window of the box, with all of the
/// smoke in it, which moves from step to step.
typedef struct wbSmokeView {
    int cells[3];    ///< along x, y, z; 1 along z in 2D
    int boxCells[3]; ///< that fill the whole box: the same without smoke.follow
    int first[3];    ///< cells of the box before the grid's: 0 without smoke.follow
    ptrdiff_t strideY, strideZ;
    float cellSize;           ///< m
    wbVec3 min;               ///< m, the lower corner of cell (0, 0, 0)
    const float *density;     ///< 1: thick smoke
    const float *temperature; ///< K above ambient
    const float *fuel;        ///< NULL without fire
    const float *steam,
        *cloud; ///< g/m3, vapour of water and the droplets that it condensed to; NULL without smoke.steam
    const float *pressure; ///< m2/s2, over the density of air
    const float *u, *v,
        *w; ///< m/s, across the cell's lower faces along x, y, z; also one behind the last cell
    const float *colour[3]; ///< density of smoke in red, green and blue; NULL without colours
    const uint8_t *solid;   ///< 0: air. By strides of its own:
    ptrdiff_t solidStrideY, solidStrideZ;
} wbSmokeView;

/// Sums over the air, computed when asked for. All 0 without smoke.
typedef struct wbSmokeStats {
    int64_t cells;                       ///< wbWorld_GetCellCount
    double amount;                       ///< m3 (2D: m2) that the smoke would fill with density 1
    double momentum[3];                  ///< kg m/s, with WB_AIR_DENSITY; 2D: per m of depth
    double kinetic;                      ///< J, likewise
    double divergenceBefore, divergence; ///< 1/s, before and after the last projection, root mean square
    int cycles;                          ///< or sweeps of the last projection
    double drift;                        ///< share by which advection changed it in all, in a closed box
    double left; ///< kg of smoke that went out through open sides, of density 1 as 1 kg/m3
} wbSmokeStats;

/// kg/m3
#define WB_AIR_DENSITY 1.2

/// Sums over the whole world, computed when asked for. Smoke of density 1 counts as 1 kg/m3.
typedef struct wbStats {
    int64_t step;
    double time; ///< s
    int particles;
    double mass;                    ///< kg
    double momentum[3];             ///< kg m/s
    double kinetic, potential;      ///< J; potential relative to the domain's bottom, or to y = 0
    double maxSpeed;                ///< m/s, of particles and rigid bodies; of the air it is not looked for
    double densityMean, densityMax; ///< kg/m3, of fluids, each of their own rest density; 0 without any
    double densityErrorMean, densityErrorMax; ///< compression max(0, rho/rho0 - 1)
    double divergence;                        ///< 1/s, of the air: see wbSmokeStats; NAN without smoke
    int64_t spawned, removed,
        leaked;             ///< leaked: now beyond a closed side or in a collider, or ever through a sheet
    int64_t held;           ///< by pumps: drained, and not out again yet
    int64_t merges, splits; ///< of particles of different sizes, since the world was made
    double smallestRadius,
        largestRadius; ///< m, of a fluid's particles: half a spacing where all are of one size; 0 without any
    double
        momentumLost; ///< kg m/s, lengths of what merges lost with pbf.adaptive.losesMomentum, since the world was made
    double transit
        [3]; ///< kg m/s, that fluids gave to rigid and soft bodies and free gates, which have not got it yet
    double waterRigid[3];           ///< N s, that fluids gave to rigid bodies in the last step
    double waterMechanism[3];       ///< N s, that fluids gave to parts of free mechanisms in the last step
    double waterSoft[3];            ///< N s, that fluids gave to soft bodies in the last step
    double softRigid[3];            ///< N s, that soft bodies gave to rigid bodies in the last step
    double airSoft[3], airRigid[3]; ///< N s, that the air gave to soft and rigid bodies in the last step
    double airWater[3];             ///< N s, likewise to fluids
    /// @name Heat, with smoke.steam: J above that of the air around, and of water of 20 degrees
    /// @{
    double heatAir, heatSteam, heatWater; ///< of air, vapour, fluids
    double heatLost; ///< so far, to roundings, and in cells that solids came to with no air beside
    /// that all came from so far: sources and fire; sides, less smoke.cooling; fluids' particles that came or went
    double heatSources, heatSides, heatFluids;
    double steam, clouds;       ///< kg of water in the air, as vapour and droplets
    double boiling, evaporated; ///< kg, of fluids' particles that has become steam, and that of all so far
    double fuelDrowned;         ///< m3 (2D: m2) of fuel of density 1 that water came to, so far
    /// @}
    int spray, foam, bubbles; ///< diffuse particles, by their kind: no fluid's
    int64_t diffuseRefused;   ///< that diffuse.limit kept from being born, since it was switched on
    /// pairs of particles of different solvers' fluids, nearer than half of both diameters; counted anew when asked; -1: it
    /// could not be, for want of memory or of a device
    int64_t overlap;
} wbStats;

/// A number that follows from parameters and state, for panels that show it beside them.
typedef struct wbDerived {
    const char *section; ///< of the parameters that it belongs to: "sph"
    const char *name, *unit, *sentence;
    double value;
} wbDerived;

/// Two particles of an adaptive fluid on their way to be one, or one on its way to be two: mass goes from one to the other.
typedef struct wbTransfer {
    wbVec3 from, to; ///< m
    float left;      ///< s, until it is done
    bool isMerge;    ///< else a split
} wbTransfer;

enum { WB_MAX_PHASES = 64, WB_MAX_SOLVERS = 16 }; ///< more than all solvers together have, and than there are

/// Where the last step spent its time.
typedef struct wbProfile {
    double stepMs;
    int phaseCount;
    struct {
        const char *name;
        double ms; ///< of all sub-steps
    } phases[WB_MAX_PHASES];
    int solverCount; ///< that are there
    struct {
        const char *name;
        int subSteps; ///< that it took; 0 before the first step
    } solvers[WB_MAX_SOLVERS];
    int64_t pairs;        ///< neighbour pairs i -> j within range, without self, of the last evaluation
    uint64_t allocations; ///< calls of the allocator since the world was made
    size_t bytes;         ///< memory held now
    size_t peakBytes;
    float dt; ///< s, of the last step
    int pbfSubSteps; ///< as pbf.subSteps says, or chose if that is auto: parts that position based fluids cut the last of their
        ///< sub-steps in `solvers` into, or will cut the first; 0: there are none of them
} wbProfile;

WB_API_END
