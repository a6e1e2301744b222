// SPDX-License-Identifier: MIT
// The box around particles: the part of it that each group of items has seen, which goes over them with the stride of all items. Only `min` and `max` of
// summaries are told.
__kernel __attribute__((reqd_work_group_size(FLUID_SUMMARY_GROUP, 1, 1))) void
fluid_bound(int count, __global const float *x, __global const float *y, __global const float *z,
            __local FluidSummary *shared, __global FluidSummary *summaries) {
    const int item = get_local_id(0);
    FluidSummary own = {0,      0, {MAXFLOAT, MAXFLOAT, MAXFLOAT}, {-MAXFLOAT, -MAXFLOAT, -MAXFLOAT}, 0, 0,
                        {0, 0}, 0};
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
        const float p[3] = {x[i], y[i], z[i]};
        for (int a = 0; a < 3; a++) own.min[a] = fmin(own.min[a], p[a]), own.max[a] = fmax(own.max[a], p[a]);
    }
    shared[item] = own;
    for (int width = FLUID_SUMMARY_GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item >= width) continue;
        for (int a = 0; a < 3; a++) {
            shared[item].min[a] = fmin(shared[item].min[a], shared[item + width].min[a]);
            shared[item].max[a] = fmax(shared[item].max[a], shared[item + width].max[a]);
        }
    }
    if (item == 0) summaries[get_group_id(0)] = shared[0];
}
