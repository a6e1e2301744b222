// SPDX-License-Identifier: MIT
// The command line. Each command has one table of flags, which parses them and prints its help.
#pragma once

#include <stddef.h>

#include "wirbel/params.h"

enum { WB_EXIT_DONE = 0, WB_EXIT_FAILED = 1, WB_EXIT_USAGE = 2, WB_EXIT_STOPPED = 130 };
enum { WB_MAX_REPEATS = 256 };

/// Values of a flag that may be given several times.
typedef struct wbTextList {
    const char *items[WB_MAX_REPEATS];
    int count;
} wbTextList;

/// What the flags of all commands say; a command reads those of its table.
typedef struct wbOptions {
    const char *const *operands; ///< what is not a flag
    int operandCount;
    double seconds; ///< negative: not given
    int frames;     ///< negative: not given
    int threads;    ///< 0: not given
    int every, pngEvery;
    int lockstep;     ///< 0: not given
    double saveEvery; ///< 0: not given
    double memory;    ///< MB; negative: not given
    const char *backend, *size, *video, *png, *ply, *vtk, *raw, *vdb, *surface, *poses, *stats, *save,
        *resume, *plot, *markdown, *colouring, *saveColouring, *settings, *record, *replay, *quality, *shot,
        *events; ///< NULL: not given
    wbTextList set, setAt, beside;
    bool quiet, paused, keys, list, json, quick, full, schema, help;
} wbOptions;

typedef enum wbFlagType {
    wb_flagSwitch, ///< bool, no value
    wb_flagText,   ///< const char *
    wb_flagList,   ///< wbTextList
    wb_flagInt,
    wb_flagNumber, ///< double
} wbFlagType;

typedef struct wbFlag {
    const char *name;  ///< "--seconds"
    const char *value; ///< what its value is called in the help; NULL for switches
    wbFlagType type;
    size_t offset; ///< in wbOptions
    double min, max;
    const char *sentence;
} wbFlag;

#define WB_SWITCH(name, field, sentence)                                                                     \
    { name, NULL, wb_flagSwitch, offsetof(wbOptions, field), 0, 0, sentence }
#define WB_TEXT(name, value, field, sentence)                                                                \
    { name, value, wb_flagText, offsetof(wbOptions, field), 0, 0, sentence }
#define WB_LIST(name, value, field, sentence)                                                                \
    { name, value, wb_flagList, offsetof(wbOptions, field), 0, 0, sentence }
#define WB_INT(name, value, field, min, max, sentence)                                                       \
    { name, value, wb_flagInt, offsetof(wbOptions, field), min, max, sentence }
#define WB_NUMBER(name, value, field, min, max, sentence)                                                    \
    { name, value, wb_flagNumber, offsetof(wbOptions, field), min, max, sentence }

// the same for every command that simulates; the sentence says how many threads there are without it
#define WB_MACHINE_FLAGS(threadsSentence)                                                                    \
    WB_TEXT("--backend", "cpu|opencl[:N]", backend, "what computes; device N as wirbel info counts them"),   \
        WB_INT("--threads", "N", threads, 1, 256, threadsSentence)

typedef struct wbCommand {
    const char *name;
    const char *operands; ///< as the help shows them: "SCENE"
    const char *sentence;
    int minOperands, maxOperands;
    const wbFlag *flags;
    int flagCount;
    int (*run)(const wbOptions *options); ///< gives the exit code
} wbCommand;

/// Reads the arguments behind the command's name; moves the operands to the front of `arguments`. False after
/// a complaint.
bool wbParseArgs(const wbCommand *command, int count, char **arguments, wbOptions *options);

/// The command's usage and flags, to stdout.
void wbPrintCommandHelp(const wbCommand *command);

/// A line on stderr, behind the program's name.
void wbComplain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// "; did you mean "x"?", or "" if nothing is near. The text stays until the next call.
const char *wbSuggest(const char *name, const char *const *names, int count);

/// The exit code of what is refused before a run: memory and devices are the machine's, all else was asked for wrongly.
int wbGetRefusalExit(wbStatus status);

/// What --backend says.
typedef struct wbBackendChoice {
    bool isGiven;
    wbBackend backend;
    int device; ///< -1: not said
} wbBackendChoice;

/// False after a complaint.
bool wbReadBackend(const wbOptions *options, wbBackendChoice *choice);
/// As world.backend and --backend have it.
const char *wbGetBackendText(wbBackend backend);
