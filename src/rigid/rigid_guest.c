// SPDX-License-Identifier: MIT
#include "rigid/rigid_guest.h"

#include "core/status.h"
#include "rigid/rigid.h"
#include "shape/shape.h"

static wbStatus add(wbRigid *rigid, wbMemory *memory, const wbRigidModel *model,
                    const wbRigidBodySetup *setups, int count) {
    wbPose frame;
    for (int i = 0; i < count; i++) WB_TRY(wbRigid_AddBody(rigid, memory, model, &setups[i], &frame));
    return wb_okStatus;
}

wbStatus wbRigid_AddGuests(wbRigid *rigid, wbMemory *memory, const wbRigidModel *model,
                           const wbRigidBodySetup *setups, int count) {
    const int bodies = rigid->count, isStale = rigid->contacts.isStale;
    wbStatus status = add(rigid, memory, model, setups, count);
    rigid->guestCount = rigid->count - bodies;
    rigid->count = bodies;
    rigid->contacts.isStale = isStale; // they come in every step
    if (!wbIsOk(status)) wbRigid_DropGuests(rigid);
    return status;
}

void wbRigid_DropGuests(wbRigid *rigid) {
    if (rigid->guestCount == 0) return;
    const wbRigidPiece *pieces = rigid->pieces.data;
    const int first = rigid->firstPiece[rigid->count];
    for (int i = first; i < rigid->totalPieces; i++) {
        wbDestroyHull(pieces[i].hull);
        wbDestroyShape(pieces[i].shape);
    }
    rigid->totalPieces = first, rigid->guestCount = 0;
}
