// SPDX-License-Identifier: MIT
// Wavefront OBJ: its vertices and faces; groups, materials, normals and textures mean nothing to a surface.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "core/text.h"
#include "io/polygons.h"

static wbStatus readVertex(const char *path, wbWords *words, wbPolygons *polygons) {
    double place[3];
    for (int k = 0; k < 3; k++) {
        char word[WB_MAX_WORD];
        if (!wbReadWord(words, true, word))
            return wbError(wb_errorInput, "%s:%d: a vertex has %d numbers; write x, y and z", path,
                           words->line, k);
        if (!wbParseNumber(word, &place[k]))
            return wbError(wb_errorInput, "%s:%d: \"%.20s\" is no number; write finite numbers", path,
                           words->line, word);
    }
    return wbAddVertex(polygons, place) ? wb_okStatus : wbMemoryError(NULL, "%s needs", path);
}

// "7", "7/1", "7//3" or "7/1/3"; -1 is the last vertex so far.
static wbStatus readFace(const char *path, wbWords *words, wbPolygons *polygons) {
    char word[WB_MAX_WORD];
    while (wbReadWord(words, true, word) && word[0] != '#') {
        double index;
        int line = words->line;
        word[strcspn(word, "/")] = 0;
        bool isIndex = wbParseNumber(word, &index) && index == floor(index) && fabs(index) <= INT_MAX;
        double vertex = isIndex && index < 0 ? polygons->vertexCount + index : index - 1;
        if (!isIndex || vertex < 0)
            return wbError(wb_errorInput, "%s:%d: a face names vertex \"%.20s\"; there are %d before it",
                           path, line, word, polygons->vertexCount);
        if (!wbAddCorner(polygons, (uint32_t)vertex)) return wbMemoryError(NULL, "%s needs", path);
    }
    return wbCloseFace(polygons) ? wb_okStatus : wbMemoryError(NULL, "%s needs", path);
}

wbStatus wbReadObj(const char *path, const char *bytes, size_t size, wbPolygons *polygons) {
    wbWords words = {bytes, bytes + size, 1};
    for (char word[WB_MAX_WORD]; wbReadWord(&words, false, word); wbSkipLine(&words)) {
        if (strcmp(word, "v") == 0) WB_TRY(readVertex(path, &words, polygons));
        if (strcmp(word, "f") == 0) WB_TRY(readFace(path, &words, polygons));
    }
    return polygons->vertexCount > 0 ? wb_okStatus : wbError(wb_errorInput, "%s: this is no obj file", path);
}
