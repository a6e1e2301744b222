// SPDX-License-Identifier: MIT
// Elements of sheets in lanes: for *_wide.c files.
#pragma once

#include "core/real.h"
#include "coupling/sheet_code.h"
#include "coupling/sheet_formula.h"

WB_INLINE SheetVec set_vec(const float *v) {
    return (SheetVec){real_set(v[0]), real_set(v[1]), real_set(v[2])};
}

// Records in quarters of four floats: a with inverseBc2, ab with inverseAb2, ac with inverseAc2, the normal with the size.
WB_INLINE SheetShape load_shape(const float *shapes, INTS element) {
    int index[WB_LANES];
    ints_store(index, element * 4);
    const REAL4 a = lane_load4(shapes, index), ab = lane_load4(shapes + 4, index),
                ac = lane_load4(shapes + 8, index), n = lane_load4(shapes + 12, index);
    return (SheetShape){
        {a.x, a.y, a.z}, {ab.x, ab.y, ab.z}, {ac.x, ac.y, ac.z}, {n.x, n.y, n.z}, ab.w, a.w, ac.w, n.w};
}

WB_INLINE void store_shape(float *shapes, INTS element, const SheetShape *s) {
    int index[WB_LANES];
    ints_store(index, element * 4);
    lane_scatter4(shapes, index, (REAL4){s->a.x, s->a.y, s->a.z, s->inverseBc2});
    lane_scatter4(shapes + 4, index, (REAL4){s->ab.x, s->ab.y, s->ab.z, s->inverseAb2});
    lane_scatter4(shapes + 8, index, (REAL4){s->ac.x, s->ac.y, s->ac.z, s->inverseAc2});
    lane_scatter4(shapes + 12, index, (REAL4){s->normal.x, s->normal.y, s->normal.z, s->size});
}

WB_INLINE SheetVec load_place(const float *places, const int *node) {
    const REAL4 p = lane_load4(places, node);
    return (SheetVec){p.x, p.y, p.z};
}

// m: below this, floats do not tell on which side of something near a place it is.
WB_INLINE float get_hair(const float *place, float spacing) {
    return 1e-5f * spacing + 1e-6f * (fabsf(place[0]) + fabsf(place[1]) + fabsf(place[2]));
}

// Of an edge or a corner that is closest: whether a triangle behind one of the element's edges that meet there is nearer, and still is when the
// point has moved by `slack`. `rims`: whether it is on a rim of an open sheet; on one of a closed surface it is hidden, too.
WB_INLINE unsigned find_hidden(const wbSheets *sheets, INTS element, const SheetClosest *closest,
                               SheetVec from, REAL tolerance, float slack, unsigned *rims) {
    const SheetVec point = sheet_sub(from, closest->away);
    const MASK isEdge = real_less(closest->part, real_set(SHEET_CORNER - 0.5f));
    const REAL corner = closest->part - SHEET_CORNER,
               before = real_select(real_less(corner, real_set(0.5f)), real_set(2), corner - 1),
               edges[2] = {real_select(isEdge, closest->part, corner),
                           real_select(isEdge, closest->part, before)};
    unsigned hidden = 0;
    for (int k = 0; k < 2; k++) {
        int index[WB_LANES];
        const INTS place = element * 3 + ints_truncate(edges[k]); // which inside of the last is behind it
        ints_store(index, ints_min(place, ints_set(3 * sheets->elementCount - 1)));
        const REAL4 across = lane_load4(sheets->acrossShapes, index);
        const SheetVec there = sheet_sub((SheetVec){across.x, across.y, across.z}, point);
        const REAL least = real_madd(real_sqrt(sheet_dot(there, there)), real_set(slack), tolerance);
        hidden |= lane_less(least, sheet_dot(closest->away, there));
        if (k > 0) continue;
        const unsigned isRim =
            lane_less(real_select(isEdge, real_set(1.5f), real_set(0.5f)), real_abs(across.w));
        hidden |= isRim & lane_less(across.w, real_set(0));
        *rims = isRim & ~hidden;
    }
    return hidden;
}
