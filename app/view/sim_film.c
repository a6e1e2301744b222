// SPDX-License-Identifier: MIT
// A film of a simulation: the world waits for each picture, one for each part of simulated time, however long it takes to draw.
#include "app/view/sim_internal.h"

bool wbSim_IsFilmed(wbSim *sim) {
    wbLock_Take(sim->lock);
    const bool isFilmed = sim->state.filmDue > 0;
    wbLock_Release(sim->lock);
    return isFilmed;
}

// Sums of float steps miss round times by a little: a thousandth of a step counts as reached. A step that is longer than a picture
// lasts is several of them.
void wbSim_UpdateFilm(wbSim *sim) {
    wbSimFiles *files = &sim->files;
    const double time = wbWorld_GetTime(sim->world) + 1e-3 * (double)wbWorld_GetTimeStep(sim->world);
    int due = 0;
    wbLock_Take(sim->lock);
    if (!sim->state.isFilming) files->filmFps = 0;
    wbLock_Release(sim->lock);
    if (files->filmFps <= 0) return;
    for (; files->filmStart + (double)files->filmCount / files->filmFps <= time; files->filmCount++) due++;
    if (due == 0) return;
    wbSim_Publish(sim);
    wbLock_Take(sim->lock);
    if (sim->state.isFilming) sim->state.filmDue = due;
    sim->state.filmStep = wbWorld_GetStepCount(sim->world);
    wbLock_Release(sim->lock);
}

void wbSim_CutFilm(wbSim *sim) {
    sim->files.filmFps = 0;
    wbSim_EndFilm(sim);
}

void wbSim_StartFilm(wbSim *sim, double fps) {
    wbLock_Take(sim->lock);
    sim->orders.files.films = sim->state.isFilming = true;
    sim->orders.files.filmFps = fps;
    wbLock_WakeAll(sim->lock);
    wbLock_Release(sim->lock);
}

void wbSim_NextPicture(wbSim *sim) {
    wbLock_Take(sim->lock);
    sim->state.filmDue = 0;
    wbLock_WakeAll(sim->lock);
    wbLock_Release(sim->lock);
}

void wbSim_EndFilm(wbSim *sim) {
    wbLock_Take(sim->lock);
    sim->state.isFilming = false;
    sim->state.filmDue = 0;
    wbLock_WakeAll(sim->lock);
    wbLock_Release(sim->lock);
}
