// SPDX-License-Identifier: MIT
// What another program tells the window, a line for each order: docs/viewer.md.
#include <stdio.h>
#include <string.h>

#include "app/view/files.h"
#include "app/view/pictures.h"
#include "app/view/viewer.h"

// Where a point of the world stands in the window.
static void tellPlace(wbViewer *viewer, wbVec3 point) {
    float x, y;
    if (viewer->still && wbViewer_Project(viewer, point, &x, &y))
        wbRemote_Tell(&viewer->remote, "event place %.1f %.1f", (double)x, (double)y);
    else
        wbRemote_Tell(&viewer->remote, "event place nowhere");
}

// Where the corners of the domain are in the picture, for who wants to press there.
static void tellCorners(wbViewer *viewer) {
    if (!viewer->still) return;
    const wbDomainDef *domain = &viewer->still->domain;
    const wbCameraParams *c = &viewer->shownCamera;
    wbRemote_Tell(&viewer->remote, "event picture %d x %d camera %.9g %.9g %.9g to %.9g %.9g %.9g fov %.9g",
                  viewer->pictureSize.width, viewer->pictureSize.height, (double)c->position.x,
                  (double)c->position.y, (double)c->position.z, (double)c->target.x, (double)c->target.y,
                  (double)c->target.z, (double)c->fov);
    for (int i = 0; i < 8; i++) {
        float x, y;
        const wbVec3 corner = {i & 1 ? domain->max.x : domain->min.x, i & 2 ? domain->max.y : domain->min.y,
                               i & 4 ? domain->max.z : domain->min.z};
        if (wbRenderer_Project(viewer->renderer, corner, &x, &y))
            wbRemote_Tell(&viewer->remote, "event corner %.9g %.9g %.9g at %.3f %.3f", (double)corner.x,
                          (double)corner.y, (double)corner.z, (double)x, (double)y);
    }
}

void wbViewer_TakeOrders(wbViewer *viewer) {
    const char *line;
    char key[WB_EDIT_KEY], value[1024];
    wbVec3 point;
    int number;
    double speed;
    while ((line = wbRemote_Next(&viewer->remote)) != NULL) {
        viewer->panelFrames = 3;
        if (sscanf(line, "set %127s %1023[^\n]", key, value) == 2) {
            wbViewer_Set(viewer, key, "", value);
        } else if (sscanf(line, "open %1023[^\n]", value) == 1) {
            wbViewer_OpenFiles(viewer, value, 1);
        } else if (sscanf(line, "mark %127[^\n]", value) == 1) {
            wbSim_Mark(viewer->sim, value);
        } else if (sscanf(line, "shot %511[^\n]", value) == 1) {
            wbAskShot(viewer, value, true);
        } else if (sscanf(line, "overlay %127s %511s", key, value) == 2 && wbFindOverlay(key) >= 0) {
            wbViewer_SwitchOverlay(viewer, wbFindOverlay(key), strcmp(value, "on") == 0);
        } else if (sscanf(line, "project %f ,%f ,%f", &point.x, &point.y, &point.z) == 3) {
            tellPlace(viewer, point);
        } else if (sscanf(line, "threads %d", &number) == 1 && number >= 1 && number <= 256) {
            wbSim_SetThreads(viewer->sim, number);
        } else if (sscanf(line, "speed %lf", &speed) == 1 && speed > 0) {
            wbSim_SetSpeed(viewer->sim, speed, false);
        } else if (strcmp(line, "speed fast") == 0) {
            wbSim_SetSpeed(viewer->sim, viewer->state.speed, true);
        } else if (sscanf(line, "step %d", &number) == 1 && number >= 1) {
            wbSim_Step(viewer->sim, number);
        } else if (sscanf(line, "seek %d", &number) == 1 && number >= 0) {
            wbViewer_Seek(viewer, number);
        } else if (strcmp(line, "corners") == 0) {
            tellCorners(viewer);
        } else if (strcmp(line, "compare") == 0) {
            wbSim_Compare(viewer->sim, WB_COMPARED_STEPS);
        } else if (sscanf(line, "key %127s", key) == 1 && wbFindActionNamed(key) != wb_actNone) {
            wbViewer_Do(viewer, wbFindActionNamed(key));
        } else {
            wbRemote_Tell(&viewer->remote, "event unknown %s", line);
        }
    }
}
