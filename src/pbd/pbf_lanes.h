// SPDX-License-Identifier: MIT
// What the passes over particles share: for *_wide.c files.
#pragma once

#include "core/real.h"
#include "pbd/pbf_code.h"
#include "pbd/pbf_formula.h"

WB_INLINE REAL4 load_own(const float *records, int i) {
    int own[WB_LANES];
    ints_store(own, ints_count() + i);
    return lane_load4(records, own);
}

WB_INLINE REAL4 zero4(void) { return (REAL4){real_set(0), real_set(0), real_set(0), real_set(0)}; }

// Where WB_LANES sorted particles come to, having been moved so far by the constraints.
WB_INLINE REAL4 drift_lanes(const wbPbfPass *pass, int i, REAL4 *moved) {
    const wbParticles *p = &pass->pbf->particles;
    PbfDrift x = pbf_drift(real_load(p->backX + i), real_load(p->backVx + i), moved->x, 0, &pass->move);
    PbfDrift y = pbf_drift(real_load(p->backY + i), real_load(p->backVy + i), moved->y, 1, &pass->move);
    PbfDrift z = pbf_drift(real_load(p->backZ + i), real_load(p->backVz + i), moved->z, 2, &pass->move);
    moved->x = x.moved, moved->y = y.moved, moved->z = z.moved;
    return (REAL4){x.to, y.to, z.to, real_set(0)};
}
