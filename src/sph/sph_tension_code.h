// SPDX-License-Identifier: MIT
// The hot loops of the skin's stress, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "sph/sph_boundary_code.h"
#include "sph/sph_tension.h"

/// Terms: bases have a part in the sums; the skin is bent in two directions.
enum { TENSION_BASES = 1, TENSION_SPACE = 2 };

typedef struct wbSphTensionCode {
    wbRangeFn *bases; ///< what colliders' points add to the sums, over lists of them; skips who has none near
    wbRangeFn *skins; ///< who belongs to the skin, over lists; by TENSION_BASES
    wbRangeFn *bend;  ///< the stress, by the curvature of the skin, over lists
    wbRangeFn *pull;  ///< added to the accelerations, over lists; by all terms
    wbRangeFn *points; ///< the same by colliders' points, over lists of them
    wbRangeFn *bodies; ///< forces on colliders' points, over points
} wbSphTensionCode;

WB_DECLARE_CODE(wbSphTensionCode, wb_sphTensionCode, wbGetSphTensionCode)
