// SPDX-License-Identifier: MIT
// The bytes are a scene file: it is refused with a text, or its world steps.
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wbScene *scene;
    wbStatus status = wbReadSceneText("fuzz.json", (const char *)data, size, &scene);
    wbExpectText(status);
    wbExpect(wbIsOk(status) == (scene != NULL), "a scene is there if and only if it was read");
    if (scene && wbLimitScene(scene, size)) wbRunScene(scene);
    wbDestroyScene(scene);
    return 0;
}
