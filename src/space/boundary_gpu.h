// SPDX-License-Identifier: MIT
// The points of colliders on a compute device, for solvers that search them there (walk.cl).
#pragma once

#include "gpu/variants.h"
#include "space/boundary.h"
#include "space/gpu_cells.h"

/// Buffers of all places: one float each, then records of four.
typedef enum wbPlaceBuffer {
    wb_placeX,
    wb_placeY,
    wb_placeZ,
    wb_placeFx,
    wb_placeFy,
    wb_placeFz,
    wb_placePosition,
    wb_placeVelocity,
    WB_PLACE_BUFFERS
} wbPlaceBuffer;

enum { WB_PLACE_SETS = 2 }; ///< still, moving

typedef struct wbBoundaryGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbBoundary *boundary; ///< of the step
    int count, items;     ///< places; an item has as many as REAL has lanes
    wbGpuBuffer buffers[WB_PLACE_BUFFERS], bucketStart[WB_PLACE_SETS];
    SpacePlaces places[WB_PLACE_SETS];
    bool isNew[WB_PLACE_SETS]; ///< a set was copied by the last wbBoundaryGpu_Place
    wbArray host;              ///< float: forces on their way to the host
    int capacity;              ///< places
    bool hasStill;             ///< still places are on the device
    uint64_t stillHash;        ///< which
    wbGpuKernel **placeKernels[WB_PLACE_SETS], **particleKernels; ///< by whose cells are searched
} wbBoundaryGpu;

void wbBoundaryGpu_Init(wbBoundaryGpu *device, wbMemory *memory, wbGpu *gpu);
void wbBoundaryGpu_Free(wbBoundaryGpu *device);

/// Before anything runs: room for all points and their forces.
wbStatus wbBoundaryGpu_Reserve(wbBoundaryGpu *device, wbBoundary *boundary);
/// Places the bodies as they are at this time and copies them to the device.
wbStatus wbBoundaryGpu_Place(wbBoundaryGpu *device, const wbWork *work, wbBoundaryTime time);

/// The solver's kernels for cells as they are now; of its switches the first is HASHED. `kernels` are rows of all variants.
wbStatus wbBoundaryGpu_Build(wbBoundaryGpu *device, const wbGpuVariants *variants, wbGpuKernel **kernels,
                             unsigned switches, const wbGpuCells *cells);
/// Runs a kernel of SEARCHED_PLACES for particles, once for each set, with these arguments behind those.
wbStatus wbBoundaryGpu_RunAmongPlaces(wbBoundaryGpu *device, int kernel, const wbGpuSearch *particles,
                                      const wbGpuArg *args, int argCount);
/// Runs a kernel of SEARCHED_PARTICLES for all places, with these arguments behind those.
wbStatus wbBoundaryGpu_RunAmongParticles(wbBoundaryGpu *device, int kernel, const wbGpuSearch *particles,
                                         const wbGpuArg *args, int argCount);
/// Copies the forces at all places to `host`: all x, then y, then z.
wbStatus wbBoundaryGpu_FetchForces(wbBoundaryGpu *device);
