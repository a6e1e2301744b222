// SPDX-License-Identifier: MIT
// The scene pipe-box, made by code: a pipe fills a box with 32,768 particles.
#pragma once

#include "wirbel/wirbel.h"

/// The box and the parameters of scenes/pipe-box.json.
wbWorldDef wbMakePipeWorld(void);

/// The pipe in its wall.
wbStatus wbAddPipe(wbWorld *world, wbFluidId fluid);
