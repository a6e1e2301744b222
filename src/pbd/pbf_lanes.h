// SPDX-License-Identifier: MIT
// What the passes over particles share: for *_wide.c files.
#pragma once

#include "core/real.h"
#include "pbd/pbf_code.h"
#include "pbd/pbf_formula.h"
#include "space/particle_fluid_wide.h"

// Where WB_LANES sorted particles come to, having been moved so far by the constraints.
WB_INLINE REAL4 drift_lanes(const wbPbfPass *pass, int i, REAL4 *moved) {
    const wbParticles *p = &pass->pbf->fluid.particles;
    REAL4 place = load_columns(p->backX, p->backY, p->backZ, i);
    REAL4 velocity = load_columns(p->backVx, p->backVy, p->backVz, i);
    PbfDrift x = pbf_drift(place.x, velocity.x, moved->x, 0, &pass->move);
    PbfDrift y = pbf_drift(place.y, velocity.y, moved->y, 1, &pass->move);
    PbfDrift z = pbf_drift(place.z, velocity.z, moved->z, 2, &pass->move);
    moved->x = x.moved, moved->y = y.moved, moved->z = z.moved;
    return (REAL4){x.to, y.to, z.to, real_set(0)};
}
