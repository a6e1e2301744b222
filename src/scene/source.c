// SPDX-License-Identifier: MIT
#include "scene/source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/input_file.h"
#include "core/status.h"

enum { WB_MAX_SOURCE = 64 << 20, WB_READ_SIZE = 64 << 10 };

// a status holds 240 bytes: the end of a long path says more than its beginning
static void setName(wbSource *source, const char *path) {
    size_t length = strlen(path), room = sizeof source->name - 1;
    if (length <= room)
        snprintf(source->name, sizeof source->name, "%s", path);
    else
        snprintf(source->name, sizeof source->name, "...%s", path + length - (room - 3));
}

static wbStatus failAsTooLarge(const wbSource *source) {
    return wbError(wb_errorInput, "%s is larger than 64 MB, the limit of a scene file", source->name);
}

static wbStatus readAll(FILE *file, wbSource *source) {
    for (;;) {
        if (source->length > WB_MAX_SOURCE) return failAsTooLarge(source);
        if (!wbArray_Reserve(NULL, &source->text, source->length + WB_READ_SIZE))
            return wbMemoryError(NULL, "%.70s needs", source->name);
        size_t got = fread((char *)source->text.data + source->length, 1, WB_READ_SIZE, file);
        source->length += (int)got;
        if (got < WB_READ_SIZE) break;
    }
    if (ferror(file)) return wbError(wb_errorFile, "cannot read %s: %s", source->name, strerror(errno));
    return wb_okStatus;
}

static wbStatus checkBytes(const wbSource *source) {
    const char *text = source->text.data;
    if (source->length == 0) return wbError(wb_errorInput, "%s is empty", source->name);
    if (source->length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return wbSource_FailAtPosition(source, (wbPosition){1, 1},
                                       "byte order mark; save the file as UTF-8 without one");
    const char *zero = memchr(text, 0, (size_t)source->length);
    if (zero)
        return wbSource_FailAtPosition(source, wbGetPosition(text, (size_t)(zero - text)),
                                       "zero byte; a scene is a text in UTF-8");
    return wb_okStatus;
}

wbStatus wbReadSource(const char *path, wbSource *source) {
    *source = (wbSource){.text = {.elementSize = 1}};
    setName(source, path);
    FILE *file;
    size_t size;
    WB_TRY(wbOpenInput(path, &file, &size));
    wbStatus status = size > WB_MAX_SOURCE ? failAsTooLarge(source) : readAll(file, source);
    fclose(file);
    if (wbIsOk(status)) status = checkBytes(source);
    if (!wbIsOk(status)) wbFreeSource(source);
    return status;
}

static wbStatus copyAll(const char *text, size_t length, wbSource *source) {
    if (length > WB_MAX_SOURCE) return failAsTooLarge(source);
    if (!wbArray_Reserve(NULL, &source->text, (int)length))
        return wbMemoryError(NULL, "%.70s needs", source->name);
    if (length > 0) memcpy(source->text.data, text, length);
    source->length = (int)length;
    return checkBytes(source);
}

wbStatus wbCopySource(const char *name, const char *text, size_t length, wbSource *source) {
    *source = (wbSource){.text = {.elementSize = 1}};
    setName(source, name);
    wbStatus status = copyAll(text, length, source);
    if (!wbIsOk(status)) wbFreeSource(source);
    return status;
}

void wbFreeSource(wbSource *source) { wbArray_Free(NULL, &source->text); }

wbStatus wbSource_FailAtPosition(const wbSource *source, wbPosition position, const char *message) {
    return wbError(wb_errorInput, "%s:%d:%d: %s", source->name, position.line, position.column, message);
}

static wbStatus fail(const wbSource *source, const wbPath *path, bool atKey, const char *format,
                     va_list arguments) {
    char message[240];
    vsnprintf(message, sizeof message, format, arguments);
    wbPosition position = wbLocate(source->text.data, (size_t)source->length, path, atKey);
    return wbSource_FailAtPosition(source, position, message);
}

wbStatus wbSource_FailAt(const wbSource *source, const wbPath *path, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    wbStatus status = fail(source, path, false, format, arguments);
    va_end(arguments);
    return status;
}

wbStatus wbSource_FailAtKey(const wbSource *source, const wbPath *path, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    wbStatus status = fail(source, path, true, format, arguments);
    va_end(arguments);
    return status;
}

wbExcerpt wbMakeExcerpt(const char *text) {
    wbExcerpt excerpt;
    size_t room = sizeof excerpt.text - sizeof "...", length = strlen(text);
    size_t count = length <= room ? length : room;
    // not in the middle of a character
    while (count < length && count > 0 && ((unsigned char)text[count] & 0xc0) == 0x80) count--;
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)text[i];
        excerpt.text[i] = c < 0x20 || c == 0x7f ? '?' : text[i];
    }
    snprintf(excerpt.text + count, sizeof excerpt.text - count, "%s", count < length ? "..." : "");
    return excerpt;
}

wbExcerpt wbSource_GetExcerpt(const wbSource *source, const wbPath *path) {
    const char *text = source->text.data;
    const wbSpan span = wbLocateValue(text, (size_t)source->length, path);
    // longer than an excerpt, which cuts it and says so
    char line[2 * sizeof(wbExcerpt)];
    size_t count = 0;
    bool isJoined = false; // within the space that one blank stands for
    for (size_t i = span.begin; i < span.end && count < sizeof line - 1; i++) {
        const bool breaks = text[i] == '\n' || text[i] == '\r' || text[i] == '\t';
        if (isJoined && (breaks || text[i] == ' ')) continue;
        isJoined = breaks;
        line[count++] = breaks ? ' ' : text[i];
    }
    line[count] = 0;
    return wbMakeExcerpt(line);
}
