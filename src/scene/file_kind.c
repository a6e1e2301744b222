// SPDX-License-Identifier: MIT
#include "scene/file_kind.h"

#include <string.h>
#include <strings.h>

#include "core/input_file.h"
#include "core/status.h"
#include "scene/read.h"

static bool endsWith(const char *path, const char *ending) {
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

static bool startsAsCheckpoint(const char *path) {
    static const char magic[8] = {'W', 'I', 'R', 'B', 'E', 'L', '\r', '\n'};
    char start[sizeof magic];
    FILE *file;
    size_t size;
    if (!wbIsOk(wbOpenInput(path, &file, &size))) return false;
    const size_t got = fread(start, 1, sizeof start, file);
    fclose(file);
    return got == sizeof start && memcmp(start, magic, sizeof magic) == 0;
}

// Scenes have neither hashes of scenes nor settings.
static wbFileKind guessJson(const char *path) {
    wbFileKind kind = wb_fileScene;
    wbSource source;
    json_t *root = NULL;
    if (!wbIsOk(wbReadSource(path, &source))) return kind;
    if (wbIsOk(wbParseSource(&source, &root))) {
        if (json_object_get(root, "sceneHash"))
            kind = wb_fileRecording;
        else if (json_object_get(root, "settings"))
            kind = wb_fileSettings;
    }
    json_decref(root);
    wbFreeSource(&source);
    return kind;
}

wbFileKind wbGuessFileKind(const char *path) {
    WB_REQUIRE(path);
    if (startsAsCheckpoint(path)) return wb_fileCheckpoint;
    if (endsWith(path, ".obj") || endsWith(path, ".stl") || endsWith(path, ".ply")) return wb_fileMesh;
    return guessJson(path);
}
