// SPDX-License-Identifier: MIT
// MP4 videos (H.264), made by the program ffmpeg.
#pragma once

#include "wirbel/base.h"

typedef struct wbVideo wbVideo;

/// `fps` are frames per second of playing time. Odd sizes get one more column or row: the format has even
/// ones.
wbStatus wbVideo_Open(const char *path, int width, int height, double fps, wbVideo **video);
/// rgb: rows from top to bottom, 3 bytes per pixel. After an error the video is to be aborted.
wbStatus wbVideo_AddFrame(wbVideo *video, const uint8_t *rgb);
/// Waits until the file is complete and frees, also when it fails.
wbStatus wbVideo_Close(wbVideo *video);
/// Removes what was written and frees. NULL is allowed.
void wbVideo_Abort(wbVideo *video);
