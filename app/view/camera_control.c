// SPDX-License-Identifier: MIT
#include "app/view/camera_control.h"

#include <math.h>

static const float degree = 3.14159265f / 180, flatAngle = 5;

typedef struct Axes {
    wbVec3 right, up, back;
} Axes;

static Axes getAxes(const wbCameraControl *c) {
    Axes axes = {.right = {cosf(c->yaw), 0, -sinf(c->yaw)},
                 .back = {sinf(c->yaw) * cosf(c->pitch), sinf(c->pitch), cosf(c->yaw) * cosf(c->pitch)}};
    axes.up = wbCross(axes.back, axes.right);
    return axes;
}

static float getTangent(const wbCameraControl *control) { return tanf(0.5f * control->fov * degree); }

void wbCameraControl_Take(wbCameraControl *control, const wbCameraParams *seen, int dimensions) {
    if (control->isUsers) return;
    wbVec3 back = wbSub(seen->position, seen->target);
    float distance = sqrtf(wbDot(back, back));
    if (!(distance > 0)) return;
    *control = (wbCameraControl){.isUsers = true,
                                 .dimensions = dimensions,
                                 .target = seen->target,
                                 .yaw = atan2f(back.x, back.z),
                                 .pitch = asinf(fmaxf(-1, fminf(1, back.y / distance))),
                                 .distance = distance,
                                 .fov = seen->fov,
                                 .isFlat = seen->fov <= flatAngle};
}

void wbCameraControl_Release(wbCameraControl *control) { control->isUsers = false; }

void wbCameraControl_Orbit(wbCameraControl *control, float right, float down, float height) {
    const float most = 89 * degree, perPixel = 0.4f * degree;
    if (control->dimensions == 2) {
        wbCameraControl_Pan(control, right, down, height);
        return;
    }
    control->yaw = remainderf(control->yaw - perPixel * right, 360 * degree);
    control->pitch = fmaxf(-most, fminf(most, control->pitch + perPixel * down));
}

void wbCameraControl_Pan(wbCameraControl *control, float right, float down, float height) {
    const Axes axes = getAxes(control);
    float perPixel = 2 * control->distance * getTangent(control) / height;
    control->target = wbAdd(control->target, wbScale(-perPixel * right, axes.right));
    control->target = wbAdd(control->target, wbScale(perPixel * down, axes.up));
}

void wbCameraControl_Zoom(wbCameraControl *control, float notches, wbRay cursor) {
    const Axes axes = getAxes(control);
    float factor = powf(0.88f, notches), along = -wbDot(cursor.direction, axes.back);
    float distance = control->distance * factor;
    if (!(distance > 1e-4f && distance < 1e7f)) return;
    wbVec3 fixed = control->target;
    if (along > 0.01f)
        fixed = wbAdd(cursor.origin, wbScale(wbDot(wbSub(cursor.origin, control->target), axes.back) / along,
                                             cursor.direction));
    control->target = wbAdd(fixed, wbScale(factor, wbSub(control->target, fixed)));
    control->distance = distance;
}

void wbCameraControl_Look(wbCameraControl *control, float yaw, float pitch) {
    if (control->dimensions == 2) return;
    control->yaw = yaw;
    control->pitch = pitch;
}

void wbCameraControl_Frame(wbCameraControl *control, wbVec3 min, wbVec3 max, float aspect) {
    wbVec3 extent = wbSub(max, min);
    float radius = fmaxf(0.5f * sqrtf(wbDot(extent, extent)), 1e-3f);
    control->target = wbScale(0.5f, wbAdd(min, max));
    control->distance = 1.05f * radius / sinf(atanf(getTangent(control) * fminf(aspect, 1)));
}

void wbCameraControl_SetFlat(wbCameraControl *control, bool isFlat) {
    if (isFlat == control->isFlat || control->dimensions == 2) return;
    float before = getTangent(control);
    control->fov = isFlat ? flatAngle : 40;
    control->distance *= before / getTangent(control);
    control->isFlat = isFlat;
}

wbCameraParams wbCameraControl_GetParams(const wbCameraControl *control) {
    wbVec3 eye = wbAdd(control->target, wbScale(control->distance, getAxes(control).back));
    return (wbCameraParams){.position = eye, .target = control->target, .fov = control->fov};
}
