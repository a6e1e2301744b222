// SPDX-License-Identifier: MIT
#include "app/view/geometry.h"

bool wbRay_MeetPlane(wbRay ray, wbVec3 point, wbVec3 normal, wbVec3 *met) {
    const float along = wbDot(ray.direction, normal);
    const float t = wbDot(wbSub(point, ray.origin), normal) / along;
    if (!(fabsf(along) > 1e-6f) || !(t > 0) || !(t < 1e9f)) return false;
    *met = wbRay_GetPoint(ray, t);
    return true;
}

bool wbRay_MeetBox(wbRay ray, wbVec3 min, wbVec3 max, float *enters, float *leaves) {
    *enters = 0, *leaves = INFINITY;
    for (int a = 0; a < 3; a++) {
        const float o = (&ray.origin.x)[a], d = (&ray.direction.x)[a];
        const float low = ((&min.x)[a] - o) / d, high = ((&max.x)[a] - o) / d;
        if (d == 0 && (o < (&min.x)[a] || o > (&max.x)[a])) return false;
        if (d == 0) continue;
        *enters = fmaxf(*enters, fminf(low, high)), *leaves = fminf(*leaves, fmaxf(low, high));
    }
    return *enters < *leaves;
}

// Moeller and Trumbore 1997.
float wbRay_MeetTriangle(wbRay ray, wbVec3 a, wbVec3 b, wbVec3 c) {
    const wbVec3 ab = wbSub(b, a), ac = wbSub(c, a), p = wbCross(ray.direction, ac);
    const float determinant = wbDot(ab, p);
    if (determinant == 0) return 0;
    const wbVec3 from = wbSub(ray.origin, a), q = wbCross(from, ab);
    const float u = wbDot(from, p) / determinant, v = wbDot(ray.direction, q) / determinant;
    const float t = wbDot(ac, q) / determinant, less = 1e-5f; // an edge between two is not missed by both
    return u >= -less && v >= -less && u + v <= 1 + less && t > 0 ? t : 0;
}

float wbRay_FindAlong(wbRay ray, wbVec3 at, wbVec3 way) {
    const wbVec3 between = wbSub(at, ray.origin);
    const float ww = wbDot(way, way), wd = wbDot(way, ray.direction), determinant = ww - wd * wd;
    if (!(determinant > 1e-4f * ww)) return 0;
    return (wbDot(between, ray.direction) * wd - wbDot(between, way)) / determinant;
}

void wbBoundMesh(const wbMesh *mesh, wbVec3 *min, wbVec3 *max) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    *min = *max = wbMakeVec3(0, 0, 0);
    if (mesh->vertexCount == 0) return;
    for (int i = 0; i < 3 * mesh->vertexCount; i++) {
        low[i % 3] = fminf(low[i % 3], mesh->vertices[i]);
        high[i % 3] = fmaxf(high[i % 3], mesh->vertices[i]);
    }
    *min = wbMakeVec3(low[0], low[1], low[2]), *max = wbMakeVec3(high[0], high[1], high[2]);
}

float wbFindSlice(const wbRenderScene *scene, int *axis) {
    const wbRenderScene *s = scene;
    *axis = s->dimensions == 3 ? (int)s->output.slice : 2;
    if (!wbRenderScene_HasSmoke(s)) return -1;
    const int cells = s->smoke->cells[*axis];
    float place = 0.5f * (float)(s->smoke->boxCells[*axis] - 1) - (float)s->smoke->first[*axis];
    if (s->dimensions == 3 && !isnan(s->output.sliceAt))
        place = (s->output.sliceAt - (&s->smoke->min.x)[*axis]) / s->smoke->cellSize - 0.5f;
    return fminf(fmaxf(place, 0), (float)(cells - 1));
}
