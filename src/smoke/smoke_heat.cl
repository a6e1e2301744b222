// SPDX-License-Identifier: MIT
// Conduction of heat on a device, what is its own of it: see smoke_heat.c.

// What solids change in `to`: see wbDiffusionWalls.
__kernel void smoke_heat_edges(SmokeShape shape, int count, float alpha, float ambient, int atRest,
                               __global const SmokeHeatEdge *edges, __global const float *from, int fromField,
                               __global float *to, int toField) {
    const int n = get_global_id(0);
    if (n >= count) return;
    const SmokeHeatEdge edge = edges[n];
    __global float *value = to + value_index(&shape, toField, 0, -1, -1) + edge.place;
    const float own = from[value_index(&shape, fromField, 0, -1, -1) + edge.place];
    const float change = smoke_heat_edge(edge, own, ambient, atRest ? 0.0f : 1.0f);
    *value = edge.isAir ? *value + (atRest ? -alpha : alpha) * change : 0.0f;
}

// Marks blocks that heat came to; what is nearly nothing is taken away. A group has a block of cells.
__kernel __attribute__((reqd_work_group_size(SMOKE_BLOCK_GROUP, 1, 1))) void
smoke_heat_mark(SmokeShape shape, int field, __global float *scalars, __global uchar *marks,
                __global uchar *dirty) {
    __local int found[SMOKE_BLOCK_GROUP];
    const int block = get_group_id(0), across = (shape.nx + SMOKE_BLOCK_X - 1) / SMOKE_BLOCK_X,
              behind = (shape.nz + SMOKE_BLOCK - 1) / SMOKE_BLOCK;
    const int firstX = block % across * SMOKE_BLOCK_X, firstZ = block / across % behind * SMOKE_BLOCK,
              firstY = block / across / behind * SMOKE_BLOCK;
    const int count = min(SMOKE_BLOCK_X, shape.nx - firstX);
    const int k = firstZ + get_local_id(0) % SMOKE_BLOCK, j = firstY + get_local_id(0) / SMOKE_BLOCK;
    const bool isThere = k < shape.nz && j < shape.ny, isMarked = marks[block];
    __global float *row = scalars + value_index(&shape, field, firstX, j, k);
    bool any = false;
    for (int i = 0; i < count && isThere; i++) any |= fabs(row[i]) > SMOKE_LEAST;
    found[get_local_id(0)] = any;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // all have looked at marks
    any = false;
    for (int n = 0; n < SMOKE_BLOCK_GROUP; n++) any |= found[n] != 0;
    if (isMarked) return;
    for (int i = 0; i < count && isThere && !any; i++) row[i] = 0;
    if (get_local_id(0) == 0 && any) marks[block] = dirty[block] = 1;
}
