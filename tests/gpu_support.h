// SPDX-License-Identifier: MIT
// For tests on compute devices. They run on the first device, and are skipped where there is none, unless
// WIRBEL_NEED_OPENCL is set (scripts/check sets it).
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"
#include "test_support.h"
#include "wirbel/wirbel.h"

enum { SKIPPED = 77 }; // ctest: SKIP_RETURN_CODE

/// 0 if there is a device, else what main returns.
static inline int findDevice(void) {
    int count;
    wbStatus status = wbListDevices(NULL, 0, &count);
    if (status.code == wb_ok) return 0;
    printf("%s: %s\n", getenv("WIRBEL_NEED_OPENCL") ? "FAILED" : "skipped", status.text);
    return getenv("WIRBEL_NEED_OPENCL") ? 1 : SKIPPED;
}

/// Whether tests try every number of lanes and every size of groups, each of which is a program of its own for PoCL: minutes of
/// compiling (make check-opencl). Else one size of groups has to do, and lanes are one, as on graphics cards, or those of the device.
static inline bool triesAllShapes(void) { return getenv("WIRBEL_ALL_SHAPES") != NULL; }

/// Settings of the devices that are opened from now on.
static inline void setShape(int lanes, int groupSize) {
    char text[16];
    snprintf(text, sizeof text, "%d", lanes);
    setenv("WIRBEL_GPU_LANES", text, 1);
    snprintf(text, sizeof text, "%d", triesAllShapes() ? groupSize : 64);
    setenv("WIRBEL_GROUP_SIZE", text, 1);
}

/// A teardown of tests that call setShape.
static inline int resetShape(void **state) {
    (void)state;
    unsetenv("WIRBEL_GPU_LANES");
    unsetenv("WIRBEL_GROUP_SIZE");
    return 0;
}

typedef struct TestGpu {
    wbMemory *memory;
    wbGpu *gpu;
} TestGpu;

static inline TestGpu openTestGpu(void) {
    TestGpu test = {.memory = wbCreateMemory(0)};
    assertOk(wbOpenGpu(test.memory, 0, &test.gpu));
    return test;
}

/// Also asserts that everything was freed.
static inline void closeTestGpu(TestGpu *test) {
    wbCloseGpu(test->gpu);
    wbDestroyMemory(test->memory);
}

static inline void expectError(wbStatus status, wbCode code, const char *text) {
    assert_int_equal(status.code, code);
    if (!strstr(status.text, text)) fail_msg("\"%s\" has no \"%s\"", status.text, text);
}
