// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "test_support.h"

static void testNames(void **state) {
    (void)state;
    assert_string_equal(wbGetSimdName(wb_simdAuto), "auto");
    assert_string_equal(wbGetSimdName(wb_simdScalar), "scalar");
    assert_string_equal(wbGetSimdName(wb_simdAvx512), "avx512");
    expect_assert_failure(wbGetSimdName((wbSimd)5));
    expect_assert_failure(wbIsSimdSupported((wbSimd)-1));
}

static void testSetsIncludeSmallerOnes(void **state) {
    (void)state;
    assert_true(wbIsSimdSupported(wb_simdScalar));
    for (int simd = wb_simdSse; simd < wb_simdAvx512; ++simd) {
        if (wbIsSimdSupported((wbSimd)(simd + 1))) assert_true(wbIsSimdSupported((wbSimd)simd));
    }
}

static void testAutoTakesTheBest(void **state) {
    (void)state;
    unsetenv("WIRBEL_SIMD");
    wbSimd chosen = wb_simdAuto;
    assert_true(wbIsOk(wbChooseSimd(wb_simdAuto, &chosen)));
    assert_true(chosen >= wb_simdScalar && wbIsSimdSupported(chosen));
    for (int simd = (int)chosen + 1; simd <= wb_simdAvx512; ++simd) {
        assert_false(wbIsSimdSupported((wbSimd)simd));
    }
    wbSimd again;
    setenv("WIRBEL_SIMD", "", 1);
    assert_true(wbIsOk(wbChooseSimd(wb_simdAuto, &again)));
    assert_int_equal(again, chosen);
}

static void testEnvironment(void **state) {
    (void)state;
    for (int simd = wb_simdScalar; simd <= wb_simdAvx512; ++simd) {
        wbSimd chosen = wb_simdAuto;
        setenv("WIRBEL_SIMD", wbGetSimdName((wbSimd)simd), 1);
        wbStatus status = wbChooseSimd(wb_simdAuto, &chosen);
        assert_int_equal(wbIsOk(status), wbIsSimdSupported((wbSimd)simd));
        assert_int_equal(chosen, wbIsOk(status) ? simd : wb_simdAuto);
        // what the program wants comes first, and is refused in the same cases
        setenv("WIRBEL_SIMD", "scalar", 1);
        assert_int_equal(wbChooseSimd((wbSimd)simd, &chosen).code, status.code);
    }
}

static void testUnknownEnvironment(void **state) {
    (void)state;
    const char *const bad[] = {"neon", "AVX2", "auto", "avx2 ", "avx"};
    for (int i = 0; i < 5; ++i) {
        wbSimd chosen = wb_simdSse;
        setenv("WIRBEL_SIMD", bad[i], 1);
        wbStatus status = wbChooseSimd(wb_simdAuto, &chosen);
        assert_int_equal(status.code, wb_errorInput);
        assert_int_equal(chosen, wb_simdSse);
        assert_non_null(strstr(status.text, "WIRBEL_SIMD is \""));
        assert_non_null(strstr(status.text, bad[i]));
        assert_non_null(strstr(status.text, "this machine has scalar"));
    }
    wbSimd chosen;
    assert_true(wbIsOk(wbChooseSimd(wb_simdScalar, &chosen)));
    unsetenv("WIRBEL_SIMD");
}

static void testCpuName(void **state) {
    (void)state;
    char name[96], cut[6];
    wbGetCpuName(name, sizeof name);
    wbGetCpuName(cut, sizeof cut);
    assert_non_null(strstr(name, " (family "));
    assert_true(name[0] > ' ' && strlen(cut) == 5 && strncmp(name, cut, 5) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testNames),
        cmocka_unit_test(testSetsIncludeSmallerOnes),
        cmocka_unit_test(testAutoTakesTheBest),
        cmocka_unit_test(testEnvironment),
        cmocka_unit_test(testUnknownEnvironment),
        cmocka_unit_test(testCpuName),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
