// SPDX-License-Identifier: MIT
// `wirbel analyze adaptive`: what adaptive fluids save, by theory.
#pragma once

#include <stdio.h>

#include "wirbel/base.h"

/// Writes the tables of the theory (bench/adaptive_theory.h): where it pays, the best slopes, particles and pairs of a ball of 100 radii,
/// beside the source's figures; and curves into a folder, which must exist, NULL: none; with
/// it also discs and balls that came to rest, in `seconds` at most (bench/analyze_settled.h).
wbStatus wbAnalyzeAdaptive(bool json, double seconds, const char *plotDirectory, FILE *out);
