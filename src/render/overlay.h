// SPDX-License-Identifier: MIT
// What is written over the picture: title, time, and the scale of colours.
#pragma once

#include "render/renderer.h"
#include "render/segments.h"

typedef struct wbOverlay {
    GLuint program; ///< the bar of colours
    GLint areaLocation, kindLocation;
    GLuint emptyArray;
} wbOverlay;

/// Colours of the water, or those of a field of the air (fieldRamp in shaders/common.glsl).
typedef enum wbRamp { wb_rampWater, wb_rampField, wb_rampSigned } wbRamp;

/// What colours mean.
typedef struct wbColourScale {
    const char *title; ///< NULL: they mean nothing
    wbRamp kind;
    float low, high; ///< values at the ends
    bool isOfKinds;  ///< it has no numbers
} wbColourScale;

/// Heights in pixels of capitals; pixels from the left and the top. alignment 0: x is the left end, 0.5: the middle, 1: the
/// right end.
typedef struct wbLabel {
    float x, y, height, alignment;
} wbLabel;

/// White with a dark halo: readable on water and floor. Segments in pixels.
void wbAddText(wbSegments *segments, const char *text, wbLabel label);

/// 1, 1.5, 2, 3, 4, 5, 6, 8 or 10 times a power of ten, not below a value that is above 0.
float wbRoundUp(float value);

wbStatus wbOverlay_Create(wbOverlay *overlay);
void wbOverlay_Destroy(wbOverlay *overlay);

wbStatus wbOverlay_Draw(const wbOverlay *overlay, wbSegments *segments, const wbRenderScene *scene,
                        wbSize size, const wbColourScale *scale);
