// SPDX-License-Identifier: MIT
// Marks over a picture, put together from lines, boxes, rings and labels. Pure: it knows no window.
#pragma once

#include "core/array.h"
#include "render/renderer.h"

typedef struct wbInk {
    uint8_t colour[4]; ///< red, green, blue, opacity
    float width;       ///< pixels
} wbInk;

enum { WB_MARK_TEXT = 96 };

typedef struct wbMarkList {
    wbArray marks;  ///< wbMark
    wbArray labels; ///< char[WB_MARK_TEXT]: of those marks that are labels, in their order
    int count, labelCount;
    bool isShort; ///< memory ran out: some are missing
} wbMarkList;

void wbMarkList_Clear(wbMarkList *list);
void wbMarkList_AddLine(wbMarkList *list, wbVec3 from, wbVec3 to, wbInk ink);
void wbMarkList_AddArrow(wbMarkList *list, wbVec3 from, wbVec3 to, wbInk ink);
void wbMarkList_AddPoint(wbMarkList *list, wbVec3 at, wbInk ink);
/// Capitals as high as so many pixels.
void wbMarkList_AddLabel(wbMarkList *list, wbVec3 at, float height, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// Its twelve edges; four where it has no extent along z.
void wbMarkList_AddBox(wbMarkList *list, wbVec3 min, wbVec3 max, wbInk ink);
/// A circle around a normal, which need not be of length 1.
void wbMarkList_AddRing(wbMarkList *list, wbVec3 centre, wbVec3 normal, float radius, wbInk ink);
/// Three circles.
void wbMarkList_AddBall(wbMarkList *list, wbVec3 centre, float radius, wbInk ink);
/// After all were added: labels get their texts.
void wbMarkList_Finish(wbMarkList *list);
void wbMarkList_Free(wbMarkList *list);

/// From blue over pale grey to red; 0 is in the middle, and beyond -1 and 1 colours are those of the ends.
wbInk wbInk_OfSigned(float share, float width);
/// From blue over green and yellow to red, 0 to 1.
wbInk wbInk_OfShare(float share, float width);
