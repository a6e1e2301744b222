// SPDX-License-Identifier: MIT
// What solvers exchange in a world, for solver_coupling.c and the adapters of those that do.
#pragma once

#include "coupling/drag.h"
#include "coupling/pairs.h"
#include "coupling/wet_sheets.h"
#include "world/soft_room.h"
#include "world/world.h"

typedef enum wbCouplingPhase {
    wb_couplingPlace,
    wb_couplingTake,
    wb_couplingSheets,
    wb_couplingPhaseCount
} wbCouplingPhase;

/// wbSolver.self: while there are liquids and rigid or soft bodies that feel each other.
typedef struct wbCoupling {
    wbWetBodies wet;
    wbArray events;       ///< wbWaterEvent: of the last step, when asked for
    wbSurfaceOwner owner; ///< of `wet`
    bool isFloorTold;
    wbWetSoft soft;
    wbWetHulls hulls;     ///< of those of `wet` that are thin
    wbWetSheets thin;     ///< of `soft` and `hulls`
    wbFluidSheets sheets; ///< the same
    bool hasSoft, isSoftFloorTold, isDeafHullTold, isHullCoreTold;
    wbSoftRoom room; ///< that they leave, while something is filled
    int lost;        ///< particles of fluids that were behind a sheet in the end, since the exchange began
    double ms[wb_couplingPhaseCount];
} wbCoupling;

/// NULL: nothing is exchanged.
static inline wbCoupling *wbGetCoupling(const wbWorld *world) {
    return world->solvers[wb_solverIndex_coupling].self;
}

/// @name Soft bodies in liquids (soft_water.c)
/// @{
/// Whether there are both, and both feel each other.
bool wbAreSoftWanted(const wbWorld *world);
/// Before a step is planned, if they are: how they are in it.
wbStatus wbPrepareWetSoft(wbWorld *world, wbCoupling *coupling);
/// s, that they allow.
float wbGetWetSoftStep(const wbWorld *world);
/// From devices to the cores, which a message says: those of liquids that feel sheets, because of something that devices do not compute.
wbStatus wbLeaveDevices(wbWorld *world, const char *why);
/// @}

/// @name Rigid bodies with thin walls in liquids (rigid_hull.c)
/// @{
/// Whether liquids feel one by its triangles and not by points. Its shape is NULL where it has none.
wbStatus wbIsThinBody(wbWorld *world, int index, const struct wbShape *shape, bool *isThin);
/// Before a step is planned, when all bodies are listed.
wbStatus wbListHulls(wbWorld *world);
/// s, that they allow.
float wbGetHullStep(const wbWorld *world);
/// When a sub-step ends: what went through sheets, and what they gave.
void wbSettleSheets(wbWorld *world);
/// @}

/// @name Floors under the inertia of what is light for its fluids (light_coupling.c)
/// @{
/// That of a rigid body, as its state says.
void wbApplyFloor(wbWorld *world, int index);
/// When a sub-step begins: what fluids may touch in it has its floor, what they have not touched for a while has none.
wbStatus wbFollowFloors(wbWorld *world, float dt);
/// @}

/// The air, where it is not computed.
static inline wbWind wbGetWind(const wbWorld *world) {
    const wbCouplingParams *p = &world->def.coupling;
    return (wbWind){p->airDensity, p->dragNormal, p->dragAlong, {p->wind.x, p->wind.y, p->wind.z}};
}
