// SPDX-License-Identifier: MIT
// Numbers as bytes, the lowest first, on any machine. Each returns where the next one goes.
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint8_t *wbPutU32(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; ++i) to[i] = (uint8_t)(value >> (8 * i));
    return to + 4;
}

static inline uint8_t *wbPutU64(uint8_t *to, uint64_t value) {
    return wbPutU32(wbPutU32(to, (uint32_t)value), (uint32_t)(value >> 32));
}

static inline uint8_t *wbPutF32(uint8_t *to, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return wbPutU32(to, bits);
}
