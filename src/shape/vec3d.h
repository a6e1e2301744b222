// SPDX-License-Identifier: MIT
// Vectors in double, for what thin triangles or long ways would lose digits of.
#pragma once

#include "shape/pose.h"

typedef struct wbVec3d {
    double x, y, z;
} wbVec3d;

static inline wbVec3d wbToDouble(wbVec3 v) { return (wbVec3d){v.x, v.y, v.z}; }
static inline wbVec3 wbToFloat(wbVec3d v) { return wbMakeVec3((float)v.x, (float)v.y, (float)v.z); }
static inline wbVec3d wbSub3d(wbVec3d a, wbVec3d b) { return (wbVec3d){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline wbVec3d wbAddScaled3d(wbVec3d a, double s, wbVec3d b) {
    return (wbVec3d){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double wbDot3d(wbVec3d a, wbVec3d b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline wbVec3d wbCross3d(wbVec3d a, wbVec3d b) {
    return (wbVec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// wbPose_Rotate and the others of shape/pose.h; `sign` -1: back.
static inline wbVec3d wbPose_Rotate3d(const wbPose *pose, double sign, wbVec3d v) {
    const float *r = pose->rotation;
    const wbVec3d q = {sign * r[0], sign * r[1], sign * r[2]};
    return wbAddScaled3d(v, 2, wbCross3d(q, wbAddScaled3d(wbCross3d(q, v), r[3], v)));
}
static inline wbVec3d wbPose_Apply3d(const wbPose *pose, wbVec3d point) {
    const float *p = pose->position;
    return wbAddScaled3d((wbVec3d){p[0], p[1], p[2]}, 1, wbPose_Rotate3d(pose, 1, point));
}
static inline wbVec3d wbPose_ApplyInverse3d(const wbPose *pose, wbVec3d point) {
    const float *p = pose->position;
    return wbPose_Rotate3d(pose, -1, wbSub3d(point, (wbVec3d){p[0], p[1], p[2]}));
}
