// SPDX-License-Identifier: MIT
// The air as plain numbers: per field a file of little-endian floats (.raw) and a small text that says what is in it,
// as MetaImage has it (.mhd), which ITK, ParaView, 3D Slicer and others open.
#pragma once

#include "wirbel/types.h"

/// Writes <directory>/<field>_<frame>.raw and .mhd for all fields that this air has.
wbStatus wbWriteMhd(const char *directory, int frame, const wbSmokeView *view);
