// SPDX-License-Identifier: MIT
// A compute device, opened for one world: OpenCL is loaded when the first device is asked for, so that the
// program also starts where it is missing. Nothing here is shared between worlds.
//
//     wbGpu *gpu;
//     WB_TRY(wbOpenGpu(memory, 0, &gpu));
//     WB_TRY(wbGpu_Build(gpu, &programDef, &program));         from embedded .cl texts, cached on disk
//     WB_TRY(wbGpuProgram_GetKernel(program, "sph_forces", &kernel));
//     WB_TRY(wbGpuBuffer_Reserve(gpu, &x, "x", 4 * count));
//     WB_TRY(wbGpu_Upload(gpu, &x, hostX, 4 * count));
//     WB_TRY(wbGpu_Run(gpu, kernel, count, WB_GPU_ARGS(WB_GPU_BUFFER(x), WB_GPU_INT(count))));
//     WB_TRY(wbGpu_Download(gpu, &x, hostX, 4 * count));       waits for all that was queued
//
// Kernels run in the order in which they were queued. The first error of a device's queue sticks: every later call
// gives the same status until the device is closed. A buffer that finds no memory, a program that does not build and
// a kernel that does not exist leave the device as it was.
#pragma once

#include "core/memory.h"
#include "wirbel/types.h"

typedef struct wbGpu wbGpu;
typedef struct wbGpuProgram wbGpuProgram;
typedef struct wbGpuKernel wbGpuKernel;

/// Opens the device of this place in the list of wbListDevices; -1: the first GPU, else the first of all. Its buffers
/// count on the account.
wbStatus wbOpenGpu(wbMemory *memory, int device, wbGpu **gpu);
/// Frees its programs and kernels; buffers must have been freed. NULL is allowed.
void wbCloseGpu(wbGpu *gpu);
const wbDevice *wbGpu_GetDevice(const wbGpu *gpu);

/// Lanes of REAL in kernels: 1 on GPUs, more on CPUs, which vectorise only what is written as vectors.
int wbGpu_GetLanes(const wbGpu *gpu);
/// Whether kernels may use double.
bool wbGpu_HasDoubles(const wbGpu *gpu);
/// Items of a work-group where a kernel does not say otherwise: 256 on GPUs, 64 on CPUs, or the environment's
/// WIRBEL_GROUP_SIZE (a power of two), and no more than the device allows.
int wbGpu_GetGroupSize(const wbGpu *gpu);

/// @name Buffers
/// @{
typedef struct wbGpuBuffer {
    void *handle; ///< NULL: none yet
    size_t bytes;
} wbGpuBuffer;

/// Makes room for at least `bytes`, by half more than before when it grows; the content is lost then. `name` is for
/// the message when memory runs out.
wbStatus wbGpuBuffer_Reserve(wbGpu *gpu, wbGpuBuffer *buffer, const char *name, size_t bytes);
/// Makes room for at least `bytes`; the first `kept` bytes stay. After an error the buffer is as it was.
wbStatus wbGpuBuffer_Grow(wbGpu *gpu, wbGpuBuffer *buffer, const char *name, size_t bytes, size_t kept);
void wbGpuBuffer_Free(wbGpu *gpu, wbGpuBuffer *buffer);
void wbGpuBuffer_Swap(wbGpuBuffer *a, wbGpuBuffer *b);

/// The host's bytes may be changed when this returns.
wbStatus wbGpu_Upload(wbGpu *gpu, wbGpuBuffer *buffer, const void *host, size_t bytes);
/// Waits until the bytes are there.
wbStatus wbGpu_Download(wbGpu *gpu, const wbGpuBuffer *buffer, void *host, size_t bytes);
/// Copies to and from byte `offset` of the buffer on; a download waits until the bytes are there.
wbStatus wbGpu_UploadAt(wbGpu *gpu, wbGpuBuffer *buffer, size_t offset, const void *host, size_t bytes);
wbStatus wbGpu_DownloadAt(wbGpu *gpu, const wbGpuBuffer *buffer, size_t offset, void *host, size_t bytes);
/// The first bytes of one buffer into another; or those from a byte on, to a byte of the other.
wbStatus wbGpu_Copy(wbGpu *gpu, const wbGpuBuffer *from, wbGpuBuffer *to, size_t bytes);
wbStatus wbGpu_CopyAt(wbGpu *gpu, const wbGpuBuffer *from, size_t fromOffset, wbGpuBuffer *to,
                      size_t toOffset, size_t bytes);
/// Sets 32-bit words.
wbStatus wbGpu_Fill(wbGpu *gpu, wbGpuBuffer *buffer, uint32_t value, size_t bytes);
wbStatus wbGpu_Finish(wbGpu *gpu);
/// @}

/// @name Programs and kernels
/// @{
typedef struct wbGpuProgramDef {
    const char *name; ///< for messages: "sph"
    const char *const
        *sources; ///< texts, joined in this order; their lines #include "…" and #pragma once are dropped
    int sourceCount;
    const char *options; ///< such as "-DWENDLAND=1"; -cl-std=CL1.2 is added, and -DWB_LANES if named
} wbGpuProgramDef;

/// Builds, or takes the binary from the disk cache. Lives until the device is closed.
wbStatus wbGpu_Build(wbGpu *gpu, const wbGpuProgramDef *def, wbGpuProgram **program);
wbStatus wbGpuProgram_GetKernel(wbGpuProgram *program, const char *name, wbGpuKernel **kernel);
/// Builds a program and gets these kernels of it.
typedef struct wbGpuKernelName {
    const char *name;
    wbGpuKernel **kernel;
} wbGpuKernelName;
wbStatus wbGpu_BuildKernels(wbGpu *gpu, const wbGpuProgramDef *def, const wbGpuKernelName *kernels,
                            int count);
/// Items of the largest group that can run it on this device: a power of two.
int wbGpuKernel_GetMaxGroupSize(const wbGpuKernel *kernel);

/// The most arguments of a kernel.
enum { WB_MAX_GPU_ARGS = 64 };

typedef struct wbGpuArg {
    size_t bytes;
    const void *value; ///< NULL: local memory of that many bytes
} wbGpuArg;
#define WB_GPU_BUFFER(buffer) ((wbGpuArg){sizeof(void *), &(buffer).handle})
/// Three that follow each other: x, y, z.
#define WB_GPU_BUFFER3(buffers)                                                                              \
    WB_GPU_BUFFER((buffers)[0]), WB_GPU_BUFFER((buffers)[1]), WB_GPU_BUFFER((buffers)[2])
#define WB_GPU_INT(value)    ((wbGpuArg){4, &(int){value}})
#define WB_GPU_FLOAT(value)  ((wbGpuArg){4, &(float){value}})
#define WB_GPU_STRUCT(value) ((wbGpuArg){sizeof(value), &(value)})
#define WB_GPU_LOCAL(size)   ((wbGpuArg){size, NULL})
#define WB_GPU_ARGS(...)                                                                                     \
    (const wbGpuArg[]){__VA_ARGS__}, (int)(sizeof((wbGpuArg[]){__VA_ARGS__}) / sizeof(wbGpuArg))

/// Queues a kernel for `items` work-items, rounded up to whole groups of wbGpu_GetGroupSize, or smaller ones if
/// it cannot run those: the kernel itself checks its index. 0 items: nothing is queued. The status names the kernel.
wbStatus wbGpu_Run(wbGpu *gpu, wbGpuKernel *kernel, int items, const wbGpuArg *args, int argCount);
/// The same with arguments from two lists, one behind the other.
wbStatus wbGpu_RunJoined(wbGpu *gpu, wbGpuKernel *kernel, int items, const wbGpuArg *first, int firstCount,
                         const wbGpuArg *rest, int restCount);
/// Queues a kernel for whole groups of a given size, for kernels that need one: an error if they cannot run with it.
wbStatus wbGpu_RunGroups(wbGpu *gpu, wbGpuKernel *kernel, int groups, int groupSize, const wbGpuArg *args,
                         int argCount);
/// @}

/// @name Times
/// @{
/// Times are kept per phase: what is queued after this counts for `phase`, 0 … WB_MAX_PHASES - 1.
void wbGpu_SetPhase(wbGpu *gpu, int phase);
/// Device milliseconds per phase since the last call, added to ms; waits for the device.
wbStatus wbGpu_TakeTimes(wbGpu *gpu, double *ms, int phaseCount);

typedef struct wbGpuKernelTime {
    const char *kernel;
    int64_t runs;
    double ms;
} wbGpuKernelTime;
/// Runs and milliseconds per kernel since the device was opened, up to the last wbGpu_TakeTimes; returns how many there are.
int wbGpu_GetKernelTimes(const wbGpu *gpu, wbGpuKernelTime *times, int capacity);
/// @}
