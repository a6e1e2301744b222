// SPDX-License-Identifier: MIT
#include "contour/smooth.h"

#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/status.h"
#include "shape/mesh.h"

/// Work is cut between so many vertices. Each shift leaves about the square of the error before.
enum { BLOCK = 1024, SHIFTS = 3 };

/// What belongs together: a body of water, a drop, a bubble.
typedef struct Piece {
    double wanted, volume; ///< m3; of a bubble below 0
    double area;           ///< m2, as far as a shift along the normals makes volume of it
} Piece;

/// A mesh and, for each vertex, the places in its indices that name it.
typedef struct Smoother {
    wbMesh *mesh;
    wbThreadPool *pool;
    wbArray starts;  ///< int per vertex, and one behind the last
    wbArray corners; ///< int
    wbArray moved;   ///< float[3] per vertex
    wbArray rough;   ///< likewise: as they were at first
    wbArray parents; ///< int per vertex: another one of its piece; itself: the piece has its number
    wbArray pieces;  ///< Piece per vertex
    float factor;    ///< of the way to the mean of the neighbours
} Smoother;

static wbStatus listCorners(Smoother *smoother, wbMemory *memory) {
    const wbMesh *mesh = smoother->mesh;
    const int cornerCount = 3 * mesh->triangleCount;
    smoother->starts.elementSize = smoother->corners.elementSize = (int)sizeof(int);
    smoother->parents.elementSize = (int)sizeof(int);
    smoother->moved.elementSize = smoother->rough.elementSize = (int)sizeof(float[3]);
    smoother->pieces.elementSize = (int)sizeof(Piece);
    if (!wbArray_Reserve(memory, &smoother->starts, mesh->vertexCount + 2) ||
        !wbArray_Reserve(memory, &smoother->corners, cornerCount) ||
        !wbArray_Reserve(memory, &smoother->parents, mesh->vertexCount) ||
        !wbArray_Reserve(memory, &smoother->pieces, mesh->vertexCount) ||
        !wbArray_Reserve(memory, &smoother->rough, mesh->vertexCount) ||
        !wbArray_Reserve(memory, &smoother->moved, mesh->vertexCount))
        return wbMemoryError(memory, "a surface of %d triangles needs", mesh->triangleCount);
    // counts two places behind, sums one place behind: filling moves them to where they belong
    int *starts = smoother->starts.data, *corners = smoother->corners.data;
    for (int c = 0; c < cornerCount; c++) starts[mesh->indices[c] + 2]++;
    for (int v = 0; v < mesh->vertexCount; v++) starts[v + 2] += starts[v + 1];
    for (int c = 0; c < cornerCount; c++) corners[starts[mesh->indices[c] + 1]++] = c;
    return wb_okStatus;
}

// The corner of a triangle that comes so many places after one of its corners.
static const float *getCorner(const wbMesh *mesh, int corner, int step) {
    const int place = corner - corner % 3 + (corner % 3 + step) % 3;
    return mesh->vertices + 3 * (size_t)mesh->indices[place];
}

// Each neighbour is the next corner of one triangle, as the mesh is closed.
static void relaxRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Smoother *smoother = context;
    const wbMesh *mesh = smoother->mesh;
    const int *starts = smoother->starts.data, *corners = smoother->corners.data;
    for (int v = begin; v < end; v++) {
        const float *from = mesh->vertices + 3 * (size_t)v;
        float *to = (float *)smoother->moved.data + 3 * (size_t)v, sum[3] = {0, 0, 0};
        for (int n = starts[v]; n < starts[v + 1]; n++)
            for (int a = 0; a < 3; a++) sum[a] += getCorner(mesh, corners[n], 1)[a] - from[a];
        for (int a = 0; a < 3; a++)
            to[a] = from[a] + smoother->factor * sum[a] / (float)(starts[v + 1] - starts[v]);
    }
}

// The sum of the triangles' area vectors at a vertex; gives its length.
static double getNormal(const Smoother *smoother, int vertex, double normal[3]) {
    const wbMesh *mesh = smoother->mesh;
    const int *starts = smoother->starts.data, *corners = smoother->corners.data;
    const float *p = mesh->vertices + 3 * (size_t)vertex;
    normal[0] = normal[1] = normal[2] = 0;
    for (int n = starts[vertex]; n < starts[vertex + 1]; n++) {
        const float *q = getCorner(mesh, corners[n], 1), *r = getCorner(mesh, corners[n], 2);
        double u[3], w[3];
        for (int a = 0; a < 3; a++) u[a] = (double)q[a] - p[a], w[a] = (double)r[a] - p[a];
        for (int a = 0; a < 3; a++)
            normal[a] += u[(a + 1) % 3] * w[(a + 2) % 3] - u[(a + 2) % 3] * w[(a + 1) % 3];
    }
    return sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
}

static int findPiece(int *parents, int vertex) {
    while (parents[vertex] != vertex) vertex = parents[vertex] = parents[parents[vertex]];
    return vertex;
}

static void joinPieces(Smoother *smoother) {
    const wbMesh *mesh = smoother->mesh;
    int *parents = smoother->parents.data;
    for (int v = 0; v < mesh->vertexCount; v++) parents[v] = v;
    for (int c = 0; c < 3 * mesh->triangleCount; c++)
        parents[findPiece(parents, (int)mesh->indices[c])] =
            findPiece(parents, (int)mesh->indices[c - c % 3 + (c + 1) % 3]);
    for (int v = 0; v < mesh->vertexCount; v++) parents[v] = findPiece(parents, v);
}

// Between the mesh's first vertex, so that terms are small, and a triangle.
static double measureTriangle(const wbMesh *mesh, int triangle) {
    double v[3][3];
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) v[k][a] = (double)getCorner(mesh, 3 * triangle, k)[a] - mesh->vertices[a];
    return (v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
            v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
            v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0])) /
           6;
}

static void measurePieces(Smoother *smoother) {
    const wbMesh *mesh = smoother->mesh;
    const int *parents = smoother->parents.data;
    Piece *pieces = smoother->pieces.data;
    for (int v = 0; v < mesh->vertexCount; v++) pieces[v].volume = pieces[v].area = 0;
    for (int t = 0; t < mesh->triangleCount; t++)
        pieces[parents[mesh->indices[3 * (size_t)t]]].volume += measureTriangle(mesh, t);
    for (int v = 0; v < mesh->vertexCount; v++) {
        double normal[3];
        pieces[parents[v]].area += getNormal(smoother, v, normal) / 6;
    }
}

static void shiftRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Smoother *smoother = context;
    for (int v = begin; v < end; v++) {
        const Piece *piece = (const Piece *)smoother->pieces.data + ((const int *)smoother->parents.data)[v];
        const float *from = smoother->mesh->vertices + 3 * (size_t)v;
        float *to = (float *)smoother->moved.data + 3 * (size_t)v;
        double normal[3], length = getNormal(smoother, v, normal);
        const double factor = length > 0 ? (piece->wanted - piece->volume) / piece->area / length : 0;
        for (int a = 0; a < 3; a++) to[a] = (float)((double)from[a] + factor * normal[a]);
    }
}

static void move(Smoother *smoother, wbRangeFn *range, float factor) {
    smoother->factor = factor;
    wbParallelFor(smoother->pool, smoother->mesh->vertexCount, BLOCK, range, smoother);
    memcpy(smoother->mesh->vertices, smoother->moved.data,
           sizeof(float[3]) * (size_t)smoother->mesh->vertexCount);
}

// Pieces of a few triangles, which smoothing makes something else of, stay rough.
static void restoreSmall(Smoother *smoother) {
    const float *rough = smoother->rough.data;
    measurePieces(smoother);
    for (int v = 0; v < smoother->mesh->vertexCount; v++) {
        const Piece *piece = (const Piece *)smoother->pieces.data + ((const int *)smoother->parents.data)[v];
        const double share = piece->volume / piece->wanted;
        if (share > 2.0 / 3 && share < 1.5) continue;
        memcpy(smoother->mesh->vertices + 3 * (size_t)v, rough + 3 * (size_t)v, sizeof(float[3]));
    }
}

static void smooth(Smoother *smoother, int passes) {
    Piece *pieces = smoother->pieces.data;
    memcpy(smoother->rough.data, smoother->mesh->vertices,
           sizeof(float[3]) * (size_t)smoother->mesh->vertexCount);
    joinPieces(smoother);
    measurePieces(smoother);
    for (int v = 0; v < smoother->mesh->vertexCount; v++) pieces[v].wanted = pieces[v].volume;
    for (int n = 0; n < passes; n++) {
        move(smoother, relaxRange, 0.5f);
        move(smoother, relaxRange, -0.53f);
    }
    restoreSmall(smoother);
    for (int n = 0; n < SHIFTS; n++) {
        measurePieces(smoother);
        move(smoother, shiftRange, 0);
    }
}

wbStatus wbSmoothMesh(wbMesh *mesh, int passes, wbThreadPool *pool, wbMemory *memory) {
    Smoother smoother = {.mesh = mesh, .pool = pool};
    wbStatus status = listCorners(&smoother, memory);
    if (wbIsOk(status)) smooth(&smoother, passes);
    wbArray_Free(memory, &smoother.starts);
    wbArray_Free(memory, &smoother.corners);
    wbArray_Free(memory, &smoother.moved);
    wbArray_Free(memory, &smoother.rough);
    wbArray_Free(memory, &smoother.parents);
    wbArray_Free(memory, &smoother.pieces);
    return status;
}
