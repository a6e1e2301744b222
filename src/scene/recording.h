// SPDX-License-Identifier: MIT
// Recordings: a scene, what was set before it started, what a user did while it ran, and hashes of what came of it. Files of them
// are strict JSON (docs/recordings.md). A list of settings is a file with "settings" alone.
#pragma once

#include "core/output_file.h"
#include "scene/command_log.h"
#include "scene/source.h"

enum { WB_HASH_EVERY = 100 }; ///< steps from one hash of a recording to the next

typedef struct wbStepHash {
    int64_t step;
    uint64_t hash; ///< wbWorld_Hash after it
} wbStepHash;

enum { WB_NOTE_TEXT = 128 };

/// A mark that a user set on the line of time.
typedef struct wbRecordedNote {
    double time; ///< s
    char text[WB_NOTE_TEXT];
} wbRecordedNote;

/// Zeroed it is empty.
typedef struct wbRecording {
    char scene[WB_MAX_PATH];      ///< its file; relative to the current folder, or to that of the recording
    uint64_t sceneHash;           ///< wbScene_HashText
    char checkpoint[WB_MAX_PATH]; ///< that its world went on from, likewise; "": from the scene's start
    uint64_t checkpointHash;      ///< of the bytes of that file
    wbCommandLog settings;        ///< by wbScene_Set, in this order, before the world was made; times are 0
    wbCommandLog script;          ///< by wbWorld_Apply
    char version[32], simd[16], backend[192]; ///< of who wrote it: what its bits depend on
    wbArray hashes;                           ///< wbStepHash, by steps
    int hashCount;
    wbArray notes; ///< wbRecordedNote, by time
    int noteCount;
    int64_t endStep;
    double endTime; ///< s
    uint64_t endHash;
    wbSource source; ///< of one that was read: errors point into it
} wbRecording;

static inline const wbStepHash *wbRecording_GetHash(const wbRecording *recording, int index) {
    return (const wbStepHash *)recording->hashes.data + index;
}

static inline const wbRecordedNote *wbRecording_GetNote(const wbRecording *recording, int index) {
    return (const wbRecordedNote *)recording->notes.data + index;
}

/// Of the text that a scene was read from.
uint64_t wbScene_HashText(const wbScene *scene);

/// Strict: errors name file:line:column, value and range. The recording is as zeroed after one. A list of settings alone is refused.
wbStatus wbReadRecording(const char *path, wbRecording *recording);
wbStatus wbReadRecordingText(const char *name, const char *text, size_t length, wbRecording *recording);
/// Only `settings`, of a list of them or of a whole recording.
wbStatus wbReadSettings(const char *path, wbRecording *recording);
/// Whole or not at all: a file of that name stays as it was after an error.
wbStatus wbWriteRecording(const char *path, const wbRecording *recording);
/// A list of settings: what wbReadSettings reads.
wbStatus wbWriteSettings(const char *path, const wbCommandLog *settings);
/// The scene of a file with settings merged into it: in its sections and objects, or where they have no place there, in its script at the
/// start. The scene that is written is read again; names of meshes become whole paths. wb_errorInput: a setting has no place at all.
wbStatus wbWriteScene(const char *path, const char *scenePath, const wbCommandLog *settings);
void wbRecording_Free(wbRecording *recording);

/// @name While a world runs
/// @{
/// The scene and who writes; settings, script and hashes stay as they are. wb_errorInput for a scene without a file.
wbStatus wbRecording_Start(wbRecording *recording, const wbScene *scene, const wbWorld *world);
/// The world was read from this file: hashes it.
wbStatus wbRecording_StartFrom(wbRecording *recording, const char *checkpoint);
/// After each step: a hash, where one is due.
wbStatus wbRecording_AddStep(wbRecording *recording, wbWorld *world);
/// The world as it is now is the end.
void wbRecording_End(wbRecording *recording, wbWorld *world);
/// Behind those of its time, before those of later ones; a text that is too long is cut.
wbStatus wbRecording_AddNote(wbRecording *recording, double time, const char *text);
/// Takes what is behind a step away: its hashes, commands at its time or later, and later notes.
void wbRecording_Cut(wbRecording *recording, int64_t step, double time);
/// @}

/// @name Doing it again
/// @{
/// Whether the file that its world went on from is what it was.
wbStatus wbRecording_CheckCheckpoint(const wbRecording *recording, const char *path);
/// Sets them in a scene; errors point into the file.
wbStatus wbRecording_ApplySettings(const wbRecording *recording, wbScene *scene);
/// The commands that are due before the next step, from *next on.
wbStatus wbRecording_Replay(const wbRecording *recording, wbWorld *world, int *next);
/// After a step: false if the recording has another hash of it. *known: whether it has one.
bool wbRecording_IsSame(const wbRecording *recording, wbWorld *world, bool *known);
/// @}
