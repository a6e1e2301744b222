// SPDX-License-Identifier: MIT
// Sorting points into cells on a device; the search itself stands in walk.cl, for the kernels of solvers.
#pragma once

#include "gpu/gpu_sort.h"
#include "space/grid.h"
#include "space/mirror.h"
#include "space/space_device.h"

typedef struct wbGpuCells {
    wbGpu *gpu;
    wbGpuSort *sort;
    wbGpuKernel *keyKernels[2]; ///< dense, hashed; NULL until they are needed
    wbGpuKernel *reorderKernel;
    wbGpuBuffer keys, order;
    wbGpuBuffer bucketStart; ///< int per bucket and one more, as in wbGrid
    wbGrid grid;             ///< the layout only
    SpaceCells cells;        ///< the same for kernels
} wbGpuCells;

/// Sources that a solver's program starts with: real.cl, then what its kernels need to search.
#define WB_GPU_SEARCH_SOURCES                                                                                \
    wb_clReal, wb_clKernelFormula, wb_clSpaceDevice, wb_clVector, wb_clCells, wb_clMirror, wb_clWalk
extern const char wb_clReal[], wb_clKernelFormula[], wb_clSpaceDevice[], wb_clVector[], wb_clCells[],
    wb_clMirror[], wb_clWalk[];

wbStatus wbGpuCells_Init(wbGpuCells *cells, wbMemory *memory, wbGpu *gpu);
void wbGpuCells_Free(wbGpuCells *cells);

/// Points on the device.
typedef struct wbGpuPoints {
    const wbGpuBuffer *x, *y, *z;
    int count;
    float min[3], max[3]; ///< m, a box around about all of them
} wbGpuPoints;

/// A grid's layout for kernels.
SpaceCells wbGetSpaceCells(const wbGrid *grid);

/// Finds their order. The caller moves its arrays into it before it searches.
wbStatus wbGpuCells_Sort(wbGpuCells *cells, const wbGpuPoints *points, float radius, int dimensions);
/// to[k] = from[order[k]] for arrays of words; then each pair changes places.
wbStatus wbGpuCells_Reorder(wbGpuCells *cells, int count, wbGpuBuffer *front, wbGpuBuffer *back, int arrays);

/// Points on the device in the order of their cells, for kernels that search them (walk.cl).
typedef struct wbGpuSearch {
    int count, items; ///< an item has as many points as REAL has lanes
    SpaceSearch space;
    const wbGpuCells *cells;
    const wbGpuBuffer *points; ///< x, y, z
    wbGpuArg constants;        ///< of the solver's formulas
} wbGpuSearch;

/// Runs a kernel of SEARCHED points among themselves, with the constants and these arguments behind those.
wbStatus wbGpuSearch_Run(const wbGpuSearch *search, wbGpuKernel *kernel, const wbGpuArg *args, int argCount);
/// The same where an item has not as many points as REAL has lanes.
wbStatus wbGpuSearch_RunItems(const wbGpuSearch *search, wbGpuKernel *kernel, int items, const wbGpuArg *args,
                              int argCount);

/// How a box mirrors within the radius, for kernels. Velocities are mirrored as on free-slip sides.
SpaceSides wbGetSpaceSides(const wbDomain *domain, float radius);
