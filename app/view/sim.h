// SPDX-License-Identifier: MIT
// The simulation of a window: a thread that owns scene and world, told what to do by the window's thread, which draws the
// newest still and never waits. Wall time only decides how many steps run, never how long they are: the bits are the
// same at every speed.
#pragma once

#include "app/args.h"
#include "app/view/still.h"

typedef struct wbSim wbSim;

enum { WB_SIM_TEXT = 512 };

/// The line of time, in parts as narrow as a pixel: what lies in each, any sum of them.
enum { WB_TIME_PARTS = 2048, WB_PART_STATE = 1, WB_PART_COMMAND = 2 };

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
    char note[WB_SIM_TEXT]; ///< what was done last: a file that was written
    int noteCount;
    char name[64]; ///< of the scene's file, without folder and ending
    int64_t step;
    double time;
    int64_t furthest;             ///< step that this world came to
    double furthestTime;          ///< s
    uint8_t parts[WB_TIME_PARTS]; ///< from 0 to furthestTime: states that can be gone back to, and commands
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
/// To a step that was already there, and a pause: from the state before it, with all commands again. Running on from there repeats
/// what is known and compares; a command there cuts the known future off, which is written as NAME-1.json.
void wbSim_Seek(wbSim *sim, int64_t step);
/// Writes the recording of this world.
void wbSim_Save(wbSim *sim, const char *path);
void wbSim_SetSpeed(wbSim *sim, double speed, bool isFast);
/// Sections whose values stills have.
void wbSim_Watch(wbSim *sim, const int *sections, int count);
/// What stills have beside what every picture needs: of wbWant.
void wbSim_Want(wbSim *sim, unsigned wants);
/// @}

/// Lockstep: does what was told, and so many steps unless it is paused.
void wbSim_Advance(wbSim *sim, int steps);

wbSimState wbSim_GetState(wbSim *sim);
/// The newest; NULL before there is one. It stays until the next call. *isNew: since the last call.
const wbStill *wbSim_Take(wbSim *sim, bool *isNew);
/// Ends the thread, writes the recording (unless path is NULL), and gives the last step and the world's hash; 0 without a world.
uint64_t wbSim_Finish(wbSim *sim, const char *path, int64_t *step, wbStatus *status);
