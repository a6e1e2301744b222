// SPDX-License-Identifier: MIT
// Folders that a run fills, frame by frame.
#pragma once

#include "core/output_file.h"

/// Makes a directory and its parents; one that exists is fine.
wbStatus wbMakeDirectory(const char *path);

/// Makes the directory and tries to write in it, so that what is wrong shows before a run.
wbStatus wbTryFolder(const char *path);

/// "<directory>/<stem>.<ending>"
wbStatus wbMakeFilePath(char path[WB_MAX_PATH], const char *directory, const char *stem, const char *ending);

/// "<directory>/<stem>_<frame, six digits>.<ending>"
wbStatus wbMakeFramePath(char path[WB_MAX_PATH], const char *directory, const char *stem, int frame,
                         const char *ending);
