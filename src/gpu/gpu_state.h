// SPDX-License-Identifier: MIT
// What an open device holds, for the files of this folder and for tests that put failing functions in.
#pragma once

#include "gpu/gpu.h"
#include "gpu/opencl.h"

enum {
    WB_GPU_NAME = 64,     ///< bytes of a program's or kernel's name
    WB_MAX_PENDING = 1000 ///< events that are kept before their times are collected
};

struct wbGpuKernel {
    wbGpuKernel *next;
    cl_kernel handle;
    char name[WB_GPU_NAME];
    int maxGroupSize; ///< a power of two
    int64_t runs;
    double ms;
};

struct wbGpuProgram {
    wbGpuProgram *next;
    wbGpu *gpu;
    cl_program handle;
    char name[WB_GPU_NAME];
    bool fromCache; ///< the binary came from the disk
    wbGpuKernel *kernels;
};

/// A queued command whose time is not known yet.
typedef struct wbGpuPending {
    cl_event event;
    wbGpuKernel *kernel; ///< NULL: a transfer
    int phase;
} wbGpuPending;

struct wbGpu {
    wbOpenCl cl;
    wbMemory *memory;
    wbStatus status; ///< the first error; nothing is queued after it
    wbDevice device;
    char vendor[128], platformVersion[128]; ///< parts of the cache's key
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    int groupSize;
    bool hasDoubles;
    size_t heldBytes; ///< in buffers
    wbGpuProgram *programs;
    int phase;
    double phaseMs[WB_MAX_PHASES];
    int pendingCount;
    wbGpuPending pending[WB_MAX_PENDING];
};

/// Keeps the status as the device's own if it is an error and the first, and returns it.
wbStatus wbGpu_Fail(wbGpu *gpu, wbStatus status);

/// Takes over the event of a command that was queued; collects times when too many are kept.
wbStatus wbGpu_AddPending(wbGpu *gpu, cl_event event, wbGpuKernel *kernel);
/// Forgets events without looking at them.
void wbGpu_DropPending(wbGpu *gpu);

void wbFreePrograms(wbGpu *gpu);

/// The largest power of two up to `size`.
static inline int wbFloorPowerOfTwo(size_t size) {
    int power = 1;
    while ((size_t)power * 2 <= size && power < 1 << 30) power *= 2;
    return power;
}
