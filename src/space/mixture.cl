// SPDX-License-Identifier: MIT
// Fluids of different density on a device.

// Of which fluid particles are, by their ids: relative densities. Runs of ids begin at `first`, see wbMixture.
__kernel void fluid_mix(int count, int runs, __global const uint *first, __global const float *densities,
                        __global const uint *ids, __global float *relative) {
    const int i = get_global_id(0);
    if (i >= count) return;
    int low = 0, high = runs;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (first[middle] <= ids[i])
            low = middle;
        else
            high = middle;
    }
    relative[i] = densities[low];
}
