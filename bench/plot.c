// SPDX-License-Identifier: MIT
#include "bench/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/output_file.h"
#include "core/status.h"

enum { width = 640, height = 420, left = 70, right = 20, top = 40, bottom = 55 };

static const char *const colours[] = {"#1f6fb4", "#c4500a", "#2c8a4b", "#7a4fa3"};
enum { colourCount = sizeof colours / sizeof colours[0] };

typedef struct Axis {
    double min, max, tick;
    double origin, scale; // pixels = origin + scale * value
    bool isLog;           // all of it is about the logarithms of values
} Axis;

// The step of 1, 2 or 5 times a power of ten that gives about six ticks.
static double chooseTick(double range) {
    double power = pow(10, floor(log10(range / 6)));
    double rest = range / 6 / power;
    return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

static Axis makeAxis(double min, double max, double pixelMin, double pixelMax) {
    if (!(max > min)) max = min + 1;
    Axis axis = {.tick = chooseTick(max - min)};
    axis.min = floor(min / axis.tick) * axis.tick;
    axis.max = ceil(max / axis.tick) * axis.tick;
    axis.scale = (pixelMax - pixelMin) / (axis.max - axis.min);
    axis.origin = pixelMin - axis.scale * axis.min;
    return axis;
}

static Axis makeLogAxis(double min, double max, double pixelMin, double pixelMax) {
    Axis axis = {.min = floor(log10(min)), .max = ceil(log10(max)), .tick = 1, .isLog = true};
    axis.max = fmax(axis.max, axis.min + 1);
    axis.scale = (pixelMax - pixelMin) / (axis.max - axis.min);
    axis.origin = pixelMin - axis.scale * axis.min;
    return axis;
}

static double toPixel(const Axis *axis, double value) {
    return axis->origin + axis->scale * (axis->isLog ? log10(value) : value);
}

// The number at a tick; rounding leaves no 1e-17 for 0.
static double getTickValue(const Axis *axis, double tick) {
    if (axis->isLog) return pow(10, tick);
    return fabs(tick) < axis->tick / 2 ? 0 : tick;
}

static void includeValues(const double *values, int count, bool isLog, double *min, double *max) {
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i]) || (isLog && !(values[i] > 0))) continue;
        *min = fmin(*min, values[i]);
        *max = fmax(*max, values[i]);
    }
}

static void writeTicks(FILE *file, const Axis *x, const Axis *y) {
    for (double v = x->min; v < x->max + x->tick / 2; v += x->tick) {
        double value = getTickValue(x, v), px = toPixel(x, value);
        fprintf(file, "<path class='grid' d='M%.1f %d V%d'/>\n", px, top, height - bottom);
        fprintf(file, "<text x='%.1f' y='%d' text-anchor='middle'>%.7g</text>\n", px, height - bottom + 18,
                value);
    }
    for (double v = y->min; v < y->max + y->tick / 2; v += y->tick) {
        double value = getTickValue(y, v), py = toPixel(y, value);
        fprintf(file, "<path class='grid' d='M%d %.1f H%d'/>\n", left, py, width - right);
        fprintf(file, "<text x='%d' y='%.1f' text-anchor='end'>%.4g</text>\n", left - 8, py + 4, value);
    }
}

static void writeLabels(FILE *file, const wbPlot *plot) {
    fprintf(file, "<text x='%d' y='22' class='title'>%s</text>\n", left, plot->title);
    fprintf(file, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", (left + width - right) / 2,
            height - 14, plot->xLabel);
    fprintf(file, "<text transform='translate(18 %d) rotate(-90)' text-anchor='middle'>%s</text>\n",
            (top + height - bottom) / 2, plot->yLabel);
}

static void writeSeries(FILE *file, const wbSeries *series, const char *colour, const Axis *x,
                        const Axis *y) {
    if (!series->points) fprintf(file, "<polyline fill='none' stroke-width='2' stroke='%s' points='", colour);
    for (int i = 0; i < series->count; i++) {
        if (!isfinite(series->x[i]) || !isfinite(series->y[i])) continue;
        if ((x->isLog && !(series->x[i] > 0)) || (y->isLog && !(series->y[i] > 0))) continue;
        double px = toPixel(x, series->x[i]), py = toPixel(y, series->y[i]);
        fprintf(file,
                series->points ? "<circle cx='%.1f' cy='%.1f' r='4' fill='none' stroke-width='1.5'"
                               : "%.1f,%.1f ",
                px, py);
        if (series->points) fprintf(file, " stroke='%s'/>\n", colour);
    }
    if (!series->points) fprintf(file, "'/>\n");
}

static void writeLegend(FILE *file, const wbPlot *plot) {
    for (int i = 0; i < plot->seriesCount; i++) {
        const char *colour = colours[i % colourCount];
        int x = width - right - 200, y = top + 20 + 18 * i;
        if (plot->series[i].points) {
            fprintf(file, "<circle cx='%d' cy='%d' r='4' fill='none' stroke-width='1.5' stroke='%s'/>\n",
                    x + 12, y - 4, colour);
        } else {
            fprintf(file, "<path d='M%d %d h24' stroke-width='2' stroke='%s'/>\n", x, y - 4, colour);
        }
        fprintf(file, "<text x='%d' y='%d'>%s</text>\n", x + 32, y, plot->series[i].name);
    }
}

typedef struct Scales {
    bool isLogX, isLogY;
} Scales;

static void writeSvg(FILE *file, const wbPlot *plot, Scales scales) {
    double xMin = scales.isLogX ? INFINITY : 0, xMax = 0, yMin = scales.isLogY ? INFINITY : 0, yMax = 0;
    for (int i = 0; i < plot->seriesCount; i++) {
        includeValues(plot->series[i].x, plot->series[i].count, scales.isLogX, &xMin, &xMax);
        includeValues(plot->series[i].y, plot->series[i].count, scales.isLogY, &yMin, &yMax);
    }
    if (scales.isLogY && !(yMax > 0)) yMin = yMax = 1;
    Axis x = (scales.isLogX ? makeLogAxis : makeAxis)(xMin, xMax, left, width - right);
    Axis y = (scales.isLogY ? makeLogAxis : makeAxis)(yMin, yMax, height - bottom, top);
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "font-family='sans-serif' font-size='12'>\n"
            "<style>.grid{stroke:#ddd}.title{font-size:15px;font-weight:bold}</style>\n"
            "<rect width='%d' height='%d' fill='white'/>\n",
            width, height, width, height, width, height);
    writeTicks(file, &x, &y);
    writeLabels(file, plot);
    for (int i = 0; i < plot->seriesCount; i++) {
        writeSeries(file, &plot->series[i], colours[i % colourCount], &x, &y);
    }
    writeLegend(file, plot);
    fprintf(file, "</svg>\n");
}

static wbStatus writePlot(const char *path, const wbPlot *plot, Scales scales) {
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    writeSvg(file.stream, plot, scales);
    return wbOutputFile_Close(&file);
}

wbStatus wbWritePlot(const char *path, const wbPlot *plot) {
    return writePlot(path, plot, (Scales){false, false});
}
wbStatus wbWriteLogPlot(const char *path, const wbPlot *plot) {
    return writePlot(path, plot, (Scales){true, false});
}
wbStatus wbWriteDecayPlot(const char *path, const wbPlot *plot) {
    return writePlot(path, plot, (Scales){false, true});
}
