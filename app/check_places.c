// SPDX-License-Identifier: MIT
#include "app/check_places.h"

#include <math.h>
#include <string.h>

#include "app/args.h"
#include "app/check_scene.h"
#include "scene/scene.h"

// "name.position" or the like is set while it runs: where it is at the start says little.
static bool isScripted(const wbScene *scene, const char *name) {
    static const char *const places[] = {"position", "rotation", "direction", "min", "max", "region"};
    size_t length = strlen(name);
    for (int i = 0; i < scene->scriptCount; i++) {
        const char *key = ((const wbScriptEntry *)scene->script.data)[i].key;
        if (strncmp(key, name, length) != 0 || key[length] != '.') continue;
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++)
            if (strcmp(key + length + 1, places[k]) == 0) return true;
    }
    return false;
}

static bool isMoved(const wbScene *scene, int collider) {
    for (int i = 0; i < scene->mechanismCount; i++) {
        const wbSceneMechanism *mechanism = wbScene_GetMechanism(scene, i);
        for (int k = 0; k < mechanism->partCount; k++)
            if (((const int *)mechanism->parts.data)[k] == collider) return true;
    }
    return false;
}

// Behind a closed side, if it stays where it is, there is nothing.
static bool isOutside(const wbScene *scene, const wbWorld *world, const float min[3], const float max[3]) {
    const wbDomainDef domain = wbWorld_GetDomain(world);
    if (wbScene_IsScripted(scene, "domain")) return false;
    const float *low = &domain.min.x, *high = &domain.max.x;
    for (int a = 0; a < wbWorld_GetWorldParams(world)->dimensions; a++)
        if ((domain.sides[2 * a].type != wb_sideOpen && max[a] <= low[a]) ||
            (domain.sides[2 * a + 1].type != wb_sideOpen && min[a] >= high[a]))
            return true;
    return false;
}

static void warnOfDrain(const wbScene *scene, const wbWorld *world, wbDrainId id) {
    const wbDrainParams *params = wbDrain_GetParams(world, id);
    const char *name = wbDrain_GetName(world, id);
    const float min[3] = {params->min.x, params->min.y, params->min.z},
                max[3] = {params->max.x, params->max.y, params->max.z};
    if (params->region == wb_drainInside && !isScripted(scene, name) && isOutside(scene, world, min, max))
        wbComplain("warning: drain \"%s\" is outside the domain, behind a closed side: nothing gets there",
                   name);
}

static void warnOfCollider(const wbScene *scene, const wbWorld *world, int index) {
    wbColliderId id = wbWorld_GetCollider(world, index);
    const wbMesh *mesh = wbCollider_GetMesh(world, id);
    const wbColliderStats pose = wbCollider_GetStats(world, id);
    const char *name = wbCollider_GetName(world, id);
    float min[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, max[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    for (int i = 0; i < mesh->vertexCount; i++) {
        const wbVec3 at = wbApplyPose(&pose, mesh->vertices + 3 * (size_t)i);
        const float p[3] = {at.x, at.y, at.z};
        for (int a = 0; a < 3; a++) min[a] = fminf(min[a], p[a]), max[a] = fmaxf(max[a], p[a]);
    }
    if (!isMoved(scene, index) && !isScripted(scene, name) && isOutside(scene, world, min, max))
        wbComplain("warning: collider \"%s\" is outside the domain, behind a closed side: nothing meets it",
                   name);
}

static void warnOfEmitter(const wbScene *scene, const wbWorld *world, wbEmitterId id) {
    const char *name = wbEmitter_GetName(world, id);
    int blocked = wbEmitter_CountBlocked(world, id), places = wbEmitter_GetStats(world, id).places;
    if (blocked == 0 || isScripted(scene, name)) return;
    if (blocked == places)
        wbComplain("warning: emitter \"%s\" starts in a collider, or at a side: nothing can come out", name);
    else
        wbComplain(
            "warning: %d of %d places of emitter \"%s\" start in a collider, or at a side: nothing comes out "
            "there",
            blocked, places, name);
}

void wbWarnOfPlaces(const wbScene *scene, const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetDrainCount(world); i++)
        warnOfDrain(scene, world, wbWorld_GetDrain(world, i));
    for (int i = 0; i < wbWorld_GetColliderCount(world); i++) warnOfCollider(scene, world, i);
    for (int i = 0; i < wbWorld_GetEmitterCount(world); i++)
        warnOfEmitter(scene, world, wbWorld_GetEmitter(world, i));
}
