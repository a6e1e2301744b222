// SPDX-License-Identifier: MIT
#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>

static wbLogFn *logHandler;
static void *logContext;

void wbSetLog(wbLogFn *log, void *context) {
    logHandler = log;
    logContext = context;
}

void wbLog(wbLogLevel level, const char *format, ...) {
    if (!logHandler) return;
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    logHandler(level, message, logContext);
}
