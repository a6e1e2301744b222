// SPDX-License-Identifier: MIT
#include "app/view/films.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/view/ui.h"
#include "core/memory.h"
#include "core/status.h"

static void freeFilm(wbFilm *film) {
    wbFree(NULL, film->pixels, film->bytes);
    *film = (wbFilm){0};
}

static void end(wbViewer *viewer) {
    wbFilm *film = &viewer->film;
    wbSim_EndFilm(viewer->sim);
    wbStatus status = wbVideo_Close(film->video);
    if (wbIsOk(status))
        wbViewer_Note(viewer, "written: %s, %d picture%s", film->path, film->count,
                      film->count == 1 ? "" : "s");
    else
        wbViewer_Note(viewer, "%s", status.text);
    freeFilm(film);
}

// NAME-film.mp4, or the next number that is free.
static void chooseName(const wbViewer *viewer, char path[WB_SIM_TEXT]) {
    snprintf(path, WB_SIM_TEXT, "%s-film.mp4", viewer->state.name);
    for (int i = 1; access(path, F_OK) == 0; i++)
        snprintf(path, WB_SIM_TEXT, "%s-film-%d.mp4", viewer->state.name, i);
}

static wbStatus begin(wbViewer *viewer) {
    wbFilm *film = &viewer->film;
    const wbOutputParams *output = &viewer->still->scene.output;
    *film = (wbFilm){.size = output->size, .fps = (double)output->fps};
    chooseName(viewer, film->path);
    film->bytes = 3 * (size_t)film->size.width * (size_t)film->size.height;
    film->pixels = wbAlloc(NULL, film->bytes);
    if (!film->pixels) return wbMemoryError(NULL, "pictures of a film need");
    wbStatus status = wbVideo_Open(film->path, film->size.width, film->size.height, film->fps, &film->video);
    if (!wbIsOk(status)) freeFilm(film);
    return status;
}

void wbViewer_ToggleFilm(wbViewer *viewer) {
    wbFilm *film = &viewer->film;
    if (film->video) {
        end(viewer);
        return;
    }
    if (!viewer->still) return;
    wbStatus status = begin(viewer);
    if (!wbIsOk(status)) {
        wbViewer_Note(viewer, "%s", status.text);
        return;
    }
    wbSim_StartFilm(viewer->sim, film->fps);
    viewer->state.isFilming = true; // until the next look at the simulation
    wbRemote_Tell(&viewer->remote, "event film %s", film->path);
}

static wbStatus take(wbViewer *viewer) {
    wbFilm *film = &viewer->film;
    const wbSize shown = viewer->pictureSize;
    WB_TRY(wbRenderer_Resize(viewer->renderer, film->size.width, film->size.height));
    wbStatus status =
        wbViewer_DrawPicture(viewer, WB_LEVELS - 1, (float)film->size.width / (float)film->size.height);
    if (wbIsOk(status)) status = wbRenderer_ReadPixels(viewer->renderer, film->pixels);
    WB_TRY(wbRenderer_Resize(viewer->renderer, shown.width, shown.height));
    WB_TRY(status);
    for (int i = 0; i < viewer->state.filmDue; i++, film->count++)
        WB_TRY(wbVideo_AddFrame(film->video, film->pixels));
    film->seconds = film->count / film->fps;
    return wb_okStatus;
}

wbStatus wbTakeFilmPictures(wbViewer *viewer) {
    const wbSimState *state = &viewer->state;
    if (!viewer->film.video) return wb_okStatus;
    if (!state->isFilming) end(viewer); // another world, or another time
    if (!state->isFilming || state->filmDue == 0 || !viewer->still || viewer->still->step != state->filmStep)
        return wb_okStatus;
    wbStatus status = take(viewer);
    viewer->isPictureDue = true;
    if (!wbIsOk(status)) {
        wbVideo_Abort(viewer->film.video);
        freeFilm(&viewer->film);
        wbSim_EndFilm(viewer->sim);
        wbViewer_Note(viewer, "the film ends: %s", status.text);
        return wb_okStatus;
    }
    wbSim_NextPicture(viewer->sim);
    viewer->panelFrames = 3;
    wbRemote_Tell(&viewer->remote, "event filmed %d step %lld", viewer->film.count,
                  (long long)state->filmStep);
    return wb_okStatus;
}

void wbCloseFilm(wbViewer *viewer) {
    if (viewer->film.video) end(viewer);
}

void wbShowFilm(const wbViewer *viewer) {
    static const uint8_t red[4] = {235, 45, 45, 255};
    const wbLayout *l = &viewer->layout;
    const wbFilm *film = &viewer->film;
    char text[96];
    if (!film->video) return;
    snprintf(text, sizeof text, "%.2f s   %d picture%s", film->seconds, film->count,
             film->count == 1 ? "" : "s");
    const float y = l->y + (l->besideX > 0 ? 40 : 12); // below the name of one of two worlds
    wbUi_Note(text, l->x + 36, y);
    wbUi_Disc(l->x + 22, y + 12, 8, red, true);
}
