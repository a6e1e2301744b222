// SPDX-License-Identifier: MIT
// Implicit diffusion: (1 - alpha laplace) u = u*, by conjugate gradients, of a component of the velocity or of heat.
#pragma once

#include "smoke/smoke_code.h"

/// Shares of the first residual that may remain, and iterations at most. Heat that is left over is lost for good.
#define WB_VISCOSITY_TOLERANCE  1e-5
#define WB_CONDUCTION_TOLERANCE 1e-5
enum { WB_DIFFUSION_ITERATIONS = 1000 };

typedef struct wbDiffusion wbDiffusion;

/// What a quantity does at walls. `atRest`: in differences of it, as if every wall were at 0.
typedef struct wbDiffusionWalls {
    /// Values beyond the sides.
    void (*fillHalo)(const wbDiffusion *diffusion, float *field, bool atRest);
    /// Puts right what solids change in `to`: alpha laplace `from`, or at rest (1 - alpha laplace) `from`.
    void (*correct)(const wbDiffusion *diffusion, const float *from, float *to, bool atRest);
} wbDiffusionWalls;

struct wbDiffusion {
    wbSmokeDiffusion task;
    const wbSmoke *smoke;
    const wbSmokeModel *model;
    const wbSmokeKind *kinds;
    const wbWork *work;
    const wbDiffusionWalls *walls;
    double tolerance;
};

/// Fields of the task but u must be 0.
void wbDiffuse(wbDiffusion *diffusion);
