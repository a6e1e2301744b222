// SPDX-License-Identifier: MIT
// OBJ and STL by assimp, PLY by our own reader. A file is read as a whole, so that it can name no other file.
#include "io/mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <assimp/cimport.h>
#include <assimp/scene.h>

#include "core/input_file.h"
#include "core/memory.h"
#include "core/output_file.h"
#include "core/status.h"
#include "io/ply_mesh.h"

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

static uint32_t weldVertex(Welder *welder, const struct aiVector3D *at) {
    wbMesh *mesh = &welder->mesh;
    const float v[3] = {at->x + 0.0f, at->y + 0.0f, at->z + 0.0f}; // -0 becomes 0
    uint32_t slot = hashPlace(v) & welder->mask;
    for (; welder->slots[slot] >= 0; slot = (slot + 1) & welder->mask)
        if (memcmp(mesh->vertices + 3 * (size_t)welder->slots[slot], v, sizeof v) == 0)
            return (uint32_t)welder->slots[slot];
    welder->slots[slot] = mesh->vertexCount;
    memcpy(mesh->vertices + 3 * (size_t)mesh->vertexCount, v, sizeof v);
    return (uint32_t)mesh->vertexCount++;
}

static wbStatus checkVertices(const struct aiMesh *from, const struct aiFace *face, const char *path) {
    for (unsigned k = 0; k < face->mNumIndices; k++) {
        unsigned index = face->mIndices[k];
        if (index >= from->mNumVertices)
            return wbError(wb_errorInput, "%s: a face names vertex %u; there are %u", path, index,
                           from->mNumVertices);
        const struct aiVector3D *at = &from->mVertices[index];
        if (!isfinite(at->x) || !isfinite(at->y) || !isfinite(at->z))
            return wbError(wb_errorInput, "%s: vertex %u is (%g, %g, %g); write finite numbers", path, index,
                           (double)at->x, (double)at->y, (double)at->z);
    }
    return wb_okStatus;
}

static void getNormal(const struct aiVector3D *a, const struct aiVector3D *b, const struct aiVector3D *c,
                      double normal[3]) {
    const double u[3] = {(double)b->x - a->x, (double)b->y - a->y, (double)b->z - a->z};
    const double v[3] = {(double)c->x - a->x, (double)c->y - a->y, (double)c->z - a->z};
    for (int k = 0; k < 3; k++) normal[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
}

// Whether all triangles from a face's first corner look to the same side.
static bool isFan(const struct aiMesh *from, const struct aiFace *face) {
    const struct aiVector3D *v = from->mVertices;
    double sum[3] = {0}, n[3];
    for (int isSecond = 0; isSecond < 2; isSecond++)
        for (unsigned k = 1; k + 1 < face->mNumIndices; k++) {
            getNormal(&v[face->mIndices[0]], &v[face->mIndices[k]], &v[face->mIndices[k + 1]], n);
            if (isSecond && n[0] * sum[0] + n[1] * sum[1] + n[2] * sum[2] < 0) return false;
            for (int a = 0; a < 3 && !isSecond; a++) sum[a] += n[a];
        }
    return true;
}

// Faces are cut here, not by assimp, whose Debian build ends the program on some faulty files.
static wbStatus addFaces(Welder *welder, const struct aiMesh *from, const char *path) {
    wbMesh *mesh = &welder->mesh;
    for (unsigned f = 0; f < from->mNumFaces; f++) {
        const struct aiFace *face = &from->mFaces[f];
        if (face->mNumIndices < 3) continue; // points and lines
        WB_TRY(checkVertices(from, face, path));
        if (!isFan(from, face))
            return wbError(wb_errorInput, "%s: face %u has a corner that points inwards; export triangles",
                           path, f);
        for (unsigned k = 1; k + 1 < face->mNumIndices; k++) {
            const uint32_t corners[3] = {weldVertex(welder, &from->mVertices[face->mIndices[0]]),
                                         weldVertex(welder, &from->mVertices[face->mIndices[k]]),
                                         weldVertex(welder, &from->mVertices[face->mIndices[k + 1]])};
            if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
            memcpy(mesh->indices + 3 * (size_t)mesh->triangleCount++, corners, sizeof corners);
        }
    }
    return wb_okStatus;
}

static size_t countTriangles(const struct aiScene *scene) {
    size_t count = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++)
        for (unsigned f = 0; f < scene->mMeshes[m]->mNumFaces; f++) {
            unsigned corners = scene->mMeshes[m]->mFaces[f].mNumIndices;
            if (corners >= 3) count += corners - 2;
        }
    return count;
}

static wbStatus addAll(Welder *welder, const struct aiScene *scene, const char *path) {
    memset(welder->slots, -1, sizeof(int) * ((size_t)welder->mask + 1));
    for (unsigned m = 0; m < scene->mNumMeshes; m++) WB_TRY(addFaces(welder, scene->mMeshes[m], path));
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

static wbStatus weld(const struct aiScene *scene, const char *path, wbMesh *mesh) {
    size_t faces = countTriangles(scene);
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
    wbStatus status = hasMemory ? addAll(&welder, scene, path) : wbMemoryError(NULL, "%s needs", path);
    if (wbIsOk(status)) status = finish(&welder, path, mesh);
    wbFree(NULL, welder.slots, slotBytes);
    wbFree(NULL, welder.mesh.vertices, vertexBytes);
    wbFree(NULL, welder.mesh.indices, indexBytes);
    return status;
}

static const char *findFormat(const char *path) {
    static const char *const formats[] = {"obj", "stl", "ply"};
    const char *ending = strrchr(path, '.');
    for (int k = 0; k < 3 && ending; k++)
        if (strcasecmp(ending + 1, formats[k]) == 0) return formats[k];
    return NULL;
}

// assimp makes what a PLY file's list promises, looks for the end of its header for ever, and needs thousands of bytes per
// group of an OBJ file or solid of an STL file, so that it gets only what makes a surface, in one piece.
typedef struct Text {
    const char *from, *end; // what is left of the file
    char *to;
} Text;

static bool startsWith(const Text *text, size_t length, const char *word) {
    size_t letters = strlen(word);
    return length >= letters && memcmp(text->from, word, letters) == 0 &&
           (length == letters || text->from[letters] == ' ' || text->from[letters] == '\t');
}

static bool isLineEnd(char c) { return c == '\n' || c == '\r'; }

// Up to its end, \n, \r\n or \r. A line of an OBJ file that ends with a backslash goes on.
static size_t measureLine(const Text *text, bool isObj) {
    const char *at = text->from;
    for (bool goesOn = false; at < text->end && (!isLineEnd(*at) || goesOn); at++)
        goesOn = isObj && (*at == '\\' || (goesOn && *at == '\r'));
    return (size_t)(at - text->from);
}

static bool isKept(const Text *text, size_t length, bool isObj) {
    static const char *const shapes[] = {"v", "vt", "vn", "f", "l", "p"};
    if (!isObj) return !startsWith(text, length, "solid") && !startsWith(text, length, "endsolid");
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        if (startsWith(text, length, shapes[s])) return true;
    return false;
}

static void put(Text *text, const char *from, size_t length) {
    memcpy(text->to, from, length);
    text->to += length;
}

// Gives the length; what is kept is not longer than the file and two short lines.
static size_t keepSurface(const char *bytes, size_t size, bool isObj, char *kept) {
    Text text = {bytes, bytes + size, kept};
    if (!isObj) put(&text, "solid\n", 6);
    while (text.from < text.end) {
        while (text.from < text.end && (*text.from == ' ' || *text.from == '\t')) text.from++;
        size_t length = measureLine(&text, isObj);
        if (isKept(&text, length, isObj)) put(&text, text.from, length), put(&text, "\n", 1);
        text.from += length + (text.from + length < text.end);
    }
    if (!isObj) put(&text, "endsolid\n", 9);
    return (size_t)(text.to - kept);
}

// Twelve floats and two bytes per triangle behind 80 bytes and their number.
static bool isBinaryStl(const char *bytes, size_t size) {
    uint32_t count;
    if (size < 84) return false;
    memcpy(&count, bytes + 80, sizeof count);
    return size == 84 + 50 * (size_t)count;
}

static wbStatus importBytes(const char *path, const char *format, const void *bytes, size_t size,
                            wbMesh *mesh) {
    const struct aiScene *scene = aiImportFileFromMemory(bytes, (unsigned)size, 0, format);
    if (!scene) {
        const char *reason = aiGetErrorString();
        bool namesMemory = strstr(reason, "$$$"); // assimp's name for a file in memory means nothing to users
        return wbError(wb_errorInput, "%s: this is no %s file%s%.120s", path, format, namesMemory ? "" : ": ",
                       namesMemory ? "" : reason);
    }
    wbStatus status = weld(scene, path, mesh);
    aiReleaseImport(scene);
    return status;
}

static wbStatus importText(const char *path, const char *format, const char *bytes, size_t size,
                           wbMesh *mesh) {
    size_t room = size + 32;
    char *kept = wbAlloc(NULL, room);
    if (!kept) return wbMemoryError(NULL, "%s needs", path);
    size_t length = keepSurface(bytes, size, strcmp(format, "obj") == 0, kept);
    wbStatus status = length > 0 ? importBytes(path, format, kept, length, mesh)
                                 : wbError(wb_errorInput, "%s: this is no %s file", path, format);
    wbFree(NULL, kept, room);
    return status;
}

// In assimp's form, as far as a surface goes.
static wbStatus weldPly(const char *path, const wbPlyMesh *ply, wbMesh *mesh) {
    _Static_assert(sizeof(struct aiVector3D) == sizeof(float[3]), "places are three floats");
    size_t bytes = sizeof(struct aiFace) * (size_t)ply->faceCount;
    struct aiFace *faces = wbAlloc(NULL, bytes);
    if (bytes && !faces) return wbMemoryError(NULL, "%s needs", path);
    uint32_t *indices = ply->indices;
    for (int f = 0; f < ply->faceCount; indices += ply->corners[f++])
        faces[f] = (struct aiFace){(unsigned)ply->corners[f], indices};
    struct aiMesh surface = {.mVertices = (struct aiVector3D *)(void *)ply->vertices,
                             .mNumVertices = (unsigned)ply->vertexCount,
                             .mFaces = faces,
                             .mNumFaces = (unsigned)ply->faceCount};
    struct aiMesh *surfaces[] = {&surface};
    wbStatus status = weld(&(struct aiScene){.mMeshes = surfaces, .mNumMeshes = 1}, path, mesh);
    wbFree(NULL, faces, bytes);
    return status;
}

static wbStatus readPly(const char *path, const void *bytes, size_t size, wbMesh *mesh) {
    wbPlyMesh ply;
    WB_TRY(wbReadPlyMesh(path, bytes, size, &ply));
    wbStatus status = weldPly(path, &ply, mesh);
    wbFreePlyMesh(&ply);
    return status;
}

wbStatus wbReadMeshBytes(const char *path, const void *bytes, size_t size, wbMesh *mesh) {
    *mesh = (wbMesh){0};
    const char *format = findFormat(path);
    if (!format) return wbError(wb_errorInput, "%s: its name must end in .obj, .stl or .ply", path);
    if (size == 0) return wbError(wb_errorInput, "%s: the file is empty", path);
    if (strcmp(format, "ply") == 0) return readPly(path, bytes, size, mesh);
    bool isText = strcmp(format, "obj") == 0 ||
                  (size > 5 && memcmp(bytes, "solid", 5) == 0 && !isBinaryStl(bytes, size));
    return isText ? importText(path, format, bytes, size, mesh)
                  : importBytes(path, format, bytes, size, mesh);
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
