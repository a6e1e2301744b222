// SPDX-License-Identifier: MIT
// The world's own data; public functions on it stand in world.c, fluid.c, step.c and report.c.
#pragma once

#include "core/id_pool.h"
#include "core/work.h"
#include "pbd/pbf_gpu.h"
#include "shape/collision_gpu.h"
#include "space/boundary.h"
#include "space/domain.h"
#include "space/particle_flow.h"
#include "sph/sph.h"
#include "sph/sph_boundary.h"
#include "sph/sph_gpu.h"
#include "sph/sph_model.h"
#include "wirbel/wirbel.h"
#include "world/snapshot.h"
#include "world/solver.h"

enum { WB_NAME_SIZE = 64 };

/// What a def must carry to show that it was made by its default function.
enum {
    WB_WORLD_COOKIE = 0x57624c64,
    WB_FLUID_COOKIE = 0x57624c66,
    WB_EMITTER_COOKIE = 0x57624c65,
    WB_DRAIN_COOKIE = 0x57624c72,
    WB_COLLIDER_COOKIE = 0x57624c63,
    WB_MECHANISM_COOKIE = 0x57624c6d,
    WB_SOURCE_COOKIE = 0x57624c73,
    WB_SOFT_BODY_COOKIE = 0x57624c6f
};

typedef struct wbFluid {
    char name[WB_NAME_SIZE];
    uint32_t generation;
    wbFluidSolver solver;
    float restDensity; ///< kg/m3; 0: the solver's
    int particleCount;
    int64_t spawned, removed;
    int64_t snapshotSpawned, snapshotRemoved; ///< as of the particles on the host
    wbArray viewFloats, viewIds; ///< copies for views, where several fluids share the solver's arrays
} wbFluid;

/// Ids from `first` on, up to the next run, belong to one fluid.
typedef struct wbIdRun {
    uint32_t first, fluid;
    int live; ///< particles that are still there
} wbIdRun;

enum { WB_FLUID_SOLVERS = 2 };

/// What the particles of a solver may have (energy.c): m2/s2 per particle, times relative densities, summed.
typedef struct wbEnergyAccount {
    double came;          ///< kinetic and potential energy that they came with
    double given;         ///< what was added since
    double speed;         ///< m/s, the highest that particles came with
    double sideSpeed;     ///< m/s, the highest of a side or a collider so far
    double sideWay;       ///< m, that sides have moved
    int64_t newCount;     ///< particles that came since the last look
    double newFall;       ///< m2/s2, the sum of their g·x
    int64_t pressing;     ///< particles that came since the last step
    int32_t isStoredAnew; ///< the equation of state, or what else stores energy, became another
} wbEnergyAccount;
enum { WB_ACCOUNT_VALUES = 9 };
/// As they are saved for a solver of this name.
#define WB_ACCOUNT_NAMES(solver)                                                                             \
    solver ".came", solver ".given", solver ".speed", solver ".sideSpeed", solver ".sideWay",                \
        solver ".newCount", solver ".newFall", solver ".pressing", solver ".isStoredAnew"

/// What the world does alike with the particles of every solver of fluids.
typedef struct wbPool {
    wbWorld *world;
    const char *section;        ///< of its parameters: "sph"
    int fluidCount;             ///< of this solver
    wbParticles *particles;     ///< what of them is on the host
    wbParticlesGpu *device;     ///< NULL: the processor's cores compute
    wbParticleFlowGpu *flowGpu; ///< made when the first particle comes or goes on the device
    int mostParticles;          ///< that there were at once: the arrays have room for them
    wbBoundary boundary;        ///< of the colliders, in their order, sampled for this solver
    bool isBoundaryStale;       ///< it has to be made anew
    float spacing, h;           ///< m
    float restDensity;          ///< kg/m3
    double mass;                ///< kg, of a particle
    wbEnergyAccount account;
} wbPool;

typedef struct wbSoft wbSoft;
typedef struct wbAir wbAir;

enum { WB_WORLD_VALUES = 8 };

struct wbWorld {
    wbWorldParams params;
    wbWorldDef def; ///< that it was made of, with the solvers' parameters as they are now
    wbDomain domain;
    wbDomain snapshotDomain; ///< as of the state on the host
    wbParallelFn *parallel;
    void *parallelContext;

    wbMemory *memory;
    wbWork work;

    wbSolver solvers[WB_SOLVER_COUNT]; ///< by the order of WB_SOLVERS
    wbSnapshot snapshot;

    wbSph sph; ///< what of the particles is on the host
    wbSphModel sphModel;
    wbGpu *gpu; ///< NULL: the processor's cores compute
    wbPbf pbf;
    wbPbfModel pbfModel;                        ///< before the first fluid of this solver only its parameters
    wbPool pools[WB_FLUID_SOLVERS];             ///< by wbFluidSolver
    uint8_t snapshotValues[WB_WORLD_VALUES][8]; ///< single numbers of the state, as of the host's particles

    wbIdPool fluidIds;
    wbArray fluids; ///< wbFluid, by index of their ids
    wbArray idRuns; ///< wbIdRun, by their first ids
    int idRunCount;
    uint32_t nextId; ///< of the next particle

    wbIdPool emitterIds, drainIds;
    wbArray emitters, drains; ///< wbEmitter, wbDrain

    wbIdPool colliderIds, mechanismIds;
    wbArray colliders, mechanisms; ///< wbCollider, wbMechanism
    wbCollision *collision;        ///< of the colliders, in their order
    wbCollisionGpu *collisionGpu;  ///< on the device
    wbArray collisionPlaces;       ///< wbCollisionPlace, likewise
    float collidersDt;             ///< s, of the step that is being done
    int64_t squeezed;              ///< times that the collision found no place for a particle
    bool isCollisionStale;         ///< the collision has to be made anew

    wbSoft *soft; ///< soft bodies
    wbAir *air;   ///< NULL: there is no smoke

    double time; ///< s
    int64_t stepCount;
    int64_t spawned, removed;
    double scriptTime; ///< s: a scene's script was run up to here; before the start if not at all
    float lastDt;      ///< s
    double stepMs;
    float colliderSpeed; ///< m/s, of the fastest point of a collider in the last step: dt follows it
    wbStatus stopped;    ///< ok, or why the world cannot be stepped any more
};

/// The fluid of an id; a stale id is a programmer's mistake.
wbFluid *wbGetFluidOf(const wbWorld *world, wbFluidId id);
/// The particles that a fluid's are among, by the fluid's index.
wbPool *wbGetPoolOf(const wbWorld *world, int fluid);
/// After a model became another.
void wbFollowModels(wbWorld *world);
/// The rest density of a fluid, by its index, over that of its solver.
double wbGetRelativeDensity(const wbWorld *world, int fluid);
/// Whether fluids of a pool have another rest density than their solver.
bool wbIsMixed(const wbPool *pool);
/// Relative densities of a pool's particles, summed: their mass over that of a particle of the solver's rest density.
double wbWeighPool(const wbPool *pool);
/// m/s: how fast a pool is, or is by what was asked for alone: as it came, and by its colliders.
float wbGetFluidSpeed(const wbPool *pool, bool isAsked);
/// The account of a pool, for the values of its solver; how many were added.
int wbListAccount(wbEnergyAccount *account, const char *const names[WB_ACCOUNT_VALUES], wbSavedValue *values);
/// After a pool's step on a device or the cores: what its status means for the world.
wbStatus wbSettleFluid(const wbPool *pool, wbStatus status);
/// Hooks that all solvers of fluids have, and their devices: each of the solver's pool.
int wbListFluidColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
wbStatus wbResizeFluid(const wbSolver *solver, wbSectionList *list);
float wbGetFluidResolution(const wbSolver *solver);
void wbAddFluidStats(const wbSolver *solver, double ground, wbStats *stats);
wbStatus wbCheckFluid(wbSolver *solver, float dt);
bool wbIsFluidAhead(const wbSolver *solver);
wbStatus wbFetchFluid(wbSolver *solver);
void wbTakeFluid(wbSolver *solver);
void wbMarkFluidDirty(wbSolver *solver);
void wbDiscardFluid(wbSolver *solver, wbStatus why);
/// For the solver's step, in the arena; no runs if the pool is not mixed.
wbStatus wbListMixture(const wbWorld *world, const wbPool *pool, wbMixture *mixture);
/// Whether a solver has fluids to move.
bool wbIsSolverUsed(const wbWorld *world, wbFluidSolver solver);
/// A fluid of this solver is being made: its model and, where the device computes, its part there.
wbStatus wbUseSolver(wbWorld *world, wbFluidSolver solver);
/// True if the device's particles are ahead of the host's.
static inline bool wbIsPoolOnDevice(const wbPool *pool) {
    return pool->device && pool->device->deviceIsNewer;
}
/// The same of any fluid.
bool wbIsDeviceNewer(const wbWorld *world);
/// Of all fluids.
int64_t wbCountParticles(const wbWorld *world);

/// Layers of a block's lattice along one axis, and where the first one begins (m): as many as fit, in the middle
/// between min and max; 0 if there is no room for half of one. What of a block is behind a wall by less than half a
/// spacing does not count.
double wbLayAxis(const wbWorld *world, const wbPool *pool, int axis, float min, float max, float *low);

/// The speed of sound for 1 % compression, by the water and the emitters that are there, whose state is on the host.
wbStatus wbChooseSoundSpeed(const wbWorld *world, wbVec3 gravity, wbSphParams *params);

/// When the world ends.
void wbFreeFluids(wbWorld *world);

/// The fluid's index of a particle that is there.
int wbGetFluidOfId(const wbWorld *world, uint32_t id);
/// Before wbTakeId is called any number of times for one fluid.
wbStatus wbReserveIdRun(wbWorld *world);
/// The id of a new particle.
uint32_t wbTakeId(wbWorld *world, int fluid);
/// A particle is gone; gives its fluid's index.
int wbDropId(wbWorld *world, uint32_t id);
/// After the particles or the next id became others: counts of runs and fluids.
void wbRecountIds(wbWorld *world);

/// The accounts of a particle that comes or goes: ids, counts, speed, energy. Room for its id was reserved.
uint32_t wbBookParticle(wbWorld *world, int fluid, const float p[3], const float v[3]);
void wbUnbookParticle(wbWorld *world, uint32_t id, const float p[3], const float v[3]);

/// Before a step: what emitters and drains need on a device, which may fail.
wbStatus wbPrepareFlow(wbWorld *world);
/// Emitters and drains, after the solvers' step of dt seconds.
wbStatus wbRunFlow(wbWorld *world, float dt);
/// Particles that pumps hold: in their pipes, and waiting at their emitters.
int64_t wbCountHeld(const wbWorld *world);
uint64_t wbHashFlow(const wbWorld *world, uint64_t hash);
/// Their state is that of the particles on the host; back to it.
void wbSnapshotFlow(wbWorld *world);
void wbRestoreFlow(wbWorld *world);
/// When the world ends.
void wbFreeFlow(wbWorld *world);

/// Before a step of dt seconds: colliders that are new are sampled, and all know where they are at its start, in its
/// middle and at its end.
wbStatus wbPrepareColliders(wbWorld *world, float dt);
/// Before a pool's step: what colliders drag along is no runaway of its energy.
void wbBookColliderSpeed(wbPool *pool);
/// What the step of a pool needs of them; `colliders` is filled. NULL: there are none.
const wbFluidColliders *wbGetFluidColliders(wbPool *pool, wbFluidColliders *colliders);
/// How often the collision found no place for a particle, with what the device has counted.
int64_t wbCountSqueezed(wbWorld *world);
/// After it: they are there, and free wheels have felt the water.
void wbSettleColliders(wbWorld *world, float dt);
uint64_t wbHashColliders(const wbWorld *world, uint64_t hash);
/// As of flow.
void wbSnapshotColliders(wbWorld *world);
void wbRestoreColliders(wbWorld *world);
void wbFreeColliders(wbWorld *world);

/// Soft bodies. When a world begins and ends:
wbStatus wbCreateSoft(wbWorld *world, const wbPbdParams *params);
void wbDestroySoft(wbWorld *world);
/// Advances them by dt seconds.
wbStatus wbStepSoft(wbWorld *world, float dt);
/// A parameter of "domain": where its sides shall go.
wbStatus wbSetDomainParam(wbWorld *world, const wbParam *param, const char *value);
wbStatus wbGetDomainParam(const wbWorld *world, const wbParam *param, char *value, int size);

/// The air of a def. What a failure leaves is freed with the world.
wbStatus wbCreateAir(wbWorld *world, const wbWorldDef *def);
void wbFreeAir(wbWorld *world);
/// Before a step of dt seconds, when the colliders know where they will be: all of it that may fail.
wbStatus wbPrepareAir(wbWorld *world, float dt);
wbStatus wbStepAir(wbWorld *world, float dt);
/// A collider has another temperature.
void wbMarkAirCollidersDirty(wbWorld *world);

/// Finds "section.name": table and row, or an error that names the nearest known key.
wbStatus wbFindParamByKey(const char *key, const wbParamTable **table, const wbParam **param);

/// All single numbers of the world's own state, listed once: hashing and saving walk this list.
void wbWorld_ListValues(wbWorld *world, wbSavedValue values[WB_WORLD_VALUES]);

/// Before the particles are read or changed on the host: copies them from the device. If that fails, the world goes
/// back to the last copy.
wbStatus wbPullState(wbWorld *world);
/// After the state was changed on the host; or only the particles of one pool.
void wbMarkStateDirty(wbWorld *world);
void wbMarkPoolDirty(wbWorld *world, wbPool *pool);
/// After single numbers were changed: they belong to the particles that are on the host, unless the device is ahead.
void wbSnapshotValues(wbWorld *world);
/// After a device lost the state: back to the host's.
wbStatus wbRestoreSnapshot(wbWorld *world, wbStatus why);
/// When the world ends.
void wbFreeBackend(wbWorld *world);

/// The account of a pool's energy grows by what a particle brings, and shrinks by what one of `count` takes away.
void wbAddEnergy(const wbWorld *world, int fluid, const float p[3], const float v[3]);
void wbTakeEnergy(const wbWorld *world, int fluid, const float p[3], const float v[3], int64_t count);
/// Accounts follow what changes: the sides when a solver is first used, gravity, and the rest density of the solver where
/// fluids have their own, so that the weights of particles change, which are on the host then.
void wbOpenAccount(wbPool *pool);
void wbFollowGravity(wbWorld *world, wbVec3 before);
bool wbHasOwnDensity(const wbPool *pool);
void wbBookAnew(wbPool *pool);
/// After a pool's step of dt seconds: wb_errorUnstable if its energy left its bound. Most steps are let pass:
/// wbCheckEnergyNow looks at once.
wbStatus wbCheckEnergy(wbWorld *world, wbPool *pool, float dt);
wbStatus wbCheckEnergyNow(wbWorld *world, wbPool *pool, float dt);
/// Something may have done work on soft bodies, or stored energy in them: the account of it begins anew.
void wbCloseSoftAccount(wbWorld *world);
