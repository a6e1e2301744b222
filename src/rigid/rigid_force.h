// SPDX-License-Identifier: MIT
// Force generators: what acts on chosen bodies, with either method. All of it is summed before bodies move (d'Alembert).
//
// A sum holds for dt seconds, in which a method moves bodies by `parts` semi-implicit sub-steps: from a constant acceleration a
// they go dt v + b a dt2, b = (parts + 1) / (2 parts). A spring that looks (1 - b) dt ahead then keeps its energy, and one that is
// divided by 1 + w2 dt2 / 2 is stable however stiff it is (the map of one step has determinant 1 and a trace from 0 to 2).
// So do cables, rods and attraction: q = x + (1 - b) dt v goes by q' = q + dt v', one semi-implicit step for any number of parts.
#pragma once

#include "core/array.h"
#include "core/work.h"
#include "rigid/rigid_force_formula.h"
#include "wirbel/params.h"

struct wbRigid;
struct wbRigidModel;

/// Forces and torques on bodies, a float each per body: N and N m.
typedef struct wbRigidLoads {
    float *force[3], *torque[3];
} wbRigidLoads;

/// A program's own: adds to the loads of bodies.
typedef void wbRigidForceFn(const struct wbRigid *rigid, const int *bodies, int bodyCount, float dt,
                            const wbRigidLoads *loads, void *context);

typedef struct wbRigidForce {
    wbForceParams params;     ///< points where it holds bodies are in the bodies' own frames
    int first, count;         ///< bodies in `members`; those that tie bodies take them in pairs
    int isOnAll;              ///< it acts on every dynamic body instead
    wbRigidForceFn *function; ///< instead of what the params say; NULL: none. Neither saved nor hashed
    void *context;
} wbRigidForce;

typedef struct wbRigidForces {
    wbArray list; ///< wbRigidForce
    int count;
    wbArray members; ///< int: bodies
    int memberCount;
} wbRigidForces;

void wbRigidForces_Init(wbRigidForces *forces);
void wbRigidForces_Free(wbMemory *memory, wbRigidForces *forces);

/// Whether it ties its bodies in pairs.
bool wbRigidForce_TiesPairs(const wbRigidForce *force);

/// Behind all others; `bodies` NULL: all. wb_errorInput: bodies that are not there, or not in pairs where it ties them.
wbStatus wbRigidForces_Add(struct wbRigid *rigid, wbMemory *memory, const wbForceParams *params,
                           const int *bodies, int bodyCount);
/// The same for a program's own.
wbStatus wbRigidForces_AddFunction(struct wbRigid *rigid, wbMemory *memory, wbRigidForceFn *function,
                                   void *context, const int *bodies, int bodyCount);
/// Those behind it move up.
void wbRigidForces_Remove(wbRigidForces *forces, int force);
/// Before a body is removed: what ties it to another is gone, those behind it move up.
void wbRigidForces_RemoveBody(wbRigidForces *forces, int body);

/// What a checkpoint holds beside the params, which are the world's: members of forces, and bodies.
enum { WB_RIGID_MEMBER_COLUMNS = 1 };
void wbRigidForces_ListMembers(wbRigidForces *forces, wbColumn columns[WB_RIGID_MEMBER_COLUMNS]);

/// Adds what acts over the next dt seconds. Cables and rods come last: they see all other loads.
wbStatus wbRigidForces_Apply(const struct wbRigid *rigid, const struct wbRigidModel *model,
                             const wbWork *work, float dt, int parts, const wbRigidLoads *loads);

/// @name For compute devices
/// @{
/// What it is, for the formulas.
ForceRule wbRigidForce_GetRule(const wbRigidForce *force);
/// A program's own, or one that is solved for in passes: a device leaves it to the cores.
bool wbRigidForce_IsForCores(const wbRigidForce *force);
/// How many springs hold each body.
void wbRigidForces_CountTies(const struct wbRigid *rigid, int *ties);
/// m3, of a body's solid.
float wbRigid_GetVolume(const struct wbRigid *rigid, int body, int dimensions);
/// Whether forces move a body.
bool wbRigid_IsMoved(const struct wbRigid *rigid, int body);
/// Adds what these do over the next dt seconds, which bodies go in one part, to loads that have all others.
wbStatus wbRigidForces_ApplyForCores(const struct wbRigid *rigid, const struct wbRigidModel *model,
                                     const wbWork *work, float dt, const wbRigidLoads *loads);
/// @}
