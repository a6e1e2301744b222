// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "core/timer.h"
#include "test_support.h"

static void testVersion(void **state) {
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", WB_VERSION_MAJOR, WB_VERSION_MINOR, WB_VERSION_PATCH);
    assert_string_equal(wbGetVersion(), expected);
    assert_int_equal(wbGetVersionNumber(), WB_VERSION);
    assert_true(WB_VERSION < WB_MAKE_VERSION(WB_VERSION_MAJOR, WB_VERSION_MINOR + 1, 0));
    assert_true(WB_MAKE_VERSION(0, 99, 99) < WB_MAKE_VERSION(1, 0, 0));
}

static void testErrorText(void **state) {
    (void)state;
    wbStatus status = wbError(wb_errorFile, "%s:%d", "scene.json", 7);
    assert_int_equal(status.code, wb_errorFile);
    assert_string_equal(status.text, "scene.json:7");
    assert_true(wbIsOk(wb_okStatus));
}

static void testLongTextIsCut(void **state) {
    (void)state;
    char longText[1000];
    memset(longText, 'a', sizeof longText);
    longText[sizeof longText - 1] = 0;
    wbStatus status = wbError(wb_errorInput, "%s", longText);
    assert_int_equal(strlen(status.text), sizeof status.text - 1);
}

static wbStatus countCall(int *calls, wbStatus result) {
    ++*calls;
    return result;
}

static wbStatus tryBoth(int *calls, wbCode first) {
    WB_TRY(countCall(calls, first == wb_ok ? wb_okStatus : wbError(first, "no")));
    WB_TRY(countCall(calls, wb_okStatus));
    return wb_okStatus;
}

static void testTryReturnsAtTheFirstError(void **state) {
    (void)state;
    int calls = 0;
    assert_int_equal(tryBoth(&calls, wb_errorMemory).code, wb_errorMemory);
    assert_int_equal(calls, 1);
    assert_int_equal(tryBoth(&calls, wb_ok).code, wb_ok);
    assert_int_equal(calls, 3);
}

static void failOn(int value) { WB_ASSERT(value != 3, "three"); }

static void testAssertHook(void **state) {
    (void)state;
    failOn(2);
    expect_assert_failure(failOn(3));
}

typedef struct Heard {
    int count;
    wbLogLevel level;
    char message[64];
} Heard;

static void hear(wbLogLevel level, const char *message, void *context) {
    Heard *heard = context;
    ++heard->count;
    heard->level = level;
    snprintf(heard->message, sizeof heard->message, "%s", message);
}

static void testLogHook(void **state) {
    (void)state;
    Heard heard = {0};
    wbLog(wb_logInfo, "dropped");
    wbSetLog(hear, &heard);
    wbLog(wb_logWarning, "dt is %g", 0.5);
    wbSetLog(NULL, NULL);
    wbLog(wb_logError, "dropped");
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.level, wb_logWarning);
    assert_string_equal(heard.message, "dt is 0.5");
}

static void testTimer(void **state) {
    (void)state;
    double start = wbGetSeconds(), mark = start;
    while (wbGetSeconds() - start < 0.002) {
    }
    double ms = wbLapMs(&mark);
    assert_true(ms >= 2 && ms < 2000);
    assert_true(mark > start);
    assert_true(wbLapMs(&mark) < ms);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testVersion),       cmocka_unit_test(testErrorText),
        cmocka_unit_test(testLongTextIsCut), cmocka_unit_test(testTryReturnsAtTheFirstError),
        cmocka_unit_test(testAssertHook),    cmocka_unit_test(testLogHook),
        cmocka_unit_test(testTimer),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
