// SPDX-License-Identifier: MIT
#include "core/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"

#if defined(__x86_64__)
#    include <cpuid.h>
#endif

static const char *const simdNames[] = {"auto", "scalar", "sse", "avx2", "avx512"};
enum { SIMD_COUNT = sizeof simdNames / sizeof simdNames[0] };
_Static_assert(SIMD_COUNT == wb_simdAvx512 + 1, "one name per instruction set");

const char *wbGetSimdName(wbSimd simd) {
    WB_ASSERT((unsigned)simd < SIMD_COUNT, "not an instruction set");
    return simdNames[simd];
}

// The same sets as WB_FLAGS_* in cmake/options.cmake.
bool wbIsSimdSupported(wbSimd simd) {
    WB_ASSERT((unsigned)simd < SIMD_COUNT, "not an instruction set");
#if defined(__x86_64__)
    bool sse = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("popcnt");
    bool avx2 = sse && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("bmi2");
    if (simd == wb_simdSse) return sse;
    if (simd == wb_simdAvx2) return avx2;
    if (simd == wb_simdAvx512) {
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    }
#endif
    return simd == wb_simdAuto || simd == wb_simdScalar;
}

const void *wbChooseCode(wbSimd simd, const void *const *codes) {
    WB_ASSERT(simd != wb_simdAuto && wbIsSimdSupported(simd), "unknown instruction set");
    return codes[simd - wb_simdScalar];
}

void wbGetCpuName(char *name, int size) {
    WB_REQUIRE(name);
    WB_ASSERT(size > 0, "there is no room for a name");
    // 48 bytes with a zero at the end, often spaces around (AMD64 manual 3, CPUID functions 8000_0002 to 4)
    char text[49] = "unknown";
    unsigned signature = 0; // virtual machines may shorten the name, but have the family and model
#if defined(__x86_64__)
    unsigned registers[12], unused;
    __get_cpuid(1, &signature, &unused, &unused, &unused);
    bool isNamed = true;
    for (unsigned i = 0; i < 3; i++) {
        unsigned *part = registers + 4 * i;
        isNamed &= __get_cpuid(0x80000002u + i, &part[0], &part[1], &part[2], &part[3]);
    }
    if (isNamed) memcpy(text, registers, sizeof registers);
#endif
    char *start = text, *end = text + strlen(text);
    while (*start == ' ') start++;
    while (end > start && end[-1] == ' ') end--;
    unsigned family = (signature >> 8 & 15) + (signature >> 20 & 255);
    unsigned model = (signature >> 4 & 15) | (signature >> 12 & 240);
    snprintf(name, (size_t)size, "%.*s (family %u, model %u)", (int)(end - start), start, family, model);
}

static wbSimd getBestSimd(void) {
    int simd = SIMD_COUNT - 1;
    while (!wbIsSimdSupported((wbSimd)simd)) --simd;
    return (wbSimd)simd;
}

static wbStatus refuse(const char *what, const char *value) {
    char there[64] = "scalar";
    for (int simd = wb_simdSse; simd < SIMD_COUNT; ++simd) {
        if (!wbIsSimdSupported((wbSimd)simd)) continue;
        strcat(there, "|");
        strcat(there, simdNames[simd]);
    }
    return wbError(wb_errorInput, "%s is \"%.40s\", this machine has %s", what, value, there);
}

wbStatus wbChooseSimd(wbSimd wanted, wbSimd *chosen) {
    WB_ASSERT((unsigned)wanted < SIMD_COUNT, "not an instruction set");
    const char *value = getenv("WIRBEL_SIMD");
    if (wanted != wb_simdAuto) {
        if (!wbIsSimdSupported(wanted)) return refuse("simd", simdNames[wanted]);
        *chosen = wanted;
    } else if (!value || !value[0]) {
        *chosen = getBestSimd();
    } else {
        int simd = wb_simdScalar;
        while (simd < SIMD_COUNT && strcmp(value, simdNames[simd]) != 0) ++simd;
        if (simd == SIMD_COUNT || !wbIsSimdSupported((wbSimd)simd)) return refuse("WIRBEL_SIMD", value);
        *chosen = (wbSimd)simd;
    }
    return wb_okStatus;
}
