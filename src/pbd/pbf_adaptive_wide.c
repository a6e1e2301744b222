// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "pbd/pbf_adaptive_code.h"
#include "pbd/pbf_adaptive_formula.h"
#include "pbd/pbf_adaptive_lists.h"
#include "pbd/pbf_lanes.h"

// Terms of passes beside PBF_MIXED and PBF_SPINS: sizes vary among the points of a group and their neighbours; in a plane.
enum { COARSE = 4, FLAT = 8 };

WB_INLINE INTS level_of(REAL w) { return ints_from_bits(w) & 15; }
WB_INLINE REAL with_level(REAL w, INTS level) { return real_from_bits((ints_from_bits(w) & ~15) | level); }
WB_INLINE INTS load_levels(const uint8_t *level, int i) {
    int lanes[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) lanes[l] = level[i + l];
    return ints_load(lanes);
}

// Two looks into tables, and products, which are cheaper than further looks.
WB_INLINE PbfSize size_of(const PbfLevels *levels, REAL w, unsigned terms) {
    REAL one = real_set(1);
    if (!(terms & COARSE)) return (PbfSize){one, one, one, one};
    INTS bits = ints_from_bits(w);
    return pbf_size(lane_look(levels->root, bits), lane_look(levels->inverseRoot, bits), (terms & FLAT) != 0);
}

WB_INLINE REAL own_of(const float table[PBF_LEVELS], REAL w, unsigned terms) {
    return terms & COARSE ? lane_look(table, ints_from_bits(w)) : real_set(1);
}

// Groups that have only level 0 near them have the formulas of one size. With `most` terms, 0, 1 or 3, where a fluid asks for any of them, all
// passes have both: what it does not have is NULL then.
#define SIZED_RANGE(name, lanes, most)                                                                       \
    WB_INLINE void name##_of(const void *pass, wbLanes at) { lanes(pass, at); }                              \
    WB_INLINE void name##_groups(const wbListPass *lists, const wbSizedPass *pass, int begin, int end,       \
                                 const unsigned terms) {                                                     \
        for (int i = begin; i < end; i += WB_GROUP)                                                          \
            if (pass->pure[i / WB_GROUP])                                                                    \
                walk_lists(lists, pass, i, i + 1, name##_of, terms);                                         \
            else if (pass->levels.dimensions == 2)                                                           \
                walk_lists(lists, pass, i, i + 1, name##_of, terms | COARSE | FLAT);                         \
            else                                                                                             \
                walk_lists(lists, pass, i, i + 1, name##_of, terms | COARSE);                                \
    }                                                                                                        \
    static void name(int begin, int end, int worker, void *context) {                                        \
        (void)worker;                                                                                        \
        const wbListPass *lists = context;                                                                   \
        const wbSizedPass pass = *(const wbSizedPass *)lists->pass;                                          \
        if (lists->terms & (most))                                                                           \
            name##_groups(lists, &pass, begin, end, most);                                                   \
        else                                                                                                 \
            name##_groups(lists, &pass, begin, end, 0);                                                      \
    }

// Where the entries of a group's lists are counted from, as in wbSizedListTask.
WB_INLINE int base_of(const wbSizedPass *sized, int i) {
    return sized->bases ? sized->bases[i / WB_GROUP] : -1;
}
// What such entries are places in, of so many floats each.
WB_INLINE const float *from_base(const float *numbers, int base, int width) {
    return base > 0 ? numbers + (size_t)base * (size_t)width : numbers;
}

// As next_pair, of lists that may be short: then what is listed comes to `unpacked`, still counted from the base, which must not take a place in the
// loop: with an addition per entry passes took a third longer.
WB_INLINE bool next_of(int base, wbLanes *at, int unpacked[WB_LANES]) {
    if (base < 0) return next_pair(at);
    if (at->next == at->rowCount) return false;
    const int lane = at->i % WB_GROUP;
    const uint16_t *row =
        (const uint16_t *)(const void *)(at->rows - lane) + lane + WB_GROUP * (size_t)at->next++;
    for (int l = 0; l < WB_LANES; l++) unpacked[l] = row[l];
    at->row = unpacked;
    at->other = lane_load4(from_base(at->others, base, 4), unpacked);
    at->way = get_way(at->other, at->self);
    return true;
}

// Records of the sorted particles, where they are predicted to be.
WB_INLINE void place_lanes(const wbSizedPass *sized, int i) {
    const wbPbfPass *pass = sized->pass;
    REAL4 moved = zero4(), p = drift_lanes(pass, i, &moved);
    p.w = with_level(real_set(1), load_levels(sized->level, i));
    store_own(pass->places, i, p);
    p.w = with_level(real_set(0), load_levels(sized->level, i));
    store_own(pass->solved, i, p);
    store_own(pass->moved, i, moved);
    real_store(pass->pbf->fluid.particles.pressure + i, real_set(0));
}
WB_LANES_RANGE(place, wbSizedPass, place_lanes)

// Sums of the constraint of WB_LANES particles.
typedef struct Constraint {
    REAL density, mu; // over the rest density; for an error of 1
    REAL gradient2;   // |grad C|2, without its factor
} Constraint;

WB_INLINE Constraint sum_constraint(const wbSizedPass *sized, wbLanes *at) {
    const PbfConstants *c = &sized->constants;
    const PbfLevels *levels = &sized->levels;
    const REAL w = at->self.w;
    const PbfSize self = size_of(levels, w, at->terms);
    REAL4 own = zero4();
    REAL density = real_set(0), squares = real_set(0);
    const int base = base_of(sized, at->i);
    int unpacked[WB_LANES];
    while (next_of(base, at, unpacked)) {
        const PbfSize other = size_of(levels, at->other.w, at->terms);
        const REAL inverse = pbf_inverse_support(self, other, c);
        REAL g = pbf_gradient_of(at->way.w, inverse, c);
        density = real_madd(pbf_density_of(at->way.w, inverse), other.density, density);
        squares = real_madd(g * g, at->way.w * (other.root * other.root), squares);
        add_scaled(&own, g * other.slope, at->way);
    }
    if (sized->pass->boundary) {
        REAL4 added = load_own(sized->pass->boundary, at->i);
        own.x += added.x, own.y += added.y, own.z += added.z, density += added.w;
        squares += real_load(sized->pass->boundarySquares + at->i);
    }
    const REAL slopeOwn = own_of(levels->slopeOwn, w, at->terms), own2 = dot3(own, own);
    return (Constraint){density * (c->mixedScale * own_of(levels->densityOwn, w, at->terms)),
                        pbf_mu(real_set(1), squares, own2, own_of(levels->squaresOwn, w, at->terms), slopeOwn,
                               own_of(levels->softOwn, w, at->terms), c),
                        own2 * (slopeOwn * slopeOwn)};
}

WB_INLINE void lambda_lanes(const wbSizedPass *sized, wbLanes at) {
    const wbPbfPass *pass = sized->pass;
    const INTS level = level_of(at.self.w);
    Constraint sums = sum_constraint(sized, &at);
    float *pressure = pass->pbf->fluid.particles.pressure + at.i;
    REAL sum = real_load(pressure), last = load_own(pass->solved, at.i).w;
    REAL wanted = sums.mu * (sums.density - 1.0f - real_load(sized->offset + at.i));
    if (pass->relative) wanted *= real_load(pass->lowest + at.i);
    at.self.w = pbf_change(wanted, sum, last, &sized->move, &sized->constants);
    real_store(pass->density + at.i, sums.density);
    real_store(pressure, sum + at.self.w);
    lean_on_boundary(pass, at.i, sum + at.self.w, at.self.w,
                     real_set(sized->move.bearing) / lane_look(sized->levels.width, level));
    at.self.w = with_level(at.self.w, level);
    store_own(pass->solved, at.i, at.self);
}

// Of several fluids, as in pbf_wide.c.
WB_INLINE void lowest_lanes(const wbSizedPass *sized, wbLanes at) {
    const wbPbfPass *pass = sized->pass;
    const PbfSize self = size_of(&sized->levels, at.self.w, at.terms);
    REAL lightness = 1.0f / real_load(pass->relative + at.i);
    const int base = base_of(sized, at.i);
    int unpacked[WB_LANES];
    while (next_of(base, &at, unpacked)) {
        const PbfSize other = size_of(&sized->levels, at.other.w, at.terms);
        REAL inverse = pbf_inverse_support(self, other, &sized->constants);
        REAL near = real_max(1.0f - at.way.w * (inverse * inverse), real_set(0));
        REAL faded =
            real_min(4.0f * near, real_set(1)) / load_numbers(from_base(pass->relative, base, 1), at.row);
        lightness = real_max(faded, lightness);
    }
    real_store(pass->lowest + at.i, 1.0f / lightness);
}
SIZED_RANGE(lowest, lowest_lanes, 0)

// sum V_j (mu_i + mu_j + s_corr) grad W_ij, over the relative density of the particle's fluid; `still`: without time
WB_INLINE REAL4 sum_pushes(const wbSizedPass *sized, wbLanes *at, const PbfApart *still) {
    const PbfConstants *c = &sized->constants;
    const PbfLevels *levels = &sized->levels;
    const REAL w = at->self.w;
    const PbfSize self = size_of(levels, w, at->terms);
    const wbPbfPass *pass = sized->pass;
    const bool isMixed = (at->terms & PBF_MIXED) != 0;
    const REAL lowest = isMixed ? real_load(pass->lowest + at->i) : real_set(1);
    REAL4 push = zero4();
    const int base = base_of(sized, at->i);
    int unpacked[WB_LANES];
    while (next_of(base, at, unpacked)) {
        const PbfSize other = size_of(levels, at->other.w, at->terms);
        const REAL inverse = pbf_inverse_support(self, other, c);
        REAL apart = still ? pbf_apart_still(self, other, at->way.w, inverse, *still)
                           : pbf_apart(self, other, sized->move.apartScale);
        if (isMixed) apart *= 0.5f * (lowest + load_numbers(from_base(pass->lowest, base, 1), at->row));
        REAL g = pbf_correction_of(at->way.w, inverse, w + at->other.w, apart, c);
        add_scaled(&push, g * other.slope, at->way);
    }
    if (pass->boundary) add_scaled(&push, w * PBF_BOUNDARY_SHARE, load_own(pass->boundary, at->i));
    REAL scale = c->mixedGradient * own_of(levels->slopeOwn, w, at->terms);
    if (isMixed) scale = scale / real_load(pass->relative + at->i);
    scale3(&push, scale);
    return push;
}

WB_INLINE void correct_lanes(const wbSizedPass *sized, wbLanes at) {
    const wbPbfPass *pass = sized->pass;
    const INTS level = level_of(at.self.w);
    REAL4 push = sum_pushes(sized, &at, NULL), moved = load_own(pass->moved, at.i);
    moved.x -= push.x, moved.y -= push.y, moved.z -= push.z;
    REAL4 place = drift_lanes(pass, at.i, &moved);
    place.w = with_level(real_set(1), level);
    store_own(pass->places, at.i, place);
    store_own(pass->moved, at.i, moved);
}

SIZED_RANGE(lambda, lambda_lanes, 0)
SIZED_RANGE(correct, correct_lanes, PBF_MIXED)

// After the velocities of one size: levels beside inverse densities again.
WB_INLINE void calm_lanes(const wbSizedPass *sized, int i) {
    const wbPbfPass *pass = sized->pass;
    const INTS level = load_levels(sized->level, i);
    REAL4 place = load_own(pass->places, i), velocity = load_own(pass->velocities, i);
    REAL offset = real_load(sized->offset + i);
    place.w = with_level(place.w, level);
    velocity.w = pbf_calming(offset, real_from_ints(level), &sized->constants);
    store_own(pass->places, i, place);
    store_own(pass->velocities, i, velocity);
    real_store(sized->offset + i, offset * sized->keep);
}
WB_LANES_RANGE(calm, wbSizedPass, calm_lanes)

// XSPH and, for the confinement, the curl, as in pbf_wide.c.
WB_INLINE void smooth_lanes(const wbSizedPass *sized, wbLanes at) {
    const PbfConstants *c = &sized->constants;
    const wbPbfPass *pass = sized->pass;
    const wbParticles *p = &pass->pbf->fluid.particles;
    const float *velocities = pass->velocities;
    const PbfSize self = size_of(&sized->levels, at.self.w, at.terms);
    const bool isMixed = (at.terms & PBF_MIXED) && pass->relative,
               spins = (at.terms & PBF_SPINS) && pass->spins;
    const REAL w = at.self.w, relative = isMixed ? real_load(pass->relative + at.i) : real_set(1);
    REAL4 motion = load_own(velocities, at.i), change = zero4(), spin = zero4();
    const int base = base_of(sized, at.i);
    int unpacked[WB_LANES];
    while (next_of(base, &at, unpacked)) {
        const PbfSize other = size_of(&sized->levels, at.other.w, at.terms);
        REAL4 speed = lane_load4(from_base(velocities, base, 4), at.row), way = get_way(motion, speed);
        REAL inverse = pbf_inverse_support(self, other, c),
             viscosities = motion.w + speed.w + pbf_carrying(self, other);
        REAL mixing = pbf_mixing_by(at.way.w, inverse, viscosities, w, at.other.w, c);
        if (isMixed) {
            REAL relativeJ = load_numbers(from_base(pass->relative, base, 1), at.row);
            mixing *= relativeJ * (w + at.other.w) * real_rcp(relative * at.other.w + relativeJ * w);
        }
        add_scaled(&change, mixing * other.density, way);
        if (spins)
            add_scaled(&spin, pbf_gradient_of(at.way.w, inverse, c) * at.other.w * other.slope,
                       cross3(way, at.way));
    }
    scale3(&change, own_of(sized->levels.mixingOwn, w, at.terms));
    motion.x += change.x, motion.y += change.y, motion.z += change.z;
    store_columns(p->vx, p->vy, p->vz, at.i, motion);
    if (!spins) return;
    scale3(&spin, c->mixedGradient * own_of(sized->levels.slopeOwn, w, at.terms));
    spin.w = real_sqrt(dot3(spin, spin));
    store_own(pass->spins, at.i, spin);
}
SIZED_RANGE(smooth, smooth_lanes, PBF_MIXED | PBF_SPINS)

WB_INLINE void confine_lanes(const wbSizedPass *sized, wbLanes at) {
    const PbfConstants *c = &sized->constants;
    const wbPbfPass *pass = sized->pass;
    const PbfSize self = size_of(&sized->levels, at.self.w, at.terms);
    REAL4 spin = load_own(pass->spins, at.i), eta = zero4();
    const int base = base_of(sized, at.i);
    int unpacked[WB_LANES];
    while (next_of(base, &at, unpacked)) {
        const PbfSize other = size_of(&sized->levels, at.other.w, at.terms);
        REAL g = pbf_gradient_of(at.way.w, pbf_inverse_support(self, other, c), c) * other.slope;
        add_scaled(&eta, g * at.other.w * (spin.w - lane_load4(from_base(pass->spins, base, 4), at.row).w),
                   at.way);
    }
    scale3(&eta, c->mixedGradient * own_of(sized->levels.slopeOwn, at.self.w, at.terms));
    confine_by(pass, at.i, eta, spin);
}
SIZED_RANGE(confine, confine_lanes, 0)

// A look at all particles, where they are.

WB_INLINE REAL4 load_place(const wbSizedPass *sized, int i) {
    const wbParticles *all = &sized->pass->pbf->fluid.particles;
    return load_columns(all->x, all->y, all->z, i);
}

WB_INLINE void stay_lanes(const wbSizedPass *sized, int i) {
    REAL4 place = load_place(sized, i);
    place.w = with_level(real_set(1), load_levels(sized->level, i));
    store_own(sized->pass->places, i, place);
}
WB_LANES_RANGE(stay, wbSizedPass, stay_lanes)

WB_INLINE void measure_lanes(const wbSizedPass *sized, wbLanes at) {
    const INTS level = level_of(at.self.w);
    const Constraint sums = sum_constraint(sized, &at);
    const REAL h = lane_look(sized->levels.h, level);
    real_store(sized->density + at.i, sums.density);
    real_store(sized->gradient + at.i,
               real_sqrt(sums.gradient2) * h * (sized->constants.mixedGradient / sized->levels.flatGradient));
}
SIZED_RANGE(measure, measure_lanes, 0)

WB_INLINE void mark_lanes(const wbSizedPass *sized, int i) {
    REAL4 place = load_place(sized, i);
    REAL distance = real_load(sized->distance + i);
    REAL surface = pbf_looks_like_surface(real_load(sized->density + i), real_load(sized->gradient + i),
                                          distance, sized->surface);
    place.w = distance * (1.0f - 2.0f * surface);
    store_own(sized->to, i, place);
}
WB_LANES_RANGE(mark, wbSizedPass, mark_lanes)

// A surface is where several neighbours agree, fewer where it was near before; or where a particle is nearly alone. The distance is half
// the particle's size there, else the least of b_j + r_ij.
WB_INLINE void distance_lanes(const wbSizedPass *sized, wbLanes at) {
    const PbfLevels *levels = &sized->levels;
    const REAL zero = real_set(0), one = real_set(1);
    REAL nearest = real_set(WB_UNKNOWN_DISTANCE), agree = zero;
    const int base = base_of(sized, at.i);
    int unpacked[WB_LANES];
    while (next_of(base, &at, unpacked)) {
        MASK isOther = real_less(real_set(sized->constants.tiny), at.way.w);
        REAL distance = real_abs(at.other.w) + real_sqrt(at.way.w);
        nearest = real_min(nearest, real_select(isOther, distance, real_set(WB_UNKNOWN_DISTANCE)));
        agree += real_select(isOther, real_select(real_less(at.other.w, zero), one, zero), zero);
    }
    const REAL now =
        pbf_find_distance(at.self.w, nearest, agree, real_load(sized->density + at.i),
                          lane_look(levels->radius, load_levels(sized->level, at.i)), sized->surface);
    real_store(sized->distance + at.i, now);
    at.self.w = real_select(real_less(at.self.w, zero), -now, now);
    store_own(sized->to, at.i, at.self);
}
SIZED_RANGE(distance, distance_lanes, 0)

// Towards the density from before a change.
WB_INLINE void relax_lanes(const wbSizedPass *sized, wbLanes at) {
    const INTS level = level_of(at.self.w);
    const Constraint sums = sum_constraint(sized, &at);
    const REAL error =
        pbf_relax_error(sums.density, real_load(sized->before + at.i), real_load(sized->distance + at.i),
                        real_set(sized->levels.radius[0]), sized->relaxMost);
    REAL mu = sums.mu * error * sized->relaxStep;
    if (sized->pass->relative) mu *= real_load(sized->pass->lowest + at.i);
    at.self.w = with_level(mu, level);
    store_own(sized->pass->solved, at.i, at.self);
}
SIZED_RANGE(relax, relax_lanes, 0)

WB_INLINE void shift_lanes(const wbSizedPass *sized, wbLanes at) {
    const INTS level = level_of(at.self.w);
    const REAL4 push = sum_pushes(sized, &at, &sized->relaxApart);
    REAL4 place = {pbf_confine(at.self.x - push.x, 0, &sized->move),
                   pbf_confine(at.self.y - push.y, 1, &sized->move),
                   pbf_confine(at.self.z - push.z, 2, &sized->move), with_level(real_set(1), level)};
    store_own(sized->pass->places, at.i, place);
}
SIZED_RANGE(shift, shift_lanes, PBF_MIXED)

static void lists(int begin, int end, int worker, void *context) {
    build_sized_range(context, begin, end, worker);
}

const wbSizedCode WB_WIDE(wb_sizedCode) = {lists,   place, lambda,  correct, calm,     lowest, smooth,
                                           confine, stay,  measure, mark,    distance, relax,  shift};
