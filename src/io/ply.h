// SPDX-License-Identifier: MIT
// Particles as PLY, binary little-endian: x y z vx vy vz density pressure (float) and id (uint) per vertex. What a view
// does not have is 0.
#pragma once

#include "wirbel/types.h"

/// All particles of all views, one after the other.
wbStatus wbWritePly(const char *path, const wbView *views, int viewCount);
