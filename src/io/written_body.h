// SPDX-License-Identifier: MIT
// What files of points and triangles are written of: fluids, soft bodies, and meshes.
#pragma once

#include "wirbel/types.h"

/// A body of a file: its place among the others is its number there.
typedef struct wbWrittenBody {
    wbView view; ///< arrays that no body of a file has are left out; where only one lacks them, it has 0
    const int *triangles; ///< three points each
    int triangleCount;
    int firstPoint; ///< the number in `triangles` of the view's first
} wbWrittenBody;

/// The points are its vertices, without velocities and ids.
static inline wbWrittenBody wbWriteMeshAs(const wbMesh *mesh) {
    const float *first = mesh->vertices;
    wbView view = {.count = mesh->vertexCount, .stride = 3};
    if (first) view.x = first, view.y = first + 1, view.z = first + 2;
    return (wbWrittenBody){view, (const int *)mesh->indices, mesh->triangleCount, 0};
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
    WB_POINT_COLUMNS
} wbPointColumn;

/// NULL: the body has none.
static inline const float *wbGetPointColumn(const wbWrittenBody *body, wbPointColumn column) {
    const wbView *view = &body->view;
    const float *const columns[WB_POINT_COLUMNS] = {view->x,    view->y,     view->z,       view->vx,
                                                    view->vy,   view->vz,    view->density, view->pressure,
                                                    view->mass, view->radius};
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
