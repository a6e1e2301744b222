// SPDX-License-Identifier: MIT
// A camera that moves: keys in the scene's file, and the way between them.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "scene/read.h"

static wbStatus checkKey(const wbReader *reader, const wbCameraKey *key, const wbCameraKey *before,
                         const wbPath *path) {
    const wbVec3 view = wbSub(key->target, key->position);
    if (wbDot(view, view) == 0)
        return wbReader_FailAtSubject(
            reader, path,
            wbError(wb_errorInput, "has position and target at one place: let it look at another"));
    if (!before || key->at > before->at) return wb_okStatus;
    return wbReader_FailAtSubject(reader, &(wbPath){path, "at", 0},
                                  wbError(wb_errorInput,
                                          "is %g s, must be after the key before it, which is at %g s",
                                          (double)key->at, (double)before->at));
}

static wbStatus readKeys(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbScene *scene = reader->scene;
    WB_TRY(wbCheckType(reader, json_is_array(value), value, path, "an array"));
    for (size_t i = 0; i < json_array_size(value); i++) {
        const wbPath keyPath = {path, NULL, i};
        wbCameraKey *key = wbAppend(&scene->cameraKeys, &scene->cameraKeyCount);
        if (!key) return wbMemoryError(NULL, "keys of the camera need");
        key->fov = scene->camera.fov;
        WB_TRY(wbReadObject(reader, &wb_cameraKeyForm, json_array_get(value, i), &keyPath, key));
        WB_TRY(checkKey(reader, key, i > 0 ? key - 1 : NULL, &keyPath));
    }
    return wb_okStatus;
}

wbStatus wbReadCamera(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbScene *scene = reader->scene;
    void *section;
    const wbForm form = wbMakeSectionForm(wbScene_FindSection(scene, "camera", &section));
    const json_t *keys = json_object_get(value, "keys");
    WB_TRY(wbReadObject(reader, &form, value, path, section));
    if (!keys) return wb_okStatus;
    const wbPath keysPath = {path, "keys", 0};
    if (json_object_get(value, "position") || json_object_get(value, "target"))
        return wbSource_FailAt(reader->source, &keysPath,
                               "camera.keys say where the camera is: leave position and target to them");
    WB_TRY(readKeys(reader, keys, &keysPath));
    if (scene->cameraKeyCount > 0) scene->camera = wbScene_GetCameraAt(scene, 0);
    return wb_okStatus;
}

static const wbCameraKey *getKey(const wbScene *scene, int index) {
    return (const wbCameraKey *)scene->cameraKeys.data + index;
}

enum { NUMBERS = 7 };

static void listNumbers(const wbCameraKey *key, double numbers[NUMBERS]) {
    const wbVec3 p = key->position, t = key->target;
    const float list[NUMBERS] = {p.x, p.y, p.z, t.x, t.y, t.z, key->fov};
    for (int n = 0; n < NUMBERS; n++) numbers[n] = (double)list[n];
}

// 1/s, of each number at a key: as from the key before to the one after it; the camera sets out from the first and comes to the
// last at rest.
static void listSlopes(const wbScene *scene, int index, double slopes[NUMBERS]) {
    memset(slopes, 0, sizeof(double[NUMBERS]));
    if (index == 0 || index + 1 == scene->cameraKeyCount) return;
    const wbCameraKey *before = getKey(scene, index - 1), *after = getKey(scene, index + 1);
    double from[NUMBERS], to[NUMBERS];
    listNumbers(before, from);
    listNumbers(after, to);
    for (int n = 0; n < NUMBERS; n++) slopes[n] = (to[n] - from[n]) / (double)(after->at - before->at);
}

// Cubic (Hermite), so that the velocity has no jump at a key.
static wbCameraParams mixKeys(const wbScene *scene, int index, double time) {
    const wbCameraKey *a = getKey(scene, index), *b = getKey(scene, index + 1);
    double from[NUMBERS], to[NUMBERS], leaving[NUMBERS], arriving[NUMBERS], at[NUMBERS];
    const double span = (double)(b->at - a->at), s = (time - (double)a->at) / span;
    listNumbers(a, from);
    listNumbers(b, to);
    listSlopes(scene, index, leaving);
    listSlopes(scene, index + 1, arriving);
    for (int n = 0; n < NUMBERS; n++)
        at[n] = from[n] + s * s * (3 - 2 * s) * (to[n] - from[n]) +
                s * (1 - s) * span * ((1 - s) * leaving[n] - s * arriving[n]);
    return (wbCameraParams){.position = {(float)at[0], (float)at[1], (float)at[2]},
                            .target = {(float)at[3], (float)at[4], (float)at[5]},
                            .fov = fminf(fmaxf((float)at[6], 5), 120)};
}

wbCameraParams wbScene_GetCameraAt(const wbScene *scene, double time) {
    WB_REQUIRE(scene);
    const int count = scene->cameraKeyCount;
    int next = 0; // the first key after the time
    while (next < count && (double)getKey(scene, next)->at <= time) next++;
    if (count == 0) return scene->camera;
    if (next > 0 && next < count) return mixKeys(scene, next - 1, time);
    const wbCameraKey *key = getKey(scene, next > 0 ? count - 1 : 0);
    return (wbCameraParams){key->position, key->target, key->fov};
}
