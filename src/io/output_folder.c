// SPDX-License-Identifier: MIT
#include "io/output_folder.h"

#include "core/status.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool makeOneDirectory(const char *path) {
    if (mkdir(path, 0777) == 0) return true;
    if (errno != EEXIST) return false;
    struct stat info;
    if (stat(path, &info) != 0) return false;
    errno = ENOTDIR;
    return S_ISDIR(info.st_mode);
}

wbStatus wbMakeDirectory(const char *path) {
    char parent[WB_MAX_PATH];
    size_t length = strlen(path);
    if (length == 0) return wbError(wb_errorInput, "the name of an output directory is empty");
    if (length >= sizeof parent)
        return wbError(wb_errorInput, "the path of a directory has %zu bytes", length);
    memcpy(parent, path, length + 1);
    for (size_t i = 1; i < length; ++i) {
        if (path[i] != '/') continue;
        parent[i] = '\0';
        if (!makeOneDirectory(parent)) return wbFileError("make the directory", parent);
        parent[i] = '/';
    }
    if (!makeOneDirectory(parent)) return wbFileError("make the directory", path);
    return wb_okStatus;
}

wbStatus wbTryFolder(const char *path) {
    char name[WB_MAX_PATH];
    wbOutputFile file;
    WB_TRY(wbMakeDirectory(path));
    WB_TRY(wbMakeFilePath(name, path, "try", "tmp"));
    WB_TRY(wbOutputFile_Open(&file, name));
    wbOutputFile_Abort(&file);
    return wb_okStatus;
}

wbStatus wbMakeFilePath(char path[WB_MAX_PATH], const char *directory, const char *stem, const char *ending) {
    int length = snprintf(path, WB_MAX_PATH, "%s/%s.%s", directory, stem, ending);
    if (length >= 0 && length < WB_MAX_PATH) return wb_okStatus;
    return wbError(wb_errorInput, "the path of %s.%s has %d bytes, allowed are %d", stem, ending, length,
                   WB_MAX_PATH - 1);
}

wbStatus wbMakeFramePath(char path[WB_MAX_PATH], const char *directory, const char *stem, int frame,
                         const char *ending) {
    int length = snprintf(path, WB_MAX_PATH, "%s/%s_%06d.%s", directory, stem, frame, ending);
    if (length < 0 || length >= WB_MAX_PATH) {
        return wbError(wb_errorInput, "the path of frame %d has %d bytes, allowed are %d", frame, length,
                       WB_MAX_PATH - 1);
    }
    return wb_okStatus;
}
