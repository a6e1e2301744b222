// SPDX-License-Identifier: MIT
// How lists for pbf_thesis.h are built, for *_wide.c files: a few consecutive points share one buffer of candidates, as in
// space/neighbours_wide.h, and ask one grid per octave, each as far as they or its points reach.
#pragma once

#include "pbd/pbf_thesis_code.h"
#include "space/neighbours_wide.h"

static bool add_run(wbListStore *s, wbMemory *memory, int begin, int end, int *n) {
    if (begin >= end) return true;
    if (*n + 1 > s->chunkCapacity && !wbListStore_GrowChunks(memory, s, *n + 1)) return false;
    s->chunkBegin[*n] = begin, s->chunkEnd[*n] = end, ++*n;
    return true;
}

// Points of a row in hashed slots, which other rows may share.
static bool add_hashed_row(const wbPointSet *set, wbListStore *s, wbMemory *memory, const int cells[4],
                           int *n) {
    const wbGrid *grid = set->grid;
    for (int x8 = cells[0] >> 3; x8 <= cells[1] >> 3; x8++) {
        const uint32_t slot =
            wbHashSlot((uint32_t)x8, (uint32_t)cells[2], (uint32_t)cells[3]) & grid->slotMask;
        const int *start = (const int *)grid->bucketStart.data + 8 * (size_t)slot;
        for (int k = start[0]; k < start[8]; k++)
            if (wbGrid_GetCell(grid, 0, set->points.x[k]) >> 3 == x8 &&
                wbGrid_GetCell(grid, 1, set->points.y[k]) == cells[2] &&
                wbGrid_GetCell(grid, 2, set->points.z[k]) == cells[3] && !add_run(s, memory, k, k + 1, n))
                return false;
    }
    return true;
}

static float row_gap(const wbGrid *grid, const Box *box, int axis, int row) {
    const float low = grid->origin[axis] + (float)row * grid->cell[axis] - grid->slack;
    return fmaxf(fmaxf(low - box->max[axis], box->min[axis] - (low + grid->cell[axis] + 2 * grid->slack)), 0);
}

// Runs of points in rows of cells that are within `reach` of the box.
static int find_runs(const wbPointSet *set, wbListStore *s, wbMemory *memory, const Box *box, float reach) {
    const wbGrid *grid = set->grid;
    const int *start = grid->bucketStart.data;
    int low[3], high[3], n = 0;
    for (int a = 1; a < 3; a++) {
        low[a] = wbGrid_GetCell(grid, a, box->min[a] - reach);
        high[a] = wbGrid_GetCell(grid, a, box->max[a] + reach);
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            const float dy = row_gap(grid, box, 1, y), dz = row_gap(grid, box, 2, z);
            const float left = reach * reach - dy * dy - dz * dz;
            if (left <= 0) continue;
            const float half = sqrtf(left);
            const int cells[4] = {wbGrid_GetCell(grid, 0, box->min[0] - half),
                                  wbGrid_GetCell(grid, 0, box->max[0] + half), y, z};
            // hashed, there are more rows than an int counts
            const int row = grid->hashed ? 0 : (z * grid->size[1] + y) * grid->size[0];
            if (grid->hashed ? !add_hashed_row(set, s, memory, cells, &n)
                             : !add_run(s, memory, start[row + cells[0]], start[row + cells[1] + 1], &n))
                return 0;
        }
    return n;
}

// Appends what is within the larger of both reaches of the box, for the largest own one, to the m candidates.
WB_INLINE int add_reached(const wbThesisListTask *task, int k, wbListStore *s, const Box *box, float largest,
                          int m) {
    const wbPointSet *set = &task->sets[k].set;
    const wbGrid *grid = set->grid;
    const float reach = fmaxf(largest, task->sets[k].top) * 1.00001f + grid->slack;
    for (int a = 0; a < 3; a++)
        if (box->min[a] - reach > grid->max[a] || box->max[a] + reach < grid->min[a]) return m;
    const int runs = find_runs(set, s, task->memory, box, reach);
    const INTS count = ints_count();
    const REAL own = real_set(largest * 1.00001f + grid->slack), zero = real_set(0);
    REAL middle[3], half[3];
    for (int a = 0; a < 3; a++) {
        middle[a] = real_set(0.5f * (box->min[a] + box->max[a]));
        const float farthest = fmaxf(fabsf(box->min[a]), fabsf(box->max[a]));
        half[a] = real_set(0.5f * (box->max[a] - box->min[a]) + fmaxf(grid->slack, 1e-6f * farthest));
    }
    for (int r = 0; r < runs && !s->failed; r++) {
        const int needed = m + s->chunkEnd[r] - s->chunkBegin[r] + 2 * WB_LANES;
        if (needed > s->candidateCapacity && !wbListStore_GrowCandidates(task->memory, s, needed)) return 0;
        for (int j = s->chunkBegin[r]; j < s->chunkEnd[r]; j += WB_LANES) {
            const REAL x = real_load(set->points.x + j), y = real_load(set->points.y + j),
                       z = real_load(set->points.z + j), h = real_load(task->sets[k].reach + j);
            const REAL dx = real_max(real_abs(x - middle[0]) - half[0], zero),
                       dy = real_max(real_abs(y - middle[1]) - half[1], zero),
                       dz = real_max(real_abs(z - middle[2]) - half[2], zero),
                       most = real_max(own, h * 1.00001f);
            const unsigned ok = lane_less(real_madd(dx, dx, real_madd(dy, dy, dz * dz)), most * most) &
                                ints_less(count, ints_set(s->chunkEnd[r] - j));
            lane_pack(s->x + m, ok, x), lane_pack(s->y + m, ok, y), lane_pack(s->z + m, ok, z);
            lane_pack(s->h + m, ok, h);
            m += lane_pack_ints(s->id + m, ok, count + (set->firstIndex + j));
        }
    }
    return m;
}

WB_INLINE int find_reached(const wbThesisListTask *task, wbListStore *s, const Box *box, float largest) {
    int m = 0;
    const REAL away = real_set(FAR_AWAY);
    for (int k = 0; k < task->setCount && !s->failed; k++) m = add_reached(task, k, s, box, largest, m);
    const int needed = m + 2 * WB_LANES; // also where there is nobody
    if (s->failed || (needed > s->candidateCapacity && !wbListStore_GrowCandidates(task->memory, s, needed)))
        return 0;
    real_store(s->x + m, away), real_store(s->y + m, away), real_store(s->z + m, away);
    real_store(s->h + m, real_set(0));
    return m;
}

// Candidates with r < max(reach_i, reach_j) of one point, to the list of its lane. Those in its own reach count as pairs, as in the source.
WB_INLINE int filter_reached(const wbThesisListTask *task, wbListStore *s, int m, int i, int lane) {
    int *first = s->found + (size_t)lane * (size_t)(s->candidateCapacity + WB_PADDING), *end = first;
    const REAL own = real_set(task->reach[i]);
    const REAL px = real_set(task->own.x[i]), py = real_set(task->own.y[i]), pz = real_set(task->own.z[i]);
    for (int k = 0; k < m; k += WB_LANES) {
        const REAL dx = real_load(s->x + k) - px, dy = real_load(s->y + k) - py,
                   dz = real_load(s->z + k) - pz;
        const REAL most = real_max(own, real_load(s->h + k));
        const REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        const unsigned ok = lane_less(r2, most * most);
        end += lane_pack_ints(end, ok, ints_load(s->id + k));
        s->pairs += __builtin_popcount(lane_less(r2, own * own));
    }
    s->pairs -= task->findsItself;
    ints_store(end, ints_set(task->dummy));
    return (int)(end - first);
}

// How many of the `count` points from i on can be searched as one, their box and their largest reach.
static int find_shared(const wbThesisListTask *task, int i, int count, Box *box, float *largest) {
    *box = box_of(&task->own, i, 1), *largest = task->reach[i];
    for (int k = 1; k < count; k++) {
        const Box next = box_of(&task->own, i + k, 1);
        const float larger = fmaxf(*largest, task->reach[i + k]);
        Box joint;
        bool fits = true;
        for (int a = 0; a < 3; a++) {
            joint.min[a] = fminf(next.min[a], box->min[a]), joint.max[a] = fmaxf(next.max[a], box->max[a]);
            fits &= joint.max[a] - joint.min[a] <= (a == 0 ? 2.0f : 1.2f) * task->size[i];
        }
        if (!fits) return k;
        *box = joint, *largest = larger;
    }
    return count;
}

WB_INLINE void build_reached_group(const wbThesisListTask *task, wbListStore *s, int i) {
    const wbListTask lists = {.neighbours = task->neighbours, .memory = task->memory, .dummy = task->dummy};
    int found[WB_GROUP];
    if (task->findsItself) fetch_rows(s);
    for (int l = 0; l < WB_GROUP; l++) found[l] = -WB_LANES;
    for (int l = 0; l < WB_GROUP && i + l < task->own.count;) {
        const int left = task->own.count - i - l, room = SHARED_POINTS - l % SHARED_POINTS;
        Box box;
        float largest;
        const int end = l + find_shared(task, i + l, left < room ? left : room, &box, &largest);
        const int m = find_reached(task, s, &box, largest);
        if (s->failed) return;
        for (; l < end; l++) found[l] = filter_reached(task, s, m, i + l, l);
    }
    store_lists(&lists, s, i / WB_GROUP, found);
}

static void build_reached(int begin, int end, int worker, void *context) {
    const wbThesisListTask *task = context;
    wbListStore *store = &task->neighbours->stores[worker];
    uint8_t *owners = task->neighbours->owners.data;
    for (int i = begin; i < end; i += WB_GROUP) {
        if (i % WB_BLOCK == 0) owners[i / WB_BLOCK] = (uint8_t)worker;
        build_reached_group(task, store, i);
        if (store->failed) return;
    }
}
