// SPDX-License-Identifier: MIT
// A camera that a mouse leads: around a target, along the picture, nearer and farther. Pure: it knows no window.
#pragma once

#include "render/renderer.h"

typedef struct wbCameraControl {
    bool isUsers; ///< false: the scene's camera, or the picture's own framing
    int dimensions;
    wbVec3 target;    ///< m
    float yaw, pitch; ///< radians; 0, 0: from the front, along -z
    float distance;   ///< m, from the target
    float fov;        ///< degrees
    bool isFlat;      ///< almost without perspective
} wbCameraControl;

/// Takes over what a picture shows, if it is not the user's already: the first drag goes on from there.
void wbCameraControl_Take(wbCameraControl *control, const wbCameraParams *seen, int dimensions);
/// Back to the scene's camera.
void wbCameraControl_Release(wbCameraControl *control);

/// By pixels that the mouse went right and down: what is seen turns with it. The pitch ends at 89 degrees. In 2D it pans.
void wbCameraControl_Orbit(wbCameraControl *control, float right, float down, float height);
/// What is seen at the target's distance stays below the mouse; `height` is the picture's, in pixels.
void wbCameraControl_Pan(wbCameraControl *control, float right, float down, float height);
/// Nearer by notches of a wheel; the place of the target's plane that the ray hits stays where it is.
void wbCameraControl_Zoom(wbCameraControl *control, float notches, wbRay cursor);
/// From this direction.
void wbCameraControl_Look(wbCameraControl *control, float yaw, float pitch);
/// So that a box fills the picture; aspect: width over height.
void wbCameraControl_Frame(wbCameraControl *control, wbVec3 min, wbVec3 max, float aspect);
/// With or without perspective; what is at the target's distance keeps its size.
void wbCameraControl_SetFlat(wbCameraControl *control, bool isFlat);

wbCameraParams wbCameraControl_GetParams(const wbCameraControl *control);
