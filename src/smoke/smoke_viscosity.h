// SPDX-License-Identifier: MIT
// Implicit viscosity: (1 - nu dt laplace) u = u*, by conjugate gradients for each component.
#pragma once

#include "smoke/smoke_code.h"

/// Share of the first residual that may remain, and iterations at most.
#define WB_VISCOSITY_TOLERANCE 1e-5
enum { WB_VISCOSITY_ITERATIONS = 1000 };

/// Air sticks to solids; at free-slip and open sides it does not.
wbStatus wbDiffuseSmoke(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeKind kinds[4],
                        const wbWork *work, float dt);
