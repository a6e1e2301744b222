// SPDX-License-Identifier: MIT
// The loops over stretches of particles and over meetings, once per instruction set.
#pragma once

#include "core/cpu.h"
#include "space/meet.h"

typedef struct wbMeetTask {
    const wbBoundary *boundary;
    wbMeetSearch *search;
    wbMeetings *meetings;
    wbMemory *memory;
    wbPoints particles;
    wbBoundaryTime time;
    float radius;
    wbListTask lists;
} wbMeetTask;

typedef struct wbMeetCode {
    wbRangeFn *find;  ///< over particles: which stretches are near which bodies
    wbRangeFn *lists; ///< over meetings
} wbMeetCode;

WB_DECLARE_CODE(wbMeetCode, wb_meetCode, wbGetMeetCode)
