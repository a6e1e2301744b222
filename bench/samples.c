// SPDX-License-Identifier: MIT
#include "bench/samples.h"

#include <stdlib.h>

static int compareDoubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void wbSortSamples(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compareDoubles);
}

double wbQuantile(const double *sorted, int count, double share) {
    if (count == 0) return 0;
    double place = share * (count - 1);
    int below = (int)place;
    if (below >= count - 1) return sorted[count - 1];
    return sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]);
}
