// SPDX-License-Identifier: MIT
// Points and triangles as PLY, binary little-endian. Per vertex: x y z vx vy vz density pressure (float), id and body (uint);
// faces are triangles.
#pragma once

#include "io/written_body.h"

/// All bodies, one after the other.
wbStatus wbWritePly(const char *path, const wbWrittenBody *bodies, int count);
