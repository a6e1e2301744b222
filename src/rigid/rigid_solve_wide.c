// SPDX-License-Identifier: MIT
// Impulses of groups of contacts: warm start, passes, bouncing; and what is kept of them for the next step.
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

WB_INLINE RigidInertia read_inertia(const float *mass, const float *turn, float columns[6][WB_CONTACT_LANES],
                                    int l, int isRound) {
    RigidInertia i;
    i.mass = real_load(mass + l);
    i.xx = isRound ? real_load(turn + l) : real_load(columns[0] + l);
    i.xy = i.xz = i.yy = i.yz = i.zz = i.xx;
    if (isRound) return i;
    i.xy = real_load(columns[1] + l), i.xz = real_load(columns[2] + l), i.yy = real_load(columns[3] + l);
    i.yz = real_load(columns[4] + l), i.zz = real_load(columns[5] + l);
    return i;
}

WB_INLINE RigidCouple load_couple(const wbSolverBody *bodies, wbGroupHead *head, wbGroupTail *tail, int l,
                                  int isRound) {
    RigidCouple c;
    const Line a = load_line(bodies, head->a + l), b = load_line(bodies, head->b + l);
    c.va = line_v(&a), c.wa = line_w(&a), c.vb = line_v(&b), c.wb = line_w(&b);
    c.wayA = line_way(&a), c.turnA = line_turn(&a), c.wayB = line_way(&b), c.turnB = line_turn(&b);
    c.armA = load3(head->armA, l), c.armB = load3(head->armB, l);
    c.frame = rigid_frame(load3(head->normal, l));
    c.a = read_inertia(head->massA, head->turnA, tail->inertiaA, l, isRound);
    c.b = read_inertia(head->massB, head->turnB, tail->inertiaB, l, isRound);
    c.isRound = isRound;
    return c;
}

WB_INLINE void store_couple(wbSolverBody *bodies, const wbGroupHead *head, int l, const RigidCouple *c,
                            int isFixed) {
    store_line(bodies, head->a + l, c->va, c->wa, c->wayA);
    if (!isFixed) store_line(bodies, head->b + l, c->vb, c->wb, c->wayB);
}

// Friction at the middle: the change of its impulse.
WB_INLINE RigidVector rub(const RigidCouple *c, wbGroupHead *head, int l, REAL push) {
    const RigidDrag before = {real_load(head->dragImpulse[0] + l), real_load(head->dragImpulse[1] + l)};
    const RigidDrag drag = rigid_rub(c, before, real_load(head->dragMass[0] + l),
                                     real_load(head->dragMass[1] + l), real_load(head->friction + l) * push);
    real_store(head->dragImpulse[0] + l, drag.s), real_store(head->dragImpulse[1] + l, drag.t);
    return rigid_across(&c->frame, drag.s - before.s, drag.t - before.t);
}

WB_INLINE void roll(RigidCouple *c, wbGroupTail *tail, int l, REAL push, int isFixed) {
    const RigidVector before = load3(tail->rollImpulse, l);
    const RigidVector moment =
        rigid_roll(c, before, real_load(tail->rollMass + l), real_load(tail->rolling + l) * push);
    store3(tail->rollImpulse, l, moment);
    rigid_turn_couple(c, rigid_sub(moment, before), isFixed);
}

WB_INLINE RigidResponse load_response(const wbManyGroup *group, int l) {
    RigidResponse r = {real_load(group->response[0] + l),  real_load(group->response[1] + l),
                       real_load(group->response[2] + l),  real_load(group->tail.tilt[0] + l),
                       real_load(group->tail.tilt[1] + l), real_load(group->tail.tilt[2] + l)};
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

WB_INLINE void warm_many(const wbExactStep *step, wbManyGroup *group, int l, int isFixed, int isRound) {
    RigidCouple c = load_couple(step->bodies, &group->head, &group->tail, l, isRound);
    RigidSums sums = {real_set(0), real_set(0), real_set(0)};
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL impulse = real_load(group->impulse[i] + l);
        sums.along += impulse;
        sums.x = real_madd(real_load(group->x[i] + l), impulse, sums.x);
        sums.y = real_madd(real_load(group->y[i] + l), impulse, sums.y);
    }
    rigid_push_sums(&c, sums, isFixed);
    const RigidVector drag = rigid_across(&c.frame, real_load(group->head.dragImpulse[0] + l),
                                          real_load(group->head.dragImpulse[1] + l));
    rigid_push_couple(&c, drag, rigid_scale(real_load(group->twistImpulse + l), c.frame.n), isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void solve_many(const wbExactStep *step, wbManyGroup *group, int l, int isSoft, int isFixed,
                          int isRound) {
    RigidCouple c = load_couple(step->bodies, &group->head, &group->tail, l, isRound);
    const RigidTerms terms = step->terms;
    const RigidResponse response = isRound ? load_round_response(group, l, &c) : load_response(group, l);
    const REAL pushSpeed = real_load(group->head.pushSpeed + l);
    const RigidApproach way = rigid_approach(c.frame, rigid_part_ways(&c), c.turnA, c.turnB);
    RigidApproach speed = rigid_approach(c.frame, rigid_part(&c), c.wa, c.wb);
    RigidSums sums = {real_set(0), real_set(0), real_set(0)};
    REAL push = real_set(0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL impulse = rigid_push_point(real_load(group->impulse[i] + l), real_load(group->x[i] + l),
                                              real_load(group->y[i] + l), real_load(group->separation[i] + l),
                                              way, response, pushSpeed, terms, isSoft, &speed, &sums);
        real_store(group->impulse[i] + l, impulse);
        push += impulse;
    }
    rigid_push_sums(&c, sums, isFixed);
    const RigidVector drag = rub(&c, &group->head, l, push);
    const REAL twist = real_load(group->twistImpulse + l);
    const REAL limit = real_load(group->head.friction + l) * push * real_load(group->twistArm + l);
    const REAL twisted = rigid_twist(&c, twist, real_load(group->twistMass + l), limit);
    real_store(group->twistImpulse + l, twisted);
    rigid_push_couple(&c, drag, rigid_scale(twisted - twist, c.frame.n), isFixed);
    if (group->tail.rolls) roll(&c, &group->tail, l, push, isFixed);
    if (group->tail.bounces)
        for (int i = 0; i < RIGID_POINTS; i++)
            real_store(group->peak[i] + l,
                       real_max(real_load(group->peak[i] + l), real_load(group->impulse[i] + l)));
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void warm_one(const wbExactStep *step, wbOneGroup *group, int l, int isFixed, int isRound) {
    RigidCouple c = load_couple(step->bodies, &group->head, &group->tail, l, isRound);
    const RigidVector drag = rigid_across(&c.frame, real_load(group->head.dragImpulse[0] + l),
                                          real_load(group->head.dragImpulse[1] + l));
    rigid_push_couple(&c, rigid_madd(real_load(group->impulse + l), c.frame.n, drag), rigid_set(0, 0, 0),
                      isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void solve_one(const wbExactStep *step, wbOneGroup *group, int l, int isSoft, int isFixed,
                         int isRound) {
    RigidCouple c = load_couple(step->bodies, &group->head, &group->tail, l, isRound);
    const REAL before = real_load(group->impulse + l), mass = real_load(group->mass + l);
    const REAL now = real_load(group->separation + l) + rigid_dot(c.frame.n, rigid_part_ways(&c));
    const REAL push = rigid_push(before, mass, rigid_dot(c.frame.n, rigid_part(&c)), now,
                                 real_load(group->head.pushSpeed + l), step->terms, isSoft);
    real_store(group->impulse + l, push);
    rigid_push_couple(&c, rigid_scale(push - before, c.frame.n), rigid_set(0, 0, 0), isFixed);
    const RigidVector drag = rub(&c, &group->head, l, push);
    rigid_push_couple(&c, drag, rigid_set(0, 0, 0), isFixed);
    if (group->tail.rolls) roll(&c, &group->tail, l, push, isFixed);
    if (group->tail.bounces) real_store(group->peak + l, real_max(real_load(group->peak + l), push));
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void bounce_many(const wbExactStep *step, wbManyGroup *group, int l, int isFixed) {
    RigidCouple c = load_couple(step->bodies, &group->head, &group->tail, l, group->tail.isRound);
    const RigidResponse r = load_response(group, l);
    const REAL share = real_load(group->tail.bounce + l);
    RigidApproach speed = rigid_approach(c.frame, rigid_part(&c), c.wa, c.wb);
    RigidSums sums = {real_set(0), real_set(0), real_set(0)};
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL impulse = rigid_bounce_point(real_load(group->impulse[i] + l), real_load(group->x[i] + l),
                                                real_load(group->y[i] + l), real_load(group->speed[i] + l),
                                                real_load(group->peak[i] + l), share, r,
                                                step->terms.bounceSpeed, &speed, &sums);
        real_store(group->impulse[i] + l, impulse);
    }
    rigid_push_sums(&c, sums, isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void bounce_one(const wbExactStep *step, wbOneGroup *group, int l, int isFixed) {
    RigidCouple c = load_couple(step->bodies, &group->head, &group->tail, l, group->tail.isRound);
    const REAL met = real_load(group->speed + l), before = real_load(group->impulse + l);
    const REAL mass = rigid_bounce_mass(real_load(group->mass + l), met, real_load(group->peak + l),
                                        step->terms.bounceSpeed);
    const REAL wanted =
        real_madd(real_load(group->tail.bounce + l), met, rigid_dot(c.frame.n, rigid_part(&c)));
    const REAL after = real_max(before - mass * wanted, real_set(0));
    real_store(group->impulse + l, after);
    rigid_push_couple(&c, rigid_scale(after - before, c.frame.n), rigid_set(0, 0, 0), isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

// Groups of round bodies are the fast ones; what is constant here makes a version of its own of each.
WB_INLINE void pass_many(const wbExactStep *step, wbManyGroup *group, int pass, int isFixed, int isRound) {
    for (int l = 0; l < group->tail.count; l += WB_LANES) {
        if (pass == wb_passWarmStart)
            warm_many(step, group, l, isFixed, isRound);
        else
            solve_many(step, group, l, pass == wb_passBias, isFixed, isRound);
    }
}
WB_INLINE void pass_one(const wbExactStep *step, wbOneGroup *group, int pass, int isFixed, int isRound) {
    for (int l = 0; l < group->tail.count; l += WB_LANES) {
        if (pass == wb_passWarmStart)
            warm_one(step, group, l, isFixed, isRound);
        else
            solve_one(step, group, l, pass == wb_passBias, isFixed, isRound);
    }
}

// Bodies of a group lie anywhere in memory, where no hardware foresees them. Few are in the caches anyway.
WB_INLINE void fetch_bodies(const wbExactStep *step, const wbGroupHead *head) {
    const float *records = (const float *)step->bodies;
    if (step->bodyCount < 4096) return;
    for (int l = 0; l < WB_CONTACT_LANES; l++) {
        __builtin_prefetch(records + 4 * (int64_t)head->a[l], 1);
        __builtin_prefetch(records + 4 * (int64_t)head->b[l], 1);
    }
}

WB_INLINE void pass_groups(const wbExactStep *step, const wbContactBatch *batch, int begin, int end, int pass,
                           int isFixed) {
    for (int g = begin; g < end; g++) {
        if (wbIsOnePoint(batch->kind)) {
            wbOneGroup *group = &step->ones[batch->at + g];
            if (g + 1 < end) fetch_bodies(step, &group[1].head);
            if (group->tail.isRound)
                pass_one(step, group, pass, isFixed, 1);
            else
                pass_one(step, group, pass, isFixed, 0);
        } else {
            wbManyGroup *group = &step->many[batch->at + g];
            if (g + 1 < end) fetch_bodies(step, &group[1].head);
            if (group->tail.isRound)
                pass_many(step, group, pass, isFixed, 1);
            else
                pass_many(step, group, pass, isFixed, 0);
        }
    }
}

static void bounce_groups(const wbExactStep *step, const wbContactBatch *batch, int begin, int end) {
    const bool isFixed = wbIsFixed(batch->kind);
    for (int g = begin; g < end; g++) {
        wbOneGroup *one = wbIsOnePoint(batch->kind) ? &step->ones[batch->at + g] : NULL;
        wbManyGroup *many = one ? NULL : &step->many[batch->at + g];
        const wbGroupTail *tail = one ? &one->tail : &many->tail;
        for (int l = 0; tail->bounces && l < tail->count; l += WB_LANES) {
            if (one)
                bounce_one(step, one, l, isFixed);
            else
                bounce_many(step, many, l, isFixed);
        }
    }
}

static void solve(const wbExactStep *step, const wbContactBatch *batch, int begin, int end, int pass) {
    const bool isFixed = wbIsFixed(batch->kind);
    if (pass == WB_PASS_BOUNCE)
        bounce_groups(step, batch, begin, end);
    else if (pass == wb_passWarmStart && isFixed)
        pass_groups(step, batch, begin, end, wb_passWarmStart, 1);
    else if (pass == wb_passWarmStart)
        pass_groups(step, batch, begin, end, wb_passWarmStart, 0);
    else if (pass == wb_passBias && isFixed)
        pass_groups(step, batch, begin, end, wb_passBias, 1);
    else if (pass == wb_passBias)
        pass_groups(step, batch, begin, end, wb_passBias, 0);
    else if (isFixed)
        pass_groups(step, batch, begin, end, wb_passRelax, 1);
    else
        pass_groups(step, batch, begin, end, wb_passRelax, 0);
}

// Keeping contacts

WB_INLINE void keep_common(const wbGroupHead *head, const wbGroupTail *tail, int l, float *records,
                           const int *quads, const RigidFrame *frame, REAL twist,
                           const REAL separation[RIGID_POINTS]) {
    const RigidVector n = frame->n, drag = rigid_across(frame, real_load(head->dragImpulse[0] + l),
                                                        real_load(head->dragImpulse[1] + l));
    lane_scatter4(records + 4 * WB_FRICTION_QUAD, quads, (REAL4){drag.x, drag.y, drag.z, twist});
    lane_scatter4(records + 4 * WB_FRICTION_QUAD + 4, quads,
                  (REAL4){n.x, n.y, n.z, real_load(tail->approach + l)});
    lane_scatter4(records + 4 * WB_FRICTION_QUAD + 8, quads,
                  (REAL4){separation[0], separation[1], separation[2], separation[3]});
    const float *names = (const float *)tail->names[0] + l;
    lane_scatter4(records + 4 * WB_FRICTION_QUAD + 12, quads,
                  (REAL4){real_load(names), real_load(names + WB_CONTACT_LANES),
                          real_load(names + 2 * WB_CONTACT_LANES), real_load(names + 3 * WB_CONTACT_LANES)});
}

WB_INLINE REAL keep_many(const wbManyGroup *group, int l, float *records, const int *quads) {
    const RigidFrame frame = rigid_frame(load3(group->head.normal, l));
    const RigidVector middle = load3(group->head.armA, l);
    REAL separation[RIGID_POINTS], any = real_set(0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL impulse = real_load(group->impulse[i] + l);
        separation[i] = real_load(group->separation[i] + l);
        any = real_max(any, rigid_touches(separation[i], impulse));
        RigidVector p =
            rigid_add(middle, rigid_across(&frame, real_load(group->x[i] + l), real_load(group->y[i] + l)));
        // what is not there is nowhere near
        p.x = real_select(real_less(separation[i], real_set(WB_NO_POINT)), p.x, real_set(RIGID_FAR));
        lane_scatter4(records + 4 * i, quads, (REAL4){p.x, p.y, p.z, impulse});
    }
    keep_common(&group->head, &group->tail, l, records, quads, &frame, real_load(group->twistImpulse + l),
                separation);
    return any;
}

WB_INLINE REAL keep_one(const wbOneGroup *group, int l, float *records, const int *quads) {
    const RigidFrame frame = rigid_frame(load3(group->head.normal, l));
    const RigidVector p = load3(group->head.armA, l);
    const REAL far = real_set(RIGID_FAR), zero = real_set(0);
    const REAL separation[RIGID_POINTS] = {real_load(group->separation + l), far, far, far};
    lane_scatter4(records, quads, (REAL4){p.x, p.y, p.z, real_load(group->impulse + l)});
    for (int i = 1; i < RIGID_POINTS; i++)
        lane_scatter4(records + 4 * i, quads, (REAL4){far, zero, zero, zero});
    keep_common(&group->head, &group->tail, l, records, quads, &frame, zero, separation);
    return rigid_touches(separation[0], real_load(group->impulse + l));
}

// Lanes without a contact write behind all contacts, each group where no other does.
static void keep(int begin, int end, int worker, void *context) {
    const wbExactStep *step = context;
    wbContact *contacts = step->rigid->contacts.spare.data;
    (void)worker;
    for (int g = begin; g < end; g++) {
        const wbGroupPlan *plan = &step->groupPlans[g];
        int quads[WB_CONTACT_LANES];
        float touching[WB_CONTACT_LANES];
        for (int l = 0; l < WB_CONTACT_LANES; l++)
            quads[l] = WB_CONTACT_QUADS *
                       (l < plan->count ? step->slots[plan->first + l] : step->contactCount + 1 + g);
        for (int l = 0; l < plan->count; l += WB_LANES) {
            if (wbIsOnePoint(plan->kind))
                real_store(touching + l, keep_one(&step->ones[plan->at], l, (float *)contacts, quads + l));
            else
                real_store(touching + l, keep_many(&step->many[plan->at], l, (float *)contacts, quads + l));
        }
        const wbGroupTail *tail =
            wbIsOnePoint(plan->kind) ? &step->ones[plan->at].tail : &step->many[plan->at].tail;
        for (int l = 0; l < plan->count; l++) {
            step->touches[step->slots[plan->first + l]] = touching[l] > 0;
            step->isFast[step->slots[plan->first + l]] = tail->approach[l] >= step->model->params.hitSpeed;
        }
    }
}

const wbSolveCode WB_WIDE(wb_solveCode) = {solve, keep};
