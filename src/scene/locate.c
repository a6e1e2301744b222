// SPDX-License-Identifier: MIT
#include "scene/locate.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

typedef struct Cursor {
    const char *at, *end;
} Cursor;

static void skipSpace(Cursor *cursor) {
    while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at)) cursor->at++;
}

// from the opening quote to behind the closing one
static void skipString(Cursor *cursor) {
    for (cursor->at++; cursor->at < cursor->end && *cursor->at != '"'; cursor->at++) {
        if (*cursor->at == '\\') cursor->at++;
    }
    cursor->at++;
}

// counts brackets instead of recursing: the nesting is the file's
static void skipValue(Cursor *cursor) {
    int depth = 0;
    while (cursor->at < cursor->end) {
        char c = *cursor->at;
        if (depth == 0 && strchr(",]}", c)) return;
        if (c == '"') {
            skipString(cursor);
            continue;
        }
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        cursor->at++;
    }
}

// keys may be written with escapes, which the parser decodes
static bool isKey(const char *begin, const char *end, const char *key) {
    json_t *decoded = json_loadb(begin, (size_t)(end - begin), JSON_DECODE_ANY, NULL);
    const char *name = json_string_value(decoded);
    bool same = name && strcmp(name, key) == 0;
    json_decref(decoded);
    return same;
}

// from an object to its member: to the key, or on to the value
static void enterMember(Cursor *cursor, const char *key, bool atKey) {
    cursor->at++;
    for (;;) {
        skipSpace(cursor);
        const char *keyBegin = cursor->at;
        if (keyBegin >= cursor->end || *keyBegin == '}') return;
        skipString(cursor);
        bool found = isKey(keyBegin, cursor->at, key);
        if (found && atKey) {
            cursor->at = keyBegin;
            return;
        }
        skipSpace(cursor);
        cursor->at++; // colon
        skipSpace(cursor);
        if (found) return;
        skipValue(cursor);
        if (cursor->at < cursor->end && *cursor->at == ',') cursor->at++;
    }
}

static void enterElement(Cursor *cursor, size_t index) {
    cursor->at++;
    skipSpace(cursor);
    for (size_t i = 0; i < index && cursor->at < cursor->end; i++) {
        skipValue(cursor);
        cursor->at++; // comma
        skipSpace(cursor);
    }
}

static void enterPath(Cursor *cursor, const wbPath *path, bool atKey) {
    if (!path) {
        skipSpace(cursor);
        return;
    }
    enterPath(cursor, path->parent, false);
    if (path->key)
        enterMember(cursor, path->key, atKey);
    else
        enterElement(cursor, path->index);
}

wbPosition wbGetPosition(const char *text, size_t offset) {
    wbPosition position = {1, 1};
    for (size_t i = 0; i < offset; i++) {
        bool continuation = ((unsigned char)text[i] & 0xc0) == 0x80;
        if (text[i] == '\n') {
            position.line++;
            position.column = 1;
        } else if (!continuation) {
            position.column++;
        }
    }
    return position;
}

wbPosition wbLocate(const char *text, size_t length, const wbPath *path, bool atKey) {
    Cursor cursor = {text, text + length};
    enterPath(&cursor, path, atKey);
    if (cursor.at > cursor.end) cursor.at = cursor.end;
    return wbGetPosition(text, (size_t)(cursor.at - text));
}

wbSpan wbLocateValue(const char *text, size_t length, const wbPath *path) {
    Cursor cursor = {text, text + length};
    enterPath(&cursor, path, false);
    if (cursor.at > cursor.end) cursor.at = cursor.end;
    const char *begin = cursor.at;
    skipValue(&cursor);
    if (cursor.at > cursor.end) cursor.at = cursor.end;
    while (cursor.at > begin && strchr(" \t\r\n", cursor.at[-1])) cursor.at--;
    return (wbSpan){(size_t)(begin - text), (size_t)(cursor.at - text)};
}

void wbFormatPath(const wbPath *path, char *text, size_t size) {
    text[0] = 0;
    if (!path) return;
    wbFormatPath(path->parent, text, size);
    size_t used = strlen(text);
    if (path->key)
        snprintf(text + used, size - used, "%s%s", used ? "." : "", path->key);
    else
        snprintf(text + used, size - used, "[%zu]", path->index);
}
