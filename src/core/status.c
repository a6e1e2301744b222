// SPDX-License-Identifier: MIT
#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_OF(number)       #number
#define VERSION_TEXT(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

static wbAssertFn *assertHandler;

const char *wbGetVersion(void) { return VERSION_TEXT(WB_VERSION_MAJOR, WB_VERSION_MINOR, WB_VERSION_PATCH); }

int wbGetVersionNumber(void) { return WB_VERSION; }

const char *wbGetCompiler(void) {
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

wbStatus wbError(wbCode code, const char *format, ...) {
    wbStatus status = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(status.text, sizeof status.text, format, arguments);
    va_end(arguments);
    return status;
}

void wbSetAssert(wbAssertFn *handler) { assertHandler = handler; }

void wbAssertFailed(const char *condition, const char *file, int line, const char *message) {
    if (assertHandler) {
        assertHandler(condition, file, line, message);
    } else {
        fprintf(stderr, "wirbel: %s:%d: %s (%s)\n", file, line, message, condition);
    }
    // what was asserted does not hold: nothing behind this point may run
    abort();
}
