// SPDX-License-Identifier: MIT
// Listing, opening and closing devices.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "gpu/gpu_state.h"
#include "wirbel/wirbel.h"

typedef struct DeviceHandle {
    cl_platform_id platform;
    cl_device_id device;
} DeviceHandle;

// In the order in which the platforms give them: the place is the number in --backend opencl:N.
typedef struct DeviceList {
    DeviceHandle *handles;
    int count, capacity;
} DeviceList;

static wbStatus outOfMemory(void) { return wbMemoryError(NULL, "the list of compute devices needs"); }

static bool growList(DeviceList *list, int needed) {
    if (needed <= list->capacity) return true;
    size_t size = sizeof(DeviceHandle);
    DeviceHandle *handles =
        wbRealloc(NULL, list->handles, (size_t)list->capacity * size, (size_t)needed * size);
    if (!handles) return false;
    list->handles = handles;
    list->capacity = needed;
    return true;
}

static void freeList(DeviceList *list) {
    wbFree(NULL, list->handles, (size_t)list->capacity * sizeof(DeviceHandle));
}

// Platforms without a device are common (a driver whose card is not there) and skipped.
static wbStatus addPlatform(const wbOpenCl *cl, cl_platform_id platform, DeviceList *list) {
    cl_uint count = 0;
    cl_int code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0)) return wb_okStatus;
    cl_device_id *ids = NULL;
    size_t bytes = count * sizeof *ids;
    if (code == CL_SUCCESS) {
        ids = wbAlloc(NULL, bytes);
        if (!ids || !growList(list, list->count + (int)count)) {
            wbFree(NULL, ids, bytes);
            return outOfMemory();
        }
        code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL);
    }
    if (code == CL_SUCCESS) {
        for (cl_uint i = 0; i < count; ++i) list->handles[list->count++] = (DeviceHandle){platform, ids[i]};
    } else {
        char name[128] = "?";
        cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
        wbStatus status = wbOpenClError(code, "the OpenCL platform %.100s is skipped", name);
        wbLog(wb_logWarning, "%s", status.text);
    }
    wbFree(NULL, ids, bytes);
    return wb_okStatus;
}

static wbStatus listHandles(const wbOpenCl *cl, DeviceList *list) {
    cl_uint count = 0;
    cl_int code = cl->clGetPlatformIDs(0, NULL, &count);
    if (code != CL_SUCCESS || count == 0) {
        return wbError(wb_errorDevice,
                       "OpenCL has no driver: install one, such as the package pocl-opencl-icd "
                       "for the processor");
    }
    size_t bytes = count * sizeof(cl_platform_id);
    cl_platform_id *platforms = wbAlloc(NULL, bytes);
    if (!platforms) return outOfMemory();
    code = cl->clGetPlatformIDs(count, platforms, NULL);
    wbStatus status =
        code == CL_SUCCESS ? wb_okStatus : wbOpenClError(code, "the OpenCL platforms cannot be listed");
    for (cl_uint i = 0; i < count && status.code == wb_ok; ++i) status = addPlatform(cl, platforms[i], list);
    wbFree(NULL, platforms, bytes);
    if (status.code == wb_ok && list->count == 0) {
        return wbError(wb_errorDevice, "OpenCL has drivers but no device: install one that fits, such as the "
                                       "package pocl-opencl-icd for the processor");
    }
    return status;
}

// Some drivers put spaces around names.
static void trim(char *text) {
    size_t skip = strspn(text, " "), length = strlen(text + skip);
    memmove(text, text + skip, length + 1);
    while (length > 0 && text[length - 1] == ' ') text[--length] = 0;
}

// A text that is longer than its place is cut.
#define GET_TEXT(function, object, param, target)                                                            \
    do {                                                                                                     \
        char text[1024] = "?";                                                                               \
        if ((function)(object, param, sizeof text, text, NULL) != CL_SUCCESS) strcpy(text, "?");             \
        text[sizeof text - 1] = 0;                                                                           \
        trim(text);                                                                                          \
        snprintf(target, sizeof(target), "%.*s", (int)sizeof(target) - 1, text);                             \
    } while (0)

static wbDevice describe(const wbOpenCl *cl, DeviceHandle handle) {
    wbDevice device = {0};
    cl_device_id id = handle.device;
    cl_device_type type = 0;
    cl_uint units = 0;
    cl_ulong global = 0, largest = 0, local = 0;
    size_t group = 0;
    GET_TEXT(cl->clGetDeviceInfo, id, CL_DEVICE_NAME, device.name);
    GET_TEXT(cl->clGetPlatformInfo, handle.platform, CL_PLATFORM_NAME, device.platform);
    GET_TEXT(cl->clGetDeviceInfo, id, CL_DRIVER_VERSION, device.driver);
    GET_TEXT(cl->clGetDeviceInfo, id, CL_DEVICE_VERSION, device.version);
    cl->clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    cl->clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    cl->clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global, &global, NULL);
    cl->clGetDeviceInfo(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL);
    cl->clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    cl->clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    device.isCpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    device.computeUnits = (int)units;
    device.globalBytes = global;
    device.maxBufferBytes = largest;
    device.localBytes = local;
    device.maxGroupSize = (int)group;
    device.lanes = device.isCpu ? 16 : 1;
    return device;
}

wbStatus wbListDevices(wbDevice *devices, int capacity, int *count) {
    WB_REQUIRE(count);
    WB_ASSERT(devices || capacity <= 0, "devices is NULL");
    *count = 0;
    wbOpenCl cl;
    WB_TRY(wbLoadOpenCl(&cl));
    DeviceList list = {0};
    wbStatus status = listHandles(&cl, &list);
    if (status.code == wb_ok) {
        *count = list.count;
        for (int i = 0; i < list.count && i < capacity; ++i) devices[i] = describe(&cl, list.handles[i]);
    }
    freeList(&list);
    wbUnloadOpenCl(&cl);
    return status;
}

// A power of two from the environment; `value` stays if it is not set.
static wbStatus readPower(const char *variable, int min, int max, const char *range, int *value) {
    const char *text = getenv(variable);
    if (!text || !*text) return wb_okStatus;
    char *end;
    long number = strtol(text, &end, 10);
    if (*end != 0 || number < min || number > max || (number & (number - 1)) != 0) {
        return wbError(wb_errorInput, "%s=%.40s: must be %s", variable, text, range);
    }
    *value = (int)number;
    return wb_okStatus;
}

static wbStatus readSettings(wbGpu *gpu) {
    int *lanes = &gpu->device.lanes;
    gpu->groupSize = gpu->device.isCpu ? 64 : 256; // small ones spread over the cores: items are heavy there
    WB_TRY(readPower("WIRBEL_GPU_LANES", 1, 16, "1, 4, 8 or 16", lanes));
    WB_TRY(readPower("WIRBEL_GROUP_SIZE", 16, 1024, "a power of two from 16 to 1024", &gpu->groupSize));
    if (*lanes == 2) return wbError(wb_errorInput, "WIRBEL_GPU_LANES=2: must be 1, 4, 8 or 16");
    if (gpu->groupSize > gpu->device.maxGroupSize) {
        gpu->groupSize = wbFloorPowerOfTwo((size_t)gpu->device.maxGroupSize);
    }
    return wb_okStatus;
}

static wbStatus checkVersion(const wbDevice *device) {
    int major = 0, minor = 0;
    if (sscanf(device->version, "OpenCL %d.%d", &major, &minor) == 2 && major * 10 + minor >= 12) {
        return wb_okStatus;
    }
    return wbError(wb_errorDevice, "the device %.60s has \"%.60s\"; OpenCL 1.2 or later is needed",
                   device->name, device->version);
}

static wbStatus createQueue(wbGpu *gpu, DeviceHandle handle) {
    const wbOpenCl *cl = &gpu->cl;
    cl_int code;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)handle.platform,
                                                0};
    gpu->context = cl->clCreateContext(properties, 1, &handle.device, NULL, NULL, &code);
    if (!gpu->context) return wbOpenClError(code, "the device %.60s cannot be opened", gpu->device.name);
    gpu->queue = cl->clCreateCommandQueue(gpu->context, handle.device, CL_QUEUE_PROFILING_ENABLE, &code);
    if (!gpu->queue) return wbOpenClError(code, "the device %.60s gives no queue", gpu->device.name);
    return wb_okStatus;
}

static wbStatus openDevice(wbGpu *gpu, DeviceHandle handle) {
    gpu->id = handle.device;
    gpu->device = describe(&gpu->cl, handle);
    GET_TEXT(gpu->cl.clGetDeviceInfo, handle.device, CL_DEVICE_VENDOR, gpu->vendor);
    GET_TEXT(gpu->cl.clGetPlatformInfo, handle.platform, CL_PLATFORM_VERSION, gpu->platformVersion);
    cl_device_fp_config doubles = 0;
    gpu->cl.clGetDeviceInfo(handle.device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
    gpu->hasDoubles = doubles != 0;
    WB_TRY(checkVersion(&gpu->device));
    WB_TRY(readSettings(gpu));
    return createQueue(gpu, handle);
}

// The first that is not the host's processor, else the first of all.
static int choosePlace(const wbOpenCl *cl, const DeviceList *list) {
    for (int i = 0; i < list->count; ++i) {
        if (!describe(cl, list->handles[i]).isCpu) return i;
    }
    return 0;
}

static wbStatus openPlace(wbGpu *gpu, int device) {
    WB_TRY(wbLoadOpenCl(&gpu->cl));
    DeviceList list = {0};
    wbStatus status = listHandles(&gpu->cl, &list);
    if (status.code == wb_ok && device == -1) device = choosePlace(&gpu->cl, &list);
    if (status.code == wb_ok && (device < 0 || device >= list.count)) {
        status = wbError(device < 0 ? wb_errorInput : wb_errorDevice,
                         "there is no compute device %d: wirbel info lists %d, counted from 0", device,
                         list.count);
    }
    if (status.code == wb_ok) status = openDevice(gpu, list.handles[device]);
    freeList(&list);
    return status;
}

wbStatus wbOpenGpu(wbMemory *memory, int device, wbGpu **gpu) {
    *gpu = NULL;
    wbGpu *opened = wbAllocZero(memory, sizeof *opened);
    if (!opened) return wbMemoryError(memory, "a compute device needs");
    opened->memory = memory;
    wbStatus status = openPlace(opened, device);
    if (status.code != wb_ok) {
        wbCloseGpu(opened);
        return status;
    }
    *gpu = opened;
    return wb_okStatus;
}

void wbCloseGpu(wbGpu *gpu) {
    if (!gpu) return;
    WB_ASSERT(gpu->heldBytes == 0, "buffers of this device were not freed");
    if (gpu->queue) gpu->cl.clFinish(gpu->queue);
    wbGpu_DropPending(gpu);
    wbFreePrograms(gpu);
    if (gpu->queue) gpu->cl.clReleaseCommandQueue(gpu->queue);
    if (gpu->context) gpu->cl.clReleaseContext(gpu->context);
    wbUnloadOpenCl(&gpu->cl);
    wbFree(gpu->memory, gpu, sizeof *gpu);
}

const wbDevice *wbGpu_GetDevice(const wbGpu *gpu) { return &gpu->device; }
int wbGpu_GetLanes(const wbGpu *gpu) { return gpu->device.lanes; }
bool wbGpu_HasDoubles(const wbGpu *gpu) { return gpu->hasDoubles; }
int wbGpu_GetGroupSize(const wbGpu *gpu) { return gpu->groupSize; }
