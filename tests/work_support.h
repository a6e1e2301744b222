// SPDX-License-Identifier: MIT
// For tests of solvers without a world around them: what a step works with, and every instruction set in turn.
#pragma once

#include "core/cpu.h"
#include "core/hash.h"
#include "core/work.h"
#include "test_support.h"

static inline wbWork createWork(int threads, wbSimd simd) {
    wbWork work = {.memory = wbCreateMemory(0), .simd = simd};
    work.arena = wbCreateArena(work.memory);
    work.pool = wbCreateThreadPool(work.memory, threads, NULL, NULL);
    assert_non_null(work.pool);
    if (simd == wb_simdAuto) assertOk(wbChooseSimd(simd, &work.simd));
    return work;
}

// Asserts that everything was given back.
static inline void destroyWork(wbWork *work) {
    wbDestroyThreadPool(work->pool);
    wbDestroyArena(work->arena);
    wbDestroyMemory(work->memory);
}

static inline wbSimd nextSimd(wbSimd simd) {
    do {
        simd = (wbSimd)(simd + 1);
    } while (simd <= wb_simdAvx512 && !wbIsSimdSupported(simd));
    return simd;
}
#define FOR_EACH_SIMD(simd)                                                                                  \
    for (wbSimd simd = nextSimd(wb_simdAuto); simd <= wb_simdAvx512; simd = nextSimd(simd))

static inline void assertBelow(double value, double limit, const char *what) {
    if (value <= limit) return;
    print_error("%s: %g is above %g\n", what, value, limit);
    fail();
}

static inline float randomSigned(uint32_t counter) { return 2 * wbHashFloat(counter) - 1; }
