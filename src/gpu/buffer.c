// SPDX-License-Identifier: MIT
#include "gpu/gpu_state.h"

static double toMegabytes(uint64_t bytes) { return (double)bytes / 1e6; }

// Running out of memory leaves the device, and the buffer that was to grow, as they were.
static wbStatus createBuffer(wbGpu *gpu, const char *name, size_t bytes, wbGpuBuffer *buffer) {
    const wbDevice *device = &gpu->device;
    if (bytes > device->maxBufferBytes) {
        return wbError(wb_errorMemory, "device buffer %s needs %.1f MB, and %.80s allows %.1f MB per buffer",
                       name, toMegabytes(bytes), device->name, toMegabytes(device->maxBufferBytes));
    }
    if (gpu->heldBytes + bytes > device->globalBytes) {
        return wbError(
            wb_errorMemory, "device buffer %s needs %.1f MB, and %.1f of the %.1f MB of %.80s are used", name,
            toMegabytes(bytes), toMegabytes(gpu->heldBytes), toMegabytes(device->globalBytes), device->name);
    }
    if (!wbChargeMemory(gpu->memory, bytes)) {
        wbMemoryUse use = wbGetMemoryUse(gpu->memory);
        return wbError(wb_errorMemory,
                       "device buffer %s needs %.1f MB, and %.1f of world.memoryLimit = %.1f MB are used",
                       name, toMegabytes(bytes), toMegabytes(use.bytes), toMegabytes(use.limit));
    }
    cl_int code;
    cl_mem handle = gpu->cl.clCreateBuffer(gpu->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!handle) {
        wbDischargeMemory(gpu->memory, bytes);
        return wbOpenClError(code, "device buffer %s needs %.1f MB (%.1f of the %.1f MB of %.60s are used)",
                             name, toMegabytes(bytes), toMegabytes(gpu->heldBytes),
                             toMegabytes(device->globalBytes), device->name);
    }
    gpu->heldBytes += bytes;
    *buffer = (wbGpuBuffer){handle, bytes};
    return wb_okStatus;
}

wbStatus wbGpuBuffer_Reserve(wbGpu *gpu, wbGpuBuffer *buffer, const char *name, size_t bytes) {
    WB_TRY(gpu->status);
    if (bytes <= buffer->bytes) return wb_okStatus;
    size_t ample = buffer->bytes + buffer->bytes / 2;
    wbGpuBuffer grown;
    wbStatus status = createBuffer(gpu, name, ample > bytes ? ample : bytes, &grown);
    if (status.code == wb_errorMemory && ample > bytes) status = createBuffer(gpu, name, bytes, &grown);
    WB_TRY(status);
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
