// SPDX-License-Identifier: MIT
// What solvers exchange in a world, for solver_coupling.c and the adapters of those that do.
#pragma once

#include "coupling/drag.h"
#include "coupling/of_rigid.h"
#include "coupling/of_soft.h"
#include "coupling/pairs.h"
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
    wbSurfaceOwner owner; ///< of `wet`
    bool isFloorTold;
    wbWetSoft soft;
    wbFluidSheets sheets; ///< of `soft`
    bool hasSoft, isSoftFloorTold;
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
/// @}

/// The air, where it is not computed.
static inline wbWind wbGetWind(const wbWorld *world) {
    const wbCouplingParams *p = &world->def.coupling;
    return (wbWind){p->airDensity, p->dragNormal, p->dragAlong, {p->wind.x, p->wind.y, p->wind.z}};
}
