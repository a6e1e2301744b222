// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "core/text.h"
#include "gpu/gpu_state.h"

// What is asked, and what the device has.
static void describeNeed(const wbGpu *gpu, const char *name, size_t bytes, char text[240]) {
    const wbDevice *device = &gpu->device;
    char need[16], all[16], used[16], largest[16];
    wbFormatBytes((double)bytes, need, sizeof need);
    wbFormatBytes((double)device->globalBytes, all, sizeof all);
    wbFormatBytes((double)gpu->heldBytes, used, sizeof used);
    wbFormatBytes((double)device->maxBufferBytes, largest, sizeof largest);
    snprintf(text, 240,
             "device buffer %.40s needs %s; %.40s has %s, %s of it in use, and allows %s per buffer", name,
             need, device->name, all, used, largest);
}

// Running out of memory leaves the device, and the buffer that was to grow, as they were.
static wbStatus createBuffer(wbGpu *gpu, const char *name, size_t bytes, wbGpuBuffer *buffer) {
    const wbDevice *device = &gpu->device;
    char need[240];
    describeNeed(gpu, name, bytes, need);
    if (bytes > device->maxBufferBytes || gpu->heldBytes + bytes > device->globalBytes) {
        return wbError(wb_errorMemory, "%s", need);
    }
    if (!wbChargeMemory(gpu->memory, bytes))
        return wbMemoryError(gpu->memory, "device buffer %s needs", name);
    cl_int code;
    cl_mem handle = gpu->cl.clCreateBuffer(gpu->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!handle) {
        wbDischargeMemory(gpu->memory, bytes);
        return wbOpenClError(code, "%s", need);
    }
    gpu->heldBytes += bytes;
    *buffer = (wbGpuBuffer){handle, bytes};
    return wb_okStatus;
}

wbStatus wbGpuBuffer_Reserve(wbGpu *gpu, wbGpuBuffer *buffer, const char *name, size_t bytes) {
    return wbGpuBuffer_Grow(gpu, buffer, name, bytes, 0);
}

wbStatus wbGpuBuffer_Grow(wbGpu *gpu, wbGpuBuffer *buffer, const char *name, size_t bytes, size_t kept) {
    WB_TRY(gpu->status);
    if (bytes <= buffer->bytes) return wb_okStatus;
    size_t ample = buffer->bytes + buffer->bytes / 2;
    wbGpuBuffer grown;
    wbStatus status = createBuffer(gpu, name, ample > bytes ? ample : bytes, &grown);
    if (status.code == wb_errorMemory && ample > bytes) status = createBuffer(gpu, name, bytes, &grown);
    WB_TRY(status);
    status = wbGpu_Copy(gpu, buffer, &grown, kept);
    if (!wbIsOk(status)) {
        wbGpuBuffer_Free(gpu, &grown);
        return status;
    }
    wbGpuBuffer_Free(gpu, buffer);
    *buffer = grown;
    return wb_okStatus;
}

void wbGpuBuffer_Free(wbGpu *gpu, wbGpuBuffer *buffer) {
    if (!buffer->handle) return;
    gpu->cl.clReleaseMemObject(buffer->handle);
    gpu->heldBytes -= buffer->bytes;
    wbDischargeMemory(gpu->memory, buffer->bytes);
    *buffer = (wbGpuBuffer){0};
}

void wbGpuBuffer_Swap(wbGpuBuffer *a, wbGpuBuffer *b) {
    wbGpuBuffer swapped = *a;
    *a = *b;
    *b = swapped;
}
