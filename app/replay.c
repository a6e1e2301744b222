// SPDX-License-Identifier: MIT
#include "app/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/find_recorded.h"
#include "core/status.h"
#include "core/text.h"

static bool complain(wbStatus status) {
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    return wbIsOk(status);
}

// A recording says all that a run depends on.
static bool checkOptions(const wbOptions *options) {
    const char *other = options->settings                               ? "--settings"
                        : options->resume                               ? "--resume"
                        : options->record                               ? "--record"
                        : options->set.count > 0                        ? "--set"
                        : options->setAt.count > 0                      ? "--set-at"
                        : options->seconds >= 0 || options->frames >= 0 ? "--seconds and --frames"
                                                                        : NULL;
    if (other) wbComplain("--replay does what the recording says, to its end: leave out %s", other);
    return !other;
}

bool wbReplay_Open(wbReplay *replay, const wbOptions *options, char path[WB_SCENE_PATH]) {
    *replay = (wbReplay){.isRecorded = options->record != NULL};
    if (!options->replay) {
        if (options->operandCount == 0) wbComplain("run needs SCENE, or --replay F (wirbel run --help)");
        return options->operandCount > 0;
    }
    if (!checkOptions(options) || !complain(wbReadRecording(options->replay, &replay->recording)))
        return false;
    replay->isReplayed = true;
    return complain(wbFindRecordedCheckpoint(&replay->recording, options->replay, replay->checkpoint)) &&
           (options->operandCount > 0 || wbFindRecordedScene(&replay->recording, options->replay, path));
}

// "KEY=VALUE", which was checked before.
static wbStatus addSetting(wbCommandLog *settings, const char *argument) {
    char key[WB_COMMAND_KEY];
    const size_t length = strcspn(argument, "=");
    if (length >= sizeof key) return wbError(wb_errorInput, "%.60s… is too long to be recorded", argument);
    memcpy(key, argument, length);
    key[length] = 0;
    return wbCommandLog_Add(settings, 0, key, argument + length + 1);
}

// By time: what --set-at says acts as a command.
static wbStatus addTimed(wbCommandLog *script, const char *argument) {
    char text[64];
    double time;
    wbCommandLog one = {0};
    snprintf(text, sizeof text, "%.*s", (int)strcspn(argument, ":"), argument);
    if (!wbParseNumber(text, &time))
        return wbError(wb_errorInput, "--set-at %s is of another form", argument);
    wbStatus status = addSetting(&one, argument + strlen(text) + 1);
    if (wbIsOk(status)) {
        const wbLoggedCommand *command = wbCommandLog_Get(&one, 0);
        status = wbCommandLog_Insert(script, time, command->key, command->value);
    }
    wbCommandLog_Free(&one);
    return status;
}

static wbStatus recordSettings(wbRecording *recording, const wbOptions *options, wbScene *scene) {
    if (options->settings) {
        wbRecording list;
        WB_TRY(wbReadSettings(options->settings, &list));
        wbStatus status = wbCommandLog_Copy(&list.settings, &recording->settings);
        wbRecording_Free(&list);
        WB_TRY(status);
    }
    if (!options->resume && wbScene_GetWorldDef(scene)->params.backend == wb_backendOpencl)
        WB_TRY(wbCommandLog_Add(&recording->settings, 0, "world.backend", "opencl"));
    for (int i = 0; i < options->set.count; i++)
        WB_TRY(addSetting(&recording->settings, options->set.items[i]));
    return wb_okStatus;
}

// What a world that goes on from a checkpoint depends on beside its scene: the file, and where it is computed. What --set changed in
// it stands in the script already, at the time of its start.
static wbStatus recordResumed(wbRecording *recording, const char *checkpoint, const wbWorld *world) {
    const wbWorldParams *params = wbWorld_GetWorldParams(world);
    char device[16];
    snprintf(device, sizeof device, "%d", params->device);
    WB_TRY(wbCommandLog_Add(&recording->settings, 0, "world.device", device));
    WB_TRY(wbCommandLog_Add(&recording->settings, 0, "world.backend", wbGetBackendText(params->backend)));
    return wbRecording_StartFrom(recording, checkpoint);
}

static wbStatus startRecording(wbRecording *recording, const wbOptions *options, const wbScene *scene,
                               const wbWorld *world) {
    if (options->resume) WB_TRY(recordResumed(recording, options->resume, world));
    for (int i = 0; i < options->setAt.count; i++)
        WB_TRY(addTimed(&recording->script, options->setAt.items[i]));
    return wbRecording_Start(recording, scene, world);
}

bool wbReplay_Prepare(wbReplay *replay, const wbOptions *options, wbScene *scene) {
    wbRecording *recording = &replay->recording;
    if (replay->isRecorded) return complain(recordSettings(recording, options, scene));
    if (!replay->isReplayed) return true;
    if (wbScene_HashText(scene) != recording->sceneHash) {
        wbComplain("%s was recorded with another text of its scene %s: give the scene as it was",
                   options->replay, recording->scene);
        return false;
    }
    return complain(wbRecording_ApplySettings(recording, scene));
}

static void compareWriter(const char *what, const char *then, const char *now) {
    if (strcmp(then, now) != 0)
        wbComplain("warning: it was recorded with %s %s, here it is %s: the bits may differ", what, then,
                   now);
}

void wbReplay_Resume(const wbReplay *replay, wbScene *scene, wbOptions *options) {
    if (!replay->checkpoint[0]) return;
    options->resume = replay->checkpoint;
    options->backend = wbGetBackendText(wbScene_GetWorldDef(scene)->params.backend);
}

wbStatus wbReplay_Start(wbReplay *replay, const wbOptions *options, const wbScene *scene,
                        const wbWorld *world) {
    wbRecording here = {0};
    if (replay->isRecorded) return startRecording(&replay->recording, options, scene, world);
    if (!replay->isReplayed) return wb_okStatus;
    replay->next = wbCommandLog_Find(&replay->recording.script, wbWorld_GetTime(world));
    WB_TRY(wbRecording_Start(&here, scene, world));
    compareWriter("version", replay->recording.version, here.version);
    compareWriter("instruction set", replay->recording.simd, here.simd);
    compareWriter("backend", replay->recording.backend, here.backend);
    return wb_okStatus;
}

wbStatus wbReplay_BeforeStep(wbReplay *replay, wbWorld *world) {
    return replay->isReplayed ? wbRecording_Replay(&replay->recording, world, &replay->next) : wb_okStatus;
}

wbStatus wbReplay_AfterStep(wbReplay *replay, wbWorld *world) {
    const int64_t step = wbWorld_GetStepCount(world);
    bool isKnown;
    if (replay->isRecorded) return wbRecording_AddStep(&replay->recording, world);
    if (!replay->isReplayed) return wb_okStatus;
    if (!wbRecording_IsSame(&replay->recording, world, &isKnown))
        return wbError(wb_errorInput,
                       "step %" PRId64 " (%g s) differs from the recording; steps up to %" PRId64
                       " are the same",
                       step, wbWorld_GetTime(world), replay->sameSteps);
    if (isKnown) replay->sameSteps = step;
    return wb_okStatus;
}

wbStatus wbReplay_Finish(wbReplay *replay, const wbOptions *options, wbWorld *world) {
    if (!replay->isRecorded) return wb_okStatus;
    wbRecording_End(&replay->recording, world);
    return wbWriteRecording(options->record, &replay->recording);
}

void wbReplay_Free(wbReplay *replay) { wbRecording_Free(&replay->recording); }
