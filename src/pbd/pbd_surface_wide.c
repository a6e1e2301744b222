// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "pbd/pbd_code.h"
#include "pbd/pbd_surface_code.h"
#include "pbd/pbd_surface_formula.h"

// Corners of a pair, as seen from the first one at the start, so that little is lost to rounding.
typedef struct Four {
    REAL start[4][3], end[4][3];
} Four;

WB_INLINE Four load_four(const float *records, int *const corner[4], int k) {
    Four four;
    REAL4 x0 = lane_load4(records + WB_PBD_HALF, corner[0] + k), p0 = lane_load4(records, corner[0] + k);
    for (int m = 0; m < 4; m++) {
        REAL4 x = m == 0 ? x0 : lane_load4(records + WB_PBD_HALF, corner[m] + k),
              p = m == 0 ? p0 : lane_load4(records, corner[m] + k);
        four.start[m][0] = x.x - x0.x, four.start[m][1] = x.y - x0.y, four.start[m][2] = x.z - x0.z;
        four.end[m][0] = four.start[m][0] + (p.x - p0.x);
        four.end[m][1] = four.start[m][1] + (p.y - p0.y);
        four.end[m][2] = four.start[m][2] + (p.z - p0.z);
    }
    return four;
}

// What is between all corners of both along n.
WB_INLINE REAL find_left(const Four *four, const REAL n[3], const bool edges) {
    REAL at[4];
    for (int m = 0; m < 4; m++) at[m] = surface_dot(n, four->end[m]);
    return edges ? real_min(at[0], at[1]) - real_max(at[2], at[3])
                 : at[0] - real_max(at[1], real_max(at[2], at[3]));
}

WB_INLINE void measure_range(const wbPbdLook *look, int begin, int end, const bool edges) {
    const wbPbdNear *near = look->near;
    for (int i = begin; i < end; i += WB_LANES) {
        const Four four = load_four(look->records, near->corner, i);
        REAL first[2][3], from[3], gap[3];
        PbdMeasure m;
        for (int a = 0; a < 3; a++) {
            first[0][a] = edges ? four.start[1][a] : four.start[2][a] - four.start[1][a];
            first[1][a] = four.start[3][a] - (edges ? four.start[2][a] : four.start[1][a]);
            from[a] = -(edges ? four.start[2][a] : four.start[1][a]);
        }
        if (edges)
            surface_near_edge(first[0], first[1], from, m.weights, gap);
        else
            surface_near_triangle(first, from, m.weights, gap);
        REAL d2 = surface_dot(gap, gap), inverse = real_rsqrt(real_max(d2, real_set(1e-24f)));
        for (int a = 0; a < 3; a++) m.n[a] = gap[a] * inverse;
        m.d = d2 * inverse;
        m.left = find_left(&four, m.n, edges);
        REAL across[3];
        for (int a = 0; a < 3; a++) across[a] = first[1][a] - first[0][a];
        m.slant = real_max(surface_slant(m.n, first[0]), surface_slant(m.n, first[1]));
        if (!edges) m.slant = real_max(m.slant, surface_slant(m.n, across));
        int at[WB_LANES];
        ints_store(at, (ints_count() + i) * 2);
        lane_scatter4(near->measured, at, (REAL4){m.n[0], m.n[1], m.n[2], m.d});
        lane_scatter4(near->measured + WB_PBD_HALF, at, (REAL4){m.weights[0], m.weights[1], m.slant, m.left});
    }
}

static void measure(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdLook *look = context;
    if (look->meeting == wb_pbdEdges)
        measure_range(look, begin, end, true);
    else
        measure_range(look, begin, end, false);
}

WB_INLINE void check_range(const wbPbdLook *look, int begin, int end, const bool edges) {
    const wbPbdPressed *p = look->pressed;
    for (int i = begin; i < end; i += WB_LANES) {
        const Four four = load_four(look->records, p->corner, i);
        const REAL n[3] = {real_load(p->n[0] + i), real_load(p->n[1] + i), real_load(p->n[2] + i)};
        real_store(p->left + i, find_left(&four, n, edges));
    }
}

static void check(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdLook *look = context;
    const wbPbdPressed *p = look->pressed;
    for (int part = 0; part < 2 * wb_pbdMeetingCount; part++) {
        const int last = part + 1 < 2 * wb_pbdMeetingCount ? p->begins[part + 1] : p->count,
                  from = p->begins[part] > begin ? p->begins[part] : begin, to = last < end ? last : end;
        if (part % wb_pbdMeetingCount == wb_pbdEdges)
            check_range(look, from, to, true);
        else
            check_range(look, from, to, false);
    }
}

// Pairs begin … end - 1 in the order of batches, which share no particle that moves.
WB_INLINE void press_range(const wbPbdPass *pass, int begin, int end) {
    const wbPbdPressed *pressed = &pass->surface->pressed;
    const float friction = pass->terms.contact.friction;
    float *records = pass->records;
    for (int i = begin; i < end; i += WB_LANES) {
        REAL4 p[4];
        REAL k[4], weight = real_set(0), slide[3] = {weight, weight, weight}, push[3];
        const REAL n[3] = {real_load(pressed->n[0] + i), real_load(pressed->n[1] + i),
                           real_load(pressed->n[2] + i)};
        for (int m = 0; m < 4; m++) {
            p[m] = lane_load4(records, pressed->corner[m] + i);
            k[m] = real_load(pressed->k[m] + i);
            weight = real_madd(p[m].w * k[m], k[m], weight);
            slide[0] = real_madd(k[m], p[m].x, slide[0]), slide[1] = real_madd(k[m], p[m].y, slide[1]);
            slide[2] = real_madd(k[m], p[m].z, slide[2]);
        }
        REAL depth = real_load(pressed->target + i) - real_load(pressed->gap + i) - surface_dot(n, slide);
        depth = real_max(depth, real_set(0));
        if (!lane_any(depth)) continue;
        surface_press(n, slide, depth, weight, friction, push);
        for (int m = 0; m < 4; m++) {
            REAL share = p[m].w * k[m];
            p[m].x = real_madd(share, push[0], p[m].x), p[m].y = real_madd(share, push[1], p[m].y);
            p[m].z = real_madd(share, push[2], p[m].z);
            lane_scatter4(records, pressed->corner[m] + i, p[m]);
        }
    }
}

static void press(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    const wbPbdBatch *batch = (const wbPbdBatch *)pass->surface->pressed.list.data + pass->firstBatch;
    press_range(pass, batch->begin + begin, batch->begin + end);
}

static void press_run(int begin, int end, int worker, void *context) {
    (void)begin, (void)end, (void)worker;
    const wbPbdPass *pass = context;
    const wbPbdBatch *batches = pass->surface->pressed.list.data;
    press_range(pass, batches[pass->firstBatch].begin, batches[pass->lastBatch - 1].end);
}

const wbPbdSurfaceCode WB_WIDE(wb_pbdSurfaceCode) = {measure, check, press, press_run};
