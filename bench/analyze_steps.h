// SPDX-License-Identifier: MIT
// Parts of `wirbel analyze solvers` that do not depend on the scene.
#pragma once

#include "bench/analyze_solvers.h"
#include "pbd/pbd.h"

/// Writes what iterations and sub-steps bring, and what they cost: for springs in a row and for a rope (case_springs.h),
/// and the time of a step of a cloth.
wbStatus wbAnalyzeSteps(const wbAnalyzeOptions *options, FILE *out);

enum { WB_AT_ONCE = 1024 };

/// What parallel threads make of Gauss-Seidel if constraints are not coloured, one iteration of it: WB_AT_ONCE constraints
/// at a time, in the order in which they were added, all read where particles are before any of them writes, and of
/// those that move one particle the last counts. Kinds and stiffness are left aside: all keep their length.
void wbSolveUncoloured(wbPbd *pbd);
