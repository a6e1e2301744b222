// SPDX-License-Identifier: MIT
// The projection on a compute device, with the levels that pressure_build.c makes. The pressure stays on the device.
#pragma once

#include "gpu/gpu.h"
#include "smoke/pressure.h"
#include "smoke/pressure_device.h"
#include "smoke/smoke_device.h"
#include "smoke/smoke_source_formula.h"

typedef struct wbPressureGpu {
    wbGpu *gpu;
    struct {
        wbGpuKernel *smooth, *restrict_, *prolong, *ghosts, *tail, *relax, *jacobi, *measure, *mask, *patch;
        wbGpuKernel *compare, *mix;
        wbGpuKernel *divergence, *expand, *sumRuns, *sumParts, *balance, *gradient, *speed;
    } kernels;
    wbGpuBuffer levels, values, inverse, diagonal, rows, flags, weights; ///< see pressure.cl
    wbGpuBuffer patches, patchValues; ///< weights on their way to their places
    wbGpuBuffer ghosts, ghostSources, runs, starts, cells, runSums, means;
    wbGpuBuffer kept[2]; ///< copies of p, for Jacobi and slow solutions
    wbGpuBuffer sums;
    PressureLevel layout[WB_PRESSURE_LEVELS];
    int levelCount, tail; ///< the first level that has too few cells for launches of its own
    int64_t valueCount, weightCount;
    bool hasWeights;         ///< all; from then on those that changed are copied
    int runCount, partCount; ///< of air that cannot leave
} wbPressureGpu;

void wbPressureGpu_Init(wbPressureGpu *device, wbGpu *gpu);
void wbPressureGpu_Free(wbPressureGpu *device);

/// Kernels and room for the levels as they are: nothing after this fails for want of memory, but wbPressureGpu_Place.
wbStatus wbPressureGpu_Reserve(wbPressureGpu *device, const wbPressure *pressure);
/// Copies the levels to the device; its pressure stays where there still is air.
wbStatus wbPressureGpu_Place(wbPressureGpu *device, wbPressure *pressure, const wbWork *work);

/// The pressure of the finest level to the device.
wbStatus wbPressureGpu_Upload(wbPressureGpu *device, const wbPressure *pressure);
/// And back, into b of the finest level: p stays as it was until wbPressureGpu_Take.
wbStatus wbPressureGpu_Download(wbPressureGpu *device, wbPressure *pressure);
void wbPressureGpu_Take(wbPressure *pressure);

/// b from the velocity, what a source adds to it, and the sum of its squares.
wbStatus wbPressureGpu_FindDivergence(wbPressureGpu *device, const SmokeShape *shape,
                                      const wbGpuBuffer *velocity);
wbStatus wbPressureGpu_Expand(wbPressureGpu *device, const SmokeFeed *feed, const wbGpuBuffer *mask);
wbStatus wbPressureGpu_SumSquares(wbPressureGpu *device, double *sum);

/// As wbPressure_Balance and wbPressure_Solve.
wbStatus wbPressureGpu_Balance(wbPressureGpu *device);
wbStatus wbPressureGpu_Solve(wbPressureGpu *device, wbPressure *pressure, const wbSmokeParams *params,
                             double before, wbPressureResult *result);

/// Queues what takes the gradient away, also across walls, whose velocity has to be set again.
wbStatus wbPressureGpu_SubtractGradient(wbPressureGpu *device, const SmokeShape *shape, int axes,
                                        const wbGpuBuffer *velocity);
/// The largest velocity across a face.
wbStatus wbPressureGpu_FindMaxSpeed(wbPressureGpu *device, const SmokeShape *shape, int axes,
                                    const wbGpuBuffer *velocity, float *maxSpeed);

/// Groups of a kernel that sums over so many rows of so many values each.
int wbCountSumGroups(const wbGpu *gpu, int rows, int values);
/// Work-items of so many rows.
int wbCountRowItems(const wbGpu *gpu, int rows, int values);
