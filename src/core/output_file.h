// SPDX-License-Identifier: MIT
// Files that are either whole or not there: written beside as "<path>.<process>.part" and renamed when they are
// complete. Programs that write the same file do not meet: whoever ends last, its file stays. A path that names a device
// or a pipe is written as it is.
#pragma once

#include "wirbel/base.h"

#include <stdio.h>

enum { WB_MAX_PATH = 1024 };

/// Where a file shall stand, and where it is written until it is complete.
typedef struct wbOutputPath {
    char final[WB_MAX_PATH];
    char part[WB_MAX_PATH]; ///< "" until it is made
    bool isDevice;          ///< both are the same; nothing is renamed or removed
} wbOutputPath;

wbStatus wbOutputPath_Set(wbOutputPath *path, const char *name);
/// Makes the part, under a name that no other file has, and opens it for writing.
wbStatus wbOutputPath_Create(wbOutputPath *path, int *file);
/// Renames the part, and removes it if that fails.
wbStatus wbOutputPath_Commit(wbOutputPath *path);
/// Removes the part if there is one.
void wbOutputPath_Discard(wbOutputPath *path);

typedef struct wbOutputFile {
    wbOutputPath path;
    FILE *stream;
} wbOutputFile;

/// After an error of one of these the file is closed and its part removed: nothing is left to be done.
wbStatus wbOutputFile_Open(wbOutputFile *file, const char *path);
wbStatus wbOutputFile_Write(wbOutputFile *file, const void *data, size_t bytes);
wbStatus wbOutputFile_Print(wbOutputFile *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// Hands what is buffered to the system, so that it outlives a crash of the program.
wbStatus wbOutputFile_Flush(wbOutputFile *file);
wbStatus wbOutputFile_Close(wbOutputFile *file);
/// Closes so that also a power cut leaves the old file or the whole new one: waits for the disk.
wbStatus wbOutputFile_CloseSafely(wbOutputFile *file);
/// Closes and removes. Allowed after an error.
void wbOutputFile_Abort(wbOutputFile *file);

/// wb_errorFile "cannot <action> <path>: <reason>".
wbStatus wbFailFile(const char *action, const char *path, const char *reason);
/// wb_errorFile "cannot <action> <path>: <what errno says>".
wbStatus wbFileError(const char *action, const char *path);
