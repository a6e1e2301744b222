// SPDX-License-Identifier: MIT
// wirbel-view [SCENE]: a window with a live simulation.
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/find_scene.h"
#include "app/interrupt.h"
#include "app/open_scene.h"
#include "app/view/files.h"
#include "app/view/films.h"
#include "app/view/flags.h"
#include "app/view/pictures.h"
#include "app/view/ui.h"
#include "app/view/viewer.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"

void wbViewer_Note(wbViewer *viewer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(viewer->note, sizeof viewer->note, format, arguments);
    va_end(arguments);
    viewer->noteUntil = wbGetSeconds() + 4;
    viewer->panelFrames = 3;
    wbRemote_Tell(&viewer->remote, "event note %s", viewer->note);
}

void wbViewer_Set(wbViewer *viewer, const char *key, const char *before, const char *value) {
    if (before[0]) wbEdits_Add(&viewer->edits, key, before, value); // else nobody knows what to go back to
    wbSim_Put(viewer->sim, key, value);
    wbRemote_Tell(&viewer->remote, "event set %s %s", key, value);
    snprintf(viewer->lastSet, sizeof viewer->lastSet, "%s", key);
    viewer->lastSetStep = viewer->still ? viewer->still->step : 0;
}

static void showPanels(wbViewer *viewer) {
    wbUi_BeginFrame();
    wbShowOverPicture(viewer);
    wbShowTopBar(viewer);
    wbShowParams(viewer);
    wbShowStatistics(viewer);
    wbShowTimeBar(viewer);
    wbShowPopups(viewer);
    wbUi_EndFrame();
}

static void tellLayout(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    wbRemote_Tell(&viewer->remote, "event window %g x %g picture %g x %g at %g %g", (double)l->width,
                  (double)l->height, (double)l->freeWidth, (double)l->freeHeight, (double)l->x, (double)l->y);
}

static void countFrame(wbFrameRate *rate) {
    const double now = wbGetSeconds(), passed = now - rate->since;
    rate->frames++;
    if (passed < 0.5) return;
    // after a rest there is nothing to count from
    if (passed < 2) rate->perSecond = rate->frames / passed;
    rate->since = now, rate->frames = 0;
}

static wbStatus showFrame(wbViewer *viewer) {
    const wbLayout before = viewer->layout;
    viewer->layout = wbMakeLayout(viewer);
    if (memcmp(&before, &viewer->layout, sizeof before) != 0) tellLayout(viewer);
    WB_TRY(wbViewer_UpdatePicture(viewer));
    wbRenderer_Present(viewer->renderer, 0, viewer->place);
    if (viewer->layout.besideX > 0 && viewer->beside.renderer)
        wbRenderer_Present(viewer->beside.renderer, 0, viewer->beside.place);
    showPanels(viewer);
    WB_TRY(wbWritePending(viewer));
    wbWindow_Show(viewer->window);
    countFrame(&viewer->rate);
    if (viewer->panelFrames > 0) viewer->panelFrames--;
    if (viewer->panelTurns > 0) viewer->panelTurns--;
    if (viewer->state.isLoading) return wb_okStatus; // there is nothing to count yet
    viewer->frame++;
    wbRemote_Tell(&viewer->remote, "frame %d step %lld time %.17g", viewer->frame,
                  (long long)(viewer->still ? viewer->still->step : 0),
                  viewer->still ? viewer->still->time : 0.0);
    return wb_okStatus;
}

static void tellRefusals(wbViewer *viewer) {
    if (viewer->knownRefusals == viewer->state.refusedCount) return;
    viewer->knownRefusals = viewer->state.refusedCount;
    viewer->panelFrames = 3;
    viewer->refusedUntil = wbGetSeconds() + 10;
    wbRemote_Tell(&viewer->remote, "event refused %s", viewer->state.refused);
}

static void tellNotes(wbViewer *viewer) {
    const int count = viewer->state.noteCount;
    int next = viewer->knownNotes;
    for (next = next < count - WB_SIM_NOTES ? count - WB_SIM_NOTES : next; next < count; next++)
        wbViewer_Note(viewer, "%s", viewer->state.notes[next % WB_SIM_NOTES]);
    viewer->knownNotes = count;
}

static void tellComparison(wbViewer *viewer) {
    if (viewer->knownComparisons == viewer->state.comparisonCount) return;
    viewer->knownComparisons = viewer->state.comparisonCount;
    viewer->panelFrames = 3;
    for (const char *line = viewer->state.comparison; *line;
         line += strcspn(line, "\n"), line += *line == '\n')
        wbRemote_Tell(&viewer->remote, "event compared %.*s", (int)strcspn(line, "\n"), line);
}

static void tellMessage(wbViewer *viewer) {
    if (strcmp(viewer->message, viewer->state.message) == 0) return;
    snprintf(viewer->message, sizeof viewer->message, "%s", viewer->state.message);
    viewer->panelFrames = 3;
    if (viewer->message[0]) wbRemote_Tell(&viewer->remote, "event message %s", viewer->message);
}

static void addToPlots(wbViewer *viewer) {
    wbStatus status = wbPlots_Add(&viewer->plots, viewer->still, viewer->state.gotSpeed);
    if (!wbIsOk(status)) wbViewer_Note(viewer, "%s", status.text);
}

// What came from the simulation since the last frame.
static void takeStill(wbViewer *viewer, int lockstep) {
    bool isNew;
    wbViewer_UpdateWants(viewer);
    if (lockstep == 0 && viewer->state.isLockstep) lockstep = 1; // there is too much to copy
    if (lockstep > 0) wbSim_Advance(viewer->sim, lockstep);
    viewer->still = wbSim_Take(viewer->sim, &isNew);
    viewer->state = wbSim_GetState(viewer->sim);
    wbBeside_Take(viewer);
    if (isNew) viewer->isPictureDue = true, viewer->lastStill = wbGetSeconds();
    if (isNew && viewer->still) addToPlots(viewer);
    tellRefusals(viewer);
    tellMessage(viewer);
    tellNotes(viewer);
    tellComparison(viewer);
    wbWatchFiles(viewer);
    wbUpdateScenes(viewer);
}

static bool isFrameDue(const wbViewer *viewer, int lockstep) {
    return viewer->isPictureDue || viewer->panelFrames > 0 || viewer->state.filmDue > 0 ||
           viewer->state.isLoading || viewer->state.busy[0] || lockstep > 0 ||
           wbGetSeconds() < fmax(viewer->noteUntil, viewer->refusedUntil) ||
           (wbViewer_IsResting(viewer) && viewer->drawnLevel < WB_LEVELS - 1);
}

static wbStatus runLoop(wbViewer *viewer, const wbOptions *options) {
    const double shortest = options->lockstep > 0 ? 0 : 1.0 / 60;
    double next = 0;
    wbSize pixels = wbWindow_GetPixels(viewer->window);
    while (!viewer->isClosing && !wbWindow_IsClosed(viewer->window) && !wb_interrupted) {
        const double now = wbGetSeconds();
        const bool isHidden = pixels.width < 1 || pixels.height < 1;
        const bool rests = isHidden || !isFrameDue(viewer, options->lockstep);
        // while it runs, stills come without an event: they are looked for once in a frame
        const double idle = isHidden || (viewer->state.isPaused && !viewer->remote.hasInput) ? 0.1 : 0.01;
        wbWindow_Poll(viewer->window, rests ? idle : fmax(0, next - now));
        wbViewer_TakeInputs(viewer);
        wbViewer_TakeOrders(viewer);
        takeStill(viewer, options->lockstep);
        WB_TRY(wbTakeFilmPictures(viewer)); // also while the window is an icon
        pixels = wbWindow_GetPixels(viewer->window);
        const wbSize size = wbWindow_GetSize(viewer->window);
        if (size.width != (int)viewer->layout.width || size.height != (int)viewer->layout.height)
            viewer->panelFrames = 3;
        if (pixels.width < 1 || pixels.height < 1 || wbGetSeconds() < next ||
            !isFrameDue(viewer, options->lockstep))
            continue;
        next = wbGetSeconds() + shortest;
        WB_TRY(showFrame(viewer));
        if (options->frames >= 0 && viewer->frame >= options->frames) viewer->isClosing = true;
    }
    return wb_okStatus;
}

static bool readQuality(const wbOptions *options, wbPictureQuality *quality) {
    const char *text = options->quality ? options->quality : "auto";
    const bool isAuto = strcmp(text, "auto") == 0;
    if (!isAuto && (strlen(text) != 1 || text[0] < '0' || text[0] > '3')) {
        wbComplain("--quality is \"%s\", allowed is 0 to 3, or auto", text);
        return false;
    }
    wbPictureQuality_Choose(quality, isAuto, isAuto ? 1 : text[0] - '0');
    return true;
}

static bool readSize(const wbOptions *options, wbSize *size) {
    char end;
    *size = (wbSize){1280, 720};
    if (!options->size) return true;
    if (sscanf(options->size, "%dx%d%c", &size->width, &size->height, &end) == 2 && size->width >= 16 &&
        size->height >= 16 && size->width <= 8192 && size->height <= 8192)
        return true;
    wbComplain("--size is \"%s\", allowed is WIDTHxHEIGHT such as 1280x720, 16 to 8192 each", options->size);
    return false;
}

// On the CPU pictures and steps share the cores.
static int chooseThreads(const wbRenderer *renderer) {
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const bool isSoftware = strstr(wbRenderer_GetDeviceName(renderer), "llvmpipe") != NULL;
    return isSoftware && cores > 1 ? cores - 1 : 0;
}

static wbStatus openAll(wbViewer *viewer, const wbOptions *options, wbSize size) {
    WB_TRY(wbRemote_Open(&viewer->remote, options->events));
    WB_TRY(wbCreateWindow(size, "Wirbel", &viewer->window));
    wbUi_Open(wbWindow_GetHandle(viewer->window));
    viewer->hasUi = true;
    WB_TRY(wbCreateRendererHere(size.width, size.height, &viewer->renderer));
    viewer->pictureSize = size;
    const bool isSoftware = strstr(wbRenderer_GetDeviceName(viewer->renderer), "llvmpipe") != NULL;
    viewer->quality.goalMs = isSoftware ? 100 : 33;
    wbSimDef def = {.options = options,
                    .threads = chooseThreads(viewer->renderer),
                    .isPaused = options->paused,
                    .isLockstep = options->lockstep > 0,
                    .statsRest = 30,
                    .stillLimit = (size_t)256 << 20,
                    .memory = (size_t)(1e6 * (options->memory >= 0 ? options->memory : 512))};
    WB_TRY(wbCreateSim(&def, &viewer->sim));
    wbOpenFirst(viewer, options);
    if (options->beside.count > 0) wbSim_OpenBeside(viewer->sim, &options->beside);
    return wb_okStatus;
}

// The end of the simulation, once: its recording is written.
static void finish(wbViewer *viewer) {
    int64_t step = 0;
    wbStatus status;
    if (!viewer->sim || !viewer->still || viewer->isFinished) return;
    viewer->isFinished = true;
    const uint64_t hash = wbSim_Finish(viewer->sim, viewer->record, &step, &status);
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    wbRemote_Tell(&viewer->remote, "event end step %lld hash %016llx", (long long)step,
                  (unsigned long long)hash);
}

// Where a display is lost, its library ends the program: what is recorded is written on the way out.
static wbViewer *openViewer;
static void finishAtExit(void) {
    if (openViewer) finish(openViewer);
}

static void closeAll(wbViewer *viewer) {
    wbCloseFilm(viewer);
    wbCloseScenes(viewer);
    wbWatch_Free(&viewer->files.watch);
    wbArray_Free(NULL, &viewer->neighbours);
    finish(viewer);
    openViewer = NULL;
    if (viewer->quality.frameCount > 0)
        wbRemote_Tell(&viewer->remote, "event pictures level %d mean %.2f ms", viewer->quality.level,
                      viewer->quality.meanMs);
    wbDestroySim(viewer->sim);
    wbOverlays_Free(&viewer->overlays);
    wbPlots_Free(&viewer->plots);
    wbArray_Free(NULL, &viewer->watched);
    wbArray_Free(NULL, &viewer->open);
    wbDestroyRenderer(viewer->beside.renderer);
    wbDestroyRenderer(viewer->renderer);
    if (viewer->hasUi) wbUi_Close();
    wbDestroyWindow(viewer->window);
    wbRemote_Close(&viewer->remote);
}

// A scene beside it that cannot be read is refused before a window opens; its name becomes its path.
static bool checkBeside(wbOptions *options) {
    static char path[WB_SCENE_PATH];
    static wbOptions own;
    if (options->beside.count > 0 && options->operandCount == 0) {
        wbComplain("--beside needs a scene that it is beside of");
        return false;
    }
    own = *options;
    own.size = NULL;
    for (int i = 0; i < options->beside.count; i++) {
        const char **item = &options->beside.items[i];
        if (strchr(*item, '=') && own.set.count < WB_MAX_REPEATS) {
            own.set.items[own.set.count++] = *item;
        } else if (wbFindScene(*item, path)) {
            *item = path;
            own.operands = item;
        } else {
            return false;
        }
    }
    if (options->beside.count == 0) return true;
    wbScene *scene = wbOpenScene(&own);
    wbDestroyScene(scene);
    return scene != NULL;
}

static int runViewer(const wbOptions *given) {
    static wbViewer viewer;
    wbSize size;
    static wbOptions all, *options = &all;
    all = *given;
    wbOptions sceneOptions = *options;
    sceneOptions.size = NULL; // of the window, not of the scene's pictures
    viewer = (wbViewer){.showPanels = true,
                        .showStatistics = true,
                        .dragged = -1,
                        .panelFrames = 3,
                        .record = options->record,
                        .hovered = -1,
                        .hand.strength = 30,
                        .overlays.errorShown = 0.05f};
    if (options->keys) {
        wbPrintKeys();
        return WB_EXIT_DONE;
    }
    if (!readSize(options, &size) || !readQuality(options, &viewer.quality) || !wbCheckFiles(&sceneOptions) ||
        !checkBeside(options))
        return WB_EXIT_USAGE;
    wbCatchInterrupts();
    openViewer = &viewer;
    atexit(finishAtExit);
    wbStatus status = openAll(&viewer, options, size);
    if (options->shot) wbAskShotAtEnd(&viewer, options->shot, options->frames);
    if (wbIsOk(status)) status = runLoop(&viewer, options);
    const bool isUnstable = viewer.state.message[0] != 0;
    closeAll(&viewer);
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    if (isUnstable) wbComplain("%s", viewer.state.message);
    if (!wbIsOk(status) || isUnstable) return WB_EXIT_FAILED;
    return wb_interrupted ? WB_EXIT_STOPPED : WB_EXIT_DONE;
}

static void printNotice(wbLogLevel level, const char *message, void *context) {
    (void)level, (void)context;
    wbComplain("%s", message);
}

int main(int count, char **arguments) {
    static wbOptions options;
    static const wbCommand command = {"view", "[SCENE]",    WB_VIEW_SENTENCE,   0,
                                      1,      wb_viewFlags, WB_VIEW_FLAG_COUNT, runViewer};
    wbSetLog(printNotice, NULL);
    wbKeepFreedMemory((size_t)32 << 20);
    if (!wbParseArgs(&command, count - 1, arguments + 1, &options)) return WB_EXIT_USAGE;
    if (options.help) {
        wbPrintCommandHelp(&command);
        return WB_EXIT_DONE;
    }
    return command.run(&options);
}
