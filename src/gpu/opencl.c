// SPDX-License-Identifier: MIT
#include "gpu/opencl.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool loadFunction(void *library, const char *name, void *function, size_t size) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

wbStatus wbLoadOpenCl(wbOpenCl *cl) {
    *cl = (wbOpenCl){0};
    // drivers keep threads of their own: they must not be unmapped under them
    cl->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!cl->library) {
        return wbError(wb_errorDevice,
                       "OpenCL not found (libOpenCL.so.1): install the package ocl-icd-libopencl1 "
                       "and a driver, such as pocl-opencl-icd for the processor");
    }
#define LOAD(name)                                                                                           \
    if (!loadFunction(cl->library, #name, &cl->name, sizeof cl->name)) {                                     \
        wbUnloadOpenCl(cl);                                                                                  \
        return wbError(wb_errorDevice, "libOpenCL.so.1 is older than OpenCL 1.2: it has no %s", #name);      \
    }
    WB_OPENCL_FUNCTIONS(LOAD)
#undef LOAD
    return wb_okStatus;
}

void wbUnloadOpenCl(wbOpenCl *cl) {
    if (cl->library) dlclose(cl->library);
    cl->library = NULL;
}

typedef struct Meaning {
    cl_int code;
    const char *name, *sentence;
} Meaning;

static const Meaning meanings[] = {
#define MEANS(code, sentence)                                                                                \
    { code, #code, sentence }
    MEANS(CL_DEVICE_NOT_FOUND, "there is no such device"),
    MEANS(CL_DEVICE_NOT_AVAILABLE, "the device is gone or in use"),
    MEANS(CL_COMPILER_NOT_AVAILABLE, "the driver has no compiler"),
    MEANS(CL_MEM_OBJECT_ALLOCATION_FAILURE, "the device is out of memory"),
    MEANS(CL_OUT_OF_RESOURCES, "the device ran out of resources"),
    MEANS(CL_OUT_OF_HOST_MEMORY, "the driver is out of host memory"),
    MEANS(CL_PROFILING_INFO_NOT_AVAILABLE, "the device gives no times"),
    MEANS(CL_BUILD_PROGRAM_FAILURE, "the program does not compile"),
    MEANS(CL_MISALIGNED_SUB_BUFFER_OFFSET,
          "a part of a buffer starts at a place that the device cannot address"),
    MEANS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "what it waits for failed"),
    MEANS(CL_COMPILE_PROGRAM_FAILURE, "the program does not compile"),
    MEANS(CL_LINKER_NOT_AVAILABLE, "the driver has no linker"),
    MEANS(CL_LINK_PROGRAM_FAILURE, "the program does not link"),
    MEANS(CL_INVALID_VALUE, "the driver refuses a value"),
    MEANS(CL_INVALID_DEVICE_TYPE, "the driver does not know this kind of device"),
    MEANS(CL_INVALID_PLATFORM, "the platform is not valid"),
    MEANS(CL_INVALID_DEVICE, "the device is not valid any more"),
    MEANS(CL_INVALID_CONTEXT, "the device was lost: its context is not valid any more"),
    MEANS(CL_INVALID_QUEUE_PROPERTIES, "the device has no queue that measures times"),
    MEANS(CL_INVALID_COMMAND_QUEUE, "the device was lost: its queue is not valid any more"),
    MEANS(CL_INVALID_MEM_OBJECT, "a buffer is not valid"),
    MEANS(CL_INVALID_BINARY, "the driver refuses the binary"),
    MEANS(CL_INVALID_BUILD_OPTIONS, "the compiler refuses the options"),
    MEANS(CL_INVALID_PROGRAM, "the program is not valid"),
    MEANS(CL_INVALID_PROGRAM_EXECUTABLE, "the program was not built for this device"),
    MEANS(CL_INVALID_KERNEL_NAME, "the program has no kernel of this name"),
    MEANS(CL_INVALID_KERNEL_DEFINITION, "the kernel differs between devices"),
    MEANS(CL_INVALID_KERNEL, "the kernel is not valid"),
    MEANS(CL_INVALID_ARG_INDEX, "it has fewer arguments"),
    MEANS(CL_INVALID_ARG_VALUE, "the argument has a value that the kernel cannot take"),
    MEANS(CL_INVALID_ARG_SIZE, "the argument has another size in the kernel"),
    MEANS(CL_INVALID_KERNEL_ARGS, "an argument is missing"),
    MEANS(CL_INVALID_WORK_DIMENSION, "the device has fewer dimensions"),
    MEANS(CL_INVALID_WORK_GROUP_SIZE, "the device cannot run groups of this size"),
    MEANS(CL_INVALID_WORK_ITEM_SIZE, "the device cannot run groups of this size"),
    MEANS(CL_INVALID_GLOBAL_OFFSET, "the first item lies beyond the device's range"),
    MEANS(CL_INVALID_EVENT_WAIT_LIST, "what it waits for is not valid"),
    MEANS(CL_INVALID_EVENT, "an event is not valid"),
    MEANS(CL_INVALID_OPERATION, "the driver cannot do this"),
    MEANS(CL_INVALID_BUFFER_SIZE, "the device has no buffer of this size"),
    MEANS(CL_INVALID_GLOBAL_WORK_SIZE, "the device cannot run so many items"),
    MEANS(CL_INVALID_PROPERTY, "the driver does not know a property"),
#undef MEANS
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", "no driver is installed"},
};

wbStatus wbOpenClError(cl_int code, const char *format, ...) {
    char action[200], number[32];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(action, sizeof action, format, arguments);
    va_end(arguments);
    snprintf(number, sizeof number, "error %d", (int)code);
    const char *name = number, *sentence = "the driver gives no reason";
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; ++i) {
        if (meanings[i].code != code) continue;
        name = meanings[i].name;
        sentence = meanings[i].sentence;
    }
    bool isMemory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
    return wbError(isMemory ? wb_errorMemory : wb_errorDevice, "%s: %s (%s)", action, sentence, name);
}
