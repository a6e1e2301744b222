// SPDX-License-Identifier: MIT
// How lists of neighbours with supports of their own are built, for *_wide.c files: as in space/neighbours_wide.h a few consecutive points share
// one buffer of candidates, but they ask one grid per octave of sizes, each within its own reach.
//
// A whole group of sixteen is searched as one where it is compact, else eights, else runs. In a pool of 64^3 with 26,400 particles of five octaves a search asks
// 3.5 grids and finds 120 candidates in 38 runs. Nanoseconds of CPU per particle, one thread of a busy Xeon with AVX-512: eights within 2 and 1.2 sizes 345, within 3
// and 1.7 sizes 325, sixteens 285, runs of all octaves before candidates 275.
#pragma once

#include "pbd/pbf_adaptive_code.h"
#include "space/neighbours_wide.h"

// Appends the runs of points in rows of cells that reach into the box widened by `reach` to the n that there are; any number of rows. Places of points are
// moved on by `shift`.
WB_INLINE int sized_chunks_dense(const wbGrid *grid, wbListStore *s, wbMemory *memory, const Box *box,
                                 float reach, int shift, int n) {
    const int *start = grid->bucketStart.data;
    const int y0 = wbGrid_GetCell(grid, 1, box->min[1] - reach),
              z0 = wbGrid_GetCell(grid, 2, box->min[2] - reach);
    const int rowsY = wbGrid_GetCell(grid, 1, box->max[1] + reach) - y0 + 1,
              rowsZ = wbGrid_GetCell(grid, 2, box->max[2] + reach) - z0 + 1;
    const int rows = rowsY * rowsZ;
    const float perRow = 1 / (float)rowsY;
    const REAL zero = real_set(0), reach2 = real_set(reach * reach * 1.00002f);
    for (int k = 0; k < rows; k += WB_LANES) {
        const INTS index = ints_count() + k, kz = ints_truncate((real_from_ints(index) + 0.5f) * perRow);
        const INTS yy = index - kz * rowsY + y0, zz = kz + z0;
        const REAL dy = row_distance(grid, box, 1, real_from_ints(yy)),
                   dz = row_distance(grid, box, 2, real_from_ints(zz));
        const REAL left = reach2 - dy * dy - dz * dz, half = real_sqrt(real_max(left, zero));
        unsigned ok = lane_less(zero, left) & lane_first(rows - k);
        REAL x0 = (box->min[0] - grid->origin[0] - half) * grid->inverseCell[0];
        REAL x1 = (box->max[0] - grid->origin[0] + half) * grid->inverseCell[0];
        ok &= ~lane_less(x1, zero);
        INTS c0 = ints_min(ints_truncate(real_max(x0, zero)), ints_set(grid->size[0]));
        INTS c1 = ints_min(ints_truncate(x1), ints_set(grid->size[0] - 1));
        INTS row = (zz * grid->size[1] + yy) * grid->size[0];
        INTS begin = ints_gather(start, row + c0, ok) + shift,
             end = ints_gather(start, row + c1 + 1, ok) + shift;
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

// Points of rows that share a hashed slot are told from each other by their cells, so that none comes twice.
WB_INLINE bool is_in_row(const wbPointSet *set, int i, int x8, int y, int z) {
    return wbGrid_GetCell(set->grid, 0, set->points.x[i]) >> 3 == x8 &&
           wbGrid_GetCell(set->grid, 1, set->points.y[i]) == y &&
           wbGrid_GetCell(set->grid, 2, set->points.z[i]) == z;
}

// Appends runs of the points of a slot that are in one row.
static int sized_slot(const wbPointSet *set, wbListStore *s, wbMemory *memory, int x8, int y, int z,
                      int shift, int n) {
    const uint32_t slot = wbHashSlot((uint32_t)x8, (uint32_t)y, (uint32_t)z) & set->grid->slotMask;
    const int *start = (const int *)set->grid->bucketStart.data + 8 * (size_t)slot;
    for (int begin = start[0]; begin < start[8];) {
        int end = begin;
        while (end < start[8] && end < begin + WB_LANES && is_in_row(set, end, x8, y, z)) end++;
        if (end > begin) {
            if (n + 1 > s->chunkCapacity && !wbListStore_GrowChunks(memory, s, n + 1)) return 0;
            s->chunkBegin[n] = begin + shift, s->chunkEnd[n++] = end + shift;
        }
        begin = end > begin ? end : begin + 1;
    }
    return n;
}

static int sized_chunks_hashed(const wbPointSet *set, wbListStore *s, wbMemory *memory, const Box *box,
                               float reach, int shift, int n) {
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = wbGrid_GetCell(set->grid, a, box->min[a] - reach);
        high[a] = wbGrid_GetCell(set->grid, a, box->max[a] + reach);
    }
    for (int z = low[2]; z <= high[2] && !s->failed; z++)
        for (int y = low[1]; y <= high[1] && !s->failed; y++)
            for (int x8 = low[0] >> 3; x8 <= high[0] >> 3 && !s->failed; x8++)
                n = sized_slot(set, s, memory, x8, y, z, shift, n);
    return n;
}

// Runs of a set's points that may be within sqrt(most reach_j) of the box, for the largest own reach.
WB_INLINE int add_sized_chunks(const wbSizedSet *sized, wbListStore *s, wbMemory *memory, const Box *box,
                               float most, int shift, int n) {
    const wbGrid *grid = sized->set.grid;
    const float reach = sqrtf(most * sized->top) * 1.00001f + grid->slack;
    for (int a = 0; a < 3; a++)
        if (box->min[a] - reach > grid->max[a] || box->max[a] + reach < grid->min[a]) return n;
    return grid->hashed ? sized_chunks_hashed(&sized->set, s, memory, box, reach, shift, n)
                        : sized_chunks_dense(grid, s, memory, box, reach, shift, n);
}

// What a candidate's distance is measured from.
typedef struct NearBox {
    REAL middle[3], half[3], largest;
} NearBox;

WB_INLINE NearBox widen_box(const Box *box, float most, float slack) {
    NearBox near = {.largest = real_set(most * 1.00001f)};
    for (int a = 0; a < 3; a++) {
        near.middle[a] = real_set(0.5f * (box->min[a] + box->max[a]));
        float farthest = fmaxf(fabsf(box->min[a]), fabsf(box->max[a]));
        near.half[a] = real_set(0.5f * (box->max[a] - box->min[a]) + fmaxf(slack, 1e-6f * farthest));
    }
    return near;
}

// Appends the points of runs from k on that are within sqrt(most reach_j) of the box to the m candidates that there are. Their numbers are their places moved on
// by `shift`.
WB_INLINE int pack_candidates(const wbListStore *s, const NearBox *near, wbPoints points, const float *reach,
                              int shift, int k, int end, int m) {
    const int *begins = s->chunkBegin, *ends = s->chunkEnd;
    float *cx = s->x, *cy = s->y, *cz = s->z, *ch = s->h;
    int *ids = s->id;
    INTS count = ints_count(), first = count + shift;
    REAL zero = real_set(0);
    for (; k < end; k++) {
        int j = begins[k];
        REAL x = real_load(points.x + j), y = real_load(points.y + j), z = real_load(points.z + j),
             rj = real_load(reach + j);
        REAL dx = real_max(real_abs(x - near->middle[0]) - near->half[0], zero);
        REAL dy = real_max(real_abs(y - near->middle[1]) - near->half[1], zero);
        REAL dz = real_max(real_abs(z - near->middle[2]) - near->half[2], zero);
        unsigned ok = lane_less(real_madd(dx, dx, real_madd(dy, dy, dz * dz)), near->largest * rj) &
                      ints_less(count, ints_set(ends[k] - j));
        lane_pack(cx + m, ok, x), lane_pack(cy + m, ok, y), lane_pack(cz + m, ok, z),
            lane_pack(ch + m, ok, rj);
        m += lane_pack_ints(ids + m, ok, first + j);
    }
    return m;
}

WB_INLINE bool has_room(wbListStore *s, wbMemory *memory, int needed) {
    return needed <= s->candidateCapacity || wbListStore_GrowCandidates(memory, s, needed);
}

// Candidates among the own points: runs of all octaves first, since each loop over few of them costs a wrong guess of where it ends.
WB_INLINE int find_own_candidates(const wbSizedListTask *task, wbListStore *s, const Box *box, float most,
                                  bool *isPure) {
    int n = 0, fine = 0;
    float slack = 0;
    for (int k = 0; k < task->ownSetCount; k++) {
        const wbSizedSet *sized = &task->sets[k];
        n = add_sized_chunks(sized, s, task->memory, box, most, sized->set.firstIndex, n);
        slack = fmaxf(slack, sized->set.grid->slack);
        if (!sized->isCoarse) fine = n;
    }
    if (s->failed || !has_room(s, task->memory, (n + 2) * WB_LANES)) return 0;
    const NearBox near = widen_box(box, most, slack);
    const int small = pack_candidates(s, &near, task->own, task->reach, 0, 0, fine, 0);
    const int m = pack_candidates(s, &near, task->own, task->reach, 0, fine, n, small);
    *isPure &= m == small;
    return m;
}

// Candidates for points in a box of which the largest reach is `most`; *isPure stays if all are of level 0.
WB_INLINE int find_sized_candidates(const wbSizedListTask *task, wbListStore *s, const Box *box, float most,
                                    bool *isPure) {
    int m = find_own_candidates(task, s, box, most, isPure);
    for (int k = task->ownSetCount; k < task->setCount && !s->failed; k++) {
        const wbSizedSet *sized = &task->sets[k];
        const wbPointSet *set = &sized->set;
        if (sized->canBeClear && is_clear(set, box, sqrtf(most * sized->top) * 1.00001f)) continue;
        const int n = add_sized_chunks(sized, s, task->memory, box, most, 0, 0), before = m;
        if (s->failed || !has_room(s, task->memory, m + (n + 2) * WB_LANES)) return 0;
        const NearBox near = widen_box(box, most, set->grid->slack);
        m = pack_candidates(s, &near, set->points, sized->reach, set->firstIndex, 0, n, m);
        if (sized->isCoarse && m > before) *isPure = false;
    }
    if (s->failed) return 0;
    REAL away = real_set(FAR_AWAY);
    real_store(s->x + m, away), real_store(s->y + m, away), real_store(s->z + m, away);
    real_store(s->h + m, real_set(0));
    return m;
}

// Candidates with r2 < reach_i reach_j of `count` points from i on, as filter_candidates.
WB_INLINE void filter_sized(const wbSizedListTask *task, const wbListStore *s, int m, int i, int lane,
                            const int count, int *found) {
    const float *px = task->own.x + i, *py = task->own.y + i, *pz = task->own.z + i, *pr = task->reach + i;
    const float *cx = s->x, *cy = s->y, *cz = s->z, *ch = s->h;
    const int *ids = s->id;
    const size_t stride = (size_t)(s->candidateCapacity + WB_PADDING);
    int *first = s->found + (size_t)lane * stride, *end[SHARED_POINTS];
#pragma GCC unroll 8
    for (int l = 0; l < count; l++) end[l] = first + (size_t)l * stride;
    for (int k = 0; k < m; k += WB_LANES) {
        REAL x = real_load(cx + k), y = real_load(cy + k), z = real_load(cz + k), h = real_load(ch + k);
        INTS id = ints_load(ids + k);
#pragma GCC unroll 8
        for (int l = 0; l < count; l++) {
            REAL dx = x - px[l], dy = y - py[l], dz = z - pz[l];
            REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
            end[l] += lane_pack_ints(end[l], lane_less(r2, h * pr[l]), id);
        }
    }
#pragma GCC unroll 8
    for (int l = 0; l < count; l++) {
        found[l] = (int)(end[l] - (first + (size_t)l * stride));
        ints_store(end[l], ints_set(task->dummy));
    }
}

WB_INLINE float largest_of(const float *numbers, int count) {
    float largest = numbers[0];
    for (int k = 1; k < count; k++) largest = numbers[k] > largest ? numbers[k] : largest;
    return largest;
}

// Boxes within which points are searched as one, over their largest size: along x, and along y and z.
WB_INLINE bool is_sized_compact(const Box *box, float size, float along, float across) {
    return box->max[0] - box->min[0] <= along * size && box->max[1] - box->min[1] <= across * size &&
           box->max[2] - box->min[2] <= across * size;
}
WB_INLINE bool is_run_compact(const Box *box, float size) { return is_sized_compact(box, size, 3, 1.7f); }

// How many of the `count` points from i on can be searched as one, and their box.
static int sized_run(const wbSizedListTask *task, int i, int count, Box *box) {
    float size = task->size[i];
    *box = box_of(&task->own, i, 1);
    for (int k = 1; k < count; k++) {
        Box next = box_of(&task->own, i + k, 1), joint;
        float larger = fmaxf(size, task->size[i + k]);
        for (int a = 0; a < 3; a++) {
            joint.min[a] = next.min[a] < box->min[a] ? next.min[a] : box->min[a];
            joint.max[a] = next.max[a] > box->max[a] ? next.max[a] : box->max[a];
        }
        if (!is_run_compact(&joint, larger)) return k;
        *box = joint, size = larger;
    }
    return count;
}

WB_INLINE void search_sized(const wbSizedListTask *task, wbListStore *s, int i, int lane, int count,
                            int *found, bool *isPure) {
    if (count == SHARED_POINTS) {
        Box box = box_of(&task->own, i, SHARED_POINTS);
        if (is_run_compact(&box, largest_of(task->size + i, SHARED_POINTS))) {
            int m = find_sized_candidates(task, s, &box, largest_of(task->reach + i, SHARED_POINTS), isPure);
            if (!s->failed) filter_sized(task, s, m, i, lane, SHARED_POINTS, found);
            return;
        }
    }
    for (int k = 0; k < count;) {
        Box box;
        int end = k + sized_run(task, i + k, count - k, &box),
            m = find_sized_candidates(task, s, &box, largest_of(task->reach + i + k, end - k), isPure);
        if (s->failed) return;
        for (; k < end; k++) filter_sized(task, s, m, i + k, lane + k, 1, found + k);
    }
}

// The points of a whole group as one, if they are near each other.
WB_INLINE bool search_whole_group(const wbSizedListTask *task, wbListStore *s, int i, int *found,
                                  bool *isPure) {
    if (task->own.count - i < WB_GROUP) return false;
    Box box = box_of(&task->own, i, WB_GROUP);
    if (!is_sized_compact(&box, largest_of(task->size + i, WB_GROUP), 3, 1.2f)) return false;
    int m = find_sized_candidates(task, s, &box, largest_of(task->reach + i, WB_GROUP), isPure);
    for (int lane = 0; lane < WB_GROUP && !s->failed; lane += SHARED_POINTS)
        filter_sized(task, s, m, i + lane, lane, SHARED_POINTS, found + lane);
    return true;
}

// From where on the entries of a group fit into two bytes, the dummy among them; -1: they do not.
WB_INLINE int base_of_lists(const wbSizedListTask *task, const wbListStore *s, size_t stride,
                            const int *found) {
    if (task->lastEntry <= UINT16_MAX) return 0;
    INTS low = ints_set(task->dummy), high = low;
    for (int l = 0; l < WB_GROUP; l++)
        for (int k = 0; k < found[l]; k += WB_LANES) { // behind what was found are dummies
            const INTS entries = ints_load(s->found + (size_t)l * stride + k);
            low = ints_min(low, entries), high = ints_max(high, entries);
        }
    int lows[WB_LANES], highs[WB_LANES];
    ints_store(lows, low), ints_store(highs, high);
    for (int l = 1; l < WB_LANES; l++) {
        lows[0] = lows[l] < lows[0] ? lows[l] : lows[0];
        highs[0] = highs[l] > highs[0] ? highs[l] : highs[0];
    }
    return highs[0] - lows[0] <= UINT16_MAX ? lows[0] : -1;
}

// As store_lists, of entries of two bytes: two rows take the room of one.
WB_INLINE void store_short_lists(const wbSizedListTask *task, wbListStore *s, int group, const int *found,
                                 int base) {
    int rows = 0;
    for (int l = 0; l < WB_GROUP; l++) rows = found[l] > rows ? found[l] : rows;
    const size_t needed = s->listUsed + (size_t)(rows + 1) / 2;
    if (needed > s->listCapacity && !wbListStore_GrowLists(task->memory, s, needed)) return;
    const size_t stride = (size_t)(s->candidateCapacity + WB_PADDING);
    uint16_t *out = (uint16_t *)(void *)(s->lists + WB_GROUP * s->listUsed);
    for (int l = 0; l < WB_GROUP; l++)
        for (int k = found[l] + WB_LANES; k < rows; k += WB_LANES)
            ints_store(s->found + l * stride + k, ints_set(task->dummy));
    for (int k = 0; k < rows; k += 4) {
        int four[4 * WB_GROUP];
        for (int l = 0; l < WB_GROUP; l += WB_LANES)
            lane_transpose_ints(s->found + l * stride + k, stride, four + l, WB_GROUP);
        const int entries = WB_GROUP * (rows - k < 4 ? rows - k : 4);
        for (int e = 0; e < entries; e++) out[k * WB_GROUP + e] = (uint16_t)(four[e] - base);
    }
    ((uint32_t *)task->neighbours->begins.data)[group] = (uint32_t)s->listUsed;
    ((int *)task->neighbours->lengths.data)[group] = rows;
    s->listUsed = needed;
}

// By as many bytes as they need.
WB_INLINE void store_sized_lists(const wbSizedListTask *task, wbListStore *s, int group, const int *found) {
    const wbListTask lists = {.neighbours = task->neighbours, .memory = task->memory, .dummy = task->dummy};
    const size_t stride = (size_t)(s->candidateCapacity + WB_PADDING);
    const int base = task->bases ? base_of_lists(task, s, stride, found) : -1;
    if (task->bases) task->bases[group] = base;
    if (base >= 0)
        store_short_lists(task, s, group, found, base);
    else
        store_lists(&lists, s, group, found);
}

WB_INLINE void build_sized_group(const wbSizedListTask *task, wbListStore *s, int i) {
    int found[WB_GROUP];
    bool isPure = true;
    if (task->ownSetCount > 0) fetch_rows(s);
    if (!search_whole_group(task, s, i, found, &isPure))
        for (int lane = 0; lane < WB_GROUP && !s->failed; lane += SHARED_POINTS) {
            int left = task->own.count - i - lane;
            int points = left < SHARED_POINTS ? (left > 0 ? left : 0) : SHARED_POINTS;
            for (int l = lane + points; l < lane + SHARED_POINTS; l++) found[l] = -WB_LANES;
            search_sized(task, s, i + lane, lane, points, found + lane, &isPure);
        }
    if (s->failed) return;
    for (int l = 0; l < WB_GROUP && i + l < task->own.count; l++)
        s->pairs += found[l] - (task->ownSetCount > 0);
    if (task->pure) task->pure[i / WB_GROUP] = isPure;
    store_sized_lists(task, s, i / WB_GROUP, found);
}

WB_INLINE void build_sized_range(const wbSizedListTask *task, int begin, int end, int worker) {
    wbListStore *store = &task->neighbours->stores[worker];
    uint8_t *owners = task->neighbours->owners.data;
    for (int i = begin; i < end; i += WB_GROUP) {
        if (i % WB_BLOCK == 0) owners[i / WB_BLOCK] = (uint8_t)worker;
        build_sized_group(task, store, i);
        if (store->failed) return;
    }
}
