// SPDX-License-Identifier: MIT
// What of a scene can hardly be meant: things that do nothing as they stand, or come too late to be seen.
#pragma once

#include "wirbel/scene.h"

/// Complains of each.
void wbWarnOfScene(const wbScene *scene, wbWorld *world);

/// Where a point of a collider's own frame is in the world.
wbVec3 wbApplyPose(const wbColliderStats *pose, const float *point);
