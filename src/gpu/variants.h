// SPDX-License-Identifier: MIT
// Programs that are built in variants, with switches on or off, when a variant is first asked for.
#pragma once

#include "gpu/gpu.h"

typedef struct wbGpuVariantKernel {
    const char *name;
    unsigned needs; ///< switches without which it does not exist
} wbGpuVariantKernel;

typedef struct wbGpuVariants {
    const char *name;           ///< of the program, for messages
    const char *const *sources; ///< with a NULL at the end
    const char *const
        *switches; ///< with a NULL at the end: in a variant with bit k, the k-th is defined as 1, else as 0
    const wbGpuVariantKernel *kernels;
    int kernelCount;
} wbGpuVariants;

/// Kernels of a variant, in the order of the list, into a row of the caller's that is zero before it is built. After an error it
/// still is.
wbStatus wbGpu_BuildVariant(wbGpu *gpu, const wbGpuVariants *variants, unsigned switches,
                            wbGpuKernel **kernels);
