// SPDX-License-Identifier: MIT
// Colliders' points on a device: what they add to the sums of particles, and what particles do to them. Built with HASHED
// (of the cells that are searched), WENDLAND, ADHESIVE and MIXED (fluids of different density) 0 or 1.

#if WENDLAND
#    define sph_kernel sph_wendland
#else
#    define sph_kernel sph_poly6
#endif

// From the candidate.
WB_INLINE Real3 sph_gap(const Walk *walk) {
    const Points from = walk->searched;
    return real3(walk->p.x - from.x[walk->j], walk->p.y - from.y[walk->j], walk->p.z - from.z[walk->j]);
}
// To the candidate.
WB_INLINE Real3 sph_gap_back(const Walk *walk) {
    const Points to = walk->searched;
    return real3(to.x[walk->j] - walk->p.x, to.y[walk->j] - walk->p.y, to.z[walk->j] - walk->p.z);
}

// Of a pair with a particle of this root, squared: see sph_pair.
WB_INLINE REAL find_impedance(__global const float *roots, int j) {
#if MIXED
    return real_set(roots[j] * roots[j]);
#else
    return real_set(1);
#endif
}

// rho_i += sum psi W
__kernel void sph_boundary_density(int count, SEARCHED_PLACES(places, bucketStart, placeX, placeY, placeZ),
                                   IN3(x, y, z), SphConstants constants, __global const float *positions,
                                   __global float *sums) {
    int sifted[SIFTED];
    Walk walk = walk_to_places(count, &places, bucketStart, placeX, placeY, placeZ, x, y, z, sifted);
    if (walk.first >= count) return;
    REAL sum = real_load(sums + walk.first);
    positions += 4 * places.first;
    while (next_group(&walk)) {
        REAL group = real_set(0);
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = sph_gap(&walk);
                group =
                    real_madd(real_set(positions[4 * walk.j + 3]), sph_kernel(dot3(d, d), &constants), group);
            }
        sum = real_select(walk.inside, sum + group, sum);
    }
    real_store(sums + walk.first, sum);
}

// n_i += h sum psi/rho0 grad W
__kernel void sph_boundary_normals(int count, SEARCHED_PLACES(places, bucketStart, placeX, placeY, placeZ),
                                   IN3(x, y, z), SphConstants constants, __global const float *positions,
                                   OUT3(nx, ny, nz)) {
    int sifted[SIFTED];
    Walk walk = walk_to_places(count, &places, bucketStart, placeX, placeY, placeZ, x, y, z, sifted);
    if (walk.first >= count) return;
    Real3 sum = load3(nx, ny, nz, walk.first);
    positions += 4 * places.first;
    while (next_group(&walk)) {
        Real3 group = zero3();
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = sph_gap(&walk);
                const REAL inverse = real_set(positions[4 * walk.j + 3] * constants.inverseRestDensity);
                group = madd3(-sph_normal(WENDLAND, dot3(d, d), inverse, &constants), d, group);
            }
        sum = select3(walk.inside, add3(sum, group), sum);
    }
    store3(nx, ny, nz, walk.first, sum);
}

// p/rho2 of each point, by the particles near it; searched are the particles.
__kernel void sph_boundary_means(int count, SEARCHED(space, bucketStart, x, y, z),
                                 IN3(placeX, placeY, placeZ), SphConstants constants, IN3(vx, vy, vz),
                                 __global const float *terms, __global const float *roots,
                                 __global const float *velocities, __global float *means) {
    int sifted[SIFTED];
    Walk walk = walk_to_particles(count, &space, bucketStart, x, y, z, placeX, placeY, placeZ, sifted);
    if (walk.first >= count) return;
    const Real3 v = load_record(velocities, walk.first);
    REAL sum = real_set(0), weights = real_set(0), rate = real_set(0);
    while (next_group(&walk)) {
        REAL groupSum = real_set(0), groupWeights = real_set(0), groupRate = real_set(0);
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = sph_gap(&walk),
                            u = real3(v.x - vx[walk.j], v.y - vy[walk.j], v.z - vz[walk.j]);
                const REAL r2 = dot3(d, d), weight = sph_kernel(r2, &constants);
                groupSum = real_madd(weight, real_set(terms[walk.j]), groupSum);
                groupWeights += weight;
                groupRate +=
                    sph_wall_rate(WENDLAND, r2, dot3(u, d), find_impedance(roots, walk.j), &constants);
            }
        sum = real_select(walk.inside, groupSum, sum);
        weights = real_select(walk.inside, groupWeights, weights);
        rate = real_select(walk.inside, groupRate, rate);
    }
    real_store(means + walk.first, sph_wall_term(sum, weights, rate, &constants));
}

// Accelerations by pressure, viscosity and adhesion of colliders.
__kernel void sph_boundary_forces(int count, SEARCHED_PLACES(places, bucketStart, placeX, placeY, placeZ),
                                  IN3(x, y, z), SphConstants constants, __global const float *positions,
                                  __global const float *velocities, __global const float *means,
                                  __global const float *adhesions, IN3(vx, vy, vz),
                                  __global const float *inverseDensities, __global const float *terms,
                                  __global const float *roots, OUT3(ax, ay, az)) {
    int sifted[SIFTED];
    Walk walk = walk_to_places(count, &places, bucketStart, placeX, placeY, placeZ, x, y, z, sifted);
    const int first = walk.first;
    if (first >= count) return;
    const Real3 v = load3(vx, vy, vz, first);
    const REAL wi = real_load(inverseDensities + first), pi = real_load(terms + first);
#if MIXED
    const REAL root = real_load(roots + first), impedance = root * root;
#else
    const REAL impedance = real_set(1);
#endif
    Real3 sum = load3(ax, ay, az, first);
    positions += 4 * places.first, velocities += 4 * places.first;
    means += places.first, adhesions += places.first;
    while (next_group(&walk)) {
        Real3 group = zero3();
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = sph_gap(&walk);
                const REAL r2 = dot3(d, d);
#if WB_LANES == 1
                if (r2 >= constants.h2) continue;
#endif
                const Real3 u = real3(velocities[4 * walk.j] - v.x, velocities[4 * walk.j + 1] - v.y,
                                      velocities[4 * walk.j + 2] - v.z);
                const SphPair pair =
                    sph_wall(WENDLAND, ADHESIVE, r2, -dot3(u, d), wi, pi, real_set(means[walk.j]),
                             real_set(positions[4 * walk.j + 3]), real_set(velocities[4 * walk.j + 3]),
                             real_set(adhesions[walk.j]), impedance, &constants);
                group = madd3(pair.along, d, madd3(pair.drag, u, group));
            }
        sum = select3(walk.inside, add3(sum, group), sum);
    }
    store3(ax, ay, az, first, sum);
}

// The same pairs from the other side, in N; searched are the particles.
__kernel void sph_boundary_reactions(int count, SEARCHED(space, bucketStart, x, y, z),
                                     IN3(placeX, placeY, placeZ), SphConstants constants, float mass,
                                     IN3(vx, vy, vz), __global const float *inverseDensities,
                                     __global const float *terms, __global const float *roots,
                                     __global const float *positions, __global const float *velocities,
                                     __global const float *means, __global const float *adhesions,
                                     OUT3(fx, fy, fz)) {
    int sifted[SIFTED];
    Walk walk = walk_to_particles(count, &space, bucketStart, x, y, z, placeX, placeY, placeZ, sifted);
    const int first = walk.first;
    if (first >= count) return;
    const Real3 v = load_record(velocities, first);
    const REAL drag = load_field(velocities, first, 3), weight = load_field(positions, first, 3);
    const REAL mean = real_load(means + first), adhesion = real_load(adhesions + first);
    Real3 sum = zero3();
    while (next_group(&walk)) {
        Real3 group = zero3();
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const Real3 d = sph_gap_back(&walk);
                const REAL r2 = dot3(d, d);
#if WB_LANES == 1
                if (r2 >= constants.h2) continue;
#endif
                const Real3 u = real3(v.x - vx[walk.j], v.y - vy[walk.j], v.z - vz[walk.j]);
                const SphPair pair =
                    sph_wall(WENDLAND, ADHESIVE, r2, -dot3(u, d), real_set(inverseDensities[walk.j]),
                             real_set(terms[walk.j]), mean, weight, drag, adhesion,
                             find_impedance(roots, walk.j), &constants);
                group = madd3(pair.along, d, madd3(pair.drag, u, group));
            }
        sum = select3(walk.inside, group, sum);
    }
    store3(fx, fy, fz, first, scale3(sum, real_set(-mass)));
}
