// SPDX-License-Identifier: MIT
// How many places where a piece touches a mesh become a few manifolds, once for every machine: contacts with about the same normal are one,
// of up to four of them.
#pragma once

#include "rigid/collide_ground_formula.h"

#include "rigid/collide_choose_formula.h"

WB_INLINE RigidVector ground_normal(GROUND_GLOBAL const GroundContact *contact) {
    const RigidVector normal = {contact->normal.x, contact->normal.y, contact->normal.z};
    return normal;
}

/// Puts contact `from` in front of those from `to` on, which keep their order.
WB_INLINE void ground_move_up(GROUND_GLOBAL GroundContact *contacts, int from, int to) {
    const GroundContact kept = contacts[from];
    for (int i = from; i > to; i--) contacts[i] = contacts[i - 1];
    contacts[to] = kept;
}

/// Moves those of one group to the end of those that are done, the deepest of all first; returns where the group ends.
WB_INLINE int ground_gather(GROUND_GLOBAL GroundContact *contacts, int count, int done) {
    const int deepest = done + choose_deepest(contacts + done, count - done);
    const wbVec3 normal = contacts[deepest].normal;
    int end = done + 1;
    ground_move_up(contacts, deepest, done);
    for (int i = end; i < count; i++)
        if (wbDot(contacts[i].normal, normal) >= GROUND_SAME_NORMAL) ground_move_up(contacts, i, end++);
    return end;
}

/// Up to four of a group, at its beginning, no two of them at one place. A ball touches a plane in one.
WB_INLINE int ground_thin_group(GROUND_GLOBAL GroundContact *group, int count, REAL thickness, bool isBall) {
    const REAL near = GROUND_SAME_PLACE * thickness;
    int chosen[CHOOSE_MOST], keptCount = 0;
    GroundContact kept[CHOOSE_MOST];
    if (isBall) return 1;
    const int chosenCount = choose_points(group, count, ground_normal(group), chosen);
    for (int i = 0; i < chosenCount; i++) {
        const GroundContact next = group[chosen[i]];
        bool isThere = false;
        for (int k = 0; k < keptCount; k++) {
            const RigidVector way = rigid_sub(kept[k].place, next.place);
            isThere = isThere || rigid_dot(way, way) <= near * near;
        }
        if (!isThere) kept[keptCount++] = next;
    }
    for (int k = 0; k < keptCount; k++) group[k] = kept[k];
    return keptCount;
}

/// Makes the next group of those behind the ones that are done, and returns how many it has; those that it does not need are gone.
WB_INLINE int ground_thin(GROUND_GLOBAL GroundContact *contacts, int *count, int done, REAL thickness,
                          bool isBall) {
    const int end = ground_gather(contacts, *count, done),
              kept = ground_thin_group(contacts + done, end - done, thickness, isBall);
    for (int i = end; i < *count && end > done + kept; i++) contacts[i - end + done + kept] = contacts[i];
    *count -= end - done - kept;
    return kept;
}

/// Of a group: tells it from others of the same pieces while the piece stays.
WB_INLINE int ground_key(GROUND_GLOBAL const GroundContact *group, int count) {
    int lowest = group[0].triangle;
    for (int i = 1; i < count; i++)
        if (group[i].triangle < lowest) lowest = group[i].triangle;
    return lowest;
}
