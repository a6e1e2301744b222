// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "coupling/drag_code.h"
#include "coupling/drag_formula.h"

// A corner of pieces: where it is, how fast, and its share of their mobility.
typedef struct Corner {
    DragVec place, velocity;
    REAL mobility;
} Corner;

WB_INLINE Corner load_corner(const wbDragPass *pass, const wbArray *list, int k) {
    const int *index = (const int *)list->data + k;
    const REAL4 p = lane_load4(pass->records, index), v = lane_load4(pass->records + WB_DRAG_HALF, index);
    return (Corner){{p.x, p.y, p.z}, {v.x, v.y, v.z}, p.w};
}

WB_INLINE DragVec set_vec(const float v[3]) {
    return (DragVec){real_set(v[0]), real_set(v[1]), real_set(v[2])};
}

// The air around pieces from k on, and what it gives way by.
WB_INLINE DragVec load_wind(const wbDragPass *pass, int k) {
    const float *const *winds = pass->winds;
    if (!winds[0]) return set_vec(pass->wind.velocity);
    return (DragVec){real_load(winds[0] + k), real_load(winds[1] + k), real_load(winds[2] + k)};
}
WB_INLINE REAL load_mobility(const wbDragPass *pass, int k) {
    return pass->mobility ? real_load(pass->mobility + k) : real_set(0);
}

static void triangles(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbDragPass *pass = context;
    const wbDragPieces *pieces = pass->pieces;
    const wbWind wind = pass->wind;
    const REAL zero = real_set(0), scale = real_set(0.25f * wind.density * pass->dt); // of twice the area
    for (int k = begin; k < end; k += WB_LANES) {
        const Corner a = load_corner(pass, &pieces->corner[0], k),
                     b = load_corner(pass, &pieces->corner[1], k),
                     c = load_corner(pass, &pieces->corner[2], k);
        const DragVec sum = drag_add_scaled(drag_add_scaled(a.velocity, real_set(1), b.velocity), real_set(1),
                                            c.velocity),
                      u = drag_add_scaled(load_wind(pass, k), real_set(-1.0f / 3), sum),
                      cross = drag_cross(drag_sub(b.place, a.place), drag_sub(c.place, a.place));
        const REAL cross2 = drag_dot(cross, cross), inverse = real_rsqrt(cross2 + DRAG_TINY),
                   along = drag_dot(u, cross) * inverse;
        const DragVec across = drag_scale(along * inverse, cross);
        // around a volume the wind is felt where it blows against it
        const REAL lee = along * real_load((const float *)pieces->closed.data + k),
                   area = real_select(real_less(zero, lee), zero, scale * (cross2 * inverse));
        const DragVec j = drag_impulse(across, drag_sub(u, across), area,
                                       (a.mobility + b.mobility + c.mobility) * (1.0f / 9) +
                                           load_mobility(pass, k),
                                       wind.normal, wind.along),
                      each = drag_scale(real_set(1.0f / 3), j);
        lane_store4(pass->impulses + 4 * (size_t)k, (REAL4){each.x, each.y, each.z, zero});
    }
}

// Counted from the first segment.
static void segments(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbDragPass *pass = context;
    const wbDragPieces *pieces = pass->pieces;
    const wbWind wind = pass->wind;
    const REAL scale = real_set(0.5f * wind.density * pass->dt);
    for (int k = pieces->triangleCount + begin; k < pieces->triangleCount + end; k += WB_LANES) {
        const Corner a = load_corner(pass, &pieces->corner[0], k),
                     b = load_corner(pass, &pieces->corner[1], k);
        const DragVec sum = drag_add_scaled(a.velocity, real_set(1), b.velocity),
                      u = drag_add_scaled(load_wind(pass, k), real_set(-0.5f), sum),
                      d = drag_sub(b.place, a.place);
        const REAL d2 = drag_dot(d, d), inverse = real_rsqrt(d2 + DRAG_TINY);
        const DragVec along = drag_scale(drag_dot(u, d) * inverse * inverse, d);
        const REAL area = scale * (d2 * inverse) * real_load((const float *)pieces->width.data + k);
        const DragVec j = drag_impulse(drag_sub(u, along), along, area,
                                       (a.mobility + b.mobility) * 0.25f + load_mobility(pass, k),
                                       wind.normal, wind.along),
                      each = drag_scale(real_set(0.5f), j);
        lane_store4(pass->impulses + 4 * (size_t)k, (REAL4){each.x, each.y, each.z, real_set(0)});
    }
}

WB_INLINE REAL load(const wbArray *column, int k) { return real_load((const float *)column->data + k); }

// The points of a surface from k on, into the sums.
WB_INLINE void sum_points(const wbDragBody *body, int k, REAL sums[WB_DRAG_SUMS]) {
    const wbDragSurface *s = body->surface;
    const wbWind *wind = &body->wind;
    const DragVec place = {load(&s->place[0], k), load(&s->place[1], k), load(&s->place[2], k)},
                  n = {load(&s->normal[0], k), load(&s->normal[1], k), load(&s->normal[2], k)},
                  r = drag_sub(place, set_vec(body->centre)),
                  u = drag_sub(drag_sub(set_vec(wind->velocity), set_vec(body->velocity)),
                               drag_cross(set_vec(body->spin), r));
    const REAL zero = real_set(0), across = real_min(drag_dot(u, n), zero);
    const REAL area =
        real_select(real_less(across, zero), load(&s->area, k) * (0.5f * wind->density * body->dt), zero);
    const REAL t = drag_strength(area, drag_dot(u, u), wind->along),
               more = drag_strength(area, across * across, wind->normal) - t;
    const DragVec push = drag_add_scaled(drag_scale(t, u), more * across, n), turn = drag_cross(r, push),
                  swing = drag_cross(r, n);
    const REAL v[6] = {n.x, n.y, n.z, swing.x, swing.y, swing.z}, arm[3] = {r.x, r.y, r.z};
    const REAL given[6] = {push.x, push.y, push.z, turn.x, turn.y, turn.z};
    for (int a = 0; a < 6; a++) sums[WB_DRAG_PUSH + a] += given[a];
    for (int a = 0, m = WB_DRAG_ACROSS; a < 6; a++)
        for (int b = a; b < 6; b++, m++) sums[m] = real_madd(more * v[a], v[b], sums[m]);
    sums[WB_DRAG_ALONG] += t;
    for (int a = 0; a < 3; a++) sums[WB_DRAG_ARM + a] = real_madd(t, arm[a], sums[WB_DRAG_ARM + a]);
    for (int a = 0, m = WB_DRAG_MOMENTS; a < 3; a++)
        for (int b = a; b < 3; b++, m++) sums[m] = real_madd(t * arm[a], arm[b], sums[m]);
}

static void sum(const wbDragBody *body, double sums[WB_DRAG_SUMS]) {
    REAL lanes[WB_DRAG_SUMS];
    for (int m = 0; m < WB_DRAG_SUMS; m++) lanes[m] = real_set(0);
    for (int k = 0; k < body->surface->count; k += WB_LANES) sum_points(body, k, lanes);
    for (int m = 0; m < WB_DRAG_SUMS; m++) sums[m] = (double)real_sum(lanes[m]);
}

const wbDragCode WB_WIDE(wb_dragCode) = {triangles, segments, sum};
