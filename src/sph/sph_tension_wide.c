// SPDX-License-Identifier: MIT
#include "space/particle_fluid_wide.h"
#include "sph/sph_tension_code.h"
#include "sph/sph_tension_formula.h"

// Sums of a particle: n; of bases n_b and the cosines of contact angles; M; weights of the cosines.
typedef struct Sums {
    REAL4 normal, base;
    SphTensor moment;
    REAL weight;
} Sums;

WB_INLINE Sums load_sums(const wbSphTensionPass *tension, int i) {
    Sums sums = {.base = load_own(tension->sumRecords[0], i)};
    REAL4 straight = load_own(tension->sumRecords[1], i), mixed = load_own(tension->sumRecords[2], i);
    sums.moment = (SphTensor){straight.x, straight.y, straight.z, mixed.x, mixed.y, mixed.z};
    sums.normal = sums.base, sums.weight = straight.w;
    return sums;
}

WB_INLINE void store_sums(const wbSphTensionPass *tension, int i, const Sums *sums) {
    const SphTensor *m = &sums->moment;
    store_own(tension->sumRecords[0], i, sums->base);
    store_own(tension->sumRecords[1], i, (REAL4){m->xx, m->yy, m->zz, sums->weight});
    store_own(tension->sumRecords[2], i, (REAL4){m->xy, m->xz, m->yz, real_set(0)});
}

WB_INLINE void add_base(Sums *sums, REAL scale, REAL4 way, REAL cosine) {
    add_scaled(&sums->base, -scale, way);
    sums->base.w = real_madd(scale, cosine, sums->base.w);
    sums->weight += scale;
}

// A collider's point fills its volume as water at rest would.
WB_INLINE void bases_lanes(const wbSphTensionPass *tension, wbLanes at) {
    const SphTension *t = &tension->constants;
    Sums sums = {.normal = zero4(), .base = zero4(), .weight = real_set(0)};
    sums.moment = (SphTensor){sums.weight, sums.weight, sums.weight, sums.weight, sums.weight, sums.weight};
    while (next_pair(&at)) {
        add_base(&sums, at.other.w * tension_normal(at.way.w, t), at.way,
                 tension_cosine(load_numbers(tension->adhesions, at.row), t));
        sums.moment =
            tension_add(sums.moment, at.other.w * tension_moment(at.way.w, t), at.way.x, at.way.y, at.way.z);
    }
    store_sums(tension, at.i, &sums);
}

// Ghosts are the water's mirror image and the side's base at once. They end where the water does, but the base does not: only across it
// they count as one.
WB_INLINE void skins_lanes(const wbSphTensionPass *tension, wbLanes at) {
    const SphTension *t = &tension->constants;
    const REAL none = real_set(0);
    Sums sums = {zero4(), zero4(), {none, none, none, none, none, none}, none};
    if (tension->sumRecords[0]) sums = load_sums(tension, at.i);
    while (next_pair(&at)) {
        REAL scale = tension_normal(at.way.w, t);
        add_scaled(&sums.normal, -scale, at.way);
        sums.moment = tension_add(sums.moment, tension_moment(at.way.w, t), at.way.x, at.way.y, at.way.z);
        if (!(at.terms & TENSION_BASES)) continue;
        const REAL4 face = lane_load4(tension->faceRecords, at.row);
        const REAL4 across = {face.x * at.way.x, face.y * at.way.y, face.z * at.way.z, none};
        add_base(&sums, face.w * scale, across, real_set(t->sideCosine));
    }
    const bool hasBases = at.terms & TENSION_BASES;
    const REAL cosine = sums.base.w * real_rcp(real_max(sums.weight, real_set(1e-20f)));
    const REAL taken = hasBases ? real_sqrt(dot3(sums.base, sums.base)) * real_max(cosine, none) : none;
    SphSkin skin = tension_skin(sums.normal.x, sums.normal.y, sums.normal.z, sums.moment, taken, t);
    store_own(tension->skinRecords, at.i, (REAL4){skin.x, skin.y, skin.z, skin.weight});
    real_store(tension->strengths + at.i, skin.strength);
    store_own(tension->bentRecords, at.i, (REAL4){none, none, none, skin.least});
    if (!hasBases) return;
    SphSkin base = tension_base(sums.base.x, sums.base.y, sums.base.z, sums.moment, cosine, t);
    store_own(tension->baseRecords, at.i, (REAL4){base.x, base.y, base.z, base.strength});
}

WB_INLINE void bend_lanes(const wbSphTensionPass *tension, wbLanes at) {
    const SphTension *t = &tension->constants;
    const REAL4 skin = load_own(tension->skinRecords, at.i);
    SphTurn turn = tension_no_turn();
    while (next_pair(&at)) {
        const REAL4 other = lane_load4(tension->skinRecords, at.row);
        turn = tension_turn(turn, skin.w, other.w, other.x, other.y, other.z, dot3(skin, at.way), at.way.w,
                            at.way.x, at.way.y, at.way.z, t);
    }
    const REAL least = load_own(tension->bentRecords, at.i).w;
    const REAL strength =
        tension_count(real_load(tension->strengths + at.i), least, &turn, skin.x, skin.y, skin.z, t);
    const SphBend bend = tension_bent(&turn, skin.x, skin.y, skin.z, t);
    store_own(tension->stressRecords, at.i, (REAL4){skin.x, skin.y, skin.z, strength * bend.strength});
    store_own(tension->bentRecords, at.i, (REAL4){bend.x, bend.y, bend.z, real_set(0)});
}

// S r of a stress f (I - e e^T), and f (I - e e^T - u u^T).
WB_INLINE REAL4 stretch(REAL4 stress, REAL4 way) {
    REAL along = dot3(stress, way);
    return (REAL4){stress.w * (way.x - stress.x * along), stress.w * (way.y - stress.y * along),
                   stress.w * (way.z - stress.z * along), real_set(0)};
}
WB_INLINE REAL4 stretch_bent(REAL4 stress, REAL4 u, REAL4 way) {
    REAL4 pull = stretch(stress, way);
    add_scaled(&pull, -stress.w * dot3(u, way), u);
    return pull;
}
WB_INLINE REAL4 plus(REAL4 a, REAL4 b) { return (REAL4){a.x + b.x, a.y + b.y, a.z + b.z, real_set(0)}; }

WB_INLINE void pull_lanes(const wbSphTensionPass *tension, wbLanes at) {
    const wbSphPass *pass = tension->pass;
    const REAL4 own = load_own(tension->stressRecords, at.i), bent = load_own(tension->bentRecords, at.i);
    REAL4 sum = load_columns(pass->ax, pass->ay, pass->az, at.i), base = zero4();
    if (at.terms & TENSION_BASES) base = load_own(tension->baseRecords, at.i);
    while (next_pair(&at)) {
        const REAL4 other = lane_load4(tension->stressRecords, at.row);
        REAL4 mine, theirs;
        if (at.terms & TENSION_SPACE) {
            mine = stretch_bent(own, bent, at.way);
            theirs = stretch_bent(other, lane_load4(tension->bentRecords, at.row), at.way);
        } else {
            mine = stretch(own, at.way);
            theirs = stretch(other, at.way);
        }
        if (at.terms & TENSION_BASES) {
            mine = plus(mine, stretch(base, at.way));
            theirs = plus(theirs, stretch(lane_load4(tension->baseRecords, at.row), at.way));
        }
        add_scaled(&sum, -tension_pull(at.way.w, &tension->constants),
                   plus(mine, theirs)); // the same from both sides
    }
    store_columns(pass->ax, pass->ay, pass->az, at.i, sum);
}

WB_INLINE REAL4 mirror(REAL4 vector, REAL4 base) {
    REAL across = 2.0f * dot3(vector, base);
    return (REAL4){vector.x - across * base.x, vector.y - across * base.y, vector.z - across * base.z,
                   vector.w};
}

// A point has the stress of the particle, mirrored at the base: S + R S R, R = I - 2 e_b e_b^T.
WB_INLINE REAL4 stretch_at_base(REAL4 stress, REAL4 bent, REAL4 base, REAL4 way) {
    REAL4 twice = stretch(base, way);
    return plus(
        plus(stretch_bent(stress, bent, way), stretch_bent(mirror(stress, base), mirror(bent, base), way)),
        plus(twice, twice));
}

WB_INLINE void points_lanes(const wbSphTensionPass *tension, wbLanes at) {
    const wbSphPass *pass = tension->pass;
    const REAL4 own = load_own(tension->stressRecords, at.i), bent = load_own(tension->bentRecords, at.i),
                base = load_own(tension->baseRecords, at.i);
    REAL4 sum = load_columns(pass->ax, pass->ay, pass->az, at.i);
    while (next_pair(&at))
        add_scaled(&sum, -at.other.w * tension_pull(at.way.w, &tension->constants),
                   stretch_at_base(own, bent, base, at.way));
    store_columns(pass->ax, pass->ay, pass->az, at.i, sum);
}

WB_INLINE void bodies_lanes(const wbSphTensionPass *tension, wbLanes at) {
    const wbBoundaryLists *near = &tension->boundary->near;
    REAL4 sum = zero4();
    while (next_pair(&at))
        add_scaled(&sum, -at.self.w * tension_pull(at.way.w, &tension->constants),
                   stretch_at_base(lane_load4(tension->stressRecords, at.row),
                                   lane_load4(tension->bentRecords, at.row),
                                   lane_load4(tension->baseRecords, at.row), at.way));
    scale3(&sum, real_set((float)tension->pass->model->mass));
    store_columns(near->fx, near->fy, near->fz, at.i, sum);
}

WB_LIST_RANGE(bases, wbSphTensionPass, bases_lanes, 0)
WB_LIST_RANGE(skins, wbSphTensionPass, skins_lanes, TENSION_BASES)
WB_LIST_RANGE(bend, wbSphTensionPass, bend_lanes, 0)
WB_LIST_RANGE(pull, wbSphTensionPass, pull_lanes, TENSION_BASES | TENSION_SPACE)
WB_LIST_RANGE(points, wbSphTensionPass, points_lanes, 0)
WB_LIST_RANGE(bodies, wbSphTensionPass, bodies_lanes, 0)

const wbSphTensionCode WB_WIDE(wb_sphTensionCode) = {bases, skins, bend, pull, points, bodies};
