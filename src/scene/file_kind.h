// SPDX-License-Identifier: MIT
// What a file that a user hands over is: by its first bytes, its ending, or its keys.
#pragma once

#include "wirbel/base.h"

typedef enum wbFileKind {
    wb_fileScene,
    wb_fileRecording,
    wb_fileSettings,
    wb_fileCheckpoint,
    wb_fileMesh,
} wbFileKind;

/// Whatever is none of the others is a scene, whose reader says what is wrong with it.
wbFileKind wbGuessFileKind(const char *path);
