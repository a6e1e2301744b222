// SPDX-License-Identifier: MIT
#include "app/view/remote.h"

#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "core/status.h"

wbStatus wbRemote_Open(wbRemote *remote, const char *path) {
    *remote = (wbRemote){0};
    if (!path) return wb_okStatus;
    remote->hasInput = strcmp(path, "-") == 0;
    remote->file = remote->hasInput ? stdout : fopen(path, "w");
    return remote->file ? wb_okStatus : wbError(wb_errorFile, "--events %s: cannot be written", path);
}

void wbRemote_Close(wbRemote *remote) {
    if (remote->file && remote->file != stdout) fclose(remote->file);
    *remote = (wbRemote){0};
}

void wbRemote_Tell(wbRemote *remote, const char *format, ...) {
    if (!remote->file) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(remote->file, format, arguments);
    va_end(arguments);
    fputc('\n', remote->file);
    fflush(remote->file);
}

// Byte by byte: whole lines only, and nothing is read ahead of what is there.
const char *wbRemote_Next(wbRemote *remote) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (remote->hasInput && poll(&input, 1, 0) > 0) {
        char byte;
        if (read(STDIN_FILENO, &byte, 1) <= 0) {
            remote->hasInput = false;
        } else if (byte == '\n') {
            remote->line[remote->length] = 0;
            remote->length = 0;
            return remote->line;
        } else if (remote->length < WB_REMOTE_LINE - 1) {
            remote->line[remote->length++] = byte;
        }
    }
    return NULL;
}
