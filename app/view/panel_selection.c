// SPDX-License-Identifier: MIT
// What is selected, and how the hand pushes: rows of the panel on the right.
#include <stdio.h>

#include "app/view/geometry.h"
#include "app/view/ui.h"
#include "app/view/viewer.h"

static void showVector(const char *name, wbVec3 v, const char *unit) {
    wbUi_Pair(name, "%.4g  %.4g  %.4g %s", (double)v.x, (double)v.y, (double)v.z, unit);
}

static void showLook(const wbLook *look) {
    char name[WB_OBJECT_NAME + 16];
    wbSeenObject_Write(look->object, name, sizeof name);
    wbUi_Pair("of", "%s", name);
    if (look->owner.kind == wb_ownerFluid) wbUi_Pair("particle", "%u", look->id);
    if (look->owner.kind == wb_ownerSoftBody) wbUi_Pair("particle", "%d", look->particle);
    if (look->mass > 0) wbUi_Pair("mass", "%.5g kg", (double)look->mass);
    showVector("position", look->position, "m");
    if (look->owner.kind != wb_ownerCollider) {
        showVector("velocity", look->velocity, "m/s");
        wbUi_Pair("speed", "%.5g m/s", (double)wbLength(look->velocity));
    }
    if (look->owner.kind == wb_ownerRigidBody)
        wbUi_Pair("sleeps", "%s", look->object->isAsleep ? "yes" : "no");
    if (look->owner.kind == wb_ownerSoftBody) wbUi_Pair("pinned", "%s", look->isPinned ? "yes" : "no");
    if (look->owner.kind != wb_ownerFluid) return;
    wbUi_Pair("density", "%.6g kg/m³", (double)look->density);
    wbUi_Pair("pressure", "%.5g Pa", (double)look->pressure);
    wbUi_Pair("neighbours", "%d within %.4g m", look->neighbourCount, (double)look->support);
    if (look->radius > 0) {
        wbUi_Pair("radius", "%.4g m", (double)look->radius);
        wbUi_Pair("distance to the surface", "%.4g m: %s", (double)look->distance, wbLook_GetClass(look));
    }
}

static void showPush(wbViewer *viewer) {
    const float size = wbGetSceneSize(viewer->still);
    float radius = wbHand_GetRadius(viewer);
    const wbUiRow radiusRow = {.label = "radius",
                               .tooltip =
                                   "m, of the ball that pushes fluids and air (Shift and left drag; the "
                                   "wheel changes it meanwhile)",
                               .low = 0.005f * size,
                               .high = 0.5f * size,
                               .isLogarithmic = true,
                               .format = "%.3g"};
    const wbUiRow strengthRow = {.label = "strength",
                                 .tooltip = "1/s, rate at which they take on its velocity",
                                 .low = 0.1f,
                                 .high = 1000,
                                 .isLogarithmic = true,
                                 .format = "%.3g"};
    if (wbUi_Slider(&radiusRow, &radius) == wb_uiChanged) viewer->hand.radius = radius;
    wbUi_Slider(&strengthRow, &viewer->hand.strength);
}

void wbShowSelection(wbViewer *viewer) {
    wbLook look;
    const wbStill *s = viewer->still;
    const bool hasFluid = s->scene.viewCount > 0 || s->air.cells[0] > 0;
    if (viewer->selection.owner.kind != wb_ownerNone && wbUi_Section("selection", true, NULL)) {
        if (wbSelection_Look(&viewer->selection, s, &look))
            showLook(&look);
        else
            wbUi_Faint("it is not there any more");
    }
    if (hasFluid && wbUi_Section("pushing", false, "what Shift and a left drag do in fluids and air"))
        showPush(viewer);
}
