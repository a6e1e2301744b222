// SPDX-License-Identifier: MIT
// Which instruction sets this CPU and this build have.
#pragma once

#include "wirbel/types.h"

/// Resolves wb_simdAuto by WIRBEL_SIMD, then by the CPU; refuses what is not there or not known.
wbStatus wbChooseSimd(wbSimd wanted, wbSimd *chosen);

/// Code that is compiled once per instruction set (*_wide.c) ends in a table of functions: WB_DECLARE_CODE(wbSphCode,
/// wb_sphCode, wbGetSphCode) declares one for each set, and wbGetSphCode(simd), which gives that of a resolved set.
const void *wbChooseCode(wbSimd simd, const void *const *codes);
#ifdef __x86_64__
#    define WB_DECLARE_CODE(type, name, get)                                                                 \
        extern const type name##_scalar, name##_sse, name##_avx2, name##_avx512;                             \
        static inline const type *get(wbSimd simd) {                                                         \
            return wbChooseCode(                                                                             \
                simd, (const void *const[]){&name##_scalar, &name##_sse, &name##_avx2, &name##_avx512});     \
        }
#else
#    define WB_DECLARE_CODE(type, name, get)                                                                 \
        extern const type name##_scalar;                                                                     \
        static inline const type *get(wbSimd simd) {                                                         \
            return wbChooseCode(simd, (const void *const[]){&name##_scalar});                                \
        }
#endif
