// SPDX-License-Identifier: MIT
// How crowded particles are: in the cells that a solver searches for neighbours in, and within the reach of each particle.
#pragma once

#include "core/array.h"
#include "render/renderer.h"

/// Cells are a support radius long, half of it in x, as src/space/grid.h lays them out, from the lowest particle on. Of a few strays far
/// away the cells are those at the border that is nearest to them.
typedef struct wbCrowd {
    wbVec3 min; ///< m
    float cell[3];
    int size[3];
    int count;      ///< of particles
    wbArray starts; ///< int per cell, and one more: the first of its particles in the order of cells
    wbArray order;  ///< int: places in the views, one after another
    wbArray places; ///< wbVec3, in the order of cells
    wbArray keys;   ///< int: cells of the particles, in the order of the views
    int filled;     ///< cells with particles
    int mostInCell;
    double meanInCell; ///< of those with particles
    int mostNeighbours;
    double meanNeighbours;
} wbCrowd;

/// Sorts the particles of those views whose fluids are of one solver; `fluids` as of a wbRenderScene, not NULL. Particles that are not
/// finite are left out.
wbStatus wbCrowd_Sort(wbCrowd *crowd, const wbView *views, const wbRenderFluid *fluids, int viewCount,
                      int solver);
/// After it: other particles nearer than the own support radius, of each. `counts` is as long as all views are, in their order; those
/// of other solvers are left alone. NULL: only their mean and the most.
void wbCrowd_CountNeighbours(wbCrowd *crowd, const wbView *views, const wbRenderFluid *fluids, int viewCount,
                             int solver, float spacing, float *counts);
void wbCrowd_Free(wbCrowd *crowd);

static inline int wbCrowd_GetInCell(const wbCrowd *crowd, int x, int y, int z) {
    const int *starts = crowd->starts.data;
    const int cell = x + crowd->size[0] * (y + crowd->size[1] * z);
    return starts[cell + 1] - starts[cell];
}
