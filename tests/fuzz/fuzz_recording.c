// SPDX-License-Identifier: MIT
// The bytes are a recording: it is refused with a text, or what it says is done to a small world.
#include "fuzz/fuzz.h"

#include <string.h>

#include "scene/recording.h"

static const char scene[] =
    "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]},\"sph\":{\"spacing\":0.2},"
    "\"fluids\":[{\"name\":\"water\",\"blocks\":[{\"min\":[0,0,0],\"max\":[0.4,0.4,0.4]}]}],"
    "\"softBodies\":[{\"name\":\"cloth\",\"shape\":\"cloth\",\"size\":[0.3,0.3,1],\"counts\":[3,3,1],"
    "\"position\":[0.5,0.7,0.5]}],\"colliders\":[{\"name\":\"box\",\"size\":[0.1,0.1,0.1],\"position\":"
    "[0.9,0.1,0.9]}],\"rigidBodies\":[{\"name\":\"crate\",\"size\":[0.1,0.1,0.1],\"position\":[0.7,0.9,0.7]}]"
    "}";

enum { MOST_STEPS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wbRecording recording;
    wbScene *made;
    wbWorld *world = NULL;
    const wbStatus read = wbReadRecordingText("fuzz.json", (const char *)data, size, &recording);
    wbExpectText(read);
    if (!wbIsOk(read)) return 0;
    wbExpect(wbIsOk(wbReadSceneText("set.json", scene, sizeof scene - 1, &made)), "the scene is right");
    wbExpectText(wbRecording_ApplySettings(&recording, made));
    if (wbLimitScene(made, size)) wbExpectText(wbScene_CreateWorld(made, &world));
    for (int next = 0, step = 0; world && step < MOST_STEPS; step++) {
        const wbStatus status = wbRecording_Replay(&recording, world, &next);
        wbExpectText(status);
        if (!wbIsOk(status)) next++; // the next one may fit
        wbStepOnce(world);
    }
    wbDestroyWorld(world);
    wbDestroyScene(made);
    wbRecording_Free(&recording);
    return 0;
}
