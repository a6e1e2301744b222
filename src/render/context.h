// SPDX-License-Identifier: MIT
// An OpenGL context without a window.
#pragma once

#include "wirbel/base.h"

typedef struct wbGlContext {
    void *display, *context, *surface; ///< EGL handles; surface is NULL where none is needed
} wbGlContext;

/// Makes it and makes it current.
wbStatus wbGlContext_Create(wbGlContext *context);
void wbGlContext_Destroy(wbGlContext *context);
/// To be called before OpenGL is: another renderer may have used the thread meanwhile.
wbStatus wbGlContext_MakeCurrent(const wbGlContext *context);
