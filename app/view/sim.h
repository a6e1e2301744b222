// SPDX-License-Identifier: MIT
// The simulation of a window: a thread that owns scene and world, told what to do by the window's thread, which draws the
// newest still and never waits. Wall time only decides how many steps run, never how long they are: the bits are the
// same at every speed.
#pragma once

#include "app/args.h"
#include "app/view/still.h"
#include "scene/file_kind.h"
#include "scene/recording.h"

typedef struct wbSim wbSim;

enum { WB_SIM_TEXT = 512, WB_SIM_NOTES = 4, WB_COMPARISON_TEXT = 2048 };

enum { WB_MAX_DEVICES = 8 };

/// The line of time, in parts as narrow as a pixel; what lies in each is bits of 1 << kind, of wbUiMark.
enum { WB_TIME_PARTS = 2048, WB_PART_STATE = 0, WB_PART_COMMAND, WB_PART_NOTE, WB_PART_KINDS };

/// What a window shows of it.
typedef struct wbSimState {
    bool isPaused, isFast; ///< fast: as fast as possible
    double speed;          ///< simulated seconds per second that are asked for
    double gotSpeed;       ///< that there are; 0 while it is paused
    double stepMs;         ///< mean of the last steps
    bool isLoading;
    double loadSeconds;        ///< since loading began
    char loading[WB_SIM_TEXT]; ///< the file
    char stage[96];            ///< what is made of it
    int loadCount;             ///< worlds that came so far
    char path[WB_SIM_TEXT];    ///< of the scene
    char title[WB_SIM_TEXT];   ///< of the scene
    char message[WB_SIM_TEXT]; ///< the last error, "" if there is none
    char refused[WB_SIM_TEXT]; ///< "key: why", of the last command that was refused; "" if there is none
    int refusedCount;
    char notes[WB_SIM_NOTES]
              [WB_SIM_TEXT]; ///< what was done, a file that was written: a ring of the last ones
    int noteCount;           ///< so far: the last one stands at noteCount - 1, modulo WB_SIM_NOTES
    char name[64];           ///< of the scene's file, without folder and ending
    char busy[64];           ///< what takes its time: "to step 1200"; "": nothing does
    float busyShare;         ///< of it that is done
    double busySeconds;      ///< since it began
    char device[128];        ///< that computes; "": the processor's cores
    int threads;             ///< of the world
    bool isLockstep;         ///< there is no thread: wbSim_Advance does the steps
    bool isBesideOpen;       ///< a second world is led along
    char comparison[WB_COMPARISON_TEXT]; ///< lines of the last wbSim_Compare; "": there was none
    int comparisonCount;
    int deviceCount; ///< that wbSim_FindDevices found
    int64_t step;
    double time;
    int64_t furthest;             ///< step that this world came to
    double furthestTime;          ///< s
    double firstTime;             ///< s, where it begins: after 0 if it goes on from a checkpoint
    uint8_t parts[WB_TIME_PARTS]; ///< from firstTime to furthestTime: states to go back to, commands, notes
    bool isReplay;                ///< a recording is done again
    int64_t divergedStep;         ///< that came out otherwise than the first time; 0: none
    bool isFilming;
    int filmDue; ///< pictures of the film that the window has to take of step filmStep; the world waits
    int64_t filmStep;
} wbSimState;

typedef struct wbSimDef {
    const wbOptions *options; ///< --set, --backend and --threads
    int threads;              ///< without --threads
    bool isPaused;            ///< at first
    bool isLockstep;          ///< there is no thread: wbSim_Advance does the steps
    size_t memory;            ///< bytes of states to go back to
    bool isBeside;            ///< it is led along by another one
    double
        statsRest; ///< times as long as counting statistics takes, before a world that runs is counted again
    size_t stillLimit; ///< bytes of a still above which pictures and steps take turns without copies
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
/// Steps for so many seconds of simulated time, then a pause.
void wbSim_StepTime(wbSim *sim, double seconds);
/// To a step that was already there, and a pause: from the state before it, with all commands again. Running on from there repeats
/// what is known and compares; a command there cuts the known future off, which is written as NAME-1.json. The next seek, or
/// wbSim_Cancel, ends one that is under way.
void wbSim_Seek(wbSim *sim, int64_t step);
/// Likewise to the step that is nearest to a time.
void wbSim_SeekTime(wbSim *sim, double time);
/// Ends what takes its time: a seek, where it is, a comparison, or loading, after the object that is being made.
void wbSim_Cancel(wbSim *sim);
/// Threads of this world and the next ones; the bits stay the same.
void wbSim_SetThreads(wbSim *sim, int count);
/// What computes this world from its next step on, as a command that is recorded, and the next ones; device as in world.device.
void wbSim_SetBackend(wbSim *sim, wbBackend backend, int device);
/// Writes the recording of this world.
void wbSim_Save(wbSim *sim, const char *path);
/// Another file: a scene, a recording to be done again, or a checkpoint of a scene. "": the same again.
void wbSim_OpenFile(wbSim *sim, wbFileKind kind, const char *path, const char *scene);
void wbSim_SaveCheckpoint(wbSim *sim, const char *path);
/// What was set, at the start and since, as a list of settings; with the camera that a user leads, or NULL.
void wbSim_SaveSettings(wbSim *sim, const char *path, bool asScene, const wbCameraParams *camera);
/// A mark on the line of time, now; its text may be "".
void wbSim_Mark(wbSim *sim, const char *text);
/// From now on the world waits at each picture: filmDue of them are to be taken of the still of step filmStep, then
/// wbSim_NextPicture. Another world or a seek ends it.
void wbSim_StartFilm(wbSim *sim, double fps);
void wbSim_NextPicture(wbSim *sim);
void wbSim_EndFilm(wbSim *sim);
void wbSim_SetSpeed(wbSim *sim, double speed, bool isFast);
/// Looks for compute devices, once: wbSim_GetDevices has them then.
void wbSim_AskDevices(wbSim *sim);
/// Measures so many steps on the cores and on each device; the world is as before then. wbSimState.comparison tells.
void wbSim_Compare(wbSim *sim, int steps);
/// A second world, led along to the same simulated times: of the scene that is named, else of the same one, and with settings
/// KEY=VALUE beside those of this one. Parameters that are set reach both, but for its own; other commands, and the recording, are
/// of the first world alone.
void wbSim_OpenBeside(wbSim *sim, const wbTextList *what);
void wbSim_CloseBeside(wbSim *sim);
/// Sections whose values stills have.
void wbSim_Watch(wbSim *sim, const int *sections, int count);
/// What stills have beside what every picture needs: of wbWant.
void wbSim_Want(wbSim *sim, unsigned wants);
/// @}

/// Lockstep: does what was told, and so many steps unless it is paused.
void wbSim_Advance(wbSim *sim, int steps);

wbSimState wbSim_GetState(wbSim *sim);
/// NULL: there is none. Its state and stills can be asked for; all else is told to the first.
wbSim *wbSim_GetBeside(wbSim *sim);
/// Its scene and its own settings.
void wbSim_NameBeside(wbSim *sim, char *text, int size);
/// The files that the world's scene was read from, each closed by a zero.
wbStatus wbSim_CopyWatched(wbSim *sim, wbArray *paths, int *bytes);
/// Fills in as many as there is room for, and gives how many those are.
int wbSim_GetDevices(wbSim *sim, wbDevice *devices, int capacity);
/// The newest; NULL before there is one. It stays until the next call. *isNew: since the last call.
const wbStill *wbSim_Take(wbSim *sim, bool *isNew);
/// Ends the thread, writes the recording (unless path is NULL), and gives the last step and the world's hash; 0 without a world.
uint64_t wbSim_Finish(wbSim *sim, const char *path, int64_t *step, wbStatus *status);
