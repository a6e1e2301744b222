// SPDX-License-Identifier: MIT
#include "app/find_scene.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/args.h"

enum { WB_FOLDER_COUNT = 3, WB_MAX_NAMES = 256 };

static bool join(char path[WB_SCENE_PATH], const char *folder, const char *rest) {
    return snprintf(path, WB_SCENE_PATH, "%s%s", folder, rest) < WB_SCENE_PATH;
}

// the folder of the running program, with a slash at its end
static bool getProgramFolder(char path[WB_SCENE_PATH]) {
    ssize_t length = readlink("/proc/self/exe", path, WB_SCENE_PATH - 1);
    if (length <= 0) return false;
    path[length] = 0;
    strrchr(path, '/')[1] = 0;
    return true;
}

// folder number `index` of those searched, whether it exists or not
static bool getFolder(int index, char path[WB_SCENE_PATH]) {
    static const char *const places[WB_FOLDER_COUNT] = {"scenes", "../scenes", "../share/wirbel/scenes"};
    char program[WB_SCENE_PATH];
    if (index == 0) return join(path, "", places[0]);
    return getProgramFolder(program) && join(path, program, places[index]);
}

static bool isFolder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool wbFindSceneFolder(char path[WB_SCENE_PATH]) {
    for (int i = 0; i < WB_FOLDER_COUNT; i++) {
        if (getFolder(i, path) && isFolder(path)) return true;
    }
    return false;
}

// the folder's scenes, by name; to be given to globfree
static bool listScenes(const char *folder, glob_t *files) {
    char pattern[WB_SCENE_PATH];
    return join(pattern, folder, "/*.json") && glob(pattern, 0, NULL, files) == 0;
}

// cuts folder and ending off
static const char *getName(char *path) {
    path[strlen(path) - strlen(".json")] = 0;
    return strrchr(path, '/') + 1;
}

bool wbVisitScenes(const char *folder, wbSceneFn *visit, void *context) {
    glob_t files;
    if (!listScenes(folder, &files)) return false;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char path[WB_SCENE_PATH];
        if (join(path, files.gl_pathv[i], "")) visit(getName(files.gl_pathv[i]), path, context);
    }
    globfree(&files);
    return true;
}

static void complainMissing(const char *name) {
    char folder[WB_SCENE_PATH];
    glob_t files;
    if (!wbFindSceneFolder(folder) || !listScenes(folder, &files)) {
        wbComplain("no scene \"%s\": there is no such file and no folder of scenes", name);
        return;
    }
    const char *names[WB_MAX_NAMES];
    int count = 0;
    for (size_t i = 0; i < files.gl_pathc && count < WB_MAX_NAMES; i++)
        names[count++] = getName(files.gl_pathv[i]);
    const char *suggestion = wbSuggest(name, names, count);
    wbComplain("no scene \"%s\" here or in %s%s", name, folder,
               suggestion[0] ? suggestion : " (wirbel scenes lists them)");
    globfree(&files);
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

bool wbFindScene(const char *name, char path[WB_SCENE_PATH]) {
    size_t length = strlen(name);
    bool isFile = length > 5 && strcmp(name + length - 5, ".json") == 0;
    if (isFile || (exists(name) && !isFolder(name))) {
        // whatever is wrong with it, the reader says so
        if (join(path, name, "")) return true;
        wbComplain("the scene's path is too long");
        return false;
    }
    for (int i = 0; i < WB_FOLDER_COUNT; i++) {
        char folder[WB_SCENE_PATH];
        if (getFolder(i, folder) &&
            snprintf(path, WB_SCENE_PATH, "%s/%s.json", folder, name) < WB_SCENE_PATH && exists(path))
            return true;
    }
    complainMissing(name);
    return false;
}
