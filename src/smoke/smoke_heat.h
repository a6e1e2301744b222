// SPDX-License-Identifier: MIT
// Conduction of heat: (1 - kappa dt laplace) T = T*, implicit, between sides and solids that insulate or have temperatures.
#pragma once

#include "smoke/smoke_code.h"
#include "smoke/smoke_heat_formula.h"

/// Cells at the surfaces of solids, from the mask and the bodies; none where no heat is conducted.
wbStatus wbListHeatEdges(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeSolids *solids,
                         wbMemory *memory);

/// Also marks the blocks that heat comes to.
wbStatus wbConductHeat(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeKind kinds[4],
                       const wbWork *work, float dt);

/// What it takes from the arena, in floats.
size_t wbCountHeatFloats(const wbSmoke *smoke, const wbSmokeModel *model);

/// Whether a side or a solid that is at this temperature heats or cools the air; NAN: it insulates.
bool wbIsHeating(const wbSmokeModel *model, float temperature);
