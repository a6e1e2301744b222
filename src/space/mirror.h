// SPDX-License-Identifier: MIT
// Ghosts, mirror images of points behind the closed sides of a box, over edges and corners too. Ghosts make walls
// part of every sum: a lattice that ends half a spacing before a wall goes on undisturbed behind it.
#pragma once

#include "space/neighbours.h"

/// A box with closed and open sides, in the order of wbSide. Opposite closed sides are at least a radius
/// apart.
typedef struct wbBox {
    float min[3], max[3];
    bool closed[6];
} wbBox;

typedef struct wbGhosts {
    float *x, *y, *z;
    int *source;     ///< the point that is mirrored
    uint32_t *sides; ///< bit s: mirrored at side s
    int count;
} wbGhosts;

/// Ghosts of all points nearer than `radius` to a closed side, in the arena, ordered by source.
wbStatus wbMirrorPoints(const wbWork *work, const wbBox *box, wbPoints points, float radius,
                        wbGhosts *ghosts);

/// Sorts ghosts by cell into a grid and gives the set to search, whose list entries start at firstIndex.
wbStatus wbSortGhosts(wbGrid *grid, const wbWork *work, const wbBox *box, float radius, int dimensions,
                      int firstIndex, wbGhosts *ghosts, wbPointSet *set);
