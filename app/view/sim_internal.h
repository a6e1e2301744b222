// SPDX-License-Identifier: MIT
// What the parts of a simulation share: sim.c its life and what it is told, sim_thread.c time, sim_record.c commands and steps,
// sim_load.c scenes, sim_publish.c what the window sees.
#pragma once

#include "app/view/past.h"
#include "app/view/sim.h"
#include "core/worker.h"
#include "scene/recording.h"

/// What the window's thread has told, read and written with the lock held.
typedef struct wbOrders {
    bool quit, open;
    char path[WB_SIM_TEXT]; ///< "": the same file again
    int steps;              ///< that were asked for one by one
    bool isPaused, isFast;
    double speed;
    wbArray watched; ///< int
    int watchedCount;
    bool isWatchNew; ///< or what is wanted
    unsigned wants;  ///< of wbWant
    bool seeks;
    int64_t seekStep;
    char save[WB_SIM_TEXT]; ///< a recording to be written; "": none
} wbOrders;

struct wbSim {
    wbSimDef def;
    wbLock *lock;
    wbWorker *worker;

    // read and written with the lock held
    wbOrders orders;
    wbCommandQueue queue;  ///< for the world
    wbCommandQueue looks;  ///< for the scene's camera and output: they change pictures alone
    wbCommandLog settings; ///< of the next scene
    wbSimState state;
    wbStill *drawn, *ready, *filled; ///< each one of `stills`
    bool isFresh;                    ///< ready was not drawn yet
    bool isResting;                  ///< between steps: the world may be read with the lock held
    bool needsRest;                  ///< someone waits for that

    // of the simulation's thread alone
    wbStill stills[3];
    wbScene *scene;
    wbWorld *world;
    wbFrameScene frame;
    wbArray sections; ///< wbSection
    int sectionCount, generation;
    wbArray watched; ///< int
    int watchedCount;
    unsigned wants;
    wbCommandQueue taken;  ///< commands on their way into the world
    wbRecording recording; ///< of this world from its start on
    int next;              ///< command of its script that comes next, while what is known runs again
    int64_t furthest;      ///< step that this world came to
    wbPast past;
    int cutCount; ///< futures that were cut off, and written
    double aim;   ///< s: simulated time that wall time has come to
    double lastClock, lastPublished;
    double meterClock, meterTime; ///< where the measured speed began
    bool isBroken;                ///< the world cannot be stepped on
};

/// @name Said to the window
/// @{
/// An error; "" if there is none any more.
void wbSim_Say(wbSim *sim, const char *text);
/// Something that was done.
void wbSim_SayNote(wbSim *sim, const char *text);
wbRefusedFn wbSim_Refuse;
/// @}

/// @name Of the simulation's thread
/// @{
wbWorkerFn wbSim_Run;
void wbSim_Load(wbSim *sim, const char *path);
/// The world cannot be stepped on: a pause, and the reason.
void wbSim_Stop(wbSim *sim, const char *text);
/// Fills a still and hands it over.
void wbSim_Publish(wbSim *sim);
/// The world is behind the last step that it came to.
bool wbSim_IsInPast(const wbSim *sim);
wbStatus wbSim_StartRecording(wbSim *sim);
/// Between steps, after the scene's script for this time: what is known again, then what was told.
wbStatus wbSim_RunCommands(wbSim *sim);
/// With its commands, recorded; where it is known, compared.
wbStatus wbSim_StepOnce(wbSim *sim);
/// From the last state before it, with all commands, to the wanted step.
wbStatus wbSim_GoTo(wbSim *sim, int64_t wanted);
wbStatus wbSim_WriteRecording(wbSim *sim, const char *path);
/// @}
