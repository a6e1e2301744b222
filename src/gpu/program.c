// SPDX-License-Identifier: MIT
// Programs: joining their sources, building them, and their kernels.
#include <stdio.h>
#include <string.h>

#include "core/log.h"
#include "gpu/cache.h"

static wbStatus outOfMemory(const wbGpu *gpu, const char *name) {
    return wbMemoryError(gpu->memory, "the device's program %s needs", name);
}

// Files that the host also compiles name their own includes; here all that they need stands before them.
static bool isDropped(const char *line, size_t length) {
    static const char include[] = "#include \"", once[] = "#pragma once";
    return (length >= sizeof include - 1 && memcmp(line, include, sizeof include - 1) == 0) ||
           (length >= sizeof once - 1 && memcmp(line, once, sizeof once - 1) == 0);
}

// Dropped lines stay as empty ones, so that the compiler's line numbers hold.
static char *appendSource(char *to, const char *source) {
    while (*source) {
        size_t length = strcspn(source, "\n");
        if (!isDropped(source, length)) {
            memcpy(to, source, length);
            to += length;
        }
        source += length;
        if (*source) ++source;
        *to++ = '\n';
    }
    return to;
}

typedef struct Text {
    char *data;
    size_t bytes; // of the allocation
} Text;

static bool joinSources(wbGpu *gpu, const wbGpuProgramDef *def, Text *text) {
    size_t bytes = 1;
    for (int i = 0; i < def->sourceCount; ++i) bytes += strlen(def->sources[i]) + 1;
    char *data = wbAlloc(gpu->memory, bytes);
    if (!data) return false;
    *text = (Text){data, bytes};
    for (int i = 0; i < def->sourceCount; ++i) data = appendSource(data, def->sources[i]);
    *data = 0;
    return true;
}

// The whole log goes to the host's log function, line by line; the status has the first line with an error.
static void readLog(wbGpu *gpu, cl_program handle, const char *name, char *first, int size) {
    size_t bytes = 0;
    gpu->cl.clGetProgramBuildInfo(handle, gpu->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = bytes > 0 ? wbAllocZero(gpu->memory, bytes + 1) : NULL;
    snprintf(first, (size_t)size, "the driver gives no reason");
    if (!log) return;
    gpu->cl.clGetProgramBuildInfo(handle, gpu->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    bool found = false;
    for (const char *line = log; *line;) {
        int length = (int)strcspn(line, "\n");
        char copy[400];
        snprintf(copy, sizeof copy, "%.*s", length, line);
        if (*copy) wbLog(wb_logError, "%s: %s", name, copy);
        if (!found && strstr(copy, "error")) {
            snprintf(first, (size_t)size, "%.*s", size - 1, copy);
            found = true;
        }
        line += length;
        if (*line) ++line;
    }
    wbFree(gpu->memory, log, bytes + 1);
}

static wbStatus compile(wbGpu *gpu, const char *name, const char *source, const char *options,
                        cl_program *handle) {
    cl_int code;
    *handle = gpu->cl.clCreateProgramWithSource(gpu->context, 1, &source, NULL, &code);
    if (!*handle) return wbOpenClError(code, "the device's program %s cannot be made", name);
    code = gpu->cl.clBuildProgram(*handle, 1, &gpu->id, options, NULL, NULL);
    if (code == CL_SUCCESS) return wb_okStatus;
    char first[160];
    readLog(gpu, *handle, name, first, sizeof first);
    gpu->cl.clReleaseProgram(*handle);
    *handle = NULL;
    wbStatus reason = wbOpenClError(code, "the device's program %s cannot be built", name);
    if (code != CL_BUILD_PROGRAM_FAILURE) return reason;
    return wbError(reason.code, "the device's program %s does not compile: %s", name, first);
}

static wbStatus loadOrCompile(wbGpu *gpu, const char *name, const char *source, const char *options,
                              wbGpuProgram *program) {
    wbGpuCache cache;
    wbFindCache(gpu, source, options, &cache);
    program->handle = wbLoadCached(gpu, &cache, options);
    program->fromCache = program->handle != NULL;
    if (program->fromCache) return wb_okStatus;
    WB_TRY(compile(gpu, name, source, options, &program->handle));
    wbStoreCached(gpu, &cache, program->handle);
    return wb_okStatus;
}

// A program that does not name lanes is the same with any number of them, and compiled once.
static wbStatus buildText(wbGpu *gpu, const wbGpuProgramDef *def, const char *text, wbGpuProgram *program) {
    char lanes[32] = "", options[512];
    if (strstr(text, "WB_LANES")) snprintf(lanes, sizeof lanes, " -DWB_LANES=%d", gpu->device.lanes);
    int length =
        snprintf(options, sizeof options, "-cl-std=CL1.2%s %s", lanes, def->options ? def->options : "");
    WB_ASSERT(length < (int)sizeof options, "the options of a program are too long");
    return loadOrCompile(gpu, def->name, text, options, program);
}

wbStatus wbGpu_Build(wbGpu *gpu, const wbGpuProgramDef *def, wbGpuProgram **program) {
    WB_TRY(gpu->status);
    wbGpuProgram *built = wbAllocZero(gpu->memory, sizeof *built);
    Text text = {0};
    wbStatus status = built && joinSources(gpu, def, &text) ? buildText(gpu, def, text.data, built)
                                                            : outOfMemory(gpu, def->name);
    wbFree(gpu->memory, text.data, text.bytes);
    if (status.code != wb_ok) {
        wbFree(gpu->memory, built, sizeof *built);
        return status;
    }
    built->gpu = gpu;
    built->next = gpu->programs;
    snprintf(built->name, sizeof built->name, "%s", def->name);
    gpu->programs = built;
    *program = built;
    return wb_okStatus;
}

static int getMaxGroupSize(const wbGpu *gpu, cl_kernel handle) {
    size_t size = 0;
    cl_int code = gpu->cl.clGetKernelWorkGroupInfo(handle, gpu->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof size,
                                                   &size, NULL);
    return wbFloorPowerOfTwo(code == CL_SUCCESS && size > 0 ? size : (size_t)gpu->device.maxGroupSize);
}

wbStatus wbGpuProgram_GetKernel(wbGpuProgram *program, const char *name, wbGpuKernel **kernel) {
    wbGpu *gpu = program->gpu;
    WB_TRY(gpu->status);
    for (*kernel = program->kernels; *kernel; *kernel = (*kernel)->next) {
        if (strcmp((*kernel)->name, name) == 0) return wb_okStatus;
    }
    cl_int code;
    cl_kernel handle = gpu->cl.clCreateKernel(program->handle, name, &code);
    if (!handle)
        return wbOpenClError(code, "kernel %s of the program %s cannot be made", name, program->name);
    wbGpuKernel *made = wbAllocZero(gpu->memory, sizeof *made);
    if (!made) {
        gpu->cl.clReleaseKernel(handle);
        return outOfMemory(gpu, program->name);
    }
    *made = (wbGpuKernel){
        .next = program->kernels, .handle = handle, .maxGroupSize = getMaxGroupSize(gpu, handle)};
    snprintf(made->name, sizeof made->name, "%s", name);
    program->kernels = made;
    *kernel = made;
    return wb_okStatus;
}

int wbGpuKernel_GetMaxGroupSize(const wbGpuKernel *kernel) { return kernel->maxGroupSize; }

static void freeKernels(wbGpu *gpu, wbGpuProgram *program) {
    while (program->kernels) {
        wbGpuKernel *kernel = program->kernels;
        program->kernels = kernel->next;
        gpu->cl.clReleaseKernel(kernel->handle);
        wbFree(gpu->memory, kernel, sizeof *kernel);
    }
}

void wbFreePrograms(wbGpu *gpu) {
    while (gpu->programs) {
        wbGpuProgram *program = gpu->programs;
        gpu->programs = program->next;
        freeKernels(gpu, program);
        gpu->cl.clReleaseProgram(program->handle);
        wbFree(gpu->memory, program, sizeof *program);
    }
}

wbStatus wbGpu_BuildKernels(wbGpu *gpu, const wbGpuProgramDef *def, const wbGpuKernelName *kernels,
                            int count) {
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(gpu, def, &program));
    for (int k = 0; k < count; k++)
        WB_TRY(wbGpuProgram_GetKernel(program, kernels[k].name, kernels[k].kernel));
    return wb_okStatus;
}
