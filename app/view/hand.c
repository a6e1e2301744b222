// SPDX-License-Identifier: MIT
#include "app/view/hand.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/view/geometry.h"
#include "app/view/viewer.h"
#include "core/timer.h"

enum { CLICK_PIXELS = 4, HANDLE_PIXELS = 12, THIN_PIXELS = 5, MOST_GRABS = 32 };
static const double momentSeconds = 0.15;

float wbGetSceneSize(const wbStill *still) {
    const wbVec3 extent = wbSub(still->domain.max, still->domain.min);
    if (wbDot(extent, extent) > 0) return fmaxf(extent.x, fmaxf(extent.y, extent.z));
    wbVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    const wbSeenObject *objects = still->objects.objects.data;
    for (int i = 0; i < still->objects.count; i++)
        for (int a = 0; a < 3; a++) {
            (&low.x)[a] = fminf((&low.x)[a], (&objects[i].position.x)[a]);
            (&high.x)[a] = fmaxf((&high.x)[a], (&objects[i].position.x)[a]);
        }
    return still->objects.count > 0 ? fmaxf(1, wbLength(wbSub(high, low))) : 1;
}

float wbHand_GetRadius(const wbViewer *viewer) {
    if (viewer->hand.radius > 0 || !viewer->still) return viewer->hand.radius;
    const wbStill *s = viewer->still;
    const float grain = s->scene.viewCount > 0 ? 4 * s->scene.spacing : 5 * s->air.cellSize;
    return fmaxf(grain, 0.05f * wbGetSceneSize(s));
}

static void put(wbViewer *viewer, const char *object, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void put(wbViewer *viewer, const char *object, const char *name, const char *format, ...) {
    char key[128], value[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    snprintf(key, sizeof key, "%s.%s", object, name);
    wbSim_Put(viewer->sim, key, value);
}

static void putVector(wbViewer *viewer, const char *object, const char *name, wbVec3 v) {
    put(viewer, object, name, "%.9g,%.9g,%.9g", (double)v.x, (double)v.y, (double)v.z);
}

static bool isNameTaken(const wbStill *still, const char *name) {
    const wbSection *sections = still->sections.data;
    const wbSeenObject *objects = still->objects.objects.data;
    for (int i = 0; i < still->sectionCount; i++)
        if (strcmp(sections[i].name, name) == 0) return true;
    for (int i = 0; i < still->objects.count; i++)
        if (strcmp(objects[i].name, name) == 0) return true;
    return false;
}

// A grab of the world is used again and again: the one that holds this thing already, else one that rests, else a new one.
static bool takeGrab(wbViewer *viewer, const char *of) {
    wbHand *hand = &viewer->hand;
    const wbStill *s = viewer->still;
    int found = 0;
    if (hand->madeGeneration != s->generation) hand->madeGeneration = s->generation, hand->made = 0;
    for (int i = 1; i < MOST_GRABS; i++) {
        snprintf(hand->grab, sizeof hand->grab, "mouse%d", i);
        const wbSeenGrab *grab = wbObjects_FindGrab(&s->objects, hand->grab);
        if (grab && grab->isOn && of[0] && strcmp(grab->of, of) == 0) return true;
        const bool rests = grab ? !grab->isOn : !isNameTaken(s, hand->grab);
        if (found == 0 && rests) found = i;
    }
    if (found == 0) {
        wbViewer_Note(viewer, "nothing more can be held: let go of something first");
        return false;
    }
    snprintf(hand->grab, sizeof hand->grab, "mouse%d", found);
    if (wbObjects_FindGrab(&s->objects, hand->grab) || hand->made >> found & 1) return true;
    hand->made |= (uint64_t)1 << found;
    put(viewer, "world", "addGrab", "%s on=false", hand->grab);
    return true;
}

static wbVec3 getBack(const wbViewer *viewer) {
    const wbVec3 back = wbSub(viewer->shownCamera.position, viewer->shownCamera.target);
    return wbScale(1 / fmaxf(wbLength(back), 1e-20f), back);
}

// Where the target is for a place of the cursor.
static void aim(wbViewer *viewer, double x, double y) {
    wbHand *hand = &viewer->hand;
    wbVec3 met;
    if (!wbRay_MeetPlane(wbViewer_GetRay(viewer, x, y), hand->plane, getBack(viewer), &met)) return;
    hand->target = met;
    hand->isTargetNew = true;
}

// Things that are large beside the scene are what it is built of: those are only moved on purpose.
static bool canHold(const wbViewer *viewer, const wbPick *pick, int mods) {
    const wbSeenObject *object = wbObjects_Find(&viewer->still->objects, pick->owner);
    if (!object || !object->isMovable) return false;
    const wbVec3 e = pick->extent;
    const bool isLarge = pick->owner.kind == wb_ownerCollider &&
                         fmaxf(e.x, fmaxf(e.y, e.z)) > 0.4f * wbGetSceneSize(viewer->still);
    return !isLarge || mods & WB_MOD_CTRL;
}

static const wbView *getSoftView(const wbStill *still, wbOwner owner) {
    for (int i = 0; i < still->scene.softCount; i++) {
        const wbRenderSoft *soft = &still->scene.softs[i];
        if (soft->owner.kind == owner.kind && soft->owner.index == owner.index) return &soft->view;
    }
    return NULL;
}

// m: where it is held. What was pressed on may have moved since.
static wbVec3 findHeld(const wbViewer *viewer, const wbSeenObject *object) {
    const wbPick *pick = &viewer->hand.pick;
    if (pick->owner.kind != wb_ownerSoftBody) return wbSeenObject_ToWorld(object, viewer->hand.own);
    const wbView *view = getSoftView(viewer->still, pick->owner);
    if (!view || pick->particle >= view->count) return pick->point;
    const size_t at = (size_t)pick->particle * (size_t)view->stride;
    return wbMakeVec3(view->x[at], view->y[at], view->z[at]);
}

static void tellTarget(wbViewer *viewer) {
    putVector(viewer, viewer->hand.grab, "target", viewer->hand.target);
    viewer->hand.isTargetNew = false;
}

static void hold(wbViewer *viewer) {
    wbHand *hand = &viewer->hand;
    const wbPick *pick = &hand->pick;
    const wbSeenObject *object = wbObjects_Find(&viewer->still->objects, pick->owner);
    const bool isSoft = pick->owner.kind == wb_ownerSoftBody;
    char of[WB_OBJECT_NAME + 16];
    hand->mode = wb_handFree;
    if (!object) return;
    wbSeenObject_Write(object, of, sizeof of);
    if (!takeGrab(viewer, of)) return;
    if (isSoft && wbObjects_IsPinned(&viewer->still->objects, pick->owner.index, pick->particle))
        put(viewer, of, "unpin", "particle=%d", pick->particle);
    hand->mode = wb_handHolding;
    hand->plane = hand->target = findHeld(viewer, object);
    aim(viewer, viewer->lastX, viewer->lastY);
    // for an instant it holds nothing, since a particle's number is checked with what is held
    put(viewer, hand->grab, "of", "%s", "");
    put(viewer, hand->grab, "particle", "%d", isSoft ? pick->particle : 0);
    putVector(viewer, hand->grab, "point", isSoft ? wbMakeVec3(0, 0, 0) : hand->own);
    tellTarget(viewer);
    put(viewer, hand->grab, "of", "%s", of);
    put(viewer, hand->grab, "on", "true");
    wbRemote_Tell(&viewer->remote, "event grab %s particle %d at %g %g %g", of, pick->particle,
                  (double)hand->plane.x, (double)hand->plane.y, (double)hand->plane.z);
}

// Shift: a ball that is not seen drags along the fluid or the air that it is in.
static bool push(wbViewer *viewer, double x, double y) {
    wbHand *hand = &viewer->hand;
    const wbSight sight = wbViewer_GetSight(viewer, x, y, THIN_PIXELS);
    const wbPick pick = wbPickStill(viewer->still, &sight, 1u << wb_ownerFluid);
    hand->plane = pick.point;
    if (pick.owner.kind == wb_ownerNone && !wbPickAir(viewer->still, sight.ray, &hand->plane)) return false;
    if (!takeGrab(viewer, "")) return false;
    hand->mode = wb_handPushing;
    hand->target = hand->plane;
    aim(viewer, x, y);
    put(viewer, hand->grab, "of", "%s", "");
    put(viewer, hand->grab, "radius", "%.7g", (double)wbHand_GetRadius(viewer));
    put(viewer, hand->grab, "strength", "%.7g", (double)hand->strength);
    tellTarget(viewer);
    put(viewer, hand->grab, "on", "true");
    wbRemote_Tell(&viewer->remote, "event push at %g %g %g", (double)hand->plane.x, (double)hand->plane.y,
                  (double)hand->plane.z);
    return true;
}

static void set(wbViewer *viewer, const wbHandleSet *what) {
    wbViewer_Set(viewer, what->key, what->before, what->value);
}

static void setWheel(wbViewer *viewer, const char *param, const char *before, const char *value) {
    char key[WB_HANDLE_KEY];
    snprintf(key, sizeof key, "%s.%s", viewer->hand.drag.handle.name, param);
    wbViewer_Set(viewer, key, before, value);
}

// A wheel that the water turns is led by hand as long as it is held; one that could not be turned at all gets a speed for that.
static void beginTurn(wbViewer *viewer) {
    wbHandle *handle = &viewer->hand.drag.handle;
    char angle[32], speed[32];
    if (handle->kind != wb_handleWheel || handle->drive == wb_driveMotor) return;
    snprintf(angle, sizeof angle, "%.7g", (double)handle->value);
    snprintf(speed, sizeof speed, "%.7g", (double)handle->speed);
    if (handle->speed == 0) setWheel(viewer, "speed", speed, "180");
    if (handle->drive == wb_driveFree)
        setWheel(viewer, "angle", angle, angle), setWheel(viewer, "drive", "free", "hand");
}

static void endTurn(wbViewer *viewer) {
    const wbHandle *handle = &viewer->hand.drag.handle;
    if (handle->kind == wb_handleWheel && handle->drive == wb_driveFree)
        setWheel(viewer, "drive", "hand", "free");
}

static bool pressHandle(wbViewer *viewer, double x, double y) {
    wbHand *hand = &viewer->hand;
    const wbSight sight = wbViewer_GetSight(viewer, x, y, HANDLE_PIXELS);
    const int found = wbViewer_PickHandle(viewer, &sight);
    if (found < 0) return false;
    hand->mode = wb_handOnHandle;
    hand->drag = (wbHandleDrag){.handle = ((const wbHandle *)viewer->still->objects.handles.data)[found]};
    hand->lastRay = sight.ray;
    return true;
}

void wbHand_Begin(wbHand *hand, double x, double y) {
    hand->pressX = x, hand->pressY = y, hand->pressClock = wbGetSeconds();
    hand->isStill = true;
}

bool wbHand_Press(wbViewer *viewer, double x, double y, int mods) {
    wbHand *hand = &viewer->hand;
    if (mods & WB_MOD_SHIFT) return push(viewer, x, y);
    if (pressHandle(viewer, x, y)) return true;
    const wbSight sight = wbViewer_GetSight(viewer, x, y, THIN_PIXELS);
    hand->pick = wbPickStill(viewer->still, &sight, WB_PICK_THINGS);
    if (!canHold(viewer, &hand->pick, mods)) return false;
    const wbSeenObject *object = wbObjects_Find(&viewer->still->objects, hand->pick.owner);
    hand->own = wbSeenObject_ToOwn(object, hand->pick.point);
    hand->mode = wb_handPressed;
    return true;
}

static void pull(wbViewer *viewer, double x, double y) {
    wbHand *hand = &viewer->hand;
    wbHandleSet what;
    const wbRay ray = wbViewer_GetRay(viewer, x, y);
    if (wbHandleDrag_Move(&hand->drag, hand->lastRay, ray, getBack(viewer), &what)) set(viewer, &what);
    hand->lastRay = ray;
}

void wbHand_Move(wbViewer *viewer, double x, double y) {
    wbHand *hand = &viewer->hand;
    const bool wasStill = hand->isStill;
    if (fabs(x - hand->pressX) + fabs(y - hand->pressY) >= CLICK_PIXELS) hand->isStill = false;
    if (!viewer->still) return;
    if (hand->mode == wb_handPressed && !hand->isStill) hold(viewer);
    if (hand->mode == wb_handHolding || hand->mode == wb_handPushing) aim(viewer, x, y);
    if (hand->mode == wb_handOnHandle && !hand->isStill) {
        if (wasStill) beginTurn(viewer);
        pull(viewer, x, y);
    }
}

void wbHand_LetGo(wbViewer *viewer) {
    wbHand *hand = &viewer->hand;
    if (hand->mode == wb_handHolding || hand->mode == wb_handPushing) {
        put(viewer, hand->grab, "on", "false");
        wbRemote_Tell(&viewer->remote, "event release %s", hand->grab);
    }
    if (hand->mode == wb_handOnHandle && !hand->isStill) endTurn(viewer);
    hand->mode = wb_handFree;
}

void wbHand_Forget(wbViewer *viewer) { viewer->hand.mode = wb_handFree; }

bool wbHand_Release(wbViewer *viewer) {
    wbHand *hand = &viewer->hand;
    const wbHandMode mode = hand->mode;
    wbHandleSet what;
    if (mode == wb_handOnHandle && hand->isStill && wbHandle_Click(&hand->drag.handle, &what))
        set(viewer, &what);
    wbHand_LetGo(viewer);
    return mode == wb_handPressed;
}

bool wbHand_TurnWheel(wbViewer *viewer, double notches) {
    wbHand *hand = &viewer->hand;
    if (hand->mode == wb_handPushing) {
        hand->radius = wbHand_GetRadius(viewer) * powf(1.1f, (float)notches);
        put(viewer, hand->grab, "radius", "%.7g", (double)hand->radius);
        return true;
    }
    if (hand->mode != wb_handHolding) return false;
    const float distance = wbLength(wbSub(hand->plane, viewer->shownCamera.position));
    hand->plane = wbAdd(hand->plane, wbScale(-0.04f * distance * (float)notches, getBack(viewer)));
    aim(viewer, viewer->lastX, viewer->lastY);
    return true;
}

bool wbHand_Pin(wbViewer *viewer) {
    wbHand *hand = &viewer->hand;
    const wbSeenObject *object = wbObjects_Find(&viewer->still->objects, hand->pick.owner);
    if (hand->mode != wb_handHolding || !object) return hand->mode != wb_handFree;
    wbHand_Flush(viewer);
    hand->mode = wb_handFree;
    wbRemote_Tell(&viewer->remote, "event pin %s", hand->grab);
    if (hand->pick.owner.kind == wb_ownerSoftBody && object->name[0]) {
        put(viewer, object->name, "pin", "particle=%d", hand->pick.particle);
        put(viewer, hand->grab, "on", "false");
    }
    return true;
}

void wbHand_Flush(wbViewer *viewer) {
    const wbHandMode mode = viewer->hand.mode;
    if (viewer->hand.isTargetNew && (mode == wb_handHolding || mode == wb_handPushing)) tellTarget(viewer);
}

// While the world is paused the cursor may go where it will: the last place counts when it steps again.
void wbHand_Update(wbViewer *viewer) {
    wbHand *hand = &viewer->hand;
    if (!viewer->still) return;
    if (hand->mode == wb_handPressed && !viewer->state.isPaused &&
        wbGetSeconds() - hand->pressClock > momentSeconds)
        hold(viewer);
    if (!viewer->state.isPaused) wbHand_Flush(viewer);
    const wbSeenGrab *grab =
        hand->mode == wb_handHolding ? wbObjects_FindGrab(&viewer->still->objects, hand->grab) : NULL;
    if (grab && grab->isThere && viewer->still->step != hand->toldStep)
        wbRemote_Tell(&viewer->remote, "event held %g %g %g target %g %g %g", (double)grab->point.x,
                      (double)grab->point.y, (double)grab->point.z, (double)grab->target.x,
                      (double)grab->target.y, (double)grab->target.z);
    hand->toldStep = viewer->still->step;
}
