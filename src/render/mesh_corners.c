// SPDX-License-Identifier: MIT
#include "render/mesh_corners.h"

#include "core/status.h"
#include "render/matrix.h"

#include <stdlib.h>
#include <string.h>

/// A corner of a triangle, found by its place.
typedef struct Place {
    wbVec3 position;
    int corner;
} Place;

static int comparePlaces(const void *a, const void *b) {
    const Place *p = a, *q = b;
    if (p->position.x != q->position.x) return p->position.x < q->position.x ? -1 : 1;
    if (p->position.y != q->position.y) return p->position.y < q->position.y ? -1 : 1;
    if (p->position.z != q->position.z) return p->position.z < q->position.z ? -1 : 1;
    return (p->corner > q->corner) - (p->corner < q->corner);
}

static bool isSamePlace(const Place *a, const Place *b) {
    return a->position.x == b->position.x && a->position.y == b->position.y && a->position.z == b->position.z;
}

static wbVec3 getFaceNormal(const wbCorner *triangle) {
    return wbNormalize(wbCross(wbSub(triangle[1].position, triangle[0].position),
                               wbSub(triangle[2].position, triangle[0].position)));
}

static float getAngle(const wbCorner *corners, int corner) {
    const wbCorner *triangle = corners + corner / 3 * 3;
    int i = corner % 3;
    wbVec3 here = triangle[i].position;
    wbVec3 a = wbNormalize(wbSub(triangle[(i + 1) % 3].position, here));
    wbVec3 b = wbNormalize(wbSub(triangle[(i + 2) % 3].position, here));
    return acosf(fmaxf(-1, fminf(1, wbDot(a, b))));
}

// The mean of the faces around, each weighted by its angle there: how a mesh is cut into triangles does not show.
static void smoothPlace(wbCorner *corners, const Place *places, int count, float creaseCosine) {
    for (int i = 0; i < count; ++i) {
        wbVec3 own = getFaceNormal(corners + places[i].corner / 3 * 3), sum = {0, 0, 0};
        for (int k = 0; k < count; ++k) {
            wbVec3 other = getFaceNormal(corners + places[k].corner / 3 * 3);
            if (k == i || wbDot(own, other) > creaseCosine)
                sum = wbAdd(sum, wbScale(getAngle(corners, places[k].corner), other));
        }
        corners[places[i].corner].normal = wbDot(sum, sum) > 0 ? wbNormalize(sum) : own;
    }
}

static wbStatus fillPlaces(const wbMesh *mesh, wbCorner *corners, Place *places) {
    for (int i = 0; i < 3 * mesh->triangleCount; ++i) {
        uint32_t index = mesh->indices[i];
        if (index >= (uint32_t)mesh->vertexCount) {
            return wbError(wb_errorInput, "a mesh of %d vertices names vertex %u, allowed is 0 to %d",
                           mesh->vertexCount, index, mesh->vertexCount - 1);
        }
        const float *v = mesh->vertices + 3 * (size_t)index;
        corners[i].position = wbMakeVec3(v[0], v[1], v[2]);
        places[i] = (Place){corners[i].position, i};
    }
    return wb_okStatus;
}

// Corners at one place share the first one with their normal.
static void sharePlace(const wbCorner *corners, const Place *places, int count, uint32_t *indices) {
    for (int i = 0; i < count; ++i) {
        const wbVec3 normal = corners[places[i].corner].normal;
        int k = 0;
        while (memcmp(&corners[places[k].corner].normal, &normal, sizeof normal) != 0) ++k;
        indices[places[i].corner] = (uint32_t)places[k].corner;
    }
}

// Keeps those that others share; none comes before the one that it shares.
static int packCorners(wbCorner *corners, uint32_t *indices, int count) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const bool isFirst = indices[i] == (uint32_t)i;
        if (isFirst) corners[kept] = corners[i];
        indices[i] = isFirst ? (uint32_t)kept++ : indices[indices[i]];
    }
    return kept;
}

wbStatus wbMakeCorners(const wbMesh *mesh, float creaseCosine, wbArray *corners, int *cornerCount,
                       wbArray *indices) {
    int count = 3 * mesh->triangleCount;
    wbArray places = {.elementSize = (int)sizeof(Place)};
    corners->elementSize = (int)sizeof(wbCorner), indices->elementSize = (int)sizeof(uint32_t);
    if (!wbArray_Reserve(NULL, corners, count) || !wbArray_Reserve(NULL, indices, count) ||
        !wbArray_Reserve(NULL, &places, count)) {
        wbArray_Free(NULL, &places);
        return wbError(wb_errorMemory, "no memory to draw a mesh of %d triangles", mesh->triangleCount);
    }
    Place *list = places.data;
    wbStatus status = fillPlaces(mesh, corners->data, list);
    if (wbIsOk(status)) {
        qsort(list, (size_t)count, sizeof *list, comparePlaces);
        for (int first = 0, end; first < count; first = end) {
            for (end = first + 1; end < count && isSamePlace(&list[first], &list[end]);) ++end;
            smoothPlace(corners->data, list + first, end - first, creaseCosine);
            sharePlace(corners->data, list + first, end - first, indices->data);
        }
        *cornerCount = packCorners(corners->data, indices->data, count);
    }
    wbArray_Free(NULL, &places);
    return status;
}

static int compareEdges(const void *a, const void *b) {
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

static double getSixVolumes(const wbMesh *mesh) {
    double sum = 0;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        wbVec3 corners[3];
        for (int i = 0; i < 3; ++i) {
            const float *v = mesh->vertices + 3 * (size_t)mesh->indices[3 * (size_t)t + (size_t)i];
            corners[i] = wbMakeVec3(v[0], v[1], v[2]);
        }
        sum += (double)wbDot(corners[0], wbCross(corners[1], corners[2]));
    }
    return sum;
}

bool wbIsClosedMesh(const wbMesh *mesh) {
    const size_t count = 3 * (size_t)mesh->triangleCount;
    wbArray edges = {.elementSize = (int)sizeof(uint64_t)};
    if (count == 0 || !wbArray_Reserve(NULL, &edges, (int)count)) return false;
    uint64_t *list = edges.data;
    for (size_t i = 0; i < count; ++i)
        list[i] = (uint64_t)mesh->indices[i] << 32 | mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
    qsort(list, count, sizeof *list, compareEdges);
    bool closed = true;
    for (size_t i = 0; i < count && closed; ++i) {
        const uint64_t back = list[i] << 32 | list[i] >> 32;
        closed =
            (i == 0 || list[i] != list[i - 1]) && bsearch(&back, list, count, sizeof *list, compareEdges);
    }
    wbArray_Free(NULL, &edges);
    return closed && getSixVolumes(mesh) > 0;
}
