// SPDX-License-Identifier: MIT
// The bar above the picture, the line of time below it, and what stands over it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/view/films.h"
#include "app/view/ui.h"
#include "app/view/viewer.h"
#include "core/timer.h"

enum {
    TOP = 36,
    TOP_OF_TWO = 64,
    BOTTOM = 44,
    LEFT = 320,
    RIGHT = 290,
    NARROW = 720,
    ONE_ROW = 760,
    SHORT_ROW = 620,
    LABELS = 860
};

// In a narrow window the buttons have two rows. One that is low as well has a row without those of reloading as long as they fit.
static bool hasTwoRows(float width, float height) { return width < (height >= 400 ? ONE_ROW : SHORT_ROW); }
static bool hasReload(const wbLayout *l) { return l->width >= ONE_ROW || hasTwoRows(l->width, l->height); }

wbLayout wbMakeLayout(const wbViewer *viewer) {
    const wbSize size = wbWindow_GetSize(viewer->window);
    wbLayout l = {.width = (float)size.width, .height = (float)size.height};
    if (viewer->showPanels && size.width >= 480 && size.height >= 200) {
        l.top = hasTwoRows(l.width, l.height) ? TOP_OF_TWO : TOP, l.bottom = BOTTOM;
        if (size.width >= NARROW) l.left = LEFT;
        if ((viewer->showStatistics || viewer->showOverlays) && size.width >= WB_WIDE) l.right = RIGHT;
    }
    l.x = l.left, l.y = l.top;
    l.freeWidth = fmaxf(1, l.width - l.left - l.right);
    l.freeHeight = fmaxf(1, l.height - l.top - l.bottom);
    if (viewer->beside.still) { // two pictures with a line between them
        l.freeWidth = fmaxf(1, floorf(0.5f * (l.freeWidth - 2)));
        l.besideX = l.x + l.freeWidth + 2;
    }
    return l;
}

static const char *explain(wbAction action, const char *sentence) {
    static char text[160];
    snprintf(text, sizeof text, "%s (%s)", sentence, wbGetKeyName(action));
    return text;
}

static void showSpeed(wbViewer *viewer) {
    static const char *const names[] = {
        "1/64", "1/16", "1/4", "1/2", "1", "2", "4", "8", "as fast as possible"};
    static const double speeds[] = {1.0 / 64, 1.0 / 16, 0.25, 0.5, 1, 2, 4, 8};
    int chosen = 8;
    if (!viewer->state.isFast) {
        chosen = 0;
        for (int i = 1; i < 8; i++)
            if (fabs(log(viewer->state.speed / speeds[i])) < fabs(log(viewer->state.speed / speeds[chosen])))
                chosen = i;
    }
    const char *label = viewer->layout.width < LABELS ? "##speed" : "speed";
    if (wbUi_Combo(label, &chosen, names, 9, 90, "simulated seconds per second (+ and -)"))
        wbSim_SetSpeed(viewer->sim, chosen < 8 ? speeds[chosen] : viewer->state.speed, chosen == 8);
}

static void showQuality(wbViewer *viewer) {
    static const char *const names[] = {"0 points", "1 spheres", "2 half", "3 film", "auto"};
    int chosen = viewer->quality.isAuto ? 4 : viewer->quality.level;
    const char *label = viewer->layout.width < LABELS ? "##quality" : "quality";
    if (wbUi_Combo(label, &chosen, names, 5, 90, explain(wb_actQuality, "how the picture is drawn"))) {
        wbPictureQuality_Choose(&viewer->quality, chosen == 4, chosen == 4 ? 1 : chosen);
        viewer->isPictureDue = true;
    }
}

static void showReload(wbViewer *viewer) {
    if (wbUi_Toggle("Reload", viewer->files.isChanged,
                    explain(wb_actReload, "read the scene's file again; lit when it has changed")))
        wbViewer_Do(viewer, wb_actReload);
    wbUi_SameLine();
    wbUi_Tick("auto", &viewer->files.isAuto,
              explain(wb_actAutoReload, "read the scene's file again whenever it changes"));
    wbUi_SameLine();
}

static void showFiles(wbViewer *viewer) {
    if (hasReload(&viewer->layout)) showReload(viewer);
    if (wbUi_Button("Save", explain(wb_actSave, "write the recording: all that was done so far")))
        wbViewer_Do(viewer, wb_actSave);
    wbUi_SameLine();
    if (wbUi_Toggle("Film", viewer->film.video != NULL, explain(wb_actFilm, "begin or end a film")))
        wbViewer_Do(viewer, wb_actFilm);
}

void wbShowTopBar(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    if (l->top <= 0) return;
    wbUi_BeginPanel("top", 0, 0, l->width, l->top);
    if (wbUi_Button("Scenes", explain(wb_actScenes, "list of scenes"))) wbViewer_Do(viewer, wb_actScenes);
    wbUi_SameLine();
    if (wbUi_Button("Restart", explain(wb_actRestart, "from the beginning")))
        wbViewer_Do(viewer, wb_actRestart);
    wbUi_SameLine();
    if (wbUi_Toggle(viewer->state.isPaused ? "Run" : "Pause", viewer->state.isPaused,
                    explain(wb_actPause, "run or pause")))
        wbViewer_Do(viewer, wb_actPause);
    wbUi_SameLine();
    if (wbUi_Button("Step", explain(wb_actStep, "one step, then pause"))) wbViewer_Do(viewer, wb_actStep);
    wbUi_SameLine();
    showSpeed(viewer);
    wbUi_SameLine();
    showQuality(viewer);
    if (!hasTwoRows(l->width, l->height)) wbUi_SameLine();
    if (wbUi_Toggle("Overlays", viewer->showOverlays, explain(wb_actOverlays, "what the picture shows")))
        wbViewer_Do(viewer, wb_actOverlays);
    wbUi_SameLine();
    if (wbUi_Toggle("Plots", viewer->showPlots, explain(wb_actPlots, "curves over the last frames")))
        wbViewer_Do(viewer, wb_actPlots);
    wbUi_SameLine();
    showFiles(viewer);
    wbUi_SameLine();
    if (wbUi_Button("Keys", explain(wb_actKeys, "all keys"))) wbViewer_Do(viewer, wb_actKeys);
    wbUi_Space(8);
    wbUi_Text("%s", viewer->state.title);
    wbUi_EndPanel();
}

void wbShowTimeBar(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    if (l->bottom <= 0) return;
    wbUi_BeginPanel("bottom", 0, l->height - l->bottom, l->width, l->bottom);
    char label[128] = "";
    const wbStill *s = viewer->still;
    if (s)
        snprintf(label, sizeof label, "%.3f s   step %lld   dt %.3g s", s->time, (long long)s->step,
                 (double)s->dt);
    wbUiMark marks[WB_PART_KINDS * WB_TIME_PARTS];
    int count = 0;
    const wbSimState *state = &viewer->state;
    const double first = state->firstTime, length = fmax(state->furthestTime - first, 1e-9);
    for (int i = 0; i < WB_TIME_PARTS; i++)
        for (int kind = 0; kind < WB_PART_KINDS; kind++)
            if (state->parts[i] >> kind & 1)
                marks[count++] = (wbUiMark){((float)i + 0.5f) / WB_TIME_PARTS, kind};
    const float asked = wbUi_TimeLine(s ? (float)fmin(1, (s->time - first) / length) : 0, marks, count, label,
                                      l->bottom - 14);
    if (asked >= 0 && s && asked != viewer->askedShare)
        wbViewer_SeekTime(viewer, first + (double)asked * length);
    viewer->askedShare = asked;
    wbUi_EndPanel();
}

// Its name, what is being made of it, and since when.
static void showLoading(const wbViewer *viewer, float x, float y) {
    char text[WB_SIM_TEXT + 128];
    const char *slash = strrchr(viewer->state.loading, '/');
    snprintf(text, sizeof text, "loading %s", slash ? slash + 1 : viewer->state.loading);
    wbUi_Banner(text, x, y - 24, viewer->layout.freeWidth - 16);
    snprintf(text, sizeof text, "%s  %.1f s  (Esc stops it)", viewer->state.stage, viewer->state.loadSeconds);
    wbUi_Banner(text, x, y + 24, viewer->layout.freeWidth - 16);
}

static void showOver(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    const float middle = l->x + 0.5f * l->freeWidth;
    char text[WB_SIM_TEXT + 64];
    if (viewer->state.isLoading) {
        showLoading(viewer, middle, l->y + 0.5f * l->freeHeight);
    } else if (viewer->state.isPaused && l->freeHeight > 120) {
        wbUi_Banner("paused", middle, l->y + 34, l->freeWidth - 16);
    }
    if (viewer->state.divergedStep > 0) {
        snprintf(text, sizeof text, "DIVERGED at step %lld", (long long)viewer->state.divergedStep);
        wbUi_Banner(text, middle, l->y + 76, l->freeWidth - 16);
    }
    wbShowFilm(viewer);
    if (viewer->state.busy[0] && viewer->state.busySeconds > 0.2)
        wbUi_Progress(viewer->state.busy, viewer->state.busyShare, middle, l->y + 0.5f * l->freeHeight);
    // below the film's dot; the picture has its own legend and time at the bottom
    float y = l->y + (l->besideX > 0 ? 74 : 46);
    if (viewer->state.message[0]) y += wbUi_Note(viewer->state.message, l->x + 10, y);
    if (wbGetSeconds() < viewer->noteUntil) wbUi_Note(viewer->note, l->x + 10, y);
}

static void showKeys(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    const float width = fminf(520, l->width), height = fminf(660, l->height);
    if (wbUi_BeginPopup("Keys", 0.5f * (l->width - width), 0.5f * (l->height - height), width, height,
                        &viewer->showKeys)) {
        wbUi_Faint("Left drag holds things, and turns the camera beside them; right drag moves it, the wheel "
                   "goes nearer. "
                   "Shift drag pushes water and air. A click selects. Right click on a parameter: default, "
                   "the scene's value, copy. Ctrl click types a number.");
        wbUi_Separator();
        for (int i = 0; i < wb_keyCount; i++)
            if (wb_keys[i].sentence[0]) wbUi_Pair(wb_keys[i].sentence, "%s", wb_keys[i].name);
    }
    wbUi_EndPanel();
}

void wbShowPopups(wbViewer *viewer) {
    showOver(viewer);
    wbBeside_Show(viewer);
    if (viewer->showPlots) wbShowPlots(viewer);
    if (viewer->showOverlays && viewer->layout.right <= 0) wbShowOverlayPopup(viewer);
    if (viewer->showScenes) wbShowScenes(viewer);
    if (viewer->showKeys) showKeys(viewer);
}
