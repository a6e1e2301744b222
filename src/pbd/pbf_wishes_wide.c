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

WB_INLINE REAL load_asked(const float *column, int i, float other) {
    return column ? real_load(column + i) : real_set(other);
}

WB_INLINE void size_lanes(const wbWishPass *pass, int i) {
    const wbParticles *p = pass->particles;
    const REAL4 place = load_columns(p->x, p->y, p->z, i), v = load_columns(p->vx, p->vy, p->vz, i);
    const PbfAround around = {load_asked(pass->toColliders, i, WB_FAR_COLLIDER), load_asked(pass->curl, i, 0),
                              load_asked(pass->deepest, i, 0)};
    real_store(pass->size + i, pbf_wished_size(place.x, place.y, place.z, real_load(pass->toSurface + i), v.x,
                                               v.y, v.z, around, &pass->wishes));
}
WB_LANES_RANGE(sizes, wbWishPass, size_lanes)

const wbWishCode WB_WIDE(wb_wishCode) = {around, sizes};
