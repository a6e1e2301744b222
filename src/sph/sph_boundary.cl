// SPDX-License-Identifier: MIT
// Colliders' points on a device: what they add to the sums of particles, and what particles do to them. Built with HASHED
// (of the cells that are searched), WENDLAND, ADHESIVE, MIXED (fluids of different density), SPLIT (sph_split.cl) and STRESS (sph_tension.cl)
// 0 or 1.

#if WENDLAND
#    define sph_kernel sph_wendland
#else
#    define sph_kernel sph_poly6
#endif

// Of a pair with a particle of this root, squared: see sph_pair.
WB_INLINE REAL find_impedance(__global const float *roots, int j) {
#if MIXED
    return real_set(roots[j] * roots[j]);
#else
    return real_set(1);
#endif
}

// rho_i += sum psi W
__kernel void sph_boundary_density(SEARCHED_PLACES(particle, place), SphConstants constants,
                                   __global float *sums) {
    WALK_PLACES(walk, particle, place);
    if (walk.isPast) return;
    REAL added = real_set(0);
    while (next_group(&walk)) {
        const REAL before = added;
        while (next_run_around(&walk))
            while (next_candidate(&walk)) {
                const REAL psi = weight_at(placePositions, walk.j);
                added = real_madd(psi, sph_kernel(square3(candidate_gap(&walk)), &constants), added);
            }
        added = real_select(walk.inside, added, before);
    }
    real_store(sums + walk.first, real_load(sums + walk.first) + added);
}

// n_i += h sum psi/rho0 grad W
__kernel void sph_boundary_normals(SEARCHED_PLACES(particle, place), SphConstants constants,
                                   OUT3(nx, ny, nz)) {
    WALK_PLACES(walk, particle, place);
    if (walk.isPast) return;
    Real3 added = zero3();
    while (next_group(&walk)) {
        const Real3 before = added;
        while (next_run_around(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = candidate_gap(&walk);
                const REAL inverse = weight_at(placePositions, walk.j) * constants.inverseRestDensity;
                added = madd3(-sph_normal(WENDLAND, square3(d), inverse, &constants), d, added);
            }
        added = select3(walk.inside, added, before);
    }
    store3(nx, ny, nz, walk.first, add3(load3(nx, ny, nz, walk.first), added));
}

// p/rho2 of each point, by the particles near it.
__kernel void sph_boundary_means(SEARCHED_PARTICLES(place, particle), SphConstants constants, IN3(vx, vy, vz),
                                 __global const float *terms, __global const float *roots,
                                 __global float *means) {
    WALK_PARTICLES(walk, place, particle);
    if (walk.isPast) return;
    const Real3 v = load_record(placeVelocities, walk.first);
    Real3 sums = zero3(); // of terms, weights and rates
    while (next_group(&walk)) {
        const Real3 before = sums;
        while (next_run_around(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = candidate_gap(&walk),
                            u = real3(v.x - vx[walk.j], v.y - vy[walk.j], v.z - vz[walk.j]);
                const REAL r2 = square3(d), weight = sph_kernel(r2, &constants);
                sums.x = real_madd(weight, real_set(terms[walk.j]), sums.x);
                sums.y += weight;
                sums.z +=
                    sph_boundary_rate(WENDLAND, r2, dot3(u, d), find_impedance(roots, walk.j), &constants);
            }
        sums = select3(walk.inside, sums, before);
    }
    real_store(means + walk.first, sph_boundary_term(sums.x, sums.y, sums.z, &constants));
}

// Accelerations by pressure, viscosity and adhesion of colliders.
__kernel void sph_boundary_forces(SEARCHED_PLACES(particle, place), SphConstants constants,
                                  __global const float *means, __global const float *adhesions,
                                  IN3(vx, vy, vz), __global const float *inverseDensities,
                                  __global const float *terms, __global const float *roots,
                                  OUT3(ax, ay, az)) {
    WALK_PLACES(walk, particle, place);
    if (walk.isPast) return;
    Real3 added = zero3();
    const Real3 v = load3(vx, vy, vz, walk.first);
    const REAL wi = real_load(inverseDensities + walk.first), pi = real_load(terms + walk.first);
#if MIXED
    const REAL root = real_load(roots + walk.first), impedance = root * root;
#else
    const REAL impedance = real_set(1);
#endif
    while (next_group(&walk)) {
        const Real3 before = added;
        while (next_run_around(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = candidate_gap(&walk);
                const REAL r2 = square3(d);
#if WB_LANES == 1
                if (r2 >= constants.h2) continue;
#endif
                const Real3 u = less3(record_at(placeVelocities, walk.j), v);
                const SphPair pair =
                    sph_boundary_pair(WENDLAND, ADHESIVE, r2, -dot3(u, d), wi, pi, real_set(means[walk.j]),
                                      weight_at(placePositions, walk.j), weight_at(placeVelocities, walk.j),
                                      real_set(adhesions[walk.j]), impedance, &constants);
                added = madd3(pair.along, d, madd3(pair.drag, u, added));
            }
        added = select3(walk.inside, added, before);
    }
    store3(ax, ay, az, walk.first, add3(load3(ax, ay, az, walk.first), added));
}

// The same pairs from the other side, in N.
__kernel void sph_boundary_reactions(SEARCHED_PARTICLES(place, particle), SphConstants constants, float mass,
                                     IN3(vx, vy, vz), __global const float *inverseDensities,
                                     __global const float *terms, __global const float *roots,
                                     __global const float *means, __global const float *adhesions,
                                     OUT3(fx, fy, fz)) {
    WALK_PARTICLES(walk, place, particle);
    if (walk.isPast) return;
    const Real3 v = load_record(placeVelocities, walk.first);
    const REAL drag = load_field(placeVelocities, walk.first, 3),
               weight = load_field(placePositions, walk.first, 3);
    const REAL mean = real_load(means + walk.first), adhesion = real_load(adhesions + walk.first);
    Real3 sum = zero3();
    while (next_group(&walk)) {
        const Real3 before = sum;
        while (next_run_around(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = candidate_gap_back(&walk);
                const REAL r2 = square3(d);
#if WB_LANES == 1
                if (r2 >= constants.h2) continue;
#endif
                const Real3 u = real3(v.x - vx[walk.j], v.y - vy[walk.j], v.z - vz[walk.j]);
                const SphPair pair =
                    sph_boundary_pair(WENDLAND, ADHESIVE, r2, -dot3(u, d), real_set(inverseDensities[walk.j]),
                                      real_set(terms[walk.j]), mean, weight, drag, adhesion,
                                      find_impedance(roots, walk.j), &constants);
                sum = madd3(pair.along, d, madd3(pair.drag, u, sum));
            }
        sum = select3(walk.inside, sum, before);
    }
    store3(fx, fy, fz, walk.first, scale3(sum, real_set(-mass)));
}

#if SPLIT
// B, and what the points' own velocities bring nearer: added.
__kernel void sph_boundary_split(SEARCHED_PLACES(particle, place), SphSplitConstants constants,
                                 OUT3(bx, by, bz), __global float *nearings) {
    WALK_PLACES(walk, particle, place);
    if (walk.isPast) return;
    Real3 added = zero3();
    REAL nearing = real_set(0);
    while (next_group(&walk)) {
        const Real3 before = added;
        const REAL nearingBefore = nearing;
        while (next_run_around(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = candidate_gap(&walk);
                const REAL gradient =
                    weight_at(placePositions, walk.j) * split_gradient(WENDLAND, square3(d), &constants);
                added = madd3(gradient, d, added);
                nearing = real_madd(gradient, dot3(d, record_at(placeVelocities, walk.j)), nearing);
            }
        added = select3(walk.inside, added, before);
        nearing = real_select(walk.inside, nearing, nearingBefore);
    }
    store3(bx, by, bz, walk.first, add3(load3(bx, by, bz, walk.first), added));
    real_store(nearings + walk.first, real_load(nearings + walk.first) + nearing);
}

// What pressures k + w of particles do to the points, in N: added to what is known, which may stand where the sum goes to.
__kernel void sph_boundary_split_reactions(SEARCHED_PARTICLES(place, particle), SphSplitConstants constants,
                                           float mass, __global const float *presses, IN3(ex, ey, ez),
                                           OUT3(fx, fy, fz)) {
    WALK_PARTICLES(walk, place, particle);
    if (walk.isPast) return;
    const REAL weight = load_field(placePositions, walk.first, 3);
    Real3 sum = zero3();
    while (next_group(&walk)) {
        const Real3 before = sum;
        while (next_run_around(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = candidate_gap(&walk);
                const REAL r2 = square3(d);
                if (is_beyond(r2, constants.sph.h2)) continue;
                sum = madd3(split_gradient(WENDLAND, r2, &constants) * presses[walk.j] * weight, d, sum);
            }
        sum = select3(walk.inside, sum, before);
    }
    store3(fx, fy, fz, walk.first, madd3(real_set(mass), sum, load3(ex, ey, ez, walk.first)));
}
#endif

#if STRESS
// What points add to the sums of the skin (Sums of sph_tension.cl): each fills its volume as water at rest would.
__kernel void sph_boundary_bases(SEARCHED_PLACES(particle, place), SphTension t,
                                 __global const float *adhesions, OUT3(baseX, baseY, baseZ),
                                 __global float *cosines, __global float *weights, OUT3(xx, yy, zz),
                                 OUT3(xy, xz, yz)) {
    WALK_PLACES(walk, particle, place);
    if (walk.isPast) return;
    const int i = walk.first;
    const REAL none = real_set(0);
    Real3 base = zero3();
    REAL cosine = none, weight = none;
    SphTensor moment = {none, none, none, none, none, none};
    while (next_group(&walk)) {
        const Real3 baseBefore = base;
        const REAL cosineBefore = cosine, weightBefore = weight;
        const SphTensor momentBefore = moment;
        while (next_run_around(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = candidate_gap(&walk);
                const REAL r2 = square3(d), volume = weight_at(placePositions, walk.j);
                const REAL scale = volume * tension_normal(r2, &t), adhesion = adhesions[walk.j] / volume;
                base = madd3(-scale, d, base);
                cosine = real_madd(scale, tension_cosine(adhesion, &t), cosine);
                weight += scale;
                moment = tension_add(moment, volume * tension_moment(r2, &t), d.x, d.y, d.z);
            }
        base = select3(walk.inside, base, baseBefore);
        cosine = real_select(walk.inside, cosine, cosineBefore);
        weight = real_select(walk.inside, weight, weightBefore);
        moment.xx = real_select(walk.inside, moment.xx, momentBefore.xx);
        moment.yy = real_select(walk.inside, moment.yy, momentBefore.yy);
        moment.zz = real_select(walk.inside, moment.zz, momentBefore.zz);
        moment.xy = real_select(walk.inside, moment.xy, momentBefore.xy);
        moment.xz = real_select(walk.inside, moment.xz, momentBefore.xz);
        moment.yz = real_select(walk.inside, moment.yz, momentBefore.yz);
    }
    store3(baseX, baseY, baseZ, i, add3(load3(baseX, baseY, baseZ, i), base));
    real_store(cosines + i, real_load(cosines + i) + cosine);
    real_store(weights + i, real_load(weights + i) + weight);
    store3(xx, yy, zz, i, add3(load3(xx, yy, zz, i), real3(moment.xx, moment.yy, moment.zz)));
    store3(xy, xz, yz, i, add3(load3(xy, xz, yz, i), real3(moment.xy, moment.xz, moment.yz)));
}

// The skin's stress at points, which have that of the particle: added to the accelerations,
__kernel void sph_boundary_pull(SEARCHED_PLACES(particle, place), SphTension t, IN3(ex, ey, ez),
                                __global const float *strengths, IN3(ux, uy, uz), IN3(baseX, baseY, baseZ),
                                __global const float *baseStrengths, OUT3(ax, ay, az)) {
    WALK_PLACES(walk, particle, place);
    if (walk.isPast) return;
    const int i = walk.first;
    const Real3 e = load3(ex, ey, ez, i), u = load3(ux, uy, uz, i), base = load3(baseX, baseY, baseZ, i);
    const REAL strength = real_load(strengths + i), baseStrength = real_load(baseStrengths + i);
    Real3 added = zero3();
    while (next_group(&walk)) {
        const Real3 before = added;
        while (next_run_around(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = candidate_gap(&walk);
                const REAL pull = weight_at(placePositions, walk.j) * tension_pull(square3(d), &t);
                added = madd3(-pull, tension_stretch_at_base(e, u, strength, base, baseStrength, d), added);
            }
        added = select3(walk.inside, added, before);
    }
    store3(ax, ay, az, i, add3(load3(ax, ay, az, i), added));
}

// and the same pairs from the other side, in N.
__kernel void sph_boundary_pull_reactions(SEARCHED_PARTICLES(place, particle), SphTension t, float mass,
                                          IN3(ex, ey, ez), __global const float *strengths, IN3(ux, uy, uz),
                                          IN3(baseX, baseY, baseZ), __global const float *baseStrengths,
                                          OUT3(fx, fy, fz)) {
    WALK_PARTICLES(walk, place, particle);
    if (walk.isPast) return;
    const REAL weight = load_field(placePositions, walk.first, 3);
    Real3 sum = zero3();
    while (next_group(&walk)) {
        const Real3 before = sum;
        while (next_run_around(&walk))
            while (next_candidate(&walk)) {
                const int j = walk.j;
                const Real3 d = candidate_gap(&walk);
                const Real3 e = real3(real_set(ex[j]), real_set(ey[j]), real_set(ez[j])),
                            u = real3(real_set(ux[j]), real_set(uy[j]), real_set(uz[j])),
                            base = real3(real_set(baseX[j]), real_set(baseY[j]), real_set(baseZ[j]));
                sum = madd3(-tension_pull(square3(d), &t),
                            tension_stretch_at_base(e, u, real_set(strengths[j]), base,
                                                    real_set(baseStrengths[j]), d),
                            sum);
            }
        sum = select3(walk.inside, sum, before);
    }
    store3(fx, fy, fz, walk.first, madd3(weight * mass, sum, load3(fx, fy, fz, walk.first)));
}
#endif
