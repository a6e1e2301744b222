// SPDX-License-Identifier: MIT
// Sources draw smoke, heat and motion to their own values.
#pragma once

#include "smoke/smoke_code.h"

/// Adds what sources make to b of the pressure, and to its sums of squares per plane. False if none makes any.
bool wbExpandSmoke(wbSmoke *smoke, const wbSmokeSource *sources, int sourceCount, double time, double *sums);

/// In the given fields, by wbSmokeField; only sources that work at `time`. Marks blocks that get smoke.
void wbFeedSmoke(const wbSmokeModel *model, const wbSmokeKind kinds[4], const wbWork *work,
                 float *const fields[wb_smokeFieldCount], uint8_t *marks, const wbSmokeSource *sources,
                 int sourceCount, double time, float dt);
