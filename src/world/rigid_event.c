// SPDX-License-Identifier: MIT
// What programs are told of contacts, by ids.
#include "core/status.h"
#include "world/rigid.h"

// Of a number that bodies, and guests from `firstGuest` on, have.
static void nameOther(const wbWorld *world, int number, int firstGuest, wbRigidBodyId *body,
                      wbColliderId *collider) {
    const int guest = number - firstGuest;
    if (number < world->rigidBodyIds.indexCount)
        *body = wbWorld_GetRigidBody(world, number);
    else if (guest >= 0 && guest < world->colliderIds.indexCount)
        *collider = wbWorld_GetCollider(world, guest);
}

static wbRigidEvent makeTouch(const wbWorld *world, wbRigidEventKind kind, const wbRigidTouch *touch) {
    wbRigidEvent event = {.kind = kind, .first = wbWorld_GetRigidBody(world, touch->bodies[0])};
    nameOther(world, touch->bodies[1], WB_FIRST_GUEST, &event.second, &event.collider);
    return event;
}

static wbRigidEvent makeHit(const wbWorld *world, const wbRigidHit *hit) {
    wbRigidEvent event = {.kind = wb_rigidHit,
                          .first = wbWorld_GetRigidBody(world, hit->bodies[0]),
                          .point = hit->point,
                          .normal = hit->normal,
                          .speed = hit->speed,
                          .impulse = hit->impulse};
    nameOther(world, hit->bodies[1], WB_FIRST_GUEST, &event.second, &event.collider);
    return event;
}

wbStatus wbWorld_GetRigidEvents(wbWorld *world, const wbRigidEvent **events, int *count) {
    WB_REQUIRE(world);
    WB_REQUIRE(events);
    WB_REQUIRE(count);
    *events = NULL, *count = 0;
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    if (!bodies) return wb_okStatus;
    WB_TRY(wbPullState(world));
    const wbRigidEvents *from = &bodies->rigid.events;
    const int all = from->beginCount + from->endCount + from->hitCount;
    if (!wbArray_Reserve(world->memory, &bodies->events, all))
        return wbMemoryError(world->memory, "%d events need", all);
    wbRigidEvent *list = bodies->events.data;
    for (int i = 0; i < from->beginCount; i++)
        list[(*count)++] = makeTouch(world, wb_rigidBegin, (const wbRigidTouch *)from->begins.data + i);
    for (int i = 0; i < from->endCount; i++)
        list[(*count)++] = makeTouch(world, wb_rigidEnd, (const wbRigidTouch *)from->ends.data + i);
    for (int i = 0; i < from->hitCount; i++)
        list[(*count)++] = makeHit(world, (const wbRigidHit *)from->hits.data + i);
    *events = list;
    return wb_okStatus;
}

// The place is where the first body was when the step began, and impulses are those of its last sub-step.
static wbBodyContact makeContact(const wbWorld *world, const wbContact *contact, int point) {
    const wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    const int a = contact->bodies[0];
    const float *p = contact->points[point];
    const float subSteps = rigid->contacts.subStep > 0 ? rigid->previousDt / rigid->contacts.subStep : 1;
    wbBodyContact told = {
        .first = wbWorld_GetRigidBody(world, a),
        .point = {rigid->x[a] + p[0], rigid->y[a] + p[1], rigid->z[a] + p[2]},
        .normal = {contact->normal[0], contact->normal[1], contact->normal[2]},
        .separation = contact->separation[point],
        .impulse = subSteps * p[3],
    };
    nameOther(world, contact->bodies[1], WB_CONTACT_GUEST, &told.second, &told.collider);
    return told;
}

wbStatus wbWorld_GetContacts(wbWorld *world, wbBodyContact *contacts, int capacity, int *count) {
    WB_REQUIRE(world);
    WB_REQUIRE(count);
    WB_ASSERT(capacity >= 0 && (contacts || capacity == 0), "there is no room for contacts");
    *count = 0;
    const wbRigidBodies *bodies = wbGetRigidBodies(world);
    if (!bodies) return wb_okStatus;
    WB_TRY(wbPullState(world));
    const wbContact *list = bodies->rigid.contacts.contacts.data;
    for (int i = 0; i < bodies->rigid.contacts.count; i++)
        for (int k = 0; k < WB_MANIFOLD_POINTS; k++) {
            if (list[i].separation[k] >= WB_NO_POINT) continue;
            if (*count < capacity) contacts[*count] = makeContact(world, &list[i], k);
            ++*count;
        }
    return wb_okStatus;
}
