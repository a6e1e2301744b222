// SPDX-License-Identifier: MIT
#include "render/camera.h"

static void orient(wbCamera *camera, wbVec3 back) {
    camera->back = wbNormalize(back);
    wbVec3 up = wbMakeVec3(0, 1, 0);
    if (fabsf(camera->back.y) > 0.9999f) up = wbMakeVec3(0, 0, camera->back.y > 0 ? -1.0f : 1.0f);
    camera->right = wbNormalize(wbCross(up, camera->back));
    camera->up = wbCross(camera->back, camera->right);
}

static void setAngle(wbCamera *camera, float degrees, wbSize size) {
    camera->tanY = tanf(degrees * 0.5f * 3.14159265f / 180);
    camera->tanX = camera->tanY * (float)size.width / (float)size.height;
}

/// One axis of the picture: the limits of what is seen there, as tangents of angles from the line of sight.
typedef struct Axis {
    wbVec3 direction;
    float tanLow, tanHigh;
    float low, high; ///< of the box, see measureAxis
} Axis;

// A corner at `across` on the axis and `depth` towards the eye is seen from an eye at `offset` and
// `distance` if
//     across - offset <= (distance - depth) tanHigh   and   offset - across <= (distance - depth) tanLow.
// high and low are what the tightest corners demand; returned is the least distance for which an offset
// exists.
static float measureAxis(Axis *axis, const wbBounds *box, wbVec3 back) {
    axis->high = axis->low = -1e30f;
    wbVec3 centre = wbBounds_GetCentre(box);
    for (int i = 0; i < 8; ++i) {
        wbVec3 corner = wbSub(wbBounds_GetCorner(box, i), centre);
        float across = wbDot(corner, axis->direction), depth = wbDot(corner, back);
        axis->high = fmaxf(axis->high, across + depth * axis->tanHigh);
        axis->low = fmaxf(axis->low, depth * axis->tanLow - across);
    }
    return (axis->high + axis->low) / (axis->tanHigh + axis->tanLow);
}

// The middle of the offsets that are allowed.
static wbVec3 findOffset(const Axis *axis, float distance) {
    float least = axis->high - distance * axis->tanHigh, most = distance * axis->tanLow - axis->low;
    return wbScale(0.5f * (least + most), axis->direction);
}

/// Shares of the half picture that the box may fill.
typedef struct Margins {
    float sides, top, bottom;
} Margins;

static void frameBox(wbCamera *camera, const wbBounds *box, Margins margins) {
    float tanX = camera->tanX * margins.sides;
    Axis x = {camera->right, tanX, tanX, 0, 0};
    Axis y = {camera->up, camera->tanY * margins.bottom, camera->tanY * margins.top, 0, 0};
    float distance = fmaxf(measureAxis(&x, box, camera->back), measureAxis(&y, box, camera->back));
    camera->eye = wbAdd(wbBounds_GetCentre(box), wbScale(distance, camera->back));
    camera->eye = wbAdd(camera->eye, wbAdd(findOffset(&x, distance), findOffset(&y, distance)));
}

// Near and far planes close around what there is to see keep the depth buffer precise.
static void project(wbCamera *camera, const wbBounds *shown) {
    wbVec3 size = wbSub(shown->max, shown->min);
    float diagonal = sqrtf(wbDot(size, size));
    float nearest = 1e30f, farthest = 0;
    for (int i = 0; i < 8; ++i) {
        float depth = -wbDot(wbSub(wbBounds_GetCorner(shown, i), camera->eye), camera->back);
        nearest = fminf(nearest, depth);
        farthest = fmaxf(farthest, depth);
    }
    float far = farthest + 2 * diagonal;
    float near = fmaxf(nearest - 2 * diagonal, far * 1e-4f);
    camera->view = wbMakeView(camera->right, camera->up, camera->back, camera->eye);
    camera->projection = wbMakePerspective(camera->tanX, camera->tanY, near, far);
}

wbCamera wbMakeCamera(const wbCameraParams *params, int dimensions, const wbBounds *shown, wbSize size) {
    wbCamera camera = {.eye = params->position};
    wbVec3 back = wbSub(params->position, params->target);
    bool automatic = wbDot(back, back) == 0;
    if (!automatic) {
        orient(&camera, back);
        setAngle(&camera, params->fov, size);
    } else if (dimensions == 2) {
        orient(&camera, wbMakeVec3(0, 0, 1));
        setAngle(&camera, 4, size);
        frameBox(&camera, shown, (Margins){0.94f, 0.84f, 0.72f}); // the legend stands below
    } else {
        orient(&camera, wbMakeVec3(0.5f, 0.42f, 1));
        setAngle(&camera, params->fov, size);
        frameBox(&camera, shown, (Margins){0.90f, 0.88f, 0.86f});
    }
    project(&camera, shown);
    return camera;
}

bool wbCamera_Project(const wbCamera *camera, wbVec3 point, wbSize size, float *x, float *y) {
    wbVec3 p = wbSub(point, camera->eye);
    float depth = -wbDot(p, camera->back);
    if (depth <= 0) return false;
    *x = 0.5f * (float)size.width * (1 + wbDot(p, camera->right) / (depth * camera->tanX));
    *y = 0.5f * (float)size.height * (1 - wbDot(p, camera->up) / (depth * camera->tanY));
    return true;
}

wbVec3 wbCamera_GetDirection(const wbCamera *camera, wbSize size, float x, float y) {
    float across = (2 * x / (float)size.width - 1) * camera->tanX;
    float above = (1 - 2 * y / (float)size.height) * camera->tanY;
    wbVec3 way = wbAdd(wbScale(across, camera->right), wbScale(above, camera->up));
    return wbNormalize(wbSub(way, camera->back));
}

wbCameraParams wbCamera_GetParams(const wbCamera *camera, wbVec3 point) {
    float depth = wbDot(wbSub(camera->eye, point), camera->back);
    wbVec3 target = wbSub(camera->eye, wbScale(fmaxf(depth, 1e-3f), camera->back));
    return (wbCameraParams){
        .position = camera->eye, .target = target, .fov = atanf(camera->tanY) * 2 * 180 / 3.14159265f};
}
