// SPDX-License-Identifier: MIT
// Validation rows that are missed, and why is understood. Each is recorded as it was measured, by the worst of the
// instruction sets: one that passes must be taken out of the table, one that becomes worse is a failure.
#include <math.h>
#include <string.h>

#include "bench/validate_case.h"

// sph-drop-swing: surface tension by normals holds a drop in shape where the push is gentle (docs/water.md), so that it
// swings too fast or not at all. The values of the processor and of a device part by rounding, which decides what a
// gentle push can move.
static const wbKnownMiss misses[] = {
    {"sph-drop-swing", "period, disc of 14 spacings, by 10 %", "cpu", 0.419},
    {"sph-drop-swing", "period, disc of 14 spacings, by 30 %", "cpu", 1.927},
    {"sph-drop-swing", "period, disc of 24 spacings, by 10 %", "cpu", INFINITY},
    {"sph-drop-swing", "period, disc of 24 spacings, by 30 %", "cpu", INFINITY},
    {"sph-drop-swing", "period, ball of 8 spacings, by 10 %", "cpu", 0.8216},
    {"sph-drop-swing", "period, ball of 12 spacings, by 10 %", "cpu", 0.8027},
    {"sph-drop-swing", "period, disc of 14 spacings, by 30 %", "opencl", 0.699},
    {"sph-drop-swing", "period, disc of 24 spacings, by 10 %", "opencl", INFINITY},
    {"sph-drop-swing", "period, disc of 24 spacings, by 30 %", "opencl", INFINITY},
    {"sph-drop-swing", "period, ball of 12 spacings, by 10 %", "opencl", 0.7785},
};

const wbKnownMiss *wbGetKnownMisses(int *count) {
    *count = sizeof misses / sizeof misses[0];
    return misses;
}

const wbKnownMiss *wbFindKnownMiss(const wbQuantity *quantity) {
    for (size_t i = 0; i < sizeof misses / sizeof misses[0]; i++) {
        const wbKnownMiss *miss = &misses[i];
        if (strcmp(miss->name, quantity->name) == 0 && strcmp(miss->quantity, quantity->quantity) == 0 &&
            strcmp(miss->backend, quantity->backend) == 0)
            return miss;
    }
    return NULL;
}
