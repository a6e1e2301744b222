// SPDX-License-Identifier: MIT
#include "app/view/selection.h"

#include <stdio.h>

#include "app/view/geometry.h"

wbSelection wbSelection_Make(const wbPick *pick) {
    return (wbSelection){pick->owner, pick->particle, pick->id};
}

static int findId(const wbView *view, uint32_t id) {
    for (int i = 0; i < view->count; i++)
        if (view->id[(size_t)i * (size_t)view->stride] == id) return i;
    return -1;
}

static float read(const wbView *view, const float *column, int particle) {
    return column ? column[(size_t)particle * (size_t)view->stride] : 0;
}

static void readMotion(wbLook *look, const wbView *view, int i) {
    look->particle = i;
    look->position = wbMakeVec3(read(view, view->x, i), read(view, view->y, i), read(view, view->z, i));
    look->velocity = wbMakeVec3(read(view, view->vx, i), read(view, view->vy, i), read(view, view->vz, i));
}

// Of a particle that is larger than the smallest, the kernel is as much wider.
static float getSupport(const wbSeenObject *fluid, const wbView *view, int i) {
    return view->radius ? fluid->support * read(view, view->radius, i) / (0.5f * fluid->spacing)
                        : fluid->support;
}

static bool lookAtFluid(const wbSelection *selection, const wbStill *still, wbLook *look) {
    if (selection->owner.index >= still->scene.viewCount) return false;
    const wbView *view = &still->scene.views[selection->owner.index];
    const int i = view->id ? findId(view, selection->id) : -1;
    if (i < 0) return false;
    readMotion(look, view, i);
    look->id = selection->id;
    look->mass = view->mass ? read(view, view->mass, i) : look->object->mass;
    look->density = read(view, view->density, i), look->pressure = read(view, view->pressure, i);
    look->radius = read(view, view->radius, i), look->distance = read(view, view->distance, i);
    look->support = getSupport(look->object, view, i);
    look->neighbourCount = wbFindNeighbours(still, look, NULL, 0);
    return true;
}

static bool lookAtSoft(const wbSelection *selection, const wbStill *still, wbLook *look) {
    for (int i = 0; i < still->scene.softCount; i++) {
        const wbRenderSoft *soft = &still->scene.softs[i];
        if (soft->owner.kind != wb_ownerSoftBody || soft->owner.index != selection->owner.index) continue;
        if (selection->particle < 0 || selection->particle >= soft->view.count) return false;
        readMotion(look, &soft->view, selection->particle);
        look->isPinned = wbObjects_IsPinned(&still->objects, selection->owner.index, selection->particle);
        return true;
    }
    return false;
}

bool wbSelection_Look(const wbSelection *selection, const wbStill *still, wbLook *look) {
    *look = (wbLook){.owner = selection->owner, .particle = -1};
    look->object = wbObjects_Find(&still->objects, selection->owner);
    if (!look->object) return false;
    if (selection->owner.kind == wb_ownerFluid) return lookAtFluid(selection, still, look);
    if (selection->owner.kind == wb_ownerSoftBody) return lookAtSoft(selection, still, look);
    look->position = look->object->position, look->velocity = look->object->velocity;
    look->mass = look->object->mass;
    return true;
}

// A pair has one support, the geometric mean of both (docs/adaptive.md).
int wbFindNeighbours(const wbStill *still, const wbLook *look, wbVec3 *points, int capacity) {
    int count = 0;
    for (int f = 0; f < still->scene.viewCount; f++) {
        const wbView *view = &still->scene.views[f];
        const wbSeenObject *fluid = wbObjects_Find(&still->objects, (wbOwner){wb_ownerFluid, f});
        for (int i = 0; fluid && i < view->count; i++) {
            const wbVec3 at = {read(view, view->x, i), read(view, view->y, i), read(view, view->z, i)};
            const wbVec3 way = wbSub(at, look->position);
            const bool isItself = f == look->owner.index && i == look->particle;
            if (isItself || !(wbDot(way, way) < look->support * getSupport(fluid, view, i))) continue;
            if (count < capacity) points[count] = at;
            count++;
        }
    }
    return count;
}

const char *wbLook_GetClass(const wbLook *look) {
    if (look->distance <= 1.01f * look->radius) return "at the surface";
    return look->distance <= 4 * look->radius ? "near it" : "inside";
}

void wbLook_Describe(const wbLook *look, char *text, int size) {
    const size_t room = (size_t)size;
    const wbVec3 p = look->position, v = look->velocity;
    char name[WB_OBJECT_NAME + 16], first[160], motion[160];
    wbSeenObject_Write(look->object, name, sizeof name);
    snprintf(motion, sizeof motion, "at %.4g, %.4g, %.4g m\n%.4g m/s: %.3g, %.3g, %.3g", (double)p.x,
             (double)p.y, (double)p.z, (double)wbLength(v), (double)v.x, (double)v.y, (double)v.z);
    if (look->owner.kind == wb_ownerFluid) {
        snprintf(first, sizeof first, "%s, particle %u", name, look->id);
        snprintf(text, room, "%s\n%s\n%.5g kg/m3, %.4g Pa\n%d neighbours%s%s", first, motion,
                 (double)look->density, (double)look->pressure, look->neighbourCount,
                 look->radius > 0 ? "\n" : "", look->radius > 0 ? wbLook_GetClass(look) : "");
    } else if (look->owner.kind == wb_ownerSoftBody) {
        snprintf(text, room, "%s, particle %d%s\n%s", name, look->particle, look->isPinned ? ", pinned" : "",
                 motion);
    } else if (look->owner.kind == wb_ownerRigidBody) {
        snprintf(text, room, "%s, %.4g kg%s\n%s", name, (double)look->mass,
                 look->object->isAsleep ? ", asleep" : "", motion);
    } else {
        snprintf(text, room, "%s\nat %.4g, %.4g, %.4g m", name, (double)p.x, (double)p.y, (double)p.z);
    }
}
