// SPDX-License-Identifier: MIT
#include "app/view/wires.h"

#include <math.h>
#include <stdlib.h>

#include "core/status.h"

/// An edge of a triangle, its ends in order.
typedef struct Edge {
    wbVec3 low, high;
    wbVec3 normal; ///< of the triangle, of length 1
} Edge;

static int comparePlaces(const wbVec3 *a, const wbVec3 *b) {
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    if (a->y != b->y) return a->y < b->y ? -1 : 1;
    return (a->z > b->z) - (a->z < b->z);
}

// By places, not by numbers of vertices: meshes from files have corners several times.
static int compareEdges(const void *one, const void *other) {
    const Edge *a = one, *b = other;
    const int low = comparePlaces(&a->low, &b->low);
    return low != 0 ? low : comparePlaces(&a->high, &b->high);
}

static wbVec3 getVertex(const wbMesh *mesh, uint32_t index) {
    const float *v = mesh->vertices + 3 * (size_t)index;
    return wbMakeVec3(v[0], v[1], v[2]);
}

static int listEdges(const wbMesh *mesh, Edge *edges) {
    int count = 0;
    for (int t = 0; t < mesh->triangleCount; t++) {
        const uint32_t *corners = mesh->indices + 3 * (size_t)t;
        const wbVec3 p[3] = {getVertex(mesh, corners[0]), getVertex(mesh, corners[1]),
                             getVertex(mesh, corners[2])};
        wbVec3 normal = wbCross(wbSub(p[1], p[0]), wbSub(p[2], p[0]));
        const float length = sqrtf(wbDot(normal, normal));
        if (!(length > 0)) continue; // it is a line
        normal = wbScale(1 / length, normal);
        for (int e = 0; e < 3; e++) {
            const wbVec3 *a = &p[e], *b = &p[(e + 1) % 3];
            const bool isInOrder = comparePlaces(a, b) < 0;
            edges[count++] = (Edge){isInOrder ? *a : *b, isInOrder ? *b : *a, normal};
        }
    }
    return count;
}

// Two triangles that lie in a plane, or nearly so, have no edge between them.
static bool isSeen(const Edge *edges, int count) {
    for (int i = 1; i < count; i++)
        if (wbDot(edges[0].normal, edges[i].normal) < 0.97f) return true;
    return count == 1;
}

static wbStatus addWire(wbWires *wires, const wbMesh *mesh) {
    wires->edges.elementSize = sizeof(Edge);
    wires->ends.elementSize = sizeof(wbVec3);
    if (mesh->triangleCount > INT32_MAX / 16 ||
        !wbArray_Reserve(NULL, &wires->edges, 3 * mesh->triangleCount))
        return wbMemoryError(NULL, "edges of %d triangles need", mesh->triangleCount);
    Edge *edges = wires->edges.data;
    const int count = listEdges(mesh, edges);
    qsort(edges, (size_t)count, sizeof *edges, compareEdges);
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && compareEdges(&edges[begin], &edges[end]) == 0;) end++;
        if (!isSeen(&edges[begin], end - begin)) continue;
        if (!wbArray_Reserve(NULL, &wires->ends, wires->endCount + 2))
            return wbMemoryError(NULL, "edges of %d triangles need", mesh->triangleCount);
        wbVec3 *ends = (wbVec3 *)wires->ends.data + wires->endCount;
        ends[0] = edges[begin].low, ends[1] = edges[begin].high;
        wires->endCount += 2;
    }
    return wb_okStatus;
}

static const wbWire *findWire(const wbWires *wires, uint64_t key, int generation) {
    const wbWire *list = wires->wires.data;
    for (int i = 0; i < wires->wireCount; i++)
        if (list[i].key == key && list[i].generation == generation) return &list[i];
    return NULL;
}

wbStatus wbWires_Find(wbWires *wires, const wbMesh *mesh, uint64_t key, int generation, const wbVec3 **ends,
                      int *count) {
    const wbWire *wire = findWire(wires, key, generation);
    if (!wire) {
        wbWire *list = wires->wires.data;
        // edges of another world belong to nothing
        if (wires->wireCount > 0 && list[0].generation != generation) wires->wireCount = wires->endCount = 0;
        wires->wires.elementSize = sizeof(wbWire);
        if (!wbArray_Reserve(NULL, &wires->wires, wires->wireCount + 1))
            return wbMemoryError(NULL, "edges of meshes need");
        const int first = wires->endCount;
        WB_TRY(addWire(wires, mesh));
        list = wires->wires.data;
        list[wires->wireCount] = (wbWire){key, generation, first, (wires->endCount - first) / 2};
        wire = &list[wires->wireCount++];
    }
    *ends = (const wbVec3 *)wires->ends.data + wire->first;
    *count = wire->count;
    return wb_okStatus;
}

void wbWires_Free(wbWires *wires) {
    wbArray_Free(NULL, &wires->wires);
    wbArray_Free(NULL, &wires->ends);
    wbArray_Free(NULL, &wires->edges);
    wires->wireCount = wires->endCount = 0;
}
