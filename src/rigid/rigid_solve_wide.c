// SPDX-License-Identifier: MIT
// Impulses of groups of contacts: warm start and passes; and what is kept of them for the next step.
#include "rigid/rigid_couple_lanes.h"

// Friction at the middle: the change of its impulse.
WB_INLINE RigidVector rub(const RigidCouple *c, wbGroupHead *head, int l, REAL push) {
    const RigidDrag before = {real_load(head->dragImpulse[0] + l), real_load(head->dragImpulse[1] + l)};
    const RigidDrag drag = rigid_rub(c, before, real_load(head->dragMass[0] + l),
                                     real_load(head->dragMass[1] + l), real_load(head->friction + l) * push);
    real_store(head->dragImpulse[0] + l, drag.s), real_store(head->dragImpulse[1] + l, drag.t);
    return rigid_across(&c->frame, drag.s - before.s, drag.t - before.t);
}

WB_INLINE void roll(RigidCouple *c, wbGroupRoll *rolling, int l, REAL push, int isFixed) {
    const RigidVector before = load3(rolling->impulse, l);
    const RigidVector moment =
        rigid_roll(c, before, real_load(rolling->mass + l), real_load(rolling->arm + l) * push);
    store3(rolling->impulse, l, moment);
    rigid_turn_couple(c, rigid_sub(moment, before), isFixed);
}

WB_INLINE void warm_many(const wbExactStep *step, wbManyGroup *group, int l, int isFixed, int isRound) {
    RigidCouple c = load_couple(step->bodies, &group->head, l, isRound);
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

// All points of a contact while they are swept.
typedef struct Sweep {
    RigidResponse response;
    RigidApproach way, speed;
    RigidSums sums;
    REAL push;
} Sweep;

// Lanes that are not swept stay as they are; NULL: all are.
WB_INLINE void sweep_points(const wbExactStep *step, wbManyGroup *group, int l, int kind, const MASK *isSwept,
                            Sweep *sweep) {
    const REAL pushSpeed = real_load(group->head.pushSpeed + l), keep = real_load(group->head.keep + l);
    RigidApproach speed = sweep->speed;
    RigidSums sums = sweep->sums;
    REAL push = real_set(0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL before = real_load(group->impulse[i] + l);
        REAL impulse = rigid_push_point(before, real_load(group->x[i] + l), real_load(group->y[i] + l),
                                        real_load(group->separation[i] + l), sweep->way, sweep->response,
                                        pushSpeed, keep, step->terms, kind, &speed, &sums);
        if (isSwept) impulse = real_select(*isSwept, impulse, before);
        real_store(group->impulse[i] + l, impulse);
        push += impulse;
    }
    sweep->push = push;
    sweep->speed = isSwept ? rigid_select_approach(*isSwept, speed, sweep->speed) : speed;
    sweep->sums = isSwept ? rigid_select_sums(*isSwept, sums, sweep->sums) : sums;
}

// One sweep is enough for points that rest, which start from the impulses of before. A blow is shared out anew until it hardly
// changes the speed, or a box that lands flat would jump. Each lane stops by itself: what it becomes does not depend on others.
WB_INLINE bool is_blow(const wbManyGroup *group, int l, const Sweep *sweep, REAL before) {
    return lane_less(RIGID_BLOW * real_load(group->head.pushSpeed + l),
                     real_abs(sweep->speed.along - before));
}

static __attribute__((noinline)) void share_blow(const wbExactStep *step, wbManyGroup *group, int l, int kind,
                                                 REAL before, Sweep *sweep) {
    const REAL little = RIGID_BLOW * real_load(group->head.pushSpeed + l);
    for (int n = 1; n < RIGID_POINT_SWEEPS && is_blow(group, l, sweep, before); n++) {
        const MASK isSwept = real_less(little, real_abs(sweep->speed.along - before));
        before = sweep->speed.along;
        sweep_points(step, group, l, kind, &isSwept, sweep);
    }
}

WB_INLINE void solve_many(const wbExactStep *step, wbManyGroup *group, int l, int kind, int isFixed,
                          int isRound) {
    RigidCouple c = load_couple(step->bodies, &group->head, l, isRound);
    const RigidApproach way = rigid_approach(c.frame, rigid_part_ways(&c), c.turnA, c.turnB),
                        speed = rigid_approach(c.frame, rigid_part(&c), c.wa, c.wb);
    const REAL zero = real_set(0);
    Sweep sweep = {isRound ? load_round_response(group, l, &c) : load_response(group, l),
                   way,
                   speed,
                   {zero, zero, zero},
                   zero};
    sweep_points(step, group, l, kind, NULL, &sweep);
    if (is_blow(group, l, &sweep, speed.along)) {
        Sweep more = sweep; // a copy, so that the others stay in registers
        share_blow(step, group, l, kind, speed.along, &more);
        sweep = more;
    }
    const REAL push = sweep.push;
    rigid_push_sums(&c, sweep.sums, isFixed);
    const RigidVector drag = rub(&c, &group->head, l, push);
    const REAL twist = real_load(group->twistImpulse + l);
    const REAL limit = real_load(group->head.friction + l) * push * real_load(group->twistArm + l);
    const REAL twisted = rigid_twist(&c, twist, real_load(group->twistMass + l), limit);
    real_store(group->twistImpulse + l, twisted);
    rigid_push_couple(&c, drag, rigid_scale(twisted - twist, c.frame.n), isFixed);
    if (group->head.rolls) roll(&c, group->head.roll, l, push, isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void warm_one(const wbExactStep *step, wbOneGroup *group, int l, int isFixed, int isRound) {
    RigidCouple c = load_couple(step->bodies, &group->head, l, isRound);
    const RigidVector drag = rigid_across(&c.frame, real_load(group->head.dragImpulse[0] + l),
                                          real_load(group->head.dragImpulse[1] + l));
    rigid_push_couple(&c, rigid_madd(real_load(group->impulse + l), c.frame.n, drag), rigid_set(0, 0, 0),
                      isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

WB_INLINE void solve_one(const wbExactStep *step, wbOneGroup *group, int l, int kind, int isFixed,
                         int isRound) {
    RigidCouple c = load_couple(step->bodies, &group->head, l, isRound);
    const REAL before = real_load(group->impulse + l), mass = real_load(group->mass + l);
    const REAL now = real_load(group->separation + l) + rigid_dot(c.frame.n, rigid_part_ways(&c));
    const REAL push =
        rigid_push(before, mass, rigid_dot(c.frame.n, rigid_part(&c)), now,
                   real_load(group->head.pushSpeed + l), real_load(group->head.keep + l), step->terms, kind);
    real_store(group->impulse + l, push);
    rigid_push_couple(&c, rigid_scale(push - before, c.frame.n), rigid_set(0, 0, 0), isFixed);
    const RigidVector drag = rub(&c, &group->head, l, push);
    rigid_push_couple(&c, drag, rigid_set(0, 0, 0), isFixed);
    if (group->head.rolls) roll(&c, group->head.roll, l, push, isFixed);
    store_couple(step->bodies, &group->head, l, &c, isFixed);
}

// Groups of round bodies are the fast ones; what is constant here makes a version of its own of each.
WB_INLINE void pass_many(const wbExactStep *step, wbManyGroup *group, int pass, int isFixed, int isRound) {
    for (int l = 0; l < group->head.count; l += WB_LANES) {
        if (pass == wb_passWarmStart)
            warm_many(step, group, l, isFixed, isRound);
        else
            solve_many(step, group, l, pass == wb_passBias ? RIGID_PUSH_SOFT : RIGID_PUSH_RELAX, isFixed,
                       isRound);
    }
}
WB_INLINE void pass_one(const wbExactStep *step, wbOneGroup *group, int pass, int isFixed, int isRound) {
    for (int l = 0; l < group->head.count; l += WB_LANES) {
        if (pass == wb_passWarmStart)
            warm_one(step, group, l, isFixed, isRound);
        else
            solve_one(step, group, l, pass == wb_passBias ? RIGID_PUSH_SOFT : RIGID_PUSH_RELAX, isFixed,
                      isRound);
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

// Neither does it foresee groups across the ends of pages.
WB_INLINE void fetch_group(const wbExactStep *step, const void *group, size_t bytes) {
    if (step->bodyCount < 4096) return;
    for (size_t at = 0; at < bytes; at += WB_ALIGNMENT) __builtin_prefetch((const char *)group + at, 1);
}

// Few groups bounce: one version for all of these.
static void relax_bouncing_many(const wbExactStep *step, wbManyGroup *group, int isFixed) {
    for (int l = 0; l < group->head.count; l += WB_LANES)
        solve_many(step, group, l, RIGID_PUSH_BOUNCING, isFixed, group->head.isRound);
}
static void relax_bouncing_one(const wbExactStep *step, wbOneGroup *group, int isFixed) {
    for (int l = 0; l < group->head.count; l += WB_LANES)
        solve_one(step, group, l, RIGID_PUSH_BOUNCING, isFixed, group->head.isRound);
}

WB_INLINE void pass_groups(const wbExactStep *step, const wbContactBatch *batch, int begin, int end, int pass,
                           int isFixed) {
    for (int g = begin; g < end; g++) {
        if (wbIsOnePoint(batch->kind)) {
            wbOneGroup *group = &step->ones[batch->at + g];
            if (g + 1 < end) fetch_bodies(step, &group[1].head);
            if (g + 2 < end) fetch_group(step, &group[2], sizeof *group);
            if (pass == wb_passRelax && group->head.bounces)
                relax_bouncing_one(step, group, isFixed);
            else if (group->head.isRound)
                pass_one(step, group, pass, isFixed, 1);
            else
                pass_one(step, group, pass, isFixed, 0);
        } else {
            wbManyGroup *group = &step->many[batch->at + g];
            if (g + 1 < end) fetch_bodies(step, &group[1].head);
            if (g + 2 < end) fetch_group(step, &group[2], sizeof *group);
            if (pass == wb_passRelax && group->head.bounces)
                relax_bouncing_many(step, group, isFixed);
            else if (group->head.isRound)
                pass_many(step, group, pass, isFixed, 1);
            else
                pass_many(step, group, pass, isFixed, 0);
        }
    }
}

static void solve(const wbExactStep *step, const wbContactBatch *batch, int begin, int end, int pass) {
    const bool isFixed = wbIsFixed(batch->kind);
    if (pass == wb_passWarmStart && isFixed)
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

// Where the contacts of a group are kept, and who they are.
typedef struct Keeping {
    float *records;
    int quads[WB_CONTACT_LANES];
    _Alignas(WB_ALIGNMENT) int names[4][WB_CONTACT_LANES];
} Keeping;

WB_INLINE void keep_common(const wbGroupHead *head, int l, const Keeping *keeping, const RigidFrame *frame,
                           REAL twist, const REAL separation[RIGID_POINTS]) {
    float *records = keeping->records;
    const int *quads = keeping->quads + l;
    const RigidVector n = frame->n, drag = rigid_across(frame, real_load(head->dragImpulse[0] + l),
                                                        real_load(head->dragImpulse[1] + l));
    lane_scatter4(records + 4 * WB_FRICTION_QUAD, quads, (REAL4){drag.x, drag.y, drag.z, twist});
    lane_scatter4(records + 4 * WB_FRICTION_QUAD + 4, quads,
                  (REAL4){n.x, n.y, n.z, real_load(head->approach->speed + l)});
    lane_scatter4(records + 4 * WB_FRICTION_QUAD + 8, quads,
                  (REAL4){separation[0], separation[1], separation[2], separation[3]});
    const float *names = (const float *)keeping->names[0] + l;
    lane_scatter4(records + 4 * WB_FRICTION_QUAD + 12, quads,
                  (REAL4){real_load(names), real_load(names + WB_CONTACT_LANES),
                          real_load(names + 2 * WB_CONTACT_LANES), real_load(names + 3 * WB_CONTACT_LANES)});
}

WB_INLINE REAL keep_many(const wbManyGroup *group, int l, const Keeping *keeping) {
    const RigidFrame frame = rigid_frame(load3(group->head.normal, l));
    const RigidVector middle = load3(group->head.armA, l);
    REAL separation[RIGID_POINTS],
        any = group->head.bounces ? real_load(group->head.bounce->bounced + l) : real_set(0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL impulse = real_load(group->impulse[i] + l);
        separation[i] = real_load(group->separation[i] + l);
        any = real_max(any, rigid_touches(separation[i], impulse));
        RigidVector p =
            rigid_add(middle, rigid_across(&frame, real_load(group->x[i] + l), real_load(group->y[i] + l)));
        // what is not there is nowhere near
        p.x = real_select(real_less(separation[i], real_set(WB_NO_POINT)), p.x, real_set(RIGID_FAR));
        lane_scatter4(keeping->records + 4 * i, keeping->quads + l, (REAL4){p.x, p.y, p.z, impulse});
    }
    keep_common(&group->head, l, keeping, &frame, real_load(group->twistImpulse + l), separation);
    return any;
}

WB_INLINE REAL keep_one(const wbOneGroup *group, int l, const Keeping *keeping) {
    const RigidFrame frame = rigid_frame(load3(group->head.normal, l));
    const RigidVector p = load3(group->head.armA, l);
    const REAL far = real_set(RIGID_FAR), zero = real_set(0);
    const REAL separation[RIGID_POINTS] = {real_load(group->separation + l), far, far, far};
    lane_scatter4(keeping->records, keeping->quads + l,
                  (REAL4){p.x, p.y, p.z, real_load(group->impulse + l)});
    for (int i = 1; i < RIGID_POINTS; i++)
        lane_scatter4(keeping->records + 4 * i, keeping->quads + l, (REAL4){far, zero, zero, zero});
    keep_common(&group->head, l, keeping, &frame, zero, separation);
    const REAL touches = rigid_touches(separation[0], real_load(group->impulse + l));
    return group->head.bounces ? real_max(touches, real_load(group->head.bounce->bounced + l)) : touches;
}

// Lanes without a contact write behind all contacts, each group where no other does.
WB_INLINE void begin_keeping(const wbExactStep *step, int group, Keeping *keeping) {
    const wbGroupPlan *plan = &step->groupPlans[group];
    for (int l = 0; l < WB_CONTACT_LANES; l++) {
        const bool live = l < plan->count;
        const int slot = step->slots[plan->first + (live ? l : 0)];
        const wbContactNames names = wbNameContact(step, &step->plans[slot]);
        keeping->quads[l] = WB_CONTACT_QUADS * (live ? slot : step->contactCount + 1 + group);
        keeping->names[0][l] = names.bodies[0], keeping->names[1][l] = names.bodies[1];
        keeping->names[2][l] = (int)names.pieces, keeping->names[3][l] = (int)names.key;
    }
}

// Where the next group's contacts go is as far apart as its bodies are.
WB_INLINE void fetch_contacts(const wbExactStep *step, const wbGroupPlan *plan) {
    const wbContact *contacts = step->rigid->contacts.spare.data;
    if (step->bodyCount < 4096) return;
    for (int l = 0; l < plan->count; l++) {
        const int slot = step->slots[plan->first + l];
        __builtin_prefetch(&step->plans[slot]);
        __builtin_prefetch(&contacts[slot], 1), __builtin_prefetch(contacts[slot].friction, 1);
    }
}

static void keep(int begin, int end, int worker, void *context) {
    const wbExactStep *step = context;
    Keeping keeping = {.records = step->rigid->contacts.spare.data};
    (void)worker;
    for (int g = begin; g < end; g++) {
        const wbGroupPlan *plan = &step->groupPlans[g];
        const bool isOne = wbIsOnePoint(plan->kind);
        const wbGroupHead *head = isOne ? &step->ones[plan->at].head : &step->many[plan->at].head;
        float touching[WB_CONTACT_LANES];
        if (g + 1 < end) fetch_contacts(step, plan + 1);
        begin_keeping(step, g, &keeping);
        for (int l = 0; l < plan->count; l += WB_LANES)
            real_store(touching + l, isOne ? keep_one(&step->ones[plan->at], l, &keeping)
                                           : keep_many(&step->many[plan->at], l, &keeping));
        for (int l = 0; l < plan->count; l++) {
            const int slot = step->slots[plan->first + l];
            step->touches[slot] = touching[l] > 0;
            step->isFast[slot] = head->approach->speed[l] >= step->model->params.hitSpeed;
        }
    }
}

const wbSolveCode WB_WIDE(wb_solveCode) = {solve, keep};
