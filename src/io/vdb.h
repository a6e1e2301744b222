// SPDX-License-Identifier: MIT
// The air as OpenVDB (.vdb), which Blender and Houdini open: sparse grids density, temperature, fuel, steam, cloud, colour and
// velocity (at centres). y is up.
#pragma once

#include "wirbel/types.h"

/// Values below 1e-6 are left out; velocity stands where there is smoke, heat, fuel or steam. `time` in s.
wbStatus wbWriteVdb(const char *path, const wbSmokeView *view, double time);
