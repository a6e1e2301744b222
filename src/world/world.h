// SPDX-License-Identifier: MIT
// The world's own data; public functions on it stand in world.c, fluid.c, step.c and report.c.
#pragma once

#include "core/id_pool.h"
#include "core/work.h"
#include "space/collision_gpu.h"
#include "space/domain.h"
#include "wirbel/wirbel.h"
#include "world/fluid.h"
#include "world/plan.h"
#include "world/snapshot.h"

/// What a def must carry to show that it was made by its default function.
enum {
    WB_WORLD_COOKIE = 0x57624c64,
    WB_FLUID_COOKIE = 0x57624c66,
    WB_EMITTER_COOKIE = 0x57624c65,
    WB_DRAIN_COOKIE = 0x57624c72,
    WB_COLLIDER_COOKIE = 0x57624c63,
    WB_MECHANISM_COOKIE = 0x57624c6d,
    WB_SURFACE_COOKIE = 0x57624c75,
    WB_PROBE_COOKIE = 0x57624c70,
    WB_GRAB_COOKIE = 0x57624c71
};

enum { WB_WORLD_VALUES = 9 };

/// 1/s, as output.fps of scenes.
#define WB_LEAST_FRAME_RATE 1e-3
#define WB_MOST_FRAME_RATE  1e6

/// How colliders move in the step that is being done.
typedef struct wbColliderMotions {
    int count;  ///< of those that do
    float way;  ///< m, that a point of one goes at most
    float turn; ///< rad, that one turns at most
} wbColliderMotions;

struct wbWorld {
    wbWorldParams params;
    wbWorldDef def; ///< that it was made of, with the solvers' parameters as they are now
    wbDomain domain;
    wbDomain hostDomain;             ///< as of the state on the host
    wbDomain startDomain, endDomain; ///< of the step that is being done
    wbVec3 bookedGravity;            ///< m/s2, that accounts of energy are by (wbFollowGravity)
    wbVec3 hostBookedGravity;        ///< the same, as of the state on the host
    wbParallelFn *parallel;
    void *parallelContext;

    wbMemory *memory;
    wbWork work;

    wbSolver solvers[WB_SOLVER_COUNT]; ///< by the order of WB_SOLVERS
    wbSnapshot snapshot;
    int64_t stateVersion;      ///< another whenever particles may have become others
    struct wbQueries *queries; ///< NULL: there was no query yet
    wbArray probes;            ///< wbProbe
    wbArray grabs;             ///< wbGrab

    wbGpu *gpu;                             ///< NULL: the processor's cores compute
    uint8_t hostValues[WB_WORLD_VALUES][8]; ///< single numbers of the state, as of the host's particles

    wbIdPool fluidIds, emitterIds, drainIds, colliderIds, mechanismIds, softBodyIds, sourceIds, probeIds,
        rigidBodyIds, jointIds, forceIds, grabIds;
    wbArray fluids; ///< wbFluid, in the order of their ids, as are all objects
    wbArray idRuns; ///< wbIdRun, by their first ids
    int idRunCount;
    uint32_t nextId; ///< of the next particle

    wbArray emitters, drains; ///< wbEmitter, wbDrain

    wbArray colliders, mechanisms; ///< wbCollider, wbMechanism
    wbArray movers;                ///< int, ascending: colliders that may move in the next step
    int moverCount;
    int64_t begunSteps, doneStep; ///< steps that were begun, also such that failed; the last that did not
    wbCollision *collision;       ///< of the colliders, in their order
    wbCollisionGpu *collisionGpu; ///< on the device
    wbArray collisionPlaces;      ///< wbCollisionPlace, likewise
    wbBroadPhase colliderBoxes;   ///< over all colliders: collider_find.c
    wbColliderMotions colliderMotions;
    float collidersDt;            ///< s, of the sub-step that is being done
    double stepLength;            ///< s, of the whole step
    wbCollisionCounts collisions; ///< so far
    bool isCollisionStale;        ///< the collision has to be made anew

    double time;      ///< s; within a step: at the start of the sub-step that is being done
    double startTime; ///< s, of the step that is being done
    double frameRate; ///< 1/s: automatic steps divide frames
    int64_t stepCount;
    int64_t spawned, removed;
    double scriptTime; ///< s: a scene's script was run up to here; before the start if not at all
    float lastDt;      ///< s, of the last step
    bool isAirTold;    ///< that fluids on a device meet the air on the cores
    double stepMs;
    float colliderSpeed; ///< m/s, of the fastest point of a collider in the last sub-step of liquids
    wbStatus stopped;    ///< ok, or why the world cannot be stepped any more
    void *userData;      ///< of the host program
    const wbWorld
        *elder; ///< whose place it will take: what colliders have in common is made once; NULL: none
};

/// @name A world beside another, with its memory, arena and threads: what is in them changes places, then one is destroyed
/// @{
wbStatus wbCreateWorldBeside(const wbWorld *world, const wbWorldDef *def, wbWorld **result);
void wbExchangeContents(wbWorld *one, wbWorld *two);
/// All but memory, arena and threads; a device that another world has is left before.
void wbDestroyContents(wbWorld *world);
/// What computes another world computes this one, too, until it leaves it.
wbStatus wbShareDevice(wbWorld *world, const wbWorld *other);
void wbLeaveDevice(wbWorld *world);
/// @}

/// True if a device's state is ahead of the host's.
bool wbIsDeviceNewer(const wbWorld *world);

/// Before a step: what emitters and drains need on a device, which may fail.
wbStatus wbPrepareFlow(wbWorld *world);
/// Whether there are any.
bool wbHasFlow(const wbWorld *world);
/// Emitters of a group's liquids and, if it leads, drains, after the solvers' sub-step.
wbStatus wbRunFlow(wbWorld *world, const wbSubStep *part);
/// Particles that pumps hold: in their pipes, and waiting at their emitters.
int64_t wbCountHeld(const wbWorld *world);
uint64_t wbHashFlow(const wbWorld *world, uint64_t hash);
/// The state of emitters and drains is that of the particles on the host; back to it.
void wbRecordHostFlow(wbWorld *world);
void wbRestoreHostFlow(wbWorld *world);
/// When the world ends.
void wbFreeFlow(wbWorld *world);

/// Before a step: colliders that are new are sampled.
wbStatus wbPrepareColliders(wbWorld *world);
/// Before a sub-step of dt seconds: all know where they are at its start, in its middle and at its end.
void wbPlaceColliders(wbWorld *world, float dt);
/// Then the group's liquids see them. wb_errorUnstable if a free mechanism has become too fast.
wbStatus wbShowColliders(wbWorld *world, const wbSubStep *part);
/// Before a step of so many seconds is planned: whether soft and rigid bodies may meet in it (soft_rigid.c).
wbStatus wbFindMeetings(wbWorld *world, double seconds);
/// A rigid body goes, and those behind it move up: soft bodies let go of it.
void wbReleaseSoftTies(wbWorld *world, int rigidBody);
/// Whether there are soft and rigid bodies that push each other where they meet: the cores move both then.
bool wbMeetsSoft(const wbWorld *world);
/// Whether soft bodies and liquids push each other: the cores move both then (soft_water.c).
bool wbAreSoftWet(const wbWorld *world);
/// Whether liquids meet rigid bodies with thin walls.
bool wbHasHulls(const wbWorld *world);
/// After the solvers of a sub-step: soft bodies that were on their way in it arrive. `where` is the solver that a status is of.
wbStatus wbSettleSoft(wbWorld *world, const wbSubStep *part, const wbSolver **where);
/// What a liquid feels of soft bodies in the sub-step that is being done; NULL: nothing.
const struct wbFluidSheets *wbGetFluidSheets(const wbParticleFluid *liquid);
/// Particles of a soft body go, and those behind it move up.
void wbDropWetSoft(wbWorld *world, int first, int count);
/// @name Bodies that solvers show to liquids, behind the colliders in their boundaries (solver_coupling.c)
/// @{
/// Before a step is planned: which there are.
wbStatus wbListBodies(wbWorld *world);
/// After a state was read in place: bodies that were wet then have the floor under their inertia, and others not.
void wbApplyFloors(wbWorld *world);
/// Before a fluid is filled: with the room that soft bodies leave, until the next step.
wbStatus wbListRoom(wbWorld *world);
bool wbHasBodies(const wbWorld *world);
/// Without bodies it counts none.
const struct wbSurfaceOwner *wbGetBodyOwner(const wbWorld *world);
/// m, from a point to the nearest collider or body, as they were listed, at most `most`; negative inside one.
float wbGetRoomAround(const wbWorld *world, const float p[3], float most);
/// wb_errorInput if particles of fluids would be in a body, or too near to it.
wbStatus wbCheckBodyRoom(wbWorld *world, int index);
/// Whether one that is there may be put at a pose of its origin: fluids must not be in it that were not before (NULL: it was in none).
wbStatus wbCheckBodyPlace(wbWorld *world, int index, const wbPose *pose, const wbPose *before);
/// Likewise of a soft body that is the last.
wbStatus wbCheckSoftRoom(wbWorld *world, int index);
/// wb_errorInput if there are fluids of another solver, unless that is allowed.
wbStatus wbCheckOtherFluids(const wbWorld *world, const wbFluidDef *def);
/// One goes, and those behind it move up.
void wbDropBody(wbWorld *world, int index);
/// In a sub-step of a group: its liquids see how bodies moved, and give them their impulses.
void wbShowBodies(wbWorld *world, int group);
void wbGiveToBodies(wbWorld *world, int group);
/// kg: fluid that goes along with a body of this section.
double wbGetAddedMass(const wbParticleFluid *liquid, double section);
/// Parts of mechanisms that give way are where those are now, and so are their points.
void wbFollowGuides(const wbWorld *world, wbBoundary *boundary, wbBoundaryTime time);
/// Whether liquids ask within their iterations, and what they ask, with the liquid as its context; else things give way only afterwards.
bool wbDoesRespond(const wbWorld *world);
void wbSetResponse(const wbWorld *world, wbFluidColliders *colliders);
/// For continuous collision.
void wbPlaceBodies(const wbWorld *world, wbBoundaryTime from, wbBoundaryTime to, wbCollisionPlace *places);
/// @}
/// Before a liquid's step: what colliders drag along is no runaway of its energy.
void wbBookColliderSpeed(wbParticleFluid *liquid);
/// What the step of a liquid needs of them; `colliders` is filled. NULL: there are none.
const wbFluidColliders *wbGetFluidColliders(wbParticleFluid *liquid, wbFluidColliders *colliders);
/// How often continuous collision caught particles, or found no place for one, with what the device has counted.
wbCollisionCounts wbCountCollisions(wbWorld *world);
/// After it: they are there, and free mechanisms have felt the water.
void wbSettleColliders(wbWorld *world, const wbSubStep *part);
/// @name Time, sides, colliders and mechanisms in a step that groups of solvers go through one after the other
/// @{
/// Where they are now is the start, or the end, of the step.
void wbMarkStart(wbWorld *world);
void wbMarkEnd(wbWorld *world);
/// They are at its start, or at its end.
void wbRewind(wbWorld *world);
void wbGoToEnd(wbWorld *world);
/// At its start, after the end was marked: free mechanisms go evenly, in `seconds`, to where they are then.
void wbTurnEvenly(wbWorld *world, double seconds);
/// @}
uint64_t wbHashColliders(const wbWorld *world, uint64_t hash);
/// What steps change of them is that of the particles on the host; back to it.
void wbRecordHostColliders(wbWorld *world);
void wbRestoreHostColliders(wbWorld *world);
void wbFreeColliders(wbWorld *world);

/// Parameters of a solver become others, also before it is there; in range, but they may not fit.
wbStatus wbSetSolverParams(wbSolver *solver, void *params);
extern const wbParamTable wb_worldTable;

/// A parameter of "domain": where its sides shall go.
wbStatus wbSetDomainParam(wbWorld *world, const wbParam *param, const char *value);
wbStatus wbGetDomainParam(const wbWorld *world, const wbParam *param, char *value, int size);
/// m/s, of the sides in the next step at most, by what is asked for and by what the solvers bear: 0 if all are where they shall be.
float wbGetSidePace(const wbWorld *world);
/// For solvers: whether no particle is beyond a side that closes.
wbStatus wbCheckClosing(const wbWorld *world, const wbDomain *next, const float *const places[3], int count);

/// Whether a def can be made into a world, as far as its values tell.
wbStatus wbCheckWorldDef(const wbWorldDef *def);
/// Parameters and sides that were checked, for a world with other ones: what computes and the limit of memory stay. Accounts of
/// energy are left as they are. After a failure only some are taken, and those of before can be taken again.
wbStatus wbTakeParams(wbWorld *world, const wbWorldDef *def, const wbDomain *domain);

/// Finds "section.name": table and row, or an error that names the nearest known key.
wbStatus wbFindParamByKey(const char *key, const wbParamTable **table, const wbParam **param);

/// All single numbers of the world's own state, listed once: hashing and saving walk this list.
void wbWorld_ListValues(wbWorld *world, wbSavedValue values[WB_WORLD_VALUES]);

/// Before the particles are read or changed on the host: copies them from the device. If that fails, the world goes
/// back to the last copy.
wbStatus wbPullState(wbWorld *world);
/// After the state was changed on the host; or only the particles of one liquid.
void wbMarkStateDirty(wbWorld *world);
void wbMarkLiquidDirty(wbWorld *world, wbParticleFluid *liquid);
/// After single numbers were changed: they belong to the particles that are on the host, unless the device is ahead.
void wbRecordHostValues(wbWorld *world);
/// The device is lost: what it has of all solvers is discarded, and the world is at the state on the host. Gives why, and says so.
wbStatus wbDiscardDevices(wbWorld *world, wbStatus why);
/// When the world ends.
void wbFreeBackend(wbWorld *world);
void wbFreeQueries(wbWorld *world);
void wbFreeProbes(wbWorld *world);
void wbFreeGrabs(wbWorld *world);
