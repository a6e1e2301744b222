// SPDX-License-Identifier: MIT
// The projection on a device: see pressure.h for the colours, pressure.c for the cycle. Rows of all levels stand in the
// same buffers; a level says where its own start.

typedef struct Fields {
    __global float *values;
    __global const float *inverse, *diagonal;
    __global const int *rows;
    __global const uchar *flags;
    __global const float *weights;
} Fields;

#define FIELD_PARAMS                                                                                         \
    __global float *values, __global const float *inverse, __global const float *diagonal,                   \
        __global const int *rows, __global const uchar *flags, __global const float *weights
#define GIVEN_FIELDS                                                                                         \
    { values, inverse, diagonal, rows, flags, weights }

// A row of one colour: the cells i = 2 t + odd, t = 0, 1, …
typedef struct Row {
    int diagonal, p, other, b; // where they start
    int beside;                // where the sixth neighbour stands
    int weights;               // where they start; -1: all are 1
} Row;

WB_INLINE int row_place(const PressureLevel *level, int j, int k) {
    return level->row * (k + 1) + level->plane * (j + 1);
}

// False if the row has no air.
WB_INLINE bool get_row(const Fields *fields, const PressureLevel *level, int colour, int r, Row *row) {
    const int j = r / level->nz, k = r % level->nz, place = row_place(level, j, k);
    row->diagonal = fields->rows[level->diagonals + 2 * r + colour];
    row->p = level->p[colour] + place;
    row->other = level->p[1 - colour] + place;
    row->b = level->b[colour] + place;
    row->beside = (j + k + colour) & 1 ? 1 : -1;
    row->weights = fields->flags[level->flags + r] & PRESSURE_WEIGHTED ? level->weights[colour] + place : -1;
    return row->diagonal >= 0;
}

// Sum over the six neighbours, by the weights of the faces in rows that need them, and b. `p`: values, or a copy.
WB_INLINE REAL sum_neighbours(const Fields *fields, const PressureLevel *level, const Row *row,
                              __global const float *p, int t) {
    __global const float *o = p + row->other + t;
    const REAL b = real_load(fields->values + row->b + t);
    const int y = level->plane, z = level->row;
    if (row->weights < 0)
        return (((real_load(o) + real_load(o + row->beside)) + (real_load(o - z) + real_load(o + z))) +
                (real_load(o - y) + real_load(o + y))) +
               b;
    __global const float *w = fields->weights + row->weights + t;
    const int next = level->weightStride;
    REAL sum = real_madd(real_load(w), real_load(o), b);
    sum = real_madd(real_load(w + next), real_load(o + row->beside), sum);
    sum = real_madd(real_load(w + 2 * next), real_load(o - z), sum);
    sum = real_madd(real_load(w + 3 * next), real_load(o + z), sum);
    sum = real_madd(real_load(w + 4 * next), real_load(o - y), sum);
    return real_madd(real_load(w + 5 * next), real_load(o + y), sum);
}

WB_INLINE REAL best_value(const Fields *fields, const PressureLevel *level, const Row *row,
                          __global const float *p, int t) {
    return sum_neighbours(fields, level, row, p, t) * real_load(fields->inverse + row->diagonal + t);
}

// What is left of b; places without air have a diagonal of 0.
WB_INLINE REAL residual_at(const Fields *fields, const PressureLevel *level, const Row *row,
                           __global const float *p, int t) {
    return (best_value(fields, level, row, p, t) - real_load(p + row->p + t)) *
           real_load(fields->diagonal + row->diagonal + t);
}

// Work-items of a level's rows, if each has `count` values.
WB_INLINE int level_items(const PressureLevel *level, int count) {
#if WB_LANES == 1
    return level->ny * level->nz * count;
#else
    return level->ny * level->nz;
#endif
}

// The stages of a cycle, for one item

WB_INLINE void smooth_item(const Fields *fields, const PressureLevel *level, int item, int colour, int mode) {
    const Span span = get_span(item, level->places);
    Row row;
    if (mode == PRESSURE_SMOOTH_NEAR && !(fields->flags[level->flags + span.row] & PRESSURE_NEAR)) return;
    if (!get_row(fields, level, colour, span.row, &row)) return;
    if (mode == PRESSURE_START)
        for (int t = span.begin; t < span.end; t += WB_LANES)
            real_store(fields->values + row.p + t,
                       real_load(fields->values + row.b + t) * real_load(fields->inverse + row.diagonal + t));
    else
        for (int t = span.begin; t < span.end; t += WB_LANES)
            real_store(fields->values + row.p + t, best_value(fields, level, &row, fields->values, t));
}

WB_INLINE REAL sum_residuals(const Fields *fields, const PressureLevel *level, const Row *rows, int count,
                             int t) {
    REAL sum = real_set(0);
    for (int r = 0; r < count; r++) sum += residual_at(fields, level, &rows[r], fields->values, t);
    return sum;
}

// b of a coarse row from the red residual of the finer level: black has none after it was smoothed. Place t of a red
// row is the coarse i. The coarse b is four times the mean of b, since h2 is in it.
WB_INLINE void restrict_item(const Fields *fields, const PressureLevel *fine, const PressureLevel *coarse,
                             int item) {
    const Span span = get_span(item, coarse->places);
    const int coarseJ = span.row / coarse->nz, coarseK = span.row % coarse->nz;
    const float scale = fine->cellsZ == 2 ? 0.5f : 1.0f;
    Row rows[4];
    int count = 0;
    for (int a = 0; a < 2; a++) {
        const int j = 2 * coarseJ - fine->shiftY + a;
        if (j < 0 || j >= fine->ny) continue;
        for (int c = 0; c < fine->cellsZ; c++) {
            const int k = fine->cellsZ * coarseK - fine->shiftZ + c;
            if (k >= 0 && k < fine->nz) count += get_row(fields, fine, 0, k + fine->nz * j, &rows[count]);
        }
    }
    const int place = row_place(coarse, coarseJ, coarseK), even = (coarseJ + coarseK) & 1;
    for (int t = span.begin; t < span.end; t += WB_LANES) {
        REAL low = sum_residuals(fields, fine, rows, count, 2 * t), high = real_set(0), evens, odds;
        if (2 * t + WB_LANES < fine->length)
            high = sum_residuals(fields, fine, rows, count, 2 * t + WB_LANES);
        lane_split(low * scale, high * scale, &evens, &odds);
        real_store(fields->values + coarse->b[even] + place + t, evens);
        real_store(fields->values + coarse->b[1 - even] + place + t, odds);
    }
}

WB_INLINE REAL mix_rows(__global const float *values, const int *starts, const float *shares, int s) {
    REAL sum = shares[0] * real_load(values + starts[0] + s);
    for (int r = 1; r < 4; r++) sum = real_madd(real_set(shares[r]), real_load(values + starts[r] + s), sum);
    return sum;
}

// Three quarters of the coarse value and a quarter of the next; beyond the ends a share of the last.
WB_INLINE void prolong_lanes(const Fields *fields, const PressureLevel *coarse, const Row *row, int t,
                             REAL near, REAL far) {
    const MASK i = lane_index() + t;
    if (row->beside < 0) {
        far = real_select(i == 0, near * coarse->beyond[0], far);
        near = real_select(i == coarse->nx, far * coarse->beyond[1], near);
    } else {
        far = real_select(i == coarse->nx - 1, near * coarse->beyond[1], far);
    }
    const REAL change = real_madd(far, real_set(0.25f), near * 0.75f);
    const REAL p = real_load(fields->values + row->p + t);
    const MASK air = real_less(real_set(0), real_load(fields->inverse + row->diagonal + t));
    real_store(fields->values + row->p + t, real_select(air, p + change, p));
}

// Adds the coarse p, interpolated, to the black one. Coarse cells are split by colour: their even and odd ones are
// mixed apart and joined, once in their order and once from the next one on, or from the one before.
WB_INLINE void prolong_item(const Fields *fields, const PressureLevel *fine, const PressureLevel *coarse,
                            int item) {
    const Span span = get_span(item, (fine->places + 1) / 2);
    Row row;
    if (!get_row(fields, fine, 1, span.row, &row)) return;
    const int fineJ = span.row / fine->nz, fineK = span.row % fine->nz;
    PressurePair y = pressure_pair(fineJ, fine->shiftY, coarse->ny, coarse->beyond[2], coarse->beyond[3]);
    y.nearShare *= fine->gain, y.farShare *= fine->gain;
    PressurePair z = {fineK, fineK, 1, 0};
    if (fine->cellsZ == 2)
        z = pressure_pair(fineK, fine->shiftZ, coarse->nz, coarse->beyond[4], coarse->beyond[5]);
    int evens[4], odds[4];
    float shares[4];
    for (int r = 0; r < 4; r++) {
        const int j = r & 2 ? y.far : y.near, k = r & 1 ? z.far : z.near;
        const int place = row_place(coarse, j, k), colour = (j + k) & 1;
        evens[r] = coarse->p[colour] + place, odds[r] = coarse->p[1 - colour] + place;
        shares[r] = (r & 2 ? y.farShare : y.nearShare) * (r & 1 ? z.farShare : z.nearShare);
    }
    for (int s = span.begin; s < span.end; s += WB_LANES) {
        const REAL even = mix_rows(fields->values, evens, shares, s),
                   odd = mix_rows(fields->values, odds, shares, s);
        REAL near[2], far[2];
        lane_join(even, odd, &near[0], &near[1]);
        if (row.beside < 0)
            lane_join(mix_rows(fields->values, odds, shares, s - 1), even, &far[0], &far[1]);
        else
            lane_join(odd, mix_rows(fields->values, evens, shares, s + 1), &far[0], &far[1]);
        prolong_lanes(fields, coarse, &row, 2 * s, near[0], far[0]);
        if (2 * s + WB_LANES < fine->length)
            prolong_lanes(fields, coarse, &row, 2 * s + WB_LANES, near[1], far[1]);
    }
}

// Values inside solids for the interpolation, and away again.
WB_INLINE void ghost_item(__global float *values, __global const PressureGhost *ghosts,
                          __global const int *sources, int n, int fills) {
    const PressureGhost ghost = ghosts[n];
    float sum = 0;
    for (int s = 0; s < ghost.count && fills; s++) sum += values[sources[ghost.first + s]];
    values[ghost.place] = sum / (float)ghost.count;
}

// The stages as kernels

__kernel void pressure_smooth(FIELD_PARAMS, PressureLevel level, int colour, int mode) {
    const Fields fields = GIVEN_FIELDS;
    const int item = get_global_id(0);
    if (item < level_items(&level, level.places)) smooth_item(&fields, &level, item, colour, mode);
}

__kernel void pressure_restrict(FIELD_PARAMS, PressureLevel fine, PressureLevel coarse) {
    const Fields fields = GIVEN_FIELDS;
    const int item = get_global_id(0);
    if (item < level_items(&coarse, coarse.places)) restrict_item(&fields, &fine, &coarse, item);
}

__kernel void pressure_prolong(FIELD_PARAMS, PressureLevel fine, PressureLevel coarse) {
    const Fields fields = GIVEN_FIELDS;
    const int item = get_global_id(0);
    if (item < level_items(&fine, (fine.places + 1) / 2)) prolong_item(&fields, &fine, &coarse, item);
}

__kernel void pressure_ghosts(int first, int count, int fills, __global const PressureGhost *ghosts,
                              __global const int *sources, __global float *values) {
    const int n = get_global_id(0);
    if (n < count) ghost_item(values, ghosts, sources, first + n, fills);
}

// Without an open side, by one item: see pressure.c.
WB_INLINE void balance_bottom(const Fields *fields, const PressureLevel *level) {
    float sum = 0;
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < level->nx * level->ny * level->nz; n++) {
            const int i = n % level->nx, r = n / level->nx, t = i >> 1;
            Row row;
            const int colour = (i + r / level->nz + r % level->nz) & 1;
            if (!get_row(fields, level, colour, r, &row) || fields->inverse[row.diagonal + t] == 0) continue;
            if (pass == 0)
                sum += fields->values[row.b + t], count++;
            else
                fields->values[row.b + t] -= sum / (float)count;
        }
    }
}

// A stage of the tail: all items of a level, then all wait.
#define TAIL_STAGE(items, call)                                                                              \
    for (int item = get_local_id(0); item < (items); item += PRESSURE_TAIL_GROUP) call;                      \
    barrier(CLK_GLOBAL_MEM_FENCE)

// The levels from `first` on, which have too few cells for a launch each, by one group.
__kernel __attribute__((reqd_work_group_size(PRESSURE_TAIL_GROUP, 1, 1))) void
pressure_tail(FIELD_PARAMS, __global const PressureLevel *levels, int first, int last, int isClosed,
              int isSlow, __global const PressureGhost *ghosts, __global const int *sources) {
    const Fields fields = GIVEN_FIELDS;
    for (int l = first; l < last; l++) {
        const PressureLevel level = levels[l], coarse = levels[l + 1];
        const int all = level_items(&level, level.places);
        TAIL_STAGE(all, smooth_item(&fields, &level, item, 0, PRESSURE_START));
        TAIL_STAGE(all, smooth_item(&fields, &level, item, 1, PRESSURE_SMOOTH));
        TAIL_STAGE(level_items(&coarse, coarse.places), restrict_item(&fields, &level, &coarse, item));
    }
    const PressureLevel bottom = levels[last];
    TAIL_STAGE(isClosed, balance_bottom(&fields, &bottom));
    for (int n = 0; n < 2 * PRESSURE_BOTTOM_SWEEPS + 2; n++) {
        TAIL_STAGE(level_items(&bottom, bottom.places),
                   smooth_item(&fields, &bottom, item, n & 1, n == 0 ? PRESSURE_START : PRESSURE_SMOOTH));
    }
    for (int l = last - 1; l >= first; l--) {
        const PressureLevel level = levels[l], coarse = levels[l + 1];
        const int all = level_items(&level, level.places), whole = pressure_sweeps_up(l, false),
                  sweeps = isSlow ? whole + PRESSURE_NEAR_SWEEPS : whole;
        TAIL_STAGE(coarse.ghostCount, ghost_item(values, ghosts, sources, coarse.ghosts + item, 1));
        TAIL_STAGE(level_items(&level, (level.places + 1) / 2), prolong_item(&fields, &level, &coarse, item));
        for (int n = 0; n < 2 * sweeps; n++) {
            TAIL_STAGE(all, smooth_item(&fields, &level, item, n & 1,
                                        n < 2 * whole ? PRESSURE_SMOOTH : PRESSURE_SMOOTH_NEAR));
        }
        TAIL_STAGE(coarse.ghostCount, ghost_item(values, ghosts, sources, coarse.ghosts + item, 0));
    }
}

// Sweeps over the finest level alone

__kernel void pressure_relax(FIELD_PARAMS, PressureLevel level, int colour, float relaxation) {
    const Fields fields = GIVEN_FIELDS;
    const Span span = get_span(get_global_id(0), level.places);
    Row row;
    if (span.row >= level.ny * level.nz || !get_row(&fields, &level, colour, span.row, &row)) return;
    for (int t = span.begin; t < span.end; t += WB_LANES) {
        const REAL p = real_load(values + row.p + t), best = best_value(&fields, &level, &row, values, t);
        real_store(values + row.p + t, real_madd(best - p, real_set(relaxation), p));
    }
}

// Both colours from one copy of p into another.
__kernel void pressure_jacobi(FIELD_PARAMS, PressureLevel level, __global const float *from,
                              __global float *to) {
    const Fields fields = GIVEN_FIELDS;
    const Span span = get_span(get_global_id(0), level.places);
    if (span.row >= level.ny * level.nz) return;
    for (int colour = 0; colour < 2; colour++) {
        Row row;
        if (!get_row(&fields, &level, colour, span.row, &row)) continue;
        for (int t = span.begin; t < span.end; t += WB_LANES)
            real_store(to + row.p + t, best_value(&fields, &level, &row, from, t));
    }
}

// Sums of squares: of what is left in the first `colours`, or of b.
SUM_KERNEL void pressure_measure(FIELD_PARAMS, PressureLevel level, int colours, int ofB,
                                 __global float *sums) {
    __local float shared[SMOKE_SUM_GROUP];
    const Fields fields = GIVEN_FIELDS;
    REAL total = real_set(0);
    for (int item = get_global_id(0); item < level_items(&level, level.places); item += get_global_size(0)) {
        const Span span = get_span(item, level.places);
        for (int colour = 0; colour < colours; colour++) {
            Row row;
            if (!get_row(&fields, &level, colour, span.row, &row)) continue;
            for (int t = span.begin; t < span.end; t += WB_LANES) {
                const REAL left =
                    ofB ? real_load(values + row.b + t) : residual_at(&fields, &level, &row, values, t);
                total = real_madd(left, left, total);
            }
        }
    }
    sum_group(real_sum(total), shared, sums);
}

// Slow solutions: see pressure_formula.h. `before`: p before the cycle, `last`: that before the last one.

// One of the sums.
SUM_KERNEL void pressure_compare(FIELD_PARAMS, PressureLevel level, __global const float *before,
                                 __global const float *last, int which, __global float *sums) {
    __local float shared[SMOKE_SUM_GROUP];
    const Fields fields = GIVEN_FIELDS;
    REAL total = real_set(0);
    for (int item = get_global_id(0); item < level_items(&level, level.places); item += get_global_size(0)) {
        const Span span = get_span(item, level.places);
        for (int colour = 0; colour < 2; colour++) {
            Row row;
            if (!get_row(&fields, &level, colour, span.row, &row)) continue;
            for (int t = span.begin; t < span.end; t += WB_LANES) {
                const REAL r = residual_at(&fields, &level, &row, before, t),
                           p1 = real_load(before + row.p + t);
                const REAL s1 = real_load(values + row.p + t) - p1, s0 = p1 - real_load(last + row.p + t);
                REAL change = r;
                if (which == 2) change = r - residual_at(&fields, &level, &row, values, t);
                if (which > 2) change = residual_at(&fields, &level, &row, last, t) - r;
                total = real_madd(which == 1 || which == 4 ? s0 : s1, change, total);
            }
        }
    }
    sum_group(real_sum(total), shared, sums);
}

__kernel void pressure_mix(FIELD_PARAMS, PressureLevel level, __global const float *before,
                           __global const float *last, float share, float lastShare) {
    const Fields fields = GIVEN_FIELDS;
    const Span span = get_span(get_global_id(0), level.places);
    if (span.row >= level.ny * level.nz) return;
    for (int colour = 0; colour < 2; colour++) {
        Row row;
        if (!get_row(&fields, &level, colour, span.row, &row)) continue;
        for (int t = span.begin; t < span.end; t += WB_LANES) {
            const REAL p1 = real_load(before + row.p + t);
            const REAL along = real_madd(real_load(values + row.p + t) - p1, real_set(share), p1);
            real_store(values + row.p + t,
                       real_madd(p1 - real_load(last + row.p + t), real_set(lastShare), along));
        }
    }
}

// Weights that changed; a group has a patch.
__kernel __attribute__((reqd_work_group_size(PRESSURE_PATCH_GROUP, 1, 1))) void
pressure_patch(__global const PressurePatch *patches, __global const float *from, __global float *weights) {
    const PressurePatch patch = patches[get_group_id(0)];
    for (int w = 0; w < 6; w++)
        for (int t = get_local_id(0); t < patch.length; t += PRESSURE_PATCH_GROUP)
            weights[patch.to + w * patch.stride + t] = from[patch.from + w * patch.length + t];
}

// After solids changed: no pressure where there is no air any more.
__kernel void pressure_mask(FIELD_PARAMS, PressureLevel level) {
    const Fields fields = GIVEN_FIELDS;
    const Span span = get_span(get_global_id(0), level.places);
    if (span.row >= level.ny * level.nz) return;
    for (int colour = 0; colour < 2; colour++) {
        Row row;
        const bool hasAir = get_row(&fields, &level, colour, span.row, &row);
        for (int t = span.begin; t < span.end; t += WB_LANES) {
            MASK air = real_less(real_set(1), real_set(0));
            if (hasAir) air = real_less(real_set(0), real_load(inverse + row.diagonal + t));
            real_store(values + row.p + t, real_select(air, real_load(values + row.p + t), real_set(0)));
        }
    }
}

// Between velocities and pressure

WB_INLINE REAL inflow(const SmokeShape *shape, __global const float *velocity, size_t c) {
    const int y = shape->plane, z = shape->row;
    __global const float *u = velocity + c, *v = u + shape->stride, *w = v + shape->stride;
    return (real_load(u) - real_load(u + 1)) +
           ((real_load(v) - real_load(v + y)) + (real_load(w) - real_load(w + z)));
}

// 0 where there is no air.
WB_INLINE void store_b(const Fields *fields, const PressureLevel *level, int colour, int r, int t, REAL b) {
    Row row;
    MASK air = real_less(real_set(1), real_set(0));
    if (get_row(fields, level, colour, r, &row))
        air = real_less(real_set(0), real_load(fields->inverse + row.diagonal + t));
    real_store(fields->values + row.b + t, real_select(air, b, real_set(0)));
}

__kernel void pressure_divergence(FIELD_PARAMS, PressureLevel level, SmokeShape shape,
                                  __global const float *velocity) {
    const Fields fields = GIVEN_FIELDS;
    const Span span = get_span(get_global_id(0), level.places);
    const int j = span.row / level.nz, k = span.row % level.nz, even = (j + k) & 1;
    if (j >= level.ny) return;
    for (int t = span.begin; t < span.end; t += WB_LANES) {
        const size_t c = value_index(&shape, 0, 2 * t, j, k);
        REAL evens, odds, high = real_set(0);
        if (2 * t + WB_LANES < shape.row) high = inflow(&shape, velocity, c + WB_LANES);
        lane_split(inflow(&shape, velocity, c), high, &evens, &odds);
        store_b(&fields, &level, even, span.row, t, evens);
        store_b(&fields, &level, 1 - even, span.row, t, odds);
    }
}

WB_INLINE int b_index(const PressureLevel *level, int i, int j, int k) {
    return level->b[(i + j + k) & 1] + (i >> 1) + row_place(level, j, k);
}
WB_INLINE int p_index(const PressureLevel *level, int i, int j, int k) {
    return level->p[(i + j + k) & 1] + (i >> 1) + row_place(level, j, k);
}

// Adds what a source makes to b.
__kernel void pressure_expand(FIELD_PARAMS, PressureLevel level, SmokeFeed feed, __global const uchar *mask) {
    const int deep = feed.end[2] - feed.first[2];
    const Span span = get_span(get_global_id(0), feed.end[0] - feed.first[0]);
    const int k = feed.first[2] + span.row % deep, j = feed.first[1] + span.row / deep;
    if (j >= feed.end[1]) return;
    for (int i = feed.first[0] + span.begin; i < feed.first[0] + span.end; i++) {
        const int row = rows[level.diagonals + 2 * (k + level.nz * j) + ((i + j + k) & 1)];
        if (row < 0 || inverse[row + (i >> 1)] == 0) continue;
        values[b_index(&level, i, j, k)] += feed.target * smoke_strength(&feed, mask, i, j, k);
    }
}

// Air that cannot leave: sums of b or of p over runs, then over the runs of each part, and their mean is taken away.

__kernel void pressure_sum_runs(FIELD_PARAMS, PressureLevel level, int ofB, int count,
                                __global const PressureRun *runs, __global float *sums) {
    const int n = get_global_id(0);
    if (n >= count) return;
    const PressureRun run = runs[n];
    const int j = run.row / level.nz, k = run.row % level.nz;
    float sum = 0;
    for (int i = run.first; i < run.end; i++)
        sum += values[ofB ? b_index(&level, i, j, k) : p_index(&level, i, j, k)];
    sums[n] = sum;
}

// `starts`: the first run of each part; `cells`: how many it has.
SUM_KERNEL void pressure_sum_parts(__global const int *starts, __global const int *cells,
                                   __global const float *runSums, __global float *means) {
    __local float shared[SMOKE_SUM_GROUP];
    const int part = get_group_id(0);
    float sum = 0;
    for (int n = starts[part] + get_local_id(0); n < starts[part + 1]; n += SMOKE_SUM_GROUP)
        sum += runSums[n];
    sum_group(sum / (float)cells[part], shared, means);
}

__kernel void pressure_balance(FIELD_PARAMS, PressureLevel level, int ofB, int count,
                               __global const PressureRun *runs, __global const float *means) {
    const int n = get_global_id(0);
    if (n >= count) return;
    const PressureRun run = runs[n];
    const int j = run.row / level.nz, k = run.row % level.nz;
    for (int i = run.first; i < run.end; i++)
        values[ofB ? b_index(&level, i, j, k) : p_index(&level, i, j, k)] -= means[run.part];
}

// u -= the difference of p across each face, which is in the other colour: at the same place, or one before. Starts of
// even and odd cells of the row, and of those before.
WB_INLINE void subtract_row(__global float *u, int i, int count, __global const float *values, int even,
                            int odd, int evenBefore, int oddBefore) {
    const int t = i / 2;
    const REAL evens = real_load(values + even + t) - real_load(values + evenBefore + t);
    const REAL odds = real_load(values + odd + t) - real_load(values + oddBefore + t);
    REAL a, b;
    lane_join(evens, odds, &a, &b);
    if (i < count) store_first(u + i, real_load(u + i) - a, count - i);
    if (i + WB_LANES < count)
        store_first(u + i + WB_LANES, real_load(u + i + WB_LANES) - b, count - i - WB_LANES);
}

__kernel void pressure_gradient(FIELD_PARAMS, PressureLevel level, SmokeShape shape, int axes,
                                __global float *velocity) {
    const int y = level.plane, z = level.row;
    const Span span = get_span(get_global_id(0), shape.nx / 2 + 1);
    const int k = span.row % (shape.nz + 1), j = span.row / (shape.nz + 1);
    if (j > shape.ny) return;
    const int place = row_place(&level, j, k), even = level.p[(j + k) & 1] + place,
              odd = level.p[(j + k + 1) & 1] + place;
    __global float *u = velocity + value_index(&shape, 0, 0, j, k), *v = u + shape.stride,
                   *w = v + shape.stride;
    for (int t = span.begin; t < span.end; t += WB_LANES) {
        const int i = 2 * t;
        if (k < shape.nz) subtract_row(v, i, shape.nx, values, even, odd, odd - y, even - y);
        if (k < shape.nz && j < shape.ny) subtract_row(u, i, shape.nx + 1, values, even, odd, odd - 1, even);
        if (axes == 3 && j < shape.ny) subtract_row(w, i, shape.nx, values, even, odd, odd - z, even - z);
    }
}

// The largest velocity across a face, per group; once walls are set.
SUM_KERNEL void pressure_speed(SmokeShape shape, int axes, __global const float *velocity,
                               __global float *maxima) {
    __local float shared[SMOKE_SUM_GROUP];
    REAL most = real_set(0);
    for (int item = get_global_id(0);; item += get_global_size(0)) {
        const Span span = get_span(item, shape.nx + 1);
        const int k = span.row % (shape.nz + 1), j = span.row / (shape.nz + 1);
        if (j > shape.ny) break;
        for (int i = span.begin; i < span.end; i += WB_LANES) {
            __global const float *u = velocity + value_index(&shape, 0, i, j, k), *v = u + shape.stride,
                                 *w = v + shape.stride;
            const int left = shape.nx - i;
            if (k < shape.nz && j < shape.ny)
                most = real_max(most, fabs(first_lanes(real_load(u), left + 1)));
            if (k < shape.nz && left > 0) most = real_max(most, fabs(first_lanes(real_load(v), left)));
            if (axes == 3 && j < shape.ny && left > 0)
                most = real_max(most, fabs(first_lanes(real_load(w), left)));
        }
    }
    max_group(real_largest(most), shared, maxima);
}
