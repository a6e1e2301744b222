// SPDX-License-Identifier: MIT
// Implicit diffusion on a device: see smoke_diffusion.h.
#pragma once

#include "smoke/smoke_gpu_state.h"

typedef struct wbDiffusionGpu wbDiffusionGpu;

/// As wbDiffusionWalls; `to` is a field of the work buffer.
typedef struct wbDiffusionWallsGpu {
    wbStatus (*fillHalo)(const wbDiffusionGpu *diffusion, const wbGpuBuffer *fields, int field, bool atRest);
    wbStatus (*correct)(const wbDiffusionGpu *diffusion, const wbGpuBuffer *from, int fromField, int to,
                        bool atRest);
} wbDiffusionWallsGpu;

struct wbDiffusionGpu {
    const wbSmokeGpuStep *step;
    const wbDiffusionWallsGpu *walls;
    const wbSmokeKind *kind;
    const wbGpuBuffer *fields; ///< of which one is spread
    int field;
    wbGpuBuffer *work; ///< three fields that nobody needs
    double tolerance;
    float alpha; ///< viscosity or diffusivity dt / h2
};

wbStatus wbDiffuseGpu(const wbDiffusionGpu *diffusion);
