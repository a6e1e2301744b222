// SPDX-License-Identifier: MIT
#include "core/saved_value.h"

#include <string.h>

#include "core/status.h"

size_t wbGetValueSize(wbValueType type) {
    switch (type) {
    case wb_valueInt:
    case wb_valueUint32:
    case wb_valueFloat:
        return 4;
    case wb_valueInt64:
    case wb_valueDouble:
        return 8;
    }
    return 0;
}

static double getNumber(wbValueType type, const void *bytes) {
    union {
        int32_t integer;
        uint32_t natural;
        int64_t wide;
        float single;
        double precise;
    } number;
    memcpy(&number, bytes, wbGetValueSize(type));
    switch (type) {
    case wb_valueInt:
        return number.integer;
    case wb_valueUint32:
        return number.natural;
    case wb_valueInt64:
        return (double)number.wide;
    case wb_valueFloat:
        return (double)number.single;
    case wb_valueDouble:
        return number.precise;
    }
    return 0;
}

wbStatus wbLoadValue(const wbSavedValue *value, const void *bytes) {
    double number = getNumber(value->type, bytes);
    if (!(number >= value->min && number <= value->max))
        return wbError(wb_errorInput, "%s is %g, allowed is %g to %g", value->name, number, value->min,
                       value->max);
    memcpy(value->data, bytes, wbGetValueSize(value->type));
    return wb_okStatus;
}
