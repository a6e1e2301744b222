// SPDX-License-Identifier: MIT
// Response on a compute device: while a fluid iterates there, what is free gives way to it there, too. In a part of a step
//
//     wbBoundaryGpu_Place(…)
//     wbResponseGpu_Begin(…)      what gives way, as it is: it is copied to the device
//     wbResponseGpu_Answer(…)     after each iteration: nothing is copied
//     wbResponseGpu_End(…)        how far each has given way: it is copied back, before anything asks the host where bodies are
#pragma once

#include "space/boundary_gpu.h"
#include "space/colliders.h"

typedef struct wbResponseGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbGpuKernel *sum, *answer, *follow;
    wbGpuBuffer points, owners, firstBlocks, rows, answers, sums;
    wbArray hostPoints, hostOwners, hostFirst, hostNext; ///< int
    wbArray bodyRows;    ///< int, of each body of the boundary: its row; -1: it has none
    wbArray hostRows;    ///< Response
    wbArray hostFloats;  ///< float, of the same
    wbArray hostAnswers; ///< ResponseAnswer
    int count, blocks;   ///< rows of this part, and blocks of their points
    wbBoundaryTime time;
} wbResponseGpu;

void wbResponseGpu_Init(wbResponseGpu *response, wbMemory *memory, wbGpu *gpu);
void wbResponseGpu_Free(wbResponseGpu *response);
/// Before anything runs: its kernels, and room for all points of these colliders. Does nothing where nothing responds.
wbStatus wbResponseGpu_Reserve(wbResponseGpu *response, const wbFluidColliders *colliders);

/// Points were placed for this time, in a part of so many seconds. The same for all that follow.
wbStatus wbResponseGpu_Begin(wbResponseGpu *response, const wbBoundaryGpu *points,
                             const wbFluidColliders *colliders, wbBoundaryTime time, float seconds);
/// To forces at all places, of this part so far (N). Where `stop` is given nothing happens once its 32-bit word `stopAt` is not 0.
wbStatus wbResponseGpu_Answer(const wbResponseGpu *response, const wbBoundaryGpu *points,
                              const wbGpuBuffer forces[3], const wbGpuBuffer *stop, int stopAt);
wbStatus wbResponseGpu_End(wbResponseGpu *response, const wbFluidColliders *colliders);
/// Whether anything may give way in this part.
static inline bool wbResponseGpu_IsAny(const wbResponseGpu *response) { return response->count > 0; }
