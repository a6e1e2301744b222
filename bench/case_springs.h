// SPDX-License-Identifier: MIT
// Two set-ups that show what iterations and sub-steps do: springs that hang in a row, and a rope that swings.
#pragma once

#include "bench/case_solver.h"

enum { WB_CASE_LINKS = 20 };

/// Hangs 20 springs of 10 kN/m one below the other, with 1 kg at each end, by XPBD, with drag, so that they come to rest
/// within 10 s.
wbStatus wbHangSprings(wbCaseBodies *bodies);
/// How far they are stretched, by what the sum of m g / k says.
double wbGetSpringStretch(const wbCaseBodies *bodies);

/// A rope of 20 links of 1 m, horizontal, at rest, pinned at one end.
wbStatus wbHoldRope(wbCaseBodies *bodies);
/// Its energy above that at rest, by what it has at the start.
double wbGetRopeEnergy(const wbCaseBodies *bodies);
