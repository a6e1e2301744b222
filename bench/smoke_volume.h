// SPDX-License-Identifier: MIT
// A volume of smoke on its own, for benchmarks and validation.
#pragma once

#include "smoke/smoke.h"

typedef struct wbSmokeVolume {
    wbWork work;
    wbSmokeModel model;
    wbSmoke smoke;
} wbSmokeVolume;

/// threadCount 0: one per core. Free it also if this fails.
wbStatus wbCreateSmokeVolume(wbSmokeVolume *volume, const wbSmokeParams *params, const wbDomainDef *domain,
                             int dimensions, int threadCount, wbSimd simd);
void wbDestroySmokeVolume(wbSmokeVolume *volume);

/// Solids where the function says so, of a body at rest.
typedef bool wbSolidFn(wbVec3 point, const void *context);
wbStatus wbFillSolids(wbSmokeVolume *volume, wbSolidFn *isSolid, const void *context);
