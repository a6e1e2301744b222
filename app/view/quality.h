// SPDX-License-Identifier: MIT
// How well pictures are drawn: a level that the user chose, or one that keeps to a time per frame.
#pragma once

#include <stdbool.h>

enum { WB_LEVELS = 4 };

typedef struct wbPictureQuality {
    bool isAuto;
    int level;      ///< 0 points, 1 spheres, 2 surface with half the pixels, 3 as films
    double goalMs;  ///< of a frame
    double meanMs;  ///< of the last frames at this level
    int frameCount; ///< that the mean is of
} wbPictureQuality;

/// A frame at this level took so long: auto goes a level up or down after ten frames that call for it.
void wbPictureQuality_Add(wbPictureQuality *quality, double ms);
void wbPictureQuality_Choose(wbPictureQuality *quality, bool isAuto, int level);
/// The level of the next picture: one less while the camera moves, the highest for one that rests.
int wbPictureQuality_Get(const wbPictureQuality *quality, bool isMoving, bool isResting);
