// SPDX-License-Identifier: MIT
// Cells on a device: their keys, and points moved into the order of cells. Built with HASHED 0 or 1 (space/grid.h). The search
// itself stands in walk.cl.

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

// A row of cells has parts of eight where it is hashed; else it is one.
WB_INLINE int part_of(int x) { return HASHED ? x >> 3 : 0; }
WB_INLINE int place_of(int x) { return HASHED ? x & 7 : x; }
WB_INLINE int last_place(const SpaceCells *cells) { return HASHED ? 7 : cells->size[0] - 1; }

__kernel void cells_keys(int count, SpaceCells grid, __global const float *x, __global const float *y,
                         __global const float *z, __global uint *keys) {
    int i = get_global_id(0);
    if (i >= count) return;
    int cx = cell_along(x[i], 0, &grid), cy = cell_along(y[i], 1, &grid), cz = cell_along(z[i], 2, &grid);
    keys[i] = (uint)(first_bucket(part_of(cx), cy, cz, &grid) + place_of(cx));
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

WB_INLINE float lowest(REAL a, MASK inside) {
    return -real_largest(real_select(inside, -a, real_set(-MAXFLOAT)));
}
WB_INLINE float highest(REAL a, MASK inside) {
    return real_largest(real_select(inside, a, real_set(-MAXFLOAT)));
}

WB_INLINE Box box_around(Real3 p, MASK inside) {
    Box box = {{lowest(p.x, inside), lowest(p.y, inside), lowest(p.z, inside)},
               {highest(p.x, inside), highest(p.y, inside), highest(p.z, inside)}};
    return box;
}
