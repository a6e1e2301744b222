// SPDX-License-Identifier: MIT
// How rigid bodies feel the colliders of a world: as guests, each a body that moves as its collider does.
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "rigid/rigid_guest.h"
#include "world/collider.h"
#include "world/rigid.h"

wbRigidPiece wbMakeGuestPiece(const wbCollider *collider, bool isFlat) {
    const wbColliderParams *p = &collider->params;
    const wbRigidPiece box = {.kind = wb_pieceBox, .pose = wb_poseAtOrigin, .size = {0, 0, 0.5f}};
    wbRigidPiece piece = box;
    switch (p->shape) {
    case wb_shapeBox:
        piece.size[0] = 0.5f * p->size.x, piece.size[1] = 0.5f * p->size.y;
        if (!isFlat) piece.size[2] = 0.5f * p->size.z;
        return piece;
    case wb_shapeSphere:
        piece.kind = wb_pieceSphere, piece.size[0] = p->radius;
        return piece;
    case wb_shapeCapsule:
        piece.kind = wb_pieceCapsule, piece.size[0] = p->radius, piece.size[1] = 0.5f * p->height;
        return piece;
    case wb_shapeCylinder:
        if (!isFlat) piece.kind = wb_pieceCylinder;
        piece.size[0] = p->radius, piece.size[1] = 0.5f * p->height;
        return piece;
    default:
        return (wbRigidPiece){.kind = wb_pieceMesh, .pose = wb_poseAtOrigin, .shape = collider->shape};
    }
}

static bool isMoving(const wbMotion *motion) {
    const float *v = motion->velocity, *w = motion->spin;
    return v[0] != 0 || v[1] != 0 || v[2] != 0 || w[0] != 0 || w[1] != 0 || w[2] != 0;
}

// Through the sub-step that is being done, evenly.
static wbRigidBodySetup makeSetup(const wbCollider *collider, const wbRigidPiece *piece) {
    const wbMotion *motion = &collider->motion[1];
    wbRigidBodySetup setup = {.pieces = piece,
                              .pieceCount = 1,
                              .pose = collider->motion[0].pose,
                              .bits = isMoving(motion) ? WB_RIGID_KINEMATIC : 0,
                              .friction = collider->params.friction,
                              .restitution = collider->params.restitution,
                              .category = 0xffffffffu,
                              .mask = 0xffffffffu};
    memcpy(setup.velocity, motion->velocity, sizeof setup.velocity);
    memcpy(setup.spin, motion->spin, sizeof setup.spin);
    if (!collider->params.on) setup.bits |= WB_RIGID_OFF;
    return setup;
}

// Where others are there than before, what rests may not rest on anything, and other pairs are near.
static void noticeColliders(wbWorld *world) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    uint32_t hash = 0;
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        const wbColliderId id = wbWorld_GetCollider(world, i);
        hash = wbHash32(hash ^ id.index1) +
               wbHash32(id.generation ^ (uint32_t)wbGetColliderAt(world, i)->params.on);
    }
    if (hash == bodies->guests) return;
    wbRigid_WakeAll(&bodies->rigid);
    wbForgetPairs(bodies);
    bodies->guests = hash;
}

wbStatus wbInviteColliders(wbWorld *world) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    const int count = world->colliderIds.indexCount;
    const bool isFlat = world->params.dimensions == 2;
    noticeColliders(world);
    if (count == 0) return wb_okStatus;
    wbRigidPiece *pieces = wbArena_Alloc(world->work.arena, sizeof *pieces * (size_t)count);
    wbRigidBodySetup *setups = wbArena_Alloc(world->work.arena, sizeof *setups * (size_t)count);
    if (!pieces || !setups)
        return wbMemoryError(world->memory, "%d colliders among rigid bodies need", count);
    for (int i = 0; i < count; i++) {
        pieces[i] = wbMakeGuestPiece(wbGetColliderAt(world, i), isFlat);
        setups[i] = makeSetup(wbGetColliderAt(world, i), &pieces[i]);
    }
    return wbRigid_AddGuests(&bodies->rigid, world->memory, &bodies->model, setups, count);
}

// The number that contacts have of a guest when another is gone; -1: it is the one.
static int renumber(int number, int gone) {
    if (number < WB_CONTACT_GUEST || number - WB_CONTACT_GUEST < gone) return number;
    return number - WB_CONTACT_GUEST == gone ? -1 : number - 1;
}

void wbForgetCollider(wbWorld *world, int index) {
    wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    wbContact *contacts = rigid->contacts.contacts.data;
    int kept = 0;
    for (int i = 0; i < rigid->contacts.count; i++) {
        int *other = &contacts[i].bodies[1];
        if (!(*other & WB_CONTACT_SIDE)) *other = renumber(*other, index);
        if (*other >= 0) contacts[kept++] = contacts[i];
    }
    rigid->contacts.count = kept;
    wbRigidEvents_Renumber(&rigid->events, WB_FIRST_GUEST + index);
}
