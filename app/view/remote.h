// SPDX-License-Identifier: MIT
// Lines that tell what a window does (--events F), and lines that tell it what to do (--events -: standard input).
#pragma once

#include <stdio.h>

#include "wirbel/base.h"

enum { WB_REMOTE_LINE = 1024 };

typedef struct wbRemote {
    FILE *file;    ///< NULL: nobody listens
    bool hasInput; ///< standard input is read
    char line[WB_REMOTE_LINE];
    int length;
} wbRemote;

wbStatus wbRemote_Open(wbRemote *remote, const char *path);
void wbRemote_Close(wbRemote *remote);
/// Each line is written at once.
void wbRemote_Tell(wbRemote *remote, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// The next line of standard input without its end; NULL: there is none yet.
const char *wbRemote_Next(wbRemote *remote);
