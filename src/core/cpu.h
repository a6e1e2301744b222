// SPDX-License-Identifier: MIT
// Which instruction sets this CPU and this build have.
#pragma once

#include "wirbel/types.h"

/// Resolves wb_simdAuto by WIRBEL_SIMD, then by the CPU; refuses what is not there or not known.
wbStatus wbChooseSimd(wbSimd wanted, wbSimd *chosen);

/// Code that is compiled once per instruction set (*_wide.c) ends in a table of functions: WB_DECLARE_CODE(wbSphCode,
/// wb_sphCode) declares one for each set, WB_CHOOSE_CODE(wb_sphCode, simd) points to that of a resolved set.
#ifdef __x86_64__
#    define WB_DECLARE_CODE(type, name)                                                                      \
        extern const type name##_scalar, name##_sse, name##_avx2, name##_avx512
#    define WB_CHOOSE_CODE(name, simd)                                                                       \
        wbChooseCode(simd, (const void *const[]){&name##_scalar, &name##_sse, &name##_avx2, &name##_avx512})
#else
#    define WB_DECLARE_CODE(type, name) extern const type name##_scalar
#    define WB_CHOOSE_CODE(name, simd)  wbChooseCode(simd, (const void *const[]){&name##_scalar})
#endif
const void *wbChooseCode(wbSimd simd, const void *const *codes);
