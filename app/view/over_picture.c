// SPDX-License-Identifier: MIT
// What is drawn over the picture without drawing it anew, since a cursor moves faster than pictures are made: handles, the line from
// what is held to the cursor, pins, what is selected, and what the cursor is on.
#include <stdio.h>
#include <string.h>

#include "app/view/geometry.h"
#include "app/view/ui.h"
#include "app/view/viewer.h"

enum { HANDLE_PIXELS = 12, THIN_PIXELS = 5 };

static const uint8_t white[4] = {250, 252, 255, 230}, orange[4] = {255, 180, 70, 255},
                     faint[4] = {250, 252, 255, 110}, shade[4] = {10, 14, 20, 150},
                     green[4] = {110, 220, 130, 255}, red[4] = {235, 100, 90, 255},
                     blue[4] = {130, 195, 255, 240};

static void drawLine(const wbViewer *viewer, wbVec3 from, wbVec3 to, float width, const uint8_t *colour) {
    float x0, y0, x1, y1;
    if (wbViewer_Project(viewer, from, &x0, &y0) && wbViewer_Project(viewer, to, &x1, &y1))
        wbUi_Line(x0, y0, x1, y1, width, colour);
}

static void drawDisc(const wbViewer *viewer, wbVec3 at, float radius, const uint8_t *colour, bool isFull) {
    float x, y;
    if (wbViewer_Project(viewer, at, &x, &y)) wbUi_Disc(x, y, radius, colour, isFull);
}

// Pixels that a length has at a place.
static float getPixels(const wbViewer *viewer, wbVec3 at, float length) {
    const wbVec3 back = wbSub(viewer->shownCamera.position, viewer->shownCamera.target);
    const float depth = wbDot(wbSub(viewer->shownCamera.position, at), back) / fmaxf(wbLength(back), 1e-20f);
    const float tangent = tanf(0.5f * viewer->shownCamera.fov * 3.14159265f / 180);
    return depth > 0 ? 0.5f * viewer->layout.freeHeight * length / (tangent * depth) : 0;
}

static void drawHandle(const wbViewer *viewer, const wbHandle *handle, bool isLit) {
    const uint8_t *colour = isLit ? orange : handle->kind == wb_handleSide ? blue : white;
    float x, y;
    if (!wbViewer_Project(viewer, handle->at, &x, &y)) return;
    if (handle->kind == wb_handleGate || handle->kind == wb_handleLock)
        drawLine(viewer, handle->at, wbAdd(handle->at, wbScale(0.5f, handle->way)), 2, colour);
    if (handle->kind == wb_handleWheel)
        drawLine(viewer, handle->pivot, handle->at, 1.5f, isLit ? orange : faint);
    if (handle->kind == wb_handleValve)
        drawLine(viewer, handle->at, wbAdd(handle->at, handle->way), 2, colour);
    if (handle->kind == wb_handleSide || handle->kind == wb_handleSlice) {
        const float reach = 0.06f * wbGetSceneSize(viewer->still);
        drawLine(viewer, wbSub(handle->at, wbScale(reach, handle->way)),
                 wbAdd(handle->at, wbScale(reach, handle->way)), 2, colour);
    }
    const bool isFull = handle->kind != wb_handleValve || handle->isOpen;
    wbUi_Disc(x, y, isLit ? 8.0f : 6.5f, shade, true);
    wbUi_Disc(x, y, isLit ? 6.5f : 5.0f,
              handle->kind == wb_handleValve ? (handle->isOpen ? green : red) : colour, isFull);
}

static void drawHandles(wbViewer *viewer) {
    const wbHandle *handles = viewer->still->objects.handles.data;
    for (int i = 0; i < viewer->still->objects.handleCount; i++) {
        const bool isSide = handles[i].kind == wb_handleSide;
        if (viewer->handles == wb_handlesNone || (isSide && viewer->handles != wb_handlesAll)) continue;
        drawHandle(viewer, &handles[i], i == viewer->hovered);
    }
}

static void drawHand(const wbViewer *viewer) {
    const wbHand *hand = &viewer->hand;
    const wbSeenGrab *grab = wbObjects_FindGrab(&viewer->still->objects, hand->grab);
    const bool isThere = grab && grab->isThere;
    if (hand->mode == wb_handHolding) {
        const wbVec3 from = isThere ? grab->point : hand->plane;
        drawLine(viewer, from, hand->target, 2, orange);
        drawDisc(viewer, from, 4, orange, true);
        drawDisc(viewer, hand->target, 5, orange, false);
    }
    if (hand->mode == wb_handPushing) {
        const wbVec3 ball = isThere ? grab->point : hand->target;
        drawDisc(viewer, ball, getPixels(viewer, ball, wbHand_GetRadius(viewer)), orange, false);
        drawLine(viewer, ball, hand->target, 1.5f, orange);
    }
}

// Of all grabs but that of the hand: those of the scene, and what was left hanging.
static void drawGrabs(const wbViewer *viewer) {
    const wbSeenGrab *grabs = viewer->still->objects.grabs.data;
    for (int i = 0; i < viewer->still->objects.grabCount; i++) {
        const bool isHands =
            viewer->hand.mode != wb_handFree && strcmp(grabs[i].name, viewer->hand.grab) == 0;
        if (!grabs[i].isThere || isHands || !grabs[i].of[0]) continue;
        drawLine(viewer, grabs[i].point, grabs[i].target, 1.5f, white);
        drawDisc(viewer, grabs[i].target, 4, white, true);
    }
}

static void drawPins(const wbViewer *viewer) {
    const wbSeenPin *pins = viewer->still->objects.pins.data;
    for (int i = 0; i < viewer->still->objects.pinCount; i++) {
        const wbSelection pinned = {{wb_ownerSoftBody, pins[i].softBody}, pins[i].particle, 0};
        wbLook look;
        if (wbSelection_Look(&pinned, viewer->still, &look)) drawDisc(viewer, look.position, 3, white, true);
    }
}

static void drawNeighbours(wbViewer *viewer, const wbLook *look) {
    wbArray *room = &viewer->neighbours;
    room->elementSize = sizeof(wbVec3);
    if (!wbArray_Reserve(NULL, room, look->neighbourCount)) return; // their number stands in the panel
    const wbVec3 *points = room->data;
    wbFindNeighbours(viewer->still, look, room->data, look->neighbourCount);
    for (int i = 0; i < look->neighbourCount; i++) drawLine(viewer, look->position, points[i], 1, faint);
}

static void drawSelection(wbViewer *viewer) {
    wbLook look;
    if (viewer->selection.owner.kind == wb_ownerNone ||
        !wbSelection_Look(&viewer->selection, viewer->still, &look))
        return;
    if (look.owner.kind == wb_ownerFluid) {
        drawNeighbours(viewer, &look);
        drawDisc(viewer, look.position, getPixels(viewer, look.position, look.support), orange, false);
    }
    drawDisc(viewer, look.position, 4, orange, true);
}

// What the cursor is on: a handle always, other things while the world is paused or with Alt.
static void drawHover(wbViewer *viewer) {
    char text[512] = "";
    wbLook look;
    if (!viewer->isCursorFree || viewer->hand.mode != wb_handFree || viewer->dragged >= 0) return;
    if (viewer->hovered >= 0) {
        wbHandle_Describe((const wbHandle *)viewer->still->objects.handles.data + viewer->hovered, text,
                          sizeof text);
    } else if (viewer->state.isPaused || viewer->mods & WB_MOD_ALT) {
        const wbSight sight = wbViewer_GetSight(viewer, viewer->lastX, viewer->lastY, THIN_PIXELS);
        const wbPick pick = wbPickStill(viewer->still, &sight, WB_PICK_ALL);
        const wbSelection seen = wbSelection_Make(&pick);
        if (pick.owner.kind == wb_ownerNone || !wbSelection_Look(&seen, viewer->still, &look)) return;
        wbLook_Describe(&look, text, sizeof text);
        if (look.particle >= 0) drawDisc(viewer, look.position, 5, white, false);
    }
    if (text[0]) wbUi_Tip(text, (float)viewer->lastX, (float)viewer->lastY);
}

void wbShowOverPicture(wbViewer *viewer) {
    const wbSight sight = wbViewer_GetSight(viewer, viewer->lastX, viewer->lastY, HANDLE_PIXELS);
    if (!viewer->still) return;
    const bool isOnHandle = viewer->hand.mode == wb_handOnHandle;
    if (!isOnHandle) viewer->hovered = -1;
    if (viewer->isCursorFree && viewer->hand.mode == wb_handFree && viewer->dragged < 0)
        viewer->hovered = wbViewer_PickHandle(viewer, &sight);
    wbUi_BeginOver(viewer->layout.x, viewer->layout.y, viewer->layout.freeWidth, viewer->layout.freeHeight);
    drawSelection(viewer);
    drawPins(viewer);
    drawGrabs(viewer);
    drawHandles(viewer);
    drawHand(viewer);
    drawHover(viewer);
    wbUi_EndOver();
}
