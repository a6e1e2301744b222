// SPDX-License-Identifier: MIT
// Single numbers of a module's state. A module lists them once, as it lists its columns: hashing, saving and
// loading walk the list.
#pragma once

#include "wirbel/base.h"

typedef enum wbValueType {
    wb_valueInt, ///< int
    wb_valueUint32,
    wb_valueInt64,
    wb_valueFloat,
    wb_valueDouble,
} wbValueType;

typedef struct wbSavedValue {
    const char *name;
    void *data; ///< where the owner keeps it
    wbValueType type;
    double min, max; ///< what a file may say; never NaN
    bool hashed;     ///< read by the next step
} wbSavedValue;

size_t wbGetValueSize(wbValueType type);

/// Stores the number that stands in a file, or refuses it: "time is -1, allowed is 0 to 1e+300".
wbStatus wbLoadValue(const wbSavedValue *value, const void *bytes);
