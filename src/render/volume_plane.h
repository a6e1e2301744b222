// SPDX-License-Identifier: MIT
// A field of the air as colours on a plane: the whole air in 2D, a slice in 3D.
#pragma once

#include "core/array.h"
#include "render/overlay.h"
#include "render/renderer.h"
#include "render/shader.h"

typedef struct wbVolumePlane {
    GLuint program, texture, emptyArray;
    GLint cornerLocation, acrossLocation, upLocation, kindLocation;
    wbArray values;    ///< of float
    float held;        ///< highest value of the last frames, slowly forgotten
    wbField heldField; ///< that it is of
    bool isSigned;     ///< 0 is in the middle of the colours
    bool hadSmoke;     ///< in this frame or one before
    bool isShown;
    wbColourScale scale;               ///< what the colours mean
    float corner[3], across[3], up[3]; ///< m
} wbVolumePlane;

wbStatus wbVolumePlane_Create(wbVolumePlane *plane);
void wbVolumePlane_Destroy(wbVolumePlane *plane);

/// Takes over the frame's field, if one is to be shown.
wbStatus wbVolumePlane_Gather(wbVolumePlane *plane, const wbRenderScene *scene);
/// With the depth test on. Writes an alpha of 0, as bodies do.
void wbVolumePlane_Draw(const wbVolumePlane *plane);
