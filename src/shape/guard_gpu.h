// SPDX-License-Identifier: MIT
// The guard on a compute device.
#pragma once

#include "gpu/gpu.h"
#include "shape/guard.h"

typedef struct wbGuardGpu wbGuardGpu;

/// Uploads the guard's trees, and reserves all that a run needs. The guard must live longer.
wbStatus wbCreateGuardGpu(wbMemory *memory, wbGpu *gpu, wbGuard *guard, wbGuardGpu **device);
/// NULL is allowed.
void wbDestroyGuardGpu(wbGuardGpu *device);

/// Particles on the device, as in wbGuardPoints.
typedef struct wbGuardBuffers {
    int count;
    bool isFlat; ///< they stay in the plane z = 0
    const wbGpuBuffer *before[3];
    wbGpuBuffer *position[3], *velocity[3];
} wbGuardBuffers;

/// Queues the guard; nothing is waited for.
wbStatus wbGuardGpu_Run(wbGuardGpu *device, const wbGuardPlace *places, const wbGuardBuffers *buffers);
/// Sums over all runs since the last call; waits for the device.
wbStatus wbGuardGpu_TakeCounts(wbGuardGpu *device, wbGuardCounts *counts);
