// SPDX-License-Identifier: MIT
#include "app/view/quality.h"

void wbPictureQuality_Choose(wbPictureQuality *quality, bool isAuto, int level) {
    quality->isAuto = isAuto;
    quality->level = level;
    quality->frameCount = 0;
}

// A level up costs two to four times as much: it is only tried where there is room for that.
void wbPictureQuality_Add(wbPictureQuality *quality, double ms) {
    const int count = ++quality->frameCount;
    quality->meanMs = count == 1 ? ms : quality->meanMs + (ms - quality->meanMs) / (count < 10 ? count : 10);
    if (!quality->isAuto || count < 10) return;
    if (quality->meanMs > 1.3 * quality->goalMs && quality->level > 0)
        wbPictureQuality_Choose(quality, true, quality->level - 1);
    else if (quality->meanMs < 0.25 * quality->goalMs && quality->level < WB_LEVELS - 1)
        wbPictureQuality_Choose(quality, true, quality->level + 1);
}

int wbPictureQuality_Get(const wbPictureQuality *quality, bool isMoving, bool isResting) {
    if (!quality->isAuto) return quality->level;
    if (isMoving) return quality->level > 0 ? quality->level - 1 : 0;
    return isResting ? WB_LEVELS - 1 : quality->level;
}
