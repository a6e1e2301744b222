// SPDX-License-Identifier: MIT
// Recordings and lists of settings as files.
#include <inttypes.h>
#include <jansson.h>

#include "core/status.h"
#include "scene/recording.h"

typedef struct Dump {
    wbOutputFile *file;
    wbStatus status;
} Dump;

static int addBytes(const char *bytes, size_t size, void *context) {
    Dump *dump = context;
    dump->status = wbOutputFile_Write(dump->file, bytes, size);
    return wbIsOk(dump->status) ? 0 : -1;
}

// As a string of JSON, with quotes.
static wbStatus printText(wbOutputFile *file, const char *text) {
    Dump dump = {file, wb_okStatus};
    json_t *value = json_string(text);
    const bool isDone = value && json_dump_callback(value, addBytes, &dump, JSON_ENCODE_ANY) == 0;
    json_decref(value);
    if (isDone || !wbIsOk(dump.status)) return dump.status;
    wbOutputFile_Abort(file);
    return wbError(wb_errorInput, "\"%.60s\" is no text in UTF-8, or there is no memory for it", text);
}

static wbStatus printPair(wbOutputFile *file, const char *before, const char *text, const char *behind) {
    WB_TRY(wbOutputFile_Print(file, "%s", before));
    WB_TRY(printText(file, text));
    return wbOutputFile_Print(file, "%s", behind);
}

// 17 digits say a double exactly.
static wbStatus printEntries(wbOutputFile *file, const char *name, const wbCommandLog *log, bool hasTime) {
    WB_TRY(wbOutputFile_Print(file, "  \"%s\": [", name));
    for (int i = 0; i < log->count; i++) {
        const wbLoggedCommand *entry = wbCommandLog_Get(log, i);
        WB_TRY(wbOutputFile_Print(file, "%s\n    {", i ? "," : ""));
        if (hasTime) WB_TRY(wbOutputFile_Print(file, "\"at\": %.17g, ", entry->time));
        WB_TRY(printPair(file, "\"set\": ", entry->key, ", "));
        WB_TRY(printPair(file, "\"value\": ", entry->value, "}"));
    }
    return wbOutputFile_Print(file, "%s]", log->count ? "\n  " : "");
}

static wbStatus printHashes(wbOutputFile *file, const wbRecording *recording) {
    WB_TRY(wbOutputFile_Print(file, "  \"hashes\": ["));
    for (int i = 0; i < recording->hashCount; i++) {
        const wbStepHash *hash = wbRecording_GetHash(recording, i);
        WB_TRY(wbOutputFile_Print(file, "%s\n    {\"step\": %" PRId64 ", \"hash\": \"%016" PRIx64 "\"}",
                                  i ? "," : "", hash->step, hash->hash));
    }
    return wbOutputFile_Print(file, "%s]", recording->hashCount ? "\n  " : "");
}

static wbStatus printNotes(wbOutputFile *file, const wbRecording *recording) {
    WB_TRY(wbOutputFile_Print(file, ",\n  \"notes\": ["));
    for (int i = 0; i < recording->noteCount; i++) {
        const wbRecordedNote *note = wbRecording_GetNote(recording, i);
        WB_TRY(wbOutputFile_Print(file, "%s\n    {\"at\": %.17g, ", i ? "," : "", note->time));
        WB_TRY(printPair(file, "\"text\": ", note->text, "}"));
    }
    return wbOutputFile_Print(file, "\n  ]");
}

static wbStatus print(wbOutputFile *file, const wbRecording *recording) {
    WB_TRY(printPair(file, "{\n  \"scene\": ", recording->scene, ",\n"));
    WB_TRY(wbOutputFile_Print(file, "  \"sceneHash\": \"%016" PRIx64 "\",\n", recording->sceneHash));
    if (recording->checkpoint[0]) {
        WB_TRY(printPair(file, "  \"checkpoint\": {\"file\": ", recording->checkpoint, ", "));
        WB_TRY(wbOutputFile_Print(file, "\"hash\": \"%016" PRIx64 "\"},\n", recording->checkpointHash));
    }
    WB_TRY(printPair(file, "  \"writer\": {\"version\": ", recording->version, ", "));
    WB_TRY(printPair(file, "\"simd\": ", recording->simd, ", "));
    WB_TRY(printPair(file, "\"backend\": ", recording->backend, "},\n"));
    WB_TRY(printEntries(file, "settings", &recording->settings, false));
    WB_TRY(wbOutputFile_Print(file, ",\n"));
    WB_TRY(printEntries(file, "script", &recording->script, true));
    WB_TRY(wbOutputFile_Print(file, ",\n"));
    WB_TRY(printHashes(file, recording));
    if (recording->noteCount > 0) WB_TRY(printNotes(file, recording));
    return wbOutputFile_Print(
        file, ",\n  \"end\": {\"step\": %" PRId64 ", \"time\": %.17g, \"hash\": \"%016" PRIx64 "\"}\n}\n",
        recording->endStep, recording->endTime, recording->endHash);
}

wbStatus wbWriteRecording(const char *path, const wbRecording *recording) {
    WB_REQUIRE(path);
    WB_REQUIRE(recording);
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(print(&file, recording));
    return wbOutputFile_CloseSafely(&file);
}

wbStatus wbWriteSettings(const char *path, const wbCommandLog *settings) {
    WB_REQUIRE(path);
    WB_REQUIRE(settings);
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(wbOutputFile_Print(&file, "{\n"));
    WB_TRY(printEntries(&file, "settings", settings, false));
    WB_TRY(wbOutputFile_Print(&file, "\n}\n"));
    return wbOutputFile_CloseSafely(&file);
}
