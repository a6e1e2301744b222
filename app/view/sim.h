// SPDX-License-Identifier: MIT
// The simulation of a window: a thread that owns scene and world, told what to do by the window's thread, which draws the
// newest still and never waits. Wall time only decides how many steps run, never how long they are: the bits are the
// same at every speed.
#pragma once

#include "app/args.h"
#include "app/view/still.h"

typedef struct wbSim wbSim;

enum { WB_SIM_TEXT = 512, WB_MAX_WATCHED = 64 };

/// What a window shows of it.
typedef struct wbSimState {
    bool isPaused, isFast; ///< fast: as fast as possible
    double speed;          ///< simulated seconds per second that are asked for
    double gotSpeed;       ///< that there are; 0 while it is paused
    double stepMs;         ///< mean of the last steps
    bool isLoading;
    double loadSeconds;        ///< since loading began
    char path[WB_SIM_TEXT];    ///< of the scene
    char title[WB_SIM_TEXT];   ///< of the scene
    char message[WB_SIM_TEXT]; ///< the last error, "" if there is none
    char refused[WB_SIM_TEXT]; ///< "key: why", of the last command that was refused; "" if there is none
    int refusedCount;
    int64_t step;
    double time;
} wbSimState;

typedef struct wbSimDef {
    const wbOptions *options; ///< --set, --backend and --threads
    int threads;              ///< without --threads
    bool isPaused;            ///< at first
    bool isLockstep;          ///< there is no thread: wbSim_Advance does the steps
} wbSimDef;

wbStatus wbCreateSim(const wbSimDef *def, wbSim **sim);
/// Ends the thread. NULL is allowed.
void wbDestroySim(wbSim *sim);

/// @name Told by the window. They return at once.
/// @{
/// Another scene; NULL: the same file again. If it cannot be read, the old world stays and the message says why.
void wbSim_Open(wbSim *sim, const char *path);
/// A setting of the next wbSim_Open, as --set: for parameters that are fixed when a world is made.
void wbSim_SetAtStart(wbSim *sim, const char *key, const char *value);
void wbSim_Put(wbSim *sim, const char *key, const char *value);
void wbSim_SetPaused(wbSim *sim, bool isPaused);
/// So many steps, then a pause.
void wbSim_Step(wbSim *sim, int count);
void wbSim_SetSpeed(wbSim *sim, double speed, bool isFast);
/// Sections whose values stills have.
void wbSim_Watch(wbSim *sim, const int *sections, int count);
/// @}

/// Lockstep: does what was told, and so many steps unless it is paused.
void wbSim_Advance(wbSim *sim, int steps);

wbSimState wbSim_GetState(wbSim *sim);
/// The newest; NULL before there is one. It stays until the next call. *isNew: since the last call.
const wbStill *wbSim_Take(wbSim *sim, bool *isNew);
/// Waits until the thread rests between steps, and hashes the world; 0 without one.
uint64_t wbSim_Hash(wbSim *sim);
