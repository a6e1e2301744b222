// SPDX-License-Identifier: MIT
// The hot loops of the air's drag, once per instruction set.
#pragma once

#include "core/cpu.h"
#include "coupling/drag.h"

/// A particle's record: place and how many pieces share it times 1/mass, then velocity and 0; the last one is a dummy. Entries of lists count in
/// halves, as in pbd/pbd_code.h.
enum { WB_DRAG_RECORD = 8, WB_DRAG_HALF = 4 };

/// What passes over the pieces of sheets and ropes read and write.
typedef struct wbDragPass {
    const wbDragPieces *pieces;
    wbWind wind;
    float dt;             ///< s
    const float *records; ///< of particles
    const float *winds[3],
        *mobility;   ///< m/s and 1/kg of the air around each piece; NULL: it is the wind, whatever pushes it
    float *impulses; ///< N s, four each: what each corner of a piece gets
} wbDragPass;

/// What passes over the surface of a rigid body read, in a frame of the body: about its centre of mass.
typedef struct wbDragBody {
    const wbDragSurface *surface;
    wbWind wind;       ///< as seen in that frame
    float dt;          ///< s
    float centre[3];   ///< m, of mass
    float velocity[3]; ///< m/s, of it
    float spin[3];     ///< rad/s
} wbDragBody;

/// Sums over the points of a surface, of which the drag of the whole body is made. With n across and r from the centre of mass, s and t the
/// strengths across and along, in kg:
enum {
    WB_DRAG_PUSH = 0,                  ///< of s u_n + t u_t: N s
    WB_DRAG_TURN = WB_DRAG_PUSH + 3,   ///< of r × that: N m s
    WB_DRAG_ACROSS = WB_DRAG_TURN + 3, ///< of (s - t) v vᵀ with v = (n, r × n): its upper triangle by rows
    WB_DRAG_ALONG = WB_DRAG_ACROSS + 21, ///< of t
    WB_DRAG_ARM = WB_DRAG_ALONG + 1,     ///< of t r
    WB_DRAG_MOMENTS = WB_DRAG_ARM + 3,   ///< of t r rᵀ: xx, xy, xz, yy, yz, zz
    WB_DRAG_SUMS = WB_DRAG_MOMENTS + 6
};

typedef struct wbDragCode {
    wbRangeFn *triangles, *segments; ///< over pieces of a wbDragPass
    void (*sum)(const wbDragBody *body, double sums[WB_DRAG_SUMS]);
} wbDragCode;

WB_DECLARE_CODE(wbDragCode, wb_dragCode, wbGetDragCode)
