// SPDX-License-Identifier: MIT
// Rows of the pressure's multigrid over the wide type.
#include "core/real.h"
#include "smoke/pressure_code.h"
#include "smoke/pressure_formula.h"

// A row of one colour: the cells i = 2 t + odd, t = 0, 1, …
typedef struct Row {
    const float *inverse, *diagonal;
    const float *other; // colour, at the same places
    const float *b;
    float *p;
    int beside; // where the sixth neighbour stands
    int row, plane;
    bool weighted;
    int place; // of the weights
} Row;

// False if the row has no air.
WB_INLINE bool get_row(const wbPressureLevel *level, int colour, int j, int k, Row *row) {
    int r = k + level->nz * j, diagonal = level->diagonals[2 * r + colour];
    if (diagonal < 0) return false;
    int place = level->row * (k + 1) + level->plane * (j + 1);
    row->inverse = level->inverse + diagonal;
    row->diagonal = level->diagonal + diagonal;
    row->other = level->p[1 - colour] + place;
    row->b = level->b[colour] + place;
    row->p = level->p[colour] + place;
    row->beside = (j + k + colour) & 1 ? 1 : -1;
    row->row = level->row, row->plane = level->plane;
    row->weighted = level->weighted[r];
    row->place = colour * level->total + place;
    return true;
}

// Sum over the six neighbours, by the weights of the faces in rows that need them, and b.
WB_INLINE REAL sum_neighbours(const wbPressureLevel *level, const Row *row, int t, const bool weighted) {
    const float *o = row->other + t;
    REAL b = real_load(row->b + t);
    if (!weighted)
        return (((real_load(o) + real_load(o + row->beside)) +
                 (real_load(o - row->row) + real_load(o + row->row))) +
                (real_load(o - row->plane) + real_load(o + row->plane))) +
               b;
    int w = row->place + t;
    REAL sum = real_madd(real_load(level->weights[0] + w), real_load(o), b);
    sum = real_madd(real_load(level->weights[1] + w), real_load(o + row->beside), sum);
    sum = real_madd(real_load(level->weights[2] + w), real_load(o - row->row), sum);
    sum = real_madd(real_load(level->weights[3] + w), real_load(o + row->row), sum);
    sum = real_madd(real_load(level->weights[4] + w), real_load(o - row->plane), sum);
    return real_madd(real_load(level->weights[5] + w), real_load(o + row->plane), sum);
}

WB_INLINE void smooth_row(const wbPressureLevel *level, const Row *row, float *target, const bool weighted) {
    for (int t = 0; t < level->length; t += WB_LANES)
        real_store(target + t, sum_neighbours(level, row, t, weighted) * real_load(row->inverse + t));
}

static void smooth(const wbPressureLevel *level, int colour, int j, bool nearOnly) {
    Row row;
    for (int k = 0; k < level->nz; k++) {
        if (nearOnly && !level->near[k + level->nz * j]) continue;
        if (!get_row(level, colour, j, k, &row)) continue;
        if (row.weighted)
            smooth_row(level, &row, row.p, true);
        else
            smooth_row(level, &row, row.p, false);
    }
}

static void start(const wbPressureLevel *level, int colour, int j) {
    Row row;
    for (int k = 0; k < level->nz; k++) {
        if (!get_row(level, colour, j, k, &row)) continue;
        for (int t = 0; t < level->length; t += WB_LANES)
            real_store(row.p + t, real_load(row.b + t) * real_load(row.inverse + t));
    }
}

// These two are for the finest level, whose faces all have the weight 1.
static void relax(const wbPressureLevel *level, int colour, int j, float relaxation) {
    Row row;
    for (int k = 0; k < level->nz; k++) {
        if (!get_row(level, colour, j, k, &row)) continue;
        for (int t = 0; t < level->length; t += WB_LANES) {
            REAL p = real_load(row.p + t),
                 best = sum_neighbours(level, &row, t, false) * real_load(row.inverse + t);
            real_store(row.p + t, real_madd(best - p, real_set(relaxation), p));
        }
    }
}

static void jacobi(const wbPressureLevel *level, float *const target[2], int j) {
    Row row;
    for (int k = 0; k < level->nz; k++) {
        for (int colour = 0; colour < 2; colour++) {
            if (get_row(level, colour, j, k, &row))
                smooth_row(level, &row, target[colour] + (row.p - level->p[colour]), false);
        }
    }
}

// What is left of b; places without air have a diagonal of 0.
WB_INLINE REAL residual_at(const wbPressureLevel *level, const Row *row, int t, const bool weighted) {
    REAL best = sum_neighbours(level, row, t, weighted) * real_load(row->inverse + t);
    return (best - real_load(row->p + t)) * real_load(row->diagonal + t);
}

static double residual(const wbPressureLevel *level, int colour, int j) {
    Row row;
    double total = 0;
    for (int k = 0; k < level->nz; k++) {
        REAL squares = real_set(0);
        if (!get_row(level, colour, j, k, &row)) continue;
        for (int t = 0; t < level->length; t += WB_LANES) {
            REAL left = residual_at(level, &row, t, false);
            squares = real_madd(left, left, squares);
        }
        total += real_sum(squares);
    }
    return total;
}

// The same row of another p.
WB_INLINE Row row_of(const wbPressureLevel *level, const Row *row, int colour, float *const p[2]) {
    Row other = *row;
    other.p = p[colour] + (row->p - level->p[colour]);
    other.other = p[1 - colour] + (row->other - level->p[1 - colour]);
    return other;
}

static void compare(const wbPressureLevel *level, float *const kept[2][2], int j,
                    double sums[PRESSURE_SUMS]) {
    Row row;
    for (int colour = 0; colour < 2; colour++) {
        for (int k = 0; k < level->nz; k++) {
            if (!get_row(level, colour, j, k, &row)) continue;
            Row before = row_of(level, &row, colour, kept[0]), last = row_of(level, &row, colour, kept[1]);
            REAL total[PRESSURE_SUMS];
            for (int n = 0; n < PRESSURE_SUMS; n++) total[n] = real_set(0);
            for (int t = 0; t < level->length; t += WB_LANES) {
                REAL r = residual_at(level, &before, t, false), p1 = real_load(before.p + t);
                REAL s1 = real_load(row.p + t) - p1, s0 = p1 - real_load(last.p + t);
                REAL c1 = r - residual_at(level, &row, t, false);
                REAL c0 = residual_at(level, &last, t, false) - r;
                total[0] = real_madd(s1, r, total[0]);
                total[1] = real_madd(s0, r, total[1]);
                total[2] = real_madd(s1, c1, total[2]);
                total[3] = real_madd(s1, c0, total[3]);
                total[4] = real_madd(s0, c0, total[4]);
            }
            for (int n = 0; n < PRESSURE_SUMS; n++) sums[n] += real_sum(total[n]);
        }
    }
}

static void mix(const wbPressureLevel *level, float *const kept[2][2], int j, const float shares[2]) {
    for (int colour = 0; colour < 2; colour++) {
        for (int k = 0; k < level->nz; k++) {
            int place = level->row * (k + 1) + level->plane * (j + 1);
            float *p = level->p[colour] + place;
            const float *before = kept[0][colour] + place, *last = kept[1][colour] + place;
            for (int t = 0; t < level->length; t += WB_LANES) {
                REAL p1 = real_load(before + t);
                REAL along = real_madd(real_load(p + t) - p1, real_set(shares[0]), p1);
                real_store(p + t, real_madd(p1 - real_load(last + t), real_set(shares[1]), along));
            }
        }
    }
}

WB_INLINE REAL sum_residuals(const wbPressureLevel *level, const Row *rows, int count, int t) {
    REAL sum = real_set(0);
    for (int r = 0; r < count; r++)
        sum +=
            rows[r].weighted ? residual_at(level, &rows[r], t, true) : residual_at(level, &rows[r], t, false);
    return sum;
}

// Place t of a red row is the coarse i. The coarse b is four times the mean of b, since h2 is in it.
static void restrict_red(const wbPressureLevel *fine, const wbPressureLevel *coarse, int coarseJ) {
    const float scale = fine->cellsZ == 2 ? 0.5f : 1.0f;
    for (int coarseK = 0; coarseK < coarse->nz; coarseK++) {
        Row rows[4];
        int count = 0;
        for (int a = 0; a < 2; a++) {
            int j = 2 * coarseJ - fine->shiftY + a;
            if (j < 0 || j >= fine->ny) continue;
            for (int c = 0; c < fine->cellsZ; c++) {
                int k = fine->cellsZ * coarseK - fine->shiftZ + c;
                if (k >= 0 && k < fine->nz) count += get_row(fine, 0, j, k, &rows[count]);
            }
        }
        int place = coarse->row * (coarseK + 1) + coarse->plane * (coarseJ + 1),
            even = (coarseJ + coarseK) & 1;
        float *evenB = coarse->b[even] + place, *oddB = coarse->b[1 - even] + place;
        for (int t = 0; t < coarse->length; t += WB_LANES) {
            REAL low = sum_residuals(fine, rows, count, 2 * t), high = real_set(0), evens, odds;
            if (2 * t + WB_LANES < fine->length) high = sum_residuals(fine, rows, count, 2 * t + WB_LANES);
            lane_split(low * scale, high * scale, &evens, &odds);
            real_store(evenB + t, evens);
            real_store(oddB + t, odds);
        }
    }
}

// The coarse values on one line of x, by the shares of four coarse rows.
WB_INLINE void mix_rows(const wbPressureLevel *coarse, PressurePair y, PressurePair z, float *line) {
    const float *even[4], *odd[4];
    REAL share[4];
    for (int r = 0; r < 4; r++) {
        int j = r & 2 ? y.far : y.near, k = r & 1 ? z.far : z.near;
        int place = coarse->row * (k + 1) + coarse->plane * (j + 1), colour = (j + k) & 1;
        even[r] = coarse->p[colour] + place, odd[r] = coarse->p[1 - colour] + place;
        share[r] = real_set((r & 2 ? y.farShare : y.nearShare) * (r & 1 ? z.farShare : z.nearShare));
    }
    for (int t = 0; t < coarse->length; t += WB_LANES) {
        REAL evens = share[0] * real_load(even[0] + t), odds = share[0] * real_load(odd[0] + t), a, b;
        for (int r = 1; r < 4; r++) {
            evens = real_madd(share[r], real_load(even[r] + t), evens);
            odds = real_madd(share[r], real_load(odd[r] + t), odds);
        }
        lane_join(evens, odds, &a, &b);
        real_store(line + 2 * t, a);
        real_store(line + 2 * t + WB_LANES, b);
    }
    line[-1] = line[0] * coarse->beyond[0];
    line[coarse->nx] = line[coarse->nx - 1] * coarse->beyond[1];
}

static void prolong(const wbPressureLevel *fine, const wbPressureLevel *coarse, int j, float *line) {
    PressurePair y = pressure_pair(j, fine->shiftY, coarse->ny, coarse->beyond[2], coarse->beyond[3]);
    y.nearShare *= fine->gain, y.farShare *= fine->gain;
    line += 16;
    for (int k = 0; k < fine->nz; k++) {
        Row row;
        if (!get_row(fine, 1, j, k, &row)) continue;
        PressurePair z = fine->cellsZ == 1 ? (PressurePair){k, k, 1, 0}
                                           : pressure_pair(k, fine->shiftZ, coarse->nz, coarse->beyond[4],
                                                           coarse->beyond[5]);
        mix_rows(coarse, y, z, line);
        for (int t = 0; t < fine->length; t += WB_LANES) {
            REAL change =
                real_madd(real_load(line + t + row.beside), real_set(0.25f), real_load(line + t) * 0.75f);
            REAL p = real_load(row.p + t);
            MASK air = real_less(real_set(0), real_load(row.inverse + t));
            real_store(row.p + t, real_select(air, p + change, p));
        }
    }
}

const wbPressureCode WB_WIDE(wb_pressureCode) = {smooth,  start, relax,        jacobi, residual,
                                                 compare, mix,   restrict_red, prolong};
