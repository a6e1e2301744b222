// SPDX-License-Identifier: MIT
// Most particles of a body of water lie behind others: they need not be drawn.
#pragma once

#include "render/occupancy.h"

/// Finds the drops that have several layers of others between them and the eye, and the same for the sun; puts
/// all in order: seen by the eye alone, by both, by the sun alone, by none. Nothing can be seen behind `depth`
/// steps of one spacing through water.
wbStatus wbHideDrops(wbSwarm *swarm, const wbOccupancy *occupancy, wbVec3 eye, float spacing, float depth);
