// SPDX-License-Identifier: MIT
// What is drawn into.
#pragma once

#include "wirbel/base.h"
#include "wirbel/math.h"

#include <epoxy/gl.h>

/// A framebuffer with what belongs to it; 0 where it has none.
typedef struct wbTarget {
    GLuint framebuffer;
    GLuint colour, depth; ///< renderbuffers
    GLuint texture;       ///< colour or depth that can be read
    wbSize size;
} wbTarget;

static inline bool wbIsSameSize(wbSize a, wbSize b) { return a.width == b.width && a.height == b.height; }

/// Colour and depth with up to so many samples per pixel; 1: as any target has.
wbStatus wbCreateSampledTarget(wbSize size, int samples, wbTarget *target);
/// Colour only, 8 bits per channel.
wbStatus wbCreatePlainTarget(wbSize size, wbTarget *target);
/// A depth texture.
wbStatus wbCreateDepthTarget(wbSize size, wbTarget *target);
/// One channel of 8 bits as a texture, read with linear filter.
wbStatus wbCreateGreyTarget(wbSize size, wbTarget *target);
/// Depths that several targets share.
GLuint wbCreateDepthBuffer(wbSize size);
/// A texture of RGBA8, RGBA16F, RG16F (all read with linear filter) or RG32F; `depths` 0: none. The caller keeps
/// the depths.
wbStatus wbCreateTextureTarget(wbSize size, GLenum format, GLuint depths, wbTarget *target);
void wbDestroyTarget(wbTarget *target);

/// Everything that follows is drawn into it.
void wbTarget_Bind(const wbTarget *target);
