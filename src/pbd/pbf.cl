// SPDX-License-Identifier: MIT
// Position based fluids on a device, built with MIXED 1 for fluids of different density, else 0. Formulas stand in pbf_formula.h,
// the search in space/cells.cl; a work-item has the WB_LANES particles from `first` on. Neighbours are those within h at the
// predicted positions x, y, z, which the cells were sorted by; px, py, pz are where particles are by now.

// p = x + dt (v + dt g), kept in the box
__kernel void pbf_predict(int count, PbfMove move, __global const float *x, __global const float *y,
                          __global const float *z, __global const float *vx, __global const float *vy,
                          __global const float *vz, __global float *px, __global float *py,
                          __global float *pz) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    real_store(px + i, pbf_drift(real_load(x + i), real_load(vx + i), real_set(0), 0, &move).to);
    real_store(py + i, pbf_drift(real_load(y + i), real_load(vy + i), real_set(0), 1, &move).to);
    real_store(pz + i, pbf_drift(real_load(z + i), real_load(vz + i), real_set(0), 2, &move).to);
}

#if MIXED
// Of which fluid the particles are, by their ids.
__kernel void pbf_mix(int count, int runs, __global const uint *first, __global const float *densities,
                      __global const uint *ids, __global float *relative) {
    const int i = get_global_id(0);
    if (i < count) relative[i] = relative_of(ids[i], runs, first, densities);
}

// The lowest relative density near them, see pbf_lightness.
__kernel void pbf_find_lowest(int count, PbfConstants constants, SpaceCells grid, SpaceSides sides,
                              __global const int *bucketStart, __global const float *x,
                              __global const float *y, __global const float *z,
                              __global const float *relative, __global float *lowest) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    if (first >= count) return;
    const REAL xi = real_load(x + first), yi = real_load(y + first), zi = real_load(z + first);
    REAL lightness = 1.0f / real_load(relative + first);
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_row(begin, last, cells, bucketStart, x, y, z);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(xi, yi, zi, inside);
        const int choices = count_choices(&box, &sides);
        for (int choice = 0; choice < choices; choice++) {
            Ghost ghost;
            if (!find_ghost(&ghost, choice, &box, &sides)) continue;
            const Box mirrored = mirror_box(&box, &ghost);
            FOR_CANDIDATES(j, mirrored) {
                REAL dx = xi - (ghost.sign[0] * x[j] + ghost.offset[0]);
                REAL dy = yi - (ghost.sign[1] * y[j] + ghost.offset[1]);
                REAL dz = zi - (ghost.sign[2] * z[j] + ghost.offset[2]);
                REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
                REAL other = pbf_lightness(r2, real_set(1.0f / relative[j]), &constants);
                lightness = real_select(inside, real_max(other, lightness), lightness);
            }
        }
    }
    real_store(lowest + first, 1.0f / lightness);
}
#endif

// Particles in cells along an axis of gravity, in two tables of slots. `relative` is read where MIXED alone, as it is in
// other kernels, and `lowest`.
__kernel void pbf_count_columns(int count, PbfColumns columns, __global const float *first,
                                __global const float *second, __global const float *height,
                                __global const float *relative, __global uint *tables) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const PbfSlots here = pbf_slots(pbf_cell(first[i], second[i], height[i], &columns), &columns);
    atomic_inc(&tables[here.one]);
    atomic_inc(&tables[columns.mask + 1 + here.other]);
#if MIXED
    const uint size = columns.mask + 1, heaviness = pbf_weigh(relative[i], &columns),
               lightness = pbf_lighten(relative[i], &columns);
    atomic_add(&tables[2 * size + here.one], heaviness);
    atomic_add(&tables[3 * size + here.other], heaviness);
    atomic_add(&tables[4 * size + here.one], lightness);
    atomic_add(&tables[5 * size + here.other], lightness);
#endif
}

// The particles of the deepest water, behind the tables.
__kernel void pbf_find_deepest(int count, PbfColumns columns, __global const float *first,
                               __global const float *second, __global const float *height,
                               __global const float *relative, __global uint *tables) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const PbfCell here = pbf_cell(first[i], second[i], height[i], &columns);
    const uint run = pbf_find_run(tables, here, count, &columns, MIXED);
    if (run > 0) atomic_max(&tables[(MIXED ? 6 : 2) * (columns.mask + 1)], run);
}

// What the box has moved particles by already.
__kernel void pbf_begin(int count, PbfMove move, __global const float *x, __global const float *y,
                        __global const float *z, __global const float *vx, __global const float *vy,
                        __global const float *vz, __global float *movedX, __global float *movedY,
                        __global float *movedZ) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    real_store(movedX + i, pbf_drift(real_load(x + i), real_load(vx + i), real_set(0), 0, &move).moved);
    real_store(movedY + i, pbf_drift(real_load(y + i), real_load(vy + i), real_set(0), 1, &move).moved);
    real_store(movedZ + i, pbf_drift(real_load(z + i), real_load(vz + i), real_set(0), 2, &move).moved);
}

// What an iteration adds to lambda = -C / (sum |grad C|2 + epsilon' G); `pressures` have the sum.
__kernel void pbf_solve(int count, PbfConstants constants, PbfMove move, SpaceCells grid, SpaceSides sides,
                        __global const int *bucketStart, __global const float *x, __global const float *y,
                        __global const float *z, __global const float *px, __global const float *py,
                        __global const float *pz, int hasWalls, __global const float *wallX,
                        __global const float *wallY, __global const float *wallZ,
                        __global const float *wallDensity, __global const float *wallSquares,
                        __global const float *lowest, __global float *lambdas, __global float *densities,
                        __global float *pressures, __global int *neighbours) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    const float h2 = sides.radius * sides.radius;
    if (first >= count) return;
    const REAL xi = real_load(x + first), yi = real_load(y + first), zi = real_load(z + first);
    const REAL pxi = real_load(px + first), pyi = real_load(py + first), pzi = real_load(pz + first);
    REAL ownX = real_set(0), ownY = real_set(0), ownZ = real_set(0), density = real_set(0),
         squares = real_set(0);
    MASK found = 0;
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_row(begin, last, cells, bucketStart, x, y, z);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(xi, yi, zi, inside);
        const int choices = count_choices(&box, &sides);
        for (int choice = 0; choice < choices; choice++) {
            Ghost ghost;
            if (!find_ghost(&ghost, choice, &box, &sides)) continue;
            const Box mirrored = mirror_box(&box, &ghost);
            FOR_CANDIDATES(j, mirrored) {
                REAL ex = xi - (ghost.sign[0] * x[j] + ghost.offset[0]),
                     ey = yi - (ghost.sign[1] * y[j] + ghost.offset[1]);
                REAL ez = zi - (ghost.sign[2] * z[j] + ghost.offset[2]);
                const MASK near = (real_madd(ex, ex, real_madd(ey, ey, ez * ez)) < h2) & inside;
                REAL dx = pxi - (ghost.sign[0] * px[j] + ghost.offset[0]);
                REAL dy = pyi - (ghost.sign[1] * py[j] + ghost.offset[1]);
                REAL dz = pzi - (ghost.sign[2] * pz[j] + ghost.offset[2]);
                REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
                REAL g = real_select(near, pbf_gradient(r2, &constants), real_set(0));
                density += real_select(near, pbf_density(r2, &constants), real_set(0));
                ownX = real_madd(g, dx, ownX), ownY = real_madd(g, dy, ownY), ownZ = real_madd(g, dz, ownZ);
                squares = real_madd(g * g, r2, squares);
                found += mask_ones(near);
            }
        }
    }
    if (hasWalls) {
        ownX += real_load(wallX + first), ownY += real_load(wallY + first), ownZ += real_load(wallZ + first);
        density += real_load(wallDensity + first), squares += real_load(wallSquares + first);
    }
    squares = real_madd(ownX, ownX, real_madd(ownY, ownY, real_madd(ownZ, ownZ, squares)));
    density *= constants.densityScale;
    const REAL sum = real_load(pressures + first);
    REAL wanted = pbf_lambda(density, squares, &constants);
#if MIXED
    wanted *= real_load(lowest + first);
#endif
    const REAL change = pbf_change(wanted, sum, real_load(lambdas + first), &move, &constants);
    real_store(lambdas + first, change);
    real_store(pressures + first, sum + change);
    real_store(densities + first, density);
    lanes_store(neighbours + first, found);
}

WB_INLINE void correct_axis(__global const float *start, __global const float *v, REAL push, int axis,
                            const PbfMove *move, __global float *moved, __global float *to) {
    const PbfDrift drift = pbf_drift(real_load(start), real_load(v), real_load(moved) - push, axis, move);
    real_store(moved, drift.moved);
    real_store(to, drift.to);
}

// dp = m/rho0 sum (lambda_i + lambda_j + s_corr) grad W, over the relative density; s_corr as in the lighter fluid of a pair
__kernel void pbf_correct(int count, PbfConstants constants, PbfMove move, SpaceCells grid, SpaceSides sides,
                          __global const int *bucketStart, __global const float *x, __global const float *y,
                          __global const float *z, __global const float *px, __global const float *py,
                          __global const float *pz, int hasWalls, __global const float *wallX,
                          __global const float *wallY, __global const float *wallZ,
                          __global const float *relative, __global const float *lowest,
                          __global const float *lambdas, __global const float *startX,
                          __global const float *startY, __global const float *startZ,
                          __global const float *vx, __global const float *vy, __global const float *vz,
                          __global float *movedX, __global float *movedY, __global float *movedZ,
                          __global float *toX, __global float *toY, __global float *toZ) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    const float h2 = sides.radius * sides.radius;
    if (first >= count) return;
    const REAL xi = real_load(x + first), yi = real_load(y + first), zi = real_load(z + first);
    const REAL pxi = real_load(px + first), pyi = real_load(py + first), pzi = real_load(pz + first);
    const REAL lambda = real_load(lambdas + first);
    REAL pushX = real_set(0), pushY = real_set(0), pushZ = real_set(0), apart = real_set(move.apartScale);
#if MIXED
    const REAL own = real_load(lowest + first);
#endif
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_row(begin, last, cells, bucketStart, x, y, z);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(xi, yi, zi, inside);
        const int choices = count_choices(&box, &sides);
        for (int choice = 0; choice < choices; choice++) {
            Ghost ghost;
            if (!find_ghost(&ghost, choice, &box, &sides)) continue;
            const Box mirrored = mirror_box(&box, &ghost);
            FOR_CANDIDATES(j, mirrored) {
                REAL ex = xi - (ghost.sign[0] * x[j] + ghost.offset[0]),
                     ey = yi - (ghost.sign[1] * y[j] + ghost.offset[1]);
                REAL ez = zi - (ghost.sign[2] * z[j] + ghost.offset[2]);
                const MASK near = (real_madd(ex, ex, real_madd(ey, ey, ez * ez)) < h2) & inside;
                REAL dx = pxi - (ghost.sign[0] * px[j] + ghost.offset[0]);
                REAL dy = pyi - (ghost.sign[1] * py[j] + ghost.offset[1]);
                REAL dz = pzi - (ghost.sign[2] * pz[j] + ghost.offset[2]);
                REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
#if MIXED
                apart = (0.5f * move.apartScale) * (own + lowest[j]);
#endif
                REAL g = pbf_correction(r2, lambda + lambdas[j], apart, &constants);
                g = real_select(near, g, real_set(0));
                pushX = real_madd(g, dx, pushX), pushY = real_madd(g, dy, pushY),
                pushZ = real_madd(g, dz, pushZ);
            }
        }
    }
    if (hasWalls) {
        pushX = real_madd(lambda * PBF_WALL_SHARE, real_load(wallX + first), pushX);
        pushY = real_madd(lambda * PBF_WALL_SHARE, real_load(wallY + first), pushY);
        pushZ = real_madd(lambda * PBF_WALL_SHARE, real_load(wallZ + first), pushZ);
    }
    REAL scale = real_set(constants.gradientScale);
#if MIXED
    scale = scale / real_load(relative + first);
#endif
    correct_axis(startX + first, vx + first, pushX * scale, 0, &move, movedX + first, toX + first);
    correct_axis(startY + first, vy + first, pushY * scale, 1, &move, movedY + first, toY + first);
    correct_axis(startZ + first, vz + first, pushZ * scale, 2, &move, movedZ + first, toZ + first);
}

WB_INLINE void add_neighbours(PbfSummary *summary, uint low, uint high) {
    summary->neighbours[0] += low;
    summary->neighbours[1] += high + (summary->neighbours[0] < low ? 1u : 0u);
}

// Adds another summary to one.
WB_INLINE void join_summaries(PbfSummary *summary, const PbfSummary *other) {
    summary->maxSpeed2 = max(summary->maxSpeed2, other->maxSpeed2);
    summary->maxDensity = max(summary->maxDensity, other->maxDensity);
    for (int a = 0; a < 3; a++) {
        summary->min[a] = min(summary->min[a], other->min[a]);
        summary->max[a] = max(summary->max[a], other->max[a]);
    }
    add_neighbours(summary, other->neighbours[0], other->neighbours[1]);
    summary->broken += other->broken;
}

// Sides of the box that nothing slips along, for one axis of the velocity.
WB_INLINE REAL stick_to_sides(REAL speed, int axis, const REAL to[3], const PbfMove *move) {
    for (int s = 0; s < 6; s++)
        if (move->sticks[s] && s / 2 != axis)
            speed = real_madd(pbf_side_share(to[s / 2], s, move), move->walls[s][axis] - speed, speed);
    return speed;
}

// Velocities of WB_LANES particles along one axis from what moved them; they arrive.
WB_INLINE REAL arrive(__global float *x, __global float *v, __global const float *moved, int axis,
                      const REAL to[3], const PbfMove *move) {
    REAL speed = stick_to_sides(pbf_arrive(real_load(v), real_load(moved), axis, move), axis, to, move);
    real_store(x, to[axis]);
    real_store(v, speed);
    return speed;
}

// v = (p - x) / dt, x = p; densities to kg/m3 and their inverse; one summary per group. Items go over the particles with
// the stride of all items, so that there are few groups however many particles there are.
__kernel __attribute__((reqd_work_group_size(PBF_SUMMARY_GROUP, 1, 1))) void
pbf_finish(int count, PbfMove move, float restDensity, __global float *x, __global float *y,
           __global float *z, __global float *vx, __global float *vy, __global float *vz,
           __global const float *px, __global const float *py, __global const float *pz,
           __global const float *movedX, __global const float *movedY, __global const float *movedZ,
           __global float *densities, __global float *pressures, __global float *inverses,
           __global const int *neighbours, __global PbfSummary *summaries) {
    __local PbfSummary shared[PBF_SUMMARY_GROUP];
    PbfSummary own = {0, 0, {MAXFLOAT, MAXFLOAT, MAXFLOAT}, {-MAXFLOAT, -MAXFLOAT, -MAXFLOAT}, {0, 0}, 0};
    for (int i = get_global_id(0) * WB_LANES; i < count; i += get_global_size(0) * WB_LANES) {
        const REAL to[3] = {real_load(px + i), real_load(py + i), real_load(pz + i)};
        REAL ux = arrive(x + i, vx + i, movedX + i, 0, to, &move);
        REAL uy = arrive(y + i, vy + i, movedY + i, 1, to, &move);
        REAL uz = arrive(z + i, vz + i, movedZ + i, 2, to, &move), density = real_load(densities + i);
        real_store(pressures + i, real_load(pressures + i) * move.pressureScale);
        const MASK inside = lanes_below(count - i);
        REAL speed2 = real_select(inside, ux * ux + uy * uy + uz * uz, real_set(0));
        real_store(inverses + i, real_rcp(real_max(density, real_set(1e-3f))));
        real_store(densities + i, density * restDensity);
        Box box = box_around(real_load(x + i), real_load(y + i), real_load(z + i), inside);
        PbfSummary these = {real_largest(speed2),
                            real_largest(real_select(inside, density, real_set(0))),
                            {box.low[0], box.low[1], box.low[2]},
                            {box.high[0], box.high[1], box.high[2]},
                            {(uint)mask_sum(real_select(inside, lanes_load(neighbours + i), (MASK)(0))), 0},
                            mask_sum(mask_ones(!(speed2 < MAXFLOAT)))};
        join_summaries(&own, &these);
    }
    shared[get_local_id(0)] = own;
    for (int width = PBF_SUMMARY_GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) >= width) continue;
        PbfSummary other = shared[get_local_id(0) + width];
        join_summaries(&own, &other);
        shared[get_local_id(0)] = own;
    }
    if (get_local_id(0) == 0) summaries[get_group_id(0)] = own;
}

// XSPH, and the curl of the velocity with its length.
__kernel void pbf_smooth(int count, PbfConstants constants, SpaceCells grid, SpaceSides sides,
                         __global const int *bucketStart, __global const float *x, __global const float *y,
                         __global const float *z, __global const float *px, __global const float *py,
                         __global const float *pz, __global const float *relative,
                         __global const float *inverses, __global const float *vx, __global const float *vy,
                         __global const float *vz, __global float *toVx, __global float *toVy,
                         __global float *toVz, __global float *spinX, __global float *spinY,
                         __global float *spinZ, __global float *spin) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    const float h2 = sides.radius * sides.radius;
    if (first >= count) return;
    const REAL xi = real_load(x + first), yi = real_load(y + first), zi = real_load(z + first);
    const REAL pxi = real_load(px + first), pyi = real_load(py + first), pzi = real_load(pz + first);
    const REAL vxi = real_load(vx + first), vyi = real_load(vy + first), vzi = real_load(vz + first);
    const REAL wi = real_load(inverses + first);
#if MIXED
    const REAL own = real_load(relative + first);
#endif
    REAL sumX = real_set(0), sumY = real_set(0), sumZ = real_set(0);
    REAL turnX = real_set(0), turnY = real_set(0), turnZ = real_set(0);
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_row(begin, last, cells, bucketStart, x, y, z);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(xi, yi, zi, inside);
        const int choices = count_choices(&box, &sides);
        for (int choice = 0; choice < choices; choice++) {
            Ghost ghost;
            if (!find_ghost(&ghost, choice, &box, &sides)) continue;
            const Box mirrored = mirror_box(&box, &ghost);
            FOR_CANDIDATES(j, mirrored) {
                REAL ex = xi - (ghost.sign[0] * x[j] + ghost.offset[0]),
                     ey = yi - (ghost.sign[1] * y[j] + ghost.offset[1]);
                REAL ez = zi - (ghost.sign[2] * z[j] + ghost.offset[2]);
                const MASK near = (real_madd(ex, ex, real_madd(ey, ey, ez * ez)) < h2) & inside;
                REAL dx = pxi - (ghost.sign[0] * px[j] + ghost.offset[0]);
                REAL dy = pyi - (ghost.sign[1] * py[j] + ghost.offset[1]);
                REAL dz = pzi - (ghost.sign[2] * pz[j] + ghost.offset[2]);
                REAL ux = ghost.sign[0] * vx[j] - vxi, uy = ghost.sign[1] * vy[j] - vyi;
                REAL uz = ghost.sign[2] * vz[j] - vzi, wj = real_set(inverses[j]);
                REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
#if MIXED
                REAL mixing = pbf_mixing_of(r2, wi, wj, own, real_set(relative[j]), &constants);
#else
                REAL mixing = pbf_mixing(r2, wi, wj, &constants);
#endif
                mixing = real_select(near, mixing, real_set(0));
                REAL g = real_select(near, pbf_gradient(r2, &constants) * wj, real_set(0));
                sumX = real_madd(mixing, ux, sumX), sumY = real_madd(mixing, uy, sumY);
                sumZ = real_madd(mixing, uz, sumZ);
                turnX = real_madd(g, uy * dz - uz * dy, turnX),
                turnY = real_madd(g, uz * dx - ux * dz, turnY);
                turnZ = real_madd(g, ux * dy - uy * dx, turnZ);
            }
        }
    }
    real_store(toVx + first, vxi + sumX);
    real_store(toVy + first, vyi + sumY);
    real_store(toVz + first, vzi + sumZ);
    turnX *= constants.gradientScale, turnY *= constants.gradientScale, turnZ *= constants.gradientScale;
    real_store(spinX + first, turnX);
    real_store(spinY + first, turnY);
    real_store(spinZ + first, turnZ);
    real_store(spin + first, sqrt(turnX * turnX + turnY * turnY + turnZ * turnZ));
}

// Vorticity confinement: eta = sum m/rho_j (|spin_j| - |spin_i|) grad W, v += dt epsilon (eta / |eta|) x spin
__kernel void pbf_turn(int count, PbfConstants constants, PbfMove move, SpaceCells grid, SpaceSides sides,
                       __global const int *bucketStart, __global const float *x, __global const float *y,
                       __global const float *z, __global const float *px, __global const float *py,
                       __global const float *pz, __global const float *inverses, __global const float *spinX,
                       __global const float *spinY, __global const float *spinZ, __global const float *spin,
                       __global float *vx, __global float *vy, __global float *vz) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    const float h2 = sides.radius * sides.radius;
    if (first >= count) return;
    const REAL xi = real_load(x + first), yi = real_load(y + first), zi = real_load(z + first);
    const REAL pxi = real_load(px + first), pyi = real_load(py + first), pzi = real_load(pz + first);
    const REAL own = real_load(spin + first);
    REAL etaX = real_set(0), etaY = real_set(0), etaZ = real_set(0);
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_row(begin, last, cells, bucketStart, x, y, z);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(xi, yi, zi, inside);
        const int choices = count_choices(&box, &sides);
        for (int choice = 0; choice < choices; choice++) {
            Ghost ghost;
            if (!find_ghost(&ghost, choice, &box, &sides)) continue;
            const Box mirrored = mirror_box(&box, &ghost);
            FOR_CANDIDATES(j, mirrored) {
                REAL ex = xi - (ghost.sign[0] * x[j] + ghost.offset[0]),
                     ey = yi - (ghost.sign[1] * y[j] + ghost.offset[1]);
                REAL ez = zi - (ghost.sign[2] * z[j] + ghost.offset[2]);
                const MASK near = (real_madd(ex, ex, real_madd(ey, ey, ez * ez)) < h2) & inside;
                REAL dx = pxi - (ghost.sign[0] * px[j] + ghost.offset[0]);
                REAL dy = pyi - (ghost.sign[1] * py[j] + ghost.offset[1]);
                REAL dz = pzi - (ghost.sign[2] * pz[j] + ghost.offset[2]);
                REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
                REAL g = pbf_gradient(r2, &constants) * (own - spin[j]) * inverses[j];
                g = real_select(near, g, real_set(0));
                etaX = real_madd(g, dx, etaX), etaY = real_madd(g, dy, etaY), etaZ = real_madd(g, dz, etaZ);
            }
        }
    }
    etaX *= constants.gradientScale, etaY *= constants.gradientScale, etaZ *= constants.gradientScale;
    REAL length2 = etaX * etaX + etaY * etaY + etaZ * etaZ;
    REAL scale = real_rsqrt(length2 + 1e-18f) * (constants.vorticity * move.dt);
    scale = real_select(real_less(real_set(1e-18f), length2), scale, real_set(0));
    REAL sx = real_load(spinX + first), sy = real_load(spinY + first), sz = real_load(spinZ + first);
    real_store(vx + first, real_load(vx + first) + scale * (etaY * sz - etaZ * sy));
    real_store(vy + first, real_load(vy + first) + scale * (etaZ * sx - etaX * sz));
    real_store(vz + first, real_load(vz + first) + scale * (etaX * sy - etaY * sx));
}
