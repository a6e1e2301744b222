// SPDX-License-Identifier: MIT
// cmocka with what it needs before it, and the library's assertions as its own: expect_assert_failure(call).
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wirbel/base.h"

static inline void failByCmocka(const char *condition, const char *file, int line, const char *message) {
    (void)condition;
    mock_assert(0, message, file, line);
}

static inline int catchAsserts(void **state) {
    (void)state;
    wbSetAssert(failByCmocka);
    return 0;
}

static inline void assertOk(wbStatus status) {
    if (status.code != wb_ok) fail_msg("%s", status.text);
}
