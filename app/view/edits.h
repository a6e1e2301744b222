// SPDX-License-Identifier: MIT
// Changes that a user made to parameters: what undo takes back, and which rows have a mark.
#pragma once

#include <stdbool.h>

enum { WB_EDIT_KEY = 128, WB_EDIT_VALUE = 96, WB_MAX_EDITS = 256 };

typedef struct wbEdit {
    char key[WB_EDIT_KEY], before[WB_EDIT_VALUE], after[WB_EDIT_VALUE];
} wbEdit;

typedef struct wbEdits {
    wbEdit list[WB_MAX_EDITS]; ///< the oldest is forgotten when it is full
    int count;
} wbEdits;

/// Edits of one key in a row, as a drag of a slider makes them, are one.
void wbEdits_Add(wbEdits *edits, const char *key, const char *before, const char *after);
/// Takes the last one away; NULL: there is none. It stays until the next call.
const wbEdit *wbEdits_Undo(wbEdits *edits);
/// What the parameter was before the first edit; NULL: it was not edited.
const char *wbEdits_GetOriginal(const wbEdits *edits, const char *key);
void wbEdits_Clear(wbEdits *edits);
