// SPDX-License-Identifier: MIT
// The collision on a compute device.
#pragma once

#include "gpu/gpu.h"
#include "space/collision.h"

typedef struct wbCollisionGpu wbCollisionGpu;

/// Uploads the collision's trees, and reserves all that a run needs. The collision must live longer.
wbStatus wbCreateCollisionGpu(wbMemory *memory, wbGpu *gpu, wbCollision *collision, wbCollisionGpu **device);
/// NULL is allowed.
void wbDestroyCollisionGpu(wbCollisionGpu *device);

/// Particles on the device, as in wbCollisionPoints.
typedef struct wbCollisionBuffers {
    int count;
    bool isFlat; ///< they stay in the plane z = 0
    const wbGpuBuffer *before[3];
    wbGpuBuffer *position[3], *velocity[3];
    /// @name As in wbCollisionGifts
    /// @{
    wbGpuBuffer *sums; ///< wbSharedSum, from the 32-bit word `firstSum` on; NULL: velocities are not to last
    int firstSum;
    float share;
    const wbGpuBuffer *relative; ///< NULL: all 1
    /// @}
} wbCollisionBuffers;

/// Queues the collision; nothing is waited for.
wbStatus wbCollisionGpu_Run(wbCollisionGpu *device, const wbCollisionPlace *places,
                            const wbCollisionBuffers *buffers);
/// Sums over all runs since the last call; waits for the device.
wbStatus wbCollisionGpu_TakeCounts(wbCollisionGpu *device, wbCollisionCounts *counts);
