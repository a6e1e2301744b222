// SPDX-License-Identifier: MIT
// Most particles of a body of water lie behind others: they need not be drawn.
#pragma once

#include "render/occupancy.h"

/// Leaves out drops that have several layers of others between them and the eye, and the same for the sun;
/// puts the rest in order: seen by the eye alone, by both, by the sun alone.
wbStatus wbHideDrops(wbSwarm *swarm, const wbOccupancy *occupancy, wbVec3 eye, float spacing);
