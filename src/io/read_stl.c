// SPDX-License-Identifier: MIT
// STL, as text or binary: triangles, each with places of its own.
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "core/text.h"
#include "io/polygons.h"

enum { HEAD = 84, TRIANGLE = 50, NORMAL = 12 }; // bytes

static wbStatus addCorner(const char *path, const double place[3], wbPolygons *polygons) {
    bool isAdded = wbAddCorner(polygons, (uint32_t)polygons->vertexCount) && wbAddVertex(polygons, place);
    return isAdded ? wb_okStatus : wbMemoryError(NULL, "%s needs", path);
}

static wbStatus closeFace(const char *path, wbPolygons *polygons) {
    return wbCloseFace(polygons) ? wb_okStatus : wbMemoryError(NULL, "%s needs", path);
}

static uint32_t getU32(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double getFloat(const char *bytes) {
    float value;
    memcpy(&value, &(uint32_t){getU32(bytes)}, sizeof value);
    return (double)value;
}

// 80 bytes for nothing, the number of triangles, then each: normal and corners as floats, and two bytes.
static wbStatus readBinary(const char *path, const char *bytes, uint32_t count, wbPolygons *polygons) {
    for (uint32_t t = 0; t < count; t++) {
        const char *at = bytes + HEAD + TRIANGLE * (size_t)t + NORMAL;
        for (int corner = 0; corner < 3; corner++, at += 12) {
            const double place[3] = {getFloat(at), getFloat(at + 4), getFloat(at + 8)};
            WB_TRY(addCorner(path, place, polygons));
        }
        WB_TRY(closeFace(path, polygons));
    }
    return wb_okStatus;
}

static wbStatus readVertex(const char *path, wbWords *words, wbPolygons *polygons) {
    double place[3];
    for (int k = 0; k < 3; k++) {
        char word[WB_MAX_WORD];
        if (!wbReadWord(words, false, word) || !wbParseNumber(word, &place[k]))
            return wbError(wb_errorInput, "%s:%d: \"%.20s\" is no number; write finite numbers", path,
                           words->line, word);
    }
    return addCorner(path, place, polygons);
}

static wbStatus readText(const char *path, const char *bytes, size_t size, wbPolygons *polygons) {
    wbWords words = {bytes, bytes + size, 1};
    for (char word[WB_MAX_WORD]; wbReadWord(&words, false, word);) {
        bool isName = strcmp(word, "solid") == 0 || strcmp(word, "endsolid") == 0;
        if (isName) wbSkipLine(&words); // the solid's name may be any words
        if (strcmp(word, "vertex") == 0) WB_TRY(readVertex(path, &words, polygons));
        if (strcmp(word, "endloop") == 0) WB_TRY(closeFace(path, polygons));
    }
    return polygons->openCorners == 0 ? wb_okStatus
                                      : wbError(wb_errorInput, "%s: the file ends within a triangle", path);
}

wbStatus wbReadStl(const char *path, const char *bytes, size_t size, wbPolygons *polygons) {
    bool isText = size >= 5 && memcmp(bytes, "solid", 5) == 0;
    uint32_t count = size >= HEAD ? getU32(bytes + 80) : 0;
    uint64_t wanted = HEAD + TRIANGLE * (uint64_t)count;
    // the head of a binary file may begin with "solid", too
    if (isText && (size < HEAD || wanted != size)) return readText(path, bytes, size, polygons);
    if (size < HEAD) return wbError(wb_errorInput, "%s: this is no stl file", path);
    if (wanted > size)
        return wbError(wb_errorInput, "%s: this is no stl file: %u triangles take %llu bytes, it has %zu",
                       path, count, (unsigned long long)wanted, size);
    return readBinary(path, bytes, count, polygons);
}
