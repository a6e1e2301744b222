// SPDX-License-Identifier: MIT
// Cells on a device. Built with HASHED 0 or 1 (space/grid.h). The search itself stands in walk.cl, the kernels that put points
// into the order of cells in order_cells.cl: what stands here is compiled with every program that searches.

typedef struct Box {
    float low[3], high[3];
} Box;

WB_INLINE int cell_along(float x, int axis, const SpaceCells *cells) {
    float cell = (x - cells->min[axis]) * cells->inverseCell[axis];
    int last = cells->size[axis] - 1; // as a float it may be rounded up
    return min((int)clamp(cell, 0.0f, (float)last), last);
}

// Cells of the lowest and the highest point within reach; what is far from the origin is rounded coarsely.
WB_INLINE int lowest_cell(float x, float reach, int axis, const SpaceCells *cells) {
    return cell_along(x - reach - 1e-6f * fabs(x), axis, cells);
}
WB_INLINE int highest_cell(float x, float reach, int axis, const SpaceCells *cells) {
    return cell_along(x + reach + 1e-6f * fabs(x), axis, cells);
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
