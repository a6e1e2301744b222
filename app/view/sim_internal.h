// SPDX-License-Identifier: MIT
// What the parts of a simulation share: sim.c its life and what it is told, sim_thread.c time, sim_record.c commands and steps,
// sim_load.c scenes, sim_publish.c what the window sees.
#pragma once

#include "app/view/past.h"
#include "app/view/sim.h"
#include "app/view/sim_files.h"
#include "core/worker.h"
#include "scene/recording.h"

/// What the window's thread has told, read and written with the lock held.
typedef struct wbOrders {
    bool quit, open;
    int steps; ///< that were asked for one by one
    bool isPaused, isFast;
    double speed;
    wbArray watched; ///< int
    int watchedCount;
    bool isWatchNew; ///< or what is wanted
    unsigned wants;  ///< of wbWant
    bool seeks;
    bool seeksTime;     ///< a time is sought, not a step
    bool commandsFirst; ///< commands were told before the seek was
    int64_t seekStep;
    double seekTime;  ///< s
    double stepUntil; ///< s: steps up to there, although it is paused
    bool cancels, asksDevices, opensBeside;
    int compareSteps;       ///< 0: no comparison
    int threads;            ///< of the world; 0: as they are
    char save[WB_SIM_TEXT]; ///< a recording to be written; "": none
    wbFileOrders files;
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
    double busySince;                ///< s, by the clock
    wbDevice devices[WB_MAX_DEVICES];
    int deviceCount;
    bool hasDevices; ///< they were looked for
    wbSim *beside; ///< made by the window, from then on of the simulation's thread; NULL: there never was one
    char besidePath[WB_SIM_TEXT]; ///< its scene; "": the same
    wbCommandLog besideOwn;       ///< its own settings

    // of the simulation's thread alone
    wbStill stills[3];
    wbScene *scene;
    wbWorld *world;
    wbFrameScene frame;
    wbArray sections; ///< wbSection
    int sectionCount, generation;
    int sectionsVersion;   ///< grows when they become others
    uint64_t sectionsHash; ///< wbHashSections of them
    wbArray watched;       ///< int
    int watchedCount;
    unsigned wants;                  ///< of wbWant
    wbCommandQueue taken;            ///< commands on their way into the world
    wbCommandQueue looked;           ///< and into the scene
    int threads;                     ///< of the next world; 0: one per core
    wbBackendChoice choice, started; ///< what computes the next world, and computed this one at its start
    wbRecording recording;           ///< of this world from its start on
    int next;         ///< command of its script that comes next, while what is known runs again
    int64_t furthest; ///< step that this world came to
    wbPast past;
    int cutCount; ///< futures that were cut off, and written
    double aim;   ///< s: simulated time that wall time has come to
    double lastClock, lastPublished;
    double meterClock, meterTime;    ///< where the measured speed began
    wbStats stats;                   ///< of the last still, or of one a little before it
    double statsClock, statsSeconds; ///< when they were counted, and how long that took
    int statsGeneration;             ///< of the world that they are of
    bool isThreaded;                 ///< the thread runs
    bool isLarge;                    ///< stills are too large for copies: there is no thread
    bool isBroken;                   ///< the world cannot be stepped on
    wbSimFiles files;
};

/// @name Said to the window
/// @{
/// An error; "" if there is none any more.
void wbSim_Say(wbSim *sim, const char *text);
/// Something that was done.
void wbSim_SayNote(wbSim *sim, const char *text);
wbRefusedFn wbSim_Refuse;
/// What takes its time, and which share of it is done; "": nothing does any more.
void wbSim_SayBusy(wbSim *sim, const char *what, double share);
/// @}

/// @name Of the simulation's thread
/// @{
wbWorkerFn wbSim_Run;
/// The file that is being opened; the old world stays until the new one is there.
void wbSim_Load(wbSim *sim);
/// Threads and backend, and unless a recording has its own, the settings.
wbStatus wbSim_PrepareScene(wbSim *sim, wbScene *scene, bool hasSettings);
/// The world cannot be stepped on: a pause, and the reason.
void wbSim_Stop(wbSim *sim, const char *text);
/// Fills a still and hands it over.
void wbSim_Publish(wbSim *sim);
/// Statistics are of a step before; in a pause they are not.
bool wbSim_IsStillOld(const wbSim *sim);
/// The world is behind the last step that it came to.
bool wbSim_IsInPast(const wbSim *sim);
wbStatus wbSim_StartRecording(wbSim *sim);
/// Between steps, after the scene's script for this time: what is known again, then what was told.
wbStatus wbSim_RunCommands(wbSim *sim);
/// With its commands, recorded; where it is known, compared.
wbStatus wbSim_StepOnce(wbSim *sim);
/// From the last state before it, with all commands, to what is sought; stops on the way when wbSim_IsInterrupted.
wbStatus wbSim_GoTo(wbSim *sim, const wbOrders *orders);
/// Something else was told that ends what is under way.
bool wbSim_IsInterrupted(wbSim *sim);
wbStatus wbSim_WriteRecording(wbSim *sim, const char *path);
/// @name The world beside
/// @{
/// With the lock held: the setting is its own.
bool wbSim_IsBesideOwn(wbSim *sim, const char *key);
/// What was told to the first, as far as it concerns both.
void wbSim_LeadBeside(wbSim *sim, const wbOrders *orders);
/// To the time of the first.
void wbSim_StepBeside(wbSim *sim);
void wbSim_PublishBeside(wbSim *sim);
/// @}
void wbSim_FindDevices(wbSim *sim);
wbStatus wbSim_RunComparison(wbSim *sim, int steps);
/// @}
