// SPDX-License-Identifier: MIT
// The part of `wirbel analyze solvers` that is about position based fluids.
#pragma once

#include "bench/analyze_solvers.h"

/// Lets each solver part particles of a fluid that fill a box, but are out of place: by how much densities are too high after each
/// number of iterations, and the milliseconds that these take on one thread. Plots fluid-iterations.svg and fluid-ms.svg.
wbStatus wbAnalyzeFluid(const wbAnalyzeOptions *options, FILE *out);
