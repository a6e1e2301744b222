// SPDX-License-Identifier: MIT
// What programs are told of contacts: which bodies began and ended to touch in a step, which hit each other, and how they touch now.
#pragma once

#include "core/array.h"
#include "core/work.h"
#include "wirbel/math.h"

struct wbContact;
struct wbRigid;

enum { WB_FIRST_GUEST = 1 << 30 };

/// Two bodies that touch, the first with the smaller number; guests of the step have numbers from WB_FIRST_GUEST on.
typedef struct wbRigidTouch {
    int bodies[2];
} wbRigidTouch;

/// Two bodies, or a body and a guest, that met at rigid.hitSpeed or faster.
typedef struct wbRigidHit {
    int bodies[2];
    wbVec3 point, normal; ///< m; of length 1, from the first to the second
    float speed;          ///< m/s, of approach
    float impulse;        ///< N s, along the normal: by how much it changed that
} wbRigidHit;

/// A point at which a body touches another, or a side of the domain (-1).
typedef struct wbRigidContactPoint {
    int bodies[2];
    wbVec3 point, normal; ///< m; of length 1, from the first to the second
    float separation;     ///< m, negative where they overlap
    float impulse;        ///< N s, along the normal, in the last sub-step
    wbVec3 friction;      ///< N s, on the second, likewise
} wbRigidContactPoint;

/// Lists are sorted by both bodies.
typedef struct wbRigidEvents {
    wbArray touches;      ///< wbRigidTouch: now
    wbArray before;       ///< the same, in the step before; scratch
    wbArray begins, ends; ///< wbRigidTouch: what changed in the last step
    wbArray hits;         ///< wbRigidHit: of the last step, in the order of contacts
    int touchCount, beginCount, endCount, hitCount;
    bool isContinued; ///< the next step is a part of the one before: what it tells is added
} wbRigidEvents;

void wbRigidEvents_Init(wbRigidEvents *events);
void wbRigidEvents_Free(wbMemory *memory, wbRigidEvents *events);

/// Of `touchCount` rows: what the next step compares with.
wbColumn wbRigidEvents_GetColumn(wbRigidEvents *events);
/// After a body, or a guest by its number here, is gone: what it touched is forgotten without an event, and those behind it have moved up.
void wbRigidEvents_Renumber(wbRigidEvents *events, int gone);

/// Where a body, or all (-1), touches others: how many points that are, of which up to `capacity` are written.
int wbRigid_GetContacts(const struct wbRigid *rigid, int body, int capacity, wbRigidContactPoint *points);

// In the order of a step:

/// Nothing has happened yet.
void wbRigidEvents_Clear(wbRigidEvents *events);
/// Finds what began and ended, from the pairs of bodies that touch now: those of sensors, too, in any order, several times if they like.
/// Pairs of which neither is awake may be left out: they go on.
wbStatus wbFindTouches(struct wbRigid *rigid, const wbWork *work, const int *pairs, int pairCount);
/// Whether two bodies that approached each other at `least` m/s or faster met in the step of dt seconds that ends.
bool wbRigid_FindHit(const struct wbRigid *rigid, const struct wbContact *contact, float least, float dt,
                     wbRigidHit *hit);
wbStatus wbRigidEvents_AddHit(wbRigidEvents *events, wbMemory *memory, const wbRigidHit *hit);
