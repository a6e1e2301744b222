// SPDX-License-Identifier: MIT
// Where a value stands in a JSON text. The parser keeps no positions, so an error walks the text again.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// The way to a value: a member of an object (key) or an element of an array (key NULL). NULL is the root.
typedef struct wbPath {
    const struct wbPath *parent;
    const char *key;
    size_t index;
} wbPath;

typedef struct wbPosition {
    int line, column; ///< from 1; columns count characters
} wbPosition;

/// The text is valid JSON, as the parser has found, and the path exists in it. `atKey`: of the member's key
/// instead of its value.
wbPosition wbLocate(const char *text, size_t length, const wbPath *path, bool atKey);

/// The bytes of the value itself, without the space around it.
typedef struct wbSpan {
    size_t begin, end;
} wbSpan;
wbSpan wbLocateValue(const char *text, size_t length, const wbPath *path);

/// The position of a byte of the text.
wbPosition wbGetPosition(const char *text, size_t offset);

/// Writes "fluids[0].blocks[2].min"; what does not fit is cut.
void wbFormatPath(const wbPath *path, char *text, size_t size);
