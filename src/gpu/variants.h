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

/// A program's variants on a device.
typedef struct wbGpuVariantSet {
    const wbGpuVariants *program; ///< NULL: none
    wbGpuKernel **kernels;        ///< a row for each variant, zero until it is built
    size_t bytes;
} wbGpuVariantSet;

wbStatus wbGpuVariantSet_Init(wbGpuVariantSet *set, wbMemory *memory, const wbGpuVariants *program);
void wbGpuVariantSet_Free(wbGpuVariantSet *set, wbMemory *memory);
/// Kernels of a variant, in the order of the list; builds it if it is not. After an error the row is as before.
wbStatus wbGpuVariantSet_Choose(wbGpuVariantSet *set, wbGpu *gpu, unsigned switches, wbGpuKernel ***row);
