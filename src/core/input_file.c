// SPDX-License-Identifier: MIT
#include "core/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/output_file.h"
#include "core/status.h"

static wbStatus checkKind(int file, const char *path, size_t *size) {
    struct stat info;
    if (fstat(file, &info) != 0) return wbFileError("read", path);
    *size = (size_t)info.st_size;
    if (S_ISREG(info.st_mode)) return wb_okStatus;
    if (!S_ISDIR(info.st_mode)) return wbFailFile("read", path, "it is a device or a pipe, not a file");
    errno = EISDIR;
    return wbFileError("read", path);
}

wbStatus wbOpenInput(const char *path, FILE **file, size_t *size) {
    *file = NULL;
    // a pipe without a writer would keep the program waiting
    int handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (handle < 0) return wbFileError("read", path);
    wbStatus status = checkKind(handle, path, size);
    if (wbIsOk(status)) *file = fdopen(handle, "rb");
    if (wbIsOk(status) && !*file) status = wbFileError("read", path);
    if (!wbIsOk(status)) close(handle);
    return status;
}
