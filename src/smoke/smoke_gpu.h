// SPDX-License-Identifier: MIT
// The same solver on a compute device. Fields and pressure stay on it between steps; the host's (wbSmoke) are what was
// copied back last.
#pragma once

#include "gpu/gpu.h"
#include "smoke/smoke.h"

typedef struct wbSmokeGpu wbSmokeGpu;

wbStatus wbCreateSmokeGpu(wbMemory *memory, wbGpu *gpu, wbSmokeGpu **device);
void wbDestroySmokeGpu(wbSmokeGpu *device);

/// The host's fields or pressure changed: they are copied to the device at the next step. Solids that were set are
/// noticed without this.
void wbSmokeGpu_Invalidate(wbSmokeGpu *device);

/// Advances the device's fields as wbSmoke_Step does the host's, and sets all of `smoke` that tells of the last step.
/// After wb_errorMemory, or if kernels cannot be built, the fields are as before. If the device fails, they are lost,
/// and the host's are the last good ones: wbSmokeGpu_IsNewer tells which.
wbStatus wbSmokeGpu_Step(wbSmokeGpu *device, wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                         const wbSmokeSource *sources, int sourceCount, double time, float dt);

/// As wbSmoke_Project.
wbStatus wbSmokeGpu_Project(wbSmokeGpu *device, wbSmoke *smoke, const wbSmokeModel *model,
                            const wbWork *work);

/// True if the device's fields are ahead of the host's.
bool wbSmokeGpu_IsNewer(const wbSmokeGpu *device);
/// Copies them back. After a failure the device's are lost, and the host's are what they were.
wbStatus wbSmokeGpu_Pull(wbSmokeGpu *device, wbSmoke *smoke);
