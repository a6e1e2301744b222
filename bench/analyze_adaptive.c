// SPDX-License-Identifier: MIT
#include "bench/analyze_adaptive.h"

#include "bench/adaptive_theory.h"
#include "bench/analyze_settled.h"
#include "bench/plot.h"
#include "core/output_file.h"
#include "core/status.h"
#include "wirbel/wirbel.h"

enum { DIMENSIONS = 3, SIZES = 5, CURVE = 40 };

// L. Geyer 2022, tables 6.1 to 6.3, as printed there.
static const double sizes[SIZES] = {35, 50, 75, 100, 200};
static const double sourceSlopes[DIMENSIONS][SIZES] = {
    {0.44, 0.47, 0.5, 0.5, 0.51}, {0, 0.33, 0.4, 0.4, 0.44}, {0, 0, 0.28, 0.31, 0.35}};
static const double sourceLeast[DIMENSIONS][2] = {{32, 32}, {50, 47}, {80, 62}};
static const double sourceCounts[DIMENSIONS][2] = {{38, 218}, {3331, 63245}, {296159, 13809794}};

typedef struct Report {
    FILE *out;
    bool json;
} Report;

static wbAdaptiveTheory makeLevels(int dimensions, double radius) {
    const wbWorldDef def = wbDefaultWorldDef();
    return wbMakeLevelsTheory(&def.pbf, dimensions, radius);
}

static wbAdaptiveTheory makeUniform(wbAdaptiveTheory theory) {
    theory.slope = 0;
    return theory;
}

static void printRow(const Report *report, const char *what, int dimensions, double size, double value,
                     double source) {
    if (report->json)
        fprintf(report->out,
                "{\"name\": \"%s\", \"dim\": %d, \"radius\": %.6g, \"value\": %.8g, \"source\": %.8g}\n",
                what, dimensions, size, value, source);
    else
        fprintf(report->out, "| %d | %.6g | %.6g | %.8g |\n", dimensions, size, value, source);
}

static void printHead(const Report *report, const char *title, const char *columns) {
    int count = 0;
    for (const char *c = columns; *c; c++) count += *c == '|';
    if (report->json) return;
    fprintf(report->out, "%s:\n\n%s\n|", title, columns);
    for (int k = 1; k < count; k++) fprintf(report->out, "---|");
    fprintf(report->out, "\n");
}

static void printEnd(const Report *report) {
    if (!report->json) fprintf(report->out, "\n");
}

static void printLeastRadii(const Report *report) {
    printHead(report, "Smallest fluid with fewer pairs than one of equal particles, in radii of the finest",
              "| dimensions | slope | here | source |");
    for (int d = 1; d <= DIMENSIONS; d++) {
        wbAdaptiveTheory fixed = wbMakeThesisTheory(d, 0), half = fixed;
        half.slope = 0.5;
        printRow(report, "least-radius", d, half.slope, wbTheory_FindLeastRadius(half),
                 sourceLeast[d - 1][0]);
        printRow(report, "least-radius", d, fixed.slope, wbTheory_FindLeastRadius(fixed),
                 sourceLeast[d - 1][1]);
    }
    printEnd(report);
}

static void printBestSlopes(const Report *report) {
    printHead(report, "Slope with the fewest pairs; 0: none saves any",
              "| dimensions | fluid's radius | here | source |");
    for (int d = 1; d <= DIMENSIONS; d++)
        for (int k = 0; k < SIZES; k++)
            printRow(report, "best-slope", d, sizes[k],
                     wbTheory_FindBestSlope(wbMakeThesisTheory(d, sizes[k])), sourceSlopes[d - 1][k]);
    printEnd(report);
}

static void printCount(const Report *report, const char *method, int dimensions, const double counts[2],
                       const double uniform[2], const double *source) {
    if (report->json) {
        fprintf(
            report->out,
            "{\"name\": \"counts\", \"method\": \"%s\", \"dim\": %d, \"radius\": 100, \"particles\": %.8g, "
            "\"pairs\": %.8g, \"particles_basic\": %.8g, \"pairs_basic\": %.8g}\n",
            method, dimensions, counts[0], counts[1], uniform[0], uniform[1]);
        return;
    }
    fprintf(report->out, "| %s | %d | %.0f | %.0f (%+.1f %%) | %.0f | %.0f (%+.1f %%) |", method, dimensions,
            uniform[0], counts[0], 100 * (counts[0] / uniform[0] - 1), uniform[1], counts[1],
            100 * (counts[1] / uniform[1] - 1));
    if (source) fprintf(report->out, " %.0f, %.0f", source[0], source[1]);
    fprintf(report->out, " |\n");
}

// Both methods, each beside particles of one size with its own kernels.
static void printCounts(const Report *report) {
    printHead(report, "A fluid of 100 radii of the finest particle",
              "| method | dimensions | particles, basic | adaptive | pairs, basic | adaptive | source |");
    for (int d = 1; d <= DIMENSIONS; d++)
        for (int m = 0; m < 2; m++) {
            const wbAdaptiveTheory theory = m == 0 ? wbMakeThesisTheory(d, 100) : makeLevels(d, 100);
            const double counts[2] = {wbTheory_CountParticles(&theory), wbTheory_CountPairs(&theory)};
            const wbAdaptiveTheory of = makeUniform(theory);
            const double uniform[2] = {wbTheory_CountParticles(&of), wbTheory_CountPairs(&of)};
            printCount(report, m == 0 ? "thesis" : "levels", d, counts, uniform,
                       m == 0 ? sourceCounts[d - 1] : NULL);
        }
    printEnd(report);
}

typedef struct Saved {
    double particles, pairs; // %, of those of one size
} Saved;

static Saved findSaved(const wbAdaptiveTheory *theory) {
    const wbAdaptiveTheory uniform = makeUniform(*theory);
    return (Saved){100 * (1 - wbTheory_CountParticles(theory) / wbTheory_CountParticles(&uniform)),
                   100 * (1 - wbTheory_CountPairs(theory) / wbTheory_CountPairs(&uniform))};
}

// Figures 6.2 and 6.3 as a table, for both methods.
static void printSavings(const Report *report) {
    printHead(report, "What is saved, in %",
              "| dimensions | fluid's radius | particles, thesis | pairs, thesis | particles, levels | "
              "pairs, levels |");
    for (int d = 1; d <= DIMENSIONS; d++)
        for (int k = 0; k < SIZES; k++) {
            const wbAdaptiveTheory thesis = wbMakeThesisTheory(d, sizes[k]), levels = makeLevels(d, sizes[k]);
            const Saved own = findSaved(&thesis), other = findSaved(&levels);
            fprintf(report->out,
                    report->json ? "{\"name\": \"saved\", \"dim\": %d, \"radius\": %g, "
                                   "\"particles_thesis\": %.4g, \"pairs_thesis\": %.4g, "
                                   "\"particles_levels\": %.4g, \"pairs_levels\": %.4g}\n"
                                 : "| %d | %g | %.1f | %.1f | %.1f | %.1f |\n",
                    d, sizes[k], own.particles, own.pairs, other.particles, other.pairs);
        }
    printEnd(report);
}

// Neighbours of one particle, and pairs per volume, by those of particles of one size.
typedef struct Place {
    double neighbours, pairs;
} Place;

static Place lookAt(const wbAdaptiveTheory *theory, double x) {
    const wbAdaptiveTheory uniform = makeUniform(*theory);
    const double count = wbTheory_CountNeighbours(theory, x), of = wbTheory_CountNeighbours(&uniform, x);
    return (Place){count / of,
                   count * wbTheory_GetDensity(theory, x) / (of * wbTheory_GetDensity(&uniform, x))};
}

// Figure 6.4 as a table.
static void printPlaces(const Report *report) {
    printHead(report,
              "Within a fluid of 75 radii: neighbours of a particle and pairs per volume, 1 being those of "
              "one size",
              "| method | dimensions | from the centre | neighbours | pairs |");
    for (int m = 0; m < 2; m++)
        for (int d = 1; d <= DIMENSIONS; d++)
            for (int x = 0; x <= 75; x += 15) {
                const wbAdaptiveTheory theory = m == 0 ? wbMakeThesisTheory(d, 75) : makeLevels(d, 75);
                const Place place = lookAt(&theory, x);
                fprintf(report->out,
                        report->json
                            ? "{\"name\": \"place\", \"method\": \"%s\", \"dim\": %d, \"place\": %d, "
                              "\"neighbours\": %.4g, \"pairs\": %.4g}\n"
                            : "| %s | %d | %d | %.3g | %.3g |\n",
                        m == 0 ? "thesis" : "levels", d, x, place.neighbours, place.pairs);
            }
    printEnd(report);
}

// Curves

static const char *const names[DIMENSIONS] = {"d = 1", "d = 2", "d = 3"};

static wbStatus writeCurves(const char *folder, const char *name, const char *title, const char *xLabel,
                            const char *yLabel, double x[DIMENSIONS][CURVE], double y[DIMENSIONS][CURVE]) {
    char path[WB_MAX_PATH];
    wbSeries series[DIMENSIONS];
    for (int d = 0; d < DIMENSIONS; d++) series[d] = (wbSeries){names[d], x[d], y[d], CURVE, false};
    const wbPlot plot = {title, xLabel, yLabel, series, DIMENSIONS};
    if (snprintf(path, sizeof path, "%s/%s.svg", folder, name) >= (int)sizeof path)
        return wbError(wb_errorInput, "the folder's name is too long");
    return wbWritePlot(path, &plot);
}

// Figures 6.2 and 6.3: what is saved by the size of the fluid.
static wbStatus plotSavings(const char *folder) {
    double x[DIMENSIONS][CURVE], particles[DIMENSIONS][CURVE], pairs[DIMENSIONS][CURVE];
    for (int d = 1; d <= DIMENSIONS; d++)
        for (int k = 0; k < CURVE; k++) {
            const wbAdaptiveTheory theory = wbMakeThesisTheory(d, 5 + 195.0 * k / (CURVE - 1));
            const Saved saved = findSaved(&theory);
            x[d - 1][k] = theory.radius;
            particles[d - 1][k] = saved.particles, pairs[d - 1][k] = saved.pairs;
        }
    WB_TRY(writeCurves(folder, "adaptive-particles", "Particles saved by adaptive sampling",
                       "radius of the fluid", "%", x, particles));
    return writeCurves(folder, "adaptive-pairs", "Pairs of neighbours saved by adaptive sampling",
                       "radius of the fluid", "%", x, pairs);
}

// Table 6.2 as curves.
static wbStatus plotSlopes(const char *folder) {
    double x[DIMENSIONS][CURVE], slopes[DIMENSIONS][CURVE];
    for (int d = 1; d <= DIMENSIONS; d++)
        for (int k = 0; k < CURVE; k++) {
            x[d - 1][k] = 20 + 180.0 * k / (CURVE - 1);
            slopes[d - 1][k] = wbTheory_FindBestSlope(wbMakeThesisTheory(d, x[d - 1][k]));
        }
    return writeCurves(folder, "adaptive-slopes", "Slope with the fewest pairs", "radius of the fluid", "a",
                       x, slopes);
}

// Figure 6.4: within a fluid of 75 radii.
static wbStatus plotProfiles(const char *folder) {
    double x[DIMENSIONS][CURVE], neighbours[DIMENSIONS][CURVE], pairs[DIMENSIONS][CURVE];
    for (int d = 1; d <= DIMENSIONS; d++) {
        const wbAdaptiveTheory theory = wbMakeThesisTheory(d, 75);
        for (int k = 0; k < CURVE; k++) {
            const double place = theory.radius * k / (CURVE - 1);
            const Place there = lookAt(&theory, place);
            x[d - 1][k] = place;
            neighbours[d - 1][k] = there.neighbours, pairs[d - 1][k] = there.pairs;
        }
    }
    WB_TRY(writeCurves(folder, "adaptive-neighbours", "Neighbours of a particle, by those of basic fluids",
                       "distance from the centre", "1", x, neighbours));
    return writeCurves(folder, "adaptive-pair-density", "Pairs per volume, by those of basic fluids",
                       "distance from the centre", "1", x, pairs);
}

wbStatus wbAnalyzeAdaptive(bool json, double seconds, const char *plotDirectory, FILE *out) {
    const Report report = {out, json};
    printLeastRadii(&report);
    printBestSlopes(&report);
    printCounts(&report);
    printSavings(&report);
    printPlaces(&report);
    if (!plotDirectory) return wb_okStatus;
    WB_TRY(plotSavings(plotDirectory));
    WB_TRY(plotSlopes(plotDirectory));
    WB_TRY(plotProfiles(plotDirectory));
    return wbAnalyzeSettled(json, seconds, plotDirectory, out);
}
