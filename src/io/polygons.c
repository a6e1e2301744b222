// SPDX-License-Identifier: MIT
#include "io/polygons.h"

#include <limits.h>

#include "core/memory.h"

void wbFreePolygons(wbPolygons *polygons) {
    wbFree(NULL, polygons->vertices, sizeof(float[3]) * (size_t)polygons->vertexCapacity);
    wbFree(NULL, polygons->indices, sizeof(uint32_t) * (size_t)polygons->indexCapacity);
    wbFree(NULL, polygons->corners, sizeof(int) * (size_t)polygons->faceCapacity);
    *polygons = (wbPolygons){0};
}

// Room for one more: what is given back is the block, and NULL without memory, when the old one stays.
static void *grow(void *block, int count, int *capacity, size_t elementSize) {
    if (count < *capacity) return block;
    int64_t wanted = *capacity + (int64_t)*capacity / 2 + 64;
    if (wanted > INT_MAX) return NULL;
    void *grown = wbRealloc(NULL, block, (size_t)*capacity * elementSize, (size_t)wanted * elementSize);
    if (grown) *capacity = (int)wanted;
    return grown;
}

bool wbAddVertex(wbPolygons *polygons, const double place[3]) {
    float *vertices =
        grow(polygons->vertices, polygons->vertexCount, &polygons->vertexCapacity, sizeof(float[3]));
    if (!vertices) return false;
    polygons->vertices = vertices;
    float *to = vertices + 3 * (size_t)polygons->vertexCount++;
    for (int k = 0; k < 3; k++) to[k] = (float)place[k];
    return true;
}

bool wbAddCorner(wbPolygons *polygons, uint32_t vertex) {
    uint32_t *indices =
        grow(polygons->indices, polygons->indexCount, &polygons->indexCapacity, sizeof(uint32_t));
    if (!indices) return false;
    polygons->indices = indices;
    indices[polygons->indexCount++] = vertex;
    polygons->openCorners++;
    return true;
}

bool wbCloseFace(wbPolygons *polygons) {
    int count = polygons->openCorners;
    polygons->openCorners = 0;
    if (count < 3) {
        polygons->indexCount -= count;
        return true;
    }
    int *corners = grow(polygons->corners, polygons->faceCount, &polygons->faceCapacity, sizeof(int));
    if (!corners) return false;
    polygons->corners = corners;
    corners[polygons->faceCount++] = count;
    return true;
}

static bool isLineEnd(char c) { return c == '\n' || c == '\r'; }

static void skipLineEnd(wbWords *words) {
    bool isPair = words->end - words->at > 1 && words->at[0] == '\r' && words->at[1] == '\n';
    words->at += isPair ? 2 : 1;
    words->line++;
}

static bool isJoint(const wbWords *words) {
    return *words->at == '\\' && words->end - words->at > 1 && isLineEnd(words->at[1]);
}

bool wbReadWord(wbWords *words, bool inLine, char word[WB_MAX_WORD]) {
    int length = 0;
    for (; words->at < words->end; words->at++) {
        if (isJoint(words)) {
            words->at++;
            skipLineEnd(words);
            words->at--; // the loop goes on behind it
        } else if (isLineEnd(*words->at)) {
            if (inLine) break;
            skipLineEnd(words);
            words->at--;
        } else if (*words->at != ' ' && *words->at != '\t') {
            break;
        }
    }
    for (; words->at < words->end && !isLineEnd(*words->at) && *words->at != ' ' && *words->at != '\t' &&
           !isJoint(words);
         words->at++)
        if (length < WB_MAX_WORD - 1) word[length++] = *words->at;
    word[length] = 0;
    return length > 0;
}

void wbSkipLine(wbWords *words) {
    while (words->at < words->end && !isLineEnd(*words->at)) {
        if (isJoint(words)) {
            words->at++;
            skipLineEnd(words);
        } else {
            words->at++;
        }
    }
    if (words->at < words->end) skipLineEnd(words);
}
