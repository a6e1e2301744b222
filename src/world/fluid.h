// SPDX-License-Identifier: MIT
// Fluids of particles as the world sees them. A fluid is a named set of particles; all fluids of one solver share its arrays, so
// that they meet: a liquid. Emitters, drains, colliders, views and accounts of energy know liquids alike; in what methods
// differ there is a table of functions, wbFluidMethod.
#pragma once

#include "space/boundary.h"
#include "space/colliders.h"
#include "space/particle_flow.h"
#include "space/particle_fluid.h"
#include "world/solver.h"

enum { WB_NAME_SIZE = 64 };

typedef struct wbFluid {
    char name[WB_NAME_SIZE];
    wbFluidSolver solver;
    float restDensity; ///< kg/m3; 0: the solver's
    int particleCount;
    int64_t spawned, removed;         ///< in smallest particles, where sizes differ
    int64_t hostSpawned, hostRemoved; ///< as of the particles on the host
    wbArray viewFloats, viewIds;      ///< copies for views, where several fluids share the solver's arrays
    wbArray viewSizes;                ///< masses, radii and distances for views, where sizes differ
} wbFluid;

static inline wbFluid wbMakeFluid(wbFluidSolver solver, float restDensity) {
    return (wbFluid){.solver = solver,
                     .restDensity = restDensity,
                     .viewFloats.elementSize = sizeof(float),
                     .viewSizes.elementSize = sizeof(float),
                     .viewIds.elementSize = sizeof(uint32_t)};
}

/// Ids from `first` on, up to the next run, belong to one fluid.
typedef struct wbIdRun {
    uint32_t first, fluid;
    int live; ///< of particles that are still there, or that were merged into such
} wbIdRun;

/// What the particles of a solver may have (energy.c): m2/s2 per particle, times relative densities, summed.
typedef struct wbEnergyAccount {
    double came;          ///< kinetic and potential energy that they came with
    double given;         ///< what was added since
    double speed;         ///< m/s, the highest that particles came with
    double sideSpeed;     ///< m/s, the highest of a side or a collider so far
    double sideWay;       ///< m, that sides have moved along themselves
    double swept;         ///< m3 (2D: m2) that sides have pressed out on a device since the last look
    int64_t newCount;     ///< particles that came since the last look
    double newFall;       ///< m2/s2, the sum of their g·x
    int64_t pressing;     ///< particles that came since the last step
    int32_t isStoredAnew; ///< the equation of state, or what else stores energy, became another
} wbEnergyAccount;
enum { WB_ACCOUNT_VALUES = 10 };
/// As they are saved for a solver of this name.
#define WB_ACCOUNT_NAMES(solver)                                                                             \
    solver ".came", solver ".given", solver ".speed", solver ".sideSpeed", solver ".sideWay",                \
        solver ".newCount", solver ".newFall", solver ".pressing", solver ".isStoredAnew", solver ".swept"

/// A liquid. Its adapter embeds it and sets what stands first.
typedef struct wbParticleFluid {
    const struct wbFluidMethod *method;
    wbSolver *solver;
    wbWorld *world;
    wbFluidState *state;        ///< the method's own
    wbParticles *particles;     ///< of it: what of them is on the host
    wbParticlesGpu *device;     ///< NULL: the processor's cores compute
    wbParticleFlowGpu *flowGpu; ///< made when the first particle comes or goes on the device
    int mostParticles;          ///< that there were at once: the arrays have room for them
    wbBoundary boundary;        ///< of the colliders, in their order, and of bodies, sampled for this solver
    int bodyCount;              ///< of its bodies, the last: those that solvers show (wbGetBodyOwner)
    bool isBoundaryStale;       ///< it has to be made anew
    float spacing, h;           ///< m
    float restDensity;          ///< kg/m3
    double mass;                ///< kg, of a particle; of the smallest where sizes differ
    double blown[3];            ///< N s, that the wind gave to its drops in the last step
    wbEnergyAccount account;
} wbParticleFluid;

/// How a liquid bears bodies that push it.
typedef enum wbBearing {
    wb_bearingSoft,   ///< by sound, which comes through a layer of particles in a step
    wb_bearingShared, ///< all of it in a step, and they give way while it iterates (wbFluidColliders.respond)
    wb_bearingKept ///< likewise, from the pressures of the step before: an iteration moves the layer beside them
} wbBearing;

/// What methods do differently. Energies are in m2/s2: over the mass of a particle of the rest density.
typedef struct wbFluidMethod {
    /// Advances by dt seconds, by the cores or, if the solver has one, by its device. Colliders may be NULL.
    wbStatus (*step)(wbParticleFluid *liquid, const wbFluidColliders *colliders, float dt);
    /// For wb_fluidDevice.
    const struct wbFluidGpuKind *(*getGpu)(const wbParticleFluid *liquid);
    /// What of its parameters devices do not compute, for messages: the cores compute it then, whatever computes the others. NULL:
    /// there is nothing. May be NULL itself.
    const char *(*findMissing)(const wbParticleFluid *liquid);
    /// Whether it feels thin sheets (wbFluidColliders.sheets), on the cores, as its parameters are. NULL: it does not.
    bool (*feelsSheets)(const wbParticleFluid *liquid);
    /// NULL: soft.
    wbBearing (*getBearing)(const wbParticleFluid *liquid);
    /// Parameters, or the densities of its fluids, have changed: what follows from them, by wbParticleFluid_SetModel.
    void (*follow)(wbParticleFluid *liquid);
    /// @name Particles of different sizes; NULL: all are of one
    /// @{
    /// Whether sizes may differ; the others are called only then.
    bool (*isSized)(const wbParticleFluid *liquid);
    /// The mass of a particle, by its place, over that of the smallest; m, how far it is from the surface.
    double (*getUnits)(const wbParticleFluid *liquid, int place);
    float (*getDistance)(const wbParticleFluid *liquid, int place);
    /// Room for so many particles in what the method has of each; those from `begin` on are new; those whose marks are not 0 go.
    wbStatus (*reserve)(wbParticleFluid *liquid, int count);
    void (*begin)(wbParticleFluid *liquid, int begin, int end);
    void (*remove)(wbParticleFluid *liquid, const uint8_t *marks);
    /// Ids of particles that were merged into others, which their halves get again: those of a liquid's particles and these together
    /// are as many as its mass in smallest particles.
    struct wbSpareIds *(*getSpareIds)(const wbParticleFluid *liquid);
    /// What a particle, by its place, gives mass to, and how; false: it gives none.
    bool (*getTransfer)(const wbParticleFluid *liquid, int place, wbTransfer *transfer);
    /// On a device what the method has of each particle goes along with it. From `takeBack` on the host's particles count: they are the device's, or,
    /// if these are lost, those of before.
    void (*putOn)(wbParticleFluid *liquid, wbParticlesGpu *device);
    void (*takeBack)(wbParticleFluid *liquid, bool isLost);
    /// @}
    /// s: how much of a change of velocity in a step of dt seconds has moved a particle in it.
    float (*getShift)(const wbParticleFluid *liquid, float dt);
    /// m/s, above which the liquid cannot have turned a wheel; and in words what is above it: "faster than sound".
    float (*getWheelSpeed)(const wbParticleFluid *liquid, float dt);
    const char *beyondWheelSpeed;
    /// @name The account of its energy (energy.c)
    /// @{
    int energyInterval; ///< steps from one look to the next
    double workFactor;  ///< what becomes of the work of colliders
    /// Of a particle that is pressed as much as any is now.
    double (*getStored)(const wbParticleFluid *liquid, double dt);
    /// Of a particle: sound and noise of the method's own size.
    double (*getNoise)(const wbParticleFluid *liquid, double dt);
    /// Of all: what falling gains in a step beside what it should. NULL: nothing.
    double (*getFallGain)(const wbParticleFluid *liquid, double dt);
    /// Of all, whose squared speeds sum up to speed2: what is added to motion in so many steps. NULL: nothing.
    double (*getMotionGain)(const wbParticleFluid *liquid, double speed2, int steps, double dt);
    /// Of all on the device: the sums of v2 and g·x, with weights. NULL: they are not known there.
    void (*getDeviceSums)(const wbParticleFluid *liquid, double *speed2, double *fall);
    /// @}
} wbFluidMethod;

static inline wbBearing wbGetBearing(const wbParticleFluid *liquid) {
    return liquid->method->getBearing ? liquid->method->getBearing(liquid) : wb_bearingSoft;
}

/// The first liquid of a world (after NULL), or the one after another; NULL: that was the last.
wbParticleFluid *wbGetNextLiquid(const wbWorld *world, const wbParticleFluid *liquid);
/// Whether solvers with this index are of fluids.
bool wbIsFluidSolver(uint32_t index);

/// For adapters, when the solver begins and ends, with its state.
void wbParticleFluid_Init(wbParticleFluid *liquid, wbSolver *solver, const wbFluidMethod *method,
                          wbFluidState *state);
void wbParticleFluid_Free(wbParticleFluid *liquid);
/// What a method's `follow` says.
void wbParticleFluid_SetModel(wbParticleFluid *liquid, float spacing, float h, float restDensity,
                              double mass);

/// The fluid of an id; a stale id is a programmer's mistake.
wbFluid *wbGetFluidOf(const wbWorld *world, wbFluidId id);
/// The particles that a fluid's are among, by the fluid's index.
wbParticleFluid *wbGetLiquidOf(const wbWorld *world, int fluid);
/// The rest density of a fluid, by its index, over that of its solver.
double wbGetRelativeDensity(const wbWorld *world, int fluid);
/// The least and the greatest of a liquid's fluids; 1 and 1 without any.
typedef struct wbDensityRange {
    float least, most;
} wbDensityRange;
wbDensityRange wbFindDensityRange(const wbParticleFluid *liquid);
/// Whether fluids of a liquid have another rest density than their solver.
bool wbIsMixed(const wbParticleFluid *liquid);
/// Relative densities of a liquid's particles, summed: their mass over that of a particle of the solver's rest density.
double wbWeighLiquid(const wbParticleFluid *liquid);
/// Whether a liquid's particles may be of different sizes; the mass of one over that of the smallest; of all of them.
bool wbIsSized(const wbParticleFluid *liquid);
double wbGetUnits(const wbParticleFluid *liquid, int place);
int64_t wbCountUnits(const wbParticleFluid *liquid);
/// m, half the side of the cube that a particle of so many units stands for.
float wbGetRadiusOf(const wbParticleFluid *liquid, double units);
/// Room for so many particles, and what their method has of each.
wbStatus wbReserveParticles(wbParticleFluid *liquid, int count);
/// Particles from `begin` on have come.
void wbBeginParticles(wbParticleFluid *liquid, int begin);
/// Takes away those whose marks are not 0, with all accounts of them.
wbStatus wbRemoveMarked(wbParticleFluid *liquid, const uint8_t *marks);
/// Masses and radii of a fluid's view.
wbStatus wbFillViewSizes(wbWorld *world, int fluid, wbView *view);
/// After particles merged and split: how many each fluid has.
wbStatus wbRecountFluids(wbParticleFluid *liquid);
/// Particles of different sizes come and go on the host: copies them from a device that is ahead, in a step for whose undoing the host's are kept.
wbStatus wbFetchSized(wbParticleFluid *liquid);
/// m/s: how fast a liquid is, or is by what was asked for alone: as it came, and by its colliders.
float wbGetFluidSpeed(const wbParticleFluid *liquid, bool isAsked);
/// True if the device's particles are ahead of the host's.
static inline bool wbIsLiquidOnDevice(const wbParticleFluid *liquid) {
    return liquid->device && liquid->device->deviceIsNewer;
}
/// Of all fluids.
int64_t wbCountParticles(const wbWorld *world);
/// When the world ends; what one of them has for views.
void wbFreeFluids(wbWorld *world);
void wbFreeViews(wbWorld *world, int fluid);
/// Whether a particle, number i of those that a program gives, may have this place and this velocity; either may be NULL.
wbStatus wbCheckParticle(const wbWorld *world, int i, const float *p, const float *v);

/// Layers of a block's lattice along one axis, and where the first one begins (m): as many as fit, in the middle
/// between min and max; 0 if there is no room for half of one. What of a block is behind a side by less than half a
/// spacing does not count.
double wbLayAxis(const wbWorld *world, const wbParticleFluid *liquid, int axis, float min, float max,
                 float *low);

/// @name Ids and accounts of particles that come and go
/// @{
/// The run that an id is of, among one or more.
wbIdRun *wbFindIdRun(wbIdRun *runs, int count, uint32_t id);
/// The fluid's index of a particle that is there.
int wbGetFluidOfId(const wbWorld *world, uint32_t id);
/// Before wbTakeId is called any number of times for one fluid.
wbStatus wbReserveIdRun(wbWorld *world);
/// The id of a new particle.
uint32_t wbTakeId(wbWorld *world, int fluid);
/// A particle is gone; gives its fluid's index.
int wbDropId(wbWorld *world, uint32_t id);
/// A fluid that has no particles any more goes: indices of those behind it are one less.
void wbDropIdRuns(wbWorld *world, int fluid);
/// After the particles or the next id became others: counts of runs and fluids.
void wbRecountIds(wbWorld *world);
/// All accounts of a particle that comes or goes: ids, counts, speed, energy. Room for its id was reserved.
uint32_t wbBookParticle(wbWorld *world, int fluid, const float p[3], const float v[3]);
/// `units`: its mass over that of the smallest.
void wbUnbookParticle(wbWorld *world, uint32_t id, double units, const float p[3], const float v[3]);
/// For the solver's step, in the arena; no runs if the liquid is not mixed.
wbStatus wbListMixture(const wbParticleFluid *liquid, wbMixture *mixture);
/// @}

/// @name Energy
/// @{
/// The account of a liquid's energy grows by what a particle of so many units brings, and shrinks by what one takes away, of `count` in
/// all.
void wbAddEnergy(const wbWorld *world, int fluid, double units, const float p[3], const float v[3]);
void wbTakeEnergy(const wbWorld *world, int fluid, double units, const float p[3], const float v[3],
                  int64_t count);
/// Accounts follow a gravity that was set since they last did, by where particles are. Those on a device are left there until the
/// next step, or look at them. It can only fail if there are some.
wbStatus wbFollowGravity(wbWorld *world);
/// Something moves particles at this speed, m/s, for dt seconds: what it gives them, in speed and in height, is no runaway of their energy.
void wbBookPush(wbParticleFluid *liquid, double speed, float dt);
/// As if all particles had just come: before the first step, when some were changed; or none is left.
void wbBookAfresh(wbParticleFluid *liquid);
/// The rest density of the solver changes, and fluids have their own: so do the weights of particles, which are on the host then.
bool wbHasOwnDensity(const wbParticleFluid *liquid);
void wbBookAnew(wbParticleFluid *liquid);
/// Of all fluids of a liquid: the greatest relative density, or 1.
double wbGetHeaviest(const wbParticleFluid *liquid);
/// After a liquid's step of dt seconds: wb_errorUnstable if its energy left its bound. Most steps are let pass:
/// wbCheckEnergyNow looks at once.
wbStatus wbCheckEnergy(wbParticleFluid *liquid, float dt);
wbStatus wbCheckEnergyNow(wbParticleFluid *liquid, float dt);
/// The account, for the values of its solver; how many were added.
int wbListAccount(wbEnergyAccount *account, const char *const names[WB_ACCOUNT_VALUES], wbSavedValue *values);
/// @}

/// @name Hooks that all solvers of fluids have, and their devices: each of the solver's liquid
/// @{
wbStatus wbStepFluid(wbSolver *solver, float dt);
void wbEndFluidStep(const wbSolver *solver, bool isUndone);
/// The device whose buffers a snapshot copies, if it is ahead; NULL: the host's columns are copied. Particles of different sizes come and go on the
/// host in a step, so that theirs are where the device is not ahead.
wbParticlesGpu *wbGetSnapshotDevice(const wbParticleFluid *liquid);
int wbListFluidColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
int wbListFluidUnsaved(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
wbStatus wbResizeFluid(const wbSolver *solver, wbSectionList *list);
float wbGetFluidResolution(const wbSolver *solver);
wbStatus wbCheckFluidDomain(const wbSolver *solver, const wbDomain *next);
void wbAddFluidStats(const wbSolver *solver, double ground, wbStats *stats);
int wbListFluidDerived(const wbSolver *solver, wbDerived rows[WB_MAX_DERIVED]);
wbStatus wbCheckFluid(wbSolver *solver, float dt);
int64_t wbCountTrappedFluid(const wbSolver *solver, const struct wbShape *shape, const struct wbPose *pose);
void wbFollowFluidCollider(wbSolver *solver, int index, const wbColliderParams *before);
void wbDropFluidCollider(wbSolver *solver, int index);
bool wbIsFluidAhead(const wbSolver *solver);
wbStatus wbFetchFluid(wbSolver *solver);
void wbTakeFluid(wbSolver *solver);
void wbMarkFluidDirty(wbSolver *solver);
void wbDiscardFluid(wbSolver *solver, wbStatus why);
/// Section of a solver's spare ids in a checkpoint, as spans, after its name and a dot.
#define WB_SPARE_IDS "spareIds"
/// Of methods on the base of src/space/particle_fluid_gpu.h.
extern const wbSolverDevice wb_fluidDevice;
/// @}
