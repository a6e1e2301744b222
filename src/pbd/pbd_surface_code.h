// SPDX-License-Identifier: MIT
// The hot loops of surfaces that touch, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "pbd/pbd_surface.h"

/// wbPbdSurface_Find and _Hold: what a loop reads and writes.
typedef struct wbPbdLook {
    const float *records;
    const wbPbdNear *near;
    wbPbdMeeting meeting;
    const wbPbdPressed *pressed;
} wbPbdLook;

typedef struct wbPbdSurfaceCode {
    wbRangeFn *measure;  ///< of a wbPbdLook: `measured` of near pairs
    wbRangeFn *check;    ///< of a wbPbdLook: `left` of pressed pairs
    wbRangeFn *press;    ///< of a wbPbdPass: the pairs of one batch, counted from its begin
    wbRangeFn *pressRun; ///< of a wbPbdPass: all batches from firstBatch to lastBatch - 1; over one item
} wbPbdSurfaceCode;

WB_DECLARE_CODE(wbPbdSurfaceCode, wb_pbdSurfaceCode, wbGetPbdSurfaceCode)
