// SPDX-License-Identifier: MIT
// Checks of sizes, for the files that make meshes.
#pragma once

#include "core/status.h"
#include "shape/shape_make.h"

static inline wbStatus wbCheckSize(const char *thing, const char *name, float value) {
    if (value >= 1e-4f && value <= 1e4f) return wb_okStatus;
    return wbError(wb_errorInput, "%s: %s is %g; allowed: 0.0001 to 10000 m", thing, name, (double)value);
}

static inline wbStatus wbCheckSegments(const char *thing, int segments) {
    if (segments >= WB_MIN_SEGMENTS && segments <= WB_MAX_SEGMENTS) return wb_okStatus;
    return wbError(wb_errorInput, "%s: segments is %d; allowed: %d to %d", thing, segments, WB_MIN_SEGMENTS,
                   WB_MAX_SEGMENTS);
}
