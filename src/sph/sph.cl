// SPDX-License-Identifier: MIT
// Smoothed particle hydrodynamics on a device: kernels for one evaluation of the forces and the move that follows.
// Built with WENDLAND, ARTIFICIAL, SURFACE, TAIT and MIXED (fluids of different density) 0 or 1. Formulas stand in sph_formula.h, the search in space/cells.cl; a
// work-item has the WB_LANES particles from `first` on.

#if WENDLAND
#    define sph_kernel sph_wendland
#else
#    define sph_kernel sph_poly6
#endif

// rho_i = sum m W
__kernel void sph_density(int count, SphConstants constants, SpaceCells grid, SpaceSides sides,
                          __global const int *bucketStart, __global const float *x, __global const float *y,
                          __global const float *z, __global float *sums, __global int *neighbours) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    if (first >= count) return;
    const REAL px = real_load(x + first), py = real_load(y + first), pz = real_load(z + first);
    REAL sum = real_set(0);
    MASK found = 0;
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_row(begin, last, cells, bucketStart, x, y, z);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(px, py, pz, inside);
        const int choices = count_choices(&box, &sides);
        REAL rowSum = real_set(0);
        MASK rowFound = 0;
        for (int choice = 0; choice < choices; choice++) {
            Ghost ghost;
            if (!find_ghost(&ghost, choice, &box, &sides)) continue;
            const Box mirrored = mirror_box(&box, &ghost);
            const REAL fromX = px - ghost.offset[0], fromY = py - ghost.offset[1],
                       fromZ = pz - ghost.offset[2];
            FOR_CANDIDATES(j, mirrored) {
                REAL dx = real_madd(real_set(x[j]), real_set(-ghost.sign[0]), fromX);
                REAL dy = real_madd(real_set(y[j]), real_set(-ghost.sign[1]), fromY);
                REAL dz = real_madd(real_set(z[j]), real_set(-ghost.sign[2]), fromZ);
                REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
                rowFound += mask_ones(r2 < constants.h2);
                rowSum += sph_kernel(r2, &constants);
            }
        }
        sum = real_select(inside, rowSum, sum);
        found = real_select(inside, rowFound, found);
    }
    real_store(sums + first, sum);
    lanes_store(neighbours + first, found);
}

#if MIXED
// Of which fluid the particles are, by their ids: its relative density, and the root of its impedance.
__kernel void sph_mix(int count, int runs, __global const uint *first, __global const float *densities,
                      __global const uint *ids, __global float *relative, __global float *roots) {
    const int i = get_global_id(0);
    if (i >= count) return;
    relative[i] = relative_of(ids[i], runs, first, densities);
    roots[i] = sqrt(sqrt(relative[i]));
}
#endif

// `roots` is read where MIXED alone, as it is in other kernels, and `relative`.
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
__kernel void sph_normals(int count, SphConstants constants, SpaceCells grid, SpaceSides sides,
                          __global const int *bucketStart, __global const float *x, __global const float *y,
                          __global const float *z, __global const float *inverseDensities, __global float *nx,
                          __global float *ny, __global float *nz) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    if (first >= count) return;
    const REAL px = real_load(x + first), py = real_load(y + first), pz = real_load(z + first);
    REAL sumX = real_set(0), sumY = real_set(0), sumZ = real_set(0);
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_row(begin, last, cells, bucketStart, x, y, z);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(px, py, pz, inside);
        const int choices = count_choices(&box, &sides);
        REAL rowX = real_set(0), rowY = real_set(0), rowZ = real_set(0);
        for (int choice = 0; choice < choices; choice++) {
            Ghost ghost;
            if (!find_ghost(&ghost, choice, &box, &sides)) continue;
            const Box mirrored = mirror_box(&box, &ghost);
            const REAL fromX = px - ghost.offset[0], fromY = py - ghost.offset[1],
                       fromZ = pz - ghost.offset[2];
            FOR_CANDIDATES(j, mirrored) {
                REAL dx = real_madd(real_set(x[j]), real_set(-ghost.sign[0]), fromX);
                REAL dy = real_madd(real_set(y[j]), real_set(-ghost.sign[1]), fromY);
                REAL dz = real_madd(real_set(z[j]), real_set(-ghost.sign[2]), fromZ);
                REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
                REAL weight = -sph_normal(WENDLAND, r2, real_set(inverseDensities[j]), &constants);
                rowX = real_madd(weight, dx, rowX);
                rowY = real_madd(weight, dy, rowY);
                rowZ = real_madd(weight, dz, rowZ);
            }
        }
        sumX = real_select(inside, rowX, sumX);
        sumY = real_select(inside, rowY, sumY);
        sumZ = real_select(inside, rowZ, sumZ);
    }
    real_store(nx + first, sumX);
    real_store(ny + first, sumY);
    real_store(nz + first, sumZ);
}

// The mean of normals over neighbours: sum m/rho_j W n_j. Walls mirror the surface like everything else.
__kernel void sph_smooth(int count, SphConstants constants, SpaceCells grid, SpaceSides sides,
                         __global const int *bucketStart, __global const float *x, __global const float *y,
                         __global const float *z, __global const float *inverseDensities,
                         __global const float *roughX, __global const float *roughY,
                         __global const float *roughZ, __global float *nx, __global float *ny,
                         __global float *nz) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    if (first >= count) return;
    const REAL px = real_load(x + first), py = real_load(y + first), pz = real_load(z + first);
    REAL sumX = real_set(0), sumY = real_set(0), sumZ = real_set(0);
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_row(begin, last, cells, bucketStart, x, y, z);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(px, py, pz, inside);
        const int choices = count_choices(&box, &sides);
        REAL rowX = real_set(0), rowY = real_set(0), rowZ = real_set(0);
        for (int choice = 0; choice < choices; choice++) {
            Ghost ghost;
            if (!find_ghost(&ghost, choice, &box, &sides)) continue;
            const Box mirrored = mirror_box(&box, &ghost);
            const REAL fromX = px - ghost.offset[0], fromY = py - ghost.offset[1],
                       fromZ = pz - ghost.offset[2];
            FOR_CANDIDATES(j, mirrored) {
                REAL dx = real_madd(real_set(x[j]), real_set(-ghost.sign[0]), fromX);
                REAL dy = real_madd(real_set(y[j]), real_set(-ghost.sign[1]), fromY);
                REAL dz = real_madd(real_set(z[j]), real_set(-ghost.sign[2]), fromZ);
                REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
                REAL weight = sph_kernel(r2, &constants) * (inverseDensities[j] * constants.densityScale);
                rowX = real_madd(weight, real_set(roughX[j] * ghost.sign[0]), rowX);
                rowY = real_madd(weight, real_set(roughY[j] * ghost.sign[1]), rowY);
                rowZ = real_madd(weight, real_set(roughZ[j] * ghost.sign[2]), rowZ);
            }
        }
        sumX = real_select(inside, rowX, sumX);
        sumY = real_select(inside, rowY, sumY);
        sumZ = real_select(inside, rowZ, sumZ);
    }
    real_store(nx + first, sumX);
    real_store(ny + first, sumY);
    real_store(nz + first, sumZ);
}
#endif

// Accelerations by pressure, viscosity and surface tension, without gravity.
__kernel void sph_forces(int count, SphConstants constants, SpaceCells grid, SpaceSides sides,
                         __global const int *bucketStart, __global const float *x, __global const float *y,
                         __global const float *z, __global const float *vx, __global const float *vy,
                         __global const float *vz, __global const float *inverseDensities,
                         __global const float *terms,
#if SURFACE
                         __global const float *nx, __global const float *ny, __global const float *nz,
#endif
                         __global const float *roots, __global float *ax, __global float *ay,
                         __global float *az) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    if (first >= count) return;
    const REAL px = real_load(x + first), py = real_load(y + first), pz = real_load(z + first);
    const REAL vxi = real_load(vx + first), vyi = real_load(vy + first), vzi = real_load(vz + first);
    const REAL wi = real_load(inverseDensities + first), pi = real_load(terms + first);
#if MIXED
    const REAL root = real_load(roots + first);
#endif
#if SURFACE
    const REAL nxi = real_load(nx + first), nyi = real_load(ny + first), nzi = real_load(nz + first);
#endif
    REAL sumX = real_set(0), sumY = real_set(0), sumZ = real_set(0);
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_row(begin, last, cells, bucketStart, x, y, z);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(px, py, pz, inside);
        const int choices = count_choices(&box, &sides);
        REAL rowX = real_set(0), rowY = real_set(0), rowZ = real_set(0);
        for (int choice = 0; choice < choices; choice++) {
            Ghost ghost;
            if (!find_ghost(&ghost, choice, &box, &sides)) continue;
            const Box mirrored = mirror_box(&box, &ghost);
            const REAL fromX = px - ghost.offset[0], fromY = py - ghost.offset[1],
                       fromZ = pz - ghost.offset[2];
            const REAL againstX = ghost.velocityOffset[0] - vxi, againstY = ghost.velocityOffset[1] - vyi,
                       againstZ = ghost.velocityOffset[2] - vzi;
            FOR_CANDIDATES(j, mirrored) {
                REAL dx = real_madd(real_set(x[j]), real_set(-ghost.sign[0]), fromX);
                REAL dy = real_madd(real_set(y[j]), real_set(-ghost.sign[1]), fromY);
                REAL dz = real_madd(real_set(z[j]), real_set(-ghost.sign[2]), fromZ);
                REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
#if WB_LANES == 1
                if (r2 >= constants.h2) continue;
#endif
                REAL ux = real_madd(real_set(vx[j]), real_set(ghost.velocitySign[0]), againstX);
                REAL uy = real_madd(real_set(vy[j]), real_set(ghost.velocitySign[1]), againstY);
                REAL uz = real_madd(real_set(vz[j]), real_set(ghost.velocitySign[2]), againstZ);
                REAL vr = -real_madd(ux, dx, real_madd(uy, dy, uz * dz));
#if MIXED
                const REAL impedance = root * roots[j];
#else
                const REAL impedance = real_set(1);
#endif
                SphPair pair =
                    sph_pair(WENDLAND, ARTIFICIAL, SURFACE, r2, vr, wi, real_set(inverseDensities[j]), pi,
                             real_set(terms[j]), impedance, &constants);
#if SURFACE
                rowX = real_madd(pair.bend, nx[j] * ghost.sign[0] - nxi, rowX);
                rowY = real_madd(pair.bend, ny[j] * ghost.sign[1] - nyi, rowY);
                rowZ = real_madd(pair.bend, nz[j] * ghost.sign[2] - nzi, rowZ);
#endif
                rowX = real_madd(pair.along, dx, real_madd(pair.drag, ux, rowX));
                rowY = real_madd(pair.along, dy, real_madd(pair.drag, uy, rowY));
                rowZ = real_madd(pair.along, dz, real_madd(pair.drag, uz, rowZ));
            }
        }
        sumX = real_select(inside, rowX, sumX);
        sumY = real_select(inside, rowY, sumY);
        sumZ = real_select(inside, rowZ, sumZ);
    }
    real_store(ax + first, sumX);
    real_store(ay + first, sumY);
    real_store(az + first, sumZ);
}

__kernel void sph_keep(int count, __global const float *vx, __global const float *vy,
                       __global const float *vz, __global float *startVx, __global float *startVy,
                       __global float *startVz) {
    const int i = get_global_id(0);
    if (i >= count) return;
    startVx[i] = vx[i], startVy[i] = vy[i], startVz[i] = vz[i];
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

WB_INLINE void add_neighbours(SphSummary *summary, uint low, uint high) {
    summary->neighbours[0] += low;
    summary->neighbours[1] += high + (summary->neighbours[0] < low ? 1u : 0u);
}

// Adds another summary to one.
WB_INLINE void join_summaries(SphSummary *summary, const SphSummary *other) {
    summary->maxSpeed2 = max(summary->maxSpeed2, other->maxSpeed2);
    summary->maxDensity = max(summary->maxDensity, other->maxDensity);
    for (int a = 0; a < 3; a++) {
        summary->min[a] = min(summary->min[a], other->min[a]);
        summary->max[a] = max(summary->max[a], other->max[a]);
    }
    summary->speed2 += other->speed2;
    summary->fall += other->fall;
    add_neighbours(summary, other->neighbours[0], other->neighbours[1]);
    summary->broken += other->broken;
}

// v' = start + kick (a + g), x' = x + drift v (or v'), then the walls; one summary per group. Items go over the
// particles with the stride of all items, so that there are few groups however many particles there are.
__kernel __attribute__((reqd_work_group_size(SUMMARY_GROUP, 1, 1))) void
sph_integrate(int count, SphMove move, __global float *x, __global float *y, __global float *z,
              __global float *vx, __global float *vy, __global float *vz, __global const float *startVx,
              __global const float *startVy, __global const float *startVz, __global const float *ax,
              __global const float *ay, __global const float *az, __global const float *densities,
              __global const int *neighbours, __global const float *relative,
              __global SphSummary *summaries) {
    __local SphSummary shared[SUMMARY_GROUP];
    SphSummary own = {0,      0, {MAXFLOAT, MAXFLOAT, MAXFLOAT}, {-MAXFLOAT, -MAXFLOAT, -MAXFLOAT}, 0, 0,
                      {0, 0}, 0};
    for (int i = get_global_id(0) * WB_LANES; i < count; i += get_global_size(0) * WB_LANES) {
#if MIXED
        const REAL heaviness = real_load(relative + i), lightness = 1.0f / heaviness;
#else
        const REAL heaviness = real_set(1), lightness = real_set(1);
#endif
        REAL ux = move_axis(&move, 0, x + i, vx + i, startVx + i, ax + i, lightness);
        REAL uy = move_axis(&move, 1, y + i, vy + i, startVy + i, ay + i, lightness);
        REAL uz = move_axis(&move, 2, z + i, vz + i, startVz + i, az + i, lightness);
        const MASK inside = lanes_below(count - i);
        REAL px = real_load(x + i), py = real_load(y + i), pz = real_load(z + i);
        REAL speed2 = real_select(inside, ux * ux + uy * uy + uz * uz, real_set(0));
        REAL fall = px * move.gravity[0] + py * move.gravity[1] + pz * move.gravity[2];
        Box box = box_around(px, py, pz, inside);
        SphSummary these = {real_largest(speed2),
                            real_largest(real_select(inside, real_load(densities + i), real_set(0))),
                            {box.low[0], box.low[1], box.low[2]},
                            {box.high[0], box.high[1], box.high[2]},
                            real_sum(real_select(inside, speed2 * heaviness, real_set(0))),
                            real_sum(real_select(inside, fall * heaviness, real_set(0))),
                            {(uint)mask_sum(real_select(inside, lanes_load(neighbours + i), (MASK)(0))), 0},
                            mask_sum(mask_ones(!(speed2 < MAXFLOAT)))};
        join_summaries(&own, &these);
    }
    shared[get_local_id(0)] = own;
    for (int width = SUMMARY_GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) >= width) continue;
        SphSummary other = shared[get_local_id(0) + width];
        join_summaries(&own, &other);
        shared[get_local_id(0)] = own;
    }
    if (get_local_id(0) == 0) summaries[get_group_id(0)] = own;
}
