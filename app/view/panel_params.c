// SPDX-License-Identifier: MIT
// The panel on the left: every parameter of the world, its solvers and objects, made from the tables that declare them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/view/ui.h"
#include "app/view/viewer.h"
#include "core/timer.h"

/// One row on its way through the panel.
typedef struct Row {
    const wbSection *section;
    const wbParam *param;
    const char *text; ///< its value
    bool isAtStart;   ///< it is fixed when a world is made: a change waits for the next one
    char key[WB_EDIT_KEY];
    char tooltip[640], format[32];
    wbUiRow look;
} Row;

static bool contains(const char *text, const char *part) {
    const size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0) return true;
    return length == 0;
}

static bool passes(const wbViewer *viewer, const wbSection *section, const wbParam *param) {
    const char *filter = viewer->filter;
    return contains(param->name, filter) || contains(param->sentence, filter) ||
           contains(section->name, filter);
}

static void describe(Row *row) {
    const wbParam *p = row->param;
    char range[96] = "";
    if (p->type != wb_paramBool && p->type != wb_paramEnum)
        snprintf(range, sizeof range, "\n%.6g to %.6g %s, default %.6g", p->min, p->max, p->unit,
                 p->defaultValue[0]);
    snprintf(row->tooltip, sizeof row->tooltip, "%s%s%s%s\n%s", p->sentence, range, p->choices ? "\n" : "",
             p->choices ? p->choices : "", row->key);
}

// Ranges over many powers of ten are no sliders: they stand around what the parameter is.
static void setRange(Row *row, float value) {
    const wbParam *p = row->param;
    const double extent = p->max - p->min, size = fmax(fabs((double)value), fabs(p->defaultValue[0]));
    row->look.isWhole = p->type == wb_paramInt || (p->type == wb_paramAuto && p->min == 1);
    row->look.low = (float)p->min, row->look.high = (float)p->max;
    if (p->min > 0 && p->max / p->min > 1000 && p->max / p->min < 1e7) {
        row->look.isLogarithmic = true;
    } else if (extent > 1000 && extent > 20 * size) {
        const double reach = size > 0 ? 4 * size : 1;
        row->look.low = (float)fmax(p->min, p->min < 0 ? -reach : p->min);
        row->look.high = (float)fmin(p->max, reach);
    }
    snprintf(row->format, sizeof row->format, "%s%s%s", row->look.isWhole ? "%.0f" : "%.4g",
             p->unit[0] ? " " : "", strcmp(p->unit, "%") == 0 ? "%%" : p->unit);
    row->look.format = row->format;
}

static void put(wbViewer *viewer, const Row *row, const char *value) {
    if (row->isAtStart)
        wbViewer_SetAtStart(viewer, row->key, value);
    else
        wbViewer_Set(viewer, row->key, row->text, value);
}

static void putVector(wbViewer *viewer, const Row *row, const float v[3]) {
    char text[96];
    snprintf(text, sizeof text, "%.9g,%.9g,%.9g", (double)v[0], (double)v[1], (double)v[2]);
    put(viewer, row, text);
}

static void putDefault(wbViewer *viewer, const Row *row) {
    const wbParam *p = row->param;
    char text[96];
    const double *d = p->defaultValue;
    if (p->type == wb_paramVec3) {
        const float v[3] = {(float)d[0], (float)d[1], (float)d[2]};
        putVector(viewer, row, v);
        return;
    }
    if (p->type == wb_paramBool)
        snprintf(text, sizeof text, "%s", d[0] != 0 ? "true" : "false");
    else if (p->type == wb_paramEnum) {
        const char *name = p->choices;
        for (int i = 0; i < (int)d[0]; i++) name = strchr(name, '|') + 1;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(name, "|"), name);
    } else if (p->type == wb_paramAuto && (isnan(d[0]) || d[0] == 0))
        snprintf(text, sizeof text, "auto");
    else
        snprintf(text, sizeof text, "%.9g", d[0]);
    put(viewer, row, text);
}

static void finish(wbViewer *viewer, const Row *row, wbUiEdit edit) {
    char text[WB_EDIT_KEY + WB_VALUE_TEXT + 16];
    const char *original = wbEdits_GetOriginal(&viewer->edits, row->key);
    if (edit == wb_uiDefault) putDefault(viewer, row);
    if (edit == wb_uiScene && original) put(viewer, row, original);
    if (edit == wb_uiPlot) {
        wbStatus status = wbPlots_SwitchParam(&viewer->plots, row->key);
        wbViewer_Note(viewer, "%s%s", wbIsOk(status) ? row->key : status.text,
                      wbIsOk(status) && wbPlots_HasParam(&viewer->plots, row->key) ? " is plotted" : "");
    }
    if (edit == wb_uiCopy) {
        snprintf(text, sizeof text, "--set %s=%s", row->key, row->text);
        wbWindow_Copy(viewer->window, text);
        wbViewer_Note(viewer, "copied: %s", text);
    }
}

static void showNumber(wbViewer *viewer, Row *row) {
    char text[96];
    bool isAuto = row->param->type == wb_paramAuto && strcmp(row->text, "auto") == 0;
    float value = isAuto ? (float)row->param->defaultValue[0] : strtof(row->text, NULL);
    setRange(row, value);
    if (row->param->type == wb_paramAuto && !row->look.isFixed && wbUi_Auto(&row->look, &isAuto)) {
        const float first =
            isnan(value) || value == 0 ? fmaxf(row->look.low, fminf(row->look.high, 1)) : value;
        snprintf(text, sizeof text, "%.9g", (double)first);
        put(viewer, row, isAuto ? "auto" : text);
        return;
    }
    if (isAuto) row->look.format = "auto";
    wbUiEdit edit = wbUi_Slider(&row->look, &value);
    snprintf(text, sizeof text, row->look.isWhole ? "%.0f" : "%.7g", (double)value);
    if (edit == wb_uiChanged) put(viewer, row, text);
    finish(viewer, row, edit);
}

static void showVector(wbViewer *viewer, Row *row) {
    float v[3] = {0, 0, 0};
    sscanf(row->text, "%f ,%f ,%f", &v[0], &v[1], &v[2]);
    setRange(row, fmaxf(fmaxf(fabsf(v[0]), fabsf(v[1])), fabsf(v[2])));
    row->look.format = "%.3g";
    const size_t length = strlen(row->param->name);
    const bool isColour = length >= 6 && strcasecmp(row->param->name + length - 6, "colour") == 0;
    wbUiEdit edit = isColour ? wbUi_Colour(&row->look, v) : wbUi_Vector(&row->look, v);
    if (edit == wb_uiChanged) putVector(viewer, row, v);
    finish(viewer, row, edit);
}

static void showTick(wbViewer *viewer, Row *row) {
    bool value = strcmp(row->text, "true") == 0 || strcmp(row->text, "1") == 0;
    wbUiEdit edit = wbUi_Check(&row->look, &value);
    if (edit == wb_uiChanged) put(viewer, row, value ? "true" : "false");
    finish(viewer, row, edit);
}

static void showChoice(wbViewer *viewer, Row *row) {
    char names[256];
    int chosen = 0, index = 0;
    snprintf(names, sizeof names - 1, "%s", row->param->choices);
    names[strlen(names) + 1] = 0; // two zeros end the list
    for (char *name = names; name; index++) {
        char *bar = strchr(name, '|');
        if (bar) *bar = 0;
        if (strcmp(name, row->text) == 0) chosen = index;
        name = bar ? bar + 1 : NULL;
    }
    wbUiEdit edit = wbUi_Choice(&row->look, &chosen, names);
    const char *name = names;
    for (int i = 0; i < chosen; i++) name += strlen(name) + 1;
    if (edit == wb_uiChanged) put(viewer, row, name);
    finish(viewer, row, edit);
}

static void showRow(wbViewer *viewer, const wbSection *section, const wbShownValue *value) {
    Row row = {.section = section, .param = &section->table->params[value->row], .text = value->text};
    snprintf(row.key, sizeof row.key, "%s.%s", section->name, row.param->name);
    describe(&row);
    const char *original = wbEdits_GetOriginal(&viewer->edits, row.key);
    row.look = (wbUiRow){.key = row.key,
                         .label = row.param->name,
                         .tooltip = row.tooltip,
                         .isChanged = original && strcmp(original, row.text) != 0};
    row.isAtStart = !row.param->live && !section->isPicture;
    // objects of a scene are made anew with what its file says of them
    row.look.isFixed = row.isAtStart && section->isObject;
    const char *waiting = row.isAtStart ? wbViewer_GetAtStart(viewer, row.key) : NULL;
    if (waiting) row.text = waiting, row.look.isChanged = true;
    if (row.param->type == wb_paramVec3)
        showVector(viewer, &row);
    else if (row.param->type == wb_paramBool)
        showTick(viewer, &row);
    else if (row.param->type == wb_paramEnum)
        showChoice(viewer, &row);
    else if (row.param->type != wb_paramSize)
        showNumber(viewer, &row);
}

// After a change: what the world has now.
static void tellValue(wbViewer *viewer, const wbSection *section, const wbShownValue *value) {
    char key[WB_EDIT_KEY];
    snprintf(key, sizeof key, "%s.%s", section->name, section->table->params[value->row].name);
    if (strcmp(key, viewer->lastSet) != 0 || viewer->still->step == viewer->lastSetStep) return;
    wbRemote_Tell(&viewer->remote, "event value %s %s", key, value->text);
    viewer->lastSet[0] = 0;
}

static void showRows(wbViewer *viewer, int section) {
    const wbStill *s = viewer->still;
    const wbSection *sections = s->sections.data;
    const wbShownValue *values = s->values.data;
    for (int i = 0; i < s->valueCount; i++) {
        const wbSection *owner = &sections[section];
        if (values[i].section == section && passes(viewer, owner, &owner->table->params[values[i].row]))
            showRow(viewer, owner, &values[i]), tellValue(viewer, owner, &values[i]);
    }
}

static bool hasMatch(const wbViewer *viewer, const wbSection *section) {
    for (int r = 0; r < section->table->count; r++)
        if (passes(viewer, section, &section->table->params[r])) return true;
    return false;
}

static bool isOpenAtFirst(const wbSection *section) {
    return !section->isObject && !section->isPicture && !section->isIdle &&
           strcmp(section->name, "world") != 0;
}

// The simulation gives values of the sections that are open.
static void watch(wbViewer *viewer) {
    const size_t bytes = (size_t)viewer->openCount * sizeof(int);
    const bool isSame = viewer->watchedCount == viewer->openCount &&
                        (bytes == 0 || memcmp(viewer->watched.data, viewer->open.data, bytes) == 0);
    if (isSame && viewer->watchedGeneration == viewer->still->generation) return;
    const wbArray swapped = viewer->watched;
    viewer->watched = viewer->open, viewer->open = swapped;
    viewer->watchedCount = viewer->openCount;
    viewer->watchedGeneration = viewer->still->generation;
    wbSim_Watch(viewer->sim, viewer->watched.data, viewer->watchedCount);
}

static void noteOpen(wbViewer *viewer, int section) {
    viewer->open.elementSize = sizeof(int);
    if (wbArray_Reserve(NULL, &viewer->open, viewer->openCount + 1))
        ((int *)viewer->open.data)[viewer->openCount++] = section;
}

// Also of those that are closed: a plot goes on.
static bool isPlotted(const wbViewer *viewer, const wbSection *section) {
    char key[WB_EDIT_KEY];
    for (int r = 0; viewer->plots.keyCount > 0 && r < section->table->count; r++) {
        snprintf(key, sizeof key, "%s.%s", section->name, section->table->params[r].name);
        if (wbPlots_HasParam(&viewer->plots, key)) return true;
    }
    return false;
}

void wbShowParams(wbViewer *viewer) {
    const wbLayout *l = &viewer->layout;
    const wbStill *s = viewer->still;
    viewer->openCount = 0;
    if (l->left <= 0) return;
    wbUi_BeginPanel("left", 0, l->top, l->left, l->freeHeight);
    wbUi_Input("find a parameter", viewer->filter, sizeof viewer->filter, l->left - 20);
    if (viewer->startCount > 0) {
        char label[64];
        snprintf(label, sizeof label, "restart with %d changed at the start", viewer->startCount);
        if (wbUi_Button(label, "parameters that are fixed when a world is made")) wbViewer_Restart(viewer);
        if (wbUi_Button("beside", "a second world with these, beside the one that runs"))
            wbViewer_OpenBeside(viewer);
    }
    if (wbGetSeconds() < viewer->refusedUntil) wbUi_Warning("%s", viewer->state.refused);
    for (int i = 0; s && i < s->sectionCount; i++) {
        const wbSection *section = &((const wbSection *)s->sections.data)[i];
        char label[2 * WB_SECTION_NAME + 16];
        if (viewer->filter[0] && !hasMatch(viewer, section)) continue;
        snprintf(label, sizeof label, section->isObject ? "%s  (%s)" : "%s", section->name,
                 section->table->section);
        if (viewer->filter[0])
            strcat(label, "##found"); // sections that are found are open, and as before afterwards
        const bool isOpen =
            wbUi_Section(label, isOpenAtFirst(section) || viewer->filter[0], section->table->sentence);
        if (isOpen || isPlotted(viewer, section)) noteOpen(viewer, i);
        if (isOpen) showRows(viewer, i);
    }
    wbUi_EndPanel();
    if (s) watch(viewer);
}
