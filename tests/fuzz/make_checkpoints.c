// SPDX-License-Identifier: MIT
// make_checkpoints SCENES FOLDER: the checkpoints that fuzz_checkpoint starts from, one for each scene of the folder but
// those that are called bad-…, which must be refused. They are made anew wherever they are needed: files that were kept
// would no longer load after the next change of the format, and a fuzzer that starts from them gets nowhere, unseen.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

enum { MOST_BYTES = 65536 };

static bool explain(const char *name, const char *what, wbStatus status) {
    if (!wbIsOk(status)) printf("%s: %s: %s\n", name, what, status.text);
    return wbIsOk(status);
}

// The world after a step, if it can step, else as it starts.
static wbStatus createWorld(const wbScene *scene, wbWorld **world) {
    wbStatus status = wbScene_CreateWorld(scene, world);
    if (!wbIsOk(status) || wbIsOk(wbWorld_Step(*world, 0))) return status;
    wbDestroyWorld(*world);
    return wbScene_CreateWorld(scene, world);
}

static bool saveAndLoad(const char *name, wbWorld *world, const char *path) {
    wbWorld *loaded;
    if (!explain(name, "not saved", wbWorld_Save(world, path))) return false;
    wbStatus status = wbLoadWorld(path, &loaded);
    wbDestroyWorld(loaded);
    return explain(name, "does not load", status);
}

// Scenes name meshes as in the fuzz targets: from the present folder.
static bool makeCheckpoint(const char *name, const char *text, size_t length, const char *path) {
    const bool isBad = strncmp(name, "bad-", 4) == 0;
    wbScene *scene;
    wbWorld *world = NULL;
    wbStatus status = wbReadSceneText("fuzz.json", text, length, &scene);
    bool isSmall = scene && wbLimitScene(scene, 0), isFine;
    if (isSmall) status = createWorld(scene, &world);
    if (isBad) {
        isFine = !wbIsOk(status);
        if (!isFine) printf("%s: is not refused\n", name);
    } else {
        isFine = explain(name, "refused", status) && (!world || saveAndLoad(name, world, path));
    }
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    return isFine;
}

// libFuzzer cuts off what is longer than its inputs may be: a checkpoint that lacks its end.
static bool isShort(const char *name, const char *path) {
    struct stat state;
    if (stat(path, &state) != 0 || state.st_size <= MOST_BYTES) return true;
    printf("%s: a checkpoint of %lld bytes, allowed are %d\n", name, (long long)state.st_size, MOST_BYTES);
    return false;
}

int main(int count, char **arguments) {
    DIR *scenes = count == 3 ? opendir(arguments[1]) : NULL;
    if (!scenes) return printf("usage: make_checkpoints SCENES FOLDER\n"), 2;
    mkdir(arguments[2], 0777);
    int made = 0, failed = 0;
    for (struct dirent *entry; (entry = readdir(scenes));) {
        char scene[4096], path[4096];
        const char *name = entry->d_name;
        if (name[0] == '.') continue;
        snprintf(scene, sizeof scene, "%s/%s", arguments[1], name);
        snprintf(path, sizeof path, "%s/%s", arguments[2], name);
        remove(path);
        FILE *file = fopen(scene, "rb");
        char text[4096];
        size_t length = file ? fread(text, 1, sizeof text, file) : 0;
        if (file) fclose(file);
        if (!makeCheckpoint(name, text, length, path) || !isShort(name, path)) failed++;
        made += access(path, F_OK) == 0;
    }
    closedir(scenes);
    printf("%d checkpoints, %d failures\n", made, failed);
    return made > 0 && failed == 0 ? 0 : 1;
}
