// SPDX-License-Identifier: MIT
// How deep the water is, on a device, as pbf_depth.c finds it. Built with MIXED 1 for fluids of different density, else 0.

// Particles in cells along an axis of gravity, in two tables of slots. `relative` is read where MIXED alone, as it is in
// other kernels, and `lowest`.
__kernel void pbf_count_columns(int count, PbfColumns columns, __global const float *first,
                                __global const float *second, __global const float *height,
                                __global const float *relative, __global uint *tables) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const PbfSlots here = pbf_slots(pbf_cell(first[i], second[i], height[i], &columns), &columns);
    atomic_inc(&tables[here.one]);
    atomic_inc(&tables[columns.mask + 1 + here.other]);
#if MIXED
    const uint size = columns.mask + 1, heaviness = pbf_weigh(relative[i], &columns),
               lightness = pbf_lighten(relative[i], &columns);
    atomic_add(&tables[2 * size + here.one], heaviness);
    atomic_add(&tables[3 * size + here.other], heaviness);
    atomic_add(&tables[4 * size + here.one], lightness);
    atomic_add(&tables[5 * size + here.other], lightness);
#endif
}

// The particles of the deepest water, behind the tables.
__kernel void pbf_find_deepest(int count, PbfColumns columns, __global const float *first,
                               __global const float *second, __global const float *height,
                               __global const float *relative, __global uint *tables) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const PbfCell here = pbf_cell(first[i], second[i], height[i], &columns);
    const uint run = pbf_find_run(tables, here, count, &columns, MIXED);
    if (run > 0) atomic_max(&tables[(MIXED ? 6 : 2) * (columns.mask + 1)], run);
}
