// SPDX-License-Identifier: MIT
// Quick pictures need not draw what lies deep in the water.
#pragma once

#include "render/swarm.h"

/// In a lattice of cells of two spacings: where a cell and the six around it are full, one large drop takes the place of its particles, so that no
/// gap between those before it shows what is behind the water; and where the six are such cells, too, there is none. Drops lose their order.
wbStatus wbDropInside(wbSwarm *swarm, float spacing);
