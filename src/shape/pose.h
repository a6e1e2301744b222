// SPDX-License-Identifier: MIT
// Where a rigid thing is and how it moves: the same in C and in OpenCL C.
#pragma once

#include "wirbel/math.h"

/// Takes a thing from its own frame into the world: turned, then shifted.
typedef struct wbPose {
    float position[3]; ///< m
    float rotation[4]; ///< unit quaternion: x, y, z, w
} wbPose;

typedef struct wbMotion {
    wbPose pose;
    float velocity[3]; ///< m/s, of the pose's origin
    float spin[3];     ///< rad/s, about the world's axes
} wbMotion;

#ifndef __OPENCL_VERSION__
static const wbPose wb_poseAtOrigin = {{0, 0, 0}, {0, 0, 0, 1}};
#endif

/// v + 2 q × (q × v + w v)
static inline wbVec3 wbPose_Rotate(const wbPose *pose, wbVec3 v) {
    const float *r = pose->rotation;
    wbVec3 q = wbMakeVec3(r[0], r[1], r[2]);
    return wbAdd(v, wbScale(2, wbCross(q, wbAdd(wbCross(q, v), wbScale(r[3], v)))));
}

static inline wbVec3 wbPose_RotateInverse(const wbPose *pose, wbVec3 v) {
    const float *r = pose->rotation;
    wbVec3 q = wbMakeVec3(-r[0], -r[1], -r[2]);
    return wbAdd(v, wbScale(2, wbCross(q, wbAdd(wbCross(q, v), wbScale(r[3], v)))));
}

/// From the thing's own frame into the world.
static inline wbVec3 wbPose_Apply(const wbPose *pose, wbVec3 point) {
    const float *p = pose->position;
    return wbAdd(wbPose_Rotate(pose, point), wbMakeVec3(p[0], p[1], p[2]));
}

static inline wbVec3 wbPose_ApplyInverse(const wbPose *pose, wbVec3 point) {
    const float *p = pose->position;
    return wbPose_RotateInverse(pose, wbSub(point, wbMakeVec3(p[0], p[1], p[2])));
}

/// What first `b`, then `a` do.
static inline wbPose wbPose_Multiply(const wbPose *a, const wbPose *b) {
    const float *p = a->rotation, *q = b->rotation;
    wbVec3 origin = wbPose_Apply(a, wbMakeVec3(b->position[0], b->position[1], b->position[2]));
    wbPose pose = {{origin.x, origin.y, origin.z},
                   {p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
                    p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
                    p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3],
                    p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]}};
    return pose;
}

static inline wbPose wbPose_Invert(const wbPose *a) {
    const float *q = a->rotation;
    wbVec3 origin = wbPose_RotateInverse(a, wbMakeVec3(-a->position[0], -a->position[1], -a->position[2]));
    wbPose pose = {{origin.x, origin.y, origin.z}, {-q[0], -q[1], -q[2], q[3]}};
    return pose;
}

/// m/s, of the thing at a point of the world.
static inline wbVec3 wbMotion_VelocityAt(const wbMotion *motion, wbVec3 point) {
    const float *p = motion->pose.position, *v = motion->velocity, *s = motion->spin;
    wbVec3 arm = wbSub(point, wbMakeVec3(p[0], p[1], p[2]));
    return wbAdd(wbMakeVec3(v[0], v[1], v[2]), wbCross(wbMakeVec3(s[0], s[1], s[2]), arm));
}
