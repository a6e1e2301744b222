// SPDX-License-Identifier: MIT
// Devices, buffers, programs and their cache, the queue, and what they say when something fails.
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/gpu_state.h"
#include "gpu_support.h"

static const char scaleSource[] = "#pragma once\n"
                                  "#include \"core/real.h\"\n"
                                  "kernel void scale(global int *values, int count, int factor) {\n"
                                  "    int i = get_global_id(0);\n"
                                  "    if (i < count) values[i] *= factor;\n"
                                  "}\n";

static wbStatus build(wbGpu *gpu, const char *source, const char *options, wbGpuProgram **program) {
    const wbGpuProgramDef def = {.name = "scaling", .sources = &source, .sourceCount = 1, .options = options};
    return wbGpu_Build(gpu, &def, program);
}

static wbGpuKernel *getScale(wbGpu *gpu) {
    wbGpuProgram *program;
    wbGpuKernel *kernel;
    assertOk(build(gpu, scaleSource, NULL, &program));
    assertOk(wbGpuProgram_GetKernel(program, "scale", &kernel));
    return kernel;
}

static wbStatus runScale(wbGpu *gpu, wbGpuKernel *kernel, wbGpuBuffer *values, int items, int factor) {
    return wbGpu_Run(gpu, kernel, items,
                     WB_GPU_ARGS(WB_GPU_BUFFER(*values), WB_GPU_INT(items), WB_GPU_INT(factor)));
}

static void testDevices(void **state) {
    (void)state;
    int count, sameCount;
    wbDevice devices[8];
    assertOk(wbListDevices(NULL, 0, &count));
    assertOk(wbListDevices(devices, 8, &sameCount));
    assert_int_equal(count, sameCount);
    for (int i = 0; i < count && i < 8; ++i) {
        assert_true(strlen(devices[i].name) > 0 && strlen(devices[i].platform) > 0);
        assert_true(strncmp(devices[i].version, "OpenCL ", 7) == 0);
        assert_true(devices[i].computeUnits > 0 && devices[i].maxGroupSize > 0);
        assert_true(devices[i].maxBufferBytes <= devices[i].globalBytes && devices[i].localBytes > 0);
    }
    wbGpu *gpu;
    char range[64];
    snprintf(range, sizeof range, "no compute device %d: wirbel info lists %d", count, count);
    expectError(wbOpenGpu(NULL, count, &gpu), wb_errorDevice, range);
    assert_null(gpu);
    expectError(wbOpenGpu(NULL, -2, &gpu), wb_errorInput, "no compute device -2");
    wbMemory *memory = wbCreateMemory(100);
    expectError(wbOpenGpu(memory, 0, &gpu), wb_errorMemory, "a compute device needs");
    wbDestroyMemory(memory);
    wbCloseGpu(NULL);
}

static void expectSetting(const char *variable, const char *value, const char *text) {
    wbGpu *gpu;
    setenv(variable, value, 1);
    expectError(wbOpenGpu(NULL, 0, &gpu), wb_errorInput, text);
    unsetenv(variable);
}

static void testSettings(void **state) {
    (void)state;
    expectSetting("WIRBEL_GROUP_SIZE", "100",
                  "WIRBEL_GROUP_SIZE=100: must be a power of two from 16 to 1024");
    expectSetting("WIRBEL_GROUP_SIZE", "8", "WIRBEL_GROUP_SIZE=8");
    expectSetting("WIRBEL_GROUP_SIZE", "64x", "WIRBEL_GROUP_SIZE=64x");
    expectSetting("WIRBEL_GPU_LANES", "3", "WIRBEL_GPU_LANES=3: must be 1, 4, 8 or 16");
    expectSetting("WIRBEL_GPU_LANES", "2", "WIRBEL_GPU_LANES=2");
    setenv("WIRBEL_GROUP_SIZE", "64", 1);
    setenv("WIRBEL_GPU_LANES", "4", 1);
    TestGpu test = openTestGpu();
    unsetenv("WIRBEL_GROUP_SIZE");
    unsetenv("WIRBEL_GPU_LANES");
    assert_int_equal(wbGpu_GetGroupSize(test.gpu), 64);
    assert_int_equal(wbGpu_GetLanes(test.gpu), 4);
    closeTestGpu(&test);
    test = openTestGpu();
    assert_int_equal(wbGpu_GetLanes(test.gpu), wbGpu_GetDevice(test.gpu)->isCpu ? 16 : 1);
    closeTestGpu(&test);
}

static void testBuffers(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbGpu *gpu = test.gpu;
    size_t before = wbGetMemoryUse(test.memory).bytes;
    int values[1000], copy[1000];
    for (int i = 0; i < 1000; ++i) values[i] = i * i;
    wbGpuBuffer a = {0}, b = {0};
    assertOk(wbGpuBuffer_Reserve(gpu, &a, "a", sizeof values));
    assertOk(wbGpuBuffer_Reserve(gpu, &b, "b", 400));
    assertOk(wbGpu_Upload(gpu, &a, values, sizeof values));
    memset(values, 0, sizeof values); // they were taken over
    wbGpuBuffer_Swap(&a, &b);
    assertOk(wbGpu_Download(gpu, &b, copy, sizeof copy));
    for (int i = 0; i < 1000; ++i) assert_int_equal(copy[i], i * i);

    assertOk(wbGpuBuffer_Reserve(gpu, &a, "a", 404)); // by half
    assert_int_equal(a.bytes, 600);
    void *handle = a.handle;
    assertOk(wbGpuBuffer_Reserve(gpu, &a, "a", 600)); // there is room
    assert_ptr_equal(a.handle, handle);
    assertOk(wbGpu_Fill(gpu, &a, 0xabcdef01u, 600));
    assertOk(wbGpu_Fill(gpu, &a, 7, 8));
    assertOk(wbGpu_Download(gpu, &a, copy, 600));
    assert_int_equal(copy[1], 7);
    assert_int_equal((uint32_t)copy[2], 0xabcdef01u);
    assertOk(wbGpu_Upload(gpu, &a, NULL, 0));
    assertOk(wbGpu_Download(gpu, &a, NULL, 0));
    assertOk(wbGpu_Fill(gpu, &a, 1, 0));
    assert_int_equal(wbGetMemoryUse(test.memory).bytes, before + 600 + sizeof values);
    wbGpuBuffer_Free(gpu, &a);
    wbGpuBuffer_Free(gpu, &a);
    wbGpuBuffer_Free(gpu, &b);
    assert_int_equal(wbGetMemoryUse(test.memory).bytes, before);
    closeTestGpu(&test);
}

static void testMemoryLimit(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(2000000);
    wbGpu *gpu;
    wbGpuBuffer buffer = {0};
    assertOk(wbOpenGpu(memory, 0, &gpu));
    assertOk(wbGpuBuffer_Reserve(gpu, &buffer, "speeds", 900000));
    wbStatus status = wbGpuBuffer_Reserve(gpu, &buffer, "speeds", 3000000);
    expectError(status, wb_errorMemory, "device buffer speeds needs 3.0 MB");
    expectError(status, wb_errorMemory, "world.memoryLimit is 2.0 MB");
    assert_int_equal(buffer.bytes, 900000);
    // half more would pass the limit, what is needed does not
    assertOk(wbGpuBuffer_Reserve(gpu, &buffer, "speeds", 1000000));
    assert_int_equal(buffer.bytes, 1000000);
    uint64_t largest = wbGpu_GetDevice(gpu)->maxBufferBytes;
    expectError(wbGpuBuffer_Reserve(gpu, &buffer, "speeds", largest + 4), wb_errorMemory, "per buffer");
    assertOk(wbGpu_Fill(gpu, &buffer, 0, 1000000)); // none of these stick
    wbGpuBuffer_Free(gpu, &buffer);
    wbCloseGpu(gpu);
    wbDestroyMemory(memory);
}

static void testProgramBeyondMemoryLimit(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbGpuProgram *program;
    size_t held = wbGetMemoryUse(test.memory).bytes;
    wbMemory_SetLimit(test.memory, held + sizeof *program + 10); // no room for its text
    expectError(build(test.gpu, scaleSource, NULL, &program), wb_errorMemory, "world.memoryLimit is");
    assert_int_equal(wbGetMemoryUse(test.memory).bytes, held);
    wbMemory_SetLimit(test.memory, 0);
    assertOk(build(test.gpu, scaleSource, NULL, &program));
    closeTestGpu(&test);
}

static void testItemCounts(void **state) {
    (void)state;
    static const int counts[] = {0, 1, 31, 255, 256, 257, 1001};
    TestGpu test = openTestGpu();
    wbGpuKernel *kernel = getScale(test.gpu);
    wbGpuBuffer buffer = {0};
    int values[1002];
    assertOk(wbGpuBuffer_Reserve(test.gpu, &buffer, "values", sizeof values));
    for (int c = 0; c < 7; ++c) {
        assertOk(wbGpu_Fill(test.gpu, &buffer, 5, sizeof values));
        assertOk(runScale(test.gpu, kernel, &buffer, counts[c], 3));
        assertOk(wbGpu_Download(test.gpu, &buffer, values, sizeof values));
        for (int i = 0; i < 1002; ++i) assert_int_equal(values[i], i < counts[c] ? 15 : 5);
    }
    // a kernel that cannot run with the device's group size gets a smaller one
    kernel->maxGroupSize = 32;
    assertOk(runScale(test.gpu, kernel, &buffer, 33, 2));
    assertOk(wbGpu_RunGroups(test.gpu, kernel, 2, 16,
                             WB_GPU_ARGS(WB_GPU_BUFFER(buffer), WB_GPU_INT(1002), WB_GPU_INT(2))));
    assertOk(wbGpu_RunGroups(test.gpu, kernel, 0, 16, NULL, 0));
    assertOk(wbGpu_Download(test.gpu, &buffer, values, sizeof values));
    assert_int_equal(values[31], 60);
    assert_int_equal(values[32], 30);
    assert_int_equal(values[33], 15);
    wbGpuBuffer_Free(test.gpu, &buffer);
    closeTestGpu(&test);
}

static void testTimes(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbGpuKernel *kernel = getScale(test.gpu);
    wbGpuBuffer buffer = {0};
    enum { count = 4096, runs = 2 * WB_MAX_PENDING + 7 };
    assertOk(wbGpuBuffer_Reserve(test.gpu, &buffer, "values", 4 * count));
    wbGpu_SetPhase(test.gpu, 3);
    for (int i = 0; i < runs; ++i) assertOk(runScale(test.gpu, kernel, &buffer, count, 1));
    assert_true(test.gpu->pendingCount < WB_MAX_PENDING);
    wbGpu_SetPhase(test.gpu, 1);
    assertOk(wbGpu_Fill(test.gpu, &buffer, 0, 4 * count));
    double ms[4] = {0};
    assertOk(wbGpu_TakeTimes(test.gpu, ms, 4));
    assert_int_equal(test.gpu->pendingCount, 0);
    assert_true(ms[3] > 0 && ms[1] > 0 && ms[0] == 0 && ms[2] == 0);
    wbGpuKernelTime time;
    assert_int_equal(wbGpu_GetKernelTimes(test.gpu, &time, 1), 1);
    assert_string_equal(time.kernel, "scale");
    assert_int_equal(time.runs, runs);
    assert_true(time.ms > 0 && time.ms <= ms[3] * 1.000001);
    double again[4] = {0};
    assertOk(wbGpu_TakeTimes(test.gpu, again, 4));
    assert_true(again[1] == 0 && again[3] == 0);
    wbGpuBuffer_Free(test.gpu, &buffer);
    closeTestGpu(&test);
}

typedef struct Log {
    char text[4096];
    int lines;
} Log;

static void keepLog(wbLogLevel level, const char *message, void *context) {
    (void)level;
    Log *log = context;
    log->lines++;
    strncat(log->text, message, sizeof log->text - strlen(log->text) - 1);
}

static void testProgramErrors(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbGpuProgram *program;
    wbGpuKernel *kernel, *same;
    Log log = {0};
    wbSetLog(keepLog, &log);
    wbStatus status = build(test.gpu, "kernel void k(global int *x) { x[0] = unheardOf; }", NULL, &program);
    wbSetLog(NULL, NULL);
    expectError(status, wb_errorDevice, "the device's program scaling does not compile: ");
    expectError(status, wb_errorDevice, "unheardOf");
    assert_true(log.lines > 0);
    assert_non_null(strstr(log.text, "scaling: "));
    assert_non_null(strstr(log.text, "unheardOf"));

    // the device works on
    assertOk(build(test.gpu, scaleSource, "-DUNUSED=1", &program));
    status = wbGpuProgram_GetKernel(program, "skale", &kernel);
    expectError(status, wb_errorDevice, "kernel skale of the program scaling");
    expectError(status, wb_errorDevice, "the program has no kernel of this name (CL_INVALID_KERNEL_NAME)");
    assertOk(wbGpuProgram_GetKernel(program, "scale", &kernel));
    assertOk(wbGpuProgram_GetKernel(program, "scale", &same));
    assert_ptr_equal(kernel, same);
    assert_true(wbGpuKernel_GetMaxGroupSize(kernel) >= wbGpu_GetGroupSize(test.gpu));
    closeTestGpu(&test);
}

static cl_int CL_API_CALL failLaunch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *offset, const size_t *global, const size_t *local,
                                     cl_uint waits, const cl_event *waitList, cl_event *event) {
    (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)global, (void)local, (void)waits;
    (void)waitList, (void)event;
    return CL_OUT_OF_RESOURCES;
}

static cl_mem CL_API_CALL failBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                     cl_int *code) {
    (void)context, (void)flags, (void)size, (void)host;
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

static cl_int CL_API_CALL failFinish(cl_command_queue queue) {
    (void)queue;
    return CL_INVALID_COMMAND_QUEUE;
}

// every command failed after it was queued
static cl_int CL_API_CALL failEvents(cl_event event, cl_event_info info, size_t size, void *value,
                                     size_t *sizeReturned) {
    (void)event, (void)info, (void)sizeReturned;
    assert_int_equal(size, sizeof(cl_int));
    *(cl_int *)value = CL_OUT_OF_RESOURCES;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL failBuild(cl_program program, cl_uint devices, const cl_device_id *list,
                                    const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                    void *context) {
    (void)program, (void)devices, (void)list, (void)options, (void)notify, (void)context;
    return CL_OUT_OF_HOST_MEMORY;
}

// Every call gives the first error again.
static void expectStuck(TestGpu *test, wbGpuKernel *kernel, wbGpuBuffer *buffer, const char *text) {
    int value = 0;
    double ms[1];
    wbGpuProgram *program;
    wbGpu *gpu = test->gpu;
    expectError(runScale(gpu, kernel, buffer, 1, 1), wb_errorDevice, text);
    expectError(wbGpu_RunGroups(gpu, kernel, 1, 1, NULL, 0), wb_errorDevice, text);
    expectError(wbGpu_Upload(gpu, buffer, &value, 4), wb_errorDevice, text);
    expectError(wbGpu_Download(gpu, buffer, &value, 4), wb_errorDevice, text);
    expectError(wbGpu_Fill(gpu, buffer, 0, 4), wb_errorDevice, text);
    expectError(wbGpu_Finish(gpu), wb_errorDevice, text);
    expectError(wbGpu_TakeTimes(gpu, ms, 1), wb_errorDevice, text);
    expectError(wbGpuBuffer_Reserve(gpu, buffer, "values", 1000), wb_errorDevice, text);
    expectError(build(gpu, scaleSource, NULL, &program), wb_errorDevice, text);
    wbGpuBuffer_Free(gpu, buffer);
    closeTestGpu(test);
}

static void testFailedLaunch(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbGpuBuffer buffer = {0};
    wbGpuKernel *kernel = getScale(test.gpu);
    assertOk(wbGpuBuffer_Reserve(test.gpu, &buffer, "values", 400));
    __typeof__(test.gpu->cl.clEnqueueNDRangeKernel) launch = test.gpu->cl.clEnqueueNDRangeKernel;
    test.gpu->cl.clEnqueueNDRangeKernel = failLaunch;
    static const char text[] =
        "kernel scale could not be started: the device ran out of resources (CL_OUT_OF_RESOURCES)";
    expectError(runScale(test.gpu, kernel, &buffer, 100, 1), wb_errorDevice, text);
    test.gpu->cl.clEnqueueNDRangeKernel = launch;
    expectStuck(&test, kernel, &buffer, text);
}

static void testWrongArguments(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbGpuBuffer buffer = {0};
    wbGpuKernel *kernel = getScale(test.gpu);
    wbStatus status = wbGpu_Run(
        test.gpu, kernel, 1,
        WB_GPU_ARGS(WB_GPU_BUFFER(buffer), WB_GPU_INT(1), WB_GPU_INT(1), WB_GPU_INT(1), WB_GPU_INT(1)));
    expectError(status, wb_errorDevice, "argument 4 of kernel scale, 4 bytes");
    expectStuck(&test, kernel, &buffer, "argument 4 of kernel scale");
}

static void testLostDevice(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbGpuBuffer buffer = {0};
    wbGpuKernel *kernel = getScale(test.gpu);
    assertOk(wbGpuBuffer_Reserve(test.gpu, &buffer, "values", 400));
    test.gpu->cl.clFinish = failFinish;
    static const char text[] = "waiting for the device failed: the device was lost";
    expectError(wbGpu_Finish(test.gpu), wb_errorDevice, text);
    expectStuck(&test, kernel, &buffer, text);
}

static void testFailedKernel(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbGpuBuffer buffer = {0};
    wbGpuKernel *kernel = getScale(test.gpu);
    double ms[1];
    assertOk(wbGpuBuffer_Reserve(test.gpu, &buffer, "values", 400));
    assertOk(runScale(test.gpu, kernel, &buffer, 100, 1));
    test.gpu->cl.clGetEventInfo = failEvents;
    static const char text[] = "kernel scale failed: the device ran out of resources";
    expectError(wbGpu_TakeTimes(test.gpu, ms, 1), wb_errorDevice, text);
    expectStuck(&test, kernel, &buffer, text);

    // the queue fails while the kernel is in it
    test = openTestGpu();
    kernel = getScale(test.gpu);
    assertOk(wbGpuBuffer_Reserve(test.gpu, &buffer, "values", 400));
    assertOk(runScale(test.gpu, kernel, &buffer, 100, 1));
    test.gpu->cl.clGetEventInfo = failEvents;
    test.gpu->cl.clFinish = failFinish;
    expectError(wbGpu_Finish(test.gpu), wb_errorDevice, "failed while kernel scale was queued");
    expectStuck(&test, kernel, &buffer, "kernel scale");
}

static void testOutOfMemory(void **state) {
    (void)state;
    TestGpu test = openTestGpu();
    wbGpuBuffer buffer = {0};
    int value = 42, read = 0;
    assertOk(wbGpuBuffer_Reserve(test.gpu, &buffer, "values", 400));
    assertOk(wbGpu_Upload(test.gpu, &buffer, &value, 4));
    __typeof__(test.gpu->cl.clCreateBuffer) create = test.gpu->cl.clCreateBuffer;
    test.gpu->cl.clCreateBuffer = failBuffer;
    size_t held = wbGetMemoryUse(test.memory).bytes;
    wbStatus status = wbGpuBuffer_Reserve(test.gpu, &buffer, "values", 5000000);
    expectError(status, wb_errorMemory, "device buffer values needs 5.0 MB");
    expectError(status, wb_errorMemory, "the device is out of memory (CL_MEM_OBJECT_ALLOCATION_FAILURE)");
    assert_int_equal(wbGetMemoryUse(test.memory).bytes, held);
    assertOk(wbGpu_Download(test.gpu, &buffer, &read, 4)); // nothing was lost
    assert_int_equal(read, 42);
    test.gpu->cl.clCreateBuffer = create;
    assertOk(wbGpuBuffer_Reserve(test.gpu, &buffer, "values", 5000000));

    wbGpuProgram *program;
    test.gpu->cl.clBuildProgram = failBuild;
    expectError(build(test.gpu, scaleSource, "-DFAILS=1", &program), wb_errorMemory,
                "the device's program scaling cannot be built: the driver is out of host memory");
    wbGpuBuffer_Free(test.gpu, &buffer);
    closeTestGpu(&test);
}

static void testTwoDevices(void **state) {
    (void)state;
    TestGpu a = openTestGpu(), b = openTestGpu();
    wbGpuKernel *kernelA = getScale(a.gpu), *kernelB = getScale(b.gpu);
    wbGpuBuffer valuesA = {0}, valuesB = {0};
    int valueA = 5, valueB = 7;
    assertOk(wbGpuBuffer_Reserve(a.gpu, &valuesA, "values", 4));
    assertOk(wbGpuBuffer_Reserve(b.gpu, &valuesB, "values", 4));
    assertOk(wbGpu_Upload(a.gpu, &valuesA, &valueA, 4));
    assertOk(wbGpu_Upload(b.gpu, &valuesB, &valueB, 4));
    assertOk(runScale(a.gpu, kernelA, &valuesA, 1, 10));
    assertOk(runScale(b.gpu, kernelB, &valuesB, 1, 100));
    assertOk(wbGpu_Download(a.gpu, &valuesA, &valueA, 4));
    wbGpuBuffer_Free(a.gpu, &valuesA);
    closeTestGpu(&a);
    assertOk(wbGpu_Download(b.gpu, &valuesB, &valueB, 4)); // the other one goes on
    assert_int_equal(valueA, 50);
    assert_int_equal(valueB, 700);
    wbGpuBuffer_Free(b.gpu, &valuesB);
    closeTestGpu(&b);
}

// Builds in a device of its own, runs the kernel, and says whether the binary came from the disk.
static bool buildsFromCache(const char *options) {
    TestGpu test = openTestGpu();
    wbGpuProgram *program;
    wbGpuKernel *kernel;
    wbGpuBuffer buffer = {0};
    int value = 21;
    assertOk(build(test.gpu, scaleSource, options, &program));
    assertOk(wbGpuProgram_GetKernel(program, "scale", &kernel));
    assertOk(wbGpuBuffer_Reserve(test.gpu, &buffer, "values", 4));
    assertOk(wbGpu_Upload(test.gpu, &buffer, &value, 4));
    assertOk(runScale(test.gpu, kernel, &buffer, 1, 2));
    assertOk(wbGpu_Download(test.gpu, &buffer, &value, 4));
    assert_int_equal(value, 42);
    bool fromCache = program->fromCache;
    wbGpuBuffer_Free(test.gpu, &buffer);
    closeTestGpu(&test);
    return fromCache;
}

// The only file of a folder; returns how many there are.
static int findFile(const char *folder, char *path, size_t size) {
    int count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, size, "%s/%s", folder, entry->d_name);
        count++;
    }
    closedir(directory);
    return count;
}

static void flipByte(const char *path, long place) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, place, place < 0 ? SEEK_END : SEEK_SET), 0);
    int byte = fgetc(file);
    fseek(file, -1, SEEK_CUR);
    fputc(byte ^ 1, file);
    fclose(file);
}

static void testCache(void **state) {
    (void)state;
    char folder[] = "gpu-cache-XXXXXX", inner[64], path[512], previous[512];
    snprintf(previous, sizeof previous, "%s", getenv("WIRBEL_CACHE") ? getenv("WIRBEL_CACHE") : "");
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/a/b", folder); // folders are made
    setenv("WIRBEL_CACHE", inner, 1);
    assert_false(buildsFromCache(""));
    assert_int_equal(findFile(inner, path, sizeof path), 1); // nothing else is left beside it
    assert_true(buildsFromCache(""));
    static const long places[] = {0, 8, 16, 24, 40, -1}; // magic, key, size, checksum, binary
    for (int i = 0; i < 6; ++i) {
        flipByte(path, places[i]);
        assert_false(buildsFromCache("")); // and written again
        assert_true(buildsFromCache(""));
    }
    assert_int_equal(truncate(path, 100), 0);
    assert_false(buildsFromCache(""));
    assert_int_equal(truncate(path, 0), 0);
    assert_false(buildsFromCache(""));
    assert_false(buildsFromCache("-DOTHER=1")); // its own file
    assert_int_equal(findFile(inner, path, sizeof path), 2);

    // no folder can be made where a file stands
    snprintf(inner, sizeof inner, "%s/file", folder);
    fclose(fopen(inner, "w"));
    strcat(inner, "/b");
    setenv("WIRBEL_CACHE", inner, 1);
    assert_false(buildsFromCache(""));
    assert_false(buildsFromCache(""));
    setenv("WIRBEL_CACHE", "", 1); // off
    assert_false(buildsFromCache(""));
    assert_false(buildsFromCache(""));
    // XDG_CACHE_HOME, then HOME
    unsetenv("WIRBEL_CACHE");
    char absolute[512], cwd[400];
    assert_non_null(getcwd(cwd, sizeof cwd));
    snprintf(absolute, sizeof absolute, "%s/%s/xdg", cwd, folder);
    setenv("XDG_CACHE_HOME", absolute, 1);
    assert_false(buildsFromCache(""));
    assert_true(buildsFromCache(""));
    strcat(absolute, "/wirbel");
    assert_int_equal(findFile(absolute, path, sizeof path), 1);
    unsetenv("XDG_CACHE_HOME");
    setenv("WIRBEL_CACHE", previous, 1);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testDevices),
        cmocka_unit_test(testSettings),
        cmocka_unit_test(testBuffers),
        cmocka_unit_test(testMemoryLimit),
        cmocka_unit_test(testProgramBeyondMemoryLimit),
        cmocka_unit_test(testItemCounts),
        cmocka_unit_test(testTimes),
        cmocka_unit_test(testProgramErrors),
        cmocka_unit_test(testFailedLaunch),
        cmocka_unit_test(testWrongArguments),
        cmocka_unit_test(testLostDevice),
        cmocka_unit_test(testFailedKernel),
        cmocka_unit_test(testOutOfMemory),
        cmocka_unit_test(testTwoDevices),
        cmocka_unit_test(testCache),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, NULL, NULL);
}
