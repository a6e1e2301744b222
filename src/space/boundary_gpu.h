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
    int firstCaught,
        caughtWords;    ///< wbBoundary.caught, as 32-bit words of the buffer wb_placeFx, behind the forces
    int capacity;       ///< places
    bool hasStill;      ///< still places are on the device
    uint64_t stillHash; ///< which
    wbGpuVariantSet program;                                      ///< of the solver
    wbGpuKernel **placeKernels[WB_PLACE_SETS], **particleKernels; ///< by whose cells are searched
} wbBoundaryGpu;

/// The solver's program has HASHED as its first switch. After an error it is to be freed.
wbStatus wbBoundaryGpu_Init(wbBoundaryGpu *device, wbMemory *memory, wbGpu *gpu,
                            const wbGpuVariants *program);
void wbBoundaryGpu_Free(wbBoundaryGpu *device);

/// Before anything runs: room for all points and their forces.
wbStatus wbBoundaryGpu_Reserve(wbBoundaryGpu *device, wbBoundary *boundary);
/// Places the bodies as they are at this time and copies them to the device.
wbStatus wbBoundaryGpu_Place(wbBoundaryGpu *device, const wbWork *work, wbBoundaryTime time);

/// The solver's kernels for cells as they are now, by its other switches.
wbStatus wbBoundaryGpu_Build(wbBoundaryGpu *device, unsigned switches, const wbGpuCells *cells);
/// Runs a kernel of SEARCHED_PLACES for particles, once for each set, with the constants and these arguments behind
/// those.
wbStatus wbBoundaryGpu_RunAmongPlaces(wbBoundaryGpu *device, int kernel, const wbGpuSearch *particles,
                                      const wbGpuArg *args, int argCount);
/// Runs a kernel of SEARCHED_PARTICLES for all places, with the constants and these arguments behind those.
wbStatus wbBoundaryGpu_RunAmongParticles(wbBoundaryGpu *device, int kernel, const wbGpuSearch *particles,
                                         const wbGpuArg *args, int argCount);
/// Runs a kernel over particles that searches nothing: its arguments are their count, the constants, and these.
wbStatus wbBoundaryGpu_RunOverParticles(wbBoundaryGpu *device, int kernel, const wbGpuSearch *particles,
                                        const wbGpuArg *args, int argCount);

/// Forces at all places, and what collisions give to bodies: sets them to 0; copies them to the host, the latter to the boundary.
wbStatus wbBoundaryGpu_ClearForces(wbBoundaryGpu *device);
typedef struct wbBoundaryForces {
    const float *x, *y, *z; ///< N, until the next step
} wbBoundaryForces;
wbStatus wbBoundaryGpu_FetchForces(wbBoundaryGpu *device, wbBoundaryForces *fetched);
