// SPDX-License-Identifier: MIT
#include "shape/mesh.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/status.h"

// Farther out floats are coarser than a millimetre.
#define FARTHEST 1e4f

static size_t getVertexBytes(const wbMesh *mesh) { return 3 * sizeof(float) * (size_t)mesh->vertexCount; }
static size_t getIndexBytes(const wbMesh *mesh) { return 3 * sizeof(uint32_t) * (size_t)mesh->triangleCount; }

void wbRequireMesh(const wbMesh *mesh) {
    if (!mesh) return;
    WB_ASSERT(mesh->vertexCount >= 0 && (mesh->vertices || mesh->vertexCount == 0),
              "the vertices of a mesh are missing");
    WB_ASSERT(mesh->triangleCount >= 0 && (mesh->indices || mesh->triangleCount == 0),
              "the indices of a mesh are missing");
}

wbStatus wbAllocMesh(int vertexCount, int triangleCount, wbMesh *mesh) {
    *mesh = (wbMesh){.vertexCount = vertexCount, .triangleCount = triangleCount};
    mesh->vertices = wbAlloc(NULL, getVertexBytes(mesh));
    mesh->indices = wbAlloc(NULL, getIndexBytes(mesh));
    if (mesh->vertices && mesh->indices) return wb_okStatus;
    wbFreeMesh(mesh);
    return wbMemoryError(NULL, "a mesh of %d triangles needs", triangleCount);
}

void wbFreeMesh(wbMesh *mesh) {
    WB_REQUIRE(mesh);
    wbFree(NULL, mesh->vertices, getVertexBytes(mesh));
    wbFree(NULL, mesh->indices, getIndexBytes(mesh));
    *mesh = (wbMesh){0};
}

double wbMesh_GetVolume(const wbMesh *mesh) {
    double sum = 0;
    const float *origin = mesh->vertices; // keeps the terms small for a mesh far from the origin
    for (int t = 0; t < mesh->triangleCount; t++) {
        double v[3][3];
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++)
                v[k][a] =
                    (double)mesh->vertices[3 * (size_t)mesh->indices[3 * (size_t)t + k] + a] - origin[a];
        sum += v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
               v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
               v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    }
    return sum / 6;
}

static wbStatus checkNumbers(const wbMesh *mesh) {
    if (mesh->triangleCount < 1 || mesh->vertexCount < 1)
        return wbError(wb_errorInput, "the mesh has no triangle");
    if (mesh->triangleCount > WB_MAX_TRIANGLES || mesh->vertexCount > WB_MAX_VERTICES)
        return wbError(wb_errorInput, "the mesh has %d triangles; at most %d are allowed: simplify it",
                       mesh->triangleCount, WB_MAX_TRIANGLES);
    for (int i = 0; i < 3 * mesh->vertexCount; i++)
        if (!(fabsf(mesh->vertices[i]) <= FARTHEST))
            return wbError(wb_errorInput, "%c of the mesh's vertex %d is %g; allowed: -%g to %g m",
                           "xyz"[i % 3], i / 3, (double)mesh->vertices[i], (double)FARTHEST,
                           (double)FARTHEST);
    for (int i = 0; i < 3 * mesh->triangleCount; i++)
        if (mesh->indices[i] >= (uint32_t)mesh->vertexCount)
            return wbError(wb_errorInput, "the mesh's triangle %d names vertex %u; there are %d, from 0 on",
                           i / 3, mesh->indices[i], mesh->vertexCount);
    return wb_okStatus;
}

// An edge of a triangle, sorted by its two vertices, whichever comes first.
typedef struct Edge {
    uint32_t low, high;
    int place; // in the indices
} Edge;

static uint32_t getNext(const wbMesh *mesh, int edge) {
    return mesh->indices[edge % 3 == 2 ? edge - 2 : edge + 1];
}

static int compareEdges(const void *first, const void *second) {
    const Edge *a = first, *b = second;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void sortEdges(const wbMesh *mesh, Edge *edges) {
    int count = 3 * mesh->triangleCount;
    for (int e = 0; e < count; e++) {
        uint32_t from = mesh->indices[e], to = getNext(mesh, e);
        edges[e] = (Edge){from < to ? from : to, from < to ? to : from, e};
    }
    qsort(edges, (size_t)count, sizeof *edges, compareEdges);
}

static wbStatus failByEdge(const wbMesh *mesh, int edge, const char *reason) {
    uint32_t from = mesh->indices[edge], to = getNext(mesh, edge);
    const float *a = mesh->vertices + 3 * (size_t)from, *b = mesh->vertices + 3 * (size_t)to;
    return wbError(wb_errorInput, "the mesh's triangle %d, edge from (%g, %g, %g) to (%g, %g, %g): %s",
                   edge / 3, (double)a[0], (double)a[1], (double)a[2], (double)b[0], (double)b[1],
                   (double)b[2], reason);
}

// NULL if these edges, all between the same two vertices, are those of a closed surface.
static const char *findFault(const wbMesh *mesh, const Edge *edges, int count) {
    if (edges->low == edges->high) return "both ends are one vertex; leave the triangle out";
    if (count == 1) return "no other triangle has it; close the hole";
    if (count > 2) return "more than two triangles have it; an edge joins two";
    if (mesh->indices[edges[0].place] == mesh->indices[edges[1].place])
        return "one of its two triangles is turned over; let both go around counter-clockwise";
    return NULL;
}

static wbStatus checkEdges(const wbMesh *mesh, const Edge *edges) {
    const char *fault = NULL;
    int count = 3 * mesh->triangleCount, place = count;
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count; end++)
            if (edges[end].low != edges[first].low || edges[end].high != edges[first].high) break;
        const char *found = findFault(mesh, edges + first, end - first);
        if (found && edges[first].place < place) fault = found, place = edges[first].place;
    }
    return fault ? failByEdge(mesh, place, fault) : wb_okStatus;
}

wbStatus wbMesh_Check(const wbMesh *mesh) {
    WB_TRY(checkNumbers(mesh));
    size_t bytes = sizeof(Edge) * 3 * (size_t)mesh->triangleCount;
    Edge *edges = wbAlloc(NULL, bytes);
    if (!edges) return wbMemoryError(NULL, "the check of %d triangles needs", mesh->triangleCount);
    sortEdges(mesh, edges);
    wbStatus status = checkEdges(mesh, edges);
    wbFree(NULL, edges, bytes);
    WB_TRY(status);
    double volume = wbMesh_GetVolume(mesh);
    if (volume > 0) return wb_okStatus;
    if (volume < 0)
        return wbError(wb_errorInput, "the mesh is inside out: its volume is %g m3; turn its triangles over",
                       volume);
    return wbError(wb_errorInput, "the mesh encloses no volume; give it a thickness");
}
