// SPDX-License-Identifier: MIT
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "test_support.h"

static const char *const names[] = {"viscosity", "restDensity", "dt", "kernel", "gravity", "soundSpeed"};

static const char *nearest(const char *name) { return wbNearestName(name, names, 6); }

static void testNearNames(void **state) {
    (void)state;
    assert_string_equal(nearest("viscosity"), "viscosity");
    assert_string_equal(nearest("viscocity"), "viscosity");  // replaced
    assert_string_equal(nearest("viscosty"), "viscosity");   // left out
    assert_string_equal(nearest("viscossity"), "viscosity"); // added
    assert_string_equal(nearest("VISCOSITY"), "viscosity");
    assert_string_equal(nearest("restdensity"), "restDensity");
    assert_string_equal(nearest("td"), "dt"); // swapped
    assert_string_equal(nearest("kernle"), "kernel");
    assert_string_equal(nearest("soundspede"), "soundSpeed");
}

static void testSwapIsOneEdit(void **state) {
    (void)state;
    // two edits without swaps; three would be too many
    const char *const one[] = {"abcdef"};
    assert_string_equal(wbNearestName("badcef", one, 1), "abcdef");
    assert_null(wbNearestName("badcfx", one, 1));
}

static void testFarNames(void **state) {
    (void)state;
    assert_null(nearest("temperature"));
    assert_null(nearest("xy"));
    assert_null(nearest(""));
    assert_null(nearest("q"));
    assert_null(wbNearestName("dt", names, 0));
}

static void testLongNames(void **state) {
    (void)state;
    char name[4000];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = 0;
    const char *const one[] = {name};
    assert_null(wbNearestName(name, one, 1));
    assert_null(wbNearestName("aaaa", one, 1));
    name[64] = 0;
    assert_ptr_equal(wbNearestName(name, one, 1), name);
}

static void testNumbers(void **state) {
    (void)state;
    double value = -1;
    assert_true(wbParseNumber("0.25", &value) && value == 0.25);
    assert_true(wbParseNumber("-1e-3", &value) && value == -1e-3);
    assert_true(wbParseNumber("+.5E2", &value) && value == 50);
    assert_true(wbParseNumber("1e-999", &value) && value == 0);
    const char *const bad[] = {"",    " 1",  "1 ",    "1x",    "nan",    "inf", "-inf", "0x10", "1e",
                               "1,5", "--1", "1.2.3", "1e999", "-1e999", "e5",  ".",    "+",    "\t1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        value = 7;
        assert_false(wbParseNumber(bad[i], &value));
        assert_true(value == 7);
    }
}

static void testFloatsReadBack(void **state) {
    (void)state;
    const float values[] = {0,       0.1f,     -9.81f,  1e6f,   8e9f,    1.0f / 3,
                            FLT_MAX, -FLT_MAX, FLT_MIN, 1e-45f, 16777216};
    char text[64];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        double value;
        wbFormatFloat(values[i], text, sizeof text);
        assert_true(wbParseNumber(text, &value));
        assert_true((float)value == values[i]);
    }
    wbFormatFloat(0.1f, text, sizeof text);
    assert_string_equal(text, "0.1");
    wbFormatFloat(1e6f, text, sizeof text);
    assert_string_equal(text, "1e+06");
}

// A host program may have set a locale with a decimal comma.
static void testDecimalPointInAnyLocale(void **state) {
    (void)state;
    const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool isSet = false;
    for (int i = 0; i < 4 && !isSet; ++i) isSet = setlocale(LC_ALL, locales[i]) != NULL;
    if (!isSet) skip();
    double value;
    char text[64];
    bool isRead = wbParseNumber("0.5", &value);
    wbFormatFloat(0.5f, text, sizeof text);
    char hostPoint = localeconv()->decimal_point[0];
    setlocale(LC_ALL, "C");
    assert_true(isRead && value == 0.5);
    assert_string_equal(text, "0.5");
    assert_int_equal(hostPoint, ',');
}

static void testBytesAreReadable(void **state) {
    (void)state;
    const struct {
        double bytes;
        const char *text;
    } cases[] = {{0, "0 bytes"},     {999, "999 bytes"}, {1000, "1.0 kB"}, {999949, "999.9 kB"},
                 {999960, "1.0 MB"}, {68e9, "68.0 GB"},  {1e15, "1.0 PB"}, {1e30, "1000000000000.0 EB"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[32];
        wbFormatBytes(cases[i].bytes, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testNearNames),
        cmocka_unit_test(testSwapIsOneEdit),
        cmocka_unit_test(testFarNames),
        cmocka_unit_test(testLongNames),
        cmocka_unit_test(testNumbers),
        cmocka_unit_test(testFloatsReadBack),
        cmocka_unit_test(testDecimalPointInAnyLocale),
        cmocka_unit_test(testBytesAreReadable),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
