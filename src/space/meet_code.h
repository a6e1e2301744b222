// SPDX-License-Identifier: MIT
// The loops over stretches of particles and over meetings, once per instruction set.
#pragma once

#include "core/cpu.h"
#include "space/meet.h"

/// Where a body is: its axes, and its origin.
typedef struct wbMeetFrame {
    wbVec3 axes[3];
    float origin[3];
} wbMeetFrame;

/// Boxes in columns.
typedef struct wbMeetBoxes {
    float *min[3], *max[3];
    const int *bodies; ///< that they are around; NULL: all, in their order
    int count;
} wbMeetBoxes;

static inline void wbMeetBoxes_Lay(wbMeetBoxes *boxes, float *floats, int room) {
    for (int a = 0; a < 3; a++)
        boxes->min[a] = floats + a * (int64_t)room, boxes->max[a] = floats + (3 + a) * (int64_t)room;
}
static inline void wbMeetBoxes_Set(const wbMeetBoxes *boxes, int k, const BroadBox *box) {
    for (int a = 0; a < 3; a++) boxes->min[a][k] = box->min[a], boxes->max[a][k] = box->max[a];
}

typedef struct wbMeetTask {
    const wbBoundary *boundary;
    wbMeetSearch *search;
    wbMeetings *meetings;
    wbMemory *memory;
    wbPoints particles;
    wbBoundaryTime time;
    wbMeetFrame *frames; ///< per body
    wbMeetBoxes boxes;   ///< of all bodies
    bool isCrowded;      ///< there are so many that the tree finds those near a block sooner
    int *places; ///< per meeting in the order of particles: which one it has become; 0: its list is empty
    float radius;
    wbListTask lists;
} wbMeetTask;

typedef struct wbMeetCode {
    wbRangeFn *find;  ///< over particles: which stretches are near which bodies
    wbRangeFn *lists; ///< over meetings, which are put in order
} wbMeetCode;

WB_DECLARE_CODE(wbMeetCode, wb_meetCode, wbGetMeetCode)
