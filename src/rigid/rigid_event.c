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

// False: one of the two is gone. Bodies, or guests, behind it have moved up.
static bool renumber(int bodies[2], int gone) {
    for (int k = 0; k < 2; k++) {
        if (bodies[k] == gone) return false;
        if (bodies[k] > gone && (bodies[k] >= WB_FIRST_GUEST) == (gone >= WB_FIRST_GUEST)) bodies[k]--;
    }
    return true;
}

static void renumberTouches(wbArray *list, int *count, int gone) {
    wbRigidTouch *touches = list->data;
    int kept = 0;
    for (int i = 0; i < *count; i++)
        if (renumber(touches[i].bodies, gone)) touches[kept++] = touches[i];
    *count = kept;
}

void wbRigidEvents_Renumber(wbRigidEvents *events, int gone) {
    wbRigidHit *hits = events->hits.data;
    int kept = 0;
    renumberTouches(&events->touches, &events->touchCount, gone);
    renumberTouches(&events->begins, &events->beginCount, gone);
    renumberTouches(&events->ends, &events->endCount, gone);
    for (int i = 0; i < events->hitCount; i++)
        if (renumber(hits[i].bodies, gone)) hits[kept++] = hits[i];
    events->hitCount = kept;
}

void wbRigidEvents_Clear(wbRigidEvents *events) {
    if (!events->isContinued) events->beginCount = events->endCount = events->hitCount = 0;
}

// Whatever comes and goes among bodies, a guest has its number.
static int nameGuest(const wbRigid *rigid, int body) {
    return body < rigid->count ? body : WB_FIRST_GUEST + body - rigid->count;
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
    *hit = (wbRigidHit){
        {rows[0], nameGuest(rigid, rows[1])}, point, normal, contact->approach, change / response};
    return true;
}

wbStatus wbRigidEvents_AddHit(wbRigidEvents *events, wbMemory *memory, const wbRigidHit *hit) {
    if (!wbArray_Reserve(memory, &events->hits, events->hitCount + 1))
        return wbMemoryError(memory, "%d hits of rigid bodies need", events->hitCount + 1);
    ((wbRigidHit *)events->hits.data)[events->hitCount++] = *hit;
    return wb_okStatus;
}

// Touches

static uint64_t getOrder(wbRigidTouch touch) {
    return (uint64_t)(uint32_t)touch.bodies[0] << 32 | (uint32_t)touch.bodies[1];
}
static bool isBefore(wbRigidTouch a, wbRigidTouch b) { return getOrder(a) < getOrder(b); }

static bool isActive(const wbRigid *rigid, int body) {
    const int index = body < WB_FIRST_GUEST ? body : rigid->count + body - WB_FIRST_GUEST;
    if (index >= rigid->count + rigid->guestCount) return true; // a guest that has gone
    const uint32_t bits = rigid->bits[index];
    return !(bits & WB_RIGID_ASLEEP) && bits & (WB_RIGID_DYNAMIC | WB_RIGID_KINEMATIC);
}

// Pairs that are being sorted by their smaller, then by their larger body.
typedef struct Sorter {
    const wbRigid *rigid;
    const int *pairs;
    uint32_t *keys;
    int *starts, *order, *bySecond;
    wbRigidTouch *touches; // sorted
    const int *first;      // what keys are made of: pairs in this order; NULL: as they are
    bool isBySecond;
} Sorter;

static void makeKeys(int begin, int end, int worker, void *context) {
    const Sorter *sorter = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const int *pair = &sorter->pairs[2 * (sorter->first ? sorter->first[i] : i)];
        const bool isLarger = pair[0] > pair[1];
        sorter->keys[i] = (uint32_t)pair[isLarger != sorter->isBySecond];
    }
}

static bool sortByKeys(Sorter *sorter, const wbWork *work, int pairCount, const int *first, bool isBySecond,
                       int *order) {
    const int bodyCount = sorter->rigid->count + sorter->rigid->guestCount;
    sorter->first = first, sorter->isBySecond = isBySecond;
    wbParallelFor(work->pool, pairCount, WB_BLOCK, makeKeys, sorter);
    return wbCountingSort(work->pool, work->arena, sorter->keys, pairCount, bodyCount, sorter->starts, order);
}

static wbRigidTouch makeTouch(const wbRigid *rigid, const int pair[2]) {
    const int a = nameGuest(rigid, pair[0]), b = nameGuest(rigid, pair[1]);
    return (wbRigidTouch){{a < b ? a : b, a < b ? b : a}};
}

// The touches of each smaller body, one by one among those that are there.
static void fillTouches(int begin, int end, int worker, void *context) {
    const Sorter *sorter = context;
    wbRigidTouch *touches = sorter->touches;
    (void)worker;
    for (int body = begin; body < end; body++)
        for (int i = sorter->starts[body]; i < sorter->starts[body + 1]; i++) {
            const wbRigidTouch touch = makeTouch(sorter->rigid, &sorter->pairs[2 * sorter->order[i]]);
            int k = i;
            for (; k > sorter->starts[body] && isBefore(touch, touches[k - 1]); k--)
                touches[k] = touches[k - 1];
            touches[k] = touch;
        }
}

static int findMostTouches(const int *starts, int bodyCount) {
    int most = 0;
    for (int body = 0; body < bodyCount; body++)
        if (starts[body + 1] - starts[body] > most) most = starts[body + 1] - starts[body];
    return most;
}

// Of so few per body each finds its place among the others; else they are sorted by the larger body first, then, stably, by the smaller.
enum { fewTouches = 64 };

static bool sortPairs(const wbRigid *rigid, const wbWork *work, const int *pairs, int pairCount,
                      Sorter *sorter) {
    const int bodyCount = rigid->count + rigid->guestCount;
    const size_t size = sizeof(int) * ((size_t)pairCount + 1);
    *sorter = (Sorter){.rigid = rigid,
                       .pairs = pairs,
                       .keys = wbArena_Alloc(work->arena, size),
                       .starts = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)bodyCount + 2)),
                       .order = wbArena_Alloc(work->arena, size),
                       .bySecond = wbArena_Alloc(work->arena, size),
                       .touches = wbArena_Alloc(work->arena, sizeof(wbRigidTouch) * (size_t)pairCount)};
    if (!sorter->keys || !sorter->starts || !sorter->order || !sorter->bySecond || !sorter->touches ||
        !sortByKeys(sorter, work, pairCount, NULL, false, sorter->order))
        return false;
    if (findMostTouches(sorter->starts, bodyCount) > fewTouches) {
        if (!sortByKeys(sorter, work, pairCount, NULL, true, sorter->bySecond) ||
            !sortByKeys(sorter, work, pairCount, sorter->bySecond, false, sorter->order))
            return false;
        for (int i = 0; i < pairCount; i++) sorter->order[i] = sorter->bySecond[sorter->order[i]];
    }
    wbParallelFor(work->pool, bodyCount, WB_BLOCK, fillTouches, sorter);
    return true;
}

static void addTouch(wbArray *list, int *count, wbRigidTouch touch) {
    ((wbRigidTouch *)list->data)[(*count)++] = touch;
}

// What was not told again has ended, unless both sleep, or stand still.
static void missTouch(const wbRigid *rigid, wbRigidEvents *events, wbRigidTouch touch) {
    if (isActive(rigid, touch.bodies[0]) || isActive(rigid, touch.bodies[1]))
        addTouch(&events->ends, &events->endCount, touch);
    else
        addTouch(&events->touches, &events->touchCount, touch);
}

// Walks through both sorted lists at once.
static void compareTouches(const wbRigid *rigid, wbRigidEvents *events, const wbRigidTouch *before,
                           int beforeCount, const wbRigidTouch *touches, int touchCount) {
    int old = 0;
    for (int i = 0; i < touchCount; i++) {
        const wbRigidTouch touch = touches[i];
        if (i > 0 && !isBefore(touches[i - 1], touch)) continue;
        while (old < beforeCount && isBefore(before[old], touch)) missTouch(rigid, events, before[old++]);
        if (old < beforeCount && !isBefore(touch, before[old]))
            old++;
        else
            addTouch(&events->begins, &events->beginCount, touch);
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
        !wbArray_Reserve(work->memory, &events->begins, events->beginCount + pairCount) ||
        !wbArray_Reserve(work->memory, &events->ends, events->endCount + beforeCount) ||
        !sortPairs(rigid, work, pairs, pairCount, &sorter))
        return wbMemoryError(work->memory, "events of %d contacts need", pairCount);
    const wbArray before = events->touches;
    events->touches = events->before, events->before = before;
    events->touchCount = 0;
    compareTouches(rigid, events, before.data, beforeCount, sorter.touches, pairCount);
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
