// SPDX-License-Identifier: MIT
// Lanes of contacts with both of their bodies, as passes over groups load and store them, for *_wide.c.
#pragma once

#include "rigid/rigid_lanes.h"
#include "rigid/rigid_solve_formula.h"

typedef struct Line {
    REAL4 quads[3];
} Line;

WB_INLINE Line load_line(const wbSolverBody *bodies, const int *quads) {
    Line line;
    for (int k = 0; k < 3; k++) line.quads[k] = lane_load4((const float *)bodies + 4 * k, quads);
    return line;
}
WB_INLINE RigidVector line_v(const Line *line) { return first3(line->quads[0]); }
WB_INLINE RigidVector line_w(const Line *line) {
    return rigid_vector(line->quads[0].w, line->quads[1].x, line->quads[1].y);
}
WB_INLINE RigidVector line_way(const Line *line) {
    return rigid_vector(line->quads[1].z, line->quads[1].w, line->quads[2].x);
}
WB_INLINE RigidVector line_turn(const Line *line) {
    return rigid_vector(line->quads[2].y, line->quads[2].z, line->quads[2].w);
}
WB_INLINE void store_line(wbSolverBody *bodies, const int *quads, RigidVector v, RigidVector w,
                          RigidVector way) {
    lane_scatter4((float *)bodies, quads, (REAL4){v.x, v.y, v.z, w.x});
    lane_scatter4((float *)bodies + 4, quads, (REAL4){w.y, w.z, way.x, way.y});
}

WB_INLINE RigidInertia read_inertia(const float *mass, const float *turn,
                                    const float columns[6][WB_CONTACT_LANES], int l, int isRound) {
    RigidInertia i;
    i.mass = real_load(mass + l);
    i.xx = isRound ? real_load(turn + l) : real_load(columns[0] + l);
    i.xy = i.xz = i.yy = i.yz = i.zz = i.xx;
    if (isRound) return i;
    i.xy = real_load(columns[1] + l), i.xz = real_load(columns[2] + l), i.yy = real_load(columns[3] + l);
    i.yz = real_load(columns[4] + l), i.zz = real_load(columns[5] + l);
    return i;
}

WB_INLINE RigidCouple load_couple(const wbSolverBody *bodies, const wbGroupHead *head, int l, int isRound) {
    RigidCouple c;
    const Line a = load_line(bodies, head->a + l), b = load_line(bodies, head->b + l);
    c.va = line_v(&a), c.wa = line_w(&a), c.vb = line_v(&b), c.wb = line_w(&b);
    c.wayA = line_way(&a), c.turnA = line_turn(&a), c.wayB = line_way(&b), c.turnB = line_turn(&b);
    c.armA = load3(head->armA, l), c.armB = load3(head->armB, l);
    c.frame = rigid_frame(load3(head->normal, l));
    c.a = read_inertia(head->massA, head->turnA, isRound ? NULL : head->inertia->a, l, isRound);
    c.b = read_inertia(head->massB, head->turnB, isRound ? NULL : head->inertia->b, l, isRound);
    c.isRound = isRound;
    return c;
}

WB_INLINE void store_couple(wbSolverBody *bodies, const wbGroupHead *head, int l, const RigidCouple *c,
                            int isFixed) {
    store_line(bodies, head->a + l, c->va, c->wa, c->wayA);
    if (!isFixed) store_line(bodies, head->b + l, c->vb, c->wb, c->wayB);
}

WB_INLINE RigidResponse load_response(const wbManyGroup *group, int l) {
    RigidResponse r = {real_load(group->response[0] + l),
                       real_load(group->response[1] + l),
                       real_load(group->response[2] + l),
                       real_load(group->head.tilt->response[0] + l),
                       real_load(group->head.tilt->response[1] + l),
                       real_load(group->head.tilt->response[2] + l)};
    return r;
}
// Round bodies tilt as easily about every axis.
WB_INLINE RigidResponse load_round_response(const wbManyGroup *group, int l, const RigidCouple *c) {
    const REAL tilt = c->a.xx + c->b.xx;
    RigidResponse r = {real_load(group->response[0] + l),
                       real_load(group->response[1] + l),
                       real_load(group->response[2] + l),
                       tilt,
                       real_set(0),
                       tilt};
    return r;
}
