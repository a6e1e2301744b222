// SPDX-License-Identifier: MIT
// Clouds beside smoke: one medium of both, whose colour in each cell is between that of the smoke and white.
#pragma once

#include "core/array.h"
#include "wirbel/scene.h"

/// The view with droplets among its smoke, and colours; as it is where it has none. `opacity`: 1/m, of smoke of density 1. `numbers`
/// has to last as long as it.
wbStatus wbMixClouds(wbArray *numbers, const wbSmokeView *view, const wbOutputParams *output, float opacity,
                     wbSmokeView *mixed);
