// SPDX-License-Identifier: MIT
// What is written over the picture: title, time, and the scale of colours.
#pragma once

#include "render/renderer.h"
#include "render/segments.h"

typedef struct wbOverlay {
    GLuint program; ///< the bar of colours
    GLint areaLocation;
    GLuint emptyArray;
} wbOverlay;

wbStatus wbOverlay_Create(wbOverlay *overlay);
void wbOverlay_Destroy(wbOverlay *overlay);

/// low, high: values at the ends of the colours.
wbStatus wbOverlay_Draw(const wbOverlay *overlay, wbSegments *segments, const wbRenderScene *scene,
                        wbSize size, float low, float high);
