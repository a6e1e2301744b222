// SPDX-License-Identifier: MIT
// Mirror images of points behind the closed sides of a box, over edges and corners too. Images make walls
// part of every sum: a lattice that ends half a spacing before a wall goes on undisturbed behind it.
#pragma once

#include "space/neighbours.h"

/// A box with closed and open sides, in the order of wbSide. Opposite closed sides are at least a radius
/// apart.
typedef struct wbBox {
    float min[3], max[3];
    bool closed[6];
} wbBox;

typedef struct wbImages {
    float *x, *y, *z;
    int *source;     ///< the point that is mirrored
    uint32_t *sides; ///< bit s: mirrored at side s
    int count;
} wbImages;

/// Images of all points nearer than `radius` to a closed side, in the arena, ordered by source.
wbStatus wbMirrorPoints(const wbWork *work, const wbBox *box, wbPoints points, float radius,
                        wbImages *images);

/// Sorts images by cell into a grid and gives the set to search, whose list entries start at firstIndex.
wbStatus wbSortImages(wbGrid *grid, const wbWork *work, const wbBox *box, float radius, int dimensions,
                      int firstIndex, wbImages *images, wbPointSet *set);
