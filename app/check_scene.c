// SPDX-License-Identifier: MIT
#include "app/check_scene.h"

#include <math.h>
#include <string.h>

#include "app/args.h"
#include "scene/scene.h"

static bool isZero(wbVec3 v) { return wbDot(v, v) == 0; }

static void warnOfWorld(const wbWorld *world) {
    const wbWorldParams *params = wbWorld_GetWorldParams(world);
    if (params->seconds == 0) wbComplain("warning: world.seconds is 0: a run ends before its first step");
    if (params->gravity.y > 0)
        wbComplain("warning: world.gravity is %g m/s2 along y, which points upwards: things fall up",
                   (double)params->gravity.y);
}

static void warnOfScript(const wbScene *scene, const wbWorld *world) {
    const wbScriptEntry *entries = scene->script.data;
    double seconds = (double)wbWorld_GetWorldParams(world)->seconds;
    for (int i = 0; i < scene->scriptCount; i++) {
        if (strcmp(entries[i].key, "world.seconds") == 0) return;
        if (entries[i].time >= seconds)
            wbComplain("warning: the script sets %s at %g s, but the run ends at %g s", entries[i].key,
                       entries[i].time, seconds);
    }
}

// What works from a time to a time, while it is open.
static void warnOfTimes(const wbWorld *world, const char *kind, const char *name, bool isOpen, float start,
                        float end) {
    double seconds = (double)wbWorld_GetWorldParams(world)->seconds;
    if (!isOpen)
        wbComplain("warning: %s \"%s\" is closed and nothing opens it", kind, name);
    else if (end <= start)
        wbComplain("warning: %s \"%s\" ends at %g s, not after its start at %g s: it does nothing", kind,
                   name, (double)end, (double)start);
    else if ((double)start >= seconds)
        wbComplain("warning: %s \"%s\" starts at %g s, but the run ends at %g s", kind, name, (double)start,
                   seconds);
}

static void warnOfFlow(const wbScene *scene, const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetEmitterCount(world); i++) {
        wbEmitterId id = wbWorld_GetEmitter(world, i);
        const wbEmitterParams *p = wbEmitter_GetParams(world, id);
        const char *name = wbEmitter_GetName(world, id);
        if (wbScene_IsScripted(scene, name)) continue;
        warnOfTimes(world, "emitter", name, p->open, p->start, p->end);
        if (p->count == 0 || (p->kind == wb_emitterDisc && p->velocity == 0))
            wbComplain("warning: emitter \"%s\" has the %s 0: nothing comes out", name,
                       p->count == 0 ? "count" : "velocity");
    }
    for (int i = 0; i < wbWorld_GetDrainCount(world); i++) {
        wbDrainId id = wbWorld_GetDrain(world, i);
        const wbDrainParams *p = wbDrain_GetParams(world, id);
        const char *name = wbDrain_GetName(world, id);
        if (!wbScene_IsScripted(scene, name)) warnOfTimes(world, "drain", name, p->open, p->start, p->end);
    }
}

static void warnOfMechanisms(const wbScene *scene, const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetMechanismCount(world); i++) {
        wbMechanismId id = wbWorld_GetMechanism(world, i);
        const wbMechanismParams *p = wbMechanism_GetParams(world, id);
        const char *name = wbMechanism_GetName(world, id);
        if (wbScene_IsScripted(scene, name)) continue;
        if ((p->kind == wb_mechanismGate || p->kind == wb_mechanismLock) && isZero(p->travel))
            wbComplain("warning: the travel of \"%s\" is 0: it opens by nothing", name);
        if (p->kind == wb_mechanismShaker && (p->frequency == 0 || (isZero(p->travel) && p->swing == 0)) &&
            p->speed == 0)
            wbComplain("warning: shaker \"%s\" has no %s: it stands still", name,
                       p->frequency == 0 ? "frequency" : "travel, swing or speed");
        if (p->kind == wb_mechanismWheel && p->drive == wb_driveMotor && p->speed == 0)
            wbComplain("warning: wheel \"%s\" is turned by a motor, but its speed is 0", name);
    }
}

// v + 2 q × (q × v + w v), and its place
wbVec3 wbApplyPose(const wbColliderStats *pose, const float *v) {
    const float *q = pose->rotation, *at = pose->position;
    wbVec3 axis = wbMakeVec3(q[0], q[1], q[2]), point = wbMakeVec3(v[0], v[1], v[2]);
    wbVec3 turned = wbCross(axis, wbAdd(wbCross(axis, point), wbScale(q[3], point)));
    return wbAdd(wbAdd(point, wbScale(2, turned)), wbMakeVec3(at[0], at[1], at[2]));
}

// By the solid angle of the triangles around the point (van Oosterom and Strackee 1983): 4 pi within, 0 outside.
static bool isWithin(const wbWorld *world, wbColliderId id, wbVec3 point) {
    const wbMesh *mesh = wbCollider_GetMesh(world, id);
    const wbColliderStats pose = wbCollider_GetStats(world, id);
    double sum = 0;
    for (size_t t = 0; t < (size_t)mesh->triangleCount; t++) {
        wbVec3 r[3];
        double length[3];
        for (size_t k = 0; k < 3; k++) {
            r[k] = wbSub(wbApplyPose(&pose, mesh->vertices + 3 * (size_t)mesh->indices[3 * t + k]), point);
            length[k] = sqrt((double)wbDot(r[k], r[k]));
        }
        double below = length[0] * length[1] * length[2] + (double)wbDot(r[0], r[1]) * length[2] +
                       (double)wbDot(r[1], r[2]) * length[0] + (double)wbDot(r[2], r[0]) * length[1];
        sum += 2 * atan2((double)wbDot(r[0], wbCross(r[1], r[2])), below);
    }
    return fabs(sum) > 6.28;
}

static bool isDomainBehind(const wbDomainDef *domain, const wbCameraParams *camera) {
    const float *ends[2] = {&domain->min.x, &domain->max.x};
    wbVec3 view = wbSub(camera->target, camera->position);
    for (int corner = 0; corner < 8; corner++) {
        wbVec3 at = wbMakeVec3(ends[corner & 1][0], ends[corner >> 1 & 1][1], ends[corner >> 2][2]);
        if (wbDot(wbSub(at, camera->position), view) > 0) return false;
    }
    return true;
}

static void warnOfCamera(const wbScene *scene, const wbWorld *world) {
    const wbCameraParams *camera = wbScene_GetCamera(scene);
    const wbDomainDef domain = wbWorld_GetDomain(world);
    bool isFramed = isZero(wbSub(camera->target, camera->position)); // on the domain
    if (isFramed || wbWorld_GetWorldParams(world)->dimensions == 2) return;
    if (domain.max.x > domain.min.x && isDomainBehind(&domain, camera))
        wbComplain("warning: the camera looks away from the domain, which is behind it");
    for (int i = 0; i < wbWorld_GetColliderCount(world); i++) {
        wbColliderId id = wbWorld_GetCollider(world, i);
        if (wbCollider_GetParams(world, id)->opacity > 0 && isWithin(world, id, camera->position))
            wbComplain("warning: the camera stands in collider \"%s\"", wbCollider_GetName(world, id));
    }
}

void wbWarnOfScene(const wbScene *scene, wbWorld *world) {
    warnOfWorld(world);
    warnOfScript(scene, world);
    warnOfFlow(scene, world);
    warnOfMechanisms(scene, world);
    warnOfCamera(scene, world);
}
