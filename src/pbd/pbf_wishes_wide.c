// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "pbd/pbf_lanes.h"
#include "pbd/pbf_wishes.h"
#include "pbd/pbf_wishes_formula.h"

WB_INLINE void around_lanes(const wbWishPass *pass, wbLanes at) {
    const REAL inverseH = 1.0f / real_load(pass->h + at.i), zero = real_set(0);
    const REAL4 motion = load_own(pass->motions, at.i);
    REAL4 turning = zero4();
    REAL squares = zero, deepest = at.self.w;
    while (next_pair(&at)) {
        const REAL4 other = lane_load4(pass->motions, at.row);
        const REAL w = pbf_around_weight(at.way.w, inverseH, other.w);
        add_scaled(&turning, w, cross3(at.way, get_way(other, motion)));
        squares = real_madd(w, at.way.w, squares);
        deepest = real_max(deepest, real_select(real_less(zero, w), at.other.w, zero));
    }
    real_store(pass->curl + at.i, pbf_curl(dot3(turning, turning), squares, &pass->wishes));
    real_store(pass->deepest + at.i, deepest);
}
WB_LIST_RANGE(around, wbWishPass, around_lanes, 0)

WB_INLINE void size_lanes(const wbWishPass *pass, int i) {
    const wbParticles *p = pass->particles;
    const PbfWishes *wishes = &pass->wishes;
    const REAL4 place = load_columns(p->x, p->y, p->z, i), v = load_columns(p->vx, p->vy, p->vz, i);
    const REAL toColliders = pass->toColliders ? real_load(pass->toColliders + i) : real_set(WB_FAR_COLLIDER);
    const REAL away = pbf_wished_distance(place.x, place.y, place.z,
                                          real_load(pass->toSurface + i) - wishes->band, toColliders, wishes);
    REAL size = pbf_sloped_size(away, wishes), left = real_set(1);
    if (wishes->speed > 0) left = pbf_share_left(real_sqrt(v.x * v.x + v.y * v.y + v.z * v.z), wishes->speed);
    if (wishes->curl > 0) left = real_min(left, pbf_share_left(real_load(pass->curl + i), wishes->curl));
    if (wishes->speed > 0 || wishes->curl > 0) size = 1.0f + left * (size - 1.0f);
    if (wishes->viewFactor > 0) size = size * pbf_unseen_factor(place.x, place.y, place.z, wishes);
    if (wishes->feature > 0) size = pbf_thin_size(size, real_load(pass->deepest + i), wishes);
    real_store(pass->size + i, size);
}
WB_LANES_RANGE(sizes, wbWishPass, size_lanes)

const wbWishCode WB_WIDE(wb_wishCode) = {around, sizes};
