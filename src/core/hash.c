// SPDX-License-Identifier: MIT
#include "core/hash.h"

#include <string.h>

static uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

// One to one in the word: a single changed word always changes the lane.
static uint64_t mixWord(uint64_t lane, uint64_t word) {
    return rotate((lane ^ word) * 0xd6e8feb86659fd93ull, 29) + 0x2545f4914f6cdd1dull;
}

// Every bit of the input reaches every bit of the result.
static uint64_t mixBits(uint64_t x) {
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
    x = (x ^ x >> 29) * 0xa0761d6478bd642full;
    return x ^ x >> 32;
}

static uint64_t loadWord(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

uint64_t wbHashBytes(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *at = data;
    size_t left = bytes;

    // four lanes, because one waits for its multiplication
    uint64_t a = hash, b = rotate(hash, 17) ^ 1, c = rotate(hash, 31) ^ 2, d = rotate(hash, 47) ^ 3;
    for (; left >= 32; left -= 32, at += 32) {
        a = mixWord(a, loadWord(at));
        b = mixWord(b, loadWord(at + 8));
        c = mixWord(c, loadWord(at + 16));
        d = mixWord(d, loadWord(at + 24));
    }
    uint64_t result = mixWord(mixWord(mixWord(a, mixBits(b)), mixBits(c)), mixBits(d));
    for (; left >= 8; left -= 8, at += 8) result = mixWord(result, loadWord(at));
    uint64_t last = 0;
    if (left) memcpy(&last, at, left);
    // the length tells trailing zeros from nothing
    return mixBits(mixWord(mixWord(result, last), bytes));
}
