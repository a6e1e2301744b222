// SPDX-License-Identifier: MIT
// What of a scene with smoke does nothing as it stands.
#pragma once

#include "wirbel/scene.h"

/// Complains of each.
void wbWarnOfSmoke(const wbScene *scene, const wbWorld *world);
