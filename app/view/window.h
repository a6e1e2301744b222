// SPDX-License-Identifier: MIT
// A window with an OpenGL context; the only file that knows the library that opens it.
#pragma once

#include "app/view/input.h"
#include "wirbel/base.h"
#include "wirbel/math.h"

typedef struct wbWindow wbWindow;

/// Its context is current in this thread from then on.
wbStatus wbCreateWindow(wbSize size, const char *title, wbWindow **window);
/// NULL is allowed.
void wbDestroyWindow(wbWindow *window);

/// Takes events in; waits for one, so many seconds at most (0: not at all).
void wbWindow_Poll(wbWindow *window, double seconds);
/// The next event since; false: there is none.
bool wbWindow_NextInput(wbWindow *window, wbInput *input);
/// The files of the last wb_inputDrop, separated by tabs; as many as there is room for.
const char *wbWindow_GetDrop(const wbWindow *window);

bool wbWindow_IsClosed(const wbWindow *window);
/// Of its picture, in pixels; 0 while it is an icon.
wbSize wbWindow_GetPixels(const wbWindow *window);
/// Of the window, in the units of the cursor: other than its pixels where a screen is scaled.
wbSize wbWindow_GetSize(const wbWindow *window);
void wbWindow_Show(wbWindow *window);
void wbWindow_SetTitle(wbWindow *window, const char *title);
void wbWindow_Copy(wbWindow *window, const char *text);
void wbWindow_ToggleFullScreen(wbWindow *window);
/// For the panels' library, which reads events beside ours.
void *wbWindow_GetHandle(wbWindow *window);
