// SPDX-License-Identifier: MIT
// Discs and balls of adaptive fluids at rest without weight, beside the theory.
#pragma once

#include <stdio.h>

#include "wirbel/base.h"

/// Steps a disc and a ball without weight by each method, and prints the mean radius of particles and their distance to the surface by the
/// distance from the centre beside the theory's, with how many there are; and draws the radii into a folder. Takes a minute, or less with
/// `seconds`, the most that is simulated of each; negative: until they rest.
wbStatus wbAnalyzeSettled(bool json, double seconds, const char *folder, FILE *out);
