// SPDX-License-Identifier: MIT
// Recordings in memory, and their reader.
#include "scene/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "core/input_file.h"
#include "core/status.h"
#include "scene/read.h"

uint64_t wbScene_HashText(const wbScene *scene) {
    WB_REQUIRE(scene);
    return wbHashBytes(WB_HASH_START, scene->source.text.data, (size_t)scene->source.length);
}

void wbRecording_Free(wbRecording *recording) {
    wbCommandLog_Free(&recording->settings);
    wbCommandLog_Free(&recording->script);
    wbArray_Free(NULL, &recording->hashes);
    wbArray_Free(NULL, &recording->notes);
    wbFreeSource(&recording->source);
    *recording = (wbRecording){0};
}

// While a world runs

wbStatus wbRecording_Start(wbRecording *recording, const wbScene *scene, const wbWorld *world) {
    WB_REQUIRE(recording);
    WB_REQUIRE(world);
    const wbDevice *device = wbWorld_GetDevice(world);
    if (wbScene_GetFileCount(scene) == 0 || strlen(wbScene_GetFile(scene, 0)) >= sizeof recording->scene)
        return wbError(wb_errorInput,
                       "a recording names the file of its scene: this one has none, or its path "
                       "is too long");
    strcpy(recording->scene, wbScene_GetFile(scene, 0));
    recording->sceneHash = wbScene_HashText(scene);
    snprintf(recording->version, sizeof recording->version, "%s", wbGetVersion());
    snprintf(recording->simd, sizeof recording->simd, "%s", wbGetSimdName(wbWorld_GetSimd(world)));
    snprintf(recording->backend, sizeof recording->backend, "cpu");
    if (device)
        snprintf(recording->backend, sizeof recording->backend, "opencl %.80s %.80s", device->name,
                 device->driver);
    return wb_okStatus;
}

static wbStatus hashFile(const char *path, uint64_t *hash) {
    uint8_t bytes[1 << 14];
    FILE *file;
    size_t size, got;
    WB_TRY(wbOpenInput(path, &file, &size));
    *hash = WB_HASH_START;
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0) *hash = wbHashBytes(*hash, bytes, got);
    const bool isRead = !ferror(file);
    fclose(file);
    return isRead ? wb_okStatus : wbError(wb_errorFile, "cannot read %.150s: %s", path, strerror(errno));
}

wbStatus wbRecording_StartFrom(wbRecording *recording, const char *checkpoint) {
    WB_REQUIRE(recording);
    WB_REQUIRE(checkpoint);
    if (strlen(checkpoint) >= sizeof recording->checkpoint)
        return wbError(wb_errorInput, "%.60s… is too long to be recorded", checkpoint);
    WB_TRY(hashFile(checkpoint, &recording->checkpointHash));
    strcpy(recording->checkpoint, checkpoint);
    return wb_okStatus;
}

static wbStatus addHash(wbRecording *recording, int64_t step, uint64_t hash) {
    recording->hashes.elementSize = sizeof(wbStepHash);
    if (!wbArray_Reserve(NULL, &recording->hashes, recording->hashCount + 1))
        return wbMemoryError(NULL, "%d hashes need", recording->hashCount + 1);
    ((wbStepHash *)recording->hashes.data)[recording->hashCount++] = (wbStepHash){step, hash};
    return wb_okStatus;
}

wbStatus wbRecording_AddStep(wbRecording *recording, wbWorld *world) {
    const int64_t step = wbWorld_GetStepCount(world);
    const int count = recording->hashCount;
    if (step % WB_HASH_EVERY != 0) return wb_okStatus;
    if (count > 0 && wbRecording_GetHash(recording, count - 1)->step >= step) return wb_okStatus;
    return addHash(recording, step, wbWorld_Hash(world));
}

void wbRecording_End(wbRecording *recording, wbWorld *world) {
    recording->endStep = wbWorld_GetStepCount(world);
    recording->endTime = wbWorld_GetTime(world);
    recording->endHash = wbWorld_Hash(world);
}

wbStatus wbRecording_AddNote(wbRecording *recording, double time, const char *text) {
    recording->notes.elementSize = sizeof(wbRecordedNote);
    if (!wbArray_Reserve(NULL, &recording->notes, recording->noteCount + 1))
        return wbMemoryError(NULL, "%d notes need", recording->noteCount + 1);
    wbRecordedNote *notes = recording->notes.data;
    int at = recording->noteCount++;
    for (; at > 0 && notes[at - 1].time > time; at--) notes[at] = notes[at - 1];
    notes[at] = (wbRecordedNote){.time = time};
    snprintf(notes[at].text, sizeof notes[at].text, "%s", text);
    return wb_okStatus;
}

void wbRecording_Cut(wbRecording *recording, int64_t step, double time) {
    while (recording->noteCount > 0 && wbRecording_GetNote(recording, recording->noteCount - 1)->time > time)
        recording->noteCount--;
    while (recording->hashCount > 0 && wbRecording_GetHash(recording, recording->hashCount - 1)->step > step)
        recording->hashCount--;
    wbCommandLog_Cut(&recording->script, wbCommandLog_Find(&recording->script, time));
}

// Doing it again

static wbStatus failAt(const wbRecording *recording, const char *list, int index, wbStatus status) {
    if (recording->source.length == 0 || status.code != wb_errorInput) return status;
    const wbPath array = {NULL, list, 0}, entry = {&array, NULL, (size_t)index};
    return wbSource_FailAt(&recording->source, &(wbPath){&entry, "value", 0}, "%s", status.text);
}

wbStatus wbRecording_CheckCheckpoint(const wbRecording *recording, const char *path) {
    uint64_t hash;
    WB_TRY(hashFile(path, &hash));
    if (hash == recording->checkpointHash) return wb_okStatus;
    return wbError(wb_errorInput,
                   "the checkpoint %.120s is not the one that was recorded from: give it as it was", path);
}

wbStatus wbRecording_ApplySettings(const wbRecording *recording, wbScene *scene) {
    for (int i = 0; i < recording->settings.count; i++) {
        const wbLoggedCommand *setting = wbCommandLog_Get(&recording->settings, i);
        wbStatus status = wbScene_Set(scene, setting->key, setting->value);
        if (!wbIsOk(status)) return failAt(recording, "settings", i, status);
    }
    return wb_okStatus;
}

wbStatus wbRecording_Replay(const wbRecording *recording, wbWorld *world, int *next) {
    wbStatus status = wbCommandLog_Replay(&recording->script, world, next);
    return wbIsOk(status) ? status : failAt(recording, "script", *next, status);
}

bool wbRecording_IsSame(const wbRecording *recording, wbWorld *world, bool *known) {
    const int64_t step = wbWorld_GetStepCount(world);
    *known = true;
    if (step == recording->endStep) return wbWorld_Hash(world) == recording->endHash;
    int low = 0, high = recording->hashCount;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (wbRecording_GetHash(recording, middle)->step < step)
            low = middle + 1;
        else
            high = middle;
    }
    *known = low < recording->hashCount && wbRecording_GetHash(recording, low)->step == step;
    return !*known || wbRecording_GetHash(recording, low)->hash == wbWorld_Hash(world);
}

// Reading

static const json_t *find(const wbReader *reader, const json_t *object, const wbPath *owner, const char *key,
                          wbStatus *status) {
    const json_t *value = json_object_get(object, key);
    char place[64] = "the recording";
    if (owner) wbFormatPath(owner, place, sizeof place);
    if (!value && wbIsOk(*status))
        *status =
            owner ? wbSource_FailAt(reader->source, owner, "%s has no \"%s\"", place, key)
                  : wbSource_FailAtPosition(reader->source, (wbPosition){1, 1},
                                            wbError(wb_errorInput, "the recording has no \"%s\"", key).text);
    return value;
}

static wbStatus readText(const wbReader *reader, const json_t *object, const wbPath *owner, const char *key,
                         char *text, size_t size) {
    wbStatus status = wb_okStatus;
    const json_t *value = find(reader, object, owner, key, &status);
    if (!value) return status;
    const wbPath path = {owner, key, 0};
    WB_TRY(wbCheckType(reader, json_is_string(value), value, &path, "a string"));
    if (json_string_length(value) >= size)
        return wbSource_FailAt(reader->source, &path, "\"%s\" has %zu bytes, allowed are %zu", key,
                               json_string_length(value), size - 1);
    snprintf(text, size, "%s", json_string_value(value));
    return wb_okStatus;
}

// 16 hexadecimal digits: a number of JSON has no room for them.
static wbStatus readHash(const wbReader *reader, const json_t *object, const wbPath *owner, const char *key,
                         uint64_t *hash) {
    char text[17];
    WB_TRY(readText(reader, object, owner, key, text, sizeof text));
    *hash = 0;
    for (int i = 0; i < 16; i++) {
        const char *digits = "0123456789abcdef", *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return wbSource_FailAt(reader->source, &(wbPath){owner, key, 0},
                                   "\"%s\" must have 16 digits, 0 to 9 and a to f", key);
        *hash = *hash << 4 | (uint64_t)(digit - digits);
    }
    return wb_okStatus;
}

static wbStatus readNumber(const wbReader *reader, const json_t *object, const wbPath *owner, const char *key,
                           double least, double most, bool isWhole, double *number) {
    wbStatus status = wb_okStatus;
    const json_t *value = find(reader, object, owner, key, &status);
    if (!value) return status;
    const wbPath path = {owner, key, 0};
    WB_TRY(wbCheckType(reader, json_is_number(value), value, &path, "a number"));
    *number = json_number_value(value);
    const bool fits =
        *number >= least && *number <= most && (!isWhole || *number == (double)(int64_t)*number);
    if (fits) return wb_okStatus;
    return wbSource_FailAt(reader->source, &path, "\"%s\" is %.17g, allowed is %.17g to %.17g%s", key,
                           *number, least, most, isWhole ? ", whole numbers" : "");
}

static wbStatus readStep(const wbReader *reader, const json_t *object, const wbPath *owner, int64_t least,
                         int64_t *step) {
    double number;
    WB_TRY(readNumber(reader, object, owner, "step", (double)least, 1e15, true, &number));
    *step = (int64_t)number;
    return wb_okStatus;
}

// A value as wbWorld_Apply reads it, of a text, a number, a truth or a vector.
static wbStatus readValue(const wbReader *reader, const json_t *value, const wbPath *path,
                          char text[WB_COMMAND_VALUE]) {
    size_t length = 0;
    text[0] = 0;
    if (json_is_string(value)) {
        if (json_string_length(value) >= WB_COMMAND_VALUE)
            return wbSource_FailAt(reader->source, path, "\"value\" has %zu bytes, allowed are %d",
                                   json_string_length(value), WB_COMMAND_VALUE - 1);
        snprintf(text, WB_COMMAND_VALUE, "%s", json_string_value(value));
        return wb_okStatus;
    }
    if (json_is_boolean(value)) return strcpy(text, json_is_true(value) ? "true" : "false"), wb_okStatus;
    const bool isVector = json_is_array(value) && json_array_size(value) >= 2 && json_array_size(value) <= 3;
    WB_TRY(wbCheckType(reader, json_is_number(value) || isVector, value, path,
                       "a string, a number, true, false or an array of two or three numbers"));
    for (size_t i = 0; i < (isVector ? json_array_size(value) : 1); i++) {
        const json_t *part = isVector ? json_array_get(value, i) : value;
        WB_TRY(wbCheckType(reader, json_is_number(part), part, &(wbPath){path, NULL, i}, "a number"));
        length += (size_t)snprintf(text + length, WB_COMMAND_VALUE - length, "%s%.17g", i ? "," : "",
                                   json_number_value(part));
    }
    return wb_okStatus;
}

static const char *const entryKeys[] = {"set", "value", "at"};

static wbStatus readEntry(const wbReader *reader, const json_t *object, const wbPath *path, bool hasTime,
                          wbCommandLog *log) {
    char key[WB_COMMAND_KEY], value[WB_COMMAND_VALUE];
    wbStatus status = wb_okStatus;
    double time = 0;
    WB_TRY(wbCheckType(reader, json_is_object(object), object, path, "an object"));
    WB_TRY(wbCheckKeys(reader, object, path, entryKeys, hasTime ? 3 : 2));
    const double least = log->count > 0 ? wbCommandLog_Get(log, log->count - 1)->time : 0;
    if (hasTime) WB_TRY(readNumber(reader, object, path, "at", least, 1e9, false, &time));
    WB_TRY(readText(reader, object, path, "set", key, sizeof key));
    const json_t *given = find(reader, object, path, "value", &status);
    if (!given) return status;
    WB_TRY(readValue(reader, given, &(wbPath){path, "value", 0}, value));
    return wbCommandLog_Add(log, time, key, value);
}

static wbStatus readEntries(const wbReader *reader, const json_t *root, const char *key, bool hasTime,
                            wbCommandLog *log) {
    wbStatus status = wb_okStatus;
    const wbPath path = {NULL, key, 0};
    const json_t *list = find(reader, root, NULL, key, &status);
    if (!list) return status;
    WB_TRY(wbCheckType(reader, json_is_array(list), list, &path, "an array"));
    for (size_t i = 0; i < json_array_size(list); i++)
        WB_TRY(readEntry(reader, json_array_get(list, i), &(wbPath){&path, NULL, i}, hasTime, log));
    return wb_okStatus;
}

static wbStatus readHashes(const wbReader *reader, const json_t *root, wbRecording *recording) {
    static const char *const keys[] = {"step", "hash"};
    wbStatus status = wb_okStatus;
    const wbPath path = {NULL, "hashes", 0};
    const json_t *list = find(reader, root, NULL, "hashes", &status);
    if (!list) return status;
    WB_TRY(wbCheckType(reader, json_is_array(list), list, &path, "an array"));
    int64_t least = 1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        const wbPath at = {&path, NULL, i};
        wbStepHash hash;
        WB_TRY(wbCheckType(reader, json_is_object(object), object, &at, "an object"));
        WB_TRY(wbCheckKeys(reader, object, &at, keys, 2));
        WB_TRY(readStep(reader, object, &at, least, &hash.step));
        WB_TRY(readHash(reader, object, &at, "hash", &hash.hash));
        WB_TRY(addHash(recording, hash.step, hash.hash));
        least = hash.step + 1;
    }
    return wb_okStatus;
}

// They may be missing: files without notes have none.
static wbStatus readNotes(const wbReader *reader, const json_t *root, wbRecording *recording) {
    static const char *const keys[] = {"at", "text"};
    const wbPath path = {NULL, "notes", 0};
    const json_t *list = json_object_get(root, "notes");
    if (!list) return wb_okStatus;
    WB_TRY(wbCheckType(reader, json_is_array(list), list, &path, "an array"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        const wbPath at = {&path, NULL, i};
        wbRecordedNote note;
        WB_TRY(wbCheckType(reader, json_is_object(object), object, &at, "an object"));
        WB_TRY(wbCheckKeys(reader, object, &at, keys, 2));
        WB_TRY(readNumber(reader, object, &at, "at", 0, 1e9, false, &note.time));
        WB_TRY(readText(reader, object, &at, "text", note.text, sizeof note.text));
        WB_TRY(wbRecording_AddNote(recording, note.time, note.text));
    }
    return wb_okStatus;
}

static wbStatus readPart(const wbReader *reader, const json_t *root, const char *key, const char *const *keys,
                         int count, const json_t **part) {
    wbStatus status = wb_okStatus;
    const wbPath path = {NULL, key, 0};
    *part = find(reader, root, NULL, key, &status);
    if (!*part) return status;
    WB_TRY(wbCheckType(reader, json_is_object(*part), *part, &path, "an object"));
    return wbCheckKeys(reader, *part, &path, keys, count);
}

static wbStatus readWriter(const wbReader *reader, const json_t *root, wbRecording *recording) {
    static const char *const keys[] = {"version", "simd", "backend"};
    const wbPath path = {NULL, "writer", 0};
    const json_t *writer;
    WB_TRY(readPart(reader, root, "writer", keys, 3, &writer));
    WB_TRY(readText(reader, writer, &path, "version", recording->version, sizeof recording->version));
    WB_TRY(readText(reader, writer, &path, "simd", recording->simd, sizeof recording->simd));
    return readText(reader, writer, &path, "backend", recording->backend, sizeof recording->backend);
}

// It may be missing: the run began with its scene.
static wbStatus readCheckpoint(const wbReader *reader, const json_t *root, wbRecording *recording) {
    static const char *const keys[] = {"file", "hash"};
    const wbPath path = {NULL, "checkpoint", 0};
    const json_t *part;
    if (!json_object_get(root, "checkpoint")) return wb_okStatus;
    WB_TRY(readPart(reader, root, "checkpoint", keys, 2, &part));
    WB_TRY(readText(reader, part, &path, "file", recording->checkpoint, sizeof recording->checkpoint));
    return readHash(reader, part, &path, "hash", &recording->checkpointHash);
}

static wbStatus readEnd(const wbReader *reader, const json_t *root, wbRecording *recording) {
    static const char *const keys[] = {"step", "time", "hash"};
    const wbPath path = {NULL, "end", 0};
    const json_t *end;
    const int count = recording->hashCount;
    WB_TRY(readPart(reader, root, "end", keys, 3, &end));
    WB_TRY(readStep(reader, end, &path, count > 0 ? wbRecording_GetHash(recording, count - 1)->step : 0,
                    &recording->endStep));
    WB_TRY(readNumber(reader, end, &path, "time", 0, 1e9, false, &recording->endTime));
    return readHash(reader, end, &path, "hash", &recording->endHash);
}

static wbStatus readAll(const wbReader *reader, const json_t *root, wbRecording *recording) {
    static const char *const keys[] = {"scene",  "sceneHash", "checkpoint", "settings", "script",
                                       "writer", "hashes",    "notes",      "end"};
    WB_TRY(wbCheckType(reader, json_is_object(root), root, NULL, "an object"));
    WB_TRY(wbCheckKeys(reader, root, NULL, keys, sizeof keys / sizeof keys[0]));
    WB_TRY(readText(reader, root, NULL, "scene", recording->scene, sizeof recording->scene));
    WB_TRY(readHash(reader, root, NULL, "sceneHash", &recording->sceneHash));
    WB_TRY(readCheckpoint(reader, root, recording));
    WB_TRY(readEntries(reader, root, "settings", false, &recording->settings));
    WB_TRY(readEntries(reader, root, "script", true, &recording->script));
    WB_TRY(readWriter(reader, root, recording));
    WB_TRY(readHashes(reader, root, recording));
    WB_TRY(readNotes(reader, root, recording));
    return readEnd(reader, root, recording);
}

static wbStatus readSettings(const wbReader *reader, const json_t *root, wbRecording *recording) {
    static const char *const keys[] = {"settings"};
    if (json_object_get(root, "script")) return readAll(reader, root, recording);
    WB_TRY(wbCheckType(reader, json_is_object(root), root, NULL, "an object"));
    WB_TRY(wbCheckKeys(reader, root, NULL, keys, 1));
    return readEntries(reader, root, "settings", false, &recording->settings);
}

typedef wbStatus ReadFn(const wbReader *reader, const json_t *root, wbRecording *recording);

// The source is the recording's; after a failure nothing is left.
static wbStatus readSource(wbRecording *recording, ReadFn *read) {
    json_t *root = NULL;
    const wbReader reader = {.source = &recording->source, .subject = "the recording"};
    wbStatus status = wbParseSource(&recording->source, &root);
    if (wbIsOk(status)) status = read(&reader, root, recording);
    json_decref(root);
    if (!wbIsOk(status)) wbRecording_Free(recording);
    return status;
}

wbStatus wbReadRecording(const char *path, wbRecording *recording) {
    WB_REQUIRE(path);
    WB_REQUIRE(recording);
    *recording = (wbRecording){0};
    WB_TRY(wbReadSource(path, &recording->source));
    return readSource(recording, readAll);
}

wbStatus wbReadRecordingText(const char *name, const char *text, size_t length, wbRecording *recording) {
    WB_REQUIRE(name);
    WB_REQUIRE(recording);
    *recording = (wbRecording){0};
    WB_TRY(wbCopySource(name, text, length, &recording->source));
    return readSource(recording, readAll);
}

wbStatus wbReadSettings(const char *path, wbRecording *recording) {
    WB_REQUIRE(path);
    WB_REQUIRE(recording);
    *recording = (wbRecording){0};
    WB_TRY(wbReadSource(path, &recording->source));
    return readSource(recording, readSettings);
}
