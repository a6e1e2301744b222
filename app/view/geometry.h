// SPDX-License-Identifier: MIT
// Lines of sight and what they meet. Pure.
#pragma once

#include <math.h>

#include "render/renderer.h"

/// By a unit quaternion x, y, z, w.
static inline wbVec3 wbTurn(const float rotation[4], wbVec3 v) {
    const wbVec3 u = {rotation[0], rotation[1], rotation[2]}, t = wbScale(2, wbCross(u, v));
    return wbAdd(v, wbAdd(wbScale(rotation[3], t), wbCross(u, t)));
}

static inline wbVec3 wbTurnBack(const float rotation[4], wbVec3 v) {
    const float back[4] = {-rotation[0], -rotation[1], -rotation[2], rotation[3]};
    return wbTurn(back, v);
}

static inline float wbLength(wbVec3 v) { return sqrtf(wbDot(v, v)); }

static inline wbVec3 wbRay_GetPoint(wbRay ray, float distance) {
    return wbAdd(ray.origin, wbScale(distance, ray.direction));
}

/// Where a ray meets a plane; false: it does not.
bool wbRay_MeetPlane(wbRay ray, wbVec3 point, wbVec3 normal, wbVec3 *met);
/// Distances along a ray at which it enters and leaves a box; false: it misses.
bool wbRay_MeetBox(wbRay ray, wbVec3 min, wbVec3 max, float *enters, float *leaves);
/// Distance along a ray at which it meets a triangle, from either side; 0: it does not.
float wbRay_MeetTriangle(wbRay ray, wbVec3 a, wbVec3 b, wbVec3 c);
/// The point of a line that is nearest to a ray, in lengths of `way` from `at`; 0 where they are parallel.
float wbRay_FindAlong(wbRay ray, wbVec3 at, wbVec3 way);
/// The box around a mesh, in its own frame; both 0 without corners.
void wbBoundMesh(const wbMesh *mesh, wbVec3 *min, wbVec3 *max);
/// Where a slice through the air lies: layers before it, as a number with a fraction; -1 without air.
float wbFindSlice(const wbRenderScene *scene, int *axis);
