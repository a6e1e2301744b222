// SPDX-License-Identifier: MIT
// Faces as they stand in files, and the readers of PLY, OBJ and STL. Nothing in a file is believed: memory is taken for what
// it holds, not for what it promises.
#pragma once

#include "wirbel/base.h"

/// One behind the other; starts with zeros.
typedef struct wbPolygons {
    float *vertices; ///< x, y, z each
    int vertexCount;
    uint32_t *indices; ///< of the corners of all faces
    int *corners;      ///< per face: how many, at least 3
    int indexCount, faceCount;
    int openCorners; ///< of the face that is being read
    int vertexCapacity, indexCapacity, faceCapacity;
} wbPolygons;

void wbFreePolygons(wbPolygons *polygons);

/// False without memory.
bool wbAddVertex(wbPolygons *polygons, const double place[3]);
/// A corner of the face that is being read; an index may be of a vertex that comes later.
bool wbAddCorner(wbPolygons *polygons, uint32_t vertex);
/// Closes the face: all corners since the one before. Points and lines, with less than 3, are left out.
bool wbCloseFace(wbPolygons *polygons);

/// `path` stands in messages. What was read before an error is to be freed, too. `size` is at most INT_MAX.
wbStatus wbReadPly(const char *path, const char *bytes, size_t size, wbPolygons *polygons);
wbStatus wbReadObj(const char *path, const char *bytes, size_t size, wbPolygons *polygons);
wbStatus wbReadStl(const char *path, const char *bytes, size_t size, wbPolygons *polygons);

/// What is left of a text that is read word by word.
typedef struct wbWords {
    const char *at, *end;
    int line; ///< of `at`, from 1
} wbWords;

enum { WB_MAX_WORD = 64 };

/// The next word, cut where it is long; false at the end, or with `inLine` at the end of the line, where it stays. A
/// backslash before the end of a line joins the next to it.
bool wbReadWord(wbWords *words, bool inLine, char word[WB_MAX_WORD]);
/// Skips what is left of the line and its end: \n, \r\n or \r.
void wbSkipLine(wbWords *words);
