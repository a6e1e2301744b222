// SPDX-License-Identifier: MIT
#include "shape/mesh_maker.h"

#include <math.h>
#include <string.h>

#include "shape/mesh.h"

MeshMaker wbStartMesh(void) {
    return (MeshMaker){.vertices = {.elementSize = 3 * sizeof(float)},
                       .indices = {.elementSize = 3 * sizeof(uint32_t)}};
}

wbStatus wbFinishMesh(MeshMaker *maker, wbMesh *mesh) {
    *mesh = (wbMesh){0};
    wbStatus status = wbMemoryError(NULL, "a mesh needs");
    if (!maker->isShort) status = wbAllocMesh(maker->vertexCount, maker->triangleCount, mesh);
    if (wbIsOk(status)) {
        memcpy(mesh->vertices, maker->vertices.data, 3 * sizeof(float) * (size_t)maker->vertexCount);
        memcpy(mesh->indices, maker->indices.data, 3 * sizeof(uint32_t) * (size_t)maker->triangleCount);
    }
    wbArray_Free(NULL, &maker->vertices);
    wbArray_Free(NULL, &maker->indices);
    return status;
}

int wbMeshMaker_AddVertex(MeshMaker *maker, wbVec3 position) {
    if (!wbArray_Reserve(NULL, &maker->vertices, maker->vertexCount + 1)) {
        maker->isShort = true;
        return 0;
    }
    float *to = (float *)maker->vertices.data + 3 * (size_t)maker->vertexCount;
    to[0] = position.x, to[1] = position.y, to[2] = position.z;
    return maker->vertexCount++;
}

void wbMeshMaker_AddTriangle(MeshMaker *maker, int a, int b, int c) {
    if (!wbArray_Reserve(NULL, &maker->indices, maker->triangleCount + 1)) {
        maker->isShort = true;
        return;
    }
    uint32_t *to = (uint32_t *)maker->indices.data + 3 * (size_t)maker->triangleCount++;
    to[0] = (uint32_t)a, to[1] = (uint32_t)b, to[2] = (uint32_t)c;
}

void wbMeshMaker_AddQuad(MeshMaker *maker, int a, int b, int c, int d) {
    wbMeshMaker_AddTriangle(maker, a, b, c);
    wbMeshMaker_AddTriangle(maker, a, c, d);
}

static void addFace(MeshMaker *maker, bool isTurned, int a, int b, int c, int d) {
    if (isTurned)
        wbMeshMaker_AddQuad(maker, d, c, b, a);
    else
        wbMeshMaker_AddQuad(maker, a, b, c, d);
}

void wbMeshMaker_AddBox(MeshMaker *maker, wbVec3 min, wbVec3 max, bool isHollow) {
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    int first = maker->vertexCount;
    for (int k = 0; k < 8; k++)
        wbMeshMaker_AddVertex(
            maker, wbMakeVec3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z));
    for (int f = 0; f < 6; f++)
        addFace(maker, isHollow, first + faces[f][0], first + faces[f][1], first + faces[f][2],
                first + faces[f][3]);
}

static void addRing(MeshMaker *maker, ProfilePoint point, int segments) {
    int count = point.radius == 0 ? 1 : segments;
    for (int k = 0; k < count; k++) {
        double angle = 2 * 3.14159265358979323846 * k / segments;
        wbMeshMaker_AddVertex(maker, wbMakeVec3((float)(point.radius * cos(angle)), (float)point.height,
                                                (float)(point.radius * sin(angle))));
    }
}

// Faces between the rings that start at the vertices a and b; a ring on the axis is one vertex.
static void joinRings(MeshMaker *maker, int a, bool aIsPoint, int b, bool bIsPoint, int segments,
                      bool isTurned) {
    for (int k = 0; k < segments; k++) {
        int next = (k + 1) % segments, corners[3] = {a, b + k, b + next};
        if (!aIsPoint && !bIsPoint) {
            addFace(maker, isTurned, a + k, b + k, b + next, a + next);
            continue;
        }
        if (bIsPoint) corners[0] = a + k, corners[1] = b, corners[2] = a + next;
        wbMeshMaker_AddTriangle(maker, corners[isTurned ? 2 : 0], corners[1], corners[isTurned ? 0 : 2]);
    }
}

void wbMeshMaker_AddLathe(MeshMaker *maker, const ProfilePoint *points, int count, int segments,
                          bool isHollow) {
    int start = maker->vertexCount, ring = start;
    for (int i = 0; i < count; i++) addRing(maker, points[i], segments);
    for (int i = 0; i < count; i++) {
        const ProfilePoint *a = &points[i], *b = &points[(i + 1) % count];
        int size = a->radius == 0 ? 1 : segments, next = i + 1 < count ? ring + size : start;
        if (a->radius != 0 || b->radius != 0)
            joinRings(maker, ring, a->radius == 0, next, b->radius == 0, segments, isHollow);
        ring += size;
    }
}

void wbMeshMaker_TurnToZ(MeshMaker *maker, int first) {
    float *vertices = maker->vertices.data;
    for (int i = first; i < maker->vertexCount && !maker->isShort; i++) {
        float *v = vertices + 3 * (size_t)i, x = v[0];
        v[0] = v[2], v[2] = v[1], v[1] = x;
    }
}
