// SPDX-License-Identifier: MIT
// Lines, arrows, points and labels that a program draws over its pictures.
#pragma once

#include "render/camera.h"
#include "render/renderer.h"
#include "render/segments.h"

/// Into the target that is bound, which has `size` pixels.
wbStatus wbDrawMarks(const wbRenderScene *scene, const wbCamera *camera, wbSize size, wbSegments *segments);
