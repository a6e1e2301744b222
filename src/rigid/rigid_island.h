// SPDX-License-Identifier: MIT
// Sleep: bodies that touch or are joined are an island; one whose bodies have all been slow for a while is not computed until
// something wakes it as a whole. An island asleep touches nothing that moves.
#pragma once

#include "core/saved_value.h"
#include "core/work.h"

struct wbRigid;
struct wbRigidModel;

/// Which bodies are an island asleep is in rings: wbRigid.nextAsleep.
typedef struct wbRigidIslands {
    float gravity[3]; ///< m/s2, in the last step
} wbRigidIslands;

enum { WB_ISLAND_VALUES = 3 };
void wbRigidIslands_ListValues(wbRigidIslands *islands, wbSavedValue values[WB_ISLAND_VALUES]);
/// After a body was removed, which was awake: those behind it have moved up.
void wbRigid_RenumberAsleep(struct wbRigid *rigid, int removedBody);

/// Wakes a body and its island. For whatever programs do to it: to its joints, its place, its material.
void wbRigid_Wake(struct wbRigid *rigid, int body);
void wbRigid_WakeAll(struct wbRigid *rigid);
/// Puts a body to sleep, with all that it is tied to by contacts and joints.
wbStatus wbRigid_Sleep(struct wbRigid *rigid, const wbWork *work, int body);
/// Wakes a body and what touches it, or is joined to it: before it is removed, or becomes another.
void wbRigid_WakeNeighbours(struct wbRigid *rigid, int body);

// In the order of a step:

/// Wakes what forces and velocities push, and all if gravity changed or nothing may sleep. False: nothing is awake, and nothing moves.
bool wbWakePushed(struct wbRigid *rigid, const struct wbRigidModel *model);
/// Wakes what is touched (two bodies per pair) or joined by something awake, or by something that moves: how many awoke. To be called
/// again with the pairs of those.
int wbWakeTouched(struct wbRigid *rigid, const int *pairs, int pairCount);
/// At its end, by the contacts that it keeps: how long bodies have been slow, and who falls asleep.
wbStatus wbFallAsleep(struct wbRigid *rigid, const struct wbRigidModel *model, const wbWork *work, float dt);
