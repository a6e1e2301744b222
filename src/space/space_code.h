// SPDX-License-Identifier: MIT
// The hot loops of this folder, once per instruction set.
#pragma once

#include "core/cpu.h"
#include "space/grid.h"
#include "space/neighbours.h"

typedef struct wbSpaceCode {
    /// bounds: minima of x, y, z, then maxima, of points begin … end - 1
    void (*bounds)(const wbPoints *points, int begin, int end, float bounds[6]);
    /// bucket of each point
    void (*keys)(const wbGrid *grid, const wbPoints *points, int begin, int end, uint32_t *keys);
    /// lists of the points begin … end - 1 (multiples of WB_BLOCK, but for the last)
    wbRangeFn *lists; ///< context: wbListTask
} wbSpaceCode;

WB_DECLARE_CODE(wbSpaceCode, wb_spaceCode, wbGetSpaceCode)
