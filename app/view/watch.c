// SPDX-License-Identifier: MIT
#include "app/view/watch.h"

#include <string.h>
#include <sys/stat.h>

static const double interval = 0.5; ///< s

static bool isNewer(struct timespec a, struct timespec b) {
    return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

// When the file that was changed last was changed; false: one of them is not there.
static bool findNewest(const wbWatch *watch, struct timespec *newest) {
    const char *paths = watch->paths.data;
    struct stat info;
    *newest = (struct timespec){0};
    for (int at = 0; at < watch->bytes; at += (int)strlen(paths + at) + 1) {
        if (stat(paths + at, &info) != 0) return false;
        if (isNewer(info.st_mtim, *newest)) *newest = info.st_mtim;
    }
    return true;
}

void wbWatch_Start(wbWatch *watch, double now) {
    watch->next = now + interval;
    findNewest(watch, &watch->newest);
}

bool wbWatch_Update(wbWatch *watch, double now) {
    struct timespec newest;
    if (now < watch->next || watch->bytes == 0) return false;
    watch->next = now + interval;
    if (!findNewest(watch, &newest) ||
        (newest.tv_sec == watch->newest.tv_sec && newest.tv_nsec == watch->newest.tv_nsec))
        return false;
    watch->newest = newest;
    return true;
}

void wbWatch_Free(wbWatch *watch) {
    wbArray_Free(NULL, &watch->paths);
    *watch = (wbWatch){0};
}
