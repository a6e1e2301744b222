// SPDX-License-Identifier: MIT
// Air in two grids on a device: see smoke_nested.c for what each step does.

// The finest level of a grid's pressure.
#define LEVEL_PARAMS(grid)                                                                                   \
    __global float *grid##Values, __global const int *grid##Rows, __global const float *grid##Inverse,       \
        PressureLevel grid##Level

WB_INLINE int cell_place(const PressureLevel *level, int i, int j, int k) {
    return (i >> 1) + level->row * (k + 1) + level->plane * (j + 1);
}
WB_INLINE int p_index(const PressureLevel *level, int i, int j, int k) {
    return level->p[(i + j + k) & 1] + cell_place(level, i, j, k);
}
WB_INLINE int b_index(const PressureLevel *level, int i, int j, int k) {
    return level->b[(i + j + k) & 1] + cell_place(level, i, j, k);
}
WB_INLINE bool is_air(const PressureLevel *level, __global const int *rows, __global const float *inverse,
                      int i, int j, int k) {
    const int row = rows[level->diagonals + 2 * (k + level->nz * j) + ((i + j + k) & 1)];
    return row >= 0 && inverse[row + (i >> 1)] > 0;
}

// A component of the coarse grid's velocity at a face of the fine one.
WB_INLINE float mix_faces(const SmokeNest *nest, const SmokeShape *shape, __global const float *coarseValues,
                          int axis, int i, int j, int k) {
    const SmokeBetween x = smoke_between(nest, 0, axis == 0, i), y = smoke_between(nest, 1, axis == 1, j),
                       z = smoke_between(nest, 2, axis == 2, k);
    float rows[2];
    for (int n = 0; n < 2; n++) {
        const int at = n ? x.high : x.low;
        const float low = coarseValues[value_index(shape, axis, at, y.low, z.low)],
                    lowFront = coarseValues[value_index(shape, axis, at, y.low, z.high)],
                    high = coarseValues[value_index(shape, axis, at, y.high, z.low)],
                    highFront = coarseValues[value_index(shape, axis, at, y.high, z.high)];
        const float a = low + z.share * (lowFront - low), b = high + z.share * (highFront - high);
        rows[n] = a + y.share * (b - a);
    }
    return rows[0] + x.share * (rows[1] - rows[0]);
}

// The band along the rim follows the coarse grid.
__kernel void nested_scatter(SmokeNest nest, SmokeShape fine, SmokeShape coarse, int axes,
                             __global const float *coarseValues, __global float *fineValues) {
    const Span span = get_span(get_global_id(0), fine.nx + 1);
    const int k = span.row % (fine.nz + 1), j = span.row / (fine.nz + 1) % (fine.ny + 1),
              axis = span.row / ((fine.nz + 1) * (fine.ny + 1));
    if (axis >= axes || j >= fine.ny + (axis == 1) || k >= fine.nz + (axis == 2)) return;
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = smoke_first_fine(&nest, a, nest.innerLow[a]);
        high[a] = smoke_first_fine(&nest, a, nest.innerHigh[a]) + (a == axis);
    }
    const bool isBeside = j >= low[1] && j < high[1] && k >= low[2] && k < high[2];
    for (int i = span.begin; i < span.end && i < fine.nx + (axis == 0); i++)
        if (!isBeside || i < low[0] || i >= high[0] || nest.innerLow[0] >= nest.innerHigh[0])
            fineValues[value_index(&fine, axis, i, j, k)] =
                mix_faces(&nest, &coarse, coarseValues, axis, i, j, k);
}

// Within it the coarse velocities are the means of the fine ones.
__kernel void nested_gather(SmokeNest nest, SmokeShape fine, SmokeShape coarse, int axes,
                            __global const float *fineValues, __global float *coarseValues) {
    const int wide = nest.innerHigh[0] - nest.innerLow[0] + 1,
              tall = nest.innerHigh[1] - nest.innerLow[1] + 1,
              deep = nest.innerHigh[2] - nest.innerLow[2] + 1;
    const Span span = get_span(get_global_id(0), wide);
    const int z = span.row % deep, y = span.row / deep % tall, axis = span.row / (deep * tall);
    if (axis >= axes || y >= tall - (axis != 1) || z >= deep - (axis != 2)) return;
    const int j = nest.innerLow[1] + y, k = nest.innerLow[2] + z;
    const int across = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
    const int strides[3] = {1, fine.plane, fine.row};
    const int countA = smoke_fine_count(&nest, across), countB = smoke_fine_count(&nest, up);
    for (int x = span.begin; x < span.end && x < wide - (axis != 0); x++) {
        const int i = nest.innerLow[0] + x;
        __global const float *first =
            fineValues + value_index(&fine, axis, smoke_first_fine(&nest, 0, i),
                                     smoke_first_fine(&nest, 1, j), smoke_first_fine(&nest, 2, k));
        float sum = 0;
        for (int b = 0; b < countB; b++)
            for (int a = 0; a < countA; a++) sum += first[a * strides[across] + b * strides[up]];
        coarseValues[value_index(&coarse, axis, i, j, k)] = sum / (float)(countA * countB);
    }
}

// What a source makes in the fine grid's cells of air, for the coarse cells low … low + count - 1.
__kernel void nested_expand(SmokeNest nest, SmokeFeed feed, __global const uchar *mask, int3 low, int3 count,
                            LEVEL_PARAMS(fine), LEVEL_PARAMS(coarse)) {
    const int n = get_global_id(0), i = low.x + n % count.x, k = low.z + n / count.x % count.z,
              j = low.y + n / (count.x * count.z);
    if (j >= low.y + count.y || !is_air(&coarseLevel, coarseRows, coarseInverse, i, j, k)) return;
    const int at[3] = {i, j, k};
    int first[3], end[3];
    for (int a = 0; a < 3; a++) {
        first[a] = max(smoke_first_fine(&nest, a, at[a]), feed.first[a]);
        end[a] = min(smoke_first_fine(&nest, a, at[a] + 1), feed.end[a]);
    }
    float sum = 0;
    for (int y = first[1]; y < end[1]; y++)
        for (int z = first[2]; z < end[2]; z++)
            for (int x = first[0]; x < end[0]; x++)
                if (is_air(&fineLevel, fineRows, fineInverse, x, y, z))
                    sum += feed.target * smoke_strength(&feed, mask, x, y, z);
    coarseValues[b_index(&coarseLevel, i, j, k)] += smoke_coarse_scale(&nest) * sum;
}

__kernel void nested_add_b(SmokeNest nest, float sign, LEVEL_PARAMS(fine), LEVEL_PARAMS(coarse)) {
    const Span span = get_span(get_global_id(0), nest.fine[0]);
    const int k = span.row % nest.fine[2], j = span.row / nest.fine[2];
    if (j >= nest.fine[1]) return;
    for (int i = span.begin; i < span.end; i++) {
        if (!is_air(&fineLevel, fineRows, fineInverse, i, j, k)) continue;
        const int b = b_index(&coarseLevel, smoke_coarse_cell(&nest, 0, i), smoke_coarse_cell(&nest, 1, j),
                              smoke_coarse_cell(&nest, 2, k));
        fineValues[b_index(&fineLevel, i, j, k)] += sign / (float)nest.factor * coarseValues[b];
    }
}

// The coarse pressure beyond a side of the fine grid, of the cells of air around; `own` if there is none.
WB_INLINE float nested_pressure(const SmokeNest *nest, const PressureLevel *level,
                                __global const float *values, __global const int *rows,
                                __global const float *inverse, int i, int j, int k, float own) {
    const SmokeBetween x = smoke_between(nest, 0, 0, i), y = smoke_between(nest, 1, 0, j),
                       z = smoke_between(nest, 2, 0, k);
    float sum = 0, weights = 0;
    for (int n = 0; n < 8; n++) {
        const int a = n & 1 ? x.high : x.low, b = n & 2 ? y.high : y.low, c = n & 4 ? z.high : z.low;
        const float weight = (n & 1 ? x.share : 1 - x.share) * (n & 2 ? y.share : 1 - y.share) *
                             (n & 4 ? z.share : 1 - z.share);
        if (!is_air(level, rows, inverse, a, b, c)) continue;
        sum += weight * values[p_index(level, a, b, c)], weights += weight;
    }
    return weights > 0 ? (float)nest->factor * sum / weights : own;
}

// It drives the velocity across the rim, and so it is in the fine grid's b.
__kernel void nested_push_rim(SmokeNest nest, SmokeShape fine, int side, LEVEL_PARAMS(fine),
                              LEVEL_PARAMS(coarse), __global float *velocity) {
    const int axis = side / 2, isHigh = side & 1, across = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
    const int n = get_global_id(0);
    int at[3], beyond[3];
    at[axis] = isHigh ? nest.fine[axis] - 1 : 0;
    at[across] = n % nest.fine[across], at[up] = n / nest.fine[across];
    if (at[up] >= nest.fine[up]) return;
    if (!is_air(&fineLevel, fineRows, fineInverse, at[0], at[1], at[2])) return;
    for (int a = 0; a < 3; a++) beyond[a] = at[a] + (a == axis ? (isHigh ? 1 : -1) : 0);
    const float own = fineValues[p_index(&fineLevel, at[0], at[1], at[2])];
    const float pressure = nested_pressure(&nest, &coarseLevel, coarseValues, coarseRows, coarseInverse,
                                           beyond[0], beyond[1], beyond[2], own);
    fineValues[b_index(&fineLevel, at[0], at[1], at[2])] += pressure;
    at[axis] += isHigh;
    velocity[value_index(&fine, axis, at[0], at[1], at[2])] += isHigh ? -pressure : pressure;
}
