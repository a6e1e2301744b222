// SPDX-License-Identifier: MIT
// How strong a source is at a point: the same in C and in OpenCL C.
#pragma once

#ifdef __OPENCL_VERSION__
#    define smoke_exp(x) exp(x)
#    define smoke_abs(x) fabs(x)
#else
#    include <math.h>
#    define smoke_exp(x) expf(x)
#    define smoke_abs(x) fabsf(x)
#endif

/// Values of a field that a source may reach, and what it does to them.
typedef struct SmokeFeed {
    int isBox, isSoft;
    float extent[3], radius;       ///< m
    float origin[3], centre[3], h; ///< m, of the grid and the source
    float shift[3];                ///< of the values in their cells
    int first[3], end[3];          ///< values within the source's bounds
    int isFlat;                    ///< 2D: z does not count
    float target, share;
} SmokeFeed;

/// Where value n stands along an axis, seen from the source.
static inline float smoke_distance(const SmokeFeed *feed, int axis, int n) {
    if (feed->isFlat && axis == 2) return 0;
    return feed->origin[axis] + feed->h * ((float)n + feed->shift[axis]) - feed->centre[axis];
}

/// How much value (i, j, k) is drawn, 0 to 1.
static inline float smoke_strength(const SmokeFeed *feed, int i, int j, int k) {
    float x = smoke_distance(feed, 0, i), y = smoke_distance(feed, 1, j), z = smoke_distance(feed, 2, k);
    if (feed->isBox)
        return smoke_abs(x) <= feed->extent[0] && smoke_abs(y) <= feed->extent[1] &&
               smoke_abs(z) <= feed->extent[2];
    float r2 = (x * x + y * y + z * z) / (feed->radius * feed->radius);
    if (r2 > 1) return 0;
    return feed->isSoft ? smoke_exp(-2 * r2) : 1;
}
