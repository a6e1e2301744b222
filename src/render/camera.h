// SPDX-License-Identifier: MIT
// Where the picture is taken from.
#pragma once

#include "render/bounds.h"
#include "render/matrix.h"
#include "wirbel/scene.h"

typedef struct wbCamera {
    wbVec3 eye, right, up, back;
    float tanX, tanY; ///< of half the angles of view
    wbMat4 view, projection;
} wbCamera;

/// The camera that the parameters describe; where position and target are the same, one whose picture `shown` fills: in
/// 3D from the front right above, in 2D straight from the front and almost without perspective.
wbCamera wbMakeCamera(const wbCameraParams *params, int dimensions, const wbBounds *shown, wbSize size);

/// The same camera as parameters; its target is where the line of sight passes a point.
wbCameraParams wbCamera_GetParams(const wbCamera *camera, wbVec3 point);

/// Direction of length 1 from the eye through a place of the picture, in pixels from the left and the top.
wbVec3 wbCamera_GetDirection(const wbCamera *camera, wbSize size, float x, float y);

/// Pixels from the left and the top. False: behind the camera.
bool wbCamera_Project(const wbCamera *camera, wbVec3 point, wbSize size, float *x, float *y);
