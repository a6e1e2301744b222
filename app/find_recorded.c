// SPDX-License-Identifier: MIT
#include "app/find_recorded.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/status.h"

static bool find(const char *recordingPath, const char *name, char path[WB_SCENE_PATH]) {
    const char *slash = strrchr(recordingPath, '/');
    const int folder = slash ? (int)(slash - recordingPath) + 1 : 0;
    snprintf(path, WB_SCENE_PATH, "%s", name);
    if (access(path, R_OK) == 0) return true;
    snprintf(path, WB_SCENE_PATH, "%.*s%s", folder, recordingPath, name);
    return access(path, R_OK) == 0;
}

bool wbFindRecordedScene(const wbRecording *recording, const char *recordingPath, char path[WB_SCENE_PATH]) {
    return find(recordingPath, recording->scene, path) || wbFindScene(recording->scene, path);
}

wbStatus wbFindRecordedCheckpoint(const wbRecording *recording, const char *recordingPath,
                                  char path[WB_SCENE_PATH]) {
    path[0] = 0;
    if (!recording->checkpoint[0]) return wb_okStatus;
    if (!find(recordingPath, recording->checkpoint, path))
        return wbError(wb_errorInput,
                       "%.80s begins with the checkpoint %.80s, which is neither here nor beside it",
                       recordingPath, recording->checkpoint);
    return wbRecording_CheckCheckpoint(recording, path);
}
