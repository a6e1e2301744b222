// SPDX-License-Identifier: MIT
// Smoothed particle hydrodynamics on a device: kernels for one evaluation of the forces and the move that follows.
// Built with WENDLAND, ARTIFICIAL, SURFACE, TAIT and MIXED (fluids of different density) 0 or 1. Formulas stand in sph_formula.h,
// the search in space/walk.cl and sph_walk.cl; a work-item has the WB_LANES particles from walk.first on.

#if WENDLAND
#    define sph_kernel sph_wendland
#else
#    define sph_kernel sph_poly6
#endif

// rho_i = sum m W
__kernel void sph_density(SEARCHED(particle), SphConstants constants, __global float *sums,
                          __global int *neighbours) {
    WALK(walk, particle);
    if (walk.isPast) return;
    REAL sum = real_set(0);
    MASK found = 0;
    while (next_group(&walk)) {
        const REAL sumBefore = sum;
        const MASK foundBefore = found;
        while (next_run_around(&walk)) {
            const Real3 from = less_offset(walk.p, &walk.ghost);
            while (next_candidate(&walk)) {
                const REAL r2 = square3(find_gap(from, &walk));
                found += mask_ones(r2 < constants.h2);
                sum += sph_kernel(r2, &constants);
            }
        }
        sum = real_select(walk.inside, sum, sumBefore);
        found = real_select(walk.inside, found, foundBefore);
    }
    real_store(sums + walk.first, sum);
    lanes_store(neighbours + walk.first, found);
}

#if MIXED
// Roots of impedances, from relative densities.
__kernel void sph_roots(int count, __global const float *relative, __global float *roots) {
    const int first = get_global_id(0) * WB_LANES;
    if (first < count) real_store(roots + first, real_sqrt(real_sqrt(real_load(relative + first))));
}
#endif

// `roots` is read where MIXED alone, as it is in other kernels, and `relative`; normals are where SURFACE.
__kernel void sph_pressure(int count, SphConstants constants, float inverseTime, __global const float *sums,
                           __global float *densities, __global float *pressures,
                           __global float *inverseDensities, __global float *terms,
                           __global const float *roots) {
    const int first = get_global_id(0) * WB_LANES;
    if (first >= count) return;
    const REAL density = real_load(sums + first) * constants.densityScale;
#if MIXED
    const REAL root = real_load(roots + first), impedance = root * root;
#else
    const REAL impedance = real_set(1);
#endif
    const SphState state =
        sph_state(TAIT, density, real_load(densities + first), impedance, inverseTime, &constants);
    real_store(densities + first, density);
    real_store(pressures + first, state.pressure);
    real_store(inverseDensities + first, state.inverseDensity);
    real_store(terms + first, state.term);
}

#if SURFACE
// n_i = h sum m/rho_j grad W
__kernel void sph_normals(SEARCHED(particle), SphConstants constants, __global const float *inverseDensities,
                          OUT3(nx, ny, nz)) {
    WALK(walk, particle);
    if (walk.isPast) return;
    Real3 normal = zero3();
    while (next_group(&walk)) {
        const Real3 before = normal;
        while (next_run_around(&walk)) {
            const Real3 from = less_offset(walk.p, &walk.ghost);
            while (next_candidate(&walk)) {
                const Real3 d = find_gap(from, &walk);
                const REAL weight =
                    -sph_normal(WENDLAND, square3(d), real_set(inverseDensities[walk.j]), &constants);
                normal = madd3(weight, d, normal);
            }
        }
        normal = select3(walk.inside, normal, before);
    }
    store3(nx, ny, nz, walk.first, normal);
}

// The mean of normals over neighbours: sum m/rho_j W n_j. Sides mirror the surface like everything else.
__kernel void sph_smooth(SEARCHED(particle), SphConstants constants, __global const float *inverseDensities,
                         IN3(roughX, roughY, roughZ), OUT3(nx, ny, nz)) {
    WALK(walk, particle);
    if (walk.isPast) return;
    Real3 normal = zero3();
    while (next_group(&walk)) {
        const Real3 before = normal;
        while (next_run_around(&walk)) {
            const Real3 from = less_offset(walk.p, &walk.ghost);
            while (next_candidate(&walk)) {
                const REAL kernelValue = sph_kernel(square3(find_gap(from, &walk)), &constants);
                const REAL weight = kernelValue * (inverseDensities[walk.j] * constants.densityScale);
                normal = madd3(weight, mirrored_at(roughX, roughY, roughZ, &walk), normal);
            }
        }
        normal = select3(walk.inside, normal, before);
    }
    store3(nx, ny, nz, walk.first, normal);
}
#endif

// Accelerations by pressure, viscosity and surface tension, without gravity.
__kernel void sph_forces(SEARCHED(particle), SphConstants constants, IN3(vx, vy, vz),
                         __global const float *inverseDensities, __global const float *terms, IN3(nx, ny, nz),
                         __global const float *roots, OUT3(ax, ay, az)) {
    WALK(walk, particle);
    if (walk.isPast) return;
    Real3 a = zero3();
    const Real3 v = load3(vx, vy, vz, walk.first);
    const REAL wi = real_load(inverseDensities + walk.first), pi = real_load(terms + walk.first);
#if MIXED
    const REAL root = real_load(roots + walk.first);
#endif
#if SURFACE
    const Real3 n = load3(nx, ny, nz, walk.first);
#endif
    while (next_group(&walk)) {
        const Real3 before = a;
        while (next_run_around(&walk)) {
            const Real3 from = less_offset(walk.p, &walk.ghost);
            const Real3 against = less3(ghost_wind(&walk.ghost), v);
            while (next_candidate(&walk)) {
                const Real3 d = find_gap(from, &walk);
                const REAL r2 = square3(d);
#if WB_LANES == 1
                if (r2 >= constants.h2) continue;
#endif
                const Real3 u = find_slip(against, &walk.ghost, vx, vy, vz, walk.j);
#if MIXED
                const REAL impedance = root * roots[walk.j];
#else
                const REAL impedance = real_set(1);
#endif
                const SphPair pair = sph_pair(WENDLAND, ARTIFICIAL, SURFACE, r2, -dot3(u, d), wi,
                                              real_set(inverseDensities[walk.j]), pi, real_set(terms[walk.j]),
                                              impedance, &constants);
#if SURFACE
                a = madd3(pair.bend, less3(mirrored_at(nx, ny, nz, &walk), n), a);
#endif
                a = madd3(pair.along, d, madd3(pair.drag, u, a));
            }
        }
        a = select3(walk.inside, a, before);
    }
    store3(ax, ay, az, walk.first, a);
}

// Moves WB_LANES particles along one axis; returns their velocities, NaN where something is not finite.
WB_INLINE REAL move_axis(const SphMove *move, int axis, __global float *position, __global float *velocity,
                         __global const float *start, __global const float *acceleration, REAL lightness) {
    SphMotion motion = sph_move(real_load(position), real_load(velocity), real_load(start),
                                real_load(acceleration) * lightness, axis, move);
    real_store(position, motion.position);
    real_store(velocity, motion.velocity);
    return motion.check;
}

// v' = start + kick (a + g), x' = x + drift v (or v'), then the sides.
__kernel IN_SUMMARY_GROUPS void sph_integrate(int count, SphMove move, OUT3(x, y, z), OUT3(vx, vy, vz),
                                              IN3(startVx, startVy, startVz), IN3(ax, ay, az),
                                              __global const float *densities, __global const float *relative,
                                              SUMMARIES(neighbours, shared, summaries)) {
    Tally tally = begin_tally(count);
    int i;
    while (next_lanes(&tally, &i)) {
#if MIXED
        const REAL heaviness = real_load(relative + i), lightness = 1.0f / heaviness;
#else
        const REAL heaviness = real_set(1), lightness = real_set(1);
#endif
        const Real3 u = real3(move_axis(&move, 0, x + i, vx + i, startVx + i, ax + i, lightness),
                              move_axis(&move, 1, y + i, vy + i, startVy + i, ay + i, lightness),
                              move_axis(&move, 2, z + i, vz + i, startVz + i, az + i, lightness));
        const Real3 p = load3(x, y, z, i);
        const REAL fall =
            p.x * move.room.gravity[0] + p.y * move.room.gravity[1] + p.z * move.room.gravity[2];
        add_to_tally(&tally, p, u, real_load(densities + i), lanes_load(neighbours + i));
        add_energies(&tally, u, fall, heaviness);
    }
    end_tally(&tally, shared, summaries);
}
