// SPDX-License-Identifier: MIT
// Forms of rigid bodies: the pieces, the solid and the surface that a shape is made into, once for all bodies that have it.
#pragma once

#include "coupling/drag.h"
#include "coupling/hull_surface.h"
#include "rigid/convex.h"
#include "wirbel/rigid.h"

/// All that a form is made of, in one run of bytes, as files hold it: equal recipes make equal forms.
typedef struct wbRigidRecipe {
    void *bytes;
    size_t size;
    uint64_t hash;
} wbRigidRecipe;

/// wb_errorInput if the def's shape lacks what it needs. To be freed.
wbStatus wbWriteRigidRecipe(wbMemory *memory, const wbRigidBodyDef *def, int dimensions,
                            wbRigidRecipe *recipe);
void wbFreeRigidRecipe(wbMemory *memory, wbRigidRecipe *recipe);

typedef struct wbRigidForm {
    wbRigidRecipe recipe;
    wbRigidPiece *pieces; ///< in the frame of the body's origin
    int pieceCount, pieceRoom;
    wbMassProperties solid; ///< of density 1 kg/m3; without volume it cannot be dynamic
    wbMesh mesh;            ///< its surface; of a plane: empty
    struct wbShape *shape;  ///< the same, once it was asked for
    float section;          ///< m2, the largest that it shows along an axis of its frame: with `shape`
    wbDragSurface drag;     ///< what the wind blows against, once it was asked for
    wbHullSurface hull;     ///< how thin its walls are, once there were liquids
    int owners;             ///< bodies; 0: the form is gone
} wbRigidForm;

/// The recipe, of a def or of a file that may say anything, is copied.
wbStatus wbMakeRigidForm(wbMemory *memory, const wbRigidRecipe *recipe, wbRigidForm *form);
void wbFreeRigidForm(wbMemory *memory, wbRigidForm *form);

/// Adds the surface of a piece to a mesh that grows.
struct MeshMaker;
wbStatus wbDrawRigidPiece(const wbRigidPiece *piece, struct MeshMaker *maker);
