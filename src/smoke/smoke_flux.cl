// SPDX-License-Identifier: MIT
// Advection by fluxes on a device: see smoke_flux.h. Built for a number of SCALARS. Values beyond the sides are there.

WB_INLINE REAL gain_along(const SmokeShape *shape, const SmokeSweep *task, __global const float *velocity,
                          int axis) {
    const int strides[3] = {1, shape->plane, shape->row};
    __global const float *u = velocity + (size_t)axis * shape->stride;
    return (real_load(u + strides[axis]) - real_load(u)) * task->cells;
}

WB_INLINE REAL volume_before(const SmokeShape *shape, const SmokeSweep *task,
                             __global const float *velocity) {
    REAL gain = real_set(0);
    for (int n = 0; n < task->doneCount; n++) gain += gain_along(shape, task, velocity, task->done[n]);
    return smoke_volume(gain);
}

// All fields at (i, j, k) and behind it along x, after they flowed.
WB_INLINE void sweep_lanes(const SmokeShape *shape, const SmokeSweep *task, __global const float *velocities,
                           __global const float *from, int i, int j, int k, REAL *values) {
    const int strides[3] = {1, shape->plane, shape->row}, counts[3] = {shape->nx, shape->ny, shape->nz},
              at[3] = {i, j, k}, axis = task->axis, own = strides[axis];
    const size_t c = value_index(shape, 0, i, j, k);
    __global const float *velocity = velocities + c, *u = velocity + (size_t)axis * shape->stride;
    const bool isFirst = axis > 0 && at[axis] == 0, isEnd = axis > 0 && at[axis] == counts[axis] - 1;
    const REAL low = real_load(u) * task->cells, high = real_load(u + own) * task->cells;
    const REAL here = volume_before(shape, task, velocity),
               below = volume_before(shape, task, velocity - (isFirst ? 0 : own)),
               above = volume_before(shape, task, velocity + (isEnd ? 0 : own));
    const REAL shareLow = smoke_share(low, below, here), shareHigh = smoke_share(high, here, above);
    REAL after = real_set(1);
    if (!task->isLast) {
        REAL gain = gain_along(shape, task, velocity, axis);
        for (int n = 0; n < task->doneCount; n++) gain += gain_along(shape, task, velocity, task->done[n]);
        after = real_set(1) / smoke_volume(gain);
    }
    for (int f = 0; f < SCALARS; f++) {
        __global const float *q = from + (size_t)f * shape->stride + c;
        const REAL q1 = real_load(q - own), q2 = real_load(q), q3 = real_load(q + own);
        REAL q0 = real_load(q - (isFirst ? own : 2 * own)), q4 = real_load(q + (isEnd ? own : 2 * own));
        if (axis == 0) {
            q0 = real_select(lane_index() + i == 0, q1, q0);
            q4 = real_select(lane_index() + i == shape->nx - 1, q3, q4);
        }
        const REAL slope1 = smoke_slope(q0, q1, q2), slope2 = smoke_slope(q1, q2, q3),
                   slope3 = smoke_slope(q2, q3, q4);
        const REAL in = smoke_flux(low, shareLow, q1, slope1, q2, slope2),
                   out = smoke_flux(high, shareHigh, q2, slope2, q3, slope3);
        values[f] = (real_madd(q2, here, in) - out) * after * task->factors[f];
    }
}

// Takes what is nearly nothing away, of smoke, heat and fuel together and of colours together; true if something is left.
WB_INLINE bool keep_values(REAL *values, int left) {
    const int groups[3] = {0, SCALARS < 3 ? SCALARS : 3, SCALARS};
    bool any = false;
    for (int g = 0; g < 2; g++) {
        REAL most = real_set(0);
        for (int f = groups[g]; f < groups[g + 1]; f++) most = real_max(most, real_abs(values[f]));
        const MASK smoke = real_less(real_set(SMOKE_LEAST), most);
        for (int f = groups[g]; f < groups[g + 1]; f++)
            values[f] = real_select(smoke, values[f], real_set(0));
        any |= real_largest(first_lanes(most, left)) > SMOKE_LEAST;
    }
    return any;
}

WB_INLINE bool is_any(const REAL *values, int left) {
    bool any = false;
    for (int f = 0; f < SCALARS; f++) any |= mask_least(first_lanes(values[f], left) != 0) != 0;
    return any;
}

// Whether something may flow in a block: fluxes reach less than a block far.
WB_INLINE bool is_busy(const int counts[3], int axis, int block, __global const uchar *dirty) {
    const int strides[3] = {1, counts[0] * counts[2], counts[0]}, stride = strides[axis],
              at = block / stride % counts[axis];
    return dirty[block] || (at > 0 && dirty[block - stride]) ||
           (at < counts[axis] - 1 && dirty[block + stride]);
}

// A group has a block of cells; as smoke_advect_centres. `dirtyFrom`: blocks that are not all 0.
__kernel __attribute__((reqd_work_group_size(SMOKE_BLOCK_GROUP, 1, 1))) void
smoke_sweep(SmokeShape shape, SmokeSweep task, __global const float *velocity, __global const float *from,
            __global float *to, __global const uchar *active, __global const uchar *dirtyFrom,
            __global uchar *dirty, __global uchar *marks) {
    enum { NOT_ZERO = 1, SMOKE = 2 };
    __local int found[SMOKE_BLOCK_GROUP];
    const int block = get_group_id(0), across = (shape.nx + SMOKE_BLOCK_X - 1) / SMOKE_BLOCK_X,
              behind = (shape.nz + SMOKE_BLOCK - 1) / SMOKE_BLOCK;
    const int firstX = block % across * SMOKE_BLOCK_X, firstZ = block / across % behind * SMOKE_BLOCK,
              firstY = block / across / behind * SMOKE_BLOCK;
    const int counts[3] = {across, (shape.ny + SMOKE_BLOCK - 1) / SMOKE_BLOCK, behind};
    const bool isActive = active[block] && is_busy(counts, task.axis, block, dirtyFrom),
               isDirty = dirty[block];
    enum { VECTORS = SMOKE_BLOCK_X / WB_LANES, ALL = VECTORS * SMOKE_BLOCK * SMOKE_BLOCK };
    int own = 0;
    for (int n = get_local_id(0); n < ALL && (isActive || isDirty); n += SMOKE_BLOCK_GROUP) {
        const int i = firstX + n % VECTORS * WB_LANES, k = firstZ + n / VECTORS % SMOKE_BLOCK,
                  j = firstY + n / VECTORS / SMOKE_BLOCK, left = shape.nx - i;
        if (left <= 0 || k >= shape.nz || j >= shape.ny) continue;
        REAL values[SCALARS];
        if (isActive) {
            sweep_lanes(&shape, &task, velocity, from, i, j, k, values);
            if (task.marks && keep_values(values, left)) own |= SMOKE;
            if (is_any(values, left)) own |= NOT_ZERO;
        }
        for (int f = 0; f < SCALARS; f++)
            store_first(to + value_index(&shape, f, i, j, k), isActive ? values[f] : real_set(0), left);
    }
    found[get_local_id(0)] = own;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // all have looked at dirty
    if (get_local_id(0) != 0) return;
    for (int n = 1; n < SMOKE_BLOCK_GROUP; n++) own |= found[n];
    dirty[block] = (own & NOT_ZERO) != 0;
    if (task.marks) marks[block] = (own & SMOKE) != 0;
}

// The most that flows out of a cell, per group: see smoke_flux.h.
SUM_KERNEL void smoke_outflow_most(SmokeShape shape, int axes, __global const float *velocity,
                                   __global float *maxima) {
    __local float shared[SMOKE_SUM_GROUP];
    const int strides[3] = {1, shape.plane, shape.row};
    REAL most = real_set(0);
    for (int item = get_global_id(0);; item += get_global_size(0)) {
        const Span span = get_span(item, shape.nx);
        const int k = span.row % shape.nz, j = span.row / shape.nz;
        if (j >= shape.ny) break;
        for (int i = span.begin; i < span.end; i += WB_LANES) {
            REAL out[3] = {real_set(0), real_set(0), real_set(0)}, gain[3] = {out[0], out[0], out[0]};
            for (int a = 0; a < axes; a++) {
                __global const float *u = velocity + value_index(&shape, a, i, j, k);
                const REAL low = real_load(u), high = real_load(u + strides[a]);
                out[a] = smoke_outflow(low, high), gain[a] = high - low;
            }
            REAL need = real_max(real_max(out[0], out[1]), out[2] + real_max(gain[0], gain[1]));
            need = real_max(need, real_max(out[1] + gain[0], out[0] + gain[1]) + gain[2]);
            most = real_max(most, first_lanes(need, shape.nx - i));
        }
    }
    max_group(real_largest(most), shared, maxima);
}

// One item for each field, in the order of the cells: the smoke of one may go to another that is covered as well. One more marks
// the blocks.
__kernel void smoke_push_covered(SmokeShape shape, int count, __global const SmokeCovered *cells,
                                 __global float *scalars, __global uchar *marks, __global uchar *dirty) {
    const int f = get_global_id(0), across = (shape.nx + SMOKE_BLOCK_X - 1) / SMOKE_BLOCK_X,
              behind = (shape.nz + SMOKE_BLOCK - 1) / SMOKE_BLOCK;
    if (f > SCALARS) return;
    for (int n = 0; n < count; n++) {
        const int place = cells[n].to, j = place / shape.plane - 1, k = place % shape.plane / shape.row - 1,
                  i = place % shape.row;
        if (f < SCALARS) {
            __global float *field = scalars + value_index(&shape, f, 0, -1, -1);
            field[place] += field[cells[n].from];
            field[cells[n].from] = 0;
        } else {
            const int block = i / SMOKE_BLOCK_X + across * (k / SMOKE_BLOCK + behind * (j / SMOKE_BLOCK));
            marks[block] = dirty[block] = 1;
        }
    }
}
