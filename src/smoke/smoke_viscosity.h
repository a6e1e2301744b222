// SPDX-License-Identifier: MIT
// Implicit viscosity: (1 - nu dt laplace) u = u* for each component.
#pragma once

#include "smoke/smoke_code.h"

/// Air sticks to solids; at free-slip and open sides it does not.
wbStatus wbDiffuseSmoke(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeKind kinds[4],
                        const wbWork *work, float dt);
