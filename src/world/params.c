// SPDX-License-Identifier: MIT
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "core/text.h"
#include "wirbel/types.h"
#include "world/object.h"

#define WB_PARAM_STRUCT wbWorldParams
static const wbParam worldRows[] = {WB_PARAM_ROWS(WB_WORLD_PARAMS)};
#undef WB_PARAM_STRUCT
#define WB_PARAM_STRUCT wbDomainDef
#define SIDE(name)                                                                                           \
    {#name,                                                                                                  \
     wb_paramEnum,                                                                                           \
     (int)offsetof(wbDomainDef, sides[wb_##name].type),                                                      \
     {wb_sideFreeSlip, 0, 0},                                                                                \
     0,                                                                                                      \
     0,                                                                                                      \
     "",                                                                                                     \
     "freeSlip|noSlip|open",                                                                                 \
     true,                                                                                                   \
     "kind of this side, as sides." #name ".type; while it runs it opens and closes",                        \
     false},
static const wbParam domainRows[] = {WB_PARAM_ROWS(WB_DOMAIN_PARAMS) SIDE(left) SIDE(right) SIDE(bottom)
                                         SIDE(top) SIDE(back) SIDE(front)};
#undef SIDE
#undef WB_PARAM_STRUCT
const wbParamTable wb_worldTable =
    WB_PARAM_TABLE("world", "space, time and what everything shares", wbWorldParams, worldRows);
static const wbParamTable domainTable = WB_PARAM_TABLE(
    "domain", "the box that everything happens in; without it there are no sides", wbDomainDef, domainRows);
static const wbParamTable *const tables[] = {&wb_worldTable, &domainTable,
#define WB_SOLVER_TABLE(name) &wb_##name##Table,
                                             WB_SOLVERS(WB_SOLVER_TABLE)
#undef WB_SOLVER_TABLE
};
static const wbParamTable *const objectTables[] = {
#define WB_OBJECT_TABLE(name) &wb_##name##Table,
    WB_PARAM_OBJECTS(WB_OBJECT_TABLE)
#undef WB_OBJECT_TABLE
};
enum {
    TABLE_COUNT = sizeof tables / sizeof tables[0],
    OBJECT_TABLE_COUNT = sizeof objectTables / sizeof objectTables[0],
    MAX_ROWS = 128,
    MAX_TEXT = 64
};

const wbParamTable *const *wbGetParamTables(int *count) {
    WB_REQUIRE(count);
    *count = TABLE_COUNT;
    return tables;
}

const wbParamTable *wbGetParams(const char *section) {
    WB_REQUIRE(section);
    for (int i = 0; i < TABLE_COUNT; ++i) {
        if (strcmp(tables[i]->section, section) == 0) return tables[i];
    }
    return NULL;
}

const wbParamTable *const *wbGetObjectTables(int *count) {
    WB_REQUIRE(count);
    *count = OBJECT_TABLE_COUNT;
    return objectTables;
}

const wbParamTable *wbGetObjectParams(const char *kind) {
    WB_REQUIRE(kind);
    for (int i = 0; i < OBJECT_TABLE_COUNT; ++i) {
        if (strcmp(objectTables[i]->section, kind) == 0) return objectTables[i];
    }
    return NULL;
}

const wbParam *wbFindParam(const wbParamTable *table, const char *name) {
    WB_REQUIRE(table);
    WB_REQUIRE(name);
    for (int i = 0; i < table->count; ++i) {
        if (strcmp(table->params[i].name, name) == 0) return &table->params[i];
    }
    return NULL;
}

const char *wbNearestParam(const wbParamTable *table, const char *name) {
    WB_REQUIRE(table);
    WB_REQUIRE(name);
    const char *names[MAX_ROWS];
    WB_ASSERT(table->count <= MAX_ROWS, "a table with more rows than names fit");
    for (int i = 0; i < table->count; ++i) names[i] = table->params[i].name;
    return wbNearestName(name, names, table->count);
}

bool wbParam_IsWhole(const wbParam *param) {
    WB_REQUIRE(param);
    bool isCount = param->type == wb_paramAuto && param->min == 1 && param->unit[0] == 0;
    return param->type == wb_paramInt || param->type == wb_paramSize || isCount;
}

static int countNumbers(wbParamType type) { return type == wb_paramVec3 ? 3 : type == wb_paramSize ? 2 : 1; }

// The field as numbers: fields of one type are laid out as an array of it.
static void storeNumbers(const wbParam *param, void *section, const double *values) {
    void *field = (char *)section + param->offset;
    for (int i = 0; i < countNumbers(param->type); ++i) {
        switch (param->type) {
        case wb_paramFloat:
        case wb_paramAuto:
        case wb_paramVec3:
            ((float *)field)[i] = (float)values[i];
            break;
        case wb_paramBool:
            *(bool *)field = values[i] != 0;
            break;
        case wb_paramInt:
        case wb_paramEnum:
        case wb_paramSize:
            ((int *)field)[i] = (int)values[i];
            break;
        }
    }
}

static void loadNumbers(const wbParam *param, const void *section, double *values) {
    const void *field = (const char *)section + param->offset;
    for (int i = 0; i < countNumbers(param->type); ++i) {
        switch (param->type) {
        case wb_paramFloat:
        case wb_paramAuto:
        case wb_paramVec3:
            values[i] = (double)((const float *)field)[i];
            break;
        case wb_paramBool:
            values[i] = *(const bool *)field;
            break;
        case wb_paramInt:
        case wb_paramEnum:
        case wb_paramSize:
            values[i] = ((const int *)field)[i];
            break;
        }
    }
}

void wbParam_GetNumbers(const wbParam *param, const void *section, double values[3]) {
    WB_REQUIRE(param);
    WB_REQUIRE(section);
    WB_REQUIRE(values);
    loadNumbers(param, section, values);
}

void wbSetParamDefaults(const wbParamTable *table, void *section) {
    WB_REQUIRE(table);
    WB_REQUIRE(section);
    memset(section, 0, (size_t)table->structSize);
    for (int i = 0; i < table->count; ++i) {
        storeNumbers(&table->params[i], section, table->params[i].defaultValue);
    }
}

// What "auto" is stored as.
static double getAuto(const wbParam *param) { return param->min <= 0 && param->max >= 0 ? NAN : 0; }

bool wbParam_IsAuto(const wbParam *param, double value) {
    WB_REQUIRE(param);
    return param->type == wb_paramAuto && (isnan(getAuto(param)) ? isnan(value) : value == 0);
}

static const char *getPartName(wbParamType type, int part) {
    static const char *const axes[] = {".x", ".y", ".z"};
    static const char *const sides[] = {".width", ".height"};
    return type == wb_paramVec3 ? axes[part] : type == wb_paramSize ? sides[part] : "";
}

static void formatLimit(const wbParam *param, double limit, char *text, int size) {
    if (wbParam_IsWhole(param)) {
        snprintf(text, (size_t)size, "%.0f", limit);
    } else {
        wbFormatFloat((float)limit, text, size);
    }
}

// How a text of several numbers is written.
static const char *getForm(wbParamType type) {
    return type == wb_paramVec3 ? "X,Y,Z, each " : type == wb_paramSize ? "WIDTHxHEIGHT, each " : "";
}

// "viscosity is -3, allowed is 0 to 1e+06 Pa s"; part -1: no single number is to blame
static wbStatus refuse(const wbParam *param, int part, const char *value) {
    const char *name = param->name;
    if (param->type == wb_paramBool) {
        return wbError(wb_errorInput, "%s is %s, allowed is true|false", name, value);
    }
    if (param->type == wb_paramEnum) {
        return wbError(wb_errorInput, "%s is %s, allowed is %s", name, value, param->choices);
    }
    char low[MAX_TEXT], high[MAX_TEXT];
    formatLimit(param, param->min, low, sizeof low);
    formatLimit(param, param->max, high, sizeof high);
    return wbError(wb_errorInput, "%s%s is %s, allowed is %s%s to %s%s%s%s%s", name,
                   part < 0 ? "" : getPartName(param->type, part), value,
                   part < 0 ? getForm(param->type) : "", low, high, param->unit[0] ? " " : "", param->unit,
                   wbParam_IsWhole(param) ? ", whole numbers" : "",
                   param->type == wb_paramAuto ? ", or auto" : "");
}

static wbStatus refuseNumber(const wbParam *param, int part, double value) {
    char text[MAX_TEXT];
    snprintf(text, sizeof text, "%.9g", value);
    return refuse(param, part, text);
}

// Quoted and cut: it may be anything.
static wbStatus refuseText(const wbParam *param, const char *value) {
    char text[MAX_TEXT];
    snprintf(text, sizeof text, "\"%.*s%s", MAX_TEXT - 6, value, strlen(value) > MAX_TEXT - 6 ? "…\"" : "\"");
    return refuse(param, -1, text);
}

// Rounds as the field will: a limit written as a float is inside its own range.
static bool isAllowed(const wbParam *param, double value) {
    if (!isfinite(value)) return false;
    if (param->type == wb_paramBool) return value == 0 || value == 1;
    if (wbParam_IsWhole(param)) {
        if (value != floor(value)) return false;
    } else if (fabs(value) <= (double)FLT_MAX) {
        value = (double)(float)value;
    }
    return value >= param->min && value <= param->max;
}

wbStatus wbParam_SetNumbers(const wbParam *param, void *section, const double *values, int count) {
    WB_REQUIRE(param);
    WB_REQUIRE(section);
    WB_REQUIRE(values);
    int wanted = countNumbers(param->type);
    bool isFlat = param->type == wb_paramVec3 && count == 2; // z is 0
    if (count != wanted && !isFlat) {
        return wbError(wb_errorInput, "%s has %d numbers, allowed is %s%d", param->name, count,
                       param->type == wb_paramVec3 ? "2 or " : "", wanted);
    }
    if (param->type == wb_paramEnum) return refuseNumber(param, 0, values[0]);
    double numbers[3] = {0};
    if (isFlat && !isAllowed(param, 0)) numbers[2] = param->defaultValue[2]; // a size
    for (int i = 0; i < count; ++i) {
        if (!isAllowed(param, values[i])) return refuseNumber(param, i, values[i]);
        numbers[i] = values[i];
    }
    storeNumbers(param, section, numbers);
    return wb_okStatus;
}

// The place of `text` in "name|name", -1 if it is none of them.
static int findChoice(const char *choices, const char *text) {
    size_t length = strlen(text);
    for (int index = 0;; ++index) {
        size_t nameLength = strcspn(choices, "|");
        if (nameLength == length && memcmp(choices, text, length) == 0) return index;
        if (choices[nameLength] == 0) return -1;
        choices += nameLength + 1;
    }
}

static const char *findChoiceName(const char *choices, int index, int *length) {
    for (; index > 0; --index) {
        choices += strcspn(choices, "|");
        if (choices[0] == 0) return NULL;
        ++choices;
    }
    *length = (int)strcspn(choices, "|");
    return index < 0 ? NULL : choices;
}

// Numbers with a separator between them: how many, or 0 if a part is not a number or there are too many.
static int parseNumbers(const char *text, char separator, double *values, int most) {
    const char separators[] = {separator, 0};
    for (int count = 0; count < most; ++count) {
        char part[MAX_TEXT];
        size_t length = strcspn(text, separators);
        if (length >= sizeof part) return 0;
        memcpy(part, text, length);
        part[length] = 0;
        if (!wbParseNumber(part, &values[count])) return 0;
        if (text[length] == 0) return count + 1;
        text += length + 1;
    }
    return 0;
}

static wbStatus setChoice(const wbParam *param, void *section, const char *text, const char *choices) {
    double index = findChoice(choices, text);
    if (index < 0) return refuseText(param, text);
    storeNumbers(param, section, &index);
    return wb_okStatus;
}

wbStatus wbParam_SetText(const wbParam *param, void *section, const char *text) {
    WB_REQUIRE(param);
    WB_REQUIRE(section);
    WB_REQUIRE(text);
    if (param->type == wb_paramEnum) return setChoice(param, section, text, param->choices);
    if (param->type == wb_paramBool) {
        bool isDigit = strcmp(text, "0") == 0 || strcmp(text, "1") == 0;
        return setChoice(param, section, text, isDigit ? "0|1" : "false|true");
    }
    if (param->type == wb_paramAuto && strcmp(text, "auto") == 0) {
        storeNumbers(param, section, &(double){getAuto(param)});
        return wb_okStatus;
    }
    double values[3];
    int wanted = countNumbers(param->type);
    int count = parseNumbers(text, param->type == wb_paramSize ? 'x' : ',', values, wanted);
    if (count == 0 || (count == 1 && wanted > 1)) return refuseText(param, text);
    return wbParam_SetNumbers(param, section, values, count);
}

wbStatus wbParam_GetText(const wbParam *param, const void *section, char *text, int size) {
    WB_REQUIRE(param);
    WB_REQUIRE(section);
    WB_REQUIRE(text);
    WB_ASSERT(size > 0, "there is no room for a text");
    double v[3] = {0};
    loadNumbers(param, section, v);
    char part[3][MAX_TEXT];
    for (int i = 0; i < countNumbers(param->type); ++i) wbFormatFloat((float)v[i], part[i], MAX_TEXT);
    size_t room = (size_t)size;
    int length = 0;
    switch (param->type) {
    case wb_paramFloat:
        length = snprintf(text, room, "%s", part[0]);
        break;
    case wb_paramAuto:
        length = snprintf(text, room, "%s", wbParam_IsAuto(param, v[0]) ? "auto" : part[0]);
        break;
    case wb_paramInt:
        length = snprintf(text, room, "%d", (int)v[0]);
        break;
    case wb_paramBool:
        length = snprintf(text, room, "%s", v[0] != 0 ? "true" : "false");
        break;
    case wb_paramEnum: {
        int letters = 0;
        const char *name = findChoiceName(param->choices, (int)v[0], &letters);
        length = snprintf(text, room, "%.*s", letters, name ? name : "");
        break;
    }
    case wb_paramVec3:
        length = snprintf(text, room, "%s,%s,%s", part[0], part[1], part[2]);
        break;
    case wb_paramSize:
        length = snprintf(text, room, "%dx%d", (int)v[0], (int)v[1]);
        break;
    }
    if (length < size) return wb_okStatus;
    return wbError(wb_errorInput,
                   "the value of %s takes %d bytes with the zero at its end, there is room for %d",
                   param->name, length + 1, size);
}

static wbStatus checkParam(const wbParam *param, const void *section) {
    double values[3];
    loadNumbers(param, section, values);
    if (param->type == wb_paramEnum) {
        int length;
        bool isKnown = findChoiceName(param->choices, (int)values[0], &length) != NULL;
        return isKnown ? wb_okStatus : refuseNumber(param, 0, values[0]);
    }
    if (wbParam_IsAuto(param, values[0])) return wb_okStatus;
    for (int i = 0; i < countNumbers(param->type); ++i) {
        if (!isAllowed(param, values[i])) return refuseNumber(param, i, values[i]);
    }
    return wb_okStatus;
}

wbStatus wbCheckParamsOf(const char *name, const wbParamTable *table, const void *params) {
    for (int i = 0; i < table->count; ++i) {
        wbStatus status = checkParam(&table->params[i], params);
        if (status.code != wb_ok) return wbError(status.code, "%s.%s", name, status.text);
    }
    return wb_okStatus;
}

wbStatus wbCheckParams(const wbParamTable *table, const void *section) {
    return wbCheckParamsOf(table->section, table, section);
}
