// SPDX-License-Identifier: MIT
// Making statuses, and assertions that stay on in release.
#pragma once

#include "wirbel/base.h"

static const wbStatus wb_okStatus = {wb_ok, ""};

/// A status with a printf text; a text that is too long is cut.
wbStatus wbError(wbCode code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Returns from the calling function unless the status is ok.
#define WB_TRY(call)                                                                                         \
    do {                                                                                                     \
        wbStatus tried = (call);                                                                             \
        if (tried.code != wb_ok) return tried;                                                               \
    } while (0)

_Noreturn void wbAssertFailed(const char *condition, const char *file, int line, const char *message);

#define WB_ASSERT(condition, message)                                                                        \
    do {                                                                                                     \
        if (!(condition)) wbAssertFailed(#condition, __FILE__, __LINE__, message);                           \
    } while (0)

/// A pointer that the caller must give.
#define WB_REQUIRE(pointer) WB_ASSERT((pointer) != NULL, #pointer " is NULL")

/// For inner loops: only in debug builds.
#ifdef NDEBUG
#    define WB_ASSERT_HOT(condition, message) ((void)0)
#else
#    define WB_ASSERT_HOT(condition, message) WB_ASSERT(condition, message)
#endif
