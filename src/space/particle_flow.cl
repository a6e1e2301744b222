// SPDX-License-Identifier: MIT
// Water in mouths, places that are taken, and the order that puts removed particles behind the others.

__kernel void flow_mark(int count, FlowSites sites, __global const float *x, __global const float *y,
                        __global const float *z, __global const float *u, __global const float *v,
                        __global int *taken) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const FlowPoint point = flow_find_layer(&sites, x[i], y[i], z[i]);
    if (point.layer < 0) return;
    for (int k = 0; k < sites.count; k++)
        if (flow_is_near(&sites, &point, u[k], v[k])) atomic_xchg(&taken[point.layer * sites.count + k], 1);
}

__kernel void flow_hold(int count, FlowMouth mouth, __global float *x, __global float *y, __global float *z,
                        __global float *vx, __global float *vy, __global float *vz) {
    const int i = get_global_id(0);
    if (i >= count || !flow_is_held(&mouth, x[i], y[i], z[i])) return;
    x[i] -= mouth.shift * (vx[i] - mouth.velocity[0]), vx[i] = mouth.velocity[0];
    y[i] -= mouth.shift * (vy[i] - mouth.velocity[1]), vy[i] = mouth.velocity[1];
    z[i] -= mouth.shift * (vz[i] - mouth.velocity[2]), vz[i] = mouth.velocity[2];
}

__kernel void flow_push(int count, FlowBall ball, __global const float *x, __global const float *y,
                        __global const float *z, __global float *vx, __global float *vy, __global float *vz) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const float dx = ball.velocity[0] - vx[i], dy = ball.velocity[1] - vy[i], dz = ball.velocity[2] - vz[i];
    const float share = flow_get_drag(&ball, x[i], y[i], z[i], dx * dx + dy * dy + dz * dz);
    if (!(share > 0)) return;
    vx[i] += share * dx, vy[i] += share * dy, vz[i] += share * dz;
}

// One word more than there are particles: scanned, the last is how many are in the region.
__kernel void flow_flag(int count, FlowRegion region, __global const float *x, __global const float *y,
                        __global const float *z, __global uint *ranks) {
    const int i = get_global_id(0);
    if (i <= count) ranks[i] = i < count && flow_is_in(&region, x[i], y[i], z[i]);
}

// The scanned ranks differ from one particle to the next where it is in the region. The first `removed` of those go
// behind the others; both keep their order.
__kernel void flow_order(int count, int removed, __global const uint *ranks, __global uint *order) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const int rank = ranks[i];
    const bool isRemoved = ranks[i + 1] != ranks[i] && rank < removed;
    order[isRemoved ? count - removed + rank : i - min(rank, removed)] = i;
}
