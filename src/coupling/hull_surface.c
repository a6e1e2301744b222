// SPDX-License-Identifier: MIT
#include "coupling/hull_surface.h"

#include <math.h>

#include "core/status.h"

void wbHullSurface_Free(wbMemory *memory, wbHullSurface *surface) {
    wbArray_Free(memory, &surface->faces);
    *surface = (wbHullSurface){0};
}

typedef struct Face {
    wbVec3d corners[3], middle, normal, along; // the last two are unit vectors
    double area;
} Face;

static wbVec3d scale(double by, wbVec3d v) { return (wbVec3d){by * v.x, by * v.y, by * v.z}; }

static Face getFace(const wbMesh *mesh, int triangle) {
    wbVec3d c[3];
    for (int k = 0; k < 3; k++) {
        const float *v = mesh->vertices + 3 * (size_t)mesh->indices[3 * (size_t)triangle + (size_t)k];
        c[k] = (wbVec3d){v[0], v[1], v[2]};
    }
    const wbVec3d side = wbSub3d(c[1], c[0]), cross = wbCross3d(side, wbSub3d(c[2], c[0]));
    const double length = sqrt(wbDot3d(side, side)), twice = sqrt(wbDot3d(cross, cross));
    Face face = {.corners = {c[0], c[1], c[2]}, .area = 0.5 * twice};
    for (int k = 0; k < 3; k++) face.middle = wbAddScaled3d(face.middle, 1.0 / 3, c[k]);
    if (length > 0 && twice > 0) face.normal = scale(1 / twice, cross), face.along = scale(1 / length, side);
    return face;
}

// Whether a wall ends behind it before a kernel does.
static bool isThin(const wbShape *shape, const Face *face, double reach) {
    const wbVec3d start = wbAddScaled3d(face->middle, -1e-4 * reach, face->normal);
    return wbShape_CastRay(shape, start, scale(-reach, face->normal), 1).triangle >= 0;
}

// Around its middle, a third and two thirds of a kernel's reach away, most of its plane is not surface.
static bool isEdge(const wbShape *shape, const Face *face, double reach) {
    enum { DIRECTIONS = 8 };
    const double pi = 3.14159265358979323846, slope = 0.2;
    const wbVec3d across = wbCross3d(face->normal, face->along);
    int found = 0;
    for (int k = 0; k < 2 * DIRECTIONS; k++) {
        const double radius = (k < DIRECTIONS ? 0.35 : 0.7) * reach,
                     angle = 2 * pi * (k % DIRECTIONS + 0.5) / DIRECTIONS;
        wbVec3d at = wbAddScaled3d(face->middle, radius * cos(angle), face->along);
        at = wbAddScaled3d(at, radius * sin(angle), across);
        const wbVec3 point = {(float)at.x, (float)at.y, (float)at.z};
        found += fabs((double)wbShape_FindSurface(shape, point).distance) < slope * radius;
    }
    return found <= DIRECTIONS;
}

static bool isInside(const wbShape *shape, wbVec3d at) {
    return wbShape_FindSurface(shape, wbMakeVec3((float)at.x, (float)at.y, (float)at.z)).distance < 0;
}

// What of the half space behind a face is missing beside one of its edges, in eighths: where the surface goes on behind that edge, or the edge is
// inside of another part, nothing is.
static uint8_t findMissing(const wbShape *shape, const Face *face, int edge, double reach) {
    enum { DIRECTIONS = 8 };
    const double pi = 3.14159265358979323846, far = 2e-3 * reach;
    const wbVec3d from = face->corners[edge], way = wbSub3d(face->corners[(edge + 1) % 3], from),
                  middle = wbAddScaled3d(from, 0.5, way), across = wbCross3d(face->normal, way);
    const double length = sqrt(wbDot3d(across, across));
    if (!(length > 0)) return 0;
    const wbVec3d inwards = scale(1 / length, across);
    int missing = 0;
    for (int k = DIRECTIONS - 1; k >= 0; k--) { // from beyond the edge on
        const double angle = pi * (k + 0.5) / DIRECTIONS;
        const wbVec3d beside = wbAddScaled3d(middle, far * cos(angle), inwards);
        if (isInside(shape, wbAddScaled3d(beside, -far * sin(angle), face->normal))) break;
        missing++;
    }
    const wbVec3d before = wbAddScaled3d(wbAddScaled3d(middle, far, inwards), far, face->normal);
    return missing == 0 || isInside(shape, before) ? 0 : (uint8_t)missing;
}

static bool isWide(const wbMesh *mesh, float width) {
    int count = 0;
    for (int a = 0; a < 3; a++) {
        float low = INFINITY, high = -INFINITY;
        for (int v = 0; v < mesh->vertexCount; v++) {
            const float x = mesh->vertices[3 * v + a];
            low = fminf(low, x), high = fmaxf(high, x);
        }
        count += high - low >= width;
    }
    return count >= 2;
}

wbStatus wbHullSurface_Look(wbHullSurface *surface, wbMemory *memory, const wbMesh *mesh,
                            const wbShape *shape, float reach) {
    double thin = 0, all = 0;
    if (surface->reach == reach) return wb_okStatus;
    surface->faces.elementSize = sizeof(wbWallFace);
    if (!wbArray_Reserve(memory, &surface->faces, mesh->triangleCount))
        return wbMemoryError(memory, "the walls of %d triangles need", mesh->triangleCount);
    for (int t = 0; t < mesh->triangleCount; t++) {
        const Face face = getFace(mesh, t);
        wbWallFace *own = (wbWallFace *)surface->faces.data + t;
        *own = (wbWallFace){.isEdge = isEdge(shape, &face, (double)reach)};
        for (int k = 0; k < 3 && !own->isEdge; k++)
            own->missing[k] = findMissing(shape, &face, k, (double)reach);
        all += face.area;
        if (!own->isEdge && isThin(shape, &face, (double)reach)) thin += face.area;
    }
    surface->isWide = isWide(mesh, 2 * reach);
    surface->reach = reach, surface->thinShare = all > 0 ? (float)(thin / all) : 0;
    return wb_okStatus;
}
