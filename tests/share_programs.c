// SPDX-License-Identifier: MIT
// A layer between programs and the loader of OpenCL (OPENCL_LAYERS): what was built once in a process is not built again. Tests
// open a device for every world, and PoCL reads the whole text of a program anew for each, even where it has the kernels: half of
// the time of tests on PoCL whose kernels are compiled. All contexts of a device are one, and a program whose text and options were
// built before stands for the earlier one. With WIRBEL_ALL_SHAPES (make check-opencl) the layer does nothing.
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// A program as its owner knows it.
typedef struct Program {
    struct Program *next;
    cl_program handle;
    cl_program built; ///< what is used for it: itself, or an equal one that was built before
    cl_context context;
    char *source, *options; ///< options are NULL until it is built
} Program;

typedef struct Context {
    struct Context *next;
    cl_device_id device;
    cl_context handle;
} Context;

static const cl_icd_dispatch *driver;
static cl_icd_dispatch layer;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Program *programs; // released ones stay if they were built: others may come that are equal
static Context *contexts;

static Program *findProgram(cl_program handle) {
    Program *p = programs;
    while (p && p->handle != handle) p = p->next;
    return p;
}

static cl_program resolve(cl_program handle) {
    pthread_mutex_lock(&mutex);
    const Program *p = findProgram(handle);
    cl_program built = p && p->built ? p->built : handle;
    pthread_mutex_unlock(&mutex);
    return built;
}

static cl_context CL_API_CALL createContext(
    const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *code) {
    if (count != 1 || notify) return driver->clCreateContext(properties, count, devices, notify, data, code);
    pthread_mutex_lock(&mutex);
    Context *c = contexts;
    while (c && c->device != devices[0]) c = c->next;
    if (!c) {
        cl_context made = driver->clCreateContext(properties, count, devices, notify, data, code);
        c = made ? malloc(sizeof *c) : NULL;
        if (c) {
            *c = (Context){contexts, devices[0], made};
            contexts = c;
        }
    }
    cl_context handle = c ? c->handle : NULL;
    if (handle) {
        driver->clRetainContext(handle); // one more than its users have
        if (code) *code = CL_SUCCESS;
    }
    pthread_mutex_unlock(&mutex);
    return handle;
}

static cl_program CL_API_CALL createProgram(cl_context context, cl_uint count, const char **texts,
                                            const size_t *lengths, cl_int *code) {
    cl_program handle = driver->clCreateProgramWithSource(context, count, texts, lengths, code);
    if (!handle || count != 1 || lengths) return handle;
    Program *p = malloc(sizeof *p);
    char *source = strdup(texts[0]);
    if (!p || !source) abort();
    pthread_mutex_lock(&mutex);
    *p = (Program){.next = programs, .handle = handle, .context = context, .source = source};
    programs = p;
    pthread_mutex_unlock(&mutex);
    return handle;
}

static cl_program findEqual(const Program *program, const char *options) {
    for (const Program *p = programs; p; p = p->next)
        if (p->options && p->built == p->handle && p->context == program->context &&
            strcmp(p->options, options) == 0 && strcmp(p->source, program->source) == 0)
            return p->handle;
    return NULL;
}

static cl_int CL_API_CALL buildProgram(cl_program handle, cl_uint count, const cl_device_id *devices,
                                       const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                       void *data) {
    pthread_mutex_lock(&mutex);
    Program *p = findProgram(handle);
    bool isKnown = p && !notify && options;
    if (isKnown) p->built = findEqual(p, options);
    cl_int code = isKnown && p->built ? CL_SUCCESS
                                      : driver->clBuildProgram(handle, count, devices, options, notify, data);
    if (isKnown && !p->built && code == CL_SUCCESS) {
        p->options = strdup(options);
        p->built = handle;
        driver->clRetainProgram(handle); // it outlives its owner
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

// A program that stood for another is forgotten; its handle may come again.
static cl_int CL_API_CALL releaseProgram(cl_program handle) {
    pthread_mutex_lock(&mutex);
    for (Program **link = &programs; *link; link = &(*link)->next) {
        Program *p = *link;
        if (p->handle != handle || p->options) continue;
        *link = p->next;
        free(p->source);
        free(p);
        break;
    }
    cl_int code = driver->clReleaseProgram(handle);
    pthread_mutex_unlock(&mutex);
    return code;
}

static cl_kernel CL_API_CALL createKernel(cl_program handle, const char *name, cl_int *code) {
    return driver->clCreateKernel(resolve(handle), name, code);
}

static cl_int CL_API_CALL getProgramInfo(cl_program handle, cl_program_info name, size_t size, void *value,
                                         size_t *needed) {
    return driver->clGetProgramInfo(resolve(handle), name, size, value, needed);
}

static cl_int CL_API_CALL getBuildInfo(cl_program handle, cl_device_id device, cl_program_build_info name,
                                       size_t size, void *value, size_t *needed) {
    return driver->clGetProgramBuildInfo(resolve(handle), device, name, size, value, needed);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *needed) {
    static const char text[] = "Wirbel's tests: programs are built once in a process";
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *answer = name == CL_LAYER_NAME ? (const void *)text : &version;
    size_t bytes = name == CL_LAYER_NAME ? sizeof text : sizeof version;
    if (name != CL_LAYER_NAME && name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
    if (value && size < bytes) return CL_INVALID_VALUE;
    if (value) memcpy(value, answer, bytes);
    if (needed) *needed = bytes;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target, cl_uint *ownCount,
                                            const cl_icd_dispatch **own) {
    enum { ENTRIES = sizeof layer / sizeof(void (*)(void)) };
    if (count < ENTRIES) return CL_INVALID_VALUE;
    driver = target;
    layer = *target;
    if (!getenv("WIRBEL_ALL_SHAPES")) {
        layer.clCreateContext = createContext;
        layer.clCreateProgramWithSource = createProgram;
        layer.clBuildProgram = buildProgram;
        layer.clReleaseProgram = releaseProgram;
        layer.clCreateKernel = createKernel;
        layer.clGetProgramInfo = getProgramInfo;
        layer.clGetProgramBuildInfo = getBuildInfo;
    }
    *ownCount = ENTRIES;
    *own = &layer;
    return CL_SUCCESS;
}
