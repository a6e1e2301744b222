// SPDX-License-Identifier: MIT
// A run that is recorded, or one that goes through a recording again and compares.
#pragma once

#include "app/args.h"
#include "app/find_scene.h"
#include "scene/recording.h"

typedef struct wbReplay {
    wbRecording recording;
    bool isReplayed, isRecorded;
    int next;                       ///< command of its script
    int64_t sameSteps;              ///< up to which hashes were equal
    char checkpoint[WB_SCENE_PATH]; ///< that it begins with; "": it begins with its scene
} wbReplay;

/// Reads --replay, if it is given; `path` is then the file of its scene. False after a complaint.
bool wbReplay_Open(wbReplay *replay, const wbOptions *options, char path[WB_SCENE_PATH]);
/// Before the world is made: the recording's settings, or the recording of those of the command line. False after a complaint.
bool wbReplay_Prepare(wbReplay *replay, const wbOptions *options, wbScene *scene);
/// After that: a recording that begins with a checkpoint is resumed from it, where it was computed.
void wbReplay_Resume(const wbReplay *replay, wbScene *scene, wbOptions *options);
wbStatus wbReplay_Start(wbReplay *replay, const wbOptions *options, const wbScene *scene,
                        const wbWorld *world);
/// After the scene's script: the commands that are due.
wbStatus wbReplay_BeforeStep(wbReplay *replay, wbWorld *world);
/// wb_errorInput with the step, if it differs from the recording's.
wbStatus wbReplay_AfterStep(wbReplay *replay, wbWorld *world);
/// At the end, also of a run that was stopped: writes --record.
wbStatus wbReplay_Finish(wbReplay *replay, const wbOptions *options, wbWorld *world);
void wbReplay_Free(wbReplay *replay);
