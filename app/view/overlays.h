// SPDX-License-Identifier: MIT
// What can be drawn over the picture, a switch each: marks made of a still. Pure: it knows no window.
#pragma once

#include "app/view/mark_list.h"
#include "app/view/still.h"
#include "app/view/wires.h"
#include "render/crowd.h"

typedef enum wbOverlayKind {
    wb_overlayArrows,
    wb_overlayAirArrows,
    wb_overlayCells,
    wb_overlayDomain,
    wb_overlayConstraints,
    wb_overlayContacts,
    wb_overlayJoints,
    wb_overlayBounds,
    wb_overlaySleeping,
    wb_overlayWires,
    wb_overlayEmitters,
    wb_overlayDrains,
    wb_overlaySources,
    wb_overlayProbes,
    wb_overlayMerges,
    WB_OVERLAY_COUNT
} wbOverlayKind;

typedef struct wbOverlayRow {
    const char *name;     ///< of orders: "arrows"
    const char *label;    ///< of its switch
    const char *sentence; ///< of its tooltip
    unsigned wants;       ///< of wbWant: what it needs beside what every still has
} wbOverlayRow;

/// By wbOverlayKind.
extern const wbOverlayRow wb_overlays[WB_OVERLAY_COUNT];
/// -1: there is none of that name.
int wbFindOverlay(const char *name);

typedef struct wbOverlays {
    bool isOn[WB_OVERLAY_COUNT];
    int every;        ///< arrows: of every so many-th particle, or cell of the slice; 0: of about 2000 in all
    float errorShown; ///< constraints: error at which colours end
    float heldSpeed;  ///< m/s, that the longest arrows have: slow to fall, so that lengths are steady
    float heldAir;    ///< m/s, likewise
    float heldForce;  ///< N, likewise
    wbMarkList list;
    wbCrowd crowd; ///< of the cells
    bool hasCrowd; ///< it is of the last marks
    wbWires wires;
} wbOverlays;

/// Of wbWant: what the simulation has to copy for those that are on.
unsigned wbOverlays_GetWants(const wbOverlays *overlays);
/// Marks of those that are on. `unit` is the height of the picture at the camera's target, m: forces and names are as large for the eye in
/// every scene.
wbStatus wbOverlays_Make(wbOverlays *overlays, const wbStill *still, float unit);
void wbOverlays_Free(wbOverlays *overlays);

/// @name Parts of it
/// @{
/// Edges of cells with particles, where they border on cells without; by how many are in them.
void wbAddCells(wbMarkList *list, const wbCrowd *crowd);
/// @}
