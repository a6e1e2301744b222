// SPDX-License-Identifier: MIT
// The colours of constraints as a file: {"constraints": 3, "hash": "0123456789abcdef", "colours": [0, 1, 0]}. The hash
// is that of who is tied to whom, so that the colours of another scene are refused.
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/output_file.h"
#include "core/status.h"
#include "scene/source.h"
#include "wirbel/scene.h"

enum { HASH_SIZE = 17, PER_LINE = 24 };

static void formatHash(const wbWorld *world, char text[HASH_SIZE]) {
    snprintf(text, HASH_SIZE, "%016" PRIx64, wbWorld_HashConstraints(world));
}

static wbStatus writeColours(const char *path, const wbWorld *world, const int *colours, int count) {
    wbOutputFile file;
    char hash[HASH_SIZE];
    formatHash(world, hash);
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(wbOutputFile_Print(&file, "{\"constraints\": %d, \"hash\": \"%s\", \"colours\": [", count, hash));
    for (int k = 0; k < count; k++)
        WB_TRY(wbOutputFile_Print(&file, "%s%s%d", k ? "," : "", k % PER_LINE ? " " : "\n  ", colours[k]));
    WB_TRY(wbOutputFile_Print(&file, "\n]}\n"));
    return wbOutputFile_Close(&file);
}

wbStatus wbWriteColouring(const char *path, wbWorld *world) {
    WB_REQUIRE(path);
    WB_REQUIRE(world);
    wbArray colours = {.elementSize = sizeof(int)};
    int count = wbWorld_GetConstraintCount(world);
    if (!wbArray_Reserve(NULL, &colours, count)) return wbMemoryError(NULL, "%d colours need", count);
    wbStatus status = wbWorld_GetColours(world, colours.data);
    if (wbIsOk(status)) status = writeColours(path, world, colours.data, count);
    wbArray_Free(NULL, &colours);
    return status;
}

static wbStatus takeColours(const wbSource *source, const json_t *root, wbWorld *world, int *colours) {
    const json_t *list = json_object_get(root, "colours");
    const char *hash = json_string_value(json_object_get(root, "hash"));
    size_t count = (size_t)wbWorld_GetConstraintCount(world);
    char wanted[HASH_SIZE];
    formatHash(world, wanted);
    if (!json_is_array(list) || !hash)
        return wbError(wb_errorInput, "%s is no colouring: it needs \"hash\" and \"colours\"", source->name);
    if (json_array_size(list) != count)
        return wbError(wb_errorInput, "%s has %zu colours, but the scene has %zu constraints", source->name,
                       json_array_size(list), count);
    if (strcmp(hash, wanted) != 0)
        return wbError(wb_errorInput,
                       "%s belongs to other constraints than the scene's: save the colouring of this scene",
                       source->name);
    for (size_t k = 0; k < count; k++) {
        const json_t *value = json_array_get(list, k);
        if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > INT_MAX)
            return wbSource_FailAt(source, &(wbPath){&(wbPath){NULL, "colours", 0}, NULL, k},
                                   "a colour must be a whole number, 0 or more");
        colours[k] = (int)json_integer_value(value);
    }
    wbStatus status = wbWorld_SetColours(world, colours);
    return wbIsOk(status) ? status : wbError(status.code, "%s: %s", source->name, status.text);
}

wbStatus wbReadColouring(const char *path, wbWorld *world) {
    WB_REQUIRE(path);
    WB_REQUIRE(world);
    wbSource source;
    json_error_t error;
    wbArray colours = {.elementSize = sizeof(int)};
    WB_TRY(wbReadSource(path, &source));
    json_t *root = json_loadb(source.text.data, (size_t)source.length, JSON_REJECT_DUPLICATES, &error);
    wbStatus status = wb_okStatus;
    if (!root)
        status = wbSource_FailAtPosition(&source, (wbPosition){error.line, error.column}, error.text);
    else if (!wbArray_Reserve(NULL, &colours, wbWorld_GetConstraintCount(world)))
        status = wbMemoryError(NULL, "the colours of a file need");
    else
        status = takeColours(&source, root, world, colours.data);
    json_decref(root);
    wbArray_Free(NULL, &colours);
    wbFreeSource(&source);
    return status;
}
