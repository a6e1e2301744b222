// SPDX-License-Identifier: MIT
// Balls that are thrown from the eye: where they begin, how heavy and how fast they are.
#include <stdio.h>

#include "app/view/geometry.h"
#include "app/view/viewer.h"

static bool isClosed(const wbDomainDef *domain, int side) {
    return domain->sides[side].type != wb_sideOpen && (&domain->min.x)[side / 2] < (&domain->max.x)[side / 2];
}

// m, along the ray: `least`, or where the ray has come a margin behind closed sides, which would hold a ball outside. Negative: it
// never is inside of all of them.
static float findStart(const wbDomainDef *domain, wbRay ray, float least, float margin) {
    float start = least, in[wb_sideCount], rate[wb_sideCount];
    int count = 0;
    for (int side = 0; side < wb_sideCount; side++) {
        const int a = side / 2;
        const float o = (&ray.origin.x)[a], d = (&ray.direction.x)[a];
        if (!isClosed(domain, side)) continue;
        in[count] = (side % 2 ? (&domain->max.x)[a] - o : o - (&domain->min.x)[a]) - margin;
        rate[count] = side % 2 ? -d : d;
        if (in[count] < 0 && rate[count] > 0) start = fmaxf(start, 1.0001f * -in[count] / rate[count]);
        count++;
    }
    for (int i = 0; i < count; i++)
        if (in[i] + start * rate[i] < 0) return -1;
    return start;
}

// Where a ball on the ray begins: inside, also where the ray comes in nearer to a corner than the ball is large.
static bool findPlace(const wbDomainDef *domain, wbRay ray, float radius, wbVec3 *from) {
    float start = findStart(domain, ray, 3 * radius, radius);
    if (start < 0) start = findStart(domain, ray, 3 * radius, 0);
    *from = wbRay_GetPoint(ray, start);
    for (int side = 0; side < wb_sideCount; side++) {
        const int a = side / 2;
        if (!isClosed(domain, side)) continue;
        float *x = &(&from->x)[a];
        *x = side % 2 ? fminf(*x, (&domain->max.x)[a] - radius) : fmaxf(*x, (&domain->min.x)[a] + radius);
    }
    return start >= 0;
}

// kg: three times as heavy as the bodies that it may hit, so that it moves them and does not blast them away; 0: there are none.
static float chooseMass(const wbObjects *objects) {
    const wbSeenObject *list = objects->objects.data;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < objects->count; i++)
        if (list[i].owner.kind == wb_ownerRigidBody && list[i].isMovable)
            sum += (double)list[i].mass, count++;
    return count > 0 ? (float)(3 * sum / count) : 0;
}

// Whether water leaves a ball room there: a world refuses bodies that are made in it.
static bool hasRoom(const wbStill *still, wbVec3 centre, float radius) {
    const float reach = radius + 1.5f * still->scene.spacing;
    for (int v = 0; v < still->scene.viewCount; v++) {
        const wbView *view = &still->scene.views[v];
        for (int i = 0; i < view->count; i++) {
            const size_t at = (size_t)i * (size_t)view->stride;
            const wbVec3 way = wbSub(wbMakeVec3(view->x[at], view->y[at], view->z[at]), centre);
            if (wbDot(way, way) < reach * reach) return false;
        }
    }
    return true;
}

// Through a glass side a ball would begin in the water: it begins above it then. False: there is no room up to the top.
static bool raiseOutOfWater(const wbStill *still, float radius, wbVec3 *from) {
    const wbDomainDef *domain = &still->domain;
    const float top = isClosed(domain, wb_top) ? domain->max.y - radius : from->y + 2 * wbGetSceneSize(still);
    while (!hasRoom(still, *from, radius)) {
        from->y += 0.5f * radius;
        if (from->y > top) return false;
    }
    return true;
}

void wbHand_Throw(wbViewer *viewer) {
    const wbStill *s = viewer->still;
    if (!s) return;
    const bool isFlat = s->scene.dimensions == 2;
    const float size = wbGetSceneSize(s), radius = 0.04f * size;
    const wbRay ray = wbViewer_GetRay(viewer, viewer->lastX, viewer->lastY);
    wbVec3 from, velocity = {0, 0, 0};
    if (!findPlace(&s->domain, ray, radius, &from) && !isFlat) {
        wbViewer_Note(viewer, "a ball from here does not come into the domain: point at its inside");
        return;
    }
    // across the scene in the time of a fall of its height, about
    if (!isFlat) velocity = wbScale(2 * sqrtf(9.81f * size), ray.direction);
    if (isFlat && !wbRay_MeetPlane(ray, wbMakeVec3(0, 0, 0), wbMakeVec3(0, 0, 1), &from)) return;
    if (isFlat) from.z = 0;
    if (!raiseOutOfWater(s, radius, &from)) {
        wbViewer_Note(viewer, "there is no room for a ball: water fills it up to the top");
        return;
    }
    char mass[48] = "";
    const float kilograms = chooseMass(&s->objects);
    if (kilograms > 0)
        snprintf(mass, sizeof mass, "mass=%.6g ", (double)kilograms);
    else
        wbViewer_Note(viewer, "a ball is thrown; it meets all but air, unless that is told to feel bodies");
    char text[384];
    snprintf(
        text, sizeof text,
        "%sshape=sphere radius=%.6g position=%.7g,%.7g,%.7g velocity=%.7g,%.7g,%.7g colour=0.85,0.75,0.2",
        mass, (double)radius, (double)from.x, (double)from.y, (double)from.z, (double)velocity.x,
        (double)velocity.y, (double)velocity.z);
    wbSim_Put(viewer->sim, "world.addRigidBody", text);
    wbRemote_Tell(&viewer->remote, "event throw from %g %g %g", (double)from.x, (double)from.y,
                  (double)from.z);
}
