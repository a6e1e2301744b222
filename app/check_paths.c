// SPDX-License-Identifier: MIT
#include "app/check_paths.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/output_file.h"

enum { MOST_NAMES = 4, FILES = 5, FOLDERS = 8 };

typedef struct File {
    const char *flag, *path; ///< path NULL: not given
} File;

/// A folder that is written into, and the names that files get there.
typedef struct Folder {
    const char *flag, *path;
    const char *names[MOST_NAMES];
} Folder;

static void listFiles(const wbOptions *options, File files[FILES]) {
    const File list[FILES] = {{"--save", options->save},
                              {"--stats", options->stats},
                              {"--video", options->video},
                              {"--record", options->record},
                              {"--save-colouring", options->saveColouring}};
    memcpy(files, list, sizeof list);
}

static void listFolders(const wbOptions *options, Folder folders[FOLDERS]) {
    const Folder list[FOLDERS] = {
        {"--png", options->png, {"frame_[0-9]*.png"}},
        {"--ply", options->ply, {"particles_[0-9]*.ply"}},
        {"--vtk", options->vtk, {"particles_[0-9]*.vtp", "particles.pvd", "air_[0-9]*.vti", "air.pvd"}},
        {"--surface", options->surface, {"surface_[0-9]*.ply", "surface_[0-9]*.vtp", "surface.pvd"}},
        {"--poses", options->poses, {"poses.csv", "meshes.csv", "*.ply"}},
        {"--vdb", options->vdb, {"air_[0-9]*.vdb"}},
        {"--raw", options->raw, {"*_[0-9]*.mhd", "*_[0-9]*.raw"}},
        {"--plot", options->plot, {"*.svg"}}};
    memcpy(folders, list, sizeof list);
}

static bool isWrittenName(const Folder *folder, const char *name) {
    for (int n = 0; n < MOST_NAMES && folder->names[n]; n++)
        if (fnmatch(folder->names[n], name, 0) == 0) return true;
    return false;
}

static bool isSame(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// The folder that a path ends in, and the name there.
static bool findFolder(const char *path, struct stat *folder, const char **name) {
    char text[WB_MAX_PATH];
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    int length = snprintf(text, sizeof text, "%.*s", (int)(*name - path), path);
    return length < (int)sizeof text && stat(length ? text : ".", folder) == 0;
}

// Whether two paths end in the same file, also if it is not there yet.
static bool isSameFile(const char *a, const char *b) {
    struct stat x, y;
    const char *aName, *bName;
    if (strcmp(a, b) == 0) return true;
    if (stat(a, &x) == 0 && stat(b, &y) == 0) return isSame(&x, &y);
    return findFolder(a, &x, &aName) && findFolder(b, &y, &bName) && isSame(&x, &y) &&
           strcmp(aName, bName) == 0;
}

// Whether the folder has a file that will be written anew and is the same as this one.
static bool hasFile(const Folder *folder, const char *path) {
    struct stat wanted, found;
    DIR *directory = stat(path, &wanted) == 0 ? opendir(folder->path) : NULL;
    bool isThere = false;
    for (struct dirent *entry; directory && !isThere && (entry = readdir(directory));) {
        char name[WB_MAX_PATH];
        if (!isWrittenName(folder, entry->d_name)) continue;
        int length = snprintf(name, sizeof name, "%s/%s", folder->path, entry->d_name);
        isThere = length < (int)sizeof name && stat(name, &found) == 0 && isSame(&wanted, &found);
    }
    if (directory) closedir(directory);
    return isThere;
}

// Whether a file that may not be there yet has a place and a name that are written.
static bool isWithin(const Folder *folder, const char *path) {
    struct stat own, its;
    const char *name;
    return stat(folder->path, &own) == 0 && findFolder(path, &its, &name) && isSame(&own, &its) &&
           isWrittenName(folder, name);
}

static bool checkInput(const wbOptions *options, const char *input) {
    File files[FILES];
    Folder folders[FOLDERS];
    listFiles(options, files);
    listFolders(options, folders);
    // a recording needs the checkpoint that it begins with
    bool isResumed =
        options->resume && !options->record && !options->replay && strcmp(input, options->resume) == 0;
    for (int f = 0; f < FILES; f++) {
        if (isResumed && files[f].path && files[f].path == options->save) continue;
        if (!files[f].path || !isSameFile(files[f].path, input)) continue;
        wbComplain("%s would overwrite %s, which this run reads: name another file", files[f].flag, input);
        return false;
    }
    for (int f = 0; f < FOLDERS; f++) {
        if (!folders[f].path || !hasFile(&folders[f], input)) continue;
        wbComplain("%s %s may overwrite %s, which this run reads: name another folder", folders[f].flag,
                   folders[f].path, input);
        return false;
    }
    return true;
}

// Two outputs into one file would take each other's place.
static bool checkOutputs(const wbOptions *options) {
    File files[FILES];
    Folder folders[FOLDERS];
    listFiles(options, files);
    listFolders(options, folders);
    for (int a = 0; a < FILES; a++) {
        for (int b = a + 1; b < FILES && files[a].path; b++) {
            if (!files[b].path || !isSameFile(files[a].path, files[b].path)) continue;
            wbComplain("%s and %s both name %s: give each a file of its own", files[a].flag, files[b].flag,
                       files[a].path);
            return false;
        }
        for (int b = 0; b < FOLDERS && files[a].path; b++) {
            if (!folders[b].path || !isWithin(&folders[b], files[a].path)) continue;
            wbComplain("%s names %s, as %s %s may: give each a file of its own", files[a].flag, files[a].path,
                       folders[b].flag, folders[b].path);
            return false;
        }
    }
    return true;
}

bool wbCheckPaths(const wbOptions *options, const wbScene *scene) {
    if (!checkOutputs(options)) return false;
    for (int i = 0; i < wbScene_GetFileCount(scene); i++)
        if (!checkInput(options, wbScene_GetFile(scene, i))) return false;
    if (options->resume && !checkInput(options, options->resume)) return false;
    return !options->colouring || checkInput(options, options->colouring);
}
