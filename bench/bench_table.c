// SPDX-License-Identifier: MIT
// How long steps may be and how many there are in a second: every integrator, blocks and pipes, cores and device.
#include "bench/bench_case.h"
#include "bench/stable_step.h"
#include "core/status.h"

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

// Leaves the last result, which tells the machine.
static wbStatus reportLine(const wbBenchReport *report, const Line *line, const wbBenchOptions *options,
                           FILE *out, wbBenchResult *last) {
    double speeds[WB_INTEGRATORS];
    for (int i = 0; i < WB_INTEGRATORS; i++) {
        WB_TRY(timeLine(line, (wbIntegrator)i, options, last));
        if (last->stopped) return wb_okStatus;
        speeds[i] = 1e3 / last->msPerStep;
        if (options->json)
            fprintf(out,
                    "{\"name\": \"%s\", \"quantity\": \"steps_per_s\", \"scene\": \"%s\", \"particles\": %d, "
                    "\"integrator\": \"%s\", \"backend\": \"%s\", \"device\": \"%s\", \"threads\": %d, "
                    "\"value\": %.5g}\n",
                    report->name, line->scene, line->particles, integrators[i], last->backend, last->device,
                    last->threads, speeds[i]);
    }
    if (!options->json)
        fprintf(out, "| %s | %d | %s | %.0f | %.0f | %.0f |\n", line->scene, line->particles, last->backend,
                speeds[0], speeds[1], speeds[2]);
    fflush(out);
    return wb_okStatus;
}

// The cores, and a compute device if there is one.
wbStatus wbReportTable(const wbBenchReport *report, const wbBenchOptions *options, FILE *out) {
    wbBenchOptions machine = *options;
    wbBenchResult last[2] = {0};
    int devices = 0;
    (void)wbListDevices(NULL, 0, &devices);
    if (!options->quick) WB_TRY(reportStableSteps(report, options, out));
    if (!options->json)
        fprintf(out, "Steps per second:\n\n| scene | particles | backend | euler | symplectic | leapfrog |\n"
                     "|---|---|---|---|---|---|\n");
    for (int b = 0; b < (devices > 0 ? 2 : 1); b++)
        for (int k = 0; k < lineCount && !wbIsBenchStopped(options); k++) {
            machine.backend = b == 0 ? wb_backendCpu : wb_backendOpencl;
            WB_TRY(reportLine(report, &lines[k], &machine, out, &last[b]));
        }
    if (options->json || wbIsBenchStopped(options)) return wb_okStatus;
    fprintf(out, "\ncpu: %s, %d threads, %s", last[0].device, last[0].threads, wbGetSimdName(last[0].simd));
    if (devices > 0) fprintf(out, "; opencl: %s", last[1].device);
    fprintf(out, ".\n");
    return wb_okStatus;
}
