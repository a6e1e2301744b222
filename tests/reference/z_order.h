// SPDX-License-Identifier: MIT
// The neighbour search of L. Geyer, Adaptive Sampling in Position-Based Fluids (TU Wien 2022), section 5.4.2: points sorted by
// Z-order, and for each 3^d binary searches for cells that are just not smaller than its reach.
#pragma once

#include <stdint.h>

typedef struct refZOrder {
    int dimensions, count;
    const float *x, *y, *z, *h; ///< h: how far each point looks
    float min[3], cell;         ///< of the finest cells
    uint64_t *codes;            ///< sorted
    int *order;                 ///< points by code
} refZOrder;

refZOrder *refCreateZOrder(int dimensions, int count, const float *x, const float *y, const float *z,
                           const float *h);
void refDestroyZOrder(refZOrder *search);
/// All j with |x_i - x_j| < h_i, i itself included, into `found` (NULL: only counted); how many there are.
int refFindByZOrder(const refZOrder *search, int i, int *found);
