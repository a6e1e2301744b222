// SPDX-License-Identifier: MIT
// What is queued: transfers and kernels, and how long they took.
#include <string.h>

#include "gpu/gpu_state.h"

wbStatus wbGpu_Fail(wbGpu *gpu, wbStatus status) {
    if (gpu->status.code == wb_ok) gpu->status = status;
    return status;
}

static const char *getPendingName(const wbGpuPending *pending) {
    return pending->kernel ? pending->kernel->name : "transfer";
}

static cl_int getExecution(const wbGpu *gpu, cl_event event) {
    cl_int execution = CL_QUEUED;
    cl_int code =
        gpu->cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL);
    return code == CL_SUCCESS ? execution : code;
}

// The queue itself failed: the first command that did not end is the likely cause.
static wbStatus failQueue(wbGpu *gpu, cl_int code, const char *action) {
    for (int i = 0; i < gpu->pendingCount; ++i) {
        const wbGpuPending *pending = &gpu->pending[i];
        if (getExecution(gpu, pending->event) == CL_COMPLETE) continue;
        return wbGpu_Fail(gpu, wbOpenClError(code, "%s failed while %s %s was queued", action,
                                             pending->kernel ? "kernel" : "a", getPendingName(pending)));
    }
    return wbGpu_Fail(gpu, wbOpenClError(code, "%s failed", action));
}

static double getMs(const wbGpu *gpu, cl_event event) {
    cl_ulong start = 0, end = 0;
    const wbOpenCl *cl = &gpu->cl;
    cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    return end > start ? (double)(end - start) * 1e-6 : 0;
}

static wbStatus collectTimes(wbGpu *gpu) {
    cl_int code = gpu->cl.clFinish(gpu->queue);
    if (code != CL_SUCCESS) return failQueue(gpu, code, "waiting for the device");
    for (int i = 0; i < gpu->pendingCount; ++i) {
        const wbGpuPending *pending = &gpu->pending[i];
        cl_int execution = getExecution(gpu, pending->event);
        if (execution < 0) {
            return wbGpu_Fail(gpu, wbOpenClError(execution, "%s %s failed", pending->kernel ? "kernel" : "a",
                                                 getPendingName(pending)));
        }
        double ms = getMs(gpu, pending->event);
        gpu->phaseMs[pending->phase] += ms;
        if (!pending->kernel) continue;
        pending->kernel->ms += ms;
        pending->kernel->runs++;
    }
    wbGpu_DropPending(gpu);
    return wb_okStatus;
}

wbStatus wbGpu_AddPending(wbGpu *gpu, cl_event event, wbGpuKernel *kernel) {
    gpu->pending[gpu->pendingCount++] = (wbGpuPending){event, kernel, gpu->phase};
    return gpu->pendingCount < WB_MAX_PENDING ? wb_okStatus : collectTimes(gpu);
}

void wbGpu_DropPending(wbGpu *gpu) {
    for (int i = 0; i < gpu->pendingCount; ++i) gpu->cl.clReleaseEvent(gpu->pending[i].event);
    gpu->pendingCount = 0;
}

static bool isWithin(const wbGpuBuffer *buffer, size_t offset, size_t bytes) {
    return offset <= buffer->bytes && bytes <= buffer->bytes - offset;
}

wbStatus wbGpu_UploadAt(wbGpu *gpu, wbGpuBuffer *buffer, size_t offset, const void *host, size_t bytes) {
    WB_TRY(gpu->status);
    WB_ASSERT(isWithin(buffer, offset, bytes), "more bytes than the device's buffer has");
    if (bytes == 0) return wb_okStatus;
    cl_event event;
    cl_int code = gpu->cl.clEnqueueWriteBuffer(gpu->queue, buffer->handle, CL_TRUE, offset, bytes, host, 0,
                                               NULL, &event);
    if (code != CL_SUCCESS) return failQueue(gpu, code, "writing to the device");
    return wbGpu_AddPending(gpu, event, NULL);
}

wbStatus wbGpu_Upload(wbGpu *gpu, wbGpuBuffer *buffer, const void *host, size_t bytes) {
    return wbGpu_UploadAt(gpu, buffer, 0, host, bytes);
}

wbStatus wbGpu_DownloadAt(wbGpu *gpu, const wbGpuBuffer *buffer, size_t offset, void *host, size_t bytes) {
    WB_TRY(gpu->status);
    WB_ASSERT(isWithin(buffer, offset, bytes), "more bytes than the device's buffer has");
    if (bytes == 0) return wb_okStatus;
    cl_event event;
    cl_int code = gpu->cl.clEnqueueReadBuffer(gpu->queue, buffer->handle, CL_TRUE, offset, bytes, host, 0,
                                              NULL, &event);
    if (code != CL_SUCCESS) return failQueue(gpu, code, "reading from the device");
    return wbGpu_AddPending(gpu, event, NULL);
}

wbStatus wbGpu_Download(wbGpu *gpu, const wbGpuBuffer *buffer, void *host, size_t bytes) {
    return wbGpu_DownloadAt(gpu, buffer, 0, host, bytes);
}

wbStatus wbGpu_CopyAt(wbGpu *gpu, const wbGpuBuffer *from, size_t fromOffset, wbGpuBuffer *to,
                      size_t toOffset, size_t bytes) {
    WB_TRY(gpu->status);
    WB_ASSERT(isWithin(from, fromOffset, bytes) && isWithin(to, toOffset, bytes),
              "more bytes than a device's buffer has");
    if (bytes == 0) return wb_okStatus;
    cl_event event;
    cl_int code = gpu->cl.clEnqueueCopyBuffer(gpu->queue, from->handle, to->handle, fromOffset, toOffset,
                                              bytes, 0, NULL, &event);
    if (code != CL_SUCCESS) return failQueue(gpu, code, "copying on the device");
    return wbGpu_AddPending(gpu, event, NULL);
}

wbStatus wbGpu_Copy(wbGpu *gpu, const wbGpuBuffer *from, wbGpuBuffer *to, size_t bytes) {
    return wbGpu_CopyAt(gpu, from, 0, to, 0, bytes);
}

wbStatus wbGpu_Fill(wbGpu *gpu, wbGpuBuffer *buffer, uint32_t value, size_t bytes) {
    WB_TRY(gpu->status);
    WB_ASSERT(bytes <= buffer->bytes && bytes % 4 == 0, "not whole words of the device's buffer");
    if (bytes == 0) return wb_okStatus;
    cl_event event;
    cl_int code = gpu->cl.clEnqueueFillBuffer(gpu->queue, buffer->handle, &value, sizeof value, 0, bytes, 0,
                                              NULL, &event);
    if (code != CL_SUCCESS) return failQueue(gpu, code, "filling a device's buffer");
    return wbGpu_AddPending(gpu, event, NULL);
}

wbStatus wbGpu_Finish(wbGpu *gpu) {
    WB_TRY(gpu->status);
    cl_int code = gpu->cl.clFinish(gpu->queue);
    return code == CL_SUCCESS ? wb_okStatus : failQueue(gpu, code, "waiting for the device");
}

static wbStatus setArgs(wbGpu *gpu, wbGpuKernel *kernel, const wbGpuArg *args, int argCount) {
    for (int i = 0; i < argCount; ++i) {
        cl_int code = gpu->cl.clSetKernelArg(kernel->handle, (cl_uint)i, args[i].bytes, args[i].value);
        if (code == CL_SUCCESS) continue;
        return wbGpu_Fail(gpu, wbOpenClError(code, "argument %d of kernel %s, %zu bytes, cannot be set",
                                             i + 1, kernel->name, args[i].bytes));
    }
    return wb_okStatus;
}

static wbStatus launch(wbGpu *gpu, wbGpuKernel *kernel, size_t items, size_t groupSize) {
    cl_event event;
    cl_int code = gpu->cl.clEnqueueNDRangeKernel(gpu->queue, kernel->handle, 1, NULL, &items, &groupSize, 0,
                                                 NULL, &event);
    if (code != CL_SUCCESS) {
        return wbGpu_Fail(gpu, wbOpenClError(code, "kernel %s could not be started", kernel->name));
    }
    return wbGpu_AddPending(gpu, event, kernel);
}

wbStatus wbGpu_Run(wbGpu *gpu, wbGpuKernel *kernel, int items, const wbGpuArg *args, int argCount) {
    WB_TRY(gpu->status);
    WB_ASSERT(items >= 0, "a kernel cannot run for less than no items");
    if (items == 0) return wb_okStatus;
    WB_TRY(setArgs(gpu, kernel, args, argCount));
    size_t size = (size_t)(gpu->groupSize < kernel->maxGroupSize ? gpu->groupSize : kernel->maxGroupSize);
    return launch(gpu, kernel, ((size_t)items + size - 1) / size * size, size);
}

wbStatus wbGpu_RunJoined(wbGpu *gpu, wbGpuKernel *kernel, int items, const wbGpuArg *first, int firstCount,
                         const wbGpuArg *rest, int restCount) {
    wbGpuArg args[WB_MAX_GPU_ARGS];
    WB_ASSERT(firstCount + restCount <= WB_MAX_GPU_ARGS, "a kernel has too many arguments");
    memcpy(args, first, sizeof *first * (size_t)firstCount);
    memcpy(args + firstCount, rest, sizeof *rest * (size_t)restCount);
    return wbGpu_Run(gpu, kernel, items, args, firstCount + restCount);
}

wbStatus wbGpu_RunGroups(wbGpu *gpu, wbGpuKernel *kernel, int groups, int groupSize, const wbGpuArg *args,
                         int argCount) {
    WB_TRY(gpu->status);
    WB_ASSERT(groups >= 0 && groupSize > 0, "a kernel runs for whole groups");
    if (groups == 0) return wb_okStatus;
    WB_TRY(setArgs(gpu, kernel, args, argCount));
    return launch(gpu, kernel, (size_t)groups * (size_t)groupSize, (size_t)groupSize);
}

void wbGpu_SetPhase(wbGpu *gpu, int phase) {
    WB_ASSERT(phase >= 0 && phase < WB_MAX_PHASES, "there is no such phase");
    gpu->phase = phase;
}

wbStatus wbGpu_TakeTimes(wbGpu *gpu, double *ms, int phaseCount) {
    WB_TRY(gpu->status);
    WB_ASSERT(phaseCount >= 0 && phaseCount <= WB_MAX_PHASES, "there are fewer phases");
    WB_TRY(collectTimes(gpu));
    for (int i = 0; i < phaseCount; ++i) {
        ms[i] += gpu->phaseMs[i];
        gpu->phaseMs[i] = 0;
    }
    return wb_okStatus;
}

int wbGpu_GetKernelTimes(const wbGpu *gpu, wbGpuKernelTime *times, int capacity) {
    int count = 0;
    for (const wbGpuProgram *program = gpu->programs; program; program = program->next) {
        for (const wbGpuKernel *kernel = program->kernels; kernel; kernel = kernel->next) {
            if (count < capacity) times[count] = (wbGpuKernelTime){kernel->name, kernel->runs, kernel->ms};
            count++;
        }
    }
    return count;
}
