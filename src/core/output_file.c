// SPDX-License-Identifier: MIT
#include "core/output_file.h"

#include "core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PART_ENDING = 40 }; // bytes that a part's name may be longer

wbStatus wbFailFile(const char *action, const char *path, const char *reason) {
    // the end of a long path says more than its start, and the reason must not be cut
    enum { SHOWN = 130 };
    size_t length = strlen(path);
    if (length <= SHOWN) return wbError(wb_errorFile, "cannot %s %s: %s", action, path, reason);
    return wbError(wb_errorFile, "cannot %s …%s: %s", action, path + length - SHOWN, reason);
}

wbStatus wbFileError(const char *action, const char *path) {
    return wbFailFile(action, path, strerror(errno));
}

wbStatus wbOutputPath_Set(wbOutputPath *path, const char *name) {
    size_t length = strlen(name);
    if (length == 0) return wbError(wb_errorInput, "the name of an output file is empty");
    if (length + PART_ENDING > WB_MAX_PATH) {
        return wbError(wb_errorInput, "the path of an output file has %zu bytes, allowed are %d", length,
                       WB_MAX_PATH - PART_ENDING);
    }
    struct stat info;
    bool exists = stat(name, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return wbFileError("write", name);
    }
    path->isDevice = exists && !S_ISREG(info.st_mode);
    memcpy(path->final, name, length + 1);
    path->part[0] = '\0';
    return wb_okStatus;
}

// A number behind the process tells the files of its threads apart, and those that a killed one has left.
static int createPart(wbOutputPath *path) {
    enum { TRIES = 10000 };
    for (int n = 0; n < TRIES; n++) {
        char number[16] = "";
        if (n > 0) snprintf(number, sizeof number, "-%d", n);
        snprintf(path->part, sizeof path->part, "%.*s.%d%s.part", WB_MAX_PATH - PART_ENDING, path->final,
                 (int)getpid(), number);
        int file = open(path->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

wbStatus wbOutputPath_Create(wbOutputPath *path, int *file) {
    *file = path->isDevice ? open(path->final, O_WRONLY | O_CLOEXEC) : createPart(path);
    if (*file >= 0) return wb_okStatus;
    path->part[0] = '\0';
    return wbFileError("write", path->final);
}

wbStatus wbOutputPath_Commit(wbOutputPath *path) {
    if (path->isDevice) return wb_okStatus;
    wbStatus status = wb_okStatus;
    if (rename(path->part, path->final) == 0)
        path->part[0] = '\0';
    else
        status = wbFileError("rename the finished file to", path->final);
    wbOutputPath_Discard(path);
    return status;
}

void wbOutputPath_Discard(wbOutputPath *path) {
    if (path->part[0] != '\0') unlink(path->part);
    path->part[0] = '\0';
}

wbStatus wbOutputFile_Open(wbOutputFile *file, const char *path) {
    int handle;
    *file = (wbOutputFile){0};
    WB_TRY(wbOutputPath_Set(&file->path, path));
    WB_TRY(wbOutputPath_Create(&file->path, &handle));
    file->stream = fdopen(handle, "wb");
    if (file->stream != NULL) return wb_okStatus;
    wbStatus status = wbFileError("write", path);
    close(handle);
    wbOutputPath_Discard(&file->path);
    return status;
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
    if (fflush(file->stream) != 0 || ferror(file->stream)) return failFile(file);
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
