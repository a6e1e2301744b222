// SPDX-License-Identifier: MIT
// The checkpoints of a run: where it starts from (--resume), and what it leaves (--save, --save-every).
#pragma once

#include "app/args.h"
#include "scene/command_log.h"

typedef struct wbCheckpoints {
    const wbOptions *options;
    double nextTime;  ///< s, when the next one is due
    int64_t lastStep; ///< of the last one; negative: none
    const char *path; ///< of the last one; NULL: none
    double lastTime;  ///< s, what it holds
} wbCheckpoints;

/// The world of --resume: as it was saved, if it is one of the scene, changed by --set and --threads. What --set changed is added to
/// the log, which may be NULL.
wbStatus wbResumeWorld(const wbOptions *options, wbScene *scene, wbCommandLog *changes, wbWorld **world);

/// Refuses a path that cannot be written, before the first step.
wbStatus wbCheckpoints_Open(wbCheckpoints *checkpoints, const wbOptions *options, const wbWorld *world);
/// After a step: saves if one is due.
wbStatus wbCheckpoints_Update(wbCheckpoints *checkpoints, wbWorld *world);
/// At the end of a run that went well: saves if --save is given.
wbStatus wbCheckpoints_Finish(wbCheckpoints *checkpoints, wbWorld *world);
