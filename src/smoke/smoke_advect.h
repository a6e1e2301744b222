// SPDX-License-Identifier: MIT
// Semi-Lagrangian advection over the wide type: what is here now was there a step ago (Stam 1999), and its correction.
// Values are not gathered one by one: neighbouring lanes come from neighbouring places, so the lanes that come from the
// same row pick theirs from two vectors of it. Mostly all lanes do (in the plume of 100^3 cells those of 78 % of the
// vectors), any others are served in turn. Tried, without a gain: stores past the cache, and fewer loads or products to
// find the windows.
#pragma once

#include "core/real.h"
#include "smoke/smoke_code.h"
#include "smoke/smoke_device.h"
#include "smoke/smoke_formula.h"

// Where the window of a value starts. Rows start at whole cache lines, so that no load crosses one; of lanes that move by
// less than a cell only those of a vector whose ends move towards each other do not fit.
WB_INLINE int window_start(int i) { return i & ~(WB_LANES - 1); }

// Where lanes sample: places of their rows' lower corner and shares of the upper neighbours.
typedef struct Places {
    INTS i, rows;
    SmokeVector share;
} Places;

WB_INLINE REAL clamp_place(REAL x, float low, float high) {
    return real_min(real_max(x, real_set(low)), real_set(high));
}

WB_INLINE Places find_places(const wbSmokeGrid *grid, const wbSmokeKind *kind, SmokeVector at) {
    REAL x = clamp_place(at.x, kind->low[0], kind->high[0]), i = real_floor(x);
    REAL y = clamp_place(at.y, kind->low[1], kind->high[1]), j = real_floor(y);
    REAL z = clamp_place(at.z, kind->low[2], kind->high[2]), k = real_floor(z);
    INTS rows = ints_truncate(j) * grid->plane + ints_truncate(k) * grid->row + (grid->plane + grid->row);
    return (Places){ints_truncate(i), rows, {x - i, y - j, z - k}};
}

// The eight values around each place, from the windows that start at `start`.
WB_INLINE void pick_corners(const wbSmokeGrid *grid, const float *start, INTS index, REAL corner[8]) {
    const int rows[4] = {0, grid->row, grid->plane, grid->plane + grid->row};
    for (int r = 0; r < 4; r++) {
        REAL a = real_load(start + rows[r]), b = real_load(start + rows[r] + WB_LANES);
        corner[2 * r] = lane_pick(a, b, index);
        corner[2 * r + 1] = lane_pick(a, b, index + 1);
    }
}

WB_INLINE REAL mix_corners(const REAL c[8], SmokeVector share) {
    REAL low = smoke_mix(smoke_mix(c[0], c[1], share.x), smoke_mix(c[2], c[3], share.x), share.z);
    REAL high = smoke_mix(smoke_mix(c[4], c[5], share.x), smoke_mix(c[6], c[7], share.x), share.z);
    return smoke_mix(low, high, share.y);
}

// A value for each lane, and the smallest and largest that it is made of.
typedef struct Sample {
    REAL value, least, most;
} Sample;

WB_INLINE Sample make_sample(const REAL corner[8], SmokeVector share, const bool extremes) {
    Sample sample = {mix_corners(corner, share), corner[0], corner[0]};
    for (int c = 1; c < 8 && extremes; c++) {
        sample.least = real_min(sample.least, corner[c]);
        sample.most = real_max(sample.most, corner[c]);
    }
    return sample;
}

// Lanes whose two values lie in the window of a row: no bit of either place, seen from its start, is above those that
// the window has.
WB_INLINE unsigned lanes_in_window(const Places *places, int row, INTS index) {
    INTS above = (index | (index + 1)) & ~(2 * WB_LANES - 1);
    return ints_equal((places->rows ^ row) | above, ints_set(0));
}

// Samples of `count` fields in the lanes whose bit is set.
WB_INLINE void sample_fields(const wbSmokeGrid *grid, const float *const *fields, const int count,
                             const Places *places, unsigned lanes, const bool extremes, Sample *samples) {
    int row = ints_first(places->rows), first = window_start(ints_first(places->i));
    REAL corner[8];
    INTS index = places->i - first;
    unsigned inside = lanes_in_window(places, row, index);
    for (int f = 0; f < count; f++) {
        pick_corners(grid, fields[f] + row + first, index, corner);
        samples[f] = make_sample(corner, places->share, extremes);
    }
    lanes &= ~inside;
    if (lanes == 0) return;
    int rows[WB_LANES], columns[WB_LANES];
    ints_store(rows, places->rows);
    ints_store(columns, places->i);
    while (lanes) {
        int lane = __builtin_ctz(lanes);
        row = rows[lane], first = window_start(columns[lane]);
        index = places->i - first;
        inside = lanes_in_window(places, row, index) & lanes;
        MASK mask = real_mask(inside);
        for (int f = 0; f < count; f++) {
            pick_corners(grid, fields[f] + row + first, index, corner);
            Sample sample = make_sample(corner, places->share, extremes);
            samples[f].value = real_select(mask, sample.value, samples[f].value);
            samples[f].least = real_select(mask, sample.least, samples[f].least);
            samples[f].most = real_select(mask, sample.most, samples[f].most);
        }
        lanes &= ~inside;
    }
}

// What a pass over planes reads again and again, as copies that nothing written can alias.
typedef struct Pass {
    const wbSmokeAdvect *task;
    wbSmokeGrid grid;
    wbSmokeKind kind;
    const float *velocity[3], *from[3], *first[3];
    float *to[3], factor[3], cells;
    int shift; // from a place in the fields to that in `to`
    const uint8_t *active;
    uint8_t *marks;
    bool midpoint, reflects, settles;
    const float *reflected[3], *bends[3];
} Pass;

WB_INLINE REAL mean_of_two(const float *a, int up) { return (real_load(a) + real_load(a + up)) * 0.5f; }
WB_INLINE REAL mean_of_four(const float *a, int up, int back) {
    return ((real_load(a) + real_load(a + up)) + (real_load(a - back) + real_load(a + up - back))) * 0.25f;
}

// Component `axis` of the velocity where values of a kind stand: of the faces around.
WB_INLINE REAL component_here(const Pass *pass, const float *const *field, const int kind, const int axis,
                              int c) {
    const int strides[3] = {1, pass->grid.plane, pass->grid.row};
    const float *velocity = field[axis] + c;
    if (kind == axis) return real_load(velocity);
    return kind == 3 ? mean_of_two(velocity, strides[axis])
                     : mean_of_four(velocity, strides[axis], strides[kind]);
}

WB_INLINE SmokeVector velocity_here(const Pass *pass, const float *const *field, const int kind, int c) {
    return (SmokeVector){component_here(pass, field, kind, 0, c), component_here(pass, field, kind, 1, c),
                         component_here(pass, field, kind, 2, c)};
}

// A component of the velocity, or of the reflected one, at places of another kind.
static REAL velocity_there(const wbSmokeAdvect *task, const float *const *velocity, int axis, SmokeVector at,
                           unsigned lanes) {
    int kind = task->kind;
    const float shift[3] = {(kind == 0 ? 0 : 0.5f) - (axis == 0 ? 0 : 0.5f),
                            (kind == 1 ? 0 : 0.5f) - (axis == 1 ? 0 : 0.5f),
                            (kind == 2 ? 0 : 0.5f) - (axis == 2 ? 0 : 0.5f)};
    SmokeVector place = {at.x + shift[0], at.y + shift[1], at.z + shift[2]};
    Places places = find_places(task->grid, &task->kinds[axis], place);
    Sample sample;
    sample_fields(task->grid, &velocity[axis], 1, &places, lanes, false, &sample);
    return sample.value;
}

WB_INLINE SmokeVector move_place(SmokeVector at, SmokeVector velocity, float cells) {
    return (SmokeVector){real_madd(velocity.x, real_set(-cells), at.x),
                         real_madd(velocity.y, real_set(-cells), at.y),
                         real_madd(velocity.z, real_set(-cells), at.z)};
}

// Where what is here was before so many cells at speed 1.
WB_INLINE SmokeVector trace_back(const Pass *pass, SmokeVector at, SmokeVector velocity, float cells,
                                 unsigned lanes) {
    if (!pass->midpoint) return move_place(at, velocity, cells);
    SmokeVector middle = move_place(at, velocity, 0.5f * cells);
    const float *const *velocities = pass->task->velocity;
    SmokeVector there = {velocity_there(pass->task, velocities, 0, middle, lanes),
                         velocity_there(pass->task, velocities, 1, middle, lanes),
                         velocity_there(pass->task, velocities, 2, middle, lanes)};
    return move_place(at, there, cells);
}

// At faces: the bend of a path is the mean of those of the cells on both sides.
WB_INLINE REAL bend_here(const Pass *pass, const int kind, const int axis, int c) {
    const int strides[3] = {1, pass->grid.plane, pass->grid.row};
    const float *bend = pass->bends[axis] + c;
    return (real_load(bend) + real_load(bend - strides[kind])) * 0.5f;
}

// Where what is here was a step ago, or where it will be: see smoke_reflect.h.
WB_INLINE SmokeVector bent_back(const Pass *pass, SmokeVector at, SmokeVector velocity, const int kind,
                                int c) {
    SmokeVector straight = move_place(at, velocity, pass->cells);
    return (SmokeVector){straight.x - bend_here(pass, kind, 0, c), straight.y - bend_here(pass, kind, 1, c),
                         straight.z - bend_here(pass, kind, 2, c)};
}

WB_INLINE REAL zero_outside(REAL x, REAL a, float low, float high) {
    x = real_select(real_less(a, real_set(low)), real_set(0), x);
    return real_select(real_less(real_set(high), a), real_set(0), x);
}

// Errors count where the way there leads not out of the box.
WB_INLINE REAL error_in_box(const wbSmokeKind *kind, SmokeVector at, REAL error) {
    error = zero_outside(error, at.x, kind->boxLow[0], kind->boxHigh[0]);
    error = zero_outside(error, at.y, kind->boxLow[1], kind->boxHigh[1]);
    return zero_outside(error, at.z, kind->boxLow[2], kind->boxHigh[2]);
}

// Takes what is nearly nothing away; true if something is left.
WB_INLINE bool keep_smoke(Sample *fields, const int count) {
    REAL most = real_set(0);
    for (int f = 0; f < count; f++) most = real_max(most, real_abs(fields[f].value));
    MASK smoke = real_less(real_set(SMOKE_LEAST), most);
    for (int f = 0; f < count; f++) fields[f].value = real_select(smoke, fields[f].value, real_set(0));
    return lane_less(real_set(SMOKE_LEAST), most) != 0;
}

// True if smoke is there; only looked for where marks are wanted.
WB_INLINE bool advect_lanes(const Pass *pass, int i, int j, int k, const int kind, const int count,
                            const bool corrects) {
    int c = wbSmokeIndex(&pass->grid, i, j, k), values = pass->kind.count[0];
    unsigned lanes = lane_first(values - i);
    SmokeVector at = {real_from_ints(ints_count() + i), real_set((float)j), real_set((float)k)};
    SmokeVector velocity = velocity_here(pass, pass->velocity, kind, c);
    bool reflects = kind < 3 && pass->reflects;
    SmokeVector before = reflects ? bent_back(pass, at, velocity, kind, c)
                                  : trace_back(pass, at, velocity, pass->cells, lanes);
    Places back = find_places(&pass->grid, &pass->kind, before);
    Sample carried[3], returned[3];
    sample_fields(&pass->grid, pass->from, count, &back, lanes, corrects, carried);
    if (corrects) {
        SmokeVector there = reflects
                                ? move_place(at, velocity_here(pass, pass->reflected, kind, c), -pass->cells)
                                : trace_back(pass, at, velocity, -pass->cells, lanes);
        Places forth = find_places(&pass->grid, &pass->kind, there);
        sample_fields(&pass->grid, pass->first, count, &forth, lanes, false, returned);
        for (int f = 0; f < count; f++) {
            REAL error = error_in_box(&pass->kind, there, real_load(pass->from[f] + c) - returned[f].value);
            carried[f].value = smoke_correct(carried[f].value, error, carried[f].least, carried[f].most);
        }
    }
    for (int f = 0; f < count; f++) {
        carried[f].value *= pass->factor[f];
        if (reflects && pass->settles)
            carried[f].value +=
                real_load(pass->velocity[kind < 3 ? kind : 0] + c) - real_load(pass->from[f] + c);
        if (i + WB_LANES > values)
            carried[f].value = real_select(real_mask(lanes), carried[f].value, real_set(0));
    }
    bool any = kind == 3 && pass->marks && keep_smoke(carried, count);
    for (int f = 0; f < count; f++) real_store(pass->to[f] + (pass->shift + c), carried[f].value);
    return any;
}

WB_INLINE void advect_row(const Pass *pass, int j, int k, const int kind, const int count,
                          const bool corrects) {
    int blocks = wbSmokeBlockRow(&pass->grid, j, k), c = wbSmokeIndex(&pass->grid, 0, j, k);
    for (int i = 0; i < pass->kind.count[0]; i += WB_LANES) {
        int block = blocks + i / WB_SMOKE_BLOCK_X;
        if (kind < 3 || pass->active[block]) {
            if (advect_lanes(pass, i, j, k, kind, count, corrects)) pass->marks[block] = 1;
        } else {
            for (int f = 0; f < count; f++) real_store(pass->to[f] + (pass->shift + c + i), real_set(0));
        }
    }
}

WB_INLINE Pass make_pass(const wbSmokeAdvect *task, const int kind, const int count) {
    Pass pass = {.task = task,
                 .grid = *task->grid,
                 .kind = task->kinds[kind],
                 .velocity = {task->velocity[0], task->velocity[1], task->velocity[2]},
                 .cells = task->cells,
                 .active = task->active,
                 .marks = task->marks,
                 .midpoint = task->midpoint,
                 .reflects = task->reflected[0] != NULL,
                 .settles = task->settles};
    for (int a = 0; a < 3; a++) pass.reflected[a] = task->reflected[a], pass.bends[a] = task->bends[a];
    for (int f = 0; f < count; f++) {
        pass.from[f] = task->from[f], pass.first[f] = task->first[f], pass.to[f] = task->to[f];
        pass.factor[f] = task->factor[f];
    }
    return pass;
}

WB_INLINE void advect_planes(const wbSmokeAdvect *task, int begin, int end, const int kind, const int count,
                             const bool corrects) {
    Pass pass = make_pass(task, kind, count);
    if (kind < 3) {
        for (int j = begin; j < end; j++)
            for (int k = 0; k < pass.kind.count[2]; k++) advect_row(&pass, j, k, kind, count, corrects);
        return;
    }
    int across = wbCountSmokeBlocks(&pass.grid).z;
    for (int n = begin; n < end; n++) {
        int j = task->rows[n] / across * WB_SMOKE_BLOCK, k = task->rows[n] % across * WB_SMOKE_BLOCK;
        for (int y = j; y < j + WB_SMOKE_BLOCK && y < pass.grid.ny; y++)
            for (int z = k; z < k + WB_SMOKE_BLOCK && z < pass.grid.nz; z++)
                advect_row(&pass, y, z, kind, count, corrects);
    }
}

// One copy of the loop for each kind and number of fields, with and without correction.
#define ADVECT(name, kind, count)                                                                            \
    static void name(const wbSmokeAdvect *task, int begin, int end) {                                        \
        if (task->first[0])                                                                                  \
            advect_planes(task, begin, end, kind, count, true);                                              \
        else                                                                                                 \
            advect_planes(task, begin, end, kind, count, false);                                             \
    }
ADVECT(advect_u, 0, 1)
ADVECT(advect_v, 1, 1)
ADVECT(advect_w, 2, 1)
ADVECT(advect_smoke, 3, 2)
ADVECT(advect_fire, 3, 3)
#undef ADVECT

static void advect(int begin, int end, int worker, void *context) {
    (void)worker;
    static void (*const loops[])(const wbSmokeAdvect *, int, int) = {advect_u, advect_v, advect_w};
    const wbSmokeAdvect *task = context;
    if (task->kind < 3)
        loops[task->kind](task, begin, end);
    else
        (task->fieldCount == 3 ? advect_fire : advect_smoke)(task, begin, end);
}
