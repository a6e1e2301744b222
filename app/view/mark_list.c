// SPDX-License-Identifier: MIT
#include "app/view/mark_list.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wbMarkList_Clear(wbMarkList *list) {
    list->count = list->labelCount = 0;
    list->isShort = false;
    list->marks.elementSize = sizeof(wbMark);
    list->labels.elementSize = WB_MARK_TEXT;
}

static void add(wbMarkList *list, wbMarkKind kind, wbVec3 from, wbVec3 to, wbInk ink) {
    if (!wbArray_Reserve(NULL, &list->marks, list->count + 1)) {
        list->isShort = true;
        return;
    }
    wbMark *mark = (wbMark *)list->marks.data + list->count++;
    *mark = (wbMark){.kind = kind, .from = from, .to = to, .width = ink.width};
    memcpy(mark->colour, ink.colour, sizeof mark->colour);
}

void wbMarkList_AddLine(wbMarkList *list, wbVec3 from, wbVec3 to, wbInk ink) {
    add(list, wb_markLine, from, to, ink);
}

void wbMarkList_AddArrow(wbMarkList *list, wbVec3 from, wbVec3 to, wbInk ink) {
    add(list, wb_markArrow, from, to, ink);
}

void wbMarkList_AddPoint(wbMarkList *list, wbVec3 at, wbInk ink) { add(list, wb_markPoint, at, at, ink); }

void wbMarkList_AddLabel(wbMarkList *list, wbVec3 at, float height, const char *format, ...) {
    va_list arguments;
    if (!wbArray_Reserve(NULL, &list->labels, list->labelCount + 1)) {
        list->isShort = true;
        return;
    }
    const int before = list->count;
    add(list, wb_markLabel, at, at, (wbInk){{255, 255, 255, 255}, height});
    if (list->count == before) return;
    va_start(arguments, format);
    vsnprintf((char *)list->labels.data + (size_t)WB_MARK_TEXT * (size_t)list->labelCount++, WB_MARK_TEXT,
              format, arguments);
    va_end(arguments);
}

static wbVec3 getCorner(wbVec3 min, wbVec3 max, int corner) {
    return wbMakeVec3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z);
}

void wbMarkList_AddBox(wbMarkList *list, wbVec3 min, wbVec3 max, wbInk ink) {
    const bool isFlat = !(max.z > min.z);
    for (int corner = 0; corner < (isFlat ? 4 : 8); corner++)
        for (int axis = 0; axis < (isFlat ? 2 : 3); axis++)
            if (!(corner >> axis & 1))
                wbMarkList_AddLine(list, getCorner(min, max, corner), getCorner(min, max, corner | 1 << axis),
                                   ink);
}

void wbMarkList_AddRing(wbMarkList *list, wbVec3 centre, wbVec3 normal, float radius, wbInk ink) {
    enum { SIDES = 32 };
    const wbVec3 other =
        fabsf(normal.y) < 0.9f * sqrtf(wbDot(normal, normal)) ? wbMakeVec3(0, 1, 0) : wbMakeVec3(1, 0, 0);
    wbVec3 a = wbCross(normal, other), b = wbCross(normal, a), last = centre;
    const float lengthA = sqrtf(wbDot(a, a)), lengthB = sqrtf(wbDot(b, b));
    if (!(lengthA > 0 && lengthB > 0)) return;
    a = wbScale(radius / lengthA, a), b = wbScale(radius / lengthB, b);
    for (int i = 0; i <= SIDES; i++) {
        const float angle = 2 * 3.14159265f * (float)i / SIDES;
        const wbVec3 next = wbAdd(centre, wbAdd(wbScale(cosf(angle), a), wbScale(sinf(angle), b)));
        if (i > 0) wbMarkList_AddLine(list, last, next, ink);
        last = next;
    }
}

void wbMarkList_AddBall(wbMarkList *list, wbVec3 centre, float radius, wbInk ink) {
    wbMarkList_AddRing(list, centre, wbMakeVec3(1, 0, 0), radius, ink);
    wbMarkList_AddRing(list, centre, wbMakeVec3(0, 1, 0), radius, ink);
    wbMarkList_AddRing(list, centre, wbMakeVec3(0, 0, 1), radius, ink);
}

void wbMarkList_Finish(wbMarkList *list) {
    wbMark *marks = list->marks.data;
    const char *text = list->labels.data;
    for (int i = 0; i < list->count; i++)
        if (marks[i].kind == wb_markLabel) marks[i].text = text, text += WB_MARK_TEXT;
}

void wbMarkList_Free(wbMarkList *list) {
    wbArray_Free(NULL, &list->marks);
    wbArray_Free(NULL, &list->labels);
    list->count = list->labelCount = 0;
}

static wbInk blend(const float stops[][3], int count, float share, float width) {
    const float place = fminf(fmaxf(share, 0), 1) * (float)(count - 1);
    const int first = place < (float)(count - 2) ? (int)place : count - 2;
    const float part = place - (float)first;
    wbInk ink = {.colour = {0, 0, 0, 230}, .width = width};
    for (int c = 0; c < 3; c++)
        ink.colour[c] = (uint8_t)(stops[first][c] + part * (stops[first + 1][c] - stops[first][c]) + 0.5f);
    return ink;
}

wbInk wbInk_OfSigned(float share, float width) {
    static const float stops[][3] = {
        {40, 90, 235}, {120, 170, 245}, {225, 228, 232}, {245, 150, 100}, {225, 40, 30}};
    return blend(stops, 5, 0.5f + 0.5f * (isfinite(share) ? share : 0), width);
}

wbInk wbInk_OfShare(float share, float width) {
    static const float stops[][3] = {
        {60, 120, 240}, {70, 200, 220}, {110, 215, 90}, {245, 215, 70}, {230, 60, 40}};
    return blend(stops, 5, isfinite(share) ? share : 0, width);
}
