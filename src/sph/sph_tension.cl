// SPDX-License-Identifier: MIT
// Surface tension as a stress along the skin, on a device. Built with HASHED, and BASES 1 where water touches sides or colliders that have a
// contact angle, else 0. Formulas stand in sph_tension_formula.h. Own columns: e, how much a particle belongs to the skin, and how strong its
// stress is; the same of its base, without a weight. Of bases only kernels with BASES read and write something.

// Sums of a particle: n; of bases n_b, the cosines of contact angles and their weights; M.
typedef struct Sums {
    Real3 normal, base;
    REAL cosine, weight;
    SphTensor moment;
} Sums;

WB_INLINE Sums no_sums(void) {
    const REAL none = real_set(0);
    const Sums sums = {zero3(), zero3(), none, none, {none, none, none, none, none, none}};
    return sums;
}

WB_INLINE SphTensor select_tensor(MASK inside, const SphTensor *m, const SphTensor *n) {
    const SphTensor tensor = {real_select(inside, m->xx, n->xx), real_select(inside, m->yy, n->yy),
                              real_select(inside, m->zz, n->zz), real_select(inside, m->xy, n->xy),
                              real_select(inside, m->xz, n->xz), real_select(inside, m->yz, n->yz)};
    return tensor;
}

WB_INLINE Sums select_sums(MASK inside, const Sums *a, const Sums *b) {
    const Sums sums = {select3(inside, a->normal, b->normal), select3(inside, a->base, b->base),
                       real_select(inside, a->cosine, b->cosine), real_select(inside, a->weight, b->weight),
                       select_tensor(inside, &a->moment, &b->moment)};
    return sums;
}

WB_INLINE SphTurn select_turn(MASK inside, const SphTurn *a, const SphTurn *b) {
    const SphTurn turn = {select_tensor(inside, &a->turned, &b->turned),
                          real_select(inside, a->reached, b->reached),
                          real_select(inside, a->all, b->all),
                          real_select(inside, a->x, b->x),
                          real_select(inside, a->y, b->y),
                          real_select(inside, a->z, b->z)};
    return turn;
}

WB_INLINE bool is_beyond_skin(REAL r2, const SphTension *t) {
    return is_beyond(r2 * (t->inverseH * t->inverseH), 1);
}

// Who belongs to the skin. Ghosts are the water's mirror image and the side's base at once. They end where the water does, but the base does
// not: only across it they count as one. What colliders' points add (sph_boundary_bases) is known.
__kernel void tension_skins(SEARCHED(particle), SphTension t, int hasPoints, IN3(baseX, baseY, baseZ),
                            __global const float *cosines, __global const float *weights, IN3(xx, yy, zz),
                            IN3(xy, xz, yz), OUT3(ex, ey, ez), __global float *skins,
                            __global float *strengths, __global float *leasts,
                            OUT3(ownBaseX, ownBaseY, ownBaseZ), __global float *baseStrengths) {
    WALK(walk, particle);
    if (walk.isPast) return;
    const int i = walk.first;
    Sums sums = no_sums();
#if BASES
    if (hasPoints) {
        sums.normal = sums.base = load3(baseX, baseY, baseZ, i);
        sums.cosine = real_load(cosines + i), sums.weight = real_load(weights + i);
        sums.moment.xx = real_load(xx + i), sums.moment.yy = real_load(yy + i);
        sums.moment.zz = real_load(zz + i), sums.moment.xy = real_load(xy + i);
        sums.moment.xz = real_load(xz + i), sums.moment.yz = real_load(yz + i);
    }
#endif
    while (next_group(&walk)) {
        const Sums before = sums;
        while (next_run_around(&walk)) {
            const Real3 from = less_offset(walk.p, &walk.ghost);
#if BASES
            const float faceX = walk.ghost.sign[0] < 0 ? 1 : 0, faceY = walk.ghost.sign[1] < 0 ? 1 : 0,
                        faceZ = walk.ghost.sign[2] < 0 ? 1 : 0;
            const bool isGhost = faceX + faceY + faceZ > 0;
#endif
            while (next_candidate(&walk)) {
                const Real3 d = find_gap(from, &walk);
                const REAL r2 = square3(d);
                if (is_beyond_skin(r2, &t)) continue;
                const REAL scale = tension_normal(r2, &t);
                sums.normal = madd3(-scale, d, sums.normal);
                sums.moment = tension_add(sums.moment, tension_moment(r2, &t), d.x, d.y, d.z);
#if BASES
                if (!isGhost) continue;
                sums.base = madd3(-scale, real3(faceX * d.x, faceY * d.y, faceZ * d.z), sums.base);
                sums.cosine = real_madd(scale, real_set(t.sideCosine), sums.cosine);
                sums.weight += scale;
#endif
            }
        }
        sums = select_sums(walk.inside, &sums, &before);
    }
    REAL taken = real_set(0);
#if BASES
    const REAL cosine = sums.cosine * real_rcp(real_max(sums.weight, real_set(1e-20f)));
    taken = real_sqrt(square3(sums.base)) * real_max(cosine, real_set(0));
    const SphSkin base = tension_base(sums.base.x, sums.base.y, sums.base.z, sums.moment, cosine, &t);
    store3(ownBaseX, ownBaseY, ownBaseZ, i, real3(base.x, base.y, base.z));
    real_store(baseStrengths + i, base.strength);
#endif
    const SphSkin skin = tension_skin(sums.normal.x, sums.normal.y, sums.normal.z, sums.moment, taken, &t);
    store3(ex, ey, ez, i, real3(skin.x, skin.y, skin.z));
    real_store(skins + i, skin.weight);
    real_store(strengths + i, skin.strength);
    real_store(leasts + i, skin.least);
}

// The stress, by normals around and the curvature of the skin. What of it counts in any case stands where ux will.
__kernel void tension_bend(SEARCHED(particle), SphTension t, IN3(ex, ey, ez), __global const float *skins,
                           __global float *strengths, OUT3(ux, uy, uz)) {
    WALK(walk, particle);
    if (walk.isPast) return;
    const int i = walk.first;
    const Real3 e = load3(ex, ey, ez, i);
    const REAL weight = real_load(skins + i);
    SphTurn turn = tension_no_turn();
    while (next_group(&walk)) {
        const SphTurn before = turn;
        while (next_run_around(&walk)) {
            const Real3 from = less_offset(walk.p, &walk.ghost);
            while (next_candidate(&walk)) {
                const Real3 d = find_gap(from, &walk);
                const REAL r2 = square3(d);
                if (is_beyond_skin(r2, &t)) continue;
                const Real3 other = mirrored_at(ex, ey, ez, &walk);
                turn = tension_turn(turn, weight, real_set(skins[walk.j]), other.x, other.y, other.z,
                                    dot3(e, d), r2, d.x, d.y, d.z, &t);
            }
        }
        turn = select_turn(walk.inside, &turn, &before);
    }
    const REAL strength =
        tension_count(real_load(strengths + i), real_load(ux + i), &turn, e.x, e.y, e.z, &t);
    const SphBend bend = tension_bent(&turn, e.x, e.y, e.z, &t);
    store3(ux, uy, uz, i, real3(bend.x, bend.y, bend.z));
    real_store(strengths + i, strength * bend.strength);
}

// Added to the accelerations.
__kernel void tension_pull_pairs(SEARCHED(particle), SphTension t, IN3(ex, ey, ez),
                                 __global const float *strengths, IN3(ux, uy, uz), IN3(baseX, baseY, baseZ),
                                 __global const float *baseStrengths, OUT3(ax, ay, az)) {
    WALK(walk, particle);
    if (walk.isPast) return;
    const int i = walk.first;
    const Real3 e = load3(ex, ey, ez, i), u = load3(ux, uy, uz, i);
    const REAL strength = real_load(strengths + i);
#if BASES
    const Real3 base = load3(baseX, baseY, baseZ, i);
    const REAL baseStrength = real_load(baseStrengths + i);
#endif
    Real3 sum = load3(ax, ay, az, i);
    while (next_group(&walk)) {
        const Real3 before = sum;
        while (next_run_around(&walk)) {
            const Real3 from = less_offset(walk.p, &walk.ghost);
            while (next_candidate(&walk)) {
                const Real3 d = find_gap(from, &walk);
                const REAL r2 = square3(d);
                if (is_beyond_skin(r2, &t)) continue;
                Real3 mine = tension_stretch_bent(e, u, strength, d),
                      theirs =
                          tension_stretch_bent(mirrored_at(ex, ey, ez, &walk), mirrored_at(ux, uy, uz, &walk),
                                               real_set(strengths[walk.j]), d);
#if BASES
                mine = add3(mine, tension_stretch(base, baseStrength, d));
                theirs = add3(theirs, tension_stretch(mirrored_at(baseX, baseY, baseZ, &walk),
                                                      real_set(baseStrengths[walk.j]), d));
#endif
                sum = madd3(-tension_pull(r2, &t), add3(mine, theirs), sum);
            }
        }
        sum = select3(walk.inside, sum, before);
    }
    store3(ax, ay, az, i, sum);
}
