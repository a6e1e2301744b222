// SPDX-License-Identifier: MIT
// What the kernels of position based fluids with particles of one size and of many share. Neighbours are those at the predicted positions, which
// the cells were sorted by; x, y, z are where particles are by now.

// From a candidate, mirrored, to particles at p.
WB_INLINE Real3 pbf_gap(Real3 p, const Ghost *ghost, IN3(x, y, z), int j) {
    return real3(p.x - (ghost->sign[0] * x[j] + ghost->offset[0]),
                 p.y - (ghost->sign[1] * y[j] + ghost->offset[1]),
                 p.z - (ghost->sign[2] * z[j] + ghost->offset[2]));
}

WB_INLINE Real3 find_predicted_gap(const Walk *walk) {
    const Points predicted = walk->searched;
    return pbf_gap(walk->p, &walk->ghost, predicted.x, predicted.y, predicted.z, walk->j);
}

// By how much a candidate, mirrored, is faster than particles with these velocities.
WB_INLINE Real3 pbf_speed_gap(Real3 v, const Ghost *ghost, IN3(vx, vy, vz), int j) {
    return real3(ghost->sign[0] * vx[j] + ghost->velocityOffset[0] - v.x,
                 ghost->sign[1] * vy[j] + ghost->velocityOffset[1] - v.y,
                 ghost->sign[2] * vz[j] + ghost->velocityOffset[2] - v.z);
}

WB_INLINE void correct_axis(__global const float *start, __global const float *v, REAL push, int axis,
                            const PbfMove *move, __global float *moved, __global float *to) {
    const PbfDrift drift = pbf_drift(real_load(start), real_load(v), real_load(moved) - push, axis, move);
    real_store(moved, drift.moved);
    real_store(to, drift.to);
}

// v += dt epsilon (eta / |eta|) x spin
WB_INLINE void confine_by(Real3 eta, Real3 spin, const PbfConstants *constants, const PbfMove *move,
                          OUT3(vx, vy, vz), int first) {
    REAL length2 = eta.x * eta.x + eta.y * eta.y + eta.z * eta.z;
    REAL scale = real_rsqrt(length2 + 1e-18f) * (constants->vorticity * move->dt);
    scale = real_select(real_less(real_set(1e-18f), length2), scale, real_set(0));
    const Real3 v = load3(vx, vy, vz, first), turned = cross3(eta, spin);
    store3(vx, vy, vz, first, real3(v.x + scale * turned.x, v.y + scale * turned.y, v.z + scale * turned.z));
}

// By what particles with these velocities take that one, which is given times its weight, across the normal.
WB_INLINE Real3 find_change(Real3 v, Real3 mean, REAL weight, Real3 n, REAL rate) {
    const Real3 u = real3(mean.x - weight * v.x, mean.y - weight * v.y, mean.z - weight * v.z);
    const REAL across = dot3(u, n) * real_rcp(real_max(dot3(n, n), real_set(1e-20f)));
    return real3(rate * (u.x - across * n.x), rate * (u.y - across * n.y), rate * (u.z - across * n.z));
}

// What a pass does to points of colliders.
WB_INLINE void add_forces(Real3 sum, REAL weight, OUT3(fx, fy, fz), int i) {
    const Real3 f = load3(fx, fy, fz, i);
    store3(
        fx, fy, fz, i,
        real3(real_madd(sum.x, weight, f.x), real_madd(sum.y, weight, f.y), real_madd(sum.z, weight, f.z)));
}

// Which fluid ids are of: runs of them begin at `first`; no runs: all are of one.
WB_INLINE int fluid_of(uint id, int runs, __global const uint *first, __global const int *fluids) {
    int low = 0, high = runs;
    if (high == 0) return 0;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (first[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return fluids[low];
}
