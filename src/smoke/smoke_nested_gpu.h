// SPDX-License-Identifier: MIT
// Air in two grids on a compute device, one solver for each.
#pragma once

#include "smoke/smoke_gpu.h"
#include "smoke/smoke_nested.h"

typedef struct wbSmokePairGpu {
    wbSmokeGpu *fine, *coarse;
} wbSmokePairGpu;

/// As wbSmokeGpu_Prepare.
wbStatus wbSmokePairGpu_Prepare(const wbSmokePairGpu *devices, const wbSmokePair *pair, const wbWork *work,
                                const wbSmokeSource *sources, int sourceCount);

/// As wbSmokePair_Step and wbSmokeGpu_Step: if the device fails, both grids are lost.
wbStatus wbSmokePairGpu_Step(const wbSmokePairGpu *devices, const wbSmokePair *pair, const wbWork *work,
                             const wbSmokeSource *sources, int sourceCount, double time, float dt,
                             double *coarseMs);
