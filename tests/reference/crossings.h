// SPDX-License-Identifier: MIT
// What goes through itself, in the plainest way: every edge against every triangle, in double.
#pragma once

#include "wirbel/types.h"

/// Pairs of an edge and a triangle that have no corner in common, of which the edge goes through the triangle. Triangles are three
/// particles each; an edge that is of two triangles counts once.
int wbReferenceCountCrossings(const float *const p[3], const int *triangles, int triangleCount);
