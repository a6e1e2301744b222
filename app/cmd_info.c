// SPDX-License-Identifier: MIT
// wirbel info: the build and the machine, for reports.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/commands.h"
#include "render/renderer.h"
#include "wirbel/wirbel.h"

static void printCpu(void) {
    char name[96];
    wbGetCpuName(name, sizeof name);
    printf("cpu        %s, %ld cores\n", name, sysconf(_SC_NPROCESSORS_ONLN));
}

static void printSupported(void) {
    printf("simd       built %s; this cpu has", WB_BUILT_SIMD);
    for (wbSimd simd = wb_simdScalar; simd <= wb_simdAvx512; simd++) {
        if (wbIsSimdSupported(simd)) printf(" %s", wbGetSimdName(simd));
    }
}

// what a world would use
static bool printChosen(void) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    wbStatus status = wbCreateWorld(&def, &world);
    if (!wbIsOk(status)) {
        printf("\n");
        wbComplain("%s", status.text);
        return false;
    }
    printf("; chosen %s (WIRBEL_SIMD changes it)\n", wbGetSimdName(wbWorld_GetSimd(world)));
    wbDestroyWorld(world);
    return true;
}

static void printRenderer(void) {
    wbRenderer *renderer;
    wbStatus status = wbCreateRenderer(64, 64, &renderer);
    printf("renderer   %s\n", wbIsOk(status) ? wbRenderer_GetDeviceName(renderer) : status.text);
    if (wbIsOk(status)) wbDestroyRenderer(renderer);
}

static void printDevice(int place, const wbDevice *device) {
    char label[32];
    snprintf(label, sizeof label, "opencl:%d", place);
    printf("%-10s %s (%s)\n", label, device->name, device->platform);
    printf("           %s, driver %s\n", device->version, device->driver);
    printf("           %d compute units, memory %.1f GB, buffers up to %.1f GB, local memory %.0f KiB, "
           "groups up to %d, lanes %d\n",
           device->computeUnits, (double)device->globalBytes / 1e9, (double)device->maxBufferBytes / 1e9,
           (double)device->localBytes / 1024, device->maxGroupSize, device->lanes);
}

static void listDevices(void) {
    enum { capacity = 64 };
    wbDevice devices[capacity];
    int count;
    wbStatus status = wbListDevices(devices, capacity, &count);
    if (!wbIsOk(status)) printf("opencl     %s\n", status.text);
    for (int i = 0; i < count && i < capacity; i++) printDevice(i, &devices[i]);
    if (count > capacity) printf("opencl     and %d more devices\n", count - capacity);
    if (count > 0)
        printf(
            "           where one moves a fluid, the cores move rigid bodies and free mechanisms in it: "
            "motions and impulses "
            "are\n           copied in each sub-step; within the fluid's iterations these give way on the "
            "device;\n"
            "           where soft bodies may meet a fluid, the cores move both;\n"
            "           where they may meet rigid bodies, touch themselves or feel the air, the cores move "
            "them;\n"
            "           what meets the air of a grid is copied in each "
            "sub-step\n");
    fflush(stdout);
}

// In a process of its own: a broken driver may end it (PoCL does where /sys is missing), and the rest is still told.
static void printDevices(void) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        listDevices();
        _exit(0);
    }
    int ending = 0;
    if (child > 0 && waitpid(child, &ending, 0) == child && WIFSIGNALED(ending))
        printf("opencl     a driver of this machine crashed (signal %d): OpenCL cannot be used\n",
               WTERMSIG(ending));
    else if (child < 0)
        listDevices();
}

static bool isInPath(const char *program) {
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        char path[1024];
        int length = (int)strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s/%s", length, folders, program);
        if (access(path, X_OK) == 0) return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static int printInfo(const wbOptions *options) {
    (void)options;
    printf("wirbel     %s\n", wbGetVersion());
    printf("compiler   %s\n", wbGetCompiler());
    printCpu();
    printSupported();
    bool works = printChosen();
    printDevices();
    printRenderer();
    printf("ffmpeg     %s\n",
           isInPath("ffmpeg") ? "found" : "not found: no videos (install the package ffmpeg)");
    return works ? WB_EXIT_DONE : WB_EXIT_USAGE;
}

const wbCommand wb_infoCommand = {
    "info", "",        "version, compiler, cpu, instruction sets, compute devices, renderer", 0, 0, NULL,
    0,      printInfo,
};
