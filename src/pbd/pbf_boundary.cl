// SPDX-License-Identifier: MIT
// Colliders in a position based fluid on a device. Built with HASHED of the cells that are searched, and MIXED (fluids of
// different density). Who is near is decided
// at the predicted positions, as among particles.

// What the places of a set add to the density of particles and to the gradient of their constraint.
__kernel void pbf_wall_add(int count, PbfConstants constants, SpacePlaces places,
                           __global const int *bucketStart, __global const float *x, __global const float *y,
                           __global const float *z, __global const float *positions,
                           __global const float *fluidX, __global const float *fluidY,
                           __global const float *fluidZ, __global const float *px, __global const float *py,
                           __global const float *pz, __global float *wallX, __global float *wallY,
                           __global float *wallZ, __global float *wallDensity, __global float *wallSquares) {
    const SpaceCells *cells = &places.cells;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    const float h2 = 1.0f / (constants.inverseH * constants.inverseH);
    if (first >= count) return;
    const REAL xi = real_load(fluidX + first), yi = real_load(fluidY + first), zi = real_load(fluidZ + first);
    const REAL pxi = real_load(px + first), pyi = real_load(py + first), pzi = real_load(pz + first);
    REAL sumX = real_load(wallX + first), sumY = real_load(wallY + first), sumZ = real_load(wallZ + first);
    REAL sum = real_load(wallDensity + first), squares = real_load(wallSquares + first);
    x += places.first, y += places.first, z += places.first, positions += 4 * places.first;
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_bunch(begin, last, cells->reach, fluidX, fluidY, fluidZ);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(xi, yi, zi, inside);
        if (!is_near_places(&box, &places)) continue;
        FOR_CANDIDATES(j, box) {
            REAL ex = xi - x[j], ey = yi - y[j], ez = zi - z[j];
            const MASK near = (real_madd(ex, ex, real_madd(ey, ey, ez * ez)) < h2) & inside;
            REAL dx = pxi - x[j], dy = pyi - y[j], dz = pzi - z[j];
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
            REAL weight = real_select(near, real_set(positions[4 * j + 3]), real_set(0));
            REAL g = pbf_gradient(r2, &constants) * weight;
            sumX = real_madd(g, dx, sumX), sumY = real_madd(g, dy, sumY), sumZ = real_madd(g, dz, sumZ);
            squares = real_madd(g * g, r2, squares);
            sum = real_madd(weight, pbf_density(r2, &constants), sum);
        }
    }
    real_store(wallX + first, sumX);
    real_store(wallY + first, sumY);
    real_store(wallZ + first, sumZ);
    real_store(wallDensity + first, sum);
    real_store(wallSquares + first, squares);
}

// Velocities and gradients of places that nothing slips along.
__kernel void pbf_wall_mean(int count, PbfConstants constants, SpacePlaces places,
                            __global const int *bucketStart, __global const float *x, __global const float *y,
                            __global const float *z, __global const float *velocities,
                            __global const float *fluidX, __global const float *fluidY,
                            __global const float *fluidZ, __global const float *px, __global const float *py,
                            __global const float *pz, __global float *meanX, __global float *meanY,
                            __global float *meanZ, __global float *means, __global float *normalX,
                            __global float *normalY, __global float *normalZ) {
    const SpaceCells *cells = &places.cells;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    const float h2 = 1.0f / (constants.inverseH * constants.inverseH);
    if (first >= count) return;
    const REAL xi = real_load(fluidX + first), yi = real_load(fluidY + first), zi = real_load(fluidZ + first);
    const REAL pxi = real_load(px + first), pyi = real_load(py + first), pzi = real_load(pz + first);
    REAL sumX = real_load(meanX + first), sumY = real_load(meanY + first), sumZ = real_load(meanZ + first);
    REAL nx = real_load(normalX + first), ny = real_load(normalY + first), nz = real_load(normalZ + first);
    REAL sum = real_load(means + first);
    x += places.first, y += places.first, z += places.first, velocities += 4 * places.first;
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_bunch(begin, last, cells->reach, fluidX, fluidY, fluidZ);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(xi, yi, zi, inside);
        if (!is_near_places(&box, &places)) continue;
        FOR_CANDIDATES(j, box) {
            REAL ex = xi - x[j], ey = yi - y[j], ez = zi - z[j];
            const MASK near = (real_madd(ex, ex, real_madd(ey, ey, ez * ez)) < h2) & inside;
            REAL dx = pxi - x[j], dy = pyi - y[j], dz = pzi - z[j];
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
            REAL sticks = real_select(near, real_set(velocities[4 * j + 3]), real_set(0));
            REAL g = pbf_gradient(r2, &constants) * sticks, weight = pbf_density(r2, &constants) * sticks;
            sumX = real_madd(weight, real_set(velocities[4 * j]), sumX);
            sumY = real_madd(weight, real_set(velocities[4 * j + 1]), sumY);
            sumZ = real_madd(weight, real_set(velocities[4 * j + 2]), sumZ);
            sum += weight;
            nx = real_madd(g, dx, nx), ny = real_madd(g, dy, ny), nz = real_madd(g, dz, nz);
        }
    }
    real_store(meanX + first, sumX);
    real_store(meanY + first, sumY);
    real_store(meanZ + first, sumZ);
    real_store(means + first, sum);
    real_store(normalX + first, nx);
    real_store(normalY + first, ny);
    real_store(normalZ + first, nz);
}

// The share of a change of velocity, times the relative density, which is read where MIXED alone.
WB_INLINE REAL weigh_share(REAL share, __global const float *relative, int i) {
#if MIXED
    share *= real_load(relative + i);
#endif
    return share;
}

// Particles take that velocity, across the normal; what changed, over the sum of weights, is for the colliders.
__kernel void pbf_wall_stick(int count, PbfConstants constants, __global const float *meanX,
                             __global const float *meanY, __global const float *meanZ,
                             __global const float *means, __global const float *normalX,
                             __global const float *normalY, __global const float *normalZ, __global float *vx,
                             __global float *vy, __global float *vz, __global const float *relative,
                             __global float *changeX, __global float *changeY, __global float *changeZ) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL sum = real_load(means + i);
    const REAL nx = real_load(normalX + i), ny = real_load(normalY + i), nz = real_load(normalZ + i);
    const REAL vxi = real_load(vx + i), vyi = real_load(vy + i), vzi = real_load(vz + i);
    const PbfStick stick = pbf_stick(sum, &constants);
    REAL ux = real_load(meanX + i) - sum * vxi, uy = real_load(meanY + i) - sum * vyi;
    REAL uz = real_load(meanZ + i) - sum * vzi;
    REAL length2 = real_madd(nx, nx, real_madd(ny, ny, nz * nz));
    REAL across =
        real_madd(ux, nx, real_madd(uy, ny, uz * nz)) * real_rcp(real_max(length2, real_set(1e-20f)));
    REAL cx = stick.rate * (ux - across * nx), cy = stick.rate * (uy - across * ny);
    REAL cz = stick.rate * (uz - across * nz);
    real_store(vx + i, vxi + cx);
    real_store(vy + i, vyi + cy);
    real_store(vz + i, vzi + cz);
    const REAL share = weigh_share(stick.share, relative, i);
    real_store(changeX + i, cx * share);
    real_store(changeY + i, cy * share);
    real_store(changeZ + i, cz * share);
}

// What the collision took from particles, over the sum of weights near them.
__kernel void pbf_wall_caught(int count, __global const float *sums, __global const float *beforeX,
                              __global const float *beforeY, __global const float *beforeZ,
                              __global const float *vx, __global const float *vy, __global const float *vz,
                              __global const float *relative, __global float *changeX,
                              __global float *changeY, __global float *changeZ) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL sum = real_load(sums + i);
    REAL share =
        real_select(real_less(real_set(0), sum), real_rcp(real_max(sum, real_set(1e-20f))), real_set(0));
    share = weigh_share(share, relative, i);
    real_store(changeX + i, (real_load(vx + i) - real_load(beforeX + i)) * share);
    real_store(changeY + i, (real_load(vy + i) - real_load(beforeY + i)) * share);
    real_store(changeZ + i, (real_load(vz + i) - real_load(beforeZ + i)) * share);
}

// What an iteration does to places, in N; searched are the particles.
__kernel void pbf_wall_forces(int count, PbfConstants constants, float scale, SpaceCells grid,
                              __global const int *bucketStart, __global const float *x,
                              __global const float *y, __global const float *z, __global const float *px,
                              __global const float *py, __global const float *pz,
                              __global const float *lambdas, __global const float *placeX,
                              __global const float *placeY, __global const float *placeZ,
                              __global const float *positions, __global float *fx, __global float *fy,
                              __global float *fz) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    const float h2 = 1.0f / (constants.inverseH * constants.inverseH);
    if (first >= count) return;
    const REAL xb = real_load(placeX + first), yb = real_load(placeY + first), zb = real_load(placeZ + first);
    REAL sumX = real_set(0), sumY = real_set(0), sumZ = real_set(0);
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_bunch(begin, last, cells->reach, placeX, placeY, placeZ);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(xb, yb, zb, inside);
        FOR_CANDIDATES(j, box) {
            REAL ex = x[j] - xb, ey = y[j] - yb, ez = z[j] - zb;
            const MASK near = (real_madd(ex, ex, real_madd(ey, ey, ez * ez)) < h2) & inside;
            REAL dx = px[j] - xb, dy = py[j] - yb, dz = pz[j] - zb;
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
            REAL g = real_select(near, pbf_gradient(r2, &constants) * lambdas[j], real_set(0));
            sumX = real_madd(g, dx, sumX), sumY = real_madd(g, dy, sumY), sumZ = real_madd(g, dz, sumZ);
        }
    }
    const REAL weight = load_field(positions, first, 3) * scale;
    real_store(fx + first, real_madd(sumX, weight, real_load(fx + first)));
    real_store(fy + first, real_madd(sumY, weight, real_load(fy + first)));
    real_store(fz + first, real_madd(sumZ, weight, real_load(fz + first)));
}

// What changes of velocity do to them; records are those whose fourth field is the weight.
__kernel void pbf_wall_drag(int count, PbfConstants constants, float scale, SpaceCells grid,
                            __global const int *bucketStart, __global const float *x, __global const float *y,
                            __global const float *z, __global const float *px, __global const float *py,
                            __global const float *pz, __global const float *changeX,
                            __global const float *changeY, __global const float *changeZ,
                            __global const float *placeX, __global const float *placeY,
                            __global const float *placeZ, __global const float *records, __global float *fx,
                            __global float *fy, __global float *fz) {
    const SpaceCells *cells = &grid;
    const int first = get_global_id(0) * WB_LANES, last = min(first + WB_LANES, count);
    const float h2 = 1.0f / (constants.inverseH * constants.inverseH);
    if (first >= count) return;
    const REAL xb = real_load(placeX + first), yb = real_load(placeY + first), zb = real_load(placeZ + first);
    REAL sumX = real_set(0), sumY = real_set(0), sumZ = real_set(0);
    for (int begin = first, end; begin < last; begin = end) {
        end = end_of_bunch(begin, last, cells->reach, placeX, placeY, placeZ);
        const MASK inside = lanes_below(end - first) & ~lanes_below(begin - first);
        const Box box = box_around(xb, yb, zb, inside);
        FOR_CANDIDATES(j, box) {
            REAL ex = x[j] - xb, ey = y[j] - yb, ez = z[j] - zb;
            const MASK near = (real_madd(ex, ex, real_madd(ey, ey, ez * ez)) < h2) & inside;
            REAL dx = px[j] - xb, dy = py[j] - yb, dz = pz[j] - zb;
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
            REAL weight = real_select(near, pbf_density(r2, &constants), real_set(0));
            sumX = real_madd(weight, real_set(changeX[j]), sumX);
            sumY = real_madd(weight, real_set(changeY[j]), sumY);
            sumZ = real_madd(weight, real_set(changeZ[j]), sumZ);
        }
    }
    const REAL weight = load_field(records, first, 3) * -scale;
    real_store(fx + first, real_madd(sumX, weight, real_load(fx + first)));
    real_store(fy + first, real_madd(sumY, weight, real_load(fy + first)));
    real_store(fz + first, real_madd(sumZ, weight, real_load(fz + first)));
}
