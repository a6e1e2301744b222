// SPDX-License-Identifier: MIT
// Letters made of strokes, so that they are smooth at any size. Capitals are 12 units high, small letters 8.
#pragma once

enum { WB_FONT_CAPITAL = 12 };

typedef struct wbPen {
    float x, y;
} wbPen;

/// Receives each straight piece of a letter; a point is a piece without length.
typedef void wbStrokeFn(wbPen from, wbPen to, void *context);

/// Strokes of UTF-8 text from the origin along x, y up. Knows ASCII and ² and ³; the rest becomes "?".
/// Returns the width. `stroke` may be NULL.
float wbDrawText(const char *text, wbStrokeFn *stroke, void *context);
