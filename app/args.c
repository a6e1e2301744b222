// SPDX-License-Identifier: MIT
#include "app/args.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

enum { WB_MAX_FLAGS = 32 };

void wbComplain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("wirbel: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

const char *wbSuggest(const char *name, const char *const *names, int count) {
    static char text[128];
    const char *nearest = wbNearestName(name, names, count);
    text[0] = 0;
    if (nearest) snprintf(text, sizeof text, "; did you mean \"%s\"?", nearest);
    return text;
}

int wbGetRefusalExit(wbStatus status) {
    return status.code == wb_errorMemory || status.code == wb_errorDevice ? WB_EXIT_FAILED : WB_EXIT_USAGE;
}

static const wbFlag *findFlag(const wbCommand *command, const char *name, size_t length) {
    for (int i = 0; i < command->flagCount; i++) {
        const wbFlag *flag = &command->flags[i];
        if (strlen(flag->name) == length && memcmp(flag->name, name, length) == 0) return flag;
    }
    return NULL;
}

static bool refuseFlag(const wbCommand *command, const char *name) {
    const char *names[WB_MAX_FLAGS];
    int count = command->flagCount < WB_MAX_FLAGS ? command->flagCount : WB_MAX_FLAGS;
    for (int i = 0; i < count; i++) names[i] = command->flags[i].name;
    wbComplain("unknown flag \"%s\" of \"wirbel %s\"%s", name, command->name, wbSuggest(name, names, count));
    return false;
}

static bool setNumber(const wbFlag *flag, const char *text, void *target) {
    double value;
    bool isInt = flag->type == wb_flagInt;
    bool isNumber = wbParseNumber(text, &value) && (!isInt || value == floor(value));
    if (!isNumber || value < flag->min || value > flag->max) {
        wbComplain("%s is \"%s\", allowed is %.10g to %.10g%s", flag->name, text, flag->min, flag->max,
                   isInt ? ", whole numbers" : "");
        return false;
    }
    if (isInt)
        *(int *)target = (int)value;
    else
        *(double *)target = value;
    return true;
}

static bool addToList(const wbFlag *flag, const char *text, wbTextList *list) {
    if (list->count == WB_MAX_REPEATS) {
        wbComplain("%s is given more than %d times", flag->name, WB_MAX_REPEATS);
        return false;
    }
    list->items[list->count++] = text;
    return true;
}

static bool setValue(const wbFlag *flag, const char *text, wbOptions *options) {
    void *target = (char *)options + flag->offset;
    switch (flag->type) {
    case wb_flagSwitch:
        *(bool *)target = true;
        return true;
    case wb_flagText:
        *(const char **)target = text;
        return true;
    case wb_flagList:
        return addToList(flag, text, target);
    case wb_flagInt:
    case wb_flagNumber:
        return setNumber(flag, text, target);
    }
    return false;
}

// "--flag=value", "--flag value" or "--flag"; *next moves on when the value is an argument of its own
static bool parseFlag(const wbCommand *command, int count, char **arguments, int *next, wbOptions *options) {
    const char *argument = arguments[(*next)++], *equals = strchr(argument, '=');
    const wbFlag *flag = findFlag(command, argument, equals ? (size_t)(equals - argument) : strlen(argument));
    if (!flag) return refuseFlag(command, argument);
    const char *value = equals ? equals + 1 : NULL;
    if (flag->type == wb_flagSwitch) {
        if (value) wbComplain("%s takes no value", flag->name);
        return !value && setValue(flag, NULL, options);
    }
    if (!equals && *next < count && strncmp(arguments[*next], "--", 2) != 0) value = arguments[(*next)++];
    if (!value || !value[0]) {
        wbComplain("%s needs a value: %s %s", flag->name, flag->name, flag->value);
        return false;
    }
    return setValue(flag, value, options);
}

static bool checkOperandCount(const wbCommand *command, int count) {
    if (count < command->minOperands)
        wbComplain("what is missing is %s: wirbel %s %s", command->operands, command->name,
                   command->operands);
    else if (count > command->maxOperands)
        wbComplain("too many arguments: wirbel %s %s", command->name, command->operands);
    else
        return true;
    return false;
}

bool wbParseArgs(const wbCommand *command, int count, char **arguments, wbOptions *options) {
    *options = (wbOptions){.operands = (const char *const *)arguments,
                           .seconds = -1,
                           .frames = -1,
                           .memory = -1,
                           .every = 1,
                           .pngEvery = 1};
    bool flagsEnded = false;
    for (int next = 0; next < count;) {
        const char *argument = arguments[next];
        if (flagsEnded || argument[0] != '-' || !argument[1]) {
            arguments[options->operandCount++] = arguments[next++];
        } else if (strcmp(argument, "--") == 0) {
            flagsEnded = true;
            next++;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            options->help = true;
            return true;
        } else if (!parseFlag(command, count, arguments, &next, options)) {
            return false;
        }
    }
    return checkOperandCount(command, options->operandCount);
}

void wbPrintCommandHelp(const wbCommand *command) {
    printf("wirbel %s%s%s%s\n%s\n", command->name, command->operands[0] ? " " : "", command->operands,
           command->flagCount ? " [FLAGS]" : "", command->sentence);
    if (command->flagCount) printf("\n");
    for (int i = 0; i < command->flagCount; i++) {
        const wbFlag *flag = &command->flags[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", flag->name, flag->value ? " " : "",
                 flag->value ? flag->value : "");
        printf("  %-24s %s\n", left, flag->sentence);
    }
}

const char *wbGetBackendText(wbBackend backend) { return backend == wb_backendOpencl ? "opencl" : "cpu"; }

bool wbReadBackend(const wbOptions *options, wbBackendChoice *choice) {
    const char *text = options->backend;
    *choice = (wbBackendChoice){.isGiven = text != NULL, .backend = wb_backendCpu, .device = -1};
    if (!text || strcmp(text, "cpu") == 0) return true;
    choice->backend = wb_backendOpencl;
    if (strcmp(text, "opencl") == 0) return true;
    double device;
    bool isCounted = strncmp(text, "opencl:", 7) == 0 && wbParseNumber(text + 7, &device) && device >= 0 &&
                     device <= 255 && device == floor(device);
    if (!isCounted) {
        wbComplain("--backend %s: must be cpu, opencl, or opencl:N with a device of wirbel info, 0 to 255",
                   text);
        return false;
    }
    choice->device = (int)device;
    return true;
}
