// SPDX-License-Identifier: MIT
#include "app/view/edits.h"

#include <stdio.h>
#include <string.h>

void wbEdits_Add(wbEdits *edits, const char *key, const char *before, const char *after) {
    wbEdit *last = edits->count > 0 ? &edits->list[edits->count - 1] : NULL;
    if (last && strcmp(last->key, key) == 0) {
        snprintf(last->after, sizeof last->after, "%s", after);
        return;
    }
    if (edits->count == WB_MAX_EDITS)
        memmove(edits->list, edits->list + 1, (size_t)--edits->count * sizeof edits->list[0]);
    wbEdit *edit = &edits->list[edits->count++];
    snprintf(edit->key, sizeof edit->key, "%s", key);
    snprintf(edit->before, sizeof edit->before, "%s", before);
    snprintf(edit->after, sizeof edit->after, "%s", after);
}

const wbEdit *wbEdits_Undo(wbEdits *edits) { return edits->count > 0 ? &edits->list[--edits->count] : NULL; }

const char *wbEdits_GetOriginal(const wbEdits *edits, const char *key) {
    for (int i = 0; i < edits->count; i++)
        if (strcmp(edits->list[i].key, key) == 0) return edits->list[i].before;
    return NULL;
}

void wbEdits_Clear(wbEdits *edits) { edits->count = 0; }
