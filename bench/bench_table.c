// SPDX-License-Identifier: MIT
// How long steps may be and how many there are in a second: every integrator, blocks and pipes, cores and device.
#include "bench/bench_case.h"
#include "bench/stable_step.h"
#include "core/cpu.h"
#include "core/status.h"
#include "core/thread.h"

static const char *const integrators[WB_INTEGRATORS] = {"euler", "symplectic", "leapfrog"};
static const char *const equations[WB_EQUATIONS] = {"linear", "tait"};

static wbStatus reportStableSteps(const wbBenchReport *report, const wbBenchOptions *options, FILE *out) {
    wbValidateOptions machine = wbDefaultValidateOptions();
    machine.simd = options->simd;
    machine.stop = options->stop;
    wbValidateRun run = {.options = &machine, .out = out, .name = report->name, .percent = -1};
    wbStableSteps steps;
    WB_TRY(wbFindStableSteps(&run, &steps));
    if (run.stopped) return wb_okStatus;
    if (!options->json)
        fprintf(out, "Largest stable step, ms, of the block of 4096 particles:\n\n"
                     "| integrator | linear | Tait |\n|---|---|---|\n");
    for (int i = 0; i < WB_INTEGRATORS; i++) {
        if (!options->json)
            fprintf(out, "| %s | %.1f | %.1f |\n", integrators[i], 1e3 * steps.dt[i][wb_equationLinear],
                    1e3 * steps.dt[i][wb_equationTait]);
        for (int e = 0; e < WB_EQUATIONS && options->json; e++)
            fprintf(out,
                    "{\"name\": \"%s\", \"quantity\": \"largest_stable_dt\", \"integrator\": \"%s\", "
                    "\"equation\": \"%s\", \"value\": %.4g}\n",
                    report->name, integrators[i], equations[e], steps.dt[i][e]);
    }
    if (!options->json) fprintf(out, "\n");
    fflush(out);
    return wb_okStatus;
}

// A line of the second table.
typedef struct Line {
    const char *scene;
    int particles, warmUp;
} Line;

static const Line lines[] = {
    {"block", 4096, 300}, {"pipe", 4096, 50}, {"block", 32768, 300}, {"pipe", 32768, 50}};
enum { lineCount = sizeof lines / sizeof lines[0], timedSteps = 200 };

// There is no file for the symplectic method: it differs from Euler's in this one word.
static wbStatus timeLine(const Line *line, wbIntegrator integrator, const wbBenchOptions *options,
                         wbBenchResult *result) {
    char name[64], path[1024];
    wbWorld *world;
    const char *file = integrator == wb_integratorLeapfrog ? "leapfrog" : "euler";
    snprintf(name, sizeof name, "sph-%s-%d-%s", line->scene, line->particles, file);
    *result = (wbBenchResult){.backend = "cpu"};
    wbGetDeviceName(result->device, sizeof result->device);
    WB_TRY(wbGetBenchScene(&(wbBenchCase){.name = name}, options, path, sizeof path));
    WB_TRY(wbLoadBenchWorld(path, options, &integrator, &world));
    wbStatus status = wbTimeWorld(world, wbShortenSteps(options, line->warmUp),
                                  wbShortenSteps(options, timedSteps), options, result);
    wbDestroyWorld(world);
    return status;
}

static wbStatus reportLine(const wbBenchReport *report, const Line *line, const wbBenchOptions *options,
                           FILE *out) {
    wbBenchResult results[WB_INTEGRATORS];
    for (int i = 0; i < WB_INTEGRATORS; i++) {
        WB_TRY(timeLine(line, (wbIntegrator)i, options, &results[i]));
        if (results[i].stopped) return wb_okStatus;
        if (options->json)
            fprintf(out,
                    "{\"name\": \"%s\", \"quantity\": \"steps_per_s\", \"scene\": \"%s\", \"particles\": %d, "
                    "\"integrator\": \"%s\", \"backend\": \"%s\", \"device\": \"%s\", \"threads\": %d, "
                    "\"value\": %.5g}\n",
                    report->name, line->scene, line->particles, integrators[i], results[i].backend,
                    results[i].device, results[i].threads, 1e3 / results[i].msPerStep);
    }
    if (!options->json) {
        fprintf(out, "| %s | %d | %s |", line->scene, line->particles, results[0].backend);
        for (int i = 0; i < WB_INTEGRATORS; i++) fprintf(out, " %.0f |", 1e3 / results[i].msPerStep);
        fprintf(out, "\n");
    }
    fflush(out);
    return wb_okStatus;
}

static void printMachine(const wbBenchOptions *options, const wbDevice *device, FILE *out) {
    wbBenchResult result;
    wbSimd simd;
    wbGetDeviceName(result.device, sizeof result.device);
    if (!wbIsOk(wbChooseSimd(options->simd, &simd))) simd = options->simd;
    fprintf(out, "cpu: %s, %d threads, %s", result.device,
            options->threadCount > 0 ? options->threadCount : wbGetCoreCount(), wbGetSimdName(simd));
    if (device) fprintf(out, "; opencl: %s (%s)", device->name, device->platform);
    fprintf(out, ".\n");
}

wbStatus wbReportTable(const wbBenchReport *report, const wbBenchOptions *options, FILE *out) {
    enum { most = 64 };
    wbDevice devices[most];
    int deviceCount = 0, chosen = options->deviceIndex < 0 ? 0 : options->deviceIndex;
    bool hasDevice =
        wbIsOk(wbListDevices(devices, most, &deviceCount)) && chosen < deviceCount && chosen < most;
    wbBenchOptions machine = *options;
    if (!options->quick) WB_TRY(reportStableSteps(report, options, out));
    if (!options->json)
        fprintf(out, "Steps per second:\n\n| scene | particles | backend | euler | symplectic | leapfrog |\n"
                     "|---|---|---|---|---|---|\n");
    for (int b = 0; b < (hasDevice ? 2 : 1); b++)
        for (int k = 0; k < lineCount && !wbIsBenchStopped(options); k++) {
            machine.backend = b == 0 ? wb_backendCpu : wb_backendOpencl;
            WB_TRY(reportLine(report, &lines[k], &machine, out));
        }
    if (!options->json && !wbIsBenchStopped(options)) {
        fprintf(out, "\n");
        printMachine(options, hasDevice ? &devices[chosen] : NULL, out);
    }
    return wb_okStatus;
}
