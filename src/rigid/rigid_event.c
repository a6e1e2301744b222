// SPDX-License-Identifier: MIT
#include "rigid/rigid_event.h"

#include "core/sort.h"
#include "core/status.h"
#include "rigid/rigid.h"

void wbRigidEvents_Init(wbRigidEvents *events) {
    *events = (wbRigidEvents){.touches.elementSize = sizeof(wbRigidTouch),
                              .before.elementSize = sizeof(wbRigidTouch),
                              .begins.elementSize = sizeof(wbRigidTouch),
                              .ends.elementSize = sizeof(wbRigidTouch),
                              .hits.elementSize = sizeof(wbRigidHit)};
}

void wbRigidEvents_Free(wbMemory *memory, wbRigidEvents *events) {
    wbArray_Free(memory, &events->touches);
    wbArray_Free(memory, &events->before);
    wbArray_Free(memory, &events->begins);
    wbArray_Free(memory, &events->ends);
    wbArray_Free(memory, &events->hits);
    wbRigidEvents_Init(events);
}

wbColumn wbRigidEvents_GetColumn(wbRigidEvents *events) {
    return (wbColumn){"touches", &events->touches.data, sizeof(wbRigidTouch), true};
}

void wbRigidEvents_Renumber(wbRigidEvents *events, int removedBody) {
    wbRigidTouch *touches = events->touches.data;
    int count = 0;
    for (int i = 0; i < events->touchCount; i++) {
        wbRigidTouch touch = touches[i];
        if (touch.bodies[0] == removedBody || touch.bodies[1] == removedBody) continue;
        for (int k = 0; k < 2; k++)
            if (touch.bodies[k] > removedBody && touch.bodies[k] < WB_FIRST_GUEST) touch.bodies[k]--;
        touches[count++] = touch;
    }
    events->touchCount = count;
}

void wbRigidEvents_Clear(wbRigidEvents *events) {
    events->beginCount = events->endCount = events->hitCount = 0;
}

// Hits

static bool isSide(const wbContact *contact) {
    return (contact->bodies[0] | contact->bodies[1]) & WB_CONTACT_SIDE;
}

static float getImpulse(const wbContact *contact) {
    float sum = 0;
    for (int k = 0; k < WB_MANIFOLD_POINTS; k++)
        if (contact->separation[k] < WB_NO_POINT) sum += contact->points[k][3];
    return sum;
}

static wbVec3 getNormal(const wbContact *contact) {
    return wbMakeVec3(contact->normal[0], contact->normal[1], contact->normal[2]);
}

// m: points are from where the first body was when the step began.
static wbVec3 getPoint(const wbRigid *rigid, const wbContact *contact, int k, float dt) {
    const int row = wbGetContactRow(contact->bodies[0], rigid->count);
    const float *arm = contact->points[k];
    return wbMakeVec3(rigid->x[row] - dt * rigid->vx[row] + arm[0],
                      rigid->y[row] - dt * rigid->vy[row] + arm[1],
                      rigid->z[row] - dt * rigid->vz[row] + arm[2]);
}

// The middle of a contact's points.
static wbVec3 getMiddle(const wbRigid *rigid, const wbContact *contact, float dt) {
    wbVec3 sum = {0, 0, 0};
    int count = 0;
    for (int k = 0; k < WB_MANIFOLD_POINTS; k++)
        if (contact->separation[k] < WB_NO_POINT) sum = wbAdd(sum, getPoint(rigid, contact, k, dt)), count++;
    return wbScale(1.0f / (float)(count > 0 ? count : 1), sum);
}

// m/s, along a direction, of a body at a point; and 1/kg, how easily an impulse there changes it.
static float getSpeedAt(const wbRigid *rigid, int row, wbVec3 point, wbVec3 along, float *response) {
    const wbMotion motion = {wbRigid_GetPose(rigid, row),
                             {rigid->vx[row], rigid->vy[row], rigid->vz[row]},
                             {rigid->wx[row], rigid->wy[row], rigid->wz[row]}};
    const wbVec3 arm = wbSub(point, wbMakeVec3(rigid->x[row], rigid->y[row], rigid->z[row]));
    const wbVec3 turn = wbPose_RotateInverse(&motion.pose, wbCross(arm, along));
    *response = rigid->inverseMass[row] + turn.x * turn.x * rigid->inverseInertiaX[row] +
                turn.y * turn.y * rigid->inverseInertiaY[row] + turn.z * turn.z * rigid->inverseInertiaZ[row];
    return wbDot(wbMotion_VelocityAt(&motion, point), along);
}

// Bodies that met do not approach any more. The impulse is what that took: it may have been in any sub-step.
bool wbRigid_FindHit(const wbRigid *rigid, const wbContact *contact, float least, float dt, wbRigidHit *hit) {
    if (!(contact->approach >= least) || isSide(contact)) return false;
    const wbVec3 normal = getNormal(contact), point = getMiddle(rigid, contact, dt);
    const int rows[2] = {wbGetContactRow(contact->bodies[0], rigid->count),
                         wbGetContactRow(contact->bodies[1], rigid->count)};
    float responses[2], speeds[2];
    for (int k = 0; k < 2; k++) speeds[k] = getSpeedAt(rigid, rows[k], point, normal, &responses[k]);
    const float change = contact->approach + speeds[1] - speeds[0], response = responses[0] + responses[1];
    if (!(change > 0.5f * contact->approach) || !(response > 0)) return false;
    *hit = (wbRigidHit){{rows[0], rows[1]}, point, normal, contact->approach, change / response};
    return true;
}

wbStatus wbRigidEvents_AddHit(wbRigidEvents *events, wbMemory *memory, const wbRigidHit *hit) {
    if (!wbArray_Reserve(memory, &events->hits, events->hitCount + 1))
        return wbMemoryError(memory, "%d hits of rigid bodies need", events->hitCount + 1);
    ((wbRigidHit *)events->hits.data)[events->hitCount++] = *hit;
    return wb_okStatus;
}

// Touches

static bool isBefore(wbRigidTouch a, wbRigidTouch b) {
    return a.bodies[0] != b.bodies[0] ? a.bodies[0] < b.bodies[0] : a.bodies[1] < b.bodies[1];
}

static bool isActive(const wbRigid *rigid, int body) {
    const int index = body < WB_FIRST_GUEST ? body : rigid->count + body - WB_FIRST_GUEST;
    if (index >= rigid->count + rigid->guestCount) return true; // a guest that has gone
    const uint32_t bits = rigid->bits[index];
    return !(bits & WB_RIGID_ASLEEP) && bits & (WB_RIGID_DYNAMIC | WB_RIGID_KINEMATIC);
}

static int nameGuest(const wbRigid *rigid, int body) {
    return body < rigid->count ? body : WB_FIRST_GUEST + body - rigid->count;
}
static wbRigidTouch numberGuests(const wbRigid *rigid, wbRigidTouch touch) {
    for (int k = 0; k < 2; k++)
        if (touch.bodies[k] >= WB_FIRST_GUEST) touch.bodies[k] += rigid->count - WB_FIRST_GUEST;
    return touch;
}

typedef struct Sorter {
    uint32_t *keys;
    int *starts, *bySecond, *byBoth;
} Sorter;

// The order of pairs by their smaller, then by their larger body: sorted by the larger, then, stably, by the smaller.
static bool sortPairs(const wbRigid *rigid, const wbWork *work, const int *pairs, int pairCount,
                      Sorter *sorter) {
    const int bodyCount = rigid->count + rigid->guestCount;
    const size_t size = sizeof(int) * ((size_t)pairCount + 1);
    *sorter = (Sorter){.keys = wbArena_Alloc(work->arena, size),
                       .starts = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)bodyCount + 2)),
                       .bySecond = wbArena_Alloc(work->arena, size),
                       .byBoth = wbArena_Alloc(work->arena, size)};
    if (!sorter->keys || !sorter->starts || !sorter->bySecond || !sorter->byBoth) return false;
    for (int i = 0; i < pairCount; i++) {
        const int a = pairs[2 * i], b = pairs[2 * i + 1];
        sorter->keys[i] = (uint32_t)(a < b ? b : a);
    }
    if (!wbCountingSort(work->pool, work->arena, sorter->keys, pairCount, bodyCount, sorter->starts,
                        sorter->bySecond))
        return false;
    for (int i = 0; i < pairCount; i++) {
        const int a = pairs[2 * sorter->bySecond[i]], b = pairs[2 * sorter->bySecond[i] + 1];
        sorter->keys[i] = (uint32_t)(a < b ? a : b);
    }
    if (!wbCountingSort(work->pool, work->arena, sorter->keys, pairCount, bodyCount, sorter->starts,
                        sorter->byBoth))
        return false;
    for (int i = 0; i < pairCount; i++) sorter->byBoth[i] = sorter->bySecond[sorter->byBoth[i]];
    return true;
}

static wbRigidTouch makeTouch(const wbRigid *rigid, const int pair[2]) {
    const int a = nameGuest(rigid, pair[0]), b = nameGuest(rigid, pair[1]);
    return (wbRigidTouch){{a < b ? a : b, a < b ? b : a}};
}

static void addTouch(wbArray *list, int *count, wbRigidTouch touch) {
    ((wbRigidTouch *)list->data)[(*count)++] = touch;
}

// What was not told again has ended, unless both sleep, or stand still.
static void missTouch(const wbRigid *rigid, wbRigidEvents *events, wbRigidTouch touch) {
    if (isActive(rigid, touch.bodies[0]) || isActive(rigid, touch.bodies[1]))
        addTouch(&events->ends, &events->endCount, numberGuests(rigid, touch));
    else
        addTouch(&events->touches, &events->touchCount, touch);
}

// Walks through both sorted lists at once.
static void compareTouches(const wbRigid *rigid, wbRigidEvents *events, const wbRigidTouch *before,
                           int beforeCount, const int *pairs, const int *order, int pairCount) {
    int old = 0;
    for (int i = 0; i < pairCount; i++) {
        const wbRigidTouch touch = makeTouch(rigid, &pairs[2 * order[i]]);
        if (i > 0 && !isBefore(makeTouch(rigid, &pairs[2 * order[i - 1]]), touch)) continue;
        while (old < beforeCount && isBefore(before[old], touch)) missTouch(rigid, events, before[old++]);
        if (old < beforeCount && !isBefore(touch, before[old]))
            old++;
        else
            addTouch(&events->begins, &events->beginCount, numberGuests(rigid, touch));
        addTouch(&events->touches, &events->touchCount, touch);
    }
    while (old < beforeCount) missTouch(rigid, events, before[old++]);
}

wbStatus wbFindTouches(wbRigid *rigid, const wbWork *work, const int *pairs, int pairCount) {
    wbRigidEvents *events = &rigid->events;
    const int beforeCount = events->touchCount;
    const size_t mark = wbArena_Mark(work->arena);
    Sorter sorter;
    if (!wbArray_Reserve(work->memory, &events->before, beforeCount + pairCount) ||
        !wbArray_Reserve(work->memory, &events->begins, pairCount) ||
        !wbArray_Reserve(work->memory, &events->ends, beforeCount) ||
        !sortPairs(rigid, work, pairs, pairCount, &sorter))
        return wbMemoryError(work->memory, "events of %d contacts need", pairCount);
    const wbArray before = events->touches;
    events->touches = events->before, events->before = before;
    events->touchCount = 0;
    compareTouches(rigid, events, before.data, beforeCount, pairs, sorter.byBoth, pairCount);
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}

// Points

int wbRigid_GetContacts(const wbRigid *rigid, int body, int capacity, wbRigidContactPoint *points) {
    const wbContact *contacts = rigid->contacts.contacts.data;
    int count = 0;
    for (int i = 0; i < rigid->contacts.count; i++) {
        const wbContact *contact = &contacts[i];
        if (body >= 0 && contact->bodies[0] != body && contact->bodies[1] != body) continue;
        const float sum = getImpulse(contact);
        for (int k = 0; k < WB_MANIFOLD_POINTS; k++) {
            if (!(contact->separation[k] < WB_NO_POINT)) continue;
            const float impulse = contact->points[k][3];
            const wbVec3 drag = wbMakeVec3(contact->friction[0], contact->friction[1], contact->friction[2]);
            if (count++ >= capacity) continue;
            points[count - 1] = (wbRigidContactPoint){{wbGetContactRow(contact->bodies[0], rigid->count),
                                                       wbGetContactRow(contact->bodies[1], rigid->count)},
                                                      getPoint(rigid, contact, k, rigid->previousDt),
                                                      getNormal(contact),
                                                      contact->separation[k],
                                                      impulse,
                                                      wbScale(sum > 0 ? impulse / sum : 0, drag)};
        }
    }
    return count;
}
