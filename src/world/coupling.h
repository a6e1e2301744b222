// SPDX-License-Identifier: MIT
// What solvers exchange in a world, for solver_coupling.c and the adapters of those that do.
#pragma once

#include "coupling/drag.h"
#include "coupling/of_rigid.h"
#include "coupling/pairs.h"
#include "world/world.h"

typedef enum wbCouplingPhase { wb_couplingPlace, wb_couplingTake, wb_couplingPhaseCount } wbCouplingPhase;

/// wbSolver.self: while there are liquids and rigid bodies that feel each other.
typedef struct wbCoupling {
    wbWetBodies wet;
    wbSurfaceOwner owner; ///< of `wet`
    bool isFloorTold;
    double ms[wb_couplingPhaseCount];
} wbCoupling;

/// NULL: nothing is exchanged.
static inline wbCoupling *wbGetCoupling(const wbWorld *world) {
    return world->solvers[wb_solverIndex_coupling].self;
}

/// The air, where it is not computed.
static inline wbWind wbGetWind(const wbWorld *world) {
    const wbCouplingParams *p = &world->def.coupling;
    return (wbWind){p->airDensity, p->dragNormal, p->dragAlong, {p->wind.x, p->wind.y, p->wind.z}};
}
