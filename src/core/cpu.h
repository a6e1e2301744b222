// SPDX-License-Identifier: MIT
// Which instruction sets this CPU and this build have.
#pragma once

#include "wirbel/types.h"

/// Resolves wb_simdAuto by WIRBEL_SIMD, then by the CPU; refuses what is not there or not known.
wbStatus wbChooseSimd(wbSimd wanted, wbSimd *chosen);
