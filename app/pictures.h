// SPDX-License-Identifier: MIT
// Pictures and films of a run, drawn by a thread of their own: while it draws a copy of a frame, the world steps on.
#pragma once

#include "app/args.h"
#include "wirbel/scene.h"

typedef struct wbPictures wbPictures;

/// Opens what --video and --png ask for. After an error nothing is open and no file is left.
wbStatus wbPictures_Open(const wbOptions *options, const wbScene *scene, wbPictures **pictures);
/// Waits until the frame before is drawn, and copies what this one shows. An error may be of a frame before it.
wbStatus wbPictures_AddFrame(wbPictures *pictures, wbWorld *world, int frame);
/// Completes all files, also after an error, and frees; gives the first error. NULL is allowed.
wbStatus wbPictures_Close(wbPictures *pictures);
/// Leaves no film, and frees. NULL is allowed.
void wbPictures_Abort(wbPictures *pictures);
