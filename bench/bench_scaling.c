// SPDX-License-Identifier: MIT
// Time of a step against the number of particles: a line for each size, and a curve.
#include "bench/bench_case.h"
#include "bench/block.h"
#include "bench/plot.h"
#include "core/status.h"

// particles along an edge of the block
static const int sizes[] = {10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100};
enum { sizeCount = sizeof sizes / sizeof sizes[0], warmUpSteps = 20 };

// The more particles, the fewer steps are enough.
static int countSteps(int n) { return n <= 32 ? 200 : 30; }

static wbStatus timeSize(int n, const wbBenchOptions *options, wbBenchResult *result) {
    wbWorldDef def = wbMakeBlockWorld(n);
    wbFluidDef water = wbDefaultFluidDef();
    wbWorld *world;
    wbFluidId fluid;
    def.threadCount = options->threadCount;
    def.simd = options->simd;
    def.params.backend = options->backend;
    def.params.device = options->deviceIndex;
    WB_TRY(wbCreateWorld(&def, &world));
    wbStatus status = wbCreateFluid(world, &water, &fluid);
    if (wbIsOk(status)) status = wbAddBlockOf(world, fluid, n);
    if (wbIsOk(status))
        status = wbTimeWorld(world, wbShortenSteps(options, warmUpSteps),
                             wbShortenSteps(options, countSteps(n)), options, result);
    wbDestroyWorld(world);
    return status;
}

static void printLine(const wbBenchResult *result, FILE *out) {
    double particles = result->particles;
    fprintf(out, "| %d | %.3f | %.0f | %.1f | %.0f | %.1f |\n", result->particles, result->msPerStep,
            1e6 * result->msPerStep / particles, (double)result->pairs / particles,
            (double)result->bytes / particles, (double)result->bytes / 1e6);
}

static wbStatus draw(const wbBenchReport *report, const wbBenchOptions *options, const double *particles,
                     const double *ns, const char *backend) {
    char path[1024];
    if (!options->plotDirectory) return wb_okStatus;
    int length = snprintf(path, sizeof path, "%s/%s.svg", options->plotDirectory, report->name);
    if (length >= (int)sizeof path)
        return wbError(wb_errorInput, "the path of the folder for plots is too long");
    const wbSeries series[] = {{backend, particles, ns, sizeCount, false},
                               {"measured", particles, ns, sizeCount, true}};
    return wbWriteLogPlot(path, &(wbPlot){.title = "Leapfrog, two evaluations of all forces",
                                          .xLabel = "particles",
                                          .yLabel = "ns per particle and step",
                                          .series = series,
                                          .seriesCount = 2});
}

wbStatus wbReportScaling(const wbBenchReport *report, const wbBenchOptions *options, FILE *out) {
    double particles[sizeCount], ns[sizeCount];
    wbBenchResult result;
    if (!options->json)
        fprintf(out, "| particles | ms per step | ns per particle | neighbours | bytes per particle | MB |\n"
                     "|---|---|---|---|---|---|\n");
    for (int k = 0; k < sizeCount; k++) {
        result = (wbBenchResult){.name = report->name, .backend = "cpu"};
        wbGetDeviceName(result.device, sizeof result.device);
        WB_TRY(timeSize(sizes[k], options, &result));
        if (result.stopped) return wb_okStatus;
        (options->json ? wbPrintBenchJson : printLine)(&result, out);
        fflush(out);
        particles[k] = result.particles;
        ns[k] = 1e6 * result.msPerStep / result.particles;
    }
    return draw(report, options, particles, ns, result.backend);
}
