// SPDX-License-Identifier: MIT
// Restitution of groups of contacts: which of them meet in a sub-step, their impulses, and friction by these.
#include "rigid/rigid_couple_lanes.h"

#include "rigid/rigid_bounce_formula.h"

WB_INLINE RigidVector load_kick(const wbSolverKick *kicks, const int *bodies, RigidVector *w) {
    int quads[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) quads[k] = bodies[k] / WB_BODY_QUADS * WB_KICK_QUADS;
    const REAL4 first = lane_load4((const float *)kicks, quads),
                second = lane_load4((const float *)kicks + 4, quads);
    *w = rigid_vector(first.w, second.x, second.y);
    return first3(first);
}

// What forces change of an approach in a sub-step.
WB_INLINE RigidApproach get_gain(const wbExactStep *step, const wbGroupHead *head, int l,
                                 const RigidCouple *c) {
    RigidVector wa, wb;
    const RigidVector va = load_kick(step->kicks, head->a + l, &wa),
                      vb = load_kick(step->kicks, head->b + l, &wb);
    return rigid_approach(c->frame, rigid_parting(va, wa, c->armA, vb, wb, c->armB), wa, wb);
}

WB_INLINE REAL approach_at(RigidApproach a, REAL x, REAL y) {
    return real_madd(a.y, y, real_madd(a.x, x, a.along));
}

WB_INLINE REAL meet_many(const wbExactStep *step, wbManyGroup *group, int l) {
    const RigidCouple c = load_couple(step->bodies, &group->head, l, group->head.isRound);
    const RigidApproach speed = rigid_approach(c.frame, rigid_part(&c), c.wa, c.wb),
                        way = rigid_approach(c.frame, rigid_part_ways(&c), c.turnA, c.turnB),
                        gain = get_gain(step, &group->head, l, &c);
    const REAL share = real_load(group->head.bounce->share + l), zero = real_set(0);
    RigidMeeting meetings[RIGID_POINTS];
    REAL wanted[RIGID_POINTS];
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL x = real_load(group->x[i] + l), y = real_load(group->y[i] + l);
        meetings[i] = (RigidMeeting){approach_at(speed, x, y), approach_at(gain, x, y),
                                     real_load(group->separation[i] + l) + approach_at(way, x, y)};
    }
    const REAL any = rigid_meet_points(meetings, share, step->terms, wanted);
    for (int i = 0; i < RIGID_POINTS; i++)
        real_store(group->head.bounce->wanted[i] + l, wanted[i]),
            real_store(group->head.bounce->kick[i] + l, zero);
    return any;
}

WB_INLINE REAL meet_one(const wbExactStep *step, wbOneGroup *group, int l) {
    const RigidCouple c = load_couple(step->bodies, &group->head, l, group->head.isRound);
    const REAL share = real_load(group->head.bounce->share + l), zero = real_set(0);
    const RigidMeeting meeting = {
        rigid_dot(c.frame.n, rigid_part(&c)), get_gain(step, &group->head, l, &c).along,
        real_load(group->separation + l) + rigid_dot(c.frame.n, rigid_part_ways(&c))};
    const REAL meets = rigid_meets(meeting, share, step->terms, RIGID_THIS_SUB_STEP);
    const REAL wanted = rigid_bounce_speed(meeting, share, step->terms.perSubStep);
    real_store(group->head.bounce->wanted[0] + l,
               real_select(real_less(zero, meets), wanted, real_set(RIGID_NO_BOUNCE)));
    real_store(group->head.bounce->kick[0] + l, zero);
    return meets;
}

WB_INLINE REAL bounce_many(const wbExactStep *step, wbManyGroup *group, int l, int isFixed) {
    RigidCouple c = load_couple(step->bodies, &group->head, l, group->head.isRound);
    const RigidResponse r = load_response(group, l);
    RigidApproach speed = rigid_approach(c.frame, rigid_part(&c), c.wa, c.wb);
    RigidSums sums = {real_set(0), real_set(0), real_set(0)};
    REAL kicks[RIGID_POINTS], first = real_set(0), rest = real_set(1);
    for (int i = 0; i < RIGID_POINTS; i++) kicks[i] = real_load(group->head.bounce->kick[i] + l);
    for (int sweep = 0; sweep < RIGID_BOUNCE_SWEEPS && lane_any(rest); sweep++) {
        rest = real_set(0);
        for (int i = 0; i < RIGID_POINTS; i++)
            kicks[i] =
                rigid_bounce_point(kicks[i], real_load(group->x[i] + l), real_load(group->y[i] + l),
                                   real_load(group->head.bounce->wanted[i] + l), r, &speed, &sums, &rest);
        if (sweep == 0) first = rest;
    }
    if (!lane_any(first)) return first;
    for (int i = 0; i < RIGID_POINTS; i++) real_store(group->head.bounce->kick[i] + l, kicks[i]);
    rigid_push_sums(&c, sums, isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
    return first;
}

WB_INLINE REAL bounce_one(const wbExactStep *step, wbOneGroup *group, int l, int isFixed) {
    RigidCouple c = load_couple(step->bodies, &group->head, l, group->head.isRound);
    const REAL before = real_load(group->head.bounce->kick[0] + l),
               wanted = real_load(group->head.bounce->wanted[0] + l), mass = real_load(group->mass + l),
               parting = rigid_dot(c.frame.n, rigid_part(&c));
    const REAL kick = rigid_bounce(before, mass, parting, wanted);
    real_store(group->head.bounce->kick[0] + l, kick);
    rigid_push_couple(&c, rigid_scale(kick - before, c.frame.n), rigid_set(0, 0, 0), isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
    const REAL rest = rigid_unsettled(parting - wanted, wanted);
    return real_select(real_less(real_set(0), real_abs(kick - before)), rest, real_set(0));
}

// Friction by an impulse along the normal: it stops sliding and twisting, or does what the cone allows.
WB_INLINE void scrape(const wbExactStep *step, const wbGroupHead *head, int l, REAL push, REAL twistMass,
                      REAL twistArm, int isFixed) {
    RigidCouple c = load_couple(step->bodies, head, l, head->isRound);
    const REAL zero = real_set(0), limit = real_load(head->friction + l) * push;
    const RigidDrag none = {zero, zero}, drag = rigid_rub(&c, none, real_load(head->dragMass[0] + l),
                                                          real_load(head->dragMass[1] + l), limit);
    rigid_push_couple(&c, rigid_across(&c.frame, drag.s, drag.t), rigid_set(0, 0, 0), isFixed);
    const REAL twist = rigid_twist(&c, zero, twistMass, limit * twistArm);
    rigid_turn_couple(&c, rigid_scale(twist, c.frame.n), isFixed);
    store_couple(step->bodies, head, l, &c, isFixed);
    real_store(head->bounce->bounced + l, real_max(real_load(head->bounce->bounced + l),
                                                   real_select(real_less(zero, push), real_set(1), zero)));
}

static bool pass_many(const wbExactStep *step, wbManyGroup *group, int pass, int isFixed) {
    REAL rest = real_set(0);
    for (int l = 0; l < group->head.count; l += WB_LANES) {
        if (pass == WB_PASS_MEET) {
            rest = real_max(rest, meet_many(step, group, l));
        } else if (pass == WB_PASS_BOUNCE) {
            rest = real_max(rest, bounce_many(step, group, l, isFixed));
        } else {
            REAL push = real_set(0);
            for (int i = 0; i < RIGID_POINTS; i++) push += real_load(group->head.bounce->kick[i] + l);
            scrape(step, &group->head, l, push, real_load(group->twistMass + l),
                   real_load(group->twistArm + l), isFixed);
        }
    }
    return lane_any(rest);
}

static bool pass_one(const wbExactStep *step, wbOneGroup *group, int pass, int isFixed) {
    REAL rest = real_set(0);
    for (int l = 0; l < group->head.count; l += WB_LANES) {
        if (pass == WB_PASS_MEET)
            rest = real_max(rest, meet_one(step, group, l));
        else if (pass == WB_PASS_BOUNCE)
            rest = real_max(rest, bounce_one(step, group, l, isFixed));
        else
            scrape(step, &group->head, l, real_load(group->head.bounce->kick[0] + l), real_set(0),
                   real_set(0), isFixed);
    }
    return lane_any(rest);
}

static void solve(const wbExactStep *step, const wbContactBatch *batch, int begin, int end, int pass) {
    const bool isFixed = wbIsFixed(batch->kind), isOne = wbIsOnePoint(batch->kind);
    uint8_t *states = step->bounces + batch->at + (isOne ? step->manyCount : 0);
    for (int g = begin; g < end; g++) {
        wbOneGroup *one = isOne ? &step->ones[batch->at + g] : NULL;
        wbManyGroup *many = isOne ? NULL : &step->many[batch->at + g];
        if (pass == WB_PASS_MEET ? !(isOne ? one->head.bounces : many->head.bounces) : !states[g]) continue;
        const bool isAny = isOne ? pass_one(step, one, pass, isFixed) : pass_many(step, many, pass, isFixed);
        if (pass == WB_PASS_MEET)
            states[g] = isAny ? wb_bounceUnsettled : wb_bounceNone;
        else
            states[g] = isAny ? wb_bounceUnsettled : wb_bounceSettled;
    }
}

const wbBounceCode WB_WIDE(wb_bounceCode) = {solve};
