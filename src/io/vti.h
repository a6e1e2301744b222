// SPDX-License-Identifier: MIT
// The air for ParaView: VTK XML ImageData (.vti) with all of its fields at the centres of cells.
#pragma once

#include "wirbel/types.h"

/// `time` in s.
wbStatus wbWriteVti(const char *path, const wbSmokeView *view, double time);
