// SPDX-License-Identifier: MIT
// What a user looks at: one particle, body or collider, by what stays the same from still to still. Pure: it knows no window.
#pragma once

#include "app/view/pick.h"

typedef struct wbSelection {
    wbOwner owner; ///< wb_ownerNone: nothing
    int particle;  ///< of a soft body; -1: none
    uint32_t id;   ///< of a fluid's particle
} wbSelection;

/// How it is in a still.
typedef struct wbLook {
    wbOwner owner;
    const wbSeenObject *object;
    int particle; ///< its place in the view; -1: it is a body
    uint32_t id;
    wbVec3 position, velocity; ///< m, m/s
    float mass;                ///< kg
    float density, pressure;   ///< kg/m3, Pa: fluids
    float support;             ///< m, of its kernel: fluids
    float radius, distance;    ///< m, its own and to the surface: of particles that differ in size; else 0
    int neighbourCount;        ///< fluids
    bool isPinned;             ///< soft bodies
} wbLook;

wbSelection wbSelection_Make(const wbPick *pick);
/// False: it is not there any more.
bool wbSelection_Look(const wbSelection *selection, const wbStill *still, wbLook *look);
/// Places of the particles within the kernel of one, at most `capacity`; returns how many there are.
int wbFindNeighbours(const wbStill *still, const wbLook *look, wbVec3 *points, int capacity);
/// Lines of text with all that is known of it.
void wbLook_Describe(const wbLook *look, char *text, int size);
/// Where it stands to the surface, of particles that differ in size: "at the surface", "near it", "inside".
const char *wbLook_GetClass(const wbLook *look);
