// SPDX-License-Identifier: MIT
// Groups of contacts, and springs that they have. Where lists are used more than once, or contacts remember, they are kept, in the lanes
// of chunks; else each group is evaluated as soon as it is found.
#pragma once

#include "rigid/rigid_search.h"

/// Lists all pairs of particles, and particles with surfaces, that are no farther apart than `margin` m, and carries over how far those
/// are sheared that the memory of contacts holds. `h` s is a sub-step, by which springs are limited.
wbStatus wbRigid_ListContacts(wbRigid *rigid, const wbRigidModel *model, const wbWork *work,
                              const wbDomain *domain, float margin, float h);
/// Whether contacts remember how far they are sheared.
bool wbRigid_Remembers(const wbRigidModel *model);
/// The memory of contacts becomes what touches in the lists.
wbStatus wbRigid_KeepContacts(wbRigid *rigid, const wbRigidModel *model, wbMemory *memory);

/// The rest of a search that has begun: sums of all groups, without a list of contacts.
wbStatus wbRigid_TouchOnce(wbContactSearch *search, const wbWork *work, const wbRigidTouching *once);

/// Sides and planes where they are now; `movers` has room for them.
wbStatus wbRigid_PlacePlanes(wbRigid *rigid, wbMemory *memory, const wbDomain *domain);

void wbRigidParticles_FreeRows(wbMemory *memory, wbRigidParticles *particles);
void wbRigidStore_Free(wbMemory *memory, wbRigidStore *store);

/// Parts that a step is cut into.
int wbRigid_CountSubSteps(const wbRigidModel *model);
/// How springs are made, in sub-steps of h s, and of what: a body, or -1: a side.
RigidRule wbRigid_GetRule(const wbRigidModel *model, float h);
RigidMatter wbRigid_GetMatter(const wbRigid *rigid, const wbRigidModel *model, int body);
/// Springs of two bodies' particles with each other; of one with a surface: second is -1, or a static body.
RigidSprings wbRigid_GetSprings(const wbRigid *rigid, const wbRigidModel *model, int first, int second,
                                float h);
