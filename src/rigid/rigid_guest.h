// SPDX-License-Identifier: MIT
// Guests: what others move, and bodies feel, for the length of a step. They stand behind the bodies as static or kinematic ones; nothing
// of them is saved or hashed.
#pragma once

#include "core/memory.h"

struct wbRigid;
struct wbRigidModel;
struct wbRigidBodySetup;

/// Before a step, in an order that is the same from step to step. Their setups have no mass, so that their frames are those of their
/// poses. After a failure there are none.
wbStatus wbRigid_AddGuests(struct wbRigid *rigid, wbMemory *memory, const struct wbRigidModel *model,
                           const struct wbRigidBodySetup *setups, int count);
/// After it.
void wbRigid_DropGuests(struct wbRigid *rigid);
