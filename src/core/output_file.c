// SPDX-License-Identifier: MIT
#include "core/output_file.h"

#include "core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

wbStatus wbFileError(const char *action, const char *path) {
    // the end of a long path says more than its start, and the reason must not be cut
    enum { SHOWN = 130 };
    const char *reason = strerror(errno);
    size_t length = strlen(path);
    if (length <= SHOWN) return wbError(wb_errorFile, "cannot %s %s: %s", action, path, reason);
    return wbError(wb_errorFile, "cannot %s …%s: %s", action, path + length - SHOWN, reason);
}

wbStatus wbOutputPath_Set(wbOutputPath *path, const char *name) {
    static const char ending[] = ".part";
    size_t length = strlen(name);
    if (length == 0) return wbError(wb_errorInput, "the name of an output file is empty");
    if (length + sizeof ending > WB_MAX_PATH) {
        return wbError(wb_errorInput, "the path of an output file has %zu bytes, allowed are %zu", length,
                       WB_MAX_PATH - sizeof ending);
    }
    struct stat info;
    bool exists = stat(name, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return wbFileError("write", name);
    }
    path->isDevice = exists && !S_ISREG(info.st_mode);
    memcpy(path->final, name, length + 1);
    memcpy(path->part, name, length + 1);
    if (!path->isDevice) memcpy(path->part + length, ending, sizeof ending);
    return wb_okStatus;
}

wbStatus wbOutputPath_Commit(const wbOutputPath *path) {
    if (path->isDevice || rename(path->part, path->final) == 0) return wb_okStatus;
    wbStatus status = wbFileError("rename the finished file to", path->final);
    wbOutputPath_Discard(path);
    return status;
}

void wbOutputPath_Discard(const wbOutputPath *path) {
    if (!path->isDevice) unlink(path->part);
}

wbStatus wbOutputFile_Open(wbOutputFile *file, const char *path) {
    file->stream = NULL;
    WB_TRY(wbOutputPath_Set(&file->path, path));
    file->stream = fopen(file->path.part, "wbe");
    if (file->stream == NULL) return wbFileError("write", path);
    return wb_okStatus;
}

static wbStatus failFile(wbOutputFile *file) {
    wbStatus status = wbFileError("write", file->path.final);
    wbOutputFile_Abort(file);
    return status;
}

wbStatus wbOutputFile_Write(wbOutputFile *file, const void *data, size_t bytes) {
    if (fwrite(data, 1, bytes, file->stream) != bytes) return failFile(file);
    return wb_okStatus;
}

wbStatus wbOutputFile_Print(wbOutputFile *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vfprintf(file->stream, format, arguments);
    va_end(arguments);
    if (written < 0) return failFile(file);
    return wb_okStatus;
}

wbStatus wbOutputFile_Flush(wbOutputFile *file) {
    if (fflush(file->stream) != 0) return failFile(file);
    return wb_okStatus;
}

wbStatus wbOutputFile_Close(wbOutputFile *file) {
    WB_TRY(wbOutputFile_Flush(file));
    int failed = fclose(file->stream);
    file->stream = NULL;
    if (failed) return failFile(file);
    return wbOutputPath_Commit(&file->path);
}

// A rename is on the disk when its folder is. Not every file system can be asked for that.
static wbStatus syncFolder(const char *path) {
    char folder[WB_MAX_PATH] = ".";
    const char *slash = strrchr(path, '/');
    // the slash stays: of "/name" it is all that is left
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool synced = handle >= 0 && (fsync(handle) == 0 || errno == EINVAL);
    wbStatus status = synced ? wb_okStatus : wbFileError("save the folder of", path);
    if (handle >= 0) close(handle);
    return status;
}

wbStatus wbOutputFile_CloseSafely(wbOutputFile *file) {
    if (file->path.isDevice) return wbOutputFile_Close(file);
    WB_TRY(wbOutputFile_Flush(file));
    if (fsync(fileno(file->stream)) != 0) return failFile(file);
    WB_TRY(wbOutputFile_Close(file));
    return syncFolder(file->path.final);
}

void wbOutputFile_Abort(wbOutputFile *file) {
    if (file->stream != NULL) fclose(file->stream);
    file->stream = NULL;
    wbOutputPath_Discard(&file->path);
}
