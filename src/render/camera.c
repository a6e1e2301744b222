// SPDX-License-Identifier: MIT
#include "render/camera.h"

/// Share of the picture that the shown box may fill, across and up: the rest is for legend and title.
static const float fillX = 0.92f, fillY = 0.84f;

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

// Along one axis of the picture, a corner at `across` and `depth` (towards the eye) is seen if
// |across - offset| <= (distance - depth) tangent. The tightest pair of corners gives both unknowns.
static float fitAxis(const wbBox *box, wbVec3 axis, wbVec3 back, float tangent, float *offset) {
    float high = -1e30f, low = -1e30f;
    wbVec3 centre = wbBox_GetCentre(box);
    for (int i = 0; i < 8; ++i) {
        wbVec3 corner = wbSub(wbBox_GetCorner(box, i), centre);
        float across = wbDot(corner, axis), depth = wbDot(corner, back) * tangent;
        high = fmaxf(high, across + depth);
        low = fmaxf(low, depth - across);
    }
    *offset = 0.5f * (high - low);
    return 0.5f * (high + low) / tangent;
}

static void frameBox(wbCamera *camera, const wbBox *box) {
    float x, y;
    float distanceX = fitAxis(box, camera->right, camera->back, camera->tanX * fillX, &x);
    float distanceY = fitAxis(box, camera->up, camera->back, camera->tanY * fillY, &y);
    float distance = fmaxf(distanceX, distanceY);
    camera->eye = wbAdd(wbBox_GetCentre(box), wbScale(distance, camera->back));
    camera->eye = wbAdd(camera->eye, wbAdd(wbScale(x, camera->right), wbScale(y, camera->up)));
}

// Near and far planes close around what there is to see keep the depth buffer precise.
static void project(wbCamera *camera, const wbBox *shown) {
    wbVec3 size = wbSub(shown->max, shown->min);
    float diagonal = sqrtf(wbDot(size, size));
    float nearest = 1e30f, farthest = 0;
    for (int i = 0; i < 8; ++i) {
        float depth = -wbDot(wbSub(wbBox_GetCorner(shown, i), camera->eye), camera->back);
        nearest = fminf(nearest, depth);
        farthest = fmaxf(farthest, depth);
    }
    float far = farthest + 2 * diagonal;
    float near = fmaxf(nearest - 2 * diagonal, far * 1e-4f);
    camera->view = wbMakeView(camera->right, camera->up, camera->back, camera->eye);
    camera->projection = wbMakePerspective(camera->tanX, camera->tanY, near, far);
}

wbCamera wbMakeCamera(const wbCameraParams *params, int dimensions, const wbBox *shown, wbSize size) {
    wbCamera camera = {.eye = params->position};
    wbVec3 back = wbSub(params->position, params->target);
    bool automatic = wbDot(back, back) == 0;
    if (!automatic) {
        orient(&camera, back);
        setAngle(&camera, params->fov, size);
    } else if (dimensions == 2) {
        orient(&camera, wbMakeVec3(0, 0, 1));
        setAngle(&camera, 4, size);
        frameBox(&camera, shown);
    } else {
        orient(&camera, wbMakeVec3(0.5f, 0.42f, 1));
        setAngle(&camera, params->fov, size);
        frameBox(&camera, shown);
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
