// SPDX-License-Identifier: MIT
// What of smoke and heat does nothing as a scene stands.
#pragma once

#include "wirbel/scene.h"

/// Complains of each.
void wbWarnOfSmoke(const wbScene *scene, const wbWorld *world);
