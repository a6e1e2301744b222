// SPDX-License-Identifier: MIT
// How strong a source is at a point: the same in C and in OpenCL C.
#pragma once

#ifdef __OPENCL_VERSION__
#    define SMOKE_GLOBAL __global
#    define smoke_exp(x) exp(x)
#    define smoke_abs(x) fabs(x)
#else
#    include <math.h>
#    define SMOKE_GLOBAL
#    define smoke_exp(x) expf(x)
#    define smoke_abs(x) fabsf(x)
#endif

/// Values of a field that a source may reach, and what it does to them.
typedef struct SmokeFeed {
    int isMesh, isBox, isSoft;
    int cells[3], axis;            ///< mesh: of the grid; that the values are faces of, or 3
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

/// `mask`: of a mesh, by wbSmokeCell.
static inline int smoke_is_in_mesh(const SmokeFeed *feed, SMOKE_GLOBAL const unsigned char *mask, int i,
                                   int j, int k) {
    return i < feed->cells[0] && j < feed->cells[1] && k < feed->cells[2] &&
           mask[i + feed->cells[0] * (k + feed->cells[2] * j)];
}

/// How much value (i, j, k) is drawn, 0 to 1. A face is in a mesh if one of its cells is.
static inline float smoke_strength(const SmokeFeed *feed, SMOKE_GLOBAL const unsigned char *mask, int i,
                                   int j, int k) {
    if (feed->isMesh) {
        int x = i - (feed->axis == 0), y = j - (feed->axis == 1), z = k - (feed->axis == 2);
        return smoke_is_in_mesh(feed, mask, i, j, k) ||
               (x >= 0 && y >= 0 && z >= 0 && smoke_is_in_mesh(feed, mask, x, y, z));
    }
    float x = smoke_distance(feed, 0, i), y = smoke_distance(feed, 1, j), z = smoke_distance(feed, 2, k);
    if (feed->isBox)
        return smoke_abs(x) <= feed->extent[0] && smoke_abs(y) <= feed->extent[1] &&
               smoke_abs(z) <= feed->extent[2];
    float r2 = (x * x + y * y + z * z) / (feed->radius * feed->radius);
    if (r2 > 1) return 0;
    return feed->isSoft ? smoke_exp(-2 * r2) : 1;
}
