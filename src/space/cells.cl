// SPDX-License-Identifier: MIT
// Searching on a device. A work-item holds the WB_LANES points that follow each other in the order of cells, and goes
// over the candidates around all of them, one after the other: nothing is listed, so nothing can overflow. Built with
// HASHED 0 or 1 (space/grid.h).
//
//     for (int begin = first, end; begin < last; begin = end) {       points of one row of cells share a search
//         end = end_of_row(…);
//         Box box = box_around(…);
//         FOR_CANDIDATES(j, box) { … }                                 all points within reach of the box, and some more
//     }

typedef struct Box {
    float low[3], high[3];
} Box;

WB_INLINE int cell_along(float x, int axis, const SpaceCells *cells) {
    float cell = (x - cells->min[axis]) * cells->inverseCell[axis];
    int last = cells->size[axis] - 1; // as a float it may be rounded up
    return min((int)clamp(cell, 0.0f, (float)last), last);
}

// Cells of the lowest and the highest point within reach; what is far from the origin is rounded coarsely.
WB_INLINE int lowest_cell(float x, int axis, const SpaceCells *cells) {
    return cell_along(x - cells->reach - 1e-6f * fabs(x), axis, cells);
}
WB_INLINE int highest_cell(float x, int axis, const SpaceCells *cells) {
    return cell_along(x + cells->reach + 1e-6f * fabs(x), axis, cells);
}

// Bucket of the first of eight cells in a row (hashed; Teschner et al. 2003), or of a whole row.
WB_INLINE int first_bucket(int part, int y, int z, const SpaceCells *cells) {
#if HASHED
    return 8 * (int)(((uint)part * 73856093u ^ (uint)y * 19349663u ^ (uint)z * 83492791u) & cells->slotMask);
#else
    return (z * cells->size[1] + y) * cells->size[0];
#endif
}

#if HASHED
#    define PART_OF(x)  ((x) >> 3)
#    define PLACE_OF(x) ((x)&7)
enum { PART_END = 7 };
#else
#    define PART_OF(x)  0
#    define PLACE_OF(x) (x)
#    define PART_END    (cells->size[0] - 1)
#endif

__kernel void cells_keys(int count, SpaceCells grid, __global const float *x, __global const float *y,
                         __global const float *z, __global uint *keys) {
    int i = get_global_id(0);
    if (i >= count) return;
    int cx = cell_along(x[i], 0, &grid), cy = cell_along(y[i], 1, &grid), cz = cell_along(z[i], 2, &grid);
    keys[i] = (uint)(first_bucket(PART_OF(cx), cy, cz, &grid) + PLACE_OF(cx));
}

// Moves four arrays of words into the order of cells.
__kernel void cells_reorder(int count, __global const uint *order, __global const uint *from0,
                            __global const uint *from1, __global const uint *from2,
                            __global const uint *from3, __global uint *to0, __global uint *to1,
                            __global uint *to2, __global uint *to3) {
    int k = get_global_id(0);
    if (k >= count) return;
    uint i = order[k];
    to0[k] = from0[i], to1[k] = from1[i], to2[k] = from2[i], to3[k] = from3[i];
}

// The end of those points behind `begin` that lie in the same row of cells (hashed: in the same part of it).
WB_INLINE int end_of_row(int begin, int last, const SpaceCells *cells, __global const int *bucketStart,
                         __global const float *x, __global const float *y, __global const float *z) {
    int cy = cell_along(y[begin], 1, cells), cz = cell_along(z[begin], 2, cells);
#if HASHED
    int part = PART_OF(cell_along(x[begin], 0, cells)), end = begin + 1;
    while (end < last && PART_OF(cell_along(x[end], 0, cells)) == part &&
           cell_along(y[end], 1, cells) == cy && cell_along(z[end], 2, cells) == cz)
        end++;
    return end;
#else
    return min(last, bucketStart[first_bucket(0, cy, cz, cells) + cells->size[0]]);
#endif
}

WB_INLINE float lowest(REAL a, MASK inside) {
    return -real_largest(real_select(inside, -a, real_set(-MAXFLOAT)));
}
WB_INLINE float highest(REAL a, MASK inside) {
    return real_largest(real_select(inside, a, real_set(-MAXFLOAT)));
}

WB_INLINE Box box_around(REAL x, REAL y, REAL z, MASK inside) {
    Box box = {{lowest(x, inside), lowest(y, inside), lowest(z, inside)},
               {highest(x, inside), highest(y, inside), highest(z, inside)}};
    return box;
}

// Two rows may share a bucket where they are hashed; then a point counts in its own row only.
#if HASHED
#    define IS_IN_ROW(j, part, cy, cz)                                                                       \
        (PART_OF(cell_along(x[j], 0, cells)) == (part) && cell_along(y[j], 1, cells) == (cy) &&              \
         cell_along(z[j], 2, cells) == (cz))
#else
#    define IS_IN_ROW(j, part, cy, cz) true
#endif

// Runs begin … end - 1 of the points in the cells around a box, which may be long.
#define FOR_RUNS(begin, end, box)                                                                            \
    for (int cz = lowest_cell((box).low[2], 2, cells), lastZ = highest_cell((box).high[2], 2, cells);        \
         cz <= lastZ; cz++)                                                                                  \
        for (int cy = lowest_cell((box).low[1], 1, cells), lastY = highest_cell((box).high[1], 1, cells);    \
             cy <= lastY; cy++)                                                                              \
            for (int cx = lowest_cell((box).low[0], 0, cells),                                               \
                     lastX = highest_cell((box).high[0], 0, cells), part = PART_OF(cx);                      \
                 part <= PART_OF(lastX); part++, cx = 0)                                                     \
                for (int bucket = first_bucket(part, cy, cz, cells),                                         \
                         begin = bucketStart[bucket + PLACE_OF(cx)],                                         \
                         end =                                                                               \
                             bucketStart[bucket + (part < PART_OF(lastX) ? PART_END : PLACE_OF(lastX)) + 1]; \
                     begin < end; begin = end)

#if WB_LANES == 1
#    define FOR_CANDIDATES(j, box)                                                                           \
        FOR_RUNS(run, runEnd, box)                                                                           \
        for (int j = run; j < runEnd; j++)                                                                   \
            if (IS_IN_ROW(j, part, cy, cz))
#else
// On CPUs the candidates of a run are first sifted by their distance to the box, WB_LANES at a time: a quarter to a
// third fewer pairs at a cost of about one cycle each. (A branch on "none of the lanes is near" loses what it saves.)
enum { SIFTED = 64 };
WB_INLINE int sift(int *near, int j, int end, int part, int cy, int cz, const Box *box,
                   const SpaceCells *cells, __global const float *x, __global const float *y,
                   __global const float *z) {
    const float reach2 = cells->reach * cells->reach;
    int count = 0;
    for (; j < end; j += WB_LANES) {
        REAL px = real_load(x + j), py = real_load(y + j), pz = real_load(z + j);
        REAL dx = real_max(real_max(box->low[0] - px, px - box->high[0]), real_set(0));
        REAL dy = real_max(real_max(box->low[1] - py, py - box->high[1]), real_set(0));
        REAL dz = real_max(real_max(box->low[2] - pz, pz - box->high[2]), real_set(0));
        MASK inside = (real_madd(dx, dx, real_madd(dy, dy, dz * dz)) < reach2) & lanes_below(end - j);
        int ones[WB_LANES];
        lanes_store(ones, mask_ones(inside));
        _Pragma("unroll") for (int l = 0; l < WB_LANES; l++) {
            near[count] = j + l;
            count += ones[l] && IS_IN_ROW(j + l, part, cy, cz);
        }
    }
    return count;
}

#    define FOR_CANDIDATES(j, box)                                                                           \
        int sifted[SIFTED + WB_LANES];                                                                       \
        FOR_RUNS(run, runEnd, box)                                                                           \
        for (int chunk = run; chunk < runEnd; chunk += SIFTED)                                               \
            for (int k = 0, j,                                                                               \
                     near = sift(sifted, chunk, min(chunk + SIFTED, runEnd), part, cy, cz, &(box), cells, x, \
                                 y, z);                                                                      \
                 k < near && (j = sifted[k], true); k++)
#endif

// The relative density of the fluid that a particle is of: runs of ids begin at `first`, see wbMixture.
WB_INLINE float relative_of(uint id, int runs, __global const uint *first, __global const float *densities) {
    int low = 0, high = runs;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (first[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return densities[low];
}
