// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "pbd/pbf_wishes.h"
#include "pbd/pbf_wishes_formula.h"
#include "space/particle_fluid_wide.h"

WB_INLINE REAL away_lanes(const wbWishPass *pass, int i) {
    const REAL4 place = load_columns(pass->particles->x, pass->particles->y, pass->particles->z, i);
    const REAL toColliders = pass->toColliders ? real_load(pass->toColliders + i) : real_set(WB_FAR_COLLIDER);
    return pbf_wished_distance(place.x, place.y, place.z, real_load(pass->toSurface + i) - pass->wishes.band,
                               toColliders, &pass->wishes);
}

WB_INLINE void size_lanes(const wbWishPass *pass, int i) {
    const REAL4 v = load_columns(pass->particles->vx, pass->particles->vy, pass->particles->vz, i);
    real_store(pass->size + i, pbf_wished_size(away_lanes(pass, i), v.x, v.y, v.z, &pass->wishes));
}
WB_LANES_RANGE(sizes, wbWishPass, size_lanes)

const wbWishCode WB_WIDE(wb_wishCode) = {sizes};
