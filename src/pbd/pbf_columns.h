// SPDX-License-Identifier: MIT
// The columns that particles are counted in to find how deep the water is: the same in C and in OpenCL C.
#pragma once

/// In spacings: narrow enough for a trough, wide enough that a column's count says its depth.
#define PBF_COLUMN_WIDTH 3.0f

typedef struct PbfColumns {
    float inverseWidth; ///< 1/m
    unsigned mask;      ///< slots of a table - 1
    int first, second;  ///< axes across
} PbfColumns;

/// A column's slots in two tables. Other columns may share one of them, few share both: the smaller count is the column's.
typedef struct PbfSlots {
    unsigned one, other;
} PbfSlots;

static inline PbfSlots pbf_column(float first, float second, const PbfColumns *columns) {
    const float farthest = 1e9f;
    float a = first * columns->inverseWidth, b = second * columns->inverseWidth;
    a = a < -farthest ? -farthest : a > farthest ? farthest : a;
    b = b < -farthest ? -farthest : b > farthest ? farthest : b;
    unsigned i = (unsigned)(int)a - (a < 0), j = (unsigned)(int)b - (b < 0);
    unsigned one = i * 0x9e3779b1u + j * 0x85ebca77u, other = i * 0xc2b2ae3du ^ j * 0x27d4eb2fu;
    PbfSlots slots = {(one ^ one >> 15) & columns->mask, (other ^ other >> 13) & columns->mask};
    return slots;
}
