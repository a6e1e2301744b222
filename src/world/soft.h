// SPDX-License-Identifier: MIT
// Soft bodies of a world: bodies of particles in one solver, so that they meet. The rest of the world knows them as a solver and
// as objects; what stands here is for the files soft*.c and solver_pbd.c.
#pragma once

#include <math.h>

#include "coupling/drag.h"
#include "coupling/soft_contact.h"
#include "pbd/pbd_build.h"
#include "pbd/pbd_gpu.h"
#include "world/object.h"

enum { WB_MAX_SOFT_BODIES = 4096, WB_SOFT_BODY_COOKIE = 0x57624c6f };

typedef struct wbSoftBody {
    char name[WB_NAME_SIZE];
    wbSoftBodyParams params;
    wbPbdBody particles;
    int firstConstraint, constraintCount;
    int firstTriangle, triangleCount;
    float particleMass; ///< kg
} wbSoftBody;

/// Colliders are no nearer to a place than a distance, as long as they stand still.
typedef struct wbClearance {
    wbVec3 place;
    float distance; ///< m; negative: not known
} wbClearance;

/// What soft bodies may have (soft_energy.c).
typedef struct wbSoftAccount {
    bool isOpen;
    bool isDriven;               ///< sides, colliders or pins moved since it was opened
    int64_t steps;               ///< since something other than that opened it
    int above;                   ///< steps that the energy was above its bound, one after another
    double energy;               ///< J, kinetic, potential and stored, then
    double part;                 ///< s, the sub-step then
    wbVec3 gravity;              ///< m/s2, that it counts with
    double slideSpeed, slideWay; ///< m/s, m: of sides along themselves, since
} wbSoftAccount;

/// What the wind blows against (soft_air.c): made of the bodies when a step needs it.
typedef struct wbSoftAir {
    wbDragPieces pieces;
    uint32_t version; ///< of the particles that they were made of; 0: they were not made
    double given[3];  ///< N s, in the last step
    bool isTold;      ///< that the cores compute it
} wbSoftAir;

/// How they push rigid bodies, and are pushed (soft_rigid.c).
typedef struct wbSoftRigid {
    wbSoftContacts contacts;
    wbArray ties; ///< wbSoftTie, in the order in which they were made
    int tieCount;
    bool mayMeet; ///< in the step that is planned
    bool areCoresTold, isOrderTold;
} wbSoftRigid;

/// How surfaces touch themselves and each other (soft_surface.c).
typedef struct wbSoftSurface {
    wbPbdSurface pairs;
    bool areCoresTold;
} wbSoftSurface;

/// What was said about liquids once.
typedef struct wbSoftWater {
    bool isDeafTold, isOrderTold, areCoresTold, isBareTold;
} wbSoftWater;

/// wbSolver.self
typedef struct wbSoft {
    wbPbd pbd; ///< what of the particles is on the host
    wbPbdModel model;
    wbArray bodies;    ///< wbSoftBody, in the order of their ids
    wbArray triangles; ///< int[3]
    int triangleCount;
    wbArray numbers;    ///< uint32_t: 0, 1, …; ids of the particles in views
    wbArray clearances; ///< wbClearance per particle, from one sub-step to the next
    wbSoftAccount account;
    wbSoftAir air;
    wbSoftRigid rigid;
    wbSoftSurface surface;
    wbSoftWater water;
} wbSoft;

/// Corners of triangles from the first one on; NULL: there are none.
static inline const int *wbSoft_GetTriangles(const wbSoft *soft, int first) {
    const int *all = soft->triangles.data;
    return all ? all + 3 * (size_t)first : NULL;
}

/// NULL: there are no soft bodies.
static inline wbSoft *wbGetSoft(const wbWorld *world) { return world->solvers[wb_solverIndex_pbd].self; }

static inline wbSoftBody *wbGetSoftBodyAt(const wbWorld *world, int index) {
    return (wbSoftBody *)wbGetSoft(world)->bodies.data + index;
}

/// A body of segments alone, without a surface or a room.
static inline bool wbIsLine(const wbSoftBody *body) {
    return body->params.shape == wb_softBodyRope || body->params.shape == wb_softBodyStick;
}

static inline bool wbIsPinned(const wbWorld *world, int index, int particle) {
    return wbGetSoft(world)->pbd.w[wbGetSoftBodyAt(world, index)->particles.first + particle] == 0;
}

/// Adds a body with particles, constraints and triangles at the end of all, as a def says. After a failure nothing is
/// added.
wbStatus wbBuildSoft(wbWorld *world, const wbSoftBodyDef *def);
/// Takes a body that is built into the list, with a new id (index1 0), or as the next of those that were saved.
wbStatus wbAddSoft(wbWorld *world, const char *name, wbSoftBody *body, uint32_t index1);

/// Whether a place is finite and no farther out than shapes are measured.
static inline bool wbIsNear(const float p[3]) {
    return fabsf(p[0]) <= 1e9f && fabsf(p[1]) <= 1e9f && fabsf(p[2]) <= 1e9f;
}

/// Whether a particle has room between the sides of the domain: they would be pushed apart.
wbStatus wbCheckRadius(const wbDomain *domain, float radius);

/// Whether no collider moves in the step that is being done.
bool wbAreCollidersStill(const wbWorld *world);

/// Before a step of dt seconds: opens the account of the energy, if something has changed since.
wbStatus wbPrepareSoftAccount(wbWorld *world, float dt);
/// After it: wb_errorUnstable if the energy left its bound. Most steps are let pass.
wbStatus wbCheckSoft(wbWorld *world, float dt);

/// Something may have done work on soft bodies, or stored energy in them: the account of it begins anew.
void wbCloseSoftAccount(wbWorld *world);

/// Whether they feel the air; and what it does to them, as wbPbdForces.find.
bool wbIsSoftBlown(const wbWorld *world);
wbStatus wbBlowSoft(const wbPbd *pbd, float dt, const wbWork *work, float *const acceleration[3],
                    void *context);

/// Whether something acts on soft bodies that a device does not know: the cores move them then.
bool wbNeedsSoftCores(const wbWorld *world);

/// @name Surfaces that touch (soft_surface.c)
/// @{
/// Whether there is one that touches itself and its like.
bool wbIsSoftTouching(const wbWorld *world);
/// What a body has to have for it.
wbStatus wbCheckSelfContact(const wbSoftBodyParams *params);
/// Whether its layers may be so thick: every triangle would be near every other one.
wbStatus wbCheckThickness(const wbWorld *world, const wbSoftBody *body, const wbSoftBodyParams *params);
/// Before a sub-step: for wbPbdModel, or NULL if nothing touches.
wbStatus wbBeginSoftSurface(wbSolver *solver, wbPbdSurface **surface);
/// @}

/// @name Rigid bodies (soft_rigid.c)
/// @{
/// Whether soft and rigid bodies may meet in the step that is planned.
bool wbAreSoftAndRigid(const wbWorld *world);
/// Before their sub-step of dt seconds, with parameters that suit it; the partner of wbPbdModel, or NULL if none is near.
wbStatus wbBeginSoftRigid(wbSolver *solver, float dt, wbPbdPartner *room, const wbPbdPartner **partner);
/// Particles of a body go, and those behind them move up.
void wbDropSoftTies(wbSoft *soft, wbPbdBody particles);
/// @}

/// @name Liquids (soft_water.c)
/// @{
/// A sub-step of dt seconds that stays open until liquids have moved: `model` is as for wbPbd_Step, `forces` beside what pushes them there.
wbStatus wbOpenWetSoft(wbSolver *solver, wbPbdModel *model, float dt);
/// kg, of what a particle's momentum counts with.
double wbGetSoftInertia(const wbWorld *world, int particle);
/// @}

/// Hooks of the solver's kind.
wbStatus wbCreateSoft(wbSolver *solver);
void wbDestroySoft(wbSolver *solver);
wbStatus wbPlanSoft(wbSolver *solver, float dt);
wbStatus wbStepSoft(wbSolver *solver, float dt);
int wbListSoftValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]);
int wbListSoftColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
int wbListSoftUnsaved(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
wbStatus wbResizeSoft(const wbSolver *solver, wbSectionList *list);
wbStatus wbCheckSoftColumns(const wbSolver *solver, wbSectionList *list);
void wbRenewSoft(const wbSolver *solver);
void wbSaveSoftBodies(const wbSolver *solver, wbSectionList *list);
wbStatus wbLoadSoftBodies(const wbSolver *solver, wbSectionList *list);
wbStatus wbListSoftPoints(const wbSolver *solver, struct wbQueryTree *tree);

/// Finds the planes that colliders put before particles: wbPbdObstacles.
void wbFindSoftPlanes(const wbPbdPlaces *places, const wbPbdPlanes *planes, const wbWork *work, float from,
                      float to, void *context);
