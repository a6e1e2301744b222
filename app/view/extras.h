// SPDX-License-Identifier: MIT
// What overlays and panels show of a world beside its picture: copied by the simulation's thread while someone wants it.
#pragma once

#include "core/array.h"
#include "wirbel/scene.h"

/// What is asked for; any sum of them.
typedef enum wbWant {
    wb_wantAirMotion = 1, ///< velocities of the air, on every face
    wb_wantLinks = 1 << 1,
    wb_wantContacts = 1 << 2,
    wb_wantJoints = 1 << 3,
    wb_wantSleepers = 1 << 4,
    wb_wantPlaces = 1 << 5, ///< emitters, drains, sources
    wb_wantProbes = 1 << 6,
    wb_wantTransfers = 1 << 7,
    wb_wantDerived = 1 << 8, ///< and methods of solvers
    wb_wantErrors = 1 << 9,  ///< of lengths, and of the air's projection
} wbWant;

enum { WB_EXTRA_NAME = 64 };

/// A constraint of a soft body.
typedef struct wbShownLink {
    wbVec3 from, to; ///< m
    float error;     ///< of its length, over the rest length; 0 without one
} wbShownLink;

typedef struct wbShownJoint {
    wbVec3 from, to;      ///< m, where it holds its bodies
    wbVec3 first, second; ///< m, their centres; the place where it holds the world
    bool isBroken;
} wbShownJoint;

typedef enum wbPlaceKind { wb_placeEmitter, wb_placeDrain, wb_placeSource } wbPlaceKind;
typedef enum wbPlaceShape { wb_placeDisc, wb_placeBox, wb_placeBall, wb_placePoint } wbPlaceShape;

typedef struct wbShownPlace {
    wbPlaceKind kind;
    wbPlaceShape shape;
    bool isOpen;
    char name[WB_EXTRA_NAME];
    wbVec3 position, direction; ///< m; of a disc: its normal; of a velocity: not of length 1
    float radius;               ///< m
    wbVec3 min, max;            ///< m, of a box
} wbShownPlace;

typedef struct wbShownProbe {
    char name[WB_EXTRA_NAME];
    wbProbeKind kind;
    wbVec3 position;   ///< m
    wbVec3 corners[4]; ///< m, of a rectangle or a column's section
    wbProbeValues values;
} wbShownProbe;

/// How a solver works: a parameter that is a choice, and may be another while it runs.
typedef struct wbShownChoice {
    char section[WB_EXTRA_NAME]; ///< of its key
    const wbParam *param;
    char text[32]; ///< its value
} wbShownChoice;

typedef struct wbExtras {
    unsigned wants;    ///< what is in it
    wbArray links;     ///< wbShownLink
    wbArray contacts;  ///< wbBodyContact
    wbArray joints;    ///< wbShownJoint: of rigid bodies, and of soft bodies that they hold
    wbArray ties;      ///< wbAttachment, of one soft body, while the list is made
    wbArray sleepers;  ///< wbVec3, m: centres of bodies
    wbArray places;    ///< wbShownPlace
    wbArray probes;    ///< wbShownProbe
    wbArray transfers; ///< wbTransfer
    wbArray derived;   ///< wbDerived
    wbArray choices;   ///< wbShownChoice
    int linkCount, contactCount, jointCount, sleeperCount, placeCount, probeCount, transferCount,
        derivedCount, choiceCount;
    double lengthError; ///< of soft bodies; NAN without any
    double cycles;      ///< of the air's last projection; NAN without air
} wbExtras;

wbStatus wbExtras_Fill(wbExtras *extras, wbWorld *world, unsigned wants);
void wbExtras_Free(wbExtras *extras);
