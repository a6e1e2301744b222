// SPDX-License-Identifier: MIT
// Colliders' points on a device: what they add to the sums of particles, and what particles do to them. Built with HASHED
// (of the cells that are searched), WENDLAND and ADHESIVE 0 or 1.

#if WENDLAND
#    define sph_kernel sph_wendland
#else
#    define sph_kernel sph_poly6
#endif

// rho_i += sum psi W
__kernel void wall_density(int count, SphConstants constants, SpacePlaces places,
                           __global const int *bucketStart, __global const float *x, __global const float *y,
                           __global const float *z, __global const float *positions,
                           __global const float *fluidX, __global const float *fluidY,
                           __global const float *fluidZ, __global float *sums) {
    const SpaceCells *cells = &places.cells;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    if (first >= count) return;
    const REAL px = real_load(fluidX + first), py = real_load(fluidY + first), pz = real_load(fluidZ + first);
    REAL sum = real_load(sums + first);
    x += places.first, y += places.first, z += places.first, positions += 4 * places.first;
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_bunch(begin, last, cells->reach, fluidX, fluidY, fluidZ);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(px, py, pz, inside);
        if (!is_near_places(&box, &places)) continue;
        REAL bunchSum = real_set(0);
        FOR_CANDIDATES(j, box) {
            REAL dx = px - x[j], dy = py - y[j], dz = pz - z[j];
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
            bunchSum = real_madd(real_set(positions[4 * j + 3]), sph_kernel(r2, &constants), bunchSum);
        }
        sum = real_select(inside, sum + bunchSum, sum);
    }
    real_store(sums + first, sum);
}

// n_i += h sum psi/rho0 grad W
__kernel void wall_normals(int count, SphConstants constants, SpacePlaces places,
                           __global const int *bucketStart, __global const float *x, __global const float *y,
                           __global const float *z, __global const float *positions,
                           __global const float *fluidX, __global const float *fluidY,
                           __global const float *fluidZ, __global float *nx, __global float *ny,
                           __global float *nz) {
    const SpaceCells *cells = &places.cells;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    if (first >= count) return;
    const REAL px = real_load(fluidX + first), py = real_load(fluidY + first), pz = real_load(fluidZ + first);
    REAL sumX = real_load(nx + first), sumY = real_load(ny + first), sumZ = real_load(nz + first);
    x += places.first, y += places.first, z += places.first, positions += 4 * places.first;
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_bunch(begin, last, cells->reach, fluidX, fluidY, fluidZ);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(px, py, pz, inside);
        if (!is_near_places(&box, &places)) continue;
        REAL bunchX = real_set(0), bunchY = real_set(0), bunchZ = real_set(0);
        FOR_CANDIDATES(j, box) {
            REAL dx = px - x[j], dy = py - y[j], dz = pz - z[j];
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
            REAL inverse = real_set(positions[4 * j + 3] * constants.inverseRestDensity);
            REAL weight = -sph_normal(WENDLAND, r2, inverse, &constants);
            bunchX = real_madd(weight, dx, bunchX);
            bunchY = real_madd(weight, dy, bunchY);
            bunchZ = real_madd(weight, dz, bunchZ);
        }
        sumX = real_select(inside, sumX + bunchX, sumX);
        sumY = real_select(inside, sumY + bunchY, sumY);
        sumZ = real_select(inside, sumZ + bunchZ, sumZ);
    }
    real_store(nx + first, sumX);
    real_store(ny + first, sumY);
    real_store(nz + first, sumZ);
}

// p/rho2 of each point, by the particles near it; searched are the particles.
__kernel void wall_means(int count, SphConstants constants, SpaceCells grid, __global const int *bucketStart,
                         __global const float *x, __global const float *y, __global const float *z,
                         __global const float *vx, __global const float *vy, __global const float *vz,
                         __global const float *terms, __global const float *roots,
                         __global const float *placeX, __global const float *placeY,
                         __global const float *placeZ, __global const float *velocities,
                         __global float *means) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    if (first >= count) return;
    const REAL px = real_load(placeX + first), py = real_load(placeY + first), pz = real_load(placeZ + first);
    const REAL vxb = load_field(velocities, first, 0), vyb = load_field(velocities, first, 1),
               vzb = load_field(velocities, first, 2);
    REAL sum = real_set(0), weights = real_set(0), rate = real_set(0);
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_bunch(begin, last, cells->reach, placeX, placeY, placeZ);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(px, py, pz, inside);
        REAL bunchSum = real_set(0), bunchWeights = real_set(0), bunchRate = real_set(0);
        FOR_CANDIDATES(j, box) {
            REAL dx = px - x[j], dy = py - y[j], dz = pz - z[j];
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz)), weight = sph_kernel(r2, &constants);
            REAL ux = vxb - vx[j], uy = vyb - vy[j], uz = vzb - vz[j];
            REAL vr = real_madd(ux, dx, real_madd(uy, dy, uz * dz));
#if MIXED
            const REAL impedance = real_set(roots[j] * roots[j]);
#else
            const REAL impedance = real_set(1);
#endif
            bunchSum = real_madd(weight, real_set(terms[j]), bunchSum);
            bunchWeights += weight;
            bunchRate += sph_wall_rate(WENDLAND, r2, vr, impedance, &constants);
        }
        sum = real_select(inside, bunchSum, sum);
        weights = real_select(inside, bunchWeights, weights);
        rate = real_select(inside, bunchRate, rate);
    }
    real_store(means + first, sph_wall_term(sum, weights, rate, &constants));
}

// Accelerations by pressure, viscosity and adhesion of colliders.
__kernel void
wall_forces(int count, SphConstants constants, SpacePlaces places, __global const int *bucketStart,
            __global const float *x, __global const float *y, __global const float *z,
            __global const float *positions, __global const float *velocities, __global const float *means,
            __global const float *adhesions, __global const float *fluidX, __global const float *fluidY,
            __global const float *fluidZ, __global const float *vx, __global const float *vy,
            __global const float *vz, __global const float *inverseDensities, __global const float *terms,
            __global const float *roots, __global float *ax, __global float *ay, __global float *az) {
    const SpaceCells *cells = &places.cells;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    if (first >= count) return;
    const REAL px = real_load(fluidX + first), py = real_load(fluidY + first), pz = real_load(fluidZ + first);
    const REAL vxi = real_load(vx + first), vyi = real_load(vy + first), vzi = real_load(vz + first);
    const REAL wi = real_load(inverseDensities + first), pi = real_load(terms + first);
#if MIXED
    const REAL root = real_load(roots + first), impedance = root * root;
#else
    const REAL impedance = real_set(1);
#endif
    REAL sumX = real_load(ax + first), sumY = real_load(ay + first), sumZ = real_load(az + first);
    x += places.first, y += places.first, z += places.first;
    positions += 4 * places.first, velocities += 4 * places.first;
    means += places.first, adhesions += places.first;
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_bunch(begin, last, cells->reach, fluidX, fluidY, fluidZ);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(px, py, pz, inside);
        if (!is_near_places(&box, &places)) continue;
        REAL bunchX = real_set(0), bunchY = real_set(0), bunchZ = real_set(0);
        FOR_CANDIDATES(j, box) {
            REAL dx = px - x[j], dy = py - y[j], dz = pz - z[j];
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
#if WB_LANES == 1
            if (r2 >= constants.h2) continue;
#endif
            REAL ux = velocities[4 * j] - vxi, uy = velocities[4 * j + 1] - vyi,
                 uz = velocities[4 * j + 2] - vzi;
            REAL vr = -real_madd(ux, dx, real_madd(uy, dy, uz * dz));
            SphPair pair = sph_wall(WENDLAND, ADHESIVE, r2, vr, wi, pi, real_set(means[j]),
                                    real_set(positions[4 * j + 3]), real_set(velocities[4 * j + 3]),
                                    real_set(adhesions[j]), impedance, &constants);
            bunchX = real_madd(pair.along, dx, real_madd(pair.drag, ux, bunchX));
            bunchY = real_madd(pair.along, dy, real_madd(pair.drag, uy, bunchY));
            bunchZ = real_madd(pair.along, dz, real_madd(pair.drag, uz, bunchZ));
        }
        sumX = real_select(inside, sumX + bunchX, sumX);
        sumY = real_select(inside, sumY + bunchY, sumY);
        sumZ = real_select(inside, sumZ + bunchZ, sumZ);
    }
    real_store(ax + first, sumX);
    real_store(ay + first, sumY);
    real_store(az + first, sumZ);
}

// The same pairs from the other side, in N; searched are the particles.
__kernel void wall_body_forces(int count, SphConstants constants, float mass, SpaceCells grid,
                               __global const int *bucketStart, __global const float *x,
                               __global const float *y, __global const float *z, __global const float *vx,
                               __global const float *vy, __global const float *vz,
                               __global const float *inverseDensities, __global const float *terms,
                               __global const float *roots, __global const float *placeX,
                               __global const float *placeY, __global const float *placeZ,
                               __global const float *positions, __global const float *velocities,
                               __global const float *means, __global const float *adhesions,
                               __global float *fx, __global float *fy, __global float *fz) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    if (first >= count) return;
    const REAL px = real_load(placeX + first), py = real_load(placeY + first), pz = real_load(placeZ + first);
    const REAL vxb = load_field(velocities, first, 0), vyb = load_field(velocities, first, 1),
               vzb = load_field(velocities, first, 2), drag = load_field(velocities, first, 3);
    const REAL weight = load_field(positions, first, 3), mean = real_load(means + first),
               adhesion = real_load(adhesions + first);
    REAL sumX = real_set(0), sumY = real_set(0), sumZ = real_set(0);
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_bunch(begin, last, cells->reach, placeX, placeY, placeZ);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(px, py, pz, inside);
        REAL bunchX = real_set(0), bunchY = real_set(0), bunchZ = real_set(0);
        FOR_CANDIDATES(j, box) {
            REAL dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
#if WB_LANES == 1
            if (r2 >= constants.h2) continue;
#endif
            REAL ux = vxb - vx[j], uy = vyb - vy[j], uz = vzb - vz[j];
            REAL vr = -real_madd(ux, dx, real_madd(uy, dy, uz * dz));
#if MIXED
            const REAL impedance = real_set(roots[j] * roots[j]);
#else
            const REAL impedance = real_set(1);
#endif
            SphPair pair = sph_wall(WENDLAND, ADHESIVE, r2, vr, real_set(inverseDensities[j]),
                                    real_set(terms[j]), mean, weight, drag, adhesion, impedance, &constants);
            bunchX = real_madd(pair.along, dx, real_madd(pair.drag, ux, bunchX));
            bunchY = real_madd(pair.along, dy, real_madd(pair.drag, uy, bunchY));
            bunchZ = real_madd(pair.along, dz, real_madd(pair.drag, uz, bunchZ));
        }
        sumX = real_select(inside, bunchX, sumX);
        sumY = real_select(inside, bunchY, sumY);
        sumZ = real_select(inside, bunchZ, sumZ);
    }
    real_store(fx + first, sumX * -mass);
    real_store(fy + first, sumY * -mass);
    real_store(fz + first, sumZ * -mass);
}
