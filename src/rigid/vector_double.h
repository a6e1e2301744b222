// SPDX-License-Identifier: MIT
// REAL as one double: formulas over it for pairs that the cores look at one by one, where thin triangles or long ways would lose digits.
#pragma once

#include <math.h>

#include "rigid/closest.h"

#define REAL      double
#define WB_INLINE static inline

typedef wbVec3d RigidVector;

WB_INLINE RigidVector rigid_vector(REAL x, REAL y, REAL z) { return (RigidVector){x, y, z}; }
WB_INLINE RigidVector rigid_sub(RigidVector a, RigidVector b) { return wbSub3d(a, b); }
/// a + s b
WB_INLINE RigidVector rigid_madd(REAL s, RigidVector b, RigidVector a) { return wbAddScaled3d(a, s, b); }
WB_INLINE REAL rigid_dot(RigidVector a, RigidVector b) { return wbDot3d(a, b); }
WB_INLINE RigidVector rigid_cross(RigidVector a, RigidVector b) { return wbCross3d(a, b); }
