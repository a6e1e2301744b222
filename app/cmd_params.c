// SPDX-License-Identifier: MIT
// wirbel params: the parameters of scenes and --set, from their tables.
#include <stdio.h>
#include <string.h>

#include "app/commands.h"
#include "core/text.h"
#include "scene/schema.h"
#include "wirbel/scene.h"

enum { WB_MAX_SECTIONS = 32, WB_MAX_STRUCT = 1024 };

static const wbFlag flags[] = {
    WB_SWITCH("--schema", schema, "print the JSON schema of scene files instead"),
};

static int collectTables(const wbParamTable **tables) {
    int count, total = 0;
    const wbParamTable *const *found = wbGetParamTables(&count);
    for (int i = 0; i < count && total < WB_MAX_SECTIONS; i++) tables[total++] = found[i];
    found = wbGetObjectTables(&count);
    for (int i = 0; i < count && total < WB_MAX_SECTIONS; i++) tables[total++] = found[i];
    const wbParamTable *ofScene = wbGetSceneParamTables(&count);
    for (int i = 0; i < count && total < WB_MAX_SECTIONS; i++) tables[total++] = &ofScene[i];
    return total;
}

static void formatDefault(const wbParamTable *table, const wbParam *param, char *text, int size) {
    _Alignas(16) unsigned char section[WB_MAX_STRUCT];
    text[0] = 0;
    if (table->structSize > WB_MAX_STRUCT) return;
    wbSetParamDefaults(table, section);
    wbParam_GetText(param, section, text, size);
}

static void formatRange(const wbParam *param, char *text, size_t size) {
    char low[24], high[24];
    bool isWhole = param->type == wb_paramInt || param->type == wb_paramSize;
    if (param->type == wb_paramEnum) {
        snprintf(text, size, "%s", param->choices);
    } else if (param->type == wb_paramBool) {
        snprintf(text, size, "false|true");
    } else if (isWhole) {
        snprintf(text, size, "%.0f to %.0f", param->min, param->max);
    } else {
        wbFormatFloat((float)param->min, low, sizeof low);
        wbFormatFloat((float)param->max, high, sizeof high);
        snprintf(text, size, "%s to %s", low, high);
    }
}

static void printTable(const wbParamTable *table) {
    printf("%s: %s\n", table->section, table->sentence);
    for (int i = 0; i < table->count; i++) {
        const wbParam *param = &table->params[i];
        char value[64], range[160];
        formatDefault(table, param, value, sizeof value);
        formatRange(param, range, sizeof range);
        printf("  %-20s %-11s %-25s %-8s %-5s  %s\n", param->name, value, range, param->unit,
               param->live ? "live" : "fixed", param->sentence);
    }
}

static int refuseSection(const char *name, const wbParamTable **tables, int count) {
    const char *names[WB_MAX_SECTIONS];
    for (int i = 0; i < count; i++) names[i] = tables[i]->section;
    wbComplain("unknown section \"%s\"%s", name, wbSuggest(name, names, count));
    return WB_EXIT_USAGE;
}

static int printSchema(void) {
    wbStatus status = wbWriteSceneSchema(stdout);
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    return wbIsOk(status) ? WB_EXIT_DONE : WB_EXIT_FAILED;
}

static int printParams(const wbOptions *options) {
    const wbParamTable *tables[WB_MAX_SECTIONS];
    int count = collectTables(tables), printed = 0;
    const char *wanted = options->operandCount ? options->operands[0] : NULL;
    if (options->schema) return printSchema();
    for (int i = 0; i < count; i++) {
        if (wanted && strcmp(wanted, tables[i]->section) != 0) continue;
        if (printed++) printf("\n");
        printTable(tables[i]);
    }
    return printed ? WB_EXIT_DONE : refuseSection(wanted, tables, count);
}

const wbCommand wb_paramsCommand = {
    "params",
    "[SECTION]",
    "list the parameters: name, default, range, unit, meaning",
    0,
    1,
    flags,
    sizeof flags / sizeof flags[0],
    printParams,
};
