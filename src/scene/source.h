// SPDX-License-Identifier: MIT
// The text of a scene file, and errors that point into it.
#pragma once

#include "core/array.h"
#include "scene/locate.h"
#include "wirbel/base.h"

typedef struct wbSource {
    char name[96]; ///< the file's path, cut at the front where it is long
    wbArray text;  ///< char
    int length;
} wbSource;

wbStatus wbReadSource(const char *path, wbSource *source);
/// A source from memory; messages call it `name`. The text is copied.
wbStatus wbCopySource(const char *name, const char *text, size_t length, wbSource *source);
void wbFreeSource(wbSource *source);

/// "file:line:column: " and the message, at a value of the text or at the key of one.
wbStatus wbSource_FailAt(const wbSource *source, const wbPath *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
wbStatus wbSource_FailAtKey(const wbSource *source, const wbPath *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// "file:line:column: " and the message, at a line and column that are known.
wbStatus wbSource_FailAtPosition(const wbSource *source, wbPosition position, const char *message);

/// A piece of the file for a message: without control characters, cut where it is long.
typedef struct wbExcerpt {
    char text[48];
} wbExcerpt;
wbExcerpt wbMakeExcerpt(const char *text);
/// The value that is there, as it is written, for a message: lines are joined.
wbExcerpt wbSource_GetExcerpt(const wbSource *source, const wbPath *path);
