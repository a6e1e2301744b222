// SPDX-License-Identifier: MIT
// What `wirbel check` and `wirbel run` say of fluids as a scene starts them.
#pragma once

#include "wirbel/scene.h"

/// What the qualities of fluids chose, and what the scene gives instead.
void wbPrintQualities(const wbScene *scene);
/// What the blocks of each fluid weigh where whole layers do not fill them.
void wbPrintBlocks(const wbScene *scene, const wbWorld *world);
/// If the step that is given is longer than the stability limit.
void wbWarnOfTimeStep(const wbWorld *world);
/// If the first step, which was done, found a fluid pressed together.
void wbWarnOfCompression(wbWorld *world);
