// SPDX-License-Identifier: MIT
// Pictures that the window writes.
#pragma once

#include "app/view/viewer.h"

/// With the next frame; with or without its panels.
void wbAskShot(wbViewer *viewer, const char *path, bool withPanels);
/// With frame number `frame`, or when the window is closed where that is negative.
void wbAskShotAtEnd(wbViewer *viewer, const char *path, int frame);
/// Within a frame, before it is shown: writes what was asked for.
wbStatus wbWritePending(wbViewer *viewer);
