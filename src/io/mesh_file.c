// SPDX-License-Identifier: MIT
// Meshes from OBJ, STL and PLY files: faces become triangles, vertices at the same place one.
#include "io/mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/input_file.h"
#include "core/memory.h"
#include "core/output_file.h"
#include "core/status.h"
#include "io/polygons.h"

enum { MAX_FILE_BYTES = 1 << 30, MAX_FACES = 1 << 24 };

// Vertices by their place, in a table of indices: open addressing, -1 is free.
typedef struct Welder {
    wbMesh mesh; // with room for three vertices per triangle
    int *slots;
    uint32_t mask;
} Welder;

static uint32_t hashPlace(const float *v) {
    uint32_t bits[3];
    memcpy(bits, v, sizeof bits);
    uint32_t hash = bits[0] * 0x9e3779b1u ^ bits[1] * 0x85ebca77u ^ bits[2] * 0xc2b2ae3du;
    return hash ^ hash >> 15;
}

static uint32_t weldVertex(Welder *welder, const float *at) {
    wbMesh *mesh = &welder->mesh;
    const float v[3] = {at[0] + 0.0f, at[1] + 0.0f, at[2] + 0.0f}; // -0 becomes 0
    uint32_t slot = hashPlace(v) & welder->mask;
    for (; welder->slots[slot] >= 0; slot = (slot + 1) & welder->mask)
        if (memcmp(mesh->vertices + 3 * (size_t)welder->slots[slot], v, sizeof v) == 0)
            return (uint32_t)welder->slots[slot];
    welder->slots[slot] = mesh->vertexCount;
    memcpy(mesh->vertices + 3 * (size_t)mesh->vertexCount, v, sizeof v);
    return (uint32_t)mesh->vertexCount++;
}

/// One face of the file.
typedef struct Face {
    const float *vertices;
    const uint32_t *indices;
    int count;
} Face;

static const float *getCorner(const Face *face, int corner) {
    return face->vertices + 3 * (size_t)face->indices[corner];
}

static wbStatus checkVertices(const wbPolygons *from, const Face *face, const char *path) {
    for (int k = 0; k < face->count; k++) {
        if (face->indices[k] >= (uint32_t)from->vertexCount)
            return wbError(wb_errorInput, "%s: a face names vertex %u; there are %d", path, face->indices[k],
                           from->vertexCount);
        const float *at = getCorner(face, k);
        if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2]))
            return wbError(wb_errorInput, "%s: vertex %u is (%g, %g, %g); write finite numbers", path,
                           face->indices[k], (double)at[0], (double)at[1], (double)at[2]);
    }
    return wb_okStatus;
}

static void getNormal(const float *a, const float *b, const float *c, double normal[3]) {
    double u[3], v[3];
    for (int k = 0; k < 3; k++) u[k] = (double)b[k] - a[k], v[k] = (double)c[k] - a[k];
    for (int k = 0; k < 3; k++) normal[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
}

// Whether all triangles from a face's first corner look to the same side.
static bool isFan(const Face *face) {
    double sum[3] = {0}, n[3];
    for (int isSecond = 0; isSecond < 2; isSecond++)
        for (int k = 1; k + 1 < face->count; k++) {
            getNormal(getCorner(face, 0), getCorner(face, k), getCorner(face, k + 1), n);
            if (isSecond && n[0] * sum[0] + n[1] * sum[1] + n[2] * sum[2] < 0) return false;
            for (int a = 0; a < 3 && !isSecond; a++) sum[a] += n[a];
        }
    return true;
}

static void addFace(Welder *welder, const Face *face) {
    wbMesh *mesh = &welder->mesh;
    for (int k = 1; k + 1 < face->count; k++) {
        const uint32_t corners[3] = {weldVertex(welder, getCorner(face, 0)),
                                     weldVertex(welder, getCorner(face, k)),
                                     weldVertex(welder, getCorner(face, k + 1))};
        if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
        memcpy(mesh->indices + 3 * (size_t)mesh->triangleCount++, corners, sizeof corners);
    }
}

static wbStatus addAll(Welder *welder, const wbPolygons *from, const char *path) {
    memset(welder->slots, -1, sizeof(int) * ((size_t)welder->mask + 1));
    const uint32_t *indices = from->indices;
    for (int f = 0; f < from->faceCount; indices += from->corners[f++]) {
        const Face face = {from->vertices, indices, from->corners[f]};
        WB_TRY(checkVertices(from, &face, path));
        if (!isFan(&face))
            return wbError(wb_errorInput, "%s: face %d has a corner that points inwards; export triangles",
                           path, f);
        addFace(welder, &face);
    }
    if (welder->mesh.triangleCount == 0)
        return wbError(wb_errorInput, "%s: it has no triangles; export a surface", path);
    return wb_okStatus;
}

// Copies what was welded into a mesh of the right size.
static wbStatus finish(const Welder *welder, const char *path, wbMesh *mesh) {
    const wbMesh *from = &welder->mesh;
    size_t vertexBytes = 3 * sizeof(float) * (size_t)from->vertexCount;
    size_t indexBytes = 3 * sizeof(uint32_t) * (size_t)from->triangleCount;
    *mesh = (wbMesh){from->vertexCount, from->triangleCount, wbAlloc(NULL, vertexBytes),
                     wbAlloc(NULL, indexBytes)};
    if (!mesh->vertices || !mesh->indices) {
        wbFreeMesh(mesh);
        return wbMemoryError(NULL, "%s needs", path);
    }
    memcpy(mesh->vertices, from->vertices, vertexBytes);
    memcpy(mesh->indices, from->indices, indexBytes);
    return wb_okStatus;
}

static wbStatus weld(const wbPolygons *from, const char *path, wbMesh *mesh) {
    size_t faces =
        (size_t)(from->indexCount - 2 * from->faceCount); // triangles, where each is cut into a fan
    uint32_t slots = 16;
    if (faces > MAX_FACES)
        return wbError(wb_errorInput, "%s: it has %zu triangles; at most %d are allowed: simplify it", path,
                       faces, MAX_FACES);
    while (slots < 6 * faces) slots *= 2; // at most half of them are taken
    size_t slotBytes = sizeof(int) * slots, vertexBytes = 9 * sizeof(float) * faces;
    size_t indexBytes = 3 * sizeof(uint32_t) * faces;
    Welder welder = {.slots = wbAlloc(NULL, slotBytes),
                     .mesh = {.vertices = wbAlloc(NULL, vertexBytes), .indices = wbAlloc(NULL, indexBytes)},
                     .mask = slots - 1};
    bool hasMemory = welder.slots && (faces == 0 || (welder.mesh.vertices && welder.mesh.indices));
    wbStatus status = hasMemory ? addAll(&welder, from, path) : wbMemoryError(NULL, "%s needs", path);
    if (wbIsOk(status)) status = finish(&welder, path, mesh);
    wbFree(NULL, welder.slots, slotBytes);
    wbFree(NULL, welder.mesh.vertices, vertexBytes);
    wbFree(NULL, welder.mesh.indices, indexBytes);
    return status;
}

typedef struct Format {
    const char *ending;
    wbStatus (*read)(const char *path, const char *bytes, size_t size, wbPolygons *polygons);
} Format;

static const Format *findFormat(const char *path) {
    static const Format formats[] = {{"obj", wbReadObj}, {"stl", wbReadStl}, {"ply", wbReadPly}};
    const char *ending = strrchr(path, '.');
    for (int k = 0; k < 3 && ending; k++)
        if (strcasecmp(ending + 1, formats[k].ending) == 0) return &formats[k];
    return NULL;
}

wbStatus wbReadMeshBytes(const char *path, const void *bytes, size_t size, wbMesh *mesh) {
    *mesh = (wbMesh){0};
    const Format *format = findFormat(path);
    if (!format) return wbError(wb_errorInput, "%s: its name must end in .obj, .stl or .ply", path);
    if (size == 0) return wbError(wb_errorInput, "%s: the file is empty", path);
    if (size > MAX_FILE_BYTES)
        return wbError(wb_errorInput, "%s: it has %zu bytes; at most %d are allowed: simplify the mesh", path,
                       size, MAX_FILE_BYTES);
    wbPolygons polygons = {0};
    wbStatus status = format->read(path, bytes, size, &polygons);
    if (wbIsOk(status)) status = weld(&polygons, path, mesh);
    wbFreePolygons(&polygons);
    return status;
}

static wbStatus readOpen(FILE *file, size_t size, const char *path, wbMesh *mesh) {
    if (size > MAX_FILE_BYTES)
        return wbError(wb_errorInput, "%s: it has %zu bytes; at most %d are allowed: simplify the mesh", path,
                       size, MAX_FILE_BYTES);
    size_t room = size + 1; // not 0
    char *bytes = wbAlloc(NULL, room);
    if (!bytes) return wbMemoryError(NULL, "%s needs", path);
    size_t read = fread(bytes, 1, size, file);
    wbStatus status = read == size ? wbReadMeshBytes(path, bytes, read, mesh)
                                   : wbFailFile("read", path, "it became shorter meanwhile");
    wbFree(NULL, bytes, room);
    return status;
}

wbStatus wbReadMesh(const char *path, wbMesh *mesh) {
    WB_REQUIRE(path);
    WB_REQUIRE(mesh);
    FILE *file;
    size_t size;
    *mesh = (wbMesh){0};
    WB_TRY(wbOpenInput(path, &file, &size));
    wbStatus status = readOpen(file, size, path, mesh);
    fclose(file);
    return status;
}
