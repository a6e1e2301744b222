// SPDX-License-Identifier: MIT
// Pictures of worlds without a display. In a library of its own, wirbel-render, so that a program which draws for itself, or not
// at all, needs no OpenGL. The hooks of wirbel/base.h do not reach it: its memory comes from the C
// library, it has no notices, and a failed assertion in it is a line on stderr.
#pragma once

#include "wirbel/scene.h"

WB_API_BEGIN

/// Draws pictures of one size, of one world; remembers from frame to frame what keeps colours and camera steady. All
/// calls on it come from one thread. Several renderers do not disturb each other.
typedef struct wbRenderer wbRenderer;

/// 1 to 8192 pixels each. wb_errorDevice says what is missing and which package brings it.
wbStatus wbCreateRenderer(int width, int height, wbRenderer **renderer);
/// NULL is allowed.
void wbDestroyRenderer(wbRenderer *renderer);

/// Draws the world as it is now; the output's size and fps are not used. `title` may be NULL.
wbStatus wbRenderer_DrawWorld(wbRenderer *renderer, wbWorld *world, const wbCameraParams *camera,
                              const wbOutputParams *output, const char *title);
/// The last picture: rows from top to bottom, 3 bytes per pixel (red, green, blue).
wbStatus wbRenderer_ReadPixels(wbRenderer *renderer, uint8_t *rgb);

/// What OpenGL says it runs on: "llvmpipe (LLVM 15.0.6, 256 bits)".
const char *wbRenderer_GetDeviceName(const wbRenderer *renderer);

WB_API_END
