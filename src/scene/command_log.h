// SPDX-License-Identifier: MIT
// What a user does to a world: a queue that is emptied between steps, and a log by which all of it is done again, bit for bit.
//
//     wbCommandQueue_Put(&queue, "pipe.open", "false");          at any time, by whoever holds the queue
//     wbScene_RunScript(scene, world);                           then before each step: the scene's script for this time,
//     wbCommandQueue_Run(&queue, world, &log, NULL, NULL);       the commands, which are logged with it,
//     wbWorld_Step(world, 0);                                    and the step
//
// A world that goes through the same steps again takes wbCommandLog_Replay for wbCommandQueue_Run.
#pragma once

#include "core/array.h"
#include "wirbel/scene.h"

enum { WB_COMMAND_KEY = 128, WB_COMMAND_VALUE = 384 };

/// A key and a text of wbWorld_Apply, done when the world had this time.
typedef struct wbLoggedCommand {
    double time; ///< s
    char key[WB_COMMAND_KEY];
    char value[WB_COMMAND_VALUE];
} wbLoggedCommand;

/// In the order in which they were done. Zeroed it is empty.
typedef struct wbCommandLog {
    wbArray commands; ///< wbLoggedCommand
    int count;
} wbCommandLog;

/// Those that wait. Zeroed it is empty.
typedef struct wbCommandQueue {
    wbArray commands; ///< wbLoggedCommand, without a time
    int count;
} wbCommandQueue;

static inline const wbLoggedCommand *wbCommandLog_Get(const wbCommandLog *log, int index) {
    return (const wbLoggedCommand *)log->commands.data + index;
}

/// wb_errorInput if key or value are too long. Of a parameter the last value counts, at the place of that; of a command each does.
wbStatus wbCommandQueue_Put(wbCommandQueue *queue, const char *key, const char *value);
void wbCommandQueue_Clear(wbCommandQueue *queue);
void wbCommandQueue_Free(wbCommandQueue *queue);

/// Told of commands that the world refused; they are not logged, and nothing has changed by them.
typedef void wbRefusedFn(const wbLoggedCommand *command, wbStatus why, void *context);

/// Empties the queue into a world, and notes in the log what was done. `refused` may be NULL. The status tells of missing memory alone:
/// what did not fit into the log was not done.
wbStatus wbCommandQueue_Run(wbCommandQueue *queue, wbWorld *world, wbCommandLog *log, wbRefusedFn *refused,
                            void *context);

wbStatus wbCommandLog_Add(wbCommandLog *log, double time, const char *key, const char *value);
/// Behind those of its time, before those of later ones.
wbStatus wbCommandLog_Insert(wbCommandLog *log, double time, const char *key, const char *value);
/// The first command at this time or later: where a world goes on that was saved then, before its commands of that time.
int wbCommandLog_Find(const wbCommandLog *log, double time);
/// Does the commands from *next on up to the world's time, and moves *next behind them. An error is that of the command at *next.
wbStatus wbCommandLog_Replay(const wbCommandLog *log, wbWorld *world, int *next);
/// Forgets the commands from `first` on: a future that does not come.
void wbCommandLog_Cut(wbCommandLog *log, int first);
wbStatus wbCommandLog_Copy(const wbCommandLog *log, wbCommandLog *copy);
void wbCommandLog_Free(wbCommandLog *log);
