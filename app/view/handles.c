// SPDX-License-Identifier: MIT
#include "app/view/handles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/view/geometry.h"
#include "core/status.h"

static const float degree = 3.14159265f / 180;
static const char *const sideNames[] = {"left", "right", "bottom", "top", "back", "front"};
static const char *const driveNames[] = {"motor", "hand", "free"};

// There is room for all of them.
typedef struct List {
    const wbWorld *world;
    wbHandle *handles;
    int count;
} List;

static wbHandle *add(List *list, wbHandleKind kind, const char *name, wbVec3 at) {
    wbHandle *handle = &list->handles[list->count++];
    *handle = (wbHandle){.kind = kind, .at = at};
    snprintf(handle->name, sizeof handle->name, "%s", name);
    return handle;
}

// The middle of the box around a collider's mesh, where it stands now.
static wbVec3 findMiddle(const wbWorld *world, wbColliderId id) {
    const wbColliderStats stats = wbCollider_GetStats(world, id);
    wbVec3 min, max;
    wbBoundMesh(wbCollider_GetMesh(world, id), &min, &max);
    return wbAdd(wbMakeVec3(stats.position[0], stats.position[1], stats.position[2]),
                 wbTurn(stats.rotation, wbScale(0.5f, wbAdd(min, max))));
}

// m: how far the corners of a wheel's collider are from its axis; *rim: from there to the farthest one
static float findRim(const wbWorld *world, wbColliderId id, wbVec3 pivot, wbVec3 axis, wbVec3 *rim) {
    const wbMesh *mesh = wbCollider_GetMesh(world, id);
    const wbColliderStats stats = wbCollider_GetStats(world, id);
    const wbVec3 origin = {stats.position[0], stats.position[1], stats.position[2]};
    float farthest = -1;
    for (int i = 0; i < mesh->vertexCount; i++) {
        const float *v = mesh->vertices + 3 * (size_t)i;
        wbVec3 arm = wbSub(wbAdd(origin, wbTurn(stats.rotation, wbMakeVec3(v[0], v[1], v[2]))), pivot);
        arm = wbSub(arm, wbScale(wbDot(arm, axis), axis));
        if (wbLength(arm) > farthest * 1.0001f) farthest = wbLength(arm), *rim = arm;
    }
    return farthest;
}

static void addWheel(List *list, const char *name, const wbMechanismParams *p, const wbMechanismStats *stats,
                     const wbColliderId *parts, int count) {
    const wbVec3 axis = wbScale(1 / fmaxf(wbLength(p->axis), 1e-20f), p->axis);
    wbVec3 rim = {0, 0, 0}, best = {0, 0, 0}, middle = findMiddle(list->world, parts[0]);
    float farthest = -1;
    for (int i = 0; i < count; i++) {
        const float reach = findRim(list->world, parts[i], p->pivot, axis, &rim);
        if (reach > farthest) farthest = reach, best = rim, middle = findMiddle(list->world, parts[i]);
    }
    const wbVec3 along = wbScale(wbDot(wbSub(middle, p->pivot), axis), axis);
    wbHandle *handle = add(list, wb_handleWheel, name, wbAdd(wbAdd(p->pivot, along), best));
    handle->way = axis, handle->pivot = wbAdd(p->pivot, along);
    handle->drive = p->drive, handle->speed = p->speed;
    handle->value = p->drive == wb_driveMotor  ? p->speed
                    : p->drive == wb_driveHand ? p->angle
                                               : (float)stats->angle;
}

static void addMechanism(List *list, wbMechanismId id, const wbColliderId *parts, int count) {
    const wbMechanismParams *p = wbMechanism_GetParams(list->world, id);
    const wbMechanismStats stats = wbMechanism_GetStats(list->world, id);
    const char *name = wbMechanism_GetName(list->world, id);
    wbHandle *handle;
    switch (p->kind) {
    case wb_mechanismGate:
        handle = add(list, wb_handleGate, name, findMiddle(list->world, parts[0]));
        handle->way = p->travel, handle->value = p->open;
        break;
    case wb_mechanismLock:
        for (int g = 0; g < 2 && g < count; g++) {
            handle = add(list, wb_handleLock, name, findMiddle(list->world, parts[g]));
            handle->way = p->travel, handle->part = g;
            handle->isOpen = p->gates == (g == 0 ? wb_lockUpper : wb_lockLower);
            handle->value = (float)p->gates;
        }
        break;
    case wb_mechanismWheel:
        addWheel(list, name, p, &stats, parts, count);
        break;
    case wb_mechanismShaker:
        handle = add(list, wb_handleShaker, name, findMiddle(list->world, parts[0]));
        handle->value = p->frequency;
        break;
    }
}

static void addMechanisms(List *list) {
    const wbWorld *world = list->world;
    for (int m = 0; m < wbWorld_GetMechanismCount(world); m++) {
        const wbMechanismId id = wbWorld_GetMechanism(world, m);
        wbColliderId parts[WB_MAX_PARTS];
        int count = 0;
        for (int c = 0; c < wbWorld_GetColliderCount(world) && count < WB_MAX_PARTS; c++) {
            const wbMechanismId of = wbCollider_GetMechanism(world, wbWorld_GetCollider(world, c));
            if (of.index1 == id.index1 && of.generation == id.generation)
                parts[count++] = wbWorld_GetCollider(world, c);
        }
        if (count > 0) addMechanism(list, id, parts, count);
    }
}

static void addValves(List *list) {
    const wbWorld *world = list->world;
    for (int i = 0; i < wbWorld_GetEmitterCount(world); i++) {
        const wbEmitterId id = wbWorld_GetEmitter(world, i);
        const wbEmitterParams *p = wbEmitter_GetParams(world, id);
        const bool isDisc = p->kind == wb_emitterDisc;
        wbHandle *handle = add(list, wb_handleValve, wbEmitter_GetName(world, id),
                               isDisc ? p->position : wbScale(0.5f, wbAdd(p->min, p->max)));
        const float length = wbLength(p->direction);
        if (length > 0) handle->way = wbScale((isDisc ? 2 * p->radius : 0) / length, p->direction);
        handle->isOpen = p->open;
    }
    for (int i = 0; i < wbWorld_GetDrainCount(world); i++) {
        const wbDrainId id = wbWorld_GetDrain(world, i);
        const wbDrainParams *p = wbDrain_GetParams(world, id);
        add(list, wb_handleValve, wbDrain_GetName(world, id), wbScale(0.5f, wbAdd(p->min, p->max)))->isOpen =
            p->open;
    }
    for (int i = 0; i < wbWorld_GetSourceCount(world); i++) {
        const wbSourceId id = wbWorld_GetSource(world, i);
        const wbSourceParams *p = wbSource_GetParams(world, id);
        wbHandle *handle = add(list, wb_handleValve, wbSource_GetName(world, id), p->position);
        handle->isOpen = p->open, handle->isMovable = true, handle->position = p->position;
    }
}

static bool readVector(const wbWorld *world, const char *key, wbVec3 *v) {
    char text[96];
    v->z = 0;
    return wbIsOk(wbWorld_GetParam(world, key, text, sizeof text)) &&
           sscanf(text, "%f ,%f ,%f", &v->x, &v->y, &v->z) >= 2;
}

// Of closed sides alone: an open one holds nothing, and does not move.
static void addSides(List *list) {
    const wbDomainDef domain = wbWorld_GetDomain(list->world);
    const wbVec3 extent = wbSub(domain.max, domain.min),
                 middle = wbScale(0.5f, wbAdd(domain.min, domain.max));
    wbVec3 min, max;
    if (!(wbDot(extent, extent) > 0) || !readVector(list->world, "domain.min", &min) ||
        !readVector(list->world, "domain.max", &max))
        return;
    for (int side = 0; side < 2 * wbWorld_GetWorldParams(list->world)->dimensions; side++) {
        if (domain.sides[side].type == wb_sideOpen) continue;
        wbHandle *handle = add(list, wb_handleSide, sideNames[side], middle);
        const int a = side / 2;
        (&handle->at.x)[a] = side % 2 ? (&domain.max.x)[a] : (&domain.min.x)[a];
        (&handle->way.x)[a] = side % 2 ? 1.0f : -1.0f;
        handle->min = min, handle->max = max, handle->part = side;
    }
}

wbStatus wbGatherHandles(const wbWorld *world, wbArray *handles, int *count) {
    const int most = 2 * wbWorld_GetMechanismCount(world) + wbWorld_GetEmitterCount(world) +
                     wbWorld_GetDrainCount(world) + wbWorld_GetSourceCount(world) + wb_sideCount;
    handles->elementSize = sizeof(wbHandle);
    if (!wbArray_Reserve(NULL, handles, most)) return wbMemoryError(NULL, "a list of %d handles needs", most);
    List list = {.world = world, .handles = handles->data};
    addMechanisms(&list);
    addValves(&list);
    addSides(&list);
    *count = list.count;
    return wb_okStatus;
}

wbStatus wbAddSliceHandle(const wbRenderScene *scene, wbArray *handles, int *count) {
    int axis;
    const float layer = wbFindSlice(scene, &axis);
    if (scene->dimensions == 2 || layer < 0 || wbRenderScene_GetField(scene) == wb_fieldAuto)
        return wb_okStatus;
    if (!wbArray_Reserve(NULL, handles, *count + 1)) return wbMemoryError(NULL, "a list of handles needs");
    const wbSmokeView *air = scene->smoke;
    List list = {.handles = handles->data, .count = *count};
    wbHandle *handle = add(&list, wb_handleSlice, "slice", air->min);
    *count = list.count;
    const int up = axis == 1 ? 2 : 1;
    for (int a = 0; a < 3; a++) {
        const float share = a == axis ? layer + 0.5f : (float)air->cells[a] * (a == up ? 1 : 0.5f);
        (&handle->at.x)[a] += air->cellSize * share;
        (&handle->min.x)[a] = (&air->min.x)[a] + 0.5f * air->cellSize;
        (&handle->max.x)[a] = (&air->min.x)[a] + air->cellSize * ((float)air->cells[a] - 0.5f);
    }
    (&handle->way.x)[axis] = 1;
    handle->part = axis, handle->value = scene->output.sliceAt;
    return wb_okStatus;
}

// deg, about the axis; 0 where the wheel is seen from its edge.
static float findTurn(const wbHandle *handle, wbRay from, wbRay to) {
    wbVec3 a, b;
    if (fabsf(wbDot(to.direction, handle->way)) < 0.05f ||
        !wbRay_MeetPlane(from, handle->pivot, handle->way, &a) ||
        !wbRay_MeetPlane(to, handle->pivot, handle->way, &b))
        return 0;
    a = wbSub(a, handle->pivot), b = wbSub(b, handle->pivot);
    return atan2f(wbDot(handle->way, wbCross(a, b)), wbDot(a, b)) / degree;
}

static void setNumber(wbHandleSet *set, const wbHandle *handle, const char *param, float before,
                      float value) {
    snprintf(set->key, sizeof set->key, "%s.%s", handle->name, param);
    snprintf(set->before, sizeof set->before, "%.7g", (double)before);
    snprintf(set->value, sizeof set->value, "%.7g", (double)value);
}

static void setWord(wbHandleSet *set, const wbHandle *handle, const char *param, const char *before,
                    const char *value) {
    snprintf(set->key, sizeof set->key, "%s.%s", handle->name, param);
    snprintf(set->before, sizeof set->before, "%s", before);
    snprintf(set->value, sizeof set->value, "%s", value);
}

static void writeVector(char text[WB_HANDLE_VALUE], wbVec3 v) {
    snprintf(text, WB_HANDLE_VALUE, "%.9g,%.9g,%.9g", (double)v.x, (double)v.y, (double)v.z);
}

static const char *const gateNames[] = {"shut", "upper", "lower"};

bool wbHandle_Click(const wbHandle *handle, wbHandleSet *set) {
    switch (handle->kind) {
    case wb_handleValve:
        setWord(set, handle, "open", handle->isOpen ? "true" : "false", handle->isOpen ? "false" : "true");
        return true;
    case wb_handleGate:
        setNumber(set, handle, "open", handle->value, handle->value > 0.5f ? 0 : 1);
        return true;
    case wb_handleLock:
        setWord(set, handle, "gates", gateNames[(int)handle->value],
                gateNames[handle->isOpen ? 0 : handle->part + 1]);
        return true;
    case wb_handleShaker:
        setNumber(set, handle, "frequency", handle->value, handle->value > 0 ? 0 : 1);
        return true;
    default:
        return false;
    }
}

static void setSide(const wbHandleDrag *drag, wbHandleSet *set) {
    const wbHandle *h = &drag->handle;
    const int a = h->part / 2;
    const bool isHigh = h->part % 2;
    const float smallest = 0.02f * ((&h->max.x)[a] - (&h->min.x)[a]); // an empty box is refused
    wbVec3 end = isHigh ? h->max : h->min;
    (&end.x)[a] = isHigh ? fmaxf((&h->max.x)[a] + drag->moved, (&h->min.x)[a] + smallest)
                         : fminf((&h->min.x)[a] - drag->moved, (&h->max.x)[a] - smallest);
    snprintf(set->key, sizeof set->key, "domain.%s", isHigh ? "max" : "min");
    writeVector(set->before, isHigh ? h->max : h->min);
    writeVector(set->value, end);
}

static void setSlice(const wbHandleDrag *drag, wbHandleSet *set) {
    const wbHandle *h = &drag->handle;
    const int a = h->part;
    const float at = (&h->at.x)[a] + drag->moved;
    setNumber(set, h, "", h->value, fminf(fmaxf(at, (&h->min.x)[a]), (&h->max.x)[a]));
    snprintf(set->key, sizeof set->key, "output.sliceAt");
    if (isnan(h->value)) snprintf(set->before, sizeof set->before, "auto");
}

static void setLock(const wbHandleDrag *drag, wbHandleSet *set) {
    const wbHandle *h = &drag->handle;
    const bool opens = h->isOpen ? drag->moved > -0.3f : drag->moved > 0.3f;
    const int others = h->isOpen ? 0 : (int)h->value; // what the lock was, if this gate stays shut
    setWord(set, h, "gates", gateNames[(int)h->value], gateNames[opens ? h->part + 1 : others]);
}

static bool moveSource(wbHandleDrag *drag, wbRay from, wbRay to, wbVec3 back, wbHandleSet *set) {
    const wbHandle *h = &drag->handle;
    wbVec3 a, b;
    if (!h->isMovable || !wbRay_MeetPlane(from, h->at, back, &a) || !wbRay_MeetPlane(to, h->at, back, &b))
        return false;
    drag->shift = wbAdd(drag->shift, wbSub(b, a));
    snprintf(set->key, sizeof set->key, "%s.position", h->name);
    writeVector(set->before, h->position);
    writeVector(set->value, wbAdd(h->position, drag->shift));
    return true;
}

static wbVec3 getUp(const wbHandle *handle, wbRay ray) {
    return wbMakeVec3(0, 0.15f * wbLength(wbSub(handle->at, ray.origin)), 0);
}

bool wbHandleDrag_Move(wbHandleDrag *drag, wbRay from, wbRay to, wbVec3 back, wbHandleSet *set) {
    const wbHandle *h = &drag->handle;
    const wbVec3 way = h->kind == wb_handleShaker ? getUp(h, to) : h->way;
    if (h->kind == wb_handleValve) return moveSource(drag, from, to, back, set);
    drag->moved += h->kind == wb_handleWheel
                       ? findTurn(h, from, to)
                       : wbRay_FindAlong(to, h->at, way) - wbRay_FindAlong(from, h->at, way);
    switch (h->kind) {
    case wb_handleGate:
        setNumber(set, h, "open", h->value, fminf(fmaxf(h->value + drag->moved, 0), 1));
        break;
    case wb_handleLock:
        setLock(drag, set);
        break;
    case wb_handleWheel:
        setNumber(set, h, h->drive == wb_driveMotor ? "speed" : "angle", h->value, h->value + drag->moved);
        break;
    case wb_handleShaker:
        setNumber(set, h, "frequency", h->value, fmaxf(0, h->value + drag->moved));
        break;
    case wb_handleSlice:
        setSlice(drag, set);
        break;
    default:
        setSide(drag, set);
        break;
    }
    return true;
}

void wbHandle_Describe(const wbHandle *h, char *text, int size) {
    const size_t room = (size_t)size;
    switch (h->kind) {
    case wb_handleGate:
        snprintf(text, room, "%s: gate, %.0f %% open; pull it, or click", h->name, (double)(100 * h->value));
        break;
    case wb_handleLock:
        snprintf(text, room, "%s: %s gate of a lock, %s; pull it, or click", h->name,
                 h->part == 0 ? "upper" : "lower", h->isOpen ? "open" : "shut");
        break;
    case wb_handleWheel:
        snprintf(text, room, "%s: wheel, %s, %.4g %s; %s it", h->name, driveNames[h->drive], (double)h->value,
                 h->drive == wb_driveMotor ? "deg/s" : "deg",
                 h->drive == wb_driveMotor ? "pull to speed up" : "turn");
        break;
    case wb_handleShaker:
        snprintf(text, room, "%s: shaker, %.3g swings/s; pull up or down, or click", h->name,
                 (double)h->value);
        break;
    case wb_handleValve:
        snprintf(text, room, "%s: %s; click%s", h->name, h->isOpen ? "open" : "closed",
                 h->isMovable ? ", or drag to move it" : "");
        break;
    case wb_handleSide:
        snprintf(text, room, "%s side of the domain: drag it", h->name);
        break;
    case wb_handleSlice:
        snprintf(text, room, "slice at %c = %.4g m: drag it", 'x' + h->part, (double)(&h->at.x)[h->part]);
        break;
    }
}
