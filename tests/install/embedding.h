// SPDX-License-Identifier: MIT
// What the program in docs/embedding.md takes for granted: its host's functions. run.sh makes the program of the page's blocks.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wirbel/query.h>
#include <wirbel/wirbel.h>

static void check(wbStatus status) {
    if (wbIsOk(status)) return;
    fprintf(stderr, "%s\n", status.text);
    exit(1);
}

static void *myAllocate(size_t bytes, size_t alignment, void *context) {
    (void)context;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void myRelease(void *memory, size_t bytes, void *context) {
    (void)bytes, (void)context;
    free(memory);
}

static void myLog(wbLogLevel level, const char *message, void *context) {
    (void)level, (void)context;
    fprintf(stderr, "%s\n", message);
}

static void myParallelFor(int count, wbTaskFn *task, void *taskContext, void *hostContext) {
    (void)hostContext;
    for (int i = 0; i < count; i++) task(i, taskContext);
}
