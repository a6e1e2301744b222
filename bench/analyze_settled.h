// SPDX-License-Identifier: MIT
// Discs of adaptive fluids after 4 s without weight, beside the theory.
#pragma once

#include <stdio.h>

#include "wirbel/base.h"

/// Steps a disc of 75 radii without weight by each method, and prints the mean radius of particles by the distance from the centre beside the theory's,
/// with how many there are; and draws it into a folder. Takes some seconds.
wbStatus wbAnalyzeSettled(bool json, const char *folder, FILE *out);
