// SPDX-License-Identifier: MIT
#include "app/view/thumbnails.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/view/cache.h"
#include "core/status.h"
#include "core/timer.h"

extern char **environ;

// A second of simulated time in two halves: the last half that came in time is the picture.
enum { FPS = 10, EVERY = 5, LAST = 10 };
static const double patience = 20, grace = 3; ///< s: until it is asked to end, and until it must

wbStatus wbFindThumbnail(uint64_t sceneHash, char path[WB_THUMBNAIL_PATH]) {
    char folder[WB_CACHE_PATH];
    WB_TRY(wbOpenCache("thumbnails", folder));
    snprintf(path, WB_THUMBNAIL_PATH, "%s/%016" PRIx64 ".png", folder, sceneHash);
    return wb_okStatus;
}

// One thread, the lowest priority, and no word: the window goes on beside it.
static bool start(const char *program, const char *scene, const char *folder, pid_t *child) {
    char fps[32], every[16], size[32];
    snprintf(fps, sizeof fps, "output.fps=%d", FPS);
    snprintf(every, sizeof every, "%d", EVERY);
    snprintf(size, sizeof size, "%dx%d", WB_THUMBNAIL_WIDTH, WB_THUMBNAIL_HEIGHT);
    // clang-format off
    const char *const arguments[] = {
        "env", "LP_NUM_THREADS=1", "nice", "-n", "19", program, "run", scene, "--seconds", "1", "--set", fps,
        "--set", "output.legend=false", "--size", size, "--every", every, "--png", folder, "--threads", "1", "--quiet", NULL};
    // clang-format on
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none); // a thread without signals starts it
    posix_spawnattr_setpgroup(&attributes, 0);
    const int error =
        posix_spawnp(child, arguments[0], &actions, &attributes, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error == 0;
}

// It ends after its step if it is asked to, and at once if it must.
static void await(pid_t child, wbIsOverFn *isOver, void *context) {
    const double begin = wbGetSeconds();
    bool isAsked = false;
    while (waitpid(child, NULL, WNOHANG) == 0) {
        const double passed = wbGetSeconds() - begin;
        const bool over = isOver(context);
        if (over || passed > patience + grace)
            kill(child, SIGKILL);
        else if (passed > patience && !isAsked)
            isAsked = kill(child, SIGTERM) == 0;
        poll(NULL, 0, over ? 2 : 30);
    }
}

// The last picture becomes the thumbnail.
static bool take(const char *folder, const char *path) {
    char file[WB_THUMBNAIL_PATH + 64];
    for (int frame = LAST; frame >= 0; frame -= EVERY) {
        snprintf(file, sizeof file, "%s/frame_%06d.png", folder, frame);
        if (rename(file, path) == 0) return true;
    }
    return false;
}

// With what a child that was ended left there.
static void removeFolder(const char *folder) {
    char file[WB_THUMBNAIL_PATH + 300];
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.') unlink(file);
    }
    if (list) closedir(list);
    rmdir(folder);
}

bool wbDrawThumbnail(const char *program, const char *scene, const char *path, wbIsOverFn *isOver,
                     void *context) {
    char folder[WB_THUMBNAIL_PATH + 16];
    pid_t child;
    snprintf(folder, sizeof folder, "%s-XXXXXX", path);
    if (!mkdtemp(folder)) return false;
    if (start(program, scene, folder, &child)) await(child, isOver, context);
    const bool isDrawn = !isOver(context) && take(folder, path); // one that was cut short is none to keep
    removeFolder(folder);
    return isDrawn;
}
