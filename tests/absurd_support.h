// SPDX-License-Identifier: MIT
// Scenes that nobody should want, in one text each: they step, or are refused with a reason.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "wirbel/scene.h"

typedef struct Case {
    const char *name, *scene;
    const char *refusal; // part of the text; NULL: it steps
} Case;

/// What a world does after it was created, and whether what is in it then is finite.
typedef wbStatus StepFn(wbWorld *world);
typedef void CheckFn(wbWorld *world);

static inline wbStatus runScene(const char *text, StepFn *step, CheckFn *assertFinite) {
    wbScene *scene;
    wbWorld *world = NULL;
    wbStatus status = wbReadSceneText("absurd.json", text, strlen(text), &scene);
    if (wbIsOk(status)) {
        wbScene_GetWorldDef(scene)->threadCount = 1;
        status = wbScene_CreateWorld(scene, &world);
    }
    if (wbIsOk(status)) status = step(world);
    if (wbIsOk(status)) assertFinite(world);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    return status;
}

static inline void assertStepOrRefused(const Case *cases, size_t count, StepFn *step, CheckFn *assertFinite) {
    int failures = 0;
    for (size_t k = 0; k < count; k++) {
        const wbStatus status = runScene(cases[k].scene, step, assertFinite);
        const char *refusal = cases[k].refusal;
        const bool right = refusal ? !wbIsOk(status) && strstr(status.text, refusal) : wbIsOk(status);
        if (right) continue;
        print_error("%s: %s\n", cases[k].name, wbIsOk(status) ? "not refused" : status.text);
        failures++;
    }
    assert_int_equal(failures, 0);
}
