// SPDX-License-Identifier: MIT
// The keys of points' cells, and points moved into the order of cells (cells.cl).

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
