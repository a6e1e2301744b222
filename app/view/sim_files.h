// SPDX-License-Identifier: MIT
// What a simulation knows of files: what its world came from, what is to be written, and the film that it waits for.
#pragma once

#include "app/view/sim.h"
#include "scene/recording.h"

/// A file that becomes a world.
typedef struct wbWorldFile {
    wbFileKind kind; ///< scene, recording or checkpoint
    char path[WB_SIM_TEXT];
    char scene[WB_SIM_TEXT]; ///< of a checkpoint
} wbWorldFile;

/// What the window's thread has told; with the lock held.
typedef struct wbFileOrders {
    wbWorldFile file; ///< that is opened; its path is "" for the same again
    char checkpoint[WB_SIM_TEXT], settings[WB_SIM_TEXT]; ///< to be written; "": none
    bool asScene;                                        ///< settings become a scene
    bool hasCamera;
    wbCameraParams camera; ///< of the user, among the settings
    char mark[WB_NOTE_TEXT];
    bool marks;
    bool films;
    double filmFps; ///< of simulated time
} wbFileOrders;

typedef struct wbSimFiles {
    wbWorldFile opened, opening; ///< that the world is of, and the one that is being read
    bool isDiverged;             ///< it is not compared any more
    bool isCancelled;            ///< loading was stopped; with the lock held
    wbCommandQueue looks;        ///< values of the camera and the output that were set
    wbArray watched;             ///< char: paths, each closed by a zero; with the lock held
    int watchedBytes;
    double filmStart, filmFps; ///< s, of simulated time; 1/s
    int64_t filmCount;         ///< pictures that were due so far
} wbSimFiles;

/// A world on its way.
typedef struct wbLoaded {
    wbScene *scene;
    wbWorld *world;
    wbRecording recording;  ///< of a replay
    char path[WB_SIM_TEXT]; ///< of the scene
    bool keepsSettings;     ///< it is the scene that there was: what was set for it holds
} wbLoaded;

bool wbFileOrders_AreTold(const wbFileOrders *orders);
/// With the lock held, when orders were taken: notes what is opened, and clears what is done once.
void wbSim_TakeFileOrders(wbSim *sim, bool opens);
/// Reads the file that is being opened and makes its world. After an error nothing is left of it.
wbStatus wbSim_MakeLoaded(wbSim *sim, bool keepsSettings, wbLoaded *loaded);
/// When the world is exchanged: the settings that it was made with.
wbStatus wbSim_TakeSettings(wbSim *sim, const wbLoaded *loaded);
/// After the world was exchanged and its recording begun: a replay's script and hashes, a checkpoint's time.
wbStatus wbSim_FinishLoaded(wbSim *sim, wbLoaded *loaded);
/// Checkpoints, settings and marks, and the beginning and the end of films.
void wbSim_ObeyFiles(wbSim *sim, const wbFileOrders *orders);
/// A step that is known came out otherwise.
void wbSim_SayDiverged(wbSim *sim);
/// wb_errorInput: this world is another than its recording says.
wbStatus wbSim_CheckRecordable(const wbSim *sim);
/// How pictures look was changed.
void wbSim_NoteLook(wbSim *sim, const wbLoggedCommand *look);
/// --settings: for the first world. NULL: none.
wbStatus wbSim_AddSettingsFile(wbSim *sim, const char *path);
void wbSimFiles_Free(wbSimFiles *files);

/// Whether the window still has to draw a picture of a film: the world waits.
bool wbSim_IsFilmed(wbSim *sim);
/// After a step, and at the beginning: shows the world if a picture of the film is due.
void wbSim_UpdateFilm(wbSim *sim);
/// Another world, or another time: a film ends there.
void wbSim_CutFilm(wbSim *sim);
