// SPDX-License-Identifier: MIT
// wirbel view: starts wirbel-view, which is a program of its own: it needs GLFW, Dear ImGui and the C++ runtime.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/find_scene.h"
#include "app/view/flags.h"

static bool findBeside(char path[WB_SCENE_PATH]) {
    const ssize_t length = readlink("/proc/self/exe", path, WB_SCENE_PATH - 32);
    if (length <= 0) return false;
    path[length] = 0;
    strcpy(strrchr(path, '/') + 1, "wirbel-view");
    return access(path, X_OK) == 0;
}

int wbStartView(int count, char **arguments) {
    char path[WB_SCENE_PATH];
    (void)count;
    if (!findBeside(path)) {
        wbComplain("there is no wirbel-view beside this program: install libglfw3-dev, libimgui-dev and g++ "
                   "(scripts/install-deps view) and build again, not with WIRBEL_VIEW=off");
        return WB_EXIT_FAILED;
    }
    arguments[0] = path;
    execv(path, arguments);
    wbComplain("%s cannot be started: %s", path, strerror(errno));
    return WB_EXIT_FAILED;
}

// For the list of commands and the help; main hands the arguments on as they are.
static int refuse(const wbOptions *options) {
    (void)options;
    return WB_EXIT_USAGE;
}

const wbCommand wb_viewCommand = {
    "view", "[SCENE]", WB_VIEW_SENTENCE, 0, 1, wb_viewFlags, WB_VIEW_FLAG_COUNT, refuse,
};
