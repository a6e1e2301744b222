// SPDX-License-Identifier: MIT
// How neighbour lists are built, for *_wide.c files: a few consecutive points share one buffer of candidates.
//
//   1. The rows of cells near the points' bounding box, each cut in x to what the radius reaches, give runs
//      of points, split into chunks of one vector.
//   2. Chunks are filtered by their distance to the box into the candidate buffer (L1 cache).
//   3. Each point filters the candidates by its own distance; a solver may sum a kernel over them on the way.
//   4. The lists of sixteen points are transposed into the store.
//
// Tried and lost. On a Xeon with AVX-512, ms for lists of 32,768 points, one thread, against 1.63 for groups of
// 8: each point alone 2.95, groups of 4 2.0, of 16 1.67, cells of half the radius in all axes 2.5. On an EPYC
// (Zen 4): packing the squared distances of what was found and summing terms over those alone was slower in
// most of six paired runs, on a loaded machine; filtering in two rounds of four points, with coordinates in
// registers, and keeping addresses out of gcc's partial redundancy elimination made no difference. A group of 8
// has 17 chunks with 212 points, of which 105 become candidates.
#pragma once

#include <float.h>
#include <math.h>

#include "core/real.h"
#include "space/neighbours.h"

enum { SHARED_POINTS = 8 }; ///< points that share one candidate buffer

#define FAR_AWAY 1e18f ///< its square is still finite: padding that no kernel reaches

/// The term that a point's sum gains from a candidate at squared distance r2; must vanish beyond the radius.
typedef REAL wbPairTerm(REAL r2, const void *context);

typedef struct Box {
    float min[3], max[3];
} Box;

// The rows of cells that reach into the box widened by the radius.
typedef struct RowRange {
    int y, z, countY, count;
} RowRange;

WB_INLINE RowRange rows_near(const wbGrid *grid, const Box *box) {
    float reach = grid->radius * 1.00001f;
    RowRange rows = {0, 0, 0, 0};
    for (int a = 0; a < 3; a++)
        if (box->min[a] - reach > grid->max[a] || box->max[a] + reach < grid->min[a]) return rows;
    rows.y = wbGrid_GetCell(grid, 1, box->min[1] - reach);
    rows.z = wbGrid_GetCell(grid, 2, box->min[2] - reach);
    rows.countY = wbGrid_GetCell(grid, 1, box->max[1] + reach) - rows.y + 1;
    rows.count = rows.countY * (wbGrid_GetCell(grid, 2, box->max[2] + reach) - rows.z + 1);
    return rows;
}

// y and z of the k-th row of a range with 1 … 4 rows in y (boxes are at most one cell high)
static const float row_y[5][16] = {{0},
                                   {0},
                                   {0, 1, 0, 1, 0, 1, 0, 1},
                                   {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2},
                                   {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}};
static const float row_z[5][16] = {{0},
                                   {0, 1, 2, 3},
                                   {0, 0, 1, 1, 2, 2, 3, 3},
                                   {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3},
                                   {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}};

// distance from the box to rows of cells along one axis, never too large
WB_INLINE REAL row_distance(const wbGrid *grid, const Box *box, int axis, REAL row) {
    REAL low = real_madd(row, real_set(grid->cell[axis]), real_set(grid->origin[axis] - grid->slack));
    REAL gap = real_max(low - box->max[axis], box->min[axis] - (low + (grid->cell[axis] + 2 * grid->slack)));
    return real_max(gap, real_set(0));
}

// Half the length in x that the radius reaches in rows of cells, and which of the rows it reaches at all.
WB_INLINE unsigned row_reach(const wbGrid *grid, const Box *box, REAL y, REAL z, REAL *reach) {
    REAL dy = row_distance(grid, box, 1, y), dz = row_distance(grid, box, 2, z);
    REAL left = grid->radius * grid->radius * 1.00002f - dy * dy - dz * dz;
    *reach = real_sqrt(real_max(left, real_set(0)));
    return lane_less(real_set(0), left);
}

WB_INLINE int chunks_dense(const wbGrid *grid, wbListStore *s, wbMemory *memory, const Box *box) {
    const int *start = grid->bucketStart.data;
    RowRange rows = rows_near(grid, box);
    int n = 0;
    for (int k = 0; k < rows.count; k += WB_LANES) {
        REAL y = real_load(row_y[rows.countY] + k) + (float)rows.y;
        REAL z = real_load(row_z[rows.countY] + k) + (float)rows.z;
        REAL reach, zero = real_set(0);
        unsigned ok = row_reach(grid, box, y, z, &reach) & lane_first(rows.count - k);
        REAL x0 = (box->min[0] - grid->origin[0] - reach) * grid->inverseCell[0];
        REAL x1 = (box->max[0] - grid->origin[0] + reach) * grid->inverseCell[0];
        ok &= ~lane_less(x1, zero);
        INTS c0 = ints_min(ints_truncate(real_max(x0, zero)), ints_set(grid->size[0]));
        INTS c1 = ints_min(ints_truncate(x1), ints_set(grid->size[0] - 1));
        INTS row = (ints_truncate(z) * grid->size[1] + ints_truncate(y)) * grid->size[0];
        INTS begin = ints_gather(start, row + c0, ok), end = ints_gather(start, row + c1 + 1, ok);
        for (;;) {
            ok &= ints_less(begin, end);
            if (n + WB_LANES > s->chunkCapacity && !wbListStore_GrowChunks(memory, s, n + WB_LANES)) return 0;
            int added = lane_pack_ints(s->chunkBegin + n, ok, begin);
            if (!added) break;
            lane_pack_ints(s->chunkEnd + n, ok, end);
            n += added;
            begin += WB_LANES;
        }
    }
    return n;
}

// A part of a hashed slot that was asked for: cells first … last of its eight.
typedef struct SlotPart {
    uint32_t slot;
    int first, last;
} SlotPart;

// Adds a part; rows that share a slot are joined, so that no point comes twice.
WB_INLINE int add_slot(SlotPart *parts, int count, SlotPart part) {
    for (int k = 0; k < count; k++)
        if (parts[k].slot == part.slot) {
            if (part.first < parts[k].first) parts[k].first = part.first;
            if (part.last > parts[k].last) parts[k].last = part.last;
            return count;
        }
    parts[count] = part;
    return count + 1;
}

static int chunks_hashed(const wbGrid *grid, wbListStore *s, wbMemory *memory, const Box *box) {
    enum { MAX_PARTS = 16 * 4 }; // rows times slots in a row: boxes are at most eight cells long
    SlotPart parts[MAX_PARTS];
    RowRange rows = rows_near(grid, box);
    float reach = grid->radius * 1.00002f;
    int c0 = wbGrid_GetCell(grid, 0, box->min[0] - reach), c1 = wbGrid_GetCell(grid, 0, box->max[0] + reach),
        count = 0, n = 0;
    for (int k = 0; k < rows.count; k++) {
        uint32_t y = (uint32_t)(rows.y + k % rows.countY), z = (uint32_t)(rows.z + k / rows.countY);
        for (int x = c0 >> 3; x <= c1 >> 3; x++) {
            SlotPart part = {wbHashSlot((uint32_t)x, y, z) & grid->slotMask, x == c0 >> 3 ? c0 & 7 : 0,
                             x == c1 >> 3 ? c1 & 7 : 7};
            count = add_slot(parts, count, part);
        }
    }
    const int *start = grid->bucketStart.data;
    for (int k = 0; k < count; k++) {
        const int *slot = start + 8 * (size_t)parts[k].slot;
        int end = slot[parts[k].last + 1];
        for (int begin = slot[parts[k].first]; begin < end; begin += WB_LANES) {
            if (n + 1 > s->chunkCapacity && !wbListStore_GrowChunks(memory, s, n + 1)) return 0;
            s->chunkBegin[n] = begin, s->chunkEnd[n] = end, n++;
        }
    }
    return n;
}

// Appends the points of the set within the radius of the box to the m candidates that there are.
WB_INLINE int add_candidates(const wbPointSet *set, wbListStore *s, wbMemory *memory, const Box *box, int m) {
    int n = set->grid->hashed ? chunks_hashed(set->grid, s, memory, box)
                              : chunks_dense(set->grid, s, memory, box);
    int needed = m + (n + 1) * WB_LANES;
    if (needed > s->candidateCapacity && !wbListStore_GrowCandidates(memory, s, needed)) return 0;
    const float *px = set->points.x, *py = set->points.y, *pz = set->points.z;
    const int *begins = s->chunkBegin, *ends = s->chunkEnd;
    float *cx = s->x, *cy = s->y, *cz = s->z;
    int *ids = s->id;
    INTS count = ints_count(), first = count + set->firstIndex;
    REAL limit = real_set(set->grid->radius * set->grid->radius * 1.00001f), zero = real_set(0);
    REAL middle[3], half[3];
    for (int a = 0; a < 3; a++) {
        middle[a] = real_set(0.5f * (box->min[a] + box->max[a]));
        // outside the cells' window the middle rounds by more
        float farthest = fmaxf(fabsf(box->min[a]), fabsf(box->max[a]));
        half[a] = real_set(0.5f * (box->max[a] - box->min[a]) + fmaxf(set->grid->slack, 1e-6f * farthest));
    }
    for (int k = 0; k < n; k++) {
        int j = begins[k];
        REAL x = real_load(px + j), y = real_load(py + j), z = real_load(pz + j);
        REAL dx = real_max(real_abs(x - middle[0]) - half[0], zero);
        REAL dy = real_max(real_abs(y - middle[1]) - half[1], zero);
        REAL dz = real_max(real_abs(z - middle[2]) - half[2], zero);
        unsigned ok = lane_less(real_madd(dx, dx, real_madd(dy, dy, dz * dz)), limit) &
                      ints_less(count, ints_set(ends[k] - j));
        lane_pack(cx + m, ok, x), lane_pack(cy + m, ok, y), lane_pack(cz + m, ok, z);
        m += lane_pack_ints(ids + m, ok, first + j);
    }
    return m;
}

WB_INLINE bool is_clear(const wbPointSet *set, const Box *box, float radius) {
    bool clear = true;
    for (int a = 0; a < 3; a++)
        clear &= box->min[a] - radius >= set->clearMin[a] && box->max[a] + radius <= set->clearMax[a];
    return clear;
}

WB_INLINE int find_candidates(const wbListTask *task, wbListStore *s, const Box *box) {
    int m = 0;
    for (int k = 0; k < task->searchedCount; k++)
        if ((k == 0 && task->findsItself) || !is_clear(task->searched[k], box, task->radius * 1.00001f))
            m = add_candidates(task->searched[k], s, task->memory, box, m);
    if (s->failed) return 0;
    REAL away = real_set(FAR_AWAY);
    real_store(s->x + m, away), real_store(s->y + m, away), real_store(s->z + m, away);
    return m;
}

// Candidates nearer than the radius to each of `count` points from i on; count is a constant at each call,
// and the loops over points are unrolled, so that sums and ends of lists stay in registers.
WB_INLINE void filter_candidates(const wbListTask *task, const wbListStore *s, int m, int i, int lane,
                                 const int count, wbPairTerm *term, const void *context, int *found,
                                 float *sums) {
    const float *px = task->own.x + i, *py = task->own.y + i, *pz = task->own.z + i;
    const float *cx = s->x, *cy = s->y, *cz = s->z;
    const int *ids = s->id;
    const size_t stride = (size_t)(s->candidateCapacity + WB_PADDING);
    int *first = s->found + (size_t)lane * stride, *end[SHARED_POINTS];
    REAL sum[SHARED_POINTS], limit = real_set(task->radius * task->radius);
#pragma GCC unroll 8
    for (int l = 0; l < count; l++) end[l] = first + (size_t)l * stride, sum[l] = real_set(0);
    for (int k = 0; k < m; k += WB_LANES) {
        REAL x = real_load(cx + k), y = real_load(cy + k), z = real_load(cz + k);
        INTS id = ints_load(ids + k);
#pragma GCC unroll 8
        for (int l = 0; l < count; l++) {
            REAL dx = x - px[l], dy = y - py[l], dz = z - pz[l];
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
            end[l] += lane_pack_ints(end[l], lane_less(r2, limit), id);
            if (term) sum[l] += term(r2, context);
        }
    }
#pragma GCC unroll 8
    for (int l = 0; l < count; l++) {
        found[l] = (int)(end[l] - (first + (size_t)l * stride));
        ints_store(end[l], ints_set(task->dummy)); // all the padding that most lists need
        if (term) sums[l] = real_sum(sum[l]);
    }
}

WB_INLINE Box box_of(const wbPoints *p, int i, int count) {
    Box box = {{p->x[i], p->y[i], p->z[i]}, {p->x[i], p->y[i], p->z[i]}};
    for (int k = i + 1; k < i + count; k++) {
        float v[3] = {p->x[k], p->y[k], p->z[k]};
        for (int a = 0; a < 3; a++) {
            box.min[a] = v[a] < box.min[a] ? v[a] : box.min[a];
            box.max[a] = v[a] > box.max[a] ? v[a] : box.max[a];
        }
    }
    return box;
}

WB_INLINE bool fits_cells(const wbGrid *grid, const Box *box) {
    return box->max[0] - box->min[0] <= 8 * grid->cell[0] && box->max[1] - box->min[1] <= grid->cell[1] &&
           box->max[2] - box->min[2] <= grid->cell[2];
}

// Sparse rows and row ends give boxes that are too long to be searched as one. The grids may have cells of
// different length: a stray far away lengthens those of its own grid.
WB_INLINE bool is_compact(const wbListTask *task, const Box *box) {
    return fits_cells(task->searched[0]->grid, box) &&
           (task->searchedCount == 1 || fits_cells(task->searched[1]->grid, box));
}

// How many of the `count` points from i on can be searched as one, and their box.
static int compact_run(const wbListTask *task, int i, int count, Box *box) {
    const wbPoints *points = &task->own;
    *box = box_of(points, i, 1);
    for (int k = 1; k < count; k++) {
        Box next = box_of(points, i + k, 1), joint;
        for (int a = 0; a < 3; a++) {
            joint.min[a] = next.min[a] < box->min[a] ? next.min[a] : box->min[a];
            joint.max[a] = next.max[a] > box->max[a] ? next.max[a] : box->max[a];
        }
        if (!is_compact(task, &joint)) return k;
        *box = joint;
    }
    return count;
}

// Searches the points i … i + count - 1, which are lanes `lane` … of their group: all at once, or in runs
// where a row of cells ends among them.
WB_INLINE void search_points(const wbListTask *task, wbListStore *s, int i, int lane, int count,
                             wbPairTerm *term, const void *context, int *found, float *sums) {
    if (count == SHARED_POINTS) {
        Box box = box_of(&task->own, i, SHARED_POINTS);
        if (is_compact(task, &box)) {
            int m = find_candidates(task, s, &box);
            if (s->failed) return;
            filter_candidates(task, s, m, i, lane, SHARED_POINTS, term, context, found, sums);
            return;
        }
    }
    for (int k = 0; k < count;) {
        Box box;
        int end = k + compact_run(task, i + k, count - k, &box), m = find_candidates(task, s, &box);
        if (s->failed) return;
        for (; k < end; k++)
            filter_candidates(task, s, m, i + k, lane + k, 1, term, context, found + k, sums + k);
    }
}

// Whether no row of cells near a box has anything in it. Rows are sorted along x, so that two numbers say how much a part of one holds.
WB_INLINE bool is_far(const wbPointSet *set, const Box *box) {
    enum { MOST_ROWS = 64 };
    const wbGrid *grid = set->grid;
    const float reach = grid->radius * 1.00002f;
    if (grid->hashed) return false;
    const RowRange rows = rows_near(grid, box);
    if (rows.count == 0) return true;
    if (rows.count > MOST_ROWS) return false;
    const int first = wbGrid_GetCell(grid, 0, box->min[0] - reach),
              last = wbGrid_GetCell(grid, 0, box->max[0] + reach);
    int count = 0;
    for (int k = 0; k < rows.count; k++) {
        const int y = rows.y + k % rows.countY, z = rows.z + k / rows.countY;
        const int *row = (const int *)grid->bucketStart.data + (z * grid->size[1] + y) * grid->size[0];
        count += row[last + 1] - row[first];
    }
    return count == 0;
}

// Fills the lists of a group up to equal length and stores them transposed.
WB_INLINE void store_lists(const wbListTask *task, wbListStore *s, int group, const int *found) {
    int rows = 0;
    for (int l = 0; l < WB_GROUP; l++) rows = found[l] > rows ? found[l] : rows;
    int rows4 = (rows + 3) & ~3;
    size_t needed = s->listUsed + (size_t)rows4;
    if (needed > s->listCapacity && !wbListStore_GrowLists(task->memory, s, needed)) return;
    const size_t stride = (size_t)(s->candidateCapacity + WB_PADDING);
    int *lists = s->found, *rowsOut = s->lists + WB_GROUP * s->listUsed;
    for (int l = 0; l < WB_GROUP; l++)
        for (int k = found[l] + WB_LANES; k < rows4; k += WB_LANES)
            ints_store(lists + l * stride + k, ints_set(task->dummy));
    for (int k = 0; k < rows4; k += 4)
        for (int l = 0; l < WB_GROUP; l += WB_LANES)
            lane_transpose_ints(lists + l * stride + k, stride, rowsOut + k * WB_GROUP + l, WB_GROUP);
    ((uint32_t *)task->neighbours->begins.data)[group] = (uint32_t)s->listUsed;
    ((int *)task->neighbours->lengths.data)[group] = rows;
    s->listUsed = needed;
}

// Fetches the memory that a usual group's rows will go to, while they are searched: lists leave the L2 cache
// from build to build.
WB_INLINE void fetch_rows(const wbListStore *s) {
    enum { ROWS = 36 };
    if (s->listUsed + ROWS > s->listCapacity) return;
    for (size_t k = 0; k < ROWS; k++) __builtin_prefetch(s->lists + WB_GROUP * (s->listUsed + k), 1);
}

// Searches the sixteen points from i on.
WB_INLINE void search_group(const wbListTask *task, wbListStore *s, int i, wbPairTerm *term,
                            const void *context, int *found, float *sums) {
    const int count = task->own.count;
    for (int lane = 0; lane < WB_GROUP; lane += SHARED_POINTS) {
        int left = count - i - lane;
        int points = left < SHARED_POINTS ? (left > 0 ? left : 0) : SHARED_POINTS;
        for (int l = lane + points; l < lane + SHARED_POINTS; l++) found[l] = -WB_LANES, sums[l] = 0;
        search_points(task, s, i + lane, lane, points, term, context, found + lane, sums + lane);
        if (s->failed) return;
        for (int l = lane; l < lane + points; l++) s->pairs += found[l] - task->findsItself;
    }
}

/// Builds the lists of the sixteen points from i on and, with a term, the sixteen sums over what is listed (0
/// in lanes past the end). `term` is a constant at each call.
WB_INLINE void wb_build_group(const wbListTask *task, wbListStore *s, int i, wbPairTerm *term,
                              const void *context, float *sums) {
    int found[WB_GROUP];
    if (task->findsItself) fetch_rows(s);
    search_group(task, s, i, term, context, found, sums);
    if (!s->failed) store_lists(task, s, i / WB_GROUP, found);
}

/// What is done with the sums of the sixteen points from i on, once their lists are there.
typedef void wbGroupFn(const void *pass, int i, const float *sums);

/// Builds the lists of the points begin … end - 1 (multiples of WB_BLOCK, but for the last), with sums of a term where there is
/// one. `finish` (NULL: nothing is to be done) is a constant at each call, too.
WB_INLINE void wb_build_range(const wbListTask *task, int begin, int end, int worker, wbPairTerm *term,
                              const void *context, wbGroupFn *finish, const void *pass) {
    wbListStore *store = &task->neighbours->stores[worker];
    uint8_t *owners = task->neighbours->owners.data;
    float sums[WB_GROUP];
    for (int i = begin; i < end; i += WB_GROUP) {
        if (i % WB_BLOCK == 0) owners[i / WB_BLOCK] = (uint8_t)worker;
        wb_build_group(task, store, i, term, context, sums);
        if (store->failed) return;
        if (finish) finish(pass, i, sums);
    }
}
