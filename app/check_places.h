// SPDX-License-Identifier: MIT
// What wirbel check says about drains, colliders and emitters that are where they do nothing.
#pragma once

#include "wirbel/scene.h"

/// Prints a warning for each drain and collider that is outside the box, and for each emitter in a collider.
void wbWarnOfPlaces(const wbScene *scene, const wbWorld *world);
