// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "bench/bench_case.h"

// Only characters that need no escape in JSON are kept.
void wbCopyPlain(char *target, int size, const char *text) {
    int length = 0;
    for (; *text != '\0' && length < size - 1; text++) {
        if (isprint((unsigned char)*text) && *text != '"' && *text != '\\') target[length++] = *text;
    }
    while (length > 0 && target[length - 1] == ' ') length--;
    target[length] = '\0';
}

void wbGetDeviceName(char *name, int size) {
    char line[256];
    snprintf(name, (size_t)size, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) return;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) != 0 || value == NULL) continue;
        wbCopyPlain(name, size, value + 2);
        break;
    }
    fclose(file);
}

static const char *getSimdName(const wbBenchResult *result) {
    return strcmp(result->backend, "cpu") == 0 ? wbGetSimdName(result->simd) : "none";
}

static void printKernels(const wbBenchResult *result, FILE *out) {
    fprintf(out, ", \"ms_kernels\": {");
    for (int k = 0; k < result->kernelCount; k++) {
        fprintf(out, "%s\"%s\": %.6g", k > 0 ? ", " : "", result->kernels[k].name, result->kernels[k].ms);
    }
    fprintf(out, "}");
}

// Every line has the same fields: what a solver does not have is 0.
void wbPrintBenchJson(const wbBenchResult *result, FILE *out) {
    fprintf(out,
            "{\"name\": \"%s\", \"backend\": \"%s\", \"device\": \"%s\", \"simd\": \"%s\", \"threads\": %d, "
            "\"dim\": %d, \"particles\": %d, \"pairs\": %" PRId64 ", \"bodies\": %d, \"cells\": %" PRId64 ", "
            "\"steps\": %d, \"ms_per_step\": %.6g, \"ms_p95\": %.6g, \"ms_stages\": {",
            result->name, result->backend, result->device, getSimdName(result), result->threads,
            result->dimensions, result->particles, result->pairs, result->bodies, result->cells,
            result->steps, result->msPerStep, result->msP95);
    for (int k = 0; k < result->stageCount; k++) {
        fprintf(out, "%s\"%s\": %.6g", k > 0 ? ", " : "", result->stages[k].name, result->stages[k].ms);
    }
    fprintf(out, "}");
    if (result->kernelCount > 0) printKernels(result, out);
    if (result->realtime > 0) fprintf(out, ", \"realtime\": %.4g", result->realtime);
    if (result->subSteps > 0) fprintf(out, ", \"sub_steps\": %d", result->subSteps);
    if (result->cells > 0)
        fprintf(out, ", \"divergence_before\": %.4g, \"divergence_after\": %.4g", result->divergenceBefore,
                result->divergenceAfter);
    if (result->msFall > 0)
        fprintf(out, ", \"ms_fall\": %.4g, \"overlap_mean\": %.4g, \"overlap_max\": %.4g", result->msFall,
                result->overlapMean, result->overlapMax);
    if (result->largestRadius > 0)
        fprintf(out,
                ", \"density_error_mean\": %.4g, \"density_error_max\": %.4g, \"merges\": %" PRId64
                ", \"splits\": %" PRId64
                ", \"smallest_radius\": %.4g, \"largest_radius\": %.4g, \"bytes_held\": %zu",
                result->densityErrorMean, result->densityErrorMax, result->merges, result->splits,
                result->smallestRadius, result->largestRadius, result->bytesHeld);
    if (result->energyMax > 0)
        fprintf(out,
                ", \"density_error_mean\": %.4g, \"density_error_max\": %.4g, \"density_error_worst\": %.4g"
                ", \"energy_max\": %.6g",
                result->densityErrorMean, result->densityErrorMax, result->densityErrorWorst,
                result->energyMax);
    if (result->nearShare > 0)
        fprintf(out,
                ", \"near_share\": %.4g, \"ms_alone\": %.6g, \"ms_off\": %.6g, \"ms_stirred\": %.6g, "
                "\"of_alone\": %.4g, \"of_stirred\": %.4g",
                result->nearShare, result->msAlone, result->msOff, result->msStirred,
                result->msPerStep / result->msAlone, result->msPerStep / result->msStirred);
    if (result->gain > 0) fprintf(out, ", \"gain\": %.4g", result->gain);
    if (result->constraints > 0)
        fprintf(out, ", \"constraints\": %d, \"colours\": %d, \"ns_per_projection\": %.4g",
                result->constraints, result->colours, result->nsPerProjection);
    fprintf(out, ", \"bytes\": %zu, \"hash\": \"%016" PRIx64 "\"}\n", result->bytes, result->hash);
}

void wbPrintBenchHeader(FILE *out) {
    fprintf(out, "%-32s %-7s %7s %9s %10s %9s %9s %8s  %s\n", "name", "simd", "threads", "particles", "pairs",
            "ms/step", "ms p95", "MB", "ms per stage");
}

void wbPrintBenchRow(const wbBenchResult *result, FILE *out) {
    fprintf(out, "%-32s %-7s %7d %9d %10" PRId64 " %9.3f %9.3f %8.2f ", result->name, getSimdName(result),
            result->threads, result->particles, result->pairs, result->msPerStep, result->msP95,
            (double)result->bytes / 1e6);
    for (int k = 0; k < result->stageCount; k++) {
        fprintf(out, " %s %.3f", result->stages[k].name, result->stages[k].ms);
    }
    if (result->constraints > 0) fprintf(out, ", %.3g ns per projection", result->nsPerProjection);
    if (result->msFall > 0)
        fprintf(out, ", %.3g ms while falling, overlaps of %.2g m and at most %.2g m", result->msFall,
                result->overlapMean, result->overlapMax);
    if (result->largestRadius > 0)
        fprintf(out, ", %.4g ms per simulated second", result->realtime > 0 ? 1000 / result->realtime : 0);
    if (result->energyMax > 0)
        fprintf(out, ", %.3g x real time, compressed by %.2g %% and at most %.2g %%, energy at most %.4g",
                result->realtime, 100 * result->densityErrorMean, 100 * result->densityErrorMax,
                result->energyMax);
    if (result->nearShare > 0)
        fprintf(
            out,
            ", %.3g %% of the particles near bodies, %.3g times the water alone, %.3g times the same without "
            "bodies, with the pair off the water takes %.3g times as long as alone",
            100 * result->nearShare, result->msPerStep / result->msAlone,
            result->msPerStep / result->msStirred, result->msOff / result->msAlone);
    if (result->gain > 0) fprintf(out, ", %.3g times faster", result->gain);
    fprintf(out, "\n");
}
