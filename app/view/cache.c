// SPDX-License-Identifier: MIT
#include "app/view/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/output_file.h"
#include "core/status.h"

// The specification of XDG says that a path which does not start at the root is to be ignored.
static bool getRoot(char path[WB_CACHE_PATH]) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') return snprintf(path, WB_CACHE_PATH, "%s", cache) < WB_CACHE_PATH;
    return home && home[0] == '/' && snprintf(path, WB_CACHE_PATH, "%s/.cache", home) < WB_CACHE_PATH;
}

static wbStatus makeFolder(const char *path) {
    return mkdir(path, 0700) == 0 || errno == EEXIST ? wb_okStatus : wbFileError("make the folder", path);
}

wbStatus wbOpenCache(const char *folder, char path[WB_CACHE_PATH]) {
    if (!getRoot(path))
        return wbError(wb_errorFile,
                       "there is no cache folder: set HOME, or XDG_CACHE_HOME, to a short path");
    const char *const parts[] = {"", "/wirbel", "/", folder};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const size_t length = strlen(path);
        if (snprintf(path + length, WB_CACHE_PATH - length, "%s", parts[i]) >= (int)(WB_CACHE_PATH - length))
            return wbError(wb_errorFile, "the path of the cache folder is too long");
        WB_TRY(makeFolder(path));
    }
    return wb_okStatus;
}
