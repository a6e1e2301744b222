// SPDX-License-Identifier: MIT
// What files of points and triangles are written of: fluids, soft bodies, and meshes.
#pragma once

#include "wirbel/types.h"

/// A body of a file: its place among the others is its number there.
typedef struct wbWrittenBody {
    wbView view; ///< arrays that no body of a file has are left out; where only one lacks them, it has 0
    const int *triangles; ///< three points each
    int triangleCount;
    int firstPoint;       ///< the number in `triangles` of the view's first
    const float *age;     ///< s, of spray, foam and bubbles; NULL: of others
    const uint32_t *kind; ///< likewise
} wbWrittenBody;

/// Spray, foam and bubbles as a body.
static inline wbWrittenBody wbWriteDiffuseAs(const wbDiffuseView *from) {
    const wbView view = {.count = from->count,
                         .stride = 1,
                         .x = from->x,
                         .y = from->y,
                         .z = from->z,
                         .vx = from->vx,
                         .vy = from->vy,
                         .vz = from->vz,
                         .id = from->id};
    return (wbWrittenBody){.view = view, .age = from->age, .kind = from->kind};
}

/// The points are its vertices, without velocities and ids.
static inline wbWrittenBody wbWriteMeshAs(const wbMesh *mesh) {
    const float *first = mesh->vertices;
    wbView view = {.count = mesh->vertexCount, .stride = 3};
    if (first) view.x = first, view.y = first + 1, view.z = first + 2;
    return (wbWrittenBody){
        .view = view, .triangles = (const int *)mesh->indices, .triangleCount = mesh->triangleCount};
}

/// Columns of points.
typedef enum wbPointColumn {
    wb_pointX,
    wb_pointY,
    wb_pointZ,
    wb_pointVx,
    wb_pointVy,
    wb_pointVz,
    wb_pointDensity,
    wb_pointPressure,
    wb_pointMass,
    wb_pointRadius,
    wb_pointAge,
    WB_POINT_COLUMNS
} wbPointColumn;

/// NULL: the body has none.
static inline const float *wbGetPointColumn(const wbWrittenBody *body, wbPointColumn column) {
    const wbView *view = &body->view;
    const float *const columns[WB_POINT_COLUMNS] = {view->x,    view->y,      view->z,       view->vx,
                                                    view->vy,   view->vz,     view->density, view->pressure,
                                                    view->mass, view->radius, body->age};
    return columns[column];
}

static inline bool wbHasPointColumn(const wbWrittenBody *bodies, int count, wbPointColumn column) {
    bool has = false;
    for (int b = 0; b < count; ++b) has |= wbGetPointColumn(&bodies[b], column) != NULL;
    return has;
}

static inline bool wbHasPointIds(const wbWrittenBody *bodies, int count) {
    bool has = false;
    for (int b = 0; b < count; ++b) has |= bodies[b].view.id != NULL;
    return has;
}

static inline bool wbHasPointKinds(const wbWrittenBody *bodies, int count) {
    bool has = false;
    for (int b = 0; b < count; ++b) has |= bodies[b].kind != NULL;
    return has;
}

static inline int64_t wbCountPoints(const wbWrittenBody *bodies, int count) {
    int64_t points = 0;
    for (int b = 0; b < count; ++b) points += bodies[b].view.count;
    return points;
}

static inline int64_t wbCountTriangles(const wbWrittenBody *bodies, int count) {
    int64_t triangles = 0;
    for (int b = 0; b < count; ++b) triangles += bodies[b].triangleCount;
    return triangles;
}
