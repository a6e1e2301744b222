// SPDX-License-Identifier: MIT
#include "app/view/plots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/output_file.h"
#include "core/status.h"

// The place of a plot of that title, which is made if there is none; -1: memory ran out.
static int findPlot(wbPlots *plots, const char *title, bool isStacked) {
    wbPlot *list = plots->plots.data;
    for (int i = 0; i < plots->plotCount; i++)
        if (strcmp(list[i].title, title) == 0) return i;
    plots->plots.elementSize = sizeof(wbPlot);
    if (!wbArray_Reserve(NULL, &plots->plots, plots->plotCount + 1)) return -1;
    list = plots->plots.data;
    list[plots->plotCount] = (wbPlot){.isStacked = isStacked};
    snprintf(list[plots->plotCount].title, WB_PLOT_NAME, "%s", title);
    return plots->plotCount++;
}

static wbSeries *findSeries(wbPlots *plots, int plot, const char *name) {
    wbSeries *list = plots->series.data;
    for (int i = 0; i < plots->seriesCount; i++)
        if (list[i].plot == plot && strcmp(list[i].name, name) == 0) return &list[i];
    plots->series.elementSize = sizeof(wbSeries);
    if (plot < 0 || !wbArray_Reserve(NULL, &plots->series, plots->seriesCount + 1)) return NULL;
    wbSeries *made = (wbSeries *)plots->series.data + plots->seriesCount++;
    made->plot = plot;
    snprintf(made->name, sizeof made->name, "%s", name);
    for (int i = 0; i < WB_PLOT_FRAMES; i++) made->values[i] = NAN;
    return made;
}

/// A still on its way into the rings.
typedef struct Frame {
    wbPlots *plots;
    int at;
    bool isShort; ///< memory ran out
} Frame;

static void putInto(Frame *frame, int plot, const char *name, double value) {
    wbSeries *series = findSeries(frame->plots, plot, name);
    if (series)
        series->values[frame->at] = (float)value;
    else
        frame->isShort = true;
}

static void put(Frame *frame, const char *title, const char *name, double value) {
    putInto(frame, findPlot(frame->plots, title, false), name, value);
}

static void putPhases(Frame *frame, const wbProfile *profile) {
    const int plot = findPlot(frame->plots, "time of a step, ms: its phases on top of each other", true);
    for (int i = 0; i < profile->phaseCount; i++)
        putInto(frame, plot, profile->phases[i].name, profile->phases[i].ms);
    put(frame, "time of a step, ms", "whole step", profile->stepMs);
    for (int i = 0; i < profile->solverCount; i++)
        put(frame, "sub-steps", profile->solvers[i].name, profile->solvers[i].subSteps);
}

static void putStats(Frame *frame, const wbStats *stats) {
    put(frame, "energy, J", "kinetic", stats->kinetic);
    put(frame, "energy, J", "potential", stats->potential);
    put(frame, "energy, J", "total", stats->kinetic + stats->potential);
    put(frame, "highest speed, m/s", "highest speed", stats->maxSpeed);
    if (stats->particles > 0) put(frame, "particles", "particles", stats->particles);
    if (stats->densityMax > 0) {
        put(frame, "density, kg/m³", "mean", stats->densityMean);
        put(frame, "density, kg/m³", "highest", stats->densityMax);
        put(frame, "volume error: compression, %", "mean", 100 * stats->densityErrorMean);
        put(frame, "volume error: compression, %", "highest", 100 * stats->densityErrorMax);
    }
    if (!isnan(stats->divergence))
        put(frame, "residual of the air's pressure: divergence, 1/s", "divergence", stats->divergence);
}

static void putExtras(Frame *frame, const wbExtras *extras) {
    char title[WB_PLOT_NAME];
    if (!isnan(extras->lengthError))
        put(frame, "constraint error: lengths, %", "root of the mean square", 100 * extras->lengthError);
    if (!isnan(extras->cycles))
        put(frame, "iterations of the air's pressure", "cycles or sweeps", extras->cycles);
    const wbShownProbe *probes = extras->probes.data;
    for (int p = 0; p < extras->probeCount; p++)
        for (int v = 0; v < probes[p].values.count; v++) {
            snprintf(title, sizeof title, "probe %.60s, %.16s", probes[p].name,
                     probes[p].values.values[v].unit);
            put(frame, title, probes[p].values.values[v].name, probes[p].values.values[v].value);
        }
}

static const char *getKey(const wbPlots *plots, int index) {
    return (const char *)plots->keys.data + (size_t)WB_PLOT_KEY * (size_t)index;
}

// Numbers as they are, components of vectors each, ticks as 0 and 1; words are not plotted.
static void putValue(Frame *frame, const char *key, const char *text) {
    static const char *const axes[3] = {"x", "y", "z"};
    char *end;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) put(frame, key, key, text[0] == 't');
    for (int a = 0; a < 3; a++) {
        const double value = strtod(text, &end);
        if (end == text) return;
        put(frame, key, *end == ',' || a > 0 ? axes[a] : key, value);
        if (*end != ',') return;
        text = end + 1;
    }
}

static void putParams(Frame *frame, const wbStill *still) {
    const wbSection *sections = still->sections.data;
    const wbShownValue *values = still->values.data;
    char key[WB_PLOT_KEY];
    for (int i = 0; frame->plots->keyCount > 0 && i < still->valueCount; i++) {
        const wbSection *section = &sections[values[i].section];
        snprintf(key, sizeof key, "%s.%s", section->name, section->table->params[values[i].row].name);
        if (wbPlots_HasParam(frame->plots, key)) putValue(frame, key, values[i].text);
    }
}

wbStatus wbPlots_Add(wbPlots *plots, const wbStill *still, double speed) {
    if (still->step == 0) return wb_okStatus;
    if (plots->count == WB_PLOT_FRAMES) plots->first = (plots->first + 1) % WB_PLOT_FRAMES, plots->count--;
    Frame frame = {plots, (plots->first + plots->count++) % WB_PLOT_FRAMES, false};
    plots->steps[frame.at] = still->step, plots->times[frame.at] = still->time;
    for (int i = 0; i < plots->seriesCount; i++) ((wbSeries *)plots->series.data)[i].values[frame.at] = NAN;
    putPhases(&frame, &still->profile);
    put(&frame, "simulated seconds per second", "real time", speed);
    putStats(&frame, &still->stats);
    putExtras(&frame, &still->extras);
    putParams(&frame, still);
    return frame.isShort ? wbMemoryError(NULL, "plots need") : wb_okStatus;
}

bool wbPlots_HasParam(const wbPlots *plots, const char *key) {
    for (int i = 0; i < plots->keyCount; i++)
        if (strcmp(getKey(plots, i), key) == 0) return true;
    return false;
}

wbStatus wbPlots_SwitchParam(wbPlots *plots, const char *key) {
    for (int i = 0; i < plots->keyCount; i++)
        if (strcmp(getKey(plots, i), key) == 0) {
            wbArray_Remove(&plots->keys, i, plots->keyCount--);
            return wb_okStatus;
        }
    plots->keys.elementSize = WB_PLOT_KEY;
    if (!wbArray_Reserve(NULL, &plots->keys, plots->keyCount + 1)) return wbMemoryError(NULL, "plots need");
    snprintf((char *)plots->keys.data + (size_t)WB_PLOT_KEY * (size_t)plots->keyCount++, WB_PLOT_KEY, "%s",
             key);
    return wb_okStatus;
}

void wbPlots_Clear(wbPlots *plots) {
    plots->first = plots->count = plots->plotCount = plots->seriesCount = 0;
}

void wbPlots_Free(wbPlots *plots) {
    wbArray_Free(NULL, &plots->plots);
    wbArray_Free(NULL, &plots->series);
    wbArray_Free(NULL, &plots->keys);
    plots->keyCount = 0;
    wbPlots_Clear(plots);
}

static int compare(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

wbPlotSummary wbPlots_Summarize(const wbPlots *plots, int series) {
    float sorted[WB_PLOT_FRAMES];
    double sum = 0;
    int count = 0;
    for (int i = 0; i < plots->count; i++) {
        const float value = wbPlots_GetSeries(plots, series)->values[(plots->first + i) % WB_PLOT_FRAMES];
        if (isfinite(value)) sorted[count++] = value, sum += (double)value;
    }
    if (count == 0) return (wbPlotSummary){NAN, NAN, NAN};
    qsort(sorted, (size_t)count, sizeof sorted[0], compare);
    return (wbPlotSummary){(float)(sum / count), sorted[(count - 1) * 95 / 100], sorted[count - 1]};
}

// A field of a table of commas; titles have some.
static wbStatus printField(wbOutputFile *file, const char *title, const char *name) {
    return wbOutputFile_Print(file, strcmp(title, name) == 0 ? ",\"%s\"" : ",\"%s: %s\"", title, name);
}

static wbStatus printRow(wbOutputFile *file, const wbPlots *plots, int at) {
    WB_TRY(wbOutputFile_Print(file, "%lld,%.17g", (long long)plots->steps[at], plots->times[at]));
    for (int s = 0; s < plots->seriesCount; s++) {
        const float value = wbPlots_GetSeries(plots, s)->values[at];
        WB_TRY(isfinite(value) ? wbOutputFile_Print(file, ",%.9g", (double)value)
                               : wbOutputFile_Print(file, ","));
    }
    return wbOutputFile_Print(file, "\n");
}

wbStatus wbPlots_Write(const wbPlots *plots, const char *path) {
    wbOutputFile file;
    const wbPlot *list = plots->plots.data;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(wbOutputFile_Print(&file, "step,time"));
    for (int s = 0; s < plots->seriesCount; s++) {
        const wbSeries *series = wbPlots_GetSeries(plots, s);
        WB_TRY(printField(&file, list[series->plot].title, series->name));
    }
    WB_TRY(wbOutputFile_Print(&file, "\n"));
    for (int i = 0; i < plots->count; i++)
        WB_TRY(printRow(&file, plots, (plots->first + i) % WB_PLOT_FRAMES));
    return wbOutputFile_Close(&file);
}
