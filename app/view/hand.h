// SPDX-License-Identifier: MIT
// The user's hand in the world: it holds things, pushes fluids and air, throws balls, and pulls handles. All of it are commands
// and parameters, so that it is recorded and done again bit for bit.
#pragma once

#include "app/view/pick.h"

typedef struct wbViewer wbViewer;

typedef enum wbHandMode {
    wb_handFree,
    wb_handPressed, ///< on something that can be held: it is taken when the cursor moves, or after a moment
    wb_handHolding,
    wb_handPushing,
    wb_handOnHandle,
} wbHandMode;

typedef struct wbHand {
    wbHandMode mode;
    wbPick pick;           ///< what was pressed on
    wbVec3 own;            ///< m: where, in the frame of a body
    double pressX, pressY; ///< of the cursor
    double pressClock;     ///< s
    bool isStill;          ///< the cursor has hardly moved since: a click
    char grab[32];         ///< name of the world's grab that this hand uses
    wbVec3 plane;          ///< m: a point of the plane that the cursor moves in, parallel to the picture
    wbVec3 target;         ///< m
    bool isTargetNew;      ///< it was not told to the world yet
    wbHandleDrag drag;
    wbRay lastRay;          ///< of a drag on a handle
    float radius, strength; ///< of pushes: m, 1/s; radius 0: by the size of the scene
    int madeGeneration;     ///< of the world that grabs were made in last
    uint64_t made;          ///< bits: grabs that were asked for there, though no still shows them yet
} wbHand;

/// @name The mouse on the picture, in units of the window
/// @{
/// Any button, first of all: what follows is a click unless the cursor moves.
void wbHand_Begin(wbHand *hand, double x, double y);
/// The left button: true if the hand took something, else the camera may have it.
bool wbHand_Press(wbViewer *viewer, double x, double y, int mods);
void wbHand_Move(wbViewer *viewer, double x, double y);
/// Lets go. True if it was a click on something that the hand could have taken.
bool wbHand_Release(wbViewer *viewer);
/// True if it was the hand's: nearer or farther, or the radius of a push.
bool wbHand_TurnWheel(wbViewer *viewer, double notches);
/// What is held stays where it is. True if something is held.
bool wbHand_Pin(wbViewer *viewer);
/// @}

/// Once per frame: takes what was pressed for a moment, tells the world where to.
void wbHand_Update(wbViewer *viewer);
/// Tells the world the last target, also while it is paused: before a step.
void wbHand_Flush(wbViewer *viewer);
/// Ends a drag; nothing is held any more.
void wbHand_LetGo(wbViewer *viewer);
/// A ball from the eye along the cursor.
void wbHand_Throw(wbViewer *viewer);
/// m, of a push now.
float wbHand_GetRadius(const wbViewer *viewer);
/// m: a length by which the scene's things are large.
float wbGetSceneSize(const wbStill *still);
