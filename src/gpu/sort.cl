// SPDX-License-Identifier: MIT
// Prefix sum, counting sort and bitonic sort. Groups have a power of two of items; each block of a scan and of a
// bitonic stage has two values per item. Nothing here depends on the order in which the device runs its items.

// Exclusive sum of each block: G. Blelloch, Prefix Sums and Their Applications, 1990. Sums over growing spans go up
// a tree, then the sums of what lies before go down it. Each item brings the sum of eight values, which takes a third
// of the time of a tree over single values (PoCL). The block's total goes to `totals`.
kernel void scan_blocks(global uint *values, global uint *totals, uint count, local uint *part) {
    const uint item = get_local_id(0), items = get_local_size(0);
    const uint first = (uint)get_global_id(0) * SCAN_VALUES;
    uint sum = 0;
    for (uint i = first; i < first + SCAN_VALUES && i < count; ++i) sum += values[i];
    part[item] = sum;

    uint span = 1;
    for (uint active = items / 2; active > 0; active /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < active) part[span * (2 * item + 2) - 1] += part[span * (2 * item + 1) - 1];
        span *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        totals[get_group_id(0)] = part[items - 1];
        part[items - 1] = 0;
    }
    for (uint active = 1; active < items; active *= 2) {
        span /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < active) {
            const uint low = span * (2 * item + 1) - 1, high = span * (2 * item + 2) - 1;
            const uint before = part[high];
            part[high] += part[low];
            part[low] = before;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = part[item];
    for (uint i = first; i < first + SCAN_VALUES && i < count; ++i) {
        const uint value = values[i];
        values[i] = before;
        before += value;
    }
}

// Adds to each block what all blocks before it hold.
kernel void scan_add(global uint *values, global const uint *before, uint count, uint blockSize) {
    const uint i = get_global_id(0);
    if (i < count) values[i] += before[i / blockSize];
}

// Counts the keys; an item's rank is how many of its bucket came earlier, in whatever order the device runs them.
kernel void count_keys(global const uint *keys, uint count, global uint *histogram, global uint *ranks) {
    const uint i = get_global_id(0);
    if (i < count) ranks[i] = atomic_inc(&histogram[keys[i]]);
}

kernel void place_items(global const uint *keys, uint count, global const uint *bucketStart,
                        global const uint *ranks, global uint *order) {
    const uint i = get_global_id(0);
    if (i < count) order[bucketStart[keys[i]] + ranks[i]] = i;
}

static void insertion_sort(global uint *list, uint count) {
    for (uint k = 1; k < count; ++k) {
        const uint value = list[k];
        uint hole = k;
        for (; hole > 0 && list[hole - 1] > value; --hole) list[hole] = list[hole - 1];
        list[hole] = value;
    }
}

static void sift_down(global uint *heap, uint hole, uint count, uint value) {
    for (uint child = 2 * hole + 1; child < count; child = 2 * hole + 1) {
        if (child + 1 < count && heap[child + 1] > heap[child]) ++child;
        if (heap[child] <= value) break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = value;
}

static void heap_sort(global uint *list, uint count) {
    for (uint root = count / 2; root > 0; --root) sift_down(list, root - 1, count, list[root - 1]);
    for (uint last = count - 1; last > 0; --last) {
        const uint value = list[last];
        list[last] = list[0];
        sift_down(list, 0, last, value);
    }
}

// Puts the items of each bucket into the order of their indices: what the ranks left to chance.
kernel void order_buckets(global const uint *bucketStart, uint bucketCount, global uint *order) {
    const uint bucket = get_global_id(0);
    if (bucket >= bucketCount) return;
    const uint first = bucketStart[bucket], count = bucketStart[bucket + 1] - first;
    if (count <= 32) {
        insertion_sort(order + first, count);
    } else {
        heap_sort(order + first, count);
    }
}

// A pair is the key above the index: one comparison sorts by both. Padding comes last.
kernel void pair_keys(global const uint *keys, uint count, uint padded, global ulong *pairs) {
    const uint i = get_global_id(0);
    if (i < padded) pairs[i] = i < count ? (ulong)keys[i] << 32 | i : ULONG_MAX;
}

static bool is_ascending(uint place, uint size) { return (place & size) == 0; }

static void exchange_local(local ulong *part, uint item, uint stride, bool ascending) {
    const uint low = 2 * item - (item & (stride - 1)), high = low + stride;
    const ulong a = part[low], b = part[high];
    if ((a > b) == ascending) {
        part[low] = b;
        part[high] = a;
    }
}

static void load_block(local ulong *part, global const ulong *pairs) {
    const uint item = get_local_id(0), items = get_local_size(0), first = get_group_id(0) * 2 * items;
    part[item] = pairs[first + item];
    part[item + items] = pairs[first + item + items];
}

static void store_block(global ulong *pairs, local const ulong *part) {
    const uint item = get_local_id(0), items = get_local_size(0), first = get_group_id(0) * 2 * items;
    pairs[first + item] = part[item];
    pairs[first + item + items] = part[item + items];
}

// All stages up to the size of a block: neighbouring blocks end up in opposite orders.
kernel void bitonic_blocks(global ulong *pairs, local ulong *part) {
    const uint item = get_local_id(0), items = get_local_size(0);
    const uint place = 2 * (uint)get_global_id(0);
    load_block(part, pairs);
    for (uint size = 2; size <= 2 * items; size *= 2) {
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            exchange_local(part, item, stride, is_ascending(place, size));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_block(pairs, part);
}

// One stride that is longer than a block.
kernel void bitonic_stride(global ulong *pairs, uint pairCount, uint size, uint stride) {
    const uint item = get_global_id(0);
    if (item >= pairCount) return;
    const uint low = 2 * item - (item & (stride - 1)), high = low + stride;
    const ulong a = pairs[low], b = pairs[high];
    if ((a > b) == is_ascending(2 * item, size)) {
        pairs[low] = b;
        pairs[high] = a;
    }
}

// The strides of a stage that fit into a block.
kernel void bitonic_merge(global ulong *pairs, uint size, local ulong *part) {
    const uint item = get_local_id(0);
    const uint place = 2 * (uint)get_global_id(0);
    load_block(part, pairs);
    for (uint stride = get_local_size(0); stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        exchange_local(part, item, stride, is_ascending(place, size));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_block(pairs, part);
}

kernel void unpair_order(global const ulong *pairs, uint count, global uint *order) {
    const uint i = get_global_id(0);
    if (i < count) order[i] = (uint)pairs[i];
}

// The first place whose key is not below the bucket, by halving.
kernel void find_buckets(global const ulong *pairs, uint count, uint bucketCount, global uint *bucketStart) {
    const uint bucket = get_global_id(0);
    if (bucket > bucketCount) return;
    uint low = 0, high = count;
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        if ((uint)(pairs[middle] >> 32) < bucket) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bucketStart[bucket] = low;
}
