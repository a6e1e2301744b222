// SPDX-License-Identifier: MIT
// Ids of merged particles, in any order: which one comes again.
#pragma once

#include <stdint.h>

/// Takes the largest out; there is one.
static inline uint32_t takeLargest(uint32_t *ids, int *count) {
    int largest = 0;
    for (int k = 1; k < *count; k++)
        if (ids[k] > ids[largest]) largest = k;
    const uint32_t id = ids[largest];
    ids[largest] = ids[--*count];
    return id;
}
