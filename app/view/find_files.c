// SPDX-License-Identifier: MIT
#include "app/view/find_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/status.h"

static wbStatus findScene(const wbRecording *recording, const char *recordingPath, char path[WB_SIM_TEXT]) {
    char found[WB_SCENE_PATH];
    if (wbFindRecordedScene(recording, recordingPath, found) &&
        snprintf(path, WB_SIM_TEXT, "%s", found) < WB_SIM_TEXT)
        return wb_okStatus;
    return wbError(wb_errorInput, "%.100s: there is no scene %.80s here, or beside the recording",
                   recordingPath, recording->scene);
}

wbStatus wbReadReplay(const char *path, wbRecording *recording, char scenePath[WB_SIM_TEXT],
                      char checkpoint[WB_SCENE_PATH], wbScene **scene) {
    *scene = NULL;
    WB_TRY(wbReadRecording(path, recording));
    wbStatus status = findScene(recording, path, scenePath);
    if (wbIsOk(status)) status = wbFindRecordedCheckpoint(recording, path, checkpoint);
    if (wbIsOk(status)) status = wbReadScene(scenePath, scene);
    if (wbIsOk(status) && wbScene_HashText(*scene) != recording->sceneHash)
        status = wbError(wb_errorInput,
                         "%.80s was recorded with another text of its scene %.80s: give the scene as it was",
                         path, scenePath);
    if (wbIsOk(status)) status = wbRecording_ApplySettings(recording, *scene);
    if (wbIsOk(status)) return status;
    wbDestroyScene(*scene);
    wbRecording_Free(recording);
    *scene = NULL;
    return status;
}

static bool isFile(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

// "channel" of "some/channel-000120.checkpoint".
static void getStem(const char *path, char stem[256]) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strcspn(name, "."), digits = length;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') digits--;
    if (digits > 1 && digits < length && name[digits - 1] == '-') length = digits - 1;
    snprintf(stem, 256, "%.*s", (int)length, name);
}

bool wbFindSceneOfCheckpoint(const char *checkpoint, const char *open, char path[WB_SIM_TEXT]) {
    char stem[256], openStem[256], folder[WB_SCENE_PATH];
    const char *slash = strrchr(checkpoint, '/');
    getStem(checkpoint, stem);
    getStem(open, openStem);
    snprintf(path, WB_SIM_TEXT, "%s", open);
    if (open[0] && strcmp(stem, openStem) == 0) return true;
    const int length = slash ? (int)(slash - checkpoint) + 1 : 0;
    const bool isBeside =
        snprintf(path, WB_SIM_TEXT, "%.*s%s.json", length, checkpoint, stem) < WB_SIM_TEXT && isFile(path);
    if (isBeside) return true;
    if (wbFindSceneFolder(folder) && snprintf(path, WB_SIM_TEXT, "%s/%s.json", folder, stem) < WB_SIM_TEXT &&
        isFile(path))
        return true;
    snprintf(path, WB_SIM_TEXT, "%s", open);
    return open[0] != 0;
}
