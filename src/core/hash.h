// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WB_HASH_START 0x9e3779b97f4a7c15ull

/// Mixes bytes into a running 64-bit hash (start: WB_HASH_START). The same on every little-endian machine.
uint64_t wbHashBytes(uint64_t hash, const void *data, size_t bytes);

/// A well mixed 32-bit number from a counter: fixed pseudo-random numbers for scenes and tests.
static inline uint32_t wbHash32(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/// The hash of a number as a float in [0, 1).
static inline float wbHashFloat(uint32_t x) { return (float)(wbHash32(x) >> 8) * (1.0f / 16777216.0f); }
