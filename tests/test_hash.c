// SPDX-License-Identifier: MIT
#include <string.h>

#include "core/hash.h"
#include "test_support.h"

enum { LENGTH = 100 };

static void fillBytes(unsigned char *bytes) {
    for (int i = 0; i < LENGTH; ++i) bytes[i] = (unsigned char)wbHash32((uint32_t)i);
}

static void testDependsOnLength(void **state) {
    (void)state;
    unsigned char zeros[LENGTH] = {0};
    uint64_t hashes[LENGTH];
    for (int i = 0; i < LENGTH; ++i) {
        hashes[i] = wbHashBytes(WB_HASH_START, zeros, (size_t)i);
        for (int k = 0; k < i; ++k) assert_true(hashes[k] != hashes[i]);
    }
}

static void testDependsOnEveryBit(void **state) {
    (void)state;
    unsigned char bytes[LENGTH];
    fillBytes(bytes);
    uint64_t hash = wbHashBytes(WB_HASH_START, bytes, LENGTH);
    int flipped = 0;
    for (int bit = 0; bit < 8 * LENGTH; ++bit) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        int changed = __builtin_popcountll(hash ^ wbHashBytes(WB_HASH_START, bytes, LENGTH));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_in_range(changed, 8, 56);
        flipped += changed;
    }
    // one bit of the input flips half of the result on average
    assert_in_range(flipped, 8 * LENGTH * 31, 8 * LENGTH * 33);
    assert_true(hash != wbHashBytes(WB_HASH_START + 1, bytes, LENGTH));
}

static void testDependsOnOrder(void **state) {
    (void)state;
    uint64_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint64_t hash = wbHashBytes(WB_HASH_START, words, sizeof words);
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < i; ++k) {
            uint64_t swapped[8];
            memcpy(swapped, words, sizeof words);
            swapped[i] = words[k];
            swapped[k] = words[i];
            assert_true(hash != wbHashBytes(WB_HASH_START, swapped, sizeof words));
        }
    }
}

static void testSameAtAnyAddress(void **state) {
    (void)state;
    unsigned char bytes[LENGTH], moved[LENGTH + 16];
    fillBytes(bytes);
    for (size_t length = 0; length <= LENGTH; length += 7) {
        uint64_t hash = wbHashBytes(WB_HASH_START, bytes, length);
        for (int shift = 0; shift < 16; ++shift) {
            memcpy(moved + shift, bytes, length);
            assert_true(hash == wbHashBytes(WB_HASH_START, moved + shift, length));
        }
    }
    assert_true(wbHashBytes(1, NULL, 0) == wbHashBytes(1, bytes, 0));
}

// Golden: checkpoints and determinism tests compare hashes of different builds.
static void testDoesNotChange(void **state) {
    (void)state;
    unsigned char bytes[LENGTH];
    fillBytes(bytes);
    assert_true(wbHashBytes(WB_HASH_START, bytes, LENGTH) == UINT64_C(0xb7e654ccf65f851b));
}

static void testRandomFloats(void **state) {
    (void)state;
    double sum = 0;
    for (uint32_t i = 0; i < 100000; ++i) {
        float value = wbHashFloat(i);
        assert_true(value >= 0 && value < 1);
        sum += (double)value;
    }
    assert_true(sum > 49700 && sum < 50300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testDependsOnLength), cmocka_unit_test(testDependsOnEveryBit),
        cmocka_unit_test(testDependsOnOrder),  cmocka_unit_test(testSameAtAnyAddress),
        cmocka_unit_test(testDoesNotChange),   cmocka_unit_test(testRandomFloats),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
