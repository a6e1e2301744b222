// SPDX-License-Identifier: MIT
// An OpenGL context without a window.
#pragma once

#include "wirbel/base.h"

typedef struct wbGlContext {
    void *display, *context, *surface; ///< EGL handles; surface is NULL where none is needed
    bool isBorrowed;                   ///< a window's, which is current all the time: it has no handles
} wbGlContext;

/// Makes it and makes it current.
wbStatus wbGlContext_Create(wbGlContext *context);
/// The one that is current in this thread, and stays so: it is neither made current nor destroyed.
wbGlContext wbBorrowGlContext(void);
static inline bool wbGlContext_Exists(const wbGlContext *context) {
    return context->isBorrowed || context->context != NULL;
}
void wbGlContext_Destroy(wbGlContext *context);
/// To be called before OpenGL is: another renderer may have used the thread meanwhile.
wbStatus wbGlContext_MakeCurrent(const wbGlContext *context);
