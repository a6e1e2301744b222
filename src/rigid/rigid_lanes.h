// SPDX-License-Identifier: MIT
// How lanes are loaded from and stored to records of contacts, for *_wide.c.
#pragma once

#include "core/real.h"
#include "rigid/rigid_code.h"
#include "rigid/rigid_vector_formula.h"

WB_INLINE RigidVector load3(const float columns[3][WB_CONTACT_LANES], int l) {
    return rigid_vector(real_load(columns[0] + l), real_load(columns[1] + l), real_load(columns[2] + l));
}
WB_INLINE void store3(float columns[3][WB_CONTACT_LANES], int l, RigidVector v) {
    real_store(columns[0] + l, v.x), real_store(columns[1] + l, v.y), real_store(columns[2] + l, v.z);
}
WB_INLINE RigidVector first3(REAL4 a) { return rigid_vector(a.x, a.y, a.z); }
